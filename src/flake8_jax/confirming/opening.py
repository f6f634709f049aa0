"""A statement under way, as the recorder and what measures know it."""

from dataclasses import dataclass, field
from typing import Any

MEASURED = 24
"""How many times per place and process objects are searched; more is only counted."""
OFTEN = 1024
"""How many times a place is looked at outside of traces; more is only counted."""


@dataclass(frozen=True, eq=False)
class Watched:
    """An object that may be changed, as it was before."""

    target: Any
    contents: dict[Any, Any]
    only: Any = None
    """The only key that counts."""
    tree: Any = None
    """Its structure as jax sees it, if that counts."""


@dataclass(eq=False)
class Open:
    """A statement under way."""

    finding: int
    frame: int
    error: BaseException | None
    watches: bool
    """Whether it is looked at what changes."""
    traced: bool
    fills: bool = False
    """Whether it may fill a cache."""
    elsewhere: bool = False
    """Whether it has not come here by way of the finding."""
    calling: bool = False
    """Whether it is there for what a call in it raises, and for nothing else."""
    reached: bool = False
    """Whether what it writes to is known already."""
    overlooks: bool = False
    """Whether something was not looked at, because there was enough to see."""
    watched: list["Watched"] = field(default_factory=list)
    memos: list[Any] = field(default_factory=list)
