"""## What it does"""

from collections.abc import Iterator

from flake8_jax.findings import Finding, Rule
from flake8_jax.model import Model
from flake8_jax.symptoms import Symptom
from flake8_jax.writes import Verdict, findings


def _text(found: Verdict) -> str:
    return (
        f"change of an outer container leaks a Tracer: '{found.write.text}' is changed "
        f"{found.reason}; return the value, or use jax.debug.callback"
    )


def _check(model: Model) -> Iterator[Finding]:
    return findings(model, "JAX303", _text)


RULE = Rule(
    code="JAX303",
    name="outer-container-write",
    summary="Traced code changes a container that outlives the trace.",
    page=__doc__,
    symptoms=frozenset({Symptom.LEAKED}),
    check=_check,
)
