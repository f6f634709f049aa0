"""Keeps the garbage collector from walking again and again over what is remembered."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_FILES = 10
"""After so many files what is remembered is set aside, once it is rid of garbage."""


@dataclass
class _Aside:
    """How many files were looked at since the collector was rid of what they left."""

    files: int = 0


_ASIDE = _Aside()


@contextmanager
def paused() -> Iterator[None]:
    """Collect nothing meanwhile, and now and then leave out what is there by then.

    Others' garbage has to be gone before: what is set aside stays.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            _ASIDE.files += 1
            if _ASIDE.files >= _FILES:
                _ASIDE.files = 0
                gc.collect()
                gc.freeze()
            gc.enable()


def unfreeze() -> None:
    """Let the collector look at everything again, when its time comes."""
    gc.unfreeze()
