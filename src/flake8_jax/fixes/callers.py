"""Those who call a function: what they do with what they gave it, and with errors.

They stand in its own module and in those that name both of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeAlias

import libcst as cst

from flake8_jax.fixes.declining import DeclinedError
from flake8_jax.fixes.keeping import is_maker, is_rebuilding
from flake8_jax.fixes.names import Defined, Names, Valued
from flake8_jax.fixes.pieces import Piece
from flake8_jax.fixes.targets import targets
from flake8_jax.fixes.variables import OUTER, parents
from flake8_jax.knowledge.objects import SHALLOW_METHODS
from flake8_jax.resolution.modules import module_of
from flake8_jax.syntax import is_name, last_part, parameter_names, walk

if TYPE_CHECKING:
    from flake8_jax.fixes.rebinding import Variable

Known: TypeAlias = frozenset[tuple[cst.FunctionDef, str]]

_GIVEN = (
    cst.Attribute,
    cst.BooleanOperation,
    cst.Call,
    cst.IfExp,
    cst.Name,
    cst.NamedExpr,
    cst.Subscript,
)
"""Expressions that may give an object."""
_KEEPING = (
    cst.Assign,
    cst.AnnAssign,
    cst.DictElement,
    cst.Element,
    cst.NamedExpr,
    cst.StarredElement,
)
"""What gives an object another name, or a place in something."""
_EXPECTING = frozenset({"assertRaises", "assertRaisesRegex", "raises", "suppress"})
"""Functions and methods that take an error for granted."""


def calls(variable: "Variable") -> tuple["Call", ...]:
    """The calls of the function that a variable stands in."""
    return variable.shared("calls", lambda: tuple(_calls(variable)))


def require_unexpected(variable: "Variable") -> None:
    """Decline where somebody counts on the function raising an error."""
    where = variable.shared("expected", lambda: next(_expected(variable), None))
    if where is not None:
        raise DeclinedError(f"{where} expects {variable.label!r} to raise")


def goes_on(variable: "Variable") -> str | None:
    """Who has the object that a parameter gets, and goes on with it afterwards, if anybody does."""
    default = variable.parameter.default if variable.parameter is not None else None
    if isinstance(default, cst.Call):
        return f"the default of {variable.name!r}, which all calls share,"
    found = next((item.where for item in calls(variable) if item.goes_on(variable)), None)
    if found is not None:
        return f"the object that {found} goes on with"
    where = variable.shared("handed", lambda: next(_handed_on(variable), None))
    return f"an object of those who call it through {where}" if where is not None else None


@dataclass(frozen=True, eq=False)
class Mention:
    """A top-level statement that names a function, and the module that it stands in."""

    piece: Piece
    top: Names
    is_here: bool
    """Whether that is the module of the function."""

    def where(self, node: cst.CSTNode) -> str:
        """The line of a node."""
        line = f"line {self.piece.position(node)[0]}"
        return line if self.is_here else f"{line} of {self.piece.file.label}"

    def names(self, node: cst.CSTNode) -> Names:
        """Where a node looks names up."""
        kinds = cst.FunctionDef | cst.ClassDef
        inner = (item for item in _above(self.piece, node) if isinstance(item, kinds))
        around = next(inner, None)
        return self.top.inside(around, self.piece) if around is not None else self.top

    def means(self, node: cst.BaseExpression, variable: "Variable") -> bool:
        """Whether an expression is the name of the function that a variable stands in."""
        assert variable.function is not None
        name = variable.function.name.value
        if _is_method(variable):
            return isinstance(node, cst.Attribute) and node.attr.value == name
        if self.is_here or last_part(node) != name:
            return is_name(node, name)
        found = (item for item in self.names(node).refer(node) if isinstance(item, Defined))
        return any(item.piece is variable.piece for item in found)


def _mentions(variable: "Variable") -> Iterator[Mention]:
    """The statements that name the function that a variable stands in."""
    assert variable.function is not None
    name, module = variable.function.name.value, variable.top.module
    path = PurePath(module.file.path)
    own = path.parent.name if path.stem == "__init__" else path.stem
    others = (
        Names.of(module_of(module.project, file))
        for file in module.project.others(module.file)
        if name in file.text and own in file.text
    )
    for top in (variable.top, *others):
        for piece in top.pieces:
            if name in piece.block.words and piece.tree is not None:
                yield Mention(piece, top, top is variable.top)


def _nodes(piece: Piece) -> Iterator[cst.CSTNode]:
    return walk(piece.tree) if piece.tree is not None else iter(())


def _handed_on(variable: "Variable") -> Iterator[str]:
    """The lines that name the function, but neither call it nor hand it to a transform."""
    for mention in () if _is_method(variable) else _mentions(variable):
        piece = mention.piece
        for node in _nodes(piece):
            if not isinstance(node, cst.Name | cst.Attribute) or not _is_value(piece, node):
                continue
            if mention.means(node, variable):
                above = tuple(_above(piece, node))
                call = above[1] if isinstance(above[0], cst.Arg) else None
                names = mention.names(node)
                if not (isinstance(call, cst.Call) and is_rebuilding(names, call)):
                    yield mention.where(node)


def _is_value(piece: Piece, node: cst.BaseExpression) -> bool:
    """Whether a name stands for the value that it has, to be handed on."""
    match parents(piece).get(node):
        case cst.Call(func=called):
            return called is not node
        case cst.Attribute() | cst.AsName() | cst.ImportAlias() | cst.Param() | cst.NameItem():
            return False
        case cst.FunctionDef() | cst.ClassDef() | cst.Decorator() | cst.AssignTarget():
            return False
        case cst.Arg(keyword=keyword):
            return keyword is not node
    return True


@dataclass(frozen=True, eq=False)
class Call:
    """A call of a function, and where it stands."""

    node: cst.Call
    mention: Mention

    @cached_property
    def _above(self) -> tuple[cst.CSTNode, ...]:
        return tuple(_above(self.mention.piece, self.node))

    @property
    def where(self) -> str:
        """Its line."""
        return self.mention.where(self.node)

    @property
    def is_caught(self) -> bool:
        """Whether something around it catches errors."""
        below: cst.CSTNode = self.node
        for above in self._above:
            match above:
                case cst.Try(handlers=[_, *_]) | cst.TryStar() if below is above.body:
                    return True
                case cst.With(items=items) if below is above.body:
                    if any(_is_expecting(item.item) for item in items):
                        return True
            below = above
        return False

    def goes_on(self, variable: "Variable", known: Known = frozenset()) -> bool:
        """Whether somebody has the object that is given for a parameter, and looks at it later.

        ``known`` are the parameters, of functions around, that are being asked about.
        """
        if any(item.star for item in self.node.args):
            return True
        given = self._given(variable)
        if isinstance(given, cst.Await):
            given = given.expression
        if not isinstance(given, _GIVEN) or is_name(given, "None"):
            return False
        if isinstance(given, cst.Call):
            return not self._is_new(given)
        statement = self._statement
        if statement is None or self._is_one_of_several(given):
            return True
        bound = [item for item in targets(statement) if item.deep_equals(given)]
        is_bound = bool(bound)
        if self._is_named_beside(given, statement, bound):
            return True
        if not isinstance(given, cst.Name):
            return not is_bound
        if isinstance(statement, cst.Expr) and self._is_alone(statement):
            return True
        return self._is_held(variable, given, statement, is_bound, known)

    def _is_alone(self, statement: cst.Expr) -> bool:
        """Whether nobody takes what comes out."""
        value = statement.value
        return (value.expression if isinstance(value, cst.Await) else value) is self.node

    def _is_new(self, made: cst.Call) -> bool:
        """Whether a call gives something that nobody else has."""
        if isinstance(made.func, cst.Attribute) and made.func.attr.value in SHALLOW_METHODS:
            return True
        found = self.mention.names(self.node).refer(made.func)
        return not any(
            isinstance(item, Valued) or (isinstance(item, Defined) and not is_maker(item.own))
            for item in found
        )

    def _is_held(
        self,
        variable: "Variable",
        given: cst.Name,
        statement: cst.CSTNode,
        is_bound: bool,
        known: Known,
    ) -> bool:
        """Whether a variable that is given is used again, or is not all that has the object."""
        piece, top = self.mention.piece, self.mention.top
        here = replace(variable, name=given.value, piece=piece, statement=statement, top=top)
        if here.function is None:
            return self._is_held_by_module(given.value, statement, is_bound)
        if not here.is_own or here.has_other_names:
            return True
        if not is_bound and (here.is_read_later or self._is_given_again(here)):
            return True
        made = (item.value for item in here.origins if isinstance(item.value, cst.Call))
        others = (item for item in made if not any(is_name(i.value, here.name) for i in item.args))
        if any(map(here.is_shared, here.origins)) or not all(map(self._is_new, others)):
            return True
        key = here.function, here.name
        if not here.is_given or key in known:
            return False
        return any(item.goes_on(here, known | {key}) for item in calls(here))

    def _is_held_by_module(self, name: str, statement: cst.CSTNode, is_bound: bool) -> bool:
        """The same for a variable of the module itself: it may be read again, or kept before."""
        piece, top = self.mention.piece, self.mention.top
        at = piece.index, piece.position(statement)
        own = set(walk(statement))
        for other in top.pieces:
            for node in _nodes(other) if name in other.block.words else ():
                if not is_name(node, name) or node in own or not _is_read(other, node):
                    continue
                is_later = (other.index, other.position(node)) > at
                is_inside = any(isinstance(item, OUTER) for item in _above(other, node))
                is_kept = isinstance(parents(other).get(node), _KEEPING)
                if (not is_bound and (is_later or is_inside)) or (is_kept and not is_later):
                    return True
        rounds = [item for item in self._above if isinstance(item, cst.For | cst.While)]
        return not is_bound and any(name not in _stored_in(item) for item in rounds)

    def _is_given_again(self, here: "Variable") -> bool:
        """Whether the same object is given in each round of a loop around the call."""
        for above in self._above:
            match above:
                case cst.For() | cst.While() if here.name not in _stored_in(above):
                    return True
                case cst.BaseComp() | cst.Lambda():
                    return True
                case cst.FunctionDef():
                    return False
        return False

    def _is_one_of_several(self, given: cst.BaseExpression) -> bool:
        """Whether the object comes from a loop over several, which others go on with."""
        for above in self._above:
            match above:
                case cst.For(target=target):
                    found = [target]
                case cst.BaseSimpleComp(for_in=clause) | cst.DictComp(for_in=clause):
                    found = [item.target for item in walk(clause) if isinstance(item, cst.CompFor)]
                case cst.FunctionDef() | cst.Lambda():
                    return False
                case _:
                    continue
            if any(item.deep_equals(given) for target in found for item in walk(target)):
                return True
        return False

    def _is_named_beside(
        self,
        given: cst.BaseExpression,
        statement: cst.CSTNode,
        bound: Sequence[cst.BaseExpression],
    ) -> bool:
        """Whether the same statement uses the object in another place than this call."""
        inside = {item for node in (self.node, *bound) for item in walk(node)}
        others = (item for item in walk(statement) if item not in inside)
        return any(type(item) is type(given) and item.deep_equals(given) for item in others)

    @property
    def _statement(self) -> cst.CSTNode | None:
        kinds = (cst.BaseSmallStatement, cst.BaseCompoundStatement)
        return next((item for item in self._above if isinstance(item, kinds)), None)

    def _given(self, variable: "Variable") -> cst.BaseExpression | None:
        """What a parameter gets."""
        assert variable.function is not None
        index = list(parameter_names(variable.function)).index(variable.name)
        bound = isinstance(self.node.func, cst.Attribute) and _is_method(variable)
        if bound and index == 0 and isinstance(self.node.func, cst.Attribute):
            return self.node.func.value
        for position, item in enumerate(self.node.args):
            if item.star:
                return None
            if item.keyword is not None and item.keyword.value == variable.name:
                return item.value
            if item.keyword is None and position == index - bound:
                return item.value
        return None


def _is_read(piece: Piece, node: cst.CSTNode) -> bool:
    """Whether a name is no target and no keyword."""
    match parents(piece).get(node):
        case cst.AssignTarget() | cst.Param():
            return False
        case cst.AnnAssign(target=target) | cst.For(target=target) | cst.CompFor(target=target):
            return target is not node
        case cst.Arg(keyword=keyword):
            return keyword is not node
        case cst.Attribute(attr=attribute):
            return attribute is not node
    return True


def _stored_in(loop: cst.CSTNode) -> frozenset[str]:
    """The names that statements of a loop bind."""
    found = (target for node in walk(loop) for target in targets(node))
    return frozenset(item.value for item in found if isinstance(item, cst.Name))


def _is_method(variable: "Variable") -> bool:
    outer = [node for node in variable.around if isinstance(node, OUTER)]
    return len(outer) > 1 and isinstance(outer[1], cst.ClassDef)


def _calls(variable: "Variable") -> Iterator[Call]:
    for mention in _mentions(variable):
        for node in _nodes(mention.piece):
            if isinstance(node, cst.Call) and mention.means(node.func, variable):
                yield Call(node, mention)


def _expected(variable: "Variable") -> Iterator[str]:
    """The lines that count on an error."""
    for item in calls(variable):
        if item.is_caught:
            yield item.where
    for mention in _mentions(variable):
        if _EXPECTING & mention.piece.block.words:
            for node in _nodes(mention.piece):
                if isinstance(node, cst.Call) and _is_expecting(node):
                    if any(mention.means(item.value, variable) for item in node.args):
                        yield mention.where(node)


def _is_expecting(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Call) and last_part(node.func) in _EXPECTING


def _above(piece: Piece, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    known = parents(piece)
    above = known.get(node)
    while above is not None:
        yield above
        above = known.get(above)
