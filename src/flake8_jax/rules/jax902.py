"""## What it does

Finds jitted functions that change a dict or list argument in place and read it again, or pass it
on, without returning it. It is on only when it is selected by name, as with
`--extend-select=JAX902`.

## Why is this bad?

Under jit it works: the function has a dict of its own, in which it may write as it likes, and what
it returns is right. Steps that normalise their batch like this are common and mostly deliberate,
which is why the rule is opt-in, unlike JAX206, its sister for fields of objects.

Without jit, the dict is the caller's. If the same batch is used again under `jax.disable_jit()` or
in a test without jit, it is normalised twice, and the results no longer agree with those of the
jitted function. Select the rule if your functions have to mean the same with jit and without.

## Example

```python
@jax.jit
def loss(batch: dict, weights):
    batch["image"] = batch["image"] / 255.0
    return jnp.mean((batch["image"] @ weights - batch["label"]) ** 2)
```

```text
JAX902 'batch["image"]' is set in a scratch container: without jit, 'loss' (jax.jit) changes the caller's object; copy it first
```

## Use instead

```python
@jax.jit
def loss(batch: dict, weights):
    batch = {**batch, "image": batch["image"] / 255.0}
    return jnp.mean((batch["image"] @ weights - batch["label"]) ** 2)
```

or a local name for the one value. `dict(batch)` and `list(layers)` make copies that may be changed
as often as needed.

## What it does not flag

- Copies, displays and containers that the function made itself.
- Containers that are not read again: see JAX202.
- Containers that come out again: see JAX901.
- Containers in a field of an argument: see JAX206.
- The arguments of `vmap`, `pmap`, `checkpoint`, `equinox.filter_jit` and `flax.nnx.jit`, and the
  carries of loops: these transforms hand over containers of their own even when jit is off.
- Functions that no transform reaches.

## Evidence

The fixtures in `fixtures/JAX902` look at the caller's container after the call: with jit it is
unchanged, with `jax.disable_jit()` it is not, and in the fixed twins it never changes. Confirmed
with jax 0.10.2 (Python 3.11) and jax 0.12.0.1 (Python 3.12).

## References

- [Pure functions](https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html)
- [Stateful computations](https://docs.jax.dev/en/latest/stateful-computations.html)
"""

from flake8_jax.findings import Rule
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import Told


def _text(told: Told) -> str:
    return (
        f"{told.happens} in a scratch container: without jit, "
        f"{told.where} changes the caller's object; copy it first"
    )


RULE = Rule(
    code="JAX902",
    name="container-argument-scratch",
    summary="A traced function changes a dict or list argument and reads it again.",
    page=__doc__,
    says="in a scratch container",
    symptoms=frozenset({Symptom.LOST}),
    message=_text,
)
