"""What the functions of a module hand to transforms, told by how it is spelled.

A function is followed to see what becomes of the objects that others write under the traces that it
starts. Where none of them writes anything there is nothing to see, and what is handed over is as a
rule a name, a lambda or a method. So those that are handed over are summarised first; the functions
that hand them over are followed only if one of them writes, or if it cannot be told which they are.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from flake8_jax.flow.analysis import Flow, parameters
from flake8_jax.flow.attributes import is_property
from flake8_jax.flow.types import annotated, field_type, made_by
from flake8_jax.flow.values import UNKNOWN, FunctionRef, Type, Value
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import (
    ARRAY_UPDATES,
    CONTAINER_COPIES,
    DEEP_COPIES,
    PASSES_THROUGH,
    SHALLOW_COPIES,
    UPDATE_FUNCTIONS,
)
from flake8_jax.knowledge.pytrees import Kind
from flake8_jax.knowledge.transforms import DEFINES_RULES, KERNELS, TRANSFORMS, Transform
from flake8_jax.model import ModelClass
from flake8_jax.names import Applied, applied, refer
from flake8_jax.scopes import (
    Binding,
    Defined,
    Imported,
    ModuleScope,
    Referent,
    Scope,
    Valued,
    inner_scope,
)
from flake8_jax.survey import Unit
from flake8_jax.syntax import (
    children,
    is_name,
    keyword,
    last_part,
    positional,
    statements,
    string_value,
)
from flake8_jax.tree import is_frozen

_STEPS = 8
_WORDS = frozenset(name.rpartition(".")[2] for name, row in TRANSFORMS.items() if row.traces)
_OPAQUE = frozenset({"builtins.getattr", "builtins.next", "builtins.super"}).union(
    SHALLOW_COPIES, DEEP_COPIES, CONTAINER_COPIES, PASSES_THROUGH, UPDATE_FUNCTIONS
)
"""What gives back what is not spelled there, or something of the same kind as it is given."""
_UPDATE_METHODS = frozenset({"replace", "_replace"})
_EVERY = Transform("", callables=(), keywords=())
"""Stands for what may be a transform: each of its arguments may be a callable."""

_BINDING = {
    cst.AssignTarget: "target",
    cst.AnnAssign: "target",
    cst.AugAssign: "target",
    cst.Del: "target",
    cst.For: "target",
    cst.AsName: "name",
}
"""What binds, sets or deletes something, and where it says what."""

Handed = FunctionRef | None
"""A function that may be handed to a transform; None for one that cannot be told."""


def is_harmless(flow: Flow, refs: Iterable[FunctionRef]) -> bool:
    """Whether nothing that some functions hand to transforms writes anything."""
    seen: set[cst.CSTNode] = set()
    for ref in refs:
        for handed in _Host(flow, ref).handed():
            if handed is None:
                flow.summary(ref)
                break
            if handed.node not in seen:
                seen.add(handed.node)
                if flow.summary(handed).writes:
                    return False
    told = (flow.frozen_writes, flow.discarded, flow.discarded_if_traced)
    return not any(told) and not any(flow.summary(item.function).writes for item in flow.traces)


def changing(flow: Flow, refs: Iterable[FunctionRef]) -> Iterator[FunctionRef]:
    """Those of some functions that may set frozen attributes, or throw updates away."""
    for ref in refs:
        if ref.is_set_apart and _Host(flow, ref).changes():
            yield ref


@dataclass(eq=False)
class _Host:
    """A function, or the statements of a module or class, while it is looked at."""

    flow: Flow
    ref: FunctionRef

    @cached_property
    def scope(self) -> Scope:
        ref = self.ref
        if ref.is_block or not isinstance(ref.node, cst.FunctionDef):
            return ref.scope
        return inner_scope(ref.node, ref.scope, 0, ref.piece)

    @cached_property
    def _nodes(self) -> list[cst.CSTNode]:
        """What is evaluated with the function, in lambdas too; functions inside as a whole."""
        found: list[cst.CSTNode] = []
        body = self.ref.node.body
        stack = list(statements(body)) if isinstance(body, cst.BaseSuite) else [body]
        while stack:
            node = stack.pop()
            found.append(node)
            if type(node) is cst.FunctionDef:
                stack += [item.decorator for item in node.decorators]
                stack += [item.default for item in parameters(node) if item.default is not None]
            elif type(node) is not cst.ClassDef:
                stack += children(node)
        return found

    @cached_property
    def _loose(self) -> frozenset[str]:
        """The names that lambdas and comprehensions bind, which stand in no scope."""
        found: set[str] = set()
        for node in self._nodes:
            if type(node) is cst.Lambda:
                found.update(item.name for item in parameters(node))
            elif type(node) is cst.CompFor:
                found.update(_names_in(node.target))
        return frozenset(found)

    def handed(self) -> Iterator[Handed]:
        """The functions that are handed to transforms here."""
        for node in self._nodes:
            if type(node) is cst.FunctionDef:
                ref = self.flow.function(node, self.scope, self.ref.piece, self.ref.cls)
                if ref.trace is not None:
                    yield ref.trace.function
            elif type(node) is cst.Call:
                row, before = self._transform(node)
                if row is not None:
                    for argument in _callables(row, (*before, *node.args)):
                        yield from self._meant(argument, self.scope, _STEPS)

    def changes(self) -> bool:
        """Whether an attribute may be set here that is frozen, or an update be thrown away."""
        for node in self._nodes:
            if type(node) is cst.Expr and self._discards(node.value):
                return True
            if type(node) is cst.Call:
                name = last_part(node.func)
                given = positional(tuple(node.args))
                if name in ("setattr", "delattr") and len(given) > 1:
                    attribute = string_value(given[1])
                    if self._may_be_frozen(given[0], attribute):
                        return True
                if name in self._changers:  # it may be given something that is frozen
                    return True
            for target in _targets(node):
                if type(target) is cst.Attribute:
                    if self._may_be_frozen(target.value, target.attr.value):
                        return True
        return False

    @cached_property
    def _changers(self) -> frozenset[str]:
        """The functions of the module that set attributes of what they are given."""
        scope = self.flow.model.scope
        return scope.source.file.once((_Host, "changers"), lambda: frozenset(_changers(scope)))

    def _discards(self, node: cst.BaseExpression) -> bool:
        """Whether an expression that is a statement may be an update that is thrown away."""
        if not isinstance(node, cst.Call):
            return False
        func = node.func
        if isinstance(func, cst.Attribute):
            name = func.attr.value
            if name in _UPDATE_METHODS or (
                name in ARRAY_UPDATES and type(func.value) is cst.Subscript
            ):
                return True
        if not isinstance(func, cst.Name | cst.Attribute):
            return False
        names = [item.dotted for item in refer(func, self.scope) if isinstance(item, Imported)]
        return any(canonical(name) in UPDATE_FUNCTIONS for name in names)

    def _may_be_frozen(self, node: cst.BaseExpression, attribute: str | None) -> bool:
        """Whether what an expression stands for may be an instance of a frozen class."""
        cls = self._own_class(node, self.scope)
        if cls is not None:
            return _refuses(cls, attribute) or self._narrows(node)
        if isinstance(node, cst.Attribute):
            cls = self._own_class(node.value, self.scope)
            name = node.attr.value
            if cls is not None and cls.method(name) is None and not self._stores(name):
                kind, _ = field_type(cls, name)
                return _refuses(kind, attribute) or self._narrows(node.value)
            return not self._is_library(node)
        if not isinstance(node, cst.Name) or node.value in self._loose or self._narrows(node):
            return True
        if self._is_library(node):
            return False
        for binding in getattr(_home(node.value, self.scope), "all", ()):
            if binding.name == node.value and binding.order < 0:
                return self._is_frozen_parameter(node.value, attribute)
        return any(
            made is None or _is_handed_back(made) or _refuses(made.type, attribute)
            for made in self._objects(node, self.scope)
        )

    def _is_frozen_parameter(self, name: str, attribute: str | None) -> bool:
        function = self.ref.node
        if len(self.scope.bindings(name)) != 1 or self.ref.is_block:
            return True
        for item in parameters(function):
            if item.name == name and item.default is None:
                if item.annotation is None:
                    return False  # whoever gives it something frozen is told
                kind, _ = annotated(self.flow.model, item.annotation.annotation, self.ref.scope)
                return _refuses(kind, attribute)
        return True

    def _is_library(self, node: cst.BaseExpression) -> bool:
        while isinstance(node, cst.Attribute):
            node = node.value
        if not isinstance(node, cst.Name) or node.value in self._loose:
            return False
        return all(isinstance(item, Imported) for item in refer(node, self.scope))

    def _narrows(self, node: cst.BaseExpression) -> bool:
        """Whether the type of a variable is asked for, and so may be told by that."""
        return isinstance(node, cst.Name) and any(
            type(item) is cst.Call
            and is_name(item.func, "isinstance")
            and bool(item.args)
            and is_name(item.args[0].value, node.value)
            for item in self._nodes
        )

    def _transform(self, node: cst.Call) -> tuple[Transform | None, tuple[cst.Arg, ...]]:
        """The row for what a call calls, if that may be a transform, and what it has been given."""
        used = self._applied(node.func)
        if used is None:
            return _EVERY, ()
        for name in used.names:
            row = TRANSFORMS.get(name)
            if name in KERNELS:
                return _EVERY, ()
            if row is not None and row.traces:
                if len(used.names) > 1:
                    return _EVERY, ()
                given = any(True for _ in _callables(row, used.arguments))
                return (None, ()) if given else (row, used.arguments)  # or what was traced
        return None, ()

    def _applied(self, node: cst.BaseExpression) -> Applied | None:
        """What an expression calls; None where it may be a transform, and cannot be told."""
        match node:
            case cst.Name(value=name):
                if name in self._loose:
                    return None if name in _WORDS else Applied(())
                home = _home(name, self.scope)
                if home is None or home is self.scope.top:
                    top = self.scope.top
                    file = self.ref.piece.file
                    return file.once((_Host, name), lambda: applied(node, top))
                return applied(node, self.scope)
            case cst.Attribute(attr=cst.Name(value=name)):
                if name in DEFINES_RULES:
                    return None
                root = node.value
                while isinstance(root, cst.Attribute):
                    root = root.value
                if isinstance(root, cst.Name) and root.value not in self._loose:
                    found = refer(root, self.scope)
                    if any(isinstance(item, Imported | Defined) for item in found):
                        return applied(node, self.scope)
                return None if name in _WORDS else Applied(())
            case cst.Call():
                return applied(node, self.scope)
        return Applied(())

    def _meant(self, node: cst.BaseExpression, scope: Scope, steps: int) -> Iterator[Handed]:
        """The functions that an expression may be."""
        if not steps:
            yield None
            return
        match node:
            case cst.Lambda():
                yield FunctionRef(node, scope, self.ref.piece)
            case cst.Name(value=name):
                yield from self._named(node, name, scope, steps)
            case cst.Attribute():
                yield from self._member(node, scope, steps)
            case cst.Call():
                yield from self._made(node, scope, steps)
            case cst.List() | cst.Tuple():
                for element in node.elements:
                    yield from self._meant(element.value, scope, steps - 1)
            case cst.IfExp():
                yield from self._meant(node.body, scope, steps - 1)
                yield from self._meant(node.orelse, scope, steps - 1)
            case cst.BooleanOperation():
                yield from self._meant(node.left, scope, steps - 1)
                yield from self._meant(node.right, scope, steps - 1)
            case cst.NamedExpr() | cst.Subscript() | cst.Await() | cst.Yield():
                yield None

    def _named(self, node: cst.Name, name: str, scope: Scope, steps: int) -> Iterator[Handed]:
        if name in self._loose:
            yield None
            return
        home = _home(name, scope)
        if home is None or home is scope.top:
            yield from self._referred(refer(node, scope), steps)
            return
        for binding in home.bindings(name):
            if binding.referent is None:
                yield from self._parameter(binding, home)
            else:
                linked: tuple[Referent, ...] = (binding.referent,)
                if isinstance(binding.referent, Imported):
                    linked = refer(node, scope)
                yield from self._referred(linked, steps)

    def _parameter(self, binding: Binding, home: Scope) -> Iterator[Handed]:
        """A bare parameter is nothing that is known; all else may be anything."""
        function = home.node
        if binding.order >= 0 or not isinstance(function, cst.FunctionDef):
            yield None
            return
        for index, item in enumerate(parameters(function)):
            if item.name == binding.name:
                named = isinstance(item.default, cst.Name) and not is_name(item.default, "None")
                if index == 0 or named or item.annotation is not None:
                    yield None

    def _referred(self, referents: Iterable[Referent], steps: int) -> Iterator[Handed]:
        for item in referents:
            match item:
                case Defined(node=cst.FunctionDef() as function):
                    yield self._function(function, item)
                case Valued():
                    yield from self._meant(item.node, item.scope, steps - 1)

    def _function(self, function: cst.FunctionDef, item: Defined) -> FunctionRef:
        cls = self.ref.cls if item.scope is self.scope else None
        return self.flow.function(function, item.scope, item.piece or self.ref.piece, cls)

    def _member(self, node: cst.Attribute, scope: Scope, steps: int) -> Iterator[Handed]:
        """A method of self, what a module has under a name, or a member of what a call makes."""
        name = node.attr.value
        cls = self._own_class(node.value, scope)
        if cls is not None:
            if self._stores(name) or (cls.method(name) is None and cls.model.heirs(cls)):
                yield None
            else:
                yield from self._attribute(cls, name)
            return
        if self._is_named(node.value, scope):
            yield from self._referred(refer(node, scope), steps)
            return
        if self._is_bare(node.value, scope) and self.flow.only_class_with(name) is None:
            return  # nobody knows what it is
        for made in self._objects(node.value, scope):
            if made is None or made.places or made.dotted or made.made or made.function:
                yield None
            elif isinstance(made.type, ModelClass):
                yield from self._attribute(made.type, name)

    def _is_bare(self, node: cst.BaseExpression, scope: Scope) -> bool:
        """Whether an expression is a parameter of which nothing is known."""
        if type(node) is not cst.Name or node.value in self._loose:
            return False
        home = _home(node.value, scope)
        bindings = home.bindings(node.value) if home is not None else ()
        if home is None or len(bindings) != 1 or bindings[0].referent is not None:
            return False
        return not any(True for _ in self._parameter(bindings[0], home))

    def _attribute(self, cls: ModelClass, name: str) -> Iterator[Handed]:
        """A method of a class, or the ``__call__`` of what a field of it holds."""
        method = cls.method(name)
        if method is not None and is_property(cls, method):
            yield None
        elif method is not None:
            yield self.flow.method(cls, method)
        else:
            yield from self._called(field_type(cls, name)[0])

    def _called(self, kind: Type) -> Iterator[Handed]:
        """The ``__call__`` of an instance."""
        method = kind.method("__call__") if isinstance(kind, ModelClass) else None
        if isinstance(kind, ModelClass) and method is not None:
            yield self.flow.method(kind, method)

    def _is_named(self, node: cst.BaseExpression, scope: Scope) -> bool:
        """Whether an expression is the name of a module, or of something in one."""
        while isinstance(node, cst.Attribute):
            node = node.value
        if not isinstance(node, cst.Name) or node.value in self._loose:
            return False
        found = refer(node, scope)
        return bool(found) and all(isinstance(item, Imported | Defined) for item in found)

    def _objects(self, node: cst.BaseExpression, scope: Scope) -> Iterator[Value | None]:
        """What an expression may be that is a variable or a call; None where it is not told."""
        if isinstance(node, cst.Name) and node.value not in self._loose:
            home = _home(node.value, scope)
            for binding in home.bindings(node.value) if home is not None else ():
                item = binding.referent
                if isinstance(item, Valued) and isinstance(item.node, cst.Call):
                    yield from self._results(item.node, item.scope)
                else:
                    yield None
        elif isinstance(node, cst.Call):
            yield from self._results(node, scope)
        else:
            yield None

    def _results(self, node: cst.Call, scope: Scope) -> Iterator[Value | None]:
        """What a call gives back."""
        found: Iterable[Referent] = (None,)
        if self._is_named(node.func, scope):
            found = refer(node.func, scope)
        elif isinstance(node.func, cst.Attribute):
            cls = self._own_class(node.func.value, scope)
            method = cls.method(node.func.attr.value) if cls is not None else None
            if cls is not None and method is not None and not is_property(cls, method):
                yield self.flow.summary(self.flow.method(cls, method)).result
                return
        for item in found:
            match item:
                case Imported(dotted=dotted):
                    name = canonical(dotted)
                    yield None if name in _OPAQUE or isinstance(made_by(name), Kind) else UNKNOWN
                case Defined(node=cst.FunctionDef() as function):
                    ref = self._function(function, item)
                    yield UNKNOWN if ref.trace is not None else self.flow.summary(ref).result
                case Defined():
                    yield Value(type=self.flow.model.class_of(item))
                case _:
                    yield None

    def _own_class(self, node: cst.BaseExpression, scope: Scope) -> ModelClass | None:
        """The class of self, where an expression is that."""
        cls, function = self.ref.cls, self.ref.node
        if cls is None or scope is not self.scope or not isinstance(function, cst.FunctionDef):
            return None
        first = parameters(function)[:1]
        if not first or not is_name(node, first[0].name) or first[0].annotation is not None:
            return None
        if first[0].name in self._loose or len(self.scope.bindings(first[0].name)) > 1:
            return None
        return cls if cls.is_instance_method(function) else None

    def _stores(self, name: str) -> bool:
        """Whether an attribute of a name is bound in the function."""
        targets = [node.target for node in self._nodes if isinstance(node, cst.AssignTarget)]
        return any(isinstance(item, cst.Attribute) and item.attr.value == name for item in targets)

    def _made(self, node: cst.Call, scope: Scope, steps: int) -> Iterator[Handed]:
        """The functions that a call may give back."""
        used = self._applied(node.func) if scope is self.scope else applied(node.func, scope)
        names = used.names if used is not None else ()
        if "functools.partial" in names or "jax.tree_util.Partial" in names:
            given = positional(tuple(node.args))
            if given and not isinstance(node.func, cst.Call):
                yield from self._meant(given[0], scope, steps - 1)
            else:
                yield None
        elif any(name in TRANSFORMS for name in names):
            for argument in node.args:  # what it is applied to is traced by both
                yield from self._meant(argument.value, scope, steps - 1)
        else:
            for made in self._results(node, scope):
                if made is None or made.places or made.items:
                    yield None
                elif made.function is not None:
                    yield made.function
                else:
                    yield from self._called(made.type)


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


def _changers(scope: ModuleScope) -> Iterator[str]:
    unit = Unit.of(scope.links.project, scope.source.file)
    for piece in scope.source.pieces:
        for function in unit.facts(piece.block).functions if piece.changing else ():
            given = function.parameters[function.cls is not None :]
            if not function.attributes_of.isdisjoint(given):
                yield function.name


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


def _callables(row: Transform, handed: tuple[cst.Arg, ...]) -> Iterator[cst.BaseExpression]:
    """The arguments of a transform that may be callables."""
    if row is _EVERY:
        yield from (item.value for item in handed)
        return
    given = positional(handed)
    for index, position in enumerate(row.callables):
        names = row.keywords if len(row.callables) == 1 else row.keywords[index : index + 1]
        if position < len(given):
            yield given[position]
        else:
            named = (keyword(handed, name) for name in names)
            yield from (item for item in named if item is not None)


def _home(name: str, scope: Scope) -> Scope | None:
    """The scope that binds a name, as seen from another one."""
    here: Scope | None = scope
    while here is not None:
        if here.bindings(name) and (here is scope or not isinstance(here.node, cst.ClassDef)):
            return here
        here = here.parent
    return None


def _names_in(node: cst.CSTNode) -> Iterator[str]:
    stack = [node]
    while stack:
        here = stack.pop()
        if isinstance(here, cst.Name):
            yield here.value
        stack += children(here)


__all__ = ["is_harmless"]
