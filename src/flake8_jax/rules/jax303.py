"""## What it does

Finds dicts, lists and sets that outlive the trace and that traced code changes in place: global
ones, closed-over ones, mutable defaults, those in a static field, and those that belong to a static
or bound self. `losses.append(loss)` in a jitted training step is the usual sight.

## Why is this bad?

The container is the caller's own, and it keeps what it is given: Tracers, which are of no use once
the trace has ended. The jitted call succeeds. The error, `UnexpectedTracerError`, comes when
somebody sums, stacks or plots what was collected, at the end of the training perhaps, and points to
that place. Printing the list shows `JitTracer(float32[])` instead of a number.

There are too few of them as well: the function body runs once per trace, so a hundred calls
may leave a single entry.

Most of these containers are attributes of a self that `@partial(jax.jit, static_argnums=0)` has
made static: jit hands a static self over as it is.

## Example

```python
class Trainer:
    def __init__(self):
        self.losses = []

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, weights, batch):
        loss = jnp.mean((weights - batch) ** 2)
        self.losses.append(loss)
        return weights - 0.1 * loss
```

```text
JAX303 'self.losses' leaks a Tracer: the container outlives 'step' (jax.jit); return it or use jax.debug.callback
```

## Use instead

Return the value and collect it outside:

```python
class Trainer:
    def __init__(self):
        self.losses = []

    def step(self, weights, batch):
        weights, loss = self._step(weights, batch)
        self.losses.append(loss)
        return weights

    @functools.partial(jax.jit, static_argnums=0)
    def _step(self, weights, batch):
        loss = jnp.mean((weights - batch) ** 2)
        return weights - 0.1 * loss, loss
```

or, where the value is hard to bring out, send it to the host when the compiled code runs:

```python
class Trainer:
    def __init__(self):
        self.losses = []

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, weights, batch):
        loss = jnp.mean((weights - batch) ** 2)
        jax.debug.callback(self.losses.append, loss)
        return weights - 0.1 * loss
```

Callbacks may come late and out of order: `jax.effects_barrier()` waits for them, and `ordered=True`
keeps the order. In a `scan`, the second value that the body returns is collected for you.

## What it does not flag

- Values that are plain Python for certain, such as names, shapes and `None`: see JAX904.
- Values that may be static data: what an unknown callable returns, even for a Tracer, unless it is a
  method called `apply`, `apply_fn` or `log_prob`; attributes of objects of unknown classes; what a loop over a possible dict yields; static fields. What is
  computed from them and a Tracer, or by jax, is a Tracer, and is reported.
- Containers that die with the function that made them, if it only counts what traced code put in.
- Values that do not depend on the arguments, under `vmap` or `grad` alone: they are concrete there.
- Containers that the traced function made itself, and copies of outer ones.
- `**kwargs`, which is a new dict at every call, and containers that every call of the function
  builds in its argument list.
- Namesakes that change nothing: `jnp.append`, `jax.config.update`, `optimizer.update`, and methods
  that return a new object.
- Callbacks that run on the host, and registries that decorators fill at import.
- What a `finally` takes out again, and functions that check for Tracers.
- Containers that are rebuilt because they are traced arguments or belong to one: see JAX202.

## Evidence

The fixtures in `fixtures/JAX303` search the container for Tracers after the call, for every kind of
container and every way of reaching it; the fixed twins leave none. Confirmed with jax 0.10.2
(Python 3.11) and jax 0.12.0.1 (Python 3.12).

## References

- [Leaked tracers](https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError)
- [Pure functions](https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html)
- [Making self static](https://docs.jax.dev/en/latest/faq.html#strategy-2-marking-self-as-static)
"""

from flake8_jax.findings import Rule
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import Told


def _text(told: Told) -> str:
    return f"{told.leaks}: the container outlives {told.where}; return it or use jax.debug.callback"


RULE = Rule(
    code="JAX303",
    name="outer-container-write",
    summary="Traced code changes a container that outlives the trace.",
    page=__doc__,
    says="the container outlives",
    symptoms=frozenset({Symptom.LEAKED}),
    message=_text,
)
