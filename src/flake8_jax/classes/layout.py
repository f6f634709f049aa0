"""The layout of a pytree class: its fields, and what its own flatten functions hand to JAX."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from flake8_jax.classes import limits
from flake8_jax.classes.arguments import keyword, positional
from flake8_jax.classes.markers import Registration
from flake8_jax.classes.registration import registration
from flake8_jax.classes.table import ClassInfo, factory
from flake8_jax.classes.walks import (
    called_name,
    first_parameter,
    is_var,
    last_name,
    stores,
)
from flake8_jax.knowledge.pytrees import (
    NAMED_TUPLE,
    NEVER_ARRAYS,
    NEVER_LEAVES,
    REGISTERED,
    STATIC_ANNOTATIONS,
    STATIC_FIELD_CALLS,
    STATIC_FIELD_KEYWORDS,
    Filling,
)
from flake8_jax.lowering.program import (
    Attr,
    Call,
    Closure,
    Const,
    Declare,
    Expr,
    Function,
    New,
    NewDict,
    Return,
    Shape,
    Store,
    Unpack,
    Var,
)
from flake8_jax.lowering.stores import DICTIONARY, dictionary_owner
from flake8_jax.lowering.walk import flat, walk
from flake8_jax.resolution.callee import arguments, callees
from flake8_jax.resolution.resolve import Definition, Expression, resolve
from flake8_jax.resolution.scopes import Position, Scope, inner_scope

_FLATTEN_METHODS = ("tree_flatten", "tree_flatten_with_keys")
_FLATTEN_KEYWORDS = ("flatten_func", "flatten_with_keys")
_MAKERS = ("tree_unflatten", "__init__", "__post_init__", "__setstate__")
_QUOTED = re.compile(r"\s*(?:\w+\s*\.\s*)*(\w+)\s*(?:\[|$)")


class Field(NamedTuple):
    """A field that a class body declares: an annotated name."""

    name: str
    owner: ClassInfo
    annotation: Expr
    value: Expr | None
    """Its default, or the call that describes it."""
    position: Position
    is_static: bool
    """Whether it is no leaf: JAX sees it as a Python value, never as a Tracer."""

    @property
    def kind(self) -> str | None:
        """The last part of its annotation: ``Array`` of ``jax.Array``."""
        return annotated_kind(self.annotation)


def annotated_kind(annotation: Expr) -> str | None:
    """The last part of an annotation, also of one in quotes."""
    if isinstance(annotation, Const):
        match = _QUOTED.match(annotation.value) if isinstance(annotation.value, str) else None
        return match[1] if match is not None else None
    return last_name(annotation)


def own_fields(info: ClassInfo) -> tuple[Field, ...]:
    """The fields that a class body declares itself."""
    return info.once(own_fields, lambda: tuple(_own_fields(info)))


def _own_fields(info: ClassInfo) -> Iterator[Field]:
    for statement in info.body:
        if isinstance(statement, Declare):
            if isinstance(statement.target, Var):
                name = statement.target.name
                yield _field(info, name, statement.annotation, None, statement.span)
        elif isinstance(statement, Store) and statement.annotation is not None:
            for target in statement.targets:
                if isinstance(target, Var):
                    given = statement.value
                    yield _field(info, target.name, statement.annotation, given, statement.span)


def _field(info: ClassInfo, name: str, annotation: Expr, value: Expr | None, span: int) -> Field:
    is_static = annotated_kind(annotation) in STATIC_ANNOTATIONS
    if isinstance(value, Call):
        is_static = is_static or _declares_static(value, info.inside, limits.FIELD_STEPS)
    position = (info.definition.position[0], span)
    return Field(name, info, annotation, value, position, is_static)


def fields(info: ClassInfo) -> tuple[Field, ...]:
    """The fields of a class and its ancestors, as a dataclass orders them.

    Those of the ancestors come first. One that is declared again keeps its place.
    """
    return info.once(fields, lambda: tuple(_fields(info)))


def _fields(info: ClassInfo) -> Iterable[Field]:
    found: dict[str, Field] = {}
    for item in reversed(info.mro):
        found |= {field.name: field for field in own_fields(item)}
    return found.values()


def _declares_static(call: Call, scope: Scope, steps: int) -> bool:
    """Whether a call makes a static field, itself or in a function of the project's own."""
    if called_name(call) in STATIC_FIELD_CALLS:
        return True
    bound = [item for used in callees(scope, call.callee) for item in used.arguments]
    options = {item.keyword: item.value.expr for item in bound} | dict(call.keywords)
    metadata = options.get("metadata")
    options |= dict(_entries(metadata))
    if any(_is(options.get(name), expected) for name, expected in STATIC_FIELD_KEYWORDS.items()):
        return True
    return steps > 0 and any(
        _declares_static(inner, here, steps - 1)
        for function, here in functions_of(scope, call.callee)
        for inner in _returned(function)
        if isinstance(inner, Call)
    )


