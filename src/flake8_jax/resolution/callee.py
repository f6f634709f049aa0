"""Which callable an expression stands for, and the arguments that it has been given already.

Seen through are partials and factories (``jax.jit(static_argnums=0)``), functions of the project's
own that apply something to their argument (``def fast(f): return jax.jit(f)``), and classes of its
own that inherit from a decorator.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, TypeAlias

from flake8_jax.knowledge.listed import known_as
from flake8_jax.lowering.program import (
    Attr,
    Call,
    Class,
    Closure,
    Const,
    Expr,
    Function,
    Home,
    Kind,
    Return,
    Spread,
    Var,
)
from flake8_jax.lowering.walk import flat, walk
from flake8_jax.resolution import limits
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.resolve import Definition, Expression, Referent, home, resolve
from flake8_jax.resolution.scopes import END, Position, Scope, inner_scope

_PARTIAL = External("functools.partial")
_OBJECT = External("builtins.object")
_WRAPS = "wraps"


class Argument(NamedTuple):
    """An argument, and where its names are looked up."""

    value: Expression
    keyword: str | None = None
    stars: int = 0
    """Whether it is written ``*value`` or ``**value``."""


@dataclass(frozen=True, eq=False, slots=True)
class Callee:
    """A callable, and the arguments that it has been given."""

    target: External | Definition
    """Something of a library, or what of the project's own is not seen through."""
    arguments: tuple[Argument, ...] = ()
    via: tuple[Definition, ...] = ()
    """The functions and classes of the project's own that lead there, from the outside in."""


def callees(scope: Scope, expr: Expr, position: Position = END) -> tuple[Callee, ...]:
    """What an expression stands for: several where branches differ, none where one is unknown."""
    return tuple(_closed(item) for item in _callees(scope, expr, position, limits.WRAPPERS))


def all_in(found: Iterable[Callee], table: Container[str]) -> bool:
    """Whether a table knows each of some callables, and there is one."""
    names = [item.target.dotted if isinstance(item.target, External) else None for item in found]
    return bool(names) and all(name is not None and known_as(name) in table for name in names)


@dataclass(frozen=True, eq=False, slots=True)
class _Open:
    """A callable whose arguments may be parameters of a wrapper that has not been called yet."""

    callee: Callee
    wrapper: "_Wrapper | None" = None


@dataclass(frozen=True, eq=False, slots=True)
class _Wrapper:
    """A function of the project's own, or a lambda."""

    function: Function
    inside: Scope
    takes: bool = True
    """Whether it takes the function to be wrapped itself, and not only its options."""


_Found: TypeAlias = tuple[_Open, ...]
_NOTHING: _Found = ()


def _callees(scope: Scope, expr: Expr, position: Position, steps: int) -> _Found:
    found: list[_Open] = []
    referents = resolve(scope, expr, position)
    if len(referents) > 1:  # a constant cannot be called: it says that there is nothing to call
        referents = tuple(item for item in referents if not _is_constant(item))
    for referent in referents:
        here = _callee(referent, steps)
        found += here
        if not here or len(found) > limits.ALTERNATIVES:
            return _NOTHING
    return tuple(found)


def _is_constant(referent: Referent) -> bool:
    return isinstance(referent, Expression) and isinstance(referent.expr, Const)


def _callee(referent: Referent, steps: int) -> _Found:
    match referent:
        case External():
            return (_Open(Callee(referent)),)
        case Definition():
            seen = _seen_through(referent, steps - 1) if steps else _NOTHING
            return seen or (_Open(Callee(referent)),)
        case Expression(expr=Call() as call) if steps:
            return _called(call, referent, steps - 1)
        case Expression(expr=Closure(function=function)) if steps:
            inside = inner_scope(function, referent.scope, referent.position)
            return _wrapping(_Wrapper(function, inside), steps - 1)
    return _NOTHING


def _called(call: Call, where: Expression, steps: int) -> _Found:
    """What the result of a call stands for: of a library's factory and partial, what they apply."""
    found = _callees(where.scope, call.callee, where.position, steps)
    given = arguments(call, where.scope, where.position)
    if len(found) == 1 and found[0].callee.target == _PARTIAL and _positional(call):
        found = _callees(where.scope, call.args[0], where.position, steps)
        return tuple(_given(item, given[1:]) for item in found)
    if any(isinstance(item.callee.target, Definition) for item in found):
        return _NOTHING
    return tuple(_given(item, given) for item in found)


def _seen_through(own: Definition, steps: int) -> _Found:
    """What a function or class of the project's own does as a decorator."""
    found = own.module.once((_seen_through, own.made, steps), lambda: _seen(own, steps))
    return tuple(
        replace(item, callee=replace(item.callee, via=(own, *item.callee.via))) for item in found
    )


