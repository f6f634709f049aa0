"""## What it does

Finds attributes that traced code sets on objects which outlive the trace: a static self, the self
of a bound method (`jax.jit(self.step)`), a static argument, an object that is global or closed
over, a class or a function, and the arguments of `grad` that it does not differentiate. Writes in
helpers, methods and properties count too; if the write is in another module, the call is reported.

## Why is this bad?

These objects are not rebuilt, so the write persists. But what it stores is a Tracer, not an array:
a placeholder that means something only during the trace. The call that stores it succeeds. The next
computation with it raises `UnexpectedTracerError`, perhaps much later and in another file, and the
traceback starts from there.

The most common way to get there is `@partial(jax.jit, static_argnums=0)` on a method: it makes a
class work with jit, and jit then hands self over as it is. Worse than the error is what happens
without one. Later calls reuse the compiled code, in which the old attributes of self are constants,
and the assignment does not run again: an accumulator adds each value to what it held at the first
trace, and returns wrong sums without a word.

## Example

```python
class Average:
    def __init__(self, size):
        self.mean = jnp.zeros(size)

    @functools.partial(jax.jit, static_argnums=0)
    def update(self, value):
        self.mean = 0.9 * self.mean + 0.1 * value
        return self.mean
```

```text
JAX301 'self.mean' leaks a Tracer: its object outlives 'update' (jax.jit); return the value instead
```

## Use instead

State in, state out: the jitted function takes the old value and returns the new one, and code
outside it does the assignment.

```python
class Average:
    def __init__(self, size):
        self.mean = jnp.zeros(size)

    def update(self, value):
        self.mean = self._blend(self.mean, value)
        return self.mean

    @functools.partial(jax.jit, static_argnums=0)
    def _blend(self, mean, value):
        return 0.9 * mean + 0.1 * value
```

A class that holds arrays is often better off as a pytree, with methods that return a new object.

## What it does not flag

- Values that are plain Python for certain, such as `self.calls += 1`: see JAX904.
- Values that may be static data: what an unknown callable returns, even for a Tracer, unless it is a
  method called `apply`, `apply_fn` or `log_prob`; attributes of objects of unknown classes; what a loop over a possible dict yields; static fields. What is
  computed from them and a Tracer, or by jax, is a Tracer, and is reported.
- Values that do not depend on the arguments, under `vmap` or `grad` alone: they are concrete there.
- Objects that the traced function made itself, and copies of outer ones.
- Construction, as in `self.step = jax.jit(self.step)` in `__init__`.
- An attribute that is set only while it is empty, if the enclosing function, its callers or the
  module have filled it before the trace.
- Callbacks that run on the host, and functions that `jax.tree.map` or `jax.named_call` run outside
  jit.
- References (`jax.new_ref`) and `flax.nnx` objects, which are made to be written.
- Traced arguments, which are rebuilt: see JAX201.

## Evidence

The fixtures in `fixtures/JAX301` search what the caller holds for Tracers after the call, for every
transform and every way of reaching an object; the fixed twins leave none. Confirmed
with jax 0.10.2 (Python 3.11) and jax 0.12.0.1 (Python 3.12).

## References

- [Leaked tracers](https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError)
- [Making self static](https://docs.jax.dev/en/latest/faq.html#strategy-2-marking-self-as-static)
- [Stateful computations](https://docs.jax.dev/en/latest/stateful-computations.html)
"""

from flake8_jax.findings import Rule
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import Told


def _text(told: Told) -> str:
    return f"{told.leaks}: its object outlives {told.where}; return the value instead"


RULE = Rule(
    code="JAX301",
    name="outer-attribute-write",
    summary="Traced code sets an attribute of an object that outlives the trace.",
    page=__doc__,
    says="its object outlives",
    symptoms=frozenset({Symptom.LEAKED}),
    message=_text,
)
