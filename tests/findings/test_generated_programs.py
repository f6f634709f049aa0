"""Generated programs: what JAX does to each write is what the checker says, and can differ."""

import re
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import HealthCheck, find, given, settings

from flake8_jax.evidence.observation import observe
from flake8_jax.evidence.probes import Spot
from flake8_jax.evidence.programs.campaign import compared, prepared, trials_of
from flake8_jax.evidence.programs.comparison import by_line, compare, findings_of
from flake8_jax.evidence.programs.grammar import Function, Line, Program
from flake8_jax.evidence.programs.strategies import programs
from flake8_jax.evidence.programs.vocabulary import KINDS
from flake8_jax.fates import Fate
from sampling import EXHAUSTIVE

MODULE = """\
import jax
import jax.numpy as jnp
from flax import struct


class Box(struct.PyTreeNode, frozen=False):
    x: jax.Array
    d: dict


class Ice(struct.PyTreeNode):
    x: jax.Array


BOX = Box(x=jnp.zeros(3), d={{}})


def step(box: Box, ice: Ice, v):
    {body}


def drive(watch):
    box, ice = Box(x=jnp.zeros(3), d={{}}), Ice(x=jnp.zeros(3))
    watch(box)
    return {call}
"""
LINE = MODULE.count("\n", 0, MODULE.index("    {body}")) + 1
JIT = "jax.jit(step)(box, ice, jnp.ones(3))"
CASES = {
    "lost": ("box.x = v + 100.0; return v", JIT, Fate.LOST, "JAX201"),
    "item lost": ('box.d["k"] = v + 100.0; return v', JIT, Fate.LOST, "JAX202"),
    "read again": ("box.x = v + 100.0; return box.x", JIT, Fate.SCRATCH, "JAX206"),
    "read under vmap": (
        "box.x = v + 100.0; return box.x",
        "jax.vmap(step)(box, ice, jnp.ones(3))",
        Fate.KEPT_WITHIN,
        None,
    ),
    "returned": ("box.x = v + 100.0; return box", JIT, Fate.RETURNED, "JAX901"),
    "copy returned": (
        "box.x = v + 100.0; return box.replace(d={})",
        JIT,
        Fate.RETURNED,
        "JAX901",
    ),
    "leaked": ("BOX.x = v + 100.0; return v", JIT, Fate.LEAKED, "JAX301"),
    "plain value": ("BOX.x = 100.0; return v", JIT, Fate.ONCE, "JAX904"),
    "frozen": ("ice.x = v + 100.0; return v", JIT, Fate.RAISES, "JAX204"),
    "array": ("box.x[0] = 100.0; return v", JIT, Fate.RAISES, "JAX205"),
    "own object": (
        "new = box.replace(d={}); new.x = v + 100.0; return v",
        JIT,
        Fate.FINE,
        None,
    ),
}


MISSED = re.compile(r"said nothing: with contextlib\.nullcontext\(.*\) as ")
"""What is known to be missed: the target of a with statement, which any object may give."""


def case(name: str) -> dict[str, str]:
    body, call, _, _ = CASES[name]
    return {"main": MODULE.format(body=body, call=call)}


@pytest.fixture(scope="session")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[Spot, frozenset[str]]]:
    found = findings_of([case(name) for name in CASES], tmp_path_factory.mktemp("cases"))
    return {name: by_line(marks) for name, marks in zip(CASES, found, strict=True)}


@pytest.fixture
def stamped() -> Iterator[None]:
    with prepared():
        yield


@pytest.mark.usefixtures("stamped")
@pytest.mark.parametrize("name", CASES)
def test_each_outcome_is_seen_and_said(
    name: str, findings: dict[str, dict[Spot, frozenset[str]]]
) -> None:
    modules, said = case(name), findings[name]
    seen = observe(modules)
    _, _, outcome, code = CASES[name]
    assert seen.error is None
    assert {outcome for chain in seen.outcomes.values() for outcome in chain} == {outcome}
    assert {chain[0] for chain in seen.outcomes} == {Spot("main", LINE)}
    assert said == ({Spot("main", LINE): frozenset({code})} if code else {})
    assert compare(modules, seen, said).disagreements == ()


@pytest.mark.usefixtures("stamped")
def test_a_hazard_of_which_nothing_is_said_is_missed() -> None:
    found = compare(case("lost"), observe(case("lost")), {})
    assert (found.hazards, found.found) == (1, 0)
    (missed,) = found.disagreements
    assert str(missed).startswith(f"main.py:{LINE}: measured lost, said nothing: box.x = v")
    assert not missed.is_false_alarm


