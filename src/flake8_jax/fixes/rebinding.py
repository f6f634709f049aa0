"""Whether a name can be bound to a changed copy in the place where its object was to be changed.

Binding the name does what the change was meant to do only if all who are to see the change look at
the name: the object has no other name, it is no part of something else, and it is used later on.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import libcst as cst

from flake8_jax.fixes.edits import Safety
from flake8_jax.fixes.targets import targets
from flake8_jax.knowledge.objects import CONTAINER_MUTATORS, SHALLOW_METHODS
from flake8_jax.scopes import EVER, InnerScope, Scope, parameter_names
from flake8_jax.source import Piece
from flake8_jax.syntax import children, flat, is_name, last_part, walk

_OUTER = cst.FunctionDef | cst.Lambda | cst.ClassDef
_PASSING = (
    cst.Arg,
    cst.BooleanOperation,
    cst.Dict,
    cst.DictElement,
    cst.Element,
    cst.IfExp,
    cst.List,
    cst.Set,
    cst.StarredElement,
    cst.StarredDictElement,
    cst.Tuple,
)
"""Expressions whose value may be, or hold, the value of a part."""
_COMPUTING = (
    cst.BinaryOperation,
    cst.CompIf,
    cst.Comparison,
    cst.FormattedStringExpression,
    cst.Index,
    cst.Slice,
    cst.UnaryOperation,
)
"""Expressions whose value is a new one."""
_LOOKING = (
    cst.Assert,
    cst.AugAssign,
    cst.CompFor,
    cst.Expr,
    cst.For,
    cst.If,
    cst.Raise,
    cst.While,
)
"""Statements that look at a value and do not keep it."""
_HOLDERS = frozenset({"deque", "dict", "list", "partial", "set", "tuple"})
_TYPE = re.compile(r"#\s*type:\s*(?!ignore\b)")
_STORES = (cst.AsName, cst.AssignTarget, cst.Del, cst.NameItem, cst.Param)


class Use(Enum):
    """What becomes of a name's value where the name is read."""

    READ = "it is computed with"
    RETURNED = "it comes out of the function, itself or in what is computed from it"
    KEPT = "it gets another name, or a place in something"


class Source(Enum):
    """Where the object of a name comes from."""

    PARAMETER = "the caller has it, too"
    PART = "it was unpacked from something"
    MADE = "an expression has made it"
    OTHER = "it is, or may be, known under another name"


