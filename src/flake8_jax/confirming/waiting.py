"""Questions that can only be answered when a function that is traced returns, or has returned."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flake8_jax.confirming.stack import Boundary, is_under_way
from flake8_jax.evidence.changes import GONE


@dataclass(eq=False)
class _Question:
    key: int
    """The function, by the identity of its frame."""
    ask: Callable[[], None]


class Waiting(threading.local):
    """The questions of a thread."""

    def __init__(self) -> None:
        self._questions: list[_Question] = []
        self._results: dict[int, list[Callable[[Any], None]]] = {}
        self._early: dict[int, Any] = {}
        """What functions give back that are not done yet."""

    def __bool__(self) -> bool:
        return bool(self._questions or self._results or self._early)

    def until(self, boundary: Boundary, ask: Callable[[], None]) -> None:
        """Ask when a function has returned."""
        self._questions.append(_Question(boundary.key, ask))

    def for_result(self, boundary: Boundary, ask: Callable[[Any], None]) -> None:
        """Ask of the value that a function gives back; of GONE if it does not, or says nothing."""
        if boundary.key in self._early:
            ask(self._early[boundary.key])
        else:
            self._results.setdefault(boundary.key, []).append(ask)

    def returning(self, key: int, value: Any, early: bool = False) -> None:
        """A function gives a value back; early, if it may change something before it does."""
        if early:
            self._early[key] = value
        for ask in self._results.pop(key, ()):
            ask(value)

    def settle(self, at_end: bool) -> None:
        """Ask about functions that are not under way any more."""
        for key in [key for key in self._results if at_end or not is_under_way(key)]:
            self.returning(key, GONE)
        for key in [key for key in self._early if at_end or not is_under_way(key)]:
            del self._early[key]
        done = [item for item in self._questions if at_end or not is_under_way(item.key)]
        if done:
            self._questions = [item for item in self._questions if item not in done]
            for item in done:
                item.ask()
