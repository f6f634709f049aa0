"""Summaries: what a function does to what it is given, in terms of its parameters and free names.

Plain data without syntax, compared by its structure.
"""

from collections.abc import Iterable
from enum import Enum
from operator import attrgetter
from typing import NamedTuple

from flake8_jax.effects.conditions import NOTHING, Conditions, common
from flake8_jax.effects.limits import ASKS, READS, TARGETS
from flake8_jax.effects.paths import AccessPath, Root, in_order
from flake8_jax.effects.values import Callee, Type, Value, join, shortened, united
from flake8_jax.knowledge.transforms import Transform
from flake8_jax.lowering.stores import Change


class Form(Enum):
    """What an effect changes."""

    __hash__ = object.__hash__  # that of an enumeration is computed in Python

    ATTRIBUTE = "attribute"
    ITEM = "item"
    NAME = "name"
    SUBSCRIPT = "item of what may be an array or a reference"
    ELEMENT = "element of an array"
    CACHED_PROPERTY = "cached property"
    CACHED_FUNCTION = "cached function"


CACHES = (Form.CACHED_PROPERTY, Form.CACHED_FUNCTION)
"""What is written only where nothing is kept yet."""


class Site(NamedTuple):
    """A place in the source."""

    module: str
    statement: int
    """Which top-level statement of the module."""
    span: int


class Write(NamedTuple):
    """An object is changed."""

    path: AccessPath
    """What is changed: its last selector is the part that is written."""
    form: Form
    change: Change
    value: Value
    """What is stored."""
    site: Site
    types: frozenset[Type] = frozenset()
    """The class of the object that is written."""
    via: tuple[str, ...] = ()
    """The functions that were called on the way, outermost first."""
    steps: int = 0
    """How many calls led to it, on the shortest way."""
    trace: "Trace | None" = None
    """The innermost trace inside of the function under which it happens."""
    is_exact: bool = True
    """Whether the object can be nothing else."""
    raw: bool = False
    """Whether it goes past the ``__setattr__`` of the class."""
    is_read_later: bool = False
    """Whether the function looks at what it has written, or hands the object on."""
    is_seen_after: bool = False
    """Whether somebody looks at what it has written once the trace is over."""
    is_undone: bool = False
    """Whether the function takes it back: it removes what it put there, or puts back what was."""
    calls: tuple[Site, ...] = ()
    """Where a function of another module was called on the way, outermost first."""
    around: tuple[Site, ...] = ()
    """The same of the way to what has started the trace."""
    is_virtual: bool = False
    """Whether it happens once somebody calls what a transform has made, and not before."""
    awaits: "Trace | None" = None
    """The trace that somebody has to start by such a call."""
    fills: bool = False
    """Whether it happens only where a test has found nothing: a cache that is made by hand."""
    cause: Site | None = None
    """The function that computes what a cache keeps."""
    only_if: Conditions = NOTHING
    """What must hold for it to happen."""
    counts: str = ""
    """By which operator a constant is added to the old value: a counter, if that is no array."""
    is_sure: bool = True
    """Whether it happens whenever the function is called, or the one that its trace runs: no test
    that is not decided, and no choice between functions, stands before it."""

    @property
    def key(self) -> "WriteKey":
        """What makes two writes one."""
        return WriteKey(self.path, self.form, self.site, self.trace)

    @property
    def target(self) -> AccessPath:
        """The object that is written."""
        return self.path if self.form is Form.NAME else self.path.owner


class WriteKey(NamedTuple):
    """A write, whatever is stored and on whatever way it is reached."""

    path: AccessPath
    form: Form
    site: Site
    trace: "Trace | None"

    @property
    def target(self) -> AccessPath:
        """The object that is written."""
        return self.path if self.form is Form.NAME else self.path.owner


class Trace(NamedTuple):
    """A callable that is handed to a transform."""

    transform: Transform
    function: str
    site: Site
    defined: Site
    """Where the function stands that it leads to."""


