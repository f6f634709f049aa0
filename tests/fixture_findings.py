"""What flake8 reports of all fixtures: it lints them once for all the processes of a run."""

from pathlib import Path
from typing import NamedTuple

import pytest

from conftest import FIXTURES, call, once

SEPARATOR = "\x1f"


class Finding(NamedTuple):
    """What flake8 reports, field by field."""

    path: str
    line: str
    column: str
    code: str
    text: str


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
