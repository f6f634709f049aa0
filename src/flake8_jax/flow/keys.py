"""Whether an index of several elements tells an array from a dict whose keys are tuples."""

from collections.abc import Iterator, Sequence

import libcst as cst

from flake8_jax.names import refer
from flake8_jax.scopes import Defined, Scope, Valued
from flake8_jax.syntax import last_part, string_value, walk

_COUNTING = frozenset({"arange", "ndindex", "prange", "range", "trange"})
"""Functions that yield numbers of rows and columns."""
_COMBINING = frozenset({"combinations", "permutations", "product", "reversed", "tqdm", "zip"})
"""Functions that yield no more than what they are given."""


def is_of_array(parts: Sequence[cst.SubscriptElement], keys: frozenset[str], scope: Scope) -> bool:
    """Whether an index can be that of an array alone: ``x[:, k]``, ``x[i, j]``, ``x[0, 1]``."""
    inside = [item for part in parts for item in walk(part)]
    if len(parts) < 2 or any(string_value(item) is not None for item in inside):
        return False
    if any(isinstance(item, cst.Slice | cst.Ellipsis) for item in inside):
        return True
    names = [item for item in inside if isinstance(item, cst.Name)]
    return not any(item.value in keys or _is_constant_key(item, scope) for item in names)


def _is_constant_key(name: cst.Name, scope: Scope) -> bool:
    """Whether a name of the module is a string, or a class whose members may be keys."""
    for referent in refer(name, scope):
        match referent:
            case Defined(node=cst.ClassDef()):
                return True
            case Valued(node=value) if string_value(value) is not None:
                return True
    return False


def keys(body: cst.CSTNode) -> frozenset[str]:
    """The names that may stand for keys: strings, and what loops take from anything."""
    found: set[str] = set()
    for node in walk(body):
        if type(node) is cst.For or type(node) is cst.CompFor:
            found.update(_elements(node.target, node.iter))
    for node in walk(body):
        if type(node) is cst.Assign:
            root: cst.CSTNode = node.value
            while isinstance(root, cst.Attribute | cst.Subscript):
                root = root.value
            taken = isinstance(root, cst.Name) and root.value in found
            if taken or string_value(node.value) is not None:
                found.update(name for item in node.targets for name in names_in(item.target))
    return frozenset(found)


def dict_keys(body: cst.CSTNode) -> frozenset[str]:
    """The names that loops take from dicts as their keys."""
    found: set[str] = set()
    for node in walk(body):
        if type(node) is cst.For or type(node) is cst.CompFor:
            found.update(_keys_of(node.target, node.iter, node))
    return frozenset(found)


def _keys_of(
    target: cst.BaseExpression, values: cst.BaseExpression, loop: cst.CSTNode
) -> Iterator[str]:
    match target, values:
        case (
            cst.Tuple(elements=[cst.Element(value=cst.Name(value=name)), _]),
            cst.Call(func=cst.Attribute(attr=cst.Name(value="items")), args=[]),
        ):
            yield name
        case (
            cst.Name(value=name),
            cst.Call(func=cst.Attribute(attr=cst.Name(value="keys")), args=[]),
        ):
            yield name
        case cst.Name(value=name), cst.Name(value=walked):
            if any(_is_element(node, walked, name) for node in walk(loop)):
                yield name


def _is_element(node: cst.CSTNode, owner: str, index: str) -> bool:
    """Whether an expression is what a container has under what a loop takes from it: a key."""
    match node:
        case cst.Subscript(
            value=cst.Name(value=name), slice=[cst.SubscriptElement(slice=cst.Index(value=key))]
        ):
            return name == owner and isinstance(key, cst.Name) and key.value == index
    return False


def _elements(target: cst.BaseExpression, values: cst.BaseExpression) -> Iterator[str]:
    """The names that a loop binds to what may be keys."""
    match values:
        case cst.Call(func=func) if last_part(func) in _COUNTING:
            return
        case cst.Call(func=func, args=[counted, *_]) if last_part(func) == "enumerate":
            match target:
                case cst.Tuple(elements=[_, element]) | cst.List(elements=[_, element]):
                    yield from _elements(element.value, counted.value)
                case _:
                    yield from names_in(target)
        case cst.Call(func=func, args=arguments) if last_part(func) in _COMBINING:
            parts = target.elements if isinstance(target, cst.Tuple) else ()
            if last_part(func) in ("product", "zip") and len(parts) == len(arguments):
                for part, argument in zip(parts, arguments, strict=True):
                    yield from _elements(part.value, argument.value)
            else:
                for argument in arguments:
                    yield from _elements(target, argument.value)
        case cst.Tuple() | cst.List() if _is_counted(values):
            return
        case cst.Integer():  # how often a combination repeats
            return
        case _:
            yield from names_in(target)


def _is_counted(node: cst.BaseExpression) -> bool:
    """Whether an expression is a number, or numbers in tuples and lists."""
    match node:
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            return all(_is_counted(item.value) for item in elements)
        case cst.UnaryOperation(expression=number):
            return _is_counted(number)
    return isinstance(node, cst.Integer)


def names_in(target: cst.BaseExpression) -> Iterator[str]:
    """The names that a target binds."""
    match target:
        case cst.Name(value=name):
            yield name
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            for element in elements:
                yield from names_in(element.value)
