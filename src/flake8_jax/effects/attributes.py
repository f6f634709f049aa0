"""Reads and writes attributes: fields, methods, properties and caches."""

from flake8_jax.classes.members import Binding, FieldMember, MethodMember, PropertyMember
from flake8_jax.classes.walks import is_blank
from flake8_jax.effects.binding import Arguments
from flake8_jax.effects.callees import (
    AnyCallee,
    ClassRef,
    External,
    FunctionRef,
    Inherited,
    Method,
    Partial,
    innermost,
)
from flake8_jax.effects.frame import Frame, field
from flake8_jax.effects.instantiate import apply, defined_object
from flake8_jax.effects.limits import DOTTED
from flake8_jax.effects.memos import cause
from flake8_jax.effects.openness import closed_type, refused
from flake8_jax.effects.paths import Field, Owner, Some, in_order
from flake8_jax.effects.subscripts import (
    AT,
    AT_REFERENCE,
    ATTRIBUTES,
    REFERENCE,
    held_at_first,
    holding,
    is_array,
    is_number,
)
from flake8_jax.effects.summaries import Form
from flake8_jax.effects.values import (
    CONCRETE,
    PLAIN,
    STATIC_DATA,
    UNKNOWN,
    Type,
    Value,
    derived,
    doubtful,
    join,
    types_in_order,
)
from flake8_jax.effects.world import Member
from flake8_jax.knowledge.objects import (
    ARRAY_METHODS,
    ARRAY_UPDATES,
    CONTAINER_MUTATORS,
    ELEMENT_METHODS,
    LAYERS,
)
from flake8_jax.knowledge.pytrees import CREATORS
from flake8_jax.knowledge.values import STATIC_ATTRIBUTES, TEXTS
from flake8_jax.lowering.stores import DICTIONARY, Change

_VIEWS = frozenset({"T", "imag", "mT", "real"})
"""Attributes of an array that are arrays."""
_TEXTS: frozenset[Type] = frozenset(map(External, TEXTS))
ANY_NAME = "*"
"""The name of an attribute that is not known."""


def read_some_attribute(frame: Frame, owner: Value) -> Value:
    """The value of ``getattr(owner, name)`` with a name that is not known."""
    frame.read(path.then(Some.FIELD) for path in owner.paths | owner.contents.shares)
    value = frame.state.part(owner, Some.FIELD)
    value = value.with_origin(doubtful(value.origin)).with_callees(())
    is_known = bool(owner.types) and all(isinstance(item, ClassRef) for item in owner.types)
    return value if is_known else value.inexact()


def read_attribute(frame: Frame, owner: Value, name: str, span: int) -> Value:
    """The value of ``owner.name``."""
    externals = [item for item in owner.callees if isinstance(item, External)]
    if externals:
        found = [_of_library(frame, f"{item.dotted}.{name}") for item in externals]
        known = [item for item in found if item is not None]
        return join(known) if known else frame.reached(None)
    if name == "__func__" and owner.callees:
        return _behind_methods(frame, owner)
    of_classes = [_of_class(frame, item, name) for item in owner.callees]
    if of_classes and None not in of_classes:
        return join(item for item in of_classes if item is not None)
    owner = _told_by(frame, owner, name)
    members = [_member(frame, type_, name) for type_ in types_in_order(owner.types)]
    if any(isinstance(item, Inherited) for item in owner.types):
        owner = _itself(owner)
    owner = defined_object(frame, owner)
    if members and None not in members:
        values = [_read(frame, owner, name, item, span) for item in members if item is not None]
        return join(value for value in values if value is not None)
    if name == "__class__":
        return class_of(owner)
    if name in STATIC_ATTRIBUTES:
        return PLAIN
    if name in _VIEWS and is_array(owner):
        frame.use(owner.out)
        return derived((owner,)).with_types(owner.types)
    if name == "at" and (_may_be_array(owner) or owner.types == {REFERENCE}):
        return _at(frame, owner)
    if name == DICTIONARY:
        return owner.with_types(owner.types | {ATTRIBUTES})
    held = [_member(frame, item, name) for item in owner.callees]
    own = held[0] if len(held) == 1 and isinstance(held[0], FieldMember) else FieldMember()
    value = _field(frame, owner, name, own)
    if any(path.then(field(name)) in value.paths for path in owner.paths):
        value = value.with_origin(doubtful(value.origin))
    return value if value.callees else value.with_callees((Method(owner, name),))


def _of_library(frame: Frame, dotted: str) -> Value | None:
    """What a dotted name stands for; a function that goes down attributes never comes to an end."""
    return frame.world.external(dotted, frame.ref) if dotted.count(".") < DOTTED else UNKNOWN


