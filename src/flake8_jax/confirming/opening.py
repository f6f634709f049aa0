"""A statement under way, as the recorder and what measures know it."""

from dataclasses import dataclass, field
from typing import Any

MEASURED = 24
"""How many times per place and process objects are searched; more is only counted."""


@dataclass(eq=False)
class Open:
    """A statement under way."""

    finding: int
    frame: int
    error: BaseException | None
    watches: bool
    """Whether it is looked at what changes."""
    traced: bool
    calling: bool = False
    """Whether it is there for what a call in it raises, and for nothing else."""
    reached: bool = False
    """Whether what it writes to is known already."""
    watched: list[tuple[Any, dict[Any, Any], Any]] = field(default_factory=list)
    """Objects, what they held, and the only key that counts."""
    memos: list[Any] = field(default_factory=list)
