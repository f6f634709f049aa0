"""The hand-made caches of pytree classes: whether jit drops, breaks or leaks what is stored."""

from collections.abc import Iterator

from flake8_jax.classes.construction import construction_fills
from flake8_jax.classes.custom_cached_property import asks_about_tracers
from flake8_jax.classes.layout import (
    fields,
    filling,
    rebuilds_by_construction,
    restores,
    routine,
)
from flake8_jax.classes.lazy import PytreeLazyStore, pytree_lazy_stores
from flake8_jax.classes.walks import stores
from flake8_jax.knowledge.pytrees import Filling
from flake8_jax.lowering.program import Attr, Call, Expr
from flake8_jax.resolution.callee import callees
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.modules import Module
from flake8_jax.resolution.resolve import Expression, resolve
from flake8_jax.resolution.scopes import Scope
from flake8_jax.verdicts.contents import Holds, may_store_tracers, stored_contents
from flake8_jax.verdicts.places import Place, start
from flake8_jax.wording import ToldCache

LAZY = "JAX104"
CODES = (LAZY,)
_UNSEEN = (Filling.UNSEEN, Filling.KEPT)
_TRACKED = "flax.nnx."


def places(module: Module) -> Iterator[Place]:
    """The hand-made caches that are reported, at the store, or the class that inherits it."""
    for found in pytree_lazy_stores(module):
        if is_hazard(found):
            position = found.info.definition.position
            position = position if found.is_inherited else found.store.position
            yield Place(*start(module, *position), LAZY, _told(found))


def is_hazard(found: PytreeLazyStore) -> bool:
    """Whether jit drops, breaks or leaks what is stored."""
    info, made, store = found
    if made.kind.keeps_writes and _is_tracked(found):
        return False
    if restores(info, made, store.field) or _is_there_when_made(found):
        return False
    declared = [field for field in fields(info) if field.name == store.field]
    if store.is_entry:
        is_static = any(field.is_static for field in declared)
        return not is_static and stored_contents(found) is Holds.ANYTHING
    if any(field.is_static for field in declared) and not may_store_tracers(found):
        return False  # it is handed on with the structure of the tree
    is_declared = bool(declared)
    is_unseen = filling(info, made) in _UNSEEN and not is_declared
    if is_unseen and asks_about_tracers(store.function.function, store.function.inside):
        return False
    if stored_contents(found) is Holds.ANYTHING:
        return True
    return not made.kind.keeps_writes and not is_unseen


def _is_there_when_made(found: PytreeLazyStore) -> bool:
    """Whether each instance has the value from the start, also one that jit rebuilds."""
    info, made, store = found
    if made.kind.filling is not Filling.UNSEEN or not rebuilds_by_construction(info, made):
        return False
    return not store.is_entry and construction_fills(info, store.attribute)


def _is_tracked(found: PytreeLazyStore) -> bool:
    """Whether the library itself keeps the value: nnx variables and data attributes."""
    store = found.store
    values = [(store.value, store.function.inside), *_initial(found)]
    return any(_is_of_library(*item) for item in values)


def _initial(found: PytreeLazyStore) -> Iterator[tuple[Expr, Scope]]:
    """What the constructor assigns to the attribute."""
    init = found.info.method("__init__")
    if init is None:
        return
    for item in stores(routine(init).function.body):
        if any(isinstance(t, Attr) and t.name == found.store.field for t in item.targets):
            yield item.value, init.inside


def _is_of_library(value: Expr, scope: Scope) -> bool:
    return any(
        isinstance(used.target, External) and used.target.dotted.startswith(_TRACKED)
        for item in resolve(scope, value)
        if isinstance(item, Expression) and isinstance(item.expr, Call)
        for used in callees(item.scope, item.expr.callee, item.position)
    )


def _told(found: PytreeLazyStore) -> ToldCache:
    info, made, store = found
    fills = filling(info, made)
    is_declared = any(field.name == store.field for field in fields(info))
    is_made_with = fills is Filling.BREAKS and any(_initial(found))
    return ToldCache(
        info.name,
        store.attribute,
        made.marker,
        fills,
        inherited=store.owner.name if found.is_inherited else "",
        is_field=is_declared or is_made_with,
    )
