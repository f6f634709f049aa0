"""Which callable an expression stands for, with which arguments."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from flake8_jax.resolution import callee, limits
from flake8_jax.resolution.callee import all_in, callees
from flake8_jax.resolution.scopes import module_scope
from unit.projects import called, defined, lowered, main_module

IMPORTS = "import functools\nfrom functools import partial, wraps\nimport jax\n"

PLAIN = [
    ("jax.jit", "jax.jit()"),
    ("jax.jit(static_argnums=0)", "jax.jit(static_argnums=0)"),
    ("jax.jit(f)", "jax.jit($f)"),
    ("partial(jax.jit, static_argnums=0)", "jax.jit(static_argnums=0)"),
    ("functools.partial(partial(jax.jit, inline=True), device=d)",
     "jax.jit(inline=True, device=$d)"),
    ("partial(jax.jit, **options)", "jax.jit(**$options)"),
    ("partial(*args)", "functools.partial(*$args)"),
    ("jax.jit if fast else jax.pmap", "jax.jit() | jax.pmap()"),
    ("(lambda f: jax.jit(f, inline=True))", "jax.jit(inline=True)"),
    ("(lambda f: (g := jax.jit)(f))", "jax.jit()"),
    ("(lambda f: f(f))", "unknown"),
    ("unknown_thing", "unknown"),
    ("unknown_thing(jax.jit)", "unknown"),
    ("jax.jit if fast else unknown_thing", "unknown"),
    ("jax.jit if fast else None", "jax.jit()"),
    ("3", "unknown"),
]  # fmt: skip


@pytest.mark.parametrize(("expr", "expected"), PLAIN)
def test_expressions(tmp_path: Path, expr: str, expected: str) -> None:
    module = main_module(tmp_path, IMPORTS)
    assert called(callees(module_scope(module), lowered(expr))) == expected


OWN = [
    # names for a partial
    ("fast = partial(jax.jit, static_argnums=0)", "fast", "jax.jit(static_argnums=0)"),
    ("fast = partial(jax.jit, static_argnums=0)", "fast(inline=True)",
     "jax.jit(static_argnums=0, inline=True)"),
    ("def step(a, b): pass\nfirst = partial(step, 1)", "first", "def main.step(1)"),
    # functions that apply something to what they are given
    ("def fast(f): return jax.jit(f)", "fast", "jax.jit()"),
    ("def fast(f): return jax.jit(f)", "fast(g)", "jax.jit($g)"),
    ("def fast(f): return jax.jit(f, static_argnums=1)", "fast", "jax.jit(static_argnums=1)"),
    ("def fast(f): return jax.jit(jax.vmap(f))", "fast", "jax.jit()"),
    ("def fast(f): return jax.jit(other(f))", "fast", "unknown-def"),
    ("def fast(f):\n    g = jax.jit(f)\n    return g", "fast", "jax.jit()"),
    ("def fast(f): return wraps(f)(jax.jit(f))", "fast", "jax.jit()"),
    ("def fast(f):\n    if x:\n        return f\n    return jax.jit(f)", "fast", "jax.jit()"),
    ("def fast(f):\n    if x:\n        return jax.vmap(f)\n    return jax.jit(f)", "fast",
     "unknown-def"),
    ("def fast(f): return partial(jax.jit, inline=True)(f)", "fast", "jax.jit(inline=True)"),
    ("def fast(f): return f", "fast", "unknown-def"),
    ("def fast(f): return jax.jit(g)", "fast", "unknown-def"),
    ("@other\ndef fast(f): return jax.jit(f)", "fast", "unknown-def"),
    ("def fast(f): return quick(f)\ndef quick(f): return jax.jit(f)", "fast", "jax.jit()"),
    ("def fast(f): return quick(f)\ndef quick(f): return fast(f)", "fast", "unknown-def"),
    # with a function inside
    ("def fast(f):\n    def call(*a): return f(*a)\n    return jax.jit(call)", "fast", "jax.jit()"),
    ("def fast(f):\n    @wraps(f)\n    def call(*a): return f(*a)\n    return jax.jit(call)",
     "fast", "jax.jit()"),
    ("def fast(f):\n    g = jax.jit(f)\n    @wraps(f)\n    def call(*a): return g(*a)\n"
     "    return call", "fast", "jax.jit()"),
    ("def fast(f):\n    def call(*a): return jax.jit(f)(*a)\n    return call", "fast", "jax.jit()"),
    ("def fast(f):\n    @jax.jit\n    def call(*a): return f(*a)\n    return call", "fast",
     "jax.jit()"),
    ("def fast(f):\n    @wraps(f)\n    @partial(jax.jit, inline=True)\n"
     "    def call(*a): return f(*a)\n    return call", "fast", "jax.jit(inline=True)"),
    ("def fast(f):\n    @jax.jit\n    def call(*a): return 1\n    return call", "fast",
     "unknown-def"),
    # with options of their own
    ("def fast(static=()):\n    def decorate(f): return jax.jit(f, static_argnums=static)\n"
     "    return decorate", "fast(static=(1,))", "jax.jit(static_argnums=(1))"),
    ("def fast(static=()):\n    def decorate(f): return jax.jit(f, static_argnums=static)\n"
     "    return decorate", "fast((1,))", "jax.jit(static_argnums=(1))"),
    ("def fast(static=()):\n    def decorate(f): return jax.jit(f, static_argnums=static)\n"
     "    return decorate", "fast()", "jax.jit(static_argnums=())"),
    ("def quick(f=None, **options):\n    if f is None:\n        return partial(quick, **options)\n"
     "    return jax.jit(f, **options)", "quick", "jax.jit()"),
    ("def quick(f=None, **options):\n    if f is None:\n        return partial(quick, **options)\n"
     "    return jax.jit(f, **options)", "quick(inline=True)", "jax.jit(inline=True)"),
    ("def quick(f, flag=True): return jax.jit(f, inline=flag)", "quick", "jax.jit(inline=True)"),
    ("def quick(f, flag=True): return jax.jit(f, inline=flag)", "partial(quick, flag=False)",
     "jax.jit(inline=False)"),
    ("def quick(f, flag=True): return jax.jit(f, inline=flag)", "quick(g, False)",
     "jax.jit($g, inline=False)"),
    ("def quick(f, flag=True): return jax.jit(f, inline=flag)\n"
     "def fast(f): return quick(f, False)", "fast", "jax.jit(inline=False)"),
    # lambdas and classes
    ("fast = lambda f: jax.jit(f)", "fast", "jax.jit()"),
    ("class cached(functools.cached_property): pass", "cached", "functools.cached_property()"),
    ("class cached(functools.cached_property): pass\nclass mine(cached): pass", "mine",
     "functools.cached_property()"),
    ("class cached: pass", "cached", "class main.cached()"),
    ("class cached(object): pass", "cached", "class main.cached()"),
    ("class cached: pass", "cached(1)", "unknown"),
    ("class cached(A, functools.cached_property): pass", "cached", "class main.cached()"),
    # several
    ("if x:\n    fast = jax.jit\nelse:\n    fast = jax.vmap", "fast", "jax.jit() | jax.vmap()"),
    ("if x:\n    fast = jax.jit\nelse:\n    fast = other", "fast", "unknown"),
    ("fast = None\nif x:\n    fast = jax.jit", "fast", "jax.jit()"),
    ("if x:\n    from jax import jit as fast\nelse:\n    def fast(f): return f", "fast",
     "jax.jit()"),
    ("def make(): return thing()", "make()", "unknown"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expr", "expected"), OWN)
def test_callables_of_the_projects_own(tmp_path: Path, text: str, expr: str, expected: str) -> None:
    """What is not seen through stands for itself."""
    module = main_module(tmp_path, f"{IMPORTS}{text}\n")
    expected = "def main.fast()" if expected == "unknown-def" else expected
    assert called(callees(module_scope(module), lowered(expr))) == expected


ELSEWHERE: Mapping[str, str] = {
    "main.py": "from tools import *\nimport tools.speed as speed\n",
    "tools/__init__.py": "from .speed import fast, quick\n",
    "tools/speed.py": """\
        import jax
        from functools import partial

        from .options import DEVICE

        def fast(f):
            return jax.jit(f, device=DEVICE)

        quick = partial(fast)

        def compiled(f):
            @fast
            def call(*args):
                return f(*args)
            return call
        """,
    "tools/options.py": "DEVICE = 'cpu'\n",
}


@pytest.mark.parametrize("expr", ["fast", "quick", "speed.fast", "speed.compiled"])
def test_wrappers_in_other_modules(tmp_path: Path, expr: str) -> None:
    module = main_module(tmp_path, ELSEWHERE)
    [found] = callees(module_scope(module), lowered(expr))
    assert called([found]) == "jax.jit(device=$DEVICE)"
    assert found.arguments[0].value.module.name == "tools.speed"
    assert found.via[-1].made.name == "fast"


def test_what_leads_there_is_told(tmp_path: Path) -> None:
    text = f"{IMPORTS}class a(functools.cached_property): pass\nclass b(a): pass\n"
    module = main_module(tmp_path, text)
    [found] = callees(module_scope(module), lowered("b"))
    assert found.via == (defined(module, "b"), defined(module, "a"))


def test_decorators_see_what_was_before(tmp_path: Path) -> None:
    text = f"{IMPORTS}fast = jax.jit\n@fast\ndef f(): pass\nfast = jax.vmap\n"
    found = defined(main_module(tmp_path, text), "f")
    [decorator] = found.statement.decorators
    assert called(callees(found.scope, decorator, found.position)) == "jax.jit()"


def test_a_table_knows_all_of_them(tmp_path: Path) -> None:
    module = main_module(tmp_path, f"{IMPORTS}def own(x): pass\n")

    def known(expr: str) -> bool:
        return all_in(callees(module_scope(module), lowered(expr)), {"jax.jit", "jax.pmap"})

    assert known("jax.jit")
    assert known("jax.jit if x else jax.pmap")
    assert not known("jax.jit if x else jax.vmap")
    assert not known("own")
    assert not known("nothing")


def test_the_work_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each function is gone through once, however often the one around it hands it back."""
    looks = 0
    real = callee._wrapping

    def counted(*given: Any) -> Any:
        nonlocal looks
        looks += 1
        return real(*given)

    monkeypatch.setattr(callee, "_wrapping", counted)
    depth, returns = 6, 10
    lines = [IMPORTS, *(f"{'    ' * level}def f{level}(g{level}):" for level in range(depth))]
    for level in range(depth - 1, 0, -1):
        lines.append(f"{'    ' * (level + 1)}return g{level}")
        lines += [f"{'    ' * level}if x: return f{level}"] * returns
    module = main_module(tmp_path, "\n".join(lines) + "\n")
    assert called(callees(module_scope(module), lowered("f0"))) == "def main.f0()"
    assert looks <= depth


def test_too_many_callables_are_unknown(tmp_path: Path) -> None:
    lines = [IMPORTS, "f0 = jax.jit"]
    for level in range(1, limits.WRAPPERS):
        lines += [f"if x: f{level} = partial(f{level - 1}, {i})" for i in range(3)]
    module = main_module(tmp_path, "\n".join(lines) + "\n")
    assert len(callees(module_scope(module), lowered("f2"))) == 9
    assert callees(module_scope(module), lowered("f3")) == ()
