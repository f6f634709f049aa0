"""What does the same is told the same of: rewritten modules, other orders, other processes."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample

import linted as linting
from conftest import FIXTURES
from findings.rewriting import REWRITES, Rewritten, plain, reorder, rewritten
from flake8_jax.evidence.fixtures import discover
from flake8_jax.evidence.programs.grammar import Program
from flake8_jax.evidence.programs.strategies import programs
from linted import Finding, Findings, linted, project
from sampling import sample

_EVERY = 40
"""Of so many fixtures one is taken."""
_PROGRAMS = 20
_BURST = 10
"""From then on hypothesis varies the programs that it has, and draws fewer new ones."""
_BY_HAND = "JAX104"
"""A hand-made cache is told by how it is written: by its test and its store."""
_ALIAS = "written through an alias"


class Module(NamedTuple):
    """A module of a case, as Python prints it."""

    name: str
    text: str


Case = tuple[Module, ...]


def _fixtures() -> dict[str, Case]:
    return {
        f"{fixture.code}-{fixture.path.stem}": tuple(
            Module(name or path.name, plain(path.read_text(encoding="utf-8")))
            for path, name in fixture.modules.items()
        )
        for fixture in sample([*discover(FIXTURES)], _EVERY)
    }


def _generated() -> dict[str, Case]:
    found: dict[Program, None] = {}
    chosen = settings(
        max_examples=_BURST,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    def collect(program: Program) -> bool:
        found[program] = None
        return False

    for seed in range(_PROGRAMS // _BURST + 1):
        with suppress(NoSuchExample):
            find(programs(), collect, settings=chosen, random=Random(seed))
    return {
        f"program {number}": tuple(
            Module(f"{name}.py", plain(text)) for name, text in program.modules().items()
        )
        for number, program in enumerate([*found][:_PROGRAMS])
    }


CASES = {**_fixtures(), **_generated()}


def _written(folder: Path, texts: Mapping[str, str]) -> Path:
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@cache
def _found(case: str, folder: Path) -> Findings:
    """What is found in a case as it is."""
    home = _written(folder / case, dict(CASES[case]))
    return linted(project(home), home)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cases")


@pytest.mark.parametrize("name", REWRITES)
@pytest.mark.parametrize("case", CASES)
def test_what_does_the_same(case: str, name: str, home: Path, tmp_path: Path) -> None:
    before = _found(case, home)
    if name == _ALIAS and any(item.code == _BY_HAND for found in before.values() for item in found):
        pytest.skip("a hand-made cache is told by how it is written")
    changed = {item.name: rewritten(item.text, REWRITES[name]) for item in CASES[case]}
    folder = _written(tmp_path / case, {path: item.text for path, item in changed.items()})
    found = {
        path: sorted(_where_it_stood(changed[path], item) for item in items)
        for path, items in linted(project(folder), folder).items()
    }
    if REWRITES[name] is reorder:  # another place comes first
        assert _many(found) == _many(before)
        found, before = _single(found), _single(before)
    assert found == before


def _where_it_stood(module: Rewritten, item: Finding) -> Finding:
    line, column = module.positions.get((item.line, item.column), (0, 0))
    return item._replace(line=line, column=column)


def _many(found: Findings) -> Counter[str]:
    return Counter(
        item.code for items in found.values() for item in items if item.stands_for_others
    )


def _single(found: Findings) -> Findings:
    return {
        path: [item for item in items if not item.stands_for_others]
        for path, items in found.items()
    }


@pytest.mark.parametrize("case", CASES)
def test_the_same_again(case: str, home: Path) -> None:
    before = _found(case, home)
    files = project(home / case)
    assert linted(files, home / case) == before
    assert linted(files, home / case) == before


@pytest.mark.parametrize("case", [case for case in CASES if len(CASES[case]) > 1])
def test_files_in_another_order(case: str, home: Path) -> None:
    before = _found(case, home)
    names = [*before][::-1]
    assert linted(project(home / case), home / case, names) == before


def test_another_hash_seed(home: Path) -> None:
    for case in CASES:
        _found(case, home)
    folders = [str(home / case) for case in CASES]
    command = [sys.executable, "-W", "ignore", str(Path(linting.__file__)), *folders]
    printed = [
        subprocess.run(
            command,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    expected = "".join(f"{case} {_found(case, home)}\n" for case in CASES)
    assert printed == [expected, expected]
