"""Conditions: what must hold on the way to a place, and what the outcome of a test tells.

A write that stands behind a guard happens only if something is no Tracer. It says so in terms of
the function's own parameters and free names, and a caller that hands a Tracer over drops it.
"""

from collections.abc import Iterable
from enum import Enum
from functools import reduce
from typing import NamedTuple, TypeAlias

from flake8_jax.effects.paths import AccessPath, Root, Selector
from flake8_jax.knowledge.transforms import Transform
from flake8_jax.lowering.program import Opaque


class Asked(Enum):
    """What a condition asks for."""

    __hash__ = object.__hash__  # that of an enumeration is computed in Python

    NO_TRACER = "it is no Tracer, and nothing in it"
    NUMBER = "a number can be made of it, which no Tracer allows but that of a derivative"
    TRUE = "it is true"
    FALSE = "it is false"
    SOME = "it is not None"
    NONE = "it is None"
    LACKING = "a key is not in it"
    TEXT = "it is a string"
    NO_TEXT = "it is no string"
    IDLE = "nothing is being traced"
    EAGER = "nothing is being staged"
    FOR_EFFECT = "a function may be called for what it changes, and not for what it gives back"
    NEVER = "what cannot be"
    PERHAPS = "what nobody knows"


class Condition(NamedTuple):
    """Something that must hold, most often of a variable."""

    asked: Asked
    root: Root | None = None
    selectors: tuple[Selector, ...] = ()
    """Which part of it is meant."""


Conditions: TypeAlias = frozenset[Condition]
"""All of them must hold."""
NOTHING: Conditions = frozenset()
NEVER = Condition(Asked.NEVER)
PERHAPS = Condition(Asked.PERHAPS)
IDLE = Condition(Asked.IDLE)
EAGER = Condition(Asked.EAGER)
FOR_EFFECT = Condition(Asked.FOR_EFFECT)


def decides(condition: Condition) -> bool:
    """Whether a test tells the way that is gone by a condition: an error does not."""
    return condition.asked not in (Asked.NUMBER, Asked.NEVER, Asked.PERHAPS)


OF_TRACERS = (Asked.NO_TRACER, Asked.IDLE, Asked.EAGER)
OPPOSITES = {
    Asked.TRUE: Asked.FALSE,
    Asked.FALSE: Asked.TRUE,
    Asked.SOME: Asked.NONE,
    Asked.NONE: Asked.SOME,
}


def lacking(path: AccessPath) -> Condition:
    """That some key is not in the table at a path."""
    return Condition(Asked.LACKING, path.root, path.selectors)


def common(ways: Iterable[Conditions]) -> Conditions:
    """What holds on each of several ways; one that cannot be gone does not count."""
    return reduce(_common, ways)


def _common(one: Conditions, other: Conditions) -> Conditions:
    if one == other or NEVER in other:
        return one
    return other if NEVER in one else one & other


def is_excluded(condition: Condition, transform: Transform) -> bool:
    """Whether a condition cannot hold in what a transform traces."""
    match condition.asked:
        case Asked.IDLE:
            return transform.traces
        case Asked.EAGER:
            return transform.traces and transform.staged
        case Asked.FOR_EFFECT:
            return not (transform.is_jit and transform.curried)
    return condition == NEVER


class Tells(NamedTuple):
    """What is known where a value turns out to be something."""

    if_true: Conditions = NOTHING
    if_false: Conditions = NOTHING
    if_some: Conditions = NOTHING
    """Where it is not None."""
    if_none: Conditions = NOTHING
    if_every: Conditions = NOTHING
    """Where all elements are true."""
    if_no: Conditions = NOTHING
    """Where all elements are false."""


SILENT = Tells()
_IMPOSSIBLE: Conditions = frozenset({NEVER})
OF_TRUE = Tells(if_false=_IMPOSSIBLE, if_none=_IMPOSSIBLE)
OF_FALSE = Tells(if_true=_IMPOSSIBLE, if_none=_IMPOSSIBLE)
OF_NONE = Tells(if_true=_IMPOSSIBLE, if_some=_IMPOSSIBLE)
OF_AN_OBJECT = Tells(if_none=_IMPOSSIBLE)


PERHAPS_SOME = Tells(if_true=frozenset({PERHAPS}))
"""Of what one collection has and another lacks: nobody knows whether there is something."""


def of_constant(value: object) -> Tells:
    """What a literal tells: the outcomes that it cannot have."""
    if value is None or isinstance(value, Opaque):
        return OF_NONE if value is None else OF_AN_OBJECT
    return OF_TRUE if value else OF_FALSE


def told_at_first(tells: Tells) -> Tells:
    """What a variable tells that held something at first: what that is not, it may be by now."""
    if tells is SILENT:
        return tells
    return Tells(*(_UNCERTAIN if NEVER in item else NOTHING for item in tells))


_UNCERTAIN: Conditions = frozenset({PERHAPS})


def join_tells(one: Tells, other: Tells) -> Tells:
    """What a value tells that may be one of two."""
    if one is other or one == other:
        return one
    return Tells(*(_common(*pair) for pair in zip(one, other, strict=True)))


def on_the_way(tells: Tells, conditions: Conditions) -> Tells:
    """What a value tells that is only there if conditions hold."""
    return Tells(*(item | conditions for item in tells)) if conditions else tells


def both(one: Tells, other: Tells) -> Tells:
    """What is known of a value by two ways of knowing it."""
    if one is SILENT or other is SILENT:
        return other if one is SILENT else one
    return Tells(*(left | right for left, right in zip(one, other, strict=True)))


def of_copy(tells: Tells) -> Tells:
    """What a copy of a value tells: of None, there is none."""
    if tells is SILENT or not (tells.if_some or tells.if_none):
        return SILENT
    return Tells(if_some=tells.if_some, if_none=tells.if_none)


def negated(tells: Tells) -> Tells:
    """What ``not value`` tells."""
    return Tells(tells.if_false, tells.if_true)


def all_of(tells: Iterable[Tells]) -> Tells:
    """What ``a and b`` tells."""
    found = [*tells]
    return Tells(
        NOTHING.union(*(item.if_true for item in found)),
        common(item.if_false for item in found),
    )


def any_of(tells: Iterable[Tells]) -> Tells:
    """What ``a or b`` tells."""
    return negated(all_of(negated(item) for item in tells))


def elements_tell(elements: Iterable[Tells]) -> Tells:
    """What a collection tells of its elements."""
    found = [*elements]
    return Tells(
        if_every=NOTHING.union(*(item.if_true for item in found)),
        if_no=NOTHING.union(*(item.if_false for item in found)),
    )
