"""Markers: what makes a class a pytree when it is applied to it, known ones and one's own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from flake8_jax.classes import limits
from flake8_jax.classes.arguments import positional, switched
from flake8_jax.classes.table import DATACLASS, class_arguments
from flake8_jax.classes.walks import inside
from flake8_jax.knowledge.listed import known_as, shown
from flake8_jax.knowledge.pytrees import MARKERS, Kind
from flake8_jax.lowering import program
from flake8_jax.lowering.program import (
    Attr,
    Call,
    Class,
    Closure,
    Expr,
    Function,
    Return,
    Var,
)
from flake8_jax.lowering.walk import flat
from flake8_jax.resolution.bindings import bindings
from flake8_jax.resolution.callee import Argument, all_in, arguments, callees
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.resolve import (
    Definition,
    Expression,
    Referent,
    definition,
    home,
    resolve,
)
from flake8_jax.resolution.scopes import END, Position, Scope, inner_scope


@dataclass(frozen=True, eq=False, slots=True)
class Registration:
    """What made a class a pytree."""

    kind: Kind
    marker: str
    """The dotted name of the base class or function of a library."""
    arguments: tuple[Argument, ...] = ()
    """What the marker was given: field names, flatten functions."""
    via_project_function: bool = False
    """Whether a function of the project's own calls the marker."""
    frozen: bool | None = None
    """Whether that function makes a frozen dataclass of the class; None if it makes none."""


def marking(
    scope: Scope, expr: Expr, position: Position = END, steps: int = limits.MARKER_STEPS
) -> Registration | None:
    """What applying an expression to a class makes of it: a known marker, or one of one's own.

    One's own may be a function, or what a function hands back; a lambda; or an object with a
    ``__call__``. Any of them may have been given a name.
    """
    given = arguments(expr, scope, position) if isinstance(expr, Call) else None
    callee = expr.callee if isinstance(expr, Call) else expr
    for referent in resolve(scope, callee, position) if steps else ():
        made = _own_marking(referent, given, steps - 1)
        if made is not None:
            return replace(made, via_project_function=True)
        if isinstance(referent, Definition):
            break
    found = callees(scope, expr, position)
    if all_in(found, MARKERS) and isinstance(found[0].target, External):
        name = found[0].target.dotted
        return Registration(MARKERS[known_as(name)], shown(name), found[0].arguments)
    return None


def _own_marking(
    referent: Referent, given: tuple[Argument, ...] | None, steps: int
) -> Registration | None:
    """What something of the project does as a marker; ``given`` is None where it is not called."""
    match referent:
        case Definition(made=Function() as own):
            made = marking_within(own, referent.inside, steps)
            if made is None and given is not None:
                made = _marking_handed_back(own, referent.inside, steps)
            return _with_arguments(made, own, referent.inside, given or ())
        case Expression(expr=Closure(function=own)):
            scope = inner_scope(own, referent.scope, referent.position)
            made = marking_within(own, scope, steps)
            return _with_arguments(made, own, scope, given or ())
        case Definition(made=Class()) if given is not None:
            call = _method(referent, "__call__")
            if call is not None and isinstance(call.made, Function):
                return marking_within(call.made, call.inside, steps)
        case Expression(expr=Call() as call_of) if given is None:
            return marking(referent.scope, call_of, referent.position, steps)
    return None


def _method(own: Definition, name: str) -> Definition | None:
    for item in reversed(bindings(own.inside, name)):
        if isinstance(item.source, program.Define):
            return definition(own.inside, item.source, item.position)
    return None


def marking_within(
    function: Function, scope: Scope, steps: int = limits.MARKER_STEPS
) -> Registration | None:
    """What a function makes of a class that it is given: the marker that it calls on a local name.

    The class may be a parameter of a function inside, as in a decorator that takes arguments, and
    may have passed through other calls before, as in ``register(dataclass(cls))``. ``scope`` is
    that of the function's body.
    """
    key = (marking_within, function, steps)
    return scope.module.once(key, lambda: _marking_within(function, scope, steps))


def _marking_within(function: Function, scope: Scope, steps: int) -> Registration | None:
    if not steps:
        return None
    for node, here, position in inside(function, scope):
        if not isinstance(node, Call) or not _is_given_local(class_arguments(node)[:1], here):
            continue
        made = marking(here, node.callee, END, steps)
        if made is not None:
            frozen = made.frozen if made.frozen is not None else _freezes(function, scope)
            passed = (*made.arguments, *arguments(node, here, position))
            return replace(made, arguments=passed, frozen=frozen)
    return None


def _is_given_local(given: Sequence[Expr], scope: Scope) -> bool:
    """Whether a call is given a variable of a function, perhaps through other calls."""
    for expr in given:
        is_called = isinstance(expr, Call)
        while isinstance(expr, Call) and class_arguments(expr):
            expr = class_arguments(expr)[0]
        if isinstance(expr, Var):
            found = home(expr, scope)
            return found is not None and isinstance(found.scope.made, Function)
        return is_called
    return False


def _marking_handed_back(function: Function, scope: Scope, steps: int) -> Registration | None:
    """The marker that a function hands back: ``return partial(struct.dataclass, **options)``."""
    for item in flat(function.body):
        if isinstance(item, Return) and isinstance(item.value, Attr | Call):
            made = marking(scope, item.value, END, steps)
            if made is not None:
                return made
    return None


def _freezes(function: Function, scope: Scope) -> bool | None:
    """Whether a marker makes frozen dataclasses; None where that is not written down."""
    found: set[bool | None] = set()
    for node, here, position in inside(function, scope):
        if isinstance(node, Call):
            used = callees(here, node, position)
            if len(used) == 1 and used[0].target == External(DATACLASS):
                found.add(switched(used[0].arguments, "frozen", default=False))
    return found.pop() if len(found) == 1 else None


def _with_arguments(
    made: Registration | None, function: Function, scope: Scope, given: tuple[Argument, ...]
) -> Registration | None:
    """The same, with what one's own marker was given, or its defaults, for its parameters."""
    if made is None:
        return None
    return replace(made, arguments=tuple(_passed(made.arguments, function, scope, given)))


def _passed(
    had: Sequence[Argument], function: Function, scope: Scope, given: Sequence[Argument]
) -> Iterator[Argument]:
    kinds = program.Kind
    plain = [item for item in function.parameters if item.kind in (kinds.POSITIONAL, kinds.NORMAL)]
    names = [item.name for item in plain]
    values: dict[str, Expression] = {}
    if not any(item.stars for item in given):
        outer = scope.outer or scope
        for item in function.parameters:
            if item.default is not None:
                values[item.name] = Expression(outer, item.default, scope.position)
        values |= dict(zip(names, positional(given), strict=False))
        values |= {item.keyword: item.value for item in given if item.keyword is not None}
    taken = {*names, *(item.name for item in function.parameters if item.kind is kinds.KEYWORD)}
    spread = [item for item in given if item.stars == 2]
    spread += [item for item in given if item.keyword is not None and item.keyword not in taken]
    rest = next((item.name for item in function.parameters if item.kind is kinds.STARS), None)
    for argument in had:
        expr = argument.value.expr
        var = home(expr, argument.value.scope) if isinstance(expr, Var) else None
        if var is None or var.scope is not scope:
            yield argument
        elif argument.stars == 2 and var.name == rest:
            yield from spread
        else:
            yield argument._replace(value=values.get(var.name, argument.value))
