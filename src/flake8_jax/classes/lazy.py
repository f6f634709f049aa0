"""Hand-made caches: a method that tests whether an attribute is there, and stores it if not.

The walk keeps the attributes that are known to be absent at each point: after ``if self._c is
None``, in the handler of the ``AttributeError`` that reading it raised, after the early return of
the value. A store to an absent attribute fills a cache; all other stores are something else.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from flake8_jax.classes.absence import AttributeStore, Self, in_scope
from flake8_jax.classes.caches import is_instance_method, non_pytree_ancestors
from flake8_jax.classes.construction import called_in_construction
from flake8_jax.classes.layout import Routine, may_hold_arrays, routine
from flake8_jax.classes.markers import Registration
from flake8_jax.classes.registration import pytrees, registration
from flake8_jax.classes.table import ClassInfo
from flake8_jax.classes.walks import first_parameter, is_var, last_name, stores
from flake8_jax.knowledge.objects import CONSTRUCTION
from flake8_jax.lowering.program import (
    Attr,
    Body,
    Branch,
    Call,
    Capture,
    Choice,
    Closure,
    Const,
    Define,
    Equals,
    Expr,
    For,
    Function,
    Item,
    Jump,
    Kind,
    Match,
    New,
    NewDict,
    Op,
    Raise,
    Return,
    Shape,
    Store,
    Try,
    Var,
    While,
    With,
)
from flake8_jax.lowering.walk import flat, walk
from flake8_jax.resolution.modules import Module
from flake8_jax.resolution.resolve import definition
from flake8_jax.resolution.scopes import Position

_ABSENCE_ERRORS = frozenset({"AttributeError", "KeyError", "LookupError", "Exception"})
_TESTS = (Branch, While, With, Try, Match, Choice)
_BLOCKS = (Branch, While, For, With, Try, Match, Define)
_BOOLEAN = frozenset({"and", "or"})
_ANY = "*"
"""Stands for all attributes: ``__getattr__`` runs only for those that are absent."""

_Absent: TypeAlias = frozenset[str]
_End: TypeAlias = frozenset[str] | None
"""What is absent at the end of a block; None where no way leads to."""


class LazyStore(NamedTuple):
    """The place where a hand-made cache is filled."""

    attribute: str
    owner: ClassInfo
    """The class whose body has the method."""
    method: str
    """The method that tests whether the attribute is there."""
    function: Routine
    """The function in which the value stands."""
    value: Expr
    position: Position

    @property
    def field(self) -> str:
        """The attribute of the object in which the cache is."""
        return self.attribute.partition("[")[0]

    @property
    def is_entry(self) -> bool:
        """Whether the cache is a table that an attribute holds."""
        return self.field != self.attribute


class PytreeLazyStore(NamedTuple):
    """A hand-made cache of a pytree class, or one that it inherits from a class that is none."""

    info: ClassInfo
    registration: Registration
    store: LazyStore

    @property
    def is_inherited(self) -> bool:
        """Whether another class has the method."""
        return self.store.owner is not self.info


def pytree_lazy_stores(module: Module) -> Iterator[PytreeLazyStore]:
    """The hand-made caches of the pytree classes of a module."""
    for info in pytrees(module):
        made = registration(info)
        if made is None or not may_hold_arrays(info, made):
            continue
        open_ = non_pytree_ancestors(info) | {info}
        hidden: set[str] = set()
        for owner in info.mro:
            for store in lazy_stores(owner) if owner in open_ else ():
                if store.method not in hidden:
                    yield PytreeLazyStore(info, made, store)
            hidden |= {*owner.bound}


def lazy_stores(info: ClassInfo) -> tuple[LazyStore, ...]:
    """The stores that fill hand-made caches in the methods of a class body.

    Where the class has a function or a property of that name, nothing is kept under it.
    """
    return info.once(lazy_stores, lambda: tuple(_lazy_stores(info)))


def _lazy_stores(info: ClassInfo) -> Iterator[LazyStore]:
    constructing = CONSTRUCTION | called_in_construction(info)
    for name, own in info.methods.items():
        if name in constructing or not is_instance_method(own):
            continue
        found = routine(own)
        owner = first_parameter(found.function)
        if owner is None or not _may_test(found.function):
            continue
        if not _returns_only(found.function, owner):
            stored = _Method(info, found, owner).stores()
            yield from (item for item in stored if info.method(item.attribute) is None)


def _may_test(function: Function) -> bool:
    """Whether a method may do something only if an attribute is not there yet."""
    return function.name == "__getattr__" or any(
        isinstance(node, _TESTS)
        or (isinstance(node, Op) and node.symbol in _BOOLEAN)
        or (isinstance(node, Attr) and node.name == "setdefault")
        for node in walk(function.body)
    )


def _returns_only(function: Function, owner: str) -> bool:
    """Whether a method hands back self and nothing else: then what it stores is not lost."""
    results = [item.value for item in _statements(function) if isinstance(item, Return)]
    return bool(results) and all(is_var(item, owner) for item in results)


class _Method:
    """A walk through a method."""

    def __init__(self, info: ClassInfo, own: Routine, owner: str) -> None:
        self._info, self._own = info, own
        self._self = Self(owner, own.inside)
        self._given = frozenset(_handed_in(own.function, {owner}))
        self._functions = _functions(own.function)
        self._found: dict[tuple[int, str], LazyStore] = {}
        self._changed: set[str] = set()
        """The attributes that are also stored while they are there: state, and no cache."""

    def stores(self) -> list[LazyStore]:
        """The stores that fill hand-made caches, in the order of the walk."""
        is_any = self._own.function.name == "__getattr__"
        self._block(self._own.function.body, frozenset({_ANY} if is_any else ()))
        return [item for item in self._found.values() if item.attribute not in self._changed]

    def _block(self, body: Sequence[object], absent: _End) -> _End:
        for statement in body:
            if absent is None:
                return None
            absent = self._statement(statement, absent)
        return absent

    def _statement(self, statement: object, absent: _Absent) -> _End:
        if isinstance(statement, Branch):
            return self._branch(statement, absent)
        if isinstance(statement, While):
            end = self._branch(Branch(statement.test, statement.body, ()), absent)
            return self._block(statement.orelse, end)
        if isinstance(statement, For):
            return self._block(statement.orelse, _join(absent, self._block(statement.body, absent)))
        if isinstance(statement, With):
            return self._with(statement, absent)
        if isinstance(statement, Try):
            return self._try(statement, absent)
        if isinstance(statement, Match):
            return self._match(statement, absent)
        if isinstance(statement, Jump):
            return None
        absent = self._simple(statement, absent)
        return None if isinstance(statement, Return | Raise) else absent

    def _branch(self, statement: Branch, absent: _Absent) -> _End:
        self._self.note(statement.test)
        test = self._self.test(statement.test)
        inside = absent - test.failed
        if not self._is_handed_in(statement.then, test.passed):
            inside |= test.passed | self._companions(statement.then, test.passed)
        then = self._block(statement.then, inside)
        rest = absent - test.passed
        if _raises(statement.then):  # then what follows stores it once, and keeps no result
            return _join(then, self._block(statement.orelse, rest))
        orelse = self._block(statement.orelse, rest | test.failed)
        return _join(then - test.passed if then and _raises(statement.orelse) else then, orelse)

    def _companions(self, body: Body, tested: _Absent) -> _Absent:
        """What is stored together with a flag: ``if not self._ready: self._c = …``."""
        stored = {item.attribute for node in body for item in self._self.stores(node)}
        return frozenset(stored) if stored & tested else frozenset()

    def _is_handed_in(self, body: Body, tested: _Absent) -> bool:
        """Whether what is tested is set to what the caller hands in: state, with all beside it."""
        stores = [item for node in body for item in self._self.stores(node)]
        return any(
            item.attribute in tested and self._is_given(item.value, item.key) for item in stores
        )

    def _try(self, statement: Try, absent: _Absent) -> _End:
        read = self._read_in(statement.body)
        end = self._block(statement.body, absent)
        end = self._block(statement.orelse, end)
        for handler in statement.handlers:
            is_absent = _catches_absence(handler.kind) and not _raises(handler.body)
            inside = absent | read if is_absent else absent
            end = _join(end, self._block(handler.body, inside))
        return self._block(statement.final, end)

    def _with(self, statement: With, absent: _Absent) -> _End:
        end = self._block(statement.body, absent)
        if any(_suppresses_absence(context) for context, _ in statement.items):
            return _join(end, absent | self._read_in(statement.body))
        return end

    def _match(self, statement: Match, absent: _Absent) -> _End:
        self._self.note(statement.subject)
        subject = self._self.attribute(statement.subject)
        end: _End = None
        for case in statement.cases:
            is_none = case.pattern == Equals(Const(None))
            inside = absent | {subject} if subject is not None and is_none else absent
            end = _join(end, self._block(case.body, inside))
            if isinstance(case.pattern, Capture) and case.pattern.inner is None:
                if case.guard is None:
                    return end
        return _join(end, absent)

    def _simple(self, statement: object, absent: _Absent) -> _Absent:
        self._self.note(statement)
        at = getattr(statement, "span", 0)
        for item in self._self.stores(statement):
            is_absent = self._is_absent(item, absent)
            if is_absent and item.value != Const(None):
                absent -= {item.attribute}
                if not self._is_given(item.value, item.key) and not _is_empty(item.value):
                    self._add(item.attribute, self._own, item.value, at)
            elif not is_absent:
                self._changed.add(item.attribute)
            setter = self._setter(item.attribute) if absent else None
            if setter is not None:
                self._fill(setter, (item.value,), absent, at)
        for call, missing in self._calls(statement, absent):
            filler = self._filler(call)
            if filler is not None and filler.function is not self._own.function:
                self._fill(filler, call.args, missing, None)
        return absent

    def _is_absent(self, item: AttributeStore, absent: _Absent) -> bool:
        table = item.attribute.partition("[")[0]
        if not absent.isdisjoint((item.attribute, table, _ANY)) or item.if_missing:
            return True
        return self._tests_itself(item.value, item.attribute)

    def _tests_itself(self, value: Expr, attribute: str) -> bool:
        """``self._c = self._c or …`` and ``self._c = … if self._c is None else self._c``."""
        match value:
            case Op(symbol="or", operands=(first, *_)):
                return self._self.attribute(first) == attribute
            case Choice(test=test, then=then, orelse=orelse):
                found = self._self.test(test)
                return any(
                    attribute in names and self._self.attribute(node) == attribute
                    for names, node in ((found.passed, orelse), (found.failed, then))
                )
        return False

    def _add(self, attribute: str, home: Routine, value: Expr, span: int) -> None:
        name, index = self._own.function.name, self._info.definition.position[0]
        found = LazyStore(attribute, self._info, name, home, value, (index, span))
        self._found.setdefault((span, attribute), found)

    def _is_given(self, value: Expr, key: Expr | None = None) -> bool:
        """Whether a value is made of what the caller hands in: then it is no cache of self.

        What calling a function gives that the caller hands in, as in ``compute()``, is one. What
        an entry of a table is found by may be handed in.
        """
        nodes: object = value
        if isinstance(value, Call) and isinstance(value.callee, Var):
            nodes = (value.args, value.keywords)
        given = self._given if key is None else self._given_beside(key)
        return any(isinstance(item, Var) and item.name in given for item in walk(nodes))

    def _given_beside(self, key: Expr) -> frozenset[str]:
        """What callers hand in besides a key of a table."""
        known = {item.name for item in walk(key) if isinstance(item, Var)}
        for store in stores(self._own.function.body):
            if any(isinstance(item, Var) and item.name in known for item in store.targets):
                known |= {item.name for item in walk(store.value) if isinstance(item, Var)}
        return frozenset(_handed_in(self._own.function, {self._self.name, *known}))

    def _calls(self, node: object, absent: _Absent) -> Iterator[tuple[Call, _Absent]]:
        """The calls in a statement, and what is absent where they are made."""
        stack: list[tuple[object, _Absent]] = [(node, absent)]
        while stack:
            here, missing = stack.pop()
            match here:
                case Closure() | Define():
                    continue
                case Choice(test=question, then=then, orelse=orelse):
                    test = self._self.test(question)
                    stack.append((orelse, missing - test.passed | test.failed))
                    stack.append((then, missing - test.failed | test.passed))
                    stack.append((question, missing))
                case Op(symbol="and" | "or" as symbol, operands=(first, *others)):
                    test = self._self.test(first)
                    then_absent = test.failed if symbol == "or" else test.passed
                    stack += [(item, missing | then_absent) for item in reversed(others)]
                    stack.append((first, missing))
                case tuple():
                    if isinstance(here, Call) and missing:
                        yield here, missing
                    stack += [(item, missing) for item in reversed(here)]

    def _filler(self, call: Call) -> Routine | None:
        """The method of self, or the function inside of this one, that a call runs."""
        match call.callee:
            case Attr(base=base, name=name) if is_var(base, self._self.name):
                own = self._info.methods.get(name)
                return routine(own) if own is not None else None
            case Var(name=name) if name in self._functions:
                place = (self._info.definition.position[0], self._functions[name].span)
                return routine(definition(self._own.inside, self._functions[name], place))
        return None

    def _fill(
        self, filler: Routine, given: Sequence[Expr], absent: _Absent, anchor: int | None
    ) -> None:
        """Note what a method, or a function inside of this one, stores of what is absent."""
        function = filler.function
        names = [
            item.name for item in function.parameters if item.kind in (Kind.POSITIONAL, Kind.NORMAL)
        ]
        is_inside = any(item.made is function for item in self._functions.values())
        owner = self._self.name if is_inside else next(iter(names), None)
        if owner is None:
            return
        handed = dict(zip(names if is_inside else names[1:], given, strict=False))
        within = Self(owner, filler.inside)
        for statement in _statements(function):
            if isinstance(statement, _BLOCKS):
                continue
            within.note(statement)
            for item in within.stores(statement):
                name = item.value.name if isinstance(item.value, Var) else ""
                value = handed.get(name, item.value)
                if item.attribute not in absent or value == Const(None):
                    continue
                is_own = value is item.value
                if (is_own or not self._is_given(value)) and not _is_empty(value):
                    span = anchor if anchor is not None else getattr(statement, "span", 0)
                    self._add(item.attribute, filler if is_own else self._own, value, span)

    def _setter(self, name: str) -> Routine | None:
        """The function that runs when an attribute is assigned, where it is such a property."""
        for item in self._info.body:
            if isinstance(item, Define) and item.target.name == name:
                if any(isinstance(d, Attr) and d.name == "setter" for d in item.decorators):
                    place = (self._info.definition.position[0], item.span)
                    return routine(definition(self._info.inside, item, place))
        return None

    def _read_in(self, body: Body) -> _Absent:
        """The attributes whose reading in a block may raise because they are absent."""
        nodes = [*in_scope(body)]
        stored = [target for node in nodes if isinstance(node, Store) for target in node.targets]
        found = (
            self._self.attribute(node)
            for node in nodes
            if isinstance(node, Call | Attr | Item) and not any(node is target for target in stored)
        )
        return frozenset(name for name in found if name is not None)


def _join(one: _End, other: _End) -> _End:
    if one is None or other is None:
        return one if other is None else other
    return one & other


def _statements(function: Function) -> Iterator[object]:
    """The statements of a function; narrowing the union of all takes mypy minutes."""
    return flat(function.body)


def _functions(function: Function) -> Mapping[str, Define]:
    """The functions inside of one."""
    inside = (item for item in _statements(function) if isinstance(item, Define))
    return {item.target.name: item for item in inside if isinstance(item.made, Function)}


def _handed_in(function: Function, besides: set[str]) -> Iterator[str]:
    """The names of what callers have to hand in besides some, and of what is computed from that."""
    found = {
        item.name
        for item in function.parameters
        if item.kind not in (Kind.STAR, Kind.STARS) and item.default in (None, Const(None))
    } - besides
    yield from found
    for store in stores(function.body) if found else ():
        named = {item.name for item in walk(store.value) if isinstance(item, Var)}
        if not found.isdisjoint(named):
            targets = {item.name for item in store.targets if isinstance(item, Var)}
            found |= targets
            yield from targets


def _is_empty(value: Expr) -> bool:
    """Whether a value is a new container with nothing in it yet: it is not computed of anything."""
    match value:
        case New(shape=Shape.LIST, parts=()) | NewDict(keys=()):
            return True
        case Call(callee=callee, args=(), keywords=()):
            return last_name(callee) in _CONTAINERS
    return False


_CONTAINERS = frozenset({"list", "dict", "set", "OrderedDict", "deque"})


def _raises(body: Body) -> bool:
    """Whether the last thing that a block does is to raise."""
    return bool(body) and isinstance(body[-1], Raise)


def _catches_absence(kind: Expr | None) -> bool:
    """Whether a handler runs if an attribute or key is missing."""
    match kind:
        case None:
            return True
        case New(parts=parts):
            return any(map(_catches_absence, parts))
        case Var(name=name):
            return name in _ABSENCE_ERRORS
    return False


def _suppresses_absence(context: Expr) -> bool:
    if not isinstance(context, Call) or last_name(context.callee) != "suppress":
        return False
    return any(map(_catches_absence, context.args))
