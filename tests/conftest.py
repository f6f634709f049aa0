"""What the tests share: flake8 run as a user runs it, and the fixtures it lints."""

import os
import select
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from flake8.main.cli import main as flake8_main

import inside
import workers
from costs import Costs
from flake8_jax.cli.main import main as flake8_jax_main
from flake8_jax.faults import RAISE

os.environ[RAISE] = "1"  # in this process and all that it starts: a fault is a failure
REPOSITORY = Path(__file__).parent.parent
FIXTURES = REPOSITORY / "fixtures"
SCRIPTS = Path(sys.executable).parent
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}",
}
"""The variables of someone who works in the environment of the tests, and not in a hook of git."""
PACKAGED = (
    "src",
    "fixtures",
    "hatch_build.py",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    ".pre-commit-hooks.yaml",
)
"""What of the repository a wheel or the environment of a hook is made from."""
INSTALLED = ("hatchling", "flake8", "libcst", "flake8-pyproject", "flake8-github-annotations")
"""What is installed into environments that tests make."""
PROCESSES = "--processes"
PATIENCE = 600
"""Seconds after which a command is taken to hang."""

LENIENT = {name: value for name, value in os.environ.items() if name != RAISE}
"""The variables of somebody who lints: a fault is logged."""

Flake8 = Callable[..., "subprocess.CompletedProcess[str]"]
Fix = Callable[..., "subprocess.CompletedProcess[bytes]"]

FAST = (
    "unit",
    "findings/test_false_alarms.py",
    "findings/test_gates.py",
    "findings/test_marks.py",
    "findings/test_messages.py",
    "findings/test_missed_alarms.py",
    "findings/test_spellings.py",
)
"""Folders and modules whose tests are marked as fast: they import no jax, and start no process."""


def is_fast(path: Path) -> bool:
    """Whether a module of tests is among the fast ones, or a folder holds some."""
    relative = path.relative_to(REPOSITORY / "tests")
    return any(
        relative.is_relative_to(name) or Path(name).is_relative_to(relative) for name in FAST
    )


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        PROCESSES,
        action="store_true",
        help="run flake8 and flake8-jax in processes of their own, as users do",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "fast: needs no jax; all of them take less than a minute")
    config.pluginmanager.register(Costs())
    config.pluginmanager.register(workers.LettingGo())
    for name, value in workers.SETTINGS.items():
        os.environ.setdefault(name, value)
    if getattr(config, "cache", None) is not None and not hasattr(config, "workerinput"):
        os.environ.setdefault(workers.COMPILED, str(config.cache.mkdir("compiled")))


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what a run does, before it is silent for a while."""
    if config.option.markexpr == "fast":
        return ["fast tests only: no jax, no processes; less than a minute"]
    return [
        f"memory for {workers.available_gigabytes() / workers.MEMORY:.0f} workers of "
        f"{workers.MEMORY} GB; the fixtures run under jax, which takes minutes; "
        "pytest -m fast takes less than one"
    ]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import what imports jax if only fast tests are asked for."""
    if config.option.markexpr != "fast" or collection_path.name in ("tests", "conftest.py"):
        return None
    return None if is_fast(collection_path) else True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=workers.order)
    for item in items:
        if is_fast(item.path):
            item.add_marker("fast")


def pytest_collection_finish(session: pytest.Session) -> None:
    if session.config.option.markexpr == "fast" and "jax" in sys.modules:
        raise pytest.UsageError("a module in conftest.FAST imports jax")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """As many as there are cores and memory for, unless a number is given."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else workers.fits()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests that share something costly run in one process."""
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return workers.together(nodeid)

    config.option.loadscopereorder = False
    return Together(config, log)


