"""Every fixture: what flake8 says of it and what JAX shows are the same."""

import sys

import pytest

from conftest import FIXTURES
from flake8_jax.evidence.fixtures import Fixture, Mark, discover
from flake8_jax.evidence.instruments import measure
from flake8_jax.evidence.verdicts import judge, lint
from flake8_jax.rules import RULES

SYMPTOMS = {rule.code: rule.symptoms for rule in RULES}
ALL = tuple(discover(FIXTURES))


@pytest.fixture(scope="session")
def findings() -> dict[Fixture, tuple[Mark, ...]]:
    return lint(ALL)


@pytest.mark.parametrize("fixture", ALL, ids=lambda item: f"{item.code}-{item.path.stem}")
def test_verdict_and_measurement_agree(
    fixture: Fixture, findings: dict[Fixture, tuple[Mark, ...]]
) -> None:
    if sys.version_info < fixture.needs:
        pytest.skip(f"the libraries of this fixture need Python {fixture.needs}")
    row = judge(fixture, findings[fixture], measure(fixture), SYMPTOMS)
    assert row.problems == ()