def _behind_methods(frame: Frame, owner: Value) -> Value:
    """The functions of bound methods; what is no method has none."""
    methods = [item for item in owner.callees if isinstance(item, Partial) and item.is_method]
    if not methods:
        return frame.reached(None)
    return Value(origin=CONCRETE, callees=tuple(item.callee for item in methods))


def _may_be_array(value: Value) -> bool:
    return not value.types or is_array(value) or is_number(value)


def class_of(value: Value) -> Value:
    """The class of a value."""
    types = map(closed_type, value.types)
    classes = sorted((item for item in types if isinstance(item, ClassRef)), key=repr)
    known = len(classes) == len(value.types)
    return Value(origin=CONCRETE, callees=tuple(classes) if known else ())


def _at(frame: Frame, owner: Value) -> Value:
    """The value of ``owner.at``; a reference is written through it."""
    if owner.types == {REFERENCE}:
        return owner.with_types(frozenset({AT_REFERENCE}))
    frame.use(owner.out)
    value = derived((owner,)).with_types(frozenset({AT}))
    return value.with_callees((Method(owner, "at"),))


def _told_by(frame: Frame, owner: Value, name: str) -> Value:
    """An argument of unknown class, which the name of a method tells: only one class has it."""
    if owner.types or not owner.paths or any(isinstance(x, Method) for x in owner.callees):
        return owner
    if any(isinstance(part, Field) for path in owner.paths for part in path.selectors):
        return owner
    if any(path.root.owner is Owner.FRESH for path in owner.paths):
        return owner
    types = frame.world.told_by(frame.ref, name)
    excluded = frame.state.excluded
    if excluded and any((path, cls) in excluded for path in owner.paths for cls in types):
        return owner
    return owner.with_types(types)


def callables(frame: Frame, value: Value) -> tuple[AnyCallee, ...]:
    """What a call of a value may run: also the method of an object that can be called."""
    if value.callees or not value.types:
        _ask(frame, value)
        return value.callees
    layers = [item for item in value.types if isinstance(item, External) and item.dotted in LAYERS]
    if len(layers) == len(value.types):
        called = (External(f"{item.dotted}(...)") for item in sorted(layers))
        return tuple(Partial(item, (value,)) for item in called)
    members = [_member(frame, type_, "__call__") for type_ in types_in_order(value.types)]
    functions = [item.function for item in members if isinstance(item, MethodMember)]
    if len(functions) < len(members):
        frame.ask(value)  # its class may be an abstract one
        return ()
    return tuple(Partial(item, (value,), is_method=True) for item in functions)


def _ask(frame: Frame, value: Value) -> None:
    """Ask callers what a value is that is called, and of what class the object is whose method."""
    if not value.callees:
        frame.ask(value)
    for item in value.callees[:1]:
        found = innermost(item)
        if isinstance(item, Partial) and item.is_method and _may_be_overridden(found):
            frame.ask(item.bound[0])
        if not isinstance(found, Method) or found.name in _OF_ARRAYS:
            continue
        if all(isinstance(type_, ClassRef) for type_ in found.owner.types):  # or it is abstract
            frame.ask(found.owner)
            parts = (path.then(field(found.name)) for path in found.owner.paths)
            frame.ask(Value(frozenset(parts)))


def _may_be_overridden(callee: AnyCallee) -> bool:
    """Whether a method does nothing, so that an object of a subclass has one of its own."""
    return isinstance(callee, FunctionRef) and is_blank(callee.function)


_OF_ARRAYS = CONTAINER_MUTATORS | ELEMENT_METHODS | ARRAY_UPDATES | ARRAY_METHODS
"""Methods of arrays and containers, for which nobody has to be asked."""


def defines(frame: Frame, value: Value, name: str) -> bool:
    """Whether a value is an object whose class is the project's and has a method of a name."""
    types = value.types
    return bool(types) and all(
        isinstance(item, ClassRef) and isinstance(_member(frame, item, name), MethodMember)
        for item in types
    )


def _itself(value: Value) -> Value:
    """The object that ``super()`` is about."""
    types = (item.cls if isinstance(item, Inherited) else item for item in value.types)
    return value.with_types(frozenset(types))


def _member(frame: Frame, type_: object, name: str) -> Member | None:
    if isinstance(type_, Inherited):
        view = frame.world.class_view(type_.cls)
        return view.member_after(type_.behind, name) if view is not None else None
    view = frame.world.class_view(type_)
    return view.member(name) if view is not None else None


