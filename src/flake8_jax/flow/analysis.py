"""The analysis of a module: each function is summarised once, and applied where it is called."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import libcst as cst

from flake8_jax.flow.traces import decorated
from flake8_jax.flow.types import annotated, constructed, tuple_factory
from flake8_jax.flow.values import (
    PLAIN,
    UNKNOWN,
    Form,
    FunctionRef,
    Place,
    Root,
    Trace,
    Type,
    Value,
    Write,
    join,
)
from flake8_jax.knowledge.caches import FUNCTION_CACHES
from flake8_jax.knowledge.objects import COMMON_NAMES
from flake8_jax.knowledge.pytrees import Kind
from flake8_jax.model import Model, ModelClass
from flake8_jax.names import applied, canonical, refer
from flake8_jax.scopes import Defined, Imported, InnerScope, Referent, Scope, Valued
from flake8_jax.source import LOG, Piece
from flake8_jax.syntax import Function, blocks, positional, statements, walk

_FUNCTIONS_DEEP = 40


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function."""

    name: str
    annotation: cst.Annotation | None = None
    default: cst.BaseExpression | None = None
    star: str = ""
    keyword_only: bool = False


def parameters(function: Function) -> tuple[Parameter, ...]:
    """The parameters of a function, in order."""
    params = function.params

    def plain(items: "tuple[cst.Param, ...]", keyword_only: bool = False) -> Iterator[Parameter]:
        for item in items:
            yield Parameter(
                item.name.value, item.annotation, item.default, keyword_only=keyword_only
            )

    found = [*plain(tuple(params.posonly_params)), *plain(tuple(params.params))]
    if isinstance(params.star_arg, cst.Param):
        found.append(Parameter(params.star_arg.name.value, star="*"))
    found += plain(tuple(params.kwonly_params), keyword_only=True)
    if params.star_kwarg is not None:
        found.append(Parameter(params.star_kwarg.name.value, star="**"))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Summary:
    """What calling a function does, in terms of its own parameters and of outer names."""

    parameters: tuple[Parameter, ...] = ()
    writes: tuple[Write, ...] = ()
    reads: frozenset[tuple[Place, bool]] = frozenset()
    result: Value = UNKNOWN
    calls: frozenset[Function] = frozenset()
    """The functions that it calls."""
    types: Mapping[str, Type] = field(default_factory=dict)
    """The types of its parameters."""
    makes_arrays: bool = False
    """Whether it computes jax arrays, itself or through what it calls."""


