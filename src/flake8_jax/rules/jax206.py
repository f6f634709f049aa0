"""## What it does

Finds jitted code that uses its argument as a scratch pad: it sets a field of the argument, or
changes a container in one, reads the object later in the same trace or passes it on, and does not
return it.

## Why is this bad?

It is fragile. The jitted call returns the right result, because the read sees the write within the
trace. But the caller's object stays as it was, while without jit it changes. So the function means
two things:

- under `jax.disable_jit()`, or when jit is taken off to debug, each call starts from what the one
  before has left behind, and the second result differs from that of the jitted function;
- a reader who sees the assignment will think that it lasts, and may come to rely on it.

Some write it on purpose, knowing that jit works on a copy. This is why it has a code of its own,
apart from JAX201, where the write has no effect at all. If it is the style of your project, turn it
off with `--extend-ignore=JAX206`.

## Example

```python
class Pose(flax.struct.PyTreeNode, frozen=False):
    angle: jax.Array
    reach: jax.Array


@jax.jit
def tip(pose: Pose, turn):
    pose.angle = pose.angle + turn
    return pose.reach * jnp.cos(pose.angle)
```

```text
JAX206 'pose.angle' is set on a scratch argument: without jit, 'tip' (jax.jit) changes the caller's object; use pose.replace(angle=...)
```

## Use instead

A local name:

```python
class Pose(flax.struct.PyTreeNode):
    angle: jax.Array
    reach: jax.Array


@jax.jit
def tip(pose: Pose, turn):
    angle = pose.angle + turn
    return pose.reach * jnp.cos(angle)
```

or, where the whole object goes on to other functions, a copy:

```python
class Pose(flax.struct.PyTreeNode):
    angle: jax.Array
    reach: jax.Array


@jax.jit
def tip(pose: Pose, turn):
    pose = pose.replace(angle=pose.angle + turn)
    return project(pose)
```

## What it does not flag

- Objects that are not read again: see JAX201 and JAX202.
- Objects that come out again: see JAX901.
- Dicts and lists that are an argument themselves: see JAX902.
- Copies and objects that the function made itself.
- The arguments of `vmap`, `pmap`, `checkpoint`, `equinox.filter_jit` and `flax.nnx.jit`, the
  differentiated ones of `grad`, and the carries of loops: these
  transforms hand over objects of their own even when jit is off.
- Functions that no transform reaches.

## Evidence

The fixtures in `fixtures/JAX206` look at the caller's object after the call: with jit it is
unchanged, with `jax.disable_jit()` it is not, and in the fixed twins it never changes. Confirmed
with jax 0.10.2 (Python 3.11) and jax 0.12.0.1 (Python 3.12).

## References

- [Pure functions](https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html)
- [Stateful computations](https://docs.jax.dev/en/latest/stateful-computations.html)
"""

from flake8_jax.findings import Rule
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import Told, scratching


def _text(told: Told) -> str:
    return (
        f"{told.happens} on a scratch argument: without jit, "
        f"{told.where} changes the caller's object; {scratching(told)}"
    )


RULE = Rule(
    code="JAX206",
    name="argument-scratch-write",
    summary="A traced argument is changed and read again, but the caller's object stays as it was.",
    page=__doc__,
    says="on a scratch argument",
    symptoms=frozenset({Symptom.LOST}),
    message=_text,
)
