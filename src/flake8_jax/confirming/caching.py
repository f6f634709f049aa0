"""Measures what becomes of cached values: whether they are computed anew, left behind, or stale."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from flake8_jax.confirming import searching
from flake8_jax.confirming.opening import MEASURED, Open
from flake8_jax.confirming.owners import Owner, contents, differences, owner_of, weak
from flake8_jax.confirming.reports import Report, Why
from flake8_jax.confirming.stack import Boundary, boundaries, held
from flake8_jax.confirming.waiting import Waiting
from flake8_jax.evidence.changes import GONE
from flake8_jax.evidence.reach import namespace
from flake8_jax.fates import Fate

_LARGE = 1 << 16
"""The bytes of an array from which on it is not kept, to be compared with others."""
_PLAIN = (str, bytes, bool, int, float, complex, tuple, type(None))


@dataclass(frozen=True, eq=False)
class _Filled:
    """A value that a hand-made cache keeps, and what its object held when it was computed."""

    key: Any
    value: Callable[[], Any]
    others: dict[Any, Callable[[], Any]]


@dataclass(frozen=True, eq=False)
class Unfilled:
    """An object whose cache is about to be filled in traced code."""

    contents: dict[Any, Any]
    tree: Any


class Caches:
    """The measurements of caches in one process."""

    def __init__(self, report: Report, waiting: Waiting) -> None:
        self._report = report
        self._waiting = waiting
        self._filled: dict[int, list[_Filled]] = {}

    # caches of functools -----------------------------------------------------------------------

    def computing(self, finding: int, name: str, target: Any, frame: FrameType) -> Unfilled:
        """A cached value is computed in traced code; what its object is before that."""
        self._waiting.settle(False)
        around = boundaries(frame)
        is_measured = self._report.count(finding, "traced") <= MEASURED
        if is_measured and around:
            owner, level = owner_of(target, frame, around)
            is_copy = owner is Owner.ARGUMENT
            same = searching.like(held(around[level].outer), target) if is_copy else [target]
            if len(same) == 1:
                self._report.say(finding=finding, object=id(same[0]))
            if is_copy and any(name in (namespace(item) or {}) for item in same):
                self._report.count(finding, "dropped")
        return Unfilled(contents(target), searching.tree_of(target) if is_measured else None)

    def computed(
        self,
        finding: int,
        name: str,
        target: Any,
        result: Any,
        before: Unfilled,
        frame: FrameType,
    ) -> None:
        """A cached value was computed in traced code."""
        around = boundaries(frame)
        if not around:
            self._report.say(finding=finding, fate=Fate.UNKNOWN, why=Why.UNTOLD)
            return
        function = around[0].name
        if searching.path_to_tracer(result) is None:
            self._report.say(finding=finding, fate=Fate.RETRACED, function=function)
        owner, level = owner_of(target, frame, around)
        if before.tree is not None:
            self._watch_tree(finding, target, before.tree, owner, around[: level + 1])
        if searching.path_to_tracer(result) is None:
            return
        if owner is not Owner.OUTER:
            self._report.say(finding=finding, fate=Fate.RECOMPUTED, function=function)
        memo = searching.memo_of(getattr(type(target), name, None))
        if memo is not None:
            self._waiting.until(
                around[0], functools.partial(self.memo_leaks, finding, function, memo)
            )
        elif level > 0:
            ask = functools.partial(self._cache_leaks, finding, function, target, before.contents)
            self._waiting.until(around[0], ask)

    def _watch_tree(
        self, finding: int, target: Any, tree: Any, owner: Owner, around: list[Boundary]
    ) -> None:
        """Wait until it can be seen whether others get an object with another tree."""
        if owner is Owner.ARGUMENT:
            function = around[-1].name
            ask = functools.partial(self._is_restructured, finding, function, target, tree)
            self._waiting.for_result(around[-1], ask)
        elif owner is Owner.OUTER:
            function = around[0].name
            given = functools.partial(
                self._is_restructured, finding, function, target, tree, [target]
            )
            self._waiting.until(around[0], given)

    def _is_restructured(
        self, finding: int, function: str, target: Any, tree: Any, value: Any
    ) -> None:
        """Whether an object comes out of a function with another tree than it came in with."""
        now = None if value is GONE else searching.tree_of(target)
        if now is None or now == tree:
            return
        if any(node is target for node in searching.near(value)):
            self._report.say(finding=finding, fate=Fate.RESTRUCTURED, function=function)

    def _cache_leaks(
        self, finding: int, function: str, target: Any, before: dict[Any, Any]
    ) -> None:
        for key, value in differences(target, before):
            if value is not GONE and (path := searching.path_to_tracer(value)) is not None:
                where = f".{key}{path}"
                self._report.say(finding=finding, fate=Fate.LEAKED, function=function, path=where)
                return
        self._report.say(finding=finding, fate=Fate.FINE, why=Why.GONE, function=function)

    def memo_leaks(self, finding: int, function: str, memo: Any) -> None:
        """Tell whether a function of functools keeps a Tracer."""
        kept = searching.kept_by(memo)
        if any(searching.path_to_tracer(item) is not None for item in kept):
            self._report.say(finding=finding, fate=Fate.LEAKED, function=function, path="")
        else:
            self._report.say(finding=finding, fate=Fate.FINE, why=Why.GONE, function=function)

    # caches that are made by hand --------------------------------------------------------------

    def filled(self, opened: Open) -> None:
        """Remember what a statement outside of traces has put into a cache, as long as it lives."""
        known = self._filled.setdefault(opened.finding, [])
        for item in opened.watched:
            before = item.contents
            for key, value in differences(item.target, before):
                kept = _same(value)
                if kept is None or value is None or value is GONE or len(known) >= MEASURED:
                    continue
                others = {name: _same(item) for name, item in before.items() if name != key}
                known.append(
                    _Filled(key, kept, {name: item for name, item in others.items() if item})
                )

    def asked(self, finding: int, target: Any, reads: Sequence[str]) -> None:
        """See whether an object has a value that was computed from other values than its own."""
        known = self._filled.get(finding)
        if not known:
            return
        now = contents(target)
        for item in known:
            value = now.get(item.key)
            if value is None or item.value() is not value:
                continue
            new = [
                name
                for name in reads
                if name in item.others and _differ(item.others[name](), now.get(name))
            ]
            if new:
                self._report.count(finding, "stale")
                self._report.say(finding=finding, fate=Fate.STALE, changed=str(new[0]))


def _differ(old: Any, new: Any) -> bool:
    """Whether two values are certain to be different; one that is gone cannot be told."""
    if old is None or old is new:
        return False
    try:
        return bool(np.shape(old) != np.shape(new) or np.any(np.asarray(old) != np.asarray(new)))
    except Exception:  # no numbers, or values that cannot be read any more
        return False


def _same(value: Any) -> Callable[[], Any] | None:
    """What gives an object again, or nothing if it is gone; None if that cannot be told."""
    if isinstance(value, _PLAIN) or getattr(value, "nbytes", _LARGE) < _LARGE:
        return lambda: value
    return weak(value)
