"""Variables and attributes that context managers set anew when their block ends.

What a trace leaves in them meanwhile belongs to the block.
"""

from typing import NamedTuple

from flake8_jax.effects.callees import FunctionRef
from flake8_jax.effects.paths import Field, Owner, Root
from flake8_jax.effects.project import ProjectWorld
from flake8_jax.effects.summaries import Form, Write
from flake8_jax.lowering.program import Yield
from flake8_jax.lowering.stores import Change
from flake8_jax.lowering.walk import walk

_EXITS = frozenset({"__exit__", "__aexit__"})
_FORMS = (Form.NAME, Form.ATTRIBUTE)


class _Places(NamedTuple):
    """What the context managers of a module set anew."""

    variables: frozenset[Root]
    attributes: frozenset[str]


class Restored:
    """What is set anew, as far as somebody asks."""

    def __init__(self, world: ProjectWorld) -> None:
        self._world = world

    def holds(self, write: Write) -> bool:
        """Whether something is written to what a context manager sets anew, or into it."""
        root = write.path.root
        fields = {item.name for item in write.path.selectors if isinstance(item, Field)}
        if root.owner is Owner.GLOBAL and root in self._places(root.module).variables:
            return True
        return bool(fields) and not fields.isdisjoint(self._places(write.site.module).attributes)

    def _places(self, key: str) -> _Places:
        return self._world.modules[key].once(Restored, lambda: self._look(key))

    def _look(self, key: str) -> _Places:
        writes = [
            write
            for ref in self._world.code(key)
            for write in self._set_anew(ref)
            if write.form in _FORMS and write.change is Change.SET
        ]
        roots = (x.path.root for x in writes if x.form is Form.NAME)
        last = (x.path.selectors[-1] for x in writes if x.form is Form.ATTRIBUTE)
        return _Places(
            frozenset(root for root in roots if root.owner is Owner.GLOBAL),
            frozenset(item.name for item in last if isinstance(item, Field)),
        )

    def _set_anew(self, ref: FunctionRef) -> tuple[Write, ...]:
        """What a function sets at the end of a block: one that yields takes it back itself."""
        if ref.function.name in _EXITS:
            return self._world.interpreter.summary(ref).writes
        if not any(isinstance(item, Yield) for item in walk(ref.function.body)):
            return ()
        writes = self._world.interpreter.summary(ref).writes
        return tuple(x for x in writes if x.is_undone or x.value.paths == {x.path})