class Summary(NamedTuple):
    """What a function does."""

    writes: tuple[Write, ...] = ()
    reads: frozenset[AccessPath] = frozenset()
    """What it looks at of what was there before."""
    uses: frozenset[AccessPath] = frozenset()
    """Objects that it hands on as a whole."""
    result: Value | None = None
    """None where it never returns."""
    escapes: frozenset[AccessPath] = frozenset()
    """Objects that code which is not known gets."""
    stages: bool = False
    """Whether it makes jax arrays."""
    ensures: Conditions = NOTHING
    """What holds once it has returned."""
    certain: frozenset[AccessPath] = frozenset()
    """Where something certainly has been stored when it returns."""
    filled: frozenset[AccessPath] = frozenset()
    """Where something stands then that is certainly not None."""
    asks: "frozenset[Ask]" = frozenset()
    """What it calls, or calls a method of, and knows nothing of: its callers may know."""


class Ask(NamedTuple):
    """Something of a caller of which a function does not know what it calls, or its class."""

    path: AccessPath
    has_default: bool = False
    """Whether something else is called where it is None."""

    @property
    def rank(self) -> object:
        """What asks are put in order by."""
        return self.path.rank, self.has_default


class Refusal(NamedTuple):
    """An attribute of a frozen object is assigned or removed, which raises."""

    site: Site
    attribute: str
    types: frozenset[Type]
    """The classes of the object."""
    is_given: bool = False
    """Whether a caller has handed it over, who may know better of which class it is."""


class Discard(NamedTuple):
    """An updated copy is made, and nobody gets it."""

    site: Site
    is_certain: bool = True
    """Whether the object is known to be a pytree, or an array. Else it is one in traced code."""


class CallSite(NamedTuple):
    """A call of a function of the project, in the context that is known there."""

    ref: Callee
    given: tuple[tuple[str, Value], ...]
    site: Site


class Outcome(NamedTuple):
    """All that is known of a function once it is interpreted."""

    summary: Summary = Summary()
    writes: tuple[Write, ...] = ()
    """Its writes, those on objects that it makes itself among them."""
    runs: "tuple[Run, ...]" = ()
    """What it hands to transforms."""
    outliving: frozenset[Root] = frozenset()
    """Objects that it makes or gets, and that others keep: code that is not known, or an object
    around."""
    given_away: frozenset[Root] = frozenset()
    """Those of them that code gets which is not known."""
    returned: frozenset[Root] = frozenset()
    """Those of them that its callers get."""
    made: frozenset[str] = frozenset()
    """What the objects are called that it makes: an object of a class, by that."""
    refusals: tuple[Refusal, ...] = ()
    """What it assigns on frozen objects where nobody expects the error."""
    permitted: frozenset[Site] = frozenset()
    """Where it assigns frozen objects that can be assigned still, or again."""
    calls: tuple[CallSite, ...] = ()
    """Its calls where nobody expects an error."""
    expected: frozenset[Callee] = frozenset()
    """The functions that it hands to what expects them to raise."""
    discards: tuple[Discard, ...] = ()
    """The updated copies that it throws away."""
    in_place: frozenset[Site] = frozenset()
    """Where what looks like such an update writes to a reference."""
    called: frozenset[Trace] = frozenset()
    """What it starts by a call of what a transform has made, or leaves to another transform,
    where all such calls are in sight."""
    starts: bool = False
    """Whether it hands something to a transform, whatever that is."""


class Run(NamedTuple):
    """A traced callable, and the function that runs in the end, in the context that is known."""

    traced: Callee
    function: Callee
    given: tuple[tuple[str, Value], ...]
    is_refused: bool = False
    """Whether the transform raises, because it takes one of the arguments for none."""


BOTTOM = Summary()
"""A function that does nothing and never returns: where every summary starts."""


