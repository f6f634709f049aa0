"""The command line: what was asked for, and the exit status."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from flake8_jax.cli import confirm, explain
from flake8_jax.cli.selection import FORMATS, UnknownCodeError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 if all is well, 1 if there is something to tell, 2 for wrong usage."""
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        status: int = given.run(given)
        sys.stdout.flush()
    except UnknownCodeError as error:
        print(f"flake8-jax: error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="flake8-jax",
        description="Explain the rules of flake8-jax, and confirm them under the installed jax. "
        "The linting itself is done by flake8.",
    )
    parser.add_argument("--version", action="version", version=version("flake8-jax"))
    commands = parser.add_subparsers(metavar="command", required=True)
    rules = argparse.ArgumentParser(add_help=False)
    rules.add_argument(
        "codes",
        nargs="*",
        metavar="code",
        help="a code such as JAX101, or the beginning of some, such as JAX2; all if none is given",
    )
    rules.add_argument(
        "--format",
        choices=FORMATS,
        default=FORMATS[0],
        help="how to print it (default: %(default)s)",
    )
    explaining = commands.add_parser(
        "explain",
        parents=[rules],
        help="show the pages of rules, or the table of all of them",
        description="Show what rules find, why that is bad, and what to do instead.",
    )
    explaining.set_defaults(run=explain.run)
    confirming = commands.add_parser(
        "confirm",
        parents=[rules],
        help="run the fixtures of the rules under the jax that is installed",
        description="Run the fixtures under the jax that is installed, and hold what it does "
        "against what the rules say. The exit status is 1 if a rule is not confirmed.",
    )
    confirming.add_argument(
        "-j",
        "--jobs",
        type=_count,
        default=os.cpu_count() or 1,
        help="how many processes to use (default: %(default)s)",
    )
    confirming.set_defaults(run=confirm.run)
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes")
    return int(text)
