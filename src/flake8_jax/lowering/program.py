"""The lowered program: what a function does, in a few kinds of small frozen values.

Syntax that means the same is one node here: ``elif`` is a branch in a branch, ``x += y`` a store of
``x + y``, ``assert`` a branch that raises. Every variable knows its home by Python's own rules.
``lowering.printer`` shows a program as text.
"""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

Span: TypeAlias = int
"""Where a node stands: lines and columns, packed by ``lowering.spans``."""


class Home(Enum):
    """Where a variable lives."""

    __hash__ = object.__hash__  # that of an enumeration is computed in Python

    LOCAL = "local"
    CELL = "cell"
    """In a function around this one."""
    CLASS = "class"
    """In the body of a class that is being made."""
    GLOBAL = "global"
    """In the module, or among the builtins."""


class Var(NamedTuple):
    """A variable, as an expression: its value."""

    name: str
    home: Home
    levels: int = 0
    """For a cell, how many functions further out it lives."""


class Opaque(Enum):
    """A literal whose value nobody needs."""

    __hash__ = object.__hash__  # that of an enumeration is computed in Python

    FLOAT = "float"
    COMPLEX = "complex"
    BYTES = "bytes"
    LONG = "long"
    """A string or an integer that is too long to be a key or an index."""
    ELLIPSIS = "..."


class Const(NamedTuple):
    """A literal."""

    value: str | int | bool | Opaque | None


class Attr(NamedTuple):
    """``base.name``; a private name of a class is mangled, as Python does."""

    base: "Expr"
    name: str
    span: Span = 0


class Item(NamedTuple):
    """``base[key]``."""

    base: "Expr"
    key: "Expr"
    span: Span = 0


class Slice(NamedTuple):
    """``lower:upper:step``, as a key."""

    parts: tuple["Expr | None", "Expr | None", "Expr | None"]


class Op(NamedTuple):
    """An operator and what it computes with. ``a < b < c`` has three operands."""

    symbol: str
    operands: tuple["Expr", ...]


class Choice(NamedTuple):
    """``then if test else orelse``."""

    test: "Expr"
    then: "Expr"
    orelse: "Expr"


class Shape(Enum):
    """What a display or a comprehension makes."""

    __hash__ = object.__hash__  # that of an enumeration is computed in Python

    TUPLE = "tuple"
    LIST = "list"
    SET = "set"
    DICT = "dict"
    STRING = "string"
    GENERATOR = "generator"


class New(NamedTuple):
    """A tuple, list, set or formatted string of its parts."""

    shape: Shape
    parts: tuple["Expr", ...]


class NewDict(NamedTuple):
    """A dict display; the key of ``**other`` is None."""

    keys: tuple["Expr | None", ...]
    values: tuple["Expr", ...]


class Clause(NamedTuple):
    """One ``for`` of a comprehension, with its conditions."""

    target: "Target"
    source: "Expr"
    tests: tuple["Expr", ...]


class Comp(NamedTuple):
    """A comprehension; that of a dict has a key and a value as its parts."""

    shape: Shape
    parts: tuple["Expr", ...]
    clauses: tuple[Clause, ...]


class Call(NamedTuple):
    """A call. The keyword of ``**other`` is None."""

    callee: "Expr"
    args: tuple["Expr", ...]
    keywords: tuple[tuple[str | None, "Expr"], ...] = ()
    used: bool = True
    """Whether somebody looks at the result."""
    span: Span = 0


class Closure(NamedTuple):
    """A function as a value."""

    function: "Function"


class Bind(NamedTuple):
    """``(variable := value)``."""

    target: Var
    value: "Expr"
    span: Span = 0


class Spread(NamedTuple):
    """``*value`` among arguments or elements."""

    value: "Expr"


class Yield(NamedTuple):
    """``yield value``, or ``yield from value``."""

    value: "Expr | None"
    each: bool = False


class Await(NamedTuple):
    """``await value``."""

    value: "Expr"


Expr: TypeAlias = (
    Var
    | Const
    | Attr
    | Item
    | Slice
    | Op
    | Choice
    | New
    | NewDict
    | Comp
    | Call
    | Closure
    | Bind
    | Spread
    | Yield
    | Await
)


class Unpack(NamedTuple):
    """Several targets that share the elements of a value."""

    targets: tuple["Target", ...]
    star: int | None = None
    """Which of them takes what the others leave."""


Target: TypeAlias = Var | Attr | Item | Unpack


class How(Enum):
    """By which statement a target gets its value."""

    ASSIGN = "="
    AUGMENT = "augmented"
    FOR = "for"
    WITH = "with"
    IMPORT = "import"


class Store(NamedTuple):
    """``target = other = value``. Of ``target += more`` the value is ``target + more``."""

    targets: tuple[Target, ...]
    value: Expr
    how: How = How.ASSIGN
    span: Span = 0
    annotation: Expr | None = None


