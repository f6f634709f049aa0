"""Reads and writes items of containers, tuples and arrays."""

from typing import NamedTuple

from flake8_jax.effects.callees import ARRAYS as ARRAYS
from flake8_jax.effects.callees import NONE as NONE
from flake8_jax.effects.callees import TEXT, External
from flake8_jax.effects.conditions import OF_AN_OBJECT, told_at_first
from flake8_jax.effects.frame import Frame
from flake8_jax.effects.paths import (
    COMPUTED,
    Field,
    Index,
    LoopKey,
    Owner,
    Selector,
    Some,
    in_order,
    may_be_same,
)
from flake8_jax.effects.summaries import Form, Write
from flake8_jax.effects.values import (
    CONCRETE,
    UNKNOWN,
    Contents,
    Parts,
    Type,
    Value,
    derived,
    join,
)
from flake8_jax.knowledge.objects import CONTAINER_FACTORIES, NNX_VARIABLES, VALUE
from flake8_jax.lowering.program import Const, Expr, Home, New, Shape, Var
from flake8_jax.lowering.stores import Change

ARRAY: Type = External("jax.Array")
AT: Type = External("jax.Array.at")
"""The type of ``x.at`` and ``x.at[i]``."""
REFERENCE: Type = External("jax.Ref")
"""The type of what is made to be written, inside of a trace as well."""
EAGER_CONTEXT = External("jax.ensure_compile_time_eval")
"""The type of what makes JAX compute at once in its block, inside of a trace as well."""
CONTEXT: Type = External("the state of a thread or a context")
AT_REFERENCE: Type = External("jax.Ref.at")
ATTRIBUTES: Type = External("the dict of an object's attributes")
"""The type of ``vars(x)``, as a value that is the object itself, besides the object's own types."""
_AT = frozenset({AT})
_REFERENCE = frozenset({REFERENCE})
CONTAINERS = frozenset(External(name) for name in CONTAINER_FACTORIES)

GLOBALS: Type = External("the dict of a module's variables")
GLOBAL_NAMES = frozenset({GLOBALS})
_NUMPY = frozenset({External("numpy.ndarray")})
"""What is annotated so is a Tracer where it is traced."""
_NOTHING = frozenset({NONE})
_ARRAYS_OR_NONE = ARRAYS | {NONE}
_CONTAINERS_OR_NONE = CONTAINERS | {NONE}
NUMBER: Type = External("what an operator makes of numbers or arrays")
_NUMBERS = _NUMPY | {NUMBER}
_BASES = sorted(CONTAINERS)
VARIABLES = frozenset(map(External, NNX_VARIABLES))
"""The types of variables of nnx, whose elements are those of the array that they hold."""
KEY: Type = External("a key of a dict")
_KEYS = frozenset({KEY, TEXT})


class KeyOf(NamedTuple):
    """The type of a key of a dict, which no other round of a loop gets."""

    loop: int


def is_array(value: Value) -> bool:
    """Whether a value can only be a jax array."""
    return value.types <= _ARRAYS_OR_NONE and not value.types <= _NOTHING


def is_number(value: Value) -> bool:
    """Whether a value is a number or an array, which is one of JAX where it is traced."""
    return bool(value.types) and value.types <= _NUMBERS


def is_variable(value: Value) -> bool:
    """Whether a value can only be a variable of nnx."""
    return bool(value.types) and value.types <= VARIABLES


def is_container(value: Value) -> bool:
    """Whether a value can only be a list, a dict or the like."""
    return value.types <= _CONTAINERS_OR_NONE and not value.types <= _NOTHING


def inherits_container(frame: Frame, value: Value) -> bool:
    """Whether a value can only be a container, or of a class of the project that is one."""
    types = value.types - {NONE}
    return bool(types) and all(
        item in CONTAINERS or any(frame.world.inherits(item, cls) for cls in _BASES)
        for item in types
    )


def selector_of(key: Expr, value: Value | None = None) -> Selector:
    """The selector of ``[key]``; ``value`` is what is known of the key."""
    if isinstance(key, Const) and isinstance(key.value, str | int):
        return Index(int(key.value) if isinstance(key.value, bool) else key.value)
    for type_ in value.types if value is not None and len(value.types) == 1 else ():
        if isinstance(type_, KeyOf):
            return LoopKey(type_.loop)
    return Some.INDEX


def is_key(key: Expr, value: Value) -> bool:
    """Whether something can only be the key of a dict: a text, or a tuple with one in it."""
    if bool(value.types) and value.types <= _KEYS:
        return True
    parts = key.parts if isinstance(key, New) and key.shape is Shape.TUPLE else ()
    return any(isinstance(item, Const) and isinstance(item.value, str) for item in parts)


def key_of_loop(owner: Value, key: Value) -> Selector | None:
    """The selector of ``d[key]`` where a loop over ``d`` has yielded the key: ``d`` is a dict."""
    for path in key.paths if len(key.paths) == 1 else ():
        last = path.selectors[-1] if path.selectors else None
        if isinstance(last, LoopKey) and path.owner in owner.paths:
            return last
    return None


