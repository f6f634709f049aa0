"""Whether a fix may be applied without being asked for."""

from enum import StrEnum


class Safety(StrEnum):
    """Whether a fix may be applied without being asked for."""

    SAFE = "safe"
    """What it replaces raised, or was dropped by jit: no value changes."""
    UNSAFE = "unsafe"
    """It changes what the code computes, on purpose."""
