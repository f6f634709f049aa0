"""Lints the paths, and says what has to be measured where for each finding."""

import hashlib
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flake8_jax.applying.flake8 import Flake8, UnparsableError
from flake8_jax.applying.texts import LeftAloneError, read
from flake8_jax.confirming.importing import definition, function_at
from flake8_jax.confirming.places import Kind, Module, Place, Plan, Via
from flake8_jax.wording import Told, ToldCache, ToldFrozen, quoted

_KINDS = {
    "JAX101": Kind.CACHE,
    "JAX102": Kind.CACHE,
    "JAX103": Kind.CACHE,
    "JAX903": Kind.CACHE,
    "JAX104": Kind.LAZY,
    "JAX106": Kind.MEMO,
    "JAX401": Kind.DISCARD,
}
"""What there is to measure for a rule; for all others a write, or a read that writes."""
_MEMBER = re.compile(r"(?P<owner>\w+)\.(?P<member>\w+)")


@dataclass(frozen=True)
class Finding:
    """What flake8 reports; line and column count from 1."""

    number: int
    path: str
    line: int
    column: int
    code: str
    words: str
    told: object
    """The facts that the words are made of."""

    @property
    def subject(self) -> str:
        """What the message speaks of first."""
        if isinstance(self.told, Told | ToldCache | ToldFrozen):
            return quoted(self.told.text)
        return "it"


def findings(flake8: Flake8) -> tuple[list[Finding], Plan]:
    """What is found in the files that flake8 would lint, and what has to be measured for it."""
    warnings.simplefilter("ignore", SyntaxWarning)  # of the code that is read
    found: list[Finding] = []
    places: dict[str, list[Place]] = {}
    for path in flake8.files():
        try:
            lines = read(path).lines
            if any("jax" in line for line in lines):
                places.setdefault(str(Path(path).resolve()), [])  # its functions may be traced
            with flake8.lint(path, lines) as report:
                shown = sorted(report.shown, key=lambda item: (item.line, item.column, item.code))
        except (LeftAloneError, UnparsableError):
            continue
        for item in shown:
            where = path, item.line, item.column + 1
            made = Finding(len(found), *where, item.code, item.words, item.told)
            found.append(made)
            for file, place in _places(made):
                places.setdefault(file, []).append(place)
    plan = {file: Module(_digest(file), tuple(_told(parts))) for file, parts in places.items()}
    return found, plan


def _told(places: Sequence[Place]) -> Iterator[Place]:
    """The places, where the only finding of a file at a cause may come there by any way."""
    at = Counter((place.line, place.via.file) for place in places if place.via is not None)
    for place in places:
        if place.via is not None and at[place.line, place.via.file] == 1:
            yield replace(place, via=Via(place.via.file, 0, sys.maxsize))
        else:
            yield place


def _digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _places(finding: Finding) -> Iterator[tuple[str, Place]]:
    """Where a finding is measured: where it stands, and where the cause lies that it names."""
    path = Path(finding.path).resolve()
    kind = _KINDS.get(finding.code, Kind.WRITE)
    told, member = finding.told, _MEMBER.fullmatch(finding.subject)
    place = Place(
        finding.number,
        finding.line,
        finding.column - 1,
        kind,
        member["member"] if member is not None else "",
        told.inherited if isinstance(told, ToldCache) else "",
    )
    cause = told.cause if isinstance(told, Told | ToldFrozen) else None
    if cause is not None:
        file, via = str(Path(cause.path).resolve()), function_at(path, finding.line)
        yield file, replace(place, line=cause.line, column=None, base="", via=via)
        yield str(path), replace(place, finding=~finding.number)
        return
    if kind is Kind.LAZY and member is not None and place.base:
        where = definition(path, member["owner"], place.base)
        if where is not None and where[0] != path:
            yield str(where[0]), replace(place, line=where[1], column=None)
            return
    yield str(path), place
