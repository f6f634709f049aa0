"""Markers: what makes a class a pytree when it is applied to it, known ones and one's own."""

from dataclasses import dataclass, replace

import libcst as cst

from flake8_jax.knowledge.pytrees import (
    CLASS_KEYWORDS,
    MARKERS,
    Kind,
)
from flake8_jax.names import applied, refer
from flake8_jax.scopes import EVER, Defined, Scope, inner_scope
from flake8_jax.source import Piece
from flake8_jax.syntax import (
    keyword,
    positional,
    walk,
)

_OWN_STEPS = 5


@dataclass(frozen=True, eq=False)
class Making:
    """What made a class a pytree."""

    kind: Kind
    by: str
    """The dotted name of the base class or marker."""
    arguments: tuple[cst.Arg, ...] = ()
    """What the marker was given: field names, flatten functions."""
    is_own: bool = False
    """Whether a function of the project's own calls the marker."""


def marking(
    node: cst.BaseExpression, scope: Scope, at: float = EVER, steps: int = _OWN_STEPS
) -> Making | None:
    """What applying an expression to a class makes of it: a known marker, or one of one's own."""
    marker = applied(node, scope, at)
    if marker.all_in(MARKERS):
        return Making(MARKERS[marker.names[0]], marker.names[0], marker.arguments)
    if isinstance(node, cst.Call):
        node = node.func
    for referent in refer(node, scope, at) if steps else ():
        if isinstance(referent, Defined) and isinstance(referent.node, cst.FunctionDef):
            made = marking_within(referent.node, referent.scope, steps - 1, referent.piece)
            return replace(made, is_own=True) if made is not None else None
    return None


def marking_within(
    function: cst.FunctionDef,
    outer: Scope,
    steps: int = _OWN_STEPS,
    piece: Piece | None = None,
) -> Making | None:
    """What a function makes of a class that it is given: the marker that it calls on a parameter.

    The class may be a parameter of a function inside, as in a decorator that takes arguments, and
    may have passed through other calls before, as in ``register(dataclass(cls))``.
    """
    return outer.top.source.file.once(
        (marking_within, function, steps), lambda: _marking_within(function, outer, steps, piece)
    )


def _marking_within(
    function: cst.FunctionDef, outer: Scope, steps: int, piece: Piece | None
) -> Making | None:
    scope = inner_scope(function, outer, EVER, piece)
    for node in walk(function.body):
        if type(node) is cst.Call and (given := class_arguments(tuple(node.args))):
            if isinstance(given[0], cst.Name | cst.Call) and not _is_class(given[0], scope):
                if made := marking(node.func, scope, EVER, steps):
                    return replace(made, arguments=(*made.arguments, *node.args))
    return None


def _is_class(node: cst.BaseExpression, scope: Scope) -> bool:
    return any(
        isinstance(item, Defined) and isinstance(item.node, cst.ClassDef)
        for item in refer(node, scope)
    )


def class_arguments(arguments: tuple[cst.Arg, ...]) -> tuple[cst.BaseExpression, ...]:
    """The arguments under which a marker may be handed its class."""
    named = (keyword(arguments, name) for name in CLASS_KEYWORDS)
    return (*positional(arguments)[:1], *(value for value in named if value is not None))
