"""What is written down of types: annotations, constructors, literals, declared fields."""

import sys
from collections.abc import Iterator
from typing import cast

import libcst as cst

from flake8_jax.flow.values import Shape, Type
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import (
    ARRAY_MAKERS,
    ARRAY_TYPES,
    CONTAINER_FACTORIES,
    CONTAINER_TYPES,
    LIST_MAKERS,
    NOT_OPERATORS,
    OPAQUE_TYPES,
    PASSES_THROUGH,
    REFERENCES,
)
from flake8_jax.knowledge.pytrees import BASE_FACTORIES, CONCRETE, EQUINOX, Kind
from flake8_jax.knowledge.values import FUNCTION_MAKERS, is_static_call
from flake8_jax.model import Model, ModelClass
from flake8_jax.names import refer
from flake8_jax.scopes import Defined, Imported, Scope, Valued
from flake8_jax.syntax import first_parameter, flat, is_name, last_part, string_value
from flake8_jax.syntax.trees import expression

_ASSIGNMENTS = frozenset({cst.Assign, cst.AnnAssign})
_PYTHON = frozenset({"bool", "int", "str"})
_CONTAINER = (Shape.CONTAINER, None)
_OPTIONAL = frozenset({"Optional", "Annotated", "Final", "ClassVar", "Required", "NotRequired"})


def annotated(model: Model, node: cst.BaseExpression | None, scope: Scope) -> tuple[Type, Type]:
    """The type that an annotation gives a variable, and the one that it gives its elements."""
    match node:
        case None:
            return None, None
        case cst.SimpleString() | cst.ConcatenatedString():
            return annotated(model, _parsed(node), scope)
        case cst.BinaryOperation(operator=cst.BitOr()):
            for side, other in ((node.left, node.right), (node.right, node.left)):
                if is_name(other, "None"):
                    return annotated(model, side, scope)
            return None, None
        case cst.Subscript():
            parts = [part.slice.value for part in node.slice if isinstance(part.slice, cst.Index)]
            if last_part(node) in _OPTIONAL and parts:
                return annotated(model, parts[0], scope)
            if last_part(node) in {"tuple", "Tuple"}:
                alike = len(parts) == 2 and isinstance(parts[1], cst.Ellipsis)
                return None, _named(model, parts[0], scope) if alike else None
            own = _named(model, node.value, scope)
            if own is None and parts and _named(model, parts[0], scope) is Shape.ARRAY:
                jaxtyping = isinstance(refer(node.value, scope)[0], Imported)
                return (Shape.ARRAY, None) if jaxtyping and len(parts) == 2 else (None, None)
            element = _named(model, parts[-1], scope) if parts else None
            return own, element
    return _named(model, node, scope), None


def refused(model: Model, node: cst.BaseExpression, scope: Scope) -> bool:
    """Whether an annotation names just one class, whose instances JAX takes for no argument."""
    if isinstance(node, cst.SimpleString | cst.ConcatenatedString):
        parsed = _parsed(node)
        return parsed is not None and refused(model, parsed, scope)
    cls = _named(model, node, scope) if isinstance(node, cst.Name | cst.Attribute) else None
    if not isinstance(cls, ModelClass) or not cls.is_refused:
        return False
    return model.registration(cls) is None and all(heir.is_plain for heir in model.heirs(cls))


