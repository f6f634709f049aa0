"""Abstract values: what is known of the value of an expression, in a few parts.

A value may be one of several objects (``paths``), and ``exact`` says that it can be nothing else.
Its ``origin`` says whether it can be a Tracer. Nothing here is ever changed; a value that differs
is made with one of the ``with_*`` methods.
"""

from collections.abc import Iterable
from functools import lru_cache, reduce
from typing import Any, NamedTuple, TypeAlias

from flake8_jax.effects.conditions import (
    EAGER,
    IDLE,
    NEVER,
    NOTHING,
    OF_NONE,
    PERHAPS,
    SILENT,
    Asked,
    Condition,
    Conditions,
    Tells,
    both,
    join_tells,
    on_the_way,
)
from flake8_jax.effects.limits import CALLEES, PATHS, SELECTORS
from flake8_jax.effects.paths import AccessPath, Field, Owner, Root, Selector, Some, in_order

_NO_PATHS: frozenset[AccessPath] = frozenset()
_NO_ROOTS: frozenset[Root] = frozenset()
_NO_TYPES: frozenset[Any] = frozenset()

Type: TypeAlias = Any
"""A class of the project, or something that the tables know; whatever it is, it can be compared."""
Callee: TypeAlias = Any
"""Something that can be called."""


class Origin(NamedTuple):
    """Provenance: whether a value can be a Tracer, and because of what."""

    concrete: bool = False
    """Provably no Tracer: a literal, a shape, the result of ``int()`` or numpy."""
    sources: frozenset[Root] = _NO_ROOTS
    """The variables that it is computed from: a Tracer, if one of them is and it can be one."""
    staged: bool = False
    """Made by jax in the function itself: a Tracer under whatever stages it."""
    traced: bool = False
    """Computed from an argument of a trace that the function itself has started: a Tracer."""
    doubtful: bool = False
    """Perhaps static data of what it comes from: a label among arrays, a field that may be one.
    Of what is concrete: perhaps no plain value, but an object of whatever class."""
    surely: frozenset[Root] = _NO_ROOTS
    """Of what is doubtful: those of its sources of which it is computed in any case."""
    enclosed: bool = False
    """Made by jax under a trace that the function itself has started: a Tracer."""

    @property
    def certain(self) -> frozenset[Root]:
        """The variables of which it is a Tracer in any case if one of them is."""
        return self.surely if self.doubtful else self.sources


CONCRETE = Origin(concrete=True)
STATIC_DATA = Origin(concrete=True, doubtful=True)
"""What a pytree does not hand to JAX: no Tracer, and nobody knows what else."""
UNKNOWN_ORIGIN = Origin()


def join_origins(origins: Iterable[Origin]) -> Origin:
    """What is known of a value that may come from several origins, or is computed from all."""
    found = tuple(dict.fromkeys(origins))
    return found[0] if len(found) == 1 else _joined_origins(found)


@lru_cache(maxsize=4096)  # a few combinations come all the time
def _joined_origins(found: tuple[Origin, ...]) -> Origin:
    told = [item for item in found if not item.concrete]
    is_staged = is_traced = is_doubtful = is_enclosed = False
    for item in found:
        is_staged |= item.staged
        is_traced |= item.traced
        is_enclosed |= item.enclosed
    for item in told or found:
        is_doubtful |= item.doubtful
    sources = _NO_ROOTS.union(*[item.sources for item in told or found])
    surely = _NO_ROOTS
    if is_doubtful and told:
        surely = told[0].certain.intersection(*[item.certain for item in told[1:]])
    return Origin(not told, sources, is_staged, is_traced, is_doubtful, surely, is_enclosed)


def doubtful(origin: Origin) -> Origin:
    """The origin of a part of a value, of which nobody knows whether it is static."""
    return origin if origin.concrete else origin._replace(doubtful=True, surely=_NO_ROOTS)


def no_tracer(origin: Origin) -> Conditions:
    """What must hold where something is no Tracer."""
    if origin.concrete:
        return NOTHING
    found = {
        Condition(Asked.NO_TRACER, root) for root in origin.sources if root.owner is not Owner.FRESH
    }
    if origin.staged:
        found.add(EAGER)
    if origin.traced or origin.enclosed:
        found.add(PERHAPS if origin.doubtful else NEVER)
    return frozenset(found) or frozenset({IDLE})


def number(origin: Origin) -> Conditions:
    """What must hold where a number is made of something; static data tells nothing."""
    if origin.doubtful:
        return NOTHING
    found = {
        Condition(Asked.NUMBER, item.root) if item.root else item for item in no_tracer(origin)
    }
    return frozenset(found - {IDLE})


