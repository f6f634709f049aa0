"""## What it does

Finds calls, in traced code and in what it calls, of functions and methods that are wrapped in
`functools.cache` or `functools.lru_cache` and build jax arrays.

A cached function is reported once in each file, where it is called first; the message says at how
many other places that happens.

## Why is this bad?

Inside `jax.jit`, or any other staging transform, every array that jax makes is a Tracer, even if it
depends on nothing: `jnp.arange(3)` becomes an instruction of the traced program. The cache keeps
that Tracer for as long as the process lives, and hands it to whoever asks next with the same
arguments: they get `UnexpectedTracerError`, perhaps much later and in another file. The function
that filled the cache works, and works again, because it is compiled by then.

## Example

```python
@functools.cache
def encodings(length):
    return jnp.sin(jnp.arange(length))


@jax.jit
def embed(tokens):
    return tokens + encodings(tokens.shape[0])
```

```text
JAX106 'encodings' leaks a Tracer: cached function called in 'embed' (jax.jit); build numpy arrays in it
```

## Use instead

Build it in numpy. Jit takes a numpy array as a constant:

```python
import numpy as np


@functools.cache
def encodings(length):
    return np.sin(np.arange(length), dtype="float32")


@jax.jit
def embed(tokens):
    return tokens + encodings(tokens.shape[0])
```

or, if it needs jax, compute it at once, even while tracing:

```python
@functools.cache
def encodings(length):
    with jax.ensure_compile_time_eval():
        return jnp.sin(jnp.arange(length))


@jax.jit
def embed(tokens):
    return tokens + encodings(tokens.shape[0])
```

Often no cache is needed: what is traced is computed in Python once per compilation.

## What it does not flag

- Functions that build numpy arrays or Python values, and arithmetic of shapes and dtypes.
- Functions that return functions, such as a factory of jitted functions.
- Functions that compute under `jax.ensure_compile_time_eval()`.
- Functions that the module calls at import with the same arguments.
- Caches made inside the traced function.
- `vmap`, `grad`, `jvp` and their like alone: what they do not map or differentiate stays concrete.
- Callbacks that run on the host.
- Cached methods of pytree classes at their definition: see JAX103.

## Evidence

The fixtures in `fixtures/JAX106` call the cached function under each staging transform, and then
once more from outside, where it hands out the Tracer or raises; the fixed twins return arrays.
Confirmed with jax 0.10.2 (Python 3.11) and jax 0.12.0.1 (Python 3.12).

## References

- [Leaked tracers](https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError)
- [jax.ensure_compile_time_eval](https://docs.jax.dev/en/latest/_autosummary/jax.ensure_compile_time_eval.html)
- [functools.cache](https://docs.python.org/3/library/functools.html#functools.cache)
"""

from flake8_jax.findings import Rule
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import Told


def _text(told: Told) -> str:
    return f"{told.leaks}: cached function called in {told.where}; build numpy arrays in it"


RULE = Rule(
    code="JAX106",
    name="cached-function-leaks",
    summary="Traced code calls a cached function that builds jax arrays.",
    page=__doc__,
    says="cached function called in",
    symptoms=frozenset({Symptom.LEAKED}),
    message=_text,
)
