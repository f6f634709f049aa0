"""Programs are run before and after a safe fix: no value changes, and what raised does as meant.

What was meant is what the same program computes where objects can be changed and arrays are those
of numpy.
"""

import subprocess
import sys
import types
from pathlib import Path
from typing import NamedTuple

import jax
import numpy as np
import pytest

from fixing import values
from fixing.dispositions import DISPOSITIONS
from sampling import sample

HEADS = {
    "CACHES": """\
import dataclasses
import functools
from functools import cache, cached_property, lru_cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

KEEP = (functools, cached_property, lru_cache, cache)
""",
    "FROZEN": """\
import contextlib
import dataclasses
import unittest

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct


class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array


""",
    "ARRAYS": "from functools import partial\n\nimport jax\nimport jax.numpy as jnp\n\n\n",
    "USERS": """\
import collections
import contextlib
import dataclasses
import functools
import threading
import warnings
from functools import cache, cached_property, lru_cache, partial
from typing import Generic, NamedTuple, TypeVar

import chex
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx, struct

KEEP = (contextlib, dataclasses, functools, cached_property, lru_cache, cache, partial, chex)
T = TypeVar("T")


""",
}
PROGRAMS = {
    f"{group.lower()}_{name}": head + text
    for group, head in HEADS.items()
    for name, text in getattr(values, group).items()
}
TAKEN = sample(sorted(PROGRAMS), 3)
"""CI takes all of them."""
OPTIONS = ("--isolated", "--select=JAX")
MUTABLE = {
    "(struct.PyTreeNode)": "(struct.PyTreeNode, frozen=False)",
    "import jax.numpy as jnp\n": "import numpy as jnp\n",
    "@jax.jit\n": "",
    "jax.jit(": "(",
}
"""What makes objects of flax mutable and arrays those of numpy."""


class Results(NamedTuple):
    """What two runs make of all programs, and which of them flake8 reports something in."""

    safe: dict[str, str]
    unsafe: dict[str, str]
    reported: dict[str, set[str]]
    """The programs with findings: as they were, and after each of the runs."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """What a safe run and an unsafe one make of all programs; another finds nothing to do."""
    folders = {name: tmp_path_factory.mktemp(name) for name in ("before", "safe", "unsafe")}
    for folder in folders.values():
        for name in TAKEN:
            (folder / f"{name}.py").write_text(PROGRAMS[name])
    reported = {
        "before": _named(_run("flake8", folders["before"]).stdout),
        "safe": _fix(folders["safe"]),
        "unsafe": _fix(folders["unsafe"], "--unsafe"),
    }
    return Results(_texts(folders["safe"]), _texts(folders["unsafe"]), reported)


def _fix(folder: Path, *options: str) -> set[str]:
    """Fix the programs of a folder, and tell in which of them something is left."""
    done = _run("flake8_jax", "fix", folder, *options)
    assert "left alone" not in done.stderr
    fixed = _texts(folder)
    again = _run("flake8_jax", "fix", folder, *options)
    assert _texts(folder) == fixed
    assert again.stdout == done.stdout
    return _named(again.stdout)


def _run(module: str, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", module, *arguments, *OPTIONS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done


def _texts(folder: Path) -> dict[str, str]:
    return {path.stem: path.read_text() for path in folder.glob("*.py")}


def _named(findings: str) -> set[str]:
    """The programs that findings name."""
    return {Path(line.partition(":")[0]).stem for line in findings.splitlines()}


def _values(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the ``main`` of a program gives, as a text; an error begins with its name."""
    module = types.ModuleType(name)
    monkeypatch.setitem(sys.modules, name, module)
    try:
        exec(compile(text, name, "exec"), module.__dict__)
        found = jax.tree.map(_plain, module.main())
    except (Exception, pytest.fail.Exception) as error:
        return f"{type(error).__name__}: {error}"
    return repr(found)


def _plain(value: object) -> object:
    return np.asarray(value).tolist() if hasattr(value, "shape") else value


def _disposition(name: str, results: Results) -> str:
    before = PROGRAMS[name]
    for run, word in (("safe", "fixed"), ("unsafe", "needs --unsafe")):
        if getattr(results, run)[name] != before:
            return word if name not in results.reported[run] else f"partly {word}"
    return "left" if name in results.reported["before"] else "silent"


def test_each_program_has_a_disposition() -> None:
    assert sorted(DISPOSITIONS) == sorted(PROGRAMS)


@pytest.mark.parametrize("name", TAKEN)
def test_what_becomes_of_a_program(name: str, results: Results) -> None:
    assert _disposition(name, results) == DISPOSITIONS[name]


FIXED = [name for name in TAKEN if DISPOSITIONS[name] == "fixed"]
LEFT = [name for name in TAKEN if DISPOSITIONS[name] != "fixed"]


@pytest.mark.parametrize("name", FIXED)
def test_a_safe_fix_changes_no_value(
    name: str, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = _values(name, PROGRAMS[name], monkeypatch)
    if "Error: " in expected:
        meant = PROGRAMS[name]
        for old, new in MUTABLE.items():
            meant = meant.replace(old, new)
        expected = _values(name, meant, monkeypatch)
    assert _values(name, results.safe[name], monkeypatch) == expected


@pytest.mark.parametrize("name", sample(LEFT, 2))
def test_what_is_left_alone_can_be_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that fails before it shows anything would be left alone for no reason."""
    found = _values(name, PROGRAMS[name], monkeypatch)
    assert not found.startswith(("NameError", "SyntaxError", "ImportError", "ModuleNotFoundError"))


def test_what_is_plain_is_fixed() -> None:
    plain = [name for name in PROGRAMS if "_plain_" in name]
    assert plain
    assert {DISPOSITIONS[name] for name in plain} == {"fixed"}
