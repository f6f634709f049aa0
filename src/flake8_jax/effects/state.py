"""The abstract state: variables and heap, copied at a branch and joined behind it."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from flake8_jax.effects.callees import ARRAYS, NONE
from flake8_jax.effects.conditions import NEVER, NOTHING, Conditions, common
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
    may_be_same,
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
        "aged",
        "clear",
        "env",
        "excluded",
        "heap",
        "narrowed",
        "reachable",
        "touched",
        "undone",
        "writes",
    )

    def __init__(
        self,
        env: dict[str, Value] | None = None,
        heap: dict[AccessPath, Value] | None = None,
        reachable: bool = True,
        writes: frozenset[WriteKey] = frozenset(),
        clear: Conditions = NOTHING,
        undone: frozenset[WriteKey] = frozenset(),
        aged: frozenset[WriteKey] = frozenset(),
    ) -> None:
        self.env = {} if env is None else env
        self.heap = {} if heap is None else heap
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

    def copy(self) -> "AbstractState":
        """A state that can go its own way."""
        env, heap = dict(self.env), dict(self.heap)
        copied = AbstractState(
            env, heap, self.reachable, self.writes, self.clear, self.undone, self.aged
        )
        copied.narrowed, copied.excluded = dict(self.narrowed), self.excluded
        copied.touched = self.touched
        return copied

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
        """Become another state."""
        self.env, self.heap, self.reachable = other.env, other.heap, other.reachable
        self.writes, self.clear = other.writes, other.clear
        self.undone, self.aged = other.undone, other.aged
        self.narrowed, self.excluded = other.narrowed, other.excluded
        self.touched = other.touched

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
                self.env[place] = value
            else:
                self.env.pop(place, None)
        elif value is not None:
            self.heap[place] = value
        else:
            self.heap.pop(place, None)

    def note(self, key: WriteKey) -> None:
        """Note that something is written here."""
        if key not in self.writes:
            self.writes |= {key}
        if self.aged and key in self.aged:
            self.aged -= {key}

    def end_round(self, loop: int, is_last: bool = False) -> None:
        """A round of a loop is over: the next one gets other objects.

        What the loop has left behind is one element or another.
        """
        own = frozenset(key for key in self.writes if key.path.is_of_round(loop))
        self.aged = self.aged - own if is_last else self.aged | own
        for name, value in self.env.items():
            self.env[name] = after_round(value, loop)
        for path, value in [*self.heap.items()]:
            later, held = path.after_round(loop), after_round(value, loop)
            if later != path:
                del self.heap[path]
                before = self.heap.get(later) or at_first(later)
                held = held if before is None else join((before, held))
            if held is not value or later != path:
                self.heap[later] = held

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AbstractState):
            return NotImplemented
        if not self.reachable and not other.reachable:
            return True
        if self.writes != other.writes or self.undone != other.undone or self.aged != other.aged:
            return False
        mine = (self.reachable, self.clear, self.touched, self.env, self.heap)
        return mine == (other.reachable, other.clear, other.touched, other.env, other.heap)

    __hash__ = None  # type: ignore[assignment]

    def load(self, path: AccessPath) -> Value:
        """What stands at a path now."""
        known = self.heap.get(path)
        if known is not None:
            return known
        first = at_first(path)
        if first is None:
            return PLAIN
        return first.inexact() if path.is_cut else first

    def is_full(self, path: AccessPath) -> bool:
        """Whether something was certainly stored at a path that is certain itself."""
        known = self.heap.get(path)
        return known is not None and _is_definite(path) and path not in known.paths

    def is_filled(self, path: AccessPath) -> bool:
        """Whether something stands at a path that is certain itself, and is not None."""
        known = self.heap.get(path)
        return known is not None and _is_definite(path) and _is_something(known)

    def may_be_kept(self, path: AccessPath) -> bool:
        """Whether a cache has been filled, or may have been: it is not known what was read."""
        return path.owner in self.touched or self.is_full(path)

    def is_told_empty(self, path: AccessPath) -> bool:
        """Whether a test on the way to here has told that nothing stands at a path."""
        told = self.narrowed.get(path)
        return told is not None and told.now is self.heap.get(path) and told.now == EMPTY_PLACE

    def empty(self, owner: Value, selector: Selector) -> None:
        """Nothing stands in a part of an object any more."""
        if owner.exact and len(owner.paths) == 1:
            for path in owner.paths:
                self.heap.pop(path.then(selector), None)

    def part(self, owner: Value, selector: Selector) -> Value:
        """A part of an object, without a look at its class."""
        found = []
        by_name = isinstance(selector, Field)
        for path in in_order(self._holders(owner, selector)):
            here = path.then(selector)
            if by_name:  # no other selector leads there
                found.append(self.load(here))
                continue
            others = [*self._others(path, selector, here)]
            if not others or here in self.heap or at_first(here) is not None:
                found.append(self.load(here))
            found += others
        if not found:
            return UNKNOWN.with_origin(owner.origin)
        value = join(found)
        return value if owner.exact else value.inexact()

    def whole(self, value: Value, nesting: int = NESTING) -> Value:
        """A value; a new container comes from all that it holds by now."""
        new = [path for path in value.paths if _is_new_container(path)]
        if not new or not nesting:
            return value
        held = [
            self.whole(item, nesting - 1) for path, item in self.heap.items() if path.owner in new
        ]
        return value.with_origin(derived((value, *held)).origin) if held else value

    def with_all_in(self, objects: Iterable[AccessPath]) -> frozenset[AccessPath]:
        """Objects, and those that stand in new ones of them by now."""
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

    def _others(self, owner: AccessPath, selector: Selector, here: AccessPath) -> Iterator[Value]:
        """What was stored under selectors that may be the same one."""
        for path, value in self.heap.items():
            if path.owner is owner and path is not here and path is not owner:
                if may_be_same(path.selectors[-1], selector):
                    yield value

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
                self._forget_below(path)
                self.heap[path] = value
            else:
                before = self.heap.get(path) or at_first(path)
                self.heap[path] = value if before is None else join((before, value))

    def _forget_below(self, path: AccessPath) -> None:
        """Another object stands there: what was stored in the former one is not in it."""
        length, base = len(path.selectors), path.base
        below = [
            known
            for known in self.heap
            if known.base is base
            and len(known.selectors) > length
            and known.selectors[:length] == path.selectors
        ]
        for known in below:
            del self.heap[known]

    def forget(self, objects: Iterable[AccessPath]) -> None:
        """Code that is not known got objects: what stands in them may be something else now.

        Where an array stood, there is one still.
        """
        gone: dict[AccessPath, list[AccessPath]] = {}
        for item in objects:
            gone.setdefault(item.base, []).append(item)
        for known, value in self.heap.items():
            around = gone.get(known.base)
            if around is not None and value is not UNKNOWN:
                if any(item.may_contain(known) and item is not known for item in around):
                    types = value.types if value.types <= ARRAYS else frozenset[Type]()
                    self.heap[known] = UNKNOWN._replace(paths=value.paths, types=types)
        for base, items in gone.items():
            if base in items and _is_new_container(base):
                self.heap[base.then(Some.INDEX)] = UNKNOWN


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
    """What stands at a path before anything is stored there; None in a new container."""
    selectors = path.selectors
    if len(selectors) == 1 and not isinstance(selectors[0], Field):
        if _is_new_container(path.owner):
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
    clear = common(state.clear for state in found)
    env = dict(first.env)
    heap = dict(first.heap)
    of_first = first.clear - clear
    for other in others:
        of_other = other.clear - clear
        for name, value in other.env.items():
            known = env.get(name)
            if known is not value:
                env[name] = _either(known, of_first, value, of_other)
        for path in _differing(heap, other.heap):
            one, two = heap.get(path), other.heap.get(path)
            one, two = one or at_first(path), two or at_first(path)
            heap[path] = _either(one, of_first, two, of_other)
        of_first = of_first & of_other
    writes = first.writes
    for other in others:
        if other.writes is not writes:
            writes |= other.writes
    undone, aged = undone_by_all(found), _aged_by_all(found)
    joined = AbstractState(env, heap, writes=writes, clear=clear, undone=undone, aged=aged)
    joined.touched = first.touched.union(*(item.touched for item in others))
    joined.excluded = first.excluded.intersection(*(item.excluded for item in others))
    for place, before in _told_before(found):
        joined.widen(place, before)
    return joined


def _differing(
    one: dict[AccessPath, Value], other: dict[AccessPath, Value]
) -> Iterable[AccessPath]:
    """Where two heaps may hold something else: on most ways nothing was stored."""
    if one == other:
        return ()
    here = [path for path, value in one.items() if other.get(path) is not value]
    return here + [path for path in other if path not in one]


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
            joined.env[name] = join((joined.env.get(name, value), value))
        for path, value in other.heap.items():
            joined.heap[path] = join((joined.heap.get(path, value), value))
    return joined


_Known: TypeAlias = tuple[Value | None, Narrowed | None]
"""What stands at a place, and what a test has told of it."""


def _told_before(states: list[AbstractState]) -> Iterator[tuple[Place, _Known]]:
    """What stands at places of which tests have told something else on each of several ways.

    It is what stood there before those tests.
    """
    for place in {place: None for state in states for place in state.narrowed}:
        first, *others = [[*_steps(state, place)] for state in states]
        for known in first:
            if all(any(known[0] is item[0] for item in steps) for steps in others):
                yield place, known
                break


def _steps(state: AbstractState, place: Place) -> Iterator[_Known]:
    """What stands at a place, and what was known of it before each test on the way."""
    here = state.env.get(place) if isinstance(place, str) else state.heap.get(place)
    told = state.narrowed.get(place)
    while told is not None and told.now is here:
        yield here, told
        here, told = told.before, told.outer
    yield here, None


def undone_by_all(states: Iterable[AbstractState]) -> frozenset[WriteKey]:
    """The writes that were taken back on all ways that made them."""
    found = [*states]
    undone = frozenset[WriteKey]().union(*(state.undone for state in found))
    return (
        undone.difference(*(state.writes - state.undone for state in found)) if undone else undone
    )


def _either(one: Value | None, on_one: Conditions, two: Value | None, on_two: Conditions) -> Value:
    """What is known of a value behind two ways, on each of which something holds."""
    if one == two:
        return UNKNOWN if one is None else one
    found = ((one, on_one), (two, on_two))
    return join(under(value, way) for value, way in found if value is not None)