def _seen(own: Definition, steps: int) -> _Found:
    made = own.made
    if isinstance(made, Class):
        if len(made.bases) != 1:
            return _NOTHING
        found = _callees(own.scope, made.bases[0], own.position, steps)
        own_or_none = any(_ends_here(item.callee.target) for item in found)
        return _NOTHING if own_or_none else found
    if not all(_is_wraps(item) for item in own.statement.decorators):
        return _NOTHING
    return _wrapping(_Wrapper(made, own.inside), steps)


def _ends_here(target: External | Definition) -> bool:
    """Whether there is nothing of a library behind a base class."""
    return isinstance(target, Definition) or target == _OBJECT


def _wrapping(wrapper: _Wrapper, steps: int) -> _Found:
    """What a function applies to its argument: ``def f(g): return jax.jit(g)``.

    It may hand back a function that calls the result, a function inside that takes the argument
    (``@f(option)``), or either of them. All that it hands back has to agree.
    """
    returned = [item.value for item in flat(wrapper.function.body) if isinstance(item, Return)]
    found = [_handed_back(item, wrapper, steps) for item in returned if item is not None]
    some = [item for item in found if item]
    if not some or any(_targets(item) != _targets(some[0]) for item in some):
        return _NOTHING
    return some[0]


def _targets(found: _Found) -> list[External | Definition]:
    return [item.callee.target for item in found]


def _handed_back(expr: Expr, wrapper: _Wrapper, steps: int) -> _Found:
    if not steps:
        return _NOTHING
    if isinstance(expr, Call):
        return _applied(Expression(wrapper.inside, expr), wrapper, steps)
    if not isinstance(expr, Var):
        return _NOTHING
    for item in resolve(wrapper.inside, expr):
        match item:
            case Expression(expr=Call()) if item.scope is wrapper.inside:
                return _applied(item, wrapper, steps)
            case Definition(made=Function() as inner) if item.scope is wrapper.inside:
                key = (_inner, inner, wrapper.function, steps)
                known = partial(_inner, item, inner, wrapper, steps - 1)
                return item.module.once(key, known)
    return _NOTHING


def _inner(own: Definition, inner: Function, wrapper: _Wrapper, steps: int) -> _Found:
    """What a function inside does, which a wrapper hands back: with its argument, or for it."""
    decorators = [item for item in own.statement.decorators if not _is_wraps(item)]
    if decorators:
        if not _mentions(inner, wrapper):
            return _NOTHING
        found = _callees(own.scope, decorators[0], END, steps)
        if any(isinstance(item.callee.target, Definition) for item in found):
            return _NOTHING
        return tuple(_Open(_closed(item), wrapper) for item in found)
    found = _wrapping(_Wrapper(inner, own.inside), steps)
    if found:  # it takes the function, and the wrapper around it the options
        return tuple(_Open(item.callee, replace(wrapper, takes=False)) for item in found)
    for call in walk(inner.body):
        if isinstance(call, Call):
            for item in resolve(own.inside, call.callee):
                if isinstance(item, Expression) and isinstance(item.expr, Call):
                    found = _applied(item, wrapper, steps)
                    if found:
                        return found
    return _NOTHING


def _applied(where: Expression, wrapper: _Wrapper, steps: int) -> _Found:
    """What a call applies to the argument of a wrapper, or to a function inside that calls it."""
    call = where.expr
    if not isinstance(call, Call) or not steps or not _positional(call):
        return _NOTHING
    first, scope = call.args[0], where.scope
    if isinstance(first, Call):
        inner = _applied(Expression(scope, first), wrapper, steps - 1)
        if not inner or _is_wraps(call.callee):
            return inner
        return _applying(call, scope, wrapper, steps) or inner
    if isinstance(first, Var):
        if _is_parameter(first, scope, wrapper) or _calls_parameter(first, scope, wrapper):
            return _applying(call, scope, wrapper, steps)
    return _NOTHING


def _applying(call: Call, scope: Scope, wrapper: _Wrapper, steps: int) -> _Found:
    """The library's callable that is applied, with the arguments after the first."""
    found = _callees(scope, call.callee, END, steps - 1)
    if any(isinstance(item.callee.target, Definition) for item in found):
        return _NOTHING
    given = arguments(call, scope, END)
    return tuple(
        _Open(replace(item.callee, arguments=_passed(item, given, given[1:])), wrapper)
        for item in found
    )