class Snapshot(NamedTuple):
    """A copy of an object, with what had been written there until then."""

    path: AccessPath
    shallow: bool
    writes: frozenset[Any] = frozenset()
    """The writes that came before, and are in the copy."""


class Contents(NamedTuple):
    """What else comes along with a value."""

    reaches: frozenset[AccessPath] = _NO_PATHS
    """Objects that can be got at through it: the elements of a new list."""
    shares: frozenset[AccessPath] = _NO_PATHS
    """Objects whose fields are its own as well: the source of a shallow copy."""
    snapshots: frozenset[Snapshot] = frozenset()
    """Objects that it, or something in it, is a copy of."""
    items: "tuple[Value, ...] | None" = None
    """The elements of a new tuple."""
    parts: "Parts" = ()
    """What a new object holds that a function has handed out."""
    statics: frozenset[AccessPath] = _NO_PATHS
    """Objects whose static fields are its own as well: what a transform has taken apart."""


Parts: TypeAlias = "tuple[tuple[Selector, Value], ...]"
EMPTY = Contents()


class Value(NamedTuple):
    """What is known of the value of an expression."""

    paths: frozenset[AccessPath] = _NO_PATHS
    """The objects that it may be; none for one that is made here and has no name yet."""
    exact: bool = True
    """Whether it can be nothing else."""
    origin: Origin = UNKNOWN_ORIGIN
    types: frozenset[Type] = frozenset()
    """What it is one of; none where that is not known."""
    contents: Contents = EMPTY
    callees: tuple[Callee, ...] = ()
    """What a call of it may run; none where that is not known."""
    tells: Tells = SILENT
    """What is known where it turns out to be true, or false, or None."""

    @property
    def out(self) -> frozenset[AccessPath]:
        """All objects that leave a function with this value."""
        return self.paths | self.contents.reaches if self.contents.reaches else self.paths

    @property
    def is_of_others(self) -> bool:
        """Whether it is certainly one of the objects that it is known to be, and none made here."""
        return self.exact and (
            len(self.paths) == 1 or all(path.root.owner is not Owner.FRESH for path in self.paths)
        )

    def with_origin(self, origin: Origin) -> "Value":
        paths, exact, _, types, contents, callees, tells = self
        return Value(paths, exact, origin, types, contents, callees, tells)

    def with_types(self, types: frozenset[Type]) -> "Value":
        if types is self.types:
            return self
        paths, exact, origin, _, contents, callees, tells = self
        return Value(paths, exact, origin, types, contents, callees, tells)

    def with_contents(self, contents: Contents) -> "Value":
        paths, exact, origin, types, _, callees, tells = self
        return Value(paths, exact, origin, types, contents, callees, tells)

    def with_callees(self, callees: tuple[Callee, ...]) -> "Value":
        if callees is self.callees:
            return self
        paths, exact, origin, types, contents, _, tells = self
        return Value(paths, exact, origin, types, contents, callees, tells)

    def with_tells(self, tells: Tells) -> "Value":
        if tells is self.tells:
            return self
        paths, exact, origin, types, contents, callees, _ = self
        return Value(paths, exact, origin, types, contents, callees, tells)

    def inexact(self) -> "Value":
        """The same, or something else."""
        if not self.exact:
            return self
        paths, _, origin, types, contents, callees, tells = self
        return Value(paths, False, origin, types, contents, callees, tells)


UNKNOWN = Value(exact=False)
"""It may be anything."""
PLAIN = Value(origin=CONCRETE)
"""A value of plain Python that nobody else has."""
NOTHING_RETURNED = Value(origin=CONCRETE, tells=OF_NONE)
"""What a function gives back that gives nothing back."""


def types_in_order(types: frozenset[Type]) -> list[Type]:
    """Types in an order that does not depend on how they were found."""
    return sorted(types, key=repr) if len(types) > 1 else [*types]


def initial(path: AccessPath) -> Value:
    """The value at a path when a function begins; what is in a static field is static."""
    known: Value | None = path.known
    if known is None:
        is_static = any(isinstance(item, Field) and item.static for item in path.selectors)
        origin = STATIC_DATA if is_static else Origin(sources=frozenset((path.root,)))
        known = path.known = Value(frozenset((path,)), origin=origin)
    return known


