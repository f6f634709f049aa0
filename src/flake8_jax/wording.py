"""What is told of a finding, and the words that depend on the transform or the kind of class."""

from collections.abc import Mapping
from typing import NamedTuple

from flake8_jax.knowledge.pytrees import Filling

_CACHED: Mapping[Filling, str] = {
    Filling.UNSEEN: "is computed again in every jitted call",
    Filling.CHANGES_TREE: "changes the tree when read, so jit traces again and scan and cond raise",
    Filling.KEPT: "keeps a Tracer of the call that reads it first",
    Filling.REFUSED: "raises when it is read",
    Filling.BREAKS: "is a field too many when read, so flattening raises",
}
"""What happens to a cached property, by what filling an instance does to its tree."""
_CACHED_BY_NNX = "lands in static metadata: nnx.jit leaks it, and scan and cond raise"
_NEW = "build and return a new object"


class Told(NamedTuple):
    """What a message says of something that is written."""

    text: str
    """What is written, in the words of the source."""
    done: str = "is set"
    """What is done to it."""
    reason: str = ""
    """The traced callable, and the way from there."""
    copied: str | None = None
    """How to make a changed copy of the object; None where there is no call for that."""
    kept: str | None = None
    """The transform that carries the write back to the caller, where the library has one."""
    is_item: bool = False


class ToldCache(NamedTuple):
    """What a message says of a cache of a pytree class."""

    label: str
    """The cache and its class."""
    filling: Filling
    """What filling it does to the tree of its object."""
    is_leaked_by_nnx: bool = False
    by: str = ""
    """What makes it a cache."""


class ToldFrozen(NamedTuple):
    """What a message says of a write to a frozen object."""

    text: str
    label: str
    """The class of the object."""
    copied: str | None = None
    """How to make a changed copy of it; None where there is no call for that."""
    by: str = ""
    """The function of another module that does it."""


def returning(told: Told) -> str:
    """What to do instead of a write that is lost."""
    if told.kept:
        return f"use {told.kept}, which hands it back"
    return f"use {told.copied} and return the new object" if told.copied is not None else _NEW


def scratching(told: Told) -> str:
    """What to do instead of writing to an argument what is only read again."""
    if told.is_item:
        return "use a local or a copy"
    return f"use a local or {told.kept or told.copied or 'a new object'}"


def copying(told: Told) -> str:
    """What to do instead of changing an argument that is returned."""
    if told.is_item:
        return "copy it first"
    copied = told.kept or told.copied
    return f"use {copied}" if copied is not None else _NEW


def cached_property(told: ToldCache, first: str) -> str:
    """What becomes of a cached property of a pytree; the first words say what it is."""
    happens = _CACHED_BY_NNX if told.is_leaked_by_nnx else _CACHED[told.filling]
    is_dropped = told.filling is Filling.UNSEEN
    instead = ", or a field set when it is made" if is_dropped else ""
    return f"{first} {happens}: {told.label}; use a plain property{instead}"
