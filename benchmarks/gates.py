"""How far the files of some folders come: past which gate, and whether a gate loses findings.

    python -m benchmarks.gates [--verify] FOLDER ...

prints, as JSON, the files and lines that are there, that have to do with JAX, and that change
something; the second gate is there for the first file that is linted. With --verify what the gates
stop is checked as well, and the files with findings among that are listed.
"""

import argparse
import ast
import json
import warnings
from pathlib import Path

from flake8_jax.check import check
from flake8_jax.gates.effects_free import is_still
from flake8_jax.gates.imports import leads_to_jax
from flake8_jax.gates.text import may_matter
from flake8_jax.workspace.files import File, Project, Settings
from flake8_jax.workspace.outline import attach

ALL_RULES = ("JAX", "JAX9")


def opened(path: Path, text: str | None = None) -> tuple[Project, File]:
    """A file in a project that has seen no other file yet."""
    text = path.read_text(encoding="utf-8") if text is None else text
    project = Project(Settings(), str(path.parent))
    file = project.open(str(path), text, None)
    attach(file, [f"{line}\n" for line in text.split("\n")], ast.parse(text))
    return project, file


def passed(project: Project, file: File) -> list[str]:
    """The gates that a file passes."""
    if not may_matter(file.text) and not leads_to_jax(project, file):
        return []
    return ["text"] if is_still(project, file, ast.parse(file.text)) else ["text", "still"]


def differs(path: Path) -> bool:
    """Whether a file that stops at a gate has findings."""
    project, file = opened(path)
    return "still" not in passed(project, file) and bool(shown(project, file))


def shown(project: Project, file: File) -> list[tuple[int, int, str]]:
    """The findings of a file, whether it passes the gates or not."""
    found = check(project, file, ALL_RULES)
    return [(item.line, item.column, item.text) for item in found]


def main() -> None:
    """Count, and perhaps verify."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--verify", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    counts = {stage: [0, 0] for stage in ("all", "text", "still")}
    lost: list[str] = []
    for path in sorted(item for folder in given.folders for item in folder.rglob("*.py")):
        try:
            project, file = opened(path)
        except (SyntaxError, ValueError, RecursionError):
            continue
        for stage in ("all", *passed(project, file)):
            counts[stage][0] += 1
            counts[stage][1] += file.text.count("\n")
        if given.verify and differs(path):
            lost.append(str(path))
    print(json.dumps({"counts": counts, "lost": lost}))


if __name__ == "__main__":
    main()
