"""A rule, and what it finds."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from flake8_jax.fixes.safety import Safety
from flake8_jax.gate import OPT_IN
from flake8_jax.model import Model
from flake8_jax.source import Piece
from flake8_jax.symptoms import Symptom

if TYPE_CHECKING:
    from flake8_jax.fixes.edits import Fix

_LIKE_A_PLACE = re.compile(r":(?:\d*:){2,}")
"""What stands between a file's name and a code: programs look for the last such in a line."""


@dataclass(frozen=True, eq=False)
class Finding:
    """One place that a rule reports."""

    piece: Piece
    node: cst.CSTNode
    text: str
    fix: "Callable[[], Fix | None] | None" = None
    """Works out what to change, when somebody asks; None where nothing can be offered."""


@dataclass(frozen=True)
class Placed:
    """A finding and where it stands: its line from 1, its column from 0."""

    line: int
    column: int
    code: str
    finding: Finding

    @property
    def text(self) -> str:
        """The code and the message, as flake8 wants them."""
        return f"{self.code} {_LIKE_A_PLACE.sub(':...:', self.finding.text)}"


@dataclass(frozen=True)
class Rule:
    """One rule: what it is called, what JAX shows where it reports, and how it looks for that."""

    code: str
    name: str
    summary: str
    page: str
    """Its documentation in Markdown, from *What it does* on."""
    symptoms: frozenset[Symptom]
    check: Callable[[Model], Iterator[Finding]]
    fix: Safety | None = None
    """The safest of its fixes, if it has any."""

    @property
    def opt_in(self) -> bool:
        """Whether the rule is on only when it is selected by name."""
        return self.code.startswith(OPT_IN)
