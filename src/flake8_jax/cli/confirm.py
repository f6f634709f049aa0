"""``flake8-jax confirm``: rules and findings, held against the jax that is installed."""

import argparse
import importlib.util
import json
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from flake8_jax.cli.progress import progress
from flake8_jax.cli.selection import selected
from flake8_jax.printable import printable

_SHOWN = ("jax", "flax", "equinox", "chex")
_WORDS = """\
recomputed: computed again at run time; retraced: at each trace; lost: the caller's object is not
changed; leaked: a Tracer stays behind; raises: the call raises; stale: the result is wrong; once:
done when it is traced, and not at each call. The control is the same without jit, or mended."""
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

    shown = progress("fixtures")
    evidence = confirm(rules, given.jobs, shown, _tell if shown is None else None)
    versions = {"Python": sys.version.split()[0]} | {name: _version(name) for name in _SHOWN}
    if given.format == "json":
        data = {"versions": versions, "rules": [item.as_data() for item in evidence]}
        print(json.dumps(data, indent=2))
    else:
        known = ", ".join(f"{name} {number}" for name, number in versions.items() if number)
        print(f"{known}\n")
        if given.format == "text":
            print(f"{_WORDS}\n")
        rows = [Evidence.COLUMNS, *(item.row for item in evidence)]
        print("\n".join(_TABLES[given.format](rows)))
        for item in evidence:
            for problem in (*item.problems, *item.broken):
                print(f"{item.code}: {problem}", file=sys.stderr)
    return 0 if all(item.confirmed for item in evidence) else 1


def _tell(code: str, fixtures: int) -> None:
    """Say that a rule is done, where nobody sees a progress bar."""
    print(f"{code}: {fixtures} fixtures measured", file=sys.stderr, flush=True)


def run_on(given: argparse.Namespace) -> int:
    """Run the user's own program, and print what happens where flake8 reports something."""
    from flake8_jax.applying.flake8 import ConfigurationError, Flake8, UsageError
    from flake8_jax.confirming.command import CommandError
    from flake8_jax.confirming.run import confirmed
    from flake8_jax.confirming.showing import FORMATS

    try:
        flake8 = Flake8(given.flake8)
        summary = confirmed(flake8, given.command, given.format != "text", given.only_confirmed)
    except UsageError as error:
        given.error(str(error))
    except ConfigurationError as error:
        print(printable(f"flake8-jax: error: {error}"), file=sys.stderr)
        return 2
    except CommandError as error:
        print(printable(f"flake8-jax: error: {error}"), file=sys.stderr)
        return error.status
    print(FORMATS[given.format](summary))
    return summary.status


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
