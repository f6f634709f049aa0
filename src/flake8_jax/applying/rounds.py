"""Applies the fixes of a module, round by round, until nothing is left that can be fixed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from flake8_jax.applying.offers import Linter, Offer, Others, mended, offer
from flake8_jax.fixes.edits import compatible
from flake8_jax.fixes.safety import Safety

MOST_ROUNDS = 20


class UnsettledError(Exception):
    """Fixing does not come to an end."""


class Altered(NamedTuple):
    """What is not as it was after a fix that was applied."""

    line: int
    column: int
    """From 0; both as they were when it was fixed."""
    code: str
    text: str


@dataclass(frozen=True)
class Outcome:
    """What has become of a module."""

    lines: Sequence[str]
    found: Counter[str]
    """How many findings of each code there were."""
    unsafe: int
    """How many of those that are left an unsafe fix would take away."""
    altered: tuple[Altered, ...] = ()


def settle(lines: Sequence[str], linter: Linter, unsafe: bool, others: Others) -> Outcome:
    """Fix what can be fixed; the lines that come of it have nothing more to fix."""
    before: Counter[str] | None = None
    altered: list[Altered] = []
    for _ in range(MOST_ROUNDS):
        with linter(lines) as report:
            if before is None:
                before = Counter(item.code for item in report.shown)
            offers = [offer(item, report, others) for item in report.shown]
            fixes = [item.fix for item in offers if item.fix is not None]
            chosen = compatible(fix for fix in fixes if unsafe or fix.safety is Safety.SAFE)
            if not chosen:
                return Outcome(lines, before, len(fixes), tuple(altered))
            altered += [_altered(i) for i in offers if i.fix in chosen and i.fix.alters]
            changed = mended(lines, chosen, others)
        if changed == list(lines):
            break
        lines = changed
    raise UnsettledError(f"there was more to fix after {MOST_ROUNDS} rounds")


def _altered(item: Offer) -> Altered:
    assert item.fix is not None
    return Altered(item.found.line, item.found.column, item.found.code, item.fix.alters)
