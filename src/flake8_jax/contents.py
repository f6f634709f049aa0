"""What a cached value is: static data, a function, or something that JAX may trace."""

from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import cached_property

import libcst as cst

from flake8_jax.flow.types import field_type
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.pytrees import Filling
from flake8_jax.knowledge.values import (
    ALWAYS_STATIC,
    DTYPES,
    FUNCTION_MAKERS,
    FUNCTION_TYPES,
    PYTHON_BUILTINS,
    PYTHON_PACKAGES,
    STATIC_ATTRIBUTES,
    STATIC_METHODS,
    STATIC_TYPES,
)
from flake8_jax.model import ModelClass
from flake8_jax.names import refer
from flake8_jax.scopes import Defined, Imported, Scope, Valued, inner_scope
from flake8_jax.syntax import Function, first_parameter, flat, is_name, last_part, walk
from flake8_jax.tree import fields, static_fields

_CONTAINER_TYPES = frozenset({"tuple", "Tuple", "list", "List", "Sequence"})


class Holds(IntEnum):
    """What a value is; of several values, the largest."""

    STATIC = 0
    FUNCTION = 1
    ANYTHING = 2


def cached_contents(function: Function | None, cls: ModelClass) -> Holds:
    """What a cached property of a class yields."""
    if function is None:
        return Holds.ANYTHING
    return _Evaluation().result(function, cls, cls.home_of(function).scope, Holds.ANYTHING)


def returned_contents(function: Function, outer: Scope) -> Holds:
    """What a cached function returns: its arguments are hashed, so that they are static."""
    return _Evaluation().result(function, None, outer, Holds.STATIC)


def stored_contents(value: cst.BaseExpression, function: Function, cls: ModelClass) -> Holds:
    """What an expression in a method of a class yields."""
    scope = cls.home_of(function).scope
    return _Body(_Evaluation(), function, cls, scope, Holds.ANYTHING).of(value)


class _Evaluation:
    """Evaluates each function that takes part at most once, and each class's fields."""

    def __init__(self) -> None:
        self._results: dict[tuple[Function, Holds], Holds] = {}
        self._constants: dict[cst.BaseExpression, Holds] = {}
        self._static: dict[ModelClass, frozenset[str]] = {}

    def result(
        self, function: Function, cls: ModelClass | None, outer: Scope, parameters: Holds
    ) -> Holds:
        """What a function returns when its parameters are what is said; recursion is anything."""
        key = (function, parameters)
        if key not in self._results:
            self._results[key] = Holds.ANYTHING
            self._results[key] = _Body(self, function, cls, outer, parameters).result()
        return self._results[key]

    def constant(self, value: cst.BaseExpression, scope: Scope) -> Holds:
        """What an expression outside of any function yields; one that needs itself, anything."""
        if value not in self._constants:
            self._constants[value] = Holds.ANYTHING
            outside = cst.Lambda(cst.Parameters(), value)
            self._constants[value] = _Body(self, outside, None, scope, Holds.ANYTHING).of(value)
        return self._constants[value]

    def static(self, cls: ModelClass) -> frozenset[str]:
        """The static fields of a class."""
        if cls not in self._static:
            self._static[cls] = static_fields(cls)
        return self._static[cls]


