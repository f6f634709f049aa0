"""Which functions of a module are looked at first: those that may start traces."""

from pathlib import Path
from textwrap import dedent

import pytest

from flake8_jax.lowering.program import Class, Function
from flake8_jax.verdicts.starting import leading, starting
from unit.projects import main_module

HEAD = """
import functools
import jax
import jax.numpy as jnp
from jax import jit as compile_

def plain(x):
    return jnp.sum(x)
"""


def started(folder: Path, text: str, other: str = "") -> list[str]:
    """The names of what is looked at; a top-level statement is its number."""
    files = {"main.py": HEAD + dedent(text), "other.py": HEAD + dedent(other)}
    module = main_module(folder, files)
    first = HEAD.count("\n\n")
    wanted = starting(module)
    if wanted is None:
        return ["all"]
    made = wanted.made
    names = [item.name for item in made if isinstance(item, Function | Class)]
    numbers = [f"statement {item}" for item in made if isinstance(item, int) and item > first]
    return sorted(names) + sorted(numbers)


CASES = {
    "a transform in the function": ("def run(x):\n    return jax.jit(plain)(x)\n", ["run"]),
    "under another name": ("def run(x):\n    return compile_(plain)(x)\n", ["run"]),
    "of an imported module": (
        "def run(x):\n    import jax.lax as control\n    return control.scan(plain, x, x)\n",
        ["run"],
    ),
    "nothing of a library that has none": (
        "import numba\n\ndef run(x):\n    return numba.jit(plain)(x)\n",
        [],
    ),
    "no mapping over trees": ("def run(x):\n    return jax.tree.map(plain, x)\n", []),
    "a decorated function is a matter of its statement": (
        "@jax.jit\ndef step(x):\n    return x\n",
        ["statement 5"],
    ),
    "a decorated method is one of its class": (
        """
        class Model:
            @functools.partial(jax.jit, static_argnums=0)
            def step(self, x):
                return x
        """,
        ["Model"],
    ),
    "who calls what has been compiled": (
        "step = jax.jit(plain)\n\ndef run(x):\n    return step(x)\n",
        ["run", "statement 5"],
    ),
    "a text behind a string of one word": (
        'steps = {"plain": jax.jit(plain), "other": plain}\n',
        ["statement 5"],
    ),
    "who hands a function to one that compiles it": (
        """
        def compiled(function, x):
            return jax.jit(function)(x)

        def run(x):
            return compiled(plain, x)
        """,
        ["compiled", "run"],
    ),
    "not who hands over data": (
        """
        def compiled(x):
            return jax.jit(plain)(x)

        def run(x):
            return compiled(x)
        """,
        ["compiled"],
    ),
    "who calls a function that is handed out": (
        """
        def make():
            return lambda x: jax.jit(plain)(x)

        def run(x):
            return make()(x)
        """,
        ["<lambda>", "run"],
    ),
    "an attribute that holds what has been compiled": (
        """
        class Model:
            def __init__(self, function):
                self.step = jax.jit(function)

            def run(self, x):
                return self.step(x)
        """,
        ["__init__", "run"],
    ),
    "an attribute of an object that may be frozen": (
        "def change(x):\n    x.count = 1\n",
        ["change"],
    ),
    "and what hands one to it": (
        """
        def change(x):
            x.count = 1

        def hand_on(item):
            change(item)

        def make():
            hand_on(object())

        def another():
            return plain(1)
        """,
        ["change", "hand_on", "make"],
    ),
    "in another module": (
        "from other import Box, change\n\ndef make(x):\n    change(x)\n"
        "\ndef fill(x):\n    Box().put(x)\n\ndef another(x):\n    return Box\n",
        ["fill", "make"],
        "def change(x):\n    setattr(x, 'count', 1)\n"
        "\nclass Box:\n    def put(self, x):\n        x.count = 1\n",
    ),
    "not of an object that is made there": (
        "def change():\n    x = list()\n    x.count = 1\n\ndef make():\n    change()\n",
        ["change"],
    ),
    "not one of an object of a plain class": (
        """
        class Plain:
            def change(self):
                self.count = 1
        """,
        [],
    ),
    "an update that is thrown away": ("def change(x):\n    x.replace(count=1)\n", ["change"]),
    "not one that is kept": ("def change(x):\n    return x.replace(count=1)\n", []),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_looked_at_first(tmp_path: Path, case: str) -> None:
    text, expected, *other = CASES[case]
    assert started(tmp_path, text, *other) == expected


OTHER = """
def compiled(function, x):
    return jax.jit(function)(x)

def closed(x):
    return jax.jit(plain)(x)
"""
IMPORTS = {
    "by its name": (
        "from other import compiled\n\ndef run(x):\n    return compiled(plain, x)\n",
        1,
    ),
    "renamed": ("from other import compiled as c\n\ndef run(x):\n    return c(plain, x)\n", 1),
    "by its module": ("import other\n\ndef run(x):\n    return other.compiled(plain, x)\n", 1),
    "by a star": ("from other import *\n\ndef run(x):\n    return compiled(plain, x)\n", 1),
    "not one that hands nothing on": (
        "from other import closed\n\ndef run(x):\n    return closed(x)\n",
        0,
    ),
}


@pytest.mark.parametrize("case", IMPORTS)
def test_what_hands_on_in_another_module(tmp_path: Path, case: str) -> None:
    text, count = IMPORTS[case]
    assert started(tmp_path, text, OTHER).count("run") == count


def test_what_leads_to_a_trace(tmp_path: Path) -> None:
    text = """
    class Base:
        def fit(self, x):
            return self._run(x)

        def _run(self, x):
            return jax.jit(self.step)(x)

        def show(self):
            return plain(1)

        @jax.jit
        def traced(self):
            return self
    """
    module = main_module(tmp_path, {"main.py": HEAD + dedent(text)})
    names = leading(module)
    assert {"fit", "_run", "traced"} <= names
    assert "show" not in names
