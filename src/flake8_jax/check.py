"""Runs the rules over one module. Imported only for files that passed both gates."""

import ast
import gc
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from flake8_jax.gate import OPT_IN, is_on
from flake8_jax.model import Model
from flake8_jax.rules import RULES
from flake8_jax.source import Source

LOG = logging.getLogger("flake8.jax")


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Keep the garbage collector from walking libcst's trees again and again while they grow."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def check(
    lines: Sequence[str], tree: ast.Module, relevant: frozenset[int], named: Sequence[str]
) -> list[tuple[int, int, str]]:
    """The findings of all rules that are on, by place: line from 1, column from 0, text.

    Where an opt-in rule meets another one in the same place, the other one speaks.

    ``relevant`` are the positions of the top-level statements that may take part, ``named`` the
    codes that the user selected. A rule that fails loses its own findings and no
    others.
    """
    model = Model.of(Source.cut(lines, tree, relevant))
    found: dict[tuple[int, int, str], str] = {}
    with _without_collecting():
        for rule in RULES:
            if is_on(rule.code, named):
                try:
                    for finding in rule.check(model):
                        line, column = finding.piece.position(finding.node)
                        found.setdefault((line, column, rule.code), finding.text)
                except Exception:
                    LOG.exception("%s failed", rule.code)
    certain = {(line, column) for line, column, code in found if not code.startswith(OPT_IN)}
    return [
        (line, column, f"{code} {text}")
        for (line, column, code), text in sorted(found.items())
        if (line, column) not in certain or not code.startswith(OPT_IN)
    ]
