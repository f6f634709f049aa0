"""## What it does"""

from collections.abc import Iterator

from flake8_jax.findings import Finding, Rule
from flake8_jax.flow.analysis import Flow
from flake8_jax.model import Model
from flake8_jax.symptoms import Symptom
from flake8_jax.writes import lazy_nodes


def _check(model: Model) -> Iterator[Finding]:
    lazy = model.once(lazy_nodes)
    for node, (piece, text, label, kind) in model.once(Flow.of).frozen_writes.items():
        if node not in lazy:
            yield Finding(
                piece,
                node,
                f"write to a frozen pytree raises: '{text}' ({label}); use {kind.update}",
            )


RULE = Rule(
    code="JAX204",
    name="frozen-write",
    summary="An attribute of a frozen pytree is assigned.",
    page=__doc__,
    symptoms=frozenset({Symptom.RAISES}),
    check=_check,
)
