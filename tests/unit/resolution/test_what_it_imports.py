"""The stage uses those before it, and nothing of the first core."""

import ast
from pathlib import Path

import pytest

from flake8_jax import resolution

FOLDER = Path(resolution.__file__).parent
BEFORE = {
    *("faults", "knowledge", "lowering", "outline", "ownership", "project", "resolution", "syntax")
}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_imports(path: Path) -> None:
    found = {
        node.module.split(".")[1]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("flake8_jax.")
        if node.module is not None
    }
    assert found <= BEFORE
