"""The facts that messages are made of, and the words for what happens and what to do instead.

A message says what happens to something by its name, why, and what to do: ``'a.b' is set on a lost
copy: 'f' (jax.jit) doesn't return it; return a.replace(b=...)``.
What to do is left out where there is no room for it.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from flake8_jax.knowledge.pytrees import Filling

_LONGEST = 44
"""How many characters of the source a message quotes at once."""
_CUSTOMARY = {"equinox": "eqx", "equinox.nn": "eqx.nn", "jax.numpy": "jnp", "jax.tree_util": ""}
"""What packages are mostly called where they are used, if that is not their last part."""
_CACHED: Mapping[Filling, str] = {
    Filling.UNSEEN: "is recomputed in every jitted call",
    Filling.CHANGES_TREE: "changes the pytree structure when read",
    Filling.KEPT: "leaks a Tracer of the call that reads it first",
    Filling.REFUSED: "raises when read",
    Filling.BREAKS: "breaks flattening once it is read",
}
"""What happens to a cached property, by what filling an instance does to its tree."""
_CACHED_BY_NNX = "is leaked by nnx.jit, as static metadata"
_LAZY: Mapping[Filling, str] = {
    **_CACHED,
    Filling.CHANGES_TREE: "changes the pytree structure when set",
    Filling.KEPT: "leaks a Tracer of the call that sets it first",
    Filling.REFUSED: "raises when set",
    Filling.BREAKS: "breaks flattening once it is set",
}
"""The same for an attribute that is no field, and is filled by hand."""
_ATTRIBUTE = re.compile(r"([\w.]{1,24})\.(\w+)")
_NAME = re.compile(r"\w{1,24}")
_VARIABLE = re.compile(r"[\w.]{1,18}")


class Cause(NamedTuple):
    """The line of another module that a finding is about."""

    path: str
    line: int


class Told(NamedTuple):
    """What a message says of something that is written."""

    text: str
    """What is written, in the words of the source."""
    done: str = "set"
    """What is done to it."""
    where: str = ""
    """The traced function, and by which transform: ``'f' (jax.jit, line 3)``."""
    by: str = ""
    """The function of another module that does it: ``push() (meters.py:7)``."""
    update: str | None = None
    """How to make a changed copy of the object; None where there is no call for that."""
    kept: str | None = None
    """The transform that carries the write back to the caller, where the library has one."""
    is_item: bool = False
    method: str = "set"
    """The method of ``x.at[...]`` that does the same to an element."""
    made: str = ""
    """What has made the array, if that is known."""
    cause: Cause | None = None
    """Where it is written, if that is in another module."""

    @property
    def happens(self) -> str:
        """What is written, and what is done to it."""
        return f"'{quoted(self.text)}' is {self.done}{_by(self.by)}"

    @property
    def leaks(self) -> str:
        """The same for something that keeps a Tracer."""
        through = f" through {self.by}" if self.by else ""
        return f"'{quoted(self.text)}' leaks a Tracer{through}"


class ToldCache(NamedTuple):
    """What a message says of a cache of a pytree class."""

    name: str
    """The class."""
    attribute: str
    marker: str
    """The dotted name of what makes the class a pytree."""
    filling: Filling
    """What filling the cache does to the tree of its object."""
    inherited: str = ""
    """The class that it is inherited from."""
    is_leaked_by_nnx: bool = False
    is_field: bool = False
    """Whether the class declares the attribute."""
    is_hashed: bool = False
    """Whether objects of the class hash by what they are."""
    by: str = ""
    """The dotted name of what makes it a cache."""

    @property
    def text(self) -> str:
        """The cache, as the message calls it."""
        return f"{self.name}.{self.attribute}"

    @property
    def kind(self) -> str:
        """What makes the class a pytree, and where the cache comes from."""
        inherited = f", inherited from '{self.inherited}'" if self.inherited else ""
        return f"({customary(self.marker)}{inherited})"


class ToldFrozen(NamedTuple):
    """What a message says of a write to a frozen object."""

    text: str
    done: str
    names: tuple[str, ...]
    """The classes of the object."""
    markers: tuple[str, ...]
    """What makes them pytrees."""
    update: str | None = None
    """How to make a changed copy of it; None where there is no call for that."""
    by: str = ""
    """The function of another module that does it."""
    cause: Cause | None = None


def quoted(text: str) -> str:
    """Words of the source, on one line and not too many."""
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 17]}...{words[-14:]}"


def customary(dotted: str) -> str:
    """A dotted name as it is written where it is used: ``lax.scan``, ``struct.PyTreeNode``."""
    package, _, name = dotted.rpartition(".")
    known = _CUSTOMARY.get(package, package.rpartition(".")[2])
    return f"{known}.{name}" if known else name


def _item(text: str) -> tuple[str, str]:
    """What a text takes an element of, and its key; nothing where it takes none."""
    depth = 0
    for index in range(len(text) - 1, 0, -1) if text.endswith("]") else ():
        depth += {"]": 1, "[": -1}.get(text[index], 0)
        if depth == 0:
            return text[:index], text[index + 1 : -1]
    return text, ""


def _by(function: str) -> str:
    return f" by {function}" if function else ""


def copied(update: str, text: str) -> str:
    """The call that makes a changed copy of the object whose attribute a text names."""
    found = _ATTRIBUTE.fullmatch(text)
    call = update.removesuffix("(...)")
    if found is None:
        return update if update.startswith(".") else f"{customary(call)}(...)"
    owner, attribute = found.groups()
    if call.endswith(".tree_at"):
        return f"{customary(call)}(lambda t: t.{attribute}, {owner}, ...)"
    if call.startswith("."):
        return f"{owner}{call}({attribute}=...)"
    return f"{customary(call)}({owner}, {attribute}=...)"


def returning(told: Told) -> str:
    """What to do instead of a write to an argument that is lost."""
    if told.kept:
        return f"use {customary(told.kept)}, which hands it back"
    if told.done == "deleted":
        return "return a new object without it"
    found = _ATTRIBUTE.fullmatch(told.text)
    if told.update is None or found is None or "." in found[1]:
        return "return an updated copy" if told.update is not None else "return a new object"
    return f"return {copied(told.update, told.text)}"


def returning_container(told: Told) -> str:
    """What to do instead of changing a container that is lost."""
    if told.done == "deleted":
        return "return a copy without it"
    container, key = _item(told.text)
    if key[:1] in ("'", '"') and _NAME.fullmatch(container):
        return f"return {{**{container}, {key}: ...}}"
    return "return a changed copy"


def scratching(told: Told) -> str:
    """What to do instead of writing to an argument what is only read again."""
    if told.kept or told.is_item:
        return copying(told)
    return "use a local" if told.done == "deleted" or told.update is None else copying(told)


def copying(told: Told) -> str:
    """What to do instead of changing an argument that is returned."""
    if told.is_item:
        return "copy it first"
    if told.kept:
        return f"use {customary(told.kept)}"
    if told.done == "deleted" or told.update is None:
        return "build a new object"
    return f"use {copied(told.update, told.text)}"


def replacing(told: ToldFrozen) -> str:
    """What to do instead of a write to a frozen object."""
    if told.done == "deleted" or told.update is None:
        return "build a new object"
    return f"use {copied(told.update, told.text)}"


def refused(told: Told) -> str:
    """Why an element of an array cannot be written, and what to do instead."""
    array, index = _item(told.text)
    index = index if 0 < len(index) <= _LONGEST // 2 else "..."
    said = f"'{quoted(told.text)}' cannot be {told.done}{_by(told.by)}"
    source = f"from {customary(told.made)}" if told.made else f"in {told.where}"
    update = f".at[{index}].{told.method}(...)"
    if not told.by and _VARIABLE.fullmatch(array):
        update = f"{array} = {array}{update}"
    return f"{said}: '{quoted(array)}' is a jax array {source}; use {update}"


def cached_property(told: ToldCache, kind: str) -> str:
    """What becomes of a cached property of a pytree, which is said by its kind."""
    happens = _CACHED_BY_NNX if told.is_leaked_by_nnx else _CACHED[told.filling]
    return f"'{told.text}' {happens}: {kind} on a pytree {told.kind}; use @property"


def lazy_cache(told: ToldCache) -> str:
    """What becomes of an attribute that a class fills when it is first asked for."""
    happens = "is lost under jit and can go stale" if told.is_field else _LAZY[told.filling]
    kind = f"hand-made cache on a pytree {told.kind}"
    return f"'{told.text}' {happens}: {kind}; use @property"


def function_cache(told: ToldCache) -> str:
    """What becomes of a function cache on a method of a pytree."""
    happens = "is recomputed and keeps Tracers" if told.is_hashed else "cannot hash self"
    by = customary(told.by)
    return f"'{told.text}' {happens}: {by} on a pytree's method {told.kind}; remove the cache"
