"""How the findings of a file are put together from those of the parts that find some codes."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.gates import ALL_RULES, opened
from flake8_jax import check as checks
from flake8_jax.faults import RAISE
from flake8_jax.resolution.modules import Module
from flake8_jax.verdicts.places import Place
from flake8_jax.wording import Told
from flake8_jax.workspace.outline import release

HAZARD = """\
import jax

seen = []


@jax.jit
def step(x):
    seen.append(x)
    return x + 1
"""
APPENDED = Place(8, 4, "JAX303", told=Told("seen"))
RETURNED = Place(9, 11, "JAX301", told=Told("result"))

Given = Callable[..., list[str]]


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Given:
    """What is found where parts find some places: lines, columns and codes."""
    path = tmp_path / "seen.py"
    path.write_text(HAZARD, encoding="utf-8")

    def check(*parts: list[Place], named: tuple[str, ...] = ALL_RULES) -> list[str]:
        def part(places: list[Place]) -> Callable[[Module], Iterator[Place]]:
            def find(module: Module) -> Iterator[Place]:
                assert module.name == "seen"
                for place in places:
                    if place.line == 0:
                        raise RuntimeError(module.name)
                    yield place

            return find

        made = {tuple({place.code for place in places}): part(places) for places in parts}
        monkeypatch.setattr(checks, "PARTS", made)
        placed = checks.check(*opened(path), named)
        return [f"{item.line}:{item.column} {item.code}" for item in placed]

    return check


def test_a_module_can_be_checked_again_when_its_tree_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "seen.py"
    path.write_text(HAZARD, encoding="utf-8")
    project, file = opened(path)
    before = checks.check(project, file, ALL_RULES)
    release(file)
    assert [item.text for item in before] == [
        item.text for item in checks.check(project, file, ALL_RULES)
    ]
    assert [item.line for item in before] == [8]


def test_findings_come_in_the_order_of_the_text(found: Given) -> None:
    assert found([RETURNED], [APPENDED]) == ["8:4 JAX303", "9:11 JAX301"]


def test_one_place_is_reported_once_for_a_code(found: Given) -> None:
    assert found([APPENDED, APPENDED]) == ["8:4 JAX303"]


def test_a_certain_rule_silences_an_opt_in_rule_in_its_place(found: Given) -> None:
    assert found([APPENDED._replace(code="JAX904"), APPENDED]) == ["8:4 JAX303"]
    assert found([RETURNED._replace(code="JAX904"), APPENDED]) == ["8:4 JAX303", "9:11 JAX904"]


def test_an_opt_in_rule_is_on_if_it_is_named(found: Given) -> None:
    places = [RETURNED._replace(code="JAX904"), APPENDED]
    assert found(places, named=("JAX",)) == ["8:4 JAX303"]
    assert found(places, named=("JAX904",)) == ["8:4 JAX303", "9:11 JAX904"]


def test_a_part_that_fails_loses_its_own_findings(
    found: Given, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv(RAISE, raising=False)
    failing = [APPENDED, APPENDED._replace(line=0)]
    with caplog.at_level(logging.ERROR):
        assert found([*failing], [RETURNED]) == ["8:4 JAX303", "9:11 JAX301"]
        assert found([failing[1]], [RETURNED]) == ["9:11 JAX301"]
    assert caplog.text.count("JAX303 failed") == 2
    assert "RuntimeError: seen" in caplog.text
