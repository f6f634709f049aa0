"""What is to become of the files of a run, worked out before any of them is written."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from flake8.violation import Violation

from flake8_jax.applying.flake8 import STDIN, Flake8, UnparsableError
from flake8_jax.applying.remedies import Remedy, remedies
from flake8_jax.applying.rounds import Altered, settle
from flake8_jax.applying.silence import silenced
from flake8_jax.applying.takers import Takers
from flake8_jax.applying.texts import LeftAloneError, Text, read, require_inside, require_writable
from flake8_jax.faults import fault

T = TypeVar("T")

_MOST_PASSES = 10
"""How often a file is looked at again because others have changed."""


@dataclass(frozen=True)
class Failure:
    """Why a file is left alone."""

    path: str
    reason: str


@dataclass(frozen=True)
class Plan:
    """What is to become of a file."""

    path: str
    before: Text
    after: Text
    found: Counter[str]
    """How many findings of each code there were, without those that went with another file's."""
    left: Sequence[Violation]
    unsafe: int
    """How many findings more an unsafe fix would take away."""
    silenced: Counter[str]
    seen: int
    """How many changes of files had been made when it was looked at."""
    altered: tuple[Altered, ...] = ()

    @property
    def is_change(self) -> bool:
        """Whether the file becomes another one."""
        return self.after != self.before

    @property
    def fixed(self) -> Counter[str]:
        """How many findings of each code are gone."""
        return self.found - Counter(item.code for item in self.left) - self.silenced


@dataclass
class Planning:
    """Works out the plans of a run; each file sees what the others are going to be."""

    flake8: Flake8
    source: Text | None
    """What came from stdin, if anything did."""
    unsafe: bool
    writes: bool
    """Whether the files are going to be written, or it is asked which would be."""

    def __post_init__(self) -> None:
        self.paths = self.flake8.files()
        self._takers = Takers(self.paths)
        self._changes = 0

    def plans(
        self, watched: Iterable[str], check: Callable[[], None], add_noqa: bool
    ) -> list[Plan | Failure]:
        """The plans of some files; those that others' changes concern are made again."""
        made: dict[str, Plan | Failure] = {}
        for path in watched:
            made[path] = self._plan(path)
            check()
        for _ in range(_MOST_PASSES):
            stale = [plan for plan in succeeded(made.values()) if self._is_stale(plan)]
            for plan in stale:
                made[plan.path] = self._again(plan)
                check()
            if not stale:
                break
        if add_noqa:
            for plan in succeeded(made.values()):
                made[plan.path] = self._attempt(plan.path, partial(self._silence, plan))
        return list(made.values())

    def remedies(self, path: str, text: Text) -> list[Remedy] | Failure:
        """The findings of a file with some text, and what can be done about them."""
        others = self._takers.but(self.flake8.label(path))
        return self._attempt(
            path, lambda: remedies(text.lines, partial(self.flake8.lint, path), others)
        )

    def text(self, path: str) -> Text | Failure:
        """What is in a file."""
        return self._attempt(path, lambda: self._read(path))

    def forget(self, plans: Iterable[Plan | Failure]) -> None:
        """Let files be seen as they are on disk."""
        for plan in succeeded(plans):
            if plan.is_change:
                self.flake8.draft(plan.path, None)

    def _read(self, path: str) -> Text:
        return self.source if path == STDIN and self.source is not None else read(path)

    def _plan(self, path: str) -> Plan | Failure:
        return self._attempt(path, lambda: self._settled(path, self._read(path)))

    def _again(self, plan: Plan) -> Plan | Failure:
        def compute() -> Plan:
            later = self._settled(plan.path, plan.after)
            gone = Counter(item.code for item in plan.left) - later.found
            altered = plan.altered + later.altered
            return replace(later, before=plan.before, found=plan.found - gone, altered=altered)

        return self._attempt(plan.path, compute)

    def _is_stale(self, plan: Plan) -> bool:
        return bool(plan.left) and plan.seen < self._changes

    def _settled(self, path: str, text: Text) -> Plan:
        others = self._takers.but(self.flake8.label(path))
        outcome = settle(text.lines, partial(self.flake8.lint, path), self.unsafe, others)
        left = tuple(self.flake8.left)
        after = self._changed(path, text, outcome.lines)
        counts = (outcome.found, left, outcome.unsafe, Counter[str]())
        return Plan(path, text, after, *counts, self._changes, outcome.altered)

    def _silence(self, plan: Plan) -> Plan:
        """A plan after which what is left is silenced."""
        wanted: dict[int, set[str]] = {}
        for item in plan.left:
            wanted.setdefault(item.line_number, set()).add(item.code)
        after = self._changed(plan.path, plan.after, silenced(plan.after.lines, wanted))
        if after == plan.after:
            return plan
        with self.flake8.lint(plan.path, after.lines):
            left = tuple(self.flake8.left)
        gone = Counter(item.code for item in plan.left) - Counter(item.code for item in left)
        return replace(plan, after=after, left=left, silenced=gone, unsafe=0)

    def _changed(self, path: str, text: Text, lines: Sequence[str]) -> Text:
        """A text with other lines, which is what the other files see from then on."""
        after = text.changed(lines)
        if after != text:
            compile(after.content, path, "exec", dont_inherit=True)
            if self.writes and path != STDIN:
                require_inside(path, self.flake8.options.filenames or [os.curdir])
                require_writable(path)
            self._changes += 1
            self.flake8.draft(path, after.lines)
        return after

    def _attempt(self, path: str, compute: Callable[[], T]) -> T | Failure:
        try:
            return compute()
        except LeftAloneError as error:
            reason = str(error)
        except UnparsableError as error:
            reason = f"it cannot be parsed: {error}"
        except Exception as error:
            fault("%s is not fixed", path)
            reason = f"it cannot be fixed: {error!r}"
        self.flake8.draft(path, None)
        return Failure(path, reason)


def succeeded(items: Iterable[Plan | Failure]) -> list[Plan]:
    """The plans of files that are not left alone."""
    return [item for item in items if isinstance(item, Plan)]
