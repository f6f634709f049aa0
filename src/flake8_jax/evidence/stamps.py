"""Numbers that tell where a value has been: each write of a program adds one of its own.

The stamps are the digits of a number to the base 16, far above the values that programs compute
with, so that sums of stamped values still show which stamps are in them.
"""

import re
from collections.abc import Iterable
from typing import Any

import jax
import numpy as np

_UNIT = 100
_BASE = 16
STAMPS = tuple(float(_UNIT * _BASE**index) for index in range(12))
"""As many as a double-precision number can hold."""
_LITERAL = re.compile(r"(?<![\w.])\d+\.0\b")


def stamps_in(line: str) -> frozenset[int]:
    """The stamps that stand in a line of source."""
    numbers = {float(text) for text in _LITERAL.findall(line)}
    return frozenset(index for index, stamp in enumerate(STAMPS) if stamp in numbers)


def carries(value: Any, stamps: Iterable[int]) -> bool:
    """Whether a number or an array was stamped by one of these."""
    if isinstance(value, jax.core.Tracer) or not isinstance(
        value, int | float | jax.Array | np.ndarray | np.generic
    ):
        return False
    units = [int(abs(item)) // _UNIT for item in np.asarray(value, float).ravel().tolist()]
    return any(unit // _BASE**stamp % _BASE for unit in units for stamp in stamps)
