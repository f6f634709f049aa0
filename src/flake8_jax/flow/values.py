"""Places and values: where an object comes from, and what is known of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import libcst as cst

from flake8_jax.knowledge.pytrees import Kind
from flake8_jax.knowledge.transforms import Transform
from flake8_jax.model import ModelClass
from flake8_jax.scopes import Scope
from flake8_jax.syntax import Function, walk

if TYPE_CHECKING:
    from flake8_jax.source import Piece, Quote

ELEMENT = "[]"
"""A step of a path to some element; ``[0]`` is a step to a certain one."""
KEY_OF_A_ROUND = "[#key "
"""Begins a step to what stands under the key that one round of a loop is about, and no other."""
ANY = "*"
"""A step to some attribute whose name is not known."""
STATIC = "!"
"""Begins a step through a static field, which hands over the caller's own object."""
_STEPS = 6
MOST_PLACES = 64
"""How many places are told apart in one value; real functions have a handful."""
MOST_FUNCTIONS = 16
"""How many functions one value may be."""
_MOST_NESTED = 3
"""How many tuples inside each other are known by their elements when they are handed back."""


class Root(NamedTuple):
    """A variable: a parameter or local name of a function, or, with no owner, a global name.

    A value may also depend on one of the arguments that a function gathers: ``args[0]``.
    """

    owner: Function | None
    name: str

    def part(self, step: str) -> "Root":
        """One of the arguments that a parameter with a star gathers."""
        return Root(self.owner, f"{self.name}{step}")

    @property
    def whole(self) -> str:
        """The name of the variable, if this is a part of it."""
        return self.name.partition("[")[0]


class Place(NamedTuple):
    """Where an object comes from: a variable, and the steps from there.

    A tuple, since sets of places are what most of the analysis works on.
    """

    root: Root
    path: tuple[str, ...] = ()

    def member(self, step: str) -> "Place":
        """The place one step further; very long paths end in the same place."""
        return Place(self.root, (*self.path, step)) if len(self.path) < _STEPS else self

    def covers(self, other: "Place") -> bool:
        """Whether the other place is this one, or lies inside of it."""
        if self.root != other.root or len(self.path) > len(other.path):
            return False
        return all(_same(mine, its) for mine, its in zip(self.path, other.path, strict=False))

    @property
    def owner(self) -> "Place":
        """The place of the object whose member this is."""
        return Place(self.root, self.path[:-1])


def spelled(place: Place) -> str | None:
    """A place in the words of the code around; None where no variable stands for it."""
    name = place.root.name.rpartition(".")[2]
    if not name.isidentifier():
        return None
    steps = []
    for step in place.path:
        if step.startswith("["):
            unknown = step == ELEMENT or step.startswith("[#")
            steps.append("[...]" if unknown else step.replace("'", '"'))
        else:
            steps.append(f".{step.lstrip(STATIC)}")
    return name + "".join(steps)


ARRAYS = Place(Root(None, "<array>"))
"""Where arrays are written that no variable stands for. What is computed depends on its root."""


ALL = Root(None, "<all>")
"""Stands for all variables, where nothing at all is traced, or where nobody ever gets."""


class Told(NamedTuple):
    """A parameter that is true, or is not: what that tells is known by the caller."""

    root: Root
    truth: bool


class Numbered(NamedTuple):
    """A variable of whose value a number was made: no Tracer of a trace that is staged.

    Those of grad and jvp alone have numbers.
    """

    root: Root


Clear = frozenset[Root | Told | Numbered]
"""Variables whose values are no Tracers."""
_NOT_TOLD: Clear = frozenset()


def meet(one: Clear, other: Clear) -> Clear:
    """What is clear of Tracers on either of two ways."""
    if ALL in one:
        return other
    return one if ALL in other else one & other


def index_of(step: str) -> int | str | None:
    """The position or the key that a step takes; None where it is not known, or is an attribute."""
    inner = step[1:-1] if step.startswith("[") else ""
    if inner.isdecimal():
        return int(inner)
    return inner[1:-1] if inner.startswith(("'", '"')) else None


