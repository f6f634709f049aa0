"""The findings of a module, each with what can be done about it: what editors and reports show."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flake8_jax.applying.changes import Change, changes
from flake8_jax.applying.offers import Linter, Offer, Others, mended, offer
from flake8_jax.findings import Placed
from flake8_jax.fixes.safety import Safety


@dataclass(frozen=True)
class Remedy:
    """A finding, and the changes that take it away or the reason why there are none."""

    line: int
    column: int
    """From 0, in characters."""
    code: str
    message: str
    safety: Safety | None
    """None where it is not fixed."""
    reason: str
    """Why it is not; empty where it is."""
    changes: tuple[Change, ...]
    alters: str = ""
    """What is not as it was once it is fixed."""

    @property
    def mark(self) -> str:
        """What can be done about it, in a few words."""
        if self.safety is None:
            return f"not fixed: {self.reason}"
        return f"{self.safety.value}: {self.alters}" if self.alters else self.safety.value


def remedies(
    lines: Sequence[str],
    linter: Linter,
    others: Others,
    wanted: Callable[[Placed], bool] = lambda _: True,
) -> list[Remedy]:
    """What is reported of a module, or what of that is wanted; each change is for itself."""
    with linter(lines) as report:
        offers = [offer(item, report, others) for item in report.shown if wanted(item)]
        return [_remedy(item, lines, others) for item in offers]


def _remedy(item: Offer, lines: Sequence[str], others: Others) -> Remedy:
    found, fix = item.found, item.fix
    made = changes(lines, mended(lines, [fix], others)) if fix is not None else ()
    safety = fix.safety if fix is not None else None
    alters = fix.alters if fix is not None else ""
    place = (found.line, found.column, found.code, found.message)
    return Remedy(*place, safety, item.reason, made, alters)
