"""Every fixture: what flake8 says of it and what JAX shows are the same."""

import sys

import pytest

from conftest import FIXTURES
from fixture_findings import found_in
from fixture_runs import run_once
from flake8_jax.evidence.fixtures import Fixture, discover
from flake8_jax.evidence.instruments import measure
from flake8_jax.evidence.verdicts import judge
from flake8_jax.rules import RULES

SYMPTOMS = {rule.code: rule.symptoms for rule in RULES}
ALL = tuple(discover(FIXTURES))


@pytest.mark.parametrize("fixture", ALL, ids=lambda item: f"{item.code}-{item.path.stem}")
def test_verdict_and_measurement_agree(fixture: Fixture) -> None:
    if sys.version_info < fixture.needs:
        pytest.skip(f"the libraries of this fixture need Python {fixture.needs}")
    row = judge(fixture, found_in(fixture), measure(fixture, run_once), SYMPTOMS)
    assert row.problems == ()
