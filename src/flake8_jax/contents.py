"""What a cached value is: static data, a function, or something that JAX may trace."""

from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from functools import cached_property
from typing import cast

import libcst as cst

from flake8_jax.flow.types import alternatives, field_type
from flake8_jax.knowledge.caches import NOT_BOUND
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.pytrees import BASE_FACTORIES, Filling
from flake8_jax.knowledge.transforms import TRANSFORMS
from flake8_jax.knowledge.values import (
    DTYPES,
    FUNCTION_MAKERS,
    FUNCTION_TYPES,
    HOLDING_BUILTINS,
    HOLDING_PACKAGES,
    LIBRARIES,
    MAKES_ARRAYS_OF_INDICES,
    PYTHON_BUILTINS,
    PYTHON_PACKAGES,
    STAGES,
    STATIC_ATTRIBUTES,
    STATIC_METHODS,
    STATIC_TYPES,
    TREE_BUILTINS,
    WRAPPERS,
    is_static_call,
)
from flake8_jax.lazy import called_in_construction
from flake8_jax.model import Model, ModelClass
from flake8_jax.names import applied, refer
from flake8_jax.scopes import Defined, Imported, Referent, Scope, Valued, inner_scope
from flake8_jax.syntax import (
    Function,
    first_parameter,
    flat,
    is_name,
    last_part,
    positional,
    string_value,
    walk,
)
from flake8_jax.tree import fields, static_fields

_CONTAINER_TYPES = frozenset({"tuple", "Tuple", "list", "List", "Sequence"})
_CLASS_FACTORIES = BASE_FACTORIES.keys() | {"dataclasses.make_dataclass"}
_IN_PYTHON = PYTHON_BUILTINS | TREE_BUILTINS
_DESCRIBING = frozenset(name for name, row in TRANSFORMS.items() if row.describes)
_FUNS = frozenset(name for row in TRANSFORMS.values() if row.curried for name in row.keywords)
_DEEPEST = 40
"""How many functions and constants are followed that each need the next."""


class Holds(IntEnum):
    """What a value is; of several values, the largest."""

    STATIC = 0
    OBJECT = 1
    """An object of a class of the project, which holds static data and may compute with jax."""
    FUNCTION = 2
    ANYTHING = 3


def cached_contents(function: Function | None, cls: ModelClass) -> Holds:
    """What a cached property of a class yields."""
    if function is None:
        return Holds.ANYTHING
    key = (cached_contents, function)
    if key not in cls.memo:
        scope = cls.home_of(function).scope
        cls.memo[key] = _Evaluation().result(function, cls, scope, Holds.ANYTHING)
    return cast("Holds", cls.memo[key])


def returned_contents(function: Function, cls: ModelClass | None, outer: Scope) -> Holds:
    """What a cached function or method returns: its arguments are hashed, so they are static."""
    return _Evaluation().result(function, cls, outer, Holds.STATIC)


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
        self._instances: dict[ModelClass, Holds] = {}
        self._depth = 0

    def result(
        self, function: Function, cls: ModelClass | None, outer: Scope, parameters: Holds
    ) -> Holds:
        """What a function returns when its parameters are what is said; recursion is anything."""
        key = (function, parameters)
        if key not in self._results:
            self._results[key] = Holds.ANYTHING
            body = _Body(self, function, cls, outer, parameters)
            self._results[key] = self._bounded(body.result)
        return self._results[key]

    def constant(self, value: cst.BaseExpression, scope: Scope) -> Holds:
        """What an expression outside of any function yields; one that needs itself, anything."""
        if value not in self._constants:
            self._constants[value] = Holds.ANYTHING
            outside = cst.Lambda(cst.Parameters(), value)
            body = _Body(self, outside, None, scope, Holds.ANYTHING)
            self._constants[value] = self._bounded(lambda: body.of(value))
        return self._constants[value]

    def _bounded(self, evaluate: Callable[[], Holds]) -> Holds:
        """What is found out, unless one thing leads to another for longer than anybody writes."""
        if self._depth >= _DEEPEST:
            return Holds.ANYTHING
        self._depth += 1
        try:
            return evaluate()
        finally:
            self._depth -= 1

    def static(self, cls: ModelClass) -> frozenset[str]:
        """The static fields of a class."""
        if cls not in self._static:
            self._static[cls] = static_fields(cls)
        return self._static[cls]

    def instance(self, cls: ModelClass) -> Holds:
        """What an instance of a class holds that was made from static data."""
        if cls not in self._instances:
            self._instances[cls] = Holds.ANYTHING
            known = all(map(_adds_no_arrays, (item for base in cls.bases for item in base)))
            found = [Holds.OBJECT if known else Holds.ANYTHING]
            for item in cls.lineage:
                found += [
                    self._default(statement.value, item.scope)
                    for statement in item.body
                    if isinstance(statement, cst.AnnAssign) and statement.value is not None
                ]
                if item is not cls:
                    found.append(self.instance(item))
            for name in {"__init__", "__new__", "__post_init__"} | called_in_construction(cls):
                for item in cls.lineage:
                    if (method := item.methods.get(name)) is not None:
                        body = _Body(self, method, cls, item.scope, Holds.STATIC, making=True)
                        found += [body.of(value) for value in _stored(method)]
            self._instances[cls] = max(found)
        return self._instances[cls]

    def _default(self, value: cst.BaseExpression, scope: Scope) -> Holds:
        """What the default of a field is; one that is made for each instance is what is made."""
        if not isinstance(value, cst.Call):
            return self.constant(value, scope)
        made = [Holds.STATIC]
        for argument in value.args:
            if argument.keyword is None or not argument.keyword.value.startswith("default"):
                continue
            functions = [
                (item.node, item.scope)
                for item in refer(argument.value, scope)
                if isinstance(item, Defined | Valued)
                and isinstance(item.node, cst.FunctionDef | cst.Lambda)
            ]
            made += [self.result(item, None, where, Holds.STATIC) for item, where in functions]
            if not functions:
                made.append(self.constant(argument.value, scope))
        return max(made)


