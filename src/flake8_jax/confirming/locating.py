"""Finds the part of a syntax tree that a place means."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from flake8_jax.confirming.places import Place
from flake8_jax.evidence.changes import SETTERS

Function = ast.FunctionDef | ast.AsyncFunctionDef
_LAZY = (ast.Lambda, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)
_CLASSES = frozenset({"object", "list", "dict", "set"})
_SUSPENDING = (ast.Yield, ast.YieldFrom, ast.Await)
_SIMPLE = (
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Delete,
    ast.Expr,
    ast.Return,
    ast.Raise,
    ast.Assert,
)


@dataclass
class Tree:
    """A module, and who holds which of its nodes."""

    module: ast.Module
    lines: list[bytes]
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for node in ast.walk(self.module):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node

    def offset(self, place: Place) -> int | None:
        """The column of a place, as the tree counts it: in bytes."""
        if place.column is None:
            return None
        text = self.lines[place.line - 1].decode("utf-8", "replace")
        return len(text[: place.column].encode("utf-8"))

    def at(self, place: Place) -> list[ast.AST]:
        """The nodes that begin at a place, the outermost first."""
        column = self.offset(place)
        found = [
            node
            for node in ast.walk(self.module)
            if getattr(node, "lineno", None) == place.line
            and (node.col_offset == column if column is not None else isinstance(node, ast.stmt))  # type: ignore[attr-defined]
        ]
        return sorted(found, key=self._depth)

    def decorated(self, place: Place) -> tuple[Function, int] | None:
        """The function whose decorator begins at a place, and the number of the decorator."""
        column = self.offset(place)
        line = self.lines[place.line - 1]
        if column is None or line[column : column + 1] != b"@":
            return None
        for node in ast.walk(self.module):
            if isinstance(node, Function):
                for number, decorator in enumerate(node.decorator_list):
                    if decorator.lineno == place.line:
                        return node, number
        return None

    def statement(self, node: ast.AST) -> ast.stmt:
        """The statement that a node belongs to."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def function(self, node: ast.AST) -> Function | None:
        """The function that a node stands in."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, Function):
                return node
        return None

    def finishing(self, node: ast.AST) -> Iterator[ast.Try]:
        """The ``try`` statements of a function in whose ``finally`` a node stands."""
        while node in self.parents and not isinstance(node, Function | ast.Lambda):
            parent = self.parents[node]
            if isinstance(parent, ast.Try) and node in parent.finalbody:
                yield parent
            node = parent

    def runs_with(self, node: ast.AST, statement: ast.stmt) -> bool:
        """Whether a node is evaluated when its statement is, once, and by nobody else."""
        if not isinstance(statement, _SIMPLE):
            return False
        while node is not statement:
            node = self.parents[node]
            if isinstance(node, _LAZY):
                return False
        return not self.is_suspended(statement)

    def running(self, node: ast.AST) -> ast.stmt | ast.Lambda | None:
        """What is certain to be under way when a node is evaluated: a statement, or a lambda."""
        while not isinstance(node, ast.stmt | ast.Lambda):
            node = self.parents[node]
        if isinstance(node, ast.Lambda):
            return None if self.is_suspended(node) else node
        return node if isinstance(node, _SIMPLE) and not self.is_suspended(node) else None

    def is_suspended(self, node: ast.stmt | ast.Lambda) -> bool:
        """Whether others run before a statement, or the body of a lambda, is done."""
        return any(isinstance(item, _SUSPENDING) for item in ast.walk(node))

    def attributes(self, function: Function, name: str) -> set[str]:
        """The attributes of an object that a function reads itself."""
        return {
            node.attr
            for node in ast.walk(function)
            if isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Load)
            and isinstance(node.value, ast.Name)
            and node.value.id == name
        }

    def declared(self, node: ast.AST) -> frozenset[str]:
        """The names that are global or nonlocal in the function around a node."""
        while not isinstance(node, Function | ast.Module):
            node = self.parents[node]
        names: set[str] = set()
        for item in own(node) if isinstance(node, Function) else ():
            if isinstance(item, ast.Global | ast.Nonlocal):
                names.update(item.names)
        return frozenset(names)

    def _depth(self, node: ast.AST) -> int:
        depth = 0
        while node in self.parents:
            node = self.parents[node]
            depth += 1
        return depth


def own(node: Function | ast.ClassDef) -> Iterator[ast.AST]:
    """The nodes of a function or class without those of the functions and classes in it."""
    stack: list[ast.AST] = list(node.body)
    while stack:
        item = stack.pop()
        yield item
        if not isinstance(item, Function | ast.Lambda | ast.ClassDef):
            stack += ast.iter_child_nodes(item)


def targets(statement: ast.stmt) -> list[ast.expr]:
    """What a statement stores to or deletes, without the names of its own body."""
    match statement:
        case ast.Assign():
            found = list(statement.targets)
        case ast.AnnAssign() | ast.AugAssign() | ast.For() | ast.AsyncFor():
            found = [statement.target]
        case ast.Delete():
            found = list(statement.targets)
        case ast.With() | ast.AsyncWith():
            found = [item.optional_vars for item in statement.items if item.optional_vars]
        case _:
            found = []
    return [part for item in found for part in _flat(item)]


def _flat(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Tuple | ast.List):
        for item in node.elts:
            yield from _flat(item)
    elif isinstance(node, ast.Starred):
        yield from _flat(node.value)
    else:
        yield node


def is_stored(node: ast.expr, declared: frozenset[str]) -> bool:
    """Whether something outlives the function that stores it, if only as a part."""
    if isinstance(node, ast.Name):
        return node.id in declared
    return isinstance(node, ast.Attribute | ast.Subscript)


def sets(node: ast.Call, member: str) -> bool:
    """Whether a call such as ``object.__setattr__(self, "x", v)`` sets an attribute."""
    constants = [item.value for item in node.args if isinstance(item, ast.Constant)]
    return called_name(node.func) in SETTERS and member in constants


def called_name(called: ast.expr) -> str:
    """The last name of what is called."""
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def lacks_namespace(node: ast.ClassDef) -> bool:
    """Whether the objects of a class may have no ``__dict__`` to keep a value in."""
    bases = [item.attr if isinstance(item, ast.Attribute) else getattr(item, "id", "")
             for item in node.bases]  # fmt: skip
    stored = [target for item in node.body for target in targets(item)]
    return "NamedTuple" in bases or any(
        isinstance(target, ast.Name) and target.id == "__slots__" for target in stored
    )


def is_class(node: ast.expr, method: str) -> bool:
    """Whether a method is given its object: one of ``object``, ``list`` or another class."""
    if not isinstance(node, ast.Name):
        return False
    return node.id in _CLASSES or (method in SETTERS and node.id[:1].isupper())


def owner(node: ast.Attribute | ast.Subscript) -> ast.expr:
    """Whose part is written: of ``vars(x)[k]`` and ``x.__dict__[k]``, x."""
    value = node.value
    if isinstance(value, ast.Attribute) and value.attr == "__dict__":
        return value.value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        if value.func.id == "vars" and value.args:
            return value.args[0]
    return value
