"""## What it does

Finds statements that make an updated copy and throw it away:

- `.replace(…)` or `._replace(…)` on a pytree, `.apply_gradients(…)` of a `TrainState`,
  `dataclasses.replace` and `equinox.tree_at` of a pytree;
- `.at[…].set(…)`, `.add(…)`, `.multiply(…)` and the others on a jax array;
- `optax.apply_updates`, `equinox.apply_updates`, `.copy(…)` of a `FrozenDict`, and `jax.tree.map`
  with a function that just computes;
- methods and functions of your own that do nothing but return such an update.

The statement may also be a conditional expression, a tuple or a comprehension of these. The rule
looks at all code, traced or not.

## Why is this bad?

These functions change nothing. They return an updated copy and leave the original alone, with jit
and without, even if the class is mutable. A statement that drops the copy has no effect, and the
code after it computes with the old value. Nothing raises.

It is an easy mistake: in NumPy and PyTorch, `x[0] = v` and `x.fill(v)` or `x.fill_(v)` change `x`
itself.

## Example

```python
@jax.jit
def with_boundary(field: jax.Array, value):
    field.at[0].set(value)
    return field
```

```text
JAX401 'field.at[...].set(...)' changes nothing: the updated copy is thrown away; bind or return it
```

## Use instead

```python
@jax.jit
def with_boundary(field: jax.Array, value):
    field = field.at[0].set(value)
    return field
```

The same holds for objects: `state = state.replace(step=state.step + 1)`.

## What it does not flag

- Results that are bound, returned, passed on or kept in a container.
- `.at[…].set(…)` on references, which does write in traced code: `jax.new_ref`, and the parameters
  of Pallas kernels.
- `replace` of strings, paths, and objects that are not known to be pytrees.
- Pytree classes with their own `replace` method, which may work in place.
- Functions of your own that also raise, print or write something, and jitted ones that are called
  outside traced code, perhaps only to compile them.
- Classes of your own with an attribute `at`.

## Fix

`flake8-jax fix --unsafe` binds the result to the name of the object: `x.at[0].set(v)` becomes `x =
x.at[0].set(v)`. It needs `--unsafe` because the result changes, presumably to what was meant.

It does so where the name is a local variable that is used afterwards, and its object has no other
name and belongs to no other object. Updates of attributes and elements,
and those inside other expressions, are left alone.

## Evidence

The fixtures in `fixtures/JAX401` compare the result of each hazard with that of its fixed twin: the
hazard returns the old value. Confirmed with jax 0.10.2 (Python 3.11) and jax 0.12.0.1 (Python
3.12).

## References

- [jax.numpy.ndarray.at](https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html)
- [flax.struct](https://flax.readthedocs.io/en/latest/api_reference/flax.struct.html)
- [In-place updates](https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html)
"""

from functools import partial

from flake8_jax.findings import Rule
from flake8_jax.fixes.offered import mend
from flake8_jax.fixes.safety import Safety
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import Told, quoted


def _text(told: Told) -> str:
    made = f"'{quoted(told.text)}(...)'"
    return f"{made} changes nothing: the updated copy is thrown away; bind or return it"


RULE = Rule(
    code="JAX401",
    name="discarded-update",
    summary="The result of an update that makes a copy is not used.",
    page=__doc__,
    says="the updated copy is thrown away",
    symptoms=frozenset({Symptom.STALE}),
    message=_text,
    fix=Safety.UNSAFE,
    mend=partial(mend, "bind_result"),
)
