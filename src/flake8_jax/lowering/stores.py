"""The ways to write: which calls change an object, which one, where, and with what.

This is the only place that knows them. Assignments and ``del`` are statements of the lowered
program; every other way is a row here. A call is known by the dotted name of its function, or by
the name of its method: whether an object really has the method of a container is for the caller to
find out.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import NamedTuple

from flake8_jax.lowering.program import Attr, Call, Expr, Home, Spread, Var


class Form(Enum):
    """What of an object is written."""

    ATTRIBUTE = "attribute"
    ITEM = "item"
    WHOLE = "whole"
    """The elements of an array, all of them: ``np.add(a, b, out=a)``."""


class Change(Enum):
    """What becomes of what was there."""

    __hash__ = object.__hash__  # that of an enumeration is computed in Python

    SET = "set"
    ADD = "add"
    """Something comes in; what was there stays."""
    REMOVE = "remove"
    """Something goes out; nothing comes in."""
    MOVE = "move"
    """All stays, in another order."""


class Part(NamedTuple):
    """An argument by its position and, if it may be given so, its keyword."""

    position: int
    keyword: str | None = None


SELF = Part(-1)
"""The object that a method is called on."""


class Way(NamedTuple):
    """A way to write."""

    form: Form
    change: Change
    target: Part
    """The object that is written."""
    key: Part | None = None
    """The name of the attribute, or the key of the item; None where it is not said."""
    values: tuple[Part, ...] = ()
    """What is stored."""
    spreads: bool = False
    """Whether the elements of the values are stored, and not the values."""
    raw: bool = False
    """Whether it goes past the ``__setattr__`` of the class."""


def _methods(names: str, way: Way) -> Iterator[tuple[str, Way]]:
    return ((name, way) for name in names.split())


FIRST, SECOND, THIRD = Part(0), Part(1), Part(2)
_ITEM, _ATTRIBUTE = Form.ITEM, Form.ATTRIBUTE
_SET, _ADD, _REMOVE = Change.SET, Change.ADD, Change.REMOVE

METHODS: Mapping[str, Way] = dict(
    [
        *_methods("append appendleft add", Way(_ITEM, _ADD, SELF, None, (FIRST,))),
        *_methods("extend extendleft", Way(_ITEM, _ADD, SELF, None, (FIRST,), spreads=True)),
        *_methods(
            "update symmetric_difference_update __ior__ __iadd__",
            Way(_ITEM, _ADD, SELF, None, (FIRST,), spreads=True),
        ),
        *_methods("insert", Way(_ITEM, _ADD, SELF, None, (SECOND,))),
        *_methods("__setitem__", Way(_ITEM, _SET, SELF, FIRST, (SECOND,))),
        *_methods("setdefault", Way(_ITEM, _ADD, SELF, FIRST, (SECOND,))),
        *_methods("__delitem__ pop", Way(_ITEM, _REMOVE, SELF, FIRST)),
        *_methods(
            "clear difference_update discard intersection_update popitem popleft remove",
            Way(_ITEM, _REMOVE, SELF),
        ),
        *_methods("move_to_end reverse rotate sort", Way(_ITEM, Change.MOVE, SELF)),
        *_methods("put put_nowait", Way(_ITEM, _ADD, SELF, None, (FIRST,))),
        *_methods("__setattr__", Way(_ATTRIBUTE, _SET, SELF, FIRST, (SECOND,))),
        *_methods("__delattr__", Way(_ATTRIBUTE, _REMOVE, SELF, FIRST)),
    ]
)
"""Methods that change the object they are called on, as those of containers do."""

_CONTAINERS = ("dict", "list", "set")
_UNBOUND = {
    f"builtins.{container}.{name}": way._replace(
        target=FIRST,
        key=Part(way.key.position + 1) if way.key is not None else None,
        values=tuple(Part(value.position + 1) for value in way.values),
    )
    for container in _CONTAINERS
    for name, way in METHODS.items()
    if way.form is _ITEM
}

FUNCTIONS: Mapping[str, Way] = {
    **_UNBOUND,
    "builtins.setattr": Way(_ATTRIBUTE, _SET, FIRST, SECOND, (THIRD,)),
    "builtins.delattr": Way(_ATTRIBUTE, _REMOVE, FIRST, SECOND),
    "builtins.object.__setattr__": Way(_ATTRIBUTE, _SET, FIRST, SECOND, (THIRD,), raw=True),
    "builtins.object.__delattr__": Way(_ATTRIBUTE, _REMOVE, FIRST, SECOND, raw=True),
    "operator.setitem": Way(_ITEM, _SET, FIRST, SECOND, (THIRD,)),
    "operator.delitem": Way(_ITEM, _REMOVE, FIRST, SECOND),
    "operator.iadd": Way(_ITEM, _ADD, FIRST, None, (SECOND,), spreads=True),
    "operator.iconcat": Way(_ITEM, _ADD, FIRST, None, (SECOND,), spreads=True),
    "operator.ior": Way(_ITEM, _ADD, FIRST, None, (SECOND,), spreads=True),
    "heapq.heappush": Way(_ITEM, _ADD, FIRST, None, (SECOND,)),
    "heapq.heappushpop": Way(_ITEM, _ADD, FIRST, None, (SECOND,)),
    "heapq.heapreplace": Way(_ITEM, _ADD, FIRST, None, (SECOND,)),
    "heapq.heappop": Way(_ITEM, _REMOVE, FIRST),
    "heapq.heapify": Way(_ITEM, _REMOVE, FIRST),
    "bisect.insort": Way(_ITEM, _ADD, Part(0, "a"), None, (Part(1, "x"),)),
    "bisect.insort_left": Way(_ITEM, _ADD, Part(0, "a"), None, (Part(1, "x"),)),
    "bisect.insort_right": Way(_ITEM, _ADD, Part(0, "a"), None, (Part(1, "x"),)),
    "random.shuffle": Way(_ITEM, _REMOVE, Part(0, "x")),
    "numpy.copyto": Way(Form.WHOLE, _SET, Part(0, "dst"), None, (Part(1, "src"),)),
    "numpy.put": Way(Form.WHOLE, _SET, Part(0, "a"), None, (Part(2, "v"),)),
    "numpy.place": Way(Form.WHOLE, _SET, Part(0, "arr"), None, (Part(2, "vals"),)),
    "numpy.putmask": Way(Form.WHOLE, _SET, Part(0, "a"), None, (Part(2, "values"),)),
    "numpy.fill_diagonal": Way(Form.WHOLE, _SET, Part(0, "a"), None, (Part(1, "val"),)),
}
"""Functions that change an argument, by their dotted names."""

OUT = Way(Form.WHOLE, _SET, Part(-2, "out"))
"""``np.add(a, b, out=a)``."""
OUT_PACKAGES = ("numpy.", "scipy.")
"""Beginnings of the names of functions that write to what is given as ``out``."""
_BY_POSITION: Mapping[int, str] = {
    1: """absolute ceil conjugate cos cosh exp exp2 expm1 fabs floor invert log log10 log1p log2
    logical_not negative positive reciprocal rint sign sin sinh sqrt square tan tanh trunc""",
    2: """add arctan2 bitwise_and bitwise_or bitwise_xor divide dot floor_divide fmax fmin hypot
    logical_and logical_or logical_xor matmul maximum minimum mod multiply power remainder subtract
    true_divide""",
    3: "clip",
}
OUT_BY_POSITION = {
    f"numpy.{name}": OUT._replace(target=Part(position, "out"))
    for position, names in _BY_POSITION.items()
    for name in names.split()
}
"""Functions that also take it by its position: ``np.add(a, b, a)``."""
AT = Way(Form.WHOLE, _SET, FIRST, None, (THIRD,))
"""``np.add.at(a, i, b)``."""

DICTIONARIES = frozenset({"builtins.vars"})
"""Functions that give the dict of an object's attributes."""
DICTIONARY = "__dict__"
"""The attribute that is this dict."""


