"""Traces: which parameters of a callable arrive as they are, and which are rebuilt."""

from collections.abc import Iterator

import libcst as cst

from flake8_jax.flow.values import FunctionRef, Place, Root, Trace, Value, changed
from flake8_jax.knowledge.caches import FUNCTION_CACHES
from flake8_jax.knowledge.transforms import Transform, transform_named
from flake8_jax.names import applied, refer
from flake8_jax.scopes import Scope, Valued
from flake8_jax.syntax import Function, integer_value, is_name, keyword, positional, string_value

_EACH = "[*]"
"""Stands for each of the arguments that a parameter gathers."""
_MOST_GATHERED = 16
"""How many arguments that a function gathers are told apart by their position."""


def names_of(function: Function) -> tuple[str, ...]:
    """The names of a function's positional parameters."""
    params = function.params
    return tuple(item.name.value for item in (*params.posonly_params, *params.params))


def defaults_of(function: Function) -> frozenset[str]:
    """The names of a function's parameters that need not be given."""
    params = function.params
    items = (*params.posonly_params, *params.params, *params.kwonly_params)
    return frozenset(item.name.value for item in items if item.default is not None)


def gathered(function: Function) -> tuple[str | None, str | None]:
    """The names of the parameters with one star and with two."""
    star, stars = function.params.star_arg, function.params.star_kwarg
    many = star.name.value if isinstance(star, cst.Param) else None
    return many, stars.name.value if stars is not None else None


def name_at(function: Function, index: int) -> str | None:
    """What stands for an argument by its position: a parameter, or ``args[0]``."""
    names = names_of(function)
    if index < len(names):
        return names[index]
    many, _ = gathered(function)
    return f"{many}[{index - len(names)}]" if many is not None else None


def name_of(function: Function, keyword: str) -> str:
    """What stands for an argument by its name: a parameter, or ``options['name']``."""
    params = function.params
    own = {item.name.value for item in (*params.params, *params.kwonly_params)}
    _, named = gathered(function)
    return keyword if keyword in own or named is None else f"{named}[{keyword!r}]"


def bound_of(ref: FunctionRef) -> dict[str, Value]:
    """What a partial, or a bound method, has been given by the code around it."""
    placed = ((name_at(ref.node, index), value) for index, value in enumerate(ref.bound))
    found = {name: value for name, value in placed if name is not None}
    return {**found, **{name_of(ref.node, name): item for name, item in ref.keywords.items()}}


def arrives_as_it_is(trace: Trace, place: Place) -> bool:
    """Whether a transform hands over the object at a place of a parameter, or one that it copied.

    Of the arguments that a parameter with a star gathers, each is told apart.
    """
    name = place.root.name
    if place.path and name in gathered(trace.function.node):
        return is_same(trace, f"{name}{place.path[0]}")
    return name in trace.same


def is_same(trace: Trace, name: str) -> bool:
    """Whether a parameter, or one of the arguments that it gathers, arrives as it is."""
    return name in trace.same or f"{Root(None, name).whole}{_EACH}" in trace.same


