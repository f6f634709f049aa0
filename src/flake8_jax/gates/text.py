"""Decides, before anything is parsed, what there is to do: which rules, and which files."""

import re
from collections.abc import Iterable

OPT_IN = "JAX9"
"""How the codes begin that are on only when they are selected by name."""

_LIBRARIES = re.compile(
    r"\b(?:jax|flax|equinox|chex|brax|netket|penzai|tjax|simple_pytree|jax_dataclasses|mujoco|haiku"
    r"|numpyro|distrax|optax)\b"
)


def is_on(code: str, named: Iterable[str]) -> bool:
    """Whether a rule is to run, given the codes that the user selected.

    An opt-in rule needs an entry that names it, or the group of opt-in rules: flake8 itself would
    turn it on for ``--select=JAX`` and for ``--ignore=E501`` alike.
    """
    if not code.startswith(OPT_IN):
        return True
    return any(name.startswith(OPT_IN) and code.startswith(name) for name in named)


def may_matter(text: str) -> bool:
    """Whether a file mentions what makes or traces pytrees."""
    return _LIBRARIES.search(text) is not None
