"""What a cache holds, found out by interpreting what computes it."""

from pathlib import Path
from textwrap import indent

import pytest

from flake8_jax.classes.caches import CacheForm, pytree_caches
from flake8_jax.classes.lazy import pytree_lazy_stores
from flake8_jax.verdicts.contents import Holds, cached_contents, stored_contents
from unit.class_facts import IMPORTS
from unit.projects import main_module

MODULE = """
import itertools
import logging
import math
import operator
import numpy as np
from other import made_elsewhere

TABLE = np.arange(3)
WEIGHTS = jnp.arange(3)

def double(x): return 2 * x
def ones(n): return jnp.ones(n)
def sizes(n):
    found = [n]
    while found[-1] > 1:
        found.append(found[-1] // 2)
    return tuple(found)
def filled(n):
    found = []
    for i in range(n):
        found.append(jnp.ones(i))
    return found
def maker(f):
    def call(*args): return f(*args)
    return call

class Plain:
    def __init__(self, n): self.n = n
class Filled:
    def __init__(self, n): self.a = jnp.ones(n)
@dataclasses.dataclass
class Defaults:
    n: int
    a: jax.Array = dataclasses.field(default_factory=lambda: jnp.ones(3))
@dataclasses.dataclass
class Later:
    n: int
    def __post_init__(self): self.a = jnp.ones(self.n)
Pair = collections.namedtuple("Pair", "one other")

class C(struct.PyTreeNode):
    a: jax.Array
    n: int = struct.field(pytree_node=False)
    names: tuple = struct.field(pytree_node=False)
    d: dict
    @classmethod
    def of(cls, n): return cls(jnp.ones(n), n, (), {})
    @staticmethod
    def count(n): return n + 1
    @property
    def size(self): return self.a.shape[0]
    @property
    def twice(self): return self.a * 2
    def method(self): return self.a
"""
PROPERTIES = {
    Holds.STATIC: [
        "1", "'text'", "f'{self.a}'", "None", "self.n", "self.n + 1", "self.names[1:]",
        "[double(name) for name in self.names]", "self.a.shape", "self.a.shape[0] * self.n",
        "self.a.dtype", "len(self.d)", "tuple(self.d.keys())", "self.size", "self.count(2)",
        "C.count(self.n)", "math.sqrt(self.n)", "np.arange(self.n)",
        "np.zeros(self.a.shape)", "np.sum(self.names)", "TABLE", "TABLE[0]",
        "sizes(self.n)", "Plain(self.n)", "Pair(1, self.n)", "list(itertools.product(range(3)))",
        "logging.getLogger('a')", "list(map(double, range(3)))", "list(map(int, self.names))",
        "sorted(self.names, key=len)", "jax.eval_shape(ones, 3)", "{'a': self.n, 'b': (1, 2)}",
        "self.n if self.a is None else 0", "jnp.float32", "getattr(self.a, 'ndim')",
        "jax.tree.leaves(self.names)", "C", "isinstance(self.a, jax.Array)",
    ],
    Holds.FUNCTION: [
        "lambda x: x + self.a", "double", "jax.jit(double)", "jax.jit(lambda x: x)",
        "partial(double, self.a)", "maker(double)", "self.method", "jnp.sin",
        "jax.jit(static_argnums=0)(double)", "partial(jax.jit, static_argnums=0)(double)",
        "{'a': jax.jit(double), 'n': self.n}", "(self.method, 1)", "eqx.filter_jacfwd(double)",
        "jax.nn.initializers.normal()", "operator.attrgetter('a')",
    ],
    Holds.ANYTHING: [
        "np.asarray(self.a)", "np.allclose(self.a, 0)", "double(np.asarray(self.a))",
        "np.sum(self.a)", "self.a",
        "self.a + 1", "self.a[0]", "self.d", "self.d['k']", "list(self.d.values())",
        "jnp.ones(3)", "jnp.asarray(self.n)", "ones(self.n)", "filled(self.n)", "self.twice",
        "self.method()", "C.of(3)", "Filled(3)", "Defaults(3)", "Later(3)", "Pair(1, ones(3))",
        "made_elsewhere(self.n)", "self.unknown", "[self.a]", "{'a': self.a}", "(1, self.a)",
        "list(map(jnp.ones, range(3)))", "list(map(ones, range(3)))",
        "jax.tree.map(jnp.ones, self.names)", "functools.reduce(jnp.add, self.names)",
        "self.n if self.n else self.a", "jax.jit(double)(self.a)", "self",
    ],
}  # fmt: skip
CASES = [(text, holds) for holds, texts in PROPERTIES.items() for text in texts]


