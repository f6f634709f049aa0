"""Which functions may set attributes of frozen objects, or throw updates away.

The survey names those that may by their words; most of them set attributes of what is no pytree at
all, which can be told without following them.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property

import libcst as cst

from flake8_jax.flow.analysis import Flow, parameters
from flake8_jax.flow.discards import thrown_away
from flake8_jax.flow.spelling import Spelled, home_of
from flake8_jax.flow.types import annotated, field_type
from flake8_jax.flow.values import FunctionRef, Type, Value
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import (
    ARRAY_UPDATES,
    CONSTRUCTION,
    UPDATE_FUNCTIONS,
    UPDATE_METHODS,
)
from flake8_jax.knowledge.pytrees import Kind
from flake8_jax.model import ModelClass
from flake8_jax.names import refer
from flake8_jax.scopes import (
    Imported,
    ModuleScope,
)
from flake8_jax.survey import Unit
from flake8_jax.syntax import (
    is_name,
    last_part,
    positional,
    string_value,
)
from flake8_jax.tree import is_frozen

_SETTERS = ("setattr", "delattr")
_BINDING = {
    cst.AssignTarget: "target",
    cst.AnnAssign: "target",
    cst.AugAssign: "target",
    cst.Del: "target",
    cst.For: "target",
    cst.AsName: "name",
}
"""What binds, sets or deletes something, and where it says what."""


def changing(flow: Flow, refs: Iterable[FunctionRef]) -> Iterator[FunctionRef]:
    """Those of some functions that may set frozen attributes, or throw updates away."""
    for ref in refs:
        if ref.is_set_apart and _Changer(flow, ref).changes():
            yield ref


class _Changer(Spelled):
    """A function that may change what it must not."""

    def changes(self) -> bool:
        """Whether an attribute may be set here that is frozen, or an update be thrown away."""
        for node in self.nodes:
            if type(node) is cst.Expr and any(map(self._discards, thrown_away(node.value))):
                return True
            if type(node) is cst.Name and node.value in self._changers:
                return True  # it may be given something that is frozen, by whoever calls it
            if type(node) is cst.Name and node.value in _SETTERS and node not in self._callees:
                return True  # under another name
            if type(node) is cst.Call:
                name = last_part(node.func)
                given = positional(tuple(node.args))
                if name in _SETTERS and len(given) > 1:
                    attribute = string_value(given[1])
                    if self._may_be_frozen(given[0], attribute):
                        return True
                if name in self._changers:
                    return True
            for target in _targets(node):
                if type(target) is cst.Attribute:
                    if self._may_be_frozen(target.value, target.attr.value):
                        return True
        return False

    @cached_property
    def _callees(self) -> set[cst.CSTNode]:
        """What stands before the parentheses of calls."""
        return {node.func for node in self.nodes if type(node) is cst.Call}

    @cached_property
    def _changers(self) -> frozenset[str]:
        """The functions of the module that may set attributes of what they are given."""
        scope = self.flow.model.scope
        return scope.source.file.analysed((Spelled, "changers"), lambda: _changers(scope))

    def _discards(self, node: cst.Call) -> bool:
        """Whether a call whose result nobody gets may be an update."""
        func = node.func
        if isinstance(func, cst.Attribute):
            name = func.attr.value
            if name in UPDATE_METHODS or (
                name in ARRAY_UPDATES and type(func.value) is cst.Subscript
            ):
                return True
        if not isinstance(func, cst.Name | cst.Attribute):
            return False
        names = [item.dotted for item in refer(func, self.scope) if isinstance(item, Imported)]
        return any(canonical(name) in UPDATE_FUNCTIONS for name in names)

    def _may_be_frozen(self, node: cst.BaseExpression, attribute: str | None) -> bool:
        """Whether what an expression stands for may be an instance of a frozen class."""
        cls = self.own_class(node, self.scope)
        if cls is not None:
            if cls.making is not None and not cls.making.kind.sealed:
                if self.ref.name in CONSTRUCTION:
                    return False
            return _refuses(cls, attribute) or self._narrows(node)
        if isinstance(node, cst.Attribute):
            cls = self.own_class(node.value, self.scope)
            name = node.attr.value
            if cls is not None and cls.method(name) is None and not self.stores(name):
                kind, _ = field_type(cls, name)
                return _refuses(kind, attribute) or self._narrows(node.value)
            return not self._is_library(node)
        if not isinstance(node, cst.Name) or node.value in self.loose or self._narrows(node):
            return True
        if self._is_library(node):
            return False
        for binding in getattr(home_of(node.value, self.scope), "all", ()):
            if binding.name == node.value and binding.order < 0:
                return self._is_frozen_parameter(node.value, attribute)
        return any(
            made is None or _is_handed_back(made) or _refuses(made.type, attribute)
            for made in self.objects(node, self.scope)
        )

    def _is_frozen_parameter(self, name: str, attribute: str | None) -> bool:
        function = self.ref.node
        if len(self.scope.bindings(name)) != 1 or self.ref.is_block:
            return True
        for index, item in enumerate(parameters(function)):
            if item.name == name and item.default is None:
                if item.annotation is None:
                    return False  # whoever gives it something frozen is told
                if self.ref.cls is not None and index == 0:
                    return True
                kind, _ = annotated(self.flow.model, item.annotation.annotation, self.ref.scope)
                return _refuses(kind, attribute)
        return True

    def _is_library(self, node: cst.BaseExpression) -> bool:
        while isinstance(node, cst.Attribute):
            node = node.value
        if not isinstance(node, cst.Name) or node.value in self.loose:
            return False
        return all(isinstance(item, Imported) for item in refer(node, self.scope))

    def _narrows(self, node: cst.BaseExpression) -> bool:
        """Whether the type of a variable is asked for, and so may be told by that."""
        return isinstance(node, cst.Name) and any(
            is_name(item.subject, node.value)
            if type(item) is cst.Match
            else type(item) is cst.Call
            and is_name(item.func, "isinstance")
            and bool(item.args)
            and is_name(item.args[0].value, node.value)
            for item in self.nodes
        )


def _is_handed_back(value: Value) -> bool:
    """Whether the result of a function may be something that it was given."""
    return any(place.root.owner is not None for place in value.places)


def _refuses(kind: Type, attribute: str | None) -> bool:
    """Whether an attribute of an instance may be frozen."""
    if isinstance(kind, Kind):
        return True
    if not isinstance(kind, ModelClass) or kind.making is None:
        return False
    return attribute is None or is_frozen(kind, attribute)


def _changers(scope: ModuleScope) -> frozenset[str]:
    unit = Unit.of(scope.links.project, scope.source.file)
    functions = [
        function
        for piece in scope.source.pieces
        for function in (unit.facts(piece.block).functions if piece.changing else ())
        if function.name in piece.changing
    ]
    found = {function.called for function in functions if function.sets_arguments}
    grown = bool(found)
    while grown:  # who calls one of them may hand on what it is given
        calling = {item.called for item in functions if not found.isdisjoint(item.words)}
        grown = not calling <= found
        found |= calling
    return frozenset(found)


def _targets(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """What a node binds, sets or deletes."""
    found: list[cst.BaseExpression] = []
    if type(node) in _BINDING:
        found.append(getattr(node, _BINDING[type(node)]))
    while found:
        target = found.pop()
        if isinstance(target, cst.Tuple | cst.List):
            found += [element.value for element in target.elements]
        else:
            yield target
