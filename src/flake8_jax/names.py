"""Scopes, and what a name in them refers to.

Python's rules, read from the text: what is imported resolves to its dotted name, what is defined
in the module to its definition, an alias to what it stands for. A parameter, a loop variable, and
all that cannot be told, refers to nothing.
"""

import builtins
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import libcst as cst

from flake8_jax.knowledge.aliases import ALIASES
from flake8_jax.knowledge.caches import CACHED_PROPERTIES, FUNCTION_CACHES
from flake8_jax.knowledge.pytrees import BASES, MARKERS
from flake8_jax.knowledge.transforms import TRANSFORMS
from flake8_jax.source import PIECE, Piece, Source
from flake8_jax.syntax import flat, positional, statements, walk_scope

_EVER = float("inf")
KNOWN = frozenset({*BASES, *MARKERS, *CACHED_PROPERTIES, *FUNCTION_CACHES, *TRANSFORMS})
"""All that the tables have a name for."""
_ALIAS_STEPS = 20


@dataclass(frozen=True)
class Imported:
    """Something of another module, by its dotted name; a relative one keeps its leading dots."""

    dotted: str


@dataclass(frozen=True, eq=False)
class Defined:
    """A class or function of this module."""

    node: cst.ClassDef | cst.FunctionDef
    scope: "Scope"
    at: float
    piece: Piece | None


@dataclass(frozen=True, eq=False)
class Valued:
    """The value of an expression that is no name."""

    node: cst.BaseExpression
    scope: "Scope"
    at: float


Referent = Imported | Defined | Valued | None


@dataclass(frozen=True)
class Binding:
    """One place that gives a name a value."""

    name: str
    referent: Referent
    order: float
    certain: bool
    """Whether it always happens when its scope runs."""
    fallback: bool
    """Whether it is there for when the ordinary binding fails, or for type checkers only."""


class Scope(Protocol):
    """Where names are bound: a module, a class body or a function."""

    @property
    def parent(self) -> "Scope | None": ...
    @property
    def node(self) -> cst.CSTNode | None: ...
    @property
    def at(self) -> float: ...
    def bindings(self, name: str) -> tuple[Binding, ...]: ...


@dataclass(frozen=True, eq=False)
class ModuleScope:
    """The scope of a module; its pieces are parsed when a name of theirs is asked for."""

    source: Source
    parent: None = None
    node: None = None
    at: float = _EVER
    _pieces: dict[int, tuple[Binding, ...]] = field(default_factory=dict)

    def bindings(self, name: str) -> tuple[Binding, ...]:
        found = []
        for piece in self._binding.get(name, ()):
            found += [binding for binding in self._of(piece) if binding.name == name]
        return tuple(found)

    @cached_property
    def _binding(self) -> Mapping[str, list[Piece]]:
        binding: dict[str, list[Piece]] = {}
        for piece in self.source.pieces:
            for name in piece.names:
                binding.setdefault(name, []).append(piece)
        return binding

    def _of(self, piece: Piece) -> tuple[Binding, ...]:
        if piece.index not in self._pieces:
            found = (
                ()
                if piece.tree is None
                else _Binder(self, piece.index * PIECE, piece).of(piece.tree)
            )
            self._pieces[piece.index] = tuple(found)
        return self._pieces[piece.index]

    def order(self, piece: Piece, statement: cst.CSTNode) -> float:
        """When a top-level definition is reached."""
        for binding in self._of(piece):
            if isinstance(binding.referent, Defined) and binding.referent.node is statement:
                return binding.order
        return piece.index * PIECE


@dataclass(frozen=True, eq=False)
class InnerScope:
    """The scope of a class body or a function."""

    node: cst.ClassDef | cst.FunctionDef
    parent: Scope
    at: float
    piece: Piece | None = None

    def bindings(self, name: str) -> tuple[Binding, ...]:
        return tuple(self._by_name.get(name, ()))

    @cached_property
    def all(self) -> tuple[Binding, ...]:
        """All bindings, in order."""
        outer = {
            item.name.value
            for statement in flat(self.node.body)
            if isinstance(statement, cst.Global | cst.Nonlocal)
            for item in statement.names
        }
        parameters = _parameters(self.node) if isinstance(self.node, cst.FunctionDef) else ()
        generic = self.node.type_parameters
        names = [item.param.name.value for item in generic.params] if generic is not None else []
        found = [Binding(name, None, -1, True, False) for name in (*parameters, *names)]
        found += [
            binding
            for binding in _Binder(self, 0, self.piece).of(self.node.body)
            if binding.name not in outer
        ]
        return tuple(found)

    @cached_property
    def _by_name(self) -> Mapping[str, list[Binding]]:
        by_name: dict[str, list[Binding]] = {}
        for binding in self.all:
            by_name.setdefault(binding.name, []).append(binding)
        return by_name