class _Body:
    """Evaluates expressions of one function; whatever it does not understand may be anything."""

    def __init__(
        self,
        evaluation: _Evaluation,
        function: Function,
        cls: ModelClass | None,
        outer: Scope,
        parameters: Holds,
    ) -> None:
        self.evaluation = evaluation
        self.function = function
        self.cls = cls
        self.parameters = parameters
        self.self_name = first_parameter(function) if cls is not None else None
        self.scope = outer
        if isinstance(function, cst.FunctionDef):
            self.scope = inner_scope(function, outer, 0)
        self.pending: set[str] = set()

    def result(self) -> Holds:
        """What the function returns."""
        if isinstance(self.function, cst.Lambda):
            return self.of(self.function.body)
        promised = self._promised(self.function.returns)
        if promised is not None:
            return promised
        if any(isinstance(node, cst.Yield | cst.Await) for node in walk(self.function.body)):
            return Holds.ANYTHING
        results = [item for item in flat(self.function.body) if isinstance(item, cst.Return)]
        if not results:
            return Holds.ANYTHING
        return self._join(item.value for item in results if item.value is not None)

    def _promised(self, annotation: cst.Annotation | None) -> Holds | None:
        if annotation is None:
            return None
        node = annotation.annotation
        if last_part(node) in FUNCTION_TYPES:
            return Holds.FUNCTION
        return Holds.STATIC if _is_static_type(node) and not self._calls_jax() else None

    def _calls_jax(self) -> bool:
        for node in walk(self.function.body):
            if isinstance(node, cst.Name):
                for referent in refer(node, self.scope):
                    if isinstance(referent, Imported) and not _is_python(referent.dotted):
                        return True
        return False

    @cached_property
    def _sources(self) -> dict[str, list[cst.BaseExpression | None]]:
        """For each local name, the expressions that it or its elements take values from."""
        found: dict[str, list[cst.BaseExpression | None]] = {}

        def bind(target: cst.BaseExpression, value: cst.BaseExpression | None) -> None:
            match target:
                case cst.Name():
                    found.setdefault(target.value, []).append(value)
                case cst.Tuple() | cst.List():
                    for element in target.elements:
                        bind(element.value, value)
                case cst.Subscript():
                    bind(target.value, value)

        for node in walk(self.function.body):
            match node:
                case cst.Assign():
                    for target in node.targets:
                        bind(target.target, node.value)
                case cst.AnnAssign() | cst.AugAssign() | cst.NamedExpr():
                    if node.value is not None:
                        bind(node.target, node.value)
                case cst.For() | cst.CompFor():
                    bind(node.target, node.iter)
                case cst.AsName():
                    bind(node.name, None)
                case cst.Call(func=cst.Attribute(value=cst.Name() as owner)):
                    if owner.value in found:
                        for argument in node.args:
                            bind(owner, argument.value)
        for parameter in (*self.function.params.params, *self.function.params.kwonly_params):
            if parameter.name.value != self.self_name:
                found.setdefault(parameter.name.value, []).append(None)
        return found

    def _join(self, nodes: Iterable[cst.BaseExpression]) -> Holds:
        return max((self.of(node) for node in nodes), default=Holds.STATIC)

    def of(self, node: cst.BaseExpression) -> Holds:
        """What an expression yields."""
        match node:
            case cst.BaseNumber() | cst.BaseString() | cst.Ellipsis() | cst.FormattedString():
                return Holds.STATIC
            case cst.Lambda():
                return Holds.FUNCTION
            case cst.Name():
                return self._name(node)
            case cst.Attribute():
                return self._attribute(node)
            case cst.Call():
                return self._call(node)
            case cst.Subscript():
                indices = (item for part in node.slice for item in _indices(part.slice))
                return self._join([node.value, *indices])
            case cst.Tuple() | cst.List() | cst.Set():
                return self._join(element.value for element in node.elements)
            case cst.Dict():
                return max((self._element(item) for item in node.elements), default=Holds.STATIC)
            case cst.ListComp() | cst.SetComp() | cst.GeneratorExp():
                return self.of(node.elt)
            case cst.DictComp():
                return self._join([node.key, node.value])
            case cst.BinaryOperation() | cst.BooleanOperation():
                return self._join([node.left, node.right])
            case cst.UnaryOperation():
                return self.of(node.expression)
            case cst.Comparison():
                operators = [item.operator for item in node.comparisons]
                if all(isinstance(item, cst.Is | cst.IsNot) for item in operators):
                    return Holds.STATIC
                if isinstance(node.left, cst.BaseString) and isinstance(
                    operators[0], cst.In | cst.NotIn
                ):
                    return Holds.STATIC
                return self._join([node.left, *(item.comparator for item in node.comparisons)])
            case cst.IfExp():
                return self._join([node.body, node.orelse])
            case cst.NamedExpr():
                return self.of(node.value)
        return Holds.ANYTHING

    def _element(self, element: cst.BaseDictElement) -> Holds:
        if isinstance(element, cst.DictElement):
            return self._join([element.key, element.value])
        return self.of(element.value)

    def _name(self, node: cst.Name) -> Holds:
        if node.value == self.self_name or node.value in self.pending:
            return Holds.ANYTHING if node.value == self.self_name else Holds.STATIC
        if node.value in self._sources:
            self.pending.add(node.value)
            sources = self._sources[node.value]
            found = [self.parameters if item is None else self.of(item) for item in sources]
            self.pending.discard(node.value)
            return max(found)
        return self._referent(node)

    def _referent(self, node: cst.BaseExpression) -> Holds:
        worst = Holds.STATIC
        for referent in refer(node, self.scope):
            match referent:
                case Imported() if _is_python(referent.dotted):
                    here = Holds.STATIC
                case Imported() if canonical(referent.dotted) in DTYPES:
                    here = Holds.STATIC
                case Defined(node=cst.ClassDef()):
                    here = Holds.STATIC
                case Defined(node=cst.FunctionDef()):
                    here = Holds.FUNCTION
                case Valued(node=value, scope=scope) if value is not node:
                    here = self.evaluation.constant(value, scope)
                case _:
                    here = Holds.ANYTHING
            worst = max(worst, here)
        return worst

    def _attribute(self, node: cst.Attribute) -> Holds:
        name = node.attr.value
        if self.cls is not None and self.self_name and is_name(node.value, self.self_name):
            return self._member(self.cls, name)
        if name in STATIC_ATTRIBUTES and not self._is_own_member(node.value, name):
            return Holds.STATIC
        if self._referent(node) is Holds.STATIC:
            return Holds.STATIC
        owner = self.of(node.value)
        return owner if owner is Holds.STATIC else Holds.ANYTHING

    def _is_own_member(self, node: cst.BaseExpression, name: str) -> bool:
        """Whether an object is known to be of a class of the module that has such a member."""
        if not isinstance(node, cst.Attribute) or self.cls is None or not self.self_name:
            return False
        if not is_name(node.value, self.self_name):
            return False
        kind, _ = field_type(self.cls, node.attr.value)
        return isinstance(kind, ModelClass) and any(
            name in item.members or any(name == field.name for field in fields(item))
            for item in kind.lineage
        )

    def _member(self, cls: ModelClass, name: str) -> Holds:
        if name in self.evaluation.static(cls) or name == "__class__":
            return Holds.STATIC
        method = cls.method(name)
        if method is not None:
            if not method.decorators:
                return Holds.FUNCTION
            if all(_is_property(item.names) for item in cls.decorations(method)):
                scope = cls.home_of(method).scope
                return self.evaluation.result(method, cls, scope, Holds.ANYTHING)
            return Holds.ANYTHING
        if cls.making is not None and cls.making.kind.filling is Filling.KEPT:
            return Holds.STATIC
        for item in cls.lineage:
            for statement in item.body:
                if isinstance(statement, cst.Assign):
                    for target in statement.targets:
                        if is_name(target.target, name):
                            return self.evaluation.constant(statement.value, item.scope)
        return Holds.ANYTHING

    def _call(self, node: cst.Call) -> Holds:
        arguments = self._join(argument.value for argument in node.args)
        names = [
            canonical(item.dotted) if isinstance(item, Imported) else ""
            for item in refer(node.func, self.scope)
        ]
        if all(name in FUNCTION_MAKERS for name in names):
            return Holds.FUNCTION
        if all(name in ALWAYS_STATIC for name in names):
            return Holds.STATIC
        if isinstance(node.func, cst.Attribute) and not node.args:
            if node.func.attr.value in STATIC_METHODS and names == [""]:
                return Holds.STATIC
        if arguments is Holds.ANYTHING:
            return Holds.ANYTHING
        if all(name in PYTHON_BUILTINS or _in_packages(name) for name in names):
            return max((self._called(item.value) for item in node.args), default=Holds.STATIC)
        if (called := self._own_function(node.func)) is not None:
            function, cls, outer = called
            return self.evaluation.result(function, cls, outer, Holds.STATIC)
        if isinstance(node.func, cst.Attribute) and self.of(node.func.value) is Holds.STATIC:
            return Holds.STATIC
        return Holds.ANYTHING

    def _called(self, node: cst.BaseExpression) -> Holds:
        """What comes of handing an argument to a Python function, which may call it."""
        if isinstance(node, cst.Lambda):
            return self.evaluation.result(node, None, self.scope, Holds.STATIC)
        if (called := self._own_function(node)) is not None:
            return self.evaluation.result(*called, Holds.STATIC)
        return Holds.STATIC

    def _own_function(
        self, node: cst.BaseExpression
    ) -> tuple[cst.FunctionDef, ModelClass | None, Scope] | None:
        """A method of the same class, or a function of the module, that is called."""
        if isinstance(node, cst.Attribute) and self.cls is not None and self.self_name:
            if is_name(node.value, self.self_name):
                method = self.cls.method(node.attr.value)
                if method is not None and not method.decorators:
                    return method, self.cls, self.cls.home_of(method).scope
                return None
        for referent in refer(node, self.scope):
            if isinstance(referent, Defined) and isinstance(referent.node, cst.FunctionDef):
                if not referent.node.decorators:
                    return referent.node, None, referent.scope
        return None


def _indices(node: cst.BaseSlice) -> Iterator[cst.BaseExpression]:
    if isinstance(node, cst.Index):
        yield node.value
    elif isinstance(node, cst.Slice):
        yield from (item for item in (node.lower, node.upper, node.step) if item is not None)


def _in_packages(dotted: str) -> bool:
    return dotted.partition(".")[0] in PYTHON_PACKAGES


def _is_python(dotted: str) -> bool:
    return _in_packages(dotted) or dotted.startswith("builtins.")


def _is_property(names: tuple[str, ...]) -> bool:
    return bool(names) and all(name.endswith("property") for name in names)


def _is_static_type(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Name):
        return node.value in STATIC_TYPES
    if isinstance(node, cst.Subscript) and last_part(node) in _CONTAINER_TYPES:
        parts = [item for part in node.slice for item in _indices(part.slice)]
        return all(_is_static_type(item) or isinstance(item, cst.Ellipsis) for item in parts)
    return False
