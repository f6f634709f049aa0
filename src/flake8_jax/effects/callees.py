"""What a value may call: a function of the project, a class, something of a library."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from flake8_jax.effects.conditions import NOTHING, Conditions
from flake8_jax.effects.paths import AccessPath, Root, Scope
from flake8_jax.effects.summaries import Site, Trace
from flake8_jax.effects.values import Value
from flake8_jax.knowledge.objects import ARRAY_TYPES
from flake8_jax.knowledge.transforms import Transform
from flake8_jax.lowering.program import Expr, Function

CODE = "<module>"
"""The name of functions that stand for code in no function: nobody can write one of that name."""


class External(NamedTuple):
    """A module, a class or a function of a library, by its canonical dotted name."""

    dotted: str


OTHER = External("something that is no instance of what it was said to be")
"""The type of what a test has told to be something else: nobody is to come there."""


NONE = External("builtins.None")
"""The type of None."""
TEXT = External("builtins.str")
"""The type of strings."""
ARRAYS = frozenset(External(name) for name in ARRAY_TYPES)
"""The types of jax arrays."""


class Method(NamedTuple):
    """A method of an object whose class is not the project's: ``out.append``."""

    owner: Value
    name: str


@dataclass(frozen=True, slots=True)
class FunctionRef:
    """A function of the project as a value."""

    function: Function
    module: str
    owner: "ClassRef | None" = None
    """The class whose method it is."""
    statement: int = 0
    """Which top-level statement of the module it stands in."""
    scopes: tuple[Scope, ...] = ()
    """The functions around it, innermost first."""
    captured: tuple[tuple[Root, Value], ...] = ()
    """What is known of their variables."""

    def __hash__(self) -> int:
        """By what tells most: a function stands in one place."""
        return hash((self.function, self.captured))

    @property
    def scope(self) -> Scope:
        """Where its own variables live."""
        return Scope(self.module, self.statement, self.function.span)


class ClassRef(NamedTuple):
    """A class of the project, by its name and where it stands."""

    name: str
    module: str
    statement: int = 0
    """Which top-level statement of the module it stands in."""
    span: int = 0
    is_open: bool = False
    """As the type of an object: whether it can be assigned, because it is still being made."""


class Inherited(NamedTuple):
    """The type of ``super()``: an object, as the classes behind one of its own know it."""

    cls: ClassRef
    behind: ClassRef


class Partial(NamedTuple):
    """A callable that has some of its arguments already: a partial, or a bound method."""

    callee: "AnyCallee"
    bound: tuple[Value, ...]
    named: tuple[tuple[str, Value], ...] = ()
    is_method: bool = False
    """Whether the first of them is the self of a bound method."""
    spread: tuple[Value, ...] = ()
    """What ``*xs`` may have given it behind those."""
    spread_named: tuple[Value, ...] = ()
    """What ``**kw`` may have given it besides."""


class Configured(NamedTuple):
    """A transform that has its options already: ``partial(jax.jit, static_argnums=0)``."""

    dotted: str
    options: tuple[tuple[str, Expr], ...]


class Traced(NamedTuple):
    """What a transform makes of a callable."""

    transform: Transform
    callee: "AnyCallee"
    static: frozenset[str | int] = frozenset()
    """The parameters, by name or position, that arrive as they are."""
    differentiated: frozenset[int] = frozenset()
    """The positions of the parameters that are differentiated, where the call says so."""
    refuses: bool = False
    """Whether it is known which arguments are rebuilt, and that they have to be pytrees."""
    site: Site | None = None
    """Where the transform gets it."""
    maker: Scope | None = None
    """The function in which that is; None where it is in no function."""
    only_if: Conditions = NOTHING
    """What holds there for the arguments of that function."""
    mapped: tuple[bool, ...] = ()
    """Which arguments are certainly mapped, by position, where the call lists the axes."""
    unmapped: frozenset[int] = frozenset()
    """The positions of those that are not, or perhaps not."""


class Record(NamedTuple):
    """A class of named tuples that a call has made."""

    dotted: str
    """As what the tables know it."""
    fields: tuple[str, ...]


class Cached(NamedTuple):
    """What a function cache makes of a callable."""

    callee: "AnyCallee"
    memo: Root
    """Where the results are kept."""


AnyCallee = (
    External | Method | FunctionRef | ClassRef | Partial | Configured | Traced | Cached | Record
)


def trace_of(traced: Traced, ref: FunctionRef) -> Trace:
    """The trace of a function that a transform runs in the end."""
    defined = Site(ref.module, ref.statement, ref.function.span)
    return Trace(traced.transform, ref.function.name, traced.site or defined, defined)


def is_private(ref: FunctionRef) -> bool:
    """Whether nobody outside of its module calls a function."""
    return ref.owner is None and ref.function.name.startswith("_")


def innermost(callee: AnyCallee) -> AnyCallee:
    """What is called in the end, below partials and transforms."""
    while isinstance(callee, Partial | Traced | Cached):
        callee = callee.callee
    return callee


def kept(value: Value) -> Iterator[AccessPath]:
    """All objects that live as long as a value, with those that the callables in it have bound."""
    stack = [value]
    while stack:
        here = stack.pop()
        yield from here.out
        stack += here.contents.items or ()
        for item in here.callees:
            callee: AnyCallee = item
            while isinstance(callee, Partial | Traced | Cached):
                if isinstance(callee, Partial):
                    stack += bound_in(callee)
                callee = callee.callee


def bound_in(callee: Partial) -> tuple[Value, ...]:
    """The arguments that a partial holds."""
    named = (value for _, value in callee.named)
    return (*callee.bound, *named, *callee.spread, *callee.spread_named)


def captures(value: Value) -> int:
    """How deep functions have captured functions in what a value calls."""
    return max(map(_captures, value.callees), default=0)


def _captures(callee: AnyCallee) -> int:
    held: list[Value] = []
    while isinstance(callee, Partial | Traced | Cached):
        if isinstance(callee, Partial):
            held += bound_in(callee)
        callee = callee.callee
    deepest = max(map(captures, held), default=0)
    if not isinstance(callee, FunctionRef) or not callee.captured:
        return deepest
    return max(deepest, 1 + max(captures(value) for _, value in callee.captured))


def calls_more(value: Value, most: int) -> bool:
    """Whether a value calls more than some functions, with those that they bound or captured."""
    found, stack = 0, [value]
    while stack and found <= most:
        here = stack.pop()
        stack += here.contents.items or ()
        found += len(here.callees)
        for item in here.callees:
            callee: AnyCallee = item
            while isinstance(callee, Partial | Traced | Cached):
                if isinstance(callee, Partial):
                    stack += bound_in(callee)
                callee = callee.callee
            if isinstance(callee, FunctionRef):
                stack += (captured for _, captured in callee.captured)
    return found > most
