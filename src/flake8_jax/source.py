"""A module in pieces, each made into a libcst tree when somebody asks for it.

Most of a module never matters.
"""

import ast
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from flake8_jax.conversion import module, origins
from flake8_jax.outline import Block, first_line
from flake8_jax.project import File

PIECE = 1_000_000
"""The order of a binding counts statements; each piece of a module starts a new million."""

LOG = logging.getLogger("flake8.jax")


@dataclass(eq=False)
class Piece:
    """A top-level statement and its libcst tree."""

    block: Block
    file: File
    has_caches: bool = False
    """Whether it has a pytree class that may have caches."""
    followed: frozenset[str] = frozenset()
    """The functions that are followed, "" for what stands in none; others are if referred to."""

    @property
    def index(self) -> int:
        return self.block.index

    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line."""
        return self.block.first, self.block.last

    @property
    def at(self) -> float:
        """When the piece is reached, in the order of the module's bindings."""
        return self.index * PIECE + 0.5

    @cached_property
    def tree(self) -> cst.Module | None:
        """The libcst tree; None where there is something in it that libcst does not know."""
        try:
            return module(self.block.nodes)
        except (KeyError, RecursionError) as error:
            LOG.info("%s, lines %d to %d: %r", self.file.path, *self.lines, error)
            return None

    @cached_property
    def _origins(self) -> tuple[int, Mapping[int, ast.AST]]:
        """The line on which the piece starts in a tree, and what its nodes are there."""
        nodes = self.block.nodes
        found = origins(nodes, self.tree) if self.tree is not None else {}
        return min(first_line(item) for item in nodes), found

    @cached_property
    def _lines(self) -> list[str]:
        return self.block.text.split("\n")

    def _span(self, node: cst.CSTNode) -> tuple[int, int, int, int]:
        """Where a node starts and ends: lines from the first of the piece, columns in bytes."""
        above, found = self._origins
        origin = found[id(node)]
        assert isinstance(origin, ast.expr | ast.stmt)
        end = (origin.end_lineno or origin.lineno, origin.end_col_offset or 0)
        return origin.lineno - above, origin.col_offset, end[0] - above, end[1]

    def line(self, node: cst.CSTNode) -> int:
        """The line of a function of this piece, of its name if it has decorators."""
        return self.position(node)[0]

    def position(self, node: cst.CSTNode) -> tuple[int, int]:
        """Where a node of this piece starts: its line from 1, its column from 0, in characters."""
        if isinstance(node, cst.Decorator):
            return self._decoration(node)
        line, column, _, _ = self._span(node)
        return self.block.first + line, len(self._lines[line].encode()[:column].decode())

    def _decoration(self, node: cst.Decorator) -> tuple[int, int]:
        """Where the ``@`` of a decorator is."""
        line, column, _, _ = self._span(node.decorator)
        before = self._lines[line].encode()[:column].decode()
        while "@" not in before:
            line -= 1
            before = self._lines[line]
        return self.block.first + line, before.rindex("@")

    def quote(self, node: cst.CSTNode) -> str:
        """A node of this piece in the words of the source, on one line."""
        line, column, last, end = self._span(node)
        *lines, rest = self._lines[line : last + 1]
        text = "\n".join([*lines, rest.encode()[:end].decode()])
        return " ".join(text.encode()[column:].decode().split())


@dataclass(frozen=True)
class Quote:
    """Words of the source, read when they are printed."""

    piece: Piece
    node: cst.CSTNode
    then: str = ""

    def __str__(self) -> str:
        return self.piece.quote(self.node) + self.then


@dataclass(frozen=True, eq=False)
class Source:
    """A module's pieces, in order."""

    file: File
    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, file: File, blocks: Iterable[Block]) -> "Source":
        """The pieces of a module that has been cut into blocks."""
        return cls(file, tuple(Piece(block, file) for block in blocks))
