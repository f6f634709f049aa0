"""Questions about a piece of code or a value, each with its answers."""

import pytest

from flake8_jax.effects.conditions import NEVER, Asked, Condition, Tells, is_excluded
from flake8_jax.effects.evaluate import _is_foreign
from flake8_jax.effects.indices import _uses_whole
from flake8_jax.effects.iteration import has_elements
from flake8_jax.effects.limits import PATHS
from flake8_jax.effects.paths import AccessPath, Field, Owner, Root
from flake8_jax.effects.subscripts import _NUMBERS, is_number
from flake8_jax.effects.updates import _is_updated_only, gives_update
from flake8_jax.effects.values import (
    PLAIN,
    UNKNOWN,
    Contents,
    Origin,
    Value,
    bounded,
    initial,
    join,
)
from flake8_jax.knowledge.transforms import Transform
from flake8_jax.lowering.program import Expr, Home, Store, Var
from flake8_jax.lowering.walk import walk
from unit.lowered import function, lowered
from unit.worlds import shown

A, B = (AccessPath(Root(Owner.PARAMETER, name)) for name in "ab")


def expression(text: str) -> Expr:
    [statement] = lowered(f"y = {text}")
    assert isinstance(statement, Store)
    return statement.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[x]", True),
        ("[*x]", False),
        ("()", False),
        ("{'a': 1}", True),
        ("{**x}", False),
        ("{'a': 1}.values()", True),
        ("{}.values()", False),
        ("{'a': 1}.popitem()", False),
        ("x", False),
    ],
)
def test_a_loop_goes_through_something(text: str, expected: bool) -> None:
    assert has_elements(expression(text)) is expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x", True),
        ("return (x, 1)", True),
        ("return x + 1", True),
        ("return x.sum()", True),
        ("return x.label", False),
        ("return y", False),
        ("return x[0]", False),
    ],
)
def test_a_variable_is_used_as_a_whole(body: str, expected: bool) -> None:
    found = function(f"def f(x, y):\n    {body}")
    x = Var("x", Home.LOCAL)
    assert any(_uses_whole(x, node) for node in walk(found.body)) is expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = zeros(3); x.at[0].set(1)", True),
        ("(x := zeros(3)); x.at[0].set(1)", True),
        ("x = zeros(3); x.at[0].set(1); print(x)", False),
    ],
)
def test_an_array_is_updated_only(body: str, expected: bool) -> None:
    found = function(f"def f():\n    {body}")
    x = next(item for item in walk(found.body) if isinstance(item, Var) and item.name == "x")
    assert _is_updated_only(found, x) is expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x.at[0].set(1)", True),
        ("y = x.at[0].set(1); return y", True),
        ("if y: return x\n    return x.at[0].set(1)", True),
        ("if y: return z\n    return x.at[0].set(1)", False),
        ("if y: return g(x)\n    return x.at[0].set(1)", False),
        ("return x", False),
        ("print(x); return x.at[0].set(1)", False),
    ],
)
def test_a_function_gives_an_update(body: str, expected: bool) -> None:
    assert gives_update(function(f"def f(x, y):\n    {body}")) is expected


@pytest.mark.parametrize(
    ("asked", "transform", "expected"),
    [
        (Asked.EAGER, Transform("jit"), True),
        (Asked.EAGER, Transform("vmap", staged=False), False),
        (Asked.EAGER, Transform("pure_callback", traces=False), False),
        (Asked.IDLE, Transform("vmap", staged=False), True),
        (Asked.IDLE, Transform("pure_callback", traces=False), False),
        (Asked.FOR_EFFECT, Transform("jit", is_jit=True), False),
        (Asked.FOR_EFFECT, Transform("scan", curried=False), True),
    ],
)
def test_what_cannot_hold_under_a_transform(
    asked: Asked, transform: Transform, expected: bool
) -> None:
    assert is_excluded(Condition(asked), transform) is expected


def test_numbers() -> None:
    assert is_number(Value(types=_NUMBERS))
    assert all(is_number(Value(types=frozenset({item}))) for item in _NUMBERS)
    assert not is_number(Value())
    assert not is_number(Value(types=_NUMBERS | {"State"}))


def test_what_unknown_code_has_given() -> None:
    assert _is_foreign(Value(exact=False, origin=Origin(doubtful=True)))
    assert not _is_foreign(Value(exact=False, origin=Origin(staged=True)))
    assert not _is_foreign(Value(origin=Origin(doubtful=True)))
    assert not _is_foreign(Value(frozenset(), False, Origin(doubtful=True), frozenset({"State"})))


def test_parts_that_both_have_are_kept() -> None:
    parts = Contents(parts=((Field("x"), PLAIN),))
    one, other = (initial(path).with_contents(parts) for path in (A, B))
    assert join([one, other]).contents.parts == parts.parts
    assert join([one, initial(B)]).contents.parts == ()


def test_as_many_places_as_there_may_be_stay() -> None:
    paths = frozenset(A.then(Field(f"x{i}")) for i in range(PATHS))
    value = Value(paths, contents=Contents(shares=frozenset({B})))
    assert bounded(value).paths == paths
    assert bounded(value).exact
    assert bounded(value._replace(paths=paths | {B})).paths == frozenset()


def test_what_is_called_where_the_other_is_none() -> None:
    nothing = PLAIN.with_tells(Tells(if_some=frozenset({NEVER})))
    called = PLAIN.with_callees(("f",))
    assert join([called, nothing]).callees == join([nothing, called]).callees == ("f",)
    assert join([called, UNKNOWN]).callees == join([UNKNOWN, called]).callees == ()


def test_a_name_that_is_taken_away() -> None:
    assert shown("def f(s, v):\n    t = s\n    del t\n    t.x = v") == ["returns plain"]


def test_what_is_given_by_name_is_given_once() -> None:
    program = """
        def g(a, b=None, c=None):
            c.x = b
        def f(s, t):
            g(s, b=t)
        """
    assert shown(program) == ["returns plain"]


def test_the_fields_of_a_named_tuple_that_are_a_list() -> None:
    program = """
        from collections import namedtuple
        P = None
        def f(a, b, v):
            P = namedtuple("P", {})
            p = P(a, b)
            p.y.z = v
        """
    for fields in ('["x", "y"]', '"x y"', '[("x", int), ("y", int)]'):
        assert shown(program.format(fields)) == ["set b.z from v", "returns plain"]
