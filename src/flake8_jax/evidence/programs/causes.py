"""Why a hazard is not found: each cause is an experiment that makes the checker find it."""

import ast
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from flake8_jax.check import check
from flake8_jax.evidence.probes import Spot
from flake8_jax.evidence.programs.comparison import CODES, Disagreement
from flake8_jax.evidence.programs.grammar import Program
from flake8_jax.knowledge.transforms import TRANSFORMS
from flake8_jax.workspace.files import Project, Settings
from flake8_jax.workspace.outline import attach

UNEXPLAINED = "other"


@dataclass(frozen=True)
class Cause:
    """What is changed about the program, or about the checker, to find the hazard."""

    name: str
    program: Callable[[Program], Program] = lambda program: program
    checker: Callable[[], AbstractContextManager[object]] = nullcontext


def _jit_for_all() -> AbstractContextManager[object]:
    """Transforms that rebuild their arguments without jit, too, are no longer let off."""
    rows = {name: replace(row, is_jit=True) for name, row in TRANSFORMS.items() if row.traces}
    return mock.patch.dict(TRANSFORMS, rows)


def _no_nnx() -> AbstractContextManager[object]:
    rows = {name: replace(row, keeps_nnx=False) for name, row in TRANSFORMS.items()}
    return mock.patch.dict(TRANSFORMS, rows)


EXPERIMENTS = (
    Cause("the type of a parameter is not written down", Program.annotated),
    Cause(
        "an nnx transform, and it is not known whether the object is an nnx one", checker=_no_nnx
    ),
    Cause("read again, under a transform that rebuilds without jit, too", checker=_jit_for_all),
)


def cause_of(program: Program, missed: Disagreement) -> str:
    """The first experiment that finds what was missed."""
    if "JAX904" in missed.codes:
        return "a constant is added to what may be a number (JAX904)"
    if missed.codes:
        return f"measured {', '.join(missed.outcomes)}, reported as {', '.join(missed.codes)}"
    for cause in EXPERIMENTS:
        with cause.checker():
            said = findings_here(cause.program(program).modules())
        if any(said.get(line, frozenset()) & CODES[missed.outcomes[0]] for line in missed.lines):
            return cause.name
    return UNEXPLAINED


def findings_here(modules: Mapping[str, str]) -> dict[Spot, frozenset[str]]:
    """What the checker says in this process, where it can be experimented with."""
    found: dict[Spot, frozenset[str]] = {}
    with TemporaryDirectory() as folder:
        for name, text in modules.items():
            Path(folder, f"{name}.py").write_text(text, encoding="utf-8")
        for name, text in modules.items():
            project = Project(Settings(), folder)
            file = project.open(str(Path(folder, f"{name}.py")), text, None)
            attach(file, text.splitlines(keepends=True), ast.parse(text))
            for item in check(project, file, ("JAX", "JAX9")):
                spot = Spot(name, item.line)
                found[spot] = found.get(spot, frozenset()) | {item.code}
    return found
