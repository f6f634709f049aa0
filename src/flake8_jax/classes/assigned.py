"""Of which classes the attributes are that methods assign: ``self.layer = Layer(…)``."""

from collections.abc import Iterator

from flake8_jax.classes.annotations import Annotated, annotated
from flake8_jax.classes.chosen import chosen
from flake8_jax.classes.table import ClassInfo, class_of
from flake8_jax.classes.walks import first_parameter, stores
from flake8_jax.knowledge.objects import (
    ARRAY_MAKERS,
    CONSTRUCTION,
    CONTAINER_FACTORIES,
    CONTAINER_MUTATORS,
    LAYERS,
    NNX_VARIABLES,
    REMOVALS,
)
from flake8_jax.lowering.program import (
    Attr,
    Call,
    Choice,
    Comp,
    Const,
    Eval,
    Expr,
    Function,
    Home,
    How,
    Item,
    Kind,
    New,
    NewDict,
    Op,
    Shape,
    Spread,
    Store,
    Target,
    Unpack,
    Var,
)
from flake8_jax.lowering.walk import flat, walk
from flake8_jax.resolution.bindings import bindings
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.resolve import Definition, Expression, Referent, resolve
from flake8_jax.resolution.scopes import Scope

_DISPLAYS = {
    Shape.LIST: External("builtins.list"),
    Shape.SET: External("builtins.set"),
    Shape.DICT: External("builtins.dict"),
}
_ARRAY = External("jax.Array")
_SAME = External("what an operator makes of the same attribute")
_ARITHMETIC = frozenset({"+", "-", "*", "/", "//", "**", "%", "@"})
_KNOWN = CONTAINER_FACTORIES | LAYERS | NNX_VARIABLES
_PACKED = (Kind.STAR, Kind.STARS)


def assigned(info: ClassInfo, name: str) -> frozenset[Annotated]:
    """What an attribute may be an instance of that a class or its ancestors assign.

    Nothing where one of them assigns something else. None is left out, as in annotations.
    """
    found = info.once((assigned, name), lambda: tuple(_assigned(info, name)))
    known = frozenset(item for item in found if item not in (None, _SAME))
    is_told = None not in found and (_SAME not in found or known == {_ARRAY})
    return known if is_told else frozenset()


def _assigned(info: ClassInfo, name: str) -> Iterator[Annotated | None]:
    for item in info.mro:
        yield from _in_body(item, name)
        for own in item.methods.values():
            for value in _values(item, own).get(name, ()):
                if value is not None and _is_computed_of(own, name, value):
                    yield _SAME
                else:
                    yield from _types(own.inside, value) if value is not None else (None,)


def held_by(info: ClassInfo, name: str) -> frozenset[Annotated]:
    """Of which classes the elements are of what an attribute holds: ``self.layers = [Layer()]``.

    Nothing where methods of the class or its ancestors put something else there.
    """
    found = info.once((held_by, name), lambda: tuple(_held(info, name)))
    known = frozenset(item for item in found if isinstance(item, ClassInfo))
    return known if len(known) == len({*found}) else frozenset()


def _held(info: ClassInfo, name: str) -> Iterator[Annotated | None]:
    for item in info.mro:
        for own in item.methods.values():
            for value in (*_values(item, own).get(name, ()), *_put(item, own).get(name, ())):
                elements = _elements(value) if value is not None else None
                if elements is None:
                    yield None
                    return
                for element in elements:
                    yield from _types(own.inside, element)


def _elements(value: Expr) -> tuple[Expr, ...] | None:
    """The elements of a container that is spelled out; None for anything else."""
    match value:
        case Const(value=None):
            return ()
        case New(shape=Shape.LIST | Shape.TUPLE, parts=parts):
            return None if any(isinstance(item, Spread) for item in parts) else parts
        case NewDict(keys=keys, values=values):
            return None if None in keys else values
        case Comp(shape=Shape.LIST | Shape.DICT, parts=parts):
            return parts[-1:]
    return None


def _put(info: ClassInfo, own: Definition) -> dict[str, list[Expr | None]]:
    """What a method puts into containers that attributes of its first parameter hold.

    Each element as a list of its own; None for what is not known.
    """
    return info.once((held_by, own), lambda: _added(own))


def _added(own: Definition) -> dict[str, list[Expr | None]]:
    found: dict[str, list[Expr | None]] = {}
    owner = first_parameter(own.made) if isinstance(own.made, Function) else None
    for statement in flat(own.made.body) if owner is not None else ():
        match statement:
            case Eval(
                value=Call(
                    callee=Attr(base=Attr(base=Var(name=first), name=name), name=method), args=args
                )
            ) if first == owner and method in CONTAINER_MUTATORS - REMOVALS:
                one = New(Shape.LIST, args) if method == "append" and len(args) == 1 else None
                found.setdefault(name, []).append(one)
            case Store(targets=targets, value=value):
                for target in targets:
                    match target:
                        case Item(base=Attr(base=Var(name=first), name=name)) if first == owner:
                            found.setdefault(name, []).append(New(Shape.LIST, (value,)))
    return found


def is_changed_by_methods(info: ClassInfo) -> bool:
    """Whether methods of a class store in objects, or call what changes containers."""
    return info.once(
        is_changed_by_methods,
        lambda: any(
            _changes(node)
            for name, own in info.methods.items()
            if name not in CONSTRUCTION
            for node in walk(own.made.body)
        ),
    )


def _changes(node: object) -> bool:
    match node:
        case Store(targets=targets):
            return not all(isinstance(item, Var) for item in targets)
        case Call(callee=Attr(name=name)):
            return name in CONTAINER_MUTATORS or name == "__setattr__"
        case Call(callee=Var(name="setattr")):
            return True
    return False


def _is_computed_of(own: Definition, name: str, value: Expr) -> bool:
    """Whether an operator computes a value of the same attribute: of an array it makes one."""
    owner = first_parameter(own.made) if isinstance(own.made, Function) else None
    stack: list[Expr] = [value] if isinstance(value, Op) else []
    while stack:
        match stack.pop():
            case Op(symbol=symbol, operands=operands) if symbol in _ARITHMETIC:
                stack += operands
            case Attr(base=Var(name=first), name=attribute) if (first, attribute) == (owner, name):
                return True
    return False


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
            yield from _variable(scope, value)
        case _:
            yield None


def _made_by(referent: Referent) -> Annotated | None:
    """The class that a callable makes objects of."""
    if isinstance(referent, External):
        if referent.dotted.startswith(ARRAY_MAKERS):
            return _ARRAY
        return referent if referent.dotted in _KNOWN else None
    return class_of(referent)


def _variable(scope: Scope, var: Var) -> Iterator[Annotated | None]:
    """What a variable of a method holds: what a call has made, or a parameter."""
    for found in resolve(scope, var):
        match found:
            case Expression(expr=Call() as call) if found.scope is scope:
                yield from map(_made_by, chosen(scope, call.callee))
            case _:
                yield from _parameter(scope, var.name)


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
