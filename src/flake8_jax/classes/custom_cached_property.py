"""A project's own cached properties, told by their source: they keep a result on the instance.

That is a descriptor class whose ``__get__`` stores what its function gave, or a function that makes
a property which does. One that asks whether a value is a Tracer is none: it may well refuse it.
"""

from collections.abc import Iterator
from enum import Enum

from flake8_jax.classes import limits
from flake8_jax.classes.table import class_info
from flake8_jax.classes.walks import inside, is_var, last_name
from flake8_jax.lowering.program import (
    Attr,
    Bind,
    Body,
    Call,
    Class,
    Define,
    Expr,
    Function,
    Item,
    Store,
    Var,
)
from flake8_jax.lowering.stores import Form, by_function, by_method, dictionary_owner, written
from flake8_jax.lowering.walk import flat, walk
from flake8_jax.resolution.bindings import bindings
from flake8_jax.resolution.resolve import Definition, Expression, definition, resolve
from flake8_jax.resolution.scopes import Position, Scope

_TRACER_TESTS = frozenset({"is_concrete", "trace_state_clean"})
_READERS = frozenset({"hasattr", "getattr", "vars", "id", "type"})


class Keeping(Enum):
    """What a function or class of the project does with the result of a method it decorates."""

    KEEPS = "keeps it on the instance"
    ASKS = "asks whether it is a Tracer"
    UNKNOWN = "something else"


def decorated_by(scope: Scope, decorator: Expr, position: Position) -> Keeping:
    """What a decorator that may be the project's own does."""
    for referent in resolve(scope, decorator, position):
        match referent:
            case Definition():
                return keeping(referent)
            case Expression(expr=Call(callee=callee)):
                return decorated_by(referent.scope, callee, referent.position)
    return Keeping.UNKNOWN


def keeping(own: Definition) -> Keeping:
    """What a function or class does, used as a decorator of a method."""
    return own.module.once((keeping, own.made), lambda: _keeping(own))


def _keeping(own: Definition) -> Keeping:
    if isinstance(own.made, Class):
        return _descriptor(own)
    if not _makes_property(own.made) or not any(
        _keeps(inner, name)
        for inner in _functions_in(own.made.body)
        for name in _parameters(inner)[:1]
    ):
        return Keeping.UNKNOWN
    return Keeping.ASKS if asks_about_tracers(own.made, own.inside) else Keeping.KEEPS


def _descriptor(own: Definition) -> Keeping:
    info = class_info(own)
    get = info.method("__get__") if info is not None else None
    if get is None or not isinstance(get.made, Function):
        return Keeping.UNKNOWN
    if asks_about_tracers(get.made, get.inside):
        return Keeping.ASKS
    names = _parameters(get.made)
    return Keeping.KEEPS if len(names) > 1 and _keeps(get.made, names[1]) else Keeping.UNKNOWN


def asks_about_tracers(
    function: Function, scope: Scope, steps: int = limits.QUESTION_STEPS
) -> bool:
    """Whether a function asks if something is a Tracer, or what it calls or reads of self does.

    ``scope`` is that of its body.
    """
    key = (asks_about_tracers, function, steps)
    return scope.module.once(key, lambda: _asks(function, scope, steps))


def _asks(function: Function, scope: Scope, steps: int) -> bool:
    if any(_is_question(node) for node in walk(function.body)):
        return True
    return steps > 0 and any(
        asks_about_tracers(item.made, item.inside, steps - 1)
        for node, here, _ in inside(function, scope)
        for item in _used(node, here, scope.outer)
        if isinstance(item.made, Function) and item.made is not function
    )


def _is_question(node: object) -> bool:
    if isinstance(node, Var | Attr) and node.name == "Tracer":
        return True
    name = last_name(node.callee) or "" if isinstance(node, Call) else ""
    return name in _TRACER_TESTS or "tracer" in name.lower()


