"""The article that made the project begin, replayed: how often a cached value is computed.

Two caches on a pytree, a cached property ``b`` and a field ``c`` that fills itself, are read
outside of jit (eager) and inside (jitted), in all four orders of two reads. The rest is what the
article leaves out.
"""

from typing import Any

import jax.numpy as jnp
import pytest

from conftest import FIXTURES
from flake8_jax.evidence.fixtures import Fixture
from flake8_jax.evidence.instruments import Run, run, snapshot
from flake8_jax.evidence.verdicts import lint

ARTICLE = FIXTURES / "article"
CACHED_PROPERTY = Fixture(ARTICLE / "cached_property.py")
MANUAL_CACHE = Fixture(ARTICLE / "manual_cache.py")

A = jnp.arange(3.0)
"""The field ``a`` of every node in the two fixtures."""


def uncached(a: Any) -> Any:
    """What ``b`` and ``c`` hold, computed without a cache."""
    return 2.0 * jnp.sin(a)


def under_jit(fixture: Fixture, drive: str) -> Run:
    return run(fixture, drive, jit=True)


@pytest.mark.parametrize(
    ("drive", "b", "c"),
    [
        ("drive_eager_eager", 1, 1),
        ("drive_eager_jitted", 2, 1),
        ("drive_jitted_jitted", 2, 2),
        ("drive_jitted_eager", 2, 2),
    ],
)
def test_how_often_the_value_is_computed_at_run_time(drive: str, b: int, c: int) -> None:
    cached_property, manual_cache = (
        under_jit(CACHED_PROPERTY, drive),
        under_jit(MANUAL_CACHE, drive),
    )
    assert (cached_property.error, cached_property.executed) == (None, b)
    assert (manual_cache.error, manual_cache.executed) == (None, c)


@pytest.mark.parametrize(
    "drive",
    ["drive_eager_eager", "drive_eager_jitted", "drive_jitted_jitted", "drive_jitted_eager"],
)
@pytest.mark.parametrize("fixture", [CACHED_PROPERTY, MANUAL_CACHE], ids=["b", "c"])
def test_without_jit_the_value_is_computed_once(fixture: Fixture, drive: str) -> None:
    assert run(fixture, drive, jit=False).executed == 1


def test_two_jitted_reads_run_the_python_body_once_and_compute_twice() -> None:
    for fixture in (CACHED_PROPERTY, MANUAL_CACHE):
        seen = under_jit(fixture, "drive_jitted_jitted")
        assert (seen.python, seen.executed) == (1, 2)


@pytest.mark.parametrize("fixture", [CACHED_PROPERTY, MANUAL_CACHE], ids=["b", "c"])
def test_a_cache_filled_while_closed_over_keeps_a_tracer(fixture: Fixture) -> None:
    seen = under_jit(fixture, "drive_closed_over")
    assert (seen.error, seen.tracers) == (None, True)
    assert seen.value == snapshot(uncached(A) + 1.0)
    assert not run(fixture, "drive_closed_over", jit=False).tracers


def test_the_next_use_of_the_tracer_raises() -> None:
    seen = under_jit(CACHED_PROPERTY, "drive_closed_over_then_read")
    assert (seen.error, seen.tracers) == ("UnexpectedTracerError", True)


def test_a_filled_field_is_stale_after_replace() -> None:
    seen = under_jit(MANUAL_CACHE, "drive_replaced")
    assert seen.error is None
    assert seen.value == snapshot((uncached(A), uncached(A)))
    assert seen.value != snapshot((uncached(A), uncached(A + 10.0)))


def test_the_gradient_through_a_filled_field_is_zero() -> None:
    slope = 2.0 * jnp.cos(A)
    unfilled = under_jit(MANUAL_CACHE, "drive_gradient_unfilled")
    filled = under_jit(MANUAL_CACHE, "drive_gradient_filled")
    assert (unfilled.error, unfilled.value) == (None, snapshot(slope))
    assert (filled.error, filled.value) == (None, snapshot((uncached(A), jnp.zeros(3))))


def test_filling_the_field_traces_again_and_filling_the_property_does_not() -> None:
    assert under_jit(CACHED_PROPERTY, "drive_traces").python == 2
    assert under_jit(MANUAL_CACHE, "drive_traces").python == 3


def test_a_scan_carry_that_fills_the_field_raises() -> None:
    seen = under_jit(MANUAL_CACHE, "drive_scan_carry")
    assert seen.error == "TypeError"


@pytest.mark.parametrize(
    ("fixture", "codes"),
    [(CACHED_PROPERTY, ["JAX102", "JAX105"]), (MANUAL_CACHE, ["JAX104"])],
    ids=["b", "c"],
)
def test_flake8_reports_both_caches_and_the_leak(fixture: Fixture, codes: list[str]) -> None:
    assert [mark.code for mark in fixture.marks()] == codes
    assert lint([fixture])[fixture] == fixture.marks()
