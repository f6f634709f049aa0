"""Whose object it is that was changed, what is new in it, and whether a copy of it comes out."""

import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from enum import Enum
from types import FrameType, FunctionType, ModuleType
from typing import Any

from flake8_jax.confirming import searching
from flake8_jax.confirming.stack import Boundary, held
from flake8_jax.evidence.changes import GONE, changes
from flake8_jax.evidence.reach import children
from flake8_jax.fates import Fate


class Owner(Enum):
    """Where an object that is changed in traced code comes from."""

    ARGUMENT = "a copy that a transform has made for the function"
    OUTER = "an object that outlives all traces under way"
    FRESH = "an object that was made in a trace"


_DEEP = 3
"""Through how many functions global names are followed."""


def owner_of(target: Any, frame: FrameType, around: list[Boundary]) -> tuple[Owner, int]:
    """Whose object it is, and how many of the traces under way it outlives."""
    if isinstance(target, type | ModuleType) or target is frame.f_globals:
        return Owner.OUTER, len(around)
    for level, boundary in enumerate(around):
        if searching.holds(held(boundary.outer), target):
            continue
        if searching.holds([*held(boundary.inner), *boundary.arguments], target):
            return Owner.ARGUMENT, level
        if searching.holds(_globals(frame), target):
            return Owner.OUTER, len(around)
        return Owner.FRESH, level
    return Owner.OUTER, len(around)


def _globals(frame: FrameType | None) -> list[Any]:
    """What the functions under way know by global names, and what the functions know among it."""
    queue: list[tuple[Any, dict[str, Any], int]] = []
    while frame is not None:
        queue.append((frame.f_code, frame.f_globals, 0))
        frame = frame.f_back
    found: list[Any] = []
    seen: set[Any] = set()
    for code, names, depth in queue:
        if code in seen or "site-packages" in code.co_filename or depth > _DEEP:
            continue
        seen.add(code)
        for name in code.co_names:
            value = names.get(name)
            found.append(value)
            if isinstance(value, ModuleType):
                known = vars(value)
                found += [known[part] for part in code.co_names if part in known]
            function = getattr(value, "__wrapped__", value) if callable(value) else None
            if isinstance(function, FunctionType):
                queue.append((function.__code__, function.__globals__, depth + 1))
    return found


def contents(target: Any) -> dict[Any, Any]:
    """What an object holds, one level down; a module its names."""
    if isinstance(target, ModuleType):
        return dict(vars(target))
    return children(list(target) if isinstance(target, deque) else target)


def differences(target: Any, before: dict[Any, Any]) -> Iterator[tuple[Any, Any]]:
    """What is new in an object, by key; of a list or an ordered dict also what has moved."""
    after = contents(target)
    found = list(changes([] if isinstance(target, deque) else target, before, after))
    if not found and isinstance(target, list | deque):
        found = [(key, item) for key, item in after.items() if before.get(key) is not item]
    if not found and isinstance(target, OrderedDict):
        moved = zip(before, after, strict=True)
        found = [(key, after[key]) for old, key in moved if old != key]
    yield from found


def weak(target: Any) -> Callable[[], Any] | None:
    """What gives an object as long as it lives, if there can be such a thing."""
    try:
        return weakref.ref(target)
    except TypeError:
        return None


def fate_of_copy(target: Any, key: Any, written: Any, value: Any) -> Fate:
    """What becomes of a change of a copy when the traced function gives a value back."""
    nodes = searching.near(value)
    if any(node is target for node in nodes):
        return Fate.RETURNED
    is_removed = written is GONE
    for node in searching.like([value], target):
        items = contents(node)
        if is_removed or isinstance(node, list | deque):
            if is_removed or any(item is written for item in items.values()):
                return Fate.UNKNOWN if is_removed else Fate.RETURNED
        elif items.get(key, GONE) is written:
            return Fate.RETURNED
    if not is_removed and any(node is written for node in nodes):
        return Fate.SCRATCH
    return Fate.LOST
