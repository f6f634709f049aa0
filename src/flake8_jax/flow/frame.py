"""Follows one function statement by statement: what its names stand for, what it writes and reads.

Statements are taken in order, branches are joined, and loops are walked twice, so that what the
first round wrote is seen to be read by the second.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

import libcst as cst

from flake8_jax.flow import calls
from flake8_jax.flow.analysis import Flow, Parameter, Summary, parameters
from flake8_jax.flow.types import annotated, field_type, starts_as_number
from flake8_jax.flow.values import (
    ANY,
    ARRAYS,
    ELEMENT,
    PLAIN,
    STATIC,
    UNKNOWN,
    Copied,
    Form,
    FunctionRef,
    Place,
    Root,
    Shape,
    Trace,
    Type,
    Value,
    Write,
    computed,
    holding,
    join,
)
from flake8_jax.knowledge.objects import ARRAY_ATTRIBUTES, ARRAY_MAKERS, TAKES_CONTAINERS
from flake8_jax.knowledge.pytrees import Kind
from flake8_jax.knowledge.values import STATIC_ATTRIBUTES
from flake8_jax.lazy import CONSTRUCTION
from flake8_jax.model import CacheForm, ModelClass
from flake8_jax.names import Imported, InnerScope, Scope, canonical, refer
from flake8_jax.syntax import flat, last_part, statements, string_value, walk
from flake8_jax.tree import is_frozen, static_fields

_REFUSALS = frozenset({"AttributeError", "Exception", "FrozenInstanceError", "TypeError"})


class Frame:
    """One function while it is followed."""

    def __init__(self, flow: Flow, ref: FunctionRef) -> None:
        self.flow = flow
        self.model = flow.model
        self.ref = ref
        self.node = ref.node
        self.piece = ref.piece
        self.parameters = parameters(ref.node)
        self.scope: Scope = ref.scope
        self.bound: frozenset[str] = frozenset()
        self.declared_outer: frozenset[str] = frozenset()
        if not ref.is_block:
            if isinstance(ref.node, cst.FunctionDef):
                inner = InnerScope(ref.node, ref.scope, 0, ref.piece)
                self.scope = inner
                self.bound = frozenset(binding.name for binding in inner.all)
                self.declared_outer = frozenset(
                    item.name.value
                    for statement in flat(ref.node.body)
                    if isinstance(statement, cst.Global | cst.Nonlocal)
                    for item in statement.names
                )
            else:
                self.bound = frozenset(item.name for item in self.parameters)
        self.owner = None if ref.is_block else ref.node
        self.env: dict[str, Value] = {}
        self.heap: dict[Place, Value] = {}
        self.writes: dict[tuple[cst.CSTNode, Place, Trace | None], Write] = {}
        self.reads: dict[tuple[Place, bool], int] = {}
        """When each place was read last: itself, or through a name that stood for it."""
        self.results: list[Value] = []
        self.filled: set[Place] = set()
        """The cached properties that have been read here."""
        self.called: set[cst.CSTNode] = set()
        self.order = 0
        self.in_loop = False
        self.guarded = 0
        self.compile_time = 0
        self.makes_arrays = False
        self.rounds = 0

    # The function as a whole

    def run(self) -> Summary:
        """Follow the function and summarise it."""
        for index, parameter in enumerate(self.parameters):
            self.env[parameter.name] = self._parameter(parameter, index == 0)
        types = {name: value.type for name, value in self.env.items()}
        if isinstance(self.node, cst.Lambda):
            self.results.append(self.evaluate(self.node.body))
        else:
            self.block(statements(self.node.body))
        result = self._result()
        writes = tuple(
            replace(write, read_after=write.read_after or self._is_read_after(write))
            for write in self.writes.values()
        )
        called = frozenset(n for n in self.called if isinstance(n, cst.FunctionDef | cst.Lambda))
        return Summary(
            self.parameters,
            writes,
            frozenset(self.reads),
            result,
            called,
            types,
            self.makes_arrays or result.type is Shape.ARRAY,
        )

    def _parameter(self, parameter: Parameter, first: bool) -> Value:
        root = Root(self.owner, parameter.name)
        kind: Type = None
        element: Type = None
        if parameter.star:
            kind = Shape.PACKED
        elif parameter.annotation is not None:
            annotation = parameter.annotation.annotation
            kind, element = annotated(self.model, annotation, self.ref.scope)
        elif first and self.ref.cls is not None and isinstance(self.node, cst.FunctionDef):
            if self.ref.cls.is_class_method(self.node):
                return Value(places=frozenset({Place(root)}), made=self.ref.cls)
            kind = self.ref.cls if self.ref.cls.is_instance_method(self.node) else None
        return Value(
            places=frozenset({Place(root)}), type=kind, element=element, depends=frozenset({root})
        )

    @cached_property
    def arrays(self) -> frozenset[str]:
        """The names that are used as only arrays are: ``x.shape``, ``x.at``, ``x[:, 0]``."""
        found = set()
        for node in walk(self.node.body):
            match node:
                case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=attribute)):
                    if attribute in ARRAY_ATTRIBUTES:
                        found.add(name)
                case cst.Subscript(value=cst.Name(value=name)):
                    if len(node.slice) > 1 or isinstance(node.slice[0].slice, cst.Slice):
                        found.add(name)
                case cst.Call() if self._makes_arrays(node.func):
                    names = [item.value for item in node.args if isinstance(item.value, cst.Name)]
                    found.update(name.value for name in names if isinstance(name, cst.Name))
        return frozenset(found)

    def _makes_arrays(self, node: cst.BaseExpression) -> bool:
        """Whether a function computes with arrays, and does not take containers of them."""
        for referent in refer(node, self.scope):
            if isinstance(referent, Imported):
                package, _, name = canonical(referent.dotted).rpartition(".")
                return package.startswith(ARRAY_MAKERS) and name not in TAKES_CONTAINERS
        return False

    def _result(self) -> Value:
        """What the function gives back, with all that was stored in it meanwhile."""
        result = join(self.results) if self.results else replace(PLAIN)
        out = result.out
        grown = True
        while grown:
            grown = False
            for place, value in self.heap.items():
                if any(item.covers(place) for item in out) and not value.out <= out:
                    out, grown = out | value.out, True
        return replace(result, holds=out - result.places)

    def _is_read_after(self, write: Write) -> bool:
        return any(
            order > write.order
            and (place.covers(write.target) or (direct and _overlap(place, write.place)))
            for (place, direct), order in self.reads.items()
            if place.root == write.place.root
        )

    # Names

    def lookup(self, node: cst.Name) -> Value:
        """What a name stands for here."""
        name = node.value
        if name in self.env:
            return self.env[name]
        if name in self.bound and name not in self.declared_outer:
            found = self.flow.outer(node, self.scope, self.piece)
            return found if found.dotted or found.function or found.made else UNKNOWN
        at = self.piece.at if self.ref.is_block and self.ref.cls is None else None
        return self.flow.outer(node, self.scope, self.piece, at)

    def assign_name(self, name: str, value: Value, node: cst.CSTNode) -> None:
        """Bind a name; one that was declared global or nonlocal is written outside."""
        self.order += 1
        if name in self.declared_outer:
            place = self.flow.variable(name, self.ref.scope) or Place(Root(None, name))
            self._record(
                Write(place, Form.NAME, node, self.piece, name, value.plain, value.depends, 0)
            )
        self.env[name] = value

    # Statements

    def block(self, body: Iterable[cst.CSTNode]) -> bool:
        """Follow statements; whether they always leave the block."""
        return any(self.statement(statement) for statement in body)

    def statement(self, node: cst.CSTNode) -> bool:
        """Follow a statement; whether it always leaves the block."""
        self.order += 1
        match node:
            case cst.Expr():
                calls.discard(self, node.value)
            case cst.Assign():
                value = self.evaluate(node.value)
                for target in node.targets:
                    self.assign(target.target, value, node)
            case cst.AnnAssign():
                self._annotated(node)
            case cst.AugAssign():
                self._augmented(node)
            case cst.Del():
                self._delete(node.target, node)
            case cst.Return():
                self.results.append(PLAIN if node.value is None else self.evaluate(node.value))
                return True
            case cst.Raise():
                if node.exc is not None:
                    self.evaluate(node.exc)
                return True
            case cst.Break() | cst.Continue():
                return True
            case cst.Assert():
                self.evaluate(node.test)
            case cst.If():
                return self._if(node)
            case cst.While():
                self._loop(lambda: (self.evaluate(node.test), self.block(statements(node.body))))
                if node.orelse is not None:
                    self.block(statements(node.orelse.body))
            case cst.For():
                element = calls.iterated(self, node.iter)

                def once() -> None:
                    self.rounds += 1
                    self.assign(node.target, numbered(element, self.rounds), node.target)
                    self.block(statements(node.body))

                self._loop(once)
                if node.orelse is not None:
                    self.block(statements(node.orelse.body))
            case cst.With():
                for item in node.items:
                    value = self.evaluate(item.item)
                    if item.asname is not None:
                        given = Value(certain=False, depends=value.depends)
                        self.assign(item.asname.name, given, item.asname.name)
                guards = any(_expects_error(item.item) for item in node.items)
                eager = any(self._is_compile_time(item.item) for item in node.items)
                self.guarded += guards
                self.compile_time += eager
                left = self.block(statements(node.body))
                self.guarded -= guards
                self.compile_time -= eager
                return left
            case cst.Try() | cst.TryStar():
                return self._try(node)
            case cst.Match():
                return self._match(node)
            case cst.FunctionDef():
                self.define(node)
            case cst.ClassDef():
                self.env.pop(node.name.value, None)
        return False

    def _is_compile_time(self, node: cst.BaseExpression) -> bool:
        """Whether a context manager makes JAX compute at once, inside a trace too."""
        if not isinstance(node, cst.Call):
            return False
        names = [item.dotted for item in refer(node.func, self.scope) if isinstance(item, Imported)]
        return names == ["jax.ensure_compile_time_eval"]

    def define(self, node: cst.FunctionDef) -> None:
        """Bind a function that is defined here, and note the trace that its decorators start."""
        ref = self.flow.function(node, self.scope, self.piece, self.ref.cls)
        for decorator in node.decorators:
            self.evaluate(decorator.decorator)
        for parameter in parameters(node):
            if parameter.default is not None:
                self.evaluate(parameter.default)
        if ref.trace is not None:
            calls.start(self, ref.trace)
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
        names = {name for env in going for name in env}
        self.env = {name: join(env.get(name, UNKNOWN) for env in going) for name in names}
        return False

    def _if(self, node: cst.If) -> bool:
        self.evaluate(node.test)
        unchanged = dict(self.env)
        self._narrow(node.test)
        body = self._branch(statements(node.body))
        self.env = unchanged
        match node.orelse:
            case cst.If():
                orelse = self._branch([node.orelse])
            case cst.Else():
                orelse = self._branch(statements(node.orelse.body))
            case _:
                orelse = (dict(self.env), False)
        return self._merge([body, orelse])

    def _narrow(self, test: cst.BaseExpression) -> None:
        """Give a name the type that ``isinstance`` tells."""
        match test:
            case cst.Call(
                func=cst.Name(value="isinstance"),
                args=[cst.Arg(value=cst.Name() as name), cst.Arg(value=kind)],
            ):
                cls = self.base(kind).made if isinstance(kind, cst.Name | cst.Attribute) else None
                if isinstance(cls, ModelClass) and name.value in self.env:
                    self.env[name.value] = replace(self.env[name.value], type=cls)
            case cst.BooleanOperation(operator=cst.And()):
                self._narrow(test.left)
                self._narrow(test.right)

    def _loop(self, once: "calls.Once") -> None:
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
            left = self.block(statements(node.finalbody.body)) or left
        return left

    def _match(self, node: cst.Match) -> bool:
        subject = self.evaluate(node.subject)
        branches = [(dict(self.env), False)]
        for case in node.cases:
            before = dict(self.env)
            self._capture(case.pattern, subject)
            if case.guard is not None:
                self.evaluate(case.guard)
            branches.append(self._branch(statements(case.body)))
            self.env = before
        last = node.cases[-1].pattern if node.cases else None
        if isinstance(last, cst.MatchAs) and last.pattern is None:
            branches = branches[1:]
        return self._merge(branches)

    def _capture(self, pattern: cst.MatchPattern, subject: Value) -> None:
        match pattern:
            case cst.MatchAs():
                if pattern.pattern is not None:
                    self._capture(pattern.pattern, subject)
                if pattern.name is not None:
                    self.env[pattern.name.value] = subject
            case cst.MatchClass():
                for item in pattern.kwds:
                    self._capture(item.pattern, self.member(subject, item.key.value))
                for positional in pattern.patterns:
                    self._capture(positional.value, replace(UNKNOWN, depends=subject.depends))
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

    # Targets

    def assign(self, target: cst.BaseExpression, value: Value, node: cst.CSTNode) -> None:
        """Store a value in a target; ``node`` is where to report the store."""
        match target:
            case cst.Name():
                self.assign_name(target.value, value, node)
            case cst.Attribute():
                owner = self.base(target.value)
                calls.set_attribute(self, owner, target.attr.value, value, node, target)
            case cst.Subscript():
                self._set_item(target, value, node)
            case cst.Tuple() | cst.List():
                for index, element in enumerate(target.elements):
                    if isinstance(element, cst.StarredElement):
                        rest = replace(holding(value), each=self.element(value))
                        self.assign(element.value, rest, node)
                    else:
                        self.assign(element.value, self.element(value, index), node)

    def _set_item(self, target: cst.Subscript, value: Value, node: cst.CSTNode) -> None:
        for part in target.slice:
            self._index(part.slice)
        owner = calls.dict_owner(self, target.value)
        if owner is not None:
            key = string_value(_only_index(target)) or ANY
            calls.set_attribute(self, owner, key, value, node, target, bypass=True)
            return
        base = self.base(target.value)
        name = target.value
        if base.type is None and base.places and isinstance(name, cst.Name):
            if name.value in self.arrays and name.value in self.env:
                listed = isinstance(node, cst.Assign) and isinstance(node.value, cst.List)
                base = replace(base, type=Shape.CONTAINER if listed else Shape.ARRAY)
        self.write_item(base, value, node, name, target)

    def write_item(
        self,
        base: Value,
        value: Value,
        node: cst.CSTNode,
        name: cst.BaseExpression,
        target: cst.Subscript | None = None,
        sure: bool = False,
    ) -> None:
        """Record a change of an element of a container, or of an array."""
        if base.type is Shape.ARRAY:
            if self.guarded:
                return
            places = {place.member(ELEMENT) for place in base.places} or {ARRAYS}
            for place in places:
                self._write(place, Form.ARRAY, node, target or name, value)
            return
        if isinstance(name, cst.Name) and name.value in self.env and not base.places:
            self.env[name.value] = replace(base, holds=base.holds | value.out)
        known = sure or base.type is Shape.CONTAINER
        if target is not None and string_value(_only_index(target)) is not None:
            known = known or base.type is None
        form = Form.ITEM if known else Form.UNKNOWN_ITEM
        if base.certain and base.type not in (Shape.REFERENCE, Shape.PACKED):
            for place in base.places:
                self._write(place.member(ELEMENT), form, node, target or name, value)
        for place in base.places:
            stored = self.heap.get(place.member(ELEMENT))
            self.heap[place.member(ELEMENT)] = value if stored is None else join([stored, value])

    def _annotated(self, node: cst.AnnAssign) -> None:
        if node.value is None:
            return
        value = self.evaluate(node.value)
        kind, element = annotated(self.model, node.annotation.annotation, self.scope)
        if kind is not None and value.type is None:
            value = replace(value, type=kind, element=element)
        self.assign(node.target, value, node)

    def _augmented(self, node: cst.AugAssign) -> None:
        added = self.evaluate(node.value)
        match node.target:
            case cst.Name():
                old = self.lookup(node.target)
                self.read(old, node.target.value)
                grows = old.type is Shape.CONTAINER or isinstance(
                    node.value, cst.List | cst.ListComp | cst.Dict | cst.Set
                )
                if grows and old.places and node.target.value not in self.declared_outer:
                    self.write_item(old, added, node, node.target, sure=True)
                    return
                plain = added.plain and old.type is None
                value = replace(computed(old, added), plain=plain, type=_array(old, added))
                if grows:
                    value = replace(value, holds=old.holds | added.out, type=Shape.CONTAINER)
                self.assign_name(node.target.value, value, node)
            case cst.Attribute():
                owner = self.base(node.target.value)
                old = self.member(owner, node.target.attr.value)
                self.read(old)
                self.order += 1
                if old.type is Shape.CONTAINER:
                    self.write_item(old, added, node, node.target, sure=True)
                else:
                    plain = added.plain and old.type is None
                    value = replace(computed(old, added), plain=plain)
                    name = node.target.attr.value
                    calls.set_attribute(self, owner, name, value, node, node.target)
            case cst.Subscript():
                old = self.evaluate(node.target)
                self.order += 1
                value = replace(computed(old, added), plain=added.plain)
                self._set_item(node.target, value, node)

    def _delete(self, target: cst.BaseExpression, node: cst.CSTNode) -> None:
        match target:
            case cst.Name():
                self.env.pop(target.value, None)
            case cst.Attribute():
                owner = self.base(target.value)
                calls.set_attribute(
                    self, owner, target.attr.value, PLAIN, node, target, deleting=True
                )
            case cst.Subscript():
                base = self.base(target.value)
                if base.type is not Shape.ARRAY:
                    self.write_item(base, PLAIN, node, target.value, target)
            case cst.Tuple() | cst.List():
                for element in target.elements:
                    self._delete(element.value, node)

    def _write(
        self,
        place: Place,
        form: Form,
        node: cst.CSTNode,
        target: cst.CSTNode,
        value: Value,
        owner: Value = UNKNOWN,
        raw: bool = False,
    ) -> None:
        self._record(
            Write(
                place,
                form,
                node,
                self.piece,
                cst.Module([]).code_for_node(target).strip(),
                value.plain,
                value.depends,
                self.order,
                source=value.places,
                raw=raw,
                cls=owner.cls(),
                is_named=owner.function is not None or owner.made is not None,
            )
        )

    def _record(self, write: Write) -> None:
        write = replace(write, order=self.order)
        key = (write.node, write.place, write.trace)
        known = self.writes.get(key)
        if known is None:
            self.writes[key] = write
        elif known.plain and not write.plain:
            self.writes[key] = replace(known, plain=False, depends=known.depends | write.depends)

    def write_member(
        self,
        owner: Value,
        name: str,
        value: Value,
        node: cst.CSTNode,
        target: cst.CSTNode,
        raw: bool,
    ) -> None:
        """Record a change of an attribute."""
        for place in owner.places:
            if owner.certain:
                here = place.member(name)
                self._write(here, Form.ATTRIBUTE, node, target, value, owner, raw)
            self.heap[place.member(name)] = value

    def fill_cache(self, owner: Value, name: str, node: cst.Attribute) -> None:
        """Record that reading a cached property fills it."""
        variable = self._variable_place(node)
        self.filled |= {place.member(name) for place in owner.places}
        self.filled |= {variable} if variable is not None else set()
        if self.compile_time:
            return
        for place in owner.places if owner.certain else ():
            self._write(place.member(name), Form.CACHE, node, node, UNKNOWN, owner)

    def call_cached(self, ref: FunctionRef, node: cst.CSTNode) -> None:
        """Record a call of a function whose results are kept."""
        if not self.compile_time:
            place = Place(Root(None, ref.name))
            self._write(place.member("()"), Form.CALL, node, node, UNKNOWN)

    def adopt(self, write: Write, places: Iterable[Place]) -> None:
        """Take over a write of something that was called, at the places that it has here."""
        for place in places:
            self._record(replace(write, place=place, order=self.order))

    # Reading

    def read(self, value: Value, name: str | None = None) -> None:
        """Note that a value is read whole, or handed on."""
        self.order += 1
        for place in value.out:
            self.reads[place, False] = self.order
        if name is not None:
            self.reads[Place(Root(self.owner, name)), True] = self.order

    def read_places(self, places: Iterable[Place], direct: bool = True) -> None:
        """Note that places are read."""
        self.order += 1
        for place in places:
            self.reads[place, direct] = self.order

    def read_elements(self, owner: Value, node: cst.BaseExpression) -> None:
        """Note that all elements of a container are read."""
        self.read_places(place.member(ELEMENT) for place in owner.places | owner.copies)
        variable = self._variable_place(node)
        if variable is not None:
            self.read_places([variable])

    def _variable_place(self, node: cst.BaseExpression) -> Place | None:
        """The place of an expression by its spelling: for objects that are made here."""
        match node:
            case cst.Name() if node.value in self.env:
                return Place(Root(self.owner, node.value))
            case cst.Attribute():
                owner = self._variable_place(node.value)
                return owner.member(node.attr.value) if owner is not None else None
            case cst.Subscript():
                owner = self._variable_place(node.value)
                return owner.member(ELEMENT) if owner is not None else None
        return None

    def member(self, owner: Value, name: str) -> Value:
        """An attribute of a value, without reading it."""
        if name in owner.members:
            return owner.members[name]
        if owner.dotted is not None:
            return Value(dotted=f"{owner.dotted}.{name}", places=owner.places)
        cls = owner.cls()
        if isinstance(owner.made, ModelClass):
            method = owner.made.method(name)
            if method is not None:
                ref = self.flow.function(method, owner.made.scope, owner.made.piece, owner.made)
                return Value(function=ref, plain=True)
        if cls is not None:
            method = cls.method(name)
            if method is not None and not calls.is_property(cls, method):
                ref = self.flow.function(method, cls.scope, cls.piece, cls)
                if cls.is_instance_method(method):
                    ref = replace(ref, bound=(owner, *ref.bound), is_method=True)
                return Value(function=ref, depends=owner.depends)
        elif name in STATIC_ATTRIBUTES:
            return PLAIN
        else:
            guessed = self.flow.only_class_with(name) if owner.type is None else None
            if guessed is not None and owner.function is None and owner.items is None:
                return self.member(replace(owner, type=guessed), name)
        return self._stored(owner, name, cls)

    def _stored(self, owner: Value, name: str, cls: ModelClass | None) -> Value:
        kind, element = field_type(cls, name) if cls is not None else (None, None)
        step = f"{STATIC}{name}" if cls is not None and name in static_fields(cls) else name
        places = frozenset(place.member(step) for place in owner.places | owner.copies)
        known = [self.heap[place] for place in places if place in self.heap]
        if known and len(known) == len(places):
            return join(known)
        if owner.type is Shape.ARRAY:
            kind = Shape.ARRAY
        certain = owner.certain and bool(places)
        plain = cls is not None and starts_as_number(cls, name)
        return Value(
            places=places,
            certain=certain,
            type=kind,
            element=element,
            depends=owner.depends,
            plain=plain,
        )

    def element(self, owner: Value, index: int | None = None) -> Value:
        """An element of a value."""
        if owner.items is not None:
            if index is not None and index < len(owner.items):
                return owner.items[index]
            return join(owner.items)
        if owner.each is not None:
            return owner.each
        if owner.type is Shape.ARRAY:
            return replace(computed(owner), type=Shape.ARRAY)
        step = ELEMENT if index is None else f"[{index}]"
        places = frozenset(place.member(step) for place in owner.places | owner.copies)
        known = [self.heap[place] for place in places if place in self.heap]
        if known and len(known) == len(places):
            return join(known)
        return Value(
            places=places,
            certain=owner.certain and bool(places),
            holds=frozenset() if places else owner.holds,
            type=owner.element,
            depends=owner.depends,
            plain=owner.plain,
        )

    # Expressions

    def base(self, node: cst.BaseExpression) -> Value:
        """The value of an expression of which only a member is wanted: it is not read whole."""
        kind = type(node)
        if kind is cst.Name:
            return self.lookup(cast("cst.Name", node))
        if kind is cst.Attribute:
            attribute = cast("cst.Attribute", node)
            return calls.get_attribute(self, self.base(attribute.value), attribute)
        if kind is cst.Subscript:
            return self._subscript(cast("cst.Subscript", node))
        return self.evaluate(node)

    def evaluate(self, node: cst.BaseExpression) -> Value:
        """The value of an expression, which is read."""
        follow = _EXPRESSIONS.get(type(node))
        return UNKNOWN if follow is None else follow(self, node)

    def _name(self, node: cst.Name) -> Value:
        value = self.lookup(node)
        self.read(value, node.value)
        return value

    def _attribute(self, node: cst.Attribute) -> Value:
        owner = self.base(node.value)
        value = calls.get_attribute(self, owner, node)
        self.read(value)
        here = [place.member(node.attr.value) for place in owner.places | owner.copies]
        variable = self._variable_place(node)
        self.read_places([*here, variable] if variable is not None else here)
        return value

    def _item(self, node: cst.Subscript) -> Value:
        value = self._subscript(node)
        self.read(value)
        self.read_elements(self.base(node.value), node)
        return value

    def _literal(self, _: cst.BaseExpression) -> Value:
        return PLAIN

    def _formatted(self, node: cst.FormattedString) -> Value:
        for part in node.parts:
            if isinstance(part, cst.FormattedStringExpression):
                self.evaluate(part.expression)
        return PLAIN

    def _binary(self, node: cst.BinaryOperation) -> Value:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        return self.computes(replace(computed(left, right), type=_array(left, right)))

    def _boolean(self, node: cst.BooleanOperation) -> Value:
        return join([self.evaluate(node.left), self.evaluate(node.right)])

    def _unary(self, node: cst.UnaryOperation) -> Value:
        inner = self.evaluate(node.expression)
        return replace(computed(inner), type=_array(inner))

    def _comparison(self, node: cst.Comparison) -> Value:
        values = [self.evaluate(node.left)]
        values += [self.evaluate(item.comparator) for item in node.comparisons]
        identity = all(isinstance(item.operator, cst.Is | cst.IsNot) for item in node.comparisons)
        return PLAIN if identity else computed(*values)

    def _conditional(self, node: cst.IfExp) -> Value:
        self.evaluate(node.test)
        return join([self.evaluate(node.body), self.evaluate(node.orelse)])

    def _walrus(self, node: cst.NamedExpr) -> Value:
        value = self.evaluate(node.value)
        self.assign(node.target, value, node)
        return value

    def _lambda(self, node: cst.Lambda) -> Value:
        return Value(function=FunctionRef(node, self.scope, self.piece), plain=True)

    def _await(self, node: cst.Await) -> Value:
        return self.evaluate(node.expression)

    def _yield(self, node: cst.Yield) -> Value:
        if isinstance(node.value, cst.From):
            self.results.append(self.evaluate(node.value.item))
        elif node.value is not None:
            self.results.append(self.evaluate(node.value))
        return UNKNOWN

    def _sequence(self, node: cst.Tuple | cst.List | cst.Set) -> Value:
        items = []
        starred = False
        for element in node.elements:
            value = self.evaluate(element.value)
            starred = starred or isinstance(element, cst.StarredElement)
            items.append(value)
        value = holding(*items)
        if isinstance(node, cst.Tuple):
            return replace(value, items=None if starred else tuple(items))
        return replace(value, type=Shape.CONTAINER, items=None if starred else tuple(items))

    def _dict(self, node: cst.Dict) -> Value:
        values = []
        for element in node.elements:
            value = self.evaluate(element.value)
            if isinstance(element, cst.DictElement):
                self.evaluate(element.key)
            else:
                value = replace(value, places=frozenset(), copied=self.copy_of(value, shallow=True))
            values.append(value)
        return replace(holding(*values), type=Shape.CONTAINER)

    def _comprehension(self, node: cst.BaseComp) -> Value:
        before = dict(self.env)

        def once() -> None:
            here: cst.CompFor | None = node.for_in
            while here is not None:
                element = calls.iterated(self, here.iter)
                self._bind_local(here.target, element)
                for condition in here.ifs:
                    self.evaluate(condition.test)
                here = here.inner_for_in

        once()
        if isinstance(node, cst.DictComp):
            value = holding(self.evaluate(node.key), self.evaluate(node.value))
        elif isinstance(node, cst.ListComp | cst.SetComp | cst.GeneratorExp):
            elt = self.evaluate(node.elt)
            value = replace(holding(elt), each=elt)
        else:
            value = UNKNOWN
        walrus = {name for name in self.env if name in self.bound}
        self.env = {**before, **{n: self.env[n] for n in walrus if n not in before}}
        return replace(value, type=Shape.CONTAINER)

    def _bind_local(self, target: cst.BaseExpression, value: Value) -> None:
        match target:
            case cst.Name():
                self.env[target.value] = value
            case cst.Tuple() | cst.List():
                for index, element in enumerate(target.elements):
                    self._bind_local(element.value, self.element(value, index))

    def _subscript(self, node: cst.Subscript) -> Value:
        base = self.base(node.value)
        for part in node.slice:
            self._index(part.slice)
        index = _only_index(node)
        number = int(index.value) if isinstance(index, cst.Integer) else None
        if isinstance(node.slice[0].slice, cst.Slice):
            return replace(holding(base), type=base.type, copies=base.places | base.copies)
        return self.element(base, number)

    def _index(self, node: cst.BaseSlice) -> None:
        if isinstance(node, cst.Index):
            self.evaluate(node.value)
        elif isinstance(node, cst.Slice):
            for item in (node.lower, node.upper, node.step):
                if item is not None:
                    self.evaluate(item)

    def copy_of(self, source: Value, shallow: bool) -> frozenset[Copied]:
        """The mark of a copy that is made here."""
        self.order += 1
        places = source.places | source.holds
        return source.copied | {Copied(place, self.order, shallow) for place in places}

    def computes(self, value: Value) -> Value:
        """Note that an array is computed here, unless JAX computes it at once."""
        if value.type is Shape.ARRAY and not self.compile_time:
            self.makes_arrays = True
        return value

    def is_construction_of(self, owner: Value) -> bool:
        """Whether this function makes the object that is written."""
        cls = self.ref.cls
        if cls is None or not isinstance(self.node, cst.FunctionDef) or not self.parameters:
            return False
        own = Place(Root(self.owner, self.parameters[0].name)) in owner.places
        name = self.node.name.value
        return own and (name in CONSTRUCTION or name in calls.construction_helpers(cls))

    def refuses(self, owner: Value, attribute: str, deleting: bool) -> tuple[str, Kind] | None:
        """The class of a value that does not let an attribute be assigned, and its kind."""
        if isinstance(owner.type, Kind):
            return owner.type.label, owner.type
        cls = owner.cls()
        if cls is None or cls.making is None or not is_frozen(cls, attribute):
            return None
        kind = cls.making.kind
        if cls.method("__setattr__") is not None or (deleting and not kind.sealed):
            return None
        if self.is_construction_of(owner) and not kind.sealed:
            return None
        return f"{cls.name}, {cls.making.by}", kind

    def is_cached(self, cls: ModelClass, name: str) -> bool:
        """Whether an attribute of a class is a cached property."""
        for owner in cls.lineage:
            for cache in owner.caches:
                if cache.attribute == name and cache.form is CacheForm.PROPERTY:
                    return True
            if name in owner.members:
                return False
        return False


def numbered(value: Value, number: int) -> Value:
    """An element as one round of a loop sees it: not the one of another round."""

    def step(place: Place) -> Place:
        if place.path[-1:] == (ELEMENT,):
            return Place(place.root, (*place.path[:-1], f"[#{number}]"))
        return place

    items = value.items
    if items is not None:
        items = tuple(numbered(item, number) for item in items)
    return replace(value, places=frozenset(map(step, value.places)), items=items)


def _overlap(one: Place, other: Place) -> bool:
    return one.covers(other) or other.covers(one)


def _catches(node: cst.BaseExpression | None) -> bool:
    """Whether a handler is there for what a forbidden assignment raises."""
    if isinstance(node, cst.Tuple):
        return any(_catches(element.value) for element in node.elements)
    return node is None or last_part(node) in _REFUSALS


def _expects_error(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Call) and last_part(node.func) in {"raises", "suppress"}


_EXPRESSIONS: "dict[type[cst.CSTNode], Callable[[Frame, Any], Value]]" = {
    cst.Name: Frame._name,
    cst.Attribute: Frame._attribute,
    cst.Subscript: Frame._item,
    cst.Call: calls.call,
    cst.Integer: Frame._literal,
    cst.Float: Frame._literal,
    cst.Imaginary: Frame._literal,
    cst.SimpleString: Frame._literal,
    cst.ConcatenatedString: Frame._literal,
    cst.Ellipsis: Frame._literal,
    cst.FormattedString: Frame._formatted,
    cst.BinaryOperation: Frame._binary,
    cst.BooleanOperation: Frame._boolean,
    cst.UnaryOperation: Frame._unary,
    cst.Comparison: Frame._comparison,
    cst.IfExp: Frame._conditional,
    cst.NamedExpr: Frame._walrus,
    cst.Tuple: Frame._sequence,
    cst.List: Frame._sequence,
    cst.Set: Frame._sequence,
    cst.Dict: Frame._dict,
    cst.ListComp: Frame._comprehension,
    cst.SetComp: Frame._comprehension,
    cst.GeneratorExp: Frame._comprehension,
    cst.DictComp: Frame._comprehension,
    cst.Lambda: Frame._lambda,
    cst.Await: Frame._await,
    cst.Yield: Frame._yield,
}
"""How each kind of expression is followed; by type, since libcst's classes are slow to match."""


def _array(*values: Value) -> Shape | None:
    return Shape.ARRAY if any(value.type is Shape.ARRAY for value in values) else None


def _only_index(node: cst.Subscript) -> cst.BaseExpression | None:
    if len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
        return node.slice[0].slice.value
    return None
