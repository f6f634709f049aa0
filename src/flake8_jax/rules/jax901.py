"""## What it does

Finds jitted functions that change an argument, be it an object or a container, and return it,
themselves or through helpers. It is on only when it is selected by name, as with
`--extend-select=JAX901`.

## Why is this bad?

Under jit it is right: the function works on a new object, what it returns has the change, and the
caller's object stays as it was. Many projects write their steps in this way and know why, so the
rule is opt-in.

The code owes that to jit, however. Without it (`jax.disable_jit()`, jit taken off to debug, the
function called from a test) old and new are one object: the caller's state changes under its hands,
a copy that was put aside with `best = state` is overwritten, and a comparison of before and after
shows no difference. Select the rule if your functions have to mean the same with jit and without.

## Example

```python
class State(flax.struct.PyTreeNode, frozen=False):
    weights: jax.Array


@jax.jit
def train(state: State, gradient):
    state.weights = state.weights - 0.1 * gradient
    return state
```

```text
JAX901 'state.weights' is set on a returned argument: without jit, 'train' (jax.jit) changes the caller's object; use state.replace(weights=...)
```

## Use instead

```python
class State(flax.struct.PyTreeNode):
    weights: jax.Array


@jax.jit
def train(state: State, gradient):
    return state.replace(weights=state.weights - 0.1 * gradient)
```

For a dict it is `{**params, "w": …}`, for a list `[*layers, layer]`.

## What it does not flag

- Copies that are changed and returned, even under the name of the parameter.
- Objects and containers that the function made itself.
- The carries of `scan`, `while_loop` and `fori_loop`, and the arguments of `vmap`, `pmap`,
  `checkpoint`, `equinox.filter_jit` and `flax.nnx.jit`: these transforms hand over objects of their
  own even when jit is off.
- Functions that no transform reaches.
- Objects that are not returned: see JAX201, JAX202, JAX206 and JAX902.

## Evidence

The fixtures in `fixtures/JAX901` look at the caller's object after the call: with jit it is
unchanged, with `jax.disable_jit()` it is not, and in the fixed twins it never changes. Confirmed
with jax 0.10.2 (Python 3.11) and jax 0.12.0.1 (Python 3.12).

## References

- [Pure functions](https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html)
- [Stateful computations](https://docs.jax.dev/en/latest/stateful-computations.html)
"""

from flake8_jax.findings import Rule
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import Told, copying


def _text(told: Told) -> str:
    return (
        f"{told.happens} on a returned argument: without jit, "
        f"{told.where} changes the caller's object; {copying(told)}"
    )


RULE = Rule(
    code="JAX901",
    name="mutate-and-return",
    summary="A traced function changes its argument and returns it.",
    page=__doc__,
    says="on a returned argument",
    symptoms=frozenset({Symptom.LOST}),
    message=_text,
)
