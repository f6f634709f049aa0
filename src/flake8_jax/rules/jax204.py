"""## What it does

Finds attributes of frozen pytrees that are assigned or deleted, by `setattr` too, or as the target
of a tuple, `for` or `with`: on self in the methods of a frozen class, and on variables, parameters
and fields that are known to hold an instance of one. It looks at all code, traced or not.

## Why is this bad?

The assignment raises, with jit and without: `dataclasses.FrozenInstanceError` on flax, chex,
equinox, jax_dataclasses, penzai, tjax and registered dataclasses, and a plain `AttributeError` on
named tuples, `simple_pytree.Pytree` and netket's `Pytree`. Frozen is the default of most of these
libraries. On a frozen flax class not even `__post_init__` may assign. A subclass of a mutable
`flax.struct.PyTreeNode` has to repeat `frozen=False`: without it the class statement raises
`TypeError`.

So the bug shows itself, but only when the assignment runs. In a branch that no test reaches, that
may be in production.

## Example

```python
class Particle(flax.struct.PyTreeNode):
    position: jax.Array
    velocity: jax.Array

    def move(self, dt):
        self.position = self.position + dt * self.velocity
        return self
```

```text
JAX204 'self.position' cannot be set: 'Particle' is frozen (struct.PyTreeNode); use self.replace(position=...)
```

## Use instead

```python
class Particle(flax.struct.PyTreeNode):
    position: jax.Array
    velocity: jax.Array

    def move(self, dt):
        return self.replace(position=self.position + dt * self.velocity)
```

Each library has its own way to make a changed copy:

- flax, `TrainState`, brax, mujoco.mjx, chex, simple_pytree, netket: `x.replace(field=…)`;
- frozen dataclasses that are registered with `jax.tree_util`, penzai, tjax:
  `dataclasses.replace(x, field=…)`;
- equinox: `equinox.tree_at(lambda tree: tree.field, x, value)`;
- jax_dataclasses: `jax_dataclasses.replace(x, field=…)`, or, for several assignments,
  `with jax_dataclasses.copy_and_mutate(x) as y`;
- named tuples: `x._replace(field=…)`.

Making the class mutable hides the error without fixing it: under jit the write is then lost
(JAX201).

## What it does not flag

- Classes that are not frozen: `frozen=False`, `mutable=True`, `chex.dataclass` and registered
  dataclasses without `frozen=True`, `flax.nnx`.
- `__init__` and what it calls, where the library allows assignments there (equinox, penzai,
  simple_pytree, netket), and equinox's `__post_init__`.
- `object.__setattr__`, which does not raise; in traced code see JAX201.
- Writes into a dict or list that a frozen object holds; in traced code see JAX202.
- Copies of equinox modules that `copy.copy` and `copy.deepcopy` make: equinox does not freeze them.
- Classes with a `__setattr__` of their own, or one that a metaclass, decorator, `__new__` or hook
  of the project gives them; classes with an unknown base, metaclass or decorator.
- Blocks of a context manager that unlocks the object.
- Methods that only the constructors of subclasses call, in other modules too.
- Assignments in a `try` that catches the error, in a block that expects it, or in a
  function that is handed to `assertRaises`.
- Classes whose `frozen` can't be read from the source, as in `@struct.dataclass(**options)`.
- Attributes that an undecorated subclass adds to a class that a decorator made frozen: Python lets
  them be set.

## Fix

`flake8-jax fix` binds the name to a changed copy, made as the library makes it:
`state.step += 1` becomes `state = state.replace(step=state.step + 1)`. What is needed for that is
imported, if its name is free.

It does so where all code that would see the change is sure to see the new object:

- the name is a local variable, and it is used afterwards;
- its object has no other name and belongs to no other object. An object that was yielded before,
  stored, or passed to a function that keeps it or is called for its effect, as in
  `registry.register(state)`, counts as having another name. Functions of the project and methods
  of the object are looked into; those of JAX, numpy and the like, `print` and loggers keep nothing;
- if a caller has the object too, the function returns it, and no call in the project drops the
  result or goes on using the object that it passed in.

`--unsafe` also rebinds `self` and arguments that are not returned (the caller keeps the old
object!), and objects that an unknown function may have aliased. It says for each what is lost.

It leaves alone

- assignments at module level, `del`, `setattr`, and tuples, loops and `with` as targets;
- attributes of attributes, static fields, and attributes that are not known to be fields;
- classes with a constructor of their own that runs when a copy is made;
- lines with a type comment, and objects with another write silenced with `# noqa`;
- functions that the project expects to raise, with `try` or `pytest.raises`.

## Evidence

The fixtures in `fixtures/JAX204` run each assignment and note that it raises, for every kind of
pytree, under jit and without; their fixed twins do not raise. Confirmed with jax 0.10.2 (Python
3.11) and jax 0.12.0.1 (Python 3.12).

## References

- [flax.struct](https://flax.readthedocs.io/en/latest/api_reference/flax.struct.html)
- [Frozen instances](https://docs.python.org/3/library/dataclasses.html#frozen-instances)
- [equinox.tree_at](https://docs.kidger.site/equinox/api/manipulation/#equinox.tree_at)
"""

from functools import partial

from flake8_jax.findings import Rule
from flake8_jax.fixes.offered import mend
from flake8_jax.fixes.safety import Safety
from flake8_jax.symptoms import Symptom
from flake8_jax.wording import ToldFrozen, customary, quoted, replacing


def _text(told: ToldFrozen) -> str:
    by = f" by {told.by}" if told.by else ""
    names = " or ".join(f"'{name}'" for name in told.names)
    markers = ", ".join(sorted({customary(item) for item in told.markers}))
    kind = f" ({markers})" if markers else ""
    refused = f"'{quoted(told.text)}' cannot be {told.done}{by}"
    return f"{refused}: {names} is frozen{kind}; {replacing(told)}"


RULE = Rule(
    code="JAX204",
    name="frozen-write",
    summary="An attribute of a frozen pytree is assigned.",
    page=__doc__,
    says="is frozen",
    symptoms=frozenset({Symptom.RAISES}),
    message=_text,
    fix=Safety.SAFE,
    mend=partial(mend, "bind_copy"),
)
