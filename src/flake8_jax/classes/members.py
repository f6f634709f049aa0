"""What an attribute of an instance is: a method, a property, a cache, or a field.

The nearest class in the order of Python decides.
"""

from collections.abc import Iterator
from enum import Enum
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from flake8_jax.classes.annotations import Annotated, annotated, elements
from flake8_jax.classes.caches import CacheForm, caching
from flake8_jax.classes.layout import Routine, fields, routine, static_fields
from flake8_jax.classes.table import ClassInfo, class_info, class_of, decorations, is_accessor
from flake8_jax.classes.walks import first_parameter, is_abstract, is_blank, is_var, stores
from flake8_jax.knowledge.caches import JITS
from flake8_jax.knowledge.objects import KEEPS_SIGNATURE, PROTOCOLS
from flake8_jax.lowering.program import (
    Attr,
    Call,
    Class,
    Closure,
    Define,
    Expr,
    Function,
    Spread,
    Var,
)
from flake8_jax.resolution.bindings import Binding as Bound
from flake8_jax.resolution.bindings import bindings
from flake8_jax.resolution.callee import Callee, all_in, callees
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.resolve import Definition, Expression, defined, definition, resolve
from flake8_jax.resolution.scopes import END, Position, inner_scope

F = TypeVar("F")
T = TypeVar("T")

_PROPERTIES = frozenset({"builtins.property", "functools.cached_property"})
_IMPLICIT = {"__new__": "builtins.staticmethod"} | dict.fromkeys(
    ("__init_subclass__", "__class_getitem__"), "builtins.classmethod"
)
_TRANSPARENT = KEEPS_SIGNATURE | JITS
_ABSTRACT = frozenset({"abc.abstractmethod", "abc.abstractproperty"})


class Binding(Enum):
    """What a method gets as its first argument."""

    INSTANCE = "self"
    CLASS = "cls"
    NOTHING = "nothing"


class MethodMember(NamedTuple, Generic[F]):
    """A method."""

    function: F
    binding: Binding = Binding.INSTANCE
    is_cached: bool = False
    """Whether a function cache keeps its results."""
    is_wrapped: bool = False
    """Whether a decorator may make something else of it, with other parameters or results."""
    is_replaced: bool = False
    """Whether instances may have something else under its name, with other parameters."""


class PropertyMember(NamedTuple, Generic[F]):
    """A property, cached or not."""

    getter: F
    setter: F | None = None
    is_cached: bool = False


class FieldMember(NamedTuple, Generic[T]):
    """An attribute that holds a value."""

    types: frozenset[T] = frozenset()
    is_static: bool = False
    """Whether the class hands it to JAX as static data."""
    elements: frozenset[T] = frozenset()
    """What the elements of a container are, as far as the annotation tells."""


Member: TypeAlias = MethodMember[Routine] | PropertyMember[Routine] | FieldMember[Annotated]
_ENUMERATIONS = frozenset(
    f"enum.{name}" for name in ("Enum", "Flag", "IntEnum", "IntFlag", "ReprEnum", "StrEnum")
)
_BINDINGS = {"builtins.staticmethod": Binding.NOTHING, "builtins.classmethod": Binding.CLASS}


def member(info: ClassInfo, name: str) -> Member | None:
    """What an attribute of an instance is; None where that is not known."""
    return info.once((member, name), lambda: _member(info, name))


def _member(info: ClassInfo, name: str) -> Member | None:
    found = member_among(info, info.mro, name)
    if isinstance(found, MethodMember) and any(name in _replaced(item) for item in info.mro):
        return found._replace(is_replaced=True)
    return found


def member_among(info: ClassInfo, order: tuple[ClassInfo, ...], name: str) -> Member | None:
    """What an attribute of an instance is, if only some classes of its order are asked."""
    for item in order:
        found = bindings(item.inside, name)
        if found:
            return _of_binding(item, info, found)
        if name in static_fields(item) or any(field.name == name for field in fields(item)):
            return _field(info, name)
    if any(name in _stored_on_self(item) for item in order):
        return _field(info, name)
    return None


def _field(info: ClassInfo, name: str) -> FieldMember[Annotated]:
    types = held = frozenset[Annotated]()
    for field in fields(info):
        if field.name == name:
            told = field.owner.inside, field.annotation, field.position
            types, held = annotated(*told), elements(*told)
    return FieldMember(types, name in static_fields(info), held)


def _of_binding(owner: ClassInfo, info: ClassInfo, found: tuple[Bound, ...]) -> Member | None:
    last = found[-1]
    if isinstance(last.source, Define):
        own = definition(owner.inside, last.source, last.position)
        if isinstance(own.made, Function):
            return _of_function(owner, own, found[:-1])
        return FieldMember()
    if _is_enumeration(owner):
        return FieldMember(is_static=True)
    if last.source is not None and not any(field.name == last.name for field in fields(owner)):
        made = _of_value(owner, last)
        if made is not None:
            return made
    return _field(info, last.name)


def _is_enumeration(info: ClassInfo) -> bool:
    """Whether what a class body assigns are the members of an enumeration."""
    return any(
        isinstance(base, External) and base.dotted in _ENUMERATIONS
        for item in info.mro
        for found in item.bases
        for base in found
    )


