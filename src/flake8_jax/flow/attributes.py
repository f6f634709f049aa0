"""Attributes: properties and setters run, frozen classes refuse, caches fill."""

from typing import TYPE_CHECKING, cast

import libcst as cst

from flake8_jax.contents import Holds, cached_contents
from flake8_jax.flow.application import apply
from flake8_jax.flow.values import FrozenWrite, FunctionRef, Here, Value, changed
from flake8_jax.model import ModelClass
from flake8_jax.names import refer
from flake8_jax.scopes import Defined, Scope
from flake8_jax.source import Quote
from flake8_jax.syntax import Function, first_parameter, is_name, last_part, walk

if TYPE_CHECKING:
    from flake8_jax.flow.state import State


_SAME_PROPERTY = frozenset({"getter", "deleter"})
"""Decorators that leave the setter of a property as it is."""


def is_property(cls: ModelClass, function: cst.FunctionDef) -> bool:
    """Whether a method is read as an attribute."""
    return any(
        bool(item.names) and all(name.endswith(("property", ".getter")) for name in item.names)
        for item in cls.decorations(function)
    )


def get_attribute(
    frame: "State", owner: Value, node: cst.Attribute, here: cst.CSTNode | None = None
) -> Value:
    """Read an attribute: a property runs. ``here`` is what stands in the text for the attribute."""
    name = node.attr.value
    here = here or node
    cls = owner.cls()
    if cls is None:
        cls = frame.guess(owner, name)
        if cls is not None:
            owner = changed(owner, type=cls)
    if cls is not None and name not in owner.members:
        method = cls.method(name)
        cache = frame.cache_of(cls, name)
        if cache is not None and isinstance(cache.function, cst.FunctionDef):
            method = cache.function
        if method is not None and (cache is not None or is_property(cls, method)):
            ref = frame.flow.method(cls, method)
            if cache is not None and _keeps_arrays(frame, cls, ref, name):
                frame.fill_cache(owner, name, node, here)
            return apply(frame, changed(ref, bound=(owner,), is_method=True), (), {}, node=here)
    return frame.member(owner, name)


def _keeps_arrays(frame: "State", cls: ModelClass, ref: FunctionRef, name: str) -> bool:
    """Whether a cached property may hold a Tracer when it is first read under a trace.

    The fields of a pytree class are arrays as a rule. A plain class may hold anything, so that its
    property has to be seen to compute with jax.
    """
    heirs = cls.model.heirs(cls)
    if any(_is_there_when_made(item, name) for item in [cls, *heirs]):
        return False
    if cached_contents(ref.node, cls) is not Holds.ANYTHING:
        return False
    if cls.making is not None and not _only_holds(ref.node, ref.scope):
        return True
    return frame.flow.summary(ref).makes_arrays


def _only_holds(function: Function, scope: Scope) -> bool:
    """Whether a function computes nothing: it hands back members, in a new object perhaps."""
    operations = (cst.BinaryOperation, cst.UnaryOperation, cst.Subscript, cst.FormattedString)
    for node in walk(function.body):
        if isinstance(node, operations):
            return False
        if isinstance(node, cst.Call):
            found = refer(node.func, scope)
            if not all(isinstance(i, Defined) and isinstance(i.node, cst.ClassDef) for i in found):
                return False
    return True


def _is_there_when_made(cls: ModelClass, name: str) -> bool:
    """Whether the constructor reads or stores an attribute of self: then it is there already."""
    for owner in cls.lineage:
        for maker in ("__init__", "__post_init__"):
            method = owner.methods.get(maker)
            first = first_parameter(method) if method is not None else None
            for node in walk(method.body) if method is not None and first else ():
                if isinstance(node, cst.Attribute) and is_name(node.value, first or ""):
                    if node.attr.value == name:
                        return True
    return False


def set_attribute(
    frame: "State",
    owner: Value,
    name: str,
    value: Value,
    node: cst.CSTNode,
    target: cst.BaseExpression,
    bypass: bool = False,
    deleting: bool = False,
) -> None:
    """Store an attribute: a setter runs, a frozen class refuses.

    ``target`` is what stands in the text for the attribute, or for its object if the text has no
    such expression.
    """
    cls = owner.cls()
    whole = isinstance(target, cst.Attribute | cst.Subscript) and not isinstance(node, cst.Call)
    text = Quote(frame.piece, target, "" if whole else f".{name}")
    if not bypass:
        setter = _setter(cls, name) if cls is not None else None
        if cls is not None and setter is not None:
            ref = frame.flow.method(cls, setter)
            here = Here(node, frame.piece, text)
            apply(frame, changed(ref, bound=(owner,), is_method=True), (value,), {}, here)
            return
        refusal = frame.refuses(owner, name, deleting)
        if refusal is not None:
            if not frame.guarded:
                found = FrozenWrite(frame.piece, text, refusal, frame.node)
                frame.flow.frozen_writes.setdefault(node, found)
            return
    if whole and isinstance(target, cst.Attribute) and isinstance(target.value, cst.Name):
        variable = target.value.value
        if variable in frame.env and not owner.places:
            members = {**owner.members, name: value}
            frame.env[variable] = changed(owner, holds=owner.holds | value.out, members=members)
    if not frame.is_construction_of(owner):
        frame.write_member(owner, name, value, node, text, bypass)


def _setter(cls: ModelClass, name: str) -> cst.FunctionDef | None:
    """The setter of a property; what the nearest class has under the name is meant."""
    if _setter not in cls.memo:
        found: dict[str, cst.FunctionDef | None] = {}
        for owner in cls.lineage:
            own: dict[str, cst.FunctionDef | None] = dict.fromkeys(owner.members)
            for statement in owner.body:
                if type(statement) is cst.FunctionDef:
                    kinds = {last_part(item.decorator) for item in statement.decorators}
                    if "setter" in kinds:
                        own[statement.name.value] = statement
                    elif kinds.isdisjoint(_SAME_PROPERTY):
                        own[statement.name.value] = None
            found = {**own, **found}
        cls.memo[_setter] = found
    return cast("dict[str, cst.FunctionDef | None]", cls.memo[_setter]).get(name)


def dict_owner(frame: "State", node: cst.BaseExpression) -> Value | None:
    """The object of ``vars(object)`` and ``object.__dict__``."""
    owner = owner_of_dict(node)
    return frame.base(owner) if owner is not None else None


def owner_of_dict(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The expression for the object in ``vars(object)`` and ``object.__dict__``."""
    if type(node) is cst.Attribute and node.attr.value == "__dict__":
        return node.value
    if type(node) is cst.Call and is_name(node.func, "vars") and len(node.args) == 1:
        return node.args[0].value
    return None
