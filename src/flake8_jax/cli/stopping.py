"""Ctrl-C, also where the exception is lost on its way.

An error that the interrupted code meets while it cleans up takes the place of the exception, and is
taken for a fault of that code: libcst's positions are such a place. So it is noted as well.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def noted() -> Iterator[Callable[[], None]]:
    """What raises ``KeyboardInterrupt`` if there has been one meanwhile."""
    interrupts: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        interrupts.append(number)
        signal.default_int_handler(number, frame)

    def check() -> None:
        if interrupts:
            raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield check  # somebody else has taken care of it
        return
    try:
        before = signal.signal(signal.SIGINT, note)
    except ValueError:  # signals are for the main thread
        yield check
        return
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, before)
