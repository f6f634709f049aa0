"""## What it does

Finds cached properties on pytree classes that are stacked over a jitted function, as
`@cached_property` over `@jax.jit`. It is reported instead of JAX101.

## Why is this bad?

The two decorators look as if they worked together: compile once, compute once. In fact the outer
cache lives in the object, and every jitted function that takes the object as an argument gets a
new one without it. The value is computed again in each of those calls. If the object is closed over
instead, the cache keeps a Tracer.

## Example

```python
class Kernel(flax.struct.PyTreeNode):
    points: jax.Array

    @cached_property
    @jax.jit
    def gram(self):
        return self.points @ self.points.T
```

```text
JAX102 'Kernel.gram' is recomputed in every jitted call: cached property over jit on a pytree (struct.PyTreeNode); use @property
```

## Use instead

```python
class Kernel(flax.struct.PyTreeNode):
    points: jax.Array

    @property
    @jax.jit
    def gram(self):
        return self.points @ self.points.T
```

or a field that is filled when the object is made.

## What it does not flag

What JAX101 does not flag, and a plain property over a jitted function.

## Fix

`flake8-jax fix` makes the cached property a plain one over the same jitted function, and removes
the import of the cache where nothing else needs it. It leaves alone what the fix of
JAX101 leaves alone.

## Evidence

`fixtures/JAX102` counts computations at run time, with jit and without; `fixtures/article` replays
the call sequences of the article that this rule comes from: eager then jitted computes twice, and
so do jitted then jitted, and jitted then eager. Confirmed with jax 0.10.2 (Python 3.11) and jax
0.12.0.1 (Python 3.12).

## References

- [jax.jit](https://docs.jax.dev/en/latest/_autosummary/jax.jit.html)
- [functools.cached_property](https://docs.python.org/3/library/functools.html#functools.cached_property)
"""

from functools import partial

from flake8_jax.findings import Rule
from flake8_jax.fixes.offered import mend
from flake8_jax.fixes.safety import Safety
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import ToldCache, cached_property


def _text(told: ToldCache) -> str:
    return cached_property(told, "cached property over jit")


RULE = Rule(
    code="JAX102",
    name="cached-property-over-jit",
    summary="A cached property over a jitted function, on a pytree class: jit drops the cache.",
    page=__doc__,
    says="cached property over jit on a pytree",
    symptoms=frozenset({Symptom.RECOMPUTED, Symptom.LEAKED, Symptom.RAISES}),
    message=_text,
    fix=Safety.SAFE,
    mend=partial(mend, "plain_property"),
)
