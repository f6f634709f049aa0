"""The fixpoint of summaries that depend on each other.

A summary starts at bottom. Whoever asks for it is asked again when it has grown. So the result is
the least fixpoint, whatever is asked first, and nothing that was computed from an unfinished
summary is kept as final.

Those that depend on each other come to rest together before anybody else sees them: a strongly
connected component, found by Tarjan's algorithm while its members ask. Among those that wait to be
computed again, the one that was reached on the longest way comes first: callees before callers.
"""

from collections.abc import Callable, Hashable, Iterable
from heapq import heappop, heappush
from itertools import islice
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
        self._rank: dict[Key, tuple[int, int, Key]] = {}
        """How far down a key was first asked for, and as which: the next to be computed is the
        least one."""
        self._running: list[Key] = []
        self._lows: list[int] = []
        """For each that is running, the outermost of them that it depends on."""
        self._levels: dict[Key, int] = {}
        """Where those stand that are running."""
        self._open: dict[Key, int] = {}
        """Those that were computed and may grow, and the outermost running one that they depend
        on, in the order in which they were computed first."""
        self._waiting: set[Key] = set()
        self._queue: list[tuple[int, int, Key]] = []
        self.computations = 0
        """How often a summary was computed: the work, as tests count it."""

    def release(self) -> None:
        """Forget all summaries, and who asked for them."""
        for known in (self._known, self._askers, self._asked, self._rank, self._open):
            known.clear()
        self._waiting.clear()
        self._queue.clear()

    def drop(self, is_old: Callable[[Key], bool]) -> set[Key]:
        """Forget some summaries, and all that were computed from them; those that are gone."""
        gone, stack = set[Key](), [key for key in self._asked if is_old(key)]
        while stack:
            key = stack.pop()
            if key not in gone:
                gone.add(key)
                stack += self._askers.get(key, ())
        for key in gone:
            for other in self._asked.pop(key, ()):
                if other not in gone:
                    self._askers[other].pop(key, None)
            self._known.pop(key, None)
            self._askers.pop(key, None)
            self._rank.pop(key, None)
        return gone

    def ask(self, key: Key) -> Summary:
        """The summary of a key.

        Inside of ``compute`` this is what is known so far; the key that is being computed is
        computed again when that grows. Elsewhere it is final.
        """
        if self._running:
            return self._ask_inside(key)
        if key not in self._known:
            try:
                self._first(key, 0)
            except BaseException:
                self._give_up()
                raise
        return self._known[key]

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

    def _ask_inside(self, key: Key) -> Summary:
        asker = self._running[-1]
        if key not in self._known:
            depth = 1 - self._rank[asker][0]
            if len(self._running) < self._nesting:
                low = self._first(key, depth)
            else:
                self._note(key, depth)
                self._wait(key)
                low = 0
        else:
            low = self._levels.get(key, self._open.get(key, self._nesting))
        self._lows[-1] = min(self._lows[-1], low)
        self._askers.setdefault(key, {})[asker] = None
        self._asked[asker][key] = None
        return self._known.get(key, self._bottom)

    def _note(self, key: Key, depth: int) -> None:
        self._rank.setdefault(key, (-depth, len(self._rank), key))

    def _wait(self, key: Key) -> None:
        if key not in self._waiting:
            self._waiting.add(key)
            heappush(self._queue, self._rank[key])

    def _first(self, key: Key, depth: int) -> int:
        """Compute a key, and all that depend on it and it on them, unless it depends on others.

        Returns the outermost running key that it depends on, if one is further out.
        """
        self._note(key, depth)
        level, begin = len(self._running), len(self._open)
        low = self._run(key)
        if low >= level:
            low = self._settle(level)
        for member in [*islice(reversed(self._open), len(self._open) - begin)]:
            if low >= level:
                del self._open[member]
            else:
                self._open[member] = min(self._open[member], low)
        return low if low < level else self._nesting

    def _settle(self, level: int) -> int:
        """Compute those again that wait, until nothing grows or one depends on others."""
        others: list[tuple[int, int, Key]] = []
        low = level
        while self._queue and low >= level:
            rank = heappop(self._queue)
            key = rank[2]
            if key in self._waiting:
                if not level or self._open.get(key, -1) >= level:
                    low = min(low, self._run(key))
                else:
                    others.append(rank)
        for rank in others:
            heappush(self._queue, rank)
        return low

    def _run(self, key: Key) -> int:
        """Compute a summary, and let those that asked for it wait if it has grown."""
        before = self._known.setdefault(key, self._bottom)
        self._waiting.discard(key)
        level = len(self._running)
        asked = self._asked.get(key, {})
        self._asked[key] = {}
        self._running.append(key)
        self._lows.append(level)
        self._levels[key] = level
        self.computations += 1
        try:
            found = self._compute(key)
        except BaseException:
            self._known.pop(key)
            raise
        finally:
            self._running.pop()
            low = self._lows.pop()
            del self._levels[key]
        self._open.setdefault(key, low)
        for other in asked.keys() - self._asked[key].keys():
            self._askers[other].pop(key, None)
        grown = self._join(self._known[key], found)
        self._known[key] = grown
        if grown != before:
            for asker in self._askers.get(key, ()):
                self._wait(asker)
        return low

    def _give_up(self) -> None:
        """Forget all that is not final: a computation has failed."""
        for key in (*self._open, *self._waiting):
            self._known.pop(key, None)
        self._open.clear()
        self._waiting.clear()
        self._queue.clear()
