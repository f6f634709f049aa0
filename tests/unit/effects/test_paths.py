"""Access paths: which may be one object, which may lie inside which, and where they end."""

import pytest

from flake8_jax.effects.limits import SELECTORS
from flake8_jax.effects.paths import (
    AccessPath,
    Field,
    Index,
    LoopKey,
    Owner,
    Rest,
    Root,
    Selector,
    Some,
    in_order,
    may_be_same,
)

S = AccessPath(Root(Owner.PARAMETER, "s"))
A, B, STATIC = Field("a"), Field("b"), Field("a", static=True)
SAME = {
    (A, A): True,
    (A, B): False,
    (A, STATIC): True,
    (A, Some.FIELD): True,
    (A, Some.INDEX): False,
    (A, Index("a")): False,
    (Index(0), Index(0)): True,
    (Index(0), Index(1)): False,
    (Index(0), Index("0")): False,
    (Index(0), Index(-1)): True,
    (Index(0), Some.INDEX): True,
    (Index(0), Some.FIELD): False,
    (LoopKey(1), LoopKey(1)): True,
    (LoopKey(1), LoopKey(2)): True,
    (LoopKey(1), Index("k")): True,
    (LoopKey(1), Some.INDEX): True,
    (Rest(1), Index(0)): False,
    (Rest(1), Index(1)): True,
    (Rest(1), Index(-1)): True,
    (Rest(1), Rest(2)): True,
    (Rest(1), Some.INDEX): True,
    (Rest(1), A): False,
    (LoopKey(1, first=1), Index(0)): False,
    (LoopKey(1, first=1), Rest(2)): True,
    (Some.FIELD, Some.INDEX): False,
    (Some.BELOW, A): True,
    (Some.BELOW, Index(0)): True,
}


@pytest.mark.parametrize(("one", "other"), SAME)
def test_selectors_that_may_be_the_same(one: Selector, other: Selector) -> None:
    assert may_be_same(one, other) is SAME[one, other]
    assert may_be_same(other, one) is SAME[one, other]


def path(*selectors: Selector) -> AccessPath:
    return AccessPath(S.root, selectors)


@pytest.mark.parametrize(
    ("outer", "inner", "contains"),
    [
        (path(), path(), True),
        (path(), path(A), True),
        (path(A), path(), False),
        (path(A), path(A, Index(0)), True),
        (path(B), path(A, Index(0)), False),
        (path(Some.FIELD), path(A, B), True),
        (path(Some.BELOW), path(A, B), True),
        (path(A, B), path(Some.BELOW), True),
        (path(A), AccessPath(Root(Owner.PARAMETER, "t"), (A,)), False),
        (path(A), AccessPath(Root(Owner.CELL, "s", 1), (A,)), False),
    ],
)
def test_what_may_lie_inside_what(outer: AccessPath, inner: AccessPath, contains: bool) -> None:
    assert outer.may_contain(inner) is contains


def test_paths_that_may_be_one_object() -> None:
    assert path(A).may_be(path(STATIC))
    assert path(Some.FIELD).may_be(path(A))
    assert not path().may_be(path(A))


def test_a_long_path_ends_in_something_below() -> None:
    here = S
    for number in range(SELECTORS):
        here = here.then(Index(number))
    assert str(here) == "s[0][1][2][3][4][5]"
    longer = here.then(A)
    assert str(longer) == "s[0][1][2][3][4]..."
    assert longer.then(B) is longer
    assert longer.may_contain(here)


def test_a_path_that_goes_in_circles_ends_there() -> None:
    here = S.then(A).then(A)
    assert str(here) == "s.a.a"
    assert str(here.then(A)) == "s.a.a..."
    assert str(here.then(B)) == "s.a.a.b"


def test_paths_are_printed() -> None:
    cell = AccessPath(Root(Owner.CELL, "x", 2), (STATIC, Some.INDEX, Some.FIELD))
    assert str(cell) == "^x!a[?].?"
    assert str(AccessPath(Root(Owner.FRESH, "list", 7), (Index("k"),))) == "<list>['k']"


def test_the_order_does_not_depend_on_how_paths_were_found() -> None:
    paths = [path(B), path(A), path()]
    assert in_order(set(paths)) == in_order(reversed(paths)) == [path(), path(A), path(B)]
