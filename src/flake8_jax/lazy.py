"""Hand-made caches: a method that tests whether an attribute is there, and stores it if not.

The walk keeps the attributes that are known to be absent at each point: after ``if self._c is
None``, in the handler of the ``AttributeError`` that reading it raised, after the early return of
the value. A store to an absent attribute fills a cache; all other stores are something else.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import libcst as cst

from flake8_jax.knowledge.objects import CONSTRUCTION
from flake8_jax.model import ModelClass
from flake8_jax.names import refer
from flake8_jax.scopes import Defined, Referent, Valued
from flake8_jax.syntax import (
    SCOPES,
    children,
    first_parameter,
    flat,
    is_name,
    last_part,
    positional,
    statements,
    string_value,
    walk,
    walk_scope,
)

_ABSENCE_ERRORS = frozenset({"AttributeError", "KeyError", "LookupError", "Exception"})
_NOT_SIMPLE = frozenset(
    {
        *(cst.If, cst.While, cst.For, cst.With, cst.Try, cst.TryStar, cst.Match),
        *(cst.FunctionDef, cst.ClassDef),
    }
)
_TESTS = frozenset(
    {
        *(cst.If, cst.While, cst.With, cst.Try, cst.TryStar, cst.Match),
        *(cst.IfExp, cst.BooleanOperation),
    }
)
_ANY = "*"
"""Stands for all attributes: ``__getattr__`` runs only for those that are absent."""


@dataclass(frozen=True, eq=False)
class LazyStore:
    """The place where a hand-made cache is filled."""

    attribute: str
    anchor: cst.CSTNode
    value: cst.BaseExpression
    function: cst.FunctionDef


@dataclass(frozen=True)
class _Test:
    """The attributes that are absent if a test succeeds, and if it fails."""

    passed: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()


def lazy_stores(cls: ModelClass) -> Iterator[LazyStore]:
    """The stores that fill hand-made caches in the methods of a class body."""
    constructing = CONSTRUCTION | called_in_construction(cls)
    for name, function in cls.methods.items():
        owner = first_parameter(function)
        if owner is None or name in constructing or not cls.is_instance_method(function):
            continue
        if _may_test(function) and not _returns_only(function, owner):
            method = _Method(cls, function, owner)
            found = {(item.anchor, item.attribute): item for item in method.stores()}
            yield from (item for item in found.values() if item.attribute not in method.changed)


def absent_fills(cls: ModelClass) -> frozenset[cst.CSTNode]:
    """What belongs to the stores of a class body that happen only while nothing is there yet.

    Other than those of hand-made caches, they may store what callers hand in.
    """
    if absent_fills not in cls.memo:
        anchors = (item.anchor for item in _absent_fills(cls))
        cls.memo[absent_fills] = frozenset(node for anchor in anchors for node in walk(anchor))
    return cast("frozenset[cst.CSTNode]", cls.memo[absent_fills])


def _absent_fills(cls: ModelClass) -> Iterator[LazyStore]:
    for function in cls.methods.values():
        owner = first_parameter(function)
        if owner is not None and cls.is_instance_method(function):
            yield from _Method(cls, function, owner, whatever=True).stores()


def _may_test(function: cst.FunctionDef) -> bool:
    """Whether a method may do something only if an attribute is not there yet."""
    if function.name.value == "__getattr__":
        return True
    return any(type(node) in _TESTS or is_name(node, "setdefault") for node in walk(function.body))


def called_in_construction(cls: ModelClass) -> frozenset[str]:
    """The methods that a constructor calls on self: they are part of construction."""
    if called_in_construction not in cls.memo:
        cls.memo[called_in_construction] = _called_in_construction(cls)
    return cast("frozenset[str]", cls.memo[called_in_construction])


def _called_in_construction(cls: ModelClass) -> frozenset[str]:
    found: set[str] = set()
    names = [*CONSTRUCTION]
    while names:
        name = names.pop()
        for here in cls.lineage:
            for called in _called_on_self(here, name):
                if called not in found and cls.method(called):
                    found.add(called)
                    names.append(called)
    return frozenset(found)


def _called_on_self(cls: ModelClass, name: str) -> tuple[str, ...]:
    """The methods that a method calls on self, or hands self to."""
    key = (_called_on_self, name)
    if key not in cls.memo:
        function = cls.methods.get(name)
        owner = first_parameter(function) if function is not None else None
        found: list[str] = []
        for node in walk(function.body) if function is not None and owner else ():
            if type(node) is cst.Call and type(node.func) is cst.Attribute:
                if type(node.func.value) is cst.Name:
                    given = [item.value for item in node.args[:1]]
                    if any(is_name(item, owner or "") for item in (node.func.value, *given)):
                        found.append(node.func.attr.value)
        cls.memo[key] = tuple(found)
    return cast("tuple[str, ...]", cls.memo[key])


def _returns_only(function: cst.FunctionDef, owner: str) -> bool:
    """Whether a method hands back self and nothing else: then what it stores is not lost."""
    results = [item.value for item in flat(function.body) if isinstance(item, cst.Return)]
    return bool(results) and all(is_name(item, owner) for item in results)


@dataclass
class _Method:
    cls: ModelClass
    function: cst.FunctionDef
    owner: str
    aliases: dict[str, str] = field(default_factory=dict)
    """Local names that hold the value of an attribute."""
    answers: dict[str, _Test] = field(default_factory=dict)
    """Local names that hold the outcome of a test."""
    dictionaries: set[str] = field(default_factory=set)
    """Local names of the instance's ``__dict__``."""
    changed: set[str] = field(default_factory=set)
    """The attributes that are also stored while they are there: state, and no cache."""
    whatever: bool = False
    """Whether it does not matter that the caller hands in what is stored."""

    def stores(self) -> Iterator[LazyStore]:
        absent = {_ANY} if self.function.name.value == "__getattr__" else set[str]()
        yield from self._block(statements(self.function.body), absent)

    def _block(self, body: Iterable[cst.CSTNode], absent: set[str]) -> Iterator[LazyStore]:
        """Walk a block; ``absent`` is changed to what is absent at its end."""
        for statement in body:
            if type(statement) not in _NOT_SIMPLE:
                yield from self._simple(statement, absent)
                continue
            match statement:
                case cst.If() | cst.While():
                    yield from self._branches(statement, absent)
                case cst.Try() | cst.TryStar():
                    yield from self._try(statement, absent)
                case cst.With():
                    yield from self._with(statement, absent)
                case cst.For():
                    yield from self._block(statements(statement.body), absent)
                    if statement.orelse is not None:
                        yield from self._block(statements(statement.orelse.body), absent)
                case cst.Match():
                    subject = self._attribute(statement.subject)
                    for case in statement.cases:
                        missing = {subject} if subject and _is_none(case.pattern) else set()
                        yield from self._block(statements(case.body), absent | missing)
                case cst.FunctionDef() | cst.ClassDef():
                    continue

    def _branches(self, statement: cst.If | cst.While, absent: set[str]) -> Iterator[LazyStore]:
        self._remember(statement.test)
        test = self._test(statement.test)
        body = tuple(statements(statement.body))
        inside = absent - test.failed
        if not self._is_handed_in(body, test.passed):
            inside |= test.passed | self._companions(body, test.passed)
        yield from self._block(body, inside)
        rest = (absent - test.passed) | test.failed
        match statement.orelse:
            case cst.If():
                orelse: tuple[cst.CSTNode, ...] = (statement.orelse,)
            case cst.Else():
                orelse = tuple(statements(statement.orelse.body))
            case _:
                orelse = ()
        yield from self._block(orelse, rest)
        if _leaves(body):
            if not isinstance(body[-1], cst.Raise):
                absent |= test.failed
            absent -= test.passed - test.failed
        elif orelse and _leaves(orelse):
            if not isinstance(orelse[-1], cst.Raise):
                absent |= test.passed
            absent -= test.failed - test.passed

    def _companions(self, body: tuple[cst.CSTNode, ...], tested: frozenset[str]) -> set[str]:
        """What is stored together with a flag: ``if not self._ready: self._c = …``."""
        stored = {name for item in body for name, _, _ in self._stores(item)}
        return stored if stored & tested else set()

    def _is_handed_in(self, body: tuple[cst.CSTNode, ...], tested: frozenset[str]) -> bool:
        """Whether what is tested is set to what the caller hands in: state, with all beside it."""
        stores = [item for statement in body for item in self._stores(statement)]
        return any(name in tested and self._is_given(value) for name, _, value in stores)

    def _try(self, statement: cst.Try | cst.TryStar, absent: set[str]) -> Iterator[LazyStore]:
        body = tuple(statements(statement.body))
        read = self._read_in(body)
        yield from self._block(body, absent)
        catches = [item for item in statement.handlers if _catches_absence(item.type)]
        for handler in statement.handlers:
            absence = handler in catches and not _raises(handler)
            inside = absent | read if absence else set(absent)
            yield from self._block(statements(handler.body), inside)
        if statement.orelse is not None:
            yield from self._block(statements(statement.orelse.body), absent)
            body = (*body, *statements(statement.orelse.body))
        if catches and _leaves(body):
            absent |= read
        if statement.finalbody is not None:
            yield from self._block(statements(statement.finalbody.body), absent)

    def _with(self, statement: cst.With, absent: set[str]) -> Iterator[LazyStore]:
        body = tuple(statements(statement.body))
        yield from self._block(body, absent)
        for item in statement.items:
            call = item.item
            if isinstance(call, cst.Call) and _leaves(body):
                name = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
                errors = [_catches_absence(argument.value) for argument in call.args]
                if is_name(name, "suppress") and any(errors):
                    absent |= self._read_in(body)

    def _simple(self, statement: cst.CSTNode, absent: set[str]) -> Iterator[LazyStore]:
        self._remember(statement)
        for attribute, anchor, value in self._stores(statement):
            known = attribute in absent or _ANY in absent
            known = known or self._tests_itself(value, attribute) or _is_setdefault(anchor)
            if known and not is_name(value, "None"):
                absent.discard(attribute)
                if not self._is_given(value):
                    yield LazyStore(attribute, statement, value, self.function)
            elif not known:
                self.changed.add(attribute)
            if absent and (setter := self._setter(attribute)) is not None:
                yield from self._filled_by(setter, (value,), absent, statement)
        for call, missing in self._calls(statement, absent):
            yield from self._filled_by_call(call, missing)

    def _is_given(self, value: cst.BaseExpression) -> bool:
        """Whether a value is made of what the caller hands in: then it is no cache of self.

        What calling a function gives that the caller hands in, as in ``compute()``, is one.
        """
        if self.whatever:
            return False
        mentioned = _mentioned(value)
        if isinstance(value, cst.Call) and isinstance(value.func, cst.Name):
            mentioned = frozenset().union(*(_mentioned(item.value) for item in value.args))
        return not self.handed_in.isdisjoint(mentioned)

    @cached_property
    def handed_in(self) -> frozenset[str]:
        """The names of what callers have to hand in, and of what is computed from that."""
        params = self.function.params
        found = {
            item.name.value
            for item in (*params.params, *params.kwonly_params)
            if item.default is None or is_name(item.default, "None")
        } - {self.owner}
        for node in flat(self.function.body) if found else ():
            match node:
                case cst.Assign(value=value, targets=[cst.AssignTarget(target=cst.Name() as name)]):
                    if not found.isdisjoint(_mentioned(value)):
                        found.add(name.value)
        return frozenset(found)

    def _calls(self, node: cst.CSTNode, absent: set[str]) -> Iterator[tuple[cst.Call, set[str]]]:
        """The calls in a statement, and what is absent where they are made."""
        stack = [(node, absent)]
        while stack:
            node, missing = stack.pop()
            if type(node) in SCOPES:
                continue
            if type(node) is cst.IfExp:
                test = self._test(node.test)
                stack.append((node.body, missing - test.failed | test.passed))
                stack.append((node.orelse, missing - test.passed | test.failed))
            elif type(node) is cst.BooleanOperation:
                test = self._test(node.left)
                then = test.failed if isinstance(node.operator, cst.Or) else test.passed
                stack += [(node.left, missing), (node.right, missing | then)]
            else:
                if type(node) is cst.Call and missing:
                    yield node, missing
                stack += [(item, missing) for item in children(node)]

    def _filled_by_call(self, call: cst.Call, absent: set[str]) -> Iterator[LazyStore]:
        """``if self._c is None: self._fill()``, where that function stores the attribute."""
        filler = None
        match call.func:
            case cst.Attribute(value=owner, attr=cst.Name(value=name)) if is_name(
                owner, self.owner
            ):
                filler = self.cls.methods.get(name)
            case cst.Name(value=name):
                filler = self._functions.get(name)
        if filler is not None and filler is not self.function:
            yield from self._filled_by(filler, positional(tuple(call.args)), absent, None)

    def _filled_by(
        self,
        filler: cst.FunctionDef,
        given: tuple[cst.BaseExpression, ...],
        absent: set[str],
        anchor: cst.CSTNode | None,
    ) -> Iterator[LazyStore]:
        """What a method, or a function inside of this one, stores of what is absent."""
        names = [item.name.value for item in (*filler.params.posonly_params, *filler.params.params)]
        inside = filler.name.value in self._functions
        owner = self.owner if inside else next(iter(names), None)
        if owner is None:
            return
        handed = dict(zip(names if inside else names[1:], given, strict=False))
        within = _Method(self.cls, filler, owner)
        for statement in flat(filler.body):
            for attribute, _, stored in within._stores(statement):
                value = handed.get(stored.value, stored) if isinstance(stored, cst.Name) else stored
                home = filler if value is stored else self.function
                if attribute in absent and not is_name(value, "None"):
                    if value is stored or not self._is_given(value):
                        yield LazyStore(attribute, anchor or statement, value, home)

    @cached_property
    def _functions(self) -> dict[str, cst.FunctionDef]:
        """The functions inside of this one."""
        inside = (item for item in flat(self.function.body) if isinstance(item, cst.FunctionDef))
        return {item.name.value: item for item in inside}

    def _setter(self, name: str) -> cst.FunctionDef | None:
        """The function that runs when an attribute is assigned, where it is such a property."""
        for item in self.cls.body:
            if isinstance(item, cst.FunctionDef) and item.name.value == name:
                for decorator in item.decorators:
                    match decorator.decorator:
                        case cst.Attribute(attr=cst.Name(value="setter")):
                            return item
        return None

    def _tests_itself(self, value: cst.BaseExpression, attribute: str) -> bool:
        """``self._c = self._c or …`` and ``self._c = … if self._c is None else self._c``."""
        match value:
            case cst.BooleanOperation(operator=cst.Or()):
                return self._attribute(value.left) == attribute
            case cst.IfExp():
                test = self._test(value.test)
                absent, kept = (test.passed, value.orelse), (test.failed, value.body)
                return any(
                    attribute in names and self._attribute(node) == attribute
                    for names, node in (absent, kept)
                )
        return False

    def _stores(
        self, statement: cst.CSTNode
    ) -> Iterator[tuple[str, cst.CSTNode, cst.BaseExpression]]:
        match statement:
            case cst.Assign():
                for target in statement.targets:
                    for attribute, value in self._targets(target.target, statement.value):
                        yield attribute, statement, value
            case cst.AnnAssign(value=cst.BaseExpression() as value):
                for attribute, _ in self._targets(statement.target, value):
                    yield attribute, statement, value
        for node in walk_scope(statement):
            if type(node) is cst.Call:
                yield from self._call_stores(node)

    def _targets(
        self, target: cst.BaseExpression, value: cst.BaseExpression
    ) -> Iterator[tuple[str, cst.BaseExpression]]:
        match target:
            case cst.Tuple() | cst.List():
                values = value.elements if isinstance(value, cst.Tuple | cst.List) else ()
                same = len(values) == len(target.elements)
                for index, element in enumerate(target.elements):
                    yield from self._targets(element.value, values[index].value if same else value)
            case cst.Attribute() | cst.Subscript():
                attribute = self._attribute(target)
                if attribute is not None:
                    yield attribute, value

    def _call_stores(self, node: cst.Call) -> Iterator[tuple[str, cst.CSTNode, cst.BaseExpression]]:
        """setattr, ``object.__setattr__``, ``super().__setattr__``, and the dict's own methods."""
        arguments = tuple(node.args)
        given = positional(arguments)
        match node.func:
            case cst.Name(value="setattr") if len(given) == 3 and is_name(given[0], self.owner):
                yield from self._keyed(given[1], node, given[2])
            case cst.Attribute(attr=cst.Name(value="__setattr__")):
                if len(given) == 3 and is_name(given[0], self.owner):
                    yield from self._keyed(given[1], node, given[2])
                elif len(given) == 2 and not is_name(given[0], self.owner):
                    yield from self._keyed(given[0], node, given[1])
            case cst.Attribute(value=owner, attr=cst.Name(value=method)) if self._is_dict(owner):
                if method in {"setdefault", "__setitem__"} and len(given) == 2:
                    yield from self._keyed(given[0], node, given[1])
                elif method == "update":
                    for argument in arguments:
                        if argument.keyword is not None:
                            yield argument.keyword.value, node, argument.value
                        elif isinstance(argument.value, cst.Dict):
                            for item in argument.value.elements:
                                if isinstance(item, cst.DictElement):
                                    yield from self._keyed(item.key, node, item.value)

    def _keyed(
        self, key: cst.BaseExpression, anchor: cst.CSTNode, value: cst.BaseExpression
    ) -> Iterator[tuple[str, cst.CSTNode, cst.BaseExpression]]:
        if (attribute := self._key(key)) is not None:
            yield attribute, anchor, value

    def _key(self, node: cst.BaseExpression) -> str | None:
        """An attribute's name, given as a string or as a name that holds one."""
        text = string_value(node)
        if text is not None:
            return text
        return f"<{node.value}>" if isinstance(node, cst.Name) else None

    def _is_dict(self, node: cst.BaseExpression) -> bool:
        match node:
            case cst.Attribute(value=owner, attr=cst.Name(value="__dict__")):
                return is_name(owner, self.owner)
            case cst.Call(func=cst.Name(value="vars"), args=[cst.Arg(value=owner)]):
                return is_name(owner, self.owner)
            case cst.Name(value=name):
                return name in self.dictionaries
        return False

    def _attribute(self, node: cst.BaseExpression) -> str | None:
        """The attribute of self that an expression stands for, however it is spelled."""
        match node:
            case cst.Attribute(value=owner, attr=cst.Name(value=name)):
                return self._mangled(name) if is_name(owner, self.owner) else None
            case cst.Subscript(value=owner, slice=[cst.SubscriptElement(slice=cst.Index() as key)]):
                return self._key(key.value) if self._is_dict(owner) else None
            case cst.Name():
                return self.aliases.get(node.value)
            case cst.NamedExpr():
                return self._attribute(node.value)
            case cst.Call():
                given = positional(tuple(node.args))
                match node.func:
                    case cst.Name(value="getattr") if len(given) > 1:
                        return self._key(given[1]) if is_name(given[0], self.owner) else None
                    case cst.Attribute(attr=cst.Name(value="__getattribute__")) if given:
                        own = len(given) == 1 or is_name(given[0], self.owner)
                        return self._key(given[-1]) if own else None
                    case cst.Attribute(value=owner, attr=cst.Name(value="get")) if given:
                        return self._key(given[0]) if self._is_dict(owner) else None
        return None

    def _mangled(self, name: str) -> str:
        private = name.startswith("__") and not name.endswith("__")
        return f"_{self.cls.name.lstrip('_')}{name}" if private else name

    def _remember(self, node: cst.CSTNode) -> None:
        """Note what local names a statement makes stand for attributes, and which no longer do."""
        for item in walk_scope(node):
            if type(item) is cst.Assign:
                for target in item.targets:
                    self._alias(target.target, item.value)
            elif type(item) is cst.NamedExpr or type(item) is cst.AnnAssign:
                if item.value is not None:
                    self._alias(item.target, item.value)

    def _alias(self, target: cst.BaseExpression, value: cst.BaseExpression) -> None:
        """Note what a local name stands for: an attribute, the outcome of a test, a dict."""
        if isinstance(target, cst.Name):
            is_dict, attribute = self._is_dict(value), self._attribute(value)
            answer = self._test(value) if attribute is None else _Test()
            self.aliases.pop(target.value, None)
            self.answers.pop(target.value, None)
            self.dictionaries.discard(target.value)
            if is_dict:
                self.dictionaries.add(target.value)
            elif attribute is not None:
                self.aliases[target.value] = attribute
            elif answer != _Test():
                self.answers[target.value] = answer

    def _read_in(self, body: Iterable[cst.CSTNode]) -> set[str]:
        """The attributes whose reading in a block may raise because they are absent."""
        found = set()
        for statement in body:
            stored = {item.target for item in walk(statement) if isinstance(item, cst.AssignTarget)}
            for node in walk_scope(statement):
                if isinstance(node, cst.Attribute | cst.Subscript | cst.Call):
                    attribute = self._attribute(node)
                    if attribute is not None and node not in stored:
                        found.add(attribute)
        return found

    def _test(self, node: cst.BaseExpression) -> _Test:
        match node:
            case cst.Name(value=name) if name in self.answers:
                return self.answers[name]
            case cst.UnaryOperation(operator=cst.Not()):
                inner = self._test(node.expression)
                return _Test(inner.failed, inner.passed)
            case cst.BooleanOperation():
                left, right = self._test(node.left), self._test(node.right)
                return _Test(left.passed | right.passed, left.failed | right.failed)
            case cst.Comparison(comparisons=[cst.ComparisonTarget() as target]):
                return self._comparison(node.left, target)
            case cst.Call(func=cst.Name(value="hasattr")):
                given = positional(tuple(node.args))
                if len(given) == 2 and is_name(given[0], self.owner):
                    key = self._key(given[1])
                    return _Test(failed=frozenset({key} if key else ()))
        attribute = self._attribute(node)
        return _Test(failed=frozenset({attribute} if attribute else ()))

    def _comparison(self, left: cst.BaseExpression, target: cst.ComparisonTarget) -> _Test:
        right = target.comparator
        match target.operator:
            case cst.In() | cst.NotIn():
                key = self._key(left) if self._is_dict(_keys_of(right)) else None
                names = frozenset({key} if key else ())
                absent = isinstance(target.operator, cst.NotIn)
            case cst.Is() | cst.Equal():
                names, absent = self._compared(left, right, target.operator), True
            case cst.IsNot() | cst.NotEqual():
                names, absent = self._compared(left, right, target.operator), False
            case _:
                return _Test()
        return _Test(passed=names) if absent else _Test(failed=names)

    def _compared(
        self,
        left: cst.BaseExpression,
        right: cst.BaseExpression,
        operator: cst.BaseCompOp,
    ) -> frozenset[str]:
        """The attribute that is compared with None, or by identity with a marker for absence."""
        for one, other in ((left, right), (right, left)):
            attribute = self._attribute(one)
            by_identity = isinstance(operator, cst.Is | cst.IsNot)
            if attribute and (is_name(other, "None") or (by_identity and self._is_marker(other))):
                return frozenset({attribute})
        return frozenset()

    def _is_marker(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is a marker for absence: ``...``, a constant, a bare object."""
        name = last_part(node)
        if isinstance(node, cst.Ellipsis) or (name is not None and name.isupper()):
            return True
        found = refer(node, self.cls.outer) if isinstance(node, cst.Name | cst.Attribute) else ()
        return bool(found) and all(_is_bare(item) for item in found)


def _is_bare(referent: Referent) -> bool:
    """Whether something is a class, or ``object()``: good for nothing but a comparison."""
    match referent:
        case Defined(node=cst.ClassDef()):
            return True
        case Valued(node=cst.Call(func=func)):
            return is_name(func, "object")
    return False


def _mentioned(node: cst.BaseExpression) -> frozenset[str]:
    """The variables in an expression."""
    nodes = tuple(walk(node))
    spelled = {item.attr for item in nodes if isinstance(item, cst.Attribute)}
    spelled |= {item.keyword for item in nodes if isinstance(item, cst.Arg) and item.keyword}
    return frozenset(
        item.value for item in nodes if isinstance(item, cst.Name) and item not in spelled
    )


def _is_none(pattern: cst.MatchPattern) -> bool:
    return isinstance(pattern, cst.MatchSingleton) and is_name(pattern.value, "None")


def _keys_of(node: cst.BaseExpression) -> cst.BaseExpression:
    """``d`` of ``d.keys()``."""
    match node:
        case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value="keys")), args=[]):
            return owner
    return node


def _is_setdefault(node: cst.CSTNode) -> bool:
    return (
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Attribute)
        and node.func.attr.value == "setdefault"
    )


def _leaves(body: tuple[cst.CSTNode, ...]) -> bool:
    """Whether a block always leaves what is around it."""
    if not body:
        return False
    match body[-1]:
        case cst.Return() | cst.Raise() | cst.Continue() | cst.Break():
            return True
        case cst.If(orelse=cst.Else() as orelse) as last:
            return _leaves(tuple(statements(last.body))) and _leaves(tuple(statements(orelse.body)))
        case cst.With() as last:
            return _leaves(tuple(statements(last.body)))
    return False


def _raises(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> bool:
    body = tuple(statements(handler.body))
    return bool(body) and isinstance(body[-1], cst.Raise)


def _catches_absence(node: cst.BaseExpression | None) -> bool:
    match node:
        case None:
            return True
        case cst.Tuple():
            return any(_catches_absence(element.value) for element in node.elements)
        case cst.Name():
            return node.value in _ABSENCE_ERRORS
    return False
