"""## What it does"""

from collections.abc import Iterator

from flake8_jax.findings import Finding, Rule
from flake8_jax.model import Model
from flake8_jax.symptoms import Symptom
from flake8_jax.writes import Verdict, findings


def _text(found: Verdict) -> str:
    return (
        f"item assignment to a jax array raises: '{found.write.text}' {found.reason}; "
        f"use x = x.at[...].set(...)"
    )


def _check(model: Model) -> Iterator[Finding]:
    return findings(model, "JAX205", _text)


RULE = Rule(
    code="JAX205",
    name="array-item-write",
    summary="An element of a jax array is assigned.",
    page=__doc__,
    symptoms=frozenset({Symptom.RAISES}),
    check=_check,
)
