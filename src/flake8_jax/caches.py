"""The caches of pytree classes, and whether jit makes anything of them go wrong."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TypeGuard

import libcst as cst

from flake8_jax.callers import construction_fills
from flake8_jax.contents import Holds, cached_contents, stored_contents
from flake8_jax.knowledge.pytrees import NNX, Filling
from flake8_jax.lazy import LazyStore, lazy_stores
from flake8_jax.markers import Making
from flake8_jax.model import Cache, CacheForm, Model, ModelClass
from flake8_jax.names import applied, asks_about_tracers, refer
from flake8_jax.scopes import Referent, Valued, inner_scope
from flake8_jax.syntax import is_name, keyword, walk
from flake8_jax.tree import (
    fields,
    filling,
    is_registered,
    may_hold_arrays,
    rebuilds_by_construction,
    restores,
)


class Outcome(Enum):
    """What becomes of a cache when its object passes through jit."""

    HAZARD = "the cache is dropped, or it breaks the tree, or it keeps a Tracer"
    RETRACED = "Python computes the value again at each trace"
    HARMLESS = "nothing that anybody would notice"


_OUTCOMES = {
    (Filling.UNSEEN, Holds.STATIC): Outcome.RETRACED,
    (Filling.UNSEEN, Holds.OBJECT): Outcome.RETRACED,
    (Filling.UNSEEN, Holds.FUNCTION): Outcome.HARMLESS,
    (Filling.KEPT, Holds.STATIC): Outcome.HARMLESS,
    (Filling.KEPT, Holds.OBJECT): Outcome.HARMLESS,
    (Filling.KEPT, Holds.FUNCTION): Outcome.HARMLESS,
}
"""By what filling an instance does to its tree, and what the cache holds; the rest are hazards."""


@dataclass(frozen=True, eq=False)
class PytreeCache:
    """A cache that a pytree class declares, or inherits from a class that is none."""

    cls: ModelClass
    making: Making
    owner: ModelClass
    cache: Cache

    @property
    def anchor(self) -> cst.CSTNode:
        """Where to report it: the cache itself, or the pytree class that inherits it."""
        return self.cache.anchor if self.owner is self.cls else self.cls.node

    @property
    def label(self) -> str:
        """The cache and its class, for a message."""
        return _label(self.cls, self.making, self.owner, self.cache.attribute)

    @property
    def may_be_traced(self) -> bool:
        """Whether the cache may hold a Tracer."""
        return self.cache.jitted or (
            cached_contents(self.cache.function, self.cls) is Holds.ANYTHING
        )

    @cached_property
    def outcome(self) -> Outcome:
        """What jit makes of the cache."""
        if restores(self.cls, self.making, self.cache.attribute):
            return Outcome.HARMLESS
        if self.cache.jitted:
            return Outcome.HAZARD
        contents = cached_contents(self.cache.function, self.cls)
        if self.cache.form is CacheForm.FUNCTION:
            by_identity = _hashes_by_identity(self.cls, self.making)
            kept = by_identity or filling(self.cls, self.making) is Filling.KEPT
            return Outcome.HARMLESS if kept and contents < Holds.ANYTHING else Outcome.HAZARD
        return _OUTCOMES.get((filling(self.cls, self.making), contents), Outcome.HAZARD)


def _label(cls: ModelClass, making: Making, owner: ModelClass, attribute: str) -> str:
    inherited = "" if owner is cls else f", inherited from '{owner.name}'"
    return f"'{cls.name}.{attribute}' ({making.by}{inherited})"


def _hashes_by_identity(cls: ModelClass, making: Making) -> bool:
    if cls.method("__hash__") is not None:
        return True
    decorators = [applied(item.decorator, cls.outer, cls.at) for item in cls.node.decorators]
    options = [*cls.node.keywords, *(arg for item in decorators for arg in item.arguments)]
    if is_name(keyword(tuple(options), "eq"), "False"):
        return True
    compared = any(item.names[:1] == ("dataclasses.dataclass",) for item in decorators)
    return (is_registered(making) or making.kind is NNX) and not compared


def pytree_caches(model: Model, form: CacheForm) -> Iterator[PytreeCache]:
    """The caches of one form on the pytree classes of a module."""
    for cls in model.pytrees:
        if cls.making is not None and may_hold_arrays(cls, cls.making):
            owned = [(cls, cache) for cache in cls.caches] + list(cls.inherited_caches)
            for owner, cache in owned:
                if cache.form is form:
                    yield PytreeCache(cls, cls.making, owner, cache)


@dataclass(frozen=True, eq=False)
class PytreeLazyStore:
    """A hand-made cache of a pytree class, or one that it inherits from a class that is none."""

    cls: ModelClass
    making: Making
    owner: ModelClass
    store: LazyStore

    @property
    def anchor(self) -> cst.CSTNode:
        """Where to report it: the store, or the pytree class that inherits it."""
        return self.store.anchor if self.owner is self.cls else self.cls.node

    @property
    def label(self) -> str:
        """The cache and its class, for a message."""
        return _label(self.cls, self.making, self.owner, self.store.attribute)

    @property
    def is_hazard(self) -> bool:
        """Whether jit drops, breaks or leaks what is stored."""
        if self.making.kind.keeps_writes and self._is_tracked():
            return False
        if restores(self.cls, self.making, self.store.attribute):
            return False
        if self._is_there_when_made():
            return False
        declared = any(
            field.name == self.store.attribute
            for item in self.cls.lineage
            for field in fields(item)
        )
        unseen = filling(self.cls, self.making) in (Filling.UNSEEN, Filling.KEPT)
        if unseen and not declared and self._asks_about_tracers:
            return False
        contents = stored_contents(self.store.value, self.store.function, self.cls)
        if contents is Holds.ANYTHING:
            return True
        if self.making.kind.keeps_writes:
            return False
        return declared or not unseen

    @property
    def _asks_about_tracers(self) -> bool:
        return asks_about_tracers(self.store.function, self.owner.scope)

    def _is_there_when_made(self) -> bool:
        """Whether each instance has the value from the start, also one that jit rebuilds."""
        if self.making.kind.filling is not Filling.UNSEEN:
            return False
        rebuilt = rebuilds_by_construction(self.cls, self.making)
        return rebuilt and construction_fills(self.cls, self.store.attribute)

    def _is_tracked(self) -> bool:
        """Whether the library itself keeps the value: nnx variables and data attributes."""
        stores = [self.store.value]
        init = self.cls.method("__init__")
        if init is not None:
            for node in walk(init.body):
                match node:
                    case cst.Assign(targets=[cst.AssignTarget(target=cst.Attribute(attr=name))]):
                        if name.value == self.store.attribute:
                            stores.append(node.value)
        scope = inner_scope(self.store.function, self.owner.scope, 0)
        values = [item.node for value in stores for item in refer(value, scope) if _is_value(item)]
        return any(
            name.startswith("flax.nnx.")
            for value in values
            if isinstance(value, cst.Call)
            for name in applied(value.func, scope).names
        )


def _is_value(referent: Referent) -> TypeGuard[Valued]:
    return isinstance(referent, Valued)


def pytree_lazy_stores(model: Model) -> tuple[PytreeLazyStore, ...]:
    """The hand-made caches of the pytree classes of a module."""
    return tuple(_lazy_stores(model))


def _lazy_stores(model: Model) -> Iterator[PytreeLazyStore]:
    for cls in model.pytrees:
        if cls.making is None or not may_hold_arrays(cls, cls.making):
            continue
        hidden: set[str] = set()
        for owner in cls.lineage:
            if owner is cls or owner in cls.plain_ancestors:
                for store in lazy_stores(owner):
                    if store.function.name.value not in hidden:
                        yield PytreeLazyStore(cls, cls.making, owner, store)
            hidden |= owner.members