def _same(one: str, other: str) -> bool:
    if one.startswith("[") and other.startswith("["):
        if one.startswith(KEY_OF_A_ROUND) != other.startswith(KEY_OF_A_ROUND):
            return True
        return ELEMENT in (one, other) or one == other
    if ANY in (one, other):
        return True
    return one.lstrip(STATIC) == other.lstrip(STATIC)


class Shape(Enum):
    """What an object is, other than an instance of a class of the module."""

    ARRAY = "array"
    CONTAINER = "container"
    OPAQUE = "container that is no pytree, so that no transform takes it apart"
    REFERENCE = "reference"
    PACKED = "the tuple or dict of star arguments"


CONTAINERS = (Shape.CONTAINER, Shape.OPAQUE)


class Copied(NamedTuple):
    """A copy of a place, with what had been written there until then."""

    place: "Place"
    order: int
    shallow: bool


Type = ModelClass | Shape | Kind | None
"""A class of the module, something known, or a pytree class of another module."""


@dataclass(frozen=True, eq=False)
class FunctionRef:
    """A function as a value."""

    node: Function
    scope: Scope
    """Where it is defined."""
    piece: "Piece"
    cls: ModelClass | None = None
    bound: tuple["Value", ...] = ()
    """The first arguments that it has already: the self of a method, those of a partial."""
    is_method: bool = False
    """Whether the first bound argument is the self of a bound method."""
    keywords: Mapping[str, "Value"] = field(default_factory=lambda: _NO_MEMBERS)
    is_spread: bool = False
    """Whether it may have further arguments already: ``partial(function, *rest)``."""
    trace: "Trace | None" = None
    """The trace that it starts when it is called."""
    cached: bool = False
    """Whether its results are kept by its arguments."""
    overrides: tuple["FunctionRef", ...] = ()
    """What may be called instead: methods of subclasses, other elements of a container."""
    captured: Mapping[Root, "Value"] = field(default_factory=lambda: _NOT_CAPTURED)
    """What the function around it was given, where that has handed it back."""
    is_block: bool = False
    """Whether it stands for the statements of a module or of a class body."""

    @property
    def name(self) -> str:
        return self.node.name.value if isinstance(self.node, cst.FunctionDef) else "<lambda>"


Item = TypeVar("Item")


def changed(item: Item, **changes: object) -> Item:
    """As ``dataclasses.replace``, at a fraction of its cost, for what checks nothing when made."""
    made: Item = object.__new__(type(item))
    made.__dict__.update(item.__dict__, **changes)
    return made


_NOWHERE: frozenset[Place] = frozenset()
_SETS = ("places", "holds", "copies", "copied", "depends")
_NO_MEMBERS: Mapping[str, "Value"] = MappingProxyType({})
_NOT_CAPTURED: Mapping[Root, "Value"] = MappingProxyType({})


@dataclass(unsafe_hash=True)
class Value:
    """What is known of the value of an expression.

    Nobody changes one. It is not frozen: making one takes four times as long then, and most of what
    is followed makes values.
    """

    places: frozenset[Place] = _NOWHERE
    """What it may be."""
    certain: bool = True
    """Whether it can be nothing else."""
    holds: frozenset[Place] = _NOWHERE
    """What comes out with it: the contents of a new object, the source of a copy."""
    copies: frozenset[Place] = _NOWHERE
    """The objects whose members it shares."""
    copied: frozenset["Copied"] = frozenset()
    """The objects that it, or what it holds, is a copy of."""
    members: Mapping[str, "Value"] = field(default_factory=lambda: _NO_MEMBERS, compare=False)
    """The members of a new object that are known; of a new dict, by the step to an element."""
    items: tuple["Value", ...] | None = None
    """The elements of a new tuple."""
    plain: bool = False
    """Whether it is provably plain Python."""
    depends: frozenset[Root] = frozenset()
    """The variables from whose values it is computed."""
    type: "Type" = None
    element: "Type" = None
    """The type of its elements."""
    of_arrays: bool = False
    """Whether its elements, or it as such an element, are arrays as a rule."""
    each: "Value | None" = None
    """What each element of a new container is, where they are alike."""
    numeric: bool = False
    """Whether it is the result of arithmetic: under a trace, an array."""
    doubtful: bool = False
    """Whether it may be static data, although it comes from what is traced."""
    foreign: bool = False
    """Whether its type is written down, but not known here."""
    never: frozenset[ModelClass] = frozenset()
    """The classes that it is no instance of, since that was asked."""
    function: FunctionRef | None = None
    made: ModelClass | Kind | None = None
    """The class that it is, where it is one."""
    dotted: str | None = None
    """Its name, where it is something of another module."""
    if_true: Clear = _NOT_TOLD
    """What is clear of Tracers where it is true."""
    if_false: Clear = _NOT_TOLD
    """What is clear of Tracers where it is false."""

    @property
    def out(self) -> frozenset[Place]:
        """All that leaves a function with this value."""
        return self.places | self.holds

    def cls(self) -> ModelClass | None:
        """The class of the module that it is an instance of."""
        return self.type if isinstance(self.type, ModelClass) else None

    @property
    def decides(self) -> bool:
        """Whether it may bring its own operators: what they make need not be an array."""
        unknown = self.type is None and not self.certain and not self.numeric
        return self.cls() is not None or (unknown and not self.plain)


