"""Confirms rules: runs their fixtures, in several processes, and sums up what was seen."""

import gc
import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import ClassVar

import jax

from flake8_jax.evidence.archive import fixtures_folder
from flake8_jax.evidence.fixtures import LOADED, Fixture, Mark, Role, discover
from flake8_jax.evidence.instruments import Measurement, measure
from flake8_jax.evidence.verdicts import judge, lint
from flake8_jax.findings import Rule
from flake8_jax.symptoms import Symptom

_AT_ONCE = 8


@dataclass(frozen=True)
class Evidence:
    """What the fixtures of one rule have shown."""

    code: str
    promised: frozenset[Symptom]
    measured: int
    missing: tuple[str, ...]
    """The libraries that are not installed, for each fixture that needs one."""
    with_jit: tuple[tuple[str, int], ...]
    """The symptoms of the hazards, and how many of their drives show each."""
    without: tuple[tuple[str, int], ...]
    """The same for their controls."""
    problems: tuple[str, ...]
    broken: tuple[str, ...] = ()
    """The fixtures that the installed libraries cannot even load, and why."""

    COLUMNS: ClassVar = ("rule", "symptoms", "with jit", "control", "fixtures", "verdict")

    @property
    def confirmed(self) -> bool:
        """Whether something was measured, and all of it agrees."""
        return self.measured > 0 and not self.problems and not self.broken

    @property
    def verdict(self) -> str:
        """The outcome in a word."""
        if not self.measured:
            return "not measured"
        if self.problems:
            return "NOT CONFIRMED"
        return "confirmed in part" if self.broken else "confirmed"

    @property
    def row(self) -> tuple[str, ...]:
        """The evidence as a row of a table."""
        count = str(self.measured)
        if self.missing:
            count += f" ({len(self.missing)} need {', '.join(sorted(set(self.missing)))})"
        if self.broken:
            count += f" ({len(self.broken)} do not load)"
        shown = [
            ", ".join(f"{name} {number}" for name, number in counts) or "nothing"
            for counts in (self.with_jit, self.without)
        ]
        return (self.code, " or ".join(sorted(self.promised)), *shown, count, self.verdict)

    def as_data(self) -> dict[str, object]:
        """The evidence for tools."""
        return {
            "code": self.code,
            "symptoms": sorted(self.promised),
            "with_jit": dict(self.with_jit),
            "control": dict(self.without),
            "fixtures": self.measured,
            "missing": sorted(set(self.missing)),
            "verdict": self.verdict,
            "problems": list(self.problems),
            "broken": list(self.broken),
        }


class Missing(str):
    """The library that a fixture needs and that is not installed."""

    __slots__ = ()


class Broken(str):
    """What a fixture raises when it is loaded."""

    __slots__ = ()


Measured = tuple[Measurement, ...] | Missing | Broken
"""What was measured of a fixture, or why nothing was."""


def confirm(
    rules: Sequence[Rule],
    jobs: int,
    progress: Callable[[int, int], None] | None = None,
    finished: Callable[[str, int], None] | None = None,
) -> list[Evidence]:
    """Run the fixtures of some rules and hold the measurements against the findings.

    ``progress`` is told how many fixtures of all are measured, and ``finished`` which rule has none
    left, and how many it had.
    """
    codes = {rule.code for rule in rules}
    chosen = [item for item in discover(fixtures_folder()) if item.code in codes]
    found = lint(chosen)
    outcomes: dict[Fixture, Measured] = {}
    left = Counter(item.code for item in chosen)
    counts = dict(left)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, initializer=_keep_quiet) as pool:
        waiting = iter(chosen)
        batches = iter(lambda: list(islice(waiting, _AT_ONCE)), [])
        for done in as_completed([pool.submit(_measure, batch) for batch in batches]):
            measured = done.result()
            outcomes.update(measured)
            if progress is not None:
                progress(len(outcomes), len(chosen))
            for fixture, _ in measured:
                left[fixture.code] -= 1
                if finished is not None and left[fixture.code] == 0:
                    finished(fixture.code, counts[fixture.code])
    return [_evidence(rule, chosen, found, outcomes) for rule in rules]


def _keep_quiet() -> None:
    """Keep what libraries print when they are imported out of the table."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _measure(fixtures: Iterable[Fixture]) -> list[tuple[Fixture, Measured]]:
    measured = []
    for fixture in fixtures:
        measured.append((fixture, _measurements(fixture)))
        _forget()
    return measured


def _forget() -> None:
    """Let go of what a fixture has compiled: a worker runs hundreds of them."""
    for name in [name for name in sys.modules if name.startswith(LOADED)]:
        del sys.modules[name]
    jax.clear_caches()  # type: ignore[no-untyped-call]
    gc.collect()


def _measurements(fixture: Fixture) -> Measured:
    if sys.version_info < fixture.needs:
        return Missing(f"Python {fixture.needs[0]}.{fixture.needs[1]}")
    try:
        return tuple(measure(fixture))
    except ModuleNotFoundError as error:
        return Missing((error.name or "a library").partition(".")[0])
    except Exception as error:  # an old library has not all that a fixture uses
        return Broken(f"{type(error).__name__}: {error}".partition("\n")[0])


def _evidence(
    rule: Rule,
    fixtures: Iterable[Fixture],
    found: dict[Fixture, tuple[Mark, ...]],
    outcomes: dict[Fixture, Measured],
) -> Evidence:
    problems: list[str] = []
    missing: list[str] = []
    broken: list[str] = []
    measured = 0
    with_jit: Counter[str] = Counter()
    without: Counter[str] = Counter()
    for fixture in fixtures:
        outcome = outcomes[fixture]
        if fixture.code != rule.code:
            continue
        if isinstance(outcome, Missing):
            missing.append(outcome)
            continue
        if isinstance(outcome, Broken):
            broken.append(f"{Path(fixture.path).name}: {outcome}")
            continue
        measured += 1
        row = judge(fixture, found[fixture], outcome, {rule.code: rule.symptoms})
        problems += [f"{Path(fixture.path).name}: {problem}" for problem in row.problems]
        if fixture.role is Role.HAZARD:
            for item in outcome:
                with_jit.update(item.symptoms & rule.symptoms)
                without.update(item.control & rule.symptoms)
    return Evidence(
        rule.code,
        rule.symptoms,
        measured,
        tuple(missing),
        tuple(sorted(with_jit.items())),
        tuple(sorted(without.items())),
        tuple(problems),
        tuple(broken),
    )
