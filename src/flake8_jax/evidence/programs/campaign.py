"""Runs many generated programs, and shrinks one on which the checker and JAX disagree."""

import multiprocessing
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import jax
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample

from flake8_jax.evidence.observation import Observation, observe
from flake8_jax.evidence.probes import Spot
from flake8_jax.evidence.programs.causes import cause_of, findings_here
from flake8_jax.evidence.programs.comparison import (
    Comparison,
    Disagreement,
    by_line,
    compare,
    findings_of,
)
from flake8_jax.evidence.programs.grammar import Program
from flake8_jax.evidence.programs.strategies import programs

_BURST = 10
"""From then on hypothesis varies the programs that it has, and draws fewer new ones."""
_BATCH = 20
"""Bursts that one run of flake8 lints."""
_BATCHES = 5
"""Batches that one process tries."""
_SEARCH = 2_000
_SEEDS = 1_000_000
"""No campaign has as many bursts."""


@dataclass(frozen=True)
class Trial:
    """A program, and what came of it."""

    burst: int
    """The seed by which it was drawn."""
    modules: Mapping[str, str]
    seen: Observation
    comparison: Comparison
    causes: tuple[str, ...]
    """Why hazards were missed, in the order of the disagreements; empty for false alarms."""


_SETTINGS = ("jax_enable_x64", "jax_disable_most_optimizations")
"""Stamps need double precision, and nothing here has to be fast code."""


@contextmanager
def prepared() -> Iterator[None]:
    """Set jax up for generated programs, and leave it as it was."""
    before = {name: jax.config.values[name] for name in _SETTINGS}
    try:
        for name in _SETTINGS:
            jax.config.update(name, True)  # type: ignore[no-untyped-call]
        yield
    finally:
        for name, value in before.items():
            jax.config.update(name, value)  # type: ignore[no-untyped-call]
        jax.clear_caches()  # type: ignore[no-untyped-call]


def campaign(count: int, seed: int, jobs: int) -> Iterator[Trial]:
    """Try as many programs as are asked for."""
    first = seed * _SEEDS
    needed = -(-count // (_BURST - 1))
    starts = range(first, first + needed, _BATCH)
    batches = [range(start, min(start + _BATCH, first + needed)) for start in starts]
    yield from islice(_in_processes(batches, jobs), count)


def _in_processes(batches: Sequence[range], jobs: int) -> Iterator[Trial]:
    """The trials of some batches; processes are replaced, since what JAX keeps only grows."""
    context = multiprocessing.get_context("spawn")
    for start in range(0, len(batches), jobs * _BATCHES):
        with ProcessPoolExecutor(jobs, context) as pool:
            for trials in pool.map(trials_of, batches[start : start + jobs * _BATCHES]):
                yield from trials


def trials_of(bursts: Sequence[int]) -> list[Trial]:
    """Draw, lint and run the programs of some seeds."""
    drawn = [(burst, program) for burst in bursts for program in draw(burst)]
    texts = [program.modules() for _, program in drawn]
    with tempfile.TemporaryDirectory() as folder:
        said = [by_line(marks) for marks in findings_of(texts, Path(folder))]
    with prepared():
        return [
            _trial(burst, program, codes)
            for (burst, program), codes in zip(drawn, said, strict=True)
        ]


def _trial(burst: int, program: Program, said: Mapping[Spot, frozenset[str]]) -> Trial:
    modules = program.modules()
    seen = observe(modules)
    comparison = compare(modules, seen, said)
    causes = tuple(
        "" if item.is_false_alarm else cause_of(program, item) for item in comparison.disagreements
    )
    return Trial(burst, modules, seen, comparison, causes)


def draw(seed: int) -> list[Program]:
    """The programs that a seed stands for."""
    found: dict[Program, None] = {}

    def collect(program: Program) -> bool:
        found[program] = None
        return False

    with suppress(NoSuchExample):
        _search(collect, seed, _BURST, Phase.generate)
    return list(found)


def smallest(seed: int, wanted: Callable[[Disagreement], bool]) -> Program:
    """The smallest program with such a disagreement that hypothesis comes to from a seed."""

    def disagrees(program: Program) -> bool:
        return any(map(wanted, compared(program).disagreements))

    with prepared():
        return _search(disagrees, seed, _SEARCH, Phase.generate, Phase.shrink)


def compared(program: Program) -> Comparison:
    """The checker, in this process, held against JAX, for one program."""
    modules = program.modules()
    return compare(modules, observe(modules), findings_here(modules))


def _search(test: Callable[[Program], bool], seed: int, most: int, *phases: Phase) -> Program:
    chosen = settings(
        max_examples=most,
        database=None,
        deadline=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
    )
    return find(programs(), test, settings=chosen, random=random.Random(seed))
