"""The table with two columns: what flake8 says of a fixture, and what JAX shows when it runs."""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flake8_jax.evidence.fixtures import Fixture, Mark, Role
from flake8_jax.symptoms import Symptom

if TYPE_CHECKING:  # linting fixtures needs no jax
    from flake8_jax.evidence.instruments import Measurement

_LINE = re.compile(r"(?P<path>.*):(?P<line>\d+):(?P<column>\d+): (?P<code>[A-Z]+\d+) ")
HARMLESS = frozenset({Symptom.RETRACED})
"""Symptoms that a look-alike may show: running Python again at each trace costs no run time."""


def lint(fixtures: Sequence[Fixture]) -> dict[Fixture, tuple[Mark, ...]]:
    """What flake8 with this plugin, and all of its rules on, prints for each of the fixtures."""
    files = {
        path: (fixture, module) for fixture in fixtures for path, module in fixture.modules.items()
    }
    if not files:
        return {}  # flake8 without files would lint the working directory
    command = [sys.executable, "-m", "flake8", "--isolated", "-j1", "--select=JAX,JAX9"]
    done = subprocess.run([*command, *map(str, files)], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or done.stderr:
        raise RuntimeError(f"flake8 failed with status {done.returncode}: {done.stderr}")
    found: dict[Fixture, list[Mark]] = {fixture: [] for fixture in fixtures}
    for line in done.stdout.splitlines():
        match = _LINE.match(line)
        if match is None:
            raise RuntimeError(f"flake8 printed what is not a finding: {line}")
        fixture, module = files[Path(match["path"])]
        found[fixture].append(Mark(int(match["line"]), int(match["column"]), match["code"], module))
    return {fixture: tuple(sorted(marks)) for fixture, marks in found.items()}


@dataclass(frozen=True)
class Row:
    """One fixture: the static verdict beside what was measured, and where the two disagree."""

    fixture: Fixture
    found: tuple[Mark, ...]
    measured: "tuple[Measurement, ...]"
    problems: tuple[str, ...]


def judge(
    fixture: Fixture,
    found: tuple[Mark, ...],
    measured: "Iterable[Measurement]",
    symptoms: Mapping[str, frozenset[Symptom]],
) -> Row:
    """Hold one fixture's findings and measurements against each other.

    ``symptoms`` maps each rule's code to the symptoms that it promises.
    """
    measured = tuple(measured)
    problems = tuple(_problems(fixture, found, measured, symptoms))
    return Row(fixture, found, measured, problems)


def _problems(
    fixture: Fixture,
    found: tuple[Mark, ...],
    measured: "tuple[Measurement, ...]",
    symptoms: Mapping[str, frozenset[Symptom]],
) -> Iterator[str]:
    wanted = fixture.marks()
    for mark in wanted:
        if mark not in found:
            yield f"missed: {_text(mark)}"
    for mark in found:
        if mark not in wanted:
            yield f"false alarm: {_text(mark)}"
    if not measured:
        yield "nothing measured: the fixture has no drive"
    if fixture.role is Role.HAZARD:
        if not any(mark.code == fixture.code for mark in wanted):
            yield f"a hazard without a mark for {fixture.code}"
        for measurement in measured:
            promised = symptoms[fixture.code]
            shown = measurement.symptoms & promised
            if not shown:
                seen = _names(measurement.symptoms)
                yield f"{measurement.drive}: shows {seen}, not {_names(promised)}"
            elif not shown - measurement.control:
                yield f"{measurement.drive}: {_names(shown)} is in the control as well"
    else:
        if wanted:
            yield f"a {fixture.role} fixture with a mark"
        for measurement in measured:
            if harm := measurement.symptoms - HARMLESS:
                yield f"{measurement.drive}: not harmless, shows {_names(harm)}"


def _text(mark: Mark) -> str:
    where = f" of {mark.module}" if mark.module else ""
    return f"{mark.code} at {mark.line}, column {mark.column}{where}"


def _names(symptoms: Iterable[Symptom]) -> str:
    return " or ".join(sorted(symptoms)) or "nothing"
