"""Judges writes: a trace and an effect make a fate."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from flake8_jax.classes.members import FieldMember
from flake8_jax.effects.callees import ClassRef, External, FunctionRef, Partial, Traced, trace_of
from flake8_jax.effects.conditions import PERHAPS, Asked, Condition, is_excluded
from flake8_jax.effects.interpreter import Interpreter
from flake8_jax.effects.parameters import types_of
from flake8_jax.effects.paths import Field, Owner, Root, Selector
from flake8_jax.effects.roles import Role, has_own_object, required_names, roles
from flake8_jax.effects.subscripts import ARRAYS, CONTAINERS, VARIABLES
from flake8_jax.effects.summaries import Form, Outcome, Run, Summary, Trace, Write
from flake8_jax.effects.values import Callee, Type
from flake8_jax.effects.world import World
from flake8_jax.fates import Fate
from flake8_jax.knowledge.objects import OPAQUE_TYPES
from flake8_jax.lowering.stores import Change

_OWN = (Owner.FRESH,)
_SHORT = (Owner.FRESH, Owner.PARAMETER)
"""Whose objects do not outlive a function that is traced itself."""


_ALWAYS_FINE = (Form.SUBSCRIPT, Form.ELEMENT)
"""What leaves nothing behind in an object around, as far as is known."""
_OPAQUE = frozenset(item for item in CONTAINERS if item.dotted.rpartition(".")[2] in OPAQUE_TYPES)
"""Containers that are no pytrees: every transform refuses them."""


_SET = frozenset({External("builtins.set")})


class Verdict(NamedTuple):
    """The fate of a write, and the trace that makes it so."""

    fate: Fate
    write: Write
    trace: Trace


def judge(
    interpreter: Interpreter,
    outcome: Outcome,
    is_traced: bool = False,
    rebuilt: Mapping[Root, Role] = MappingProxyType({}),
    called: frozenset[Trace] = frozenset(),
) -> Iterator[Verdict]:
    """The fates of what happens in the traces that a function starts.

    What is not certain has none. ``is_traced`` says that the function itself is traced: then its
    own arguments are gone when that trace ends, and those that were rebuilt hold Tracers. What
    becomes of a trace that was ``called`` is told where that is done.
    """
    for run in outcome.runs:
        if run.is_refused:
            continue
        yield from _inside(interpreter.world, run, interpreter.summary(run.function, run.given))
    for write in outcome.writes:
        if write.awaits in called or write.form in _ALWAYS_FINE:
            continue
        if write.path.root.owner is Owner.BOUND:
            continue  # whoever has bound the object knows which it is
        if write.trace is not None and PERHAPS not in write.only_if:
            is_kept = write.is_seen_after or (
                not is_traced and write.path.root in outcome.outliving
            )
            short = _SHORT if is_traced else _OWN
            is_short = write.path.root.owner in short and not is_kept
            fate = None if is_short else _outside(write, write.trace, rebuilt)
            if fate is Fate.ONCE or (fate is not None and _is_sure(write)):
                yield Verdict(fate, write, write.trace)


def rebuilt_by_all(runs: Iterable[Run]) -> Mapping[Root, Role]:
    """The parameters of a function that all traces of it rebuild, and whether all make Tracers."""
    first, *others = [roles(run.traced) for run in runs] or [{}]
    found: dict[Root, Role] = {}
    for name, role in first.items():
        given = {role, *(item.get(name, Role.SAME) for item in others)}
        if all(item.is_new for item in given):
            found[Root(Owner.PARAMETER, name)] = Role.COPIED if Role.COPIED in given else role
    return found


def _inside(world: World, run: Run, summary: Summary) -> Iterator[Verdict]:
    """What becomes of the arguments that a traced function gets.

    What is read again or comes out is a matter of jit alone: other transforms, around it or in it,
    hand over objects of their own in any case.
    """
    traced = run.traced
    trace = trace_of(traced, run.function)
    own = {item.name for item in run.function.function.parameters if has_own_object(item)}
    arriving = roles(traced)
    for write in summary.writes:
        is_array = write.form is Form.ELEMENT and bool(write.types) and write.types <= ARRAYS
        if not _is_sure(write) or not _happens(write, run, arriving):
            continue
        if not is_array and _is_carried_back(world, run, write):
            continue
        if write.is_undone:
            continue
        if write.form is Form.ELEMENT:
            if _is_of_jax(run, write, arriving):
                yield Verdict(Fate.RAISES, write, trace)
        elif (
            write.path.root.owner is Owner.PARAMETER
            and summary.result is not None
            and not traced.transform.makes_arguments
            and _is_certain(write)
            and not _is_callers_own(write, arriving)
            and write.path.root.name not in own
        ):
            fate = _rebuilt(summary, write)
            if fate is Fate.LOST or _is_jit_alone(traced):
                yield Verdict(fate, write, trace)


def _is_sure(write: Write) -> bool:
    """Whether nobody who has not been looked at decides if a write happens at all.

    What is kept where nothing is kept yet is kept once.
    """
    return write.is_sure or write.fills or any(x.asked is Asked.LACKING for x in write.only_if)


def _is_of_jax(run: Run, write: Write, arriving: Mapping[str, Role]) -> bool:
    """Whether the array that is written is one of jax: by its type, or since it is traced."""
    if write.types and write.types <= ARRAYS:
        return True
    origin = write.value.origin
    if origin.concrete or origin.doubtful:
        return False
    traced = _certainly_traced(run)
    return (origin.traced and _traces_all(run.traced)) or any(
        root.owner is Owner.PARAMETER
        and root.name in traced
        and arriving.get(root.name) is Role.REBUILT
        for root in origin.sources
    )


def _traces_all(traced: Traced) -> bool:
    """Whether a transform traces all that it rebuilds."""
    return traced.transform.axes is None or traced.refuses


def _certainly_traced(run: Run) -> set[str]:
    """The parameters that are traced if they are rebuilt, whatever else is given."""
    required = [item for item in run.function.function.parameters if item.default is None]
    if _traces_all(run.traced):
        return {item.name for item in required}
    callee = run.traced.callee
    if not isinstance(callee, FunctionRef) or callee.function is not run.function.function:
        return set()
    pairs = zip(run.function.function.parameters, run.traced.mapped, strict=False)
    return {item.name for item, is_mapped in pairs if is_mapped and item in required}


def _is_certain(write: Write) -> bool:
    """Whether a write certainly goes to an object that a transform takes apart and rebuilds.

    A class of one's own that is a list or a dict is no pytree by that.
    """
    is_own = write.form is Form.ITEM and any(isinstance(item, ClassRef) for item in write.types)
    is_opaque = is_own or not write.types.isdisjoint(_OPAQUE)
    return write.is_exact and write.form is not Form.SUBSCRIPT and not is_opaque


def _is_carried_back(world: World, run: Run, write: Write) -> bool:
    """Whether a transform of nnx may hand a write back: all that it does not know as others'."""
    if not run.traced.transform.keeps_nnx:
        return False
    first = types_of(world, run.function, run.given, write.path.root.name)
    types = write.types or first
    if types and types <= CONTAINERS:
        return _may_hang_in_nnx(world, first, write.target.selectors)
    return _may_be_of_nnx(world, types)


