"""A name in a function: where it is bound, and what its object may come from."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple, TypeVar

import libcst as cst

from flake8_jax.fixes.names import Defined, Names, Referent
from flake8_jax.fixes.pieces import Piece
from flake8_jax.fixes.targets import targets
from flake8_jax.knowledge.effects import GIVES_BACK
from flake8_jax.knowledge.objects import ELEMENT_METHODS, REMOVALS
from flake8_jax.syntax import children, flat, is_name, parameter_names, statements, walk

T = TypeVar("T")

OUTER = cst.FunctionDef | cst.Lambda | cst.ClassDef
_TYPE = re.compile(r"#\s*type:(?!\s*ignore\b)")
_GETTERS = ELEMENT_METHODS - REMOVALS


class Source(Enum):
    """Where the object of a name comes from."""

    PARAMETER = "the caller has it, too"
    PART = "it was unpacked from something"
    MADE = "an expression has made it"
    OTHER = "it is, or may be, known under another name"


class Origin(NamedTuple):
    """Where the object of a name may come from."""

    source: Source
    value: cst.BaseExpression | None
    """The expression that makes it."""
    node: cst.CSTNode
    """What binds the name."""


@dataclass(frozen=True, eq=False)
class Local:
    """A name at a statement of a function."""

    name: str
    piece: Piece
    statement: cst.CSTNode
    top: Names

    @cached_property
    def _parents(self) -> dict[cst.CSTNode, cst.CSTNode]:
        return parents(self.piece)

    def shared(self, what: str, compute: Callable[[], T], *also: object) -> T:
        """What holds for the name at all statements of the function, computed once."""
        return self.piece.file.analysed((what, self.function, self.name, *also), compute)

    @cached_property
    def around(self) -> tuple[cst.CSTNode, ...]:
        """What the statement stands in, innermost first."""
        return tuple(self._above(self.statement))

    def _above(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        while (above := self._parents.get(node)) is not None:
            yield above
            node = above

    @cached_property
    def function(self) -> cst.FunctionDef | None:
        """The function in which the statement stands."""
        inner = next((node for node in self.around if isinstance(node, OUTER)), None)
        return inner if isinstance(inner, cst.FunctionDef) else None

    @cached_property
    def names(self) -> Names:
        """Where the statement looks names up."""
        kinds = cst.FunctionDef | cst.ClassDef
        inner = next((node for node in self.around if isinstance(node, kinds)), None)
        return self.top.inside(inner, self.piece) if inner is not None else self.top

    @property
    def has_type_comment(self) -> bool:
        """Whether a comment tells the type of what the statement assigns: not that of the name."""
        line = self._parents.get(self.statement)
        if not isinstance(line, cst.SimpleStatementLine | cst.SimpleStatementSuite):
            return False
        comment = line.trailing_whitespace.comment
        return comment is not None and is_type_comment(comment.value)

    @property
    def is_silenced(self) -> bool:
        """Whether a ``finally``, or a context of the project, drops what the statement raises."""
        leaves = (cst.Break, cst.Continue, cst.Return)
        ends = [node.finalbody for node in self.around if isinstance(node, cst.Try)]
        if any(isinstance(item, leaves) for end in ends if end for item in walk(end)):
            return True
        contexts = [
            item.item for node in self.around if isinstance(node, cst.With) for item in node.items
        ]
        calls = [item.func for item in contexts if isinstance(item, cst.Call)]
        return any(_drops_errors(item) for call in calls for item in self.names.refer(call))

    @property
    def stores(self) -> frozenset[cst.CSTNode]:
        """The statements of the function that change the object of the name, or parts of it."""
        return self.shared("stores", lambda: frozenset(self._stores()))

    @property
    def places(self) -> frozenset[tuple[int, int]]:
        """Where they stand."""
        return frozenset(map(self.piece.position, self.stores))

    def _stores(self) -> Iterator[cst.CSTNode]:
        assert self.function is not None
        for node in walk(self.function.body):
            if any(_is_inside(target, self.name) for target in targets(node)):
                yield node

    @property
    def is_own(self) -> bool:
        """Whether the name belongs to the function alone, and nothing inside refers to it."""
        return self.sharing is None

    @property
    def sharing(self) -> str | None:
        """Why the name does not belong to the function alone, if it does not."""
        return self.shared("sharing", self._sharing)

    def _sharing(self) -> str | None:
        function, name = self.function, repr(self.name)
        if function is None:
            return f"line {self.line(self.statement)} stands in no function, and others read {name}"
        if self.name not in self._bound:
            return f"{name} is no variable of {function.name.value!r} itself"
        for node in walk(function.body):
            if isinstance(node, cst.Global | cst.Nonlocal):
                if any(item.name.value == self.name for item in node.names):
                    return f"{name} is declared global or nonlocal on line {self.line(node)}"
            if isinstance(node, OUTER):
                inner = next((item for item in walk(node) if is_name(item, self.name)), None)
                if inner is not None:
                    return (
                        f"{name} is used by the inner function or class on line {self.line(node)}"
                    )
        return None

    @property
    def parameters(self) -> tuple[cst.Param, ...]:
        """The parameters of the function that take one argument each."""
        assert self.function is not None
        params = self.function.params
        return (*params.posonly_params, *params.params, *params.kwonly_params)

    @property
    def parameter(self) -> cst.Param | None:
        """The parameter of that name."""
        return next((item for item in self.parameters if item.name.value == self.name), None)

    @property
    def is_first_of_method(self) -> bool:
        """Whether the name is the first parameter of a method."""
        function = self.function
        outer = [node for node in self.around if isinstance(node, OUTER)]
        in_class = len(outer) > 1 and isinstance(outer[1], cst.ClassDef)
        first = next(parameter_names(function), None) if function is not None else None
        return in_class and self.name == first

    @cached_property
    def _bound(self) -> frozenset[str]:
        assert self.function is not None
        return self.top.inside(self.function, self.piece).bound

    @cached_property
    def sources(self) -> tuple[tuple[Source, cst.BaseExpression | None], ...]:
        """Where the name's object may come from, with the expressions that make it."""
        return tuple((item.source, item.value) for item in self.origins)

    @cached_property
    def origins(self) -> tuple[Origin, ...]:
        """Where the name's object may come from."""
        function = self.function
        assert function is not None
        found: list[Origin] = []
        if self.name in parameter_names(function):
            found.append(Origin(Source.PARAMETER, None, function))
        for statement in flat(function.body):
            if statement is not self.statement:
                found += [Origin(*item, statement) for item in self._binding(statement)]
        for node in walk(function.body):
            if isinstance(node, cst.NamedExpr) and is_name(node.target, self.name):
                found.append(Origin(Source.OTHER, None, node))
        return tuple(found)

    def line(self, node: cst.CSTNode) -> int:
        """The line on which something of the same top-level statement stands."""
        return self.piece.position(node)[0]

    def _one_of(
        self, target: cst.BaseExpression, values: cst.Tuple
    ) -> tuple[Source, cst.BaseExpression | None]:
        """Where the object comes from, if several names are bound to several values."""
        names = target.elements if isinstance(target, cst.Tuple | cst.List) else ()
        pairs = zip(names, values.elements, strict=False)
        found = [value for name, value in pairs if is_name(name.value, self.name)]
        starred = any(isinstance(item, cst.StarredElement) for item in (*names, *values.elements))
        if starred or len(found) != 1:
            return Source.OTHER, None
        return _source(found[0].value), found[0].value

    def _binding(
        self, statement: cst.CSTNode
    ) -> Iterator[tuple[Source, cst.BaseExpression | None]]:
        stored = [is_name(target, self.name) for target in targets(statement)]
        match statement:
            case cst.Assign(targets=[_], value=value) if any(stored) and len(stored) == 1:
                yield _source(value), value
            case cst.Assign(targets=[target], value=cst.Tuple() as values) if any(stored):
                yield self._one_of(target.target, values)
            case cst.Assign(targets=[_], value=value) if any(stored):
                yield Source.PART, value
            case cst.AnnAssign(value=cst.BaseExpression() as value) if any(stored):
                yield _source(value), value
            case cst.AugAssign() if any(stored):
                yield Source.MADE, None
            case _ if any(stored) or any(is_name(i, self.name) for i in _binders(statement)):
                yield Source.OTHER, None


