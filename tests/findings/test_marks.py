"""Every fixture has the findings that its marks ask for, in each of its modules."""

import pytest

from conftest import FIXTURES
from fixture_findings import found_in
from flake8_jax.evidence.fixtures import Fixture, discover

ALL = tuple(discover(FIXTURES))


@pytest.mark.parametrize("fixture", ALL, ids=lambda item: f"{item.code}-{item.path.stem}")
def test_the_marks_are_what_is_found(fixture: Fixture) -> None:
    assert found_in(fixture) == fixture.marks()
