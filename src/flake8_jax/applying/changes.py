"""Changes of text: which stretches of a module become other ones, for tools that apply them."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Point(NamedTuple):
    """A place between two characters: its line from 1, its column from 0."""

    line: int
    column: int


@dataclass(frozen=True)
class Change:
    """A stretch of text and what takes its place."""

    start: Point
    end: Point
    text: str


def changes(before: Sequence[str], after: Sequence[str]) -> tuple[Change, ...]:
    """What leads from some lines to others, from top to bottom, each as short as it gets."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return tuple(
        change
        for tag, first, last, start, stop in matcher.get_opcodes()
        if tag != "equal"
        for change in _within(before[first:last], after[start:stop], first)
    )


def _within(before: Sequence[str], after: Sequence[str], above: int) -> Iterator[Change]:
    """What leads from some lines to those in their place; line by line if there are as many."""
    if len(before) == len(after) > 1:
        for index, (old, new) in enumerate(zip(before, after, strict=True), above):
            if old != new:
                yield _narrowed(old, new, index)
    else:
        yield _narrowed("".join(before), "".join(after), above)


def _narrowed(old: str, new: str, above: int) -> Change:
    """What leads from a text to another, without what both begin and end with."""
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    return Change(
        _point(old[:start], above),
        _point(old[: len(old) - end], above),
        new[start : len(new) - end],
    )


def _shared(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))


def _point(text: str, above: int) -> Point:
    return Point(above + text.count("\n") + 1, len(text) - text.rfind("\n") - 1)
