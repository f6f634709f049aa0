"""Programs are run before and after a safe fix: no value changes, and what raised does as meant.

What was meant is what the same program computes where objects can be changed and arrays are those
of numpy.
"""

import subprocess
import sys
import types

import jax
import numpy as np
import pytest

import values

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
}
PROGRAMS = {
    f"{group.lower()}_{name}": head + text
    for group, head in HEADS.items()
    for name, text in getattr(values, group).items()
}
MUTABLE = {
    "(struct.PyTreeNode)": "(struct.PyTreeNode, frozen=False)",
    "import jax.numpy as jnp\n": "import numpy as jnp\n",
    "@jax.jit\n": "",
    "jax.jit(": "(",
}
"""What makes objects of flax mutable and arrays those of numpy."""


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a safe run makes of all programs; a second one finds nothing to do."""
    folder = tmp_path_factory.mktemp("programs")
    for name, text in PROGRAMS.items():
        (folder / f"{name}.py").write_text(text)
    command = [sys.executable, "-m", "flake8_jax", "fix", "--isolated", "--select=JAX", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "left alone" not in done.stderr
    again = subprocess.run([*command, "--check"], capture_output=True, text=True, check=False)
    assert again.stdout == ""
    return {path.stem: path.read_text() for path in folder.glob("*.py")}


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


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_safe_fix_changes_no_value(
    name: str, fixed: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _values(name, PROGRAMS[name], monkeypatch)
    if fixed[name] == PROGRAMS[name]:
        return
    expected = before
    if "Error: " in before:
        meant = PROGRAMS[name]
        for old, new in MUTABLE.items():
            meant = meant.replace(old, new)
        expected = _values(name, meant, monkeypatch)
    assert _values(name, fixed[name], monkeypatch) == expected


def test_what_is_plain_is_fixed(fixed: dict[str, str]) -> None:
    plain = [name for name in PROGRAMS if "_plain_" in name]
    assert plain
    assert [name for name in plain if fixed[name] == PROGRAMS[name]] == []