def read_item(frame: Frame, owner: Value, selector: Selector) -> Value:
    """The value of ``owner[key]``."""
    owner = _as_used(owner, selector)
    if ATTRIBUTES in owner.types:
        selector = _as_field(selector)
    items = owner.contents.items
    if items is not None:
        if isinstance(selector, Index) and isinstance(selector.key, int):
            if -len(items) <= selector.key < len(items):
                return items[selector.key]
        return join(items) if items else UNKNOWN
    if is_array(owner) or owner.types == _AT:
        return derived((owner,)).with_types(owner.types).with_tells(OF_AN_OBJECT)
    if owner.types == {AT_REFERENCE}:
        return owner.with_types(_REFERENCE)
    if owner.types == _REFERENCE:
        return frame.computed((owner,)).with_types(frozenset({ARRAY}))
    if is_variable(owner):
        frame.read(path.then(Field(VALUE)) for path in owner.paths)
        return derived((owner,))
    frame.read(path.then(selector) for path in owner.paths | owner.contents.shares)
    value = held_at_first(owner, selector, frame.state.part(owner, selector))
    return value.with_origin(CONCRETE) if _is_of_plain_global(owner, value) else value


def _as_used(owner: Value, selector: Selector) -> Value:
    """A value whose element is asked for: no array has one under a word, whatever is annotated."""
    is_word = isinstance(selector, Index) and isinstance(selector.key, str)
    is_told = is_word and (is_array(owner) or is_number(owner))
    return owner.with_types(frozenset()) if is_told else owner


def holding(types: frozenset[Type]) -> Parts:
    """What stands in a container whose annotation says what its elements are."""
    return ((Some.INDEX, Value(types=types)),)


def held_at_first(owner: Value, selector: Selector, value: Value) -> Value:
    """A part of an object that was made elsewhere: what it was then, or what it is to be."""
    parts = owner.contents.parts
    if not parts or value.types or value.callees:
        return value
    known = [part for at, part in parts if at == selector]
    if not known and not isinstance(selector, Field):
        is_some = not isinstance(selector, Index)
        known = [part for at, part in parts if at is Some.INDEX or (is_some and _is_item(at))]
    if not known:
        return value
    held = join(known)
    if value.paths != {path.then(selector) for path in owner.paths}:
        is_declared = held == Value(types=held.types)
        return value.with_types(held.types) if is_declared and not value.exact else value
    value = value.with_tells(told_at_first(held.tells))
    if held.types == {NONE}:
        return value
    value = value.with_types(held.types).with_callees(held.callees)
    items = held.contents.items or ()
    parts = held.contents.parts or tuple((Index(i), item) for i, item in enumerate(items))
    return value.with_contents(Contents(parts=parts))


def _is_item(selector: Selector) -> bool:
    return may_be_same(selector, Some.INDEX)


def _is_of_plain_global(owner: Value, item: Value) -> bool:
    """Whether an item stands where it did at first, in a plain value of a global variable."""
    if not owner.origin.concrete or owner.types:
        return False
    roots = {path.root for path in owner.paths}
    return item.origin.sources == roots and all(root.owner is Owner.GLOBAL for root in roots)


def write_item(
    frame: Frame,
    owner: Value,
    selector: Selector,
    value: Value,
    span: int,
    change: Change = Change.SET,
    is_known: bool = False,
) -> bool:
    """``owner[key] = value``, or any other way to change what a container holds.

    ``is_known`` says that it is a container. False where it raises.
    """
    owner = _as_used(owner, selector)
    if ATTRIBUTES in owner.types:
        itself = owner.with_types(owner.types - {ATTRIBUTES})
        frame.store(itself, _as_field(selector), value, (Form.ATTRIBUTE, change, span, True))
        return True
    if owner.types == _REFERENCE:
        return True
    if is_variable(owner):
        frame.store(owner, Field(VALUE), value, (Form.ATTRIBUTE, change, span, True))
        return True
    if owner.types == GLOBAL_NAMES and isinstance(selector, Index):
        frame.assign(Var(str(selector.key), Home.GLOBAL), value, span)
        return True
    is_known = is_known or (not owner.types and _tells_container(selector, change))
    form = _form(owner, is_known or inherits_container(frame, owner))
    if form is Form.ELEMENT:
        write_element(frame, owner, selector, span)
        return False
    frame.store(owner, selector, value, (form, change, span, False))
    return True


def write_element(frame: Frame, array: Value, selector: Selector, span: int) -> None:
    """Note that an element of an array is assigned, unless somebody expects the error.

    Nothing is known of what a test has told to be no array of jax.
    """
    if any(path in array.paths and cls in ARRAYS for path, cls in frame.state.excluded):
        return
    seen = [path for path in in_order(array.paths) if path.root.owner is not Owner.FRESH]
    stored = Value(origin=array.origin)
    for path in () if frame.guarded else seen or [COMPUTED]:
        frame.write(
            Write(
                path.then(selector),
                Form.ELEMENT,
                Change.SET,
                stored,
                frame.site(span),
                array.types - {NONE},
            )
        )


def _tells_container(selector: Selector, change: Change) -> bool:
    """Whether only a container is written so: under a word, under a key of a dict, or away."""
    if isinstance(selector, Index):
        return isinstance(selector.key, str) or change is Change.REMOVE
    return isinstance(selector, LoopKey) or change is Change.REMOVE


def _form(owner: Value, is_known: bool) -> Form:
    if is_array(owner) or is_number(owner):
        return Form.ELEMENT
    return Form.ITEM if is_known or is_container(owner) else Form.SUBSCRIPT


def _as_field(selector: Selector) -> Selector:
    """The attribute that a key of ``vars(x)`` stands for."""
    return Field(str(selector.key)) if isinstance(selector, Index) else Some.FIELD
