"""Expressions: what their values are, and what is read on the way."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar, cast

import libcst as cst

from flake8_jax.flow.attributes import get_attribute
from flake8_jax.flow.builtin_calls import iterated
from flake8_jax.flow.guards import both, either, of_exact_type
from flake8_jax.flow.narrowing import Told, narrow
from flake8_jax.flow.state import State, only_index
from flake8_jax.flow.types import names_a_class
from flake8_jax.flow.values import (
    CONTAINERS,
    PLAIN,
    UNKNOWN,
    Clear,
    FunctionRef,
    Shape,
    Value,
    changed,
    computed,
    holding,
    join,
    without,
)
from flake8_jax.syntax import integer_value, is_name, string_value

_ARITHMETIC = frozenset({cst.Subtract, cst.Multiply, cst.Divide, cst.MatrixMultiply, cst.Power})
"""Operators that, on what a trace brings in, make arrays; lists know the one of them only."""

_IDENTITY = frozenset({cst.Is, cst.IsNot})
_PLAIN_ANSWERS = frozenset({*_IDENTITY, cst.In, cst.NotIn})
"""Comparisons that give a truth value of Python: of a Tracer they cannot make one."""
_NUMBERS = frozenset({cst.Integer, cst.Float, cst.Imaginary})
_STRINGS = frozenset({cst.SimpleString, cst.ConcatenatedString, cst.FormattedString})


class Expressions(State):
    """Follows expressions."""

    expressions: "ClassVar[Mapping[type[cst.CSTNode], Callable[[Any, Any], Value]]]"
    """How each kind of expression is followed; by type, since libcst's classes match slowly."""

    def base(self, node: cst.BaseExpression) -> Value:
        """The value of an expression of which only a member is wanted: it is not read whole."""
        kind = type(node)
        if kind is cst.Name:
            return self.lookup(cast("cst.Name", node))
        if kind is cst.Attribute:
            attribute = cast("cst.Attribute", node)
            return get_attribute(self, self.base(attribute.value), attribute)
        if kind is cst.Subscript:
            return self._subscript(cast("cst.Subscript", node))
        return self.evaluate(node)

    def evaluate(self, node: cst.BaseExpression) -> Value:
        """The value of an expression, which is read."""
        if self.repeating and node in self.followed:
            return self.followed[node]
        follow = self.expressions.get(type(node))
        value = UNKNOWN if follow is None else follow(self, node)
        self.followed[node] = value
        return value

    def again(self, node: cst.BaseExpression) -> Value:
        """The value of an expression that was followed just now.

        Nothing in it is followed a second time: in an expression that is nested, second times
        would multiply.
        """
        self.repeating += 1
        try:
            return self.base(node)
        finally:
            self.repeating -= 1

    def _name(self, node: cst.Name) -> Value:
        value = self.lookup(node)
        self.read(value, node.value)
        return value

    def _attribute(self, node: cst.Attribute) -> Value:
        owner = self.base(node.value)
        value = get_attribute(self, owner, node)
        self.read(value)
        here = [place.member(node.attr.value) for place in owner.places | owner.copies]
        variable = self._read_variable(node)
        self.read_places([*here, variable] if variable is not None else here)
        return value

    def _item(self, node: cst.Subscript) -> Value:
        value = self._subscript(node)
        self.read(value)
        owner, step = self.again(node.value), self.step(node)
        here = [place.member(step) for place in owner.places | owner.copies]
        variable = self._read_variable(node)
        self.read_places([*here, variable] if variable is not None else here)
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
        if type(node.left) in _STRINGS:
            return PLAIN
        if left.plain and right.plain and type(node.operator) in (cst.BitAnd, cst.BitOr):
            together = type(node.operator) is cst.BitAnd
            if_true, if_false = both(left, right) if together else either(left, right)
            return changed(computed(left, right), if_true=if_true, if_false=if_false)
        sequence = left.type in CONTAINERS or right.type in CONTAINERS or left.items or right.items
        added = type(node.operator) is cst.Add and _has_number(node)
        sure = (added or type(node.operator) in _ARITHMETIC) and bool(left.depends | right.depends)
        if sequence and type(node.operator) in (cst.Add, cst.BitOr):
            return self._together(left, right)
        numeric = not sequence and (sure or left.numeric or right.numeric)
        made = changed(computed(left, right), type=array(left, right), numeric=numeric)
        named = [side.value for side in (node.left, node.right) if isinstance(side, cst.Name)]
        own = not self.otherwise_annotated.isdisjoint(named)
        if own or left.decides or right.decides:
            return changed(self.computes(made), type=None, numeric=False, certain=False)
        return self.computes(changed(made, doubtful=False))

    @cached_property
    def otherwise_annotated(self) -> frozenset[str]:
        """The parameters that are said to be objects of some class, and so are no arrays."""
        annotations = [(item.name, item.annotation) for item in self.parameters]
        return frozenset(
            name
            for name, annotation in annotations
            if annotation is not None and names_a_class(annotation.annotation, self.scope)
        )

    def _together(self, left: Value, right: Value) -> Value:
        """A new container with the elements of two: ``one + other``, ``one | other``."""
        parts = [
            changed(part, places=frozenset(), copied=self.copy_of(part, shallow=True))
            for part in (left, right)
        ]
        shape = next((item.type for item in (left, right) if item.type in CONTAINERS), None)
        return changed(holding(*parts), type=shape)

    def _boolean(self, node: cst.BooleanOperation) -> Value:
        together = type(node.operator) is cst.And
        left = self.evaluate(node.left)
        told = narrow(self, node.left, holds=together)
        right = self._where(left.if_true if together else left.if_false, node.right)
        told.forget(self)
        if_true, if_false = both(left, right) if together else either(left, right)
        self.note_told(right.if_true | right.if_false)
        value = self._either({node.left: left, node.right: right})
        return changed(value, if_true=if_true, if_false=if_false)

    def _where(self, clear: Clear, node: cst.BaseExpression) -> Value:
        """The value of an expression that is only followed where some variables are no Tracers."""
        outer = self.clear
        self.enter(clear)
        value = without(self.evaluate(node), self.clear)
        self.clear = outer
        return value

    def _either(self, found: Mapping[cst.BaseExpression, Value]) -> Value:
        """One of several values; what is None is written by nobody."""
        nodes, values = list(found), list(found.values())
        objects = [
            value for node, value in zip(nodes, values, strict=True) if not is_name(node, "None")
        ]
        return join(objects or values)

    def _unary(self, node: cst.UnaryOperation) -> Value:
        inner = self.evaluate(node.expression)
        if type(node.operator) is cst.Not:  # of a Tracer, it raises
            return Value(plain=True, if_true=inner.if_false, if_false=inner.if_true)
        return changed(computed(inner), type=array(inner))

    def _comparison(self, node: cst.Comparison) -> Value:
        if (told := of_exact_type(self, node)) is not None:
            return told
        values = [self.evaluate(node.left)]
        values += [self.evaluate(item.comparator) for item in node.comparisons]
        first = node.comparisons[0]
        if type(first.operator) in _IDENTITY and is_name(first.comparator, "None"):
            left = values[0]  # what is true is not None, and None is not true
            if type(first.operator) is cst.Is:
                return changed(PLAIN, if_true=left.if_false, if_false=left.if_true)
            return changed(PLAIN, if_true=left.if_true, if_false=left.if_false)
        if all(type(item.operator) in _PLAIN_ANSWERS for item in node.comparisons):
            return PLAIN
        return computed(*values)

    def _conditional(self, node: cst.IfExp) -> Value:
        test = self.evaluate(node.test)
        optional = self.asks_argument(node.test)
        self.optional += optional
        told = narrow(self, node.test, holds=True)
        body = self._where(test.if_true, node.body)
        told.forget(self)
        told = narrow(self, node.test, holds=False)
        orelse = self._where(test.if_false, node.orelse)
        told.forget(self)
        value = self._either({node.body: body, node.orelse: orelse})
        self.optional -= optional
        return value

    def _lambda(self, node: cst.Lambda) -> Value:
        ref = FunctionRef(node, self.scope, self.piece)
        self.flow.lambdas[node] = ref
        self.flow.summary(ref)  # it may hand something to a transform, whoever calls it
        return Value(function=ref, plain=True)

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
            starred = starred or type(element) is cst.StarredElement
            items.append(value)
        value = holding(*items)
        if type(node) is cst.Tuple:
            return changed(value, items=None if starred else tuple(items))
        return changed(value, type=Shape.CONTAINER, items=None if starred else tuple(items))

    def _dict(self, node: cst.Dict) -> Value:
        values = []
        for element in node.elements:
            value = self.evaluate(element.value)
            if isinstance(element, cst.DictElement):
                self.evaluate(element.key)
            else:
                value = changed(value, places=frozenset(), copied=self.copy_of(value, shallow=True))
            values.append(value)
        whole = not all(isinstance(element, cst.DictElement) for element in node.elements)
        each = None if whole or not values else join(values)
        return changed(holding(*values), type=Shape.CONTAINER, each=each)

    def _comprehension(self, node: cst.BaseComp) -> Value:
        before, outer = dict(self.env), self.clear
        tests: list[Value] = []
        told: list[Told] = []
        here: cst.CompFor | None = node.for_in
        while here is not None:
            self._bind_local(here.target, iterated(self, here.iter))
            for condition in here.ifs:
                tests.append(self.evaluate(condition.test))
                self.enter(tests[-1].if_true)
                told.append(narrow(self, condition.test, holds=True))
            here = here.inner_for_in
        if isinstance(node, cst.DictComp):
            item = without(self.evaluate(node.value), self.clear)
            key = without(self.evaluate(node.key), self.clear)
            value = self._gathered(node, node.value, holding(key, item))
        elif isinstance(node, cst.ListComp | cst.SetComp | cst.GeneratorExp):
            elt = without(self.evaluate(node.elt), self.clear)
            value = changed(self._gathered(node, node.elt, holding(elt)), each=elt)
        else:
            value = UNKNOWN
        self.clear = outer
        for tested in reversed(told):
            tested.forget_places(self)
        if len(tests) == 1:  # there is nothing in it if nothing passed the test
            value = changed(value, if_false=tests[0].if_false)
        walrus = {name for name in self.env if name in self.bound}
        self.env = {**before, **{n: self.env[n] for n in walrus if n not in before}}
        return changed(value, type=Shape.CONTAINER)

    def _gathered(self, node: cst.BaseComp, element: cst.BaseExpression, made: Value) -> Value:
        """A new container; with the elements of another one, it is a copy of that one."""
        walked = node.for_in.iter
        target: cst.BaseExpression = node.for_in.target
        if isinstance(walked, cst.Call) and isinstance(walked.func, cst.Attribute):
            walked = walked.func.value  # the items or values of a dict
        if isinstance(target, cst.Tuple):
            target = target.elements[-1].value
        if not (isinstance(element, cst.Name) and is_name(target, element.value)):
            return made
        return changed(made, copied=made.copied | self.copy_of(self.again(walked), shallow=True))

    def _bind_local(self, target: cst.BaseExpression, value: Value) -> None:
        match target:
            case cst.Name():
                self.env[target.value] = value
            case cst.Tuple() | cst.List():
                for index, element in enumerate(target.elements):
                    self._bind_local(element.value, self.element(value, index))

    def _subscript(self, node: cst.Subscript) -> Value:
        base = self.base(node.value)
        if not self.repeating:
            for part in node.slice:
                self._index(part.slice)
        index = only_index(node)
        if type(node.slice[0].slice) is cst.Slice:
            return changed(holding(base), type=base.type, copies=base.places | base.copies)
        number = integer_value(index)
        return self.element(base, string_value(index) if number is None else number)

    def _index(self, node: cst.BaseSlice) -> None:
        if isinstance(node, cst.Index):
            self.evaluate(node.value)
        elif isinstance(node, cst.Slice):
            for item in (node.lower, node.upper, node.step):
                if item is not None:
                    self.evaluate(item)


def _has_number(node: cst.BinaryOperation) -> bool:
    """Whether one side is a number, which no container can be added to."""
    return type(node.left) in _NUMBERS or type(node.right) in _NUMBERS


def array(*values: Value) -> Shape | None:
    """The type of what is computed from values, if one of them is an array."""
    return Shape.ARRAY if any(value.type is Shape.ARRAY for value in values) else None