def after_round(value: Value, loop: int) -> Value:
    """A value of one round of a loop, as it is in later ones: some element."""
    contents = value.contents
    if not value.paths and contents == EMPTY:
        return value
    if not any(path.is_of_round(loop) for path in value.out | contents.shares):
        return value
    items = contents.items
    if items is not None:
        items = tuple(after_round(item, loop) for item in items)
    contents = contents._replace(
        reaches=frozenset(path.after_round(loop) for path in contents.reaches),
        shares=frozenset(path.after_round(loop) for path in contents.shares),
        items=items,
    )
    paths = frozenset(path.after_round(loop) for path in value.paths)
    return value._replace(paths=paths, contents=contents)


def join(values: Iterable[Value]) -> Value:
    """What is known of a value that may be any of several."""
    found = [*values]
    if len(found) == 1:
        return found[0]
    return reduce(join_two, found) if found else UNKNOWN


def join_two(one: Value, other: Value) -> Value:
    """What is known of a value that may be either of two."""
    if one is other or one == other:
        return one
    first, is_exact, origin, types, contents, callees, tells = one
    second, is_other_exact, of_other, other_types, with_other, other_callees, other_tells = other
    is_exact = is_exact and is_other_exact
    if is_exact and bool(first) != bool(second):
        is_exact = _is_nothing(one) or _is_nothing(other)
    paths = united(first, second) if first != second else first
    if contents is not with_other:
        contents = _join_contents(contents, with_other)
    if paths and contents.reaches:
        told = _still_told(paths, contents.reaches)
        paths, is_exact = told, is_exact and len(told) == len(paths)
    joined = Value(
        paths,
        is_exact,
        origin if origin == of_other else _joined_origins((origin, of_other)),
        types | other_types if types and other_types else _NO_TYPES,
        contents,
        _callees_of_either(one, other) if callees or other_callees else (),
        tells if tells is other_tells else join_tells(tells, other_tells),
    )
    return joined if contents is EMPTY and len(paths) <= PATHS else bounded(joined)


def _is_nothing(value: Value) -> bool:
    """Whether a value is None, which nobody writes to."""
    return not value.paths and NEVER in value.tells.if_some


def _still_told(
    paths: frozenset[AccessPath], reaches: frozenset[AccessPath]
) -> frozenset[AccessPath]:
    """Paths without those of a value that may be too many objects: they are not told again."""
    if len(reaches) >= PATHS:
        return _NO_PATHS
    cut = _cuts(reaches)
    return frozenset(path for path in paths if not _is_below(path, cut)) if cut else paths


def _join_contents(one: Contents, other: Contents) -> Contents:
    if one == other:
        return one
    items = None
    if one.items is not None and other.items is not None and len(one.items) == len(other.items):
        items = tuple(join_two(*pair) for pair in zip(one.items, other.items, strict=True))
    return Contents(
        united(one.reaches, other.reaches),
        united(one.shares, other.shares),
        few_copies(one.snapshots | other.snapshots),
        items,
        _join_parts(one.parts, other.parts),
        united(one.statics, other.statics),
    )


def _join_parts(one: Parts, other: Parts) -> Parts:
    """What one of two objects holds; nothing is known of a part that only one has."""
    if one == other or not one or not other:
        return one if one == other else ()
    others = dict(other)
    return tuple(
        (selector, join_two(value, others[selector]))
        for selector, value in one
        if selector in others
    )


def _callees_of_either(one: Value, other: Value) -> tuple[Callee, ...]:
    """What a call of either of two values may run; None cannot be called."""
    if not one.callees or not other.callees:
        known = one if one.callees else other
        return known.callees if _is_nothing(other if known is one else one) else ()
    return _join_callees(one.callees, other.callees)


def _join_callees(one: tuple[Callee, ...], other: tuple[Callee, ...]) -> tuple[Callee, ...]:
    """All that may be called; a value of which one way is unknown may call anything."""
    joined = one + tuple(item for item in other if item not in one)
    return joined if len(joined) <= CALLEES else ()


def under(value: Value, conditions: Conditions) -> Value:
    """A value as it is where conditions hold: perhaps it cannot be a Tracer there."""
    if not conditions:
        return value
    origin = value.origin
    if not origin.concrete and not origin.doubtful:
        if IDLE in conditions or no_tracer(origin) <= conditions:
            value = value.with_origin(doubtful(origin))
    return value.with_tells(on_the_way(value.tells, conditions))


def truth(value: Value) -> Tells:
    """What a value tells, and of which variable that is asked."""
    if len(value.paths) != 1 or not value.exact:
        return value.tells
    [path] = value.paths
    if path.selectors or path.root.owner not in ASKED_OF:
        return value.tells
    own = (frozenset({Condition(asked, path.root)}) for asked in OUTCOMES)
    return both(value.tells, Tells(*own))


