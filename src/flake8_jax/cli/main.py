"""The command line: what was asked for, and the exit status."""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from flake8_jax.cli import confirm, explain, fix
from flake8_jax.cli.selection import FORMATS, UnknownCodeError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 if all is well, 1 if there is something to tell, 2 for wrong usage."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # whose encoding may lack what a page has
            stream.reconfigure(errors="replace")
    try:
        given, rest = _parser().parse_known_args(arguments)
        if given.run is fix.run:
            given.flake8 = rest
        elif rest:
            given.error(f"unrecognized arguments: {' '.join(rest)}")
        status: int = given.run(given)
        sys.stdout.flush()
    except UnknownCodeError as error:
        print(f"flake8-jax: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("flake8-jax: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:  # whoever reads has seen enough
        _forget_output()
        return 1
    except OSError as error:
        print(f"flake8-jax: error: {error.strerror or error}", file=sys.stderr)
        _forget_output()
        return 2
    return status


def _forget_output() -> None:
    """Let Python not try again to print what cannot be printed, when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="flake8-jax",
        description="Fix what the rules of flake8-jax report, explain the rules, and confirm them "
        "under the installed jax. The linting itself is done by flake8.",
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
    explaining.set_defaults(run=explain.run, error=explaining.error)
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
    confirming.set_defaults(run=confirm.run, error=confirming.error)
    _add_fix(commands)
    return parser


def _add_fix(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    fixing = commands.add_parser(
        "fix",
        usage="flake8-jax fix [-h] [--diff | --check] [--unsafe] [options of flake8] [path ...]",
        help="change files so that what flake8 reports there is gone",
        description="Change files so that what the rules of flake8-jax report there is gone, where "
        "that can be done without changing what the code computes. The files, and what counts in "
        "them, are those of flake8: its configuration and its options are taken, and so is # noqa. "
        "A path of - is stdin, and the result goes to stdout.",
        epilog="The exit status is 0 if nothing is left to report, 1 if something is, and 2 for "
        "wrong usage; with --diff or --check it is 1 if there is something to change.",
        allow_abbrev=False,
    )
    preview = fixing.add_mutually_exclusive_group()
    preview.add_argument(
        "--diff", action="store_true", help="show the changes as a unified diff, and make none"
    )
    preview.add_argument(
        "--check",
        action="store_true",
        help="say which files would be changed, and for which codes, and make no changes",
    )
    fixing.add_argument(
        "--unsafe",
        action="store_true",
        help="also make changes that change what the code computes, where that is what was meant",
    )
    fixing.set_defaults(run=fix.run, error=fixing.error)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes")
    return int(text)
