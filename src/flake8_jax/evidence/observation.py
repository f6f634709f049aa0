"""What becomes of each write of a program: it is run with probes, traced and in plain Python."""

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from types import FrameType, ModuleType, TracebackType
from typing import Any

import jax

from flake8_jax.evidence.probes import NAME, Event, Recorder, Spot, instrument
from flake8_jax.evidence.reach import children, holds_tracer, reachable
from flake8_jax.evidence.stamps import carries, stamps_in
from flake8_jax.evidence.transparent import transparent
from flake8_jax.fates import Fate

FLAG = "FLAG"
"""A constant of a program that is run with both values."""
_REFUSALS = ("FrozenInstanceError", "AttributeError", "TypeError")


Chain = tuple[Spot, ...]


@dataclass(frozen=True)
class Observation:
    """The outcomes of a program's writes."""

    outcomes: Mapping[Chain, frozenset[Fate]]
    """By the line of the write and those of the calls that led to it, the innermost first."""
    error: str | None
    """What the program raised where it was not asked to."""


@dataclass(frozen=True)
class _Run:
    events: tuple[Event, ...]
    returns: Mapping[FrameType, Any]
    reads: Sequence[tuple[int, Any]]
    idle: frozenset[Chain]
    reach: Mapping[int, Any]
    under_way: Mapping[int, Any]
    """What the functions had at hand in which a leaked Tracer was met."""
    result: Any
    error: str | None
    raised_at: Chain | None

    def hits(self, event: Event) -> bool:
        """Whether the changed object outlives the trace; what a trace made itself does not."""
        target = id(event.target)
        return target in self.reach or (event.handed_in and target in self.under_way)

    def is_shared(self, chain: Chain) -> bool:
        """Whether traced code comes to a write in several ways."""
        return len({event.calls for event in self.events if event.spot == chain[0]}) > 1

    def at(self, chain: Chain) -> list[Event]:
        return [event for event in self.events if event.calls == chain and event.traced]


def observe(modules: Mapping[str, str]) -> Observation:
    """Run a program, given as the text of its modules, the last of which has the drive."""
    values = (True, False) if any(FLAG in text for text in modules.values()) else (True,)
    parts = [_observed(modules, flag) for flag in values]
    found: dict[Chain, frozenset[Fate]] = {}
    for part in parts:
        for chain, outcomes in part.outcomes.items():
            found[chain] = found.get(chain, frozenset()) | outcomes
    errors = [part.error for part in parts if part.error is not None]
    return Observation(found, errors[0] if errors else None)


def _observed(modules: Mapping[str, str], flag: bool) -> Observation:
    """The same for one value of the program's flag."""

    @functools.cache
    def without_jit() -> _Run:
        return _run(modules, flag, jax.disable_jit())

    seen = _run(modules, flag, nullcontext())
    control = _run(modules, flag, transparent())
    found: dict[Chain, frozenset[Fate]] = {}
    for chain in {event.calls for event in seen.events if event.traced}:
        stamps = _stamps(modules, chain)
        found[chain] = frozenset(_outcomes(chain, seen, control, stamps, without_jit))
    for chain in seen.idle:
        found[chain] = found.get(chain, frozenset()) | {Fate.UNKNOWN}
    error = None
    if seen.raised_at is not None:
        found[seen.raised_at] = frozenset({Fate.RAISES})
    elif seen.error not in (None, "UnexpectedTracerError"):
        error = f"traced: {seen.error}"
    elif control.error is not None:
        error = f"control: {control.error}"
    return Observation(found, error)


def _outcomes(
    chain: Chain,
    seen: _Run,
    control: _Run,
    stamps: frozenset[int],
    without_jit: Callable[[], _Run],
) -> Iterator[Fate]:
    events, expected = seen.at(chain), control.at(chain)
    hits = [event for event in events if seen.hits(event)]
    for event in hits:
        if not holds_tracer(event.value):
            yield Fate.ONCE
        elif not event.is_held:
            yield Fate.UNKNOWN
        else:
            yield Fate.LEAKED if id(event.target) in seen.reach else Fate.ESCAPED
    wanted = [event for event in expected if control.hits(event)]
    if len(hits) == len(events):
        return
    if hits or not expected:
        yield Fate.UNKNOWN
    elif not wanted:
        local = control.error is not None or any(event.handed_in for event in expected)
        yield Fate.UNKNOWN if local else Fate.FINE
    elif seen.error is not None or not any(event.is_held for event in wanted):
        yield Fate.UNKNOWN
    elif seen.is_shared(chain) and _has_stamp(seen.result, stamps):
        yield Fate.UNKNOWN  # of the calls that lead to it, one brought it out
    elif any(_comes_out(event, seen.result, stamps) for event in events):
        within = [event for event in events if _is_within(event)]
        if any(holds_tracer(event.value) for event in within):
            yield Fate.UNKNOWN  # it comes out, and it stays behind in the outer trace
        elif not within and not any(_tells_apart(event, seen) for event in events):
            yield Fate.UNKNOWN
        else:
            yield Fate.ONCE if within else Fate.RETURNED
    elif any(_is_open(event, seen) for event in events):
        yield Fate.UNKNOWN
    elif any(map(_is_within, events)):
        yield Fate.UNKNOWN if _is_read(events, seen, stamps) else Fate.ESCAPED
    elif _is_read(events, seen, stamps):
        used = _has_stamp(seen.result, stamps)
        plain = without_jit()
        written = [event for event in plain.events if event.calls == chain]
        if plain.error is not None:
            yield Fate.UNKNOWN
        elif any(plain.hits(event) for event in written):
            yield Fate.SCRATCH if used else Fate.LOST
        else:  # what is handed on need not be read, and inner callers have objects of their own
            alone = used and all(len(event.boundaries) == 1 for event in events)
            yield Fate.KEPT_WITHIN if alone else Fate.UNKNOWN
    else:
        yield Fate.LOST


