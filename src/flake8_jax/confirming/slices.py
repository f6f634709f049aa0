"""Cuts a file down to the least of it that still gives a finding, for whoever reports it.

Statements go one after the other, at the top first and then inside of functions and classes; what
the finding does not need does not come back.
"""

import ast
import time
from collections.abc import Callable, Iterator, Sequence

_SECONDS = 20.0
_ATTEMPTS = 400

Gives = Callable[[Sequence[str]], bool]
"""Whether some lines still give the finding."""


def cut(lines: Sequence[str], gives: Gives) -> list[str]:
    """The lines without the statements that a finding does not need."""
    kept = list(lines)
    if not gives(kept):
        return kept
    until = time.monotonic() + _SECONDS
    attempts = 0
    changed = True
    while changed:
        changed = False
        for first, last, fill in _pieces(kept):
            if attempts >= _ATTEMPTS or time.monotonic() > until:
                return _tidied(kept, gives)
            attempts += 1
            shorter = [*kept[: first - 1], *fill, *kept[last:]]
            if _parses(shorter) and gives(shorter):
                kept, changed = shorter, True
                break
    return _tidied(kept, gives)


def _pieces(lines: Sequence[str]) -> Iterator[tuple[int, int, list[str]]]:
    """The statements that may go, the largest and last first, and what stands in for each."""
    tree = ast.parse("".join(lines))
    found: list[tuple[int, int, list[str]]] = []
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            suite = getattr(node, name, None)
            if not isinstance(suite, list):
                continue
            for statement in suite:
                first, last = _span(statement)
                if first <= getattr(node, "lineno", 0):
                    continue  # on the line of its owner
                indent = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip())]
                is_needed = len(suite) == 1 and not isinstance(node, ast.Module)
                if not is_needed:
                    found.append((first, last, []))
                elif not isinstance(statement, ast.Pass):
                    found.append((first, last, [f"{indent}pass\n"]))
    yield from sorted(found, key=lambda piece: (piece[0] - piece[1], -piece[0]))


def _span(statement: ast.stmt) -> tuple[int, int]:
    """The lines of a statement, with its decorators."""
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(item.lineno for item in decorators)])
    return first, statement.end_lineno or statement.lineno


def _parses(lines: Sequence[str]) -> bool:
    try:
        ast.parse("".join(lines))
    except SyntaxError:
        return False
    return True


def _tidied(lines: list[str], gives: Gives) -> list[str]:
    """The lines without comments of their own and with few empty ones."""
    kept: list[str] = []
    for line in lines:
        if line.strip().startswith("#") or (
            not line.strip() and (not kept or not kept[-1].strip())
        ):
            continue
        kept.append(line)
    return kept if _parses(kept) and gives(kept) else lines
