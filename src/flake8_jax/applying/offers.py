"""What is offered for the findings of a module: a fix, or the reason why there is none."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from flake8_jax.applying.imports import with_imports, without_unused
from flake8_jax.faults import fault
from flake8_jax.findings import Placed, Rule
from flake8_jax.fixes.declining import DeclinedError
from flake8_jax.fixes.edits import Fix, applied, keeps_comments
from flake8_jax.rules import RULES

_BY_CODE = {rule.code: rule for rule in RULES}


@dataclass(frozen=True)
class Report:
    """What is found in a module."""

    shown: tuple[Placed, ...] = ()
    silenced: tuple[Placed, ...] = ()
    """What is not selected, or has a comment that says so."""


Linter = Callable[[Sequence[str]], AbstractContextManager[Report]]
"""What flake8 makes of a module with some lines."""


class Others(Protocol):
    """The other modules of a run."""

    def spared(self, names: frozenset[str]) -> frozenset[str]:
        """Those of some names that may go, because nobody else takes them from the module."""

    def deals_with(self, cache: str) -> str | None:
        """One of them that does more with a cache of that name than to read its value."""


@dataclass(frozen=True)
class Offer:
    """A finding, and the fix of it or the reason why there is none."""

    found: Placed
    fix: Fix | None
    reason: str = ""


def offer(item: Placed, report: Report, others: Others) -> Offer:
    """What is offered for a finding; a fix that fails is none."""
    try:
        return Offer(item, _fix(item, report, others))
    except DeclinedError as error:
        return Offer(item, None, str(error))
    except Exception:
        fault("no fix for %s on line %d", item.code, item.line)
        return Offer(item, None, "its fix failed, which is a fault of flake8-jax")


def _fix(item: Placed, report: Report, others: Others) -> Fix:
    fix = item.fix() if item.fix is not None else None
    if fix is None:
        raise DeclinedError(_unexplained(_BY_CODE[item.code]))
    if not all(map(keeps_comments, fix.edits)):
        raise DeclinedError("a comment inside of what would be replaced would be lost")
    if not all(edit.piece.file is item.file for edit in fix.edits):
        raise DeclinedError("what would have to change stands in another file")
    for other in report.silenced:
        if (other.line, other.column) in fix.concerns:
            raise DeclinedError(
                f"line {other.line}, which would change too, is silenced for {other.code}"
            )
    dealing = others.deals_with(fix.cache) if fix.cache else None
    if dealing is not None:
        raise DeclinedError(f"{dealing} does more with {fix.cache!r} than to read its value")
    return fix


def _unexplained(rule: Rule) -> str:
    """The reason where none is told."""
    if rule.fix is None:
        return f"{rule.code} has no fix; flake8-jax explain {rule.code} says what to write instead"
    return (
        f"no change is known to be right here; flake8-jax explain {rule.code} says what is left "
        "alone"
    )


def mended(lines: Sequence[str], fixes: Sequence[Fix], others: Others) -> list[str]:
    """The lines of a module after some fixes, with the imports that these need and no others."""
    changed = applied(lines, fixes)
    changed = with_imports(changed, _needed(fixes))
    freed = frozenset[str]().union(*(fix.frees for fix in fixes))
    return without_unused(changed, others.spared(freed)) if freed else changed


def _needed(fixes: Iterable[Fix]) -> list[str]:
    return [fix.needs for fix in fixes if fix.needs is not None]
