"""A call binds where Python binds it, and to the same parameters."""

import inspect
from itertools import combinations, product

import pytest

from flake8_jax.effects.binding import Arguments, Bound, bind
from flake8_jax.lowering.program import Const, Function, Parameter
from unit.lowered import function

SIGNATURES = [
    "",
    "a",
    "a, b",
    "a, b=1",
    "a=1, b=2",
    "a, /",
    "a, /, b",
    "a, b=1, /",
    "*args",
    "a, *args",
    "a, *, b",
    "a, *, b=1",
    "*, b",
    "**kw",
    "a, **kw",
    "a, /, **kw",
    "a, *args, b, **kw",
    "a, /, b, *args, c=1, **kw",
]
CALLS = [
    (positional, names)
    for positional in range(4)
    for count in range(4)
    for names in combinations(("a", "b", "c"), count)
]


def parameters(signature: str) -> tuple[Parameter, ...]:
    made: Function = function(f"def f({signature}): pass")
    return made.parameters


def by_python(signature: str, positional: int, names: tuple[str, ...]) -> object:
    namespace: dict[str, object] = {}
    exec(f"def f({signature}): pass", namespace)
    given = inspect.signature(namespace["f"])  # type: ignore[arg-type]
    try:
        return given.bind(*range(positional), **{name: name for name in names}).arguments
    except TypeError:
        return None


@pytest.mark.parametrize("signature", SIGNATURES)
def test_calls_bind_as_python_binds_them(signature: str) -> None:
    mine = parameters(signature)
    for positional, names in CALLS:
        named = {name: name for name in names}
        arguments: Arguments[object] = Arguments(tuple(range(positional)), named)
        found = bind(mine, arguments)
        wanted = by_python(signature, positional, names)
        if wanted is None:
            assert found is None, (signature, positional, names)
            continue
        assert found is not None, (signature, positional, names)
        shown = dict(found.given)
        if found.star:
            shown["args"] = found.star
        if found.stars:
            shown["kw"] = dict(found.stars)
        assert shown == wanted


def test_there_are_calls_of_both_kinds() -> None:
    outcomes = {
        by_python(signature, positional, names) is None
        for signature, (positional, names) in product(SIGNATURES, CALLS)
    }
    assert outcomes == {True, False}


def test_what_is_not_given_takes_its_default() -> None:
    found = bind(parameters("a, b=1, *, c=2"), Arguments(("x",)))
    assert found is not None
    assert found.defaulted == {"b", "c"}


def test_a_spread_may_give_anything_by_position() -> None:
    found = bind(parameters("a, b, *, c=1"), Arguments(("x",), is_spread=True))
    assert found == Bound({"a": "x"}, defaulted=frozenset({"c"}), unknown=frozenset({"b"}))
    assert bind(parameters("a, *, c"), Arguments(("x",), is_spread=True)) is None


def test_spread_keywords_may_give_anything_by_name() -> None:
    found = bind(parameters("a, /, b, *, c"), Arguments(("x",), is_spread_named=True))
    assert found == Bound({"a": "x"}, unknown=frozenset({"b", "c"}))
    assert bind(parameters("a, /"), Arguments(is_spread_named=True)) is None


def test_arguments_that_a_partial_has_bound_come_first() -> None:
    found = bind(parameters("self, x"), Arguments(("v",)).after(("s",)))
    assert found is not None
    assert found.given == {"self": "s", "x": "v"}
    assert parameters("a=1")[0].default == Const(1)