class _Body:
    """Evaluates expressions of one function; whatever it does not understand may be anything."""

    def __init__(
        self,
        evaluation: _Evaluation,
        function: Function,
        cls: ModelClass | None,
        outer: Scope,
        parameters: Holds,
        making: bool = False,
    ) -> None:
        self.evaluation = evaluation
        self.making = making
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
        promised = [
            item for item in alternatives(annotation.annotation) if not is_name(item, "None")
        ]
        if promised and all(last_part(item) in FUNCTION_TYPES for item in promised):
            return Holds.FUNCTION
        static = bool(promised) and all(_is_static_type(item) for item in promised)
        return Holds.STATIC if static and not self._calls_jax() else None

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
                case Imported():
                    here = _imported(canonical(referent.dotted))
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
        if (found := self._referent(node)) is not Holds.ANYTHING:
            return found
        owner = self.of(node.value)
        return owner if owner <= Holds.OBJECT else Holds.ANYTHING

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
            if all(item.all_in(WRAPPERS | NOT_BOUND) for item in cls.decorations(method)):
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
        return Holds.STATIC if self.making else Holds.ANYTHING  # all that is stored is looked at

    def _call(self, node: cst.Call) -> Holds:
        arguments = self._join(argument.value for argument in node.args)
        names = [
            canonical(item.dotted) if isinstance(item, Imported) else ""
            for item in refer(node.func, self.scope)
        ]
        if all(name in FUNCTION_MAKERS for name in names) or self._wraps(node.func):
            return Holds.FUNCTION
        if all(map(is_static_call, names)) or self._describes(node.func):
            return Holds.STATIC
        if isinstance(node.func, cst.Attribute) and not node.args:
            if node.func.attr.value in STATIC_METHODS and names == [""]:
                return Holds.STATIC
        if names == ["builtins.getattr"] and len(node.args) == 2:
            name = string_value(node.args[1].value)
            if name is not None and name.isidentifier():
                return self._attribute(cst.Attribute(node.args[0].value, cst.Name(name)))
        if (made := self._made(node.func)) is not None:
            return max(arguments, made)
        if (called := self._own_function(node.func)) is not None:
            given = Holds.ANYTHING if arguments is Holds.ANYTHING else Holds.STATIC
            return self.evaluation.result(*called, given)
        if arguments is Holds.ANYTHING:
            return Holds.ANYTHING
        if all(name in HOLDING_BUILTINS or _in(HOLDING_PACKAGES, name) for name in names):
            return arguments
        if all(name in _IN_PYTHON or _in_packages(name) for name in names):
            return max((self._called(item.value) for item in node.args), default=Holds.STATIC)
        if isinstance(node.func, cst.Attribute) and self.of(node.func.value) is Holds.STATIC:
            return Holds.ANYTHING if any(self._classes(node.func.value)) else Holds.STATIC
        return Holds.ANYTHING

    def _wraps(self, node: cst.BaseExpression) -> bool:
        """Whether what is called has its options, and now gets its function: ``jit(inline=True)``.

        An alias for it, or a function of the project that hands its argument to it, is the same.
        """
        used = applied(node, self.scope)
        given = any(item.keyword is None or item.keyword.value in _FUNS for item in used.arguments)
        return used.all_in(WRAPPERS) and not given

    def _describes(self, node: cst.BaseExpression) -> bool:
        """Whether what is called only describes: ``jax.make_jaxpr(f)``, ``jax.jit(f).lower``."""
        if isinstance(node, cst.Attribute) and node.attr.value in STAGES:
            return self.of(node.value) is Holds.FUNCTION
        used = applied(node, self.scope) if isinstance(node, cst.Call) else None
        return used is not None and used.all_in(_DESCRIBING) and bool(positional(used.arguments))

    def _called(self, node: cst.BaseExpression) -> Holds:
        """What comes of handing an argument to a Python function, which may call it."""
        if isinstance(node, cst.Lambda):
            return self.evaluation.result(node, None, self.scope, Holds.STATIC)
        if (called := self._own_function(node)) is not None:
            return self.evaluation.result(*called, Holds.STATIC)
        imported = [item for item in refer(node, self.scope) if isinstance(item, Imported)]
        computes = any(_imported(canonical(item.dotted)) > Holds.STATIC for item in imported)
        return Holds.ANYTHING if computes else Holds.STATIC

    def _made(self, node: cst.BaseExpression) -> Holds | None:
        """What the instance holds that a call of an expression makes; None if it is no class."""
        classes = list(self._classes(node))
        if classes:
            return max(map(self.evaluation.instance, classes))
        for referent in refer(node, self.scope):
            if isinstance(referent, Valued) and isinstance(referent.node, cst.Call):
                if applied(referent.node.func, referent.scope).all_in(_CLASS_FACTORIES):
                    return Holds.OBJECT
        return None

    def _classes(self, node: cst.BaseExpression) -> Iterator[ModelClass]:
        """The classes of the project that an expression may be."""
        if self.cls is not None and isinstance(self.function, cst.FunctionDef):
            if is_name(node, self.self_name or "") and self.cls.is_class_method(self.function):
                yield self.cls
        model = Model.of(self.scope.top)
        for referent in refer(node, self.scope):
            if (found := model.class_of(referent)) is not None:
                yield found
            elif isinstance(referent, Valued) and isinstance(referent.node, cst.Call):
                yield from _classes_made(model, referent.node.func, referent.scope)

    def _own_function(
        self, node: cst.BaseExpression
    ) -> tuple[cst.FunctionDef, ModelClass | None, Scope] | None:
        """A method of the same class, or a function of the module, that is called."""
        if isinstance(node, cst.Attribute) and self.cls is not None and self.self_name:
            if is_name(node.value, self.self_name):
                return _method(self.cls, node.attr.value, of_class=False)
        if isinstance(node, cst.Attribute):
            for cls in self._classes(node.value):
                return _method(cls, node.attr.value, of_class=True)
        for referent in refer(node, self.scope):
            if isinstance(referent, Defined) and isinstance(referent.node, cst.FunctionDef):
                if not referent.node.decorators:
                    return referent.node, None, referent.scope
        return None


