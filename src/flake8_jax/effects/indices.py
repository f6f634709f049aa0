"""Indices: whether one of several elements tells an array from a dict whose keys are tuples."""

from flake8_jax.effects.callees import External
from flake8_jax.effects.frame import Frame
from flake8_jax.effects.paths import Field, Owner
from flake8_jax.effects.values import Value
from flake8_jax.knowledge.objects import ARRAY_ATTRIBUTES
from flake8_jax.lowering.literals import ELLIPSIS
from flake8_jax.lowering.program import Attr, Const, Expr, New, Op, Return, Shape, Slice, Var
from flake8_jax.lowering.walk import walk

_OF_ARRAYS = ARRAY_ATTRIBUTES - {"dtype", "ndim", "shape", "size"}
"""Attributes that arrays have, and references have not."""
_NUMBERS = frozenset({External("builtins.int")})


def is_of_array(key: Expr, value: Value) -> bool:
    """Whether a key can be the index of an array alone: ``x[:, k]``, ``x[i, j]``, ``x[0, 1]``.

    ``value`` is that of the key. Of a name it has to be known that it may be a number: a parameter
    of the function, or something that is computed.
    """
    if not isinstance(key, New) or key.shape is not Shape.TUPLE or len(key.parts) < 2:
        return False
    if any(isinstance(item, Const) and isinstance(item.value, str) for item in walk(key)):
        return False
    if any(isinstance(part, Slice) or part == ELLIPSIS for part in key.parts):
        return True
    items = value.contents.items or ()
    return len(items) == len(key.parts) and all(map(_is_number, key.parts, items))


def is_whole(frame: Frame, base: Expr, value: Value) -> bool:
    """Whether a parameter is computed with or returned: then it is no reference.

    A reference has elements only. It can neither be computed with nor be handed back.
    """
    if not isinstance(base, Var) or {path.root.owner for path in value.paths} != {Owner.PARAMETER}:
        return False
    if any(path.selectors for path in value.paths):
        return False
    body = frame.ref.function.body
    key = is_whole, base
    return frame.once(key, lambda: any(_uses_whole(base, node) for node in walk(body)))


def is_sliced(key: Expr, value: Value) -> bool:
    """Whether an operator has made a value that is sliced in several dimensions.

    No list has any, and in a dict a slice is no key.
    """
    is_computed = value == Value(origin=value.origin, tells=value.tells)
    has_slice = isinstance(key, New) and any(isinstance(part, Slice) for part in key.parts)
    return is_computed and has_slice


def _uses_whole(base: Var, node: object) -> bool:
    match node:
        case Op(operands=operands):
            return base in operands
        case Return(value=New(parts=parts)):
            return base in parts
        case Return(value=value):
            return value == base
        case Attr(base=owner, name=name):
            return owner == base and name in _OF_ARRAYS
    return False


def _is_number(part: Expr, value: Value) -> bool:
    if isinstance(part, Const):
        return isinstance(part.value, int)
    if value.types:
        return value.types <= _NUMBERS
    if value.callees or value.origin.doubtful:
        return False
    if value.paths:
        return all(
            path.root.owner is Owner.PARAMETER and all(isinstance(x, Field) for x in path.selectors)
            for path in value.paths
        )
    return not value.origin.concrete