@dataclass(frozen=True, eq=False)
class Variable:
    """A name at a statement that is to bind it."""

    name: str
    piece: Piece
    statement: cst.CSTNode
    top: Scope

    @cached_property
    def _parents(self) -> dict[cst.CSTNode, cst.CSTNode]:
        assert self.piece.tree is not None
        return {below: node for node in walk(self.piece.tree) for below in children(node)}

    @cached_property
    def _around(self) -> tuple[cst.CSTNode, ...]:
        """What the statement stands in, innermost first."""
        return tuple(self._above(self.statement))

    def _above(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        while (above := self._parents.get(node)) is not None:
            yield above
            node = above

    @cached_property
    def function(self) -> cst.FunctionDef | None:
        """The function in which the statement stands."""
        inner = next((node for node in self._around if isinstance(node, _OUTER)), None)
        return inner if isinstance(inner, cst.FunctionDef) else None

    @cached_property
    def scope(self) -> Scope:
        """Where the statement looks names up."""
        scope = self.top
        for node in reversed(self._around):
            if isinstance(node, cst.FunctionDef | cst.ClassDef):
                scope = InnerScope(node, scope, EVER, self.piece)
        return scope

    @cached_property
    def _order(self) -> dict[cst.CSTNode, int]:
        assert self.function is not None
        return {node: index for index, node in enumerate(walk(self.function.body))}

    @cached_property
    def _repeated(self) -> frozenset[cst.CSTNode]:
        """All that may run before the statement and after it, because a loop holds them both."""
        inside: list[cst.CSTNode] = []
        for node in self._around:
            if isinstance(node, _OUTER):
                break
            if isinstance(node, cst.For | cst.While):
                inside = list(walk(node))
        return frozenset(inside)

    @property
    def has_type_comment(self) -> bool:
        """Whether a comment tells the type of what the statement assigns."""
        line = self._parents.get(self.statement)
        if not isinstance(line, cst.SimpleStatementLine | cst.SimpleStatementSuite):
            return False
        comment = line.trailing_whitespace.comment
        return comment is not None and is_type_comment(comment.value)

    @cached_property
    def stores(self) -> frozenset[cst.CSTNode]:
        """The statements of the function that change the object of the name, or parts of it."""
        assert self.function is not None
        return frozenset(
            node
            for node in walk(self.function.body)
            if any(_is_inside(target, self.name) for target in targets(node))
        )

    @property
    def is_own(self) -> bool:
        """Whether the name belongs to the function alone, and nothing inside refers to it."""
        function = self.function
        if function is None or self.name not in self._bound:
            return False
        for node in walk(function.body):
            if isinstance(node, cst.Global | cst.Nonlocal):
                if any(item.name.value == self.name for item in node.names):
                    return False
            if isinstance(node, _OUTER):
                if any(is_name(item, self.name) for item in walk(node)):
                    return False
        return True

    @property
    def parameter(self) -> cst.Param | None:
        """The parameter of that name."""
        assert self.function is not None
        params = self.function.params
        found = (*params.posonly_params, *params.params, *params.kwonly_params)
        return next((item for item in found if item.name.value == self.name), None)

    @property
    def _is_first_of_method(self) -> bool:
        """Whether the name is the first parameter of a method."""
        function = self.function
        outer = [node for node in self._around if isinstance(node, _OUTER)]
        in_class = len(outer) > 1 and isinstance(outer[1], cst.ClassDef)
        first = next(parameter_names(function), None) if function is not None else None
        return in_class and self.name == first

    @cached_property
    def _bound(self) -> frozenset[str]:
        assert self.function is not None
        scope = InnerScope(self.function, self.top, EVER, self.piece)
        return frozenset(binding.name for binding in scope.all)

    @cached_property
    def sources(self) -> tuple[tuple[Source, cst.BaseExpression | None], ...]:
        """Where the name's object may come from, with the expressions that make it."""
        function = self.function
        assert function is not None
        found: list[tuple[Source, cst.BaseExpression | None]] = []
        if self.name in parameter_names(function):
            found.append((Source.PARAMETER, None))
        for statement in flat(function.body):
            found += [] if statement is self.statement else self._binding(statement)
        for node in walk(function.body):
            if isinstance(node, cst.NamedExpr) and is_name(node.target, self.name):
                found.append((Source.OTHER, None))
        return tuple(found)

    def _binding(
        self, statement: cst.CSTNode
    ) -> Iterator[tuple[Source, cst.BaseExpression | None]]:
        stored = [is_name(target, self.name) for target in targets(statement)]
        match statement:
            case cst.Assign(targets=[_], value=value) if any(stored):
                yield (_source(value) if len(stored) == 1 else Source.PART), value
            case cst.AnnAssign(value=cst.BaseExpression() as value) if any(stored):
                yield _source(value), value
            case cst.AugAssign() if any(stored):
                yield Source.MADE, None
            case _ if any(stored) or any(is_name(i, self.name) for i in _binders(statement)):
                yield Source.OTHER, None

    @cached_property
    def uses(self) -> tuple[tuple[cst.Name, Use], ...]:
        """Where the function reads the name."""
        assert self.function is not None
        return tuple(
            (node, use)
            for node in walk(self.function.body)
            if isinstance(node, cst.Name) and node.value == self.name
            if (use := self._use(node)) is not None
        )

    def _use(self, node: cst.Name) -> Use | None:
        """What becomes of the value that a name has; None if the name is not read there."""
        below: cst.CSTNode = node
        is_held, is_part = True, False
        for above in self._above(node):
            match above:
                case cst.Attribute(attr=attr) if below is attr:
                    return None
                case cst.Arg(keyword=name) if below is name:
                    return None
                case cst.For(target=target) | cst.CompFor(target=target) if below is target:
                    return None if is_held or is_part else Use.READ
                case cst.AugAssign(target=target) if below is target:
                    return None if is_held or is_part else Use.READ
                case cst.Attribute(attr=cst.Name(value=name)) if is_held:
                    is_held, is_part = False, name not in SHALLOW_METHODS
                case cst.Subscript(value=value) if below is value and is_held:
                    is_held, is_part = False, True
                case cst.Call(func=func):
                    if is_held and below is not func and _may_keep(func):
                        return Use.KEPT
                    is_held = False
                case cst.Return() | cst.Yield():
                    return Use.READ if is_part else Use.RETURNED
                case cst.Assign() | cst.AnnAssign() | cst.NamedExpr() if is_held:
                    return Use.KEPT
                case _ if isinstance(above, _STORES):
                    return None if is_held or is_part else Use.READ
                case _ if isinstance(above, _LOOKING):
                    return Use.READ
                case _ if isinstance(above, _COMPUTING):
                    is_held = False
                case _ if is_held and not isinstance(above, _PASSING):
                    return Use.KEPT
            below = above
        return Use.KEPT if is_held else Use.READ

    def _is_before(self, node: cst.CSTNode) -> bool:
        return node in self._repeated or self._order[node] < self._order[self.statement]

    def _is_after(self, node: cst.CSTNode) -> bool:
        inside = frozenset(walk(self.statement))
        after = self._order[node] > self._order[self.statement]
        return node not in inside and (after or node in self._repeated)

    @property
    def has_other_names(self) -> bool:
        """Whether the object is kept somewhere before the statement."""
        return any(use is Use.KEPT and self._is_before(node) for node, use in self.uses)

    @property
    def is_read_later(self) -> bool:
        """Whether the name is used after the statement."""
        return any(self._is_after(node) for node, _ in self.uses)

    @property
    def comes_out(self) -> bool:
        """Whether the object itself is used for a result after the statement."""
        return any(use is Use.RETURNED and self._is_after(node) for node, use in self.uses)

    def binding(
        self, is_new: Callable[[cst.BaseExpression, Scope], bool], is_rebuilt: bool = False
    ) -> Safety | None:
        """Whether binding the name does what changing its object was meant to do.

        ``is_new`` tells whether an expression makes an object that nobody else has, ``is_rebuilt``
        whether a transform has just made the arguments. Where others have the object, they may
        have been meant to see the change: then it has to come out of the function.
        """
        if not self.is_own or self.has_other_names or not self.is_read_later:
            return None
        if self.has_type_comment:
            return None  # it would be about the name
        sources = self.sources
        if not sources or any(source is Source.OTHER for source, _ in sources):
            return None
        is_mine = all(
            (source is Source.PARAMETER and is_rebuilt)
            or (source is Source.MADE and (value is None or is_new(value, self.scope)))
            for source, value in sources
        )
        is_seen = is_mine or (self.comes_out and not self._is_first_of_method)
        return Safety.SAFE if is_seen else Safety.UNSAFE


def is_type_comment(text: str) -> bool:
    """Whether a comment tells a type, as for Python 2; not one that has a type checker be quiet."""
    return _TYPE.match(text) is not None


def _is_inside(target: cst.BaseExpression, name: str) -> bool:
    """Whether a target is an attribute or an element of a name's object, at whatever depth."""
    inner = target
    while isinstance(inner, cst.Attribute | cst.Subscript):
        inner = inner.value
    return inner is not target and is_name(inner, name)


def parent(piece: Piece, node: cst.CSTNode) -> cst.CSTNode | None:
    """What a node of a piece is a direct part of."""
    assert piece.tree is not None
    return next((above for above in walk(piece.tree) if node in children(above)), None)


def bound(name: str, statement: cst.CSTNode, value: cst.BaseExpression) -> cst.Assign:
    """A statement that binds a name to a value, in the layout of the one that it replaces."""
    assert isinstance(statement, cst.Assign | cst.AugAssign | cst.Expr)
    target = cst.AssignTarget(cst.Name(name))
    if isinstance(statement, cst.Assign):
        target = statement.targets[0].with_changes(target=target.target)
    elif isinstance(statement, cst.AugAssign):
        sides = ("whitespace_before", "whitespace_after")
        before, after = (getattr(statement.operator, side) for side in sides)
        target = target.with_changes(whitespace_before_equal=before, whitespace_after_equal=after)
    return cst.Assign([target], value, semicolon=statement.semicolon)


def _may_keep(function: cst.BaseExpression) -> bool:
    """Whether a call may be there to keep what it is given: a class, a container, a partial."""
    name = last_part(function) or ""
    if name[:1].isupper() or name in _HOLDERS:
        return True
    return isinstance(function, cst.Attribute) and name in CONTAINER_MUTATORS


def _source(value: cst.BaseExpression) -> Source:
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
