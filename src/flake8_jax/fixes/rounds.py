"""Applies the fixes of a module, round by round, until nothing is left that can be fixed."""

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from flake8_jax.findings import Placed
from flake8_jax.fixes.edits import Fix, applied, compatible, keeps_comments
from flake8_jax.fixes.imports import with_imports, without_unused
from flake8_jax.fixes.safety import Safety

LOG = logging.getLogger("flake8.jax")
MOST_ROUNDS = 20


class UnsettledError(Exception):
    """Fixing does not come to an end."""


@dataclass(frozen=True)
class Report:
    """What is found in a module."""

    shown: tuple[Placed, ...] = ()
    silenced: tuple[Placed, ...] = ()
    """What is not selected, or has a comment that says so."""


Linter = Callable[[Sequence[str]], AbstractContextManager[Report]]
"""What flake8 makes of a module with some lines."""


@dataclass(frozen=True)
class Outcome:
    """What has become of a module."""

    lines: Sequence[str]
    fixed: Counter[str]
    """How many findings of each code are gone."""
    unsafe: int
    """How many of the others an unsafe fix would take away."""


class Others(Protocol):
    """The other modules of a run."""

    def spared(self, names: frozenset[str]) -> frozenset[str]:
        """Those of some names that may go, because nobody else takes them from the module."""

    def deal_with(self, cache: str) -> bool:
        """Whether one of them does more with a cache of that name than to read its value."""


def settle(lines: Sequence[str], linter: Linter, unsafe: bool, others: Others) -> Outcome:
    """Fix what can be fixed; the lines that come of it have nothing more to fix."""
    before: Counter[str] | None = None
    for _ in range(MOST_ROUNDS):
        with linter(lines) as report:
            counts = Counter(item.code for item in report.shown)
            before = counts if before is None else before
            silenced = frozenset(item.finding.node for item in report.silenced)
            offered = [fix for item in report.shown for fix in _offers(item)]
            offered = [fix for fix in offered if silenced.isdisjoint(fix.concerns)]
            offered = [fix for fix in offered if not fix.cache or not others.deal_with(fix.cache)]
            chosen = compatible(fix for fix in offered if unsafe or fix.safety is Safety.SAFE)
            if not chosen:
                return Outcome(lines, before - counts, len(offered))
            changed = applied(lines, chosen)
        changed = with_imports(changed, [fix.needs for fix in chosen if fix.needs is not None])
        freed = frozenset[str]().union(*(fix.frees for fix in chosen))
        if freed:
            changed = without_unused(changed, others.spared(freed))
        if changed == list(lines):
            break
        lines = changed
    raise UnsettledError(f"there was more to fix after {MOST_ROUNDS} rounds")


def _offers(item: Placed) -> Iterator[Fix]:
    """The fix of a finding, if there is one and it can be applied; one that fails is none."""
    finding = item.finding
    try:
        fix = finding.fix() if finding.fix is not None else None
        if fix is not None and not all(map(keeps_comments, fix.edits)):
            fix = None
    except Exception:
        LOG.exception("no fix for %s on line %d", item.code, item.line)
        return
    if fix is not None and all(edit.piece.file is finding.piece.file for edit in fix.edits):
        yield fix
