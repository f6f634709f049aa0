"""libcst trees, made of the ``ast`` trees that there are already.

libcst's own parser takes about ten times as long as Python's, mostly for blanks and commas, which
mean nothing here. So what is analysed are libcst's nodes with the layout that libcst gives to new
nodes. Comments, the joints of adjacent strings and the difference between ``elif`` and ``else: if``
are not there any more, and parentheses are where they are needed.
"""

import ast
from collections.abc import Mapping
from typing import Any, cast

import libcst as cst

from flake8_jax.syntax import make
from flake8_jax.syntax.converter import Converter
from flake8_jax.workspace.outline import Block


def expression(text: str) -> cst.BaseExpression | None:
    """The libcst tree of an expression; None where the text is none."""
    try:
        return cast("cst.BaseExpression", Converter().one(ast.parse(text, mode="eval").body))
    except (SyntaxError, ValueError, make.UnknownNodeError, RecursionError, MemoryError):
        return None


def converted(block: Block) -> tuple[cst.Module, Mapping[int, Any]]:
    """The libcst tree of a block, and what each node, by its identity, was made of."""
    recorder = Recorder()
    return make.MODULE(recorder.body(block.nodes)), recorder.made


class Recorder(Converter):
    """A converter that remembers what each node, by its identity, was made of."""

    def __init__(self) -> None:
        self.made: dict[int, Any] = {}

    def one(self, node: Any, level: int = 0) -> Any:
        found = Converter.one(self, node, level)  # super() takes longer than the rest
        self.made[id(found)] = node
        return found
