"""Updated copies that are thrown away."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from flake8_jax.flow.values import Shape, Type, Value
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import (
    ARRAY_UPDATES,
    UPDATE_FUNCTIONS,
)
from flake8_jax.knowledge.objects import UPDATE_METHODS as METHODS
from flake8_jax.knowledge.pytrees import Kind
from flake8_jax.model import ModelClass
from flake8_jax.names import refer
from flake8_jax.scopes import Imported
from flake8_jax.source import Quote
from flake8_jax.syntax import is_name, positional, walk

if TYPE_CHECKING:
    from flake8_jax.flow.state import State


def discard(frame: "State", node: cst.BaseExpression) -> Value:
    """Evaluate an expression statement, and note updates that are thrown away."""
    for call in thrown_away(node) if not frame.guarded else ():
        match call.func:
            case cst.Attribute(
                value=cst.Subscript(value=cst.Attribute(value=array, attr=cst.Name(value="at"))),
                attr=cst.Name(value=method),
            ) if method in ARRAY_UPDATES:
                _discard_array(frame, call, array, method)
            case cst.Attribute(value=owner, attr=cst.Name(value=method)) if method in METHODS:
                _discard_method(frame, call, owner, method)
            case _:
                _discard_copy(frame, call)
    return frame.evaluate(node)


def thrown_away(node: cst.BaseExpression) -> Iterator[cst.Call]:
    """The calls whose results nobody gets when an expression is a statement."""
    match node:
        case cst.Call():
            yield node
        case cst.IfExp():
            yield from (*thrown_away(node.body), *thrown_away(node.orelse))
        case cst.BooleanOperation():
            yield from thrown_away(node.right)
        case cst.Tuple():
            for element in node.elements:
                yield from thrown_away(element.value)
        case cst.ListComp():
            yield from thrown_away(node.elt)


def _discard_array(frame: "State", node: cst.Call, array: cst.BaseExpression, method: str) -> None:
    """Note a discarded ``x.at[…].set(…)``, unless x is a reference or an object of one's own.

    What numpy has made has no ``at``: there it raises, and nothing is thrown away.
    """
    value = frame.base(array)
    if value.plain:
        return
    if value.cls() is None and value.type is not Shape.REFERENCE and not _is_unused(frame, array):
        label = Quote(frame.piece, array, f".at[...].{method}")
        frame.flow.discarded.setdefault(node, (frame.piece, label))
        frame.flow.updating.setdefault(node, frame.node)


def _is_unused(frame: "State", array: cst.BaseExpression) -> bool:
    """Whether nothing but updates is made of an array of the function's own: they are tried out."""
    if not isinstance(array, cst.Name) or frame.ref.is_block or array.value not in frame.bound:
        return False
    if any(item.name == array.value for item in frame.parameters):
        return False
    nodes = tuple(walk(frame.node.body))
    updated = [
        item.value for item in nodes if isinstance(item, cst.Attribute) and item.attr.value == "at"
    ]
    bound = [item.target for item in nodes if isinstance(item, cst.AssignTarget)]
    return not any(
        is_name(item, array.value) for item in nodes if item not in updated and item not in bound
    )


def _discard_method(frame: "State", node: cst.Call, owner: cst.BaseExpression, method: str) -> None:
    """Note a discarded ``x.replace(…)`` of a pytree, or of what may be one in traced code."""
    label = Quote(frame.piece, owner, f".{method}")
    kind = frame.base(owner).type
    if _is_pytree(kind) and not (isinstance(kind, ModelClass) and kind.method(method)):
        frame.flow.discarded.setdefault(node, (frame.piece, label))
    elif kind is None and _only_keywords(node):
        frame.flow.discarded_if_traced.setdefault(node, (frame.piece, label, frame.node))
    else:
        _discard_copy(frame, node)


def _is_pytree(kind: Type) -> bool:
    return isinstance(kind, Kind) or (isinstance(kind, ModelClass) and kind.making is not None)


def _only_keywords(node: cst.Call) -> bool:
    """Whether a call gives keywords only: no string, path or table is replaced like that."""
    return bool(node.args) and all(argument.keyword is not None for argument in node.args)


def _discard_copy(frame: "State", node: cst.Call) -> None:
    """Note a copy of a pytree, made by a function, that is thrown away."""
    names = [item.dotted for item in refer(node.func, frame.scope) if isinstance(item, Imported)]
    given = positional(tuple(node.args))
    name = canonical(names[0]) if len(names) == 1 else ""
    index = UPDATE_FUNCTIONS.get(name, len(given))
    if index < len(given) and _is_pytree(frame.base(given[index]).type):
        frame.flow.discarded.setdefault(node, (frame.piece, name))
