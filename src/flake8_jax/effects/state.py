"""The abstract state: variables and heap, copied at a branch and joined behind it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias, TypeVar, cast

from flake8_jax.effects.callees import ARRAYS, NONE
from flake8_jax.effects.conditions import (
    NEVER,
    NOTHING,
    OF_TRACERS,
    PERHAPS,
    Conditions,
    common,
    decides,
)
from flake8_jax.effects.index import PathIndex
from flake8_jax.effects.limits import NESTING
from flake8_jax.effects.paths import (
    AccessPath,
    Field,
    Index,
    LoopKey,
    Owner,
    Selector,
    Some,
    in_order,
)
from flake8_jax.effects.summaries import WriteKey
from flake8_jax.effects.values import (
    CONCRETE,
    PLAIN,
    UNKNOWN,
    Type,
    Value,
    after_round,
    derived,
    initial,
    join,
    join_two,
    under,
)
from flake8_jax.lowering.program import Shape

EMPTY_PLACE = Value(types=frozenset({NONE}), origin=CONCRETE)
"""What stands where a test has found None, or nothing at all."""
_DEFINITE = (Field, Index, LoopKey)
NEW_CONTAINERS = frozenset(shape.value for shape in (Shape.LIST, Shape.SET, Shape.DICT))
"""What new objects are called that are empty at first."""


Place: TypeAlias = str | AccessPath
"""A variable, or a part of an object."""


class Narrowed(NamedTuple):
    """A value of which a test has told more."""

    now: Value
    before: Value | None
    """What was known until then; None where nothing was stored yet."""
    outer: "Narrowed | None" = None
    """What a test around has told."""


class AbstractState:
    """What the variables hold, and what was stored in objects since the function began.

    Where nothing was stored, an object holds what it held at first. A state that cannot be
    reached holds nothing at all.
    """

    __slots__ = (
        "_has_own_env",
        "_has_own_heap",
        "_places",
        "aged",
        "clear",
        "dead",
        "env",
        "excluded",
        "heap",
        "narrowed",
        "reachable",
        "sure",
        "touched",
        "undone",
        "ways",
        "writes",
    )

    def __init__(
        self,
        env: Mapping[str, Value] | None = None,
        reachable: bool = True,
        writes: frozenset[WriteKey] = frozenset(),
        clear: Conditions = NOTHING,
        undone: frozenset[WriteKey] = frozenset(),
        aged: frozenset[WriteKey] = frozenset(),
        sure: frozenset[WriteKey] = frozenset(),
    ) -> None:
        self.env: Mapping[str, Value] = {} if env is None else env
        self.heap: Mapping[AccessPath, Value] = {}
        self._has_own_env = self._has_own_heap = False
        """Whether no other state has the same ones: they are copied before they are changed."""
        self._places = PathIndex()
        """Where something was stored, in this state or in others of the same function."""
        self.reachable = reachable
        self.writes = writes
        """What has been written on the way to here."""
        self.clear = clear
        """What holds on the way to here."""
        self.narrowed: dict[Place, Narrowed] = {}
        """What tests on the way to here have told."""
        self.excluded: frozenset[tuple[AccessPath, Type]] = frozenset()
        """Objects of unknown class, and classes that tests have told them to be no instances of."""
        self.touched: frozenset[AccessPath] = frozenset()
        """Objects of which an attribute was read that is not known: it may be any cache."""
        self.undone = undone
        """Those of the writes that were taken back, on all ways that made them."""
        self.aged = aged
        """Writes to what a loop goes through, in rounds before this one: to other objects."""
        self.sure = sure
        """Those of the writes that were made on all ways to here."""
        self.dead: frozenset[WriteKey] = frozenset()
        """Those of the writes that left something in whose place something else stands by now."""
        self.ways: frozenset[tuple[int, int]] = frozenset()
        """Which ways were gone to here where each call may go another one."""

    def copy(self) -> "AbstractState":
        """A state that can go its own way."""
        copied = AbstractState()
        copied.adopt(self)
        copied.narrowed = dict(self.narrowed)
        return copied

    def bind(self, name: str, value: Value) -> None:
        """Give a variable a value."""
        self._own_env()[name] = value

    def unbind(self, name: str) -> None:
        """Take the value of a variable away."""
        if name in self.env:
            del self._own_env()[name]

    def put(self, path: AccessPath, value: Value) -> None:
        """Store a value at a path."""
        if path not in self.heap:
            self._places.add(path)
        self._own_heap()[path] = value

    def drop(self, path: AccessPath) -> None:
        """Give a path the value back that it had at first."""
        if path in self.heap:
            del self._own_heap()[path]

    def _own_env(self) -> dict[str, Value]:
        if not self._has_own_env:
            self.env, self._has_own_env = dict(self.env), True
        return cast("dict[str, Value]", self.env)

    def _own_heap(self) -> dict[AccessPath, Value]:
        if not self._has_own_heap:
            self.heap, self._has_own_heap = dict(self.heap), True
        return cast("dict[AccessPath, Value]", self.heap)

    def learn(self, conditions: Conditions) -> None:
        """Take conditions to hold from here on."""
        if conditions:
            self.clear |= conditions
            if NEVER in conditions:
                self.leave()

    def leave(self) -> None:
        """Nothing behind this point is reached: after ``return``, ``raise``, ``break``."""
        self.reachable = False

    def come_back(self, before: "AbstractState") -> None:
        """Be as before, but for the writes that may have happened meanwhile."""
        writes, undone = self.writes | before.writes, undone_by_all((self, before))
        self.adopt(before)
        self.writes, self.undone = writes, undone

    def adopt(self, other: "AbstractState") -> None:
        """Become as another state is."""
        self.env, self.heap, self.reachable = other.env, other.heap, other.reachable
        for state in (self, other):
            state._has_own_env = state._has_own_heap = False
        self._places = other._places
        self.writes, self.clear = other.writes, other.clear
        self.undone, self.aged, self.sure = other.undone, other.aged, other.sure
        self.narrowed, self.excluded = other.narrowed, other.excluded
        self.touched, self.ways, self.dead = other.touched, other.ways, other.dead

    def narrow(self, place: Place, value: Value) -> None:
        """Take a value to be what a test has told, as far as the test reaches."""
        before = self.env.get(place) if isinstance(place, str) else self.heap.get(place)
        if value != before:
            outer = self.narrowed.get(place)
            is_told = outer is not None and outer.now is before
            self.narrowed[place] = Narrowed(value, before, outer if is_told else None)
            self._put(place, value)

    def widen(self, place: Place, known: "_Known") -> None:
        """Take a value to be again what it was before a test."""
        value, told = known
        if told is not None:
            self.narrowed[place] = told
        self._put(place, value)

    def _put(self, place: Place, value: Value | None) -> None:
        if isinstance(place, str):
            if value is not None:
                self.bind(place, value)
            else:
                self.unbind(place)
        elif value is not None:
            self.put(place, value)
        else:
            self.drop(place)

    def note(self, key: WriteKey, is_sure: bool = True) -> None:
        """Note that something is written here, or may be."""
        if key not in self.writes:
            self.writes |= {key}
        if is_sure and key not in self.sure:
            self.sure |= {key}
        if self.aged and key in self.aged:
            self.aged -= {key}

    def end_round(self, loop: int, before: "AbstractState", is_last: bool = False) -> None:
        """A round of a loop is over: the next one gets other objects.

        What the loop has left behind is one element or another; what it has left as it was
        ``before`` the loop is of no round.
        """
        own = frozenset(key for key in self.writes if key.path.is_of_round(loop))
        self.aged = self.aged - own if is_last else self.aged | own
        for name in _changed(self.env, before.env):
            value = self.env[name]
            held = after_round(value, loop)
            if held is not value:
                self.bind(name, held)
        for path in _changed(self.heap, before.heap):
            value = self.heap[path]
            later, held = path.after_round(loop), after_round(value, loop)
            if later is not path:
                self.drop(path)
                known = self.heap.get(later) or at_first(later)
                held = held if known is None else join((known, held))
            if held is not value or later is not path:
                self.put(later, held)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AbstractState):
            return NotImplemented
        if not self.reachable and not other.reachable:
            return True
        if self.writes != other.writes or self.undone != other.undone or self.aged != other.aged:
            return False
        mine = (self.reachable, self.clear, self.touched, self.sure, self.env, self.heap)
        theirs = (other.reachable, other.clear, other.touched, other.sure, other.env, other.heap)
        return mine == theirs

    __hash__ = None  # type: ignore[assignment]

    def load(self, path: AccessPath) -> Value:
        """The value at a path now."""
        if path in self.heap:
            return self.heap[path]
        first = at_first(path)
        if first is None:
            return PLAIN
        return first.inexact() if path.is_cut else first

    def is_full(self, path: AccessPath) -> bool:
        """Whether something was certainly stored at a path that is certain itself."""
        known = self.heap.get(path)
        return known is not None and _is_definite(path) and path not in known.paths

    def is_filled(self, path: AccessPath) -> bool:
        """Whether a path has a value that is certain, and is not None."""
        known = self.heap.get(path)
        return known is not None and _is_definite(path) and _is_something(known)

    def may_be_kept(self, path: AccessPath) -> bool:
        """Whether a cache has been filled, or may have been: it is not known what was read."""
        return path.owner in self.touched or self.is_full(path)

    def is_told_empty(self, place: Place) -> bool:
        """Whether a test on the way here has found that a variable or a path has no value."""
        told = self.narrowed.get(place)
        now = self.env.get(place) if isinstance(place, str) else self.heap.get(place)
        return told is not None and told.now is now and now == EMPTY_PLACE

    def empty(self, owner: Value, selector: Selector) -> None:
        """Remove the value of a part of an object."""
        if owner.exact and len(owner.paths) == 1:
            for path in owner.paths:
                self.drop(path.then(selector))

    def part(self, owner: Value, selector: Selector) -> Value:
        """A part of an object, without a look at its class."""
        by_name = isinstance(selector, Field)
        if by_name and len(owner.paths) == 1 and not owner.contents.shares | owner.contents.statics:
            [path] = owner.paths
            value = self.load(path.then(selector))
            return value if owner.exact else value.inexact()
        found = []
        for path in in_order(self._holders(owner, selector)):
            here = path.then(selector)
            if by_name:  # no other selector leads there
                found.append(self.load(here))
                continue
            others = self._others(path, selector, here)
            if not others or here in self.heap or at_first(here) is not None:
                found.append(self.load(here))
            found += others
        if not found:
            return UNKNOWN.with_origin(owner.origin)
        value = join(found)
        return value if owner.exact else value.inexact()

    def whole(self, value: Value, nesting: int = NESTING) -> Value:
        """A value; a new container comes from all that it holds by now."""
        new = [
            path
            for path in value.paths
            if path.root.owner is Owner.FRESH and _is_new_container(path)
        ]
        if not new or not nesting:
            return value
        held = [
            self.whole(self.heap[part], nesting - 1) for path in new for part in self.parts(path)
        ]
        return value.with_origin(derived((value, *held)).origin) if held else value

    def with_all_in(self, objects: Iterable[AccessPath]) -> frozenset[AccessPath]:
        """Objects, and those that new ones among them hold by now."""
        found = frozenset(objects)
        waiting = {path.base for path in found if path.root.owner is Owner.FRESH}
        while waiting:
            held = [value.out for path, value in self.heap.items() if path.base in waiting]
            more = frozenset[AccessPath]().union(*held) - found
            found |= more
            waiting = {path.base for path in more if path.root.owner is Owner.FRESH}
        return found

    def _holders(self, owner: Value, selector: Selector) -> frozenset[AccessPath]:
        """The objects whose part is one of a value: a copy shares what nobody has stored in it."""
        shares = owner.contents.shares
        if isinstance(selector, Field) and selector.static:
            shares |= owner.contents.statics
        if not shares or not owner.paths:
            return shares or owner.paths
        stored = frozenset(path for path in owner.paths if path.then(selector) in self.heap)
        is_own = isinstance(selector, Field) and owner.exact and stored == owner.paths
        return stored if is_own else stored | shares

    def parts(self, owner: AccessPath) -> list[AccessPath]:
        """The parts of an object where something was stored."""
        return [path for path in self._places.parts(owner) if path in self.heap]

    def _others(self, owner: AccessPath, selector: Selector, here: AccessPath) -> list[Value]:
        """What was stored under selectors that may be the same one."""
        found = self._places.matching(owner, selector)
        return [self.heap[path] for path in found if path is not here and path in self.heap]

    def store(self, owner: Value, selector: Selector, value: Value) -> None:
        """Store a part of an object.

        Where the object is certain, what was there is gone (a strong update). Else the new value
        may stand there, or what stood there before (a weak one).
        """
        paths = owner.paths
        strong = owner.exact and len(paths) == 1 and isinstance(selector, _DEFINITE)
        for owned in in_order(paths):
            path = owned.then(selector)
            if path.is_cut:
                continue
            if strong:
                for below in self._places.below(path):
                    self.drop(below)  # another object stands there
                self.put(path, value)
            else:
                before = self.heap.get(path) or at_first(path)
                self.put(path, value if before is None else join((before, value)))

    def forget(self, objects: Iterable[AccessPath]) -> None:
        """Code that is not known got objects: what stands in them may be something else now.

        Where an array stood, there is one still.
        """
        for item in in_order(objects):
            for known in self._places.inside(item) if self._places.has_any_of(item) else ():
                value = self.heap.get(known, UNKNOWN)
                if known is not item and value is not UNKNOWN:
                    types = value.types if value.types <= ARRAYS else frozenset[Type]()
                    self.put(known, UNKNOWN._replace(paths=value.paths, types=types))
            if _is_new_container(item):
                self.put(item.then(Some.INDEX), UNKNOWN)


def _is_definite(path: AccessPath) -> bool:
    """Whether a path leads to one part of an object alone."""
    return bool(path.selectors) and isinstance(path.selectors[-1], _DEFINITE)


def _is_something(value: Value) -> bool:
    """Whether a value is certainly not None."""
    if NEVER in value.tells.if_none:
        return True
    if value.types or value.callees:
        return NONE not in value.types
    return value.exact and not value.paths and NEVER not in value.tells.if_some


def at_first(path: AccessPath) -> Value | None:
    """The value at a path before anything is stored there; None in a new container."""
    if path.root.owner is Owner.FRESH and _is_new_container(path.owner):
        if path.selectors and not isinstance(path.selectors[-1], Field):
            return None
    return initial(path)


def _is_new_container(path: AccessPath) -> bool:
    """Whether a path is a container that the function itself makes."""
    root = path.root
    return root.owner is Owner.FRESH and root.name in NEW_CONTAINERS and not path.selectors


def join_states(states: Iterable[AbstractState]) -> AbstractState:
    """The state behind several ways."""
    found = [state for state in states if state.reachable]
    if not found:
        return AbstractState(reachable=False)
    if len(found) == 1:
        return found[0]
    first, *others = found
    joined = first.copy()
    clear = joined.clear = common(state.clear for state in found)
    of_first = first.clear - clear
    for other in others:
        of_other = other.clear - clear
        for name in _changed(other.env, joined.env):
            known = joined.env.get(name)
            joined.bind(name, _either(known, of_first, other.env[name], of_other))
        for path in _differing(joined.heap, other.heap):
            one = joined.heap.get(path) or at_first(path)
            two = other.heap.get(path) or at_first(path)
            joined.put(path, _either(one, of_first, two, of_other))
        of_first = of_first & of_other
        if other.writes is not joined.writes:
            joined.writes |= other.writes
    joined.undone, joined.aged = undone_by_all(found), _aged_by_all(found)
    joined.sure = sure_on_all(found)
    joined.dead = _dead_on_all(found)
    joined.touched = first.touched.union(*[item.touched for item in others])
    joined.excluded = first.excluded.intersection(*[item.excluded for item in others])
    for place in _told_otherwise(found):
        joined.narrowed.pop(place, None)
        for before in _told_before(found, place):
            joined.widen(place, before)
    return joined


_Place = TypeVar("_Place", str, AccessPath)


def _changed(now: Mapping[_Place, Value], before: Mapping[_Place, Value]) -> list[_Place]:
    """The paths that have a value now and had none before."""
    if now is before:
        return []
    return [
        place for place, value in now.items() if place not in before or before[place] is not value
    ]


def _differing(
    one: Mapping[AccessPath, Value], other: Mapping[AccessPath, Value]
) -> list[AccessPath]:
    """Where two heaps may hold something else: on most ways nothing was stored."""
    if one is other:
        return []
    return _changed(one, other) + [path for path in other if path not in one]


def _aged_by_all(states: list[AbstractState]) -> frozenset[WriteKey]:
    """The writes of earlier rounds alone, on all ways that made them."""
    aged = frozenset[WriteKey]().union(*(state.aged for state in states))
    if not aged:
        return aged
    return aged.difference(*(state.writes - state.aged for state in states))


def at_ends(states: Iterable[AbstractState]) -> AbstractState:
    """What stands where once a function has ended in one of several states.

    What only one of them knows was made on that way.
    """
    first, *others = states
    if not others:
        return first
    joined = first.copy()
    for other in others:
        for name, value in other.env.items():
            joined.bind(name, join((joined.env.get(name, value), value)))
        for path, value in other.heap.items():
            joined.put(path, join((joined.heap.get(path, value), value)))
    return joined


_Known: TypeAlias = tuple[Value | None, Narrowed | None]
"""The value at a place, and what a test has told of it."""


def _told_otherwise(states: list[AbstractState]) -> list[Place]:
    """The places of which tests have not told the same on several ways."""
    told = states[0].narrowed
    found = {
        place: None
        for state in states[1:]
        for place, here in state.narrowed.items()
        if place not in told or told[place] is not here
    }
    for state in states[1:]:
        found.update({place: None for place in told if place not in state.narrowed})
    return [*found]


def _told_before(states: list[AbstractState], place: Place) -> list[_Known]:
    """What stood at a place before the tests on each of several ways, if that is the same."""
    first, *others = [[*_steps(state, place)] for state in states]
    for known in first:
        if all(any(known[0] is item[0] for item in steps) for steps in others):
            return [known]
    return []


def _steps(state: AbstractState, place: Place) -> Iterator[_Known]:
    """The value at a place, and what was known of it before each test on the way."""
    here = state.env.get(place) if isinstance(place, str) else state.heap.get(place)
    told = state.narrowed.get(place)
    while told is not None and told.now is here:
        yield here, told
        here, told = told.before, told.outer
    yield here, None


def sure_on_all(states: Iterable[AbstractState]) -> frozenset[WriteKey]:
    """The writes that were made on each of several ways, but for those that nobody goes at first.

    Where it is told what holds on a way, its writes say so themselves, and callers decide. What
    asks for Tracers is decided by the trace.
    """
    found = [*states]
    if not any(state.sure for state in found):
        return _NO_WRITES
    at_first = [state for state in found if PERHAPS not in state.clear]
    first, *others = at_first or found
    sure = first.sure.intersection(*[state.sure for state in others])
    if others:
        clear = common(state.clear for state in (first, *others))
        ways = first.ways.intersection(*[state.ways for state in others])
        own = [(item, frozenset(filter(decides, item.clear - clear))) for item in (first, *others)]
        is_for_tracers = any(item.asked in OF_TRACERS for _, told in own for item in told)
        sure = sure.union(
            *[state.sure for state, told in own if told or is_for_tracers or state.ways > ways]
        )
    return sure


_NO_WRITES: frozenset[WriteKey] = frozenset()


def _dead_on_all(states: list[AbstractState]) -> frozenset[WriteKey]:
    """The writes whose traces are gone on all ways that made them."""
    dead = frozenset[WriteKey]().union(*[state.dead for state in states])
    return dead.difference(*[state.writes - state.dead for state in states]) if dead else dead


def undone_by_all(states: Iterable[AbstractState]) -> frozenset[WriteKey]:
    """The writes that were taken back on all ways that made them."""
    found = [*states]
    undone = frozenset[WriteKey]().union(*(state.undone for state in found))
    return (
        undone.difference(*(state.writes - state.undone for state in found)) if undone else undone
    )


def _either(one: Value | None, on_one: Conditions, two: Value | None, on_two: Conditions) -> Value:
    """What is known of a value behind two ways, on each of which something holds."""
    if one is None or two is None:
        known, way = (two, on_two) if one is None else (one, on_one)
        return UNKNOWN if known is None else under(known, way)
    if one is two or one == two:
        return one
    return join_two(under(one, on_one) if on_one else one, under(two, on_two) if on_two else two)