@pytest.fixture
def flake8(tmp_path: Path, pytestconfig: pytest.Config) -> Flake8:
    """Run flake8 in an empty folder, with no configuration but what is given."""

    def run(
        *arguments: str, stdin: str | None = None, cwd: Path = tmp_path
    ) -> "subprocess.CompletedProcess[str]":
        given = (stdin or "").encode()
        if pytestconfig.getoption(PROCESSES) or inside.needs_a_process(arguments):
            command = [sys.executable, "-m", "flake8", *arguments]
            done = subprocess.run(command, input=given, capture_output=True, cwd=cwd, check=False)
        else:
            done = inside.called(flake8_main, ["-j1", *arguments], given, cwd)
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    return run


@pytest.fixture
def fix(tmp_path: Path, pytestconfig: pytest.Config) -> Fix:
    """Run ``flake8-jax fix`` in a folder of its own."""

    def run(*arguments: str, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
        if pytestconfig.getoption(PROCESSES) or inside.needs_a_process(arguments):
            command = [str(SCRIPTS / "flake8-jax"), "fix", *arguments]
            return subprocess.run(
                command, input=stdin, capture_output=True, cwd=tmp_path, check=False
            )
        return inside.called(flake8_jax_main, ["fix", "-j1", *arguments], stdin, tmp_path)

    return run


def in_a_terminal(
    *arguments: str,
    cwd: Path | None = None,
    env: "dict[str, str] | None" = None,
    errors: bool = False,
) -> str:
    """What flake8-jax sends to a terminal, as its output, or as errors if there is no output.

    It is read while the command runs: a terminal takes a few thousand characters, and then waits.
    """
    mine, other = os.openpty()
    running = subprocess.Popen(
        [SCRIPTS / "flake8-jax", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if errors else other,
        stderr=other if errors else subprocess.DEVNULL,
        cwd=cwd,
        env=env,
    )
    os.close(other)
    shown = b""
    while select.select([mine], [], [], PATIENCE)[0]:
        try:
            shown += os.read(mine, 100_000)
        except OSError:  # the other end is closed, and all is read
            break
    os.close(mine)
    output, _ = running.communicate(timeout=PATIENCE)
    assert not output
    return shown.decode().replace("\r\n", "\n")


def call(*command: str | Path, cwd: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    """Run a command of the test environment, with more environment variables if given."""
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=cwd,
        env={**ENVIRONMENT, **more},
        check=False,
        timeout=PATIENCE,
    )


def once(
    factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object] = Path.exists
) -> Path:
    """A folder that is made once, and filled if need be, for all the processes of a test run."""
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = shared / name
    with FileLock(shared / f"{name}.lock"):
        if not (folder / "made").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            (folder / "made").touch()
    return folder


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository with one commit: what of this one a package is made from, as it is now."""

    def make(folder: Path) -> None:
        for name in PACKAGED:
            if (REPOSITORY / name).is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(REPOSITORY / name, folder / name, ignore=ignored)
            else:
                shutil.copy(REPOSITORY / name, folder / name)
        commit(folder)

    return once(tmp_path_factory, "source", make)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution, and the wheel that is built from it."""

    def make(folder: Path) -> None:
        command = (sys.executable, "-m", "build", "--no-isolation", "--outdir", folder)
        done = call(*command, cwd=REPOSITORY)
        assert done.returncode == 0, done.stdout

    return once(tmp_path_factory, "built", make)


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables that let pip install from a folder, filled once, with what the tests install."""

    def make(folder: Path) -> None:
        done = call("pip", "download", "--quiet", "--dest", folder, *INSTALLED, cwd=folder)
        assert done.returncode == 0, done.stdout

    return {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(once(tmp_path_factory, "wheels", make)),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


def commit(folder: Path) -> None:
    """Make a folder a git repository, and commit all that is in it."""
    settings = ("user.name=tests", "user.email=tests@localhost", "commit.gpgsign=false")
    given = [part for setting in settings for part in ("-c", setting)]
    for command in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "-m", "all")):
        done = call("git", *given, *command, cwd=folder)
        assert done.returncode == 0, done.stdout