UNKNOWN = Value(certain=False)
PLAIN = Value(plain=True)
TRUE = Value(plain=True, if_false=frozenset({ALL}))
FALSE = Value(plain=True, if_true=frozenset({ALL}))
NEVER = Value(certain=False)
"""What an expression gives that always raises."""


def join(values: Iterable[Value]) -> Value:
    """What is known if it may be any of several values."""
    result: Value | None = None
    for value in values:
        if result is None or value is result:
            result = value
            continue
        same_kind = bool(result.places) == bool(value.places)
        result = Value(
            places=result.places | value.places,
            certain=result.certain and value.certain and same_kind,
            holds=result.holds | value.holds,
            copies=result.copies | value.copies,
            copied=result.copied | value.copied,
            each=result.each if result.each is value.each else None,
            members=result.members if result.members == value.members else _NO_MEMBERS,
            items=_join_items(result.items, value.items),
            plain=result.plain and value.plain,
            depends=result.depends | value.depends,
            numeric=result.numeric and value.numeric,
            doubtful=result.doubtful or value.doubtful,
            of_arrays=result.of_arrays and value.of_arrays,
            type=result.type if result.type is value.type else None,
            element=result.element if result.element is value.element else None,
            function=_either(result.function, value.function),
            never=result.never & value.never,
            made=result.made if result.made is value.made else None,
            dotted=result.dotted if result.dotted == value.dotted else None,
            if_true=meet(result.if_true, value.if_true),
            if_false=meet(result.if_false, value.if_false),
        )
        result = fewer(result)
    return result if result is not None else UNKNOWN


def _either(one: FunctionRef | None, other: FunctionRef | None) -> FunctionRef | None:
    """A function that may be any of several."""
    if one is other or one is None or other is None:
        return one if one is other else None
    known = {one.node: one, **{item.node: item for item in one.overrides}}
    others = [item for item in (other, *other.overrides) if item.node not in known]
    if len(known) + len(others) > MOST_FUNCTIONS:
        return None
    if not others:  # one of them is traced, or has arguments, and the other is not
        return None
    return changed(one, overrides=(*one.overrides, *(changed(i, overrides=()) for i in others)))


def widened(places: frozenset[Place], most: int = MOST_PLACES) -> frozenset[Place]:
    """Places that cover all of the given ones, and are not too many."""
    steps = _STEPS
    while len(places) > most and steps:
        steps -= 1
        places = frozenset(Place(place.root, place.path[:steps]) for place in places)
    return places


def fewer(value: Value) -> Value:
    """A value that may be too many things may be anything."""
    places, holds = value.places, value.holds
    if len(places) + len(holds) + len(value.copies) <= MOST_PLACES:
        return value
    if len(places) > MOST_PLACES:
        value = changed(value, places=_NOWHERE, certain=False)
        holds |= places
    return changed(value, holds=widened(holds), copies=widened(value.copies))


