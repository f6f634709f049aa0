"""Indices: whether one of several elements tells an array from a dict whose keys are tuples."""

from flake8_jax.effects.callees import External
from flake8_jax.effects.paths import Field, Owner
from flake8_jax.effects.values import Value
from flake8_jax.lowering.literals import ELLIPSIS
from flake8_jax.lowering.program import Const, Expr, New, Shape, Slice
from flake8_jax.lowering.walk import walk

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
