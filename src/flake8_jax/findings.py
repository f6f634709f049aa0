"""A rule, and what it finds."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flake8_jax.fixes.safety import Safety
from flake8_jax.gates.text import OPT_IN
from flake8_jax.printable import printable
from flake8_jax.symptoms import Symptom
from flake8_jax.workspace.files import File

if TYPE_CHECKING:
    from flake8_jax.fixes.edits import Fix
    from flake8_jax.resolution.modules import Module

_LIKE_A_PLACE = re.compile(r":(?:\d*:){2,}")
"""What stands between a file's name and a code: programs look for the last such in a line."""
_LONG = 160
"""How many characters a finding has before nothing is said of what to do instead."""
_LONGEST = 360
"""How many characters a message has, whatever the names in it are."""


@dataclass(frozen=True)
class Placed:
    """A finding and where it stands: its line from 1, its column from 0."""

    line: int
    column: int
    code: str
    words: str
    """What the rule says, as it is."""
    file: File | None = None
    """The file that is checked."""
    told: object = None
    """The facts that the words are made of."""
    fix: "Callable[[], Fix | None] | None" = None
    """Works out what to change, when somebody asks; None where nothing can be offered."""

    @property
    def message(self) -> str:
        """What is printed: one line, whose characters can all be seen."""
        words = self.words
        if len(self.code) + 1 + len(words) > _LONG:
            words = words.partition("; ")[0]
        text = _LIKE_A_PLACE.sub(":...:", printable(words))
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 60]}...{text[-57:]}"

    @property
    def text(self) -> str:
        """The code and the message, as flake8 wants them."""
        return f"{self.code} {self.message}"


@dataclass(frozen=True)
class Rule:
    """One rule: what it is called, what JAX shows where it reports, what it says and mends."""

    code: str
    name: str
    summary: str
    page: str
    """Its documentation in Markdown, from *What it does* on."""
    says: str
    """What is in each of its messages, and stays the same."""
    symptoms: frozenset[Symptom]
    message: Callable[[Any], str]
    """What is printed, from what is told of a finding."""
    fix: Safety | None = None
    """The safest of its fixes, if it has any."""
    mend: "Callable[[Module, Any], Fix | None] | None" = None
    """Works out the fix of what was found in a module."""

    @property
    def opt_in(self) -> bool:
        """Whether the rule is on only when it is selected by name."""
        return self.code.startswith(OPT_IN)
