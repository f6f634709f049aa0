"""A rule, and what it finds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import libcst as cst

from flake8_jax.gate import OPT_IN
from flake8_jax.model import Model
from flake8_jax.source import Piece
from flake8_jax.symptoms import Symptom


@dataclass(frozen=True, eq=False)
class Finding:
    """One place that a rule reports."""

    piece: Piece
    node: cst.CSTNode
    text: str


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

    @property
    def opt_in(self) -> bool:
        """Whether the rule is on only when it is selected by name."""
        return self.code.startswith(OPT_IN)
