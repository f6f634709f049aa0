"""Functions that hand ever more to themselves, or get ever more back, come to rest soon."""

from pathlib import Path

import pytest

from flake8_jax.verdicts.reached import reached
from unit.projects import main_module

HEAD = """
import jax
from functools import partial, wraps
class Node:
    def __init__(self, a, b=None):
        self.a = a
        self.b = b
    def again(self, *x):
        return self.a
def g(*args, **kw):
    return args
def around(f):
    @wraps(f)
    def inner(*a):
        return f(*a)
    return inner
"""
MAIN = "rec(g, Node(1))\nrec(str.upper, 2)\nrec(print, lambda: g)\n"
HANDED = [
    "partial(f, x)",
    "partial(f, y=f)",
    "jax.jit(f)",
    "jax.vmap(jax.jit(partial(f, x)))",
    "lambda y: f(y)",
    "around(f)",
    "around(around(f))",
    "(g, f)",
    "[f]",
    "{'a': f}",
    "Node(f)",
    "Node(f).again",
    "f.func",
    "f.__wrapped__",
    "[f].append",
    "lambda v: f(x * v)",
]
"""What a function makes of its first parameter."""
MOST = 200


def computations(folder: Path, text: str) -> int:
    found = reached(main_module(folder, {"main.py": HEAD + text + MAIN}))
    return found.world.interpreter.computations


@pytest.mark.parametrize("handed", HANDED)
def test_what_is_handed_on(tmp_path: Path, handed: str) -> None:
    text = f"def rec(f, x):\n    if x:\n        return f\n    return rec({handed}, x)\n"
    assert computations(tmp_path, text) < MOST


@pytest.mark.parametrize("handed", HANDED)
def test_what_comes_back(tmp_path: Path, handed: str) -> None:
    text = f"def rec(f, x):\n    if x:\n        return f\n    f = rec(f, x)\n    return {handed}\n"
    assert computations(tmp_path, text) < MOST


@pytest.mark.parametrize("one", ["around(f)", "(g, f)", HANDED[-1]])
@pytest.mark.parametrize("two", ["partial(f, y=f)", "jax.jit(f)", "(g, f)"])
def test_two_functions(tmp_path: Path, one: str, two: str) -> None:
    text = f"""
def rec(f, x):
    if x:
        return f
    return other({one}, x)
def other(f, x):
    if f:
        x = rec(f, {two})
    return rec({two}, x)
"""
    assert computations(tmp_path, text) < 2 * MOST


def test_ever_more_arguments(tmp_path: Path) -> None:
    assert computations(tmp_path, "def rec(*args):\n    return rec(g, *args)\n") < MOST
    assert computations(tmp_path, "def rec(*args):\n    return (g, *rec(*args))\n") < MOST
