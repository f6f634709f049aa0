"""What the callers of a function make of a write: they filled the place before, or keep nothing.

Only what would be reported is asked about, so that nothing here has to be fast.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

from flake8_jax.flow.analysis import Flow
from flake8_jax.flow.traces import names_of
from flake8_jax.flow.values import FunctionRef, Place, Trace, Write
from flake8_jax.knowledge.objects import CONTAINER_FACTORIES, DEEP_COPIES, SHALLOW_COPIES
from flake8_jax.lazy import absent_fills
from flake8_jax.model import Model
from flake8_jax.names import refer
from flake8_jax.scopes import Defined, Imported, Referent, inner_scope
from flake8_jax.syntax import Function, children, keyword, positional

_FAR = 40
"""Through how many functions or variables callers are looked for."""
_MAKERS = CONTAINER_FACTORIES | SHALLOW_COPIES | DEEP_COPIES


def is_filled_before(flow: Flow, ref: FunctionRef, write: Write) -> bool:
    """Whether an attribute is never empty any more when a function starts what would fill it."""
    return _fills(write) and _is_full(flow, ref, write, set())


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
        if _is_stored(member) and member.node.attr.value == write.place.path[0]:
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


def _is_stored(use: "_Use") -> bool:
    return use.inside is not None and isinstance(use.inside.node, cst.AssignTarget)


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
    calls = _Calls(flow).of(trace)
    given = [_argument(call, names_of(ref.node), name) for call in calls or ()]
    return bool(given) and all(item is not None and _is_new(flow, item) for item in given)


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
    """Whether a mention only gives something its name."""
    match use.parent:
        case cst.AssignTarget(target=name) | cst.FunctionDef(name=name):
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
