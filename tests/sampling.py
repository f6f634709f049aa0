"""A part of what is alike, or all of it: ``nox -s exhaustive`` sets the variable."""

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
EXHAUSTIVE = bool(os.environ.get("FLAKE8_JAX_EXHAUSTIVE"))
"""Whether the tests take all there is."""


def sample(items: Sequence[T], every: int) -> list[T]:
    """One of so many, the first included; never nothing."""
    found = [*items[:: 1 if EXHAUSTIVE else every]]
    assert found
    return found
