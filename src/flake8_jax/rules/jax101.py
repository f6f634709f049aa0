"""## What it does

Finds cached properties on pytree classes: `functools.cached_property`, and those of the
`cached_property` package, werkzeug, django and boltons. A project's own count too: a descriptor that
stores the value on the instance, or a function that makes such a property. A cached property that
a pytree class inherits from a plain mixin is reported at the pytree class.

## Why is this bad?

`jax.jit` flattens its arguments and rebuilds them from the parts the class hands out. The cached
value is not one of them, so every jitted call computes it again, even if it was already cached.
That is the mild case:

- if the jitted function closes over the object, the cache keeps a Tracer, and the next use of the
  object raises `UnexpectedTracerError`;
- `equinox.Module`, `chex.dataclass`, `flax.nnx`, and classes whose flatten function walks
  `vars(self)` change their pytree structure once the cache is filled: jit traces again, and `scan`
  and `cond` raise.

Within one jitted function a plain property costs nothing at run time: XLA computes equal
expressions once.

## Example

```python
class Particles(flax.struct.PyTreeNode):
    positions: jax.Array

    @cached_property
    def distances(self):
        return pairwise(self.positions)
```

```text
JAX101 'Particles.distances' is recomputed in every jitted call: cached property on a pytree (struct.PyTreeNode); use @property
```

## Use instead

```python
class Particles(flax.struct.PyTreeNode):
    positions: jax.Array

    @property
    def distances(self):
        return pairwise(self.positions)
```

or, if the value has to survive from call to call, a field that is filled when the object is made:

```python
class Particles(flax.struct.PyTreeNode):
    positions: jax.Array
    distances: jax.Array

    @classmethod
    def create(cls, positions):
        return cls(positions=positions, distances=pairwise(positions))
```

## What it does not flag

- Undecorated subclasses of a class that a decorator or a function call registered: they are not
  pytrees.
- `flax.linen.Module`, which is not a pytree.
- Properties that return a function, on classes that flatten declared fields only.
- Properties that yield static data only (shapes, static fields, Python and numpy values), on
  classes that flatten declared fields only: see JAX903.
- Properties whose value the class's own `tree_flatten` hands out and `tree_unflatten` restores.
- Your own descriptors, if they check for Tracers before they store.

## Fix

`flake8-jax fix` makes the cached property a plain one, and removes the import of the cache where
nothing else needs it. The values stay the same; without jit they are computed at each access. On
classes where reading the cache changed the pytree structure (chex, equinox, flax.nnx), the structure
no longer changes. The fix takes `--unsafe`

- where the property, or a function of yours that it calls, makes something that can be changed in
  place or told apart (a list, dict or set, a numpy array, a function, a reference, an object whose
  attributes can be assigned): other code may count on getting the same one again;
- where the module assigns, or changes in place, something with the name of what the property reads
  (a field, an attribute of a field, a global name, or what objects were made from): the cache kept
  the old value. Functions that switch `jax.config` are such a case;
- where the value is computed from the same property, of this object or another: without the cache
  that may take very long;
- where it calls what a field holds, and a function of the module keeps something from call to call.

`flake8-jax fix --list` names the line that makes a fix unsafe, and `--unsafe` says what each such
fix alters.

It leaves alone a cached property that

- is inherited from a mixin, which other classes may share;
- is made by a descriptor of your own, or has another decorator above it;
- has side effects: it prints, counts, draws random numbers, looks at the clock or the environment,
  reads files, changes what it has not made itself, or calls something for its effect, even in
  functions, methods and objects of the project that it uses, and in overrides of subclasses. What
  functions from elsewhere do, as in `return expensive(self.x)`, is taken for a computation;
- gives an iterator, which is used up when it is read;
- has the name of a field, of the class or of a subclass in the module;
- is more than read in its module: assigned, deleted, compared by identity, looked up on the class,
  or changed in place, even by another name, or the module uses `__dict__`, `vars`, `setattr` or
  `isinstance` in a way that may concern it;
- is assigned or deleted, or asked for more than its value, in another file of the project that
  imports the module or is imported by it.

An import stays if it is in an `__init__.py` or in a block, has a comment for a tool, or brings a
name that another file of the run takes from the module.

## Evidence

The fixtures in `fixtures/JAX101` count how often the value is computed at run time, with jit and
without, look for Tracers left in the object, and note what raises, for every kind of pytree.
Confirmed with jax 0.10.2 (Python 3.11) and jax 0.12.0.1 (Python 3.12).

## References

- [jax.jit](https://docs.jax.dev/en/latest/_autosummary/jax.jit.html)
- [Custom pytree nodes](https://docs.jax.dev/en/latest/custom_pytrees.html)
- [functools.cached_property](https://docs.python.org/3/library/functools.html#functools.cached_property)
"""

from functools import partial

from flake8_jax.findings import Rule
from flake8_jax.fixes.offered import mend
from flake8_jax.fixes.safety import Safety
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import ToldCache, cached_property


def _text(told: ToldCache) -> str:
    return cached_property(told, "cached property")


RULE = Rule(
    code="JAX101",
    name="cached-property-on-pytree",
    summary="A cached property on a pytree class: jit drops what it caches, or leaks it.",
    page=__doc__,
    says="cached property on a pytree",
    symptoms=frozenset(
        {Symptom.RECOMPUTED, Symptom.LEAKED, Symptom.RAISES, Symptom.STALE, Symptom.LOST}
    ),
    message=_text,
    fix=Safety.SAFE,
    mend=partial(mend, "plain_property"),
)
