"""## What it does

Finds dicts and lists that are a traced argument, or that one holds, and that traced code changes in
place without returning them or reading them again: `d[k] = v`, `del d[k]`, `append`, `extend`,
`insert`, `pop`, `update`, `setdefault`, `clear`, `l += […]` and the like.

## Why is this bad?

Dicts and lists are pytrees. `jax.jit` takes them apart like any other argument, and the function
works on new ones: what it appends, overwrites or removes there never reaches the caller. There is
no error, and with `jax.disable_jit()` the caller's container does change.

A frozen class is no protection: it keeps its attributes from being assigned, not the list
in one of them from growing; and under jit that list is a new one, too.

## Example

```python
@jax.jit
def step(params: dict, gradient, metrics: dict):
    metrics["norm"] = jnp.linalg.norm(gradient)
    return {**params, "w": params["w"] - 0.1 * gradient}
```

```text
JAX202 'metrics["norm"]' is set in a lost copy: 'step' (jax.jit) doesn't return it; return {**metrics, "norm": ...}
```

## Use instead

```python
@jax.jit
def step(params: dict, gradient):
    metrics = {"norm": jnp.linalg.norm(gradient)}
    return {**params, "w": params["w"] - 0.1 * gradient}, metrics
```

Inside of the function, a container that it made itself may be filled at will.

## What it does not flag

- Containers that come out again: see JAX901.
- Containers that are read or passed on later in the same trace: see JAX206 for those in a field of
  an argument and JAX902 for those that are an argument themselves.
- Copies and new containers: `dict(d)`, `{**d}`, `d | e`, `d.copy()`, `list(l)`, `l[:]`, `[*l, x]`,
  comprehensions, the `copy` module, `jax.tree.map`.
- `**kwargs`, which is a new dict at every call.
- Namesakes that change nothing: `jnp.append`, `optimizer.update`, and methods that return a new
  object.
- Containers in a static field: the caller's own arrive, and JAX303 reports writes to them.
- Functions that no transform reaches, callbacks that run on the host, and functions that another
  module defines.

## Evidence

`fixtures/JAX202` has each operation of dicts and lists, on arguments and on fields, nested and
through other names. Under jit the caller's container is the same after the call, and under
`jax.disable_jit()` it has changed; for `vmap` and `scan` the result is compared with that of the
fixed twin. Confirmed with jax 0.10.2 (Python 3.11) and jax 0.12.0.1 (Python 3.12).

## References

- [Pure functions](https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html)
- [Stateful computations](https://docs.jax.dev/en/latest/stateful-computations.html)
"""

from flake8_jax.findings import Rule
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import Told, returning_container


def _text(told: Told) -> str:
    lost = f"{told.happens} in a lost copy"
    return f"{lost}: {told.where} doesn't return it; {returning_container(told)}"


RULE = Rule(
    code="JAX202",
    name="argument-container-write",
    summary="A dict or list that is or belongs to a traced argument is changed, and not returned.",
    page=__doc__,
    says="in a lost copy",
    symptoms=frozenset({Symptom.LOST, Symptom.STALE}),
    message=_text,
)
