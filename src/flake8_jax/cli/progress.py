"""How far a long run has come, for those who watch it in a terminal."""

import sys
from collections.abc import Callable

_WIDTH = 24
_CLEAR = "\r\x1b[K"


def progress(what: str) -> Callable[[int, int], None] | None:
    """Shows how many of all things are done; None where nobody watches."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        full = _WIDTH * done // max(total, 1)
        bar = f"{_CLEAR}[{'#' * full}{'.' * (_WIDTH - full)}] {done} of {total} {what}"
        print(bar if done < total else _CLEAR, end="", file=sys.stderr, flush=True)

    return show
