"""## What it does

Finds assignments to elements of jax arrays in traced code: `x[i] = v`, `x[i] += v`, `x[:, 0] = v`,
even where the array is a field of an argument or is handed to a helper, in any module. Outside of
traced code it finds those to a variable that can only be a jax array: every value that it is given
comes from `jax.numpy`, `jax.random` or `jax.nn`.

## Why is this bad?

JAX arrays are immutable, and so are the Tracers that replace them: the assignment raises
`TypeError`. A numpy array becomes a Tracer when it is passed to a jitted function, so a routine
that works with numpy raises as soon as you jit it.

## Example

```python
@jax.jit
def with_boundary(field: jax.Array, value):
    field[0] = value
    return field
```

```text
JAX205 'field[0]' cannot be set: 'field' is a jax array in 'with_boundary' (jax.jit); use field = field.at[0].set(...)
```

## Use instead

```python
@jax.jit
def with_boundary(field: jax.Array, value):
    field = field.at[0].set(value)
    return field
```

`.at[…]` takes whatever an index may be, and besides `set` there are `add`, `multiply`, `min`,
`max`, `apply` and more: `x[i] += v` becomes `x = x.at[i].add(v)`. It makes a new array, which has
to be bound to a name (JAX401). Inside jit that need not cost a copy: where the old array is not
used any more, the compiler can update it in place.

## What it does not flag

- Elements of dicts and lists: see JAX202.
- Numpy arrays that the function makes itself, from shapes and constants.
- References, which are made to be written: `jax.new_ref`, the parameters of Pallas kernels, and
  `flax.nnx` variables; and arguments of which only elements are used, which may be references.
- Classes with a `__setitem__` or operators of their own, and objects of classes that are not known.
- Arguments that `vmap` does not map: they stay what the caller gave.
- Values that need not be arrays. An annotation, the function that made the value, or what is done
  with it has to show that it is one. `x[i, j]` shows it, unless an element is a string, or comes
  from a loop over something else than numbers: the keys of a dict may be pairs.
- Outside of traced code, parameters, attributes, and variables that are a numpy array on some way.

## Fix

`flake8-jax fix` binds the name to the updated array: `x[i] = v` becomes `x = x.at[i].set(v)`, and
`+=`, `-=`, `*=`, `/=` and `**=` become `.add`, `.subtract`, `.multiply`, `.divide` and `.power`.
For other operators it is `.set(x[i] // v)`, as long as the index calls nothing. Note that `.add`
adds as often as an index appears, where numpy's `+=` would add once.

It does so where the name is a variable of the function alone, its array has no other name (see
JAX204), and it is used afterwards. An array that is handed to a helper, or to a traced function
that the module also calls as it is, has to be annotated as one of jax, because numpy arrays have no
`.at`, and must come out; where it does not, or where a caller drops it, `--unsafe` binds it all the
same. It also takes `--unsafe` where pairs of numbers, as in `x[0, 1]`, are all that tells an
argument from a dict, and where another name has a slice or a view of the array, as in `y = x.T`,
that is read afterwards.

Outside of traced code it does the same where every value of the variable is made by jax.

It leaves alone

- arrays in fields and containers, and targets that are more than one element, as in a swap;
- arrays that numpy would make as views of another one, as in `row = x.reshape(-1)`, if that one is
  used afterwards;
- indices that are lists, which `.at` does not take, or that may be masks or have Tracers as the
  bounds of a slice, which it does not take under jit;
- assignments whose value must be there before their index, as in `x[next(i)] = next(i)`;
- lines with a type comment;
- all assignments to an array if one of them cannot be fixed, or is silenced with `# noqa`.

## Evidence

The fixtures in `fixtures/JAX205` run the assignments under jit, in the bodies of loops, under
`vmap` and in differentiated functions, and note that each raises; their fixed twins with `.at[…]`
do not. Confirmed with jax 0.10.2 (Python 3.11) and jax 0.12.0.1 (Python 3.12).

## References

- [jax.numpy.ndarray.at](https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html)
- [In-place updates](https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html)
"""

from functools import partial

from flake8_jax.findings import Rule
from flake8_jax.fixes.offered import mend
from flake8_jax.fixes.safety import Safety
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import refused

RULE = Rule(
    code="JAX205",
    name="array-item-write",
    summary="An element of a jax array is assigned.",
    page=__doc__,
    says="is a jax array",
    symptoms=frozenset({Symptom.RAISES}),
    message=refused,
    fix=Safety.SAFE,
    mend=partial(mend, "bind_array"),
)
