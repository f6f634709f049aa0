"""Edits: what a fix changes in the tree of a module, and the lines that come of it."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import libcst as cst

from flake8_jax.fixes.pieces import Piece
from flake8_jax.fixes.safety import Safety

Changed = cst.CSTNode | cst.RemovalSentinel
Change = Callable[[cst.CSTNode], Changed]
NOQA = re.compile(r"#\s*noqa\b", re.IGNORECASE)
"""Comments that go with the line that they are about."""


@dataclass(frozen=True, eq=False)
class Edit:
    """A change of one node; what is below the node may be changed by other edits."""

    piece: Piece
    node: cst.CSTNode
    change: Change


@dataclass(frozen=True, eq=False)
class Fix:
    """What takes a finding away."""

    edits: tuple[Edit, ...]
    safety: Safety = Safety.SAFE
    alters: str = ""
    """What is not as it was, or is lost without a word where an error told of it before."""
    needs: str | None = None
    """A module that has to be imported under its own name."""
    frees: frozenset[str] = frozenset()
    """Names that may have been imported for nothing else."""
    cache: str | None = None
    """The attribute that is no cache any more."""
    beside: frozenset[tuple[int, int]] = frozenset()
    """Where statements stand that have to be fixed as well, if they are reported at all."""

    @property
    def concerns(self) -> frozenset[tuple[int, int]]:
        """The places that must not have been silenced, for that says that they are right."""
        return self.beside | {edit.piece.position(edit.node) for edit in self.edits}


class _Comments(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Comment):
            self.found.append(node.value)
        return True


def comments(node: cst.CSTNode) -> list[str]:
    """The comments in a node, which walks over its meaning do not see."""
    visitor = _Comments()
    node.visit(visitor)
    return visitor.found


def keeps_comments(edit: Edit) -> bool:
    """Whether all comments but those for linters are there after an edit."""
    after = edit.change(edit.node)
    there = comments(after) if isinstance(after, cst.CSTNode) else []
    lost = Counter(comments(edit.node)) - Counter(there)
    return all(NOQA.match(text) for text in lost)


class _Apply(cst.CSTTransformer):
    def __init__(self, changes: dict[cst.CSTNode, Change]) -> None:
        super().__init__()
        self._changes = changes

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> Changed:
        change = self._changes.get(original_node)
        return updated_node if change is None else change(updated_node)


def compatible(fixes: Iterable[Fix]) -> list[Fix]:
    """The fixes that can be applied together: no two of them change the same node."""
    chosen: list[Fix] = []
    taken: set[cst.CSTNode] = set()
    for fix in fixes:
        nodes = {edit.node for edit in fix.edits}
        if taken.isdisjoint(nodes):
            chosen.append(fix)
            taken |= nodes
    return chosen


def applied(lines: Sequence[str], fixes: Iterable[Fix]) -> list[str]:
    """The lines of a module after some fixes; all that they do not change stays as it is."""
    changes: dict[Piece, dict[cst.CSTNode, Change]] = {}
    for fix in fixes:
        for edit in fix.edits:
            changes.setdefault(edit.piece, {})[edit.node] = edit.change
    result = list(lines)
    for piece in sorted(changes, key=lambda piece: piece.index, reverse=True):
        tree = piece.tree
        assert tree is not None
        start = piece.block.first - 1
        old = split(piece.block.text)
        if result[start : start + len(old)] != old:
            raise ValueError(f"line {start + 1} is not where it was")
        new = tree.visit(_Apply(changes[piece]))
        assert isinstance(new, cst.Module)
        result[start : start + len(old)] = split(new.code)
    return result


def split(text: str) -> list[str]:
    """The lines of a text with their ends; only ``\\n`` ends a line."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