def _may_hang_in_nnx(world: World, types: frozenset[Type], selectors: Iterable[Selector]) -> bool:
    """Whether one of the objects that lead to a container may be one of nnx."""
    elements = frozenset[Type]()
    for selector in selectors:
        if not (types and types <= CONTAINERS) and _may_be_of_nnx(world, types):
            return True
        if isinstance(selector, Field):
            types, elements = _of_field(world, types, selector.name)
        else:
            types, elements = elements, frozenset()
    return False


def _may_be_of_nnx(world: World, types: frozenset[Type]) -> bool:
    return not types or any(world.keeps_writes(item) is not False for item in types)


def _of_field(
    world: World, types: frozenset[Type], name: str
) -> tuple[frozenset[Type], frozenset[Type]]:
    """What the field of objects of some classes holds, and what the elements of that are."""
    views = [world.class_view(item) for item in types]
    members = [view.member(name) if view is not None else None for view in views]
    known = [item for item in members if isinstance(item, FieldMember) and item.types]
    if len(known) < len(members):
        return frozenset(), frozenset()
    return (
        frozenset[Type]().union(*(item.types for item in known)),
        frozenset[Type]().union(*(item.elements for item in known)),
    )


def _is_jit_alone(traced: Callee) -> bool:
    """Whether nothing but jit stands between the caller and the function."""
    while isinstance(traced, Partial | Traced):
        if isinstance(traced, Traced) and not traced.transform.is_jit:
            return False
        traced = traced.callee
    return True