def _of_function(owner: ClassInfo, own: Definition, before: tuple[Bound, ...]) -> Member | None:
    """The member that a function of a class body makes, with its decorators."""
    assert isinstance(own.made, Function)
    getter = routine(own)
    for decorator in own.statement.decorators:
        if is_accessor(decorator) and isinstance(decorator, Attr):
            return _with_accessor(owner, decorator, getter, before)
    names = [_names(found) for found in decorations(own)]
    cached = [caching(own.scope, item, own.position) for item in own.statement.decorators]
    forms = [item.form for item in cached if item is not None]
    if CacheForm.PROPERTY in forms or any(item & _PROPERTIES for item in names):
        return PropertyMember(getter, is_cached=bool(forms))
    binding = _BINDINGS.get(_IMPLICIT.get(own.made.name, ""), Binding.INSTANCE)
    is_wrapped = False
    for found, form in zip(names, cached, strict=True):
        kinds = [_BINDINGS[item] for item in found if item in _BINDINGS]
        binding = kinds[0] if kinds else binding
        is_wrapped |= form is None and not kinds and not (found and found <= _TRANSPARENT)
    return MethodMember(getter, binding, CacheForm.FUNCTION in forms, is_wrapped)


def _names(found: tuple[Callee, ...]) -> set[str]:
    return {item.target.dotted for item in found if isinstance(item.target, External)}


def is_deferred(own: Routine) -> bool:
    """Whether a method is there for subclasses to define: abstract, or it just raises."""
    if own.function.body and is_abstract(own.function):
        return True
    found = defined(own.inside)
    if found is None:
        return False
    is_described = is_blank(own.function) and _is_of_protocol(found)
    return is_described or any(_names(item) & _ABSTRACT for item in decorations(found))


def _is_of_protocol(own: Definition) -> bool:
    """Whether a function stands in the body of a protocol."""
    cls = defined(own.scope) if isinstance(own.scope.made, Class) else None
    info = class_info(cls) if cls is not None else None
    bases = info.bases if info is not None else ()
    return any(
        isinstance(base, External) and base.dotted in PROTOCOLS for found in bases for base in found
    )


def _with_accessor(
    owner: ClassInfo, decorator: Attr, accessor: Routine, before: tuple[Bound, ...]
) -> Member | None:
    """The property whose setter or deleter a function is: ``@x.setter``, ``@Base.x.setter``."""
    found: Member | None = None
    if isinstance(decorator.base, Var):
        found = _of_binding(owner, owner, before) if before else None
    elif isinstance(decorator.base, Attr):
        for referent in resolve(owner.inside, decorator.base.base):
            parent = class_of(referent)
            found = member(parent, decorator.base.name) if parent is not None else None
    if not isinstance(found, PropertyMember) or decorator.name != "setter":
        return found
    return found._replace(setter=accessor)


def _of_value(owner: ClassInfo, bound: Bound) -> Member | None:
    """The member that an assignment in a class body makes: an alias, ``x = property(get, set)``."""
    assert not isinstance(bound.source, Define)
    for referent in resolve(owner.inside, Var(bound.name, owner.inside.home), END):
        match referent:
            case Definition(made=Function()):
                if referent.scope is owner.inside:
                    return _of_function(owner, referent, ())
                return MethodMember(routine(referent), is_wrapped=bool(decorations(referent)))
            case Expression(expr=Closure(function=function)):
                inside = inner_scope(function, referent.scope, referent.position)
                return MethodMember(Routine(function, inside))
            case Expression(expr=Call() as call):
                return _of_call(owner, call, referent.position)
    return None


def _of_call(owner: ClassInfo, call: Call, position: Position) -> Member | None:
    given = [*(item for item in call.args if not isinstance(item, Spread))]
    named = dict(call.keywords)
    getter = _function(owner, given[0] if given else named.get("fget") or named.get("func"))
    if getter is None:
        return None
    form = caching(owner.inside, call.callee, position)
    names = _names(callees(owner.inside, call.callee, position))
    if names & _PROPERTIES or (form is not None and form.form is CacheForm.PROPERTY):
        setter = _function(owner, given[1] if len(given) > 1 else named.get("fset"))
        return PropertyMember(getter, setter, form is not None)
    kinds = [_BINDINGS[item] for item in names if item in _BINDINGS]
    if not kinds and form is None and not all_in(callees(owner.inside, call.callee), _TRANSPARENT):
        return None
    binding = kinds[0] if kinds else Binding.INSTANCE
    return MethodMember(getter, binding, form is not None)


def _function(owner: ClassInfo, expr: Expr | None) -> Routine | None:
    """The function that an argument stands for."""
    for referent in resolve(owner.inside, expr) if expr is not None else ():
        match referent:
            case Definition(made=Function()):
                return routine(referent)
            case Expression(expr=Closure(function=function)):
                inside = inner_scope(function, referent.scope, referent.position)
                return Routine(function, inside)
    return None


def _stored_on_self(info: ClassInfo) -> frozenset[str]:
    """The attributes that methods of a class assign on self."""
    return info.once(_stored_on_self, lambda: frozenset(name for name, _ in _stored(info)))


def _replaced(info: ClassInfo) -> frozenset[str]:
    """Those that may be called in another way than the method that the class has of that name."""
    return info.once(
        _replaced, lambda: frozenset(name for name, is_wrapping in _stored(info) if not is_wrapping)
    )


def _stored(info: ClassInfo) -> Iterator[tuple[str, bool]]:
    """The attributes that methods of a class assign on self.

    With each goes whether it gets itself, in something that is called alike: ``jax.jit(self.f)``.
    """
    for own in info.methods.values():
        assert isinstance(own.made, Function)
        owner = first_parameter(own.made)
        for statement in stores(own.made.body):
            for target in statement.targets:
                if isinstance(target, Attr) and is_var(target.base, owner):
                    yield target.name, _wraps(own, statement.value, target.name)


def _wraps(own: Definition, value: Expr, method: str) -> bool:
    match value:
        case Call(callee=callee, args=(Attr(name=name), *_)) if name == method:
            return all_in(callees(own.inside, callee), _TRANSPARENT)
    return False
