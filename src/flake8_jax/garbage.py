"""Keeps the garbage collector from walking again and again over what is remembered."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class _Aside:
    """Whether a file was looked at before: one alone leaves nothing that is worth a walk."""

    begun: bool = False


_ASIDE = _Aside()


@contextmanager
def paused() -> Iterator[None]:
    """Collect nothing meanwhile, and then leave out what is there by then.

    Others' garbage has to be gone before: what is set aside stays. That takes a walk over what was
    made since the last file, and over nothing else.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if _ASIDE.begun:
                gc.collect()
                gc.freeze()
            _ASIDE.begun = True
            gc.enable()


def unfreeze() -> None:
    """Let the collector look at everything again, when its time comes."""
    gc.unfreeze()
