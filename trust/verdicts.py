"""What was found in real projects, beside what people who read the code said of it."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path

VERDICTS = Path(__file__).with_name("verdicts.csv")
TARGET = 95
"""How many of a hundred findings have to be right."""


class Word(StrEnum):
    """What a reader said of a finding."""

    RIGHT = "right"
    WRONG = "wrong"
    DEBATABLE = "debatable"
    UNREAD = ""


@dataclass(frozen=True, order=True)
class Place:
    """A code at a line of a project at a version, which makes the line exact."""

    project: str
    version: str
    path: str
    line: int
    code: str

    def __str__(self) -> str:
        return f"{self.project} {self.version} {self.path}:{self.line} {self.code}"


@dataclass(frozen=True)
class Verdict:
    """What was said of a place, and why."""

    word: Word
    reason: str = ""


COLUMNS = (*(item.name for item in fields(Place)), "verdict", "reason")


def read(path: Path = VERDICTS) -> dict[Place, Verdict]:
    """All verdicts of a file."""
    found: dict[Place, Verdict] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, strict=True):
            line = int(row["line"])
            place = Place(row["project"], row["version"], row["path"], line, row["code"])
            if place in found:
                raise ValueError(f"{path.name} has two verdicts on {place}")
            found[place] = Verdict(Word(row["verdict"]), row["reason"])
    return found


def write(verdicts: Mapping[Place, Verdict], path: Path = VERDICTS) -> None:
    """Write verdicts in the order of their places."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(COLUMNS)
        for place, verdict in sorted(verdicts.items(), key=lambda item: item[0]):
            values = (getattr(place, item.name) for item in fields(Place))
            rows.writerow([*values, verdict.word.value, verdict.reason])


@dataclass(frozen=True)
class Comparison:
    """Findings held against verdicts."""

    judged: Mapping[Place, Verdict]
    """What is found and has been read."""
    new: frozenset[Place]
    """What is found and has not been read."""
    gone: frozenset[Place]
    """What has been read and is not found any more."""

    @property
    def count(self) -> Counter[Word]:
        """How often each word was said."""
        return Counter(verdict.word for verdict in self.judged.values())

    @property
    def share(self) -> float:
        """How many of a hundred findings that have been read are right."""
        return 100 * self.count[Word.RIGHT] / len(self.judged) if self.judged else 100.0

    @property
    def agrees(self) -> bool:
        """Whether the verdicts are those of what is found, and enough of it is right."""
        return not self.new and not self.gone and self.share >= TARGET

    def lines(self) -> Iterator[str]:
        """The report: the words by code, and all together."""
        by_code: dict[str, Counter[Word]] = {}
        for place, verdict in sorted(self.judged.items(), key=lambda item: item[0].code):
            by_code.setdefault(place.code, Counter())[verdict.word] += 1
        for code, words in by_code.items():
            yield f"{code}  {_said(words)}"
        yield f"{len(self.judged)} judged: {_said(self.count)}; {self.share:.1f} of 100 are right"
        yield f"{len(self.new)} new, {len(self.gone)} gone"


def _said(words: Counter[Word]) -> str:
    return ", ".join(f"{words[word]} {word}" for word in Word if word is not Word.UNREAD)


def compare(found: Iterable[Place], verdicts: Mapping[Place, Verdict]) -> Comparison:
    """Hold what was found against what was said; a verdict without a word has to be given yet."""
    found = frozenset(found)
    said = {place: item for place, item in verdicts.items() if item.word is not Word.UNREAD}
    judged = {place: said[place] for place in found if place in said}
    return Comparison(judged, found - said.keys(), frozenset(said.keys() - found))
