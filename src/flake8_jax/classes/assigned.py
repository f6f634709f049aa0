"""Of which classes the attributes are that methods assign: ``self.layer = Layer(…)``."""

from collections.abc import Iterator

from flake8_jax.classes.annotations import Annotated, annotated
from flake8_jax.classes.chosen import chosen
from flake8_jax.classes.table import ClassInfo, class_of
from flake8_jax.classes.walks import first_parameter, stores
from flake8_jax.knowledge.objects import ARRAY_MAKERS, CONTAINER_FACTORIES, LAYERS, NNX_VARIABLES
from flake8_jax.lowering.program import (
    Attr,
    Call,
    Choice,
    Comp,
    Const,
    Expr,
    Function,
    Home,
    How,
    Kind,
    New,
    NewDict,
    Op,
    Shape,
    Store,
    Target,
    Unpack,
    Var,
)
from flake8_jax.resolution.bindings import bindings
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.resolve import Definition, Referent
from flake8_jax.resolution.scopes import Scope

_DISPLAYS = {
    Shape.LIST: External("builtins.list"),
    Shape.SET: External("builtins.set"),
    Shape.DICT: External("builtins.dict"),
}
_ARRAY = External("jax.Array")
_KNOWN = CONTAINER_FACTORIES | LAYERS | NNX_VARIABLES
_PACKED = (Kind.STAR, Kind.STARS)


def assigned(info: ClassInfo, name: str) -> frozenset[Annotated]:
    """What an attribute may be an instance of that a class or its ancestors assign.

    Nothing where one of them assigns something else. None is left out, as in annotations.
    """
    found = info.once((assigned, name), lambda: tuple(_assigned(info, name)))
    known = frozenset(item for item in found if item is not None)
    return known if None not in found else frozenset()


def _assigned(info: ClassInfo, name: str) -> Iterator[Annotated | None]:
    for item in info.mro:
        yield from _in_body(item, name)
        for own in item.methods.values():
            for value in _values(item, own).get(name, ()):
                yield from _types(own.inside, value) if value is not None else (None,)


def _in_body(info: ClassInfo, name: str) -> Iterator[Annotated]:
    """What the body of a class binds a name to, as far as that is known."""
    for item in bindings(info.inside, name) if name in info.bound else ():
        if isinstance(item.source, New | NewDict | Comp | Call):
            yield from (x for x in _types(info.inside, item.source) if x is not None)


def _values(info: ClassInfo, own: Definition) -> dict[str, list[Expr | None]]:
    """What a method assigns to attributes of its first parameter; None for what is not known."""
    return info.once((assigned, own), lambda: _stored(own))


def _stored(own: Definition) -> dict[str, list[Expr | None]]:
    found: dict[str, list[Expr | None]] = {}
    owner = first_parameter(own.made) if isinstance(own.made, Function) else None
    for statement in stores(own.made.body) if owner is not None else ():
        if _adds_constant(statement):
            continue
        value = statement.value if statement.how is How.ASSIGN else None
        for target in statement.targets:
            for name, known in _attributes(target, owner, value):
                found.setdefault(name, []).append(known)
    return found


def _adds_constant(statement: Store) -> bool:
    """Whether a statement leaves something of the same kind behind."""
    match statement:
        case Store(value=Op(operands=(_, Const())), how=How.AUGMENT):
            return True
    return False


def _attributes(
    target: Target, owner: str | None, value: Expr | None
) -> Iterator[tuple[str, Expr | None]]:
    stack = [(target, value)]
    while stack:
        here, known = stack.pop()
        if isinstance(here, Unpack):
            stack += [(item, None) for item in here.targets]
        elif isinstance(here, Attr) and isinstance(here.base, Var) and here.base.name == owner:
            yield here.name, known


def _types(scope: Scope, value: Expr) -> Iterator[Annotated | None]:
    match value:
        case Const(value=None):
            return
        case New(shape=shape) | Comp(shape=shape):
            yield _DISPLAYS.get(shape)
        case NewDict():
            yield _DISPLAYS[Shape.DICT]
        case Call():
            yield from map(_made_by, chosen(scope, value.callee))
        case Choice(then=then, orelse=orelse):
            yield from _types(scope, then)
            yield from _types(scope, orelse)
        case Var(home=Home.LOCAL):
            yield from _parameter(scope, value.name)
        case _:
            yield None


def _made_by(referent: Referent) -> Annotated | None:
    """The class that a callable makes objects of."""
    if isinstance(referent, External):
        if referent.dotted.startswith(ARRAY_MAKERS):
            return _ARRAY
        return referent if referent.dotted in _KNOWN else None
    return class_of(referent)


def _parameter(scope: Scope, name: str) -> Iterator[Annotated | None]:
    """What a parameter is annotated with that nothing else is bound to."""
    function = scope.made
    bound = len(bindings(scope, name)) == 1
    for item in function.parameters if isinstance(function, Function) and bound else ():
        if item.name == name and item.annotation is not None and item.kind not in _PACKED:
            found = annotated(scope, item.annotation)
            yield from found or (None,)
            return
    yield None
