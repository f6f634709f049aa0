"""Syntax that only some Pythons have is read there, and is flake8's to report elsewhere."""

import re
import sys
from pathlib import Path

import pytest

from conftest import Flake8

HEAD = """\
import jax

SEEN = []


@jax.jit
def f(x, state):
"""
"""Its body begins on line 8."""
PROGRAMS = {
    "what a template string keeps": (
        (3, 14),
        '    SEEN.append(t"<p>{x!r:>{10}} {1}</p>")\n    return x\n',
        ["8 JAX303"],
    ),
    "a template string in a template string": (
        (3, 14),
        "    SEEN.append(t\"{t'{x}'}\")\n    return x\n",
        ["8 JAX303"],
    ),
    "the format of a template string, which is text": (
        (3, 14),
        '    SEEN.append(t"{1:>{2}} and no more")\n    return x\n',
        [],
    ),
    "a write beside a template string": (
        (3, 14),
        '    name = t"{x}" t" and {1}"\n    state.a = x\n    return x, name\n',
        ["9 JAX201"],
    ),
    "exceptions without brackets": (
        (3, 14),
        "    try:\n        state.a = x\n    except ValueError, TypeError:\n        state.b = x\n"
        "    return x\n",
        ["9 JAX201", "11 JAX201"],
    ),
    "groups of exceptions without brackets": (
        (3, 14),
        "    try:\n        state.a = x\n    except* ValueError, TypeError:\n        pass\n"
        "    return x\n",
        ["9 JAX201"],
    ),
    "type parameters with defaults": (
        (3, 13),
        "    def put[T = int](y: T):\n        state.a = y\n    put(x)\n    return x\n",
        ["9 JAX201"],
    ),
    "type parameters and aliases": (
        (3, 12),
        "    type Pair[T] = tuple[T, T]\n    def put[T](y: T):\n        state.a = y\n"
        "    put(x)\n    return x\n",
        ["10 JAX201"],
    ),
    "quotes within quotes": (
        (3, 12),
        '    SEEN.append((x, f"{state["a"]}"))\n    return x\n',
        ["8 JAX303"],
    ),
}
"""The Python that has it, the body of a function, and what is found in it."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_newer_syntax(flake8: Flake8, tmp_path: Path, name: str) -> None:
    since, body, wanted = PROGRAMS[name]
    (tmp_path / "main.py").write_text(HEAD + body)
    done = flake8("--select=JAX,E9", "--format=%(row)d %(code)s", "main.py")
    if sys.version_info < since:
        wanted = done.stdout.split("\n")[:1]
        assert wanted[0].endswith(" E999")
    assert (done.stdout.split("\n")[:-1], done.stderr) == (wanted, "")


@pytest.mark.parametrize("name", PROGRAMS)
def test_newer_syntax_in_another_module(flake8: Flake8, tmp_path: Path, name: str) -> None:
    """What cannot be parsed is not followed, which the log says; the rest is."""
    since, body, _ = PROGRAMS[name]
    other = "def record(state, x):\n    state.a = x\n\n\n" + HEAD + body
    (tmp_path / "other.py").write_text(other)
    main = "import jax\nfrom other import f, record\n\n\n@jax.jit\ndef g(x, state, mine):\n"
    main += "    record(state, x)\n    f(x, None)\n    mine.a = x\n    return x\n"
    (tmp_path / "main.py").write_text(main)
    done = flake8("--select=JAX", "--format=%(row)d %(code)s", "-v", "main.py")
    assert re.findall(r"^\d+ JAX\d+$", done.stdout, re.M) == ["7 JAX203", "9 JAX201"]
    not_read = re.findall(r"other\.py, lines 10 to \d+: not read", done.stdout + done.stderr)
    assert len(not_read) == (sys.version_info < since)