ASKED_OF = (Owner.PARAMETER, Owner.CELL, Owner.BOUND)
OUTCOMES = (Asked.TRUE, Asked.FALSE, Asked.SOME, Asked.NONE)


def may_be_anything(value: Value) -> bool:
    """Whether it is not known when a value is None, or that it is."""
    told = truth(value)
    return not told.if_none and NEVER not in told.if_some


def outcome(value: Value, asked: Asked) -> Conditions:
    """What is known where a value turns out to be as asked."""
    return truth(value)[OUTCOMES.index(asked)]


def derived(values: Iterable[Value], staged: bool = False) -> Value:
    """The result of a computation: a new value, a Tracer if an operand is one."""
    origins = [value.origin for value in values]
    if staged or any((item.staged or item.traced) and not item.doubtful for item in origins):
        origins = [item for item in origins if not item.doubtful]
    origin = join_origins([PLAIN.origin, *origins])
    if origin.doubtful and not origin.concrete:
        told = [item.certain for item in origins if not item.concrete]
        origin = origin._replace(surely=_NO_ROOTS.union(*told))
    if staged:
        origin = origin._replace(concrete=False, staged=True)
    return Value(origin=origin)


def fresh_with(values: Iterable[Value]) -> Value:
    """A new object that holds values."""
    parts = [*values]
    reaches = _NO_PATHS.union(*[part.out for part in parts])
    snapshots = frozenset[Snapshot]().union(*[part.contents.snapshots for part in parts])
    if not reaches and not snapshots:
        return derived(parts)
    return derived(parts).with_contents(Contents(widened(reaches), snapshots=few_copies(snapshots)))


def few_copies(snapshots: frozenset[Snapshot]) -> frozenset[Snapshot]:
    """Copies of at most so many objects; beyond, paths are cut shorter, and all writes were before.

    More writes in a copy make fewer findings.
    """
    if len(snapshots) <= PATHS:
        return snapshots
    writes = frozenset[Any]().union(*[item.writes for item in snapshots])
    is_shallow = all(item.shallow for item in snapshots)
    paths = widened(frozenset(item.path for item in snapshots))
    return frozenset(Snapshot(path, is_shallow, writes) for path in paths)


def widened(paths: frozenset[AccessPath], most: int = PATHS) -> frozenset[AccessPath]:
    """At most so many paths that contain all of the given ones, or the roots of all."""
    paths = shortened(paths, most)
    return paths if len(paths) <= most else frozenset(in_order(paths)[:most])


def shortened(paths: frozenset[AccessPath], most: int) -> frozenset[AccessPath]:
    """Paths that contain all of the given ones: so many, or at most one or two for each root."""
    length = SELECTORS
    while len(paths) > most and length:
        length -= 1
        paths = united(_NO_PATHS, frozenset(_cut(path, length) for path in paths))
    return paths


def united(one: frozenset[AccessPath], other: frozenset[AccessPath]) -> frozenset[AccessPath]:
    """All paths of both, but for those that are below one that has been cut.

    So what has been cut once does not grow again.
    """
    if not other or (one and other <= one):
        return one
    paths = one | other
    for path in paths:
        if path.is_cut:
            cut = _cuts(paths)
            return frozenset(path for path in paths if not _is_below(path, cut))
    return paths


def _cuts(paths: frozenset[AccessPath]) -> set[AccessPath]:
    return {path.owner for path in paths if path.is_cut}


def _is_below(path: AccessPath, cut: set[AccessPath]) -> bool:
    here = path.owner if path.is_cut else path
    while here.selectors:
        here = here.owner
        if here in cut:
            return True
    return False


def _cut(path: AccessPath, length: int) -> AccessPath:
    if len(path.selectors) <= length:
        return path
    return AccessPath(path.root, (*path.selectors[: max(length - 1, 0)], Some.BELOW))


def bounded(value: Value) -> Value:
    """A value that may be too many objects may be any."""
    contents = value.contents
    if len(value.paths) + len(contents.reaches) + len(contents.shares) <= PATHS:
        return value
    paths, exact, reaches = value.paths, value.exact, contents.reaches
    if len(paths) > PATHS:
        reaches, paths, exact = reaches | paths, _NO_PATHS, False
    contents = contents._replace(reaches=widened(reaches), shares=widened(contents.shares))
    return Value(paths, exact, value.origin, value.types, contents, value.callees, value.tells)
