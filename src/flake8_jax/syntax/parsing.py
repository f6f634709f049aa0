"""libcst's parser behind a guard: what it cannot bear is not handed to it.

Its native code has no limit of depth: some thousand nested brackets overflow the stack, which ends
the process and cannot be caught. So Python's own parser, which has such limits, goes first. And
each pattern in a pattern of a ``case`` is tried up to four times over, which takes hours where
twenty are nested; so those are counted.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from flake8_jax.faults import LOG
from flake8_jax.workspace.outline import Block, shown

_CASE = re.compile(r"^[ \t\f]*case\b(?=[^\n]*[(\[{])", re.MULTILINE)
_PART = re.compile(r"[(\[{]|[)\]}]|[:\n]")
_TRIES = 4
"""How often a pattern is tried for each one around it; measured with libcst 1.9."""
_MOST_TRIES = 100_000
"""About 0.3 seconds."""


def exact(block: Block) -> "Exact | None":
    """The tree of a block with all of its layout; None where libcst cannot parse it."""
    tree = parse_module(block.text) if block.nodes else None
    return Exact(tree) if tree is not None else None


@dataclass(frozen=True, eq=False)
class Exact:
    """A tree that gives the text back as it was."""

    module: cst.Module

    @cached_property
    def _positions(self) -> Mapping[cst.CSTNode, CodeRange]:
        return MetadataWrapper(self.module, unsafe_skip_copy=True).resolve(PositionProvider)

    def start(self, node: cst.CSTNode) -> tuple[int, int]:
        """The line of a node, from 0, and its column, in characters."""
        start = self._positions[node].start
        return start.line - 1, start.column

    def extent(self, node: cst.CSTNode) -> tuple[int, int, int, int]:
        """Where a node starts and ends: lines from 0, columns in characters."""
        start, end = self._positions[node].start, self._positions[node].end
        return start.line - 1, start.column, end.line - 1, end.column

    def quote(self, node: cst.CSTNode) -> str:
        """A node in the words of the source."""
        return self.module.code_for_node(node)


def parse_module(text: str) -> cst.Module | None:
    """The tree of what Python's own parser has accepted; None where libcst does not."""
    if _tries(text) > _MOST_TRIES:
        LOG.info("patterns are nested too deeply for libcst")
        return None
    try:
        return cst.parse_module(text)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # the native parser panics with a BaseException
        LOG.info("libcst: %r", error)
        return None


def _tries(text: str) -> int:
    """How many patterns libcst tries in a text, at the worst."""
    if _CASE.search(text) is None:
        return 0
    text = shown(text)
    found = end = 0
    for case in _CASE.finditer(text):
        depth = deepest = 0
        if case.start() < end:
            continue
        for part in _PART.finditer(text, case.end()):
            end = part.end()
            if part[0] in "([{":
                depth += 1
                deepest = max(depth, deepest)
            elif part[0] in ")]}":
                depth -= 1
            elif depth <= 0:
                break
        found += _TRIES ** min(deepest, 20)
    return found
