"""Lints the modules of a folder in this process. As a script: those of folders, printed."""

import ast
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from flake8_jax.check import check
from flake8_jax.workspace.files import Project, Settings
from flake8_jax.workspace.outline import attach, release

_ALL = ("JAX", "JAX9")


class Finding(NamedTuple):
    """A finding; the line counts from 1, the column from 0."""

    line: int
    column: int
    code: str
    stands_for_others: bool
    """Whether it is reported at the first of several places, and the others are only counted."""


Findings: TypeAlias = Mapping[str, list[Finding]]
"""What is found in each module, by its path in the folder."""


def project(folder: Path) -> Project:
    """A folder, of which nothing is known yet."""
    return Project(Settings(), str(folder))


def linted(files: Project, folder: Path, names: Iterable[str] | None = None) -> Findings:
    """What is found in the modules of a folder, or in some, in that order."""
    every = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py"))
    return {name: _findings(files, folder / name) for name in (every if names is None else names)}


def _findings(files: Project, path: Path) -> list[Finding]:
    text = path.read_text(encoding="utf-8")
    file = files.open(str(path), text, files)
    attach(file, text.splitlines(keepends=True), ast.parse(text))
    try:
        return sorted(
            Finding(item.line, item.column, item.code, " more place" in item.text)
            for item in check(files, file, _ALL)
        )
    finally:
        release(file)


if __name__ == "__main__":
    for given in map(Path, sys.argv[1:]):
        print(given.name, linted(project(given), given))
