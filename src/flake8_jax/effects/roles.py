"""Roles: how the parameters of a traced callable arrive."""

from collections.abc import Callable, Mapping
from enum import Enum

from flake8_jax.classes.walks import last_name
from flake8_jax.effects.callees import FunctionRef, Partial, Traced, innermost
from flake8_jax.effects.paths import AccessPath, Owner, Root
from flake8_jax.lowering.lower import unquoted
from flake8_jax.lowering.program import (
    Attr,
    Call,
    Comp,
    Const,
    Expr,
    Item,
    Kind,
    New,
    NewDict,
    Op,
    Parameter,
    Shape,
    Var,
)


class Role(Enum):
    """How an argument arrives in a traced function."""

    REBUILT = "rebuilt"
    """As a new object, with Tracers for its arrays."""
    COPIED = "copied"
    """As a new object, with the arrays that it had, or perhaps with Tracers."""
    SAME = "same"
    """As the caller's own object."""
    STATIC = "static"
    """As the caller's own object, which is plain Python."""

    @property
    def is_new(self) -> bool:
        """Whether it is another object than the caller's."""
        return self in (Role.REBUILT, Role.COPIED)


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


def required_names(ref: FunctionRef) -> frozenset[str]:
    """The parameters that have to be given, and not with None, as far as a function says."""
    return frozenset(
        item.name
        for item in ref.function.parameters
        if item.default is None and item.kind not in _PACKED and not allows_none(item.annotation)
    )


def allows_none(annotation: Expr | None) -> bool:
    """Whether an annotation allows None: ``Optional[Grid]``, ``Grid | None``, ``Any``."""
    match annotation:
        case Var(name=name) | Attr(name=name):
            return name in ("Any", "object")
        case Const(value=str() as text):
            written = unquoted(text)
            return written is None or allows_none(written)
        case Const(value=None):
            return True
        case Op(operands=operands):
            return any(map(allows_none, operands))
        case Item(base=base, key=key):
            parts = key.parts if isinstance(key, New) else (key,)
            return last_name(base) == "Optional" or any(map(allows_none, parts))
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
        is_given = position in transform.as_given
        if is_given or transform.closes_over or transform.hands_references:
            return Role.SAME
        if transform.differentiated is not None and position not in chosen:
            return Role.SAME
        if not transform.lifts or position in start.unmapped:
            return Role.COPIED
        return Role.REBUILT

    return role


def bound_roles(start: Traced) -> tuple[Role, ...]:
    """How those arguments arrive that were bound by position before the transform got a callable.

    They arrive as they are, unless it rebuilds the self of a method, or hands them on to another
    transform, for which they are arguments as any others.
    """
    names = _names(start)
    found: list[Role] = []
    rebuilds_self, kept = start.transform.rebuilds_self, start.static
    callee = start.callee
    while isinstance(callee, Partial | Traced):
        if isinstance(callee, Partial):
            own = [Role.SAME] * len(callee.bound)
            if callee.is_method and rebuilds_self and names[:1] and names[0] not in kept:
                own[0] = Role.REBUILT
            found = own + found
        else:
            rebuilds_self = rebuilds_self or callee.transform.rebuilds_self
            kept |= callee.static
            role = gathered_role(callee)
            for position, known in enumerate(found):
                is_static = position < len(names) and names[position] in callee.static
                if known is Role.SAME and not is_static:
                    found[position] = role(position)
        callee = callee.callee
    return tuple(found)


def _names(start: Traced) -> list[str]:
    """The names of the parameters that take one argument each."""
    function = innermost(start.callee)
    parameters = function.function.parameters if isinstance(function, FunctionRef) else ()
    return [item.name for item in parameters if item.kind not in _PACKED]


def _take_bound(start: Traced, found: dict[str, Role]) -> list[str]:
    """Note the parameters that have their argument already; the names of the others."""
    callee, named = start.callee, set[str]()
    while not isinstance(callee, FunctionRef):
        if isinstance(callee, Partial):
            named |= {name for name, _ in callee.named}
        elif not isinstance(callee, Traced):
            return []
        callee = callee.callee
    names, bound = _names(start), bound_roles(start)
    found.update(zip(names, bound, strict=False))
    found.update((name, Role.SAME) for name in names if name in named)
    return [name for name in names[len(bound) :] if name not in named]
