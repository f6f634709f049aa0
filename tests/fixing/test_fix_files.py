"""``flake8-jax fix`` and the files of a run: several of them, links to them, and interruptions."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fixing.kernel import APP, FIXED, KERNEL, write
from flake8_jax.cli.main import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fix(*arguments: str) -> int:
    return main(["fix", "--isolated", *arguments])


@pytest.mark.parametrize("name", ["app.py", "zoo.py"])
def test_only_what_is_left_after_all_files_is_reported(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    write(folder / "kernel.py")
    write(folder / name, APP)
    expected = "Would fix: ./kernel.py (1 JAX101)\n  ./kernel.py:10:5: JAX101 safe\n"
    assert fix("--check") == 1
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == (expected, "Would fix 1 finding in 1 file.\n")
    assert (folder / "kernel.py").read_text() == KERNEL
    assert fix() == 0
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "Fixed 1 finding in 1 file.\n")
    assert (folder / "kernel.py").read_text() == FIXED
    assert (folder / name).read_text() == APP


def test_a_file_that_is_not_written_still_counts(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder / "kernel.py").chmod(0o444)
    write(folder / "app.py", APP)
    assert fix() == 1
    shown = capsys.readouterr()
    assert [line.split()[1] for line in shown.out.splitlines()] == ["JAX105"]
    assert shown.err == (
        "./kernel.py: left alone: it is read-only\n"
        "1 finding left: 1 has no fix. 1 file left alone.\n"
    )


def test_a_preview_leaves_nothing_behind(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "kernel.py")
    write(folder / "app.py", APP)
    assert fix("--diff") == 1
    assert fix("app.py") == 1
    assert "JAX105" in capsys.readouterr().out


def test_a_link_that_leads_out_of_the_given_paths(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = write(folder / "outside/target.py")
    inside = write(folder / "project/own.py")
    (folder / "project/link.py").symlink_to(outside)
    (folder / "project/other.py").symlink_to(inside)
    assert fix("project") == 1
    assert outside.read_text() == KERNEL
    assert inside.read_text() == FIXED
    told = f"it is a link that leads out of the given paths, to {outside}"
    assert f"project/link.py: left alone: {told}\n" in capsys.readouterr().err
    assert fix("--check", "project") == 1
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == (
        "",
        f"project/link.py: left alone: {told}\n1 file left alone.\n",
    )
    assert fix("--diff", "project") == 1  # which writes nothing
    assert fix("project", "outside") == 0
    assert outside.read_text() == FIXED


def test_a_folder_that_is_given_by_a_link(folder: Path) -> None:
    path = write(folder / "real/kernel.py")
    (folder / "named").symlink_to(folder / "real")
    assert fix("named") == 0
    assert path.read_text() == FIXED


def test_hard_links_survive(folder: Path) -> None:
    path = write(folder / "kernel.py")
    path.chmod(0o640)
    twin = folder / "elsewhere.txt"
    twin.hardlink_to(path)
    assert fix("kernel.py") == 0
    assert path.samefile(twin)
    assert twin.read_text() == FIXED
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(item.name for item in folder.iterdir()) == ["elsewhere.txt", "kernel.py"]


def test_a_file_with_two_hard_links_is_changed_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(folder / "kernel.py")
    (folder / "twin.py").hardlink_to(path)
    assert fix() == 0
    assert capsys.readouterr().err == "Fixed 1 finding in 1 file.\n"
    assert path.samefile(folder / "twin.py")
    assert path.read_text() == FIXED


INTERRUPTED = """\
import os, signal, sys
from flake8_jax.applying import texts
from flake8_jax.cli.main import main

done = texts.os.fsync

