"""Walks over lowered programs that know the scope in which each node stands."""

from collections.abc import Iterator
from typing import NamedTuple

from flake8_jax.lowering.program import (
    Attr,
    Body,
    Branch,
    Call,
    Class,
    Closure,
    Const,
    Declare,
    Define,
    Delete,
    Eval,
    Expr,
    For,
    Function,
    Item,
    Kind,
    Match,
    Raise,
    Return,
    Store,
    Try,
    Var,
    While,
    With,
)
from flake8_jax.lowering.walk import flat
from flake8_jax.resolution.resolve import definition
from flake8_jax.resolution.scopes import Position, Scope, inner_scope

_STATEMENTS = (
    Branch,
    Declare,
    Define,
    Delete,
    Eval,
    For,
    Match,
    Raise,
    Return,
    Store,
    Try,
    While,
    With,
)


class Placed(NamedTuple):
    """A node, the scope that its names are looked up in, and where its statement stands."""

    node: object
    scope: Scope
    position: Position


def placed(root: object, scope: Scope, index: int, deep: bool = True) -> Iterator[Placed]:
    """All nodes below one that stands in a scope, in order.

    ``index`` is the number of the top-level statement. Functions and classes inside are gone
    through as well, in their own scopes, unless ``deep`` is false.
    """
    stack: list[Placed] = [Placed(root, scope, (index, 0))]
    while stack:
        here = stack.pop()
        node, scope, position = here
        if not isinstance(node, tuple):
            continue
        kind = type(node)
        if kind is tuple:
            stack += [
                Placed(item, scope, position) for item in reversed(node) if isinstance(item, tuple)
            ]
            continue
        if isinstance(node, _STATEMENTS):
            position = (index, node.span)
            here = Placed(node, scope, position)
        yield here
        if isinstance(node, Define):
            if deep:
                inside = definition(scope, node, position).inside
                stack.append(Placed(node.made.body, inside, position))
            stack.append(Placed(_evaluated_outside(node.made), scope, position))
            stack.append(Placed(node.decorators, scope, position))
        elif isinstance(node, Closure):
            if deep:
                inside = inner_scope(node.function, scope, position)
                stack.append(Placed(node.function.body, inside, position))
            stack.append(Placed(_evaluated_outside(node.function), scope, position))
        else:
            stack += [
                Placed(item, scope, position) for item in reversed(node) if isinstance(item, tuple)
            ]


def _evaluated_outside(made: Function | Class) -> tuple[object, ...]:
    """What is evaluated where a function or class is made."""
    if isinstance(made, Class):
        return (*made.bases, *made.keywords)
    return tuple(item.default for item in made.parameters)


def inside(function: Function, scope: Scope) -> Iterator[Placed]:
    """All nodes of the body of a function; ``scope`` is that of the body."""
    return placed(function.body, scope, scope.index)


def stores(body: Body) -> Iterator[Store]:
    """The assignments that run in a body's own scope, at whatever depth, in order."""
    statements: Iterator[object] = flat(body)  # narrowing the union of all takes mypy minutes
    for item in statements:
        if isinstance(item, Store):
            yield item


def first_parameter(function: Function) -> str | None:
    """The name of a function's first positional parameter."""
    for item in function.parameters[:1]:
        if item.kind in (Kind.POSITIONAL, Kind.NORMAL):
            return item.name
    return None


def last_name(expr: Expr | None) -> str | None:
    """The last identifier of a dotted name, a subscript stripped: ``List`` of ``t.List[int]``."""
    if isinstance(expr, Item):
        expr = expr.base
    return expr.name if isinstance(expr, Var | Attr) else None


def called_name(call: Call) -> str | None:
    """The last identifier of what is called."""
    return last_name(call.callee)


def is_var(node: object, name: str | None) -> bool:
    """Whether a node is the variable of a name."""
    return isinstance(node, Var) and node.name == name


def is_abstract(function: Function) -> bool:
    """Whether a function has no body to speak of: nothing is computed, or an override does it."""
    return all(isinstance(item, Raise) for item in function.body)


def is_blank(function: Function) -> bool:
    """Whether a function does nothing: its body is a text, ``...`` or ``pass``."""
    return all(isinstance(item, Eval) and isinstance(item.value, Const) for item in function.body)
