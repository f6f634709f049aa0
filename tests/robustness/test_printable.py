"""What is printed can be seen: no character of a file or of a name reaches a terminal raw."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import LENIENT, Fix, Flake8, in_a_terminal
from fixing.kernel import KERNEL
from flake8_jax.printable import printable, printable_lines

HOSTILE = {
    "escape": "\x1b[2J\x1b]0;title\x07",
    "bell and backspace": "\x07\x08\x08",
    "delete": "\x7f",
    "form feed": "\x0c\x0b",
    "other controls": "\x01\x02\x0e\x1a\x1f",
    "second controls": "\x80\x84\x90\x9b\x9c\x9f",
    "directions": "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c",
    "no width": "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\xad",
    "separators": "a\u2028b\u2029c\x85d",
    "tags": "\U000e0001\U000e0041\U000e007f",
    "private": "\ue000\U000f0000\U0010fffd",
    "unassigned": "\u0378\uffff\U0010ffff",
    "blanks": "a\xa0b\u2003c\u3000d",
    "fillers": "a\u3164b\u115fc\u1160d\uffa0e\u2800f\u17b4",
    "variants": "a\ufe00b\ufe0fc\U000e0100d\U000e01efe\u180bf\u034f",
}
"""Characters that a string may contain in a file that Python takes."""
IGNORED = frozenset(HOSTILE["fillers"] + HOSTILE["variants"]) - frozenset("abcdef")
"""Those that Python calls printable."""
FORMATS = ("default", "pylint", "json", "sarif", "github", "gl-codeclimate", "%(text)s")
LEDGER = """\
import jax
from books import enter

seen = {{}}


@jax.jit
def pay(account, amount):
    account["{0}"].paid = amount
    account[f"{0}"].total = amount
    setattr(account, "{0}", amount)
    seen["{0}"] = amount
    enter(account, amount)
    return amount
"""
BOOKS = """\
def enter(account, amount):
    account["{0}"].entered = amount
    setattr(account, "{0}", amount)
"""


def assert_seen(text: str) -> None:
    """Each line consists of characters that can be seen."""
    lines = text.split("\n")
    assert [ascii(line) for line in lines if not line.isprintable() or IGNORED & {*line}] == []


def test_names_that_nobody_sees(flake8: Flake8) -> None:
    """A filler is a letter to Python: it may be the whole name."""
    text = LEDGER.format("k").replace("seen", "\u1160").replace("account", "\u115f\ufe0f")
    done = flake8("--select=JAX", "--isolated", "-", stdin=text)
    assert done.stdout.count("JAX303") == 1
    assert_seen(done.stdout)


@pytest.mark.parametrize("form", FORMATS)
def test_messages_consist_of_characters_that_can_be_seen(
    flake8: Flake8, tmp_path: Path, form: str
) -> None:
    for index, text in enumerate(HOSTILE.values()):
        folder = tmp_path / f"case{index}"
        folder.mkdir()
        (folder / "ledger.py").write_text(LEDGER.format(text))
        (folder / "books.py").write_text(BOOKS.format(text))
    done = flake8("--select=JAX", "--isolated", f"--format={form}", ".")
    assert done.stderr == ""
    assert done.stdout.count("JAX303") >= len(HOSTILE) or form == "%(text)s"
    assert_seen(done.stdout)
    if form in ("json", "sarif", "gl-codeclimate"):
        said = [text for text in strings(json.loads(done.stdout)) if "(jax.jit" in text]
        assert len(said) >= 5 * len(HOSTILE)
        assert_seen("\n".join(said))


def strings(data: object) -> list[str]:
    """All text in some data."""
    if isinstance(data, dict):
        return [text for item in data.items() for text in strings(item)]
    if isinstance(data, list | tuple):
        return [text for item in data for text in strings(item)]
    return [data] if isinstance(data, str) else []


def test_a_message_shows_which_character_it_is(flake8: Flake8) -> None:
    text = LEDGER.format("\x1b\u202e\U000e0041")
    done = flake8("--select=JAX303", "--isolated", "-", stdin=text)
    assert r"""seen["\x1b\u202e\U000e0041"]""" in done.stdout


def test_files_in_other_encodings(flake8: Flake8, tmp_path: Path) -> None:
    """Where each byte is a character, the second controls are single bytes."""
    text = "# coding: latin-1\n" + LEDGER.format("\x9b\x85\x90")
    (tmp_path / "ledger.py").write_bytes(text.encode("latin-1"))
    done = flake8("--select=JAX303", "ledger.py")
    assert r"\x9b" in done.stdout
    assert_seen(done.stdout)


def test_long_names_and_many_escapes_are_cut(flake8: Flake8) -> None:
    name = "n" * 5_000
    text = LEDGER.format("\U000e0041" * 5_000).replace("pay", name).replace("amount", f"b{name}")
    done = flake8("--select=JAX", "-", stdin=text)
    lines = done.stdout.splitlines()
    assert len(lines) == 4
    assert all(len(line) < 400 and line.isprintable() for line in lines)


def test_names_of_folders_with_other_modules(flake8: Flake8, tmp_path: Path) -> None:
    folder = tmp_path / "roots\x1b[31m\u202e"
    folder.mkdir()
    (folder / "books.py").write_text(BOOKS.format("a"))
    (tmp_path / "ledger.py").write_text(LEDGER.format("b"))
    done = flake8("--select=JAX", f"--jax-source-roots={folder.name}", "ledger.py")
    assert "JAX203" in done.stdout
    assert_seen(done.stdout)


@pytest.mark.parametrize("option", ["--jax-source-roots", "--jax-transforms"])
def test_errors_of_options_can_be_seen(flake8: Flake8, option: str) -> None:
    done = flake8(f"{option}=a\x1b[2J\u202e/b", "-", stdin="")
    assert done.returncode == 1
    assert r"\x1b[2J\u202e" in done.stdout
    assert_seen(done.stdout + done.stderr)


FAULT = """\
import sys
from flake8.main.cli import main
from flake8_jax import check

