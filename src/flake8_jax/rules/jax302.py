"""## What it does

Finds assignments to `global` and `nonlocal` names in traced code and in the functions of the same
module that it calls.

## Why is this bad?

The name outlives the trace, and the value does not: it is a Tracer, which replaces an array only
while the function is traced. The jitted call itself succeeds. Whatever computes with the name
afterwards raises `UnexpectedTracerError`, and the traceback shows the innocent line that reads it
and not the one that wrote it.

And the assignment runs once per trace. Later calls reuse the compiled code, in which the name has
the value that it had at the first trace: a random key that is split this way gives the same numbers
at every call.

The same leak through an attribute of a static self (`@partial(jax.jit, static_argnums=0)`), which
is the most common form of all, is JAX301.

## Example

```python
key = jax.random.key(0)


@jax.jit
def perturb(x):
    global key
    key, use = jax.random.split(key)
    return x + jax.random.normal(use, x.shape)
```

```text
JAX302 'key' leaks a Tracer: the name outlives 'perturb' (jax.jit); return the value instead
```

## Use instead

Pass the value in, return what is new, and assign it outside:

```python
@jax.jit
def perturb(key, x):
    key, use = jax.random.split(key)
    return key, x + jax.random.normal(use, x.shape)


key = jax.random.key(0)
key, y = perturb(key, jnp.ones(3))
```

## What it does not flag

- Values that are plain Python for certain, such as `traces += 1`: see JAX904.
- Values that may be static data: what an unknown callable returns, even for a Tracer, unless it is a
  method called `apply`, `apply_fn` or `log_prob`; attributes of objects of unknown classes; what a loop over a possible dict yields; static fields. What is
  computed from them and a Tracer, or by jax, is a Tracer, and is reported.
- Values that do not depend on the arguments, under `vmap` or `grad` alone: they are concrete there.
- A `nonlocal` name of the traced function itself, set by an inner function that it calls directly.
  Set in the body of an inner `scan` or `cond` and read after it, it leaks and is reported.
- `global` and `nonlocal` in code that no transform reaches, as in a function that builds its jitted
  version at the first call.
- Callbacks that run on the host.

## Evidence

The fixtures in `fixtures/JAX302` look for the Tracer that stays behind after the call, for global
and nonlocal names, in control flow, under `vmap` and `grad`, and in helpers; in the fixed twins the
caller makes the assignment and nothing leaks. Confirmed with jax 0.10.2 (Python 3.11) and jax
0.12.0.1 (Python 3.12).

## References

- [Leaked tracers](https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError)
- [Pure functions](https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html)
- [Stateful computations](https://docs.jax.dev/en/latest/stateful-computations.html)
"""

from flake8_jax.findings import Rule
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import Told


def _text(told: Told) -> str:
    return f"{told.leaks}: the name outlives {told.where}; return the value instead"


RULE = Rule(
    code="JAX302",
    name="outer-name-write",
    summary="Traced code assigns a global or nonlocal name.",
    page=__doc__,
    says="the name outlives",
    symptoms=frozenset({Symptom.LEAKED}),
    message=_text,
)
