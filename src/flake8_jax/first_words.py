"""What the first core found, as messages tell it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import libcst as cst

from flake8_jax.caches import PytreeCache
from flake8_jax.flow.values import Form, Trace, Write
from flake8_jax.knowledge.pytrees import REGISTERED, REGISTERED_STATIC, Kind
from flake8_jax.knowledge.transforms import TRANSFORMS
from flake8_jax.model import Model, ModelClass
from flake8_jax.names import applied
from flake8_jax.source import Piece
from flake8_jax.syntax import last_part
from flake8_jax.tree import filling
from flake8_jax.wording import Told, ToldCache
from flake8_jax.writes import Verdict, reported

if TYPE_CHECKING:
    from flake8_jax.fixes.edits import Fix

_AS_DATACLASS = frozenset({REGISTERED.label, REGISTERED_STATIC.label})
"""Kinds whose objects can be copied with ``dataclasses.replace`` if they are dataclasses."""
_DELETES = frozenset({"__delattr__", "delattr", "pop"})


@dataclass(frozen=True, eq=False)
class Finding:
    """One place that a rule reports."""

    piece: Piece
    node: cst.CSTNode
    text: str
    fix: "Callable[[], Fix | None] | None" = None
    """Works out what to change, when somebody asks; None where nothing can be offered."""


def done(write: Write) -> str:
    """What a statement does to what it names."""
    node = write.node if write.origin is None else write.origin.node
    match node:
        case cst.Del():
            return "is deleted"
        case cst.AugAssign():
            return "is changed"
        case cst.Call(func=function):
            if write.form is Form.ITEM:
                return "is changed"
            return "is deleted" if last_part(function) in _DELETES else "is set"
    return "is set"


def update(kind: Kind | None, cls: ModelClass | None) -> str | None:
    """How to make a changed copy of an object of a kind; None where there is no call for that."""
    if kind is not None and kind.update and (kind.label not in _AS_DATACLASS or cls is None):
        return kind.update
    if cls is not None and _is_dataclass(cls):
        return REGISTERED.update
    return ".replace(...)" if cls is not None and cls.method("replace") is not None else None


def _is_dataclass(cls: ModelClass) -> bool:
    if cls.making is not None and cls.making.frozen is not None:
        return True  # the project's own marker makes one
    return any(
        applied(decorator.decorator, item.outer, item.at).names[:1] == ("dataclasses.dataclass",)
        for item in cls.lineage
        for decorator in item.node.decorators
    )


def _of(write: Write) -> str | None:
    """How to make a changed copy of the object that is written."""
    cls = write.cls
    making = cls.making if cls is not None else None
    return update(making.kind if making is not None else None, cls)


def keeping(write: Write, trace: Trace) -> str | None:
    """The transform that carries a write back to the caller, where the library has one."""
    making = write.cls.making if write.cls is not None else None
    if making is None or not making.kind.keeps_writes:
        return None
    own = f"flax.nnx.{trace.transform.name.rpartition('.')[2]}"
    return own if own in TRANSFORMS else None


def told(found: Verdict) -> Told:
    """What a message says of a write."""
    write = found.write
    return Told(
        str(write.text),
        done(write),
        found.reason,
        _of(write),
        keeping(write, found.trace),
        write.form is Form.ITEM,
    )


def told_cache(found: PytreeCache) -> ToldCache:
    """What a message says of a cache of a pytree class."""
    is_leaked = found.making.kind.keeps_writes and found.may_be_traced
    return ToldCache(found.label, filling(found.cls, found.making), is_leaked, found.cache.by)


def findings(
    model: Model,
    code: str,
    text: Callable[[Told], str],
    fix: "Callable[[Model, Verdict], Fix | None] | None" = None,
) -> Iterator[Finding]:
    """What the rule with a code reports, worded and fixed by the rule."""
    for verdict in model.once(reported):
        if verdict.code == code:
            mend = partial(fix, model, verdict) if fix and not verdict.inherited else None
            yield Finding(verdict.write.piece, verdict.write.node, text(told(verdict)), mend)
