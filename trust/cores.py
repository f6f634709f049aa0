"""Lints files with both cores and tells where they differ.

Run it with ``python -m trust.cores fixtures``. The exit status is 1 if the cores differ, or if one
of them failed.
"""

import argparse
import logging
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeAlias

from flake8_jax import garbage, second
from flake8_jax.evidence.fixtures import Fixture
from flake8_jax.faults import LOG
from flake8_jax.findings import Placed
from flake8_jax.first import check
from flake8_jax.gate import OPT_IN, may_matter
from flake8_jax.outline import attach, parsed, release
from flake8_jax.project import File, Project, Settings
from flake8_jax.reach import leads_to_jax

Found: TypeAlias = dict["Spot", str]
"""What was found at each spot, in words."""

_FIXTURES = re.compile(r"JAX\d{3}")


class Spot(NamedTuple):
    """Where something is reported; line and column count from 1."""

    path: str
    line: int
    column: int
    code: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Compared:
    """What both cores found, and what the marks of fixtures ask for."""

    first: Found = field(default_factory=dict)
    second: Found = field(default_factory=dict)
    said: Found = field(default_factory=dict)
    """What the second core prints."""
    marks: set[Spot] = field(default_factory=set)
    marked: set[str] = field(default_factory=set)
    """The files that say by marks what is to be found."""

    @property
    def agrees(self) -> bool:
        """Whether both cores found the same."""
        return self.first.keys() == self.second.keys()

    def differences(self, verbose: bool) -> Iterator[str]:
        """A line for each spot that only one of the cores reports."""
        for spot in sorted(self.first.keys() ^ self.second.keys()):
            name, found = ("first", self.first) if spot in self.first else ("second", self.second)
            yield f"{spot} only {name} {spot.code}{f'  {found[spot]}' if verbose else ''}"

    def texts(self) -> Iterator[str]:
        """Two lines for each spot of which the cores say something else."""
        for spot in sorted(self.first.keys() & self.said.keys()):
            if self.first[spot] != self.said[spot]:
                yield f"{spot} first  {self.first[spot]}"
                yield f"{spot} second {self.said[spot]}"

    def table(self) -> Iterator[str]:
        """How often the cores agree, and how often the second one agrees with the marks."""
        first, other = set(self.first), set(self.second)
        unmarked = {spot for spot in other - self.marks if spot.path in self.marked}
        columns = {
            "both": first & other,
            "only first": first - other,
            "only second": other - first,
            "marks found": self.marks & other,
            "marks missed": self.marks - other,
            "unmarked": unmarked,
        }
        counts = {name: Counter(spot.code for spot in spots) for name, spots in columns.items()}
        yield "code    " + "".join(f"{name:>14}" for name in columns)
        for code in sorted({spot.code for spots in columns.values() for spot in spots}):
            yield f"{code:8}" + "".join(f"{counts[name][code]:14}" for name in columns)
        yield f"{'all':8}" + "".join(f"{len(spots):14}" for spots in columns.values())


def compare(paths: Sequence[Path], codes: Sequence[str]) -> Compared:
    """Lint files, or all below folders, with both cores; each folder is a project."""
    compared = Compared()
    for given in paths:
        folder = given if given.is_dir() else given.parent
        project = Project(Settings(), str(folder.resolve()))
        files = sorted(given.rglob("*.py")) if given.is_dir() else [given]
        for path in files:
            _compare_file(project, path, tuple(codes), compared)
    return compared


def _compare_file(project: Project, path: Path, codes: tuple[str, ...], into: Compared) -> None:
    shown = path.as_posix()
    if any(map(_FIXTURES.fullmatch, path.resolve().parent.parts)):
        into.marked.add(shown)
        marks = Fixture(path).marks()
        into.marks.update(
            Spot(shown, mark.line, mark.column, mark.code)
            for mark in marks
            if mark.code.startswith(codes)
        )
    text = path.read_text(encoding="utf-8", errors="replace").removeprefix("\ufeff")
    tree = parsed(text)
    if tree is None:
        return
    file = project.open(str(path.resolve()), text, project)
    with garbage.paused():
        attach(file, text.splitlines(keepends=True), tree)
        try:
            if may_matter(text) or leads_to_jax(project, file):
                _lint(project, file, shown, codes, into)
        finally:
            release(file)


def _lint(project: Project, file: File, shown: str, codes: tuple[str, ...], into: Compared) -> None:
    for found in check(project, file, [OPT_IN]):
        if found.code.startswith(codes):
            into.first[Spot(shown, found.line, found.column + 1, found.code)] = found.message
    for place in second.findings(project, file, codes):
        spot = Spot(shown, place.line, place.column + 1, place.code)
        into.second[spot] = place.detail
        into.said[spot] = Placed(*place[:3], second.message(place)).message


class _Faults(logging.Handler):
    """Keeps what the log tells of failures."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, and print the differences; 0 if there are none."""
    given = _parser().parse_args(arguments)
    missing = [str(path) for path in given.paths if not path.exists()]
    if missing:
        print(f"no such path: {', '.join(missing)}", file=sys.stderr)
        return 2
    faults = _Faults()
    LOG.addHandler(faults)
    try:
        compared = compare(given.paths, given.codes.split(","))
    finally:
        LOG.removeHandler(faults)
    texts = compared.texts() if given.texts else ()
    lines = (*compared.differences(given.verbose), *texts, *faults.texts, *compared.table())
    for line in lines:
        print(line)
    return 0 if compared.agrees and not faults.texts else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m trust.cores",
        description="Lint files with both cores, and tell where they differ, from each other and "
        "from the marks of fixtures.",
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="path", help="files or folders")
    parser.add_argument(
        "--codes", default="", help="only codes that begin so, separated by commas; all by default"
    )
    parser.add_argument("--verbose", action="store_true", help="also tell what was found")
    parser.add_argument("--texts", action="store_true", help="also compare what is printed")
    return parser


if __name__ == "__main__":
    sys.exit(main())