def _is_within(event: Event) -> bool:
    """Whether an inner trace writes to an object of the trace around it."""
    return event.handed_in and len(event.boundaries) > 1


def _is_read(events: Sequence[Event], seen: _Run, stamps: frozenset[int]) -> bool:
    """Whether what was written is used later on."""
    if _has_stamp(seen.result, stamps):
        return True
    for event in events:
        order = seen.events.index(event)
        for after, value in seen.reads:
            if after > order and (
                value is event.value or id(event.target) in reachable([value], frozenset())
            ):
                return True
    return False


def _stamps(modules: Mapping[str, str], chain: Chain) -> frozenset[int]:
    """The stamps of a write, which stand on its line or on that of a call that led to it."""
    for spot in chain:
        if stamps := stamps_in(modules[spot.module].split("\n")[spot.line - 1]):
            return stamps
    return frozenset()


def _comes_out(event: Event, result: Any, stamps: Iterable[int]) -> bool:
    """Whether the result has an object like the one that was written, with what was written."""
    for node in reachable([result], frozenset()).values():
        if type(node) is not type(event.target):
            continue
        held = children(node)
        if isinstance(node, list):
            if any(carries(item, stamps) for item in held.values()):
                return True
        elif carries(held.get(event.key), stamps):
            return True
    return False


def _tells_apart(event: Event, seen: _Run) -> bool:
    """Whether what comes out is the object that was written, and not another with such a value.

    A new list or dict may hold, in the same place, what was computed with it.
    """
    if not isinstance(event.target, list | dict):
        return True
    out = reachable([seen.returns.get(frame) for frame in event.boundaries], frozenset())
    return id(event.value) in out


def _is_open(event: Event, seen: _Run) -> bool:
    """Whether it cannot be told if the change comes out.

    Something was taken away, and the result has such objects; or an inner transform gave back
    such an object, and the code around it dropped it.
    """
    if event.is_removal and _has_such(event, seen.result):
        return True
    return any(_has_such(event, seen.returns.get(frame)) for frame in event.boundaries[:-1])


def _has_such(event: Event, result: Any) -> bool:
    """Whether a result has an object of the type of the one that was written."""
    kind = type(event.target)
    return any(type(node) is kind for node in reachable([result], frozenset()).values())


def _has_stamp(result: Any, stamps: frozenset[int]) -> bool:
    """Whether a write left its stamp on some number of the result."""
    nodes = reachable([result], frozenset()).values()
    parts = (children(node).values() if not isinstance(node, tuple) else node for node in nodes)
    return carries(result, stamps) or any(carries(item, stamps) for part in parts for item in part)


def _run(modules: Mapping[str, str], flag: bool, context: AbstractContextManager[Any]) -> _Run:
    files = {f"<{name}>": name for name in modules}
    recorder = Recorder(files)
    watched: list[Any] = []

    def watch(value: Any) -> Any:
        watched.append(value)
        return value

    result, error, raised_at, frames = None, None, None, []
    with context:
        loaded = _load(modules, recorder)
        for module in loaded:
            if hasattr(module, FLAG):
                setattr(module, FLAG, flag)
        recorder.clear()
        try:
            result = loaded[-1].drive(watch)
            jax.effects_barrier()  # type: ignore[no-untyped-call]
        except Exception as raised:  # whatever the program raises is the measurement
            error = type(raised).__name__
            frames = list(_frames(raised.__traceback__, files))
            if frames and _is_refusal(raised):
                raised_at = tuple(spot for spot, _ in reversed(frames))
        recorder.done()
    reach = reachable([watched, result, *map(vars, loaded)], frozenset(modules))
    met = [names for _, names in frames] if error == "UnexpectedTracerError" else []
    return _Run(
        tuple(recorder.events),
        recorder.returns,
        recorder.reads,
        frozenset(recorder.idle),
        reach,
        reachable(met, frozenset(modules)),
        result,
        error,
        raised_at,
    )


def _is_refusal(raised: Exception) -> bool:
    text = str(raised)
    kind = type(raised).__name__
    return kind in _REFUSALS and any(
        part in text
        for part in ("cannot assign to field", "can't set", "item assignment", "immutable")
    )


def _frames(
    step: TracebackType | None, files: Mapping[str, str]
) -> Iterator[tuple[Spot, Mapping[str, Any]]]:
    while step is not None:
        module = files.get(step.tb_frame.f_code.co_filename)
        if module is not None:
            yield Spot(module, step.tb_lineno), dict(step.tb_frame.f_locals)
        step = step.tb_next


def _load(modules: Mapping[str, str], recorder: Recorder) -> list[ModuleType]:
    """The modules, made anew, in the order in which they import each other."""
    loaded = []
    before = {name: sys.modules.get(name) for name in modules}
    try:
        for name, text in modules.items():
            module = ModuleType(name)
            vars(module)[NAME] = recorder
            sys.modules[name] = module
            exec(instrument(text, f"<{name}>"), vars(module))
            loaded.append(module)
    finally:
        for name, module_before in before.items():
            if module_before is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module_before
    return loaded
