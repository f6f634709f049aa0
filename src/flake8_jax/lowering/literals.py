"""Literals as constants of the lowered program.

Only what can be a key, an index or a name keeps its value; ``syntax`` says what that is.
"""

import libcst as cst

from flake8_jax.lowering.program import Const, Opaque
from flake8_jax.syntax import integer_value, string_value

NAMED = {"None": Const(None), "True": Const(True), "False": Const(False)}
FLOAT, COMPLEX, BYTES, LONG, ELLIPSIS = map(Const, Opaque)


def integer(node: cst.Integer) -> Const:
    """An integer in whatever base."""
    value = integer_value(node)
    return LONG if value is None else Const(value)


def string(node: cst.SimpleString) -> Const:
    """A string that is not formatted, or bytes."""
    value = string_value(node)
    if value is not None:
        return Const(value)
    return BYTES if "b" in node.prefix else LONG
