"""Scopes: where each name of a function lives, by Python's own rules.

A function binds what it assigns anywhere in its body, unless it declares the name ``global`` or
``nonlocal``. Functions do not see the names of a class around them. A comprehension has variables
of its own; here they are variables of the function that holds it, under names that nobody can
write.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from flake8_jax.lowering.kinds import ByKind
from flake8_jax.lowering.program import Home, Var
from flake8_jax.syntax import children, flat

_GLOBAL = Home.GLOBAL


class Scope:
    """Where names are looked up: a module, which binds all that nobody else does."""

    cls: str | None = None
    """The class whose private names are mangled here."""

    def __init__(self) -> None:
        self._known: dict[str, Var] = {}
        self._comprehensions = 0

    def load(self, written: str) -> Var:
        """The variable that a name stands for."""
        known = self._known.get(written)
        if known is None:
            known = self._known[written] = self._find(self.spelled(written))
        return known

    def bind(self, written: str) -> Var:
        """The variable of ``(name := ...)``: that of a comprehension belongs to what is around."""
        return self.load(written)

    def _find(self, name: str) -> Var:
        return Var(name, _GLOBAL)

    def seen_from_inside(self, name: str) -> Var:
        """The variable that a name stands for in a scope inside, as seen from here."""
        return self._find(name)

    def spelled(self, written: str) -> str:
        """A name as Python keeps it: normalised, and mangled if it is private to a class."""
        if written[:2] != "__" and written.isascii():
            return written
        name = unicodedata.normalize("NFKC", written)
        if self.cls is None or not name.startswith("__") or name.endswith("__"):
            return name
        owner = self.cls.lstrip("_")
        return f"_{owner}{name}" if owner else name

    def next_comprehension(self) -> int:
        """A number that no other comprehension of the function has."""
        self._comprehensions += 1
        return self._comprehensions

    def has_yield(self) -> None:
        """Note that the function around yields."""


@dataclass(frozen=True)
class Bindings:
    """The names that a body binds, and those that it declares to be bound elsewhere."""

    bound: frozenset[str]
    globals: frozenset[str]
    nonlocals: frozenset[str]

    @property
    def own(self) -> frozenset[str]:
        """The names that live in the scope itself."""
        return self.bound - self.globals - self.nonlocals


class FunctionScope(Scope):
    """The scope of a function or lambda."""

    def __init__(self, parent: Scope, parameters: Iterable[str], bindings: Bindings) -> None:
        super().__init__()
        self.cls = parent.cls
        self.parent = parent
        self.cells: set[str] = set()
        self.yields = False
        self._own = {*map(self.spelled, (*parameters, *bindings.own))}
        self._globals = {*map(self.spelled, bindings.globals)}

    def _find(self, name: str) -> Var:
        if name in self._own:
            return Var(name, Home.LOCAL)
        if name in self._globals:
            return Var(name, _GLOBAL)
        found = self.parent.seen_from_inside(name)
        if found.home is _GLOBAL:
            return found
        return Var(found.name, Home.CELL, found.levels + 1)

    def seen_from_inside(self, name: str) -> Var:
        found = self._find(name)
        if found.home is Home.LOCAL:
            self.cells.add(name)
        return found

    def has_yield(self) -> None:
        self.yields = True


class ClassScope(Scope):
    """The scope of a class body. It runs as a part of the code around it."""

    def __init__(self, parent: Scope, name: str, bindings: Bindings) -> None:
        super().__init__()
        self.cls = name
        self.parent = parent
        self._own = {*map(self.spelled, bindings.own)}
        self._globals = {*map(self.spelled, bindings.globals)}

    def _find(self, name: str) -> Var:
        if name in self._own:
            return Var(name, Home.CLASS)
        if name in self._globals:
            return Var(name, _GLOBAL)
        return self.parent.seen_from_inside(name)

    def seen_from_inside(self, name: str) -> Var:
        return self.parent.seen_from_inside(name)


class ComprehensionScope(Scope):
    """The scope of a comprehension."""

    def __init__(self, parent: Scope, names: Iterable[str]) -> None:
        super().__init__()
        self.cls = parent.cls
        self.parent = parent
        number = parent.next_comprehension()
        self._renamed = {name: f"{name}'{number}" for name in map(self.spelled, names)}

    def _find(self, name: str) -> Var:
        if name in self._renamed:
            return Var(self._renamed[name], Home.LOCAL)
        if isinstance(self.parent, ClassScope):
            return self.parent.seen_from_inside(name)
        return self.parent._find(name)

    def seen_from_inside(self, name: str) -> Var:
        if name in self._renamed:
            return Var(self._renamed[name], Home.LOCAL)
        return self.parent.seen_from_inside(name)

    def bind(self, written: str) -> Var:
        return self.parent.bind(written)

    def next_comprehension(self) -> int:
        return self.parent.next_comprehension()

    def has_yield(self) -> None:
        self.parent.has_yield()


class _Collector:
    """Collects what a body binds, without going into functions and classes inside."""

    def __init__(self) -> None:
        self.bound: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()

    def body(self, body: cst.BaseSuite | cst.Module) -> None:
        """Add the names that the statements of a body bind."""
        for statement in flat(body):
            collect = _COLLECTED[type(statement)]
            if collect is not None:
                collect(self, statement)

    def assigned(self, node: cst.Assign) -> None:
        for target in node.targets:
            self.bound.update(target_names(target.target))

    def defined(self, node: cst.FunctionDef | cst.ClassDef | cst.TypeAlias) -> None:
        self.bound.add(node.name.value)

    def targeted(self, node: cst.AugAssign | cst.AnnAssign | cst.For | cst.Del) -> None:
        self.bound.update(target_names(node.target))

    def contexts(self, node: cst.With) -> None:
        for item in node.items:
            self._as_name(item.asname)

    def caught(self, node: cst.Try | cst.TryStar) -> None:
        for handler in node.handlers:
            self._as_name(handler.name)

    def matched(self, node: cst.Match) -> None:
        for case in node.cases:
            self.bound.update(_captured(case.pattern))

    def declared_global(self, node: cst.Global) -> None:
        self.globals.update(item.name.value for item in node.names)

    def declared_nonlocal(self, node: cst.Nonlocal) -> None:
        self.nonlocals.update(item.name.value for item in node.names)

    def imported(self, node: cst.Import | cst.ImportFrom) -> None:
        for alias in () if isinstance(node.names, cst.ImportStar) else node.names:
            if alias.asname is not None:
                self._as_name(alias.asname)
            else:
                name: cst.BaseExpression = alias.name
                while isinstance(name, cst.Attribute):
                    name = name.value
                self.bound.update(target_names(name))

    def _as_name(self, asname: cst.AsName | None) -> None:
        if asname is not None:
            self.bound.update(target_names(asname.name))

    def walruses(self, node: cst.CSTNode) -> None:
        """Add the names that ``(name := ...)`` binds in a body."""
        stack = [node]
        while stack:
            here = stack.pop()
            if isinstance(here, cst.NamedExpr):
                self.bound.update(target_names(here.target))
            if isinstance(here, cst.FunctionDef):
                stack += (*here.decorators, *_defaults(here.params))
            elif isinstance(here, cst.ClassDef):
                stack += (*here.decorators, *here.bases, *here.keywords)
            elif isinstance(here, cst.Lambda):
                stack += _defaults(here.params)
            else:
                stack += children(here)

    def done(self) -> Bindings:
        return Bindings(frozenset(self.bound), frozenset(self.globals), frozenset(self.nonlocals))


_COLLECTED = ByKind(
    {
        cst.CSTNode: None,
        cst.Assign: _Collector.assigned,
        cst.FunctionDef: _Collector.defined,
        cst.ClassDef: _Collector.defined,
        cst.TypeAlias: _Collector.defined,
        cst.AugAssign: _Collector.targeted,
        cst.AnnAssign: _Collector.targeted,
        cst.For: _Collector.targeted,
        cst.Del: _Collector.targeted,
        cst.With: _Collector.contexts,
        cst.Import: _Collector.imported,
        cst.ImportFrom: _Collector.imported,
        cst.Try: _Collector.caught,
        cst.TryStar: _Collector.caught,
        cst.Match: _Collector.matched,
        cst.Global: _Collector.declared_global,
        cst.Nonlocal: _Collector.declared_nonlocal,
    }
)


def bindings(body: cst.BaseSuite | cst.Module, has_walrus: bool) -> Bindings:
    """What the body of a function or class binds."""
    found = _Collector()
    found.body(body)
    if has_walrus:
        found.walruses(body)
    return found.done()


def expression_bindings(body: cst.BaseExpression, has_walrus: bool) -> Bindings:
    """What the body of a lambda binds."""
    found = _Collector()
    if has_walrus:
        found.walruses(body)
    return found.done()


def target_names(target: cst.BaseExpression) -> Sequence[str]:
    """The names that an assignment to a target binds."""
    if isinstance(target, cst.Name):
        return (target.value,)
    if isinstance(target, cst.Tuple | cst.List):
        return [name for element in target.elements for name in target_names(element.value)]
    return ()


def _captured(pattern: cst.MatchPattern) -> Iterator[str]:
    """The names that a pattern binds."""
    stack: list[cst.CSTNode] = [pattern]
    while stack:
        here = stack.pop()
        if isinstance(here, cst.MatchAs | cst.MatchStar) and here.name is not None:
            yield here.name.value
        elif isinstance(here, cst.MatchMapping) and here.rest is not None:
            yield here.rest.value
        stack += children(here)


def _defaults(parameters: cst.Parameters) -> Iterator[cst.BaseExpression]:
    every = (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params)
    return (item.default for item in every if item.default is not None)
