"""The gates only err on the side of looking: with and without them the findings are the same."""

import ast
from pathlib import Path

import pytest

from conftest import FIXTURES
from flake8_jax.check import check
from flake8_jax.evidence.fixtures import discover
from flake8_jax.gate import is_on, may_matter
from flake8_jax.survey import survey

ALL_RULES = ("JAX", "JAX9")


def read(path: Path) -> tuple[list[str], ast.Module]:
    text = path.read_text(encoding="utf-8")
    return text.splitlines(keepends=True), ast.parse(text)


def test_the_survey_loses_nothing() -> None:
    for fixture in discover(FIXTURES):
        lines, tree = read(fixture.path)
        surveyed = check(lines, tree, survey(tree, lines), ALL_RULES)
        everything = frozenset(range(len(tree.body)))
        assert check(lines, tree, everything, ALL_RULES) == surveyed, fixture.path


def test_every_fixture_passes_the_text_gate() -> None:
    for fixture in discover(FIXTURES):
        lines = fixture.path.read_text(encoding="utf-8").splitlines(keepends=True)
        assert may_matter(lines), fixture.path


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
    assert not may_matter(text.splitlines(keepends=True))


@pytest.mark.parametrize(
    "text",
    [
        "import jax\nf = jax.jit(lambda x: x + 1)\n",
        "import jax\n@jax.jit\ndef f(x):\n    out = {}\n    out['y'] = x\n    return out\n",
        "import flax.linen as nn\nclass M(nn.Module):\n    def setup(self):\n        self.d = 1\n",
    ],
)
def test_pure_code_stops_at_the_survey(text: str) -> None:
    assert survey(ast.parse(text), text.splitlines(keepends=True)) == frozenset()


def test_opt_in_rules_need_their_name() -> None:
    assert is_on("JAX101", [])
    assert not is_on("JAX903", ["JAX", "E"])
    assert is_on("JAX903", ["JAX9"])
    assert is_on("JAX903", ["JAX903"])
    assert not is_on("JAX903", ["JAX901"])
