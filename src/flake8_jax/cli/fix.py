"""``flake8-jax fix``: takes away what flake8 reports, where that can be done for certain."""

import argparse
import logging
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial

from flake8.violation import Violation

from flake8_jax.cli.flake8 import STDIN, ConfigurationError, Flake8, UnparsableError, UsageError
from flake8_jax.cli.progress import progress
from flake8_jax.cli.stopping import noted
from flake8_jax.cli.takers import Takers
from flake8_jax.cli.texts import LeftAloneError, Text, read
from flake8_jax.fixes.rounds import settle

LOG = logging.getLogger("flake8.jax")
_MANY = 20
"""From how many files on a progress bar is of use."""


@dataclass(frozen=True)
class Plan:
    """What is to become of a file."""

    path: str
    change: tuple[Text, Text] | None
    """The text and the one that takes its place; None where nothing changes."""
    fixed: Counter[str]
    left: Sequence[Violation]
    unsafe: int
    """How many findings more an unsafe fix would take away."""


@dataclass(frozen=True)
class Failure:
    """Why a file is left alone."""

    path: str
    reason: str


def run(given: argparse.Namespace) -> int:
    """Fix the files that flake8 would lint, or show what that would change."""
    try:
        flake8 = Flake8(given.flake8)
    except UsageError as error:
        given.error(str(error))
    except ConfigurationError as error:
        print(f"flake8-jax: error: {error}", file=sys.stderr)
        return 2
    warnings.simplefilter("ignore", SyntaxWarning)  # of the code that is read
    source = Text(sys.stdin.buffer.read()) if STDIN in flake8.options.filenames else None
    paths = flake8.files()
    takers = Takers(paths)
    plans: list[Plan | Failure] = []
    with noted() as check:
        for path in _watched(paths):
            plans.append(_plan(flake8, path, source, given.unsafe, takers))
            check()
    if given.diff or given.check:
        done = plans
        status = _preview(flake8, plans, given.diff)
    else:
        done = [_carry_out(plan) for plan in plans]
        if source is not None:
            changes = [plan.change for plan in _succeeded(done) if plan.path == STDIN]
            _, after = next(filter(None, changes), (source, source))
            sys.stdout.buffer.write(after.content)
        left = [violation for plan in _succeeded(done) for violation in plan.left]
        with redirect_stdout(sys.stdout if source is None else sys.stderr):
            flake8.show(left)
        status = int(bool(left))
    failures = [item for item in done if isinstance(item, Failure)]
    for failure in failures:
        print(f"{flake8.label(failure.path)}: left alone: {failure.reason}", file=sys.stderr)
    if not flake8.options.quiet:
        would = given.diff or given.check
        print(_summary(_succeeded(done), len(failures), would), file=sys.stderr)
    return 0 if flake8.options.exit_zero else max(status, int(bool(failures)))


def _succeeded(items: Iterable[Plan | Failure]) -> list[Plan]:
    return [item for item in items if isinstance(item, Plan)]


def _watched(paths: Sequence[str]) -> Iterator[str]:
    """Some paths, with a progress bar if there are many and somebody watches."""
    show = progress("files") if len(paths) >= _MANY else None
    for index, path in enumerate(paths):
        if show is not None:
            show(index, len(paths))
        yield path
    if show is not None:
        show(len(paths), len(paths))


def _plan(
    flake8: Flake8, path: str, source: Text | None, unsafe: bool, takers: Takers
) -> Plan | Failure:
    try:
        text = source if path == STDIN and source is not None else read(path)
        others = takers.but(flake8.label(path))
        outcome = settle(text.lines, partial(flake8.lint, path), unsafe, others)
        left = tuple(flake8.left)
        after = text.changed(outcome.lines)
        if after != text:
            compile(after.content, path, "exec", dont_inherit=True)
    except LeftAloneError as error:
        return Failure(path, str(error))
    except UnparsableError as error:
        return Failure(path, f"it cannot be parsed: {error}")
    except Exception as error:
        LOG.exception("%s is not fixed", path)
        return Failure(path, f"it cannot be fixed: {error!r}")
    change = (text, after) if after != text else None
    return Plan(path, change, outcome.fixed, left, outcome.unsafe)


def _carry_out(plan: Plan | Failure) -> Plan | Failure:
    if isinstance(plan, Plan) and plan.change is not None and plan.path != STDIN:
        before, after = plan.change
        try:
            after.write(plan.path, before)
        except LeftAloneError as error:
            return Failure(plan.path, str(error))
    return plan


def _preview(flake8: Flake8, plans: Iterable[Plan | Failure], diff: bool) -> int:
    """Show what would change; 1 if anything would."""
    status = 0
    for plan in _succeeded(plans):
        if plan.change is None:
            continue
        status = 1
        before, after = plan.change
        name = flake8.label(plan.path)
        if diff:
            sys.stdout.buffer.write(before.difference(after, name))
        else:
            counts = ", ".join(f"{count} {code}" for code, count in sorted(plan.fixed.items()))
            print(f"Would fix: {name} ({counts})")
    return status


def _summary(plans: Sequence[Plan], failures: int, would: bool) -> str:
    """What was done, or would be, and why there is something left."""
    fixed = sum(plan.fixed.total() for plan in plans)
    files = sum(plan.change is not None for plan in plans)
    left = sum(len(plan.left) for plan in plans)
    unsafe = sum(plan.unsafe for plan in plans)
    parts: list[str] = []
    if fixed:
        verb = "Would fix" if would else "Fixed"
        parts.append(f"{verb} {_some(fixed, 'finding')} in {_some(files, 'file')}.")
    if left:
        reasons = [f"{unsafe} {'needs' if unsafe == 1 else 'need'} --unsafe"] if unsafe else []
        if left > unsafe:
            reasons.append(f"{left - unsafe} {'has' if left - unsafe == 1 else 'have'} no fix")
        parts.append(f"{_some(left, 'finding')} left: {', '.join(reasons)}.")
    if failures:
        parts.append(f"{_some(failures, 'file')} left alone.")
    return " ".join(parts) or "Nothing to fix."


def _some(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
