"""What the functions of a module hand to transforms, told by how it is spelled.

A function is followed to see what becomes of the objects that others write under the traces that it
starts. Where none of them writes anything there is nothing to see, and what is handed over is as a
rule a name, a lambda or a method. So those that are handed over are summarised first; the functions
that hand them over are followed only if one of them writes, or if it cannot be told which they are.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import libcst as cst

from flake8_jax.flow.analysis import Flow, parameters
from flake8_jax.flow.attributes import is_property
from flake8_jax.flow.types import field_type
from flake8_jax.flow.values import FunctionRef
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.transforms import DEFINES_RULES, KERNELS, TRANSFORMS, Transform
from flake8_jax.model import ModelClass
from flake8_jax.names import Applied, applied, refer
from flake8_jax.scopes import Binding, Defined, Imported, Referent, Scope, Valued, inner_scope
from flake8_jax.syntax import children, is_name, keyword, positional, statements

_STEPS = 8
_WORDS = frozenset(name.rpartition(".")[2] for name, row in TRANSFORMS.items() if row.traces)
_OPAQUE = frozenset({"builtins.getattr", "builtins.next", "builtins.super"})
"""Builtins that may give back a function that is not spelled there."""
_EVERY = Transform("", callables=(), keywords=())
"""Stands for what may be a transform: each of its arguments may be a callable."""

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


@dataclass(eq=False)
class _Host:
    """A function, or the statements of a module or class, while it is looked at."""

    flow: Flow
    ref: FunctionRef
    called: set[str] = field(default_factory=set)

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
                if isinstance(node.func, cst.Call) and positional(used.arguments):
                    return None, ()  # what was traced is called
                return (row, used.arguments) if len(used.names) == 1 else (_EVERY, ())
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
                root = node.value
                while isinstance(root, cst.Attribute):
                    root = root.value
                if isinstance(root, cst.Name) and root.value not in self._loose:
                    found = refer(root, self.scope)
                    if any(isinstance(item, Imported | Defined) for item in found):
                        return applied(node, self.scope)
                return None if name in DEFINES_RULES or name in _WORDS else Applied(())
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
            yield from self._referred(refer(node, scope), scope, steps)
            return
        for binding in home.bindings(name):
            if binding.referent is None:
                yield from self._parameter(binding, home)
            else:
                linked: tuple[Referent, ...] = (binding.referent,)
                if isinstance(binding.referent, Imported):
                    linked = refer(node, scope)
                yield from self._referred(linked, scope, steps)

    def _parameter(self, binding: Binding, home: Scope) -> Iterator[Handed]:
        """A bare parameter is nothing that is known; all else may be anything."""
        function = home.node
        if binding.order >= 0 or not isinstance(function, cst.FunctionDef):
            yield None
            return
        for index, item in enumerate(parameters(function)):
            if item.name == binding.name:
                bare = item.annotation is None and not isinstance(item.default, cst.Name)
                if not bare and not is_name(item.default, "None"):
                    yield None
                elif index == 0 or item.annotation is not None:
                    yield None

    def _referred(
        self, referents: Iterable[Referent], scope: Scope, steps: int
    ) -> Iterator[Handed]:
        for item in referents:
            match item:
                case Defined(node=cst.FunctionDef() as function):
                    own = item.scope is self.scope
                    piece = item.piece or self.ref.piece
                    cls = self.ref.cls if own else None
                    yield self.flow.function(function, item.scope, piece, cls)
                case Valued():
                    if isinstance(item.node, cst.Name | cst.Attribute) and item.scope is scope:
                        yield from self._meant(item.node, item.scope, steps - 1)
                    else:
                        yield from self._meant(item.node, item.scope, steps - 1)

    def _member(self, node: cst.Attribute, scope: Scope, steps: int) -> Iterator[Handed]:
        """A method of self, or what a module has under a name."""
        name = node.attr.value
        cls = self._own_class(node.value, scope)
        if cls is not None:
            method = cls.method(name)
            if method is not None and not is_property(cls, method):
                yield self.flow.method(cls, method)
            elif method is not None or cls.model.heirs(cls) or self._stores(name):
                yield None
            elif isinstance(kind := field_type(cls, name)[0], ModelClass):
                called = kind.method("__call__")
                if called is not None:
                    yield self.flow.method(kind, called)
            return
        root = node.value
        while isinstance(root, cst.Attribute):
            root = root.value
        if isinstance(root, cst.Name) and root.value not in self._loose:
            found = refer(root, scope)
            if found and all(isinstance(item, Imported) for item in found):
                yield from self._referred(refer(node, scope), scope, steps)
                return
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
        """What a call gives back."""
        used = self._applied(node.func) if scope is self.scope else applied(node.func, scope)
        if used is None:
            yield None
            return
        if used.names:
            if "functools.partial" in used.names or "jax.tree_util.Partial" in used.names:
                given = positional(tuple(node.args))
                if isinstance(node.func, cst.Call) or not given:
                    yield None
                else:
                    yield from self._meant(given[0], scope, steps - 1)
            elif any(name in TRANSFORMS for name in used.names):
                for argument in node.args:  # what it is applied to is traced by both
                    yield from self._meant(argument.value, scope, steps - 1)
            elif not _OPAQUE.isdisjoint(used.names):
                yield None
            return
        yield None


def _callables(row: Transform, handed: tuple[cst.Arg, ...]) -> Iterator[cst.BaseExpression]:
    """The arguments of a transform that may be callables."""
    if row is _EVERY or any(item.star for item in handed):
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
