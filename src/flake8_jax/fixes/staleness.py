"""Whether a cache may hold what would be computed otherwise now: what it was made of has changed.

Names are all that is looked at: what has the name of something that a value is computed from, and
is assigned or changed in place anywhere in the module, may be just that.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from flake8_jax.caches import PytreeCache
from flake8_jax.fixes.targets import targets
from flake8_jax.knowledge.objects import (
    ARITY,
    ARRAY_TYPES,
    CONSTRUCTION,
    CONTAINER_MUTATORS,
)
from flake8_jax.names import refer
from flake8_jax.scopes import Defined, Imported, Scope, Valued, inner_scope
from flake8_jax.source import Piece
from flake8_jax.syntax import (
    Function,
    children,
    first_parameter,
    flat,
    is_name,
    last_part,
    string_value,
    walk,
)
from flake8_jax.tree import fields, is_frozen

_MAKING = CONSTRUCTION | {"tree_unflatten"}
_MAKERS = frozenset({"cls", "replace", "_replace"})
_SETTERS = frozenset({"__setattr__", "setattr"})
_CHANGING = CONTAINER_MUTATORS | {"delete", "fill", "partition", "put", "resize", "setflags"}
"""Methods that change containers and arrays in place, if called for that alone."""


def may_be_stale(found: PytreeCache) -> bool:
    """Whether the module changes what the value of a cache is computed from."""
    if found.cache.function is None:
        return False
    reads = _Reads(found, found.cache.function)
    pieces = [piece for piece in found.cls.model.scope.source.pieces if piece.tree is not None]
    return reads.is_bound_again(pieces) or any(reads.is_changed_in(piece) for piece in pieces)


@dataclass(frozen=True, eq=False)
class _Reads:
    """What the value of a cache is computed from."""

    found: PytreeCache
    function: Function

    @cached_property
    def _bodies(self) -> tuple[tuple[Function, Scope], ...]:
        """The function, and those of the project that it uses."""
        cls = self.found.cls
        bodies: dict[Function, Scope] = {self.function: cls.home_of(self.function).scope}
        stack = list(bodies.items())
        while stack:
            function, outer = stack.pop()
            inside = outer
            if isinstance(function, cst.FunctionDef):
                inside = inner_scope(function, outer, 0)
            for node in walk(function.body):
                for used, scope in self._used(node, inside):
                    if used not in bodies:
                        bodies[used] = scope
                        stack.append((used, scope))
        return tuple(bodies.items())

    def _used(self, node: cst.CSTNode, scope: Scope) -> Iterator[tuple[Function, Scope]]:
        cls = self.found.cls
        match node:
            case cst.Attribute(attr=cst.Name(value=name)):
                method = cls.method(name)
                if method is not None:
                    yield method, cls.home_of(method).scope
            case cst.Name():
                for item in refer(node, scope):
                    match item:
                        case Defined(node=cst.FunctionDef() as function, scope=there):
                            yield function, there
                        case Valued(node=cst.Lambda() as function, scope=there):
                            yield function, there

    @cached_property
    def _own(self) -> frozenset[str]:
        """The attributes of the object itself."""
        return frozenset(
            node.attr.value
            for function, _ in self._bodies
            for node in walk(function.body)
            if isinstance(node, cst.Attribute)
            and is_name(node.value, first_parameter(function) or "")
        )

    @cached_property
    def _others(self) -> frozenset[str]:
        """The attributes of other objects, and those that are named by a string."""
        found: set[str] = set()
        for function, _ in self._bodies:
            owner = first_parameter(function) or ""
            for node in walk(function.body):
                match node:
                    case cst.Attribute(value=value, attr=attr) if not is_name(value, owner):
                        found.add(attr.value)
                    case cst.Call(func=cst.Name(value="getattr"), args=[_, name, *_]):
                        found.add(string_value(name.value) or "")
        return frozenset(found - {""})

    @cached_property
    def _names(self) -> frozenset[str]:
        """The names of the module that stand for values."""
        top = self.found.cls.model.scope
        names = {
            node.value
            for function, _ in self._bodies
            for node in walk(function.body)
            if isinstance(node, cst.Name)
        }
        return frozenset(
            name
            for name in names & set(top.names)
            if any(isinstance(item.referent, Valued) for item in top.bindings(name))
        )

    @cached_property
    def _assignable(self) -> frozenset[str]:
        """The attributes that can be assigned: not those of a frozen object."""
        cls = self.found.cls
        declared = {item.name for owner in cls.lineage for item in fields(owner)}
        firm = {name for name in self._own & declared if is_frozen(cls, name)}
        return (self._own - firm) | self._others

    @cached_property
    def _given(self) -> frozenset[str]:
        """The names of what the module makes objects from, if it can be changed in place."""
        cls = self.found.cls
        if not any(self._is_changeable(name) for name in self._own):
            return frozenset()
        makers = _MAKERS | {cls.name, *(item.name for item in cls.model.heirs(cls))}
        return frozenset(
            argument.value.value
            for piece in cls.model.scope.source.pieces
            if piece.tree is not None and makers & piece.block.words
            for node in walk(piece.tree)
            if isinstance(node, cst.Call) and last_part(node.func) in makers
            for argument in node.args
            if isinstance(argument.value, cst.Name)
        )

    def _is_changeable(self, name: str) -> bool:
        """Whether a field may hold something other than a jax array."""
        cls = self.found.cls
        for owner in cls.lineage:
            for statement in owner.body:
                match statement:
                    case cst.AnnAssign(target=target, annotation=kind) if is_name(target, name):
                        known = refer(kind.annotation, owner.scope)
                        return not any(
                            isinstance(item, Imported) and item.dotted in ARRAY_TYPES
                            for item in known
                        )
        return cls.method(name) is None

    def is_bound_again(self, pieces: list[Piece]) -> bool:
        """Whether the module itself binds one of the names more than once."""
        bound: set[str] = set()
        for piece in pieces:
            if not self._names & piece.block.words or piece.tree is None:
                continue
            for statement in flat(piece.tree):
                for target in targets(statement):
                    if isinstance(target, cst.Name) and target.value in self._names:
                        if target.value in bound:
                            return True
                        bound.add(target.value)
        return False

    def is_changed_in(self, piece: Piece) -> bool:
        """Whether a piece of the module changes anything of this, in an object that is ready."""
        assert piece.tree is not None
        words = self._own | self._others | self._names | self._given
        if not words & piece.block.words and not _SETTERS & piece.block.words:
            return False
        return any(map(self._is_change, _after_construction(piece.tree)))

    def _is_change(self, node: cst.CSTNode) -> bool:
        match node:
            case cst.Expr(
                value=cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value=method)))
            ) if method in _CHANGING:
                return self._is_part(owner)
            case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value=method))) if (
                method in ARITY
            ):
                return self._is_part(owner)
            case cst.Call(func=func, args=arguments) if last_part(func) in _SETTERS:
                names = [string_value(item.value) for item in arguments[:2]]
                known = [name for name in names if name is not None]
                return not known or not (self._own | self._others).isdisjoint(known)
            case cst.AugAssign(target=cst.Name(value=name)):
                return name in self._given
        return any(self._is_target(item) for item in targets(node))

    def _is_target(self, target: cst.BaseExpression) -> bool:
        match target:
            case cst.Attribute(value=owner, attr=cst.Name(value=name)):
                return name in self._assignable or self._is_part(owner)
            case cst.Subscript(value=owner):
                return self._is_part(owner)
        return False

    def _is_part(self, node: cst.BaseExpression) -> bool:
        """Whether an expression may stand for something that is read, or for a part of it."""
        while True:
            match node:
                case cst.Attribute(value=value, attr=cst.Name(value=name)):
                    if name in self._own or name in self._others:
                        return True
                    node = value
                case cst.Subscript(value=value):
                    node = value
                case cst.Name(value=name):
                    return name in self._names or name in self._given
                case _:
                    return False


def _after_construction(tree: cst.Module) -> Iterator[cst.CSTNode]:
    """What a piece does with objects that are ready."""
    stack: list[cst.CSTNode] = [tree]
    while stack:
        node = stack.pop()
        if not isinstance(node, cst.FunctionDef) or node.name.value not in _MAKING:
            yield node
            stack += children(node)