def _method(
    cls: ModelClass, name: str, of_class: bool
) -> tuple[cst.FunctionDef, ModelClass | None, Scope] | None:
    """A method that is called on an object, or on the class itself, and what it is bound to."""
    method = cls.method(name)
    if method is None:
        return None
    decorations = cls.decorations(method)
    if not all(item.all_in(NOT_BOUND) for item in decorations) or (of_class and not decorations):
        return None
    bound = not decorations or cls.is_class_method(method)
    return method, cls if bound else None, cls.home_of(method).scope


def _classes_made(model: Model, maker: cst.BaseExpression, scope: Scope) -> Iterator[ModelClass]:
    """The classes that a function of the project makes and gives back."""
    for referent in refer(maker, scope):
        if isinstance(referent, Defined) and isinstance(referent.node, cst.FunctionDef):
            inside = inner_scope(referent.node, referent.scope, 0, referent.piece)
            for item in flat(referent.node.body):
                if isinstance(item, cst.Return) and item.value is not None:
                    for result in refer(item.value, inside):
                        if (found := model.class_of(result)) is not None:
                            yield found


def _adds_no_arrays(base: Referent) -> bool:
    """Whether a base class puts nothing into its instances, or is one that is looked at."""
    match base:
        case Imported(dotted=dotted):
            return _is_python(dotted) or dotted.partition(".")[0] in LIBRARIES
        case Valued(node=cst.Call(func=maker), scope=scope):
            return applied(maker, scope).all_in(_CLASS_FACTORIES)
    return isinstance(base, Defined)


def _stored(method: cst.FunctionDef) -> Iterator[cst.BaseExpression]:
    """What a method stores in attributes."""
    for node in walk(method.body):
        match node:
            case cst.Assign():
                if any(isinstance(i.target, cst.Attribute | cst.Tuple) for i in node.targets):
                    yield node.value
            case cst.AnnAssign(target=cst.Attribute(), value=value) if value is not None:
                yield value
            case cst.Call(args=[_, _, cst.Arg(value=value)]):
                if last_part(node.func) in {"__setattr__", "setattr"}:
                    yield value


def _indices(node: cst.BaseSlice) -> Iterator[cst.BaseExpression]:
    if isinstance(node, cst.Index):
        yield node.value
    elif isinstance(node, cst.Slice):
        yield from (item for item in (node.lower, node.upper, node.step) if item is not None)


def _in(packages: tuple[str, ...], dotted: str) -> bool:
    return dotted.partition(".")[0] in packages


def _in_packages(dotted: str) -> bool:
    return _in(PYTHON_PACKAGES, dotted)


def _imported(dotted: str) -> Holds:
    """What a member of a library is."""
    if (
        _is_python(dotted)
        or dotted in DTYPES
        or any(map(is_static_call, (dotted, dotted.rpartition(".")[0])))
    ):
        return Holds.STATIC
    known = dotted.partition(".")[0] in LIBRARIES and dotted not in MAKES_ARRAYS_OF_INDICES
    return Holds.FUNCTION if known else Holds.ANYTHING


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
