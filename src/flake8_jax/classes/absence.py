"""What the expressions of a method say of the attributes of self: which, stored, or absent.

An attribute is absent if it is missing, or holds None or a marker. Where its name is in a variable,
it goes by the name of the variable. An entry of a table that an attribute holds goes by both:
``_memo[<key>]``.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from flake8_jax.classes.table import class_of
from flake8_jax.classes.walks import is_var, last_name
from flake8_jax.lowering.program import (
    Attr,
    Bind,
    Call,
    Closure,
    Const,
    Define,
    Expr,
    Home,
    Item,
    New,
    NewDict,
    Op,
    Opaque,
    Shape,
    Spread,
    Store,
    Unpack,
    Var,
)
from flake8_jax.lowering.stores import (
    Change,
    Form,
    Way,
    Written,
    by_function,
    by_method,
    dictionary_owner,
    written,
)
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.resolve import Expression, Referent, resolve
from flake8_jax.resolution.scopes import Scope

_NONE = frozenset[str]()
_RAW = "builtins.object.__setattr__"
_EQUALITIES = {"is": True, "==": True, "is not": False, "!=": False}
"""Comparisons with a marker for absence, and whether it is absent if they hold."""
_IDENTITIES = frozenset({"is", "is not"})


class Test(NamedTuple):
    """The attributes that are absent if a test passes, and if it fails."""

    passed: frozenset[str] = _NONE
    failed: frozenset[str] = _NONE


class AttributeStore(NamedTuple):
    """An attribute of self gets a value."""

    attribute: str
    value: Expr
    if_missing: bool = False
    """Whether that happens only where there is nothing: ``setdefault``."""
    key: Expr | None = None
    """Under which key of a table that is, if it is an entry of one."""


@dataclass
class Self:
    """An object under the name that a function has for it, and what variables hold of it."""

    name: str
    scope: Scope
    """That of the body of the function."""
    aliases: dict[str, str] = field(default_factory=dict)
    """Variables that hold the value of an attribute."""
    answers: dict[str, Test] = field(default_factory=dict)
    """Variables that hold the outcome of a test."""
    dictionaries: set[str] = field(default_factory=set)
    """Variables that hold the dict of the attributes."""

    def attribute(self, node: object) -> str | None:
        """The attribute whose value an expression is, however it is spelled."""
        match node:
            case Attr(base=base, name=name):
                return name if is_var(base, self.name) else None
            case Item(base=base, key=key):
                return self._entry(base, key)
            case Var(name=name):
                return self.aliases.get(name)
            case Bind(value=value):
                return self.attribute(value)
            case Call(args=args) if args and not any(isinstance(a, Spread) for a in args):
                return self._read(node, args)
        return None

    def _read(self, call: Call, args: tuple[Expr, ...]) -> str | None:
        match call.callee:
            case Var(name="getattr") if len(args) > 1:
                return _key(args[1]) if is_var(args[0], self.name) else None
            case Attr(name="__getattribute__"):
                is_own = len(args) == 1 or is_var(args[0], self.name)
                return _key(args[-1]) if is_own else None
            case Attr(base=base, name="get"):
                return self._entry(base, args[0])
        return None

    def _entry(self, base: Expr, key: Expr) -> str | None:
        """The attribute, or the entry of a table that an attribute holds, that has a key."""
        if self.is_dictionary(base):
            return _key(key)
        table, name = self.attribute(base), _entry_key(key)
        return f"{table}[{name}]" if table is not None and name is not None else None

    def is_dictionary(self, node: Expr) -> bool:
        """Whether an expression is the dict of the attributes."""
        if isinstance(node, Var):
            return node.name in self.dictionaries
        return is_var(dictionary_owner(node), self.name)

    def note(self, node: object) -> None:
        """Note what a statement or expression makes variables hold."""
        for item in in_scope(node):
            if isinstance(item, Bind):
                self._bind(item.target, item.value)
            elif isinstance(item, Store):
                for target in item.targets:
                    self._bind(target, item.value)

    def _bind(self, target: object, value: Expr) -> None:
        if not isinstance(target, Var):
            return
        is_dictionary, attribute = self.is_dictionary(value), self.attribute(value)
        answer = self.test(value) if attribute is None else Test()
        self.aliases.pop(target.name, None)
        self.answers.pop(target.name, None)
        self.dictionaries.discard(target.name)
        if is_dictionary:
            self.dictionaries.add(target.name)
        elif attribute is not None:
            self.aliases[target.name] = attribute
        elif answer != Test():
            self.answers[target.name] = answer

    def test(self, node: Expr) -> Test:
        """What a test tells of attributes; of several that are combined, what each tells."""
        match node:
            case Var(name=name) if name in self.answers:
                return self.answers[name]
            case Bind(value=value) if self.attribute(value) is None:
                return self.test(value)
            case Op(symbol="not", operands=(inner,)):
                found = self.test(inner)
                return Test(found.failed, found.passed)
            case Op(symbol="and" | "or", operands=operands):
                tests = [self.test(item) for item in operands]
                return Test(
                    _NONE.union(*(item.passed for item in tests)),
                    _NONE.union(*(item.failed for item in tests)),
                )
            case Op(symbol=symbol, operands=(left, right)):
                return self._comparison(symbol, left, right)
            case Call(callee=Var(name="hasattr"), args=(owner, name)):
                return Test(failed=_one(_key(name) if is_var(owner, self.name) else None))
            case Call(callee=Var(name="bool"), args=(inner,)):
                return self.test(inner)
        return Test(failed=_one(self.attribute(node)))

    def _comparison(self, symbol: str, left: Expr, right: Expr) -> Test:
        if symbol in ("in", "not in"):
            names = _one(self._entry(_of_keys(right), left))
            return Test(failed=names) if symbol == "in" else Test(passed=names)
        if symbol not in _EQUALITIES:
            return Test()
        names = _NONE
        for one, other in ((right, left), (left, right)):
            attribute = self.attribute(one)
            if attribute is not None and self._is_marker(other, symbol):
                names = frozenset({attribute})
        return Test(passed=names) if _EQUALITIES[symbol] else Test(failed=names)

    def _is_marker(self, node: Expr, symbol: str) -> bool:
        """Whether something is None or, by identity, a marker: ``...``, a constant, an object."""
        match node:
            case Const(value=None):
                return True
            case Const(value=Opaque.ELLIPSIS):
                return symbol in _IDENTITIES
            case Var(name=name) | Attr(name=name) if symbol in _IDENTITIES:
                return name.isupper() or all(map(_is_bare, resolve(self.scope, node)))
        return False

    def stores(self, statement: object) -> Iterator[AttributeStore]:
        """The attributes that a statement itself stores, and the calls in it."""
        if isinstance(statement, Store):
            for target in statement.targets:
                yield from self._targets(target, statement.value)
        for node in in_scope(statement):
            if isinstance(node, Call):
                yield from self._stored_by(node)

    def _targets(self, target: object, value: Expr) -> Iterator[AttributeStore]:
        if isinstance(target, Unpack):
            parts = value.parts if isinstance(value, New) else ()
            is_same = target.star is None and len(parts) == len(target.targets)
            for index, item in enumerate(target.targets):
                yield from self._targets(item, parts[index] if is_same else value)
        elif isinstance(target, Attr | Item):
            attribute = self.attribute(target)
            if attribute is not None:
                key = target.key if isinstance(target, Item) else None
                yield AttributeStore(attribute, value, key=key)

    def _stored_by(self, call: Call) -> Iterator[AttributeStore]:
        """What a call stores: ``setattr``, ``object.__setattr__``, the methods of the dict."""
        way = self._way(call)
        found = written(call, way) if way is not None else None
        if way is None or found is None or way.change is Change.REMOVE:
            return
        if way.form is Form.ATTRIBUTE:
            is_own = is_var(found.target, self.name) or _is_super(found.target)
        else:
            is_own = way.form is Form.ITEM and self.is_dictionary(found.target)
        if not is_own:
            yield from self._added(way, found)
            return
        if way.key is None:
            yield from self._updated(call)
        attribute = _key(found.key) if found.key is not None else None
        if attribute is not None and found.values:
            yield AttributeStore(attribute, found.values[0], way.change is Change.ADD)

    def _added(self, way: Way, found: Written) -> Iterator[AttributeStore]:
        """The entry of a table that an attribute holds."""
        if way.form is Form.ITEM and found.key is not None and found.values:
            entry = self._entry(found.target, found.key)
            if entry is not None:
                is_added = way.change is Change.ADD
                yield AttributeStore(entry, found.values[0], is_added, found.key)

    def _way(self, call: Call) -> Way | None:
        name = last_name(call.callee)
        if name == "__setattr__" and len(call.args) > 2:
            return by_function(_RAW, call)
        if isinstance(call.callee, Var) and call.callee.home is not Home.GLOBAL:
            return None
        for referent in resolve(self.scope, call.callee):
            if isinstance(referent, External):
                return by_function(referent.dotted, call)
        return by_method(name) if name is not None and isinstance(call.callee, Attr) else None

    def _updated(self, call: Call) -> Iterator[AttributeStore]:
        """What ``update(name=value)`` and ``update({"name": value})`` store."""
        for name, value in call.keywords:
            if name is not None:
                yield AttributeStore(name, value)
        for argument in call.args:
            if isinstance(argument, NewDict):
                for key, value in zip(argument.keys, argument.values, strict=True):
                    attribute = _key(key) if key is not None else None
                    if attribute is not None:
                        yield AttributeStore(attribute, value)


def in_scope(node: object) -> Iterator[object]:
    """A node and all below it that is evaluated in its scope, in order."""
    stack = [node]
    while stack:
        here = stack.pop()
        if isinstance(here, tuple) and not isinstance(here, Closure | Define):
            if type(here) is not tuple:
                yield here
            stack += reversed(here)


def _key(node: Expr) -> str | None:
    """The name of an attribute, written down or in a variable."""
    if isinstance(node, Const):
        return node.value if isinstance(node.value, str) else None
    return f"<{node.name}>" if isinstance(node, Var) else None


def _entry_key(node: Expr) -> str | None:
    """What an entry of a table goes by."""
    match node:
        case Const(value=str() | int() as value):
            return repr(value)
        case Var(name=name):
            return f"<{name}>"
        case New(shape=Shape.TUPLE, parts=parts):
            names = [_entry_key(item) for item in parts]
            return f"({', '.join(map(str, names))})" if None not in names else None
    return None


def _one(name: str | None) -> frozenset[str]:
    return frozenset({name}) if name is not None else _NONE


def _of_keys(node: Expr) -> Expr:
    """``d`` of ``d.keys()``."""
    match node:
        case Call(callee=Attr(base=base, name="keys"), args=()):
            return base
    return node


def _is_super(node: Expr) -> bool:
    return isinstance(node, Call) and is_var(node.callee, "super")


def _is_bare(referent: Referent) -> bool:
    """Whether something is a class, or ``object()``: good for nothing but a comparison."""
    match referent:
        case Expression(expr=Call(callee=Var(name="object"), args=())):
            return True
    return class_of(referent) is not None