def interrupted(handle):
    os.ftruncate(handle, os.fstat(handle).st_size // {part})
    os.kill(os.getpid(), signal.{name})
    done(handle)

texts.os.{call} = interrupted
sys.exit(main(["fix", "--isolated", "kernel.py"]))
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_an_interruption_while_a_draft_is_written(folder: Path, name: str) -> None:
    """The signal comes when half of the new text has been written."""
    path = write(folder / "kernel.py")
    script = INTERRUPTED.format(name=name, part=2, call="fsync")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    number = getattr(signal, name)
    assert done.returncode == (130 if number == signal.SIGINT else -number)
    assert path.read_text() == KERNEL
    if number == signal.SIGINT:
        assert list(folder.iterdir()) == [path]


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interruption_while_a_file_with_two_names_is_written(folder: Path, name: str) -> None:
    """The signal comes when the first bytes of the new text are in the file."""
    path = write(folder / "kernel.py")
    (folder / "twin.py").hardlink_to(path)
    script = f"""\
import io, os, signal, sys
from flake8_jax.applying import texts
from flake8_jax.cli.main import main

class Slow(io.FileIO):
    def write(self, data):
        os.kill(os.getpid(), signal.{name})
        return super().write(bytes(data)[:10])

def slow(path, mode="r", *more, **named):
    return Slow(path, mode) if mode == "r+b" else opened(path, mode, *more, **named)

opened, texts.Path.open = texts.Path.open, slow
sys.exit(main(["fix", "--isolated", "kernel.py"]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    number = getattr(signal, name)
    assert done.returncode == (130 if number == signal.SIGINT else -number), done.stderr
    assert path.read_text() == FIXED
    assert path.samefile(folder / "twin.py")


STATE = """\
import jax
from flax import struct


class State(struct.PyTreeNode):
    step: jax.Array


def bump(state: State):
    state.step += 1
    return state
"""
CALLER = "import dataclasses\n\nimport states\n\n\ndef run(s: states.State):\n{}    return s.step\n"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("    s = states.bump(s)\n", "safe"),
        (
            "    states.bump(s)\n",
            "unsafe: the object that line 7 of caller.py goes on with keeps its 'step'",
        ),
        (
            "    t = states.bump(s)\n",
            "unsafe: the object that line 7 of caller.py goes on with keeps its 'step'",
        ),
        (
            "    return list(map(states.bump, [s]))\n",
            "unsafe: an object of those who call it through line 7 of caller.py keeps its 'step'",
        ),
        (
            "    try:\n        s = states.bump(s)\n    except dataclasses.FrozenInstanceError:\n"
            "        pass\n",
            "not fixed: line 8 of caller.py expects 'bump' to raise",
        ),
    ],
)
def test_callers_in_other_files_count(
    folder: Path, capsys: pytest.CaptureFixture[str], body: str, told: str
) -> None:
    write(folder / "states.py", STATE)
    write(folder / "caller.py", CALLER.format(body))
    assert fix("--list", "states.py") == 1
    assert capsys.readouterr().out == f"states.py:10:5: JAX204 {told}\n"


def test_what_an_unsafe_run_alters_is_said_when_it_does(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder / "states.py", STATE)
    write(folder / "caller.py", CALLER.format("    states.bump(s)\n"))
    write(
        folder / "kernel.py",
        KERNEL.replace("return self.points @ self.points.T", 'return {"points": self.points}'),
    )
    assert fix("--unsafe", "--quiet") == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == (
        "./kernel.py:10:5: JAX101 not as before: 'gram' is a new object each time, made by "
        "'{\"points\": self.points}' on line 12\n"
        "./states.py:10:5: JAX204 no error any more, but the object that line 7 of caller.py goes "
        "on with keeps its 'step'\n"
    )


@pytest.mark.parametrize(
    "dealing",
    ['    kernel.__dict__["gram"] = 1\n', "    del kernel.gram\n", "    kernel.gram = 1\n"],
)
@pytest.mark.parametrize("given", [".", "kernel.py"])
def test_files_that_get_the_objects_count_as_well(
    folder: Path, capsys: pytest.CaptureFixture[str], dealing: str, given: str
) -> None:
    """The module hands its objects to them, and they need not import it."""
    write(folder / "warming.py", f"def warm(kernel):\n{dealing}")
    write(folder / "kernel.py", f"from warming import warm\n{KERNEL}\n\nwarm(Kernel(1.0))\n")
    assert fix("--list", given) == 1
    reason = "warming.py does more with 'gram' than to read its value"
    assert f"kernel.py:11:5: JAX101 not fixed: {reason}\n" in capsys.readouterr().out


def test_overrides_in_other_files_count(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A subclass counts how often it computes what the cached property of its base asks for."""
    write(folder / "kernel.py", KERNEL.replace("self.points @ self.points.T", "self.form()"))
    write(
        folder / "loud.py",
        "from kernel import Kernel\n\nseen = []\n\n\nclass Loud(Kernel):\n    def form(self):\n"
        "        seen.append(1)\n        return self.points\n",
    )
    assert fix("--list") == 1
    reason = "'seen.append(1)' on line 8 of loud.py would be done each time that 'gram' is read"
    assert f"kernel.py:10:5: JAX101 not fixed: {reason}\n" in capsys.readouterr().out
