"""Imports that fixes make necessary, and those that they leave without a use."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from flake8_jax.fixes.edits import split

_PROMPT = re.compile(r"^\s*(?:>>>|\.\.\.)(.*)", re.MULTILINE)
"""What a docstring has the doctests run, with the names of its module."""
_KEEPS = re.compile(r"#.*\b(?:noqa|type:|isort:|pragma)", re.IGNORECASE)


def with_imports(lines: Sequence[str], modules: Iterable[str]) -> list[str]:
    """The lines of a module that also imports some modules, each under its own name."""
    wanted = sorted(set(modules))
    if not wanted:
        return list(lines)
    at = _place(ast.parse("".join(lines)))
    return [*lines[:at], *(f"import {name}\n" for name in wanted), *lines[at:]]


def _place(tree: ast.Module) -> int:
    """After how many lines an import may stand: before all but what has to be first."""
    after = 0
    for node in tree.body:
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                after = node.end_lineno or after
            case ast.ImportFrom(module="__future__"):
                after = node.end_lineno or after
            case _:
                above: list[ast.expr] = getattr(node, "decorator_list", [])
                first = min([node.lineno, *(item.lineno for item in above)])
                return max(first - 1, after)
    return after


def without_unused(lines: Sequence[str], names: Iterable[str]) -> list[str]:
    """The lines of a module without the imports of names that nothing in it mentions.

    An import stays where it may be there for others: under an alias of the same name, with a
    comment for some tool, in a block, or if anything else binds the name.
    """
    result = list(lines)
    for name in sorted(names):
        tree = ast.parse("".join(result))
        if name in _mentioned(tree):
            continue
        found = [node for node in ast.walk(tree) if name in _bound(node)]
        match found:
            case [ast.Import() | ast.ImportFrom() as node] if node in tree.body:
                result = _without(result, node, name)
    return result


def _mentioned(tree: ast.Module) -> frozenset[str]:
    """The names that are used, also in strings; of a docstring only what its examples run."""
    found: set[str] = set()
    prose = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name):
                found.add(name)
            case ast.Constant(value=str(text)):
                used = "\n".join(_PROMPT.findall(text)) if node in prose else text
                found.update(re.findall(r"\w+", used))
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                found.update(names)
    return frozenset(found)


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a node binds as an import does, or in place of one."""
    match node:
        case ast.Import() | ast.ImportFrom():
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.arg(arg=name) | ast.ExceptHandler(name=str(name)):
            yield name


def _without(lines: list[str], node: ast.Import | ast.ImportFrom, name: str) -> list[str]:
    first, last = node.lineno - 1, node.end_lineno or node.lineno
    text = "".join(lines[first:last])
    aliases = [item for item in node.names if (item.asname or item.name.partition(".")[0]) == name]
    if len(aliases) != 1 or aliases[0].asname == aliases[0].name or _KEEPS.search(text):
        return lines
    tree = cst.parse_module(text)
    match tree.body:
        case [cst.SimpleStatementLine(body=[cst.Import() | cst.ImportFrom() as statement])]:
            pass
        case _:
            return lines  # it shares its line
    if len(node.names) > 1 and not isinstance(statement.names, cst.ImportStar):
        rest = _rest(list(statement.names), node.names.index(aliases[0]))
        if rest is None:
            return lines
        changed = tree.with_deep_changes(statement, names=rest)
        return [*lines[:first], *split(changed.code), *lines[last:]]
    if "#" in text:
        return lines
    alone = (first == 0 or not lines[first - 1].strip()) and last < len(lines)
    if alone and not lines[last].strip():
        last += 1  # the blank line that set it apart
    return [*lines[:first], *lines[last:]]


def _rest(names: list[cst.ImportAlias], index: int) -> list[cst.ImportAlias] | None:
    """The names of an import without one of them; None where a comment would go with it."""
    removed = names.pop(index)
    if isinstance(removed.comma, cst.Comma):
        white = cst.Module([]).code_for_node(removed.comma.whitespace_after)
        if "#" in white:
            return None
    if index == len(names):
        names[-1] = names[-1].with_changes(comma=removed.comma)
    return names
