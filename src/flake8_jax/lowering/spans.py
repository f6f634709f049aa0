"""Spans: four small numbers in one integer.

Lines count from 0 at the top-level statement that holds the node, columns in bytes, as in ``ast``.
A line or column that is too large to be packed is the largest that can be.
"""

from typing import NamedTuple

_BITS = 20
_MOST = (1 << _BITS) - 1


class Extent(NamedTuple):
    """A span, unpacked."""

    line: int
    column: int
    last_line: int
    end: int


def pack(line: int, column: int, last_line: int, end: int) -> int:
    """The four numbers of a span as one; the spans of a text sort by where they begin."""
    if line > _MOST or column > _MOST or last_line > _MOST or end > _MOST:
        line, column, last_line, end = (min(n, _MOST) for n in (line, column, last_line, end))
    return ((line << _BITS | column) << _BITS | last_line) << _BITS | end


def unpack(span: int) -> Extent:
    """The four numbers of a span."""
    rest, end = divmod(span, 1 << _BITS)
    rest, last_line = divmod(rest, 1 << _BITS)
    line, column = divmod(rest, 1 << _BITS)
    return Extent(line, column, last_line, end)