def _is_parameter(var: Var, scope: Scope, wrapper: _Wrapper) -> bool:
    """Whether a variable is the first parameter of a wrapper."""
    name = _first(wrapper.function)
    found = home(var, scope)
    return found is not None and found.scope is wrapper.inside and found.name == name


def _calls_parameter(var: Var, scope: Scope, wrapper: _Wrapper) -> bool:
    """Whether a variable is a function inside a wrapper that uses what the wrapper was given."""
    return any(
        isinstance(item, Definition)
        and item.scope is wrapper.inside
        and isinstance(item.made, Function)
        and _mentions(item.made, wrapper)
        for item in resolve(scope, var)
    )


def _mentions(inner: Function, wrapper: _Wrapper) -> bool:
    name = _first(wrapper.function)
    return any(
        isinstance(item, Var) and item.home is Home.CELL and item.name == name
        for item in walk(inner.body)
    )


def _first(function: Function) -> str | None:
    for item in function.parameters[:1]:
        if item.kind in (Kind.POSITIONAL, Kind.NORMAL):
            return item.name
    return None


def _positional(call: Call) -> bool:
    """Whether a call has a plain first argument."""
    return bool(call.args) and not isinstance(call.args[0], Spread)


def _is_wraps(expr: Expr) -> bool:
    """Whether something is ``functools.wraps(f)``, or a ``wraps`` of somebody's own."""
    if not isinstance(expr, Call):
        return False
    return isinstance(expr.callee, Var | Attr) and expr.callee.name == _WRAPS


def arguments(call: Call, scope: Scope, position: Position) -> tuple[Argument, ...]:
    """The arguments of a call that stands somewhere."""
    found: list[Argument] = []
    for item in call.args:
        if isinstance(item, Spread):
            found.append(Argument(Expression(scope, item.value, position), stars=1))
        else:
            found.append(Argument(Expression(scope, item, position)))
    for name, value in call.keywords:
        stars = 0 if name is not None else 2
        found.append(Argument(Expression(scope, value, position), name, stars))
    return tuple(found)


def _given(item: _Open, given: tuple[Argument, ...]) -> _Open:
    """A callable that has been given more arguments, or options for the wrapper that makes it."""
    wrapper = item.wrapper
    function = [arg for arg in given if wrapper is not None and _takes(wrapper, arg, given)]
    passed = _passed(item, given, given)
    return _Open(replace(item.callee, arguments=(*function, *passed)))


def _takes(wrapper: _Wrapper, argument: Argument, given: Sequence[Argument]) -> bool:
    """Whether an argument is the function that a wrapper applies something to."""
    if not wrapper.takes or argument.stars:
        return False
    if argument.keyword is not None:
        return argument.keyword == _first(wrapper.function)
    return argument is given[0]


def _closed(item: _Open) -> Callee:
    """A callable with the defaults of a wrapper that is not called, but used as a decorator."""
    return replace(item.callee, arguments=_passed(item, (), ()))


def _passed(
    item: _Open, given: tuple[Argument, ...], unwrapped: tuple[Argument, ...]
) -> tuple[Argument, ...]:
    """The arguments that reach a callable when the wrapper that makes it is given some.

    Where there is no wrapper, those that are left are its own.
    """
    had = item.callee.arguments
    if item.wrapper is None:
        return (*had, *unwrapped)
    if any(argument.stars for argument in given):
        return had
    return tuple(_instantiated(had, item.wrapper, given))


def _instantiated(
    had: Iterable[Argument], wrapper: _Wrapper, given: Sequence[Argument]
) -> Iterator[Argument]:
    """Arguments with the parameters of a wrapper replaced by what it is given."""
    parameters = wrapper.function.parameters
    inside = wrapper.inside
    outer = inside.outer
    names = [item.name for item in parameters if item.kind in (Kind.POSITIONAL, Kind.NORMAL)]
    taken = {*names, *(item.name for item in parameters if item.kind is Kind.KEYWORD)}
    values = {
        item.name: Expression(outer, item.default, inside.position)
        for item in parameters
        if item.default is not None and outer is not None
    }
    plain = [argument.value for argument in given if argument.keyword is None]
    values |= dict(zip(names, plain, strict=False))
    values |= {item.keyword: item.value for item in given if item.keyword is not None}
    others = [item for item in given if item.keyword is not None and item.keyword not in taken]
    rest = next((item.name for item in parameters if item.kind is Kind.STARS), None)
    for argument in had:
        expr = argument.value.expr
        var = home(expr, argument.value.scope) if isinstance(expr, Var) else None
        if var is None or var.scope is not inside:
            yield argument
        elif var.name == rest and argument.stars == 2:
            yield from others
        else:
            yield argument._replace(value=values.get(var.name, argument.value))
