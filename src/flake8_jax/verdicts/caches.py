"""The caches of pytree classes: what becomes of each when its object passes through jit."""

from collections.abc import Iterator, Mapping
from enum import Enum

from flake8_jax.classes.caches import (
    CacheForm,
    PytreeCache,
    hashes_by_identity,
    pytree_caches,
)
from flake8_jax.classes.layout import filling, restores
from flake8_jax.knowledge.pytrees import Filling
from flake8_jax.resolution.modules import Module
from flake8_jax.verdicts.contents import Holds, cached_contents, is_refused_by_traces
from flake8_jax.verdicts.places import Place, decorator_start, start
from flake8_jax.verdicts.telling import told_cache

PROPERTY, OVER_JIT, FUNCTION, STATIC = "JAX101", "JAX102", "JAX103", "JAX903"
CODES = (PROPERTY, OVER_JIT, FUNCTION, STATIC)


class Outcome(Enum):
    """What becomes of a cache when its object passes through jit."""

    HAZARD = "the cache is dropped, or it breaks the tree, or it keeps a Tracer"
    RETRACED = "Python computes the value again at each trace"
    HARMLESS = "nothing that anybody would notice"


_OUTCOMES: Mapping[tuple[Filling, Holds], Outcome] = {
    (Filling.UNSEEN, Holds.STATIC): Outcome.RETRACED,
    (Filling.UNSEEN, Holds.FUNCTION): Outcome.HARMLESS,
    (Filling.KEPT, Holds.STATIC): Outcome.HARMLESS,
    (Filling.KEPT, Holds.FUNCTION): Outcome.HARMLESS,
}
"""By what filling an instance does to its tree, and what the cache holds; the rest are hazards."""


def outcome(found: PytreeCache) -> Outcome:
    """What becomes of a cache of a pytree class."""
    info, made, cache = found
    if restores(info, made, cache.attribute):
        return Outcome.HARMLESS
    if cache.is_jitted:
        return Outcome.HAZARD
    if cache.form is CacheForm.PROPERTY:
        effect = filling(info, made)
        if effect is Filling.UNSEEN and is_refused_by_traces(found):
            return Outcome.HARMLESS
        return _OUTCOMES.get((effect, cached_contents(found)), Outcome.HAZARD)
    is_kept = hashes_by_identity(info, made) or filling(info, made) is Filling.KEPT
    is_harmless = is_kept and cached_contents(found) < Holds.ANYTHING
    return Outcome.HARMLESS if is_harmless else Outcome.HAZARD


def places(module: Module) -> Iterator[Place]:
    """The caches that are reported, at their decorators, assignments, or classes that inherit."""
    for form in CacheForm:
        for found in pytree_caches(module, form):
            code = _code(found, outcome(found))
            if code is not None:
                told = told_cache(found)
                yield Place(*_anchor(module, found), code, told, found)


def _code(found: PytreeCache, outcome: Outcome) -> str | None:
    is_property = found.cache.form is CacheForm.PROPERTY
    match outcome:
        case Outcome.HAZARD if is_property:
            return OVER_JIT if found.cache.is_jitted else PROPERTY
        case Outcome.HAZARD:
            return FUNCTION
        case Outcome.RETRACED if is_property:
            return STATIC
    return None


def _anchor(module: Module, found: PytreeCache) -> tuple[int, int]:
    if found.is_inherited:
        return start(module, *found.info.definition.position)
    index, span = found.cache.position
    if found.cache.decorator is not None:
        return decorator_start(module, index, found.cache.decorator)
    return start(module, index, span)
