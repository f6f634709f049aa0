"""libcst trees, made of the ``ast`` trees that there are already.

libcst's own parser takes about ten times as long as Python's, mostly for blanks and commas, which
mean nothing here. So what is analysed are libcst's nodes with the layout that libcst gives to new
nodes. Comments, the joints of adjacent strings and the difference between ``elif`` and ``else: if``
are not there any more, and parentheses are where they are needed.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import libcst as cst

from flake8_jax.faults import LOG
from flake8_jax.outline import Block, first_line
from flake8_jax.syntax import make
from flake8_jax.syntax.converter import Converter
from flake8_jax.syntax.walks import children


def expression(text: str) -> cst.BaseExpression | None:
    """The libcst tree of an expression; None where the text is none."""
    try:
        return cast("cst.BaseExpression", Converter().one(ast.parse(text, mode="eval").body))
    except (SyntaxError, ValueError, make.UnknownNodeError, RecursionError, MemoryError):
        return None


def converted(block: Block) -> "Converted | None":
    """The libcst tree of a block; None where it has something that libcst does not know."""
    try:
        return Converted(block, make.MODULE(Converter().body(block.nodes)))
    except (make.UnknownNodeError, RecursionError) as error:
        LOG.info("lines %d to %d: %r", block.first, block.last, error)
        return None


@dataclass(frozen=True, eq=False)
class Converted:
    """A tree without layout; where its nodes stand is found out from what they were made of."""

    block: Block
    module: cst.Module

    @cached_property
    def _origins(self) -> tuple[int, Mapping[int, ast.AST]]:
        """The line on which the block starts, and what each node, by identity, was made of."""
        nodes = self.block.nodes
        recorder = Recorder()
        found: dict[int, ast.AST] = {}
        stack: list[tuple[cst.CSTNode, cst.CSTNode]] = [
            (self.module, make.MODULE(recorder.body(nodes)))
        ]
        while stack:
            here, twin = stack.pop()
            if id(twin) in recorder.made:
                found[id(here)] = recorder.made[id(twin)]
            stack += zip(children(here), children(twin), strict=True)
        return min(first_line(item) for item in nodes), found

    @cached_property
    def _lines(self) -> list[str]:
        return self.block.text.split("\n")

    def _before(self, line: int, column: int) -> str:
        """A line up to a column that is counted in bytes."""
        return self._lines[line].encode()[:column].decode()

    def _span(self, node: cst.CSTNode) -> tuple[int, int, int, int]:
        """The first line and column, and the last."""
        above, found = self._origins
        origin = found[id(node)]
        assert isinstance(origin, ast.expr | ast.stmt)
        last = origin.end_lineno or origin.lineno
        return origin.lineno - above, origin.col_offset, last - above, origin.end_col_offset or 0

    def start(self, node: cst.CSTNode) -> tuple[int, int]:
        """The line of a node, from 0, and its column, in characters; of a decorator, its ``@``."""
        if not isinstance(node, cst.Decorator):
            line, column, _, _ = self._span(node)
            return line, len(self._before(line, column))
        line, column, _, _ = self._span(node.decorator)
        before = self._before(line, column)
        while "@" not in before:
            line -= 1
            before = self._lines[line]
        return line, before.rindex("@")

    def extent(self, node: cst.CSTNode) -> tuple[int, int, int, int]:
        """Where a node starts and ends: lines from 0, columns in characters."""
        line, column, last, end = self._span(node)
        return line, len(self._before(line, column)), last, len(self._before(last, end))

    def quote(self, node: cst.CSTNode) -> str:
        """A node in the words of the source."""
        line, column, last, end = self._span(node)
        text = "\n".join([*self._lines[line:last], self._before(last, end)])
        return text[len(self._before(line, column)) :]


class Recorder(Converter):
    """A converter that remembers what each node, by its identity, was made of."""

    def __init__(self) -> None:
        self.made: dict[int, Any] = {}

    def one(self, node: Any, level: int = 0) -> Any:
        found = Converter.one(self, node, level)  # super() takes longer than the rest
        self.made[id(found)] = node
        return found
