"""Two writes that are told as one: each thing that is known of both, or of either."""

import pytest

from flake8_jax.effects.paths import AccessPath, Field, Owner, Root
from flake8_jax.effects.summaries import Change, Form, Write, merge_writes
from flake8_jax.effects.values import PLAIN, initial, join

PATH = AccessPath(Root(Owner.PARAMETER, "s")).then(Field("x"))
WRITE = Write(PATH, Form.ATTRIBUTE, next(iter(Change)), PLAIN, ("main", 0, 0))
BOTH = ("is_exact", "is_undone", "is_virtual", "fills")
"""What has to hold for both."""
EITHER = ("is_read_later", "is_seen_after")


@pytest.mark.parametrize("one", [False, True])
@pytest.mark.parametrize("other", [False, True])
@pytest.mark.parametrize("name", [*BOTH, *EITHER])
def test_what_holds_for_both_or_for_either(name: str, one: bool, other: bool) -> None:
    first, second = (WRITE._replace(**{name: known}) for known in (one, other))
    expected = one and other if name in BOTH else one or other
    assert getattr(merge_writes(first, second), name) is expected


def test_the_shortest_way_is_told() -> None:
    near = WRITE._replace(via=("g",), steps=1, calls=(("main", 0, 9),))
    far = WRITE._replace(via=("a", "b"), steps=2, calls=(("main", 0, 1), ("main", 0, 2)))
    for found in (merge_writes(near, far), merge_writes(far, near)):
        assert (found.via, found.steps, found.calls) == (near.via, near.steps, near.calls)


def test_what_is_stored_is_what_either_stores() -> None:
    one, other = WRITE._replace(value=initial(PATH)), WRITE
    assert merge_writes(one, other).value == join((initial(PATH), PLAIN))


def test_what_differs_is_not_known() -> None:
    one = WRITE._replace(types=frozenset({"C"}), counts="+")
    other = WRITE._replace(types=frozenset({"D"}), counts="-")
    assert merge_writes(one, one).types == one.types
    assert merge_writes(one, one._replace(steps=3)).counts == "+"
    assert (merge_writes(one, other).types, merge_writes(one, other).counts) == (frozenset(), "")
