"""Statements, in order: branches are joined, loops are walked twice."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import libcst as cst

from flake8_jax.assigning import manager_opens
from flake8_jax.flow.analysis import parameters
from flake8_jax.flow.application import start
from flake8_jax.flow.builtin_calls import iterated
from flake8_jax.flow.calls import decorate
from flake8_jax.flow.discards import discard
from flake8_jax.flow.keys import names_in
from flake8_jax.flow.narrowing import Told, kinds_of, narrow, narrowed
from flake8_jax.flow.targets import Targets
from flake8_jax.flow.values import (
    ELEMENT,
    NEVER,
    PLAIN,
    UNKNOWN,
    Clear,
    Place,
    Root,
    Value,
    changed,
    join,
    meet,
    without,
)
from flake8_jax.knowledge.objects import EXPECTS_ERRORS, TRACER_ERRORS
from flake8_jax.model import ModelClass
from flake8_jax.names import refer
from flake8_jax.scopes import Imported, Valued
from flake8_jax.syntax import last_part, positional, statements, walk

_REFUSALS = frozenset(
    {"AttributeError", "BaseException", "Exception", "FrozenInstanceError", "TypeError"}
)

_SEQUENCES = frozenset({cst.Tuple, cst.List})


class Branch(NamedTuple):
    """How a way through the function ends."""

    env: dict[str, Value]
    left: bool
    """Whether it always leaves the block."""
    clear: Clear
    """The variables that are no Tracers there."""


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

    def _assigned(self, node: cst.Assign) -> bool:
        self.used = node.value
        parts = any(type(item.target) in _SEQUENCES for item in node.targets)
        self.unpacked = node.value if parts else None
        value = self.evaluate(node.value)
        for target in node.targets if value is not NEVER else ():
            self.assign(target.target, value, node)
        return value is NEVER

    def _evaluated(self, node: cst.Expr) -> bool:
        return discard(self, node.value) is NEVER

    def _return(self, node: cst.Return) -> bool:
        self.used = self.unpacked = node.value
        value = self._returned(node.value)
        if value is not NEVER:
            self._leave(value)
        return True

    def _leave(self, value: Value) -> None:
        """Note what the function gives back here; where nobody gets, any answer is right."""
        told = without(value, self.clear)
        self.results.append(
            changed(told, if_true=told.if_true | self.clear, if_false=told.if_false | self.clear)
        )
        self.left.append(self.clear)

    def _deleted(self, node: cst.Del) -> None:
        self._delete(node.target, node)

    def _raise(self, node: cst.Raise) -> bool:
        if node.exc is not None:
            self.evaluate(node.exc)
        return True

    def _jump(self, _: cst.Break | cst.Continue) -> bool:
        return True

    def _assert(self, node: cst.Assert) -> None:
        self.enter(self.evaluate(node.test).if_true)
        narrow(self, node.test, holds=True)

    def _while(self, node: cst.While) -> None:
        def once() -> bool:
            self.enter(self.evaluate(node.test).if_true)
            told = narrow(self, node.test, holds=True)
            left = self.block(statements(node.body))
            told.forget(self)
            return left

        self._loop(once)
        if node.orelse is not None:
            self.block(statements(node.orelse.body))

    def _for(self, node: cst.For) -> None:
        element = iterated(self, node.iter)

        def once() -> bool:
            self.rounds += 1
            self.turns.update(dict.fromkeys(names_in(node.target), self.rounds))
            self.assign(node.target, numbered(element, self.rounds), node.target)
            return self.block(statements(node.body))

        clear = self._loop(once)
        if not any(type(item) is cst.Break for item in walk(node.body)):
            self.clear |= clear  # all elements have passed
        if node.orelse is not None:
            self.block(statements(node.orelse.body))

    def _with(self, node: cst.With) -> bool:
        for item in node.items:
            entered = self._entered(item.item)
            if item.asname is not None:
                self.assign(item.asname.name, entered, item.asname.name)
        unlocks = any(self._unlocks(item.item) for item in node.items)
        guards = unlocks or any(_expects_error(item.item) for item in node.items)
        eager = any(self.is_compile_time(item.item) for item in node.items)
        self.guarded += guards
        self.unlocked += unlocks
        self.compile_time += eager
        left = self.block(statements(node.body))
        self.guarded -= guards
        self.unlocked -= unlocks
        self.compile_time -= eager
        return left and not any(_expects_error(item.item) for item in node.items)

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
        """Whether a context manager may let an object be changed: its method, or a function."""
        match node:
            case cst.Name():
                made = [item for item in refer(node, self.scope) if isinstance(item, Valued)]
                calls = [item.node for item in made if isinstance(item.node, cst.Call)]
                return any(self._unlocks(call) for call in calls)
            case cst.Call(func=cst.Attribute(value=owner)) if self.base(owner).cls() is not None:
                return True
            case cst.Call(args=given):
                handed = any(self.base(item.value).cls() is not None for item in given)
                return handed and manager_opens(node, self.scope, self.model)
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

    def _branch(self, body: Iterable[cst.CSTNode], clear: Clear = frozenset()) -> Branch:
        """Follow a branch from the names of now; its names at the end, and whether it leaves.

        Some more variables may be clear of Tracers there.
        """
        before, outer, way = dict(self.env), self.clear, self.way
        self.branches += 1
        self.way = (*way, self.branches)
        self.enter(clear)
        left = self.block(body)
        found = Branch(self.env, left, self.clear)
        self.env, self.clear, self.way = before, outer, way
        return found

    def _here(self, env: dict[str, Value] | None = None, clear: Clear = frozenset()) -> Branch:
        """A branch that does nothing."""
        outer = self.clear
        self.enter(clear)
        found = Branch(dict(self.env if env is None else env), False, self.clear)
        self.clear = outer
        return found

    def _merge(self, branches: Iterable[Branch]) -> bool:
        """Go on with the names of the branches that do not leave; whether all of them do."""
        going = [branch for branch in branches if not branch.left]
        if not going:
            return True
        first = going[0]
        self.env, self.clear = dict(first.env), first.clear
        for item in going[1:]:
            self.env = _joined(Branch(self.env, False, self.clear), item)
            self.clear = meet(self.clear, item.clear)
        return False

    def _if(self, node: cst.If) -> bool:
        test = self.evaluate(node.test)
        self.make_numbers(test)
        unchanged = dict(self.env)
        optional = self.asks_argument(node.test)
        self.optional += optional
        told = narrow(self, node.test, holds=True)
        body = self._branch(statements(node.body), test.if_true)
        told.forget_places(self)
        self.env = unchanged
        otherwise = narrow(self, node.test, holds=False)
        if node.orelse is None:
            orelse = self._here(clear=test.if_false)
        elif type(node.orelse) is cst.If:
            orelse = self._branch([node.orelse], test.if_false)
        else:
            orelse = self._branch(statements(node.orelse.body), test.if_false)
        self.optional -= optional
        if not body.left:
            otherwise.forget_places(self)
            if not orelse.left:
                told.forget_names(body.env)
                otherwise.forget_names(orelse.env)
        return self._merge([body, orelse])

    def _loop(self, once: Callable[[], bool]) -> Clear:
        """Follow the rounds of a loop; what is clear of Tracers at the end of each."""
        rounds = 1 if self.in_loop else 2
        outer, self.in_loop = self.in_loop, True
        clear: Clear = frozenset()
        for _ in range(rounds):
            before = self._here()
            left = once()
            clear = self.clear if not left else before.clear
            after = self.env
            self._merge([before, self._here()])
            for name, value in after.items():  # a flag tells what the rounds have made of it
                if value.plain and value is not before.env.get(name) and name in before.env:
                    told = {"if_true": value.if_true, "if_false": value.if_false}
                    self.env[name] = changed(self.env[name], **told)
        self.in_loop = outer
        return clear

    def _try(self, node: cst.Try | cst.TryStar) -> bool:
        before = dict(self.env)
        guards = any(_catches(handler.type) for handler in node.handlers)
        catches = guards or any(_catches_tracers(handler.type) for handler in node.handlers)
        self.guarded += guards
        self.catching += catches
        body = self._branch(statements(node.body))
        self.guarded -= guards
        self.catching -= catches
        if node.orelse is not None and not body.left:
            outer, self.env, self.clear = self.clear, body.env, body.clear
            left = self.block(statements(node.orelse.body))
            body, self.clear = Branch(self.env, left, self.clear), outer
        branches = [body]
        for handler in node.handlers:
            self._merge([self._here(before), self._here(body.env)])
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
        branches: list[Branch] = []
        left_over = Told()
        for case in node.cases:
            before = dict(self.env)
            told = self._matches(node.subject, case.pattern)
            self._capture(case.pattern, subject if told is None else self.base(node.subject))
            guard = self.evaluate(case.guard) if case.guard is not None else PLAIN
            branches.append(self._branch(statements(case.body), guard.if_true))
            self.env = before
            if told is not None:
                told.forget_names(branches[-1].env)
            if case.guard is None:
                left_over = self._does_not_match(node.subject, case.pattern, left_over)
        last = node.cases[-1].pattern if node.cases else None
        if not isinstance(last, cst.MatchAs) or last.pattern is not None:
            branches.insert(0, self._here())
        if not all(branch.left for branch in branches[1:]):
            left_over.forget_names(self.env)
        return self._merge(branches)

    def _matches(self, subject: cst.BaseExpression, pattern: cst.MatchPattern) -> Told | None:
        """Take for known that names fit a pattern; None where nothing but names is asked about."""
        told = Told()
        parts: list[tuple[cst.BaseExpression, cst.MatchPattern]] = [(subject, pattern)]
        if isinstance(subject, cst.Tuple) and isinstance(pattern, cst.MatchList | cst.MatchTuple):
            inner = [
                item for item in pattern.patterns if isinstance(item, cst.MatchSequenceElement)
            ]
            if len(inner) == len(pattern.patterns) == len(subject.elements):
                pairs = zip(subject.elements, inner, strict=True)
                parts = [(element.value, item.value) for element, item in pairs]
        for node, asked in parts:
            kinds = kinds_of(self, _classes(asked)[0])
            if isinstance(node, cst.Name) and node.value in self.env and kinds:
                before = self.env[node.value]
                self.env[node.value] = narrowed(before, kinds, holds=True)
                told.names[node.value] = (before, self.env[node.value])
        return told if isinstance(subject, cst.Name) and subject.value in self.env else None

    def _does_not_match(
        self, subject: cst.BaseExpression, pattern: cst.MatchPattern, before: Told
    ) -> Told:
        """Take for known that a name does not fit a pattern which asks for classes alone."""
        classes, alone = _classes(pattern)
        if not isinstance(subject, cst.Name) or subject.value not in self.env or not alone:
            return before
        value = self.env[subject.value]
        first = before.names.get(subject.value, (value, value))[0]
        self.env[subject.value] = narrowed(value, kinds_of(self, classes), holds=False)
        return Told({subject.value: (first, self.env[subject.value])})

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


def _joined(one: Branch, other: Branch) -> dict[str, Value]:
    """The names of two branches; most are the same in both."""
    found = dict(one.env)
    for name, value in other.env.items():
        if name not in one.env:
            found[name] = join([UNKNOWN, value])
        elif one.env[name] is not value:
            found[name] = join([_noted(one.env[name], one.clear), _noted(value, other.clear)])
    for name in one.env.keys() - other.env.keys():
        found[name] = join([one.env[name], UNKNOWN])
    return found


def _noted(value: Value, clear: Clear) -> Value:
    """A flag that is set on a way where some variables are clear of Tracers: it tells so."""
    if not clear or not value.plain:
        return value
    return changed(value, if_true=value.if_true | clear, if_false=value.if_false | clear)


def _classes(pattern: cst.MatchPattern) -> tuple[list[cst.BaseExpression], bool]:
    """The classes that a pattern names, and whether it asks for nothing else."""
    match pattern:
        case cst.MatchAs(pattern=cst.MatchPattern() as inner):
            return _classes(inner)
        case cst.MatchOr(patterns=options):
            found = [_classes(option.pattern) for option in options]
            classes = [item for part, _ in found for item in part]
            named = all(part for part, _ in found)
            return (classes, all(alone for _, alone in found)) if named else ([], False)
        case cst.MatchClass():
            return [pattern.cls], not pattern.patterns and not pattern.kwds
    return [], False


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


def _catches_tracers(node: cst.BaseExpression | None) -> bool:
    """Whether a handler is there for what JAX raises if it cannot make a number of a Tracer."""
    if isinstance(node, cst.Tuple):
        return any(_catches_tracers(element.value) for element in node.elements)
    return last_part(node) in TRACER_ERRORS


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
