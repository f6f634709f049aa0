"""Keeps the garbage collector from walking again and again over what is remembered."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_FEWEST = 300_000
"""Objects that are not worth a look; some 50 megabytes."""


@dataclass
class _Limit:
    """How many objects are kept from the collector before it looks at them again."""

    objects: int = _FEWEST


_LIMIT = _Limit()


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


def unfreeze() -> None:
    """Let the collector look at everything again, when its time comes."""
    gc.unfreeze()


def collect() -> None:
    """Collect what runs before have left, once there are twice as many objects as last time."""
    if gc.get_freeze_count() > _LIMIT.objects:
        gc.unfreeze()
        gc.collect()
        _LIMIT.objects = max(_FEWEST, 2 * len(gc.get_objects()))
