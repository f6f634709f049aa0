"""The stages of the package: which imports which, and what their bounds are."""

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from conftest import REPOSITORY
from flake8_jax.classes import limits as of_classes
from flake8_jax.effects import limits as of_effects
from flake8_jax.resolution import limits as of_resolution

PACKAGE = REPOSITORY / "src/flake8_jax"
CONTRIBUTING = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
STAGES = [
    name
    for row in re.findall(r"^\| (`.*?`) \|", CONTRIBUTING, re.MULTILINE)
    for name in re.findall(r"`(\w+)/?`", row)
]
"""The modules and packages of the package, each after those that it may import."""


def modules(stage: str) -> Sequence[Path]:
    path = PACKAGE / stage
    return sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]


def imported(path: Path) -> Iterator[tuple[str, ...]]:
    """The modules of the package that one imports: at the top, in functions, for checkers."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, path
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            first, *rest = name.split(".")
            if first == PACKAGE.name:
                yield tuple(rest)


def test_all_stages_are_there() -> None:
    found = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py"}
    found |= {path.parent.name for path in PACKAGE.glob("*/*.py")}
    assert sorted(found - {"__init__"}) == sorted(STAGES)


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_imports_only_those_before_it(stage: str) -> None:
    allowed = {*STAGES[: STAGES.index(stage) + 1]}
    for path in modules(stage):
        assert {names[0] for names in imported(path)} <= allowed, path.name


@pytest.mark.parametrize("stage", STAGES)
def test_the_modules_of_a_stage_import_each_other_in_one_direction(stage: str) -> None:
    edges = {_module(path): {*_within(path)} for path in modules(stage)}
    while edges:
        free = [name for name, others in edges.items() if not others & edges.keys() - {name}]
        assert free, edges
        for name in free:
            del edges[name]


def _module(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").as_posix().removesuffix("/__init__")


def _within(path: Path) -> Iterator[str]:
    """The modules that one imports, and what may be one of them."""
    for names in imported(path):
        yield from ("/".join(names[:count]) for count in range(1, len(names) + 1))


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
