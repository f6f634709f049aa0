"""The gates only err on the side of looking: with and without them the findings are the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.gates import differs, opened
from conftest import FIXTURES
from flake8_jax.evidence.fixtures import discover
from flake8_jax.evidence.programs.campaign import draw
from flake8_jax.evidence.programs.causes import findings_here
from flake8_jax.gate import is_on, may_matter
from flake8_jax.survey import Relevant, Unit, survey
from flake8_jax.survey.everything import everything


def paths() -> Iterator[Path]:
    yield from (path for fixture in discover(FIXTURES) for path in fixture.modules)


def test_the_gates_lose_nothing() -> None:
    for path in paths():
        assert not differs(path), path


def test_the_gates_lose_nothing_of_generated_programs() -> None:
    for seed in range(20):
        for program in draw(seed):
            modules = program.modules()
            lost = findings_here(modules, everything).keys() - findings_here(modules).keys()
            assert not lost, modules


def test_every_module_with_a_mark_passes_the_text_gate() -> None:
    for fixture in discover(FIXTURES):
        marked = {mark.module for mark in fixture.marks()}
        for path, module in fixture.modules.items():
            if module in marked:
                project, file = opened(path)
                assert may_matter(file.text) or Unit.of(project, file).leads_to_jax(), path


SHADOWED = """\
import jax
import numpy as box
from flax import struct


class Box(struct.PyTreeNode, frozen=False):
    total: jax.Array

    def add(self, y):
        self.total = self.total + y


@jax.jit
def run(given: Box, x):
    match given:
        case Box() as box:
            box.add(x)
    return x
"""


def test_a_variable_may_be_called_like_a_library(tmp_path: Path) -> None:
    (tmp_path / "shadowed.py").write_text(SHADOWED)
    assert not differs(tmp_path / "shadowed.py")


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
