"""## What it does"""

from collections.abc import Iterator

from flake8_jax.findings import Finding, Rule
from flake8_jax.model import Model
from flake8_jax.symptoms import Symptom
from flake8_jax.writes import Verdict, findings


def _text(found: Verdict) -> str:
    return (
        f"change of a traced argument's container is lost: '{found.write.text}' is changed "
        f"{found.reason} and is not returned; build a new container and return it"
    )


def _check(model: Model) -> Iterator[Finding]:
    return findings(model, "JAX202", _text)


RULE = Rule(
    code="JAX202",
    name="argument-container-write",
    summary="A dict or list that is or belongs to a traced argument is changed, and not returned.",
    page=__doc__,
    symptoms=frozenset({Symptom.LOST, Symptom.STALE}),
    check=_check,
)
