"""``flake8-jax fix`` as people use it: what it changes, what it leaves alone, what it says."""

import os
import signal
import stat
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from conftest import Fix, in_a_terminal
from fixing.kernel import FIXED, KERNEL, UNSAFE, write
from flake8_jax.applying.texts import LeftAloneError, Text
from flake8_jax.cli.main import main
from flake8_jax.cli.plans import Planning

DONE = "Fixed 1 finding in 1 file.\n"
FINDING = (
    "kernel.py:10:5: JAX101 'Kernel.gram' is recomputed in every jitted call: "
    "cached property on a pytree (struct.PyTreeNode); use @property\n"
)


def test_it_changes_what_flake8_reports(fix: Fix, tmp_path: Path) -> None:
    path = write(tmp_path / "kernel.py")
    done = fix("kernel.py")
    assert (done.returncode, done.stdout, done.stderr.decode()) == (0, b"", DONE)
    assert path.read_text() == FIXED
    again = fix()
    assert (again.returncode, again.stdout, again.stderr) == (0, b"", b"Nothing to fix.\n")
    assert path.read_text() == FIXED


def test_what_is_left_is_shown_as_flake8_shows_it(fix: Fix, tmp_path: Path) -> None:
    text = KERNEL + "\n\ndel Kernel(None).gram\n"
    path = write(tmp_path / "kernel.py", text)
    done = fix("--select=JAX1", "kernel.py")
    assert done.returncode == 1
    assert done.stdout.decode() == FINDING
    assert done.stderr == b"1 finding left: 1 has no fix.\n"
    assert path.read_text() == text
    styled = fix("--select=JAX1", "--format=%(code)s at %(row)d", "--exit-zero")
    assert (styled.returncode, styled.stdout) == (0, b"JAX101 at 10\n")
    quiet = fix("--quiet")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (1, b"./kernel.py\n", b"")


@pytest.mark.parametrize("tool", [["patch", "-p0"], ["git", "apply", "-p0"]], ids=["patch", "git"])
@pytest.mark.parametrize("name", ["plain", "crlf", "latin", "bom", "endless"])
def test_a_diff_does_what_fixing_does(fix: Fix, tmp_path: Path, tool: list[str], name: str) -> None:
    text = {
        "plain": KERNEL.encode(),
        "crlf": KERNEL.replace("\n", "\r\n").encode(),
        "latin": ("# coding: latin-1\n# ü\n" + KERNEL).encode("latin-1"),
        "bom": b"\xef\xbb\xbf" + KERNEL.encode(),
        "endless": KERNEL.replace("class", "struct  # ends here\n\n\nclass").rstrip().encode(),
    }[name]
    path = write(tmp_path / "folder/kernel.py", text)
    preview = fix("--diff", "folder")
    assert preview.returncode == 1
    assert preview.stdout.startswith(b"--- folder/kernel.py\n+++ folder/kernel.py\n@@ ")
    assert preview.stderr == b"Would fix 1 finding in 1 file.\n"
    assert path.read_bytes() == text
    binary = ["--binary"] if tool[0] == "patch" else []
    subprocess.run([*tool, *binary], input=preview.stdout, cwd=tmp_path, check=True)
    patched = path.read_bytes()
    path.write_bytes(text)
    assert fix("folder").returncode == 0
    assert path.read_bytes() == patched != text


def test_nothing_to_change_is_no_diff(fix: Fix, tmp_path: Path) -> None:
    write(tmp_path / "kernel.py", UNSAFE)
    for option in ("--diff", "--check"):
        done = fix(option)
        assert (done.returncode, done.stdout) == (0, b"")
        assert done.stderr == b"1 finding left: 1 needs --unsafe.\n"


def test_check_names_the_files(fix: Fix, tmp_path: Path) -> None:
    path = write(tmp_path / "kernel.py")
    done = fix("--check")
    expected = b"Would fix: ./kernel.py (1 JAX101)\n  ./kernel.py:10:5: JAX101 safe\n"
    assert (done.returncode, done.stdout) == (1, expected)
    assert done.stderr == b"Would fix 1 finding in 1 file.\n"
    assert path.read_text() == KERNEL


def test_it_says_why_something_is_left(fix: Fix, tmp_path: Path) -> None:
    write(tmp_path / "kernel.py")
    write(tmp_path / "left.py", KERNEL + "\n\nprint(vars(Kernel(None)))\n")
    write(tmp_path / "update.py", UNSAFE)
    write(tmp_path / "updates.py", UNSAFE + UNSAFE)
    done = fix("--check")
    expected = "Would fix 1 finding in 1 file. 4 findings left: 3 need --unsafe, 1 has no fix.\n"
    assert done.stderr.decode() == expected
    write(tmp_path / "broken.py", "(")
    only = fix("broken.py")
    assert only.stderr.decode().splitlines()[1:] == ["1 file left alone."]


