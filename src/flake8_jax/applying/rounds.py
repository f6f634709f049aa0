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


class Loss(NamedTuple):
    """What a fix that was applied loses without a word, where an error told of it before."""

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
    losses: tuple[Loss, ...] = ()


def settle(lines: Sequence[str], linter: Linter, unsafe: bool, others: Others) -> Outcome:
    """Fix what can be fixed; the lines that come of it have nothing more to fix."""
    before: Counter[str] | None = None
    losses: list[Loss] = []
    for _ in range(MOST_ROUNDS):
        with linter(lines) as report:
            if before is None:
                before = Counter(item.code for item in report.shown)
            offers = [offer(item, report, others) for item in report.shown]
            fixes = [item.fix for item in offers if item.fix is not None]
            chosen = compatible(fix for fix in fixes if unsafe or fix.safety is Safety.SAFE)
            if not chosen:
                return Outcome(lines, before, len(fixes), tuple(losses))
            losses += [_loss(item) for item in offers if item.fix in chosen and item.fix.loses]
            changed = mended(lines, chosen, others)
        if changed == list(lines):
            break
        lines = changed
    raise UnsettledError(f"there was more to fix after {MOST_ROUNDS} rounds")


def _loss(item: Offer) -> Loss:
    assert item.fix is not None
    return Loss(item.found.line, item.found.column, item.found.code, item.fix.loses)