@pytest.mark.usefixtures("stamped")
@pytest.mark.parametrize("name", ["own object", "returned", "read under vmap", "plain value"])
def test_a_warning_of_what_does_no_harm_is_a_false_alarm(name: str) -> None:
    said = {Spot("main", LINE): frozenset({"JAX201"})}
    (alarm,) = compare(case(name), observe(case(name)), said).disagreements
    assert alarm.is_false_alarm
    assert alarm.codes == ("JAX201",)


@pytest.mark.usefixtures("stamped")
def test_a_hazard_by_another_name_is_not_found() -> None:
    said = {Spot("main", LINE): frozenset({"JAX301"})}
    found = compare(case("lost"), observe(case("lost")), said)
    assert found.found == 0
    assert not found.disagreements[0].is_false_alarm


@pytest.mark.usefixtures("stamped")
def test_no_false_alarm() -> None:
    @settings(
        derandomize=True,
        max_examples=40 if EXHAUSTIVE else 15,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(programs())
    def agrees(program: Program) -> None:
        alarms = [item for item in compared(program).disagreements if item.is_false_alarm]
        assert not alarms, "\n".join((*map(str, alarms), *program.modules().values()))

    agrees()


def test_hazards_are_found() -> None:
    trials = trials_of(range(4 if EXHAUSTIVE else 2))
    hazards = sum(trial.comparison.hazards for trial in trials)
    found = sum(trial.comparison.found for trial in trials)
    disagreements = [item for trial in trials for item in trial.comparison.disagreements]
    assert hazards > (20 if EXHAUSTIVE else 10)
    assert found == hazards - len(disagreements)
    assert not any(item.is_false_alarm for item in disagreements)
    assert [text for text in map(str, disagreements) if not MISSED.search(text)] == []


@pytest.mark.usefixtures("stamped")
def test_what_is_overwritten_is_left_out() -> None:
    body = "box.x = v + 100.0\n    box.x = v + 1600.0\n    return v"
    seen = observe({"main": MODULE.format(body=body, call=JIT)})
    found = {chain[0].line: outcomes for chain, outcomes in seen.outcomes.items()}
    assert found == {LINE: {Fate.UNKNOWN}, LINE + 1: {Fate.LOST}}


@pytest.mark.usefixtures("stamped")
def test_what_a_trace_wrote_to_its_own_objects_before_it_met_a_leak_is_left_out() -> None:
    body = """box.d["k"] = v + 100.0
    kept = []
    jax.jit(jax.vmap(lambda w: kept.append(w) or w))(v)
    return kept[0] + v"""
    seen = observe({"main": MODULE.format(body=body, call=JIT)})
    found = {chain[0].line: outcomes for chain, outcomes in seen.outcomes.items()}
    assert found == {LINE: {Fate.UNKNOWN}, LINE + 2: {Fate.ESCAPED}}


@pytest.mark.usefixtures("stamped")
def test_a_new_container_is_not_the_one_that_was_written() -> None:
    body = """box.d["k"] = v + 100.0
    return {"k": box.d["k"] + 0.0}"""
    seen = observe({"main": MODULE.format(body=body, call=JIT)})
    assert list(seen.outcomes.values()) == [{Fate.UNKNOWN}]


@pytest.mark.usefixtures("stamped")
def test_a_program_that_raises_has_not_reached_every_call() -> None:
    body = """def note(where):
        where.x = v + 100.0
    note(BOX)
    {}["missing"]
    jax.jit(note)(box)
    return box"""
    modules = {"main": MODULE.format(body=body, call=JIT)}
    seen = observe(modules)
    said = {Spot("main", LINE + 1): frozenset({"JAX901"})}
    assert seen.error == "traced: KeyError"
    assert not any(item.is_false_alarm for item in compare(modules, seen, said).disagreements)


def test_functions_that_nothing_calls_are_left_out() -> None:
    def helper(name: str, text: str) -> Function:
        return Function(name, "o, v", (Line(text),))

    program = Program(
        KINDS[0],
        methods=(Function("part", "self", (Line("return 1"),)), helper("method", "return o")),
        helpers=(helper("first", "return o.part"), helper("second", "return first(o, v)")),
        drive=(Line("return first(s, v)"),),
    )
    (text,) = program.modules().values()
    assert [name for name in ("part", "method", "first", "second") if f"def {name}(" in text] == [
        "part",
        "first",
    ]


@pytest.mark.usefixtures("stamped")
def test_programs_are_shrunk() -> None:
    def leaks(program: Program) -> bool:
        outcomes = observe(program.modules()).outcomes.values()
        return any(Fate.LEAKED in found for found in outcomes)

    chosen = settings(max_examples=40, database=None, deadline=None)
    program = find(programs(), leaks, settings=chosen, random=Random(1))
    assert len(program.modules()) == 1
    assert not program.helpers
    assert not program.methods
