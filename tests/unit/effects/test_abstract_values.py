"""Values: what joining, computing and holding keeps, and where the bounds are."""

from itertools import permutations

import pytest

from flake8_jax.effects.limits import CALLEES, PATHS
from flake8_jax.effects.paths import AccessPath, Field, Index, Owner, Root, Some
from flake8_jax.effects.values import (
    CONCRETE,
    PLAIN,
    STATIC_DATA,
    UNKNOWN,
    Contents,
    Origin,
    Snapshot,
    Value,
    derived,
    fresh_with,
    initial,
    join,
    join_origins,
    united,
    widened,
)

A, B = (AccessPath(Root(Owner.PARAMETER, name)) for name in "ab")
STAGED = Value(origin=Origin(staged=True))
SAMPLES = [
    UNKNOWN,
    PLAIN,
    STAGED,
    initial(A),
    initial(B),
    initial(A).with_types(frozenset({"State"})),
    initial(B).with_types(frozenset({"State", "None"})),
    PLAIN.with_callees(("f",)),
    PLAIN.with_callees(("g",)),
    PLAIN.with_contents(Contents(items=(PLAIN, initial(A)))),
    PLAIN.with_contents(Contents(items=(initial(B), PLAIN))),
    PLAIN.with_contents(Contents(snapshots=frozenset({Snapshot(A, True)}))),
]


def canonical(value: Value) -> Value:
    return value.with_callees(tuple(sorted(value.callees)))


@pytest.mark.parametrize("one", SAMPLES)
@pytest.mark.parametrize("other", SAMPLES)
def test_join_is_commutative_and_idempotent(one: Value, other: Value) -> None:
    joined = join((one, other))
    assert canonical(joined) == canonical(join((other, one)))
    assert canonical(join((joined, one))) == canonical(joined)
    assert join((one, one)) == one


def test_join_is_associative() -> None:
    for triple in permutations(SAMPLES, 3):
        one, two, three = triple
        left = join((join((one, two)), three))
        right = join((one, join((two, three))))
        assert canonical(left) == canonical(right), triple


def test_what_may_be_either_object_is_exact_if_both_are() -> None:
    assert join((initial(A), initial(B))).exact
    assert not join((initial(A), UNKNOWN)).exact
    assert not join((initial(A), PLAIN)).exact


def test_a_type_is_known_if_all_are() -> None:
    state, none = (Value(types=frozenset({name})) for name in ("State", "None"))
    assert join((state, none)).types == {"State", "None"}
    assert join((state, PLAIN)).types == frozenset()


def test_a_call_is_known_if_all_are() -> None:
    f, g = PLAIN.with_callees(("f",)), PLAIN.with_callees(("g",))
    assert join((f, g)).callees == ("f", "g")
    assert join((f, PLAIN)).callees == ()
    many = (PLAIN.with_callees((str(number),)) for number in range(CALLEES + 1))
    assert join(many).callees == ()


def test_what_is_computed_from_plain_values_is_plain() -> None:
    assert derived((PLAIN, PLAIN)).origin == CONCRETE
    assert derived(()).origin == CONCRETE


def test_what_is_computed_from_an_argument_depends_on_it() -> None:
    assert derived((PLAIN, initial(A))).origin == Origin(sources=frozenset({A.root}))
    assert not derived((initial(A),)).paths


def test_what_jax_makes_is_staged() -> None:
    assert derived((PLAIN,), staged=True).origin == Origin(staged=True)
    assert derived((STAGED, PLAIN)).origin.staged


def test_a_new_object_lets_out_what_it_holds() -> None:
    new = fresh_with((initial(A), fresh_with((initial(B),))))
    assert new.out == {A, B}
    assert new.paths == frozenset()
    assert new.exact


def test_too_many_objects_are_any_object() -> None:
    values = [initial(A.then(Index(number))) for number in range(PATHS + 1)]
    joined = join(values)
    assert joined.paths == frozenset()
    assert not joined.exact
    assert len(joined.out) <= PATHS
    assert all(any(out.may_contain(path) for out in joined.out) for v in values for path in v.paths)


def test_widening_contains_all_that_was_there() -> None:
    paths = frozenset(A.then(Field("f")).then(Index(number)) for number in range(100))
    wide = widened(paths, most=10)
    assert len(wide) <= 10
    assert all(any(item.may_contain(path) for item in wide) for path in paths)


def test_what_was_too_much_does_not_grow_again() -> None:
    """Else a fixpoint would go round in circles: full, cut, full again."""
    values = [initial(A.then(Field(f"f{number}")).then(Index(0))) for number in range(PATHS + 1)]
    joined = join(values)
    assert joined.paths == frozenset()
    assert join((joined, values[0])) == joined


def test_a_path_that_is_cut_takes_in_what_is_below() -> None:
    below = A.then(Field("x"))
    cut = AccessPath(below.root, (*below.selectors, Some.BELOW))
    longer = below.then(Field("y")).then(Field("z"))
    assert united(frozenset({cut, below}), frozenset({longer})) == {cut, below}


def test_static_data_is_no_tracer_and_casts_no_doubt_on_one() -> None:
    traced = Origin(traced=True)
    assert join_origins([STATIC_DATA, CONCRETE]) == STATIC_DATA
    assert join_origins([STATIC_DATA, traced]) == traced
