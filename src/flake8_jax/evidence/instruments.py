"""Instruments: what a drive does to values, objects and Tracers, with jit and without.

They know nothing of any rule. A drive is a function that makes the caller's objects, hands those
that the caller goes on using to ``watch``, and calls what is to be measured; the fixture's
function ``expensive`` is the computation that is counted.
"""

import contextlib
import inspect
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Protocol

import jax
import numpy as np

from flake8_jax.evidence.fixtures import Fixture, drives
from flake8_jax.symptoms import Symptom

EXPENSIVE = "expensive"
TRACER = "<tracer>"
_DEPTH = 6
_NO_MESH = jax.sharding.Mesh(np.empty((), dtype=object), ())


@dataclass
class Tally:
    """How often the expensive computation ran: its Python body, and its result at run time."""

    python: int = 0
    executed: int = 0

    def bump(self) -> None:
        self.executed += 1

    def counting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            self.python += 1
            result = function(*args, **kwargs)
            leaves = jax.tree.leaves(result)
            if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
                jax.debug.callback(self.bump)
            elif any(isinstance(leaf, jax.Array) for leaf in leaves):
                self.bump()
            return result

        return counted


@dataclass(frozen=True)
class Run:
    """What one drive did."""

    python: int
    executed: int
    value: Any
    error: str | None
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    tracers: bool

    @property
    def changed(self) -> tuple[bool, ...]:
        return tuple(old != new for old, new in zip(self.before, self.after, strict=True))


@dataclass
class _Watch:
    objects: list[Any] = field(default_factory=list)
    before: list[Any] = field(default_factory=list)

    def __call__(self, value: Any) -> Any:
        self.objects.append(value)
        self.before.append(snapshot(value))
        return value


def snapshot(value: Any, depth: int = _DEPTH) -> Any:
    """A comparable picture of an object: its attributes and elements, arrays by content."""
    if isinstance(value, jax.core.Tracer):
        return TRACER
    if isinstance(value, jax.Array | np.ndarray | np.generic):
        array = np.asarray(value)
        return (array.shape, tuple(_rounded(item) for item in array.ravel().tolist()))
    if depth == 0 or value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return _rounded(value)
    if isinstance(value, dict):
        items = ((repr(key), snapshot(item, depth - 1)) for key, item in value.items())
        return tuple(sorted(items) if type(value) is dict else items)  # jit sorts the keys
    if isinstance(value, list | tuple | set | frozenset | deque):
        parts = tuple(snapshot(item, depth - 1) for item in value)
        return (type(value).__name__, parts, _attributes(value, depth))
    return (type(value).__name__, _attributes(value, depth))


def _rounded(value: Any) -> str:
    """XLA may fuse operations, so jit and no jit agree in the leading digits only."""
    return f"{value:.4g}" if isinstance(value, float) else repr(value)


def _attributes(value: Any, depth: int) -> Any:
    function = inspect.isroutine(value) or hasattr(value, "__wrapped__")
    if function or isinstance(value, type) or not hasattr(value, "__dict__"):
        return ()
    return tuple((key, snapshot(item, depth - 1)) for key, item in sorted(vars(value).items()))


def holds_tracer(picture: Any) -> bool:
    """Whether a snapshot shows a Tracer somewhere."""
    if isinstance(picture, tuple):
        return any(holds_tracer(part) for part in picture)
    return isinstance(picture, str) and picture == TRACER


def _globals_hold_tracer(module: ModuleType) -> bool:
    own = (
        value
        for name, value in vars(module).items()
        if not name.startswith("__") and not isinstance(value, ModuleType | type)
    )
    return any(holds_tracer(snapshot(value)) for value in own)


def run(fixture: Fixture, drive: str, *, jit: bool) -> Run:
    """Drive a fresh copy of the fixture once, under jit or under ``jax.disable_jit()``."""
    modules = fixture.load()
    jax.set_mesh(_NO_MESH)  # importing netket sets a mesh for the whole process
    tally, watch = Tally(), _Watch()
    for module in modules:
        if hasattr(module, EXPENSIVE):
            setattr(module, EXPENSIVE, tally.counting(getattr(module, EXPENSIVE)))
    value, error = None, None
    with contextlib.nullcontext() if jit else jax.disable_jit():
        try:
            value = snapshot(drives(modules[0])[drive](watch))
            jax.effects_barrier()  # type: ignore[no-untyped-call]
        except Exception as raised:  # whatever the code under test raises is the measurement
            error = type(raised).__name__
    after = tuple(snapshot(watched) for watched in watch.objects)
    return Run(
        python=tally.python,
        executed=tally.executed,
        value=value,
        error=error,
        before=tuple(watch.before),
        after=after,
        tracers=holds_tracer((value, after)) or any(map(_globals_hold_tracer, modules)),
    )


class Runner(Protocol):
    """What drives a fixture once."""

    def __call__(self, fixture: Fixture, drive: str, *, jit: bool) -> Run: ...


def _symptoms(seen: Run, control: Run, reference: Run) -> Iterator[Symptom]:
    if seen.error == "UnexpectedTracerError" or seen.tracers:
        yield Symptom.LEAKED
    elif seen.error is not None:
        yield Symptom.RAISES
    if seen.executed > control.executed:
        yield Symptom.RECOMPUTED
    if seen.python > control.python:
        yield Symptom.RETRACED
    states = zip(seen.changed, control.changed, seen.after, control.after, strict=False)
    for within, without, state, expected in states:
        if without and not within:
            yield Symptom.LOST
        elif without and state != expected and not holds_tracer(state):
            yield Symptom.ONCE
    if seen.error is None and reference.error is None and seen.value != reference.value:
        yield Symptom.STALE


@dataclass(frozen=True)
class Measurement:
    """The symptoms of one drive with jit, and those that stay in its control."""

    drive: str
    symptoms: frozenset[Symptom]
    control: frozenset[Symptom]


def measure(fixture: Fixture, run: Runner = run) -> Iterator[Measurement]:
    """Measure each drive of a fixture, with a ``run`` that may remember those of its twin.

    The control of most symptoms is the same drive without jit. Where a fixture has a fixed twin,
    the twin under jit is the control, and its results are the reference for stale values.
    """
    twin = fixture.twin
    for drive in drives(fixture.load()[0]):
        seen = run(fixture, drive, jit=True)
        plain = run(fixture, drive, jit=False)
        if twin is None:
            reference, control = plain, frozenset(_symptoms(plain, plain, plain))
        else:
            reference = run(twin, drive, jit=True)
            control = frozenset(_symptoms(reference, run(twin, drive, jit=False), reference))
        yield Measurement(drive, frozenset(_symptoms(seen, plain, reference)), control)
