"""## What it does"""

from collections.abc import Iterator

from flake8_jax.findings import Finding, Rule
from flake8_jax.model import Model
from flake8_jax.symptoms import Symptom
from flake8_jax.writes import Verdict, findings


def _text(found: Verdict) -> str:
    return (
        f"write to an outer object leaks a Tracer: '{found.write.text}' is set {found.reason}; "
        f"return the value and assign it outside"
    )


def _check(model: Model) -> Iterator[Finding]:
    return findings(model, "JAX301", _text)


RULE = Rule(
    code="JAX301",
    name="outer-attribute-write",
    summary="Traced code sets an attribute of an object that outlives the trace.",
    page=__doc__,
    symptoms=frozenset({Symptom.LEAKED}),
    check=_check,
)
