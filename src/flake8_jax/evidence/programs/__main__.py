"""``python -m flake8_jax.evidence.programs``: the long run, and its figures."""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence

from flake8_jax.evidence.programs.campaign import Trial, campaign, smallest
from flake8_jax.evidence.programs.causes import UNEXPLAINED
from flake8_jax.evidence.programs.comparison import Disagreement
from flake8_jax.fates import Fate

_EVERY = 500
"""After so many programs, the figures so far are printed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the campaign and print its figures; 1 if there was a false alarm."""
    parser = argparse.ArgumentParser(
        prog="python -m flake8_jax.evidence.programs", description=__doc__
    )
    parser.add_argument("--count", type=int, default=10_000, help="how many programs (10,000)")
    parser.add_argument("--seed", type=int, default=1, help="which programs (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--show", type=int, default=5, help="disagreements to print in full (5)")
    parser.add_argument("--shrink", action="store_true", help="shrink those that are printed")
    given = parser.parse_args(arguments)
    started = time.monotonic()
    trials = []
    for trial in campaign(given.count, given.seed, given.jobs):
        trials.append(trial)
        for item in trial.comparison.disagreements:
            if item.is_false_alarm:
                print(f"false alarm, seed {trial.burst}: {item}", flush=True)
        if not len(trials) % _EVERY and len(trials) < given.count:
            print(*_figures(trials), "", sep="\n", flush=True)
    print("\n".join(_figures(trials)))
    print(f"{time.monotonic() - started:.0f} seconds, {given.jobs} processes")
    for trial, item in _worst(trials)[: given.show]:
        print("\n".join(("", *_shown(trial, item, given.shrink))))
    alarms = sum(item.is_false_alarm for trial in trials for item in trial.comparison.disagreements)
    return 1 if alarms else 0


def _figures(trials: Sequence[Trial]) -> Iterator[str]:
    compared = [trial.comparison for trial in trials]
    hazards = sum(item.hazards for item in compared)
    found = sum(item.found for item in compared)
    alarms = sum(each.is_false_alarm for item in compared for each in item.disagreements)
    yield f"programs {len(trials)}"
    yield f"writes judged {sum(item.writes for item in compared)}"
    yield f"hazards {hazards}, found {found} ({100 * found / max(hazards, 1):.1f} of 100)"
    yield f"false alarms {alarms}"
    outcomes = Counter(
        outcome for trial in trials for found in trial.seen.outcomes.values() for outcome in found
    )
    yield "outcomes: " + ", ".join(f"{name} {outcomes[name]}" for name in Fate if outcomes[name])
    errors = Counter(trial.seen.error for trial in trials if trial.seen.error)
    yield f"programs that raise for other reasons: {errors.total()}"
    causes = Counter(cause for trial in trials for cause in trial.causes if cause)
    yield from (f"missed {count}: {cause}" for cause, count in causes.most_common())


def _worst(trials: Sequence[Trial]) -> list[tuple[Trial, Disagreement]]:
    """False alarms first, then what no cause explains; short programs first."""
    found = [
        (not item.is_false_alarm, sum(map(len, trial.modules.values())), index, trial, item)
        for index, trial in enumerate(trials)
        for item, cause in zip(trial.comparison.disagreements, trial.causes, strict=True)
        if cause in ("", UNEXPLAINED)
    ]
    return [(trial, item) for *_, trial, item in sorted(found, key=lambda row: row[:3])]


def _shown(trial: Trial, item: Disagreement, shrink: bool) -> Iterator[str]:
    yield f"seed {trial.burst}: {item}"
    modules = trial.modules
    if shrink:
        program = smallest(
            trial.burst,
            lambda other: (other.outcomes, other.codes) == (item.outcomes, item.codes),
        )
        modules = program.modules()
    for name, text in modules.items():
        yield f"# {name}.py"
        yield text


if __name__ == "__main__":
    sys.exit(main())