def by_function(dotted: str, call: Call) -> Way | None:
    """How a call of a function that is known by its dotted name writes."""
    way = FUNCTIONS.get(dotted)
    if way is not None or not dotted.startswith(OUT_PACKAGES):
        return way
    if dotted.endswith(".at"):
        return AT
    out = OUT_BY_POSITION.get(dotted, OUT)
    return out if argument(call, out.target) is not None else None


def by_method(name: str) -> Way | None:
    """How a call of a method writes, if the object is what its name says."""
    return METHODS.get(name)


def argument(call: Call, part: Part) -> Expr | None:
    """The argument of a call that a way to write speaks of; None where it is not given plainly."""
    if part == SELF:
        return call.callee.base if isinstance(call.callee, Attr) else None
    if part.keyword is not None:
        for name, value in call.keywords:
            if name == part.keyword:
                return value
    if not 0 <= part.position < len(call.args):
        return None
    before = call.args[: part.position + 1]
    return None if any(isinstance(item, Spread) for item in before) else before[-1]


class Written(NamedTuple):
    """A write that a call makes, in terms of its arguments."""

    way: Way
    target: Expr
    key: Expr | None
    values: tuple[Expr, ...]


def written(call: Call, way: Way) -> Written | None:
    """What a call writes in some way; None where it does not say what object."""
    target = argument(call, way.target)
    if target is None:
        return None
    key = argument(call, way.key) if way.key is not None else None
    values = tuple(found for part in way.values if (found := argument(call, part)) is not None)
    named = tuple(value for _, value in call.keywords) if way.spreads else ()
    return Written(way, target, key, (*values, *named))


def dictionary_owner(node: Expr) -> Expr | None:
    """The object whose attributes ``node.__dict__`` or ``vars(node)`` holds."""
    if isinstance(node, Attr) and node.name == DICTIONARY:
        return node.base
    if isinstance(node, Call) and len(node.args) == 1 and isinstance(node.callee, Var):
        if node.callee.home is Home.GLOBAL and f"builtins.{node.callee.name}" in DICTIONARIES:
            return node.args[0]
    return None
