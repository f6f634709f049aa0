"""The checker held against JAX, write by write."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from flake8_jax.evidence.fixtures import Fixture, Mark
from flake8_jax.evidence.observation import Chain, Observation, Outcome
from flake8_jax.evidence.probes import Spot
from flake8_jax.evidence.verdicts import lint

_LOST = frozenset({"JAX201", "JAX202", "JAX203", "JAX206", "JAX902"})
_LEAKED = frozenset({"JAX301", "JAX302", "JAX303"})
CODES: Mapping[Outcome, frozenset[str]] = {
    Outcome.LOST: _LOST,
    Outcome.ESCAPED: _LOST | _LEAKED,
    Outcome.SCRATCH: frozenset({"JAX206", "JAX902"}),
    Outcome.RETURNED: frozenset({"JAX901"}),
    Outcome.LEAKED: _LEAKED,
    Outcome.ONCE: frozenset({"JAX904"}),
    Outcome.RAISES: frozenset({"JAX204", "JAX205"}),
    Outcome.KEPT_WITHIN: frozenset({"JAX206", "JAX902"}),
    Outcome.FINE: frozenset(),
}
"""What the checker may say of a write with an outcome."""
HAZARDS = frozenset(
    {Outcome.LOST, Outcome.SCRATCH, Outcome.ESCAPED, Outcome.LEAKED, Outcome.RAISES}
)
"""The outcomes of which it has to say something."""


@dataclass(frozen=True, order=True)
class Disagreement:
    """A write of which the checker and JAX say different things."""

    spot: Spot
    outcomes: tuple[Outcome, ...]
    codes: tuple[str, ...]
    text: str

    @property
    def is_false_alarm(self) -> bool:
        """Whether the checker warns of what does no harm; otherwise it misses, or misnames, harm."""
        return not HAZARDS.intersection(self.outcomes)

    def __str__(self) -> str:
        said = ", ".join(self.codes) or "nothing"
        seen = ", ".join(self.outcomes) or "nothing"
        return f"{self.spot.module}.py:{self.spot.line}: measured {seen}, said {said}: {self.text}"


@dataclass(frozen=True)
class Comparison:
    """One program: its hazards, those that were found, and where the two disagree."""

    hazards: int
    found: int
    writes: int
    disagreements: tuple[Disagreement, ...]


def compare(
    modules: Mapping[str, str], seen: Observation, findings: Iterable[Mark]
) -> Comparison:
    """Hold the findings of a program against what was measured."""
    said: dict[Spot, set[str]] = {}
    for mark in findings:
        said.setdefault(Spot(mark.module.removesuffix(".py"), mark.line), set()).add(mark.code)
    writes = {chain[0] for chain in seen.outcomes}
    lines = {chain: _lines(chain, writes) for chain in seen.outcomes}
    hazards: dict[tuple[Spot, Outcome], set[str]] = {}
    for chain, outcomes in sorted(seen.outcomes.items()):
        if Outcome.UNKNOWN not in outcomes:
            codes = {code for line in lines[chain] for code in said.get(line, ())}
            for outcome in outcomes & HAZARDS:
                hazards.setdefault((chain[0], outcome), set()).update(codes)
    missed = [
        Disagreement(spot, (outcome,), tuple(sorted(codes)), _text(modules, spot))
        for (spot, outcome), codes in hazards.items()
        if not codes & CODES[outcome]
    ]
    alarms = _false_alarms(modules, seen, said, lines)
    known = {chain[0] for chain, found in seen.outcomes.items() if Outcome.UNKNOWN not in found}
    return Comparison(len(hazards), len(hazards) - len(missed), len(known), (*missed, *alarms))


def _lines(chain: Chain, writes: set[Spot]) -> set[Spot]:
    """Where a write may be reported: where it stands, or where another module calls it."""
    first, *others = chain
    return {first, *(line for line in others if line.module != first.module or line in writes)}


def _false_alarms(
    modules: Mapping[str, str],
    seen: Observation,
    said: Mapping[Spot, set[str]],
    lines: Mapping[Chain, set[Spot]],
) -> Iterator[Disagreement]:
    for line, codes in sorted(said.items()):
        outcomes = {
            outcome
            for chain, others in lines.items()
            if line in others
            for outcome in seen.outcomes[chain]
        }
        if not outcomes or Outcome.UNKNOWN in outcomes:
            continue
        wrong = codes - {code for outcome in outcomes for code in CODES[outcome]}
        if wrong and not outcomes & HAZARDS:
            ordered = tuple(sorted(outcomes))
            yield Disagreement(line, ordered, tuple(sorted(wrong)), _text(modules, line))


def _text(modules: Mapping[str, str], spot: Spot) -> str:
    return modules[spot.module].split("\n")[spot.line - 1].strip()


def findings_of(
    programs: Iterable[Mapping[str, str]], folder: Path
) -> list[tuple[Mark, ...]]:
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
