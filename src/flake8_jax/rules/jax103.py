"""## What it does

Finds `functools.lru_cache` and `functools.cache` on instance methods of pytree classes.

## Why is this bad?

`lru_cache` hashes its arguments, including `self`. Most pytree classes are dataclasses that compare
their fields: they have no hash, or one that needs the hash of an array, so the first call raises
`TypeError: unhashable type`. If the class hashes by identity, every trace brings a new object: the
value is computed again, and the cache keeps the traced object alive. If the object is closed over,
the cache hands a Tracer to the next caller.

## Example

```python
class Grid(flax.struct.PyTreeNode):
    spacing: jax.Array

    @functools.lru_cache(maxsize=None)
    def weights(self, order):
        return stencil(self.spacing, order)
```

```text
JAX103 'Grid.weights' cannot hash self: functools.lru_cache on a pytree's method (struct.PyTreeNode); remove the cache
```

## Use instead

```python
class Grid(flax.struct.PyTreeNode):
    spacing: jax.Array

    def weights(self, order):
        return stencil(self.spacing, order)
```

What depends on hashable arguments only can stay cached in a function at module level, as long as
it computes in numpy.

## What it does not flag

- Static methods and class methods.
- Methods that yield static data or functions, on classes whose objects hash by identity.
- Undecorated subclasses of a class that a decorator or a function call registered: they are not
  pytrees.

## Fix

`flake8-jax fix` takes the cache off the method, and removes its import where nothing else needs it.
Comments on the lines of the decorator stay, above the method. As with JAX101, it takes `--unsafe`
where the method makes something that can be changed in place, the module changes what it reads, or
calls it with numbers that are equal and not the same, as 1 and 1.0, which shared one result.

It leaves a cache alone that

- is inherited from a mixin, which other classes may share;
- is made by a decorator of your own, or has one above it other than `property`, or one below it
  other than `jax.jit` and the like;
- has side effects, or gives an iterator: see JAX101;
- is dealt with in the module by its methods (`cache_clear`, `cache_info`) or its `__wrapped__`.

## Evidence

`fixtures/JAX103` shows for each kind of pytree what raises, what is computed again and where the
Tracer stays. Confirmed with jax 0.10.2 (Python 3.11) and jax 0.12.0.1 (Python 3.12).

## References

- [functools.lru_cache](https://docs.python.org/3/library/functools.html#functools.lru_cache)
- [Leaked tracers](https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError)
"""

from functools import partial

from flake8_jax.findings import Rule
from flake8_jax.fixes.offered import mend
from flake8_jax.fixes.safety import Safety
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import function_cache

RULE = Rule(
    code="JAX103",
    name="lru-cache-on-pytree-method",
    summary="A function cache on a method of a pytree class: it cannot hash self, or leaks it.",
    page=__doc__,
    says="on a pytree's method",
    symptoms=frozenset({Symptom.RAISES, Symptom.LEAKED, Symptom.RECOMPUTED}),
    message=function_cache,
    fix=Safety.SAFE,
    mend=partial(mend, "plain_method"),
)
