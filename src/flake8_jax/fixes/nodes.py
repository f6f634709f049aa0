"""The libcst nodes of what the analysis found: it knows where they stand, and no more."""

from collections.abc import Mapping, Sequence

import libcst as cst

from flake8_jax.fixes.pieces import Piece
from flake8_jax.lowering.spans import unpack
from flake8_jax.resolution.modules import Module
from flake8_jax.resolution.scopes import Position
from flake8_jax.syntax import walk

_Place = tuple[int, int]
_STATEMENTS = (cst.BaseSmallStatement, cst.BaseCompoundStatement)


def piece_of(module: Module, index: int) -> Piece:
    """A top-level statement of a module, with its libcst tree."""
    return module.once((Piece, index), lambda: Piece(module.blocks[index], module.file))


def statement_at(module: Module, position: Position) -> cst.CSTNode | None:
    """The statement that starts at a position; a compound one starts after its decorators."""
    start = extent_of(module, position)[:2]
    found = _starting(module, position[0]).get(start, ())
    return next((node for node in found if isinstance(node, _STATEMENTS)), None)


def expression_at(module: Module, position: Position) -> cst.BaseExpression | None:
    """The expression that takes up a span."""
    piece = piece_of(module, position[0])
    extent = extent_of(module, position)
    for node in _starting(module, position[0]).get(extent[:2], ()):
        if isinstance(node, cst.BaseExpression) and piece.extent(node) == extent:
            return node
    return None


def _starting(module: Module, index: int) -> Mapping[_Place, Sequence[cst.CSTNode]]:
    """The nodes of a piece by where they start, those around others first."""

    def compute() -> Mapping[_Place, Sequence[cst.CSTNode]]:
        piece = piece_of(module, index)
        found: dict[_Place, list[cst.CSTNode]] = {}
        for node in walk(piece.tree) if piece.tree is not None else ():
            if isinstance(node, (cst.BaseExpression, *_STATEMENTS)):
                found.setdefault(piece.extent(node)[:2], []).append(node)
        return found

    return module.once((_starting, index), compute)


def extent_of(module: Module, position: Position) -> tuple[int, int, int, int]:
    """A span with its columns in characters, not in bytes."""
    index, span = position
    lines = module.blocks[index].text.split("\n")
    line, column, last, end = unpack(span)
    return line, _characters(lines[line], column), last, _characters(lines[last], end)


def _characters(line: str, column: int) -> int:
    return len(line.encode()[:column].decode())


def quoted(module: Module, node: cst.CSTNode) -> str:
    """A node of a module in the words of the source, and its line; a function by its name."""
    for block in module.blocks:
        piece = piece_of(module, block.index)
        if piece.tree is not None and any(item is node for item in walk(piece.tree)):
            words = node.name.value if isinstance(node, cst.FunctionDef) else piece.quote(node)
            return f"'{words}' on line {piece.position(node)[0]}"
    return "something"
