"""Runs the rules over one module, as the first core does."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from flake8_jax.faults import fault
from flake8_jax.findings import Placed
from flake8_jax.first_checks import CHECKS
from flake8_jax.first_words import Finding
from flake8_jax.gate import OPT_IN, is_on
from flake8_jax.linking import module_scope
from flake8_jax.model import Model
from flake8_jax.project import File, Project
from flake8_jax.rules import RULES
from flake8_jax.second import untraced

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
                    for finding in CHECKS[rule.code](model):
                        line, column = finding.piece.position(finding.node)
                        found.setdefault((line, column, rule.code), finding)
                except Exception:
                    fault("%s failed", rule.code)
    scope.rest()
    certain = {(line, column) for line, column, code in found if not code.startswith(OPT_IN)}
    shown = {
        (line, column, code): Placed(line, column, code, finding.text, file, finding.fix)
        for (line, column, code), finding in found.items()
        if (line, column) not in certain or not code.startswith(OPT_IN)
    }
    for item in untraced(project, file):
        shown.setdefault((item.line, item.column, item.code), item)
    return [item for _, item in sorted(shown.items(), key=lambda item: item[0])]