def _returned(function: Function) -> Iterator[Expr]:
    for item in flat(function.body):
        if isinstance(item, Return) and item.value is not None:
            yield item.value


def _is(value: Expr | None, expected: bool) -> bool:
    return isinstance(value, Const) and value.value is expected


def _entries(literal: Expr | None) -> Iterator[tuple[str | None, Expr]]:
    """The keys and values of ``dict(static=True)`` or ``{"static": True}``."""
    if isinstance(literal, Call):
        yield from literal.keywords
    if isinstance(literal, NewDict):
        for key, value in zip(literal.keys, literal.values, strict=True):
            if isinstance(key, Const) and isinstance(key.value, str):
                yield key.value, value


class Routine(NamedTuple):
    """A function, and the scope of its body."""

    function: Function
    inside: Scope


def functions_of(scope: Scope, expr: Expr) -> Iterator[Routine]:
    """The functions and lambdas of the project that an expression may stand for."""
    for referent in resolve(scope, expr):
        match referent:
            case Definition(made=Function() as function):
                yield Routine(function, referent.inside)
            case Expression(expr=Closure(function=function)):
                yield Routine(function, inner_scope(function, referent.scope, referent.position))


def is_registered(made: Registration) -> bool:
    """Whether a class is registered with functions that take it apart, itself or with its base."""
    return made.kind.label == REGISTERED.label


def filling(info: ClassInfo, made: Registration) -> Filling:
    """What happens to the tree when an instance's ``__dict__`` is filled."""
    if any(_walks_dict(item.function) for item in flatteners(info, made)):
        return Filling.CHANGES_TREE
    return made.kind.filling


def may_hold_arrays(info: ClassInfo, made: Registration) -> bool:
    """Whether a class may be handed to jit: a tuple of strings, or of an iterator, is not."""
    if made.kind.update != NAMED_TUPLE.update:
        return True
    named = {field.kind for item in info.mro for field in own_fields(item)}
    return not named or not (named <= NEVER_ARRAYS or named & NEVER_LEAVES)


def static_fields(info: ClassInfo) -> frozenset[str]:
    """The fields that are static: JAX sees them as Python values, never as Tracers."""
    return info.once(static_fields, lambda: _static_fields(info))


def _static_fields(info: ClassInfo) -> frozenset[str]:
    found = {field.name for field in fields(info) if field.is_static}
    made = registration(info)
    if made is not None:
        listed = keyword(made.arguments, "meta_fields")
        if listed is None and made.marker.endswith("register_dataclass"):
            listed = next(iter(positional(made.arguments)[2:3]), None)
        found |= _strings(listed)
        for flatten in flatteners(info, made):
            found |= auxiliary(flatten.function)
    return frozenset(found)


def _strings(value: Expression | None) -> frozenset[str]:
    """The strings of a list or tuple that is written down, here or under a name."""
    found: set[str] = set()
    for item in resolve(value.scope, value.expr, value.position) if value is not None else ():
        if isinstance(item, Expression) and isinstance(item.expr, New):
            texts = [part.value for part in item.expr.parts if isinstance(part, Const)]
            found |= {text for text in texts if isinstance(text, str)}
    return frozenset(found)


def flatteners(info: ClassInfo, made: Registration) -> tuple[Routine, ...]:
    """The functions that take an instance apart."""
    if not is_registered(made):
        return ()
    given = [*positional(made.arguments)[1:2]]
    given += [
        value for name in _FLATTEN_KEYWORDS if (value := keyword(made.arguments, name)) is not None
    ]
    methods = [info.method(name) for name in _FLATTEN_METHODS]
    return (
        *(found for value in given for found in functions_of(value.scope, value.expr)),
        *(routine(item) for item in methods if item is not None),
    )


def routine(own: Definition) -> Routine:
    """The function of a definition."""
    assert isinstance(own.made, Function)
    return Routine(own.made, own.inside)


def _unflatteners(made: Registration) -> list[Routine]:
    """The functions that put an instance together, also with some of their arguments bound."""
    given = [*positional(made.arguments)[2:3]]
    named = keyword(made.arguments, "unflatten_func")
    given += [named] if named is not None else []
    return [
        found
        for value in given
        for expr in _without_bound(value.expr)
        for found in functions_of(value.scope, expr)
    ]


def _without_bound(expr: Expr) -> tuple[Expr, ...]:
    """A function, or that of ``partial(function, ...)``."""
    is_partial = isinstance(expr, Call) and called_name(expr) in ("partial", "Partial")
    return expr.args[:1] if isinstance(expr, Call) and is_partial else (expr,)


def restores(info: ClassInfo, made: Registration, attribute: str) -> bool:
    """Whether the class's own flatten hands the attribute out, and unflatten puts it back."""
    found = (item.function for item in flatteners(info, made))
    if not any(attribute in _reads(item.body, first_parameter(item)) for item in found):
        return False
    makers = [routine(item) for item in _makers(info)] + _unflatteners(made)
    return any(_writes(maker.function, attribute) for maker in makers)


