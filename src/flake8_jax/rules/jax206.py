"""## What it does"""

from collections.abc import Iterator

from flake8_jax.findings import Finding, Rule
from flake8_jax.model import Model
from flake8_jax.symptoms import Symptom
from flake8_jax.writes import Verdict, findings


def _text(found: Verdict) -> str:
    return (
        f"traced argument as a scratch pad: '{found.write.text}' is set {found.reason} and read "
        f"again, but the caller's object changes only without jit; use a local or .replace(...)"
    )


def _check(model: Model) -> Iterator[Finding]:
    return findings(model, "JAX206", _text)


RULE = Rule(
    code="JAX206",
    name="argument-scratch-write",
    summary="A traced argument is changed and read again, but the caller's object stays as it was.",
    page=__doc__,
    symptoms=frozenset({Symptom.LOST}),
    check=_check,
)
