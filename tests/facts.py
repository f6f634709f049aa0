"""What the first core and the second know of the classes of a module, in the same words."""

from collections.abc import Iterator, Mapping

from flake8_jax import assigning, tree
from flake8_jax import caches as first_caches
from flake8_jax import model as first
from flake8_jax.classes.assignment import keeps_its_rule
from flake8_jax.classes.caches import Cache, caches, hashes_by_identity, inherited_caches
from flake8_jax.classes.frozen import is_frozen
from flake8_jax.classes.layout import (
    filling,
    may_hold_arrays,
    own_fields,
    rebuilds_by_construction,
    restores,
    static_fields,
)
from flake8_jax.classes.registration import is_known_non_pytree, is_refused, registration
from flake8_jax.classes.table import ClassInfo, classes
from flake8_jax.model import Model, ModelClass
from flake8_jax.resolution.modules import Module

OTHER = "anything_else"
"""An attribute that no class has."""


def old_facts(cls: ModelClass) -> Mapping[str, object]:
    found: dict[str, object] = {
        "order": [item.name for item in cls.lineage],
        "subclasses": [item.name for item in cls.model.heirs(cls)],
        "methods": sorted(cls.methods),
        "is no pytree": cls.is_plain,
        "refused": cls.is_refused,
        "caches": [_old_cache(item) for item in cls.caches],
        "inherited caches": [_old_cache(item) for _, item in cls.inherited_caches],
        "fields": [(item.name, item.static) for item in tree.fields(cls)],
        "static fields": sorted(tree.static_fields(cls)),
        "keeps its rule": assigning.keeps_its_rule(cls),
    }
    made = cls.making
    if made is not None:
        attributes = [OTHER, *(item.name for base in cls.lineage for item in tree.fields(base))]
        found |= {
            "kind": made.kind,
            "marker": made.by,
            "own marker": made.is_own,
            "frozen": [item for item in attributes if tree.is_frozen(cls, item)],
            "filling": tree.filling(cls, made),
            "may hold arrays": tree.may_hold_arrays(cls, made),
            "rebuilt by construction": tree.rebuilds_by_construction(cls, made),
            "restores": [
                item.attribute for item in cls.caches if tree.restores(cls, made, item.attribute)
            ],
            "hashes by identity": first_caches._hashes_by_identity(cls, made),
        }
    return found


def _old_cache(cache: first.Cache) -> tuple[object, ...]:
    has_function = cache.function is not None
    return cache.form.name, cache.attribute, cache.by, cache.jitted, has_function


def new_facts(info: ClassInfo) -> Mapping[str, object]:
    found: dict[str, object] = {
        "order": [item.name for item in info.mro],
        "subclasses": [item.name for item in info.subclasses],
        "methods": sorted(info.methods),
        "is no pytree": is_known_non_pytree(info),
        "refused": is_refused(info),
        "caches": [_new_cache(item) for item in caches(info)],
        "inherited caches": [_new_cache(item) for item in inherited_caches(info)],
        "fields": [(item.name, item.is_static) for item in own_fields(info)],
        "static fields": sorted(static_fields(info)),
        "keeps its rule": keeps_its_rule(info),
    }
    made = registration(info)
    if made is not None:
        attributes = [OTHER, *(item.name for base in info.mro for item in own_fields(base))]
        found |= {
            "kind": made.kind,
            "marker": made.marker,
            "own marker": made.via_project_function,
            "frozen": [item for item in attributes if is_frozen(info, item)],
            "filling": filling(info, made),
            "may hold arrays": may_hold_arrays(info, made),
            "rebuilt by construction": rebuilds_by_construction(info, made),
            "restores": [
                item.attribute for item in caches(info) if restores(info, made, item.attribute)
            ],
            "hashes by identity": hashes_by_identity(info, made),
        }
    return found


def _new_cache(cache: Cache) -> tuple[object, ...]:
    has_function = cache.function is not None
    return cache.form.name, cache.attribute, cache.by, cache.is_jitted, has_function


def differences(model: Model, module: Module) -> Iterator[tuple[str, str]]:
    """The names of classes and of facts on which the two do not agree."""
    before, after = model.classes, classes(module)
    assert [item.name for item in before] == [item.name for item in after]
    for cls, info in zip(before, after, strict=True):
        one, other = old_facts(cls), new_facts(info)
        for fact in {**one, **other}:
            if one.get(fact) != other.get(fact):
                yield cls.name, fact
