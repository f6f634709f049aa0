"""Access paths: where an object is found, from a variable on, selector by selector."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias
from weakref import ref

from flake8_jax.effects.limits import REPEATS, SELECTORS


class Field(NamedTuple):
    """``.name``. A static field of a pytree hands over the caller's own object."""

    name: str
    static: bool = False


class Index(NamedTuple):
    """``[key]``, with a key that is known."""

    key: int | str


class LoopKey(NamedTuple):
    """``[k]`` in ``for k in d``: the key of one iteration, which no other iteration has."""

    loop: int
    is_key: bool = True
    """So that it is equal to no ``Index``."""
    first: int = 0
    """The position from which on the loop has got elements."""


class Rest(NamedTuple):
    """``[first:]``, one of the elements from a position on."""

    first: int
    is_one: bool = True
    """So that it is equal to no ``Index``."""


class Some(StrEnum):
    """A selector of which only the kind is known."""

    __hash__ = str.__hash__  # that of an enumeration is computed in Python, a million times

    FIELD = ".?"
    INDEX = "[?]"
    BELOW = "..."
    """Anything further down."""


Selector: TypeAlias = Field | Index | LoopKey | Rest | Some


def may_be_same(one: Selector, other: Selector) -> bool:
    """Whether two selectors may lead from one object to the same one."""
    if isinstance(one, Field) and isinstance(other, Field):
        return one.name == other.name
    if one == other or one is Some.BELOW or other is Some.BELOW:
        return True
    by_name = (isinstance(one, Field) or one is Some.FIELD) + (
        isinstance(other, Field) or other is Some.FIELD
    )
    if by_name == 1:
        return False
    if isinstance(one, Some) or isinstance(other, Some):
        return True
    if isinstance(one, Index) and isinstance(other, Index):
        return _counted_otherwise(one.key, other.key)
    if isinstance(one, Index):
        one, other = other, one
    if isinstance(one, LoopKey | Rest) and isinstance(other, Index):
        return not isinstance(other.key, int) or not 0 <= other.key < one.first
    return True


def _counted_otherwise(one: int | str, other: int | str) -> bool:
    """Whether one index is counted from the front and the other one from the end."""
    return isinstance(one, int) and isinstance(other, int) and (one < 0) is not (other < 0)


def settled(selector: Selector) -> Selector:
    """A selector as those see it that are in no round of the loop."""
    return after(selector) if isinstance(selector, LoopKey) else selector


def after(key: LoopKey) -> Selector:
    """An element of which only this is known, that a loop has got it."""
    return Rest(key.first) if key.first else Some.INDEX


class Owner(StrEnum):
    """Whose variable a root is, as seen from the function that a summary is about."""

    __hash__ = str.__hash__

    PARAMETER = "parameter"
    CELL = "cell"
    GLOBAL = "global"
    BOUND = "bound"
    """What a callable that the function is given has bound already: the self of a method."""
    MEMO = "memo"
    """What a function cache keeps."""
    ARGUMENT = "argument"
    """What somebody will give to a traced function that gets it as it is."""
    NOWHERE = "nowhere"
    """An array that was computed, and is in no object that others know."""
    FRESH = "fresh"
    """An object that the function makes itself."""


class Scope(NamedTuple):
    """A function whose variables others use: where it stands."""

    module: str
    statement: int
    """Which top-level statement of the module."""
    span: int


class Root(NamedTuple):
    """Where a path begins."""

    owner: Owner
    name: str
    number: int = 0
    """For a fresh object, which of the function's; for a memo, the statement that it stands in;
    for one of the arguments that a parameter gathers, which, from 1 on."""
    module: str = ""
    """For a global or a memo, its module."""
    scope: Scope | None = None
    """For a cell or an argument, the function whose variable it is; for a memo, what makes it."""


