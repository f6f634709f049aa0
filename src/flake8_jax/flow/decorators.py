"""What a project's own decorators make of a function: whether it still runs, with what."""

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from flake8_jax.names import refer
from flake8_jax.scopes import Defined, Imported, Referent, Scope, Valued, inner_scope
from flake8_jax.syntax import first_parameter, is_name, statements, walk, walk_scope

_CONSTANTS = frozenset({"builtins.True", "builtins.False", "builtins.None"})


class _Wrapper(NamedTuple):
    """A function that a decorator puts in place of another one."""

    node: cst.FunctionDef
    scope: Scope
    called: str
    """What it calls the other one: a variable, or an attribute of its first parameter."""
    is_method: bool = False

    def calls(self) -> Iterator[cst.Call]:
        """The calls of the other function."""
        for node in walk(self.node.body):
            if isinstance(node, cst.Call) and self.names(node.func):
                yield node

    def names(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is the other function."""
        if not self.is_method:
            return is_name(node, self.called)
        own = first_parameter(self.node)
        return (
            isinstance(node, cst.Attribute)
            and own is not None
            and is_name(node.value, own)
            and node.attr.value == self.called
        )


def hands_on(decorator: cst.BaseExpression, scope: Scope) -> bool:
    """Whether a decorator calls the function with the very arguments that its wrapper takes."""
    found = list(_wrappers(decorator, scope))
    return bool(found) and all(map(_hands_on, found))


def _hands_on(wrapper: _Wrapper) -> bool:
    params, calls = wrapper.node.params, list(wrapper.calls())
    if wrapper.is_method or params.params or params.posonly_params or params.kwonly_params:
        return False
    if not isinstance(params.star_arg, cst.Param) or params.star_kwarg is None or not calls:
        return False
    taken = [("*", params.star_arg.name.value), ("**", params.star_kwarg.name.value)]
    stored = {
        target.target.value
        for target in walk(wrapper.node.body)
        if isinstance(target, cst.AssignTarget) and isinstance(target.target, cst.Name)
    }
    return stored.isdisjoint(name for _, name in taken) and all(
        [(item.star, item.value.value) for item in call.args if isinstance(item.value, cst.Name)]
        == taken
        and len(call.args) == len(taken)
        for call in calls
    )


def is_switched(function: cst.FunctionDef, scope: Scope) -> bool:
    """Whether a decorator calls a function only while a switch of its module is on."""
    for item in function.decorators:
        found = list(_wrappers(item.decorator, scope))
        if found and all(map(_calls_by_a_switch, found)):
            return True
    return False


def _calls_by_a_switch(wrapper: _Wrapper) -> bool:
    calls: set[cst.CSTNode] = {*wrapper.calls()}
    return bool(calls) and not _reached(wrapper, list(statements(wrapper.node.body)), calls)


def _reached(wrapper: _Wrapper, body: list[cst.CSTNode], calls: set[cst.CSTNode]) -> bool:
    """Whether some call does not stand behind a switch."""
    for statement in body:
        if isinstance(statement, cst.If) and _is_switch(statement.test, wrapper.scope):
            inner, other = statement.body, statement.orelse
            branches = [list(statements(inner))]
            if isinstance(other, cst.Else):
                branches.append(list(statements(other.body)))
            ways = ([part for item in way for part in walk(item)] for way in branches)
            reached = [not calls.isdisjoint(way) for way in ways]
            if len(reached) == 2 and all(reached):
                return True
            if any(isinstance(way[-1], cst.Return | cst.Raise) for way in branches if way):
                return False  # what follows runs by the switch as well
            continue
        if any(part in calls for part in walk(statement)):
            return True
    return False


def _is_switch(test: cst.BaseExpression, scope: Scope) -> bool:
    """Whether a condition asks for nothing but variables of the module that may be off."""
    values = [item for node in _bases(test) for item in refer(node, scope)]
    on = [isinstance(item, Imported) and item.dotted == "builtins.True" for item in values]
    return all(_is_of_the_module(item, scope) for item in values) and not all(on)


def _is_of_the_module(value: Referent, scope: Scope) -> bool:
    """Whether a value is that of a variable of the module, or a constant that one has."""
    match value:
        case Valued(scope=home):
            return home is scope.top
        case Imported(dotted=dotted):
            return dotted in _CONSTANTS
    return False


def _bases(test: cst.BaseExpression) -> Iterator[cst.Name]:
    """The variables of an expression, without the names of attributes."""
    attributes = {node.attr for node in walk(test) if isinstance(node, cst.Attribute)}
    for node in walk(test):
        if isinstance(node, cst.Name) and node not in attributes:
            yield node


def _wrappers(decorator: cst.BaseExpression, scope: Scope) -> Iterator[_Wrapper]:
    """What a decorator of the project puts in place of a function."""
    for item in refer(decorator, scope):
        if not isinstance(item, Defined):
            continue
        if isinstance(item.node, cst.FunctionDef):
            yield from _of_a_function(item.node, inner_scope(item.node, item.scope, 0))
        else:
            yield from _of_a_class(item.node, item.scope)


def _of_a_function(maker: cst.FunctionDef, scope: Scope) -> Iterator[_Wrapper]:
    called = first_parameter(maker)
    if called is None or len(maker.params.params) != 1:
        return
    given = [item.value for item in walk_scope(maker.body) if isinstance(item, cst.Return)]
    for inner in walk_scope(maker.body):
        if isinstance(inner, cst.FunctionDef):
            if any(is_name(item, inner.name.value) for item in given):
                yield _Wrapper(inner, inner_scope(inner, scope, 0), called)


def _of_a_class(maker: cst.ClassDef, scope: Scope) -> Iterator[_Wrapper]:
    inside = statements(maker.body)
    methods = {item.name.value: item for item in inside if isinstance(item, cst.FunctionDef)}
    init, call = methods.get("__init__"), methods.get("__call__")
    names = [item.name.value for item in init.params.params] if init is not None else []
    if init is None or call is None or len(names) != 2:
        return
    for node in walk_scope(init.body):
        match node:
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Attribute(attr=cst.Name(value=called)))],
                value=cst.Name(value=given),
            ) if given == names[1]:
                yield _Wrapper(call, inner_scope(call, scope, 0), called, is_method=True)