def traced(
    transform: Transform, ref: FunctionRef, scope: Scope, arguments: tuple[cst.Arg, ...]
) -> Trace:
    """The trace of a callable that is handed to a transform with certain arguments."""
    names = names_of(ref.node)
    keyword_only = {item.name.value for item in ref.node.params.kwonly_params}
    bound = names[: len(ref.bound)]
    same = set(bound_of(ref))
    _, options = gathered(ref.node)
    if options is not None and any(name.startswith(f"{options}[") for name in same):
        same.add(options)  # keywords are seldom given to what a transform made
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
        same |= {options, f"{options}{_EACH}"} if options is not None else set()
        behind = range(len(free), len(free) + _MOST_GATHERED) if chosen else ()
        gathers = (name_at(ref.node, len(ref.bound) + i) for i in behind if i not in chosen)
        same |= {name for name in gathers if name is not None}
    if transform.closes_over:
        same |= {*names, *keyword_only}
    for option in transform.statics:
        node = keyword(arguments, option)
        if node is not None:
            numbers = set(_numbers(node, scope))
            same |= {free[index] for index in numbers if -len(free) <= index < len(free)}
            further = (name_at(ref.node, len(ref.bound) + i) for i in numbers if i >= len(free))
            same |= {name for name in further if name is not None}
            same |= {name_of(ref.node, name) for name in _texts(node, scope)}
    unmapped = _unmapped(transform, free, scope, arguments)
    copies_self = False
    if ref.trace is not None:
        inner = ref.trace
        copies_self = ref.is_method and inner.same.isdisjoint(bound[:1])
        unmapped &= inner.unmapped
        transform = changed(
            transform,
            staged=transform.staged or inner.transform.staged,
            is_jit=transform.is_jit and inner.transform.is_jit,
        )
        same &= inner.same
    refuses = transform.refuses and _are_known(transform, scope, arguments)
    aux = keyword(arguments, "has_aux") is not None or any(item.star for item in arguments)
    bare = changed(ref, trace=None)
    return Trace(
        transform,
        bare,
        frozenset(same),
        unmapped=unmapped,
        refuses=refuses,
        has_aux=aux,
        copies_self=copies_self,
    )


def static_positions(arguments: tuple[cst.Arg, ...], option: str, scope: Scope) -> list[int]:
    """The positions that an option such as ``nondiff_argnums`` names."""
    node = keyword(arguments, option)
    return sorted(_numbers(node, scope)) if node is not None else []


def _are_known(transform: Transform, scope: Scope, arguments: tuple[cst.Arg, ...]) -> bool:
    """Whether it is plain to see which parameters arrive as they are."""
    if any(argument.star for argument in arguments) or keyword(arguments, "in_axes") is not None:
        return False
    if transform.name == "jax.vmap" and len(positional(arguments)) > 1:
        return False
    named = (
        keyword(arguments, name) for name in (*transform.statics, transform.differentiated or "")
    )
    literals = (item for node in named if node is not None for item in _literals(node, scope))
    return all(
        isinstance(item, cst.Integer | cst.UnaryOperation) or string_value(item) is not None
        for item in literals
    )


def _unmapped(
    transform: Transform, free: list[str], scope: Scope, arguments: tuple[cst.Arg, ...]
) -> frozenset[str]:
    """The parameters whose arrays arrive as they are: those that ``in_axes`` says None of."""
    if transform.axes is None:
        return frozenset()
    further = positional(arguments)[1:2]
    node = keyword(arguments, transform.axes) or (further[0] if further else None)
    axes = list(_literals(node, scope)) if node is not None else []
    return frozenset(name for name, axis in zip(free, axes, strict=False) if is_name(axis, "None"))


def decorated(ref: FunctionRef) -> FunctionRef:
    """A function with the trace that its decorators start when it is called."""
    if not isinstance(ref.node, cst.FunctionDef):
        return ref
    for decorator in reversed(ref.node.decorators):
        used = applied(decorator.decorator, ref.scope)
        if used.all_in(FUNCTION_CACHES):
            ref = changed(ref, cached=True)
        transforms = [transform_named(name) for name in used.names]
        if transforms and transforms[0] is not None and all(transforms):
            if transforms[0].traces:
                trace = traced(transforms[0], ref, ref.scope, used.arguments)
                direct = applied(decorator.decorator, ref.scope, steps=1).names == used.names
                ref = changed(ref, trace=changed(trace, refuses=trace.refuses and direct))
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
        sign = 1
        if isinstance(item, cst.UnaryOperation) and isinstance(item.operator, cst.Minus):
            sign, item = -1, item.expression
        number = integer_value(item)
        if number is not None:
            yield sign * number


def _texts(node: cst.BaseExpression, scope: Scope) -> Iterator[str]:
    for item in _literals(node, scope):
        text = string_value(item)
        if text is not None:
            yield from (part.strip() for part in text.split(","))
