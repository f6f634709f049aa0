"""Functions that call what they are given at once, with elements or leaves of their arguments."""

from collections.abc import Callable, Iterator
from enum import Enum
from typing import NamedTuple, TypeAlias

from flake8_jax.effects.binding import Arguments
from flake8_jax.effects.conditions import Tells
from flake8_jax.effects.frame import Frame
from flake8_jax.effects.iteration import element_of
from flake8_jax.effects.traces import new_from
from flake8_jax.effects.values import PLAIN, Value, derived, fresh_with, join, truth, under
from flake8_jax.knowledge.objects import TREE_MAPS

Run: TypeAlias = Callable[[Value, Arguments[Value]], Value | None]
"""Calls a value."""


class Gets(Enum):
    """What the callable gets."""

    ELEMENTS = "an element of each"
    LEAVES = "a leaf of each"
    PATH_AND_LEAVES = "a path, and a leaf of each"
    TWO_ELEMENTS = "what it gave before, and an element"
    TWO_LEAVES = "what it gave before, and a leaf"
    ONE = "an element, by a keyword"


class Gives(Enum):
    """What comes of it."""

    ALL = "all that the callable gave"
    LAST = "what the callable gave last"
    CHOSEN = "those elements of which the callable was true"
    OTHER = "something else: the callable has only said which"


class Row(NamedTuple):
    """How a function calls what it is given."""

    gets: Gets
    gives: Gives


CALLERS = {
    "builtins.map": Row(Gets.ELEMENTS, Gives.ALL),
    "builtins.filter": Row(Gets.ELEMENTS, Gives.CHOSEN),
    "builtins.max": Row(Gets.ONE, Gives.OTHER),
    "builtins.min": Row(Gets.ONE, Gives.OTHER),
    "builtins.sorted": Row(Gets.ONE, Gives.OTHER),
    "functools.reduce": Row(Gets.TWO_ELEMENTS, Gives.LAST),
    "itertools.accumulate": Row(Gets.TWO_ELEMENTS, Gives.OTHER),
    "jax.lax.associative_scan": Row(Gets.TWO_LEAVES, Gives.ALL),
    "jax.tree.reduce": Row(Gets.TWO_LEAVES, Gives.LAST),
    "jax.tree_util.tree_reduce": Row(Gets.TWO_LEAVES, Gives.LAST),
    "jax.tree.map_with_path": Row(Gets.PATH_AND_LEAVES, Gives.ALL),
    "jax.tree_util.tree_map_with_path": Row(Gets.PATH_AND_LEAVES, Gives.ALL),
    **dict.fromkeys(TREE_MAPS, Row(Gets.LEAVES, Gives.ALL)),
}
"""By dotted name; the callable comes first, but for those that get it by a keyword."""


def call_back(frame: Frame, dotted: str, arguments: Arguments[Value], run: Run) -> Value | None:
    """Call what a function is given; what comes of it, None where the function knows better."""
    row = CALLERS.get(dotted)
    if row is None:
        return None
    function, others = _parts(row, dotted, arguments)
    if function is None or not function.callees or arguments.is_spread:
        return None
    given = tuple(_given(frame, row.gets, others))
    result = run(function, Arguments(given))
    if result is None or row.gives is Gives.OTHER:
        return None
    if row.gives is Gives.LAST:
        return result
    if row.gives is Gives.CHOSEN:
        told = truth(result)
        chosen = under(given[0], told.if_true) if given else PLAIN
        return fresh_with((chosen,)).with_tells(Tells(if_false=told.if_false))
    told = truth(result)
    each = Tells(if_every=told.if_true, if_no=told.if_false)
    if row.gets is Gets.ELEMENTS:
        return fresh_with((result,)).with_tells(each)
    for tree in others:
        frame.use(tree.out)
    rebuilt = join(new_from(frame, tree) for tree in others)
    return rebuilt.with_origin(result.origin).with_tells(each)


def _parts(
    row: Row, dotted: str, arguments: Arguments[Value]
) -> tuple[Value | None, tuple[Value, ...]]:
    """The callable, and what its arguments are taken from."""
    if row.gets is Gets.ONE:
        return arguments.named.get("key"), arguments.positional
    if not arguments.positional or (dotted in TREE_MAPS and "is_leaf" in arguments.named):
        return None, ()
    function, *others = arguments.positional
    return function, tuple(others)


def _given(frame: Frame, gets: Gets, others: tuple[Value, ...]) -> Iterator[Value]:
    if gets is Gets.PATH_AND_LEAVES:
        yield PLAIN
    if gets in (Gets.LEAVES, Gets.PATH_AND_LEAVES):
        yield from map(_leaf, others)
    elif gets is Gets.ELEMENTS:
        yield from (element_of(frame, value) for value in others)
    elif gets is Gets.ONE:
        found = [element_of(frame, value) for value in others] if len(others) == 1 else [*others]
        yield join(found)
    else:
        first = _leaf(others[0]) if gets is Gets.TWO_LEAVES else element_of(frame, others[0])
        yield join((derived((first,)), *others[1:2]))
        yield first


def _leaf(tree: Value) -> Value:
    """A leaf of a tree: an array, which is traced if the tree is."""
    return Value(exact=False, origin=tree.origin)
