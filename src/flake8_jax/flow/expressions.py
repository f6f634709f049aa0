"""Expressions: what their values are, and what is read on the way."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, cast

import libcst as cst

from flake8_jax.flow.attributes import get_attribute
from flake8_jax.flow.builtin_calls import iterated
from flake8_jax.flow.state import State, only_index
from flake8_jax.flow.values import (
    PLAIN,
    UNKNOWN,
    FunctionRef,
    Shape,
    Value,
    changed,
    computed,
    holding,
    join,
)
from flake8_jax.syntax import is_name, string_value

_ARITHMETIC = frozenset({cst.Subtract, cst.Multiply, cst.Divide, cst.MatrixMultiply, cst.Power})
"""Operators that, on what a trace brings in, make arrays; lists know the one of them only."""

_IDENTITY = frozenset({cst.Is, cst.IsNot})
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
        variable = self._variable_place(node)
        self.read_places([*here, variable] if variable is not None else here)
        return value

    def _item(self, node: cst.Subscript) -> Value:
        value = self._subscript(node)
        self.read(value)
        owner, step = self.again(node.value), self.step(node)
        here = [place.member(step) for place in owner.places | owner.copies]
        variable = self._variable_place(node)
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
        sequence = Shape.CONTAINER in (left.type, right.type) or left.items or right.items
        added = type(node.operator) is cst.Add and _has_number(node)
        sure = (added or type(node.operator) in _ARITHMETIC) and bool(left.depends | right.depends)
        if sequence and type(node.operator) in (cst.Add, cst.BitOr):
            return self._together(left, right)
        numeric = not sequence and (sure or left.numeric or right.numeric)
        made = changed(computed(left, right), type=array(left, right), numeric=numeric)
        return self.computes(made)

    def _together(self, left: Value, right: Value) -> Value:
        """A new container with the elements of two: ``one + other``, ``one | other``."""
        parts = [
            changed(part, places=frozenset(), copied=self.copy_of(part, shallow=True))
            for part in (left, right)
        ]
        shape = Shape.CONTAINER if Shape.CONTAINER in (left.type, right.type) else None
        return changed(holding(*parts), type=shape)

    def _boolean(self, node: cst.BooleanOperation) -> Value:
        return self._either(node.left, node.right)

    def _either(self, *nodes: cst.BaseExpression) -> Value:
        """One of several values; what is None is written by nobody."""
        values = [self.evaluate(node) for node in nodes]
        objects = [
            value for node, value in zip(nodes, values, strict=True) if not is_name(node, "None")
        ]
        return join(objects or values)

    def _unary(self, node: cst.UnaryOperation) -> Value:
        inner = self.evaluate(node.expression)
        return changed(computed(inner), type=array(inner))

    def _comparison(self, node: cst.Comparison) -> Value:
        values = [self.evaluate(node.left)]
        values += [self.evaluate(item.comparator) for item in node.comparisons]
        identity = all(type(item.operator) in _IDENTITY for item in node.comparisons)
        return PLAIN if identity else computed(*values)

    def _conditional(self, node: cst.IfExp) -> Value:
        self.evaluate(node.test)
        optional = self.asks_argument(node.test)
        self.optional += optional
        value = self._either(node.body, node.orelse)
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
        before = dict(self.env)

        def once() -> None:
            here: cst.CompFor | None = node.for_in
            while here is not None:
                element = iterated(self, here.iter)
                self._bind_local(here.target, element)
                for condition in here.ifs:
                    self.evaluate(condition.test)
                here = here.inner_for_in

        once()
        if isinstance(node, cst.DictComp):
            item = self.evaluate(node.value)
            value = self._gathered(node, node.value, holding(self.evaluate(node.key), item))
        elif isinstance(node, cst.ListComp | cst.SetComp | cst.GeneratorExp):
            elt = self.evaluate(node.elt)
            value = changed(self._gathered(node, node.elt, holding(elt)), each=elt)
        else:
            value = UNKNOWN
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
        number = string_value(index) if index is not None else None
        if type(node.slice[0].slice) is cst.Slice:
            return changed(holding(base), type=base.type, copies=base.places | base.copies)
        if type(index) is cst.Integer:
            return self.element(base, int(index.value, 0))
        return self.element(base, number)

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
