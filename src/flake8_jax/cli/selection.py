"""Which rules are meant by the codes on the command line."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from flake8_jax.findings import Rule
from flake8_jax.rules import RULES

FORMATS = ("text", "json", "markdown")
_PREFIX = "JAX"
_ALIKE = 0.6
_AS_GOOD = 0.05
_MOST_HINTS = 3


class UnknownCodeError(Exception):
    """A code that no rule has."""


def selected(codes: Sequence[str]) -> list[Rule]:
    """The rules whose codes begin with one of those given; all of them if none is given."""
    found: dict[str, Rule] = {}
    for code in codes or [""]:
        matching = [rule for rule in RULES if rule.code.startswith(code.upper())]
        if not matching:
            near = _near(code)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise UnknownCodeError(f"there is no rule {code!r}{hint}")
        found |= {rule.code: rule for rule in matching}
    return [found[code] for code in sorted(found)]


def _near(text: str) -> list[str]:
    """The codes that are most like a text, be it a code, a number or the name of a rule."""
    if text.isdecimal() and any(rule.code.startswith(_PREFIX + text) for rule in RULES):
        return [_PREFIX + text]
    alike = {
        rule.code: max(_likeness(text.upper(), rule.code), _likeness(text.lower(), rule.name))
        for rule in RULES
    }
    best = max(_ALIKE, max(alike.values()) - _AS_GOOD)
    found = [code for code, likeness in alike.items() if likeness >= best]
    return sorted(found, key=lambda code: (-alike[code], _apart(text, code)))[:_MOST_HINTS]


def _likeness(first: str, second: str) -> float:
    return SequenceMatcher(None, first, second).ratio()


def _apart(text: str, code: str) -> int:
    """How far the number of a text is from that of a code."""
    number = "".join(filter(str.isdecimal, text))
    return abs(int(number or 0) - int(code.removeprefix(_PREFIX)))
