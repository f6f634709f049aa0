"""Updated copies that are thrown away."""

from typing import TYPE_CHECKING

import libcst as cst

from flake8_jax.flow.values import (
    Shape,
)
from flake8_jax.knowledge.objects import (
    ARRAY_UPDATES,
    UPDATE_FUNCTIONS,
)
from flake8_jax.knowledge.pytrees import Kind
from flake8_jax.model import ModelClass
from flake8_jax.names import canonical, refer
from flake8_jax.scopes import Imported
from flake8_jax.syntax import positional

if TYPE_CHECKING:
    from flake8_jax.flow.state import State


def discard(frame: "State", node: cst.BaseExpression) -> None:
    """Evaluate an expression statement, and note an update that is thrown away."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and not frame.guarded:
        method = node.func.attr.value
        owner = node.func.value
        at = isinstance(owner, cst.Subscript) and isinstance(owner.value, cst.Attribute)
        if at and method in ARRAY_UPDATES and isinstance(owner, cst.Subscript):
            array = owner.value.value if isinstance(owner.value, cst.Attribute) else None
            own = array is not None and frame.base(array).cls() is not None
            if (
                isinstance(owner.value, cst.Attribute)
                and owner.value.attr.value == "at"
                and not own
            ):
                text = cst.Module([]).code_for_node(owner.value.value).strip()
                if frame.base(owner.value.value).type is not Shape.REFERENCE:
                    label = f"{text}.at[...].{method}"
                    frame.flow.discarded.setdefault(node, (frame.piece, label))
                    frame.flow.updating.setdefault(node, frame.node)
        elif method in {"replace", "_replace"}:
            kind = frame.base(owner).type
            known = isinstance(kind, Kind)
            if isinstance(kind, ModelClass):
                known = kind.making is not None and kind.method(method) is None
            if not known and kind is None and method == "replace" and _only_keywords(node):
                text = cst.Module([]).code_for_node(owner).strip()
                found = (frame.piece, f"{text}.{method}", frame.node)
                frame.flow.discarded_if_traced.setdefault(node, found)
            if known:
                text = cst.Module([]).code_for_node(owner).strip()
                frame.flow.discarded.setdefault(node, (frame.piece, f"{text}.{method}"))
    if isinstance(node, cst.Call) and not frame.guarded:
        _discard_copy(frame, node)
    frame.evaluate(node)


def _only_keywords(node: cst.Call) -> bool:
    """Whether a call gives keywords only: no string, path or table is replaced like that."""
    return bool(node.args) and all(argument.keyword is not None for argument in node.args)


def _discard_copy(frame: "State", node: cst.Call) -> None:
    """Note a copy of a pytree, made by a function, that is thrown away."""
    names = [item.dotted for item in refer(node.func, frame.scope) if isinstance(item, Imported)]
    given = positional(tuple(node.args))
    name = canonical(names[0]) if len(names) == 1 else ""
    source = given[UPDATE_FUNCTIONS[name]] if name in UPDATE_FUNCTIONS and given else None
    if source is not None:
        kind = frame.base(source).type
        if isinstance(kind, Kind) or (isinstance(kind, ModelClass) and kind.making is not None):
            frame.flow.discarded.setdefault(node, (frame.piece, name))
