"""## What it does"""

from collections.abc import Iterator

from flake8_jax.findings import Finding, Rule
from flake8_jax.model import Model
from flake8_jax.symptoms import Symptom
from flake8_jax.writes import Verdict, findings


def _text(found: Verdict) -> str:
    return (
        f"container argument as a scratch pad: '{found.write.text}' is set {found.reason}, which "
        f"changes the caller's container only without jit; copy it first"
    )


def _check(model: Model) -> Iterator[Finding]:
    return findings(model, "JAX902", _text)


RULE = Rule(
    code="JAX902",
    name="container-argument-scratch",
    summary="A traced function changes a dict or list argument and reads it again.",
    page=__doc__,
    symptoms=frozenset({Symptom.LOST}),
    check=_check,
)
