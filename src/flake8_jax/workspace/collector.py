"""Keeps the garbage collector from walking again and again over what is remembered."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """Collect nothing meanwhile, and leave out from then on what is there at the end.

    Garbage has to be gone before: what is set aside stays, until it is looked at again.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.collect()
            gc.freeze()
            gc.enable()


def unfreeze() -> None:
    """Let the collector look at everything again, when its time comes."""
    gc.unfreeze()
