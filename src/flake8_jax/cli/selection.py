"""Which rules are meant by the codes on the command line."""

from collections.abc import Sequence
from difflib import get_close_matches

from flake8_jax.findings import Rule
from flake8_jax.rules import RULES

FORMATS = ("text", "json", "markdown")


class UnknownCodeError(Exception):
    """A code that no rule has."""


def selected(codes: Sequence[str]) -> list[Rule]:
    """The rules whose codes begin with one of those given; all of them if none is given."""
    found: dict[str, Rule] = {}
    for code in codes or [""]:
        matching = [rule for rule in RULES if rule.code.startswith(code.upper())]
        if not matching:
            near = get_close_matches(code.upper(), [rule.code for rule in RULES], 3, 0.5)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise UnknownCodeError(f"there is no rule {code!r}{hint}")
        found |= {rule.code: rule for rule in matching}
    return [found[code] for code in sorted(found)]
