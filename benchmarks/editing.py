"""How long an editor waits: a file of a thousand lines, in a project of forty thousand.

``python -m benchmarks.editing`` makes the project up; with a folder and files below it, it measures
those. Each file is linted once and edited a few times, as the language server does it: a line comes
into the middle of a function, the file is linted, and what can be done about it is asked for.
"""

import argparse
import ast
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from flake8_jax.editor.protocol import Document
from flake8_jax.editor.workbench import Workbench

_MODULES, _FUNCTIONS = 40, 49
_EDITS = 7
_HEAD = """\
from functools import cached_property, partial

import jax
import jax.numpy as jnp
from flax import struct

{imports}

class State{i}(struct.PyTreeNode, frozen=False):
    mean: jax.Array
    step: jax.Array

    @property
    def scaled(self):
        return self.mean * self.step


"""
_FUNCTION = """\
def smooth_{i}_{j}(state, x, rate=0.1):
    \"\"\"Move the mean towards what is seen, and count.\"\"\"
    scale = {before}
    if rate > {j}:
        state = state.replace(mean=state.mean + scale)
    else:
        state.mean = state.mean * (1 - rate) + rate * x
    for offset in range(3):
        x = x + offset * scale
        state.step = state.step + 1
    total = jnp.sum(x) + state.scaled
    return state, {{"total": total, "x": x}}


@partial(jax.jit, static_argnames="rate")
def step_{i}_{j}(state, x, rate=0.1):
    carried, seen = smooth_{i}_{j}(state, x, rate)
    return carried, seen["total"]


"""


class Waits(NamedTuple):
    """How long an editor waits for a file, in milliseconds of CPU time."""

    lines: int
    first: float
    edit: float
    """The median of several."""
    longest: float
    actions: float
    """For what can be done in the line that was edited, once it is linted."""


def project(folder: Path) -> Path:
    """A project of forty modules, and the one that is edited: it leads to many others."""
    package = folder / "laboratory"
    package.mkdir()
    (package / "__init__.py").touch()
    for i in range(_MODULES):
        others = sorted({i // 2, i // 3, i - 1} - {i, -1})
        lines = [f"from laboratory.m{k} import smooth_{k}_{k}" for k in others]
        text = _HEAD.format(i=i, imports="\n".join([*lines, ""]))
        for j in range(_FUNCTIONS):
            calls = [f"smooth_{k}_{k}(state, x)[1]['total']" for k in others]
            text += _FUNCTION.format(i=i, j=j, before=calls[j % len(calls)] if calls else "1.0")
        (package / f"m{i}.py").write_text(text)
    return package / f"m{_MODULES - 1}.py"


def waits(folder: Path, path: Path) -> Waits:
    """What the edits of a file cost."""
    workbench, text = Workbench(str(folder), ("--isolated", "--select=JAX")), path.read_text()

    def document(text: str) -> Document:
        return Document(workbench, str(path), path.as_uri(), text)

    def lint(text: str) -> None:
        workbench.draft(str(path), text)
        document(text).diagnostics()

    first = _cpu(partial(lint, text))
    edits = [*_edits(text)]
    costs = [_cpu(partial(lint, edited)) for _, edited in edits]
    at, last = edits[-1]
    place = {"line": at, "character": 0}
    asked = _cpu(lambda: document(last).actions({"start": place, "end": place}, {}))
    return Waits(len(text.splitlines()), first, statistics.median(costs), max(costs), asked)


def _edits(text: str) -> Iterator[tuple[int, str]]:
    """Where a line comes into a function, and the text with it; all over the file."""
    lines = text.splitlines(keepends=True)
    found = [
        (node.body[-1].lineno - 1, node.body[-1].col_offset)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
    ]
    for number in range(_EDITS):
        at, column = found[number * len(found) // _EDITS]
        yield at, "".join([*lines[:at], f"{' ' * column}edited = {number}\n", *lines[at:]])


def _cpu(run: Callable[[], object]) -> float:
    began = time.process_time()
    run()
    return (time.process_time() - began) * 1000


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("files", nargs="*", type=Path, help="below the folder")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = given.folder.resolve() if given.folder else Path(made)
        paths = [folder / item for item in given.files] or [project(folder)]
        total = sum(len(path.read_bytes().splitlines()) for path in folder.rglob("*.py"))
        print(f"{total:,} lines; milliseconds of CPU time")
        for path in paths:
            found = waits(folder, path)
            print(
                f"{path.relative_to(folder)}: {found.lines:,} lines, first {found.first:.0f}, "
                f"edit {found.edit:.0f} (longest {found.longest:.0f}), actions {found.actions:.0f}"
            )


if __name__ == "__main__":
    main()
