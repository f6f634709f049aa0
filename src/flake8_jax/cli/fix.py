"""``flake8-jax fix``: takes away what flake8 reports, where that can be done for certain."""

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence

from flake8_jax.applying.flake8 import STDIN, ConfigurationError, Flake8, UsageError
from flake8_jax.applying.texts import LeftAloneError, Text
from flake8_jax.cli.plans import Failure, Plan, Planning
from flake8_jax.cli.progress import progress
from flake8_jax.cli.stopping import noted
from flake8_jax.cli.telling import Telling
from flake8_jax.printable import printable

_MANY = 20
"""From how many files on a progress bar is of use."""


def run(given: argparse.Namespace) -> int:
    """Fix the files that flake8 would lint, or show what that would change."""
    try:
        flake8 = Flake8(given.flake8)
    except UsageError as error:
        given.error(str(error))
    except ConfigurationError as error:
        print(printable(f"flake8-jax: error: {error}"), file=sys.stderr)
        return 2
    warnings.simplefilter("ignore", SyntaxWarning)  # of the code that is read
    source = Text(sys.stdin.buffer.read()) if STDIN in flake8.options.filenames else None
    would = given.diff or given.check
    planning = Planning(flake8, source, given.unsafe, not given.diff)
    telling = Telling(planning, sys.stdout if given.list or source is None else sys.stderr)
    with noted() as check:
        if given.list:
            return telling.listing(_watched(planning.paths), check)
        plans = planning.plans(_watched(planning.paths), check, given.add_noqa)
    planning.forget(plans)
    if given.diff:
        status = telling.difference(plans)
    elif given.check:
        status = telling.preview(plans)
    else:
        plans = [_carry_out(plan) for plan in plans]
        status = telling.left(plans)
    return telling.end(plans, would, status)


def _watched(paths: Sequence[str]) -> Iterator[str]:
    """Some paths, with a progress bar if there are many and somebody watches."""
    show = progress("files") if len(paths) >= _MANY else None
    for index, path in enumerate(paths):
        if show is not None:
            show(index, len(paths))
        yield path
    if show is not None:
        show(len(paths), len(paths))


def _carry_out(plan: Plan | Failure) -> Plan | Failure:
    if isinstance(plan, Plan) and plan.is_change and plan.path != STDIN:
        try:
            plan.after.write(plan.path, plan.before)
        except LeftAloneError as error:
            return Failure(plan.path, str(error))
    return plan
