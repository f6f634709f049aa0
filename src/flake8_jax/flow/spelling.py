"""What expressions stand for, told by how they are spelled, without following a function.

That is less than ``analysis`` finds out, and it says so: None stands for what cannot be told.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import libcst as cst

from flake8_jax.flow.analysis import Flow, parameters
from flake8_jax.flow.attributes import is_property
from flake8_jax.flow.types import field_type, made_by
from flake8_jax.flow.values import UNKNOWN, FunctionRef, Type, Value
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import (
    CONTAINER_COPIES,
    DEEP_COPIES,
    PASSES_THROUGH,
    SHALLOW_COPIES,
    UPDATE_FUNCTIONS,
)
from flake8_jax.knowledge.pytrees import Kind
from flake8_jax.knowledge.transforms import DEFINES_RULES, TRANSFORMS
from flake8_jax.model import ModelClass
from flake8_jax.names import Applied, applied, refer
from flake8_jax.scopes import (
    Binding,
    Defined,
    Imported,
    InnerScope,
    Referent,
    Scope,
    Valued,
    inner_scope,
)
from flake8_jax.syntax import (
    children,
    is_name,
    positional,
    statements,
)

_STEPS = 8
_WORDS = frozenset(name.rpartition(".")[2] for name, row in TRANSFORMS.items() if row.traces)
_OPAQUE = frozenset({"builtins.getattr", "builtins.next", "builtins.super"}).union(
    SHALLOW_COPIES, DEEP_COPIES, CONTAINER_COPIES, PASSES_THROUGH, UPDATE_FUNCTIONS
)
"""What gives back what is not spelled there, or something of the same kind as it is given."""

Meant = FunctionRef | None
"""A function that an expression may be; None for one that cannot be told."""


@dataclass(eq=False)
class Spelled:
    """A function, or the statements of a module or class, as it is spelled."""

    flow: Flow
    ref: FunctionRef
    _met: dict[cst.CSTNode, bool] = field(default_factory=dict)
    """The values that were met, and whether all was seen of them: names are bound to each other."""

    @cached_property
    def scope(self) -> Scope:
        ref = self.ref
        if ref.is_block or not isinstance(ref.node, cst.FunctionDef):
            return ref.scope
        return inner_scope(ref.node, ref.scope, 0, ref.piece)

    @cached_property
    def nodes(self) -> list[cst.CSTNode]:
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
    def loose(self) -> frozenset[str]:
        """The names that stand in no scope here: of lambdas, comprehensions and outer variables."""
        found: set[str] = set(self.scope.outer) if isinstance(self.scope, InnerScope) else set()
        for node in self.nodes:
            if type(node) is cst.Lambda:
                found.update(item.name for item in parameters(node))
            elif type(node) is cst.CompFor:
                found.update(_names_in(node.target))
        return frozenset(found)

    def applied(self, node: cst.BaseExpression) -> Applied | None:
        """What an expression calls; None where it may be a transform, and cannot be told."""
        match node:
            case cst.Name(value=name):
                if name in self.loose:
                    return None if name in _WORDS else Applied(())
                home = home_of(name, self.scope)
                if home is None or home is self.scope.top:
                    top = self.scope.top
                    file = self.ref.piece.file
                    return file.analysed((Spelled, name), lambda: applied(node, top))
                return applied(node, self.scope)
            case cst.Attribute(attr=cst.Name(value=name)):
                if name in DEFINES_RULES:
                    return None
                root = node.value
                while isinstance(root, cst.Attribute):
                    root = root.value
                if isinstance(root, cst.Name) and root.value not in self.loose:
                    found = refer(root, self.scope)
                    if any(isinstance(item, Imported | Defined) for item in found):
                        return applied(node, self.scope)
                return None if name in _WORDS else Applied(())
            case cst.Call():
                return applied(node, self.scope)
        return Applied(())

    def meant(self, node: cst.BaseExpression) -> Iterator[Meant]:
        """The functions that an expression may be; None where that cannot be told."""
        self._met.clear()
        yield from self._meant(node, self.scope, _STEPS)

    def _meant(self, node: cst.BaseExpression, scope: Scope, steps: int) -> Iterator[Meant]:
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

    def _named(self, node: cst.Name, name: str, scope: Scope, steps: int) -> Iterator[Meant]:
        if name in self.loose:
            yield None
            return
        home = home_of(name, scope)
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

    def _parameter(self, binding: Binding, home: Scope) -> Iterator[Meant]:
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

    def _referred(self, referents: Iterable[Referent], steps: int) -> Iterator[Meant]:
        for item in referents:
            match item:
                case Defined(node=cst.FunctionDef() as function):
                    yield self._function(function, item)
                case Valued() if item.node not in self._met:
                    self._met[item.node] = False
                    yield from self._meant(item.node, item.scope, steps - 1)
                    self._met[item.node] = True
                case Valued() if not self._met[item.node]:
                    yield None  # it is made of itself

    def _function(self, function: cst.FunctionDef, item: Defined) -> FunctionRef:
        cls = self.ref.cls if item.scope is self.scope else None
        return self.flow.function(function, item.scope, item.piece or self.ref.piece, cls)

    def _member(self, node: cst.Attribute, scope: Scope, steps: int) -> Iterator[Meant]:
        """A method of self, what a module has under a name, or a member of what a call makes."""
        name = node.attr.value
        cls, method = self.own_class(node.value, scope), self.ref.node
        if cls is not None and isinstance(method, cst.FunctionDef):
            heirs = self.flow.heirs(cls, method)
            if self.stores(name) or (cls.method(name) is None and heirs):
                yield None
                return
            for kind in (cls, *(heir for heir in heirs if name in heir.methods)):
                yield from self._attribute(kind, name)
            return
        if self.is_named(node.value, scope):
            yield from self._referred(refer(node, scope), steps)
            return
        if self._is_bare(node.value, scope) and self.flow.only_class_with(name) is None:
            return  # nobody knows what it is
        for made in self.objects(node.value, scope):
            if made is None or made.places or made.dotted or made.made or made.function:
                yield None
            elif isinstance(made.type, ModelClass):
                yield from self._attribute(made.type, name)

    def _is_bare(self, node: cst.BaseExpression, scope: Scope) -> bool:
        """Whether an expression is a parameter of which nothing is known."""
        if type(node) is not cst.Name or node.value in self.loose:
            return False
        home = home_of(node.value, scope)
        bindings = home.bindings(node.value) if home is not None else ()
        if home is None or len(bindings) != 1 or bindings[0].referent is not None:
            return False
        return not any(True for _ in self._parameter(bindings[0], home))

    def _attribute(self, cls: ModelClass, name: str) -> Iterator[Meant]:
        """A method of a class, or the ``__call__`` of what a field of it holds."""
        method = cls.method(name)
        if method is not None and is_property(cls, method):
            yield None
        elif method is not None:
            yield self.flow.method(cls, method)
        else:
            yield from self._called(field_type(cls, name)[0])

    def _called(self, kind: Type) -> Iterator[Meant]:
        """The ``__call__`` of an instance."""
        method = kind.method("__call__") if isinstance(kind, ModelClass) else None
        if isinstance(kind, ModelClass) and method is not None:
            yield self.flow.method(kind, method)

    def is_named(self, node: cst.BaseExpression, scope: Scope) -> bool:
        """Whether an expression is the name of a module, or of something in one."""
        while isinstance(node, cst.Attribute):
            node = node.value
        if not isinstance(node, cst.Name) or node.value in self.loose:
            return False
        found = refer(node, scope)
        return bool(found) and all(isinstance(item, Imported | Defined) for item in found)

    def objects(self, node: cst.BaseExpression, scope: Scope) -> Iterator[Value | None]:
        """What an expression may be that is a variable or a call; None where it is not told."""
        if isinstance(node, cst.Name) and node.value not in self.loose:
            home = home_of(node.value, scope)
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
        if self.is_named(node.func, scope):
            found = refer(node.func, scope)
        elif isinstance(node.func, cst.Attribute):
            cls = self.own_class(node.func.value, scope)
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
                    result = self.flow.summary(ref).result
                    yield Value(type=result.type) if ref.trace is not None else result
                case Defined():
                    yield Value(type=self.flow.model.class_of(item))
                case _:
                    yield None

    def own_class(self, node: cst.BaseExpression, scope: Scope) -> ModelClass | None:
        """The class of self, where an expression is that."""
        cls, function = self.ref.cls, self.ref.node
        if cls is None or scope is not self.scope or not isinstance(function, cst.FunctionDef):
            return None
        first = parameters(function)[:1]
        if not first or not is_name(node, first[0].name) or first[0].annotation is not None:
            return None
        if first[0].name in self.loose or len(self.scope.bindings(first[0].name)) > 1:
            return None
        return cls if cls.is_instance_method(function) else None

    def stores(self, name: str) -> bool:
        """Whether an attribute of a name is bound in the function."""
        targets = [node.target for node in self.nodes if isinstance(node, cst.AssignTarget)]
        return any(isinstance(item, cst.Attribute) and item.attr.value == name for item in targets)

    def _made(self, node: cst.Call, scope: Scope, steps: int) -> Iterator[Meant]:
        """The functions that a call may give back."""
        used = self.applied(node.func) if scope is self.scope else applied(node.func, scope)
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


def home_of(name: str, scope: Scope) -> Scope | None:
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
