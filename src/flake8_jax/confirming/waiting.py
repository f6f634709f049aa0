"""Questions that can only be answered when a function that is traced has returned."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from flake8_jax.confirming.stack import Boundary, is_under_way


@dataclass(eq=False)
class _Question:
    key: int
    """The function, by the identity of its frame."""
    ask: Callable[[], None]


class Waiting(threading.local):
    """The questions of a thread."""

    def __init__(self) -> None:
        self._questions: list[_Question] = []

    def __bool__(self) -> bool:
        return bool(self._questions)

    def until(self, boundary: Boundary, ask: Callable[[], None]) -> None:
        """Ask when a function has returned."""
        self._questions.append(_Question(boundary.key, ask))

    def settle(self, at_end: bool) -> None:
        """Ask about functions that are not under way any more."""
        done = [item for item in self._questions if at_end or not is_under_way(item.key)]
        if done:
            self._questions = [item for item in self._questions if item not in done]
            for item in done:
                item.ask()
