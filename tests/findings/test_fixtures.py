"""Every fixture: what flake8 says of it and what JAX shows are the same."""

import sys

import pytest

from conftest import FIXTURES
from fixture_findings import findings_of_fixtures
from fixture_runs import run_once
from flake8_jax.evidence.fixtures import Fixture, Mark, discover
from flake8_jax.evidence.instruments import measure
from flake8_jax.evidence.verdicts import judge
from flake8_jax.rules import RULES

SYMPTOMS = {rule.code: rule.symptoms for rule in RULES}
ALL = tuple(discover(FIXTURES))


@pytest.fixture(scope="session")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[Fixture, tuple[Mark, ...]]:
    modules = {
        str(path): (fixture, module) for fixture in ALL for path, module in fixture.modules.items()
    }
    found: dict[Fixture, list[Mark]] = {fixture: [] for fixture in ALL}
    for path, line, column, code, _ in findings_of_fixtures(tmp_path_factory):
        fixture, module = modules[path]
        found[fixture].append(Mark(int(line), int(column), code, module))
    return {fixture: tuple(sorted(marks)) for fixture, marks in found.items()}


@pytest.mark.parametrize("fixture", ALL, ids=lambda item: f"{item.code}-{item.path.stem}")
def test_verdict_and_measurement_agree(
    fixture: Fixture, findings: dict[Fixture, tuple[Mark, ...]]
) -> None:
    if sys.version_info < fixture.needs:
        pytest.skip(f"the libraries of this fixture need Python {fixture.needs}")
    row = judge(fixture, findings[fixture], measure(fixture, run_once), SYMPTOMS)
    assert row.problems == ()