def _read(frame: Frame, owner: Value, name: str, member: Member, span: int) -> Value | None:
    match member:
        case MethodMember(binding=Binding.NOTHING):
            return Value(origin=CONCRETE, callees=(member.function,))
        case MethodMember():
            itself = owner if member.binding is Binding.INSTANCE else _class_of(member)
            bound = Partial(member.function, (itself,), is_method=True)
            others = (Method(owner, name),) if member.is_replaced else ()
            return Value(origin=owner.origin, callees=(bound, *others))
        case PropertyMember():
            return _property(frame, owner, name, member, span)
        case FieldMember():
            return _field(frame, owner, name, member)


def _of_class(frame: Frame, callee: AnyCallee, name: str) -> Value | None:
    """A method as an attribute of its class; None for anything else."""
    member = _member(frame, callee, name) if isinstance(callee, ClassRef) else None
    if member is None and name in CREATORS:
        is_creator = frame.world.inherits(callee, External(CREATORS[name]))
        return Value(origin=CONCRETE, callees=(callee,)) if is_creator else None
    if not isinstance(member, MethodMember):
        return None
    function = member.function
    if member.binding is Binding.CLASS:
        itself = Value(origin=CONCRETE, callees=(callee,))
        function = Partial(function, (itself,), is_method=True)
    return Value(origin=CONCRETE, callees=(function,))


def _class_of(member: MethodMember[AnyCallee]) -> Value:
    function = innermost(member.function)
    owner = function.owner if isinstance(function, FunctionRef) else None
    return Value(callees=(owner,)) if owner is not None else UNKNOWN


def _field(frame: Frame, owner: Value, name: str, member: FieldMember[Type]) -> Value:
    selector = field(name, member.is_static)
    value = held_at_first(owner, selector, frame.state.part(owner, selector))
    frame.read([path.then(selector) for path in owner.paths | owner.contents.shares])
    if member.is_static:
        value = value.with_origin(STATIC_DATA)
    elif member.types and member.types <= _TEXTS:
        value = value.with_origin(CONCRETE)
    if member.elements and not value.contents.parts:
        value = value.with_contents(value.contents._replace(parts=holding(member.elements)))
    return value if value.types or not member.types else value.with_types(member.types)


def _property(
    frame: Frame, owner: Value, name: str, member: PropertyMember[FunctionRef], span: int
) -> Value | None:
    if member.is_cached and owner.paths and owner.exact:
        paths = [path.then(field(name)) for path in in_order(owner.paths)]
        if all(map(frame.state.is_full, paths)):
            frame.read(paths)
            return join(frame.state.heap[path] for path in paths)
    if member.is_cached:
        frame.read([path.then(field(name)) for path in owner.paths])
    frame.calling = span
    result = apply(frame, member.getter, Arguments((owner,)))
    if member.is_cached and result is not None and frame.state.touched.isdisjoint(owner.paths):
        written = (Form.CACHED_PROPERTY, Change.SET, span, True)
        frame.store(owner, field(name), result, written, cause(member.getter))
    return result


def write_attribute(
    frame: Frame, owner: Value, name: str, value: Value, span: int, raw: bool = False
) -> bool:
    """``owner.name = value``; through the setter, if there is one. False where it raises."""
    members = [_member(frame, type_, name) for type_ in types_in_order(owner.types)]
    if not raw:
        for member in members:
            if isinstance(member, PropertyMember) and member.setter is not None:
                frame.calling = span
                apply(frame, member.setter, Arguments((owner, value)), at=frame.site(span))
                return True
        if refused(frame, owner, name, span):
            return False
    owner = defined_object(frame, owner)
    selector = field(name, _are_static(members))
    frame.store(owner, selector, value, (Form.ATTRIBUTE, Change.SET, span, raw))
    return True


def _are_static(members: list[Member | None]) -> bool:
    """Whether an attribute is a static field, whatever an object is of what it may be."""
    return bool(members) and all(
        isinstance(item, FieldMember) and item.is_static for item in members
    )


def write_some_attribute(
    frame: Frame, owner: Value, value: Value, span: int, change: Change, raw: bool = False
) -> None:
    """``setattr(owner, name, value)`` with a name that is not known."""
    removing = change is Change.REMOVE
    if raw or not refused(frame, owner, ANY_NAME, span, removing):
        frame.store(owner, Some.FIELD, value, (Form.ATTRIBUTE, change, span, raw))


def delete_attribute(frame: Frame, owner: Value, name: str, span: int, raw: bool = False) -> None:
    """``del owner.name``."""
    if raw or not refused(frame, owner, name, span, removing=True):
        frame.store(owner, field(name), UNKNOWN, (Form.ATTRIBUTE, Change.REMOVE, span, raw))
        frame.state.empty(owner, field(name))
