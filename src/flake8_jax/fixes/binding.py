"""Whether binding a name to a changed copy does what changing its object was meant to do.

Where others have the object, they may have been meant to see the change: then the copy has to come
out of the function.
"""

from collections.abc import Callable
from typing import NamedTuple

import libcst as cst

from flake8_jax.fixes.callers import goes_on
from flake8_jax.fixes.declining import DeclinedError
from flake8_jax.fixes.names import Names
from flake8_jax.fixes.rebinding import Variable
from flake8_jax.fixes.safety import Safety
from flake8_jax.fixes.variables import Source

IsNew = Callable[[cst.BaseExpression, Names], bool]


class Bound(NamedTuple):
    """A name that can be bound to a changed copy."""

    safety: Safety
    alters: str
    """What is not as it was meant, without a word; empty where nothing is lost."""


def binding(
    variable: Variable, is_new: IsNew, keeps: str = "its values", is_rebuilt: bool = False
) -> Bound:
    """How safe it is to bind a name; it is declined where that does something else.

    ``is_new`` tells whether an expression makes an object that nobody else has, ``keeps`` what the
    old object keeps, and ``is_rebuilt`` whether a transform has just made the arguments.
    """
    reason = obstacle(variable)
    if reason is not None:
        raise DeclinedError(reason)
    is_mine = all(
        (source is Source.PARAMETER and is_rebuilt)
        or (source is Source.MADE and (value is None or is_new(value, variable.names)))
        for source, value in variable.sources
    )
    is_seen = is_mine or (variable.comes_out and not variable.is_first_of_method)
    is_given = variable.is_given and not is_rebuilt
    missing = goes_on(variable) if is_given else None
    safety = Safety.SAFE if is_seen and missing is None else Safety.UNSAFE
    if missing is not None:
        return Bound(safety, f"{missing} keeps {keeps}")
    if is_given and not variable.is_handed_back:
        return Bound(safety, f"the caller's object keeps {keeps}")
    if safety is Safety.UNSAFE:
        return Bound(
            safety, f"the old object of {variable.name!r}, if others have it, keeps {keeps}"
        )
    return Bound(safety, "")


def obstacle(variable: Variable) -> str | None:
    """What keeps a name from being bound to a changed copy, if anything does."""
    return next((text for look in _OBSTACLES if (text := look(variable)) is not None), None)


def _sharing(variable: Variable) -> str | None:
    return variable.sharing


def _other_name(variable: Variable) -> str | None:
    node = variable.kept_at
    if node is None:
        return None
    line = variable.line(node)
    return f"the object of {variable.name!r} gets another name, or is kept, on line {line}"


def _unread(variable: Variable) -> str | None:
    if variable.is_read_later:
        return None
    line = variable.line(variable.statement)
    return f"{variable.name!r} is not read after line {line}, so that its copy would be lost too"


def _type_comment(variable: Variable) -> str | None:
    line = variable.line(variable.statement)
    return f"line {line} has a type comment" if variable.has_type_comment else None


def _silenced(variable: Variable) -> str | None:
    if not variable.is_silenced:
        return None
    line = variable.line(variable.statement)
    return f"a context or a 'finally' around line {line} drops the error that it raises"


def _unknown_origin(variable: Variable) -> str | None:
    name = repr(variable.name)
    if not variable.origins:
        return f"{name} is not bound anywhere in {variable.label!r}"
    for item in variable.origins:
        if item.source is Source.OTHER:
            line = variable.line(item.node)
            return f"{name} is bound on line {line} to an object that may have another name"
        if variable.is_shared(item):
            line = variable.line(item.node)
            return f"{name} is a part of what line {line} takes apart, and that is read later"
    return None


_OBSTACLES = (_sharing, _other_name, _unread, _type_comment, _silenced, _unknown_origin)
