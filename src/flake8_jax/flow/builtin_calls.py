"""Builtins and methods that write, read or walk: setattr, getattr, map, the dict's own."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import libcst as cst

from flake8_jax.flow.application import apply, arguments
from flake8_jax.flow.attributes import get_attribute, owner_of_dict, set_attribute
from flake8_jax.flow.values import (
    ANY,
    PLAIN,
    UNKNOWN,
    Shape,
    Value,
    changed,
    holding,
    join,
)
from flake8_jax.knowledge.objects import (
    CONTAINER_MUTATORS,
    CONVERSIONS,
)
from flake8_jax.syntax import positional, string_value

if TYPE_CHECKING:
    from flake8_jax.flow.state import State


def iterated(frame: "State", node: cst.BaseExpression) -> Value:
    """What a loop over an expression yields each time."""
    if isinstance(node, cst.Call):
        arguments = tuple(node.args)
        given = positional(arguments)
        match node.func:
            case cst.Name(value="enumerate") if given:
                return Value(items=(PLAIN, iterated(frame, given[0])))
            case cst.Name(value="zip") if not any(argument.star for argument in arguments):
                return Value(items=tuple(iterated(frame, item) for item in given))
            case cst.Name(value="reversed" | "sorted" | "list" | "tuple" | "iter") if given:
                return iterated(frame, given[0])
            case cst.Name(value="range"):
                for item in given:
                    frame.evaluate(item)
                return PLAIN
            case cst.Attribute(value=owner, attr=cst.Name(value="items")) if not arguments:
                return Value(items=(PLAIN, each(frame, frame.base(owner), owner)))
            case cst.Attribute(value=owner, attr=cst.Name(value="values")) if not arguments:
                return each(frame, frame.base(owner), owner)
    walked = frame.base(node)
    element = each(frame, walked, node)
    return changed(element, doubtful=True) if is_bare(walked) and not element.plain else element


def is_bare(value: Value) -> bool:
    """Whether a value that is walked may be a dict: then its keys are what is found."""
    known = value.items is not None or value.each is not None or value.element is not None
    return value.type is None and not known and not value.numeric and not value.plain


def each(frame: "State", owner: Value, node: cst.BaseExpression) -> Value:
    """An element of a container that is walked: all of its elements are read."""
    frame.read_elements(owner, node)
    return frame.element(owner)


def converts(dotted: str) -> bool:
    """Whether a function makes a plain value of an array, and raises on a Tracer."""
    return dotted in CONVERSIONS or (dotted.startswith("math.") and dotted != "math.prod")


def _setattr(frame: "State", node: cst.Call) -> Value | None:
    given = positional(tuple(node.args))
    if len(given) != 3:
        return None
    owner = frame.base(given[0])
    value = frame.evaluate(given[2])
    key = string_value(given[1])
    if key is None:
        frame.evaluate(given[1])
    set_attribute(frame, owner, key or ANY, value, node, given[0])
    return PLAIN


def _delattr(frame: "State", node: cst.Call) -> Value | None:
    given = positional(tuple(node.args))
    if len(given) == 2 and (key := string_value(given[1])) is not None:
        set_attribute(frame, frame.base(given[0]), key, PLAIN, node, given[0])
        return PLAIN
    return None


def _getattr(frame: "State", node: cst.Call) -> Value | None:
    given = positional(tuple(node.args))
    key = string_value(given[1]) if len(given) > 1 else None
    if len(given) < 2 or (key is not None and not key.isidentifier()):
        return None
    owner = frame.base(given[0])
    if key is None:
        frame.evaluate(given[1])
        places = frozenset(place.member(ANY) for place in owner.places | owner.copies)
        value = Value(places=places, certain=owner.certain, depends=owner.depends)
    else:
        value = get_attribute(frame, owner, cst.Attribute(given[0], cst.Name(key)), node)
    frame.read(value)
    frame.read_places(place.member(key or ANY) for place in owner.places | owner.copies)
    if len(given) > 2:
        value = join([value, frame.evaluate(given[2])])
    return value


def _next(frame: "State", node: cst.Call) -> Value | None:
    given = positional(tuple(node.args))
    return iterated(frame, given[0]) if given else None


def _map(frame: "State", node: cst.Call) -> Value | None:
    given = positional(tuple(node.args))
    if len(given) < 2:
        return None
    function = frame.evaluate(given[0])
    if function.dotted is not None and converts(function.dotted):
        for item in given[1:]:
            iterated(frame, item)
        return changed(PLAIN, type=Shape.CONTAINER)
    if function.function is None:
        return None
    elements = tuple(iterated(frame, item) for item in given[1:])
    made = apply(frame, function.function, elements, {})
    each = made if made.plain else None
    return changed(holding(made), type=Shape.CONTAINER, each=each)


def raw_setattr(frame: "State", node: cst.Call, function: cst.Attribute) -> Value:
    """``object.__setattr__(object, name, value)``, which no frozen class refuses."""
    given = positional(tuple(node.args))
    if len(given) == 3:
        owner = frame.base(given[0])
        value = frame.evaluate(given[2])
        key = string_value(given[1]) or ANY
        set_attribute(frame, owner, key, value, node, given[0], bypass=True)
    elif len(given) == 2:
        owner = frame.base(function.value)
        value = frame.evaluate(given[1])
        key = string_value(given[0]) or ANY
        set_attribute(frame, owner, key, value, node, function.value, bypass=True)
    return PLAIN


def dict_write(
    frame: "State", node: cst.Call, owner: Value, function: cst.Attribute, name: str
) -> Value:
    """``vars(object).update(…)`` and its like."""
    target = owner_of_dict(function.value) or function.value
    given, named = arguments(frame, node.args)
    keys = [string_value(item) for item in positional(tuple(node.args))[:1]]
    for key, value in named.items():
        set_attribute(frame, owner, key, value, node, target, bypass=True)
    if name == "update" and given:
        set_attribute(frame, owner, ANY, given[0], node, target, bypass=True)
    elif name != "update" and keys:
        value = given[1] if len(given) > 1 else PLAIN
        set_attribute(frame, owner, keys[0] or ANY, value, node, target, bypass=True)
    return UNKNOWN


def unbound_mutator(frame: "State", node: cst.Call, name: str) -> Value:
    """``list.append(items, value)``."""
    given = positional(tuple(node.args))
    if not given:
        return UNKNOWN
    owner = frame.base(given[0])
    values = [frame.evaluate(item) for item in given[1:]]
    if name in CONTAINER_MUTATORS:
        frame.write_item(owner, join(values) if values else PLAIN, node, given[0], sure=True)
    return UNKNOWN


BUILTINS: Mapping[str, Callable[["State", cst.Call], Value | None]] = {
    "builtins.setattr": _setattr,
    "builtins.delattr": _delattr,
    "builtins.getattr": _getattr,
    "builtins.next": _next,
    "builtins.map": _map,
}