def _parameters(function: cst.FunctionDef) -> Iterator[str]:
    params = function.params
    for parameter in (*params.posonly_params, *params.params, *params.kwonly_params):
        yield parameter.name.value
    for star in (params.star_arg, params.star_kwarg):
        if isinstance(star, cst.Param):
            yield star.name.value


class _Binder:
    """Collects the bindings of a block and of the blocks inside that open no scope."""

    def __init__(self, scope: Scope, start: float, piece: Piece | None) -> None:
        self.scope = scope
        self.order = start
        self.piece = piece

    def of(
        self, body: cst.BaseSuite | cst.Module, certain: bool = True, fallback: bool = False
    ) -> Iterator[Binding]:
        for statement in statements(body):
            self.order += 1
            yield from self._statement(statement, certain, fallback)

    def _statement(
        self, statement: cst.CSTNode, certain: bool, fallback: bool
    ) -> Iterator[Binding]:
        def bind(name: str, referent: Referent, sure: bool = certain) -> Binding:
            return Binding(name, referent, self.order, sure, fallback)

        def value(node: cst.BaseExpression) -> Valued:
            return Valued(node, self.scope, self.order)

        match statement:
            case cst.ClassDef() | cst.FunctionDef():
                made = Defined(statement, self.scope, self.order, self.piece)
                yield bind(statement.name.value, made)
            case cst.Import():
                for alias in statement.names:
                    dotted = _dotted(alias.name)
                    if alias.asname is not None:
                        yield from (bind(n, Imported(dotted)) for n in _targets(alias.asname.name))
                    else:
                        top = dotted.partition(".")[0]
                        yield bind(top, Imported(top))
            case cst.ImportFrom():
                module = "." * len(statement.relative)
                module += _dotted(statement.module) if statement.module is not None else ""
                if isinstance(statement.names, cst.ImportStar):
                    yield bind("*", Imported(module))
                    return
                prefix = module if module.endswith(".") else f"{module}."
                for alias in statement.names:
                    name = _dotted(alias.name)
                    names = [name] if alias.asname is None else _targets(alias.asname.name)
                    yield from (bind(n, Imported(prefix + name)) for n in names)
            case cst.Assign():
                for target in statement.targets:
                    for name, source in _unpack(target.target, statement.value):
                        yield bind(name, None if source is None else value(source))
            case cst.AnnAssign():
                if statement.value is not None:
                    for name in _targets(statement.target):
                        yield bind(name, value(statement.value))
            case cst.AugAssign():
                yield from (bind(name, None) for name in _targets(statement.target))
            case cst.Del():
                yield from (bind(name, None) for name in _targets(statement.target))
            case cst.TypeAlias():
                yield bind(statement.name.value, value(statement.value))
            case cst.If():
                yield from self._if(statement, certain, fallback)
            case cst.For():
                elements = _elements(statement.iter)
                for name in _targets(statement.target):
                    if elements and isinstance(statement.target, cst.Name):
                        yield from (bind(name, value(element), False) for element in elements)
                    else:
                        yield bind(name, None, False)
                yield from self.of(statement.body, False, fallback)
                if statement.orelse is not None:
                    yield from self.of(statement.orelse.body, False, fallback)
            case cst.While():
                yield from self.of(statement.body, False, fallback)
                if statement.orelse is not None:
                    yield from self.of(statement.orelse.body, False, fallback)
            case cst.With():
                for item in statement.items:
                    if item.asname is not None:
                        yield from (bind(name, None) for name in _targets(item.asname.name))
                yield from self.of(statement.body, certain, fallback)
            case cst.Try() | cst.TryStar():
                yield from self.of(statement.body, certain, fallback)
                for handler in statement.handlers:
                    if handler.name is not None:
                        for name in _targets(handler.name.name):
                            yield Binding(name, None, self.order, False, True)
                    yield from self.of(handler.body, False, True)
                if statement.orelse is not None:
                    yield from self.of(statement.orelse.body, certain, fallback)
                if statement.finalbody is not None:
                    yield from self.of(statement.finalbody.body, certain, fallback)
            case cst.Match():
                for case in statement.cases:
                    for part in walk_scope(case.pattern):
                        if isinstance(part, cst.MatchAs | cst.MatchStar) and part.name is not None:
                            yield bind(part.name.value, None, False)
                        elif isinstance(part, cst.MatchMapping) and part.rest is not None:
                            yield bind(part.rest.value, None, False)
                    yield from self.of(case.body, False, fallback)
        for node in _own_expressions(statement):
            if isinstance(node, cst.NamedExpr):
                for name in _targets(node.target):
                    yield bind(name, value(node.value))

    def _if(self, statement: cst.If, certain: bool, fallback: bool) -> Iterator[Binding]:
        test, positive = statement.test, True
        if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
            test, positive = test.expression, False
        for_checkers = isinstance(test, cst.Name | cst.Attribute) and _dotted(test).endswith(
            "TYPE_CHECKING"
        )
        body = list(self.of(statement.body, False, fallback or (for_checkers and positive)))
        rest: list[Binding] = []
        match statement.orelse:
            case cst.Else():
                weak = fallback or (for_checkers and not positive)
                rest += self.of(statement.orelse.body, False, weak)
            case cst.If():
                rest += self._statement(statement.orelse, certain, fallback)
        both = {item.name for item in body} & {item.name for item in rest}
        for item in body:
            sure = certain and item.name in both
            yield replace(item, certain=True) if sure and not item.fallback else item
        yield from rest


