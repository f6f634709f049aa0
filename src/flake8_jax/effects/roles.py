"""Roles: how the parameters of a traced callable arrive."""

from collections.abc import Callable, Mapping
from enum import Enum

from flake8_jax.effects.callees import FunctionRef, Partial, Traced, innermost
from flake8_jax.effects.paths import AccessPath, Owner, Root
from flake8_jax.lowering.program import (
    Attr,
    Call,
    Comp,
    Kind,
    New,
    NewDict,
    Parameter,
    Shape,
    Var,
)


class Role(Enum):
    """How an argument arrives in a traced function."""

    REBUILT = "rebuilt"
    """As a new object, with Tracers for its arrays."""
    SAME = "same"
    """As the caller's own object."""
    STATIC = "static"
    """As the caller's own object, which is plain Python."""


_PACKED = (Kind.STAR, Kind.STARS)


def roles(start: Traced) -> Mapping[str, Role]:
    """The roles of the parameters of the function that a transform traces in the end."""
    function = innermost(start.callee)
    if not isinstance(function, FunctionRef):
        return {}
    found = {item.name: Role.REBUILT for item in function.function.parameters}
    free = _take_bound(start, found)
    role = gathered_role(start)
    for position, name in enumerate(free):
        found[name] = Role.STATIC if name in start.static else role(position)
    return found


def has_own_object(parameter: Parameter) -> bool:
    """Whether the default of a parameter is an object that lives on from call to call."""
    match parameter.default:
        case New(shape=shape):
            return shape in (Shape.LIST, Shape.SET, Shape.DICT)
        case NewDict() | Comp() | Call() | Var() | Attr():
            return True
    return False


def default_object(ref: FunctionRef, name: str) -> AccessPath:
    """The object that a parameter holds where nobody gives it another one."""
    return AccessPath(Root(Owner.ARGUMENT, name, scope=ref.scope))


def gathered_role(start: Traced) -> Callable[[int | None], Role]:
    """The role of an argument that ``*args`` or ``**kwargs`` gathers, by its position among all."""
    transform = start.transform
    chosen = start.differentiated or frozenset({0})

    def role(position: int | None) -> Role:
        if position is not None and position in start.static:
            return Role.STATIC
        if transform.closes_over or transform.hands_references:
            return Role.SAME
        if transform.differentiated is not None and position not in chosen:
            return Role.SAME
        return Role.REBUILT

    return role


def _take_bound(start: Traced, found: dict[str, Role]) -> list[str]:
    """Note the parameters that have their argument already; the names of the others."""
    callee, bound, named = start.callee, 0, set[str]()
    own_self = False
    while not isinstance(callee, FunctionRef):
        if isinstance(callee, Partial):
            bound += len(callee.bound)
            named |= {name for name, _ in callee.named}
            own_self = own_self or callee.is_method
            callee = callee.callee
        elif isinstance(callee, Traced):
            callee = callee.callee
        else:
            return []
    names = [item.name for item in callee.function.parameters if item.kind not in _PACKED]
    for position, name in enumerate(names):
        rebuilt = own_self and position == 0 and start.transform.rebuilds_self
        if (position < bound or name in named) and not rebuilt:
            found[name] = Role.SAME
    return [name for name in names[bound:] if name not in named]