def fail(project, file):
    raise RuntimeError("a fault\\x1b[2J\\nof \\u202e the analysis")

check.module_of = fail
raise SystemExit(main())
"""


def test_the_log_can_be_seen(tmp_path: Path) -> None:
    name = "ledger\x1b[2J.py"
    (tmp_path / name).write_text(LEDGER.format("a"))
    command = [sys.executable, "-c", FAULT, "-v", "-j1", "--output-file=log", name]
    subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, env=LENIENT)
    (start, *rest) = (tmp_path / "log").read_text().split("flake8.jax ")[1:]
    assert rest == []
    said = start.partition("RuntimeError")[0] + start.partition("RuntimeError")[2][:60]
    assert r"ledger\x1b[2J.py is not checked by flake8-jax" in said
    assert r"a fault\x1b[2J" in said
    assert_seen(said)


MIXED = KERNEL.replace(
    "    @cached", '    """\x1b[2J\u202e\x9b\t\u2028\u200b\U000e0041"""\n\n    @cached'
)


NAMES = ("kernel.py", "evil\x1b[2J\u202e.py", "two\nlines.py", "raw\udcff.py")


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_diff_can_be_seen_in_a_terminal(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(MIXED)
    shown = in_a_terminal("fix", "--diff", "--isolated", name, cwd=tmp_path)
    assert shown.startswith(f"--- {printable(name)}\n+++ {printable(name)}\n@@ ")
    assert "\n-    @cached_property  # of the points\n+    @property  # of the points\n" in shown
    assert '\n     """\\x1b[2J\\u202e\\x9b        \\u2028\\u200b\\U000e0041"""\n' in (
        shown.replace("\t", " " * 8)
    )
    assert_seen(shown.replace("\t", ""))


@pytest.mark.parametrize("name", NAMES[:2], ids=ascii)
def test_a_diff_is_exact_where_it_is_piped(tmp_path: Path, fix: Fix, name: str) -> None:
    (tmp_path / name).write_text(MIXED)
    done = fix("--diff", "--isolated", name)
    assert done.stdout.decode().startswith(f"--- {name}\n+++ {name}\n")
    subprocess.run(["patch", "-p0", name], input=done.stdout, cwd=tmp_path, check=True)
    assert "\x1b[2J\u202e\x9b\t\u2028\u200b\U000e0041" in (tmp_path / name).read_text()
    assert "    @property  # of the points" in (tmp_path / name).read_text()


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_what_fix_says_can_be_seen(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(MIXED)
    shown = in_a_terminal("fix", "--check", "--isolated", name, cwd=tmp_path)
    place = f"{printable(name)}:12:5"
    assert shown == f"Would fix: {printable(name)} (1 JAX101)\n  {place}: JAX101 safe\n"
    (tmp_path / name).write_text(f"{MIXED}(\x1b\n")
    shown = in_a_terminal("fix", "--isolated", name, cwd=tmp_path, errors=True)
    assert shown.startswith(f"{printable(name)}: left alone: it cannot be parsed: ")
    assert_seen(shown)


def test_what_is_left_after_a_fix_can_be_seen(tmp_path: Path) -> None:
    name = "evil\x1b[2J.py"
    (tmp_path / name).write_text(LEDGER.format("\x1b[2J\u202e"))
    shown = in_a_terminal("fix", "--isolated", "--show-source", "--color=never", name, cwd=tmp_path)
    assert "evil\\x1b[2J.py:12:5: JAX303 " in shown
    assert '\n    seen["\\x1b[2J\\u202e"] = amount\n' in shown
    assert_seen(shown)


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain", "\x1b[2J\u202e"),
        ("explain", "JAX1", "--\x1b[2J"),
        ("confirm", "\x1b[2J"),
        ("fix", "--max-line-length=\x1b[2J"),
        ("fix", "--\x1b[2J=3", "."),
        ("fix", "--config=\x1b[2J\u202e", "."),
        ("fix", "--jax-transforms=\x1b[2J\u202e", "."),
        ("\x1b[2J",),
        ("explain", f"JAX{'1' * 10_000}"),
        ("explain", "\u0661" * 5_000),
    ],
    ids=ascii,
)
def test_errors_of_the_command_can_be_seen(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    shown = in_a_terminal(*arguments, cwd=tmp_path, errors=True)
    assert "error: " in shown
    assert "Traceback" not in shown
    assert_seen(shown)


def test_all_characters() -> None:
    every = "".join(map(chr, range(0x110000)))
    shown = printable(every)
    assert shown.isprintable()
    assert printable(shown) == shown
    assert printable("déjà vu 漢字 😀 'x'") == "déjà vu 漢字 😀 'x'"
    assert printable("\r\n\t\0\udcff") == r"\x0d\x0a\x09\x00\udcff"
    assert printable_lines("a\tb\r\nc\rd\n\x1b") == "a\tb\r\nc\\x0dd\n\\x1b"
