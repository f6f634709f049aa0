"""The top-level statements of a module as libcst trees, each made when somebody asks for it."""

from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from flake8_jax.faults import LOG
from flake8_jax.printable import printable
from flake8_jax.syntax.parsing import Exact, exact
from flake8_jax.workspace.files import File
from flake8_jax.workspace.outline import Block

_LONGEST = 120
"""How many characters of the source a message quotes."""


@dataclass(eq=False)
class Piece:
    """A top-level statement and its libcst tree."""

    block: Block
    file: File

    @property
    def index(self) -> int:
        return self.block.index

    @property
    def tree(self) -> cst.Module | None:
        """The libcst tree; None where the text cannot be read by libcst."""
        return self._tree.module if self._tree is not None else None

    @cached_property
    def _tree(self) -> Exact | None:
        tree = exact(self.block)
        if tree is None:
            lines = self.block.first, self.block.last
            LOG.info("%s, lines %d to %d: not read", self.file.path, *lines)
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
