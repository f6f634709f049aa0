"""Statements, in order: branches are joined, loops are walked twice."""

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any

import libcst as cst

from flake8_jax.flow.analysis import parameters
from flake8_jax.flow.application import start
from flake8_jax.flow.builtin_calls import iterated
from flake8_jax.flow.calls import decorate
from flake8_jax.flow.discards import discard
from flake8_jax.flow.keys import names_in
from flake8_jax.flow.targets import Targets
from flake8_jax.flow.values import (
    ELEMENT,
    PLAIN,
    UNKNOWN,
    Place,
    Root,
    Value,
    changed,
    join,
)
from flake8_jax.knowledge.objects import EXPECTS_ERRORS
from flake8_jax.model import ModelClass
from flake8_jax.names import refer
from flake8_jax.scopes import Imported
from flake8_jax.syntax import last_part, positional, statements

_REFUSALS = frozenset(
    {"AttributeError", "BaseException", "Exception", "FrozenInstanceError", "TypeError"}
)

_NARROWING = frozenset({cst.Call, cst.BooleanOperation})
_SEQUENCES = frozenset({cst.Tuple, cst.List})


class Statements(Targets):
    """Follows statements."""

    def block(self, body: Iterable[cst.CSTNode]) -> bool:
        """Follow statements; whether they always leave the block."""
        return any(self.statement(statement) for statement in body)

    def statement(self, node: cst.CSTNode) -> bool:
        """Follow a statement; whether it always leaves the block."""
        self.order += 1
        follow = _FOLLOWING.get(type(node))
        return follow is not None and follow(self, node) is True

    def _assigned(self, node: cst.Assign) -> None:
        self.used = node.value
        parts = any(type(item.target) in _SEQUENCES for item in node.targets)
        self.unpacked = node.value if parts else None
        value = self.evaluate(node.value)
        for target in node.targets:
            self.assign(target.target, value, node)

    def _evaluated(self, node: cst.Expr) -> None:
        discard(self, node.value)

    def _return(self, node: cst.Return) -> bool:
        self.used = self.unpacked = node.value
        self.results.append(self._returned(node.value))
        return True

    def _deleted(self, node: cst.Del) -> None:
        self._delete(node.target, node)

    def _raise(self, node: cst.Raise) -> bool:
        if node.exc is not None:
            self.evaluate(node.exc)
        return True

    def _jump(self, _: cst.Break | cst.Continue) -> bool:
        return True

    def _assert(self, node: cst.Assert) -> None:
        self.evaluate(node.test)
        self._narrow(node.test)

    def _while(self, node: cst.While) -> None:
        self._loop(lambda: (self.evaluate(node.test), self.block(statements(node.body))))
        if node.orelse is not None:
            self.block(statements(node.orelse.body))

    def _for(self, node: cst.For) -> None:
        element = iterated(self, node.iter)

        def once() -> None:
            self.rounds += 1
            self.turns.update(dict.fromkeys(names_in(node.target), self.rounds))
            self.assign(node.target, numbered(element, self.rounds), node.target)
            self.block(statements(node.body))

        self._loop(once)
        if node.orelse is not None:
            self.block(statements(node.orelse.body))

    def _with(self, node: cst.With) -> bool:
        for item in node.items:
            entered = self._entered(item.item)
            if item.asname is not None:
                self.assign(item.asname.name, entered, item.asname.name)
        guards = any(_expects_error(item.item) or self._unlocks(item.item) for item in node.items)
        eager = any(self.is_compile_time(item.item) for item in node.items)
        self.guarded += guards
        self.compile_time += eager
        left = self.block(statements(node.body))
        self.guarded -= guards
        self.compile_time -= eager
        return left

    def _class(self, node: cst.ClassDef) -> None:
        self.env.pop(node.name.value, None)

    def _returned(self, node: cst.BaseExpression | None) -> Value:
        """What is handed back; an object that just comes out is not read."""
        if node is None:
            return PLAIN
        if isinstance(node, cst.Name):
            value = self.base(node)
            own = {Root(self.owner, parameter.name) for parameter in self.parameters}
            if value.places and own.issuperset(place.root for place in value.places):
                return value
        return self.evaluate(node)

    def _unlocks(self, node: cst.BaseExpression) -> bool:
        """Whether a context manager is a method of the object, which may let it be changed."""
        match node:
            case cst.Call(func=cst.Attribute(value=owner)):
                return self.base(owner).cls() is not None
        return False

    def is_compile_time(self, node: cst.BaseExpression) -> bool:
        """Whether a context manager makes JAX compute at once, inside a trace too."""
        return self._calls(node, "jax.ensure_compile_time_eval")

    def _entered(self, node: cst.BaseExpression) -> Value:
        """What a context manager gives to the block."""
        if isinstance(node, cst.Call) and self._calls(node, "contextlib.nullcontext"):
            if given := positional(tuple(node.args)):
                return self.evaluate(given[0])
        return Value(certain=False, depends=self.evaluate(node).depends)

    def _calls(self, node: cst.BaseExpression, dotted: str) -> bool:
        """Whether an expression is a call of something that is imported."""
        if not isinstance(node, cst.Call):
            return False
        names = [item.dotted for item in refer(node.func, self.scope) if isinstance(item, Imported)]
        return names == [dotted]

    def define(self, node: cst.FunctionDef) -> None:
        """Bind a function that is defined here, and note the trace that its decorators start."""
        ref = self.flow.function(node, self.scope, self.piece, self.ref.cls)
        for decorator in node.decorators:
            decorate(self, decorator.decorator, ref)
        for parameter in parameters(node):
            if parameter.default is not None:
                self.evaluate(parameter.default)
        if ref.trace is not None:
            start(self, ref.trace)
        if not self.ref.is_block or self.ref.cls is not None:
            self.env[node.name.value] = Value(function=ref, plain=True)

    def _branch(self, body: Iterable[cst.CSTNode]) -> tuple[dict[str, Value], bool]:
        """Follow a branch from the names of now; its names at the end, and whether it leaves."""
        before = dict(self.env)
        left = self.block(body)
        after, self.env = self.env, before
        return after, left

    def _merge(self, branches: Iterable[tuple[dict[str, Value], bool]]) -> bool:
        """Go on with the names of the branches that do not leave; whether all of them do."""
        going = [env for env, left in branches if not left]
        if not going:
            return True
        self.env = reduce(_joined, going[1:], dict(going[0]))
        return False

    def _if(self, node: cst.If) -> bool:
        self.evaluate(node.test)
        unchanged = dict(self.env)
        optional = self.asks_argument(node.test)
        self.optional += optional
        self._narrow(node.test)
        body = self._branch(statements(node.body))
        self.env = unchanged
        if type(node.test) is cst.UnaryOperation and type(node.test.operator) is cst.Not:
            self._narrow(node.test.expression)
        if node.orelse is None:
            orelse = (dict(self.env), False)
        elif type(node.orelse) is cst.If:
            orelse = self._branch([node.orelse])
        else:
            orelse = self._branch(statements(node.orelse.body))
        self.optional -= optional
        return self._merge([body, orelse])

    def _narrow(self, test: cst.BaseExpression) -> None:
        """Give a name the type that ``isinstance`` tells."""
        if type(test) not in _NARROWING:
            return
        match test:
            case cst.Call(
                func=cst.Name(value="isinstance"),
                args=[cst.Arg(value=cst.Name() as name), cst.Arg(value=kind)],
            ):
                known = self.base(kind) if isinstance(kind, cst.Name | cst.Attribute) else UNKNOWN
                if known.dotted is not None and known.dotted.startswith("numpy"):
                    self.env[name.value] = UNKNOWN
                cls = known.made
                if isinstance(cls, ModelClass) and name.value in self.env:
                    self.env[name.value] = changed(self.env[name.value], type=cls)
            case cst.BooleanOperation(operator=cst.And()):
                self._narrow(test.left)
                self._narrow(test.right)

    def _loop(self, once: Callable[[], object]) -> None:
        rounds = 1 if self.in_loop else 2
        outer, self.in_loop = self.in_loop, True
        for _ in range(rounds):
            before = dict(self.env)
            once()
            self._merge([(before, False), (self.env, False)])
        self.in_loop = outer

    def _try(self, node: cst.Try | cst.TryStar) -> bool:
        before = dict(self.env)
        guards = any(_catches(handler.type) for handler in node.handlers)
        self.guarded += guards
        body = self._branch(statements(node.body))
        self.guarded -= guards
        if node.orelse is not None and not body[1]:
            self.env = body[0]
            left = self.block(statements(node.orelse.body))
            body = (self.env, left)
        branches = [body]
        for handler in node.handlers:
            self._merge([(dict(before), False), (dict(body[0]), False)])
            if handler.name is not None:
                self.assign(handler.name.name, UNKNOWN, handler)
            branches.append(self._branch(statements(handler.body)))
        left = self._merge(branches)
        if node.finalbody is not None:
            self.finishing += 1
            left = self.block(statements(node.finalbody.body)) or left
            self.finishing -= 1
        return left

    def _match(self, node: cst.Match) -> bool:
        subject = self.evaluate(node.subject)
        branches = [(dict(self.env), False)]
        for case in node.cases:
            before = dict(self.env)
            self._capture(case.pattern, subject)
            if isinstance(node.subject, cst.Name) and node.subject.value in self.env:
                self.env[node.subject.value] = self._matched(case.pattern, subject)
            if case.guard is not None:
                self.evaluate(case.guard)
            branches.append(self._branch(statements(case.body)))
            self.env = before
        last = node.cases[-1].pattern if node.cases else None
        if isinstance(last, cst.MatchAs) and last.pattern is None:
            branches = branches[1:]
        return self._merge(branches)

    def _matched(self, pattern: cst.MatchPattern, subject: Value) -> Value:
        """What is known of something that fits a pattern: the class that the pattern names."""
        while isinstance(pattern, cst.MatchAs) and pattern.pattern is not None:
            pattern = pattern.pattern
        cls = self.base(pattern.cls).made if isinstance(pattern, cst.MatchClass) else None
        return changed(subject, type=cls) if isinstance(cls, ModelClass) else subject

    def _capture(self, pattern: cst.MatchPattern, subject: Value) -> None:
        match pattern:
            case cst.MatchAs():
                if pattern.pattern is not None:
                    self._capture(pattern.pattern, subject)
                if pattern.name is not None:
                    self.env[pattern.name.value] = self._matched(pattern, subject)
            case cst.MatchClass():
                subject = self._matched(pattern, subject)
                for item in pattern.kwds:
                    self._capture(item.pattern, self.member(subject, item.key.value))
                for part in pattern.patterns:
                    self._capture(part.value, changed(UNKNOWN, depends=subject.depends))
            case cst.MatchList() | cst.MatchTuple():
                for index, element in enumerate(pattern.patterns):
                    if isinstance(element, cst.MatchSequenceElement):
                        self._capture(element.value, self.element(subject, index))
            case cst.MatchMapping():
                for entry in pattern.elements:
                    self._capture(entry.pattern, self.element(subject))
            case cst.MatchOr():
                for option in pattern.patterns:
                    self._capture(option.pattern, subject)


