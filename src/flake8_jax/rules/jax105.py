"""## What it does"""

from collections.abc import Iterator

from flake8_jax.findings import Finding, Rule
from flake8_jax.model import Model
from flake8_jax.symptoms import Symptom
from flake8_jax.writes import Verdict, findings


def _text(found: Verdict) -> str:
    return (
        f"cached property keeps a Tracer: '{found.write.text}' is first read {found.reason} on an "
        f"object that outlives the trace; read it before, or pass the object as an argument"
    )


def _check(model: Model) -> Iterator[Finding]:
    return findings(model, "JAX105", _text)


RULE = Rule(
    code="JAX105",
    name="cache-read-leaks",
    summary="Traced code reads a cached property of an object that outlives the trace.",
    page=__doc__,
    symptoms=frozenset({Symptom.LEAKED}),
    check=_check,
)
