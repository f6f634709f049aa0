"""The writes of traced code: what becomes of each, and where it is reported."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from flake8_jax.classes.lazy import lazy_stores, pytree_lazy_stores
from flake8_jax.effects.callees import FunctionRef, is_private
from flake8_jax.effects.conditions import Asked
from flake8_jax.effects.interpreter import Application
from flake8_jax.effects.paths import Field, Owner, Root
from flake8_jax.effects.project import ProjectWorld, position
from flake8_jax.effects.roles import default_object, has_own_object, required_names
from flake8_jax.effects.summaries import CACHES, CallSite, Form, Outcome, Site, Trace
from flake8_jax.effects.values import OUTCOMES
from flake8_jax.fates import Fate
from flake8_jax.lowering.program import Function
from flake8_jax.lowering.spans import unpack
from flake8_jax.resolution.modules import Module
from flake8_jax.verdicts.derivatives import Derivatives
from flake8_jax.verdicts.full import Full
from flake8_jax.verdicts.judge import Verdict, judge, rebuilt_by_all
from flake8_jax.verdicts.lazy_caches import is_hazard
from flake8_jax.verdicts.places import Place
from flake8_jax.verdicts.quotes import called
from flake8_jax.verdicts.reached import Reached, settled
from flake8_jax.verdicts.readers import Readers
from flake8_jax.verdicts.restored import Restored
from flake8_jax.verdicts.telling import told

CODES_OF: Mapping[tuple[Fate, Form], str] = {
    (Fate.LEAKED, Form.CACHED_PROPERTY): "JAX105",
    (Fate.LEAKED, Form.CACHED_FUNCTION): "JAX106",
    (Fate.RAISES, Form.ELEMENT): "JAX205",
    (Fate.LEAKED, Form.NAME): "JAX302",
    (Fate.LEAKED, Form.ATTRIBUTE): "JAX301",
    (Fate.LEAKED, Form.ITEM): "JAX303",
    (Fate.LOST, Form.ATTRIBUTE): "JAX201",
    (Fate.LOST, Form.ITEM): "JAX202",
    (Fate.SCRATCH, Form.ATTRIBUTE): "JAX206",
    (Fate.ONCE, Form.ATTRIBUTE): "JAX904",
    (Fate.ONCE, Form.ITEM): "JAX904",
    (Fate.ONCE, Form.NAME): "JAX904",
    (Fate.RETURNED, Form.ATTRIBUTE): "JAX901",
    (Fate.RETURNED, Form.ITEM): "JAX901",
    (Fate.SCRATCH, Form.ITEM): "JAX902",
}
"""The code of each fate; where several fall on one place, the first of these is reported."""
ELSEWHERE = "JAX203"
"""A write that is lost, in another module."""
CODES = (*dict.fromkeys(CODES_OF.values()), ELSEWHERE)


class _Reported(NamedTuple):
    """A verdict that is reported, and what a reader has to change if it shows at many places."""

    place: Place
    verdict: Verdict
    shown: Site
    cause: object


def places(module: Module) -> list[Place]:
    """The writes of a module that are reported."""
    return settled(module, _places)


def _places(start: Reached) -> Iterator[Place]:
    found: dict[tuple[int, int], _Reported] = {}
    for verdict in verdicts(start):
        item = _reported(start, verdict)
        if item is not None:
            known = found.get(item.place[:2])
            if known is None or _rank(item.place) < _rank(known.place):
                found[item.place[:2]] = item
    for item, *others in _once(found.values()):
        write, trace = item.verdict.write, item.verdict.trace
        more = len(_shared(start, [item, *others])) - 1
        words = told(start.world, start.key, write, trace, item.shown, more)
        yield item.place._replace(told=words)


def _once(reported: Iterable[_Reported]) -> Iterator[list[_Reported]]:
    """All that is reported by its causes, in the order of the text."""
    groups: dict[object, list[_Reported]] = {}
    for item in sorted(reported, key=lambda item: item.place[:3]):
        cause = item.place[:2] if item.cause is None else (item.place.code, item.cause)
        groups.setdefault(cause, []).append(item)
    yield from groups.values()


def _shared(start: Reached, group: Iterable[_Reported]) -> set[Site]:
    """The places of one cause; a function that makes the same call again has more of them."""
    found = set[Site]()
    for item in group:
        found.add(item.shown)
        if item.cause is not None and item.shown != item.verdict.write.site:
            found |= _alike(start, item.shown, item.verdict.write.site)
    return found


def _alike(start: Reached, shown: Site, written: Site) -> set[Site]:
    """Where the functions that make a call also make another one that leads to the same write."""
    summary = start.world.interpreter.summary
    module = start.world.modules[start.key]
    calling = module.once(_calling, lambda: _calling(start.outcomes.values()))
    found = set[Site]()
    for calls in calling.get(shown, ()):
        called = {call.ref for call in calls if call.site == shown}
        found |= {
            call.site
            for call in calls
            if call.ref in called
            and any(write.site == written for write in summary(call.ref, call.given).writes)
        }
    return found


def _calling(outcomes: Iterable[Outcome]) -> dict[Site, list[Sequence[CallSite]]]:
    """The calls that a function makes, by each place where it makes one."""
    found: dict[Site, list[Sequence[CallSite]]] = {}
    for outcome in outcomes:
        for site in {call.site for call in outcome.calls}:
            found.setdefault(site, []).append(outcome.calls)
    return found


def _cause(start: Reached, verdict: Verdict) -> object:
    """What shows at many places: a cache, or a function of another module that writes its own."""
    write = verdict.write
    site = _shown(start.key, verdict)
    is_shown_elsewhere = site is not None and site != write.site
    if site is None or write.form in CACHES or not is_shown_elsewhere:
        return write.cause
    if write.path.root.owner is not Owner.GLOBAL:
        return None
    return write.site, write.path, called(start.world.modules[start.key], site)


def verdicts(found: Reached) -> Iterator[Verdict]:
    """What becomes of the writes that the code of a module leads to."""
    interpreter = found.world.interpreter
    traced, runs = found.traced, found.runs
    inside = {item.ref.function for item in traced}
    full = Full(found.world, found.key, found.outcomes)
    restored = Restored(found.world)
    derivatives = Derivatives(found)
    unseen = frozenset(_unseen(item.ref for item in found.outcomes))
    asked = _asked(found.outcomes.values())
    readers = Readers(found, asked, full)
    begun = frozenset[Trace]().union(*(item.called for item in found.outcomes.values()))
    inside |= _refused(found.outcomes.values())
    for application, outcome in found.outcomes.items():
        is_traced = application in traced or (
            not application.given and application.ref.function in inside
        )
        rebuilt = rebuilt_by_all(runs.get(application, ()))
        for verdict in judge(interpreter, outcome, is_traced, rebuilt, begun):
            if full.before(application, verdict) or _fills_lazily(found.world, verdict):
                continue
            if found.world.is_per_thread(verdict.write.path.root):
                continue
            if verdict.fate in _AROUND and restored.holds(verdict.write):
                continue
            if verdict.fate is Fate.LEAKED and readers.are_none(application, verdict):
                continue
            if verdict.fate in _AROUND and not derivatives.are_traced(verdict.trace):
                continue
            if verdict.write.is_virtual and verdict.write.path.root in unseen:
                continue
            if _needs_none(application.ref, verdict):
                continue
            if not _is_of_callers(application, verdict, asked) and not (
                application.given and _depends_on_arguments(verdict)
            ):
                yield verdict


def _refused(outcomes: Iterable[Outcome]) -> set[Function]:
    """The functions that a transform gets, and refuses to run with the arguments that they want."""
    return {run.function.function for item in outcomes for run in item.runs if run.is_refused}


def _asked(outcomes: Iterable[Outcome]) -> frozenset[Function]:
    """The functions that others call, or trace."""
    found = [*outcomes]
    called = {item.ref.function for outcome in found for item in outcome.calls}
    return frozenset(called | {run.function.function for outcome in found for run in outcome.runs})


def _unseen(refs: Iterable[FunctionRef]) -> Iterator[Root]:
    """The arguments of functions inside of others: whose they are, only those know that call."""
    for ref in refs:
        for parameter in ref.function.parameters if ref.scopes else ():
            if not has_own_object(parameter):
                yield default_object(ref, parameter.name).root


def _is_of_callers(application: Application, verdict: Verdict, asked: frozenset[Function]) -> bool:
    """Whether those that call a function tell if it fills a cache: all of them are in sight."""
    write, ref = verdict.write, application.ref
    if not write.fills or ref.function not in asked:
        return False
    owner = write.path.root.owner
    return owner is Owner.CELL or (owner is Owner.PARAMETER and is_private(ref))


def _needs_none(ref: FunctionRef, verdict: Verdict) -> bool:
    """Whether something happens only if a function is given None where it wants something."""
    asked = {
        item.root.name
        for item in verdict.write.only_if
        if item.asked is Asked.NONE and item.root and item.root.owner is Owner.PARAMETER
    }
    return bool(asked) and not asked.isdisjoint(required_names(ref))


def _depends_on_arguments(verdict: Verdict) -> bool:
    """Whether those that call a function tell if it writes to an object around at all."""
    return verdict.fate in _AROUND and any(
        item.asked in OUTCOMES and item.root is not None and item.root.owner is Owner.PARAMETER
        for item in verdict.write.only_if
    )


_AROUND = (Fate.LEAKED, Fate.ONCE)
_OF_ARGUMENTS = (Fate.LOST, Fate.SCRATCH, Fate.RETURNED)


def _fills_lazily(world: ProjectWorld, verdict: Verdict) -> bool:
    """Whether a cache of an argument or of a pytree is filled: that is a matter of its class."""
    write = verdict.write
    is_of_pytree = any(world.updates(item, None) for item in write.types)
    if write.form is Form.CACHED_FUNCTION:
        return is_of_pytree
    if write.form is Form.ITEM and verdict.fate in _OF_ARGUMENTS:
        return _line(write.site) in _entries_of_caches(world.modules[write.site.module])
    is_told = verdict.fate in _OF_ARGUMENTS or is_of_pytree
    if not is_told or write.form is not Form.ATTRIBUTE:
        return False
    here = write.site.statement, *unpack(write.site.span)[:2]
    return any(
        (store.position[0], *unpack(store.position[1])[:2]) == here
        for type_ in write.types
        if (view := world.class_view(type_)) is not None
        for owner in view.info.mro
        if owner.module.file.path == write.site.module
        for store in lazy_stores(owner)
    )


def _line(site: Site) -> tuple[int, int]:
    """The top-level statement, and the line in it."""
    return site.statement, unpack(site.span).line


def _entries_of_caches(module: Module) -> frozenset[tuple[int, int]]:
    """The lines on which tables that pytrees hold are filled as hand-made caches."""
    return module.once(
        _entries_of_caches,
        lambda: frozenset(
            (found.store.position[0], unpack(found.store.position[1]).line)
            for found in pytree_lazy_stores(module)
            if found.store.is_entry and is_hazard(found)
        ),
    )


def _reported(start: Reached, verdict: Verdict) -> _Reported | None:
    """Where a verdict is reported in a module, if it is."""
    code = _code(verdict)
    write = verdict.write
    site = _shown(start.key, verdict)
    is_elsewhere = write.site.module != start.key and verdict.fate is Fate.LOST
    if code is not None and is_elsewhere:
        code = ELSEWHERE
    if code is None or site is None:
        return None
    place = Place(*position(start.world, site), code, subject=verdict)
    return _Reported(place, verdict, site, _cause(start, verdict))


def _shown(key: str, verdict: Verdict) -> Site | None:
    """The place in a module that leads to a write; None where there is none."""
    write = verdict.write
    if write.site.module == key:
        return write.site
    own = [item for item in (verdict.trace.site, *write.calls) if item.module == key]
    return own[-1] if own else None


def _code(verdict: Verdict) -> str | None:
    fate, write = verdict.fate, verdict.write
    if write.form in CACHES:
        return CODES_OF.get((fate, write.form))
    if fate is Fate.SCRATCH and any(isinstance(item, Field) for item in write.path.selectors):
        return CODES_OF[fate, Form.ATTRIBUTE]
    return CODES_OF.get((fate, write.form))


def _rank(place: Place) -> int:
    return _ORDER.index(place.code)


_ORDER = [*CODES[:8], ELSEWHERE, *CODES[8:]]