@pytest.mark.parametrize(
    ("other", "stays"),
    [
        ("from kernel import Kernel, cached_property\n", True),
        ("from .kernel import (\n    Kernel,\n    cached_property as lazy,\n)\n", True),
        ("from folder.kernel import Kernel, \\\n    cached_property\n", True),
        ("import folder.kernel\n\nlazy = folder.kernel.cached_property\n", True),
        ("from kernel import *\n", True),
        ("from kernel import Kernel\n", False),
        ("from functools import cached_property\nfrom kernel import Kernel\n", False),
        ("import functools\nimport kernel\n\nlazy = functools.cached_property\n", False),
    ],
)
def test_imports_that_others_take_stay(fix: Fix, tmp_path: Path, other: str, stays: bool) -> None:
    path = write(tmp_path / "folder/kernel.py")
    write(tmp_path / "folder/other.py", other)
    assert fix().stderr.decode() == DONE
    kept = KERNEL.replace("@cached_property", "@property")
    assert path.read_text() == (kept if stays else FIXED)


@pytest.mark.parametrize(
    ("other", "stays"),
    [
        ("def reset(kernel):\n    del kernel.gram\n", True),
        ("def reset(kernel):\n    kernel.gram = None\n", True),
        ("def reset(kernel):\n    kernel.gram += 1\n", True),
        ("def reset(kernel):\n    kernel.__dict__.pop('gram', None)\n", True),
        ("def fill(kernel, value):\n    object.__setattr__(kernel, 'gram', value)\n", True),
        ("Kernel.gram.func\n", True),
        ("Kernel.gram.cache_clear()\n", True),
        ("def same(kernel):\n    return kernel.gram == kernel.gram\n", False),
        ("def gram(kernel):\n    gram = kernel.gram\n    return gram, dict(gram=gram)\n", False),
        ("def full(kernel):\n    kernel.gram_of = 1 if kernel.gram >= 2 else 0\n", False),
    ],
)
def test_caches_that_others_deal_with_stay(
    fix: Fix, tmp_path: Path, other: str, stays: bool
) -> None:
    path = write(tmp_path / "kernel.py")
    stranger = write(tmp_path / "stranger.py", KERNEL.replace("Kernel", "Stranger"))
    write(tmp_path / "folder/other.py", f"from kernel import Kernel\n\n\n{other}")
    fix()
    assert path.read_text() == (KERNEL if stays else FIXED)
    assert stranger.read_text() == FIXED.replace("Kernel", "Stranger")


def test_unsafe_fixes_are_for_those_who_ask(fix: Fix, tmp_path: Path) -> None:
    path = write(tmp_path / "update.py", UNSAFE)
    done = fix("update.py")
    assert done.returncode == 1
    assert path.read_text() == UNSAFE
    assert fix("--unsafe", "update.py").returncode == 0
    assert path.read_text() == UNSAFE.replace("    x.at", "    x = x.at")


def test_stdin_goes_to_stdout(fix: Fix, tmp_path: Path) -> None:
    crlf = KERNEL.replace("\n", "\r\n").encode()
    done = fix("-", stdin=crlf)
    assert (done.returncode, done.stderr.decode()) == (0, DONE)
    assert done.stdout == FIXED.replace("\n", "\r\n").encode()
    shown = fix("--diff", "--stdin-display-name=src/kernel.py", "-", stdin=crlf)
    assert shown.stdout.startswith(b"--- src/kernel.py\n+++ src/kernel.py\n")
    excluded = fix("--stdin-display-name=src/kernel.py", "--exclude=kernel.py", "-", stdin=crlf)
    assert (excluded.returncode, excluded.stdout) == (0, crlf)
    left = fix("-", stdin=UNSAFE.encode())
    assert (left.returncode, left.stdout) == (1, UNSAFE.encode())
    assert left.stderr.startswith(b"stdin:6:5: JAX401 ")
    broken = fix("-", stdin=b"def f(:\n")
    assert (broken.returncode, broken.stdout) == (1, b"def f(:\n")
    assert broken.stderr.startswith(b"stdin: left alone: it cannot be parsed: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (KERNEL.replace("\n", "\r\n").encode(), FIXED.replace("\n", "\r\n").encode()),
        (KERNEL.replace("\n", "\r").encode(), FIXED.replace("\n", "\r").encode()),
        (
            KERNEL.replace("import jax\n", "import jax\r\n").encode(),
            FIXED.replace("import jax\n", "import jax\r\n").encode(),
        ),
        (b"\xef\xbb\xbf" + KERNEL.encode(), b"\xef\xbb\xbf" + FIXED.encode()),
        (
            ("# -*- coding: latin-1 -*-\n" + KERNEL.replace("of", "für")).encode("latin-1"),
            ("# -*- coding: latin-1 -*-\n" + "\n" + FIXED.replace("of", "für")).encode("latin-1"),
        ),
        (
            KERNEL.replace("of", "漢字😀").replace("\n\n\n", "\n\f\n\n").encode(),
            FIXED.replace("of", "漢字😀").replace("\n\n\n", "\n\f\n\n").encode(),
        ),
        (KERNEL.rstrip().encode(), FIXED.rstrip().encode()),
        (KERNEL.replace("    ", "\t").encode(), FIXED.replace("    ", "\t").encode()),
    ],
    ids=["crlf", "cr", "mixed", "bom", "latin-1", "wide", "no newline", "tabs"],
)
def test_bytes_that_are_not_concerned_stay(
    fix: Fix, tmp_path: Path, before: bytes, after: bytes
) -> None:
    path = write(tmp_path / "kernel.py", before)
    assert fix("kernel.py").stderr.decode() == DONE
    assert path.read_bytes() == after


