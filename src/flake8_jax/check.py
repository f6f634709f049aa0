"""Runs the rules over one module. Imported only for files that passed the gates."""

import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from flake8_jax.findings import Finding, Placed
from flake8_jax.gate import OPT_IN, is_on
from flake8_jax.linking import module_scope
from flake8_jax.model import Model
from flake8_jax.project import File, Project
from flake8_jax.rules import RULES

LOG = logging.getLogger("flake8.jax")
_RECURSION = 5_000


@contextmanager
def _room_to_work() -> Iterator[None]:
    """Let functions that call functions be followed."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def check(project: Project, file: File, named: Sequence[str]) -> list[Placed]:
    """The findings of all rules that are on, by place.

    Where an opt-in rule meets another one in the same place, the other one speaks.

    ``named`` are the codes that the user selected. A rule that fails loses its own findings and no
    others.
    """
    scope = module_scope(project, file)
    model = Model.of(scope)
    found: dict[tuple[int, int, str], Finding] = {}
    with _room_to_work():
        for rule in RULES:
            if is_on(rule.code, named):
                try:
                    for finding in rule.check(model):
                        line, column = finding.piece.position(finding.node)
                        found.setdefault((line, column, rule.code), finding)
                except Exception:
                    LOG.exception("%s failed", rule.code)
    scope.rest()
    certain = {(line, column) for line, column, code in found if not code.startswith(OPT_IN)}
    return [
        Placed(line, column, code, found[line, column, code])
        for line, column, code in sorted(found)
        if (line, column) not in certain or not code.startswith(OPT_IN)
    ]
