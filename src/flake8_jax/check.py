"""Runs the rules over one module. Imported only for files that passed the gates."""

import os
from collections.abc import Sequence

from flake8_jax.findings import Placed
from flake8_jax.project import File, Project

CORE, SECOND = "FLAKE8_JAX_CORE", "second"
"""The variable that says which analysis looks at files, as long as there are two."""


def check(project: Project, file: File, named: Sequence[str]) -> list[Placed]:
    """The findings of all rules that are on, by place; ``named`` are the selected codes."""
    if os.environ.get(CORE) == SECOND:
        from flake8_jax.second import placed

        return placed(project, file, named)
    from flake8_jax.first import check as by_first

    return by_first(project, file, named)
