"""## What it does"""

from collections.abc import Iterator

from flake8_jax.findings import Finding, Rule
from flake8_jax.model import Model
from flake8_jax.symptoms import Symptom
from flake8_jax.writes import Verdict, findings


def _text(found: Verdict) -> str:
    return (
        f"cached function keeps a Tracer: '{found.write.text}' is called {found.reason}; build "
        f"numpy arrays in it, or use jax.ensure_compile_time_eval()"
    )


def _check(model: Model) -> Iterator[Finding]:
    return findings(model, "JAX106", _text)


RULE = Rule(
    code="JAX106",
    name="cached-function-leaks",
    summary="Traced code calls a cached function that builds jax arrays.",
    page=__doc__,
    symptoms=frozenset({Symptom.LEAKED}),
    check=_check,
)
