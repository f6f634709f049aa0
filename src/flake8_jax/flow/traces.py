"""Traces: which parameters of a callable arrive as they are, and which are rebuilt."""

from collections.abc import Iterator

import libcst as cst

from flake8_jax.flow.values import FunctionRef, Trace, changed
from flake8_jax.knowledge.caches import FUNCTION_CACHES
from flake8_jax.knowledge.transforms import TRANSFORMS, Transform
from flake8_jax.names import applied, refer
from flake8_jax.scopes import Scope, Valued
from flake8_jax.syntax import Function, keyword, string_value


def names_of(function: Function) -> tuple[str, ...]:
    """The names of a function's positional parameters."""
    params = function.params
    return tuple(item.name.value for item in (*params.posonly_params, *params.params))


def defaults_of(function: Function) -> frozenset[str]:
    """The names of a function's parameters that need not be given."""
    params = function.params
    items = (*params.posonly_params, *params.params, *params.kwonly_params)
    return frozenset(item.name.value for item in items if item.default is not None)


def traced(
    transform: Transform, ref: FunctionRef, scope: Scope, arguments: tuple[cst.Arg, ...]
) -> Trace:
    """The trace of a callable that is handed to a transform with certain arguments."""
    names = names_of(ref.node)
    keyword_only = {item.name.value for item in ref.node.params.kwonly_params}
    bound = names[: len(ref.bound)]
    same = set(bound) | set(ref.keywords)
    if ref.is_method and transform.rebuilds_self:
        same -= set(bound[:1])
    free = [name for name in names[len(ref.bound) :] if name not in ref.keywords]
    if transform.differentiated is not None:
        node = keyword(arguments, transform.differentiated) if transform.differentiated else None
        chosen = {0} if node is None else set(_numbers(node, scope))
        same |= (
            {name for index, name in enumerate(free) if index not in chosen} if chosen else set()
        )
        same |= keyword_only
    if transform.closes_over:
        same |= {*names, *keyword_only}
    for option in transform.statics:
        node = keyword(arguments, option)
        if node is not None:
            same |= {
                free[index] for index in _numbers(node, scope) if -len(free) <= index < len(free)
            }
            same |= set(_texts(node, scope))
    if ref.trace is not None:
        inner = ref.trace
        transform = changed(
            transform,
            staged=transform.staged or inner.transform.staged,
            is_jit=transform.is_jit and inner.transform.is_jit,
        )
        same &= inner.same
    return Trace(transform, changed(ref, trace=None), frozenset(same))


def decorated(ref: FunctionRef) -> FunctionRef:
    """A function with the trace that its decorators start when it is called."""
    if not isinstance(ref.node, cst.FunctionDef):
        return ref
    for decorator in reversed(ref.node.decorators):
        used = applied(decorator.decorator, ref.scope)
        if used.all_in(FUNCTION_CACHES):
            ref = changed(ref, cached=True)
        transforms = [TRANSFORMS.get(name) for name in used.names]
        if transforms and transforms[0] is not None and all(transforms):
            if transforms[0].traces:
                trace = traced(transforms[0], ref, ref.scope, used.arguments)
                ref = changed(ref, trace=trace)
    return ref


def _literals(node: cst.BaseExpression, scope: Scope) -> Iterator[cst.BaseExpression]:
    match node:
        case cst.Tuple() | cst.List() | cst.Set():
            for element in node.elements:
                yield element.value
        case cst.Name() | cst.Attribute():
            for referent in refer(node, scope):
                if isinstance(referent, Valued) and referent.node is not node:
                    yield from _literals(referent.node, referent.scope)
        case _:
            yield node


def _numbers(node: cst.BaseExpression, scope: Scope) -> Iterator[int]:
    for item in _literals(node, scope):
        if isinstance(item, cst.Integer):
            yield int(item.value, 0)
        elif isinstance(item, cst.UnaryOperation) and isinstance(item.operator, cst.Minus):
            if isinstance(item.expression, cst.Integer):
                yield -int(item.expression.value, 0)


def _texts(node: cst.BaseExpression, scope: Scope) -> Iterator[str]:
    for item in _literals(node, scope):
        text = string_value(item)
        if text is not None:
            yield from (part.strip() for part in text.split(","))
