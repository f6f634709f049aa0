"""What the tests share: flake8 run as a user runs it, and the fixtures it lints."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

REPOSITORY = Path(__file__).parent.parent
FIXTURES = REPOSITORY / "fixtures"
SCRIPTS = Path(sys.executable).parent
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}",
}
"""The variables of someone who works in the environment of the tests, and not in a hook of git."""
PACKAGED = ("src", "fixtures", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
"""What of the repository a wheel or the environment of a hook is made from."""
INSTALLED = ("hatchling", "flake8", "libcst", "flake8-pyproject", "flake8-github-annotations")
"""What is installed into environments that tests make."""
PATIENCE = 600
"""Seconds after which a command is taken to hang."""

Flake8 = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def flake8(tmp_path: Path) -> Flake8:
    """Run flake8 in an empty folder, with no configuration but what is given."""

    def run(
        *arguments: str, stdin: str | None = None, cwd: Path = tmp_path
    ) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "flake8", *arguments]
        return subprocess.run(
            command, input=stdin, capture_output=True, text=True, cwd=cwd, check=False
        )

    return run


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