def _own_expressions(statement: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The expressions that a statement evaluates itself, not those of its blocks."""
    match statement:
        case cst.If() | cst.While():
            yield from walk_scope(statement.test)
        case cst.BaseSmallStatement():
            yield from walk_scope(statement)


def _dotted(node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else "?"


def _targets(node: cst.BaseExpression) -> Iterator[str]:
    match node:
        case cst.Name():
            yield node.value
        case cst.Tuple() | cst.List():
            for element in node.elements:
                yield from _targets(element.value)


def _unpack(
    target: cst.BaseExpression, value: cst.BaseExpression
) -> Iterator[tuple[str, cst.BaseExpression | None]]:
    values = _elements(value)
    if isinstance(target, cst.Name):
        yield target.value, value
    elif isinstance(target, cst.Tuple | cst.List):
        if len(values) == len(target.elements) and not _starred(target):
            for element, item in zip(target.elements, values, strict=True):
                yield from _unpack(element.value, item)
        else:
            yield from ((name, None) for name in _targets(target))


def _starred(node: cst.Tuple | cst.List) -> bool:
    return any(isinstance(element, cst.StarredElement) for element in node.elements)


def _elements(node: cst.BaseExpression) -> tuple[cst.BaseExpression, ...]:
    """The elements of a literal tuple or list; none where one of them is starred."""
    if isinstance(node, cst.Tuple | cst.List) and not _starred(node):
        return tuple(element.value for element in node.elements)
    return ()


def _in_force(bindings: Iterable[Binding], at: float) -> tuple[Referent, ...]:
    """What a name may refer to at a point of its scope, among the bindings that precede it."""
    found = tuple(bindings)
    before = [binding for binding in found if binding.order < at] or list(found)
    for index in range(len(before) - 1, -1, -1):
        if before[index].certain and not before[index].fallback:
            before = before[index:]
            break
    ordinary = [binding for binding in before if not binding.fallback]
    return tuple(binding.referent for binding in ordinary or before)


def _lookup(name: str, scope: Scope, at: float) -> tuple[Referent, ...]:
    here: Scope | None = scope
    deferred = False
    while here is not None:
        is_class = isinstance(here.node, cst.ClassDef)
        if here is scope or not is_class:
            found = _in_force(here.bindings(name), at)
            if found:
                return found
            stars = [item.referent for item in here.bindings("*") if item.order < at]
            if stars and not hasattr(builtins, name):
                return _from_stars(name, stars)
        deferred = deferred or not is_class
        at = _EVER if deferred else here.at
        here = here.parent
    return (Imported(f"builtins.{name}"),) if hasattr(builtins, name) else (None,)


def _from_stars(name: str, stars: Iterable[Referent]) -> tuple[Referent, ...]:
    """What star imports may bind a name to: a thing of the tables, if just one module has it."""
    dotted = [f"{star.dotted}.{name}" for star in stars if isinstance(star, Imported)]
    known = [item for item in dotted if canonical(item) in KNOWN]
    return tuple(Imported(item) for item in known or dotted)


def refer(
    node: cst.BaseExpression, scope: Scope, at: float = _EVER, steps: int = _ALIAS_STEPS
) -> tuple[Referent, ...]:
    """All that an expression may refer to: several where branches bind a name differently."""
    if steps == 0:
        return (None,)
    match node:
        case cst.Name():
            found: list[Referent] = []
            for referent in _lookup(node.value, scope, at):
                if isinstance(referent, Valued):
                    found += refer(referent.node, referent.scope, referent.at, steps - 1)
                else:
                    found.append(referent)
            return tuple(found)
        case cst.Attribute():
            owners = refer(node.value, scope, at, steps - 1)
            return tuple(
                item for owner in owners for item in _member(owner, node.attr.value, steps - 1)
            )
        case cst.NamedExpr():
            return refer(node.value, scope, at, steps - 1)
        case _:
            return (Valued(node, scope, at),)


def _member(owner: Referent, name: str, steps: int) -> tuple[Referent, ...]:
    match owner:
        case Imported():
            return (Imported(f"{owner.dotted}.{name}"),)
        case Defined(node=cst.ClassDef() as node):
            inner = InnerScope(node, owner.scope, owner.at, owner.piece)
            if inner.bindings(name):
                return refer(cst.Name(name), inner, _EVER, steps)
    return (None,)


def canonical(dotted: str) -> str:
    """The name under which the tables know it."""
    head, tail = dotted, ""
    while head:
        if head in ALIASES:
            return ALIASES[head] + tail
        head, dot, last = head.rpartition(".")
        tail = f"{dot}{last}{tail}"
    return dotted


@dataclass(frozen=True, eq=False)
class Applied:
    """What an expression calls or decorates with, and the arguments that it has been given."""

    names: tuple[str, ...]
    """Its canonical dotted names: several where branches bind it differently."""
    arguments: tuple[cst.Arg, ...] = ()

    def all_in(self, table: Iterable[str]) -> bool:
        """Whether the table knows each of the names."""
        return bool(self.names) and all(name in table for name in self.names)


_NOTHING = Applied(())


def _wrapped(function: cst.FunctionDef, outer: Scope, steps: int) -> Applied:
    """What a function of one's own applies to its argument: ``def f(g): return jax.jit(g)``."""
    results = [item for item in flat(function.body) if isinstance(item, cst.Return)]
    first = next(_parameters(function), None)
    if len(results) != 1 or not isinstance(results[0].value, cst.Call) or function.decorators:
        return _NOTHING
    call = results[0].value
    given = positional(tuple(call.args))
    if not given or not (isinstance(given[0], cst.Name) and given[0].value == first):
        return _NOTHING
    inner = applied(call.func, InnerScope(function, outer, _EVER), _EVER, steps)
    return Applied(inner.names, (*inner.arguments, *call.args[1:]))


def applied(
    node: cst.BaseExpression, scope: Scope, at: float = _EVER, steps: int = _ALIAS_STEPS
) -> Applied:
    """See through factories, partials and aliases: ``@f``, ``@f(x=1)``, ``@partial(f, x=1)``."""
    names: list[str] = []
    arguments: tuple[cst.Arg, ...] = ()
    for referent in refer(node, scope, at):
        match referent:
            case Imported():
                names.append(canonical(referent.dotted))
            case Defined(node=cst.FunctionDef() as function) if steps:
                inner = _wrapped(function, referent.scope, steps - 1)
                if not inner.names:
                    return _NOTHING
                names += inner.names
                arguments = inner.arguments
            case Valued(node=cst.Call() as call) if steps:
                inner = applied(call.func, referent.scope, referent.at, steps - 1)
                given = tuple(call.args)
                if inner.names == ("functools.partial",) and positional(given):
                    inner = applied(given[0].value, referent.scope, referent.at, steps - 1)
                    given = given[1:]
                names += inner.names
                arguments = (*inner.arguments, *given)
                if not inner.names:
                    return _NOTHING
            case _:
                return _NOTHING
    return Applied(tuple(names), arguments)
