"""What the processes of a program write down, line by line, so that a sudden end loses nothing."""

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

_SUFFIX = ".jsonl"
_EACH = 256
"""Up to which count each step is written; from there on each doubling."""


class Why(StrEnum):
    """Why a fate is fine, or unknown."""

    UNCHANGED = "unchanged"
    FRESH = "fresh"
    """The object was made in the trace."""
    GONE = "gone"
    """No Tracer was left behind when the trace had ended."""
    KEPT = "kept"
    """A plain value was written in code that runs at every call."""
    UNTOLD = "untold"
    UNSEEN = "unseen"
    """The traced function stands in a module without probes."""


class Report:
    """The lines of one process, and of those that it forks."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process = 0
        self._file = -1
        self._counts: Counter[tuple[int, str]] = Counter()
        self._said: set[str] = set()

    def say(self, **line: Any) -> None:
        """Write a line, unless it has been written before."""
        text = json.dumps(line, sort_keys=True)
        self._open()
        if text not in self._said:
            self._said.add(text)
            os.write(self._file, f"{text}\n".encode())

    def count(self, finding: int, what: str) -> int:
        """Count something that has happened at a place; the number of times."""
        self._open()
        self._counts[finding, what] += 1
        number = self._counts[finding, what]
        if number <= _EACH or number & (number - 1) == 0:
            self._write(finding, what, number)
        return number

    def number(self, finding: int, what: str) -> int:
        """How often something has happened at a place."""
        return self._counts[finding, what]

    def close(self) -> None:
        """Write the counts that are not written yet."""
        for (finding, what), number in self._counts.items():
            if number > _EACH and os.getpid() == self._process:
                self._write(finding, what, number)

    def _write(self, finding: int, what: str, number: int) -> None:
        line = {"finding": finding, "count": what, "number": number}
        os.write(self._file, f"{json.dumps(line)}\n".encode())

    def _open(self) -> None:
        """Have a file of one's own, also after a fork."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self._counts.clear()
            self._said.clear()
            path = self._folder / f"{self._process}-{os.urandom(4).hex()}{_SUFFIX}"
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
            self._file = os.open(path, flags, 0o600)


def lines(folder: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What the processes of a run have written, each line with the name of its process."""
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        for text in path.read_text(encoding="utf-8").splitlines():
            try:
                yield path.stem, json.loads(text)
            except ValueError:  # the process ended in the middle of a line
                continue