def _happens(write: Write, run: Run, arriving: Mapping[str, Role]) -> bool:
    """Whether a write of a traced function happens there, whatever the arguments are."""
    return not any(_is_against(item, run, arriving) for item in write.only_if)


def _is_against(condition: Condition, run: Run, arriving: Mapping[str, Role]) -> bool:
    root, traced = condition.root, run.traced
    if root is None:
        return condition == PERHAPS or is_excluded(condition, traced.transform)
    if condition.asked is Asked.NONE and root.owner is Owner.PARAMETER:
        return root.name in required_names(run.function)
    if root.owner is not Owner.PARAMETER or arriving.get(root.name) is not Role.REBUILT:
        return False
    if condition.asked is Asked.NUMBER:
        return traced.transform.differentiated is None
    return condition.asked is Asked.NO_TRACER


def _is_callers_own(write: Write, arriving: Mapping[str, Role]) -> bool:
    """Whether the written object is the one that the caller has."""
    if not arriving.get(write.path.root.name, Role.SAME).is_new:
        return True
    return any(isinstance(item, Field) and item.static for item in write.target.selectors)


def _rebuilt(summary: Summary, write: Write) -> Fate:
    if _comes_out(summary, write):
        return Fate.RETURNED
    return Fate.SCRATCH if write.is_read_later else Fate.LOST


def _comes_out(summary: Summary, write: Write) -> bool:
    """Whether the result holds what was written: the object, or a copy that was made later."""
    result = summary.result
    if result is None:
        return False
    if any(path.may_contain(write.target) for path in result.out):
        return True
    return any(
        item.path.may_contain(write.target)
        and (write.key in item.writes or (item.shallow and item.path != write.target))
        for item in result.contents.snapshots
    )


def _outside(write: Write, trace: Trace, rebuilt: Mapping[Root, Role]) -> Fate | None:
    """What becomes of an object around the traced function.

    What a trace around has ``rebuilt`` lives as long as the Tracers that came with it.
    """
    if write.types and write.types <= VARIABLES:
        return None  # it refuses what comes from another trace
    origin = write.value.origin
    staged = trace.transform.staged
    if write.is_undone:
        return None
    if origin.concrete or write.change is Change.REMOVE:
        return Fate.ONCE if staged and not origin.doubtful else None
    if not trace.transform.lifts:
        return None
    sources = {root._replace(number=0) for root in origin.sources}
    certain = {root._replace(number=0) for root in origin.certain}
    traced = {root for root, role in rebuilt.items() if role is Role.REBUILT}
    around = set[Root]() if write.path.root in rebuilt else traced
    is_staged = origin.enclosed or (staged and not around.isdisjoint(sources))
    is_certain = not origin.doubtful or (staged and not around.isdisjoint(certain))
    if not is_certain or not (origin.traced or is_staged):
        is_counter = write.counts and staged and not (origin.traced or is_staged)
        return Fate.ONCE if is_counter and traced.isdisjoint(sources) else None
    if origin.traced and write.form is Form.CACHED_FUNCTION:
        return None  # a Tracer is no key: the call raises
    if write.form is Form.ITEM and write.types == _SET and not write.value.types:
        return None  # nor is it an element of a set
    return Fate.LEAKED
