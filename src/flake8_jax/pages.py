"""Rule pages for people, made from the text that stands with each rule.

``python -m flake8_jax.pages docs/rules`` writes them all.
"""

import sys
from pathlib import Path

from flake8_jax.findings import Rule
from flake8_jax.rules import RULES

_WORDS = "The [glossary](../glossary.md) explains the words.\n"


def page(rule: Rule) -> str:
    """A rule's page in Markdown."""
    opt_in = " This rule is on only when it is selected by name." if rule.opt_in else ""
    head = f"# {rule.name} ({rule.code})\n\n{rule.summary}{opt_in}"
    return f'{head} Its messages contain "{rule.says}".\n\n{rule.page.strip()}\n'


def table() -> str:
    """The index of all rules in Markdown."""
    rows = [
        f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.summary} | {rule.fix or ''} |"
        for rule in RULES
    ]
    head = ["| code | name | what it finds | fix |", "|---|---|---|---|"]
    return "\n".join(["# Rules", "", *head, *rows, ""])


def pages() -> dict[str, str]:
    """All pages, by file name."""
    return {f"{rule.code}.md": f"{page(rule)}\n{_WORDS}" for rule in RULES} | {
        "README.md": f"{table()}\n{_WORDS}"
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")
