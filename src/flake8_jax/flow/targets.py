"""Assignments: names, attributes, elements, and what they are taken from."""

from functools import cached_property
from typing import Any

import libcst as cst

from flake8_jax.flow.attributes import dict_owner, set_attribute
from flake8_jax.flow.expressions import Expressions, array
from flake8_jax.flow.guards import both, either
from flake8_jax.flow.keys import is_of_array, keys
from flake8_jax.flow.state import only_index
from flake8_jax.flow.types import annotated, is_container
from flake8_jax.flow.values import (
    ANY,
    ARRAYS,
    CONTAINERS,
    ELEMENT,
    KEY_OF_A_ROUND,
    PLAIN,
    UNKNOWN,
    Form,
    Shape,
    Value,
    changed,
    computed,
    holding,
    join,
)
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import (
    ARRAY_ATTRIBUTES,
    ARRAY_MAKERS,
    DEQUE_METHODS,
    NEVER_TRACED,
    TAKES_CONTAINERS,
)
from flake8_jax.knowledge.values import STATIC_ATTRIBUTES
from flake8_jax.names import refer
from flake8_jax.scopes import Imported
from flake8_jax.syntax import is_name, string_value, walk

_NOT_OF_LISTS = frozenset({cst.Subtract, cst.Divide, cst.MatrixMultiply, cst.Power})
"""Operators that arrays know and lists do not."""


_OPAQUE = Value(type=Shape.OPAQUE)


def _dotted(node: cst.BaseExpression) -> str | None:
    """A name, or an attribute of one, as it is spelled."""
    if type(node) is cst.Attribute and (owner := _dotted(node.value)) is not None:
        return f"{owner}.{node.attr.value}"
    return node.value if type(node) is cst.Name else None


