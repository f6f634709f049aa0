"""A module in pieces, each made into a libcst tree when somebody asks for it.

Most of a module never matters.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import libcst as cst

from flake8_jax.faults import LOG
from flake8_jax.outline import Block
from flake8_jax.printable import printable
from flake8_jax.project import File
from flake8_jax.syntax.trees import converted

PIECE = 1_000_000
"""The order of a binding counts statements; each piece of a module starts a new million."""

_LONGEST = 120
"""How many characters of the source a message quotes."""


class Tree(Protocol):
    """A libcst tree, and where its nodes stand in the text."""

    @property
    def module(self) -> cst.Module: ...
    def start(self, node: cst.CSTNode) -> tuple[int, int]:
        """The line of a node, from 0, and its column, in characters."""

    def extent(self, node: cst.CSTNode) -> tuple[int, int, int, int]:
        """Its first line, from 0, and column, its last line, and the column where it ends."""

    def quote(self, node: cst.CSTNode) -> str:
        """A node in the words of the source."""


@dataclass(eq=False)
class Piece:
    """A top-level statement and its libcst tree."""

    block: Block
    file: File

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

    @property
    def tree(self) -> cst.Module | None:
        """The libcst tree; None where the text cannot be read by libcst."""
        return self._tree.module if self._tree is not None else None

    @cached_property
    def _tree(self) -> Tree | None:
        tree: Tree | None
        if self.file.exact:
            from flake8_jax.syntax.parsing import (
                exact,  # brings much that is needed for changes only
            )

            tree = exact(self.block)
        else:
            tree = converted(self.block)
        if tree is None:
            LOG.info("%s, lines %d to %d: not read", self.file.path, *self.lines)
        return tree

    def position(self, node: cst.CSTNode) -> tuple[int, int]:
        """Where a node of this piece starts: its line from 1, its column from 0, in characters."""
        assert self._tree is not None
        line, column = self._tree.start(node)
        return self.block.first + line, column

    def extent(self, node: cst.CSTNode) -> tuple[int, int, int, int]:
        """Where a node starts and ends: lines from 0 in this piece, columns in characters."""
        assert self._tree is not None
        return self._tree.extent(node)

    def quote(self, node: cst.CSTNode) -> str:
        """A node of this piece in the words of the source, on one line that can be read."""
        assert self._tree is not None
        words = printable(" ".join(self._tree.quote(node).split()))
        return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 40]}...{words[-37:]}"


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
