"""What the names in a libcst tree refer to: the analysis answers, in nodes that can be changed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import libcst as cst

from flake8_jax.classes.layout import Routine
from flake8_jax.classes.table import ClassInfo
from flake8_jax.classes.walks import placed
from flake8_jax.fixes.nodes import expression_at, extent_of, piece_of, statement_at
from flake8_jax.fixes.pieces import Piece
from flake8_jax.lowering.program import Attr, Call, Class, Define, Expr, Function, Home, Var
from flake8_jax.resolution.bindings import Binding, bindings, bound_inside
from flake8_jax.resolution.callee import callees
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.modules import Module
from flake8_jax.resolution.resolve import Definition, Expression, definition, resolve
from flake8_jax.resolution.resolve import Referent as Resolved
from flake8_jax.resolution.scopes import END, Position, Scope, module_scope


@dataclass(frozen=True)
class Imported:
    """Something of a library, or of Python."""

    dotted: str


@dataclass(frozen=True, eq=False)
class Defined:
    """A function or class of the project, with the tree that it stands in."""

    node: cst.FunctionDef | cst.ClassDef
    piece: Piece
    own: Definition

    @property
    def top(self) -> "Names":
        """The names of its module."""
        return Names.of(self.own.module)

    @property
    def inside(self) -> "Names":
        """Where its body looks names up."""
        return Names(self.own.inside)


@dataclass(frozen=True, eq=False)
class Valued:
    """What a name was given, as an expression that stands somewhere else."""

    value: Expression

    @property
    def names(self) -> "Names":
        """Where its own names are looked up."""
        return Names(self.value.scope)

    @property
    def node(self) -> cst.BaseExpression | None:
        """The expression; None where no assignment of one name has it."""
        if self.value.name is None or self.value.position == END:
            return None
        match statement_at(self.value.module, self.value.position):
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name())], value=value):
                return value
            case cst.AnnAssign(value=value):
                return value
        return None


Referent: TypeAlias = Imported | Defined | Valued | None
"""What something refers to; None stands for what nobody knows."""


@dataclass(frozen=True, eq=False)
class Names:
    """Where names are looked up."""

    scope: Scope

    @classmethod
    def of(cls, module: Module) -> "Names":
        """The names of a module."""
        return module.once(Names, lambda: cls(module_scope(module)))

    @property
    def module(self) -> Module:
        return self.scope.module

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The module, in pieces."""
        return tuple(piece_of(self.module, block.index) for block in self.module.blocks)

    def inside(self, node: cst.CSTNode, piece: Piece) -> "Names":
        """The names of a function or class, or those here where it is not known."""
        found = _scopes(self.module, piece.index).get(piece.extent(node)[:2])
        return Names(found) if found is not None else self

    def refer(self, node: cst.BaseExpression) -> tuple[Referent, ...]:
        """All that an expression may refer to."""
        expr = self._lowered(node)
        if expr is None:
            return (None,)
        return tuple(_shown(item) for item in resolve(self.scope, expr))

    def dotted(self, node: cst.BaseExpression) -> tuple[str, ...]:
        """What of libraries an expression may refer to."""
        return tuple(item.dotted for item in self.refer(node) if isinstance(item, Imported))

    def applied(self, node: cst.BaseExpression) -> tuple[str, ...]:
        """What of libraries an expression comes down to, seen through partials and wrappers."""
        while isinstance(node, cst.Call):
            node = node.func
        expr = self._lowered(node)
        return _applied(self.scope, expr) if expr is not None else ()

    @property
    def bound(self) -> frozenset[str]:
        """The names that the function or class binds."""
        return frozenset(bound_inside(self.scope))

    def bindings(self, name: str) -> tuple[Binding, ...]:
        """Where the module binds a name."""
        return bindings(module_scope(self.module), name)

    def is_bound(self, name: str) -> bool:
        """Whether a name has some meaning already, here or around."""
        here: Scope | None = self.scope
        while here is not None:
            if bindings(here, name):
                return True
            here = here.outer
        return self.refer(cst.Name(name)) != (None,)

    def _lowered(self, node: cst.BaseExpression) -> Expr | None:
        """A dotted name as the analysis knows it."""
        steps: list[str] = []
        while isinstance(node, cst.Attribute):
            steps.append(node.attr.value)
            node = node.value
        if not isinstance(node, cst.Name):
            return None
        expr: Expr = self._variable(node.value)
        for step in reversed(steps):
            expr = Attr(expr, step)
        return expr

    def _variable(self, name: str) -> Var:
        here: Scope | None = self.scope
        levels = 0
        while here is not None and here.made is not None:
            is_seen = isinstance(here.made, Function) or here is self.scope
            if is_seen and name in bound_inside(here):
                if isinstance(here.made, Class):
                    return Var(name, Home.CLASS)
                return Var(name, Home.CELL, levels) if levels else Var(name, Home.LOCAL)
            levels += isinstance(here.made, Function)
            here = here.outer
        return Var(name, Home.GLOBAL)


def _shown(referent: Resolved) -> Referent:
    match referent:
        case External(dotted=dotted):
            return Imported(dotted)
        case Definition():
            return defined(referent)
        case Expression():
            return Valued(referent)
    return None


def defined(own: Definition) -> Defined | None:
    """A function or class of the project with its tree; None where that cannot be read."""
    node = statement_at(own.module, own.position)
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        return Defined(node, piece_of(own.module, own.position[0]), own)
    return None


def written(routine: Routine, info: ClassInfo) -> cst.FunctionDef | cst.Lambda | None:
    """The function or lambda that a class uses, in a tree; None where that cannot be read."""
    inside = routine.inside
    index = info.definition.position[0] if inside.outer is info.inside else inside.index
    if index < 0:
        return None
    position = (index, routine.function.span)
    node = statement_at(inside.module, position)
    if isinstance(node, cst.FunctionDef):
        return node
    expression = expression_at(inside.module, position)
    return expression if isinstance(expression, cst.Lambda) else None


def applied_value(value: Expression) -> tuple[str, ...]:
    """What of libraries the call comes down to that has made a value."""
    made = value.expr
    return _applied(value.scope, made.callee, value.position) if isinstance(made, Call) else ()


def _applied(scope: Scope, expr: Expr, position: Position = END) -> tuple[str, ...]:
    found = callees(scope, expr, position)
    return tuple(item.target.dotted for item in found if isinstance(item.target, External))


def decorators_of(own: Definition) -> Iterator[tuple[str, ...]]:
    """What of libraries each decorator of a function comes down to."""
    for decorator in own.statement.decorators:
        yield _applied(own.scope, decorator, own.position)


def _scopes(module: Module, index: int) -> Mapping[tuple[int, int], Scope]:
    """The scopes of the functions and classes of a piece, by where they start."""

    def compute() -> Mapping[tuple[int, int], Scope]:
        program = module.program(module.blocks[index])
        found: dict[tuple[int, int], Scope] = {}
        for here in placed(program.body, module_scope(module), index) if program else ():
            if isinstance(here.node, Define):
                start = extent_of(module, here.position)[:2]
                found[start] = definition(here.scope, here.node, here.position).inside
        return found

    return module.once((_scopes, index), compute)