def _joined(one: dict[str, Value], other: dict[str, Value]) -> dict[str, Value]:
    """The names of two branches; most are the same in both."""
    found = dict(one)
    for name, value in other.items():
        if name not in one:
            found[name] = join([UNKNOWN, value])
        elif one[name] is not value:
            found[name] = join([one[name], value])
    for name in one.keys() - other.keys():
        found[name] = join([one[name], UNKNOWN])
    return found


def numbered(value: Value, number: int) -> Value:
    """An element as one round of a loop sees it: not the one of another round."""

    def step(place: Place) -> Place:
        if place.path[-1:] == (ELEMENT,):
            return Place(place.root, (*place.path[:-1], f"[#{number}]"))
        return place

    items = value.items
    if items is not None:
        items = tuple(numbered(item, number) for item in items)
    return changed(value, places=frozenset(map(step, value.places)), items=items)


def _catches(node: cst.BaseExpression | None) -> bool:
    """Whether a handler is there for what a forbidden assignment raises."""
    if isinstance(node, cst.Tuple):
        return any(_catches(element.value) for element in node.elements)
    return node is None or last_part(node) in _REFUSALS


def _expects_error(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Call) and last_part(node.func) in EXPECTS_ERRORS


_FOLLOWING: Mapping[type[cst.CSTNode], Callable[[Any, Any], bool | None]] = {
    cst.Assign: Statements._assigned,
    cst.AnnAssign: Statements._annotated,
    cst.AugAssign: Statements._augmented,
    cst.Assert: Statements._assert,
    cst.Break: Statements._jump,
    cst.ClassDef: Statements._class,
    cst.Continue: Statements._jump,
    cst.Del: Statements._deleted,
    cst.Expr: Statements._evaluated,
    cst.For: Statements._for,
    cst.FunctionDef: Statements.define,
    cst.If: Statements._if,
    cst.Match: Statements._match,
    cst.Raise: Statements._raise,
    cst.Return: Statements._return,
    cst.Try: Statements._try,
    cst.TryStar: Statements._try,
    cst.While: Statements._while,
    cst.With: Statements._with,
}
"""How each kind of statement is followed; what always leaves its block says so."""
