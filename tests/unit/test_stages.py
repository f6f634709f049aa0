"""The stages of the second core: which imports which, and what their bounds are."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import REPOSITORY
from flake8_jax.classes import limits as of_classes
from flake8_jax.effects import limits as of_effects
from flake8_jax.resolution import limits as of_resolution

PACKAGE = REPOSITORY / "src/flake8_jax"
BELOW = {"fates", "faults", "knowledge", "outline", "ownership", "project", "syntax", "wording"}
"""What comes before all of the stages."""
STAGES = ["lowering", "resolution", "classes", "effects", "verdicts"]


def imported(path: Path) -> Iterator[str]:
    """The parts of the package that a module imports: at the top, in functions, for checkers."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, path
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            first, _, rest = name.partition(".")
            if first == PACKAGE.name:
                yield rest.partition(".")[0]


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_imports_only_those_before_it(stage: str) -> None:
    allowed = BELOW | {*STAGES[: STAGES.index(stage) + 1]}
    paths = sorted((PACKAGE / stage).glob("*.py"))
    assert len(paths) > 2
    for path in paths:
        assert {*imported(path)} <= allowed, path.name


def test_the_modules_of_a_stage_import_each_other_in_one_direction() -> None:
    for stage in STAGES:
        edges = {
            path.stem: {*_within(path, stage)} for path in sorted((PACKAGE / stage).glob("*.py"))
        }
        while edges:
            free = [name for name, others in edges.items() if not others & edges.keys()]
            assert free, (stage, edges)
            for name in free:
                del edges[name]


def _within(path: Path, stage: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            parts = node.module.split(".")
            if parts[:2] == [PACKAGE.name, stage]:
                yield from [parts[2]] if len(parts) > 2 else [item.name for item in node.names]


def test_all_bounds_are_on_the_page() -> None:
    page = (REPOSITORY / "docs/analysis.md").read_text(encoding="utf-8")
    listed = {name: int(value) for name, value in re.findall(r"\| `([A-Z_]+)` \| (\d+) \|", page)}
    bounds = {
        name: value
        for module in (of_effects, of_resolution, of_classes)
        for name, value in vars(module).items()
        if name.isupper()
    }
    assert listed == bounds
