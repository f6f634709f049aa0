"""Globals and attributes that context managers set anew when their block ends.

What is left in them meanwhile belongs to the block, as what a ``ContextVar`` holds.
"""

from collections.abc import Iterator

import libcst as cst

from flake8_jax.flow.analysis import Flow
from flake8_jax.flow.values import STATIC, Write
from flake8_jax.model import Model
from flake8_jax.source import Piece
from flake8_jax.syntax import walk, walk_scope

_WORDS = frozenset({"contextmanager", "asynccontextmanager", "__exit__", "__aexit__"})
_EXITS = frozenset({"__exit__", "__aexit__"})


def is_restored(flow: Flow, write: Write) -> bool:
    """Whether a context manager sets what is written, or what holds it, anew at its end."""
    root = write.place.root
    if root.owner is None:
        home, name = flow.home_of(root.name)
        if name in home.model.once(_restored):
            return True
    piece = write.piece if write.origin is None else write.origin.piece
    model = piece.file.analysis.get(Model)
    words = model.once(_restored) if isinstance(model, Model) else frozenset()
    return any(f".{step.lstrip(STATIC)}" in words for step in write.place.path)


def _restored(model: Model) -> frozenset[str]:
    """The global names of a module, and attributes with a dot before them, that are set anew."""
    found: set[str] = set()
    for piece in model.scope.source.pieces:
        if not _WORDS.isdisjoint(piece.block.words):
            found.update(_set_at_the_end(piece))
    return frozenset(found)


def _set_at_the_end(piece: Piece) -> Iterator[str]:
    for node in walk(piece.tree) if piece.tree is not None else ():
        if not isinstance(node, cst.FunctionDef):
            continue
        outer = {
            item.name.value
            for part in walk_scope(node.body)
            if isinstance(part, cst.Global)
            for item in part.names
        }
        ends = [node.body] if node.name.value in _EXITS else list(_behind_a_yield(node))
        for end in ends:
            for target in _targets(end):
                if isinstance(target, cst.Attribute):
                    yield f".{target.attr.value}"
                elif target.value in outer:
                    yield target.value


def _behind_a_yield(function: cst.FunctionDef) -> Iterator[cst.CSTNode]:
    """What is done in any case after a ``yield``."""
    for node in walk_scope(function.body):
        if isinstance(node, cst.Try) and node.finalbody is not None:
            if any(isinstance(part, cst.Yield) for part in walk_scope(node.body)):
                yield node.finalbody


def _targets(node: cst.CSTNode) -> Iterator[cst.Name | cst.Attribute]:
    """The names and attributes that are assigned, those in tuples included."""
    for part in walk_scope(node):
        if isinstance(part, cst.AssignTarget):
            stack: list[cst.CSTNode] = [part.target]
            while stack:
                target = stack.pop()
                if isinstance(target, cst.Tuple | cst.List):
                    stack += [item.value for item in target.elements]
                elif isinstance(target, cst.Name | cst.Attribute):
                    yield target
