"""Parameters: what they hold when a function begins."""

from flake8_jax.effects.callees import FunctionRef
from flake8_jax.effects.frame import Frame
from flake8_jax.effects.paths import AccessPath, Owner, Root
from flake8_jax.effects.subscripts import holding
from flake8_jax.effects.values import EMPTY, Contents, Type, Value, initial
from flake8_jax.effects.world import Given, World
from flake8_jax.lowering.program import Const, Item, Kind, Op, Parameter

_PACKED = (Kind.STAR, Kind.STARS)


def enter(frame: Frame, given: Given) -> None:
    """Give the parameters what they hold at first: what is known of it, or what is annotated."""
    known = dict(given)
    ref = frame.ref
    receiver = frame.world.receiver(ref)
    for position, parameter in enumerate(ref.function.parameters):
        value = known.get(parameter.name)
        if value is None:
            value = initial(AccessPath(Root(Owner.PARAMETER, parameter.name)))
        if not value.types and parameter.kind not in _PACKED:
            value = value.with_types(_annotated(frame.world, ref, parameter))
            if receiver is not None and not position and not value.types:
                value = value.with_types(receiver.types).with_callees(receiver.callees)
        if value.contents == EMPTY and parameter.kind not in _PACKED:
            value = _holding(frame, value, parameter)
        frame.state.bind(parameter.name, value)


def _holding(frame: Frame, value: Value, parameter: Parameter) -> Value:
    """A container, with what its annotation says of its elements."""
    if not isinstance(parameter.annotation, Item | Op | Const):
        return value
    types = frame.world.elements(parameter.annotation, frame.ref)
    return value.with_contents(Contents(parts=holding(types))) if types else value


def types_of(world: World, ref: FunctionRef, given: Given, name: str) -> frozenset[Type]:
    """What a parameter is one of, as far as it is given, annotated or the self of a method."""
    known = dict(given).get(name)
    if known is not None and known.types:
        return known.types
    for position, parameter in enumerate(ref.function.parameters):
        if parameter.name == name and parameter.kind not in _PACKED:
            receiver = world.receiver(ref) if not position else None
            own = receiver.types if receiver is not None else frozenset()
            return _annotated(world, ref, parameter) or own
    return frozenset()


def _annotated(world: World, ref: FunctionRef, parameter: Parameter) -> frozenset[Type]:
    if parameter.annotation is None:
        return frozenset()
    return world.annotated(parameter.annotation, ref)
