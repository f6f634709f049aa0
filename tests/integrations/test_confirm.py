"""``flake8-jax confirm PATHS -- COMMAND``, on programs as users write them."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import REPOSITORY
from flake8_jax.confirming.slices import cut

PROGRAMS = REPOSITORY / "tests/integrations/confirmed"
PYTHON = sys.executable


def run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PYTHONPATH"] = str(REPOSITORY / "src")
    command = [PYTHON, *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def confirm(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return run(folder, "-m", "flake8_jax", "confirm", *arguments)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path in PROGRAMS.glob("*.py"):
        name = path.name if path.name != "seen.py" else "test_seen.py"  # not one of this suite
        shutil.copy(path, tmp_path / name)
    return tmp_path


AGENT = """\
(2, 2)
cannot assign to field 'n'
{folder}/agent.py ['agent.py', '--steps', '3'] {folder}
agent.py:16:9  JAX301  confirmed    leaked: self.key holds a Tracer after 'step' (traced once)
agent.py:23:5  JAX101  confirmed    recomputed: computed 3 times for 1 object, 2 of them inside \
jit; a filled cache was dropped once
agent.py:39:5  JAX201  confirmed    lost: the written object was a copy that died with the trace \
of 'loop', the caller's kept its value
agent.py:44:5  JAX201  refuted      executed once, never under a trace
agent.py:57:5  JAX401  confirmed    dropped: a new array was thrown away, once
agent.py:67:5  JAX201  not reached

JAX201 is wrong about agent.py:44:5, or this run does not show it. If it is wrong, please report \
it with what follows (VERSIONS).

    # JAX201 write to traced argument is lost: 'state.n' is set under jax.jit on line 47 ('_old', \
line 43) and its object is not returned; build and return a new object
    import jax

    def _old(state):
        state.n = state.n + 1

    old = jax.jit(_old)

4 confirmed, 1 not reached, 1 refuted; the command ended well; exit status 1: a finding was refuted
"""


def test_a_script(folder: Path) -> None:
    done = confirm(folder, "agent.py", "--", PYTHON, "agent.py", "--steps", "3")
    shown = re.sub(r"\(flake8-jax .*, jax [\d.]+\)", "(VERSIONS)", done.stdout)
    assert shown == AGENT.replace("{folder}", str(folder))
    assert (done.returncode, done.stderr) == (1, "")


def test_data_for_tools(folder: Path) -> None:
    command = ("--format=json", "--only-confirmed", "test_seen.py", "--", PYTHON, "-m", "unittest")
    done = confirm(folder, *command, "test_seen")
    data = json.loads(done.stdout)
    assert (done.returncode, data["status"], data["command"]) == (0, 0, 0)
    assert "OK" in done.stderr
    (found,) = data["findings"]
    assert found["code"] == "JAX303"
    assert found["verdict"] == "confirmed"
    assert found["measure"] == "leaked"
    assert found["detail"] == "SEEN holds a Tracer after 'noted' (traced once)"


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_pytest(folder: Path, workers: tuple[str, ...]) -> None:
    pytest_command = (PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", *workers)
    done = confirm(folder, "--format=markdown", "test_seen.py", "--", *pytest_command)
    assert "2 passed" in done.stderr
    shown = done.stdout.splitlines()
    assert shown[2].startswith("| `test_seen.py:12:5` | JAX303 | **confirmed** | leaked: SEEN ")
    assert shown[-1] == (
        "1 confirmed; the command ended well; exit status 0: no finding was refuted"
    )
    assert done.returncode == 0


def test_processes_that_are_spawned(folder: Path) -> None:
    done = confirm(folder, "pool.py", "--", PYTHON, "-m", "pool")
    output, finding, _, ending = done.stdout.splitlines()
    assert output == "[2.0]"
    assert finding.endswith("leaked: SEEN holds a Tracer after 'noted' (traced once)")
    assert ending.startswith("1 confirmed; ")


def test_a_command_that_fails_does_so_as_without_instruments(folder: Path) -> None:
    done = confirm(folder, "off.py", "--", PYTHON, "off.py")
    assert done.stdout == (
        "off.py:10:5  JAX303  not measured  executed once, but jit was off (jax.disable_jit)\n\n"
        "1 not measured; the command failed with status 1; exit status 1: that of the command\n"
    )
    assert done.returncode == 1
    alone = run(folder, "off.py")
    assert done.stderr == alone.stderr
    assert "ZeroDivisionError" in done.stderr


def test_nothing_to_confirm(folder: Path) -> None:
    (folder / "plain.py").write_text(
        "import os, sys\n"
        "print(os.environ.get('FLAKE8_JAX_CONFIRM'), 'sitecustomize' in sys.modules)\n"
        "sys.exit(3)\n"
    )
    done = confirm(folder, "plain.py", "--", PYTHON, "plain.py")
    output, ending = done.stdout.splitlines()
    assert output.startswith("None ")
    assert ending == (
        "nothing to confirm: flake8 finds nothing here; the command failed with status 3"
    )
    assert done.returncode == 3


def test_a_python_that_ignores_the_environment(folder: Path) -> None:
    done = confirm(folder, "off.py", "--", PYTHON, "-I", "-c", "pass")
    assert "no process of the command has started the instruments" in done.stdout
    assert done.returncode == 0


def test_a_command_that_is_not_there(folder: Path) -> None:
    done = confirm(folder, "off.py", "--", "no-such-command")
    assert done.returncode == 127
    assert done.stderr == "flake8-jax: error: no-such-command: No such file or directory\n"


def test_a_slice_keeps_what_the_finding_needs() -> None:
    lines = [
        "import a\n",
        "import b\n",
        "def used():\n",
        "    x = 1\n",
        "    return a\n",
        "def unused():\n",
        "    return b\n",
    ]
    kept = cut(lines, lambda some: "    return a\n" in some)
    assert kept == ["def used():\n", "    return a\n"]