class Declare(NamedTuple):
    """``target: annotation``, without a value."""

    target: Target
    annotation: Expr
    span: Span = 0


class Delete(NamedTuple):
    """``del target``."""

    target: Target
    span: Span = 0


class Eval(NamedTuple):
    """An expression as a statement."""

    value: Expr
    span: Span = 0


class Return(NamedTuple):
    """``return value``."""

    value: Expr | None
    span: Span = 0


class Raise(NamedTuple):
    """``raise value``."""

    value: Expr | None
    span: Span = 0


class Jump(Enum):
    """``break`` and ``continue``."""

    BREAK = "break"
    CONTINUE = "continue"


Body: TypeAlias = tuple["Stmt", ...]


class Branch(NamedTuple):
    """``if``; an ``assert`` is one that raises."""

    test: Expr
    then: Body
    orelse: Body
    span: Span = 0


class While(NamedTuple):
    """``while``."""

    test: Expr
    body: Body
    orelse: Body
    span: Span = 0


class For(NamedTuple):
    """``for``, asynchronous or not."""

    target: Target
    source: Expr
    body: Body
    orelse: Body
    span: Span = 0
    target_span: Span = 0


class With(NamedTuple):
    """``with``, asynchronous or not: contexts, and what they are bound to."""

    items: tuple[tuple[Expr, Target | None], ...]
    body: Body
    span: Span = 0
    target_spans: tuple[Span, ...] = ()
    """Where each of the targets stands."""


class Handler(NamedTuple):
    """``except kind as name``."""

    kind: Expr | None
    name: Var | None
    body: Body


class Try(NamedTuple):
    """``try``."""

    body: Body
    handlers: tuple[Handler, ...]
    orelse: Body
    final: Body
    span: Span = 0


class Equals(NamedTuple):
    """A pattern that is a value."""

    value: Expr


class Capture(NamedTuple):
    """A pattern that binds what matches: ``inner as name``, ``name``, or ``_``."""

    inner: "Pattern | None"
    name: Var | None


class IsInstance(NamedTuple):
    """``Class(first, name=second)``."""

    cls: Expr
    positional: tuple["Pattern", ...]
    keywords: tuple[tuple[str, "Pattern"], ...]


class Elements(NamedTuple):
    """``[first, *others]``."""

    parts: tuple["Pattern", ...]


class Rest(NamedTuple):
    """``*name`` in a sequence."""

    name: Var | None


class Entries(NamedTuple):
    """``{key: pattern, **rest}``."""

    entries: tuple[tuple[Expr, "Pattern"], ...]
    rest: Var | None


class AnyOf(NamedTuple):
    """``one | other``."""

    patterns: tuple["Pattern", ...]


Pattern: TypeAlias = Equals | Capture | IsInstance | Elements | Rest | Entries | AnyOf


class Case(NamedTuple):
    """One case of a ``match``."""

    pattern: Pattern
    guard: Expr | None
    body: Body


class Match(NamedTuple):
    """``match``."""

    subject: Expr
    cases: tuple[Case, ...]
    span: Span = 0


class Define(NamedTuple):
    """A function or class statement: what is made, what decorates it, the name that it gets."""

    target: Var
    made: "Function | Class"
    decorators: tuple[Expr, ...]
    span: Span = 0
    decorator_spans: tuple[Span, ...] = ()


class Import(NamedTuple):
    """``from module import name as target``; of a star import the target is None.

    A relative name begins with its dots.
    """

    target: Var | None
    dotted: str
    span: Span = 0


Stmt: TypeAlias = (
    Store
    | Declare
    | Delete
    | Eval
    | Return
    | Raise
    | Jump
    | Branch
    | While
    | For
    | With
    | Try
    | Match
    | Define
    | Import
)


class Kind(Enum):
    """How a parameter takes its argument."""

    __hash__ = object.__hash__  # that of an enumeration is computed in Python

    POSITIONAL = "positional only"
    NORMAL = "positional or keyword"
    STAR = "*args"
    KEYWORD = "keyword only"
    STARS = "**kwargs"


class Parameter(NamedTuple):
    """A parameter. Its default is evaluated where the function is defined."""

    name: str
    kind: Kind = Kind.NORMAL
    default: Expr | None = None
    annotation: Expr | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A lowered function or lambda. Each is itself alone: two are never equal."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Body
    cls: "str | None" = None
    """The name of the class in whose body it stands."""
    returns: Expr | None = None
    is_async: bool = False
    yields: bool = False
    """Whether it is a generator."""
    span: Span = 0
    size: int = 0
    """How many statements it has, with those of the functions inside."""
    cells: frozenset[str] = frozenset()
    """Its variables that functions inside use as well."""


@dataclass(frozen=True, slots=True, eq=False)
class Class:
    """A lowered class statement."""

    name: str
    bases: tuple[Expr, ...]
    keywords: tuple[tuple[str | None, Expr], ...]
    body: Body
    span: Span = 0
