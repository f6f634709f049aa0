"""Base classes that trace what their subclasses write."""

from pathlib import Path
from textwrap import dedent

import pytest

from flake8_jax.verdicts import writes
from unit.projects import main_module

BASES = """
import jax
import jax.numpy as jnp
from functools import partial

class Compiled:
    def __init__(self, fast=False):
        if fast:
            self.step = jax.jit(self.step)

    def advance(self, state):
        return self._compiled(state)

    def _compiled(self, state):
        return jax.jit(self.step)(state)

    def plain(self, state):
        return self.hook(state)

    def step(self, state):
        raise NotImplementedError

    def hook(self, state):
        raise NotImplementedError

class Static:
    @partial(jax.jit, static_argnums=0)
    def advance(self, state):
        return state + self.slope(state)

    @property
    def result(self):
        return jax.vmap(self.each)(jnp.arange(3.0))
"""
HEAD = "import jax\nimport jax.numpy as jnp\nfrom bases import Compiled, Static\n"


def found(folder: Path, text: str) -> list[str]:
    """What a module is reported for, by code and object."""
    module = main_module(folder, {"main.py": HEAD + dedent(text), "bases.py": BASES})
    return [f"{item.code} {item.subject.write.path}" for item in writes.places(module)]


CASES = {
    "a step that is handed over": (
        """
        class Decay(Compiled):
            def step(self, state):
                self.latest = -state
                return self.latest
        """,
        ["JAX301 self.latest"],
    ),
    "the private caller is not called any more": (
        """
        class Eager(Compiled):
            def __init__(self):
                self.latest = None
            def advance(self, state):
                return self.step(state)
            def step(self, state):
                self.latest = -state
                return self.latest
        """,
        [],
    ),
    "the constructor traces it": (
        """
        class Decay(Compiled):
            def advance(self, state):
                return state
            def step(self, state):
                self.latest = -state
                return self.latest
        """,
        ["JAX301 self.latest"],
    ),
    "a hook that is never traced": (
        """
        class Decay(Compiled):
            def hook(self, state):
                self.latest = -state
                return self.latest
        """,
        [],
    ),
    "a hook that the base does not declare": (
        """
        class Decay(Static):
            def slope(self, state):
                self.latest = -state
                return self.latest
        """,
        ["JAX301 self.latest"],
    ),
    "a property": (
        """
        class Decay(Static):
            def each(self, x):
                self.seen.append(x)
                return x
        """,
        ["JAX303 self.seen[?]"],
    ),
    "a class between": (
        """
        class Between(Static):
            def slope(self, state):
                return self.rate(state)
        class Decay(Between):
            def rate(self, state):
                self.latest = state
                return -state
        """,
        ["JAX301 self.latest"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_subclasses_fill_in(name: str, tmp_path: Path) -> None:
    text, expected = CASES[name]
    assert found(tmp_path, text) == expected