def kept(value: Value, nested: int = _MOST_NESTED) -> Value:
    """A value as a summary keeps it: no elements of tuples that are nested deeply, and no set of
    its own where there is nothing in it.
    """
    changes: dict[str, object] = {name: _NOWHERE for name in _SETS if not getattr(value, name)}
    if value.items is not None:
        items = tuple(kept(item, nested - 1) for item in value.items) if nested else None
        changes["items"] = items
    return changed(value, **changes)


def _join_items(
    one: tuple[Value, ...] | None, other: tuple[Value, ...] | None
) -> tuple[Value, ...] | None:
    if one is None or other is None or len(one) != len(other):
        return None
    return tuple(join(pair) for pair in zip(one, other, strict=True))


def computed(*values: Value, shape: "Type" = None) -> Value:
    """The result of computing with values: a new object that depends on them."""
    plain = shape is None and all(value.plain for value in values)
    traced = [value for value in values if not value.plain] or values
    depends = frozenset[Root]().union(*(value.depends for value in traced))
    doubtful = shape is None and all_doubtful(values)
    return Value(depends=depends, plain=plain, type=shape, doubtful=doubtful)


def all_doubtful(values: Iterable[Value]) -> bool:
    """Whether all that is traced of some values may be static data."""
    traced = [value for value in values if value.depends and not value.plain]
    return bool(traced) and all(value.doubtful for value in traced)


def without(value: Value, clear: Clear) -> Value:
    """A value that is taken where some variables are clear of Tracers, and so what is computed
    from them.
    """
    if ALL in clear:
        return changed(value, depends=frozenset()) if value.depends else value
    left = value.depends - clear
    return (
        value if len(left) == len(value.depends) else changed(value, depends=left - {ARRAYS.root})
    )


def holding(*values: Value) -> Value:
    """A new object that holds values."""
    out = widened(_NOWHERE.union(*(value.out for value in values)))
    copied = frozenset[Copied]().union(*(value.copied for value in values))
    return changed(computed(*values), holds=out, copied=copied)


class Form(Enum):
    """What a write changes."""

    ATTRIBUTE = "attribute"
    ITEM = "item"
    NAME = "name"
    ARRAY = "array item"
    UNKNOWN_ITEM = "item of something"
    CACHE = "cached property"
    CALL = "call of a cached function"


@dataclass(frozen=True)
class Here:
    """Where to report what something that is called writes, if not there."""

    node: cst.CSTNode
    piece: "Piece"
    text: "str | Quote | None" = None
    """How to call what is written, if not in the words of its own source."""


@dataclass(frozen=True, eq=False)
class Refusal:
    """Why an attribute cannot be assigned: its object is frozen."""

    label: str
    """The class of the object, for a message."""
    kind: Kind
    cls: ModelClass | None
    """The class, where it is one of the project."""
    attribute: str


@dataclass(frozen=True, eq=False)
class FrozenWrite:
    """An assignment to an attribute of a frozen object."""

    piece: "Piece"
    text: "str | Quote"
    """What is written, in the words of the source."""
    refusal: Refusal
    function: Function
    """The function that it stands in."""
    by_caller: bool = False
    """Whether the object is frozen because of what some caller hands over."""


def _line(piece: "Piece", node: cst.CSTNode, seen_from: "Piece") -> str:
    """The line of a node, for a message about a module."""
    line = f"line {piece.position(node)[0]}"
    return line if piece.file is seen_from.file else f"{line} of {piece.file.label}"


@dataclass(frozen=True, eq=False)
class Trace:
    """A callable handed to a transform."""

    transform: Transform
    function: FunctionRef
    same: frozenset[str] = frozenset()
    """The parameters that arrive as they are; all others are rebuilt."""
    unmapped: frozenset[str] = frozenset()
    """The parameters that are rebuilt of the very arrays that the caller gives."""
    operands: Mapping[str, "Value"] = field(default_factory=dict)
    """What the parameters are given first, where that is known."""
    lasting: bool = True
    """Whether the traced function is kept, and not just called on the spot."""
    has_aux: bool = False
    """Whether copies of what the callable returns may come out beside a derivative."""
    refuses: bool = False
    """Whether it raises where an argument that is not the same would have to be a pytree."""
    inside: bool = False
    """Whether it is called by what is traced, with objects of that trace."""
    here: Here | None = None
    """Where it is handed over."""
    copies_self: bool = False
    """Whether it is a method of an object that the trace around it, or one in it, has rebuilt."""

    def place(self, seen_from: "Piece") -> str:
        """Where the callable is defined, for a message about a module."""
        return _line(self.function.piece, self.function.node, seen_from)

    def starts(self, seen_from: "Piece") -> str | None:
        """Where the callable is handed over, for a message; None where its definition tells."""
        if self.here is None:
            return None
        node = self.function.node
        decorators = node.decorators if isinstance(node, cst.FunctionDef) else ()
        if any(part is self.here.node for item in decorators for part in walk(item)):
            return None
        line = _line(self.here.piece, self.here.node, seen_from)
        return line if line != self.place(seen_from) else None


