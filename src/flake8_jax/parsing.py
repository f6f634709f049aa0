"""libcst's parser behind a guard: what it cannot bear is not handed to it.

Its native code has no limit of depth: some thousand nested brackets overflow the stack, which ends
the process and cannot be caught. So Python's own parser, which has such limits, goes first. And
each pattern in a pattern of a ``case`` is tried up to four times over, which takes hours where
twenty are nested; so those are counted.
"""

import logging
import re
from collections.abc import Callable
from typing import TypeVar

import libcst as cst

from flake8_jax.outline import parsed, shown

T = TypeVar("T")

_CASE = re.compile(r"^[ \t\f]*case\b(?=[^\n]*[(\[{])", re.MULTILINE)
_PART = re.compile(r"[(\[{]|[)\]}]|[:\n]")
_TRIES = 4
"""How often a pattern is tried for each one around it; measured with libcst 1.9."""
_MOST_TRIES = 100_000
"""About 0.3 seconds."""

LOG = logging.getLogger("flake8.jax")


def parse_module(text: str) -> cst.Module | None:
    """The tree of what Python's own parser has accepted; None where libcst does not."""
    if _tries(text) > _MOST_TRIES:
        LOG.info("patterns are nested too deeply for libcst")
        return None
    return _guarded(cst.parse_module, text)


def parse_expression(text: str) -> cst.BaseExpression | None:
    """The tree of an expression; None where there is none in the text."""
    text = text.strip()
    return _guarded(cst.parse_expression, text) if parsed(text) is not None else None


def _guarded(parse: Callable[[str], T], text: str) -> T | None:
    try:
        return parse(text)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # the native parser panics with a BaseException
        LOG.info("libcst: %r", error)
        return None


def _tries(text: str) -> int:
    """How many patterns libcst tries in a text, at the worst."""
    if _CASE.search(text) is None:
        return 0
    text = shown(text)
    found = end = 0
    for case in _CASE.finditer(text):
        depth = deepest = 0
        if case.start() < end:
            continue
        for part in _PART.finditer(text, case.end()):
            end = part.end()
            if part[0] in "([{":
                depth += 1
                deepest = max(depth, deepest)
            elif part[0] in ")]}":
                depth -= 1
            elif depth <= 0:
                break
        found += _TRIES ** min(deepest, 20)
    return found
