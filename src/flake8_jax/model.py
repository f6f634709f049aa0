"""The classes of a module: which are pytrees and of which kind, their members and their caches."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import TypeVar, cast

import libcst as cst

from flake8_jax.knowledge.caches import CACHED_PROPERTIES, FUNCTION_CACHES, JITS, NOT_BOUND
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.listed import known_as, shown
from flake8_jax.knowledge.pytrees import (
    BASE_FACTORIES,
    BASE_PACKAGES,
    BASES,
    MARKERS,
)
from flake8_jax.markers import Making, class_arguments, marking, marking_within
from flake8_jax.names import Applied, applied, refer
from flake8_jax.ownership import owned
from flake8_jax.scopes import (
    EVER,
    Defined,
    Imported,
    InnerScope,
    ModuleScope,
    Referent,
    Scope,
    Valued,
    inner_scope,
)
from flake8_jax.source import Piece
from flake8_jax.syntax import (
    Function,
    blocks,
    first_parameter,
    flat,
    is_abstract,
    is_name,
    keyword,
    positional,
    statements,
    walk_scope,
)

T = TypeVar("T")

_BASE_DEPTH = 200
_CLASS = re.compile(r"^[ \t\f]*class\b", re.MULTILINE)
_IMPLICIT_STATIC = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
_SUBCLASS_HOOKS = ("__init_subclass__", "__new__")
_METACLASS_HOOKS = ("__new__", "__init__")


class CacheForm(Enum):
    """How a class keeps a value."""

    PROPERTY = "a cached property"
    FUNCTION = "a function cache on a method"


@dataclass(frozen=True, eq=False)
class Cache:
    """A cache that a class body declares."""

    form: CacheForm
    attribute: str
    anchor: cst.CSTNode
    """The decorator, or the assignment."""
    by: str
    """The dotted name of what caches."""
    function: Function | None
    jitted: bool
    """Whether what it caches is a jitted function."""


@dataclass(frozen=True, eq=False)
class ModelClass:
    """A class of the module. All that is asked of it is computed once, when it is asked for."""

    model: "Model"
    node: cst.ClassDef
    piece: Piece
    outer: Scope
    at: float
    memo: dict[object, object] = field(default_factory=dict)
    """What later stages have found out about its members."""

    @property
    def name(self) -> str:
        return self.node.name.value

    @cached_property
    def scope(self) -> InnerScope:
        return inner_scope(self.node, self.outer, self.at, self.piece)

    @cached_property
    def making(self) -> Making | None:
        """What makes the class a pytree; None where nothing does, or it cannot be told."""
        return self._marked() or self._inherited()

    def _marked(self) -> Making | None:
        for decorator in self.node.decorators:
            if made := marking(decorator.decorator, self.outer, self.at):
                return made
        return self.model.registration(self) or self._metaclass_making()

    def _metaclass_making(self) -> Making | None:
        metaclass = keyword(tuple(self.node.keywords), "metaclass")
        for referent in refer(metaclass, self.outer, self.at) if metaclass is not None else ():
            cls = self.model.class_of(referent)
            for name in _METACLASS_HOOKS if cls is not None else ():
                if cls is not None and (method := cls.method(name)) is not None:
                    if made := marking_within(method, cls.scope, piece=cls.piece):
                        return replace(made, kind=replace(made.kind, heritable=True))
        return None

    def _inherited(self, depth: int = _BASE_DEPTH) -> Making | None:
        if depth == 0:
            return None
        for base in self.bases:
            found = [self._base_making(referent, depth) for referent in base]
            made = [making for making in found if making is not None]
            if not made or len(made) < len(found):
                continue
            switch = made[0].kind.switch
            if switch and is_name(keyword(tuple(self.node.keywords), switch), "False"):
                return None
            return made[0]
        return None

    def _base_making(self, base: Referent, depth: int) -> Making | None:
        if isinstance(base, Imported):
            name = canonical(base.dotted)
            kind = BASES.get(known_as(name)) or BASE_PACKAGES.get(name.rpartition(".")[0])
            return Making(kind, shown(name)) if kind else None
        if isinstance(base, Defined):
            return self._parent_making(self.model.class_of(base), depth)
        if base is not None and isinstance(base.node, cst.Call):
            called = applied(base.node.func, base.scope, base.at)
            if called.all_in(BASE_FACTORIES):
                return Making(BASE_FACTORIES[called.names[0]], called.names[0])
        return None

    def _parent_making(self, parent: "ModelClass | None", depth: int) -> Making | None:
        if parent is None:
            return None
        made = parent._marked() or parent._inherited(depth - 1)
        if made is not None and made.kind.heritable:
            filling = made.kind.heir_filling or made.kind.filling
            return replace(made, kind=replace(made.kind, filling=filling))
        for name in _SUBCLASS_HOOKS:
            if (method := parent.methods.get(name)) is not None:
                if made := marking_within(method, parent.scope, piece=parent.piece):
                    switch = made.kind.switch or "pytree"
                    return replace(made, kind=replace(made.kind, heritable=True, switch=switch))
        return None

    @cached_property
    def bases(self) -> tuple[tuple[Referent, ...], ...]:
        """What each base class may refer to, subscripts like ``[T]`` stripped."""
        found = []
        for argument in self.node.bases:
            if argument.keyword is None and not argument.star:
                node = argument.value
                while isinstance(node, cst.Subscript):
                    node = node.value
                found.append(refer(node, self.outer, self.at))
        return tuple(found)

    @property
    def is_plain(self) -> bool:
        """Whether all ancestors are known and none is a pytree."""
        return all(item.making is None and item._has_known_bases for item in self.lineage)

    @property
    def _has_known_bases(self) -> bool:
        known = ("builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol")
        return all(
            (isinstance(item, Imported) and item.dotted in known)
            or self.model.class_of(item) is not None
            for base in self.bases
            for item in base
        )

    @cached_property
    def is_refused(self) -> bool:
        """Whether JAX takes no instance as an argument: neither it nor a subclass is a pytree.

        What others are to implement may be one, and so may what a decorator makes that is not
        known. Subclasses and registrations are looked for in the module of the class.
        """
        if not self.is_plain or any(item._may_be_anything for item in self.lineage):
            return False
        return all(heir.is_plain for heir in self.model.heirs(self))

    @property
    def _may_be_anything(self) -> bool:
        open_bases = ("abc.ABC", "typing.Protocol")
        bases = (item for base in self.bases for item in base)
        if any(isinstance(item, Imported) and item.dotted in open_bases for item in bases):
            return True
        if self.node.keywords or any(is_abstract(method) for method in self.methods.values()):
            return True
        return not all(
            applied(item.decorator, self.outer, self.at).names == ("dataclasses.dataclass",)
            for item in self.node.decorators
        )

    @cached_property
    def lineage(self) -> tuple["ModelClass", ...]:
        """The class and its ancestors in the project, in the order in which Python looks them up.

        Where Python has no order for them, as far as they are known, it is that of the text.
        """
        seen: dict[int, ModelClass] = {}
        stack, shared = [self], False
        while stack:
            here = stack.pop(0)
            if id(here.node) in seen:
                shared = True
            else:
                seen[id(here.node)] = here
                stack[:0] = here._parents
        found = tuple(seen.values())
        return (shared and len(found) <= _BASE_DEPTH and _linearized(self)) or found

    @cached_property
    def _parents(self) -> tuple["ModelClass", ...]:
        parents = (self.model.class_of(item) for base in self.bases for item in base)
        return tuple(parent for parent in parents if parent is not None)

    @cached_property
    def body(self) -> tuple[cst.CSTNode, ...]:
        """The statements of the class body, at whatever depth."""
        return tuple(flat(self.node.body))

    @cached_property
    def methods(self) -> Mapping[str, cst.FunctionDef]:
        """The functions of the class body, by name: the last one, but no setters or deleters."""
        functions = [item for item in self.body if isinstance(item, cst.FunctionDef)]
        return {item.name.value: item for item in functions if not _is_accessor(item)}

    def method(self, name: str) -> cst.FunctionDef | None:
        """A method of the class or of the nearest ancestor that has it."""
        for cls in self.lineage:
            if name in cls.methods:
                return cls.methods[name]
        return None

    def home_of(self, function: Function | None) -> "ModelClass":
        """The class, of this one and its ancestors, whose body a function stands in."""
        if len(self.lineage) > 1:
            for cls in self.lineage:
                if function in cls._functions:
                    return cls
        return self

    @cached_property
    def _functions(self) -> frozenset[cst.CSTNode]:
        return frozenset(item for item in self.body if isinstance(item, cst.FunctionDef))

    @cached_property
    def members(self) -> frozenset[str]:
        """The names that the class body binds."""
        return frozenset(binding.name for binding in self.scope.all)

    def decorations(self, function: cst.FunctionDef) -> tuple[Applied, ...]:
        """What a method is decorated with, outermost first."""
        if not function.decorators:
            return ()
        at = EVER
        scope = self.home_of(function).scope
        for binding in scope.bindings(function.name.value):
            if isinstance(binding.referent, Defined) and binding.referent.node is function:
                at = binding.order
        return tuple(applied(item.decorator, scope, at) for item in function.decorators)

    def is_instance_method(self, function: cst.FunctionDef) -> bool:
        """Whether a function of the class body gets the instance as its first parameter."""
        if function.name.value in _IMPLICIT_STATIC:
            return False
        takes = first_parameter(function) is not None
        takes = takes or isinstance(function.params.star_arg, cst.Param)
        return takes and not any(item.all_in(NOT_BOUND) for item in self.decorations(function))

    def is_class_method(self, function: cst.FunctionDef) -> bool:
        """Whether a function of the class body gets the class as its first parameter."""
        decorations = self.decorations(function)
        return any(item.names == ("builtins.classmethod",) for item in decorations)

    @cached_property
    def caches(self) -> tuple[Cache, ...]:
        """The caches that the class body itself declares, in the order of the text."""
        found: list[Cache] = []
        for statement in self.body:
            match statement:
                case cst.FunctionDef():
                    found += self._decorated(statement)
                case cst.Assign():
                    for target in statement.targets:
                        if isinstance(target.target, cst.Name):
                            name = target.target.value
                            found += self._assigned(name, statement, statement.value)
                case cst.AnnAssign(target=cst.Name(value=name), value=cst.Call() as value):
                    found += self._assigned(name, statement, value)
        return tuple(item for item in found if self._is_final(item))

    def _is_final(self, cache: Cache) -> bool:
        """Whether nothing later in the class body binds the name again, or deletes it."""
        last = self.scope.bindings(cache.attribute)[-1].referent
        if isinstance(last, Defined):
            return isinstance(cache.anchor, cst.Decorator) and cache.function is last.node
        return isinstance(last, Valued) and not isinstance(cache.anchor, cst.Decorator)

    @cached_property
    def plain_ancestors(self) -> frozenset["ModelClass"]:
        """The ancestors that are no pytrees, and not those of an ancestor that is one."""
        pytrees = [cls for cls in self.lineage if cls is not self and cls.making is not None]
        covered = {cls for pytree in pytrees for cls in pytree.lineage}
        return frozenset(self.lineage) - covered - {self}

    @cached_property
    def inherited_caches(self) -> tuple[tuple["ModelClass", Cache], ...]:
        """The caches that a class gets from ancestors that are no pytrees themselves."""
        hidden: set[str] = set()
        found: list[tuple[ModelClass, Cache]] = []
        for cls in self.lineage:
            if cls in self.plain_ancestors:
                found += [(cls, cache) for cache in cls.caches if cache.attribute not in hidden]
            hidden |= cls.members
        return tuple(found)

    def _decorated(self, function: cst.FunctionDef) -> Iterator[Cache]:
        decorations = self.decorations(function)
        for index, decoration in enumerate(decorations):
            form = _cache_form(decoration)
            if form is not None:
                if not self.is_instance_method(function) or is_abstract(function):
                    return
                yield Cache(
                    form,
                    function.name.value,
                    function.decorators[index],
                    decoration.names[0],
                    function,
                    any(inner.all_in(JITS) for inner in decorations[index + 1 :]),
                )
                return

    def _assigned(
        self, name: str, statement: cst.CSTNode, value: cst.BaseExpression
    ) -> Iterator[Cache]:
        if not isinstance(value, cst.Call):
            return
        given = (*positional(tuple(value.args)), keyword(tuple(value.args), "func"))
        inner = given[0]
        if inner is None:
            return
        decoration = applied(value.func, self.scope)
        if decoration.names == ("builtins.property",):
            yield from self._assigned(name, statement, inner)
        elif form := _cache_form(decoration):
            function, jitted = self._function(inner)
            if function is not None or isinstance(inner, cst.Name | cst.Attribute | cst.Call):
                yield Cache(form, name, statement, decoration.names[0], function, jitted)

    def _function(self, node: cst.BaseExpression) -> tuple[Function | None, bool]:
        """The function that an expression stands for, and whether it has been jitted."""
        for referent in refer(node, self.scope):
            match referent:
                case Defined(node=cst.FunctionDef() as function):
                    return function, any(item.all_in(JITS) for item in self.decorations(function))
                case Valued(node=cst.Lambda() as function):
                    return function, False
                case Valued(node=cst.Call() as call) if applied(call, self.scope).all_in(JITS):
                    for inner in positional(tuple(call.args))[:1]:
                        return self._function(inner)[0], True
        return None, False


def _linearized(cls: ModelClass) -> tuple[ModelClass, ...] | None:
    """The C3 order of a class and its ancestors; None where there is none."""
    if _linearized not in cls.memo:
        cls.memo[_linearized] = None  # one that is its own ancestor has none
        orders = [_linearized(parent) for parent in cls._parents]
        some = [item for item in orders if item is not None]
        if len(some) == len(orders):
            cls.memo[_linearized] = _merged(cls, [*some, tuple(cls._parents)])
    return cast("tuple[ModelClass, ...] | None", cls.memo[_linearized])


def _merged(
    cls: ModelClass, orders: Sequence[Sequence[ModelClass]]
) -> tuple[ModelClass, ...] | None:
    """A class and then all others, each before those that follow it in one of the orders."""
    found = [cls]
    heads = [0] * len(orders)
    behind = Counter(item for order in orders for item in order[1:])
    while True:
        left = [(n, order[heads[n]]) for n, order in enumerate(orders) if heads[n] < len(order)]
        if not left:
            return tuple(found)
        head = next((item for _, item in left if not behind[item]), None)
        if head is None:
            return None
        found.append(head)
        for n, item in left:
            if item is head:
                heads[n] += 1
                if heads[n] < len(orders[n]):
                    behind[orders[n][heads[n]]] -= 1


def _is_accessor(function: cst.FunctionDef) -> bool:
    """Whether a function is the setter or deleter of a property."""
    return any(
        isinstance(item.decorator, cst.Attribute)
        and item.decorator.attr.value in {"setter", "deleter"}
        for item in function.decorators
    )


def _cache_form(decoration: Applied) -> CacheForm | None:
    if decoration.all_in(CACHED_PROPERTIES):
        return CacheForm.PROPERTY
    return CacheForm.FUNCTION if decoration.all_in(FUNCTION_CACHES) else None


@dataclass(frozen=True, eq=False)
class Model:
    """What a module says of its classes."""

    scope: ModuleScope
    _by_node: dict[cst.ClassDef, ModelClass] = field(default_factory=dict)
    _by_piece: dict[int, tuple[ModelClass, ...]] = field(default_factory=dict)
    _having: dict[str, tuple[ModelClass, ...]] = field(default_factory=dict)
    _heirs: dict[cst.ClassDef, tuple[ModelClass, ...]] = field(default_factory=dict)
    _registered: dict[Scope, Mapping[cst.ClassDef, Making]] = field(default_factory=dict)
    _learned: dict[Callable[["Model"], object], object] = field(default_factory=dict)

    def once(self, compute: Callable[["Model"], T]) -> T:
        """What a later stage computes from the model, computed once."""
        known = self._learned.get(compute)
        if known is None:
            known = self._learned[compute] = compute(self)
        return cast("T", known)

    @classmethod
    def of(cls, scope: ModuleScope) -> "Model":
        """The model of a module; nothing is computed before it is asked for."""
        known = scope.source.file.analysis.get(cls)
        return (
            known if isinstance(known, cls) else owned(scope.source.file, cls, lambda: cls(scope))
        )

    def release(self) -> None:
        """Let go of all that it refers to, and that refers to it."""
        for part in (*self._by_node.values(), *self._learned.values()):
            if hasattr(part, "__dict__"):
                vars(part).clear()
        vars(self).clear()

    @cached_property
    def classes(self) -> tuple[ModelClass, ...]:
        """All classes, nested ones and those made in functions included."""
        return tuple(cls for piece in self.scope.source.pieces for cls in self.classes_in(piece))

    def classes_with(self, method: str) -> tuple[ModelClass, ...]:
        """All classes of the module that define a method of a name."""
        if method not in self._having:
            pieces = self._defining.get(method, ())
            found = [cls for piece in pieces for cls in self.classes_in(piece)]
            self._having[method] = tuple(cls for cls in found if method in cls.methods)
        return self._having[method]

    @cached_property
    def _defining(self) -> Mapping[str, list[Piece]]:
        """The pieces with functions of each name."""
        found: dict[str, list[Piece]] = {}
        for piece in self.scope.source.pieces:
            for name in piece.block.functions:
                found.setdefault(name, []).append(piece)
        return found

    def heirs(self, cls: ModelClass) -> tuple[ModelClass, ...]:
        """The subclasses of a class in its own module."""
        if cls.node not in self._heirs:
            names, found, grown = {cls.name}, list[ModelClass](), True
            pieces = [p for p in self.scope.source.pieces if p.block.classes]
            while grown:
                near = [p for p in pieces if not names.isdisjoint(p.block.words)]
                found = [item for piece in near for item in self.classes_in(piece)]
                found = [item for item in found if item is not cls and cls in item.lineage]
                grown = not names.issuperset(item.name for item in found)
                names |= {item.name for item in found}
            self._heirs[cls.node] = tuple(found)
        return self._heirs[cls.node]

    def classes_in(self, piece: Piece) -> tuple[ModelClass, ...]:
        """The classes of a piece, at whatever depth."""
        if piece.index not in self._by_piece:
            found: list[ModelClass] = []
            if piece.block.classes and piece.tree is not None:
                for statement in statements(piece.tree):
                    self._find(statement, piece, found)
            self._by_piece[piece.index] = tuple(found)
        return self._by_piece[piece.index]

    def _find(self, statement: cst.CSTNode, piece: Piece, found: list[ModelClass]) -> None:
        stack: list[tuple[cst.CSTNode, Scope]] = [(statement, self.scope)]
        most = len(_CLASS.findall(piece.block.text))
        while stack and len(found) < most:
            node, scope = stack.pop()
            if not isinstance(node, cst.ClassDef | cst.FunctionDef):
                stack += [(inner, scope) for inner in reversed(tuple(blocks(node)))]
                continue
            at = self._order(node, piece, scope)
            if isinstance(node, cst.ClassDef):
                found.append(self._class(node, piece, scope, at))
                inside: Scope = found[-1].scope
            else:
                inside = inner_scope(node, scope, at, piece)
            stack += [(inner, inside) for inner in reversed(tuple(statements(node.body)))]

    def _order(self, node: cst.ClassDef | cst.FunctionDef, piece: Piece, scope: Scope) -> float:
        if isinstance(scope, ModuleScope):
            return scope.order(piece, node)
        for binding in scope.bindings(node.name.value):
            if isinstance(binding.referent, Defined) and binding.referent.node is node:
                return binding.order
        return 0

    def _class(self, node: cst.ClassDef, piece: Piece, scope: Scope, at: float) -> ModelClass:
        """The class of a node, made when it is first asked for."""
        if node not in self._by_node:
            self._by_node[node] = ModelClass(self, node, piece, scope, at)
        return self._by_node[node]

    def class_of(self, referent: Referent) -> ModelClass | None:
        """The class that a name refers to, of this module or of another one of the project."""
        if isinstance(referent, Defined) and isinstance(referent.node, cst.ClassDef):
            if referent.piece is not None:
                home = Model.of(referent.scope.top)
                return home._class(referent.node, referent.piece, referent.scope, referent.at)
        if isinstance(referent, Valued) and isinstance(referent.node, cst.Call):
            return self._rebound(referent.node, referent.scope)
        return None

    def _rebound(self, node: cst.Call, scope: Scope) -> ModelClass | None:
        """The class in ``Foo = register_pytree_node_class(Foo)``."""
        for value in class_arguments(tuple(node.args))[:1]:
            if isinstance(value, cst.Call):
                return self._rebound(value, scope)
            named = applied(node.func, scope).names[:1]
            marks = bool(named) and (
                known_as(named[0]) in MARKERS or named[0] == "dataclasses.dataclass"
            )
            for referent in self._classes_named(value, scope) if marks else ():
                return self.class_of(referent)
        return None

    def _classes_named(self, node: cst.BaseExpression, scope: Scope) -> Iterator[Defined]:
        """The classes that an argument may be, also if the name is bound anew later."""
        while isinstance(node, cst.Call) and node.args:
            node = node.args[0].value
        found = list(refer(node, scope)) if isinstance(node, cst.Name | cst.Attribute) else []
        if isinstance(node, cst.Name):
            found += [binding.referent for binding in scope.bindings(node.value)]
        for referent in found:
            if isinstance(referent, Defined) and isinstance(referent.node, cst.ClassDef):
                yield referent

    @cached_property
    def pytrees(self) -> tuple[ModelClass, ...]:
        """The classes that are pytrees."""
        return tuple(cls for cls in self.classes if cls.making is not None)

    def registration(self, cls: ModelClass) -> Making | None:
        """What makes a class a pytree after it was defined: ``register_pytree_node(Foo, …)``."""
        if cls.outer not in self._registered:
            found: dict[cst.ClassDef, Making] = {}
            if isinstance(cls.outer, InnerScope):
                self._register(cls.outer.node.body, cls.outer, found)
            self._registered[cls.outer] = found
        return self._registrations.get(cls.node) or self._registered[cls.outer].get(cls.node)

    @cached_property
    def _registrations(self) -> Mapping[cst.ClassDef, Making]:
        found: dict[cst.ClassDef, Making] = {}
        pieces = self.scope.source.pieces
        names = frozenset[str]().union(*(piece.block.classes for piece in pieces))
        for piece in pieces:  # lists of classes, to be registered in a loop
            if not piece.block.defines and piece.block.words & names:
                names |= piece.block.names
        for piece in pieces:
            if not piece.block.has("(") or not piece.block.words & names:
                continue
            if not piece.block.defines:
                if piece.tree is not None:
                    self._register(piece.tree, self.scope, found)
            elif piece.block.has("regist") and piece.tree is not None:
                for statement in statements(piece.tree):
                    if isinstance(statement, cst.FunctionDef):
                        inside = inner_scope(statement, self.scope, 0, piece)
                        self._register(statement.body, inside, found)
        return found

    def _register(
        self,
        body: cst.BaseSuite | cst.Module,
        scope: Scope,
        found: dict[cst.ClassDef, Making],
    ) -> None:
        for statement in statements(body):
            nodes = tuple(walk_scope(statement))
            loops = dict(_loops(nodes))
            for node in nodes:
                if not isinstance(node, cst.Call):
                    continue
                for value in class_arguments(tuple(node.args)):
                    looped = loops.get(value.value) if isinstance(value, cst.Name) else None
                    values = (value,) if looped is None else _listed(looped, scope)
                    for cls in (cls for item in values for cls in self._classes_named(item, scope)):
                        if isinstance(cls.node, cst.ClassDef) and (
                            made := marking(node.func, scope)
                        ):
                            if not made.is_own:
                                arguments = (*made.arguments, *node.args)
                                made = replace(made, arguments=arguments)
                            found.setdefault(cls.node, made)


def _loops(nodes: tuple[cst.CSTNode, ...]) -> Iterator[tuple[str, cst.BaseExpression]]:
    """The variables of loops and comprehensions, and what they run over."""
    for node in nodes:
        match node:
            case cst.For(target=cst.Name(value=name), iter=source):
                yield name, source
            case cst.CompFor(target=cst.Name(value=name), iter=source):
                yield name, source
            case cst.For(target=cst.Tuple(elements=[_, cst.Element(value=cst.Name(value=name))])):
                yield name, node.iter


def _listed(node: cst.BaseExpression, scope: Scope) -> Iterator[cst.BaseExpression]:
    """The elements of a list or tuple that is written down, or the values of a dict."""
    match node:
        case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value="values" | "items"))):
            node = owner
    for referent in refer(node, scope):
        match referent:
            case Valued(node=cst.List() | cst.Tuple() | cst.Set() as found):
                yield from (element.value for element in found.elements)
            case Valued(node=cst.Dict() as found):
                yield from (element.value for element in found.elements)
