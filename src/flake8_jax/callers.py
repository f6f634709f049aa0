"""What the callers of a function make of a write: they filled the place before, or keep nothing.

Only what would be reported is asked about, so that nothing here has to be fast.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

from flake8_jax.flow.analysis import Flow
from flake8_jax.flow.binding import fits
from flake8_jax.flow.traces import names_of
from flake8_jax.flow.values import STATIC, Form, FunctionRef, Here, Place, Trace, Write
from flake8_jax.knowledge.objects import CONTAINER_FACTORIES, DEEP_COPIES, SHALLOW_COPIES
from flake8_jax.knowledge.transforms import TRANSFORMS
from flake8_jax.lazy import absent_fills
from flake8_jax.model import Model, ModelClass
from flake8_jax.names import refer
from flake8_jax.scopes import Defined, Imported, Referent, Scope, Valued, inner_scope
from flake8_jax.syntax import (
    Function,
    children,
    first_parameter,
    flat,
    is_name,
    keyword,
    positional,
    statements,
    string_value,
    walk,
    walk_scope,
)

_FAR = 40
"""Through how many functions or variables callers are looked for."""
_FAR_IN = 3
"""Through how many functions an object is followed that a constructor hands on."""
_CONSTRUCTORS = ("__init__", "__post_init__", "setup")
_MAKERS = CONTAINER_FACTORIES | SHALLOW_COPIES | DEEP_COPIES


def is_filled_before(flow: Flow, ref: FunctionRef, write: Write) -> bool:
    """Whether an attribute is never empty any more when a function starts what would fill it."""
    return _fills(write) and _is_full(flow, ref, write, set())


def is_filled_when_made(flow: Flow, ref: FunctionRef, write: Write) -> bool:
    """Whether the constructor has filled what a trace would fill: of the object, or of its holder.

    It may do so by itself, or by methods, properties and functions that it calls.
    """
    cached = write.form is Form.CACHE
    if not write.place.path or not (cached or _fills(write)):
        return False
    steps = tuple(step.lstrip(STATIC) for step in write.place.path)
    held = [(write.cls, steps[-1:])]
    if write.place.root.name in names_of(ref.node)[:1] and write.place.root.owner is ref.node:
        held.append((ref.cls, steps))
    return any(
        _construction_fills(flow, item, path, cached)
        for cls, path in held
        if cls is not None
        for item in (cls, *cls.model.heirs(cls))
    )


def is_filled_on_the_bound(flow: Flow, trace: Trace, write: Write) -> bool:
    """Whether code before ``jax.jit(model.apply)`` has filled what ``apply`` would fill."""
    root, path, here = write.place.root, write.place.path, trace.here
    own = root.owner is trace.function.node and root.name in names_of(root.owner)[:1]
    if here is None or here.piece.tree is None or not own or not path:
        return False
    cached = write.form is Form.CACHE
    if not cached and not _fills(write):
        return False
    name = trace.function.name
    members = (item for item in walk(here.node) if isinstance(item, cst.Attribute))
    owner = next((item.value for item in members if item.attr.value == name), None)
    at = next((use for use in _uses(here.piece.tree) if use.node is here.node), None)
    base, steps = _chain(owner) if owner is not None else ("", ())
    if not base or at is None or trace.function.cls is None:
        return False
    around = _scope_around(at)
    if isinstance(around, cst.Lambda):
        return False
    wanted = _Wanted(flow, trace.function.cls, tuple(step.lstrip(STATIC) for step in path), cached)
    uses = list(flow.model.once(_Mentions).of(base, around))
    if any(_is_stored(item.inside, path[0]) for use in uses if (item := _climbed(use, steps))):
        return False
    for use in uses:
        if _scope_around(use) is around and wanted.is_met_by(_climbed(use, steps)):
            if _is_before(flow, use, here):
                return True
    return not steps and wanted.is_met_when_made(base, around)


def is_filled_around(flow: Flow, write: Write) -> bool:
    """Whether the function around a traced one has filled its own object before it calls that."""
    root, path, trace = write.place.root, write.place.path, write.trace
    cached = write.form is Form.CACHE
    if trace is None or write.cls is None or len(path) != 1 or not (cached or _fills(write)):
        return False
    around = root.owner
    if not isinstance(around, cst.FunctionDef) or around is trace.function.node:
        return False
    order = {node: number for number, node in enumerate(walk(around))}
    mentions = flow.model.once(_Mentions)
    uses = [use for use in mentions.of(root.name, around) if _scope_around(use) is around]
    if any(_is_stored(use.inside, path[0]) for use in uses):
        return False
    calls = [order[use.node] for use in mentions.of(trace.function.name, around)]
    first = min(calls, default=order.get(trace.function.node, -1))
    wanted = _Wanted(flow, write.cls, tuple(step.lstrip(STATIC) for step in path), cached)
    return wanted.is_met_when_made(root.name, around) or any(
        order[use.node] < first and wanted.is_met_by(use) for use in uses
    )


def is_born_full(flow: Flow, write: Write) -> bool:
    """Whether an object of the module was filled by the expression that made it."""
    root, path, cached = write.place.root, write.place.path, write.form is Form.CACHE
    if root.owner is not None or len(path) != 1 or write.cls is None:
        return False
    if not cached and not _fills(write):
        return False
    wanted = _Wanted(flow, write.cls, tuple(step.lstrip(STATIC) for step in path), cached)
    return wanted.is_met_when_made(root.name, None)


@dataclass(frozen=True)
class _Wanted:
    """Something that is to be full: a place below an object of a class."""

    flow: Flow
    cls: ModelClass
    path: tuple[str, ...]
    cached: bool

    def is_met_by(self, use: "_Use | None") -> bool:
        """Whether a mention of the object fills the place: a read, a method, a helper."""
        if use is None or use.inside is None:
            return False
        match use.inside.node:
            case cst.Attribute(value=value, attr=cst.Name(value=name)) if value is use.node:
                if _is_stored(use.inside, name):
                    return False
                outer = use.inside.inside
                if outer is not None and isinstance(outer.node, cst.Call):
                    if outer.node.func is use.inside.node:
                        return self.is_met_by_method(name)
                return self.cached and self.path == (name,)
            case cst.Arg():
                outer = use.inside.inside
                if outer is not None and isinstance(outer.node, cst.Call):
                    return self._is_met_by_function(outer.node, use.node)
        return False

    def is_met_by_method(self, name: str) -> bool:
        """Whether a method of the object fills the place."""
        method = self.cls.method(name)
        if method is None:
            return False
        first = first_parameter(method)
        return self._is_filled_by(self.flow.method(self.cls, method), first)

    def is_met_when_made(self, name: str, around: cst.FunctionDef | None) -> bool:
        """Whether the value of a variable comes from a method that fills the place."""
        scope: Scope = self.flow.model.scope
        if around is not None:
            refs = [item for item in _all(self.flow) if item.node is around]
            if not refs:
                return False
            scope = inner_scope(around, refs[0].scope, 0, refs[0].piece)
        bindings = scope.bindings(name)
        match bindings[0].referent if len(bindings) == 1 else None:
            case Valued(node=cst.Call(func=cst.Attribute(value=cst.Call(), attr=attr))):
                return self.is_met_by_method(attr.value)
            case Valued(node=cst.Call(func=cst.Name() as maker)):
                made = refer(maker, scope)
                return bool(made) and all(map(self._is_met_by_maker, made))
        return False

    def _is_met_by_maker(self, maker: Referent) -> bool:
        """Whether a function fills the place of the object that it gives back."""
        if not isinstance(maker, Defined) or not isinstance(maker.node, cst.FunctionDef):
            return False
        function = maker.node
        results = [item.value for item in flat(function.body) if isinstance(item, cst.Return)]
        return bool(results) and all(
            isinstance(item, cst.Name)
            and any(map(self.is_met_by, self.flow.model.once(_Mentions).of(item.value, function)))
            for item in results
        )

    def _is_met_by_function(self, call: cst.Call, given: cst.CSTNode) -> bool:
        for referent in refer(call.func, self.flow.model.scope):
            if isinstance(referent, Defined) and isinstance(referent.node, cst.FunctionDef):
                refs = [item for item in _all(self.flow) if item.node is referent.node]
                names = names_of(referent.node)
                for name, item in zip(names, positional(tuple(call.args)), strict=False):
                    if item is given and refs:
                        read = (_is_member(n, name, self.path[0]) for n in walk(referent.node.body))
                        if self._is_filled_by(refs[0], name) or (self.cached and any(read)):
                            return True
        return False

    def _is_filled_by(self, ref: FunctionRef, name: str | None) -> bool:
        return any(
            item.trace is None
            and item.place.root.owner is ref.node
            and item.place.root.name == name
            and tuple(step.lstrip(STATIC) for step in item.place.path) == self.path
            and (item.form is Form.CACHE if self.cached else _fills(item))
            for item in self.flow.summary(ref).writes
        )


def _chain(node: cst.BaseExpression) -> tuple[str, tuple[str, ...]]:
    """The name and the attributes of ``name.one.two``; no name where it is something else."""
    steps: list[str] = []
    while isinstance(node, cst.Attribute):
        steps.append(node.attr.value)
        node = node.value
    return (node.value if isinstance(node, cst.Name) else ""), tuple(reversed(steps))


def _climbed(use: "_Use", steps: tuple[str, ...]) -> "_Use | None":
    """The use of ``name.one.two``, from that of the name."""
    here: _Use | None = use
    for step in steps:
        outer = here.inside if here is not None else None
        if outer is None or not isinstance(outer.node, cst.Attribute):
            return None
        here = outer if outer.node.attr.value == step else None
    return here


def _is_before(flow: Flow, use: "_Use", here: Here) -> bool:
    """Whether a mention stands in the text before a place, in the same file."""
    root = use
    while root.inside is not None:
        root = root.inside
    pieces = flow.model.scope.source.pieces
    piece = next((item for item in pieces if item.tree is root.node), here.piece)
    return piece.position(use.node) < here.piece.position(here.node)


def _construction_fills(flow: Flow, cls: ModelClass, path: tuple[str, ...], cached: bool) -> bool:
    for name in _CONSTRUCTORS:
        method = cls.method(name)
        first = first_parameter(method) if method is not None else None
        if method is None or first is None:
            continue
        for item in flow.summary(flow.method(cls, method)).writes:
            steps = tuple(step.lstrip(STATIC) for step in item.place.path)
            own = item.place.root.owner is method and item.place.root.name == first
            if own and item.trace is None and steps == path:
                if item.form is Form.CACHE if cached else not item.plain:
                    return True
        if not cached and len(path) == 1 and _assigns(cls, method, first, path[0]):
            return True
        if cached and len(path) == 1:
            scope = inner_scope(method, cls.home_of(method).scope, 0)
            if _hands_to_a_reader(method, first, path[0], scope, _FAR_IN):
                return True
    return False


def construction_fills(cls: ModelClass, attribute: str) -> bool:
    """Whether every instance of a class has something in an attribute once it is made."""
    return _construction_fills(cls.model.once(Flow.of), cls, (attribute,), cached=False)


def _assigns(
    cls: ModelClass, method: cst.FunctionDef, first: str, attribute: str, depth: int = _FAR_IN
) -> bool:
    """Whether a constructor leaves something in an attribute, whatever it is given."""
    full: dict[str, bool] = {}
    """Whether something is certain to be in a local variable, and in the attribute of self."""
    own = f"{first}.{attribute}"
    for statement in statements(method.body):
        match statement:
            case cst.Assign(targets=targets, value=value):
                stored = not _may_be_none(value, full)
                full |= {name: stored for item in targets if (name := _dotted(item.target))}
            case cst.AnnAssign(target=target, value=value) if value is not None:
                full[_dotted(target)] = not _may_be_none(value, full)
            case cst.If(test=test, body=body):
                absent = _tested_for_none(test, cst.Is) or ""
                for inner in statements(body):
                    if isinstance(inner, cst.Assign) and not _may_be_none(inner.value, full):
                        names = [_dotted(item.target) for item in inner.targets]
                        full |= {name: True for name in names if name == absent}
                    elif absent == own and _calls_filler(cls, inner, first, attribute, depth):
                        full[own] = True
            case cst.Expr(value=cst.Call(func=cst.Attribute(value=cst.Call(func=owner)))):
                if is_name(owner, "super"):
                    full[own] = _base_assigns(cls, method, attribute) or full.get(own, False)
            case cst.Expr() if _calls_filler(cls, statement, first, attribute, depth):
                full[own] = True
    return full.get(own, False)


def _calls_filler(
    cls: ModelClass, statement: cst.CSTNode, first: str, attribute: str, depth: int
) -> bool:
    """Whether a statement calls a method of self that leaves something in an attribute."""
    match statement:
        case cst.Expr(value=cst.Call(func=cst.Attribute(value=owner, attr=name))):
            method = cls.method(name.value) if is_name(owner, first) and depth else None
            own = first_parameter(method) if method is not None else None
            if method is not None and own is not None:
                return _assigns(cls, method, own, attribute, depth - 1)
    return False


def _base_assigns(cls: ModelClass, method: cst.FunctionDef, attribute: str) -> bool:
    """Whether the constructor that ``super`` stands for leaves something in an attribute."""
    home = cls.lineage.index(cls.home_of(method))
    for base in cls.lineage[home + 1 :]:
        above = base.methods.get(method.name.value)
        first = first_parameter(above) if above is not None else None
        if above is not None and first is not None:
            return _assigns(cls, above, first, attribute)
    return False


def _dotted(node: cst.BaseExpression) -> str:
    base, steps = _chain(node)
    return ".".join((base, *steps)) if base else ""


def _tested_for_none(test: cst.BaseExpression, by: type[cst.BaseCompOp]) -> str | None:
    """What a test compares with None."""
    match test:
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator, other)]):
            return _dotted(left) if isinstance(operator, by) and is_name(other, "None") else None
    return None


def _may_be_none(node: cst.BaseExpression, full: Mapping[str, bool]) -> bool:
    """Whether an expression may yield None: a name, an attribute or an element may be anything."""
    match node:
        case cst.Name() | cst.Attribute():
            return not full.get(_dotted(node), False)
        case cst.Subscript():
            return True
        case cst.IfExp():
            branches = [node.body, node.orelse]
            if (name := _tested_for_none(node.test, cst.Is)) and _dotted(node.orelse) == name:
                branches.remove(node.orelse)
            if (name := _tested_for_none(node.test, cst.IsNot)) and _dotted(node.body) == name:
                branches.remove(node.body)
            return any(_may_be_none(item, full) for item in branches)
        case cst.BooleanOperation():
            return _may_be_none(node.right, full)
        case (
            cst.Call(func=cst.Attribute(attr=cst.Name(value="get" | "pop")))
            | cst.Call(func=cst.Name(value="getattr"))
        ):
            return True
    return False


def _is_member(node: cst.CSTNode, owner: str, attribute: str) -> bool:
    return (
        isinstance(node, cst.Attribute)
        and is_name(node.value, owner)
        and node.attr.value == attribute
    )


def _hands_to_a_reader(
    function: Function, owner: str, attribute: str, scope: Scope, depth: int
) -> bool:
    """Whether a function hands an object to code that reads an attribute of it, or any of them."""
    for node in walk_scope(function.body):
        if not isinstance(node, cst.Call) or not depth:
            continue
        given = positional(tuple(node.args))
        if not any(is_name(item, owner) for item in given):
            continue
        if is_name(node.func, "getattr") and len(given) > 1 and string_value(given[1]) is None:
            return True
        for referent in refer(node.func, scope):
            if isinstance(referent, Defined) and isinstance(referent.node, cst.FunctionDef):
                callee = referent.node
                for parameter, item in zip(names_of(callee), given, strict=False):
                    if is_name(item, owner):
                        if any(
                            _is_member(n, parameter, attribute) for n in walk_scope(callee.body)
                        ):
                            return True
                        inside = inner_scope(callee, referent.scope, 0)
                        if _hands_to_a_reader(callee, parameter, attribute, inside, depth - 1):
                            return True
    return False


def is_filled_at_import(flow: Flow, write: Write) -> bool:
    """Whether the statements of the module have filled an attribute of one of its objects."""
    return _fills(write) and write.place in flow.model.once(_filled_at_import)


def _filled_at_import(model: Model) -> frozenset[Place]:
    written = model.once(Flow.of).written_at_import
    return frozenset(item.place for item in written if _fills(item))


def _is_full(flow: Flow, ref: FunctionRef, write: Write, seen: set[Function]) -> bool:
    """Whether a function has filled the attribute before, or all that call it have."""
    earlier = [
        item
        for item in flow.summary(ref).writes
        if item.trace is None and item.place == write.place and item.order < write.order
    ]
    if earlier:
        return _fills(max(earlier, key=lambda item: item.order))
    if _is_asked_before(flow, ref, write):
        return True
    seen.add(ref.node)
    owner = write.place.root.owner
    if owner is not ref.node:  # a variable of a function around, which has the write as well
        around = [item for item in _all(flow) if item.node is owner][:1]
    elif is_hidden(ref):
        around = flow.model.once(_callers).get(ref.node, [])
    else:
        around = []
    return (
        bool(around)
        and len(seen) < _FAR
        and all(item.node in seen or _is_full_in(flow, item, write, seen) for item in around)
    )


def _is_asked_before(flow: Flow, ref: FunctionRef, write: Write) -> bool:
    """Whether a function calls a method that fills the attribute of an object which it made.

    Summaries do not tell what becomes of such an object, so that its calls are looked for.
    """
    root, cls = write.place.root, write.cls
    here = write.trace.here if write.trace is not None else None
    if cls is None or here is None or root.owner is not ref.node or len(write.place.path) != 1:
        return False
    if isinstance(ref.node, cst.Lambda) or here.piece is not ref.piece:
        return False
    if len(inner_scope(ref.node, ref.scope, 0, ref.piece).bindings(root.name)) != 1:
        return False  # it may be another object by then
    asked = False
    for use in flow.model.once(_Mentions).of(root.name, ref.node):
        member = use.inside
        if member is None or not isinstance(member.node, cst.Attribute):
            continue
        if _is_stored(member, write.place.path[0]):
            return False
        call = member.inside
        if call is not None and isinstance(call.node, cst.Call) and call.node.func is member.node:
            early = ref.piece.position(call.node) < ref.piece.position(here.node)
            method = cls.method(member.node.attr.value)
            if early and method is not None and _function_around(call) is ref.node:
                found = flow.summary(flow.method(cls, method)).writes
                asked = asked or any(_is_same_fill(item, write) for item in found)
    return asked


def _is_same_fill(one: Write, other: Write) -> bool:
    return one.trace is None and one.place.path == other.place.path and _fills(one)


def _is_stored(use: "_Use | None", attribute: str) -> bool:
    """Whether a mention of a member stores it."""
    if use is None or not isinstance(use.node, cst.Attribute) or use.node.attr.value != attribute:
        return False
    return isinstance(use.parent, cst.AssignTarget | cst.Del)


def _is_full_in(flow: Flow, ref: FunctionRef, write: Write, seen: set[Function]) -> bool:
    """Whether the attribute is full where a function makes a call that would fill it."""
    same = [
        item
        for item in flow.summary(ref).writes
        if item.node is write.node and item.trace is write.trace
    ]
    return bool(same) and all(_is_full(flow, ref, item, seen) for item in same)


def _fills(write: Write) -> bool:
    """Whether a write happens only while there is nothing in the attribute."""
    node = write.origin.node if write.origin is not None else write.node
    return write.cls is not None and any(node in absent_fills(item) for item in write.cls.lineage)


def is_hidden(ref: FunctionRef) -> bool:
    """Whether only its own module calls a function: the callers of others are not all known."""
    if isinstance(ref.scope.node, cst.FunctionDef):
        return True
    return ref.scope.node is None and ref.name.startswith("_")


def _all(flow: Flow) -> Iterator[FunctionRef]:
    yield from flow.functions
    yield from flow.lambdas.values()


def _callers(model: Model) -> Mapping[Function, list[FunctionRef]]:
    """The functions that call each function of a module, but for itself."""
    flow = model.once(Flow.of)
    found: dict[Function, list[FunctionRef]] = {}
    for ref in _all(flow):
        for item in flow.summary(ref).calls:
            if item.node is not ref.node:
                found.setdefault(item.node, []).append(ref)
    return found


class _Use(NamedTuple):
    """A mention of something, and what it stands in."""

    node: cst.CSTNode
    inside: "_Use | None" = None

    @property
    def parent(self) -> cst.CSTNode | None:
        return self.inside.node if self.inside is not None else None


def is_dropped(flow: Flow, trace: Trace, write: Write) -> bool:
    """Whether what a traced function changes was made for the call, so that nobody has it later.

    That is so if all calls are in sight, and each makes the object in its list of arguments. What
    a new container holds may be in use elsewhere.
    """
    ref, name = trace.function, write.place.root.name
    if write.target.path or ref.bound or name in ref.keywords:
        return False
    calls = _calls(flow, trace)
    given = [_argument(call, names_of(ref.node), name) for call in calls or ()]
    return bool(given) and all(item is not None and _is_new(flow, item) for item in given)


def is_handed_on(flow: Flow, trace: Trace, within: frozenset[Function]) -> bool:
    """Whether all calls of what differentiates hand over arguments of functions that are traced.

    Then what becomes of these is told by the traces of those functions.
    """
    calls = _calls(flow, trace) if trace.transform.differentiated is not None else None
    return bool(calls) and all(flow.handed.get(call, {None}) <= within for call in calls or ())


def _calls(flow: Flow, trace: Trace) -> list[cst.Call] | None:
    """The calls of what a transform made, looked for once; None if some may be out of sight."""
    known = flow.model.once(_Found).calls
    if trace not in known:
        known[trace] = _Calls(flow).of(trace)
    return known[trace]


def is_never_run(flow: Flow, trace: Trace) -> bool:
    """Whether all calls of what a transform made are in sight, and none can hand over arguments."""
    if not trace.transform.curried or trace.transform.name not in TRANSFORMS:
        return False
    calls = _calls(flow, trace)
    return bool(calls) and not any(fits(trace.function, call.args) for call in calls or ())


@dataclass(eq=False)
class _Mentions:
    """Where the names and attributes of a module are mentioned, looked up once."""

    model: Model
    _known: dict[cst.CSTNode, dict[str, list[_Use]]] = field(default_factory=dict)

    def of(self, word: str, around: cst.CSTNode | None) -> Iterator[_Use]:
        """The uses of a name, or of an attribute with a dot before it: in a function, or in all."""
        pieces = self.model.scope.source.pieces if around is None else ()
        trees = [piece.tree for piece in pieces if word.lstrip(".") in piece.block.words]
        for tree in [around] if around is not None else trees:
            if tree is not None:
                yield from self._within(tree).get(word, ())

    def _within(self, tree: cst.CSTNode) -> dict[str, list[_Use]]:
        if tree not in self._known:
            found: dict[str, list[_Use]] = {}
            for use in _uses(tree):
                word = _word(use.node)
                if word is not None and not _binds(use):
                    found.setdefault(word, []).append(use)
            self._known[tree] = found
        return self._known[tree]


@dataclass(eq=False)
class _Found:
    """The calls of what transforms made, as far as they were looked for."""

    model: Model
    calls: dict[Trace, list[cst.Call] | None] = field(default_factory=dict)


@dataclass
class _Calls:
    """Looks for the calls of a function, transformed or not; None if some may be out of sight."""

    flow: Flow
    seen: set[tuple[str, cst.CSTNode | None]] = field(default_factory=set)
    """The words that have been looked for, and where."""

    def of(self, trace: Trace) -> list[cst.Call] | None:
        ref, here = trace.function, trace.here
        if is_hidden(ref):
            return self._named(ref.name, ref.scope.node)
        if here is None or here.piece.file is not ref.piece.file or here.piece.tree is None:
            return None
        return self._all(use for use in _uses(here.piece.tree) if use.node is here.node)

    def _named(self, word: str, around: cst.CSTNode | None) -> list[cst.Call] | None:
        """Those of what a variable of a function or of the module, or an attribute, stands for."""
        if (word, around) in self.seen:
            return []
        if len(self.seen) >= _FAR:
            return None
        self.seen.add((word, around))
        return self._all(self.flow.model.once(_Mentions).of(word, around))

    def _all(self, uses: Iterable[_Use]) -> list[cst.Call] | None:
        calls: list[cst.Call] = []
        for use in uses:
            found = self._led_to(use)
            if found is None:
                return None
            calls += found
        return calls

    def _led_to(self, use: _Use) -> list[cst.Call] | None:
        """The calls that a mention leads to, through transforms and variables."""
        match use.parent:
            case cst.Call(func=func) as call if func is use.node:
                return [call]
            case cst.Arg(keyword=None, star=""):
                around = use.inside.inside if use.inside is not None else None
                if around is not None and isinstance(around.node, cst.Call):
                    alone = len(positional(tuple(around.node.args))) == 1
                    return self._led_to(around) if alone else None
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
                function = _function_around(use)
                if function is not None or name.startswith("_"):
                    return self._named(name, function)
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Attribute(attr=cst.Name(value=name)))]
            ):
                return self._named(f".{name}", None) if name.startswith("_") else None
        return None


def _uses(root: cst.CSTNode) -> Iterator[_Use]:
    stack = [_Use(root)]
    while stack:
        use = stack.pop()
        yield use
        stack.extend(_Use(item, use) for item in children(use.node))


def _binds(use: _Use) -> bool:
    """Whether a mention only gives something its name, or is that of an attribute or keyword."""
    match use.parent:
        case cst.AssignTarget(target=name) | cst.FunctionDef(name=name):
            return name is use.node
        case cst.Attribute(attr=name) | cst.Arg(keyword=name):
            return name is use.node
    return False


def _word(node: cst.CSTNode) -> str | None:
    if type(node) is cst.Attribute:
        return f".{node.attr.value}"
    return node.value if type(node) is cst.Name else None


def _function_around(use: _Use) -> cst.FunctionDef | None:
    here: _Use | None = use
    while here is not None:
        if isinstance(here.node, cst.FunctionDef):
            return here.node
        here = here.inside
    return None


def _scope_around(use: _Use) -> Function | None:
    here: _Use | None = use
    while here is not None:
        if isinstance(here.node, cst.FunctionDef | cst.Lambda):
            return here.node
        here = here.inside
    return None


def _argument(call: cst.Call, names: tuple[str, ...], name: str) -> cst.BaseExpression | None:
    """What a call gives to a parameter, where that is plain to see."""
    arguments = tuple(call.args)
    given = dict(zip(names, positional(arguments), strict=False))
    return given.get(name) or keyword(arguments, name)


def _is_new(flow: Flow, node: cst.BaseExpression) -> bool:
    """Whether an expression makes an object that nobody else has."""
    match node:
        case cst.List() | cst.Dict() | cst.Set() | cst.ListComp() | cst.DictComp() | cst.SetComp():
            return True
        case cst.Call(func=cst.Name() | cst.Attribute() as func):
            found = refer(func, flow.model.scope)
            return bool(found) and all(map(_makes, found))
    return False


def _makes(referent: Referent) -> bool:
    match referent:
        case Imported(dotted=dotted):
            return dotted in _MAKERS
        case Defined(node=node):
            return isinstance(node, cst.ClassDef)
    return False
