"""The texts of literals: of numbers, of strings, and of strings that have expressions in them."""

import ast
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import libcst as cst

from flake8_jax.syntax import make
from flake8_jax.syntax.walks import walk

_OLDER = sys.version_info < (3, 12)
_TRIPLE = ('"""', "'''")
_QUOTES = ('"', "'", *_TRIPLE)
_RAW = frozenset("\\\r\0")
"""What no literal has but with a backslash."""
_DECIMAL_BITS = 128
"""What is larger is written to another base: Python refuses to write thousands of digits."""
_NO_SPACE = cst.SimpleWhitespace("")
_SPACE = cst.SimpleWhitespace(" ")
_BRACES = (ast.Dict, ast.Set, ast.DictComp, ast.SetComp)


def number(value: Any) -> str:
    """A number as a literal."""
    if isinstance(value, int) and value.bit_length() > _DECIMAL_BITS:
        return hex(value)
    return repr(value).replace("inf", "1e309")


def interpolations(node: Any) -> Iterator[Any]:
    """The expressions of a formatted or template string, each before those of its format."""
    for value in node.values:
        if not isinstance(value, ast.Constant):
            yield value
            if isinstance(value.format_spec, ast.JoinedStr):
                yield from interpolations(value.format_spec)


def formatted(node: ast.JoinedStr, made: Iterable[cst.BaseExpression]) -> cst.FormattedString:
    """A formatted string whose expressions have been made already, in their order.

    Before Python 3.12 no expression in it has a backslash, or the quotes that are around it.
    """
    made = list(made)
    inner = [text for item in made if type(item) is not cst.Name for text in _quoted(item)]
    free = [
        quote
        for quote in (_TRIPLE if any("\n" in text for text in inner) else _QUOTES)
        if not any(quote in text for text in inner)
    ] or ['"']
    texts = list(_texts(node))
    quote = next((item for item in free if all(_fits(text, item) for text in texts)), free[0])
    return make.FSTRING(tuple(_parts(node, iter(made), quote)), f"f{quote}", quote)


def _texts(node: ast.JoinedStr) -> Iterator[str]:
    """What stands between the expressions, and in their formats."""
    for value in node.values:
        if isinstance(value, ast.Constant):
            yield str(value.value)
        elif isinstance(value, ast.FormattedValue):
            if isinstance(value.format_spec, ast.JoinedStr):
                yield from _texts(value.format_spec)


def _parts(
    node: ast.JoinedStr, made: Iterator[cst.BaseExpression], quote: str, depth: int = 0
) -> Iterator[cst.BaseFormattedStringContent]:
    for value in node.values:
        if isinstance(value, ast.Constant):
            if not value.value:  # which Python 3.12.1 has beside what is nested in formats
                continue
            text = _escaped(str(value.value), quote)
            braces = ("\\x7b", "\\x7d") if depth else ("{{", "}}")
            yield make.TEXT(text.replace("{", braces[0]).replace("}", braces[1]))
        elif isinstance(value, ast.FormattedValue):
            spec = value.format_spec
            yield make.FORMATTED(
                next(made),
                None if value.conversion < 0 else chr(value.conversion),
                tuple(_parts(spec, made, quote, depth + 1))
                if isinstance(spec, ast.JoinedStr)
                else None,
                _SPACE if isinstance(_first(value.value), _BRACES) else _NO_SPACE,
            )


def _first(node: Any) -> Any:
    """The atom that a primary begins with."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


def _fits(text: str, quote: str) -> bool:
    """Whether a text can stand between these quotes as it is."""
    return quote not in text and not text.endswith(quote[0])


def _escaped(text: str, quote: str) -> str:
    shown = repr(text + '"')[1:-2]  # with the quote at its end, all ' are escaped, and no "
    plain = shown.replace("\\'", "'")
    return plain if _fits(text, quote) else plain.replace(quote[0], "\\" + quote[0])


def _quoted(node: cst.CSTNode) -> Iterator[str]:
    """The texts with quotes in an expression; older versions of Python get no backslash there."""
    for item in walk(node):
        if isinstance(item, cst.SimpleString):
            if _OLDER and "\\" in item.value:
                object.__setattr__(item, "value", _raw(item.value))
            yield item.value
        elif isinstance(item, cst.FormattedString):
            yield item.start
        elif isinstance(item, cst.FormattedStringText):
            yield item.value


def _raw(literal: str) -> str:
    """A string literal without escapes, where there is such a one."""
    value = ast.literal_eval(literal)
    if isinstance(value, bytes) or not _RAW.isdisjoint(value):
        return literal
    quotes = _TRIPLE if "\n" in value else _QUOTES
    quote = next((item for item in quotes if _fits(value, item)), None)
    prefix = literal[: literal.index(literal[-1])]
    return literal if quote is None else f"{prefix}{quote}{value}{quote}"
