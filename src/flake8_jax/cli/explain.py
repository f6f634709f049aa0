"""``flake8-jax explain``: the pages of rules, for a terminal or for tools."""

import argparse
import json
import re
import sys

from flake8_jax.cli.selection import selected
from flake8_jax.findings import Rule
from flake8_jax.pages import page, table
from flake8_jax.rules import RULES

_BOLD = "\x1b[1m{}\x1b[0m"


def run(given: argparse.Namespace) -> int:
    """Print the pages of the rules that are asked for, or the table of all rules."""
    rules = selected(given.codes)
    if given.format == "json":
        print(json.dumps([_as_data(rule) for rule in rules], indent=2, ensure_ascii=False))
    elif not given.codes:
        print(table().rstrip() if given.format == "markdown" else _listing())
    else:
        pages = [page(rule).rstrip() for rule in rules]
        if given.format == "text":
            pages = [_for_terminal(text, sys.stdout.isatty()) for text in pages]
        print("\n\n\n".join(pages))
    return 0


def _as_data(rule: Rule) -> dict[str, object]:
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": rule.summary,
        "opt_in": rule.opt_in,
        "symptoms": sorted(rule.symptoms),
        "fix": rule.fix,
        "explanation": page(rule),
    }


def _listing() -> str:
    width = max(len(rule.name) for rule in RULES)
    lines = [f"{rule.code}  {rule.name:{width}}  {rule.summary}" for rule in RULES]
    return "\n".join([*lines, "", "JAX9 rules are on only when they are selected by name."])


def _for_terminal(text: str, colours: bool) -> str:
    """A page without the marks of Markdown: headings stand out, code is indented."""
    shown: list[str] = []
    in_code = False
    for line in text.splitlines():
        if line.startswith("```"):
            in_code = not in_code
        elif in_code:
            shown.append(f"    {line}".rstrip())
        elif heading := re.match(r"#+ (.*)", line):
            title = heading[1]
            shown.append(_BOLD.format(title) if colours else title)
            if not colours:
                shown.append(("=" if line.startswith("# ") else "-") * len(title))
        elif not line.startswith("<!--"):
            shown.append(re.sub(r"\[([^\]]*)\]\(([^)]*)\)", r"\1 <\2>", line).replace("`", ""))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(shown))
