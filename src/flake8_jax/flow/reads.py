"""Which reads may see a write: found by the first step of a place, not by looking at all of them.

A function with thousands of statements writes and reads thousands of places.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from flake8_jax.flow.values import ANY, ELEMENT, KEY_OF_A_ROUND, STATIC, Place, Root, Write
from flake8_jax.syntax import Function

Read = tuple[Place, bool, Function | None]
"""A place, whether it is read itself and not handed on, and the function that reads it."""


@dataclass(eq=False)
class Reads:
    """The reads of a function, each with its last time."""

    found: Mapping[Read, int]
    _by_root: dict[Root, dict[str, list[tuple[Read, int]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for read, order in self.found.items():
            place = read[0]
            steps = self._by_root.setdefault(place.root, {})
            steps.setdefault(_first(place), []).append((read, order))

    def sees(self, write: Write) -> bool:
        """Whether what is written may be read afterwards."""
        inside = write.trace.function.node if write.trace is not None else None
        target = write.target
        return any(
            order > write.order
            and (place.covers(target) or (direct and _overlap(place, write.place)))
            for (place, direct, by), order in self._near(write.place)
            if by is None or by is not inside
        )

    def _near(self, written: Place) -> Iterator[tuple[Read, int]]:
        steps = self._by_root.get(written.root, {})
        first = _first(written)
        keys: Iterable[str] = dict.fromkeys(("", ANY, ELEMENT, first))
        if first in ("", ANY, ELEMENT):
            keys = steps
        for key in keys:
            yield from steps.get(key, ())


def _first(place: Place) -> str:
    """The first step of a place, as it is compared with others; nothing where there is none."""
    first = place.path[0].lstrip(STATIC) if place.path else ""
    return ELEMENT if first.startswith(KEY_OF_A_ROUND) else first


def _overlap(one: Place, other: Place) -> bool:
    return one.covers(other) or other.covers(one)
