"""Caches that are full before a trace begins, and those that are not."""

from pathlib import Path
from textwrap import dedent

import pytest

from flake8_jax.verdicts import writes
from unit.projects import main_module

HEAD = """
import functools
import jax
import jax.numpy as jnp
from flax import nnx
from functools import cached_property, partial

class Grid:
    def __init__(self, size):
        self.size = size

    @cached_property
    def table(self):
        return jnp.arange(self.size)

@functools.cache
def table(size):
    return jnp.arange(size)
"""
STATIC = """
    @cached_property
    def table(self):
        return jnp.arange(3)

    @partial(jax.jit, static_argnums=0)
    def step(self, x):
        return x * self.table
"""


def found(folder: Path, text: str, other: str = "") -> list[str]:
    """The codes that a module is reported for, and what each is about."""
    module = main_module(folder, {"main.py": HEAD + dedent(text), "other.py": HEAD + dedent(other)})
    places = [*writes.places(module)]
    return [f"{item.code} {str(item.subject.write.path).rpartition(':')[2]}" for item in places]


CASES = {
    "its constructor reads some attributes": (
        f"""
        class Read:
            def __init__(self, names):
                for name in names:
                    getattr(self, name)
        {STATIC.replace(chr(10), chr(10) + " " * 8)}
        """,
        [],
    ),
    "what overrides a stub may have read it": (
        """
        import abc
        class Model(abc.ABC):
            @abc.abstractmethod
            def prepare(self, grid):
                ...

        def solve(model: Model, grid: Grid, flag):
            model.prepare(grid)
            part = jax.lax.cond(flag, lambda: grid.table.sum(), lambda: 0)
            return part + grid.table
        """,
        [],
    ),
    "a stub that got something else": (
        """
        import abc
        class Model(abc.ABC):
            @abc.abstractmethod
            def prepare(self, flag):
                ...

        def solve(model: Model, grid: Grid, flag):
            model.prepare(flag)
            part = jax.lax.cond(flag, lambda: grid.table.sum(), lambda: 0)
            return part + grid.table
        """,
        ["JAX105 grid.table"],
    ),
    "nobody has read it": (
        """
        GRID = Grid(3)
        @jax.jit
        def step(x):
            return x * GRID.table
        """,
        ["JAX105 GRID.table"],
    ),
    "read by what a derivative is taken of": (
        """
        def cost(grid: Grid, x):
            return (x * grid.table).sum()
        def compiled(grid: Grid):
            @jax.jit
            def step(x):
                return x + jax.grad(partial(cost, grid))(x)
            return step
        """,
        ["JAX105 grid.table"],
    ),
    "read by an object that is called": (
        """
        class Scale(Grid):
            def __call__(self, x):
                return x * self.table
        def main(x):
            scale = Scale(3)
            jax.jit(scale)(x)
            return scale.table
        """,
        ["JAX105 <Scale>.table"],
    ),
    "read by one branch and then by another": (
        """
        class Node:
            @cached_property
            def table(self):
                return jnp.arange(3) * self.size
        def choose(node: Node, flag, x):
            def first(x):
                return x * node.table
            def second(x):
                return x + node.table
            branches = [first, second]
            return jax.lax.switch(flag, branches, x)
        """,
        ["JAX105 node.table"],
    ),
    "a method that a pytree class caches": (
        """
        class Tree(nnx.Module):
            @functools.cache
            def ramp(self):
                return jnp.arange(3)
        def compiled(tree: Tree):
            return jax.jit(lambda x: x * tree.ramp())
        """,
        [],
    ),
    "read at import": (
        """
        GRID = Grid(3)
        @jax.jit
        def step(x):
            return x * GRID.table
        def warm_up(grid):
            return grid.table
        warm_up(GRID)
        """,
        [],
    ),
    "perhaps read at import": (
        """
        GRID = Grid(3)
        def warm_up(grid, flag):
            if flag:
                grid.table
        warm_up(GRID, jax.devices())
        @jax.jit
        def step(x):
            return x * GRID.table
        """,
        ["JAX105 GRID.table"],
    ),
    "read at import, after a trace has read it": (
        """
        GRID = Grid(3)
        @jax.jit
        def step(x):
            return x * GRID.table
        step(1.0)
        GRID.table
        """,
        ["JAX105 GRID.table"],
    ),
    "read at import and thrown away": (
        """
        GRID = Grid(3)
        GRID.table
        del GRID.table
        @jax.jit
        def step(x):
            return x * GRID.table
        """,
        ["JAX105 GRID.table"],
    ),
    "a cached function that the import has called": (
        """
        table(3)
        @jax.jit
        def step(x):
            return x * table(3)
        """,
        [],
    ),
    "a cached function that the import has called with something else": (
        """
        table(4)
        @jax.jit
        def step(x):
            return x * table(3)
        """,
        ["JAX106 <table>['3']"],
    ),
    "filled by another module": (
        """
        import other
        @jax.jit
        def step(x):
            return x * other.table(3) + x * other.table(4)
        """,
        ["JAX106 <table>['4']"],
    ),
    "filled by a constructor": (
        f"""
        class Basis:
            def __init__(self):
                self._fill()
            def _fill(self):
                self.table
        {STATIC.replace(chr(10), chr(10) + " " * 8)}
        """,
        [],
    ),
    "perhaps filled by a constructor": (
        f"""
        class Basis:
            def __init__(self, flag):
                if flag:
                    self.table
        {STATIC.replace(chr(10), chr(10) + " " * 8)}
        """,
        ["JAX105 self.table"],
    ),
    "filled by a trace in a constructor": (
        f"""
        class Basis:
            def __init__(self):
                self.step(1.0)
        {STATIC.replace(chr(10), chr(10) + " " * 8)}
        """,
        ["JAX105 self.table"],
    ),
    "an object that a constructor makes and fills": (
        """
        class Model:
            def __init__(self):
                self.grid = Grid(3)
                self.grid.table
            @partial(jax.jit, static_argnums=0)
            def step(self, x):
                return x * self.grid.table
        """,
        [],
    ),
    "read for the arguments of what is compiled": (
        """
        def step(grid: Grid):
            return jax.jit(lambda x: x * grid.table)(grid.table)
        """,
        [],
    ),
    "read after the call of what is compiled": (
        """
        def step(grid: Grid):
            compiled = jax.jit(lambda x: x * grid.table)
            return compiled(1.0), grid.table
        """,
        ["JAX105 grid.table"],
    ),
    "on the host": (
        """
        GRID = Grid(3)
        @jax.jit
        def step(x):
            return jax.pure_callback(lambda x: x * GRID.table, x, x)
        """,
        [],
    ),
    "first in a loop, then after it": (
        """
        @jax.jit
        def step(grid: Grid, x):
            x = jax.lax.fori_loop(0, 3, lambda _, x: x * grid.table, x)
            return x * grid.table
        """,
        ["JAX105 grid.table"],
    ),
    "by hand, in a constructor or what it calls": (
        """
        class Filled:
            def __init__(self, n):
                self.kept = None
                self.get()
            def get(self):
                if self.kept is None:
                    self.kept = jnp.arange(3)
                return self.kept
            @partial(jax.jit, static_argnums=0)
            def step(self, x):
                return x * self.get()
        class Heir(Filled):
            def __init__(self):
                super().__init__(3)
            @partial(jax.jit, static_argnums=0)
            def step(self, x):
                return 2 * x * self.get()
        class Empty(Filled):
            def __init__(self, kept=None):
                self.kept = kept
        """,
        [],
    ),
    "by hand, and None from the start": (
        """
        class Empty:
            def __init__(self, kept=None):
                self.kept = kept
            @partial(jax.jit, static_argnums=0)
            def step(self, x):
                if self.kept is None:
                    self.kept = jnp.arange(3)
                return x * self.kept
        """,
        ["JAX301 self.kept"],
    ),
    "by hand, by all callers of a private function": (
        """
        def fill(box):
            if box.kept is None:
                box.kept = jnp.arange(3)
        def _loop(box, x):
            return jax.lax.fori_loop(0, 3, lambda _, x: (fill(box), x)[1], x)
        def run(box, x):
            fill(box)
            return _loop(box, x)
        """,
        [],
    ),
    "by hand, by one caller of a private function and not by the other": (
        """
        def fill(box):
            if box.kept is None:
                box.kept = jnp.arange(3)
        def _loop(box, x):
            return jax.lax.fori_loop(0, 3, lambda _, x: (fill(box), x)[1], x)
        def run(box, x):
            fill(box)
            return _loop(box, x)
        def hasty(box, x):
            return _loop(box, x)
        """,
        ["JAX301 box.kept"],
    ),
    "given to an object that another one holds": (
        """
        class Handler:
            def __init__(self, function=None):
                self.function = function
            def __call__(self, *args):
                if self.function is None:
                    self.function = args[0]
                    return self
                return self.function(*args)

        class Guide:
            def prepare(self):
                self.transform = Handler(lambda x: 2.0 * x)
            def constrain(self, samples):
                return jax.lax.map(self.transform, samples)
        """,
        [],
    ),
    "in a loop alone": (
        """
        @jax.jit
        def step(grid: Grid, x):
            return jax.lax.fori_loop(0, 3, lambda _, x: x * grid.table, x)
        """,
        [],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_full(tmp_path: Path, case: str) -> None:
    text, expected = CASES[case]
    assert found(tmp_path, text, "table(3)\n") == expected
