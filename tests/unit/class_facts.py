"""Facts about the classes of small modules, as text."""

from pathlib import Path

from flake8_jax.classes.annotations import Annotated
from flake8_jax.classes.caches import Cache, caches, inherited_caches
from flake8_jax.classes.layout import Routine, fields, static_fields
from flake8_jax.classes.members import FieldMember, Member, MethodMember, PropertyMember
from flake8_jax.classes.registration import registration
from flake8_jax.classes.table import ClassInfo, classes
from flake8_jax.lowering.printer import show
from unit.projects import main_module

IMPORTS = """
import collections
import dataclasses
import functools
import typing
from functools import cached_property, partial
from typing import ClassVar, Generic, NamedTuple, TypeVar

import chex
import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx, struct
from jax.tree_util import register_dataclass, register_pytree_node, register_pytree_node_class
from simple_pytree import Pytree
from unknown import Unknown, unknown

T = TypeVar("T")
"""


def classes_of(folder: Path, text: str) -> dict[str, ClassInfo]:
    """The classes of a module by their names; the last of each."""
    module = main_module(folder, f"{IMPORTS}\n{text}")
    return {info.name: info for info in classes(module)}


def registered(info: ClassInfo) -> str:
    """The kind of pytree that a class is, and its marker with what that was given."""
    made = registration(info)
    if made is None:
        return "no pytree"
    words = [made.kind.label]
    words += [f"by {made.marker}"] if made.marker != made.kind.label else []
    words += [
        f"{item.keyword}={show(item.value.expr)}"
        for item in made.arguments
        if item.keyword is not None
    ]
    words += ["via own"] if made.via_project_function else []
    words += ["heritable"] if made.kind.heritable else []
    return ", ".join(words)


def fields_of(info: ClassInfo) -> str:
    """The fields in order; those that are static in brackets."""
    static = static_fields(info)
    names = [f"[{item.name}]" if item.name in static else item.name for item in fields(info)]
    others = sorted(static - {item.name for item in fields(info)})
    return " ".join([*names, *(f"({name})" for name in others)])


def member_told(found: Member | None) -> str:
    match found:
        case MethodMember():
            words = [f"method {_function(found.function)}({found.binding.value})"]
            words += ["cached"] if found.is_cached else []
            words += ["wrapped"] if found.is_wrapped else []
            return " ".join(words)
        case PropertyMember():
            words = [f"property {_function(found.getter)}"]
            words += [f"setter {_function(found.setter)}"] if found.setter is not None else []
            words += ["cached"] if found.is_cached else []
            return " ".join(words)
        case FieldMember():
            words = ["static field" if found.is_static else "field"]
            words += sorted(map(_type, found.types))
            return " ".join(words)
    return "unknown"


def _function(found: Routine) -> str:
    owner = found.function.cls
    return f"{owner}.{found.function.name}" if owner is not None else found.function.name


def _type(item: Annotated) -> str:
    return item.name if isinstance(item, ClassInfo) else item.dotted


def caches_told(info: ClassInfo) -> list[str]:
    own = [_cache(item) for item in caches(info)]
    return own + [f"{_cache(item)} of {item.owner.name}" for item in inherited_caches(info)]


def _cache(cache: Cache) -> str:
    words = [f"{cache.form.name.lower()} {cache.attribute}: {cache.by}"]
    words += [_function(cache.function)] if cache.function is not None else ["?"]
    words += ["jitted"] if cache.is_jitted else []
    return " ".join(words)