def test_mode_and_links_are_kept(fix: Fix, tmp_path: Path) -> None:
    target = write(tmp_path / "elsewhere/target.py")
    target.chmod(0o751)
    link = tmp_path / "link.py"
    link.symlink_to(target)
    assert fix("link.py").returncode == 0
    assert link.is_symlink()
    assert target.read_text() == FIXED
    assert stat.S_IMODE(target.stat().st_mode) == 0o751
    assert sorted(path.name for path in target.parent.iterdir()) == ["target.py"]


def test_a_file_with_two_names_is_changed_once(fix: Fix, tmp_path: Path) -> None:
    path = write(tmp_path / "kernel.py")
    (tmp_path / "link.py").symlink_to(path)
    done = fix("link.py", "kernel.py", "./kernel.py", ".")
    assert (done.returncode, done.stderr.decode()) == (0, DONE)
    assert path.read_text() == FIXED


def test_many_files_have_a_progress_bar_in_a_terminal(tmp_path: Path) -> None:
    for index in range(30):
        write(tmp_path / f"empty_{index}.py", "")
    write(tmp_path / "kernel.py")
    shown = in_a_terminal("fix", cwd=tmp_path, errors=True)
    assert "[########................] 11 of 31 files" in shown
    assert shown.endswith("\x1b[KFixed 1 finding in 1 file.\n")


def test_a_diff_of_a_name_with_a_blank(fix: Fix, tmp_path: Path) -> None:
    path = write(tmp_path / "my kernel.py")
    preview = fix("--diff", "my kernel.py")
    subprocess.run(["patch", "-p0"], input=preview.stdout, cwd=tmp_path, check=True)
    assert path.read_text() == FIXED


def test_an_interrupt_stops_it_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [write(tmp_path / name) for name in ("a.py", "b.py")]
    plan = Planning._plan

    def lost(*arguments: Any) -> object:
        with suppress(KeyboardInterrupt):  # as where cleaning up fails, which is taken for a fault
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        return plan(*arguments)

    monkeypatch.setattr(Planning, "_plan", lost)
    assert main(["fix", "--isolated", *map(str, paths)]) == 130
    assert capsys.readouterr().err == "flake8-jax: stopped\n"
    assert [path.read_text() for path in paths] == [KERNEL, KERNEL]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_files_that_cannot_be_changed_do_not_stop_the_others(fix: Fix, tmp_path: Path) -> None:
    locked = write(tmp_path / "a_locked.py")
    locked.chmod(0o444)
    broken = write(tmp_path / "b_broken.py", "from functools import (\n")
    strange = write(tmp_path / "c_strange.py", b"# coding: ascii\nname = '\xfc'\n")
    good = write(tmp_path / "d_good.py")
    done = fix("a_locked.py", "b_broken.py", "c_strange.py", "d_good.py", "e_missing.py")
    assert done.returncode == 1
    assert done.stdout == b""
    lines = done.stderr.decode().splitlines()
    assert lines[0] == "a_locked.py: left alone: it is read-only"
    assert lines[1].startswith("b_broken.py: left alone: it cannot be parsed: ")
    assert lines[2].startswith("c_strange.py: left alone: 'ascii' codec can't decode byte 0xfc")
    assert lines[3] == "e_missing.py: left alone: No such file or directory"
    assert lines[4:] == ["Fixed 1 finding in 1 file. 4 files left alone."]
    assert good.read_text() == FIXED
    assert locked.read_text() == KERNEL
    assert broken.read_text() == "from functools import (\n"
    assert strange.read_bytes() == b"# coding: ascii\nname = '\xfc'\n"


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "kernel.py", "x = 2\n")
    before, after = Text(b"x = 1\n"), Text(b"x = 3\n")
    with pytest.raises(LeftAloneError, match="it has changed meanwhile"):
        after.write(str(path), before)
    assert path.read_text() == "x = 2\n"
    assert list(tmp_path.iterdir()) == [path]


