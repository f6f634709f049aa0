"""## What it does"""

from collections.abc import Iterator

from flake8_jax.findings import Finding, Rule
from flake8_jax.model import Model
from flake8_jax.symptoms import Symptom
from flake8_jax.writes import Verdict, findings


def _text(found: Verdict) -> str:
    return (
        f"side effect happens once per trace: '{found.write.text}' is set {found.reason}, not at "
        f"every call; use jax.debug.callback, or do it outside"
    )


def _check(model: Model) -> Iterator[Finding]:
    return findings(model, "JAX904", _text)


RULE = Rule(
    code="JAX904",
    name="outer-python-write",
    summary="Traced code writes plain Python values to what outlives the trace.",
    page=__doc__,
    symptoms=frozenset({Symptom.ONCE}),
    check=_check,
)
