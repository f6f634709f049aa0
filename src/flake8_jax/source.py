"""A module in pieces, each parsed by libcst when somebody asks for it.

libcst costs ten times what ``ast`` does, and most of a module never matters.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from flake8_jax.outline import Block
from flake8_jax.parsing import parse_module
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
        """The libcst tree; None where Python or libcst cannot parse the text."""
        tree = parse_module(self.block.text) if self.block.nodes else None
        if tree is None:
            LOG.info("%s, lines %d to %d: not parsed", self.file.path, *self.lines)
        return tree

    @cached_property
    def _positions(self) -> MetadataWrapper:
        assert self.tree is not None
        return MetadataWrapper(self.tree, unsafe_skip_copy=True)

    def line(self, node: cst.CSTNode) -> int:
        """The line of a function of this piece, of its name if it has decorators."""
        anchor = node.name if isinstance(node, cst.FunctionDef | cst.ClassDef) else node
        return self.position(anchor)[0]

    def position(self, node: cst.CSTNode) -> tuple[int, int]:
        """Where a node of this piece starts: its line from 1, its column from 0, in characters."""
        start = self._positions.resolve(PositionProvider)[node].start
        return self.block.first + start.line - 1, start.column


@dataclass(frozen=True, eq=False)
class Source:
    """A module's pieces, in order."""

    file: File
    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, file: File, blocks: Iterable[Block]) -> "Source":
        """The pieces of a module that has been cut into blocks."""
        return cls(file, tuple(Piece(block, file) for block in blocks))
