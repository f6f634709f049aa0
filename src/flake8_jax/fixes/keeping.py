"""Whether a call keeps what it is given, so that somebody else has the object from then on."""

from enum import IntEnum

import libcst as cst

from flake8_jax.effects.callees import kept
from flake8_jax.effects.paths import AccessPath, Owner, Root
from flake8_jax.fixes.names import (
    Defined,
    Imported,
    Names,
    Referent,
    Valued,
    applied_value,
    decorators_of,
)
from flake8_jax.knowledge.effects import GIVES_BACK, HOLDS, KEEPS_NOTHING, PUTS
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import CONTAINER_MUTATORS
from flake8_jax.lowering.program import Function
from flake8_jax.resolution.resolve import Definition
from flake8_jax.syntax import last_part
from flake8_jax.verdicts.reached import world_of

_HOLDERS = frozenset(
    {"__setattr__", "deque", "dict", "list", "partial", "set", "setattr", "tuple", "vars"}
)
_LOGGING = frozenset({"critical", "debug", "error", "exception", "info", "log", "warning"})
"""Methods that make a text of what they are given."""
_REBUILDS = "jax."
"""What begins so hands new objects to the functions that it is given."""


class Keeping(IntEnum):
    """Whether the object of an argument is known to others after a call; of several, the most."""

    NONE = 0
    POSSIBLE = 1
    SURE = 2


def is_holder(function: cst.BaseExpression) -> bool:
    """Whether a call is there to hold what it is given: a class, a container, a partial."""
    name = last_part(function) or ""
    if name[:1].isupper() or name in _HOLDERS:
        return True
    return isinstance(function, cst.Attribute) and name in CONTAINER_MUTATORS


def keeping(
    function: cst.BaseExpression,
    referent: Referent,
    names: Names,
    is_alone: bool,
    is_itself: bool,
) -> Keeping:
    """What a function does that is not to be looked into.

    A call that is a statement of its own is made for what it does. An object that is itself what is
    given is copied by functions that keep what is in it.
    """
    match referent:
        case Imported(dotted=dotted) if canonical(dotted) in GIVES_BACK:
            return Keeping.NONE if is_alone else Keeping.POSSIBLE
        case Imported(dotted=dotted) if canonical(dotted).startswith(PUTS):
            return Keeping.POSSIBLE
        case Imported(dotted=dotted) if canonical(dotted).startswith(HOLDS) and not is_itself:
            return Keeping.POSSIBLE
        case Imported(dotted=dotted) if canonical(dotted).startswith(KEEPS_NOTHING):
            return Keeping.NONE
        case Valued(value=value) if _rebuild(applied_value(value)):
            return Keeping.NONE
        case Defined(own=own) if any(map(_rebuild, decorators_of(own))):
            return Keeping.NONE
    if isinstance(function, cst.Call) and _rebuild(names.applied(function)):
        return Keeping.NONE
    if isinstance(function, cst.Attribute) and function.attr.value in _LOGGING:
        return Keeping.NONE
    return Keeping.SURE if is_alone else Keeping.POSSIBLE


def kept_inside(own: Definition, name: str, is_dropped: bool) -> Keeping:
    """What a function of the project does with the object of a parameter.

    ``is_dropped`` tells that nobody but the variable that gave it takes what comes out.
    """
    if not isinstance(own.made, Function):
        return Keeping.POSSIBLE
    world = world_of(own.module)
    summary = world.interpreter.summary(world.function_ref(own))
    itself = AccessPath(Root(Owner.PARAMETER, name))
    if own.made.yields or any(itself in kept(write.value) for write in summary.writes):
        return Keeping.SURE
    comes_out = summary.result is not None and itself in kept(summary.result)
    is_handed_on = itself in summary.escapes
    return Keeping.POSSIBLE if is_handed_on or (comes_out and not is_dropped) else Keeping.NONE


def is_maker(own: Definition) -> bool:
    """Whether what a function or class of the project gives is a new object."""
    if not isinstance(own.made, Function):
        return True
    if not all(map(_rebuild, decorators_of(own))):
        return False
    world = world_of(own.module)
    result = world.interpreter.summary(world.function_ref(own)).result
    return result is None or all(path.root.owner is Owner.FRESH for path in kept(result))


def is_rebuilding(names: Names, call: cst.Call) -> bool:
    """Whether a call hands new objects to the functions that it is given."""
    return _rebuild(names.applied(call.func))


def _rebuild(applied: tuple[str, ...]) -> bool:
    return any(name.startswith(_REBUILDS) for name in applied)
