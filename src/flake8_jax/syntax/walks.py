"""Walks over libcst trees that see meaning and skip layout.

A ``CSTVisitor`` visits every blank and comma; these functions follow only the fields that carry
meaning, which makes them some fifteen times cheaper.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields
from operator import attrgetter
from typing import Any

import libcst as cst

Function = cst.FunctionDef | cst.Lambda

_LAYOUT = frozenset(
    "asynchronous colon comma dot equal first_colon footer from_ header indent lbrace lbracket "
    "leading_lines lines_after_decorators lpar newline operator posonly_ind rbrace rbracket rpar "
    "second_colon semicolon separator star trailing_comma trailing_whitespace".split()
)
_TEXTS = (str, "str")
_COMPOUND = frozenset({cst.If, cst.For, cst.While, cst.With, cst.Try, cst.TryStar, cst.Match})
_LONGEST_STRING = 100_000
_LONGEST_NUMBER = 20


class _Getters(dict[type[cst.CSTNode], Callable[[Any], tuple[Any, ...]]]):
    """What gives the fields of a node that may hold nodes with a meaning, by the node's type."""

    def __missing__(self, kind: type[cst.CSTNode]) -> Callable[[Any], tuple[Any, ...]]:
        names = [
            field.name
            for field in fields(kind)
            if field.type not in _TEXTS
            and field.name not in _LAYOUT
            and not field.name.startswith("whitespace")
        ]
        self[kind] = attrgetter(*names) if len(names) > 1 else _few(*names)
        return self[kind]


def _few(*names: str) -> Callable[[Any], tuple[Any, ...]]:
    """As ``attrgetter``, but with a tuple for a single field, and for none."""
    if not names:
        return lambda _: ()
    get = attrgetter(*names)
    return lambda node: (get(node),)


class _Nodes(dict[type[object], bool]):
    """Whether a type is one of nodes, found out once for each."""

    def __missing__(self, kind: type[object]) -> bool:
        self[kind] = issubclass(kind, cst.CSTNode)
        return self[kind]


_GETTERS = _Getters()
_IS_NODE = _Nodes()


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes directly below ``node``, without layout."""
    found: list[cst.CSTNode] = []
    for value in _GETTERS[type(node)](node):
        kind = type(value)
        if kind is tuple or kind is list:
            found.extend(value)
        elif _IS_NODE[kind]:  # an isinstance test against an abstract class costs five times this
            found.append(value)
    return found


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """``node`` and all below it, nested functions and classes included."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))


def statements(body: cst.BaseSuite | cst.Module) -> Iterator[cst.CSTNode]:
    """The statements of a block, with those that share a line taken apart."""
    for statement in body.body:
        if type(statement) is cst.SimpleStatementLine:
            yield from statement.body
        else:
            yield statement


def blocks(statement: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The statements in the blocks of a compound statement that opens no scope of its own."""
    if type(statement) not in _COMPOUND:
        return
    match statement:
        case cst.If() | cst.For() | cst.While():
            yield from statements(statement.body)
            if statement.orelse is not None:
                orelse = statement.orelse
                yield from [orelse] if isinstance(orelse, cst.If) else statements(orelse.body)
        case cst.With():
            yield from statements(statement.body)
        case cst.Try() | cst.TryStar():
            yield from statements(statement.body)
            for handler in statement.handlers:
                yield from statements(handler.body)
            for block in (statement.orelse, statement.finalbody):
                if block is not None:
                    yield from statements(block.body)
        case cst.Match():
            for case in statement.cases:
                yield from statements(case.body)


def flat(body: cst.BaseSuite | cst.Module) -> Iterator[cst.CSTNode]:
    """All statements that run in a block's own scope, at whatever depth."""
    stack = list(statements(body))[::-1]
    while stack:
        statement = stack.pop()
        yield statement
        if type(statement) in _COMPOUND:
            stack.extend(reversed(tuple(blocks(statement))))


def string_value(node: cst.CSTNode | None) -> str | None:
    """The text of a string literal; None where it is longer than a name or key can be."""
    parts: list[cst.CSTNode | None] = []
    while type(node) is cst.ConcatenatedString:  # which may be nested as deeply as it is long
        parts.append(node.left)
        node = node.right
    texts = [_text(part) for part in (*parts, node)]
    known = [text for text in texts if text is not None]
    return "".join(known) if len(known) == len(texts) else None


def _text(node: cst.CSTNode | None) -> str | None:
    if type(node) is not cst.SimpleString or len(node.value) > _LONGEST_STRING:
        return None
    value = node.evaluated_value
    return value if isinstance(value, str) else None


def integer_value(node: cst.CSTNode | None) -> int | None:
    """The number that an integer literal is; None where it is larger than an index can be.

    Python refuses to print a number of some thousand digits, and takes its time before that.
    """
    if type(node) is not cst.Integer or len(node.value) > _LONGEST_NUMBER:
        return None
    return int(node.value, 0)


def is_name(node: cst.CSTNode | None, name: str) -> bool:
    """Whether ``node`` is the bare name ``name``."""
    return type(node) is cst.Name and node.value == name


def first_parameter(function: Function) -> str | None:
    """The name of a function's first positional parameter."""
    for parameter in (*function.params.posonly_params, *function.params.params):
        return parameter.name.value
    return None


def last_part(node: cst.CSTNode | None) -> str | None:
    """The last identifier of a dotted name, a subscript stripped: ``List`` of ``t.List[int]``."""
    if type(node) is cst.Subscript:
        node = node.value
    if type(node) is cst.Attribute:
        return node.attr.value
    return node.value if type(node) is cst.Name else None


def positional(arguments: tuple[cst.Arg, ...]) -> tuple[cst.BaseExpression, ...]:
    """The values of the positional arguments before any starred one."""
    found = []
    for argument in arguments:
        if argument.star:
            break
        if argument.keyword is None:
            found.append(argument.value)
    return tuple(found)


def parameter_names(function: cst.FunctionDef) -> Iterator[str]:
    """The names of all parameters of a function, in order."""
    params = function.params
    for parameter in (*params.posonly_params, *params.params, *params.kwonly_params):
        yield parameter.name.value
    for star in (params.star_arg, params.star_kwarg):
        if isinstance(star, cst.Param):
            yield star.name.value