def _used(node: object, scope: Scope, outer: Scope | None) -> Iterator[Definition]:
    """The functions of the project that a call runs, or the reading of a member of self."""
    if isinstance(node, Attr) and isinstance(node.base, Var) and outer is not None:
        if isinstance(outer.made, Class):
            for item in bindings(outer, node.name):
                if isinstance(item.source, Define):
                    yield definition(outer, item.source, item.position)
    if isinstance(node, Call):
        yield from (item for item in resolve(scope, node.callee) if isinstance(item, Definition))


def _functions_in(body: Body) -> Iterator[Function]:
    for item in flat(body):
        if isinstance(item, Define) and isinstance(item.made, Function):
            yield item.made


def _parameters(function: Function) -> list[str]:
    return [item.name for item in function.parameters]


def _makes_property(function: Function) -> bool:
    """Whether a function calls ``property``, or decorates a function inside with it."""
    return any(
        (isinstance(node, Call) and is_var(node.callee, "property"))
        or (isinstance(node, Define) and any(is_var(it, "property") for it in node.decorators))
        for node in walk(function.body)
    )


def _keeps(function: Function, instance: str) -> bool:
    """Whether a function stores, on a parameter, what it computes from it."""
    computed = frozenset(_computed(function, instance))
    owners = {instance, *_dictionaries(function, instance)}
    return any(
        _is_computed(value, instance, computed)
        for node in walk(function.body)
        for value in _stored(node, owners)
    )


def _stored(node: object, owners: set[str]) -> Iterator[Expr]:
    """What a statement or call stores on one of some variables."""
    if isinstance(node, Store):
        if any(not isinstance(item, Var) and _root(item) in owners for item in node.targets):
            yield node.value
    elif isinstance(node, Call):
        for found in _ways(node):
            if _root(found[0]) in owners:
                yield from found[1]


def _ways(call: Call) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    """The object that a call may write, and what it stores there."""
    name = last_name(call.callee) or ""
    function = by_function(f"builtins.{name}", call)
    if function is None and name == "__setattr__" and len(call.args) > 2:
        function = by_function("builtins.object.__setattr__", call)
    ways = [function]
    if isinstance(call.callee, Attr) and (function is None or function.form is not Form.ATTRIBUTE):
        ways.append(by_method(name))
    for way in ways:
        found = written(call, way) if way is not None else None
        if found is not None:
            yield found.target, found.values


def _root(node: object) -> str | None:
    """The variable at the root of an attribute or element; of ``vars(x)``, x."""
    while True:
        match node:
            case Attr(base=inner) | Item(base=inner):
                node = inner
            case Call():
                node = dictionary_owner(node)
            case Var(name=name):
                return name
            case _:
                return None


def _dictionaries(function: Function, instance: str) -> Iterator[str]:
    """The local names of ``instance.__dict__``, ``vars(instance)`` and the like."""
    for node in walk(function.body):
        match node:
            case Store(targets=(Var(name=name),), value=value) if not isinstance(value, Var):
                if _root(value) == instance:
                    yield name


def _computed(function: Function, instance: str) -> Iterator[str]:
    """The local names of results that are computed from the instance."""
    for node in walk(function.body):
        match node:
            case Store(targets=targets, value=value):
                if _is_computed(value, instance, frozenset()):
                    yield from (item.name for item in targets if isinstance(item, Var))
            case Bind(target=target, value=value):
                if _is_computed(value, instance, frozenset()):
                    yield target.name


def _is_computed(node: Expr, instance: str, computed: frozenset[str]) -> bool:
    """Whether a value is the result of a call that is given the instance."""
    if isinstance(node, Bind):
        return _is_computed(node.value, instance, computed)
    if isinstance(node, Var):
        return node.name in computed
    if not isinstance(node, Call) or last_name(node.callee) in _READERS:
        return False
    given = (*node.args, *(value for _, value in node.keywords))
    return any(is_var(argument, instance) for argument in given)
