"""Frozen objects: where they refuse to be assigned, and where they are open.

That an object can still be assigned, because it is being made or was unlocked, is told by its type.
"""

from flake8_jax.effects.callees import ClassRef
from flake8_jax.effects.frame import Frame
from flake8_jax.effects.paths import AccessPath, Field, Owner
from flake8_jax.effects.subscripts import NONE
from flake8_jax.effects.summaries import Refusal
from flake8_jax.effects.values import Type, Value

_CLASS = Field("__class__")


def refused(frame: Frame, owner: Value, name: str, span: int, removing: bool = False) -> bool:
    """Whether an object refuses to be assigned; it is noted, unless somebody expects that."""
    types = owner.types - {NONE}
    if not types:
        return False
    if not all(frame.world.refuses(closed_type(item), name, removing) for item in types):
        return False
    if any(path.then(_CLASS) in frame.state.heap for path in owner.paths):
        return False  # it has been given another class
    site = frame.site(span)
    if any(is_open(item) for item in types):
        frame.permitted.add(site)
        return False
    if frame.world.opened_inside(frame.ref):
        return False
    if not frame.guarded:
        frame.refusals.setdefault(site, Refusal(site, name, types, _is_given(frame, owner)))
    return True


def _is_given(frame: Frame, owner: Value) -> bool:
    """Whether an object is an argument, or a part of one, and not the self of a method."""
    first = frame.ref.function.parameters[:1] if frame.world.receiver(frame.ref) else ()
    return any(
        path.root.owner is Owner.PARAMETER and path.root.name not in {item.name for item in first}
        for path in owner.paths
    )


def is_open(type_: Type) -> bool:
    """Whether an object of a type can be assigned, whatever its class says."""
    return isinstance(type_, ClassRef) and type_.is_open


def closed_type(type_: Type) -> Type:
    """The type of a complete object."""
    return type_._replace(is_open=False) if is_open(type_) else type_


def opened(value: Value) -> Value:
    """An object that can be assigned; one of a library is not known by its class then."""
    types = frozenset(
        item._replace(is_open=True) for item in value.types if isinstance(item, ClassRef)
    )
    return value.with_types(types if len(types) == len(value.types) else frozenset())


def closed(value: Value) -> Value:
    """A complete object."""
    if not any(map(is_open, value.types)):
        return value
    return value.with_types(frozenset(map(closed_type, value.types)))


def unlock(frame: Frame, objects: frozenset[AccessPath]) -> None:
    """Let the variables that hold some objects be assigned."""
    for name, value in [*frame.state.env.items()]:
        if value.types and not value.paths.isdisjoint(objects):
            frame.state.bind(name, opened(value))


def lock(frame: Frame, objects: frozenset[AccessPath]) -> None:
    """Let them be as their class says again."""
    for name, value in [*frame.state.env.items()]:
        if value.types and not value.paths.isdisjoint(objects):
            frame.state.bind(name, closed(value))
