"""Keeps the garbage collector from walking again and again over what is remembered."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_FEWEST = 50
_OBJECTS = 5_000
"""About as many objects are left behind by a file, where one is linted again and again."""


@dataclass
class _Frozen:
    """How often objects were kept from the collector since it looked at them, and may be."""

    times: int = 0
    most: int = _FEWEST


_FROZEN = _Frozen()


@contextmanager
def paused() -> Iterator[None]:
    """Collect nothing meanwhile, and afterwards leave out what is there now."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.freeze()
            gc.enable()
            _FROZEN.times += 1


def unfreeze() -> None:
    """Let the collector look at everything again, when its time comes."""
    gc.unfreeze()


def collect() -> None:
    """Collect what was left behind, once it may be as much as there is in all."""
    if _FROZEN.times > _FROZEN.most:
        gc.unfreeze()
        gc.collect()
        _FROZEN.times = 0
        _FROZEN.most = max(_FEWEST, len(gc.get_objects()) // _OBJECTS)
