"""## What it does"""

from collections.abc import Iterator

from flake8_jax.findings import Finding, Rule
from flake8_jax.model import Model
from flake8_jax.symptoms import Symptom
from flake8_jax.writes import Verdict, findings


def _text(found: Verdict) -> str:
    return (
        f"argument is changed and returned: '{found.write.text}' is set {found.reason}, which "
        f"changes the caller's object only without jit; use .replace(...)"
    )


def _check(model: Model) -> Iterator[Finding]:
    return findings(model, "JAX901", _text)


RULE = Rule(
    code="JAX901",
    name="mutate-and-return",
    summary="A traced function changes its argument and returns it.",
    page=__doc__,
    symptoms=frozenset({Symptom.LOST}),
    check=_check,
)
