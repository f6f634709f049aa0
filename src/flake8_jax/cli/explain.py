"""``flake8-jax explain``: the pages of rules, for a terminal or for tools."""

import argparse
import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator

from flake8_jax.cli.selection import selected
from flake8_jax.findings import Rule
from flake8_jax.pages import page, table
from flake8_jax.rules import RULES

_BOLD = "\x1b[1m{}\x1b[0m"
_WIDEST = 100
_NARROWEST = 30
"""In fewer columns a summary is not set beside the name of its rule."""
_ITEM = re.compile(r"(- |\d+\. )?")


def run(given: argparse.Namespace) -> int:
    """Print the pages of the rules that are asked for, or the table of all rules."""
    rules = selected(given.codes)
    if given.format == "json":
        print(json.dumps([_as_data(rule) for rule in rules], indent=2))
    elif not given.codes:
        print(table().rstrip() if given.format == "markdown" else _listing(_width()))
    else:
        pages = [page(rule).rstrip() for rule in rules]
        if given.format == "text":
            pages = [_for_terminal(text, _has_colours(), _width()) for text in pages]
        print("\n\n\n".join(pages))
    return 0


def _width() -> int | None:
    """How many columns there are to fill; None where the output is not for a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _has_colours() -> bool:
    """Whether the output is for a terminal, and nobody minds."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


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


def _listing(columns: int | None) -> str:
    width = max(len(rule.name) for rule in RULES)
    lines: list[str] = []
    for rule in RULES:
        start = f"{rule.code}  {rule.name:{width}}  "
        if columns is None:
            lines.append(start + rule.summary)
        elif columns - len(start) >= _NARROWEST:
            lines.append(_filled(rule.summary, columns, start, " " * len(start)))
        else:
            lines += [start.rstrip(), _filled(rule.summary, columns, "    ", "    ")]
    end = "JAX9 rules are on only when they are selected by name."
    return "\n".join([*lines, "", end if columns is None else _filled(end, columns)])


def _filled(text: str, columns: int, first: str = "", later: str = "") -> str:
    return textwrap.fill(
        text,
        min(columns, _WIDEST),
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _for_terminal(text: str, colours: bool, columns: int | None) -> str:
    """A page without the marks of Markdown: headings stand out, code is indented."""
    shown: list[str] = []
    prose: list[str] = []
    in_code = False
    for line in [*text.splitlines(), ""]:
        is_prose = not in_code and line and not line.startswith(("```", "#", "<!--", "|"))
        if is_prose:
            line = re.sub(r"\[([^\]]*)\]\(([^)]*)\)", r"\1 <\2>", line).replace("`", "")
            prose.append(line)
            continue
        shown += prose if columns is None else _paragraphs(prose, columns)
        prose = []
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
            shown.append(line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(shown)).rstrip()


def _paragraphs(lines: list[str], columns: int) -> Iterator[str]:
    """Lines of prose that fill the columns; each item of a list begins a new one."""
    paragraph: list[str] = []
    for line in [*lines, None]:
        if paragraph and (line is None or _mark(line)):
            mark = _mark(paragraph[0])
            text = " ".join(part.strip() for part in paragraph).removeprefix(mark)
            yield _filled(text, columns, mark, " " * len(mark))
            paragraph = []
        if line is not None:
            paragraph.append(line)


def _mark(line: str) -> str:
    """What a line begins with, if it begins an item of a list."""
    match = _ITEM.match(line)
    return match[0] if match is not None else ""
