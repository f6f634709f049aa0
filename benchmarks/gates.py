"""How far the files of some folders come: past which gate, and whether a gate loses findings.

    python -m benchmarks.gates [--verify] FOLDER ...

prints, as JSON, the files and lines that are there, that pass the text gate, and of which something
passes the survey. With --verify each file is also checked as if nothing had been sorted out, and
the files whose findings differ are listed; that takes long.
"""

import argparse
import ast
import json
import warnings
from pathlib import Path

from flake8_jax.check import check
from flake8_jax.gate import may_matter
from flake8_jax.outline import attach
from flake8_jax.project import File, Project, Settings
from flake8_jax.survey import Relevant, Unit, survey
from flake8_jax.survey.everything import everything

ALL_RULES = ("JAX", "JAX9")


def opened(path: Path, text: str | None = None) -> tuple[Project, File]:
    """A file in a project that has seen no other file yet."""
    text = path.read_text(encoding="utf-8") if text is None else text
    project = Project(Settings(), str(path.parent))
    file = project.open(str(path), text, None)
    attach(file, [f"{line}\n" for line in text.split("\n")], ast.parse(text))
    return project, file


def differs(path: Path) -> bool:
    """Whether the findings of a file are others without the gates."""
    project, file = opened(path)
    passes = may_matter(file.text) or Unit.of(project, file).leads_to_jax()
    relevant = survey(project, file) if passes else Relevant()
    surveyed = _shown(project, file, relevant) if relevant != Relevant() else []
    project, file = opened(path)
    return _shown(project, file, everything(project, file)) != surveyed


def _shown(project: Project, file: File, relevant: Relevant) -> list[tuple[int, int, str]]:
    found = check(project, file, relevant, ALL_RULES)
    return [(item.line, item.column, item.text) for item in found]


def main() -> None:
    """Count, and perhaps verify."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--verify", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    counts = {stage: [0, 0] for stage in ("all", "text", "survey")}
    lost: list[str] = []
    for path in sorted(item for folder in given.folders for item in folder.rglob("*.py")):
        try:
            project, file = opened(path)
        except (SyntaxError, ValueError, RecursionError):
            continue
        text = may_matter(file.text) or Unit.of(project, file).leads_to_jax()
        stages = ["all", *(["text"] if text else [])]
        if text and survey(project, file) != Relevant():
            stages.append("survey")
        for stage in stages:
            counts[stage][0] += 1
            counts[stage][1] += file.text.count("\n")
        if given.verify and differs(path):
            lost.append(str(path))
    print(json.dumps({"counts": counts, "lost": lost}))


if __name__ == "__main__":
    main()
