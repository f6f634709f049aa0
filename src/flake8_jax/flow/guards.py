"""What a question tells about Tracers: on the way to its answer, variables are clear of them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import libcst as cst

from flake8_jax.flow.values import (
    ALL,
    PLAIN,
    Clear,
    FunctionRef,
    Numbered,
    Root,
    Told,
    Value,
    changed,
    meet,
)
from flake8_jax.knowledge.known import canonical
from flake8_jax.names import refer
from flake8_jax.scopes import Imported, Valued
from flake8_jax.syntax import last_part, positional

if TYPE_CHECKING:
    from flake8_jax.flow.state import State

_NOTHING: Clear = frozenset()
_EVERYTHING: Clear = frozenset({ALL})
_ANY = frozenset({"builtins.any"})
_EVERY = frozenset({"builtins.all", "jax.tree.all", "jax.tree_util.tree_all"})
_SCALARS = frozenset(f"builtins.{name}" for name in "bool bytes complex float int str".split())
_ASKING = re.compile(
    "tracer|tracing|traced|concrete|trace_state|(in|under|inside)_(a_)?(jit|trace)"
)
"""What the name of a function that is not known has in it, if it asks about Tracers."""
_TYPES_DEEP = 4


def asked(frame: "State", node: cst.Call, dotted: str) -> Value | None:
    """The truth value that a known function gives, if it tells something about Tracers."""
    given = positional(tuple(node.args))
    if dotted == "builtins.isinstance" and len(given) == 2:
        return _of_type(frame, frame.base(given[0]), given[1])
    if dotted == "builtins.bool" and len(given) == 1:
        value = frame.evaluate(given[0])
        frame.clear |= numbered(frame, value)
        return changed(PLAIN, if_true=value.if_true, if_false=value.if_false)
    if dotted in _ANY | _EVERY and len(given) == 1:
        value = frame.evaluate(given[0])
        parts = value.items if value.items is not None else (value.each or PLAIN,)
        if dotted in _ANY:
            return changed(PLAIN, if_false=_united(part.if_false for part in parts))
        return changed(PLAIN, if_true=_united(part.if_true for part in parts))
    name = dotted.rpartition(".")[2]
    if name == "trace_state_clean":
        return changed(PLAIN, if_true=_EVERYTHING)
    if name == "is_concrete" and given:
        return changed(PLAIN, if_true=numbered(frame, frame.evaluate(given[0])))
    return None


def by_name(name: str | None, values: Iterable[Value]) -> tuple[Clear, Clear]:
    """What a function that is not known tells, if it is called as one that asks about Tracers."""
    if name is None or _ASKING.search(name.lower()) is None:
        return _NOTHING, _NOTHING
    told = about(values)
    return told, told


def about(values: Iterable[Value]) -> Clear:
    """The variables that a question about values is about."""
    found: set[Root | Told | Numbered] = set()
    unknown = True
    for value in values:
        found |= value.depends
        unknown = unknown and not value.depends and not value.plain
    return frozenset(found) if not unknown else _EVERYTHING


def numbered(frame: "State", value: Value) -> Clear:
    """What is known where a number was made of a value; that of a field may be static."""
    if any(place.path for place in value.places) and not frame.catching:
        return _NOTHING
    return frozenset(Numbered(root) for root in value.depends)


def _united(parts: Iterable[Clear]) -> Clear:
    return _NOTHING.union(*parts)


def _of_type(frame: "State", subject: Value, node: cst.BaseExpression) -> Value:
    kinds = list(_types(frame, node, _TYPES_DEEP))
    if any(kind.rpartition(".")[2].lower().endswith("tracer") for kind in kinds):
        return changed(PLAIN, if_false=about([subject]))
    if kinds and all(kind in _SCALARS or kind.startswith("numpy.") for kind in kinds):
        return changed(PLAIN, if_true=about([subject]))
    return PLAIN


def _types(frame: "State", node: cst.BaseExpression, deep: int) -> Iterator[str]:
    """The names of the types that an expression may stand for; empty ones where not known."""
    if isinstance(node, cst.Tuple):
        for element in node.elements:
            yield from _types(frame, element.value, deep)
        return
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitOr):
        yield from _types(frame, node.left, deep)
        yield from _types(frame, node.right, deep)
        return
    if isinstance(node, cst.Name | cst.Attribute) and deep:
        for item in refer(node, frame.scope):
            if isinstance(item, Imported):
                yield canonical(item.dotted)
            elif isinstance(item, Valued) and item.node is not node:
                yield from _types(frame, item.node, deep - 1)
            else:
                yield last_part(node) or ""
        return
    yield ""


def of_exact_type(frame: "State", node: cst.Comparison) -> Value | None:
    """``type(x) is float``, ``type(x) in (int, float)``."""
    match node:
        case cst.Comparison(
            left=cst.Call(func=cst.Name(value="type"), args=[cst.Arg(value=subject)]),
            comparisons=[cst.ComparisonTarget(operator=operator, comparator=kinds)],
        ):
            told = _of_type(frame, frame.base(subject), kinds)
            if isinstance(operator, cst.IsNot | cst.NotEqual | cst.NotIn):
                return changed(told, if_true=told.if_false, if_false=told.if_true)
            return told
    return None


def both(left: Value, right: Value) -> tuple[Clear, Clear]:
    """What ``left and right`` tells where it is true, and where it is false."""
    return left.if_true | right.if_true, meet(left.if_false, right.if_false)


def either(left: Value, right: Value) -> tuple[Clear, Clear]:
    """What ``left or right`` tells where it is true, and where it is false."""
    return meet(left.if_true, right.if_true), left.if_false | right.if_false


def seen_by_caller(
    frame: "State", ref: FunctionRef, clear: Clear, bound: Mapping[str, Value]
) -> Clear:
    """What is clear of Tracers in a function, in terms of who calls it."""
    found: set[Root | Told | Numbered] = set()
    for item in clear:
        root = item if isinstance(item, Root) else item.root
        if isinstance(item, Told) and root.owner is frame.node and root.owner is not ref.node:
            value = frame.lookup(cst.Name(root.name))
            found |= value.if_true if item.truth else value.if_false
        elif root.owner is not ref.node or root.owner is None or root.name not in bound:
            found.add(item)
        elif isinstance(item, Told):
            value = bound[root.name]
            found |= value.if_true if item.truth else value.if_false
        elif isinstance(item, Numbered):
            found |= numbered(frame, bound[root.name])
        elif not bound[root.name].plain:
            found |= about([bound[root.name]])
    return frozenset(found)
