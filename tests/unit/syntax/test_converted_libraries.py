"""Modules that others have written mean the same after the way through libcst's nodes."""

import ast
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

from flake8_jax.syntax import make
from flake8_jax.syntax.converter import Converter


@pytest.mark.parametrize("name", ["numpyro", "flax", "libcst", "hypothesis"])
def test_code_means_the_same(name: str) -> None:
    spec = find_spec(name)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    paths = sorted(Path(spec.submodule_search_locations[0]).rglob("*.py"))[::4]
    wrong = []
    for path in paths:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            tree = ast.parse(path.read_text(encoding="utf-8"))
        code = make.MODULE(Converter().body(tree.body)).code
        if ast.dump(ast.parse(code)) != ast.dump(tree):
            wrong.append(path)
    assert wrong == []
    assert len(paths) > 10