class Targets(Expressions):
    """Follows assignments and deletions."""

    def assign(self, target: cst.BaseExpression, value: Value, node: cst.CSTNode) -> None:
        """Store a value in a target; ``node`` is where to report the store."""
        match target:
            case cst.Name():
                self.assign_name(target.value, value, node)
            case cst.Attribute():
                owner = self.base(target.value)
                set_attribute(self, owner, target.attr.value, value, node, target)
            case cst.Subscript():
                self._set_item(target, value, node)
            case cst.Tuple() | cst.List():
                starred = False
                for index, element in enumerate(target.elements):
                    if isinstance(element, cst.StarredElement):
                        rest = changed(holding(value), each=self.element(value))
                        self.assign(element.value, rest, node)
                        starred = True
                    elif starred:  # counted from the end
                        behind = len(value.items or ()) - len(target.elements) + index
                        known = behind if value.items is not None and behind >= 0 else None
                        self.assign(element.value, self.element(value, known), node)
                    else:
                        self.assign(element.value, self.element(value, index), node)

    def _walrus(self, node: cst.NamedExpr) -> Value:
        value = self.evaluate(node.value)
        self.assign(node.target, value, node)
        return value

    def _set_item(self, target: cst.Subscript, value: Value, node: cst.CSTNode) -> None:
        for part in target.slice:
            self._index(part.slice)
        owner = dict_owner(self, target.value)
        if owner is not None:
            key = string_value(only_index(target)) or ANY
            set_attribute(self, owner, key, value, node, target, bypass=True)
            return
        base = self.base(target.value)
        name = target.value
        if base.type is None and base.places and isinstance(name, cst.Name):
            if name.value in self.arrays and name.value in self.env:
                if isinstance(node, cst.Assign) and isinstance(node.value, cst.List):
                    base = changed(base, type=Shape.CONTAINER)
                elif name.value in self._whole and name.value not in self.otherwise_annotated:
                    base = changed(base, numeric=True)
        self.write_item(base, value, node, name, target)

    @cached_property
    def _whole(self) -> frozenset[str]:
        """The names that are used as a whole, and so are no references: those have elements only.

        A reference can neither be computed with nor be handed back by what is traced.
        """
        found: list[cst.CSTNode] = []
        for node in walk(self.node.body):
            match node:
                case cst.BinaryOperation():
                    found += [node.left, node.right]
                case (
                    cst.UnaryOperation(expression=value)
                    | cst.AugAssign(value=value)
                    | cst.Assign(value=value)
                ):
                    found.append(value)
                case cst.Comparison():
                    found += [node.left, *(item.comparator for item in node.comparisons)]
                case cst.Return(value=cst.Tuple(elements=elements)):
                    found += [element.value for element in elements]
                case cst.Return(value=cst.BaseExpression() as value):
                    found.append(value)
                case cst.Attribute(attr=cst.Name(value=attribute)):
                    if attribute in ARRAY_ATTRIBUTES and attribute not in STATIC_ATTRIBUTES:
                        found.append(node.value)
                case cst.Call() if self._makes_arrays(node.func) or self._is_eager(node.func):
                    found += [item.value for item in node.args]
        return frozenset(node.value for node in found if isinstance(node, cst.Name))

    def _has_at(self, name: cst.Name) -> bool:
        """Whether the function also updates the name as JAX wants it: then this is for numpy."""
        return "at" in self.piece.block.words and any(
            isinstance(node, cst.Attribute)
            and node.attr.value == "at"
            and is_name(node.value, name.value)
            for node in walk(self.node.body)
        )

    def write_item(
        self,
        base: Value,
        value: Value,
        node: cst.CSTNode,
        name: cst.BaseExpression,
        target: cst.Subscript | None = None,
        sure: bool = False,
        key: str | None = None,
    ) -> None:
        """Record a change of an element of a container, or of an array."""
        if isinstance(name, cst.Name) and target is not None and self._has_at(name):
            return
        if base.type is Shape.ARRAY and target is not None and string_value(only_index(target)):
            base = changed(base, type=None)
        if base.type is Shape.ARRAY:
            if self.guarded:
                return
            places = {place.member(ELEMENT) for place in base.places} or {ARRAYS}
            for place in places:
                self._write(place, Form.ARRAY, node, target or name, value, base)
            return
        if base.numeric and not base.plain and target is not None:
            if string_value(only_index(target)) is None:
                if not self.guarded:
                    places = {place.member(ELEMENT) for place in base.places} or {ARRAYS}
                    told = changed(value, depends=base.depends)
                    for place in places:
                        self._write(place, Form.ARRAY, node, target, told)
                return
        if isinstance(name, cst.Name) and name.value in self.env and not base.places:
            self.env[name.value] = changed(
                base,
                holds=base.holds | value.out,
                depends=base.depends | value.depends,
                plain=base.plain and value.plain,
                **(self._replaced(base, value, target) if base.certain else {}),
            )
            self.flow.passes(self.owner, {name.value: value})
        known = sure or base.type in CONTAINERS
        if target is not None and string_value(only_index(target)) is not None:
            known = known or base.type is None
        index = only_index(target) if target is not None else None
        if isinstance(index, cst.Name) and base.type is None:
            known = known or index.value in self.dict_keys
        form = Form.ITEM if known else Form.UNKNOWN_ITEM
        step = self.step(target) if key is None else f"[{key!r}]"
        cls = base.cls()
        opaque = base.type is Shape.OPAQUE or (base.type is None and _dotted(name) in self.deques)
        opaque = opaque or (cls is not None and cls.making is None and is_container(cls))
        owner = _OPAQUE if opaque else UNKNOWN
        if base.certain and base.type not in (Shape.REFERENCE, Shape.PACKED):
            for place in base.places:
                self._write(place.member(step), form, node, target or name, value, owner)
        for place in base.places:
            stored = self.heap.get(place.member(step))
            self.heap[place.member(step)] = value if stored is None else join([stored, value])

    def _replaced(self, base: Value, value: Value, target: cst.Subscript | None) -> dict[str, Any]:
        """What is known of the elements of a new container when one of them is changed."""
        step = self.step(target)
        if step != ELEMENT and not step.startswith(KEY_OF_A_ROUND):
            return {"members": {**base.members, step: value}}
        members = {name: item for name, item in base.members.items() if not name.startswith("[")}
        if target is None:  # by a method, perhaps all of them
            return {"members": members}
        parts = [*(base.items or ()), *([base.each] if base.each is not None else ())]
        parts += [item for name, item in base.members.items() if name.startswith("[")]
        return {
            "members": members,
            "items": None,
            "each": join([*parts, value]) if parts else None,
        }

    @cached_property
    def arrays(self) -> frozenset[str]:
        """The names that are used as only arrays are: ``x.shape``, ``x[:, 0]``, ``x[1:] - y``."""
        found, others = set(), set()
        for node in walk(self.node.body):
            match node:
                case cst.Assign(
                    targets=[cst.AssignTarget(target=cst.Name(value=name))],
                    value=cst.Call() as call,
                ) if self._is_eager(call.func):
                    others.add(name)
                case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=attribute)):
                    if attribute in ARRAY_ATTRIBUTES:
                        found.add(name)
                case cst.Subscript(value=cst.Name(value=name)):
                    if len(node.slice) > 1 and is_of_array(node.slice, self._keys, self.scope):
                        found.add(name)
                case cst.BinaryOperation() if type(node.operator) in _NOT_OF_LISTS:
                    for side in (node.left, node.right):
                        if isinstance(side, cst.Subscript) and isinstance(side.value, cst.Name):
                            if isinstance(side.slice[0].slice, cst.Slice):
                                found.add(side.value.value)
                case cst.Call() if self._makes_arrays(node.func):
                    names = [item.value for item in node.args if isinstance(item.value, cst.Name)]
                    found.update(name.value for name in names if isinstance(name, cst.Name))
        return frozenset(found - others)

    @cached_property
    def deques(self) -> frozenset[str | None]:
        """The names and attributes that are used as only a deque is."""
        if DEQUE_METHODS.isdisjoint(self.piece.block.words):
            return frozenset()
        return frozenset(
            _dotted(node.value)
            for node in walk(self.node.body)
            if type(node) is cst.Attribute and node.attr.value in DEQUE_METHODS
        ) - {None}

    @cached_property
    def _keys(self) -> frozenset[str]:
        return keys(self.node.body)

    def _is_eager(self, node: cst.BaseExpression) -> bool:
        """Whether a function computes with numpy: then a name is used as an array of that is."""
        return any(
            isinstance(referent, Imported) and canonical(referent.dotted).startswith(NEVER_TRACED)
            for referent in refer(node, self.scope)
        )

    def _makes_arrays(self, node: cst.BaseExpression) -> bool:
        """Whether a function computes with arrays, and does not take containers of them."""
        for referent in refer(node, self.scope):
            if isinstance(referent, Imported):
                package, _, name = canonical(referent.dotted).rpartition(".")
                return package.startswith(ARRAY_MAKERS) and name not in TAKES_CONTAINERS
        return False

    def _annotated(self, node: cst.AnnAssign) -> None:
        if node.value is None:
            return
        value = self.evaluate(node.value)
        kind, element = annotated(self.model, node.annotation.annotation, self.scope)
        if kind is not None and value.type is None:
            value = changed(value, type=kind, element=element)
        self.assign(node.target, value, node)

    def _augmented(self, node: cst.AugAssign) -> None:
        added = self.evaluate(node.value)
        match node.target:
            case cst.Name():
                old = self.lookup(node.target)
                self.read(old, node.target.value)
                grows = old.type in CONTAINERS or isinstance(
                    node.value, cst.List | cst.ListComp | cst.Dict | cst.Set
                )
                if grows and old.places and node.target.value not in self.declared_outer:
                    self.write_item(old, added, node, node.target, sure=True)
                    return
                value = self._sum(old, added)
                if node.target.value not in self.declared_outer:
                    value = changed(value, plain=old.plain and added.plain)
                    if type(node.operator) is cst.BitAndAssign and value.plain:
                        if_true, if_false = both(old, added)
                        value = changed(value, if_true=if_true, if_false=if_false)
                    elif type(node.operator) is cst.BitOrAssign and value.plain:
                        if_true, if_false = either(old, added)
                        value = changed(value, if_true=if_true, if_false=if_false)
                if grows:
                    copied = old.copied | added.copied
                    value = changed(
                        value, holds=old.holds | added.out, copied=copied, type=Shape.CONTAINER
                    )
                self.assign_name(node.target.value, value, node)
            case cst.Attribute():
                owner = self.base(node.target.value)
                old = self.member(owner, node.target.attr.value)
                self.read(old)
                self.order += 1
                name = node.target.attr.value
                refused = self.refuses(owner, name, deleting=False) is not None
                if old.type in CONTAINERS and not refused:
                    self.write_item(old, added, node, node.target, sure=True)
                else:
                    value = self._sum(old, added)
                    set_attribute(self, owner, name, value, node, node.target)
            case cst.Subscript():
                old = self.evaluate(node.target)
                self.order += 1
                self._set_item(node.target, self._sum(old, added), node)

    def _sum(self, old: Value, added: Value) -> Value:
        """What ``old += added`` makes; an object that comes from elsewhere may be a number."""
        number = old.plain or (old.type is None and (bool(old.places) or not old.certain))
        number = number and not old.of_arrays
        made = changed(computed(old, added), plain=added.plain and number, type=array(old, added))
        return self.stages(made) if old.of_arrays else self.computes(made)

    def _delete(self, target: cst.BaseExpression, node: cst.CSTNode) -> None:
        match target:
            case cst.Name():
                self.env.pop(target.value, None)
            case cst.Attribute():
                owner = self.base(target.value)
                set_attribute(self, owner, target.attr.value, PLAIN, node, target, deleting=True)
            case cst.Subscript():
                base = self.base(target.value)
                if base.type is not Shape.ARRAY:
                    sure = base.type is None
                    self.write_item(base, PLAIN, node, target.value, target, sure=sure)
            case cst.Tuple() | cst.List():
                for element in target.elements:
                    self._delete(element.value, node)
