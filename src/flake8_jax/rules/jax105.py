"""## What it does

Finds reads, in traced code and in what it calls, of a cached property on an object that outlives
the trace: one that is closed over or global, a static argument, a static self, or the self of a
bound method (`jax.jit(self.step)`). Pytrees and plain classes count alike. It also finds a cached
property that is first read inside an inner body (of `scan`, `while_loop`, `fori_loop`, `cond`,
`switch`, `map`, `checkpoint`, or an inner `jit`) and again outside that body.

A cached property is reported once in each file, where it is read first; the message says at how
many other places that happens.

## Why is this bad?

The first read computes the value and keeps it. Inside `jax.jit`, or any other staging transform,
every value that jax computes is a Tracer, even `jnp.arange(3)`. So the object keeps a placeholder
that means something only during the trace. The call itself succeeds. The next use of the property
raises `UnexpectedTracerError`, be it eagerly, in another jitted function, or in the same one when
it is traced again for another shape.

Whether it happens depends on who reads first. One eager read before the jitted call hides the
error; deleting a log line brings it back.

An argument of jit is rebuilt, so its cache ends with the trace. But an inner body is a trace of its
own: what it caches on an object of the enclosing function can't be used after the body, and the
error comes in the same call.

## Example

```python
class Basis:
    def __init__(self, count):
        self.count = count

    @cached_property
    def centres(self):
        return jnp.linspace(-1.0, 1.0, self.count)

    @functools.partial(jax.jit, static_argnums=0)
    def features(self, x):
        return jnp.exp(-((x - self.centres) ** 2))
```

```text
JAX105 'self.centres' leaks a Tracer: cached property first read in 'features' (jax.jit); use @property, or read it earlier
```

## Use instead

Compute what is to be kept before anything is traced:

```python
class Basis:
    def __init__(self, count):
        self.centres = jnp.linspace(-1.0, 1.0, count)

    @functools.partial(jax.jit, static_argnums=0)
    def features(self, x):
        return jnp.exp(-((x - self.centres) ** 2))
```

or keep nothing. Within one jitted function a plain property costs nothing, because XLA computes
equal expressions once:

```python
class Basis:
    def __init__(self, count):
        self.count = count

    @property
    def centres(self):
        return jnp.linspace(-1.0, 1.0, self.count)

    @functools.partial(jax.jit, static_argnums=0)
    def features(self, x):
        return jnp.exp(-((x - self.centres) ** 2))
```

Where the cache has to stay, build a numpy array in it, or read the property before the jitted
function is made and use that value inside.

## What it does not flag

- Properties that were read eagerly before, as far as that can be seen: in the constructor, at
  module level, or earlier in the function that compiles.
- Properties that yield Python values, numpy arrays or functions.
- Properties that compute under `jax.ensure_compile_time_eval()`.
- Objects that jit gets as arguments, and objects that the traced function makes, unless an inner
  body reads them first.
- `vmap`, `grad`, `jvp` and their like alone: what they do not map or differentiate stays concrete.
- Callbacks that run on the host.
- Objects whose class is not known: an annotation, a constructor call or a declared field tells it.

## Evidence

The fixtures in `fixtures/JAX105` search what the caller holds for Tracers, for every staging
transform and every way in which an object can be reached, and let the inner bodies raise; the fixed
twins leave none. Confirmed with jax 0.10.2 (Python 3.11) and jax 0.12.0.1 (Python 3.12).

## References

- [Leaked tracers](https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError)
- [Making self static](https://docs.jax.dev/en/latest/faq.html#strategy-2-marking-self-as-static)
- [functools.cached_property](https://docs.python.org/3/library/functools.html#functools.cached_property)
"""

from flake8_jax.findings import Rule
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import Told


def _text(told: Told) -> str:
    advice = "use @property, or read it earlier"
    return f"{told.leaks}: cached property first read in {told.where}; {advice}"


RULE = Rule(
    code="JAX105",
    name="cache-read-leaks",
    summary="Traced code reads a cached property of an object that outlives the trace.",
    page=__doc__,
    says="cached property first read in",
    symptoms=frozenset({Symptom.LEAKED}),
    message=_text,
)
