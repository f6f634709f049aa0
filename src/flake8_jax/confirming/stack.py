"""Reads from the stack under which transforms a program runs, and what they were given.

A transform calls a function of the program with objects that it has made, or with the very objects
of its caller. Between the two stand frames of libraries: those nearer to the function hold what it
is given, those nearer to the caller hold what the caller has handed over.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from flake8_jax.confirming.places import Via

_LIBRARIES = frozenset({"jax", "jaxlib", "equinox", "flax", "haiku", "functools", "contextlib"})
_TRACING = frozenset(
    "partial_eval.py batching.py ad.py linear_util.py custom_derivatives.py ad_checkpoint.py"
    " shard_map.py custom_batching.py custom_transpose.py pallas_call.py".split()
)
"""The files of jax from which the functions are called that are traced."""
_STAGING = frozenset({"partial_eval.py", "pallas_call.py"})
_REBUILDING = "custom_derivatives.py"
"""From where functions get copies also when nothing is traced."""
_OPTIMIZED = 0x1
_GATHERS = 0x4
_GATHERS_NAMED = 0x8


@dataclass(frozen=True, eq=False)
class Boundary:
    """A function of the program that a transform has called."""

    key: int
    code: CodeType
    inner: tuple[FrameType, ...]
    """The frames that call it."""
    outer: tuple[FrameType, ...]
    """The frames that the program's caller has called."""
    function: FrameType
    staged: bool
    """Whether what it computes is run later, and not while it is traced."""

    @property
    def arguments(self) -> list[Any]:
        """What it was given, as far as its names still stand for that."""
        code, names = self.code, self.function.f_locals
        count = code.co_argcount + code.co_kwonlyargcount
        count += bool(code.co_flags & _GATHERS) + bool(code.co_flags & _GATHERS_NAMED)
        return [names[name] for name in code.co_varnames[:count] if name in names]

    @property
    def name(self) -> str:
        return self.code.co_name


def is_traced() -> bool:
    """Whether jax is tracing something in this thread."""
    core = sys.modules.get("jax._src.core")
    clean = getattr(core, "trace_state_clean", None)
    return clean is not None and not clean()


def is_jit_off() -> bool:
    """Whether the program runs under ``jax.disable_jit()``."""
    config = sys.modules.get("jax._src.config")
    return bool(getattr(getattr(config, "disable_jit", None), "value", False))


def boundaries(frame: FrameType | None) -> list[Boundary]:
    """The functions under way that transforms have called, the innermost first."""
    found: list[Boundary] = []
    function: FrameType | None = None
    block: list[FrameType] = []
    while frame is not None:
        if _is_library(frame):
            block.append(frame)
        else:
            if block and function is not None and (made := _boundary(function, block)):
                found.append(made)
            function, block = frame, []
        frame = frame.f_back
    if block and function is not None and (made := _boundary(function, block)):
        found.append(made)
    return found


def _is_library(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] in _LIBRARIES


def _file(frame: FrameType) -> str:
    return frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]


def _boundary(function: FrameType, block: list[FrameType]) -> Boundary | None:
    tracing = [number for number, frame in enumerate(block) if _file(frame) in _TRACING]
    if not tracing:
        return None
    first, last = tracing[0], tracing[-1]
    staged = any(_file(block[number]) in _STAGING for number in tracing)
    inner, outer = tuple(block[: first + 1]), tuple(block[last + 1 :])
    return Boundary(id(function), function.f_code, inner, outer, function, staged)


def is_rebuilt(frame: FrameType) -> bool:
    """Whether a function under way was given copies by a transform that traces nothing now."""
    around = boundaries(frame)
    return bool(around) and any(_file(item) == _REBUILDING for item in around[0].inner)


def is_under_way(key: int) -> bool:
    """Whether a function that was met on the stack of this thread is still running."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if id(frame) == key:
            return True
        frame = frame.f_back
    return False


def is_by_way_of(via: Via, files: Mapping[str, str]) -> bool:
    """Whether a function is under way in this thread, or one that is defined in it."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if via.first <= code.co_firstlineno <= via.last:
            if files.get(code.co_filename, code.co_filename) == via.file:
                return True
        frame = frame.f_back
    return False


def held(frames: tuple[FrameType, ...]) -> Iterator[Any]:
    """What some frames of libraries have in their variables."""
    for frame in frames:
        names = frame.f_locals
        yield from list(names.values())
        if isinstance(names, dict) and frame.f_code.co_flags & _OPTIMIZED:
            if sys.gettrace() is None:
                names.clear()  # a copy of the variables, which would keep them alive
