"""## What it does"""

from collections.abc import Iterator

from flake8_jax.findings import Finding, Rule
from flake8_jax.model import Model
from flake8_jax.symptoms import Symptom
from flake8_jax.writes import Verdict, findings


def _text(found: Verdict) -> str:
    return (
        f"write to traced argument is lost: '{found.write.text}' is set {found.reason} and its "
        f"object is not returned; use .replace(...) and return the new object"
    )


def _check(model: Model) -> Iterator[Finding]:
    return findings(model, "JAX201", _text)


RULE = Rule(
    code="JAX201",
    name="argument-attribute-write",
    summary="An attribute of a traced argument is set, and the object is not returned.",
    page=__doc__,
    symptoms=frozenset({Symptom.LOST, Symptom.STALE}),
    check=_check,
)
