"""What makes good what was written before: a stack is popped, a counter goes back."""

import libcst as cst

from flake8_jax.flow.values import Form, Write
from flake8_jax.knowledge.objects import REMOVALS
from flake8_jax.syntax import last_part

_UNDONE_BY = {
    "add": frozenset({"clear", "discard", "remove"}),
    "append": frozenset({"clear", "pop"}),
    "appendleft": frozenset({"clear", "popleft"}),
    "=": frozenset({"clear", "del", "pop"}),
}


def goes_back(write: Write) -> bool:
    """Whether a write takes an element away, or something from a number."""
    if write.form is not Form.ITEM:
        return isinstance(write.node, cst.AugAssign)
    name = _verb(write)
    return name == "del" or name in REMOVALS


def undoes(later: Write, write: Write) -> bool:
    """Whether a removal takes away just what was put there before."""
    if write.form is not later.form or later.target != write.target:
        return False
    if write.form is not Form.ITEM:
        return later.place == write.place and _is_opposite(later.node, write.node)
    added, removed = _verb(write), _verb(later)
    if removed not in _UNDONE_BY.get(added, ()):
        return False
    if added == "=" and removed != "clear":
        return later.place == write.place
    return removed != "pop" or not _from_the_front(later.node)


def _is_opposite(one: cst.CSTNode, other: cst.CSTNode) -> bool:
    """Whether one adds what the other subtracts."""
    if not isinstance(one, cst.AugAssign) or not isinstance(other, cst.AugAssign):
        return False
    if {type(one.operator), type(other.operator)} != {cst.AddAssign, cst.SubtractAssign}:
        return False
    match one.value, other.value:
        case (cst.Integer() | cst.Float() | cst.Name()) as left, right if type(left) is type(right):
            return left.value == right.value
    return False


def _verb(write: Write) -> str:
    node = write.node if write.origin is None else write.origin.node
    if isinstance(node, cst.Del):
        return "del"
    return (last_part(node.func) or "") if isinstance(node, cst.Call) else "="


def _from_the_front(node: cst.CSTNode) -> bool:
    """Whether an element is taken that is not the last."""
    match node:
        case cst.Call(args=[cst.Arg(value=cst.UnaryOperation(operator=cst.Minus()))]):
            return False
        case cst.Call(args=args):
            return bool(args)
    return False