def _makers(info: ClassInfo) -> Iterator[Definition]:
    """The methods that make or complete an instance, and those that they override."""
    for owner in info.mro:
        yield from (owner.methods[name] for name in _MAKERS if name in owner.methods)


def rebuilds_by_construction(info: ClassInfo, made: Registration) -> bool:
    """Whether jit rebuilds an instance as the program makes one: by a call of the class."""
    makers = _unflatteners(made)
    unflatten = info.method("tree_unflatten")
    if unflatten is not None:
        makers.append(routine(unflatten))
    nodes = (node for maker in makers for node in walk(maker.function.body))
    return not any(isinstance(node, Var | Attr) and node.name == "__new__" for node in nodes)


def _walks_dict(flatten: Function) -> bool:
    owner = first_parameter(flatten)
    if owner is None:
        return False
    nodes = (node for node in walk(flatten.body) if isinstance(node, Attr | Call))
    return any(is_var(dictionary_owner(node), owner) for node in nodes)


def _reads(node: object, owner: str | None) -> frozenset[str]:
    """The attributes of the variable ``owner`` that are mentioned below a node."""
    found = (item for item in walk(node) if isinstance(item, Attr))
    return frozenset(item.name for item in found if owner and is_var(item.base, owner))


def _writes(function: Function, attribute: str) -> bool:
    """Whether a function stores an attribute, on whatever object, in whatever way."""
    for node in walk(function.body):
        match node:
            case Store(targets=targets):
                if any(
                    isinstance(item, Attr | Var) and item.name == attribute
                    for item in walk(targets)
                ):
                    return True
            case Call(keywords=named) if any(name == attribute for name, _ in named):
                return True
            case Const(value=str() as text) if text == attribute:
                return True
            case Attr(name=name) if name == DICTIONARY:
                return True
    return False


def auxiliary(flatten: Function) -> frozenset[str]:
    """The attributes that a flatten function hands out as auxiliary data, and not as children."""
    owner = first_parameter(flatten)
    values: dict[str, list[Expr]] = {}
    results: list[Expr] = [*_returned(flatten)]
    for statement in stores(flatten.body):
        for target in statement.targets:
            for name, value in _bound(target, statement.value):
                values.setdefault(name, []).append(value)

    def reached(node: Expr) -> frozenset[str]:
        nodes, seen = [node], set[str]()
        found: frozenset[str] = frozenset()
        while nodes:
            here = nodes.pop()
            found |= _reads(here, owner)
            for item in walk(here):
                if isinstance(item, Var) and item.name not in seen:
                    seen.add(item.name)
                    nodes += values.get(item.name, [])
        return found

    children: frozenset[str] = frozenset()
    handed: frozenset[str] = frozenset()
    for first, second in _pairs(results, values):
        children |= reached(first)
        handed |= reached(second)
    return handed - children


def _bound(target: object, value: Expr) -> Iterator[tuple[str, Expr]]:
    """The variables that an assignment binds, each with its part of the value."""
    if isinstance(target, Var):
        yield target.name, value
    elif isinstance(target, Unpack) and isinstance(value, New):
        if target.star is None and len(target.targets) == len(value.parts):
            for inner, part in zip(target.targets, value.parts, strict=True):
                yield from _bound(inner, part)


def _pairs(results: Sequence[Expr], values: dict[str, list[Expr]]) -> Iterator[tuple[Expr, Expr]]:
    """The children and the auxiliary data that are handed back, also by the name of the pair."""
    for result in results:
        named = values.get(result.name, []) if isinstance(result, Var) else [result]
        for item in named:
            if isinstance(item, New) and item.shape is Shape.TUPLE and len(item.parts) == 2:
                yield item.parts[0], item.parts[1]


def listed_names(base: Expression) -> frozenset[str] | None:
    """The fields that ``namedtuple("P", "x y")`` and ``NamedTuple("P", [("x", int)])`` list.

    None where they are not written down.
    """
    if factory(base) is None or not isinstance(base.expr, Call):
        return None
    given = arguments(base.expr, base.scope, base.position)
    values = [*positional(given)[1:2]]
    values += [item for name in ("field_names", "fields") if (item := keyword(given, name))]
    listed = values[0].expr if values else None
    if isinstance(listed, Const) and isinstance(listed.value, str):
        return frozenset(listed.value.replace(",", " ").split())
    if not isinstance(listed, New) or listed.shape not in (Shape.LIST, Shape.TUPLE):
        return None
    names = frozenset(name for part in listed.parts if (name := _first_text(part)) is not None)
    return names if len(names) == len(listed.parts) else None


def _first_text(part: Expr) -> str | None:
    """The string in ``"x"`` or ``("x", int)``."""
    if isinstance(part, New) and part.parts:
        part = part.parts[0]
    return part.value if isinstance(part, Const) and isinstance(part.value, str) else None