def merge_writes(one: Write, other: Write) -> Write:
    """One write of which two things are known."""
    if one == other and (one.is_virtual or one.awaits is None):
        return one
    return one._replace(
        value=join((one.value, other.value)),
        types=one.types if one.types == other.types else frozenset(),
        via=min(one.via, other.via, key=lambda via: (len(via), via)),
        steps=min(one.steps, other.steps),
        is_exact=one.is_exact and other.is_exact,
        is_read_later=one.is_read_later or other.is_read_later,
        is_seen_after=one.is_seen_after or other.is_seen_after,
        is_undone=one.is_undone and other.is_undone,
        is_virtual=one.is_virtual and other.is_virtual,
        fills=one.fills and other.fills,
        is_sure=one.is_sure and other.is_sure,
        counts=one.counts if one.counts == other.counts else "",
        awaits=one.awaits if other.is_virtual else None,
        calls=min(one.calls, other.calls, key=lambda calls: (len(calls), calls)),
        around=min(one.around, other.around, key=lambda calls: (len(calls), calls)),
        only_if=common((one.only_if, other.only_if)),
    )


def join_summaries(one: Summary, other: Summary) -> Summary:
    """What a function does of which two things are known."""
    if one is BOTTOM or one == other:
        return _bounded(other)
    writes = {item.key: item for item in one.writes}
    for item in other.writes:
        known = writes.get(item.key)
        writes[item.key] = item if known is None else merge_writes(known, item)
    returning = [item for item in (one, other) if item.result is not None]
    results = [item.result for item in returning if item.result is not None]
    return _bounded(
        Summary(
            tuple(writes.values()),
            united(one.reads, other.reads),
            united(one.uses, other.uses),
            join(results) if results else None,
            united(one.escapes, other.escapes),
            one.stages or other.stages,
            common(item.ensures for item in returning) if returning else NOTHING,
            _in_all(item.certain for item in returning),
            _in_all(item.filled for item in returning),
            one.asks | other.asks,
        )
    )


def _in_all(ways: Iterable[frozenset[AccessPath]]) -> frozenset[AccessPath]:
    found = [*ways]
    return found[0].intersection(*found[1:]) if found else frozenset()


def _bounded(summary: Summary) -> Summary:
    """A function that looks at too many objects looks at all that is below some of them.

    So does a place that writes to too many.
    """
    if len(summary.writes) > TARGETS:
        summary = summary._replace(writes=_merged(summary.writes))
    if len(summary.asks) > ASKS:
        asks = sorted(summary.asks, key=attrgetter("rank"))[:ASKS]
        summary = summary._replace(asks=frozenset(asks))
    if max(len(summary.reads), len(summary.uses), len(summary.escapes)) <= READS:
        return summary
    return summary._replace(
        reads=shortened(summary.reads, READS),
        uses=shortened(summary.uses, READS),
        escapes=shortened(summary.escapes, READS),
    )


def _merged(writes: tuple[Write, ...]) -> tuple[Write, ...]:
    """Writes; those of one place to too many objects go somewhere below a few of them."""
    places: dict[object, list[Write]] = {}
    for item in writes:
        places.setdefault((item.form, item.site, item.trace), []).append(item)
    if all(len(found) <= TARGETS for found in places.values()):
        return writes
    merged: dict[WriteKey, Write] = {}
    for found in places.values():
        paths = frozenset(item.path for item in found)
        cuts = shortened(paths, TARGETS) if len(found) > TARGETS else paths
        for item in found:
            path = item.path if item.path in cuts else _cut(item.path, cuts)
            changed = item if path is item.path else item._replace(path=path, is_exact=False)
            known = merged.get(changed.key)
            merged[changed.key] = changed if known is None else merge_writes(known, changed)
    return tuple(merged.values())


def _cut(path: AccessPath, cuts: frozenset[AccessPath]) -> AccessPath:
    """The path that has been cut and leads to a longer one."""
    return next(item for item in in_order(cuts) if item.may_contain(path))