def written(folder: Path, getter: str, head: str = MODULE) -> Holds:
    module = main_module(folder, f"{IMPORTS}{head}\n{indent(getter, '    ')}\n")
    [found] = [item for form in CacheForm for item in pytree_caches(module, form)]
    return cached_contents(found)


@pytest.mark.parametrize(("text", "holds"), CASES)
def test_a_property(tmp_path: Path, text: str, holds: Holds) -> None:
    assert written(tmp_path, f"@cached_property\ndef x(self): return {text}") is holds


@pytest.mark.parametrize(("text", "holds"), CASES)
def test_a_hand_made_cache(tmp_path: Path, text: str, holds: Holds) -> None:
    getter = f"def x(self):\n    if self._x is None: object.__setattr__(self, '_x', {text})"
    if text == "None":
        return
    module = main_module(tmp_path, f"{IMPORTS}{MODULE}\n{indent(getter, '    ')}\n")
    [found] = pytree_lazy_stores(module)
    assert stored_contents(found) is holds


WHOLE = [
    ("@cached_property\ndef x(self) -> typing.Callable: return unknown(self)", Holds.FUNCTION),
    ("@cached_property\ndef x(self) -> 'typing.Callable | None': return unknown(self)",
     Holds.FUNCTION),
    ("@cached_property\ndef x(self) -> tuple[int, ...]: return unknown(self)", Holds.STATIC),
    ("@cached_property\ndef x(self) -> int: return unknown(self)", Holds.STATIC),
    ("@cached_property\ndef x(self) -> int: return jnp.sum(self.a)", Holds.ANYTHING),
    ("@cached_property\ndef x(self) -> jax.Array: return self.n", Holds.STATIC),
    ("@cached_property\ndef x(self):\n    if self.n: return 1\n    return self.a", Holds.ANYTHING),
    ("@cached_property\ndef x(self):\n    for i in range(3): yield i", Holds.ANYTHING),
    ("@functools.cache\ndef x(self, k): return k", Holds.ANYTHING),
    ("x = cached_property(lambda self: self.n)", Holds.STATIC),
    ("x = cached_property(unknown)", Holds.ANYTHING),
]  # fmt: skip


@pytest.mark.parametrize(("getter", "holds"), WHOLE)
def test_a_whole_function(tmp_path: Path, getter: str, holds: Holds) -> None:
    assert written(tmp_path, getter) is holds


def test_a_class_that_inherits_a_property_knows_its_own_fields(tmp_path: Path) -> None:
    head = (
        "class M:\n    @cached_property\n    def x(self): return self.n\n"
        "class C(M, struct.PyTreeNode):\n    n: int = struct.field(pytree_node=False)"
    )
    assert written(tmp_path, "pass", head) is Holds.STATIC


def test_all_is_static_where_jax_leaves_the_object_whole(tmp_path: Path) -> None:
    head = "@jax.tree_util.register_static\nclass C:\n    def __init__(self, n): self.n = n\n"
    getter = "@cached_property\ndef x(self): return self.n + 1"
    assert written(tmp_path, getter, head) is Holds.STATIC
    (tmp_path / "other").mkdir()
    getter = "@cached_property\ndef x(self): return jnp.ones(self.n)"
    assert written(tmp_path / "other", getter, head) is Holds.ANYTHING
