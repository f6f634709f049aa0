"""A file that changes again and again in an editor: the same findings as anew, and little work."""

import ast
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from textwrap import dedent

import pytest

from conftest import FIXTURES
from flake8_jax.check import check
from flake8_jax.effects.project import ProjectWorld
from flake8_jax.evidence.fixtures import discover
from flake8_jax.workspace.files import Project
from flake8_jax.workspace.outline import attach, release
from linted import project

_EVERY = 20
"""Of so many fixtures with several modules one is taken."""
_EDITS = 4
"""How many statements of a module are taken away, one by one, and put back."""

Texts = Mapping[Path, str]

FOLDERS = [
    fixture.path
    for fixture in discover(FIXTURES)
    if len(fixture.modules) > 1 and fixture.path.is_dir()
][::_EVERY]


def found(files: Project, texts: Texts) -> dict[str, list[tuple[int, int, str]]]:
    """What is found in some texts that an editor has open."""
    for path, text in texts.items():
        files.draft(str(path), text)
    return {str(path): _findings(files, path, text) for path, text in texts.items()}


def _findings(files: Project, path: Path, text: str) -> list[tuple[int, int, str]]:
    file = files.open(str(path), text, files)
    attach(file, text.splitlines(keepends=True), ast.parse(text))
    try:
        return [(item.line, item.column, item.text) for item in check(files, file, ("JAX9",))]
    finally:
        release(file)


def edits(text: str) -> Iterator[str]:
    """A text without one of its statements, or with another one in front of it, and as it was."""
    lines = text.splitlines(keepends=True)
    nodes = ast.parse(text).body
    for index in range(min(_EDITS, len(nodes))):
        node = nodes[index * len(nodes) // min(_EDITS, len(nodes))]
        assert node.end_lineno is not None
        yield "".join([*lines[: node.lineno - 1], *lines[node.end_lineno :]])
        yield "".join([*lines[: node.lineno - 1], "before = 1\n", *lines[node.lineno - 1 :]])
        yield text


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_edits_are_seen_as_if_all_were_new(folder: Path) -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))}
    open_files = project(folder)
    for path, text in texts.items():
        for edited in edits(text):
            try:
                ast.parse(edited)
            except SyntaxError:  # a decorator without what it decorates
                continue
            now = {**texts, path: edited}
            assert found(open_files, now) == found(project(folder), now), path


MAIN = dedent("""\
    import jax

    from .layers import Model, deep


    @jax.jit
    def step(model: Model, x):
        return deep(model, x)
    """)
LAYERS = dedent("""\
    import jax
    from flax import struct


    class Model(struct.PyTreeNode, frozen=False):
        w: jax.Array


    """)
LAYER = dedent("""\
    def layer{i}(model, x):
        model.w = x
        return x + {i}


    """)


def _computations(folder: Path, layers: int) -> list[int]:
    """How many summaries are made at first, and after each of two edits."""
    package = folder / f"package{layers}"
    package.mkdir()
    (package / "__init__.py").touch()
    chain = "".join(f"    x = layer{i}(model, x)\n" for i in range(layers))
    text = LAYERS + "".join(LAYER.format(i=i) for i in range(layers))
    (package / "layers.py").write_text(f"{text}def deep(model, x):\n{chain}    return x\n")
    main, files, counts = package / "main.py", project(folder), [0]
    for edit in ("", "\n\nn = 1\n", "\n\nn = 2\n"):
        assert [code[:6] for *_, code in found(files, {main: MAIN + edit})[str(main)]] == ["JAX203"]
        world = files.analysis[ProjectWorld]
        assert isinstance(world, ProjectWorld)
        counts.append(world.interpreter.computations)
    return [after - before for before, after in pairwise(counts)]


def test_an_edit_makes_only_the_summaries_of_its_file(tmp_path: Path) -> None:
    few, many = _computations(tmp_path, 5), _computations(tmp_path, 50)
    assert many[0] - few[0] >= 45
    assert few[1:] == many[1:]
    assert few[1] == few[2] < few[0]