def parents(piece: Piece) -> dict[cst.CSTNode, cst.CSTNode]:
    """What each node of a piece is a direct part of."""
    return piece.file.analysed(("parents", piece), lambda: _parents(piece))


def _parents(piece: Piece) -> dict[cst.CSTNode, cst.CSTNode]:
    assert piece.tree is not None
    return {below: node for node in walk(piece.tree) for below in children(node)}


def _drops_errors(context: Referent) -> bool:
    """Whether a context manager lets nobody know of an error."""
    match context:
        case Defined(node=cst.ClassDef(body=body)):
            ends = (item for item in statements(body) if isinstance(item, cst.FunctionDef))
            exits = (item for item in ends if item.name.value == "__exit__")
            found = (item for end in exits for item in flat(end.body))
            values = (item.value for item in found if isinstance(item, cst.Return) and item.value)
            return any(
                not is_name(value, "False") and not is_name(value, "None") for value in values
            )
        case Defined(node=cst.FunctionDef(body=body)):
            tries = (item for item in flat(body) if isinstance(item, cst.Try) and item.handlers)
            inside = (item for attempt in tries for item in walk(attempt.body))
            return any(isinstance(item, cst.Yield) for item in inside)
    return False


def is_type_comment(text: str) -> bool:
    """Whether a comment tells a type, as for Python 2; not one that has a type checker be quiet."""
    return _TYPE.match(text) is not None


def _is_inside(target: cst.BaseExpression, name: str) -> bool:
    """Whether a target is an attribute or an element of a name's object, at whatever depth."""
    inner = target
    while isinstance(inner, cst.Attribute | cst.Subscript):
        inner = inner.value
    return inner is not target and is_name(inner, name)


def _source(value: cst.BaseExpression) -> Source:
    match value:
        case cst.Await(expression=awaited):
            return _source(awaited)
        case cst.Call(func=cst.Attribute(attr=cst.Name(value=method))) if method in _GETTERS:
            return Source.OTHER
        case cst.Call(func=cst.Name(value=name)) if f"builtins.{name}" in GIVES_BACK:
            return Source.OTHER
    if isinstance(value, cst.Call | cst.BinaryOperation | cst.UnaryOperation | cst.Comparison):
        return Source.MADE
    return Source.OTHER


def _binders(statement: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The names that handlers, patterns and imports bind."""
    match statement:
        case cst.Try() | cst.TryStar():
            for handler in statement.handlers:
                if handler.name is not None:
                    yield handler.name.name
        case cst.Match():
            for case in statement.cases:
                yield from walk(case.pattern)
        case cst.Import() | cst.ImportFrom():
            yield from walk(statement)
        case cst.FunctionDef() | cst.ClassDef():
            yield statement.name
