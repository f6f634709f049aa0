"""Runs many generated programs, and shrinks those on which the checker and JAX disagree."""

import argparse
import ast
import multiprocessing
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import jax
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample

from flake8_jax.evidence.fixtures import Mark
from flake8_jax.evidence.observation import observe
from flake8_jax.evidence.programs.comparison import Comparison, compare, findings_of
from flake8_jax.evidence.programs.grammar import Program
from flake8_jax.evidence.programs.strategies import programs
from flake8_jax.plugin import Plugin

_BURST = 10
"""From then on hypothesis varies the programs that it has, and draws fewer new ones."""
_BATCH = 200


@dataclass(frozen=True)
class Tried:
    """A program, and what came of it."""

    burst: int
    """The seed by which it was drawn."""
    modules: Mapping[str, str]
    error: str | None
    outcomes: tuple[str, ...]
    comparison: Comparison


def drawn(seed: int, test: Callable[[Program], bool] | None = None, most: int = _BURST) -> Iterator[Program]:
    """The programs that a seed stands for; with a test, the smallest one that fulfils it."""
    found: list[Program] = []

    def collect(program: Program) -> bool:
        found.append(program)
        return False

    phases = [Phase.generate] if test is None else [Phase.generate, Phase.shrink]
    chosen = settings(
        max_examples=most,
        database=None,
        deadline=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
    )
    try:
        smallest = find(
            programs(), test or collect, settings=chosen, random=random.Random(seed)
        )
        yield smallest
    except NoSuchExample:
        yield from dict.fromkeys(found)


def prepare() -> None:
    """Set jax up: stamps need double precision, and nothing here needs to be fast code."""
    jax.config.update("jax_enable_x64", True)  # type: ignore[no-untyped-call]
    jax.config.update("jax_disable_most_optimizations", True)  # type: ignore[no-untyped-call]


def tried(bursts: Iterable[int]) -> list[Tried]:
    """Draw, lint and run the programs of some seeds."""
    prepare()
    pairs = [(burst, program.modules()) for burst in bursts for program in drawn(burst)]
    with tempfile.TemporaryDirectory() as folder:
        findings = findings_of([modules for _, modules in pairs], Path(folder))
    results = [_tried(burst, modules, marks) for (burst, modules), marks in zip(pairs, findings)]
    jax.clear_caches()  # type: ignore[no-untyped-call]
    return results


def _tried(burst: int, modules: Mapping[str, str], marks: Sequence[Mark]) -> Tried:
    seen = observe(modules)
    outcomes = tuple(outcome for found in seen.outcomes.values() for outcome in sorted(found))
    return Tried(burst, modules, seen.error, outcomes, compare(modules, seen, marks))


def campaign(count: int, seed: int, jobs: int) -> Iterator[Tried]:
    """Try as many programs as are asked for."""
    first = seed * 1_000_000
    bursts = range(first, first + -(-count // (_BURST - 1)))
    batches = [bursts[index : index + _BATCH // _BURST] for index in range(0, len(bursts), _BATCH // _BURST)]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, max_tasks_per_child=10) as pool:
        for results in pool.map(tried, batches):
            yield from results