def test_the_configuration_of_flake8_holds(fix: Fix, tmp_path: Path) -> None:
    silenced = KERNEL.replace("# of the points", "# noqa: JAX101")
    texts = {
        "src/excluded/kernel.py": KERNEL,
        "src/ignored.py": KERNEL,
        "src/line.py": silenced,
        "src/file.py": "# flake8: noqa\n" + KERNEL,
        "src/notes.txt": KERNEL,
        "src/kernel.py": KERNEL,
    }
    for name, text in texts.items():
        write(tmp_path / name, text)
    config = "[flake8]\nexclude = src/excluded\nper-file-ignores =\n    src/ignored.py: JAX101\n"
    write(tmp_path / "setup.cfg", config)
    assert fix("src").stderr.decode() == DONE
    changed = {name for name, text in texts.items() if (tmp_path / name).read_text() != text}
    assert changed == {"src/kernel.py"}
    assert fix("--disable-noqa", "src").stderr == b"Fixed 2 findings in 2 files.\n"
    assert fix("--isolated", "src").stderr == b"Fixed 2 findings in 2 files.\n"


@pytest.mark.parametrize(
    ("arguments", "config", "fixed"),
    [
        (["--ignore=JAX1"], "", False),
        (["--select", "JAX2", "."], "", False),
        (["--select", "JAX101", "."], "", True),
        (["--extend-ignore=JAX101"], "", False),
        ([], "[flake8]\nselect = JAX2\n", False),
        (["--config=other.ini"], "[flake8]\nselect = JAX2\n", True),
        (["--append-config=other.ini"], "[flake8]\nmax-line-length = 79\n", True),
        (["--filename=*.pyi"], "", False),
        (["-j", "4", "kernel.py", "kernel.py"], "", True),
    ],
)
def test_options_of_flake8_are_taken(
    fix: Fix, tmp_path: Path, arguments: list[str], config: str, fixed: bool
) -> None:
    path = write(tmp_path / "kernel.py")
    write(tmp_path / "tox.ini", config)
    write(tmp_path / "other.ini", "[flake8]\nextend-select = JAX1\n")
    assert fix(*arguments).stderr.decode() == (DONE if fixed else "Nothing to fix.\n")
    assert path.read_text() == (FIXED if fixed else KERNEL)


def test_what_the_options_list_is_known(fix: Fix, tmp_path: Path) -> None:
    text = KERNEL.replace("flax import struct", "home import struct")
    path = write(tmp_path / "kernel.py", text)
    assert fix().stderr == b"Nothing to fix.\n"
    assert fix("--jax-pytree-bases=home.struct.PyTreeNode").stderr.decode() == DONE
    assert path.read_text() == FIXED.replace("flax import", "home import")


@pytest.mark.parametrize(
    ("arguments", "config", "message"),
    [
        (["--config=none.ini"], "", "The specified config file does not exist: none.ini"),
        ([], "[flake8]\nignore = jax\n", "Error code 'jax' supplied to 'ignore' option"),
        (["--jax-source-roots=none"], "", "--jax-source-roots: "),
        (["--config=tox.ini"], "[flake8\n", "File contains no section headers."),
        (["--require-plugins=nonesuch"], "", "required plugins were not installed"),
    ],
)
def test_a_broken_configuration(
    fix: Fix, tmp_path: Path, arguments: list[str], config: str, message: str
) -> None:
    path = write(tmp_path / "kernel.py")
    write(tmp_path / "tox.ini", config)
    done = fix(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith("flake8-jax: error: ")
    assert message in done.stderr.decode()
    assert path.read_text() == KERNEL


@pytest.mark.parametrize("arguments", [["--no-such-option"], ["--diff", "--check"], ["--jobs=x"]])
def test_wrong_usage(fix: Fix, tmp_path: Path, arguments: list[str]) -> None:
    path = write(tmp_path / "kernel.py")
    done = fix(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"usage: flake8-jax fix [-h] [--diff | --check | --list]")
    assert done.stderr.splitlines()[-1].startswith(b"flake8-jax fix: error: ")
    assert path.read_text() == KERNEL


def test_the_help_says_what_there_is(fix: Fix) -> None:
    done = fix("--help")
    assert done.returncode == 0
    for word in (b"--diff", b"--check", b"--unsafe", b"options of flake8", b"exit status"):
        assert word in done.stdout


def test_the_paths_after_a_double_dash_are_paths(fix: Fix, tmp_path: Path) -> None:
    path = write(tmp_path / "kernel.py")
    assert fix("--", "kernel.py").stderr.decode() == DONE
    assert path.read_text() == FIXED
