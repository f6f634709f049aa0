"""What the callers of a function make of a write: they filled the place before, or keep nothing.

Only what would be reported is asked about, so that nothing here has to be fast.
"""

from collections.abc import Iterable, Iterator

import libcst as cst

from flake8_jax.flow.analysis import Flow
from flake8_jax.flow.traces import names_of
from flake8_jax.flow.values import FunctionRef, Trace, Write
from flake8_jax.knowledge.objects import CONTAINER_FACTORIES, DEEP_COPIES, SHALLOW_COPIES
from flake8_jax.lazy import absent_fills
from flake8_jax.names import refer
from flake8_jax.scopes import Defined, Imported, Referent
from flake8_jax.syntax import children, is_name, keyword, positional, walk

_CALLS_DEEP = 8
_MAKERS = CONTAINER_FACTORIES | SHALLOW_COPIES | DEEP_COPIES


def is_filled_before(flow: Flow, ref: FunctionRef, write: Write) -> bool:
    """Whether an attribute is never empty any more when a function starts what would fill it."""
    return _fills(write) and _is_full(flow, ref, write, _CALLS_DEEP)


def _is_full(flow: Flow, ref: FunctionRef, write: Write, depth: int) -> bool:
    """Whether a function has filled the attribute before, or all that call it have."""
    earlier = [
        item
        for item in flow.summary(ref).writes
        if item.trace is None and item.place == write.place and item.order < write.order
    ]
    if earlier:
        return _fills(max(earlier, key=lambda item: item.order))
    owner = write.place.root.owner
    if owner is not ref.node:  # a variable of a function around, which has the write as well
        around = [item for item in _all(flow) if item.node is owner]
    elif is_hidden(ref):
        around = [item for item in _all(flow) if item is not ref and _calls(flow, item, ref)]
    else:
        around = []
    return bool(around and depth) and all(
        _is_full_in(flow, item, write, depth - 1) for item in around
    )


def _is_full_in(flow: Flow, ref: FunctionRef, write: Write, depth: int) -> bool:
    """Whether the attribute is full where a function makes a call that would fill it."""
    same = [
        item
        for item in flow.summary(ref).writes
        if item.node is write.node and item.trace is write.trace
    ]
    return bool(same) and all(_is_full(flow, ref, item, depth) for item in same)


def _fills(write: Write) -> bool:
    """Whether a write happens only while there is nothing in the attribute."""
    if write.cls is None:
        return False
    node = write.origin.node if write.origin is not None else write.node
    anchors = (anchor for owner in write.cls.lineage for anchor in absent_fills(owner))
    return any(item is node for anchor in anchors for item in walk(anchor))


def is_hidden(ref: FunctionRef) -> bool:
    """Whether only its own module calls a function: the callers of others are not all known."""
    if isinstance(ref.scope.node, cst.FunctionDef):
        return True
    return ref.scope.node is None and ref.name.startswith("_")


def _all(flow: Flow) -> Iterator[FunctionRef]:
    yield from flow.functions
    yield from flow.lambdas.values()


def _calls(flow: Flow, caller: FunctionRef, ref: FunctionRef) -> bool:
    return any(item.node is ref.node for item in flow.summary(caller).calls)


_Use = tuple[cst.CSTNode, ...]
"""A mention of something, and the nodes around it, innermost first."""


def is_dropped(flow: Flow, trace: Trace, write: Write) -> bool:
    """Whether what a traced function changes was made for the call, so that nobody has it later.

    That is so if all calls are in sight, and each makes the object in its list of arguments. What
    a new container holds may be in use elsewhere.
    """
    ref, name = trace.function, write.place.root.name
    if write.target.path or ref.bound or name in ref.keywords:
        return False
    calls = _calls_of(flow, trace)
    given = [_argument(call, names_of(ref.node), name) for call in calls or ()]
    return bool(given) and all(item is not None and _is_new(flow, item) for item in given)


def _calls_of(flow: Flow, trace: Trace) -> list[cst.Call] | None:
    """The calls of a traced function, transformed or not; None if some may be out of sight."""
    ref, here = trace.function, trace.here
    if is_hidden(ref):
        return _called_as(flow, ref.name, ref.scope.node, _CALLS_DEEP)
    if here is None or here.piece.file is not ref.piece.file or here.piece.tree is None:
        return None
    mentions = [use for use in _uses(here.piece.tree) if use[0] is here.node]
    return _together(_led_to(flow, use, _CALLS_DEEP) for use in mentions)


def _called_as(
    flow: Flow, name: str, around: cst.CSTNode | None, depth: int
) -> list[cst.Call] | None:
    """The calls of what a variable of a function, or of the module, stands for."""
    mentions = (use for use in _mentions(flow, name, around) if is_name(use[0], name))
    used = (use for use in mentions if not _binds(*use[:2]))
    return _together(_led_to(flow, use, depth) for use in used)


def _binds(node: cst.CSTNode, parent: cst.CSTNode) -> bool:
    """Whether a mention only gives something its name."""
    match parent:
        case cst.AssignTarget(target=name) | cst.FunctionDef(name=name):
            return name is node
    return False


def _led_to(flow: Flow, use: _Use, depth: int) -> list[cst.Call] | None:
    """The calls that a mention of a function leads to, through transforms and variables."""
    node, parent, *above = use
    match parent:
        case cst.Call(func=func) if func is node:
            return [parent]
        case cst.Arg(keyword=None, star=""):
            call = above[0]
            options = isinstance(call, cst.Call) and len(positional(tuple(call.args))) == 1
            return _led_to(flow, tuple(above), depth) if options else None
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]) if depth:
            around = next((item for item in above if isinstance(item, cst.FunctionDef)), None)
            if around is not None or name.startswith("_"):
                return _called_as(flow, name, around, depth - 1)
        case cst.Assign(
            targets=[cst.AssignTarget(target=cst.Attribute(attr=cst.Name(value=name)))]
        ) if depth and name.startswith("_"):
            mentions = (item for item in _mentions(flow, name, None) if _is_member(item[0], name))
            used = (item for item in mentions if not _binds(*item[:2]))
            return _together(_led_to(flow, item, depth - 1) for item in used)
    return None


def _is_member(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value == name


def _mentions(flow: Flow, name: str, around: cst.CSTNode | None) -> Iterator[_Use]:
    """All nodes of a function, or of the parts of the module that have a name."""
    if around is not None:
        yield from _uses(around)
        return
    for piece in flow.model.scope.source.pieces:
        if name in piece.block.words and piece.tree is not None:
            yield from _uses(piece.tree)


def _uses(root: cst.CSTNode) -> Iterator[_Use]:
    stack: list[_Use] = [(root,)]
    while stack:
        use = stack.pop()
        if len(use) > 1:
            yield use
        stack.extend((item, *use) for item in children(use[0]))


def _together(found: Iterable[list[cst.Call] | None]) -> list[cst.Call] | None:
    calls: list[cst.Call] = []
    for item in found:
        if item is None:
            return None
        calls += item
    return calls


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
