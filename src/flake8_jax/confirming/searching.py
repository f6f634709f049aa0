"""Searches what objects hold: for one of them, for those of a type, for a Tracer.

It is imported when the program has imported jax, and not before.
"""

import functools
import gc
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from types import FunctionType, MethodType
from typing import Any

import jax
import numpy as np

from flake8_jax.evidence.reach import children, is_tracer, parts

_LEAVES = (jax.Array, np.ndarray, np.generic, str, bytes, int, float, complex, type(None))
_MOST = 20_000
_NEAR = 3_000
_INTERNAL = frozenset({"jax", "jaxlib", "numpy"})
_KNOWN = _INTERNAL | {"flax", "equinox", "chex", *sys.stdlib_module_names}


def holds(roots: Iterable[Any], target: Any) -> bool:
    """Whether an object is among some others, or held by one of them."""
    return any(item is target for item in _nodes(roots, _MOST))


def like(roots: Iterable[Any], target: Any) -> list[Any]:
    """The objects of the same type as another one that some objects hold."""
    kind = type(target)
    return [item for item in _nodes(roots, _MOST) if type(item) is kind]


def tree_of(value: Any) -> Any:
    """The structure of a value as jax sees it; None if its class does not flatten."""
    try:
        return jax.tree_util.tree_structure(value)
    except Exception:  # of the flatten method of a class
        return None


def near(root: Any) -> list[Any]:
    """An object and what it holds that can be changed."""
    return [item for item in _nodes([root], _NEAR) if not is_tracer(item)]


def path_to_tracer(value: Any) -> str | None:
    """How to get from a value to a Tracer in it; None if there is none."""
    queue: deque[tuple[Any, str]] = deque([(value, "")])
    seen: set[int] = set()
    while queue and len(seen) < _NEAR:
        item, path = queue.popleft()
        if is_tracer(item):
            return path
        if id(item) in seen or isinstance(item, _LEAVES) or _is_internal(item):
            continue
        seen.add(id(item))
        queue.extend((part, path + step) for step, part in _steps(item))
    return None


def _steps(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, deque):
        yield from ((f"[{number}]", item) for number, item in enumerate(value))
    if isinstance(value, tuple | frozenset):
        fields = getattr(type(value), "_fields", None)
        for number, item in enumerate(value):
            yield (f".{fields[number]}" if fields else f"[{number}]"), item
    for key, item in children(value).items():
        yield (f"[{key[1]}]" if isinstance(key, tuple) else f".{key}"), item
    if isinstance(value, dict | list) or not callable(value):
        return
    yield from (("", part) for part in parts(value))


def _nodes(roots: Iterable[Any], most: int) -> Iterator[Any]:
    queue = deque(roots)
    seen: set[int] = set()
    while queue and len(seen) < most:
        value = queue.popleft()
        if id(value) in seen or (isinstance(value, _LEAVES) and not is_tracer(value)):
            continue
        seen.add(id(value))
        yield value
        if is_tracer(value) or _is_internal(value):
            continue
        if isinstance(value, type):
            queue.extend(children(value).values())
            continue
        queue.extend(parts(value))
        if isinstance(value, deque):
            queue.extend(value)
        if not _is_known(type(value)):
            queue.append(type(value))


def _is_known(kind: type) -> bool:
    """Whether a class belongs to Python or to a library, and not to the program."""
    return str(kind.__module__).partition(".")[0] in _KNOWN


def _is_internal(value: Any) -> bool:
    """Whether an object belongs to jax itself, and wraps nothing of the program."""
    if isinstance(value, type):
        return _is_known(value)
    module = str(type(value).__module__).partition(".")[0]
    return module in _INTERNAL and not callable(value) and type(value).__name__ != "WrappedFun"


def memo_of(function: Any) -> Any:
    """The cached function that is called by this name, or by the first that it calls."""
    for _ in range(8):
        if isinstance(function, functools._lru_cache_wrapper):
            return function
        if isinstance(function, MethodType):
            function = function.__func__
        elif isinstance(function, functools.partial):
            function = function.func
        else:
            function = getattr(function, "__wrapped__", None)
    return None


def kept_by(memo: Any) -> list[Any]:
    """The results that a function of functools keeps; it is not called for that."""
    found: list[Any] = []
    for item in gc.get_referents(memo):
        if isinstance(item, dict):
            if item is not getattr(memo, "__dict__", None):
                found += item.values()
        elif not isinstance(item, type | FunctionType):
            found.append(item)
    links = [item for item in found if type(item).__name__ == "_lru_list_elem"]
    return [*found, *(part for link in links for part in gc.get_referents(link))]
