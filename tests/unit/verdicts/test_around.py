"""What traces leave in objects around them, and what only looks so."""

from pathlib import Path
from textwrap import dedent

import pytest

from flake8_jax.verdicts import writes
from unit.projects import main_module

HEAD = """
import bisect
import collections
import contextlib
import queue
from functools import partial

import jax
import jax.numpy as jnp

SEEN = []
"""


def found(folder: Path, text: str) -> list[str]:
    """The codes that a module is reported for, and what each is about."""
    module = main_module(folder, {"main.py": HEAD + dedent(text)})
    return [
        f"{item.code} {item.told.text}" for item in writes.places(module) if item.told is not None
    ]


CASES = {
    "by a method that has another name": (
        """
        @jax.jit
        def step(x):
            push = SEEN.append
            push(x)
            return x
        """,
        ["JAX303 SEEN"],
    ),
    "by a map over a tree": (
        """
        @jax.jit
        def step(tree):
            jax.tree.map(SEEN.append, tree)
            return tree
        """,
        ["JAX303 SEEN"],
    ),
    "in a sorted list": (
        """
        @jax.jit
        def step(x):
            bisect.insort(SEEN, x)
            return x
        """,
        ["JAX303 SEEN"],
    ),
    "in a queue": (
        """
        WAITING = queue.Queue()
        @jax.jit
        def step(x):
            WAITING.put(x)
            return x
        """,
        ["JAX303 WAITING"],
    ),
    "in the dict of the module": (
        """
        @jax.jit
        def step(x):
            globals()["LAST"] = x
            return x
        """,
        ["JAX302 LAST"],
    ),
    "in a set, which refuses Tracers": (
        """
        NAMES = set()
        @jax.jit
        def step(x):
            NAMES.add(x)
            return x
        """,
        [],
    ),
    "in a tuple of which another element is used": (
        """
        def compiled(seen):
            return jax.jit(lambda x: (seen.append(x), 2 * x)[1])
        """,
        ["JAX303 seen"],
    ),
    "in a list of the class": (
        """
        class Probe:
            table = {}
            @classmethod
            def record(cls, name, value):
                cls.table[name] = value
        @jax.jit
        def step(x):
            Probe.record("x", x)
            return x
        """,
        ["JAX303 cls.table[name]"],
    ),
    "by a function of a list": (
        """
        def left(x):
            SEEN.append(x)
            return x
        BRANCHES = [left, jnp.sin]
        def step(index, x):
            return jax.lax.switch(index, BRANCHES, x)
        """,
        ["JAX303 SEEN"],
    ),
    "while a switch is off": (
        """
        ON = False
        def start():
            global ON
            ON = True
        @jax.jit
        def step(x):
            if ON:
                SEEN.append(x)
            return x
        """,
        [],
    ),
    "while a switch is on": (
        """
        ON = True
        def stop():
            global ON
            ON = False
        @jax.jit
        def step(x):
            if ON:
                SEEN.append(x)
            return x
        """,
        ["JAX303 SEEN"],
    ),
    "while an option is off": (
        """
        OPTIONS = {"log": False}
        def noted(x):
            if not OPTIONS["log"]:
                return
            SEEN.append(x)
        @jax.jit
        def step(x):
            noted(x)
            return x
        """,
        [],
    ),
    "in what a block has for itself": (
        """
        TAPE = []
        class Taping:
            def __enter__(self):
                global TAPE
                self.before, TAPE = TAPE, []
                return TAPE
            def __exit__(self, *error):
                global TAPE
                TAPE = self.before
        @jax.jit
        def step(x):
            with Taping() as found:
                TAPE.append(x)
                return list(found)
        """,
        [],
    ),
    "in a variable that a block puts back": (
        """
        LAST = None
        @contextlib.contextmanager
        def remembering():
            global LAST
            before = LAST
            try:
                yield
            finally:
                LAST = before
        def remember(x):
            global LAST
            LAST = x
        @jax.jit
        def step(x):
            with remembering():
                remember(x)
                return LAST
        """,
        [],
    ),
    "in a table that the constructor has filled": (
        """
        class Basis:
            def __init__(self, degrees):
                self.table = {degree: jnp.arange(degree) for degree in degrees}
            @partial(jax.jit, static_argnums=0)
            def of(self, degree):
                if degree not in self.table:
                    self.table[degree] = jnp.arange(3)
                return self.table[degree]
        """,
        [],
    ),
    "in a table that is empty at first": (
        """
        class Basis:
            def __init__(self):
                self.table = {}
            @partial(jax.jit, static_argnums=(0, 1))
            def of(self, degree, x):
                if degree not in self.table:
                    self.table[degree] = jnp.arange(3)
                return x * self.table[degree]
        """,
        ["JAX303 self.table[degree]"],
    ),
    "in a table that the module has filled": (
        """
        TABLE = {}
        for degree in range(3):
            TABLE[degree] = jnp.arange(degree)
        @partial(jax.jit, static_argnums=0)
        def of(degree, x):
            if degree not in TABLE:
                TABLE[degree] = jnp.arange(degree)
            return x * TABLE[degree]
        """,
        [],
    ),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_what_traces_leave_behind(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert found(tmp_path, text) == expected
