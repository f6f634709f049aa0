"""Measures what becomes of changes and of cached values under the traces that are under way.

What can only be told when a trace has ended waits until the function that was traced has returned.
"""

import functools
from collections import deque
from collections.abc import Callable, Container
from types import FrameType, ModuleType
from typing import Any

import jax
import jax.monitoring

from flake8_jax.confirming import searching
from flake8_jax.confirming.caching import Caches
from flake8_jax.confirming.opening import Open, Watched
from flake8_jax.confirming.owners import (
    Owner,
    contents,
    differences,
    fate_of_copy,
    owner_of,
    weak,
)
from flake8_jax.confirming.reports import Report, Why
from flake8_jax.confirming.stack import Boundary, boundaries
from flake8_jax.confirming.waiting import Waiting
from flake8_jax.evidence.changes import GONE
from flake8_jax.evidence.reach import namespace
from flake8_jax.fates import Fate


class Measuring:
    """The measurements of one process."""

    def __init__(self, report: Report, files: Container[str], settle: Callable[[], None]) -> None:
        self._report = report
        self._files = files
        self._waiting = Waiting()
        self.caches = Caches(report, self._waiting)
        jax.monitoring.register_event_duration_secs_listener(
            lambda *_, **__: settle()  # when something was traced or compiled
        )

    # what may change ---------------------------------------------------------------------------

    def watch(self, opened: Open, target: Any, deep: bool, key: str) -> None:
        """Remember what an object holds, and with ``deep`` all that can be reached from it."""
        if type(target) is super:
            target = getattr(target, "__self__")  # noqa: B009
        found = searching.near(target) if deep else [target]
        if key and isinstance(inner := getattr(target, key, None), list | dict | set):
            found.append(inner)
        for item in found:
            is_plain = isinstance(item, tuple) and namespace(item) is None
            if not is_plain and not (deep and isinstance(item, ModuleType | type)):
                has_tree = opened.fills and opened.traced and not deep
                tree = searching.tree_of(item) if has_tree else None
                opened.watched.append(Watched(item, contents(item), tree=tree))

    def watch_name(self, opened: Open, target: Any, key: Any) -> None:
        """Remember what a name stands for, in its cell or in the namespace of its module."""
        opened.watched.append(Watched(target, contents(target), key))

    def watch_memo(self, opened: Open, function: Any) -> None:
        """Remember the cache of a function that is called."""
        memo = searching.memo_of(function)
        if memo is not None:
            opened.memos.append(memo)

    # what has changed --------------------------------------------------------------------------

    def discarded(self, opened: Open, value: Any) -> None:
        """See whether a value that nobody takes is all that has come of a call."""
        for item in opened.watched:
            keys = [key for key, _ in differences(item.target, item.contents)]
            if item.target is value or any(item.only in (None, key) for key in keys):
                return
        kind = "array" if isinstance(value, jax.Array) else type(value).__name__
        self._report.say(finding=opened.finding, fate=Fate.DROPPED, kind=kind)

    def changed(self, opened: Open, frame: FrameType) -> None:
        """See what a statement in traced code has changed."""
        around = boundaries(frame)
        if not around or not (opened.watched or opened.memos):
            if opened.reached:
                self._report.say(finding=opened.finding, fate=Fate.UNKNOWN, why=Why.UNTOLD)
            return
        for memo in opened.memos:
            ask = functools.partial(self.caches.memo_leaks, opened.finding, around[0].name, memo)
            self._waiting.until(around[0], ask)
        found = False
        for item in opened.watched:
            for key, value in differences(item.target, item.contents):
                if item.only in (None, key):
                    found = True
                    self._judge(opened.finding, item, key, value, frame, around)
        if opened.watched and not found:
            self._report.say(finding=opened.finding, fate=Fate.FINE, why=Why.UNCHANGED)

    def _judge(
        self,
        finding: int,
        watched: Watched,
        key: Any,
        value: Any,
        frame: FrameType,
        around: list[Boundary],
    ) -> None:
        """Find out whose object was changed, and with that what becomes of the change."""
        target = watched.target
        owner, level = owner_of(target, frame, around)
        is_tracer = value is not GONE and searching.path_to_tracer(value) is not None
        name = around[0].name
        if level > 0 and is_tracer:
            self._waiting.until(
                around[0], functools.partial(self._leaks, finding, name, target, key, value)
            )
        if owner is Owner.OUTER and not is_tracer:
            staged = any(boundary.staged for boundary in around)
            function = around[-1].name
            if staged:
                self._report.say(finding=finding, fate=Fate.ONCE, function=function)
            else:
                self._report.say(finding=finding, fate=Fate.FINE, why=Why.KEPT, function=function)
        elif owner is Owner.FRESH and level == 0:
            ask = functools.partial(self._is_fresh, finding, name, weak(target), key)
            self._waiting.until(around[-1], ask)
        elif owner is Owner.ARGUMENT:
            boundary = around[level]
            if boundary.code.co_filename in self._files:
                ask = functools.partial(
                    self._comes_out, finding, boundary.name, watched, key, value
                )
                self._waiting.for_result(boundary, ask)
            else:
                name = boundary.name
                self._report.say(
                    finding=finding, fate=Fate.UNKNOWN, why=Why.UNSEEN, function=name,
                    file=boundary.code.co_filename,
                )  # fmt: skip

    # what is known when a trace has ended ------------------------------------------------------

    def is_waiting(self) -> bool:
        """Whether there is something to tell when a function returns."""
        return bool(self._waiting)

    def returning(self, key: int, value: Any, early: bool) -> None:
        """A function gives a value back; early, if it may change something before it does."""
        self._waiting.returning(key, value, early)
        self.settle()

    def settle(self, at_end: bool = False) -> None:
        """Answer the questions of functions that are not under way any more."""
        self._waiting.settle(at_end)

    def _comes_out(
        self, finding: int, function: str, watched: Watched, key: Any, written: Any, value: Any
    ) -> None:
        """Whether a copy that was changed comes out with what a function gives back."""
        target, tree = watched.target, watched.tree
        fate = Fate.UNKNOWN if value is GONE else fate_of_copy(target, key, written, value)
        if fate is Fate.RETURNED and tree is not None and searching.tree_of(target) != tree:
            self._report.say(finding=finding, fate=Fate.RESTRUCTURED, function=function)
        why = {"why": Why.UNTOLD} if fate is Fate.UNKNOWN else {}
        self._report.say(finding=finding, fate=fate, function=function, **why)

    def _leaks(self, finding: int, function: str, target: Any, key: Any, value: Any) -> None:
        items = contents(target)
        moves = isinstance(target, list | set | deque) and items.get(key, GONE) is not value
        now = [item for item in items.values() if item is value] if moves else [items.get(key)]
        for item in now:
            path = searching.path_to_tracer(item)
            if path is not None:
                self._report.say(finding=finding, fate=Fate.LEAKED, function=function, path=path)
                return
        self._report.say(finding=finding, fate=Fate.FINE, why=Why.GONE, function=function)

    def _is_fresh(
        self, finding: int, function: str, target: Callable[[], Any] | None, key: Any
    ) -> None:
        """Whether an object that nobody seemed to hold has died with the trace."""
        alive = target() if target is not None else None
        path = searching.path_to_tracer(contents(alive).get(key)) if alive is not None else None
        if path is not None:
            self._report.say(finding=finding, fate=Fate.LEAKED, function=function, path=path)
        elif target is None or alive is not None:
            self._report.say(finding=finding, fate=Fate.UNKNOWN, why=Why.UNTOLD)
        else:
            self._report.say(finding=finding, fate=Fate.FINE, why=Why.FRESH, function=function)