class AccessPath:
    """An object: a root, and the selectors from there.

    There is one of each as long as somebody has it: two that are equal are the same, and a path
    knows those one selector further.
    """

    __slots__ = (
        "__weakref__",
        "_further",
        "_next",
        "_rank",
        "base",
        "is_cut",
        "known",
        "loops",
        "owner",
        "root",
        "selectors",
    )

    root: Root
    selectors: tuple[Selector, ...]
    base: "AccessPath"
    """The root alone: the same for all paths from one root."""
    owner: "AccessPath"
    """The object whose part this is."""
    is_cut: bool
    """Whether it stands for anything further down: what is stored there is not known."""
    loops: frozenset[int]
    """The loops of which one round has got what it leads through."""
    known: Any
    """The value there when a function begins, once somebody has asked."""
    _further: "dict[Selector, AccessPath]"
    _next: "dict[Selector, AccessPath]"
    """The same, as far as paths may get so long."""
    _rank: tuple[str, int, tuple[str | int, ...]] | None

    def __new__(cls, root: Root, selectors: tuple[Selector, ...] = ()) -> "AccessPath":
        made = _MADE.get(root)
        path = made() if made is not None else None
        if path is None:
            path = object.__new__(cls)
            path.root, path.selectors, path.is_cut = root, (), False
            path.base = path.owner = path
            path.loops = _NO_LOOPS
            path.known, path._further, path._next, path._rank = None, {}, {}, None
            _MADE[root] = ref(path, partial(_drop, root))
        for selector in selectors:
            path = path._part(selector)
        return path

    def _part(self, selector: Selector) -> "AccessPath":
        path = self._further.get(selector)
        if path is None:
            path = self._further[selector] = object.__new__(AccessPath)
            path.root, path.selectors = self.root, (*self.selectors, selector)
            path.base, path.owner, path.is_cut = self.base, self, selector is Some.BELOW
            path.loops = self.loops
            if isinstance(selector, LoopKey):
                path.loops |= {selector.loop}
            path.known, path._further, path._next, path._rank = None, {}, {}, None
        return path

    def then(self, selector: Selector) -> "AccessPath":
        """The object one selector further. A path that gets too long ends in "something below"."""
        known = self._next.get(selector)
        if known is None:
            known = self._next[selector] = self._followed(selector)
        return known

    def _followed(self, selector: Selector) -> "AccessPath":
        if self.is_cut:
            return self
        selectors = self.selectors
        if len(selectors) < SELECTORS and selectors.count(selector) < REPEATS:
            return self._part(selector)
        return AccessPath(self.root, (*selectors[: SELECTORS - 1], Some.BELOW))

    @property
    def rank(self) -> tuple[str, int, tuple[str | int, ...]]:
        """What paths are put in order by."""
        if self._rank is None:
            self._rank = str(self), self.root.number, self.root.scope or ()
        return self._rank

    def may_contain(self, other: "AccessPath") -> bool:
        """Whether the other object may be this one, or a part of it."""
        if self.base is not other.base:
            return False
        if self is other or not self.selectors:
            return True
        for one, two in zip(self.selectors, other.selectors, strict=False):
            if one is Some.BELOW or two is Some.BELOW:
                return True
            if not may_be_same(one, two):
                return False
        if len(self.selectors) <= len(other.selectors):
            return True
        return other.is_cut

    def may_be(self, other: "AccessPath") -> bool:
        """Whether both may be one object."""
        if self is other:
            return True
        if len(self.selectors) != len(other.selectors) and not (self.is_cut or other.is_cut):
            return False
        return self.may_contain(other) and other.may_contain(self)

    def around(self) -> "Iterator[AccessPath]":
        """The objects whose part it is: the nearest first."""
        here = self
        while here.selectors:
            here = here.owner
            yield here

    def is_of_round(self, loop: int) -> bool:
        """Whether it leads through what one round of a loop has got."""
        return loop in self.loops

    def after_round(self, loop: int) -> "AccessPath":
        """The same object in a later round: some element."""
        if not self.is_of_round(loop):
            return self
        return AccessPath(
            self.root,
            tuple(
                after(item) if isinstance(item, LoopKey) and item.loop == loop else item
                for item in self.selectors
            ),
        )

    def in_round(self, loop: int) -> "AccessPath":
        """One of some elements: the one that a round of a loop has got, and no other round."""
        last = self.selectors[-1] if self.selectors else None
        if last is not Some.INDEX and not isinstance(last, Rest):
            return self
        return self.owner.then(LoopKey(loop, first=last.first if isinstance(last, Rest) else 0))

    def __repr__(self) -> str:
        return f"AccessPath({self.root!r}, {self.selectors!r})"

    def __str__(self) -> str:
        return _root(self.root) + "".join(map(shown, self.selectors))


_NO_LOOPS: frozenset[int] = frozenset()
_MADE: dict[Root, ref[AccessPath]] = {}
"""The paths that are roots alone."""


def _drop(root: Root, made: ref[AccessPath]) -> None:
    """Forget a root of which nobody has a path any more."""
    if _MADE.get(root) is made:
        del _MADE[root]


def _root(root: Root) -> str:
    match root.owner:
        case Owner.CELL:
            return f"^{root.name}"
        case Owner.GLOBAL:
            return f"${root.module}:{root.name}" if root.module else f"${root.name}"
        case Owner.FRESH | Owner.MEMO:
            return f"<{root.name}>"
    return root.name


def shown(selector: Selector) -> str:
    """A selector as text."""
    match selector:
        case Field(name=name):
            return f"!{name}" if selector.static else f".{name}"
        case Index(key=key):
            return f"[{key!r}]"
        case LoopKey():
            return f"[#{selector.loop}]"
        case Rest(first=first):
            return f"[{first}:]"
    return selector.value


COMPUTED = AccessPath(Root(Owner.NOWHERE, "array"))


def in_order(paths: Iterable[AccessPath]) -> list[AccessPath]:
    """Paths in an order that does not depend on how they were found."""
    found = [*paths]
    if len(found) > 1:
        found.sort(key=_by_rank)
    return found


_by_rank = attrgetter("rank")
