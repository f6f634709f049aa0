"""## What it does

Finds traced code that writes plain Python values to what outlives the trace: a number, a string,
`None`, a shape, a function, written to an attribute, a name or a container of the kinds that
JAX301, JAX302 and JAX303 know. It is on only when it is selected by name, as with
`--extend-select=JAX904`.

## Why is this bad?

It need not be. No Tracer is involved, so nothing leaks and nothing raises. But the Python body
of a jitted function runs when it is traced, and not when the compiled code is called again: a
counter of calls counts traces, and a flag reset by the caller is not set again on the next call. In
the body of a `scan` or a `fori_loop` the write does not happen once per iteration, either.

Many projects count on exactly that. A counter that goes up at each trace is the usual way to test
that a function is not compiled too often. So the rule is opt-in. Select it where such writes are
meant to happen at every call.

## Example

```python
class Model:
    def __init__(self):
        self.calls = 0

    @functools.partial(jax.jit, static_argnums=0)
    def predict(self, x):
        self.calls += 1
        return jnp.tanh(x)
```

```text
JAX904 'self.calls' is changed once per trace, not per call: 'predict' (jax.jit); use jax.debug.callback
```

## Use instead

Count outside the jitted function:

```python
class Model:
    def __init__(self):
        self.calls = 0

    def predict(self, x):
        self.calls += 1
        return self._predict(x)

    @functools.partial(jax.jit, static_argnums=0)
    def _predict(self, x):
        return jnp.tanh(x)
```

or on the host, by a callback in the compiled code:

```python
class Model:
    def __init__(self):
        self.calls = 0

    def count(self):
        self.calls += 1

    @functools.partial(jax.jit, static_argnums=0)
    def predict(self, x):
        jax.debug.callback(self.count)
        return jnp.tanh(x)
```

## What it does not flag

- Values that may be arrays or Tracers: see JAX301, JAX302 and JAX303.
- Writes under `vmap`, `grad` or `jvp` alone: there the function runs at every call.
- Counters and lists that the traced function made itself.
- Callbacks that run on the host, and what decorators do at import.
- Functions that no transform reaches.

## Evidence

The fixtures in `fixtures/JAX904` call each function several times and compare what was written with
jit and with `jax.disable_jit()`: with jit, writes are missing. Confirmed with jax 0.10.2 (Python
3.11) and jax 0.12.0.1 (Python 3.12).

## References

- [Pure functions](https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html)
- [jax.debug.callback](https://docs.jax.dev/en/latest/_autosummary/jax.debug.callback.html)
- [Making self static](https://docs.jax.dev/en/latest/faq.html#strategy-2-marking-self-as-static)
"""

from flake8_jax.findings import Rule
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import Told


def _text(told: Told) -> str:
    return f"{told.happens} once per trace, not per call: {told.where}; use jax.debug.callback"


RULE = Rule(
    code="JAX904",
    name="outer-python-write",
    summary="Traced code writes plain Python values to what outlives the trace.",
    page=__doc__,
    says="once per trace, not per call",
    symptoms=frozenset({Symptom.ONCE}),
    message=_text,
)
