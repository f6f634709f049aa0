"""What can be reached from an object, as the garbage collector would see it, within a program."""

import functools
from collections.abc import Iterable, Iterator
from types import CellType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

import jax
import numpy as np

_LEAVES = (jax.Array, np.ndarray, np.generic, str, bytes, int, float, complex, type(None))


def children(value: Any) -> dict[Any, Any]:
    """What an object holds, one level down, by key."""
    if isinstance(value, CellType):
        try:
            return {"cell": value.cell_contents}
        except ValueError:
            return {}
    if isinstance(value, dict):
        return {("item", repr(key)): item for key, item in value.items()}
    if isinstance(value, list):
        return {("item", index): item for index, item in enumerate(value)}
    if isinstance(value, set):
        return {("item", id(item)): item for item in value}
    if isinstance(value, type):
        return {name: item for name, item in vars(value).items() if not name.startswith("__")}
    if isinstance(value, ModuleType):
        return {}
    return dict(_slots(value)) | dict(namespace(value) or {})


def _slots(value: Any) -> Iterator[tuple[str, Any]]:
    """What an object holds in the slots of its classes."""
    for base in type(value).__mro__:
        known = vars(base)
        for descriptor in known.values() if "__slots__" in known else ():
            if isinstance(descriptor, MemberDescriptorType):
                try:
                    yield descriptor.__name__, descriptor.__get__(value)
                except AttributeError:  # it is empty
                    continue


def namespace(value: Any) -> Any:
    """The attributes of an object; none of its own code is asked for them."""
    return _plain(value, "__dict__")


def _plain(value: Any, name: str) -> Any:
    try:
        return object.__getattribute__(value, name)
    except Exception:  # of a descriptor that does not work on every object
        return None


def reachable(roots: Iterable[Any], modules: frozenset[str]) -> dict[int, Any]:
    """The objects that can be reached, by identity; of classes, those of the modules only."""
    found: dict[int, Any] = {}
    stack = list(roots)
    while stack:
        value = stack.pop()
        if id(value) in found or (isinstance(value, _LEAVES) and not is_tracer(value)):
            continue
        if isinstance(value, type) and value.__module__ not in modules:
            continue
        found[id(value)] = value
        if not is_tracer(value):
            stack += parts(value)
    return found


def is_tracer(value: Any) -> bool:
    """Whether a value stands for an array in a trace."""
    return isinstance(value, jax.core.Tracer)


def holds_tracer(value: Any) -> bool:
    """Whether a value is a Tracer or holds one."""
    return any(is_tracer(item) for item in reachable([value], frozenset()).values())


def parts(value: Any) -> Iterator[Any]:
    """What an object holds: its attributes and elements, and what functions have bound."""
    if isinstance(value, ModuleType):
        return
    if isinstance(value, FunctionType):
        yield from value.__closure__ or ()
        yield from value.__defaults__ or ()
        yield from (value.__kwdefaults__ or {}).values()
    elif isinstance(value, MethodType):
        yield from (value.__self__, value.__func__)
    elif isinstance(value, functools.partial):
        yield from (value.func, value.args, value.keywords)
    elif isinstance(value, tuple | frozenset):
        yield from value
    elif isinstance(value, property):
        yield from (value.fget, value.fset)
    elif isinstance(value, staticmethod | classmethod):
        yield value.__func__
    if isinstance(value, dict):
        yield from (item for key, item in value.items() if not str(key).startswith("__"))
        return
    yield from children(value).values()
    if not isinstance(value, type | CellType | list | set):
        if (attributes := namespace(value)) is not None:
            yield attributes
        if (wrapped := _plain(value, "__wrapped__")) is not None:
            yield wrapped
