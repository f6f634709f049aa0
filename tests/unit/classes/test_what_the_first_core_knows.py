"""On all fixtures, classes are what the first core takes them for, or what Python and JAX say."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import FIXTURES
from facts import differences
from flake8_jax.linking import module_scope
from flake8_jax.model import Model
from flake8_jax.outline import attach
from flake8_jax.project import Project, Settings
from flake8_jax.resolution.modules import module_of

BETTER = {
    "JAX201/lookalike_nnx_heir.py: Doubled: hashes by identity": "as its base of the same kind",
    "JAX201/lookalike_nnx_heir.py: Halved: hashes by identity": "as its base of the same kind",
}
"""Where the first core is wrong, and why."""


def found_in(folder: Path) -> Iterator[str]:
    project = Project(Settings(), str(folder))
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text()
        file = project.open(str(path), text, project)
        attach(file, text.splitlines(keepends=True), ast.parse(text))
        model = Model.of(module_scope(project, file))
        for cls, fact in differences(model, module_of(project, file)):
            yield f"{path.relative_to(FIXTURES).as_posix()}: {cls}: {fact}"


@pytest.mark.parametrize(
    "folder", [path for path in sorted(FIXTURES.iterdir()) if path.is_dir()], ids=lambda p: p.name
)
def test_fixtures(folder: Path) -> None:
    expected = [item for item in BETTER if item.startswith(f"{folder.name}/")]
    assert sorted({*found_in(folder)}) == expected
