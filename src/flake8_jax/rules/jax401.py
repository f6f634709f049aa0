"""## What it does"""

from collections.abc import Iterator

from flake8_jax.findings import Finding, Rule
from flake8_jax.flow.analysis import Flow
from flake8_jax.model import Model
from flake8_jax.symptoms import Symptom


def _check(model: Model) -> Iterator[Finding]:
    flow = model.once(Flow.of)
    for node, (piece, text) in flow.discarded.items():
        if flow.updating.get(node) in flow.kernels:
            continue
        yield Finding(
            piece,
            node,
            f"updated copy is thrown away: '{text}(...)' changes nothing; bind or return it",
        )


RULE = Rule(
    code="JAX401",
    name="discarded-update",
    summary="The result of an update that makes a copy is not used.",
    page=__doc__,
    symptoms=frozenset({Symptom.STALE}),
    check=_check,
)