@dataclass(eq=False)
class Flow:
    """Summaries, traces and findings of a module, computed once."""

    model: Model
    _summaries: dict[Function, Summary] = field(default_factory=dict)
    traces: list[Trace] = field(default_factory=list)
    """All callables of the module that are handed to a transform."""
    frozen_writes: dict[cst.CSTNode, tuple[Piece, str, str, Kind]] = field(default_factory=dict)
    discarded: dict[cst.CSTNode, tuple[Piece, str]] = field(default_factory=dict)
    discarded_if_traced: dict[cst.CSTNode, tuple[Piece, str, Function]] = field(
        default_factory=dict
    )
    """What looks like a discarded update of a pytree: in traced code it can be nothing else."""
    updating: dict[cst.CSTNode, Function] = field(default_factory=dict)
    """The functions in which the discarded updates of arrays stand."""
    kernels: set[Function] = field(default_factory=set)
    """The functions whose parameters are references, to be written in place."""
    _deep: int = 0

    @classmethod
    def of(cls, model: Model) -> "Flow":
        """The analysis of all functions of a module."""
        flow = cls(model)
        for ref in flow._callees_first():
            flow.summary(ref)
        return flow

    def _callees_first(self) -> Iterator[FunctionRef]:
        """The functions in an order in which calls find summaries: deep recursion is not needed."""
        by_name: dict[str, list[FunctionRef]] = {}
        for ref in self.functions:
            by_name.setdefault(ref.name, []).append(ref)
        seen: set[Function] = set()
        for first in self.functions:
            stack = [(first, iter([first]))]
            while stack:
                ref, waiting = stack[-1]
                following = next((item for item in waiting if item.node not in seen), None)
                if following is not None:
                    seen.add(following.node)
                    names = _identifiers(following.node) & by_name.keys()
                    callees = [item for name in sorted(names) for item in by_name[name]]
                    stack.append((following, iter(callees)))
                else:
                    stack.pop()
                    if stack:
                        yield ref

    @cached_property
    def functions(self) -> tuple[FunctionRef, ...]:
        """The functions of the module, methods and nested ones included; module level first."""
        found: list[FunctionRef] = []
        for piece in self.model.scope.source.pieces:
            if piece.matters and piece.tree is not None:
                found += self._functions_of(piece, piece.tree)
        return tuple(found)

    def _functions_of(self, piece: Piece, tree: cst.Module) -> Iterator[FunctionRef]:
        yield _block(tree.body, self.model.scope, piece)
        stack: list[tuple[cst.CSTNode, Scope, ModelClass | None]] = [
            (node, self.model.scope, None) for node in statements(tree)
        ]
        while stack:
            node, scope, cls = stack.pop()
            match node:
                case cst.FunctionDef():
                    yield decorated(FunctionRef(node, scope, piece, cls))
                    inner: Scope = InnerScope(node, scope, 0, piece)
                    stack += [(item, inner, None) for item in statements(node.body)]
                case cst.ClassDef():
                    known = self.model.class_of(Defined(node, scope, 0, piece))
                    inner = known.scope if known else InnerScope(node, scope, 0, piece)
                    yield _block(node.body.body, inner, piece, known)
                    stack += [(item, inner, known) for item in statements(node.body)]
                case _:
                    stack += [(item, scope, cls) for item in blocks(node)]

    def summary(self, ref: FunctionRef) -> Summary:
        """A function's summary; inside its own recursion, an empty one."""
        known = self._summaries.get(ref.node)
        if known is not None:
            return known
        if self._deep >= _FUNCTIONS_DEEP:
            return Summary(parameters(ref.node))
        self._summaries[ref.node] = Summary(parameters(ref.node))
        from flake8_jax.flow.frame import Frame

        self._deep += 1
        try:
            self._summaries[ref.node] = Frame(self, ref).run()
        except Exception:  # what is not understood of one function is not known; the rest is
            LOG.exception("'%s' in lines %d to %d is not followed", ref.name, *ref.piece.lines)
        finally:
            self._deep -= 1
        return self._summaries[ref.node]

    def outer(self, node: cst.Name, scope: Scope, piece: Piece, at: float | None = None) -> Value:
        """What is known of a name that the function at hand does not bind."""
        referents = refer(node, scope) if at is None else refer(node, scope, at)
        return join([self._referent(node, item, scope, piece) for item in referents])

    @cached_property
    def filled_at_import(self) -> frozenset[Place]:
        """The caches that the module fills when it is imported."""
        blocks = [ref for ref in self.functions if ref.is_block]
        writes = (write for ref in blocks for write in self.summary(ref).writes)
        caches = (Form.CACHE, Form.CALL)
        return frozenset(w.place for w in writes if w.form in caches and w.trace is None)

    def only_class_with(self, name: str) -> ModelClass | None:
        """The only class of the module, with its subclasses, that has a method of a name."""
        return self._only_classes.get(name)

    @cached_property
    def _only_classes(self) -> dict[str, ModelClass]:
        having: dict[str, list[ModelClass]] = {}
        for cls in self.model.classes:
            for name in cls.methods:
                if name not in COMMON_NAMES and not name.startswith("__"):
                    having.setdefault(name, []).append(cls)
        return {name: found[0] for name, found in having.items() if len(found) == 1}

    def _referent(self, node: cst.Name, item: Referent, scope: Scope, piece: Piece) -> Value:
        match item:
            case Imported():
                dotted = canonical(item.dotted)
                if dotted in {"builtins.None", "builtins.True", "builtins.False"}:
                    return PLAIN
                here = self.variable(node.value, scope)
                places = frozenset({here}) if here is not None and here.root.owner is None else None
                return Value(dotted=dotted, places=places or frozenset())
            case Defined(node=cst.ClassDef()):
                cls = self.model.class_of(item)
                here = self.variable(node.value, scope)
                return Value(places=frozenset({here} if here else ()), made=cls, plain=True)
            case Defined(node=cst.FunctionDef() as function):
                here = self.variable(node.value, scope)
                return Value(
                    places=frozenset({here} if here else ()),
                    function=self.function(function, item.scope, item.piece or piece),
                    plain=True,
                )
        here = self.variable(node.value, scope)
        if here is None:
            return UNKNOWN
        kind, element = self._variable_type(here, scope, item)
        made = None
        if isinstance(item, Valued) and isinstance(item.node, cst.Lambda):
            made = FunctionRef(item.node, item.scope, piece)
        if isinstance(item, Valued) and isinstance(item.node, cst.Call):
            made = self._cached_function(item.node, item.scope, piece)
        if isinstance(item, Valued) and isinstance(item.node, cst.Call):
            kind_made = tuple_factory(item.node, item.scope)
            if isinstance(kind_made, Kind):
                return Value(places=frozenset({here}), made=kind_made, plain=True)
        depends = frozenset({here.root}) if here.root.owner is not None else frozenset()
        return Value(
            places=frozenset({here}),
            type=kind,
            element=element,
            depends=depends,
            function=made,
            plain=_is_plain(item),
        )

    def _cached_function(self, node: cst.Call, scope: Scope, piece: Piece) -> FunctionRef | None:
        """The function in ``lru_cache(maxsize=None)(function)``."""
        given = positional(tuple(node.args))[:1]
        if given and applied(node.func, scope).all_in(FUNCTION_CACHES):
            for referent in refer(given[0], scope):
                if isinstance(referent, Defined) and isinstance(referent.node, cst.FunctionDef):
                    ref = self.function(referent.node, referent.scope, referent.piece or piece)
                    return replace(ref, cached=True)
        return None

    def function(
        self, node: cst.FunctionDef, scope: Scope, piece: Piece, cls: ModelClass | None = None
    ) -> FunctionRef:
        """A function of the module as a value, with what it is decorated with."""
        known = self._by_node.get(node)
        if known is None:
            known = self._by_node[node] = decorated(FunctionRef(node, scope, piece, cls))
        return known

    @cached_property
    def _by_node(self) -> dict[Function, FunctionRef]:
        return {ref.node: ref for ref in self.functions}

    def variable(self, name: str, scope: Scope) -> Place | None:
        """The variable that a name stands for: of the nearest function around, or of the module."""
        here: Scope | None = scope
        while here is not None:
            if here.bindings(name) and not isinstance(here.node, cst.ClassDef):
                owner = here.node if isinstance(here.node, cst.FunctionDef) else None
                return Place(Root(owner, name))
            here = here.parent
        return None

    def _variable_type(self, place: Place, scope: Scope, item: Referent) -> tuple[Type, Type]:
        owner = place.root.owner
        if isinstance(item, Valued):
            known = constructed(self.model, item.node, item.scope)
            if known is None and isinstance(item.node, cst.Call):
                for referent in refer(item.node.func, item.scope):
                    match referent:
                        case Defined(node=cst.FunctionDef() as function, piece=Piece() as piece):
                            made = self.function(function, referent.scope, piece)
                            return self.summary(made).result.type, None
            return known, None
        if isinstance(owner, cst.FunctionDef):
            for parameter in parameters(owner):
                if parameter.name == place.root.name:
                    ref = self._by_node.get(owner)
                    if parameter.annotation is not None:
                        annotation = parameter.annotation.annotation
                        return annotated(self.model, annotation, ref.scope if ref else scope)
                    first = parameters(owner)[0].name == parameter.name
                    if ref is not None and ref.cls is not None and first:
                        if ref.cls.is_instance_method(owner):
                            return ref.cls, None
        return None, None


def _identifiers(node: cst.CSTNode) -> set[str]:
    return {item.value for item in walk(node) if type(item) is cst.Name}


def _block(
    body: Sequence[cst.CSTNode], scope: Scope, piece: Piece, cls: ModelClass | None = None
) -> FunctionRef:
    """The statements of a module's piece or of a class body, as a function without parameters."""
    lines = [item for item in body if isinstance(item, cst.BaseStatement)]
    function = cst.FunctionDef(cst.Name("block"), cst.Parameters(), cst.IndentedBlock(lines))
    return FunctionRef(function, scope, piece, cls, is_block=True)


def _is_plain(item: Referent) -> bool:
    """Whether a name is bound to a constant."""
    match item:
        case Valued(node=cst.BaseNumber() | cst.SimpleString() | cst.FormattedString()):
            return True
        case Valued(node=cst.Name(value=name)):
            return name in {"None", "True", "False"}
    return False
