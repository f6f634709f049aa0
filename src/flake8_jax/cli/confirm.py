"""``flake8-jax confirm``: the rules, held against the jax that is installed."""

import argparse
import importlib.util
import json
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from flake8_jax.cli.progress import progress
from flake8_jax.cli.selection import selected

_SHOWN = ("jax", "flax", "equinox", "chex")
_NEEDED = """\
flake8-jax: error: confirm runs code under jax, which is not installed here; install it with
    pip install 'flake8-jax[confirm]'"""


def run(given: argparse.Namespace) -> int:
    """Measure the fixtures of the rules that are asked for and print the table."""
    rules = selected(given.codes)
    if importlib.util.find_spec("jax") is None:
        print(_NEEDED, file=sys.stderr)
        return 2
    from flake8_jax.evidence.confirmation import Evidence, confirm  # brings jax

    evidence = confirm(rules, given.jobs, progress("fixtures"))
    versions = {"Python": sys.version.split()[0]} | {name: _version(name) for name in _SHOWN}
    if given.format == "json":
        data = {"versions": versions, "rules": [item.as_data() for item in evidence]}
        print(json.dumps(data, indent=2))
    else:
        known = ", ".join(f"{name} {number}" for name, number in versions.items() if number)
        print(f"{known}\n")
        rows = [Evidence.COLUMNS, *(item.row for item in evidence)]
        print("\n".join(_TABLES[given.format](rows)))
        for item in evidence:
            for problem in (*item.problems, *item.broken):
                print(f"{item.code}: {problem}", file=sys.stderr)
    return 0 if all(item.confirmed for item in evidence) else 1


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _text(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return [lines[0], "  ".join("-" * width for width in widths), *lines[1:]]


def _markdown(rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]


_TABLES = {"text": _text, "markdown": _markdown}
