"""Methods that are called without a call in the text: by operators, subscripts and loops."""

from collections.abc import Mapping, Sequence

from flake8_jax.effects.attributes import defines
from flake8_jax.effects.callees import ClassRef, FunctionRef, Partial
from flake8_jax.effects.calls import call_method, call_value_with
from flake8_jax.effects.frame import Frame
from flake8_jax.effects.models import DEFAULT_DICT, FACTORY
from flake8_jax.effects.state import join_states
from flake8_jax.effects.subscripts import held_at_first, read_item, selector_of, write_item
from flake8_jax.effects.values import PLAIN, Value, derived, join
from flake8_jax.lowering.program import Item

_BINARY = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
}
_UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
_COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
_TURNED = {"<": "gt", "<=": "ge", ">": "lt", ">=": "le", "==": "eq", "!=": "ne"}
_LEFT: Mapping[str, str] = {
    symbol: f"__{name}__" for symbol, name in (_BINARY | _COMPARISONS).items()
}
"""By operator, the method of the first operand."""
_RIGHT: Mapping[str, str] = {
    **{symbol: f"__r{name}__" for symbol, name in _BINARY.items()},
    **{symbol: f"__{name}__" for symbol, name in _TURNED.items()},
}
"""By operator, the method of the second operand, if the first one has none."""
_CONTAINS = frozenset({"in", "not in"})


def is_of_project(value: Value) -> bool:
    """Whether a value is known to be an object of a class of the project."""
    return bool(value.types) and any(isinstance(item, ClassRef) for item in value.types)


def operated(frame: Frame, symbol: str, values: Sequence[Value], span: int) -> Value | None:
    """What an operator gives that a class of the project defines; None where none of them does."""
    if symbol in _CONTAINS and len(values) == 2:
        found = call_method(frame, values[1], "__contains__", (values[0],), span)
        return PLAIN if found is not None else None
    if len(values) == 1:
        return call_method(frame, values[0], _UNARY.get(symbol, ""), (), span)
    if symbol not in _LEFT:
        return None
    result, is_called = values[0], False
    for other in values[1:]:
        made = call_method(frame, result, _LEFT[symbol], (other,), span)
        if made is None:
            made = call_method(frame, other, _RIGHT[symbol], (result,), span)
        is_called |= made is not None
        result = derived((result, other)) if made is None else made
    return result if is_called else None


def augmented(frame: Frame, symbol: str, owner: Value, more: Value, span: int) -> Value | None:
    """What ``owner += more`` gives where the class of the object says so itself."""
    name = _BINARY.get(symbol)
    return call_method(frame, owner, f"__i{name}__", (more,), span) if name is not None else None


def get_item(frame: Frame, node: Item, owner: Value, key: Value) -> Value | None:
    """``owner[key]`` of an object whose class says what that is, or what is missing."""
    if owner.types == DEFAULT_DICT:
        return _made_by_default(frame, node, owner)
    found = call_method(frame, owner, "__getitem__", (key,), node.span)
    if found is not None or not defines(frame, owner, "__missing__"):
        return found
    before = frame.state.copy()
    there = read_item(frame, owner, selector_of(node.key, key))
    made = call_method(frame, owner, "__missing__", (key,), node.span)
    before.sure = frame.state.sure
    frame.state = join_states((before, frame.state))
    return there if made is None else join((there, made))


def _made_by_default(frame: Frame, node: Item, owner: Value) -> Value | None:
    """``owner[key]`` of a defaultdict, which puts there what a function of the project makes."""
    factory = held_at_first(owner, FACTORY, frame.state.part(owner, FACTORY))
    functions = [item for item in factory.callees if isinstance(item, FunctionRef | Partial)]
    if not functions or len(functions) < len(factory.callees):
        return None
    selector = selector_of(node.key)
    before = frame.state.copy()
    there = read_item(frame, owner, selector)
    made = call_value_with(frame, factory, (), node.span)
    if made is None:
        frame.state = before
        return there
    write_item(frame, owner, selector, made, node.span, is_known=True)
    before.sure = frame.state.sure
    frame.state = join_states((before, frame.state))
    return join((there, made))


def set_item(frame: Frame, owner: Value, key: Value, value: Value, span: int) -> bool:
    """``owner[key] = value`` of an object whose class says what that is; False for others."""
    return call_method(frame, owner, "__setitem__", (key, value), span) is not None


def delete_item(frame: Frame, owner: Value, key: Value, span: int) -> bool:
    """``del owner[key]`` of an object whose class says what that is; False for others."""
    return call_method(frame, owner, "__delitem__", (key,), span) is not None


def gone_through(frame: Frame, owner: Value, span: int) -> Value:
    """What a loop goes through that gets an object."""
    found = call_method(frame, owner, "__iter__", (), span) if is_of_project(owner) else None
    return owner if found is None else found
