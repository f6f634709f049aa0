"""Places: where in which file what has to be measured, as the program's processes are told."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

PLAN = "plan.json"
FOLDER = "FLAKE8_JAX_CONFIRM"
"""The environment variable with the folder of the plan and of the reports."""


class Kind(StrEnum):
    """What there is to measure at a place."""

    WRITE = "write"
    """What is changed, whose it is, and what becomes of it."""
    LAZY = "lazy"
    """The same of a cache that is made by hand, and whether it is asked for what is stale."""
    CACHE = "cache"
    """How often a cached value is computed, and on what it is kept."""
    MEMO = "memo"
    """What the cache of a function holds that is called."""
    DISCARD = "discard"
    """Whether a result that is thrown away is all that has come of a call."""


@dataclass(frozen=True)
class Via:
    """The function of a finding whose cause lies in another file: the lines that it has."""

    file: str
    first: int
    last: int


@dataclass(frozen=True)
class Place:
    """One place in a file; its line counts from 1 and its column, in characters, from 0."""

    finding: int
    """The number of the finding that it belongs to, or ``~number`` at the call that leads there:
    it counts where the place itself is not reached."""
    line: int
    column: int | None
    """None for the statement of a line."""
    kind: Kind
    member: str = ""
    """The member of the class that begins at the place."""
    base: str = ""
    """The class that it inherits the member from."""
    via: Via | None = None
    """Who has to be under way for the place to count; several findings may have one cause."""


@dataclass(frozen=True)
class Module:
    """A file with places, as it was when it was linted."""

    digest: str
    places: tuple[Place, ...]


Plan = dict[str, Module]
"""The modules by the real path of their file."""


def write(plan: Plan, folder: Path) -> None:
    """Leave a plan where the processes of the program look for it."""
    data = {path: asdict(module) for path, module in plan.items()}
    (folder / PLAN).write_text(json.dumps(data), encoding="utf-8")


def read(folder: Path) -> Plan:
    """The plan of a run."""
    data = json.loads((folder / PLAN).read_text(encoding="utf-8"))
    return {path: Module(item["digest"], tuple(_places(item))) for path, item in data.items()}


def _places(item: dict[str, list[dict[str, object]]]) -> Iterable[Place]:
    for place in item["places"]:
        via = Via(**place["via"]) if place["via"] else None  # type: ignore[arg-type]
        made = {**place, "kind": Kind(str(place["kind"])), "via": via}
        yield Place(**made)  # type: ignore[arg-type]
