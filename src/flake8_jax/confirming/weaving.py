"""Weaves probes into a syntax tree, where an instrument has noted that they belong.

Lines and columns stay where they are, and so does the order in which things are evaluated.
"""

import ast
from dataclasses import dataclass, field
from typing import Any

from flake8_jax.confirming.locating import Function, own, targets

NAME = "__flake8_jax__"
"""The name by which a program reaches the recorder; a builtin."""


@dataclass
class Notes:
    """Which probes belong where."""

    around: dict[ast.stmt, list[int]] = field(default_factory=dict)
    """Statements, and the findings for which they are opened and ended."""
    guarded: dict[ast.stmt, list[int]] = field(default_factory=dict)
    """Statements that open in their middle, and are ended in any case."""
    calling: dict[ast.stmt | ast.Lambda, list[int]] = field(default_factory=dict)
    """Statements and functions in which something may refuse its arguments."""
    before: dict[ast.stmt, list[ast.stmt]] = field(default_factory=dict)
    inside: dict[ast.stmt, list[ast.stmt]] = field(default_factory=dict)
    """What a loop, a ``with`` or a function begins with."""
    after: dict[ast.stmt, list[ast.stmt]] = field(default_factory=dict)
    early: set[ast.AST] = field(default_factory=set)
    """The returns after which a ``finally`` changes something."""
    replaced: dict[ast.expr, ast.Call] = field(default_factory=dict)
    watched: dict[ast.expr, dict[int, tuple[bool, str]]] = field(default_factory=dict)
    """Objects that may be changed: whether what they hold counts too, and the key that does."""
    passing: set[int] = field(default_factory=set)
    """The findings at calls of functions that write, or hand something to what writes."""
    always: set[int] = field(default_factory=set)
    """The findings that are looked at without a trace, too."""

    def opening(self, finding: int) -> ast.Call:
        """What tells that something begins."""
        if finding in self.passing:
            return probe("passing", finding)
        return probe("open", finding, *([True] if finding in self.always else []))


def probe(method: str, *values: ast.expr | int | str) -> ast.Call:
    """A call of a method of the recorder."""
    given = [item if isinstance(item, ast.expr) else ast.Constant(item) for item in values]
    return ast.Call(ast.Attribute(ast.Name(NAME, ast.Load()), method, ast.Load()), given, [])


def reader(name: str) -> ast.Lambda:
    """A function that has the cell of a name, if there is one; it is not called."""
    made = ast.parse(f"lambda: {name}", mode="eval").body
    assert isinstance(made, ast.Lambda)
    return made


def as_statement(value: ast.expr, like: ast.stmt) -> ast.stmt:
    """A statement that is nothing but an expression, on the line of another one."""
    made = ast.Expr(value)
    for node in ast.walk(made):
        if "lineno" in node._attributes:
            ast.copy_location(node, like)
            node.end_lineno, node.end_col_offset = like.lineno, like.col_offset  # type: ignore[attr-defined]
    return made


def weave(module: ast.Module, notes: Notes) -> ast.Module:
    """The module with its probes."""
    _Weaver(notes).visit(module)
    return ast.fix_missing_locations(module)


class _Weaver(ast.NodeTransformer):
    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    def visit(self, node: ast.AST) -> Any:
        self.generic_visit(node)
        if isinstance(node, ast.Return | ast.Lambda):
            self._returning(node)
        elif isinstance(node, Function) and not _is_generator(node):
            node.body.append(as_statement(probe("returning", ast.Constant(None)), node.body[-1]))
        if isinstance(node, ast.expr):
            return self._expression(node)
        return self._statements(node) if isinstance(node, ast.stmt) else node

    def _expression(self, node: ast.expr) -> ast.expr:
        result = node
        for finding, (deep, key) in self._notes.watched.get(node, {}).items():
            result = ast.copy_location(probe("at", finding, result, deep, key), node)
        replaced = self._notes.replaced.get(node)
        if replaced is None:
            return result
        replaced.args = [result if item is node else item for item in replaced.args]
        return ast.copy_location(replaced, node)

    def _returning(self, node: ast.Return | ast.Lambda) -> None:
        value = node.value if isinstance(node, ast.Return) else node.body
        given = value or ast.Constant(None)
        for finding in self._notes.calling.get(node, []) if isinstance(node, ast.Lambda) else ():
            given = ast.copy_location(probe("guarded", finding, _delayed(given)), given)
        early = [ast.Constant(True)] if node in self._notes.early else []
        made = ast.copy_location(probe("returning", given, *early), value or node)
        if isinstance(node, ast.Return):
            node.value = made
        elif not _is_reader(node):
            node.body = made

    def _statements(self, node: ast.stmt) -> ast.AST | list[ast.stmt]:
        notes = self._notes
        if inside := notes.inside.get(node):
            number = _text_of(node)
            node.body[number:number] = inside  # type: ignore[attr-defined]
        before, after = notes.before.get(node, []), notes.after.get(node, [])
        opened = [(finding, notes.opening(finding)) for finding in notes.around.get(node, [])]
        opened += [(item, probe("calling", item)) for item in notes.calling.get(node, [])]
        closed = [*notes.guarded.get(node, []), *(finding for finding, _ in reversed(opened))]
        if not closed:
            return [*before, node, *after] if before or after else node
        begin = [as_statement(opening, node) for _, opening in opened]
        end = [_over(as_statement(probe("end", finding), node), node) for finding in closed]
        guarded = ast.copy_location(ast.Try([*begin, *before, node], [], [], end), node)
        return [guarded, *after]


def _over(made: ast.stmt, node: ast.stmt) -> ast.stmt:
    """A last statement that lies where another one may fail: at what it stores, or calls.

    jax cuts tracebacks, and underlines in them what a function has run last.
    """
    stored = [item for item in targets(node) if isinstance(item, ast.Attribute | ast.Subscript)]
    where = stored[0] if stored else getattr(node, "value", None) or node
    for item in ast.walk(made):
        if "lineno" in item._attributes:
            ast.copy_location(item, where)
    return made


def _delayed(value: ast.expr) -> ast.Lambda:
    """A function without parameters that gives a value."""
    none = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.copy_location(ast.Lambda(none, value), value)


def _text_of(node: ast.stmt) -> int:
    """How many statements a function begins with that have to stay the first: its docstring."""
    return int(isinstance(node, Function) and ast.get_docstring(node, clean=False) is not None)


def _is_generator(node: Function) -> bool:
    return any(isinstance(item, ast.Yield | ast.YieldFrom) for item in own(node))


def _is_reader(node: ast.Lambda) -> bool:
    return not hasattr(node, "lineno")
