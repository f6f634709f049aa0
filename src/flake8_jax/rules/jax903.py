"""## What it does

Finds cached properties on pytree classes that yield static data only: values of static fields,
shapes, types, lengths, and what Python and numpy make of those. It is on only when it is selected
by name, as with `--extend-select=JAX903`.

## Why is this bad?

It seldom is. jit drops the cache as it drops any other, but the value is a constant of the trace,
so it is computed again at each trace and not at each call. If the computation is slow, each
compilation pays for it.

## Example

```python
class Basis(flax.struct.PyTreeNode):
    coefficients: jax.Array
    degree: int = flax.struct.field(pytree_node=False)

    @cached_property
    def exponents(self):
        return tuple(itertools.product(range(self.degree + 1), repeat=2))
```

```text
JAX903 'Basis.exponents' is recomputed at every trace: static cached property on a pytree (struct.PyTreeNode); use a static field
```

## Use instead

A static field that is filled when the object is made, or a function at module level with
`functools.cache` that takes the static values as arguments:

```python
@functools.cache
def exponents(degree):
    return tuple(itertools.product(range(degree + 1), repeat=2))
```

## What it does not flag

- What is not provably static: see JAX101.
- Classes on which filling a cache changes the tree (`equinox.Module`, `chex.dataclass`,
  `flax.nnx`): there a static cache breaks `scan` and `cond`, which is JAX101.
- Classes of `jax.tree_util.register_static`: the same object travels, with its cache.

## Evidence

`fixtures/JAX903` counts how often the Python body runs when one object passes through two jitted
functions, and without jit. Confirmed with jax 0.10.2 (Python 3.11) and jax 0.12.0.1 (Python 3.12).

## References

- [Static and traced operations](https://docs.jax.dev/en/latest/jit-compilation.html)
"""

from flake8_jax.findings import Rule
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import ToldCache


def _text(told: ToldCache) -> str:
    happens = "is recomputed at every trace: static cached property on a pytree"
    return f"'{told.text}' {happens} {told.kind}; use a static field"


RULE = Rule(
    code="JAX903",
    name="static-cache-on-pytree",
    summary="A cached property on a pytree class that holds static data: computed at each trace.",
    page=__doc__,
    says="static cached property on a pytree",
    symptoms=frozenset({Symptom.RETRACED}),
    message=_text,
)
