"""Whether a name can be bound to a changed copy in the place where its object was to be changed.

Binding the name does what the change was meant to do only if all who are to see the change look at
the name: the object has no other name, it is no part of something else, and it is used later on.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import takewhile

import libcst as cst

from flake8_jax.fixes.keeping import Keeping, is_holder, keeping, kept_inside
from flake8_jax.fixes.names import Defined, Referent, Valued
from flake8_jax.fixes.pieces import Piece
from flake8_jax.fixes.targets import targets
from flake8_jax.fixes.variables import OUTER, Local, Origin, Source
from flake8_jax.knowledge.objects import SHALLOW_METHODS
from flake8_jax.syntax import children, is_name, parameter_names, walk

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
_STEPS = (cst.Attribute, cst.Subscript)
"""Expressions that lead from an object to a part of it."""
_STORED = (cst.Attribute, cst.Name, cst.Subscript)
"""Expressions that give what stands somewhere already."""
_STORES = (cst.AsName, cst.AssignTarget, cst.Del, cst.NameItem, cst.Param)


class Use(Enum):
    """What becomes of a name's value where the name is read."""

    READ = "it is computed with"
    RETURNED = "it comes out of the function"
    YIELDED = "it comes out while the function goes on"
    RESULT = "something that is computed from it comes out"
    KEPT = "it gets another name, or a place in something"


