"""The fixpoint of summaries that depend on each other.

A summary starts at bottom. Whoever asks for it is asked again when it has grown. So the result is
the least fixpoint, whatever is asked first, and nothing that was computed from an unfinished
summary is kept as final.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Summary = TypeVar("Summary")


class SummaryTable(Generic[Key, Summary]):
    """Summaries by key, computed on demand.

    ``compute`` makes the summary of a key and asks the table for those it needs. ``join`` puts two
    summaries of one key together; it must not lose anything of either, and joining must come to
    rest after finitely many steps.
    """

    def __init__(
        self,
        compute: Callable[[Key], Summary],
        join: Callable[[Summary, Summary], Summary],
        bottom: Summary,
        nesting: int = 20,
    ) -> None:
        self._compute = compute
        self._join = join
        self._bottom = bottom
        self._nesting = nesting
        self._known: dict[Key, Summary] = {}
        self._askers: dict[Key, dict[Key, None]] = {}
        self._asked: dict[Key, dict[Key, None]] = {}
        self._running: list[Key] = []
        self._waiting: dict[Key, None] = {}
        self.computations = 0
        """How often a summary was computed: the work, as tests count it."""

    def release(self) -> None:
        """Forget all summaries, and who asked for them."""
        for known in (self._known, self._askers, self._asked, self._waiting):
            known.clear()

    def ask(self, key: Key) -> Summary:
        """The summary of a key.

        Inside of ``compute`` this is what is known so far; the key that is being computed is
        computed again when that grows. Elsewhere it is final.
        """
        if self._running:
            return self._ask_inside(key)
        if key not in self._known:
            self._waiting[key] = None
            self._settle()
        return self._known[key]

    def _ask_inside(self, key: Key) -> Summary:
        if key not in self._known:
            if len(self._running) < self._nesting:
                self._run(key)
            else:
                self._waiting[key] = None
        asker = self._running[-1]
        self._askers.setdefault(key, {})[asker] = None
        self._asked.setdefault(asker, {})[key] = None
        return self._known.get(key, self._bottom)

    def reached(self, keys: Iterable[Key]) -> tuple[Key, ...]:
        """Some keys, and all that their summaries were computed from, in the order of asking."""
        found: dict[Key, None] = {}
        stack = [*keys][::-1]
        while stack:
            key = stack.pop()
            if key not in found:
                found[key] = None
                stack += [*self._asked.get(key, ())][::-1]
        return tuple(found)

    def _settle(self) -> None:
        while self._waiting:
            key, _ = self._waiting.popitem()
            self._run(key)

    def _run(self, key: Key) -> None:
        """Compute a summary, and let those that asked for it wait if it has grown."""
        is_new = key not in self._known
        before = self._known.setdefault(key, self._bottom)
        self._waiting.pop(key, None)
        self._running.append(key)
        self.computations += 1
        try:
            found = self._compute(key)
        except BaseException:
            if is_new:
                del self._known[key]
            raise
        finally:
            self._running.pop()
        grown = self._join(self._known[key], found)
        self._known[key] = grown
        if grown != before:
            for asker in self._askers.get(key, ()):
                self._waiting[asker] = None
