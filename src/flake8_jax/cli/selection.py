"""Which rules are meant by the codes on the command line."""

import string
from collections.abc import Sequence
from difflib import SequenceMatcher

from flake8_jax.findings import Rule
from flake8_jax.rules import RULES

FORMATS = ("text", "json", "markdown")
_PREFIX = "JAX"
_ALIKE = 0.6
_AS_GOOD = 0.05
_MOST_HINTS = 3
_WORD = 4
"""From how many letters on a text is held against the words of a name."""
_DIGITS = 9
"""How many digits of a number count; no code has as many."""


class UnknownCodeError(Exception):
    """A code that no rule has."""


def selected(codes: Sequence[str]) -> list[Rule]:
    """The rules of the codes, beginnings of codes, numbers or names given; all if none is."""
    found: dict[str, Rule] = {}
    for code in codes or [""]:
        matching = [rule for rule in RULES if _is_meant(rule, code)]
        if not matching:
            near = _near(code)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise UnknownCodeError(f"there is no rule {code!r}{hint}")
        found |= {rule.code: rule for rule in matching}
    return [found[code] for code in sorted(found)]


def _is_meant(rule: Rule, text: str) -> bool:
    return rule.code.startswith(_as_code(text)) or rule.name == text.lower().replace("_", "-")


def _as_code(text: str) -> str:
    return f"{_PREFIX if text[:1] in string.digits else ''}{text.upper()}" if text else ""


def _near(text: str) -> list[str]:
    """The codes that are most like a text, be it a code, a number or the name of a rule."""
    alike = {rule.code: _likeness_of(rule, text) for rule in RULES}
    best = max(_ALIKE, max(alike.values()) - _AS_GOOD)
    found = [code for code, likeness in alike.items() if likeness >= best]
    found.sort(key=lambda code: (-alike[code], _apart(text, code)))
    if any(map(str.isdecimal, text)):
        return found[:_MOST_HINTS]
    names = {rule.code: rule.name for rule in RULES}
    return [f"{code} ({names[code]})" for code in found[:_MOST_HINTS]]


def _likeness_of(rule: Rule, text: str) -> float:
    """How like a text is to the code of a rule, to its name, or to a word of its name."""
    spelled = text.lower().replace("_", "-")
    words = rule.name.split("-") if len(text) >= _WORD and text.isalpha() else []
    alike = [_likeness(spelled, name) for name in (rule.name, *words)]
    code = _as_code(text) if len(text) > 1 else text
    return max(_likeness(code, rule.code), *alike)


def _likeness(first: str, second: str) -> float:
    return SequenceMatcher(None, first, second).ratio()


def _apart(text: str, code: str) -> int:
    """How far the number of a text is from that of a code."""
    number = "".join(filter(str.isdecimal, text))
    return abs(int(number[:_DIGITS] or 0) - int(code.removeprefix(_PREFIX)))
