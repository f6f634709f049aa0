"""Contexts: what a caller knows of what it hands over, as the callee may know it.

A function is interpreted anew for arguments of other classes, and for other callables among them.
In the context of a call a value is a stand-in: an object at the callee's own path, with the class,
the elements and the callables that the caller knows. What a callable has bound or captured stays
behind, under roots of its own; whoever instantiates the summary puts it back.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from flake8_jax.effects.callees import (
    AnyCallee,
    Cached,
    ClassRef,
    FunctionRef,
    Method,
    Partial,
    Traced,
    calls_more,
    innermost,
)
from flake8_jax.effects.conditions import NEVER, NOTHING, OF_AN_OBJECT, OF_NONE, SILENT
from flake8_jax.effects.frame import Frame
from flake8_jax.effects.limits import CALLABLES, ITEMS, LAYERS, NESTING
from flake8_jax.effects.paths import (
    AccessPath,
    Index,
    Owner,
    Root,
    Selector,
    in_order,
    shown,
)
from flake8_jax.effects.subscripts import (
    ARRAYS,
    AT,
    AT_REFERENCE,
    CONTAINERS,
    NONE,
    REFERENCE,
    is_container,
)
from flake8_jax.effects.summaries import Ask
from flake8_jax.effects.values import EMPTY, Contents, Origin, Parts, Type, Value, initial
from flake8_jax.effects.world import Given
from flake8_jax.knowledge.objects import CONTAINER_MUTATORS
from flake8_jax.lowering.program import Kind


@dataclass(slots=True)
class Context:
    """What a callee may know, and what its stand-ins stand for."""

    frame: Frame
    asks: frozenset[Ask] = frozenset()
    """Of which parts of what is handed over the callee asks what they call."""
    at: Callable[[AccessPath], Value] = initial
    """What the caller knows of them."""
    is_writing: bool = False
    """Whether the callee writes anything: it matters then what all comes of what it calls."""
    left: dict[Root, Value] = field(default_factory=dict)
    """What was left behind."""
    _parts: dict[AccessPath, dict[Selector, None]] = field(default_factory=dict)
    """Which parts are asked for, by the object whose parts they are."""
    _optional: set[AccessPath] = field(default_factory=set)
    """What may be None, and something else is called then."""

    def __post_init__(self) -> None:
        is_called = self.frame.is_called
        self._optional.update(x.path for x in self.asks if x.has_default or is_called)
        for path in in_order({item.path for item in self.asks}):
            while path.selectors:
                self._parts.setdefault(path.owner, {})[path.selectors[-1]] = None
                path = path.owner

    def of(self, ref: FunctionRef, values: dict[str, Value]) -> tuple[FunctionRef, Given]:
        """A function and its arguments, as the function may know them."""
        given = []
        gathering = {item.name for item in ref.function.parameters if item.kind is Kind.STAR}
        for name, value in values.items():
            path = AccessPath(Root(Owner.PARAMETER, name))
            if not _says_something(value) and not (path in self._parts or path in self._optional):
                continue
            found = self._stand_in(value, path, name, NESTING)
            if calls_more(found, CALLABLES):
                found = self._stand_in(value, path, name, 1)
            if name in gathering:
                found = _one_by_one(found, value)
            if _says_something(found):
                given.append((name, found))
        return self._function(ref, NESTING), tuple(given)

    def _stand_in(
        self,
        value: Value,
        path: AccessPath,
        label: str,
        nesting: int,
        holder: FunctionRef | None = None,
    ) -> Value:
        callees: tuple[AnyCallee, ...] = ()
        items = value.contents.items
        if nesting:
            callees = tuple(
                self._callee(item, f"{label}:{number}", nesting - 1, holder)
                for number, item in enumerate(value.callees)
                if _layers(item) <= LAYERS
                and (not isinstance(item, Method) or is_container(item.owner))
            )
            if len(callees) < len(value.callees):
                callees = ()
            if items is not None and len(items) > ITEMS:
                items = None
            if items is not None:
                items = tuple(
                    self._stand_in(item, path.then(Index(i)), f"{label}[{i}]", nesting - 1)
                    for i, item in enumerate(items)
                )
                items = items if any(map(_says_something, items)) else None
        else:
            items = None
        parts = self._answers(path, label, nesting) if path in self._parts else ()
        contents = EMPTY if items is None and not parts else Contents(items=items, parts=parts)
        is_object = bool(callees) and all(map(_is_made_here, callees))
        tells = OF_AN_OBJECT if is_object else SILENT
        first, types = initial(path), _telling(value.types)
        if path in self._optional and NEVER in value.tells.if_some:
            types, tells = _NOTHING, OF_NONE
        return Value(first.paths, True, first.origin, types, contents, callees, tells)

    def _answers(self, path: AccessPath, label: str, nesting: int) -> Parts:
        """What the caller knows of the parts of an object that the callee asks for."""
        found = (
            (selector, self._stand_in(self.at(part), part, f"{label}{shown(selector)}", nesting))
            for selector in self._parts[path]
            for part in (path.then(selector),)
        )
        return tuple((selector, part) for selector, part in found if self._is_answer(part))

    def _is_answer(self, value: Value) -> bool:
        """Whether it tells of code of the project that changes something, or may."""
        if any(self._is_answer(part) for _, part in value.contents.parts):
            return True
        if value.types and all(map(self._has_writing_methods, value.types)):
            return True
        return any(map(self._changes, value.callees))

    def _has_writing_methods(self, type_: Type) -> bool:
        view = self.frame.world.class_view(type_)
        return view is not None and (self.is_writing or view.is_changed_by_methods)

    def _changes(self, callee: AnyCallee) -> bool:
        found = innermost(callee)
        if isinstance(found, Method):
            return found.name in CONTAINER_MUTATORS
        if not isinstance(found, FunctionRef):
            return isinstance(found, ClassRef)
        if self.is_writing:
            return True
        summary = self.frame.asking.summary(replace(found, captured=()), ())
        return bool(summary.writes)

    def _callee(
        self, callee: AnyCallee, label: str, nesting: int, holder: FunctionRef | None = None
    ) -> AnyCallee:
        match callee:
            case FunctionRef() if holder is not None and _sees_no_more(callee, holder):
                return replace(callee, captured=())
            case FunctionRef():
                return self._function(callee, nesting)
            case Partial():
                bound = tuple(
                    self._left(value, f"{label}.{number}", nesting)
                    for number, value in enumerate(callee.bound)
                )
                named = tuple(
                    (name, self._left(value, f"{label}.{name}", nesting))
                    for name, value in callee.named
                )
                spread, spread_named = (
                    tuple(
                        self._left(value, f"{label}.{stars}{number}", nesting)
                        for number, value in enumerate(values)
                    )
                    for stars, values in (("*", callee.spread), ("**", callee.spread_named))
                )
                return Partial(
                    self._callee(callee.callee, label, nesting, holder),
                    bound,
                    named,
                    callee.is_method,
                    spread,
                    spread_named,
                )
            case Traced():
                inner = self._callee(callee.callee, label, nesting, holder)
                return callee._replace(callee=inner, only_if=NOTHING)
            case Cached():
                return callee._replace(callee=self._callee(callee.callee, label, nesting, holder))
            case Method():
                return callee._replace(owner=self._left(callee.owner, label, nesting))
        return callee

    def _left(self, value: Value, label: str, nesting: int) -> Value:
        """A stand-in for what a callable has bound."""
        root = Root(Owner.BOUND, label)
        self.left[root] = value
        return self._stand_in(value, AccessPath(root), label, nesting)

    def _function(self, ref: FunctionRef, nesting: int) -> FunctionRef:
        """A function, with what is known of the variables of the functions around it."""
        if not ref.scopes:
            return ref if not ref.captured else replace(ref, captured=())
        cells = dict(self.frame.captured)
        cells.update(ref.captured)
        self.left.update(ref.captured)
        if self.frame.scope in ref.scopes:
            own = self.frame.state.env
            for name in sorted(self.frame.ref.function.cells):
                root = Root(Owner.CELL, name, scope=self.frame.scope)
                if name in own and root not in cells:
                    cells[root] = own[name]
        known = []
        for root in sorted(cells, key=_rank):
            if root.scope in ref.scopes:
                value, path = cells[root], AccessPath(root)
                found = self._stand_in(value, path, f"^{root.name}", min(nesting, 1), ref)
                if _says_something(found):
                    known.append((root, found))
        return replace(ref, captured=tuple(known))


def _layers(callee: AnyCallee) -> int:
    """How many partials and transforms lie around what is called in the end."""
    found = 0
    while isinstance(callee, Partial | Traced | Cached):
        callee, found = callee.callee, found + 1
    return found


def _one_by_one(stand_in: Value, value: Value) -> Value:
    """What a parameter gathers, where not all of it may be Tracers: each argument by itself."""
    items = value.contents.items
    if not items or len(items) > ITEMS or len({item.origin.concrete for item in items}) == 1:
        return stand_in
    [path] = stand_in.paths
    known = stand_in.contents.items or tuple(
        Value(frozenset((path.then(Index(i)),))) for i, _ in enumerate(items)
    )
    roots = (path.root._replace(number=i + 1) for i, _ in enumerate(items))
    told = tuple(
        item.with_origin(Origin(sources=frozenset((root,))))
        for item, root in zip(known, roots, strict=True)
    )
    return stand_in.with_contents(Contents(items=told))


def _sees_no_more(callee: FunctionRef, holder: FunctionRef) -> bool:
    """Whether a function that another one calls uses only variables that this one knows, too."""
    return {*callee.scopes} <= {*holder.scopes, holder.scope}


def _telling(types: frozenset[Type]) -> frozenset[Type]:
    """The types of a value, if a callee may do something else because of them."""
    return types if all(map(_tells, types)) else frozenset()


def _tells(type_: Type) -> bool:
    return isinstance(type_, ClassRef) or type_ in _TELLING


_TELLING = ARRAYS | CONTAINERS | {NONE, REFERENCE, AT, AT_REFERENCE}


_NOTHING = frozenset({NONE})


def _is_made_here(callee: AnyCallee) -> bool:
    """Whether a callable is certainly one, and not None: a function or a class of the project."""
    return isinstance(callee, FunctionRef | ClassRef | Partial | Traced | Cached)


def _says_something(value: Value) -> bool:
    return bool(value.types or value.callees or value.contents.items or value.contents.parts)


def _rank(root: Root) -> tuple[str, tuple[str | int, ...]]:
    return root.name, root.scope or ()
