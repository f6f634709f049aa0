"""The command line: what was asked for, and the exit status."""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import NoReturn

from flake8_jax.cli import confirm, explain, fix, server
from flake8_jax.cli.selection import FORMATS, UnknownCodeError
from flake8_jax.printable import printable


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 if all is well, 1 if there is something to tell, 2 for wrong usage."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # whose encoding may lack what a page has
            stream.reconfigure(errors="replace")
    try:
        given, rest = _parsed(sys.argv[1:] if arguments is None else arguments)
        if given.run in (fix.run, confirm.run_on, server.run):
            given.flake8 = rest
        elif rest:
            given.error(f"unrecognized arguments: {' '.join(rest)}")
        status: int = given.run(given)
        sys.stdout.flush()
    except UnknownCodeError as error:
        print(printable(f"flake8-jax: error: {error}"), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("flake8-jax: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:  # whoever reads has seen enough
        _forget_output()
        return 1
    except OSError as error:
        print(printable(f"flake8-jax: error: {error.strerror or error}"), file=sys.stderr)
        _forget_output()
        return 2
    return status


def _parsed(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """What was asked for, and what is left for flake8; a command to run stands behind ``--``."""
    if arguments[:1] == ["confirm"] and "--" in arguments:
        end = list(arguments).index("--")
        if end + 1 < len(arguments):
            parser = _command_parser()
            given, rest = parser.parse_known_args(arguments[1:end])
            given.command = list(arguments[end + 1 :])
            given.error = parser.error
            return given, rest
    return _parser().parse_known_args(arguments)


def _forget_output() -> None:
    """Let Python not try again to print what cannot be printed, when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in characters that can be seen, whatever it was given."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="flake8-jax",
        description="Fix what the rules of flake8-jax report, explain the rules, confirm them "
        "under the installed jax, and serve editors. The linting itself is done by flake8.",
    )
    parser.add_argument("--version", action="version", version=version("flake8-jax"))
    commands = parser.add_subparsers(metavar="command", required=True)
    rules = _Parser(add_help=False)
    rules.add_argument(
        "codes",
        nargs="*",
        metavar="code",
        help="a code such as JAX101, its number or its name, or the beginning of some, such as "
        "JAX2; all if none is given",
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
        help="show a rule's documentation, or list all rules",
        description="Show what rules find, why that is bad, and what to do instead.",
    )
    explaining.set_defaults(run=explain.run, error=explaining.error)
    confirming = commands.add_parser(
        "confirm",
        parents=[rules],
        usage="flake8-jax confirm [-h] [--format ...] [-j JOBS] [code ...]\n"
        "       flake8-jax confirm [--format ...] [--only-confirmed] [path ...] -- command ...",
        help="run your own program, or the fixtures of the rules, under the jax that is installed",
        description="With a command behind --: lint the paths, run the command, and say for each "
        "finding what happened there. Without one: run the fixtures under the jax that is "
        "installed, and hold what it does against what the rules say.",
        epilog=_WORDS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
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
    serving = commands.add_parser(
        "server",
        usage="flake8-jax server [-h] [options of flake8]",
        help="a language server for editors, on stdin and stdout",
        description="A language server for editors, on stdin and stdout: findings as you type, "
        "with the configuration of flake8 and # noqa; fixes of one finding or of all; # noqa "
        "comments; and the pages of rules on hover. It needs pip install 'flake8-jax[server]'.",
        allow_abbrev=False,
    )
    serving.set_defaults(run=server.run, error=serving.error)
    return parser


def _command_parser() -> argparse.ArgumentParser:
    """What stands before ``--`` if there is a command to run."""
    parser = _Parser(
        prog="flake8-jax confirm",
        usage="flake8-jax confirm [--format ...] [--only-confirmed] [options of flake8] [path ...] "
        "-- command ...",
        description="Lint the paths, run the command with instruments where there are findings, "
        "and say for each of them what happened.",
        epilog=_WORDS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default=FORMATS[0],
        help="how to print it (default: %(default)s); with json and markdown, what the command "
        "prints goes to stderr",
    )
    parser.add_argument(
        "--only-confirmed", action="store_true", help="print only the findings that were confirmed"
    )
    parser.set_defaults(run=confirm.run_on)
    return parser


_WORDS = """\
what is said of a finding, with a command:
  confirmed     what the rule says has happened; the word behind it says how:
                recomputed, retraced, restructured, stale, leaked, lost, raised,
                dropped or once
  not reached   the program did not come to its place
  not measured  it came there, and it could not be told what happened
  refuted       it came there, and what the rule says has not happened

The exit status is that of the command if it failed, 1 if a finding was refuted, and 0 otherwise.
Without a command it is 1 if a rule is not confirmed. docs/confirm.md explains the words."""


def _add_fix(commands: "argparse._SubParsersAction[_Parser]") -> None:
    fixing = commands.add_parser(
        "fix",
        usage="flake8-jax fix [-h] [--diff | --check | --list] [--unsafe] [--add-noqa] "
        "[options of flake8] [path ...]",
        help="fix what flake8 reports",
        description="Change files so that what the rules of flake8-jax report there is gone, where "
        "that can be done without changing what the code computes. The files, and what counts in "
        "them, are those of flake8: its configuration and its options are taken, and so is # noqa. "
        "A path of - is stdin, and the result goes to stdout. A file is replaced as a whole, and "
        "one that a link leads to, outside of the given paths, is not written.",
        epilog="With --format=json, --format=sarif or --format=gitlab what is left, or with --list "
        "and --check what is found, is reported for other programs, with the changes that fix it. "
        "The exit status is 0 if nothing is left to report, 1 if something is, and 2 for wrong "
        "usage; with --diff or --check it is 1 if there is something to change, with --list if "
        "there is a finding.",
        allow_abbrev=False,
    )
    preview = fixing.add_mutually_exclusive_group()
    preview.add_argument(
        "--diff", action="store_true", help="show the changes as a unified diff, and make none"
    )
    preview.add_argument(
        "--check",
        action="store_true",
        help="list the files and findings that would be fixed, without writing",
    )
    preview.add_argument(
        "--list",
        action="store_true",
        help="say of each finding whether its fix is safe or unsafe, or why there is none, and "
        "make no changes",
    )
    fixing.add_argument(
        "--unsafe",
        action="store_true",
        help="also apply fixes that change results",
    )
    fixing.add_argument(
        "--add-noqa",
        action="store_true",
        help="silence what is not fixed with # noqa comments that name the codes",
    )
    fixing.set_defaults(run=fix.run, error=fixing.error)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes")
    return int(text)
