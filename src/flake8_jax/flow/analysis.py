"""The analysis of a module: each function is summarised once, and applied where it is called."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from flake8_jax.faults import fault
from flake8_jax.flow.decorators import is_switched
from flake8_jax.flow.traces import decorated
from flake8_jax.flow.types import annotated, constructed, is_of_arrays, tuple_factory
from flake8_jax.flow.values import (
    ALL,
    FALSE,
    MOST_FUNCTIONS,
    TRUE,
    UNKNOWN,
    Clear,
    Form,
    FrozenWrite,
    FunctionRef,
    Invocation,
    Place,
    Root,
    Told,
    Trace,
    Type,
    Value,
    Write,
    changed,
    join,
)
from flake8_jax.knowledge.caches import FUNCTION_CACHES
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import COMMON_NAMES, PER_THREAD
from flake8_jax.knowledge.pytrees import Kind
from flake8_jax.model import Model, ModelClass
from flake8_jax.names import applied, refer
from flake8_jax.scopes import Defined, Imported, Referent, Scope, Valued, inner_scope
from flake8_jax.source import Piece, Quote
from flake8_jax.syntax import Function, blocks, is_name, positional, statements, walk
from flake8_jax.syntax.make import BLOCK, FUNCTION, NAME, PARAMETERS

if TYPE_CHECKING:
    from flake8_jax.flow.frame import Frame

_FUNCTIONS_DEEP = 40
_ROUNDS = 4
_BLOCK = NAME("block")
_NO_PARAMETERS = PARAMETERS((), cst.MaybeSentinel.DEFAULT, (), None, ())


_NOT_YET = changed(UNKNOWN, if_true=frozenset({ALL}), if_false=frozenset({ALL}))
"""What a function gives that calls itself: what the other ways through it tell."""
_SINGLETONS = {"builtins.None": FALSE, "builtins.True": TRUE, "builtins.False": FALSE}


class Parameter(NamedTuple):
    """A parameter of a function."""

    name: str
    annotation: cst.Annotation | None = None
    default: cst.BaseExpression | None = None
    star: str = ""
    keyword_only: bool = False
    positional_only: bool = False


def parameters(function: Function) -> tuple[Parameter, ...]:
    """The parameters of a function, in order."""
    return _parameters(function) if function.params is not _NO_PARAMETERS else ()


@lru_cache(maxsize=16)  # those of one function are asked for again at once
def _parameters(function: Function) -> tuple[Parameter, ...]:
    params = function.params

    def plain(items: Iterable[cst.Param], kind: str = "") -> Iterator[Parameter]:
        for item in items:
            named, placed = kind == "named", kind == "placed"
            yield Parameter(item.name.value, item.annotation, item.default, "", named, placed)

    found = [*plain(params.posonly_params, "placed"), *plain(params.params)]
    if isinstance(params.star_arg, cst.Param):
        found.append(Parameter(params.star_arg.name.value, star="*"))
    found += plain(params.kwonly_params, "named")
    if params.star_kwarg is not None:
        found.append(Parameter(params.star_kwarg.name.value, star="**"))
    return tuple(found)


@dataclass(frozen=True, eq=False, slots=True)
class Summary:
    """What calling a function does, in terms of its own parameters and of outer names."""

    parameters: tuple[Parameter, ...] = ()
    writes: tuple[Write, ...] = ()
    reads: frozenset[Place] = frozenset()
    """The places that it reads."""
    passes: frozenset[Place] = frozenset()
    """Where that stands which it reads through names that stand for it, or hands on."""
    result: Value = UNKNOWN
    calls: tuple[FunctionRef, ...] = ()
    """The functions that it calls."""
    types: Mapping[str, Type] = field(default_factory=dict)
    """The types of its parameters."""
    makes_arrays: bool = False
    """Whether it computes jax arrays, itself or through what it calls."""
    invocations: tuple[Invocation, ...] = ()
    """What it does with functions that it is given."""
    lent: frozenset[str] = frozenset()
    """The parameters that it hands to code that is not known."""
    clear: Clear = frozenset()
    """What is clear of Tracers when it has returned."""


@dataclass
class _Call:
    """A function that is being summarised."""

    node: Function
    lowest: int
    """The outermost call that its summary leads back to."""
    inner: list["tuple[Flow, Function]"] = field(default_factory=list)
    """The functions whose summaries wait for this one."""


_RUNNING: list[_Call] = []
"""The functions that are being summarised, of whatever module, outermost first."""


@dataclass(eq=False)
class Flow:
    """Summaries, traces and findings of a module, computed once.

    The functions of other modules are summarised there: each module has its own.
    """

    model: Model
    further: tuple[ModelClass, ...] = ()
    """Classes of another module that are taken for subclasses beside those of this one."""
    _summaries: dict[Function, Summary] = field(default_factory=dict)
    traces: list[Trace] = field(default_factory=list)
    """All callables of the module that are handed to a transform."""
    lambdas: dict[cst.Lambda, FunctionRef] = field(default_factory=dict)
    """The lambdas of the module, which stand in no list of definitions."""
    frozen_writes: dict[cst.CSTNode, FrozenWrite] = field(default_factory=dict)
    expected_to_raise: set[cst.CSTNode] = field(default_factory=set)
    """The functions that a test calls for the error that they raise."""
    discarded: dict[cst.CSTNode, tuple[Piece, str | Quote]] = field(default_factory=dict)
    discarded_if_traced: dict[cst.CSTNode, tuple[Piece, str | Quote, Function]] = field(
        default_factory=dict
    )
    """What looks like a discarded update of a pytree: in traced code it can be nothing else."""
    updating: dict[cst.CSTNode, Function] = field(default_factory=dict)
    """The functions in which the discarded updates of arrays stand."""
    kernels: set[Function] = field(default_factory=set)
    """The functions whose parameters are references, to be written in place."""
    passed: dict[Root, set[Root]] = field(default_factory=dict)
    """From what the values are computed that parameters are given and variables are bound to."""
    escaped: set[Function] = field(default_factory=set)
    """The functions that are handed on: not all that they are given is known."""
    filled_before: set[tuple[Trace, Place]] = field(default_factory=set)
    """The caches that are filled when a trace first runs, as its callable calls them."""
    handed: dict[cst.CSTNode, frozenset[Function | None]] = field(default_factory=dict)
    """The calls of what differentiates, and the functions whose arguments they hand over to be
    changed; None where that is something else."""
    _by_node: dict[Function, FunctionRef] = field(default_factory=dict)
    _blocks: dict[int, FunctionRef] = field(default_factory=dict)
    _switched: dict[Function, bool] = field(default_factory=dict)
    _resolving: set[cst.CSTNode] = field(default_factory=set)
    _heirs: dict[tuple[cst.ClassDef, cst.FunctionDef], tuple[ModelClass, ...]] = field(
        default_factory=dict
    )
    _foreign: dict[str, tuple["Flow", str]] = field(default_factory=dict)
    """Where the global names of other modules are at home, and what they are called there."""

    @classmethod
    def of(cls, model: Model) -> "Flow":
        """The analysis of all functions of a module that matter."""
        flow = model.once(cls)
        for ref in flow._callees_first():
            flow.summary(ref)
        return flow

    def _home(self, scope: Scope) -> "Flow":
        """The analysis of the module that a scope belongs to."""
        if scope.top is self.model.scope:
            return self
        return Model.of(scope.top).once(Flow)

    def _callees_first(self) -> Iterator[FunctionRef]:
        """The functions in an order in which calls find summaries: deep recursion is not needed."""
        by_name: dict[str, list[FunctionRef]] = {}
        for ref in self.functions:
            if not ref.is_block:  # nobody calls one
                by_name.setdefault(ref.name, []).append(ref)
        seen: set[FunctionRef] = set()
        for first in self.functions:
            stack = [(first, iter([first]))]
            while stack:
                ref, waiting = stack[-1]
                following = next((item for item in waiting if item not in seen), None)
                if following is not None:
                    seen.add(following)
                    names = _identifiers(following) & by_name.keys()
                    callees = [item for name in sorted(names) for item in by_name[name]]
                    stack.append((following, iter(callees)))
                else:
                    stack.pop()
                    if stack:
                        yield ref

    @cached_property
    def functions(self) -> tuple[FunctionRef, ...]:
        """The functions to follow, methods and nested ones included; module level first."""
        found: list[FunctionRef] = []
        for piece in self.model.scope.source.pieces:
            if piece.tree is not None:
                found += self._functions_of(piece, piece.tree)
        return tuple(found)

    def _functions_of(self, piece: Piece, tree: cst.Module) -> Iterator[FunctionRef]:
        if not piece.block.is_import:
            yield self._block(piece, tree)
        stack: list[tuple[cst.CSTNode, Scope, ModelClass | None]] = [
            (node, self.model.scope, None) for node in statements(tree)
        ]
        while stack:
            node, scope, cls = stack.pop()
            if type(node) is cst.FunctionDef:
                yield self.function(node, scope, piece, cls)
                inner: Scope = inner_scope(node, scope, 0, piece)
                stack += [(item, inner, None) for item in statements(node.body)]
            elif type(node) is cst.ClassDef:
                known = self.model.class_of(Defined(node, scope, 0, piece))
                inner = known.scope if known else inner_scope(node, scope, 0, piece)
                yield _block(node.body.body, inner, piece, known)
                stack += [(item, inner, known) for item in statements(node.body)]
            else:
                stack += [(item, scope, cls) for item in blocks(node)]

    def body(self, cls: ModelClass) -> FunctionRef:
        """The statements of a class, as a function without parameters."""
        return _block(cls.node.body.body, cls.scope, cls.piece, cls)

    def heirs(self, cls: ModelClass, method: cst.FunctionDef) -> tuple[ModelClass, ...]:
        """The subclasses of a class whose objects may be the self of a method of it."""
        key = (cls.node, method)
        if key not in self._heirs:
            further = (item for item in self.further if cls in item.lineage)
            heirs = (*cls.model.heirs(cls), *further)
            self._heirs[key] = tuple(item for item in heirs if _runs(item, method))
        return self._heirs[key]

    def _block(self, piece: Piece, tree: cst.Module) -> FunctionRef:
        """The statements of a piece, as a function without parameters."""
        if piece.index not in self._blocks:
            self._blocks[piece.index] = _block(tree.body, self.model.scope, piece)
        return self._blocks[piece.index]

    def summary(self, ref: FunctionRef) -> Summary:
        """A function's summary; inside its own recursion, what is known of it by then.

        Functions that call each other are gone over until nothing new is found, so that it does
        not matter which of them is asked for first.
        """
        home = self._home(ref.scope)
        return home._summary(ref)

    def _summary(self, ref: FunctionRef) -> Summary:
        known = self._summaries.get(ref.node)
        if known is not None:
            for depth, call in enumerate(_RUNNING):
                if call.node is ref.node:
                    for above in _RUNNING[depth:]:
                        above.lowest = min(above.lowest, depth)
                    break
            return known
        if len(_RUNNING) >= _FUNCTIONS_DEEP:
            return Summary(parameters(ref.node))
        self._summaries[ref.node] = Summary(parameters(ref.node), result=_NOT_YET)
        depth = len(_RUNNING)
        for _ in range(_ROUNDS):
            call = _Call(ref.node, depth)
            _RUNNING.append(call)
            try:
                found = self._followed(ref)
            finally:
                _RUNNING.pop()
            before, self._summaries[ref.node] = self._summaries[ref.node], found
            if call.lowest < depth:
                _RUNNING[call.lowest].inner += [(self, ref.node), *call.inner]
                return found
            if not call.inner or _key(before) == _key(found):
                break
            for flow, node in call.inner:
                flow._summaries.pop(node, None)
        return self._summaries[ref.node]

    def _followed(self, ref: FunctionRef) -> Summary:
        try:
            return _frame()(self, ref).run()
        except Exception:  # what is not understood of one function is not known; the rest is
            fault("'%s' in lines %d to %d is not followed", ref.name, *ref.piece.lines)
            return Summary(parameters(ref.node))

    def outer(self, node: cst.Name, scope: Scope, piece: Piece, at: float | None = None) -> Value:
        """What is known of a name that the function at hand does not bind."""
        referents = refer(node, scope) if at is None else refer(node, scope, at)
        return join([self._referent(node, item, scope, piece) for item in referents])

    def imported(self, dotted: str, owner: Value, scope: Scope, piece: Piece) -> Value:
        """What is known of an attribute of a module."""
        found = scope.top.links.find(dotted)
        if found is None:
            return Value(dotted=dotted, places=owner.places, plain=True)
        name = cst.Name(dotted.rpartition(".")[2])
        value = join([self._referent(name, item, scope, piece) for item in found])
        return value if value.places else changed(value, places=owner.places)

    def is_filled_at_import(self, place: Place) -> bool:
        """Whether a cache is filled when its module is imported, or this one."""
        if place in self.filled_at_import:
            return True
        home, name = self._foreign.get(place.root.name, (None, ""))
        return home is not None and Place(Root(None, name), place.path) in home.filled_at_import

    def is_switched(self, ref: FunctionRef) -> bool:
        """Whether a decorator calls a function only while a switch of its module is on."""
        node = ref.node
        if not isinstance(node, cst.FunctionDef) or not node.decorators:
            return False
        if node not in self._switched:
            self._switched[node] = is_switched(node, ref.scope)
        return self._switched[node]

    def home_of(self, name: str) -> tuple["Flow", str]:
        """The analysis of the module that a global name belongs to, and its name there."""
        return self._foreign.get(name, (self, name))

    def foreign(self, scope: Scope, name: str) -> Root:
        """A global name of another module, told apart from those of this one."""
        home = self._home(scope)
        if home is self:
            return Root(None, name)
        if "." in name:
            if name in home._foreign:
                self._foreign[name] = home._foreign[name]
            return Root(None, name)
        full = f"{scope.top.name}.{name}"
        self._foreign[full] = (home, name)
        return Root(None, full)

    @cached_property
    def filled_at_import(self) -> frozenset[Place]:
        """The caches that the module fills when it is imported."""
        caches = (Form.CACHE, Form.CALL)
        return frozenset(w.place for w in self.written_at_import if w.form in caches)

    @cached_property
    def written_at_import(self) -> tuple[Write, ...]:
        """What the statements of the module change when it is imported, under no trace."""
        pieces = [piece for piece in self.model.scope.source.pieces if not piece.block.defines]
        blocks = [self._block(piece, piece.tree) for piece in pieces if piece.tree is not None]
        writes = (write for ref in blocks for write in self.summary(ref).writes)
        return tuple(write for write in writes if write.trace is None)

    def passes(self, function: Function | None, given: Mapping[str, Value]) -> None:
        """Note what parameters or variables of a function are given."""
        for name, value in given.items() if function is not None else ():
            self.passed.setdefault(Root(function, name), set()).update(value.depends)

    def only_class_with(self, name: str) -> ModelClass | None:
        """The only class of the module that has a method of a name."""
        if name in COMMON_NAMES or name.startswith("__"):
            return None
        found = self.model.classes_with(name)
        return found[0] if len(found) == 1 else None

    def _referent(self, node: cst.Name, item: Referent, scope: Scope, piece: Piece) -> Value:
        match item:
            case Imported():
                dotted = canonical(item.dotted)
                if dotted in _SINGLETONS:
                    return _SINGLETONS[dotted]
                here = self.variable(node.value, scope)
                places = frozenset({here}) if here is not None and here.root.owner is None else None
                return Value(dotted=dotted, places=places or frozenset(), plain=True)
            case Defined(node=cst.ClassDef()):
                cls = self.model.class_of(item)
                here = self._variable_of(node, item, scope)
                return Value(places=frozenset({here} if here else ()), made=cls, plain=True)
            case Defined(node=cst.FunctionDef() as function):
                here = self._variable_of(node, item, scope)
                return Value(
                    places=frozenset({here} if here else ()),
                    function=self.function(function, item.scope, item.piece or piece),
                    plain=True,
                )
        here = self._variable_of(node, item, scope)
        if here is None:
            return UNKNOWN
        kind, element = self._variable_type(here, scope, item)
        made = each = None
        if isinstance(item, Valued) and isinstance(item.node, cst.Lambda):
            made = FunctionRef(item.node, item.scope, item.piece or piece)
        if isinstance(item, Valued) and item.node not in self._resolving:
            self._resolving.add(item.node)  # a name may be bound to what is made of itself
            made = made or self._callable(item, item.piece or piece)
            each = self._callables(item, item.piece or piece)
            self._resolving.discard(item.node)
        if isinstance(item, Valued) and isinstance(item.node, cst.Call):
            if applied(item.node.func, item.scope, item.at).all_in(PER_THREAD):
                return UNKNOWN
            kind_made = tuple_factory(item.node, item.scope)
            if isinstance(kind_made, Kind):
                return Value(places=frozenset({here}), made=kind_made, plain=True)
        own = here.root.owner is not None
        depends = frozenset({here.root}) if own else frozenset()
        return Value(
            if_true=frozenset({Told(here.root, True)}) if own else frozenset(),
            if_false=frozenset({Told(here.root, False)}) if own else frozenset(),
            places=frozenset({here}),
            type=kind,
            element=element,
            depends=depends,
            function=made,
            each=each,
            plain=_is_plain(item),
            of_arrays=isinstance(item, Valued) and is_of_arrays(self.model, item.node, item.scope),
        )

    def _callable(self, item: Valued, piece: Piece) -> FunctionRef | None:
        """The function that a variable of a module stands for."""
        match item.node:
            case cst.Call() as call:
                found = self._cached_function(call, item.scope, piece)
                return found or self._partial_function(call, item.scope, piece)
            case cst.Attribute() as attribute:
                return self._bound_method(attribute, item.scope, piece)
        return None

    def _callables(self, item: Valued, piece: Piece) -> Value | None:
        """The functions in a list, tuple or dict of functions that a variable stands for."""
        match item.node:
            case cst.List(elements=elements) | cst.Tuple(elements=elements):
                nodes = [element.value for element in elements]
            case cst.Dict(elements=elements):
                nodes = [element.value for element in elements]
            case _:
                return None
        found: list[Value] = []
        for node in nodes[:MOST_FUNCTIONS]:
            match node:
                case cst.Name():
                    found.append(self.outer(node, item.scope, piece))
                case cst.Lambda():
                    found.append(Value(function=FunctionRef(node, item.scope, piece)))
        listed = len(found) == len(nodes) and all(value.function is not None for value in found)
        return join(found) if found and listed else None

    def _partial_function(self, node: cst.Call, scope: Scope, piece: Piece) -> FunctionRef | None:
        """The function in ``partial(function, …)``."""
        given = positional(tuple(node.args))
        names = [item.dotted for item in refer(node.func, scope) if isinstance(item, Imported)]
        if not given or names != ["functools.partial"]:
            return None
        found = self.outer(given[0], scope, piece) if isinstance(given[0], cst.Name) else None
        if found is None and isinstance(given[0], cst.Attribute):
            items = refer(given[0], scope)
            found = join([self._referent(given[0].attr, item, scope, piece) for item in items])
        if found is None or found.function is None:
            return None
        named = {arg.keyword.value: UNKNOWN for arg in node.args if arg.keyword is not None}
        bound = (*found.function.bound, *(UNKNOWN for _ in given[1:]))
        spread = found.function.is_spread or any(arg.star for arg in node.args)
        named = {**found.function.keywords, **named}
        return changed(found.function, bound=bound, keywords=named, is_spread=spread)

    def _bound_method(self, node: cst.Attribute, scope: Scope, piece: Piece) -> FunctionRef | None:
        """The method in ``push = METER.push``."""
        owner = self.outer(node.value, scope, piece) if isinstance(node.value, cst.Name) else None
        cls = owner.cls() if owner is not None else None
        method = cls.method(node.attr.value) if cls is not None else None
        if owner is None or cls is None or method is None or not cls.is_instance_method(method):
            return None
        return changed(self.method(cls, method), bound=(owner,), is_method=True)

    def _variable_of(self, node: cst.Name, item: Referent, scope: Scope) -> Place | None:
        """The variable that a name stands for, under its own name if another module has it."""
        match item:
            case Defined(scope=home) if home.top is not scope.top and home is home.top:
                return Place(self.foreign(home, item.node.name.value))
            case Valued(scope=home, name=str(name)) if home.top is not scope.top:
                return Place(self.foreign(home, name)) if home is home.top else None
        return self.variable(node.value, scope)

    def _cached_function(self, node: cst.Call, scope: Scope, piece: Piece) -> FunctionRef | None:
        """The function in ``lru_cache(maxsize=None)(function)``."""
        given = positional(tuple(node.args))[:1]
        if given and applied(node.func, scope).all_in(FUNCTION_CACHES):
            for referent in refer(given[0], scope):
                if isinstance(referent, Defined) and isinstance(referent.node, cst.FunctionDef):
                    ref = self.function(referent.node, referent.scope, referent.piece or piece)
                    return changed(ref, cached=True)
        return None

    def function(
        self, node: cst.FunctionDef, scope: Scope, piece: Piece, cls: ModelClass | None = None
    ) -> FunctionRef:
        """A function of the module as a value, with what it is decorated with."""
        home = self._home(scope)
        known = home._by_node.get(node)
        if known is None:
            if cls is None and isinstance(scope.node, cst.ClassDef) and scope.parent is not None:
                cls = home.model.class_of(Defined(scope.node, scope.parent, scope.at, piece))
            known = home._by_node[node] = decorated(FunctionRef(node, scope, piece, cls))
        return known

    def method(self, cls: ModelClass, node: cst.FunctionDef) -> FunctionRef:
        """A method of a class, or of an ancestor, as a value."""
        owner = cls.home_of(node)
        return self.function(node, owner.scope, owner.piece, owner)

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


@lru_cache(maxsize=1)
def _frame() -> "type[Frame]":
    """What follows a function; it builds upon this module."""
    from flake8_jax.flow.frame import Frame

    return Frame


def _key(summary: Summary) -> object:
    """What has to stay the same for a summary to be final."""
    writes = frozenset((w.node, w.place, w.form, w.plain, w.read_after) for w in summary.writes)
    result = summary.result
    out = (result.places, result.holds, result.certain, result.plain, result.type)
    return (
        writes,
        summary.reads,
        summary.passes,
        out,
        summary.makes_arrays,
        len(summary.invocations),
        summary.lent,
        (result.if_true, result.if_false, summary.clear),
    )


def _runs(cls: ModelClass, method: cst.FunctionDef) -> bool:
    """Whether a method is that of a class, or what stands in its place may call it."""
    found = cls.method(method.name.value)
    if found is None or found is method:
        return found is method
    words = cls.home_of(found).piece.block.words
    return "super" in words and any(is_name(node, "super") for node in walk(found))


def _identifiers(ref: FunctionRef) -> Set[str]:
    """The words of a function, or of the piece that it stands in."""
    block = ref.piece.block
    return block.members.get(ref.name, block.words) if ref.cls is not None else block.words


def _block(
    body: Sequence[cst.CSTNode], scope: Scope, piece: Piece, cls: ModelClass | None = None
) -> FunctionRef:
    """The statements of a module's piece or of a class body, as a function without parameters."""
    lines = [item for item in body if isinstance(item, cst.BaseStatement)]
    function = FUNCTION(_BLOCK, _NO_PARAMETERS, BLOCK(lines), (), None, None, None)
    return FunctionRef(function, scope, piece, cls, is_block=True)


def _is_plain(item: Referent) -> bool:
    """Whether a name is bound to a constant."""
    match item:
        case Valued(node=cst.BaseNumber() | cst.SimpleString() | cst.FormattedString()):
            return True
        case Valued(node=cst.Name(value=name)):
            return name in {"None", "True", "False"}
    return False