@dataclass(frozen=True, eq=False)
class Invocation:
    """A call of what a variable stands for that only the code around knows, as a parameter."""

    place: Place
    node: cst.CSTNode
    given: tuple[Value, ...] = ()
    named: Mapping[str, Value] = field(default_factory=dict)
    transform: Transform | None = None
    """The transform under which it is called, or that it is handed to."""
    arguments: tuple[cst.Arg, ...] = ()
    """The arguments of the transform that it is handed to."""
    scope: Scope | None = None
    """Where these stand; nothing where it is called inside of a trace."""
    rebuilt: bool = False
    """Whether a trace has rebuilt what is called: if it is an object, a copy is called."""


@dataclass(frozen=True, eq=False)
class Origin:
    """Where a write stands that happens in another module."""

    function: str
    piece: "Piece"
    node: cst.CSTNode

    def __str__(self) -> str:
        line, _ = self.piece.position(self.node)
        return f"'{self.function}' in {self.piece.file.label} on line {line}"


@dataclass(frozen=True)
class Write:
    """A change of an object that a function makes, itself or through what it calls."""

    place: Place
    """What is changed; for an item, the path ends with the element."""
    form: Form
    node: cst.CSTNode
    piece: "Piece"
    text: "str | Quote"
    """What is written, in the words of the source."""
    plain: bool
    depends: frozenset[Root]
    order: int
    read_after: bool = False
    read_inside: bool = False
    """Whether the inner trace reads it itself."""
    via: tuple[str, ...] = ()
    """The callables through which it is reached, outermost first."""
    trace: Trace | None = None
    """The inner trace under which it happens."""
    source: frozenset[Place] = _NOWHERE
    """Where the value that is written comes from."""
    is_array: bool = False
    """Whether the value is known to be a jax array."""
    is_sum: bool = False
    """Whether the value is the result of arithmetic: if a part of it is an array, it is one."""
    is_known: bool = False
    """Whether the object that is changed is known to be a jax array."""
    doubtful: bool = False
    """Whether the value may be static data."""
    cls: ModelClass | None = None
    """The class of the object that is changed, where it is known."""
    foreign: bool = False
    """Whether the object comes from code that is not known, and may be in use there."""
    is_opaque: bool = False
    """Whether the object that is changed is a container that no transform takes as an argument."""
    raw: bool = False
    """Whether it goes around ``__setattr__``, and so works on a frozen object too."""
    is_named: bool = False
    """Whether the object that is changed is a function or a class."""
    never: frozenset[ModelClass] = frozenset()
    """The classes that the object is asked not to be of."""
    handed: bool = False
    """Whether the object was an argument of the call that started the inner trace."""
    origin: Origin | None = None
    """Where it stands, if that is in another module."""
    unless: Clear = _NOT_TOLD
    """It only happens where these are clear of Tracers."""

    def named_from(self, place: Place) -> "Write":
        """The write with what is written called as the code calls it that has it at a place."""
        whole = isinstance(getattr(self.text, "node", None), cst.Subscript)
        part = self.form in (Form.ITEM, Form.ARRAY, Form.UNKNOWN_ITEM) and not whole
        text = spelled(place.owner if part else place) if self.form is not Form.CALL else None
        return changed(self, text=text or self.text)

    @property
    def target(self) -> Place:
        """The place of the object that is changed."""
        return self.place if self.form is Form.NAME else self.place.owner
