"""The fixpoint is the least one, whatever is asked first, and costs no more than it has to."""

import random
from collections.abc import Mapping, Sequence

import pytest

from flake8_jax.effects.fixpoint import SummaryTable

Graph = Mapping[int, Sequence[int]]


def table(graph: Graph, own: Mapping[int, str]) -> SummaryTable[int, frozenset[str]]:
    """A function writes what it writes itself, and what those that it calls write."""

    def compute(key: int) -> frozenset[str]:
        called = [summaries.ask(other) for other in graph.get(key, ())]
        return frozenset({own[key]} if key in own else ()).union(*called)

    summaries = SummaryTable[int, frozenset[str]](compute, frozenset.union, frozenset())
    return summaries


def reachable(graph: Graph, start: int) -> set[int]:
    found: set[int] = set()
    stack = [start]
    while stack:
        here = stack.pop()
        if here not in found:
            found.add(here)
            stack += graph.get(here, ())
    return found


def test_a_chain_is_computed_once() -> None:
    summaries = table({1: [2], 2: [3]}, {3: "x"})
    assert summaries.ask(1) == {"x"}
    assert summaries.computations == 3


def test_functions_that_call_each_other() -> None:
    for first in (1, 2):
        summaries = table({1: [2], 2: [1]}, {1: "a", 2: "b"})
        assert summaries.ask(first) == {"a", "b"}
        assert summaries.ask(3 - first) == {"a", "b"}


@pytest.mark.parametrize("seed", range(50))
def test_any_graph_in_any_order(seed: int) -> None:
    chance = random.Random(seed)
    size = chance.randint(2, 12)
    graph = {
        key: [chance.randrange(size) for _ in range(chance.randint(0, 3))] for key in range(size)
    }
    own = {key: str(key) for key in range(size) if chance.random() < 0.5}
    order = [*range(size)]
    chance.shuffle(order)
    summaries = table(graph, own)
    for key in order:
        wanted = {own[item] for item in reachable(graph, key) if item in own}
        assert summaries.ask(key) == wanted


@pytest.mark.parametrize("size", [400, 4000])
def test_a_ring_needs_no_stack_and_grows_linearly(size: int) -> None:
    graph = {key: [(key + 1) % size] for key in range(size)}
    summaries = table(graph, {size // 2: "x"})
    assert all(summaries.ask(key) == {"x"} for key in range(size))
    assert summaries.computations <= 4 * size


def test_a_deep_chain_needs_no_stack() -> None:
    size = 5000
    summaries = table({key: [key + 1] for key in range(size)}, {size: "x"})
    assert summaries.ask(0) == {"x"}
    assert summaries.computations <= 3 * size


def test_a_fault_is_not_kept_as_a_summary() -> None:
    faults = [ValueError("once")]

    def compute(_: int) -> frozenset[str]:
        if faults:
            raise faults.pop()
        return frozenset({"x"})

    summaries = SummaryTable[int, frozenset[str]](compute, frozenset.union, frozenset())
    with pytest.raises(ValueError, match="once"):
        summaries.ask(1)
    assert summaries.ask(1) == {"x"}


def test_callers_wait_until_those_that_call_each_other_are_at_rest() -> None:
    ring = {key: [10 + (key - 9) % 5] for key in range(10, 15)}
    callers = {key: [key + 1] for key in range(9)} | {9: [10]}
    summaries = table({**callers, **ring}, {key: str(key) for key in ring})
    assert summaries.ask(0) == {"10", "11", "12", "13", "14"}
    assert summaries.computations <= len(callers) + 3 * len(ring)


def test_what_a_computation_asks_no_more_is_not_reached() -> None:
    def compute(key: str) -> frozenset[str]:
        if key == "ring":
            return frozenset({"x"}) | summaries.ask("asker")
        if key == "asker":
            return summaries.ask("later" if summaries.ask("ring") else "first")
        return frozenset()

    summaries = SummaryTable[str, frozenset[str]](compute, frozenset.union, frozenset())
    summaries.ask("ring")
    assert summaries.reached(["ring"]) == ("ring", "asker", "later")
