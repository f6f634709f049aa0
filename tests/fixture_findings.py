"""What is found in fixtures: in this process, and by flake8 in all of them at once."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from conftest import FIXTURES, call, once
from flake8_jax.evidence.fixtures import Fixture, Mark
from linted import linted, project

SEPARATOR = "\x1f"


class Finding(NamedTuple):
    """What flake8 reports, field by field."""

    path: str
    line: str
    column: str
    code: str
    text: str


@cache
def found_in(fixture: Fixture) -> tuple[Mark, ...]:
    """The findings in one fixture, as marks."""
    folder = fixture.path if fixture.path.is_dir() else fixture.path.parent
    names = {path.relative_to(folder).as_posix(): mark for path, mark in fixture.modules.items()}
    found = linted(project(folder), folder, names)
    return tuple(
        sorted(
            Mark(item.line, item.column + 1, item.code, names[name])
            for name, items in found.items()
            for item in items
        )
    )


def findings_of_fixtures(factory: pytest.TempPathFactory) -> list[Finding]:
    """The findings of all rules, in the order in which flake8 prints them."""

    def make(folder: Path) -> None:
        fields = SEPARATOR.join(("%(path)s", "%(row)d", "%(col)d", "%(code)s", "%(text)s"))
        options = ("--isolated", "--select=JAX,JAX9", f"--format={fields}")
        done = call("flake8", *options, *sorted(FIXTURES.glob("JAX*")), cwd=folder)
        assert done.returncode == 1
        (folder / "printed").write_text(done.stdout)

    printed = (once(factory, "findings", make) / "printed").read_text()
    return [Finding(*line.split(SEPARATOR)) for line in printed.splitlines()]
