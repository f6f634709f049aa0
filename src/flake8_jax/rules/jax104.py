"""## What it does

Finds hand-made caches in properties and methods of pytree classes: a check for a missing attribute
(`is None`, `hasattr`, `in self.__dict__`, `try` with `AttributeError`, `getattr` with a default,
…), followed by an assignment to it, directly or through a method, nested function or setter. A
table that an attribute holds is one, too: `if key not in self._memo: self._memo[key] = …`.

## Why is this bad?

Inside jit, self is a rebuilt copy: what it stores is gone when the call returns, and the next call
computes it again. A cache in a declared field has more surprises:

- after `.replace(x=…)` it is stale, because the copy has the old value;
- after `jax.tree.map` it is garbage, because it was mapped as well;
- the gradient through a filled cache is zero, because the cached value is an input of its own;
- filling it changes the tree: jit traces again, and a scan whose carry has it raises.

On an object that the jitted function closes over, the cache keeps a Tracer.

## Example

```python
class Posterior(flax.struct.PyTreeNode, frozen=False):
    covariance: jax.Array
    _factor: jax.Array | None = None

    @property
    def factor(self):
        if self._factor is None:
            self._factor = jnp.linalg.cholesky(self.covariance)
        return self._factor
```

```text
JAX104 'Posterior._factor' is lost under jit and can go stale: hand-made cache on a pytree (struct.PyTreeNode); use @property
```

## Use instead

```python
class Posterior(flax.struct.PyTreeNode):
    covariance: jax.Array

    @property
    def factor(self):
        return jnp.linalg.cholesky(self.covariance)
```

or a field that is filled when the object is made.

## What it does not flag

- Construction: `__init__`, `__post_init__`, `setup`, and the methods that they call.
- Static data and functions under an attribute that isn't a field, on classes that flatten declared
  fields only: at run time they cost nothing.
- `flax.nnx` variables and `nnx.data` attributes, which nnx transforms carry back to the caller.
- An assignment without a check of the same attribute.
- Values computed from what the caller passes in, other than the key of a table: they are state, not
  a cache.
- Methods that check for Tracers before they store, unless the attribute is a declared field.
- Attributes that the class's own `tree_flatten` hands out and `tree_unflatten` restores.

## Evidence

`fixtures/JAX104` has every shape of the check and every way of storing, on every kind of pytree, and
measures the lost value, the stale one, the zero gradient and the Tracer; `fixtures/article` replays
the call sequences of the article that the rule comes from. Confirmed with jax 0.10.2 (Python 3.11)
and jax 0.12.0.1 (Python 3.12).

## References

- [Pure functions](https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html)
- [flax.struct](https://flax.readthedocs.io/en/latest/api_reference/flax.struct.html)
"""

from flake8_jax.findings import Rule
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import lazy_cache

RULE = Rule(
    code="JAX104",
    name="lazy-cache-on-pytree",
    summary="A hand-made cache on a pytree class: jit loses it, and a field of its own goes stale.",
    page=__doc__,
    says="hand-made cache on a pytree",
    symptoms=frozenset(
        {Symptom.RECOMPUTED, Symptom.LOST, Symptom.LEAKED, Symptom.STALE, Symptom.RAISES}
    ),
    message=lazy_cache,
)