@dataclass(frozen=True, eq=False)
class Variable(Local):
    """A name at a statement that is to bind it."""

    @cached_property
    def _order(self) -> dict[cst.CSTNode, int]:
        function = self.function
        assert function is not None
        return self.shared("order", lambda: {n: i for i, n in enumerate(walk(function.body))})

    @cached_property
    def _repeated(self) -> frozenset[cst.CSTNode]:
        """All that may run before the statement and after it, because a loop holds them both."""
        inside: list[cst.CSTNode] = []
        for node in self.around:
            if isinstance(node, OUTER):
                break
            if isinstance(node, cst.For | cst.While):
                inside = list(walk(node))
        return frozenset(inside)

    @property
    def uses(self) -> tuple[tuple[cst.Name, Use], ...]:
        """Where the function reads the name."""
        return self.shared("uses", lambda: tuple(self._uses()))

    def _uses(self) -> Iterator[tuple[cst.Name, Use]]:
        assert self.function is not None
        for node in walk(self.function.body):
            if isinstance(node, cst.Name) and node.value == self.name:
                if (use := self._use(node)) is not None:
                    yield node, use

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
                    is_held, is_part = below is not node, below is node
                case cst.Call(func=func):
                    if is_held and below is not func:
                        if self._kept_by(above, node) is Keeping.SURE:
                            return Use.KEPT
                    is_held = False
                case cst.Return() if not is_part:
                    return Use.RETURNED if is_held else Use.RESULT
                case cst.Yield() if not is_part:
                    return Use.YIELDED if is_held else Use.RESULT
                case cst.Return() | cst.Yield():
                    return Use.READ
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

    def _kept_by(self, call: cst.Call, node: cst.Name) -> Keeping:
        """Whether a call keeps the object that is given to it, itself or in a container."""
        if is_holder(call.func):
            return Keeping.SURE
        above = self._parents.get(call)
        above = self._parents.get(above) if isinstance(above, cst.Await) else above
        is_alone = isinstance(above, cst.Expr)
        is_bound = isinstance(above, cst.Assign) and _is_only(targets(above), self.name)
        found = [Keeping.NONE]
        is_itself = any(item.value is node and item.keyword is None for item in call.args)
        for referent in self.names.refer(call.func):
            known = keeping(call.func, referent, self.names, is_alone, is_itself)
            name = _parameter(referent, call, node) if known is not Keeping.NONE else None
            if name is not None and isinstance(referent, Defined):
                known = kept_inside(referent.own, name, is_alone or is_bound)
            found.append(known)
        return max(found)

    @cached_property
    def _parts(self) -> frozenset[cst.CSTNode]:
        return frozenset(walk(self.statement))

    def is_before(self, node: cst.CSTNode) -> bool:
        """Whether something of the function may run before the statement."""
        before = self._order[node] < self._order[self.statement]
        return before or node in self._repeated or node in self._parts

    def _is_after(self, node: cst.CSTNode) -> bool:
        after = self._order[node] > self._order[self.statement]
        return node not in self._parts and (after or node in self._repeated)

    @property
    def has_other_names(self) -> bool:
        """Whether the object is kept somewhere before the statement."""
        return self.kept_at is not None

    @property
    def kept_at(self) -> cst.Name | None:
        """Where the object is kept by something else before the statement."""
        elsewhere = (Use.KEPT, Use.YIELDED)
        found = (n for n, use in self.uses if use in elsewhere and self.is_before(n))
        return next(found, None)

    @property
    def members_before(self) -> Iterator[tuple[str, bool]]:
        """The attributes of the object that are read before the statement, and if it is to call."""
        for node, _ in self.uses:
            member, call, *_ = (*self._above(node), None, None)
            if self.is_before(node) and isinstance(member, cst.Attribute):
                yield member.attr.value, isinstance(call, cst.Call) and call.func is member

    @property
    def handed_on_at(self) -> cst.Name | None:
        """Where a function that is not known gets the object before the statement."""
        before = (node for node, _ in self.uses if self.is_before(node))
        return next((node for node in before if self._is_handed_on(node)), None)

    def _is_handed_on(self, node: cst.Name) -> bool:
        member, call, statement, *_ = (*self._above(node), None, None, None)
        if isinstance(member, cst.Attribute) and isinstance(call, cst.Call):
            if call.func is member and isinstance(statement, cst.Expr):
                return True  # a method that is there for what it does
        below: cst.CSTNode = node
        for above in self._above(node):
            if isinstance(above, cst.Call):
                handed = below is not above.func
                return handed and self._kept_by(above, node) is Keeping.POSSIBLE
            if not isinstance(above, _PASSING):
                return False
            below = above
        return False

    @property
    def is_given(self) -> bool:
        """Whether the caller may have the object."""
        return any(source is Source.PARAMETER for source, _ in self.sources)

    @property
    def is_handed_back(self) -> bool:
        """Whether the object itself comes out after the statement."""
        out = (Use.RETURNED, Use.YIELDED)
        return any(use in out and self._is_after(node) for node, use in self.uses)

    @property
    def label(self) -> str:
        """The name of the function."""
        return self.function.name.value if self.function is not None else ""

    @property
    def is_wrapped(self) -> bool:
        """Whether a decorator of the project may make something else of the function."""
        function = self.function
        assert function is not None
        names = self.top
        for node in self.around[self.around.index(function) + 1 :]:
            if isinstance(node, cst.FunctionDef | cst.ClassDef):
                names = self.top.inside(node, self.piece)
                break
        return any(not names.applied(item.decorator) for item in function.decorators)

    def another(self, attribute: str) -> str | None:
        """Another parameter that may be the same object, and whose attribute is read later."""
        own = self.parameter if self.is_given else None
        if own is None:
            return None
        for several in self._several:
            if any(self._is_after(node) for node, _ in replace(self, name=several).uses):
                return several
        for name in sorted(self.top.module.binding):
            if self._is_object(name) and self._shows(name, attribute, False):
                return name
        for other in (item for item in self.parameters if item is not own):
            if self._shows(other.name.value, attribute, _are_alike(own, other)):
                return other.name.value
        return None

    @property
    def _several(self) -> Iterator[str]:
        """The parameters that take any number of arguments."""
        assert self.function is not None
        params = self.function.params
        for item in (params.star_arg, params.star_kwarg):
            if isinstance(item, cst.Param):
                yield item.name.value

    def _is_object(self, name: str) -> bool:
        """Whether a name of the module, which the function reads, may have an object."""
        assert self.function is not None
        words = self.shared("words", lambda: _names(self.function))
        return (
            name in words
            and name not in self._bound
            and any(isinstance(item, Valued) for item in self.top.refer(cst.Name(name)))
        )

    def _shows(self, other: str, attribute: str, is_alike: bool) -> bool:
        """Whether a name is used later for an attribute, or comes out as one that is alike."""
        for node, use in replace(self, name=other).uses:
            if not self._is_after(node):
                continue
            steps = list(takewhile(lambda item: isinstance(item, _STEPS), self._above(node)))
            if any(isinstance(i, cst.Attribute) and i.attr.value == attribute for i in steps):
                return True
            if not steps and is_alike and use is not Use.READ:
                return True
        return False

    def is_shared(self, origin: Origin) -> bool:
        """Whether something else has the object that comes from somewhere, and is read later."""
        if origin.source not in (Source.OTHER, Source.PART):
            return False
        value = origin.value
        if origin.source is Source.OTHER and not isinstance(value, cst.Name):
            return True
        if not isinstance(value, _STORED):
            return False
        names = {item.value for item in walk(value) if isinstance(item, cst.Name)} - {self.name}
        others = [replace(self, name=name) for name in names]
        is_alias = origin.source is Source.OTHER
        return any(item.is_read_later or (is_alias and not item.is_own) for item in others)

    @property
    def is_read_later(self) -> bool:
        """Whether the name is used after the statement."""
        return any(self._is_after(node) for node, _ in self.uses)

    @property
    def comes_out(self) -> bool:
        """Whether the object itself is used for a result after the statement."""
        out = (Use.RETURNED, Use.YIELDED, Use.RESULT)
        return any(use in out and self._is_after(node) for node, use in self.uses)


def _parameter(referent: Referent, call: cst.Call, node: cst.Name) -> str | None:
    """The parameter of a function of the project that gets the value of a name."""
    if not isinstance(referent, Defined) or not isinstance(referent.node, cst.FunctionDef):
        return None
    names = list(parameter_names(referent.node))
    for index, item in enumerate(call.args):
        if item.star:
            return None
        if node in walk(item.value):
            if item.keyword is not None:
                return item.keyword.value
            return names[index] if index < len(names) else None
    return None


def _names(function: cst.FunctionDef | None) -> frozenset[str]:
    """The names that a function mentions."""
    found = walk(function.body) if function is not None else ()
    return frozenset(item.value for item in found if isinstance(item, cst.Name))


def _are_alike(one: cst.Param, other: cst.Param) -> bool:
    """Whether two parameters are annotated as the same, so that one object may be both."""
    if one.annotation is None or other.annotation is None:
        return False
    return one.annotation.annotation.deep_equals(other.annotation.annotation)


def _is_only(found: Iterable[cst.BaseExpression], name: str) -> bool:
    """Whether a name is all that is bound."""
    return all(is_name(item, name) for item in found)


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
