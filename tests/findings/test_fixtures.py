"""Fixtures: what flake8 says of one and what JAX shows are the same.

CI takes all of them; here are one of so many pairs, and those that have changed.
"""

import re
import sys

import pytest

from conftest import FIXTURES, REPOSITORY, call
from fixture_findings import found_in
from fixture_runs import run_once
from flake8_jax.evidence.fixtures import Fixture, discover
from flake8_jax.evidence.instruments import measure
from flake8_jax.evidence.verdicts import judge
from flake8_jax.rules import RULES
from sampling import sample

SYMPTOMS = {rule.code: rule.symptoms for rule in RULES}
EVERY = 3


def _chosen() -> list[Fixture]:
    """Some pairs of a hazard and its twin, some look-alikes, and what git says has changed."""
    every = [*discover(FIXTURES)]
    twins = {item.twin for item in every if item.twin is not None}
    alone = sample([item for item in every if item not in twins], EVERY)
    taken = {*alone, *(item.twin for item in alone)}
    done = call("git", "status", "--porcelain", "-uall", "fixtures", cwd=REPOSITORY)
    changed = {*re.findall(r"^.. (?:.* -> )?(fixtures/\S+\.py)$", done.stdout, re.M)}
    names = {item: {str(path.relative_to(REPOSITORY)) for path in item.modules} for item in every}
    return [item for item in every if item in taken or names[item] & changed]


@pytest.mark.parametrize("fixture", _chosen(), ids=lambda item: f"{item.code}-{item.path.stem}")
def test_verdict_and_measurement_agree(fixture: Fixture) -> None:
    if sys.version_info < fixture.needs:
        pytest.skip(f"the libraries of this fixture need Python {fixture.needs}")
    row = judge(fixture, found_in(fixture), measure(fixture, run_once), SYMPTOMS)
    assert row.problems == ()
