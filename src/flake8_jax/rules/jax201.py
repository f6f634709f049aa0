"""## What it does

Finds attributes of a traced argument that are set or deleted in traced code, where the changed
object is neither returned nor read again. All spellings count: `=`, `+=`, `del`, targets of tuple
assignments, `for` and `with`, `setattr`, `object.__setattr__`, `vars(x)[…]`, `x.__dict__`. So do
objects that are reached from the argument (a nested attribute, an alias, an element of a list), and
writes in the helpers, methods and properties that the traced function uses. If such a helper is in
another module, the call is reported instead, as JAX203.

## Why is this bad?

A traced function never sees the caller's object. `jax.jit` takes the argument apart, builds a new
object around Tracers and hands that one over; when the trace ends, only what the function returns
is kept. The write goes to the new object and is dropped with it. Nothing raises, and under
`jax.disable_jit()` the same code *does* change the caller's object, so the bug disappears as soon
as you debug it.

`vmap`, `scan`, `cond`, `while_loop`, `checkpoint` and the others rebuild their arguments in the
same way, and `grad` does so with the arguments that it differentiates.

## Example

```python
class Buffer(flax.struct.PyTreeNode, frozen=False):
    samples: jax.Array
    reads: jax.Array


@jax.jit
def latest(buffer: Buffer):
    buffer.reads = buffer.reads + 1
    return buffer.samples[-1]
```

```text
JAX201 'buffer.reads' is set on a lost copy: 'latest' (jax.jit) doesn't return it; return buffer.replace(reads=...)
```

## Use instead

```python
class Buffer(flax.struct.PyTreeNode):
    samples: jax.Array
    reads: jax.Array


@jax.jit
def latest(buffer: Buffer):
    return buffer.samples[-1], buffer.replace(reads=buffer.reads + 1)
```

and let the caller keep both: `sample, buffer = latest(buffer)`.

## What it does not flag

- Objects that come out again: returned as they are, in a tuple or dict, through a helper, as the
  carry of a loop, or as a copy that was made after the write. See JAX901.
- Objects that are read or passed on later in the same trace: see JAX206.
- Objects that the function made itself: by a constructor, `.replace`, `dataclasses.replace`, the
  `copy` module or `jax.tree.map`, even under the name of the parameter. A shallow copy does not
  cover what it shares: after `moved = robot.replace()`, a write to `moved.arm.angle` is reported.
- Assignments that raise because the class is frozen: see JAX204.
- Construction, callbacks that run on the host, and functions that no transform reaches.
- `flax.nnx` objects under nnx transforms, and the `.value` of linen variables.

## Fix

`flake8-jax fix --unsafe` makes a function that returned nothing return a changed copy:
`state.count = n` becomes `state = state.replace(count=n)`, with `return state` at the end, and the
calls `update(state)` become `state = update(state)`. It needs `--unsafe` because the result
changes, presumably to what was meant.

It does so for a function

- whose only decorator is a jit without options, and whose result has no annotation;
- that changes one argument, of a known class with a way to make changed copies;
- that its module does nothing with but call, each time in a statement of its own, and with a
  variable that the caller has made or returns.

It leaves alone a function that returns something, because everything that uses the result would
have to change, and one that ends with a comment, has type comments, or has a write silenced with
`# noqa`. It doesn't look at calls in other modules: bind the result there yourself.

## Evidence

`fixtures/JAX201` has every way of writing, every way of reaching the object and every transform.
Under jit the caller's object is the same after the call, and under `jax.disable_jit()` it has
changed; where a transform rebuilds its arguments in any case, the result is compared with that of
the fixed twin. Confirmed with jax 0.10.2 (Python 3.11) and jax 0.12.0.1 (Python 3.12).

## References

- [Pure functions](https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html)
- [Stateful computations](https://docs.jax.dev/en/latest/stateful-computations.html)
- [flax.struct](https://flax.readthedocs.io/en/latest/api_reference/flax.struct.html)
"""

from functools import partial

from flake8_jax.findings import Rule
from flake8_jax.fixes.offered import mend
from flake8_jax.fixes.safety import Safety
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import Told, returning


def _text(told: Told) -> str:
    lost = f"{told.happens} on a lost copy"
    return f"{lost}: {told.where} doesn't return it; {returning(told)}"


RULE = Rule(
    code="JAX201",
    name="argument-attribute-write",
    summary="An attribute of a traced argument is set, and the object is not returned.",
    page=__doc__,
    says="on a lost copy",
    symptoms=frozenset({Symptom.LOST, Symptom.STALE}),
    message=_text,
    fix=Safety.UNSAFE,
    mend=partial(mend, "hand_back"),
)
