"""What the first core found, as the fixes take it: the same nodes in the trees that they change."""

import libcst as cst

from flake8_jax.caches import PytreeCache
from flake8_jax.classes import caches as seconds
from flake8_jax.classes.table import ClassInfo, classes
from flake8_jax.fixes import arrays, caches, frozen, results, returning
from flake8_jax.fixes.declining import DeclinedError
from flake8_jax.fixes.edits import Fix
from flake8_jax.fixes.nodes import node_like, piece_of
from flake8_jax.flow.values import FrozenWrite, Write
from flake8_jax.model import Model, ModelClass
from flake8_jax.resolution.modules import Module, module_of
from flake8_jax.scopes import ModuleScope
from flake8_jax.source import Piece
from flake8_jax.verdicts.places import start
from flake8_jax.writes import Verdict, verdicts


def plain_property(found: PytreeCache) -> Fix | None:
    """The fix of a cached property on a pytree."""
    known = _cache(found)
    return caches.plain_property(known) if known is not None else None


def plain_method(found: PytreeCache) -> Fix | None:
    """The fix of a function cache on a pytree's method."""
    known = _cache(found)
    return caches.plain_method(known) if known is not None else None


def _cache(found: PytreeCache) -> seconds.PytreeCache | None:
    """A cache, as the second core knows it."""
    module = _module(found.cls.model)
    for form in seconds.CacheForm:
        for item in seconds.pytree_caches(module, form):
            if item.info is _info(found.cls) and item.cache.attribute == found.cache.attribute:
                return item
    return None


def bind_copy(model: Model, node: cst.CSTNode, write: FrozenWrite) -> Fix | None:
    """The fix of an assignment to a frozen pytree."""
    module = _module(model)
    refusal = write.refusal
    info = _info(refusal.cls)
    here = node_like(module, write.piece, node)
    if write.by_caller or here is None or (info is None and refusal.cls is not None):
        raise DeclinedError("only some callers give an object that is frozen; annotate it")
    refused = frozen.Refused(refusal.attribute, refusal.kind, info)
    return frozen.bind_copy(module, piece_of(module, write.piece.index), here, refused)


def bind_array(model: Model, found: Verdict) -> Fix | None:
    """The fix of an item assignment to an array."""
    module, write, trace = _module(model), found.write, found.trace
    here = node_like(module, write.piece, write.node)
    if here is None or write.origin is not None:
        raise DeclinedError("the assignment itself stands in another function")
    is_here = trace.function.piece is write.piece
    traced = write.piece.extent(trace.function.node)[:2] if is_here else None
    element = arrays.Element(write.is_known, traced, trace.same)
    return arrays.bind_array(module, piece_of(module, write.piece.index), here, element)


def bind_result(model: Model, piece: Piece, node: cst.CSTNode) -> Fix | None:
    """The fix of an update that is thrown away."""
    module = _module(model)
    here = node_like(module, piece, node)
    return results.bind_result(module, piece_of(module, piece.index), here) if here else None


def hand_back(model: Model, found: Verdict) -> Fix | None:
    """The fix of a write that is lost."""
    module, ref = _module(model), found.trace.function
    if not isinstance(ref.scope, ModuleScope) or not found.trace.transform.is_jit:
        return None
    function = node_like(module, ref.piece, ref.node)
    if ref.piece.file is not module.file or not isinstance(function, cst.FunctionDef):
        return None
    changes: dict[cst.CSTNode, returning.Change] = {}
    for item in model.once(verdicts).values():
        write = item.write
        node = node_like(module, write.piece, write.node)
        if write.place.root.owner is ref.node and node is not None:
            changes[node] = returning.Change(write.place.root.name, _refused(write))
    piece = piece_of(module, ref.piece.index)
    name = found.write.place.root.name
    return returning.hand_back(module, returning.Lost(piece, function, name, changes))


def _refused(write: Write) -> frozen.Refused | None:
    making = write.cls.making if write.cls is not None else None
    info = _info(write.cls)
    if making is None or info is None or write.via or len(write.place.path) != 1:
        return None
    return frozen.Refused(write.place.path[0], making.kind, info)


def _module(model: Model) -> Module:
    return module_of(model.scope.links.project, model.scope.source.file)


def _info(cls: ModelClass | None) -> ClassInfo | None:
    """A class, as the second core knows it."""
    if cls is None:
        return None
    module = _module(cls.model)
    place = cls.piece.position(cls.node)
    for info in classes(module):
        if info.name == cls.name and place == start(module, *info.definition.position):
            return info
    return None
