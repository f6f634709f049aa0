"""The gates only err on the side of looking: with and without them the findings are the same."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import FIXTURES
from flake8_jax.check import check
from flake8_jax.evidence.fixtures import discover
from flake8_jax.evidence.programs.causes import everything
from flake8_jax.findings import Placed
from flake8_jax.gate import is_on, may_matter
from flake8_jax.outline import attach
from flake8_jax.project import File, Project, Settings
from flake8_jax.survey import Relevant, Unit, survey

ALL_RULES = ("JAX", "JAX9")


def opened(path: Path, text: str | None = None) -> tuple[Project, File]:
    """A file in a project that has seen no other file yet."""
    text = path.read_text(encoding="utf-8") if text is None else text
    project = Project(Settings(), str(path.parent))
    file = project.open(str(path), text, None)
    attach(file, [f"{line}\n" for line in text.split("\n")], ast.parse(text))
    return project, file


def shown(found: list[Placed]) -> list[tuple[int, int, str]]:
    return [(item.line, item.column, item.text) for item in found]


def paths() -> Iterator[Path]:
    yield from (path for fixture in discover(FIXTURES) for path in fixture.modules)


def test_the_survey_loses_nothing() -> None:
    for path in paths():
        project, file = opened(path)
        surveyed = shown(check(project, file, survey(project, file), ALL_RULES))
        project, file = opened(path)
        assert shown(check(project, file, everything(project, file), ALL_RULES)) == surveyed, path


def test_every_module_with_a_mark_passes_the_text_gate() -> None:
    for fixture in discover(FIXTURES):
        marked = {mark.module for mark in fixture.marks()}
        for path, module in fixture.modules.items():
            if module in marked:
                project, file = opened(path)
                assert may_matter(file.text) or Unit.of(project, file).leads_to_jax(), path


@pytest.mark.parametrize(
    "text",
    [
        "import os\n",
        "x = 'ajax'\n",
        "import flask\n",
        "class Config(NamedTuple):\n    x: str\n",
        "",
    ],
)
def test_files_that_cannot_matter_stop_at_the_text_gate(text: str) -> None:
    assert not may_matter(text)


@pytest.mark.parametrize(
    "text",
    [
        "import jax\nf = jax.jit(lambda x: x + 1)\n",
        "import jax\n@jax.jit\ndef f(x):\n    out = {}\n    out['y'] = x\n    return out\n",
        "import flax.linen as nn\nclass M(nn.Module):\n    def setup(self):\n        self.d = 1\n",
    ],
)
def test_pure_code_stops_at_the_survey(tmp_path: Path, text: str) -> None:
    assert survey(*opened(tmp_path / "pure.py", text)) == Relevant()


def test_opt_in_rules_need_their_name() -> None:
    assert is_on("JAX101", [])
    assert not is_on("JAX903", ["JAX", "E"])
    assert is_on("JAX903", ["JAX9"])
    assert is_on("JAX903", ["JAX903"])
    assert not is_on("JAX903", ["JAX901"])