def alternatives(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The types that an annotation allows, quotes taken off: both of ``"A | None"``."""
    match node:
        case cst.SimpleString() | cst.ConcatenatedString():
            parsed = _parsed(node)
            if parsed is not None and parsed is not node:
                yield from alternatives(parsed)
        case cst.BinaryOperation(operator=cst.BitOr()):
            yield from alternatives(node.left)
            yield from alternatives(node.right)
        case cst.Subscript() if last_part(node) in _OPTIONAL | {"Union"}:
            parts = [part.slice.value for part in node.slice if isinstance(part.slice, cst.Index)]
            for part in parts if last_part(node) == "Union" else parts[:1]:
                yield from alternatives(part)
        case _:
            yield node


def _parsed(node: cst.SimpleString | cst.ConcatenatedString) -> cst.BaseExpression | None:
    text = string_value(node)
    return expression(text) if text is not None else None


def _named(model: Model, node: cst.BaseExpression, scope: Scope) -> Type:
    if isinstance(node, cst.SimpleString):
        parsed = _parsed(node)
        return _named(model, parsed, scope) if parsed is not None else None
    while isinstance(node, cst.Subscript):
        node = node.value
    if not isinstance(node, cst.Name | cst.Attribute):
        return None
    found: set[Type] = set()
    for referent in refer(node, scope):
        if isinstance(referent, Imported):
            dotted = canonical(referent.dotted)
            if dotted in ARRAY_TYPES:
                found.add(Shape.ARRAY)
            elif dotted.rpartition(".")[2] in CONTAINER_TYPES and not dotted.startswith("flax."):
                found.add(_container(dotted))
            else:
                found.add(CONCRETE.get(dotted) or _layer(dotted))
        elif isinstance(referent, Valued) and isinstance(referent.node, cst.Call):
            found.add(tuple_factory(referent.node, referent.scope))
        else:
            found.add(model.class_of(referent))
    return found.pop() if len(found) == 1 else None


def names_a_class(node: cst.BaseExpression | None, scope: Scope, steps: int = 3) -> bool:
    """Whether an annotation names a class of the project, or one of a library that is not known."""
    if isinstance(node, cst.SimpleString | cst.ConcatenatedString):
        node = _parsed(node)
    while isinstance(node, cst.Subscript):
        node = node.value
    if not isinstance(node, cst.Name | cst.Attribute) or not steps:
        return False
    for referent in refer(node, scope):
        match referent:
            case Defined(node=cst.ClassDef()):
                return True
            case Imported(dotted=dotted):
                top = canonical(dotted).partition(".")[0]
                return top not in NOT_OPERATORS and top not in sys.stdlib_module_names
            case Valued(node=value, scope=home):
                return names_a_class(value, home, steps - 1)
    return False


def _container(dotted: str) -> Shape:
    return Shape.OPAQUE if dotted.rpartition(".")[2] in OPAQUE_TYPES else Shape.CONTAINER


def _layer(dotted: str) -> Type:
    return EQUINOX if dotted.startswith("equinox.nn.") else None


def tuple_factory(node: cst.Call, scope: Scope) -> Type:
    """The kind of class that ``namedtuple("Name", …)`` makes."""
    for referent in refer(node.func, scope):
        if isinstance(referent, Imported):
            return BASE_FACTORIES.get(canonical(referent.dotted))
    return None


def constructed(model: Model, node: cst.BaseExpression | None, scope: Scope) -> Type:
    """The type of what an expression makes."""
    match node:
        case cst.Dict() | cst.List() | cst.ListComp() | cst.DictComp():
            return Shape.CONTAINER
        case cst.Set() | cst.SetComp():
            return Shape.OPAQUE
        case cst.Call():
            if isinstance(node.func, cst.Attribute) and node.func.attr.value in {
                "replace",
                "_replace",
            }:
                return constructed(model, node.func.value, scope)
            for referent in refer(node.func, scope):
                if isinstance(referent, Imported):
                    dotted = canonical(referent.dotted)
                    return made_by(dotted)
                if isinstance(referent, Valued) and isinstance(referent.node, cst.Call):
                    return tuple_factory(referent.node, referent.scope)
                return model.class_of(referent)
    return None


def made_by(dotted: str) -> Shape | Kind | None:
    """The type of what a function of another module makes."""
    kind = CONCRETE.get(dotted.removesuffix(".create")) or _layer(dotted)
    if isinstance(kind, Kind):
        return kind
    if dotted in CONTAINER_FACTORIES or dotted in LIST_MAKERS:
        return _container(dotted)
    if dotted in PASSES_THROUGH or dotted in FUNCTION_MAKERS or is_static_call(dotted):
        return None
    if dotted in REFERENCES:
        return Shape.REFERENCE
    package = dotted.rpartition(".")[0]
    return Shape.ARRAY if package.startswith(ARRAY_MAKERS) else None


def field_type(cls: ModelClass, name: str) -> tuple[Type, Type]:
    """The type of a field, declared in a class body or given by its constructor."""
    key = (field_type, name)
    if key not in cls.memo:
        cls.memo[key] = _field_type(cls, name)
    return cast("tuple[Type, Type]", cls.memo[key])


def _field_type(cls: ModelClass, name: str) -> tuple[Type, Type]:
    for owner in cls.lineage:
        for statement in owner.body:
            if isinstance(statement, cst.AnnAssign) and is_name(statement.target, name):
                return annotated(cls.model, statement.annotation.annotation, owner.scope)
            match statement:
                case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=bound))]):
                    known = constructed(cls.model, statement.value, owner.scope)
                    if bound == name and known is not None:
                        return known, None
        init = owner.methods.get("__init__")
        if init is not None:
            found = _assigned_in(init, name, owner)
            if found != (None, None):
                return found
    return None, None


def starts_as_literal(cls: ModelClass, name: str) -> bool:
    """Whether an attribute begins as a literal: then it is a counter, a flag or a label."""
    key = (starts_as_literal, name)
    if key not in cls.memo:
        cls.memo[key] = _starts_as_literal(cls, name)
    return cls.memo[key] is True


def _starts_as_literal(cls: ModelClass, name: str) -> bool:
    for owner in cls.lineage:
        for statement in owner.body if cls.making is None else ():
            if isinstance(statement, cst.AnnAssign) and is_name(statement.target, name):
                return last_part(statement.annotation.annotation) in _PYTHON
        init = owner.methods.get("__init__")
        for node in _stores(owner):
            match node:
                case cst.Assign(targets=[cst.AssignTarget(target=cst.Attribute(attr=attribute))]):
                    if attribute.value == name:
                        return _is_literal(node.value, init)
    return False


def holds_arrays(cls: ModelClass, name: str) -> bool:
    """Whether a field holds a container of arrays, as a rule.

    The leaves of a pytree are arrays; a plain class has to be seen to put some there.
    """
    key = (holds_arrays, name)
    if key not in cls.memo:
        cls.memo[key] = _holds_arrays(cls, name)
    return cls.memo[key] is True


def _holds_arrays(cls: ModelClass, name: str) -> bool:
    for owner in cls.lineage:
        for statement in owner.body:
            if isinstance(statement, cst.AnnAssign) and is_name(statement.target, name):
                annotation = statement.annotation.annotation
                bare = isinstance(annotation, cst.Name | cst.Attribute)
                return cls.making is not None and bare and field_type(cls, name) == _CONTAINER
        for node in _stores(owner):
            match node:
                case cst.Assign(targets=[cst.AssignTarget(target=cst.Attribute(attr=attribute))]):
                    if attribute.value == name:
                        return is_of_arrays(cls.model, node.value, owner.scope)
    return False


def is_of_arrays(model: Model, node: cst.BaseExpression, scope: Scope) -> bool:
    """Whether an expression makes a container of jax arrays."""
    match node:
        case cst.Dict(elements=elements) | cst.List(elements=elements) if elements:
            return all(constructed(model, item.value, scope) is Shape.ARRAY for item in elements)
    return False


def _stores(cls: ModelClass) -> tuple[cst.CSTNode, ...]:
    """The assignments in the constructor of a class."""
    if _stores not in cls.memo:
        init = cls.methods.get("__init__")
        found = flat(init.body) if init is not None else ()
        cls.memo[_stores] = tuple(node for node in found if type(node) in _ASSIGNMENTS)
    return cast("tuple[cst.CSTNode, ...]", cls.memo[_stores])


def _is_literal(value: cst.BaseExpression, init: cst.FunctionDef | None) -> bool:
    """Whether a constructor's value is plain Python: a literal, a size, a tuple of those."""
    match value:
        case cst.Tuple(elements=elements):
            return all(_is_literal(element.value, init) for element in elements)
        case cst.Call(func=cst.Name(value="len" | "int" | "bool" | "str")):
            return True
        case cst.Name(value="True" | "False"):
            return True
    literal = isinstance(value, cst.BaseNumber | cst.BaseString)
    return literal or _is_python_parameter(value, init)


def _is_python_parameter(value: cst.BaseExpression, init: cst.FunctionDef | None) -> bool:
    """Whether a constructor's value is a parameter that is annotated as plain Python."""
    for parameter in init.params.params if init is not None else ():
        if is_name(value, parameter.name.value) and parameter.annotation is not None:
            return last_part(parameter.annotation.annotation) in _PYTHON
    return False


def _assigned_in(init: cst.FunctionDef, name: str, cls: ModelClass) -> tuple[Type, Type]:
    owner = first_parameter(init)
    for node in _stores(cls):
        match node:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Attribute() as target)]):
                value = node.value
            case cst.AnnAssign(target=cst.Attribute() as target, annotation=annotation):
                if owner and is_name(target.value, owner) and target.attr.value == name:
                    return annotated(cls.model, annotation.annotation, cls.scope)
                continue
            case _:
                continue
        if owner and is_name(target.value, owner) and target.attr.value == name:
            if isinstance(value, cst.Name):
                for parameter in init.params.params:
                    if parameter.name.value == value.value and parameter.annotation is not None:
                        annotation = parameter.annotation
                        return annotated(cls.model, annotation.annotation, cls.scope)
            return constructed(cls.model, value, cls.scope), _element(cls, value)
    return None, None


def _element(cls: ModelClass, value: cst.BaseExpression) -> Type:
    """The type of the elements of a literal list or comprehension."""
    match value:
        case cst.ListComp(elt=elt):
            return constructed(cls.model, elt, cls.scope)
        case (
            cst.List(elements=[cst.Element(value=first), *_])
            | cst.Tuple(elements=[cst.Element(value=first), *_])
        ):
            return constructed(cls.model, first, cls.scope)
    return None


def is_container(cls: ModelClass) -> bool:
    """Whether a class is a subclass of list, dict or the like."""
    return any(
        isinstance(item, Imported) and item.dotted in CONTAINER_FACTORIES
        for here in cls.lineage
        for base in here.bases
        for item in base
    )
