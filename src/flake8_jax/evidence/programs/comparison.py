"""The checker held against JAX, write by write."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from flake8_jax.evidence.fixtures import Fixture, Mark
from flake8_jax.evidence.observation import Chain, Observation
from flake8_jax.evidence.probes import Spot
from flake8_jax.evidence.verdicts import lint
from flake8_jax.fates import Fate

_LOST = frozenset({"JAX201", "JAX202", "JAX203", "JAX206", "JAX902"})
_LEAKED = frozenset({"JAX301", "JAX302", "JAX303"})
CODES: Mapping[Fate, frozenset[str]] = {
    Fate.LOST: _LOST,
    Fate.ESCAPED: _LOST | _LEAKED,
    Fate.SCRATCH: frozenset({"JAX206", "JAX902"}),
    Fate.RETURNED: frozenset({"JAX901"}),
    Fate.LEAKED: _LEAKED,
    Fate.ONCE: frozenset({"JAX904"}),
    Fate.RAISES: frozenset({"JAX204", "JAX205"}),
    Fate.KEPT_WITHIN: frozenset(),
    Fate.FINE: frozenset(),
}
"""What the checker may say of a write with an outcome."""
HAZARDS = frozenset({Fate.LOST, Fate.SCRATCH, Fate.ESCAPED, Fate.LEAKED, Fate.RAISES})
"""The outcomes of which it has to say something."""


@dataclass(frozen=True, order=True)
class Disagreement:
    """A write of which the checker and JAX say different things."""

    spot: Spot
    outcomes: tuple[Fate, ...]
    codes: tuple[str, ...]
    text: str
    lines: tuple[Spot, ...]
    """Where it may be reported."""

    @property
    def is_false_alarm(self) -> bool:
        """Whether it warns of what does no harm; otherwise it misses harm, or misnames it."""
        return not HAZARDS.intersection(self.outcomes)

    def __str__(self) -> str:
        said = ", ".join(self.codes) or "nothing"
        seen = ", ".join(self.outcomes) or "nothing"
        return f"{self.spot.module}.py:{self.spot.line}: measured {seen}, said {said}: {self.text}"


@dataclass(frozen=True)
class Comparison:
    """One program: its hazards, those that were found, and where the two disagree."""

    writes: int
    hazards: int
    found: int
    disagreements: tuple[Disagreement, ...]


def compare(
    modules: Mapping[str, str], seen: Observation, said: Mapping[Spot, frozenset[str]]
) -> Comparison:
    """Hold the findings of a program against what was measured."""
    lines = _lines(seen.outcomes)
    hazards: dict[tuple[Spot, Fate], set[Spot]] = {}
    for chain, outcomes in sorted(seen.outcomes.items()):
        if Fate.UNKNOWN not in outcomes:
            for outcome in outcomes & HAZARDS:
                hazards.setdefault((chain[0], outcome), set()).update(lines[chain])
    missed = []
    for (spot, outcome), places in hazards.items():
        codes = {code for place in places for code in said.get(place, ())}
        if not codes & CODES[outcome]:
            where, named = tuple(sorted(places)), tuple(sorted(codes))
            text = _text(modules, spot)
            missed.append(Disagreement(spot, (outcome,), named, text, where))
    alarms = _false_alarms(modules, seen, said, lines)
    known = {chain[0] for chain, found in seen.outcomes.items() if Fate.UNKNOWN not in found}
    return Comparison(len(known), len(hazards), len(hazards) - len(missed), (*missed, *alarms))


def by_line(marks: Iterable[Mark]) -> dict[Spot, frozenset[str]]:
    """The codes that were reported on each line."""
    said: dict[Spot, frozenset[str]] = {}
    for mark in marks:
        spot = Spot(mark.module.removesuffix(".py"), mark.line)
        said[spot] = said.get(spot, frozenset()) | {mark.code}
    return said


def _lines(chains: Collection[Chain]) -> dict[Chain, set[Spot]]:
    """Where each write may be reported: where it stands, or where another module calls it.

    A property with a setter writes in two places, of which either will do.
    """
    writes = {chain[0] for chain in chains}
    return {
        chain: {
            line
            for line in chain
            if line == chain[0] or line.module != chain[0].module or line in writes
        }
        for chain in chains
    }


def _false_alarms(
    modules: Mapping[str, str],
    seen: Observation,
    said: Mapping[Spot, frozenset[str]],
    lines: Mapping[Chain, set[Spot]],
) -> Iterator[Disagreement]:
    writes = {chain[0] for chain in lines}
    for line, codes in sorted(said.items()):
        outcomes = {
            outcome
            for chain, others in lines.items()
            if line in others
            for outcome in seen.outcomes[chain]
        }
        if not outcomes or Fate.UNKNOWN in outcomes:
            continue
        if seen.error is not None and (line not in writes or _is_called_twice(modules, line)):
            continue  # of what it calls, or of what calls it, not all was reached
        wrong = codes - {code for outcome in outcomes for code in CODES[outcome]}
        if wrong and not outcomes & HAZARDS:
            ordered = tuple(sorted(outcomes))
            text = _text(modules, line)
            yield Disagreement(line, ordered, tuple(sorted(wrong)), text, (line,))


def _is_called_twice(modules: Mapping[str, str], spot: Spot) -> bool:
    """Whether the function in which a line stands is called in several places."""
    around = [
        node
        for node in ast.walk(ast.parse(modules[spot.module]))
        if isinstance(node, ast.FunctionDef) and node.lineno <= spot.line <= (node.end_lineno or 0)
    ]
    names = {node.name for node in around}
    words = [word for text in modules.values() for word in re.findall(r"\w+", text)]
    return any(words.count(name) > 2 for name in names)


def _text(modules: Mapping[str, str], spot: Spot) -> str:
    return modules[spot.module].split("\n")[spot.line - 1].strip()


def findings_of(programs: Iterable[Mapping[str, str]], folder: Path) -> list[tuple[Mark, ...]]:
    """What flake8 says of each program; they are written to a folder first."""
    fixtures = []
    for index, modules in enumerate(programs):
        home = folder / f"program_{index}"
        home.mkdir(parents=True)
        for name, text in modules.items():
            (home / f"{name}.py").write_text(text, encoding="utf-8")
        fixtures.append(Fixture(home))
    found = lint(fixtures)
    return [found[fixture] for fixture in fixtures]
