"""Scopes: where names are bound, and to what, read from the text by Python's rules."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

import libcst as cst

from flake8_jax.outline import Block
from flake8_jax.project import Project
from flake8_jax.source import PIECE, Piece, Source
from flake8_jax.syntax import flat, parameter_names, statements, walk_scope

EVER = float("inf")
_OUTER = ("global", "nonlocal")
_NONE: frozenset[str] = frozenset()
_BINDING = frozenset(
    {
        *(cst.AnnAssign, cst.Assign, cst.AugAssign, cst.ClassDef, cst.Del, cst.For),
        *(cst.FunctionDef, cst.If, cst.Import, cst.ImportFrom, cst.Match, cst.Try, cst.TryStar),
        *(cst.TypeAlias, cst.While, cst.With),
    }
)
"""The statements that bind names, other than by ``:=``."""


@dataclass(frozen=True, slots=True)
class Imported:
    """Something of another module, by its dotted name; a relative one keeps its leading dots."""

    dotted: str


@dataclass(frozen=True, eq=False, slots=True)
class Defined:
    """A class or function of this module."""

    node: cst.ClassDef | cst.FunctionDef
    scope: "Scope"
    at: float
    piece: Piece | None


@dataclass(frozen=True, eq=False, slots=True)
class Valued:
    """The value of an expression that is no name."""

    node: cst.BaseExpression
    scope: "Scope"
    at: float
    piece: Piece | None = None
    name: str | None = None
    """The variable that has the value, where there is one."""


Referent = Imported | Defined | Valued | None


class Binding(NamedTuple):
    """One place that gives a name a value."""

    name: str
    referent: Referent
    order: float
    certain: bool
    """Whether it always happens when its scope runs."""
    fallback: bool
    """Whether it is there for when the ordinary binding fails, or for type checkers only."""


class Links(Protocol):
    """What a module may refer to in other files of the project."""

    @property
    def project(self) -> Project: ...
    def find(self, dotted: str) -> tuple[Referent, ...] | None: ...
    def exports(self, dotted: str) -> frozenset[str] | None: ...
    def mentioning(self, word: str) -> "Iterator[ModuleScope]": ...


class Scope(Protocol):
    """Where names are bound: a module, a class body or a function."""

    @property
    def top(self) -> "ModuleScope": ...
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
    links: Links
    parent: None = None
    node: None = None
    at: float = EVER
    _pieces: dict[int, tuple[Binding, ...]] = field(default_factory=dict)
    _found: dict[str, tuple[Binding, ...]] = field(default_factory=dict)
    referred: dict[str, tuple[Referent, ...]] = field(default_factory=dict)
    """What names refer to in the end, as far as somebody has asked."""
    inner: dict[tuple[int, float, bool], "InnerScope"] = field(default_factory=dict)
    """The scopes inside that somebody has asked for."""

    @property
    def top(self) -> "ModuleScope":
        return self

    @cached_property
    def name(self) -> str:
        """The dotted name of the module."""
        return self.source.file.module

    def release(self) -> None:
        """Let go of all that it refers to, and that refers to it."""
        for inner in self.inner.values():
            vars(inner).clear()
        vars(self).clear()

    def rest(self) -> None:
        """Let go of what is bound in functions, which matters while these are followed."""
        for inner in self.inner.values():
            if type(inner.node) is cst.FunctionDef:
                for detail in ("all", "outer", "_by_name"):
                    vars(inner).pop(detail, None)

    def bindings(self, name: str) -> tuple[Binding, ...]:
        known = self._found.get(name)
        if known is None:
            pieces = self._binding.get(name, ())
            found = [item for piece in pieces for item in self._of(piece) if item.name == name]
            known = self._found[name] = tuple(found)
        return known

    def binds(self, name: str) -> bool:
        """Whether a statement of the module gives the name a value."""
        if name in self._binding:
            return True
        stars = [item.referent for item in self.bindings("*")]
        exported = [self.links.exports(s.dotted) for s in stars if isinstance(s, Imported)]
        return any(names is not None and name in names for names in exported)

    @property
    def names(self) -> Iterable[str]:
        """All names that the module binds."""
        return self._binding.keys()

    @cached_property
    def _binding(self) -> Mapping[str, list[Piece]]:
        binding: dict[str, list[Piece]] = {}
        for piece in self.source.pieces:
            for name in piece.block.names:
                binding.setdefault(name, []).append(piece)
        return binding

    def _of(self, piece: Piece) -> tuple[Binding, ...]:
        if piece.index not in self._pieces:
            start = piece.index * PIECE
            found: Iterable[Binding] = ()
            if piece.block.is_import:
                found = _imported(piece.block, start + 1)
            elif piece.tree is not None:
                found = _Binder(self, start, piece).of(piece.tree)
            self._pieces[piece.index] = tuple(found)
        return self._pieces[piece.index]

    def order(self, piece: Piece, statement: cst.CSTNode) -> float:
        """When a top-level definition is reached."""
        for binding in self._of(piece):
            if isinstance(binding.referent, Defined) and binding.referent.node is statement:
                return binding.order
        return piece.index * PIECE


def _imported(block: Block, order: float) -> Iterator[Binding]:
    """The bindings of an import statement, which needs no libcst."""
    for name, dotted in block.imported:
        if name == "*":
            module = dotted.removesuffix("*")
            dotted = module if not module.strip(".") else module.removesuffix(".")
        yield Binding(name, Imported(dotted), order, True, False)


@dataclass(frozen=True, eq=False)
class InnerScope:
    """The scope of a class body or a function."""

    node: cst.ClassDef | cst.FunctionDef
    parent: Scope
    at: float
    piece: Piece | None = None

    @cached_property
    def top(self) -> ModuleScope:
        """The scope of the module."""
        return self.parent.top

    def bindings(self, name: str) -> tuple[Binding, ...]:
        return self._by_name.get(name, ())

    @cached_property
    def outer(self) -> frozenset[str]:
        """The names that are declared to be those of a scope around."""
        if self.piece is not None and self.piece.block.words.isdisjoint(_OUTER):
            return _NONE
        return frozenset(
            item.name.value
            for statement in flat(self.node.body)
            if isinstance(statement, cst.Global | cst.Nonlocal)
            for item in statement.names
        )

    @cached_property
    def all(self) -> tuple[Binding, ...]:
        """All bindings, in order."""
        outer = self.outer
        parameters = parameter_names(self.node) if isinstance(self.node, cst.FunctionDef) else ()
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
    def _by_name(self) -> Mapping[str, tuple[Binding, ...]]:
        by_name: dict[str, tuple[Binding, ...]] = {}
        for binding in self.all:
            by_name[binding.name] = (*by_name.get(binding.name, ()), binding)
        return by_name


def inner_scope(
    node: cst.ClassDef | cst.FunctionDef, parent: Scope, at: float, piece: Piece | None = None
) -> InnerScope:
    """The scope of a class body or a function, made once.

    When a function is defined makes no difference to what stands in it: it runs later.
    """
    scopes = parent.top.inner
    key = (id(node), at if type(node) is cst.ClassDef else 0, piece is None)
    known = scopes.get(key)
    if known is None:
        known = scopes[key] = InnerScope(node, parent, at, piece)
    return known


class _Binder:
    """Collects the bindings of a block and of the blocks inside that open no scope."""

    def __init__(self, scope: Scope, start: float, piece: Piece | None) -> None:
        self.scope = scope
        self.order = start
        self.piece = piece
        self.may_have_walrus = piece is None or piece.block.has(":=")

    def of(
        self, body: cst.BaseSuite | cst.Module, certain: bool = True, fallback: bool = False
    ) -> Iterator[Binding]:
        for statement in statements(body):
            self.order += 1
            yield from self._statement(statement, certain, fallback)

    def _statement(
        self, statement: cst.CSTNode, certain: bool, fallback: bool
    ) -> Iterator[Binding]:
        if not self.may_have_walrus and type(statement) not in _BINDING:
            return

        def bind(name: str, referent: Referent, sure: bool = certain) -> Binding:
            return Binding(name, referent, self.order, sure, fallback)

        def value(node: cst.BaseExpression, name: str | None = None) -> Valued:
            return Valued(node, self.scope, self.order, self.piece, name)

        match statement:
            case cst.Assign():
                for target in statement.targets:
                    for name, source in _unpack(target.target, statement.value):
                        yield bind(name, None if source is None else value(source, name))
            case cst.If():
                yield from self._if(statement, certain, fallback)
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
            case cst.AnnAssign():
                if statement.value is not None:
                    for name in _targets(statement.target):
                        yield bind(name, value(statement.value, name))
            case cst.AugAssign():
                yield from (bind(name, None) for name in _targets(statement.target))
            case cst.Del():
                yield from (bind(name, None) for name in _targets(statement.target))
            case cst.TypeAlias():
                yield bind(statement.name.value, value(statement.value))
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
        for node in _own_expressions(statement) if self.may_have_walrus else ():
            if type(node) is cst.NamedExpr:
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
        hidden = {item.name for item in body if item.fallback} & both
        for item in body:
            sure = certain and item.name in both - hidden
            yield item._replace(certain=True) if sure else item
        for item in rest:
            sure = certain and item.name in hidden and not item.fallback
            yield item._replace(certain=True) if sure else item


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
    if type(node) is cst.Name:
        yield node.value
    elif type(node) is cst.Tuple or type(node) is cst.List:
        for element in node.elements:
            yield from _targets(element.value)


def _unpack(
    target: cst.BaseExpression, value: cst.BaseExpression
) -> Iterator[tuple[str, cst.BaseExpression | None]]:
    if type(target) is cst.Name:
        yield target.value, value
    elif isinstance(target, cst.Tuple | cst.List):
        values = _elements(value)
        if len(values) == len(target.elements) and not _starred(target):
            for element, item in zip(target.elements, values, strict=True):
                yield from _unpack(element.value, item)
        else:
            yield from ((name, None) for name in _targets(target))


def _starred(node: cst.Tuple | cst.List) -> bool:
    return any(isinstance(element, cst.StarredElement) for element in node.elements)


def _elements(node: cst.BaseExpression) -> tuple[cst.BaseExpression, ...]:
    """The elements of a literal tuple or list; none where one of them is starred."""
    if (type(node) is cst.Tuple or type(node) is cst.List) and not _starred(node):
        return tuple(element.value for element in node.elements)
    return ()
