"""Programs that Python takes and nobody means: they take nothing from what stands beside them."""

from pathlib import Path

import pytest

from linted import linted, project

HEAD = """\
import collections
import dataclasses
import functools
import typing
from functools import partial

import jax
from flax import struct


"""
GOOD = """


@jax.jit
def good(s, v):
    s.a = v
    return v
"""
TRACED = "@jax.jit\ndef f(s, v):\n    {}\n    return v"
HUGE = "0x" + "F" * 3600


def chain(first: str, step: str, count: int, last: str) -> str:
    """A program of many steps, each about the one before it."""
    steps = (step.format(i=i, before=i - 1) for i in range(1, count))
    return "\n".join([first, *steps, last])


def ring(step: str, count: int, last: str) -> str:
    """A program of many steps, each about the next one, and the last about the first."""
    return "\n".join([*(step.format(i=i, next=(i + 1) % count) for i in range(count)), last])


PROGRAMS = {
    # numbers
    "a static argument without end": f"@partial(jax.jit, static_argnums={HUGE})\n"
    "def f(s, v):\n    s.x = v",
    "static arguments of a range": "@partial(jax.jit, static_argnums=tuple(range(10**12)))\n"
    "def f(s, v):\n    s.x = v",
    "many static arguments": f"@partial(jax.jit, static_argnums=({'0,' * 20_000}))\n"
    "def f(s, v):\n    s.x = v",
    "static arguments by a long text": f"@partial(jax.jit, static_argnames='{'x,' * 50_000}')\n"
    "def f(s, v):\n    s.x = v",
    "a negative index without end": TRACED.format(f"s[-{HUGE}] = v"),
    "a slice without end": TRACED.format(f"s[{HUGE}:-{HUGE}:{HUGE}] = v"),
    "powers": TRACED.format("s[10**10**10] = s['a' * 10**10] = s[1 << 10**10] = v"),
    "long lists": TRACED.format("([s] * 10**10)[0].x = v; [[s] * 10**9][0][1].x = v"),
    "long loops": TRACED.format(f"\n    for i in range({HUGE}): s[i] = v"),
    "odd numbers": TRACED.format("s[1e999] = s[-1e999j] = s[True] = s[1.0] = s[1 + 0j] = v"),
    "a pattern without end": TRACED.format(f"\n    match s:\n        case {HUGE}: s.x = v"),
    "a long pattern": TRACED.format(
        f"\n    match s:\n        case [{', '.join(f'x{i}' for i in range(3000))}]: x0.x = v"
    ),
    "a long target": TRACED.format(", ".join(f"x{i}" for i in range(5000)) + " = s; x1.x = v"),
    # texts
    "surrogates and zeros": TRACED.format("setattr(s, '\\ud800', v); s['\\udcff\\x00'] = v"),
    "names of characters": TRACED.format("setattr(s, '\\N{LATIN SMALL LETTER A}', v)"),
    "bytes as names": TRACED.format("getattr(s, b'x').y = v; setattr(s, b'\\xff', v)"),
    "nested texts as annotations": "@jax.jit\n"
    f"def f(s: '{'(' * 60}int{')' * 60}', t: \"'S'\", u: 'list[') -> ')':\n    s.x = t.x = 1",
    "odd named tuples": "P = collections.namedtuple('P', 'a b a 1c class ' + 'x' * 100_000)\n"
    "Q = collections.namedtuple('Q', ['a'] * 10_000, defaults=range(10**12), rename=True)\n"
    "@jax.jit\ndef f(p: P, q: Q, v):\n    p.a = q._1 = v",
    # what is about itself
    "classes of themselves": "class C(C): pass\nclass D(E): pass\nclass E(D): pass\n"
    "class M(type, metaclass=M): pass\nclass N(metaclass=N): pass\n"
    "@jax.jit\ndef f(s: C, t: D, u: N, v):\n    s.x = t.x = u.x = v",
    "annotations of themselves": "A = 'B'\nB = 'A'\nC = list['C']\n"
    "@jax.jit\ndef f(s: A, t: C, v):\n    s.x = t[0].x = v",
    "methods of themselves": """\
class C:
    def __getattr__(self, n): return getattr(self, n)
    def __setattr__(self, n, v): self.n = v
    def __call__(self, *a): return self(*a)
    def __getitem__(self, i): return self[i]
    def __iter__(self): return iter(self)
    def __enter__(self):
        with self: return self


@jax.jit
def f(s: C, v):
    s.x = v
    s(s)[s].b = v
    with s as t: t.x = v
    for x in s: x.x = v
""",
    "a module of itself": "import main\nfrom main import *\nfrom . import main as y\n"
    "@jax.jit\ndef f(s, v):\n    main.f(s, v)\n    y.f(s, v)\n    s.x = v",
    "a function of itself": TRACED.format("f.__wrapped__(s, v); f(f, f); s.x = v"),
    "names that are taken away": TRACED.format("global jax; jax = v; del jax; s.x = v").replace(
        "global jax", "global struct"
    ),
    # many of a kind
    "a long line of classes": chain(
        "class C0: pass", "class C{i}(C{before}): pass", 400, "@jax.jit\ndef f(s: C399): s.x = 1"
    ),
    "classes with two bases each": chain(
        "class C0: pass\nclass D0: pass",
        "class C{i}(C{before}, D{before}): pass\nclass D{i}(C{before}, D{before}): pass",
        60,
        "@jax.jit\ndef f(s: C59): s.x = 1",
    ),
    "pairs of pairs": chain("x0 = lambda: 0", "x{i} = (x{before}, x{before})", 60, "x59()"),
    "partials of partials": chain(
        "def g0(s): s.x = 1", "g{i} = partial(g{before})", 300, "@jax.jit\ndef f(s): g299(s)"
    ),
    "many decorators": "def d(f): return f\n" + "@d\n" * 300 + "@jax.jit\ndef f(s): s.x = 1",
    "jit of jit": f"def g(s): s.x = 1\nh = {'jax.jit(' * 60}g{')' * 60}",
    "properties in a ring": "class C:\n"
    + ring("    @property\n    def p{i}(self): return self.p{next}", 300, "")
    + "\n@jax.jit\ndef f(s: C):\n    s.p0",
    "functions in two rings": ring(
        "def f{i}(s):\n    s.a{i} = 1\n    f{next}(s)\n    f{next}{i}(s)", 200, "jax.jit(f0)(1)"
    ),
    "many parameters": f"@jax.jit\ndef f({', '.join(f'a{i}' for i in range(999))}):\n    a9.x = a1",
    "long conditions": TRACED.format(f"\n    if {' and '.join(['v'] * 3000)}: s.x = v"),
    "a long comparison": TRACED.format(f"\n    if {' < '.join(['v'] * 3000)}: s.x = v"),
    # what raises when it runs
    "calls without arguments": TRACED.format(
        "\n    setattr(); setattr(s); setattr(s, 'a'); setattr(*s); setattr(**s)"
        "\n    object.__setattr__(); jax.jit(); jax.jit(*s)(v); jax.vmap(in_axes=0)"
        "\n    jax.lax.scan(); jax.lax.cond(v); jax.lax.cond(v, f); jax.lax.switch(v, [])"
        "\n    partial(); partial(*s); functools.reduce(); map(); dataclasses.replace()"
        "\n    v.at.set(); v.at[0]; isinstance(); super().a; typing.cast()"
    ),
    "decorators without arguments": "@jax.jit()\n@partial()\n@partial(partial)\n"
    "@functools.wraps()\n@jax.custom_vjp\n@property\n@staticmethod\n"
    "def f(s, v):\n    s.x = v\nf.defvjp()\nf.defvjp(f)\nf.setter",
    "an odd class": """\
@struct.dataclass(**{})
@dataclasses.dataclass(*[], frozen=lambda: 1)
class C(struct.PyTreeNode, *[], **{}):
    a: int = dataclasses.field(*[], **{})
    a = a
    del a
    b: 'C' = struct.field(pytree_node=not True)
    @a.setter
    def c(): pass
    @functools.cached_property
    def d(): pass
    @functools.cached_property
    def e(*, self): pass
    @functools.lru_cache
    def g(): pass
    __slots__ = C
    __init__ = __setattr__ = __getattr__ = __call__ = None
    __post_init__ = 3


@jax.jit
def f(s: C, v):
    s.a = s.d
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_stands_beside_it_is_found(name: str, tmp_path: Path) -> None:
    """A fault would be raised."""
    text = HEAD + PROGRAMS[name] + GOOD
    (tmp_path / "main.py").write_text(text)
    [found] = linted(project(tmp_path), tmp_path).values()
    last = text.count("\n") - 1
    assert [item.code for item in found if item.line == last] == ["JAX201"]
