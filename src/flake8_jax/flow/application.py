"""Applying a summary: what a call does, in terms of the caller's own objects."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import libcst as cst

from flake8_jax.contents import Holds, returned_contents
from flake8_jax.flow.traces import names_of, traced
from flake8_jax.flow.values import (
    ARRAYS,
    PLAIN,
    UNKNOWN,
    Copied,
    Form,
    FrozenWrite,
    FunctionRef,
    Here,
    Invocation,
    Origin,
    Place,
    Root,
    Shape,
    Trace,
    Value,
    Write,
    changed,
    fewer,
    holding,
    join,
)
from flake8_jax.knowledge.transforms import Transform
from flake8_jax.model import ModelClass
from flake8_jax.syntax import Function, is_name, string_value, walk

if TYPE_CHECKING:
    from flake8_jax.flow.analysis import Flow, Summary
    from flake8_jax.flow.state import State

_ASKING = frozenset({"hasattr", "is_dataclass", "isinstance", "issubclass", "type"})
_CONSTANTS = frozenset({cst.Integer, cst.Float, cst.SimpleString})
_SINGLETONS = frozenset({"None", "True", "False"})
_CONTAINERS = frozenset({cst.List, cst.Dict, cst.Set})
_MOST_HANDED_ON = 4
"""How many functions are handed on inside each other."""


def apply(
    frame: "State",
    ref: FunctionRef,
    given: tuple[Value, ...],
    named: Mapping[str, Value],
    here: Here | None = None,
    node: cst.CSTNode | None = None,
) -> Value:
    """Apply a function's summary to arguments."""
    others = [apply(frame, other, given, named, here, node) for other in ref.overrides]
    if others:
        return join([apply(frame, changed(ref, overrides=()), given, named, here, node), *others])
    given = (*ref.bound, *given)
    named = {**ref.keywords, **named}
    values = (*given, *named.values())
    frame.called[ref.node] = ref
    if node is not None and here is None and _is_foreign(frame, ref):
        here = Here(node, frame.piece)
    if ref.trace is not None:
        if ref.cached and node is not None:
            frame.call_cached(ref, node)
        result = escape(frame, ref)
        summary = frame.flow.summary(ref)
        if summary.invocations and node is not None:
            bound = _bind(frame.flow, ref, summary, given, named)
            _carry_out(frame, ref, summary, bound, node, ref.trace.transform)
        kind = summary.result.type if ref.trace.transform.is_jit else None
        kind = kind if isinstance(kind, ModelClass) else None
        staged = frame.stages(changed(holding(*values, result), plain=False, type=kind))
        return PLAIN if ref.trace.transform.describes else staged
    summary = frame.flow.summary(ref)
    if summary.makes_arrays and not frame.compile_time:
        frame.makes_arrays = True
        if ref.cached and node is not None and summary.result.function is None:
            if ref.cls is not None or returned_contents(ref.node, ref.scope) is Holds.ANYTHING:
                frame.call_cached(ref, node)
    bound = _bind(frame.flow, ref, summary, given, named)
    frame.order += 1
    for value in values:
        if value.function is not None:
            escape(frame, value.function)
    idle = {name for name, value in bound.items() if _is_nowhere(value)}
    for places, direct in ((summary.reads, True), (summary.passes, False)):
        for place in places:
            if place.root.owner is not ref.node or place.root.name not in idle:
                frame.read_places(_translated(frame, ref, place, bound), direct)
    frame.order += 1
    for write in located(frame.flow, ref, summary.writes, here):
        if frame.compile_time and write.form in (Form.CACHE, Form.CALL):
            continue
        _adopt(frame, ref, write, bound)
    frame.order += 1
    if summary.invocations and node is not None:
        _carry_out(frame, ref, summary, bound, node)
    if summary.lent and isinstance(node, cst.Call):
        frame.share(_lent(node, ref, summary))
    return _result(frame, ref, summary.result, bound)


def _lent(call: cst.Call, ref: FunctionRef, summary: "Summary") -> Iterator[cst.Arg]:
    """The arguments that the function which is called hands to code that is not known."""
    names = [item.name for item in summary.parameters if not item.star][len(ref.bound) :]
    for index, argument in enumerate(call.args):
        given = names[index] if index < len(names) else ""
        name = argument.keyword.value if argument.keyword is not None else given
        if name in summary.lent:
            yield argument


def _carry_out(
    frame: "State",
    ref: FunctionRef,
    summary: "Summary",
    bound: Mapping[str, Value],
    node: cst.CSTNode,
    under: Transform | None = None,
) -> None:
    """Call or trace what a function was given, where it does so: perhaps all under a transform."""
    if frame.invoking >= _MOST_HANDED_ON:
        return
    frame.invoking += 1
    for item in summary.invocations:
        root = item.place.root
        value = Value(places=frozenset({item.place}))
        if root.owner is ref.node:
            value = bound.get(root.name, UNKNOWN)
        elif root in ref.captured:
            value = ref.captured[root]
        elif root.owner is frame.node:
            value = frame.lookup(cst.Name(root.name))
        item = changed(
            item,
            given=tuple(_result(frame, ref, one, bound) for one in item.given),
            named={name: _result(frame, ref, one, bound) for name, one in item.named.items()},
            transform=item.transform or under,
        )
        function = value.function or callable_object(frame, value)
        if function is None:
            frame.invoke(value, item)
        elif item.transform is None:
            apply(frame, function, item.given, item.named, node=node)
        else:
            here = Here(node, frame.piece)
            for one in each_of(function):
                if item.scope is not None or one.trace is None:
                    start(frame, changed(_handed(item, item.transform, one, ref), here=here))
    frame.invoking -= 1


def each_of(function: FunctionRef) -> Iterator[FunctionRef]:
    """The functions that a value may be."""
    for item in (function, *function.overrides):
        yield changed(item, overrides=())


def carry_out_at_construction(
    frame: "State", ref: FunctionRef, given: tuple[Value, ...], named: Mapping[str, Value]
) -> None:
    """Call or trace what a constructor is given, where it does so."""
    summary = frame.flow.summary(ref)
    if summary.invocations:
        bound = _bind(frame.flow, ref, summary, (UNKNOWN, *given), named)
        _carry_out(frame, ref, summary, bound, ref.node)


def _handed(
    item: Invocation, transform: Transform, function: FunctionRef, by: FunctionRef
) -> Trace:
    """The trace of a function that another one hands to a transform, or calls inside of one."""
    if item.scope is not None:
        made = traced(transform, function, item.scope, item.arguments)
        return changed(made, lasting=transform.curried)
    names = names_of(function.node)
    free = names[len(function.bound) :]
    given = {**dict(zip(free, item.given, strict=False)), **item.named}
    static = {
        name
        for name, value in given.items()
        if value.plain
        or not (transform.staged or any(root.owner is by.node for root in value.depends))
    }
    bound = set(names[: len(function.bound)]) | set(function.keywords)
    same = frozenset(bound | static)
    return Trace(transform, function, same, lasting=False, inside=True)


def callable_object(frame: "State", value: Value) -> FunctionRef | None:
    """The ``__call__`` of an instance."""
    cls = value.cls()
    method = cls.method("__call__") if cls is not None else None
    if cls is None or method is None:
        return None
    ref = frame.flow.method(cls, method)
    return changed(ref, bound=(value,), is_method=True)


def _is_foreign(frame: "State", ref: FunctionRef) -> bool:
    return ref.piece.file is not frame.piece.file


def located(
    flow: "Flow", ref: FunctionRef, writes: Iterable[Write], here: Here | None
) -> Iterator[Write]:
    """The writes of a function, as seen from where it is called or traced.

    What it writes in another module is reported here, and says where that is.
    """
    if here is None:
        yield from writes
        return
    foreign = ref.piece.file is not here.piece.file
    for write in writes:
        origin, place = write.origin, write.place
        if foreign:
            if write.trace is not None:
                continue  # what a trace in the other module makes of it is said there
            origin = origin or Origin(ref.name, write.piece, write.node)
            place = _qualified(flow, place, ref)
        text = write.text if here.text is None else here.text
        yield changed(
            write, node=here.node, piece=here.piece, text=text, origin=origin, place=place
        )


def _qualified(flow: "Flow", place: Place, ref: FunctionRef) -> Place:
    """A place in another module, as it is called from here."""
    name = place.root.name
    if place.root.owner is not None or place is ARRAYS:
        return place
    return Place(flow.foreign(ref.scope, name), place.path)


def start(frame: "State", trace: Trace) -> None:
    """Note a trace that starts here, and what it does to the objects around it."""
    frame.flow.traces.append(trace)
    escape(frame, trace.function)
    ref = trace.function
    summary = frame.flow.summary(ref)
    frame.order += 1
    names = (item.name for item in summary.parameters)
    bound = {**dict(zip(names, ref.bound, strict=False)), **ref.keywords}
    here = trace.here if _is_foreign(frame, ref) else None
    lent = frame.shared.intersection(item.name for item in frame.parameters)
    for write in located(frame.flow, ref, summary.writes, here):
        root = write.place.root
        if root.owner is trace.function.node and root.name in bound:
            value = bound[root.name]
        elif root.owner is None or root.owner is trace.function.node:
            continue
        else:
            value = None
        if write.form is Form.CACHE and (write.place in frame.filled or root.name in lent):
            continue  # it is filled, or code that is not known may have filled it
        outermost = trace if trace.lasting else write.trace or trace
        used = write.read_after or write.read_inside
        inner = changed(write, trace=outermost, read_after=False, read_inside=used)
        if value is None and (root.owner is not frame.node or write.form is Form.NAME):
            frame.adopt(inner, [write.place])
            continue
        if value is None:
            value = frame.lookup(cst.Name(root.name))
        target = _follow(frame, value, write.target.path)
        places = _written(write, target)
        if write.form is Form.CACHE and not frame.filled.isdisjoint(places):
            continue
        if target.certain and places:
            again = write.form is Form.CACHE and frame.is_filled_inside(places, ref.node)
            frame.adopt(changed(inner, read_after=again), places)
        elif not target.places and root.owner is frame.node:
            foreign = not target.certain or root.name in frame.shared
            frame.adopt(changed(inner, foreign=foreign), [write.place])
    if summary.invocations:
        node = trace.here.node if trace.here is not None else ref.node
        _carry_out(frame, ref, summary, bound, node, trace.transform)


def _written(write: Write, target: Value) -> list[Place]:
    """The places that a write changes, given what its target is here."""
    if not write.place.path:
        return list(target.places)
    return [place.member(write.place.path[-1]) for place in target.places]


def _follow(frame: "State", value: Value, path: Iterable[str]) -> Value:
    for step in path:
        if step.startswith("["):
            value = frame.element(value, _index_of(step))
        else:
            value = frame.member(value, step.lstrip("!"))
    return value


def _index_of(step: str) -> int | str | None:
    inner = step[1:-1]
    if inner.isdecimal():
        return int(inner)
    return inner[1:-1] if inner.startswith(("'", '"')) else None


def _bind(
    flow: "Flow",
    ref: FunctionRef,
    summary: "Summary",
    given: tuple[Value, ...],
    named: Mapping[str, Value],
) -> dict[str, Value]:
    bound: dict[str, Value] = {}
    rest = list(given)
    left = dict(named)
    for parameter in summary.parameters:
        if parameter.star == "*":
            bound[parameter.name] = changed(holding(*rest), items=tuple(rest))
            rest = []
        elif parameter.star == "**":
            bound[parameter.name] = holding(*left.values())
        elif parameter.name in left and not parameter.positional_only:
            bound[parameter.name] = left.pop(parameter.name)
        elif rest and not parameter.keyword_only:
            bound[parameter.name] = rest.pop(0)
        else:
            bound[parameter.name] = _default(flow, ref, parameter.name, parameter.default)
    return bound


def _default(flow: "Flow", ref: FunctionRef, name: str, node: cst.BaseExpression | None) -> Value:
    """What a parameter is that was not given: the same object at every call."""
    if _is_constant(node):
        return PLAIN
    if type(node) is cst.Name:
        return flow.outer(node, ref.scope, ref.piece)
    if type(node) in _CONTAINERS:
        place = Place(Root(None, f"{ref.name}({name})"))
        return Value(places=frozenset({place}), type=Shape.CONTAINER)
    return UNKNOWN


def _is_constant(node: cst.BaseExpression | None) -> bool:
    if type(node) is cst.Name:
        return node.value in _SINGLETONS
    return type(node) in _CONSTANTS


def _adopt(frame: "State", ref: FunctionRef, write: Write, bound: Mapping[str, Value]) -> None:
    root = write.place.root
    via = (ref.name, *write.via)
    if root.owner is ref.node:
        if root.name not in bound:
            return
        value = bound[root.name]
    elif root.owner is frame.node and root.owner is not None:
        if write.form is Form.NAME:
            frame.env.pop(root.name, None)
            return
        value = frame.lookup(cst.Name(root.name))
    else:
        frame.adopt(write, [write.place], via=via, **_seen_from(frame, ref, write, bound))
        return
    target = _follow(frame, value, write.target.path)
    if write.form is Form.ATTRIBUTE and write.cls is None and not write.raw:
        refusal = frame.refuses(target, write.place.path[-1], deleting=False)
        if refusal is not None:
            if not frame.guarded and not _asks_about(ref.node, root.name):
                found = FrozenWrite(write.piece, write.text, refusal, ref.node, by_caller=True)
                frame.flow.frozen_writes.setdefault(write.node, found)
            return
    if not target.certain:
        return
    places = _written(write, target)
    form, known = write.form, write.is_known
    if form in (Form.UNKNOWN_ITEM, Form.ARRAY):
        if target.type is Shape.ARRAY or (target.numeric and not target.plain):
            form, places = Form.ARRAY, places or [ARRAYS]
            known = known or target.type is Shape.ARRAY
            if not known:
                write = changed(write, depends=target.depends)
        elif form is Form.UNKNOWN_ITEM and target.type is Shape.CONTAINER:
            form = Form.ITEM
    if form is Form.CACHE:
        frame.filled |= set(places)
    seen = _seen_from(frame, ref, write, bound)
    cls = target.cls()
    if cls is None or write.cls not in cls.lineage:  # the caller may know which subclass it is
        cls = write.cls
    frame.adopt(write, places, form=form, via=via, is_known=known, cls=cls, **seen)


def _asks_about(function: Function, name: str) -> bool:
    """Whether a function looks at what it was given: it may write to some classes only."""
    for node in walk(function.body):
        match node:
            case cst.Call(func=cst.Name(value=asking), args=[cst.Arg(value=about), *_]):
                if asking in _ASKING and is_name(about, name):
                    return True
            case cst.Match(subject=subject):
                if is_name(subject, name):
                    return True
    return False


def _seen_from(
    frame: "State", ref: FunctionRef, write: Write, bound: Mapping[str, Value]
) -> Mapping[str, Any]:
    """What is different about a write with its value in terms of the caller."""
    own = [root for root in write.depends if root.owner is ref.node and root.name in bound]
    given = [bound[root.name] for root in own]
    plain = write.plain or (
        bool(given)
        and len(given) == len(write.depends)
        and all(value.plain for value in given)
        and not write.is_array
    )
    source = frozenset(
        item for place in write.source for item in _translated(frame, ref, place, bound)
    )
    depends = _depends(ref, write.depends, bound)
    if write.is_sum and not frame.compile_time and any(v.type is Shape.ARRAY for v in given):
        depends |= {ARRAYS.root}
    return {"plain": plain, "depends": depends, "source": source}


def _depends(
    ref: FunctionRef, roots: Iterable[Root], bound: Mapping[str, Value]
) -> frozenset[Root]:
    """Variables of a function in terms of the caller: what its arguments depend on."""
    found: set[Root] = set()
    for root in roots:
        own = root.owner is ref.node and root.name in bound
        found |= bound[root.name].depends if own else {root}
    return frozenset(found)


def _translated(
    frame: "State", ref: FunctionRef, place: Place, bound: Mapping[str, Value]
) -> Iterable[Place]:
    root = place.root
    if root.owner is ref.node:
        value = bound.get(root.name)
        return () if value is None else _extended(value, place.path)
    if root.owner is frame.node and root.owner is not None:
        return (place, *_extended(frame.lookup(cst.Name(root.name)), place.path))
    return (_qualified(frame.flow, place, ref),) if _is_foreign(frame, ref) else (place,)


def _is_nowhere(value: Value) -> bool:
    """Whether a value is nothing that has a place, so that reading it reads no place."""
    return not (value.places or value.holds or value.copies or value.items or value.members)


def _extended(value: Value, path: tuple[str, ...]) -> Iterable[Place]:
    """The places that a path from a value leads to, or that come out with it."""
    if path and value.items is not None and path[0][1:-1].isdecimal():
        index = int(path[0][1:-1])
        if index < len(value.items):
            return _extended(value.items[index], path[1:])
    if path and path[0] in value.members:
        return _extended(value.members[path[0]], path[1:])
    bases = value.places | value.copies if path else value.places
    found = set(value.holds)
    for base in bases:
        here = base
        for step in path:
            here = here.member(step)
        found.add(here)
    return found


def _result(frame: "State", ref: FunctionRef, result: Value, bound: Mapping[str, Value]) -> Value:
    handed_back = [place for place in result.places if place.root.owner is ref.node]
    if result.certain and len(result.places) == 1 and handed_back and not handed_back[0].path:
        return bound.get(handed_back[0].root.name, UNKNOWN)
    own = [place for place in result.places if place.root.owner is frame.node]
    if result.certain and len(result.places) == 1 and own and frame.owner is not None:
        return _follow(frame, frame.lookup(cst.Name(own[0].root.name)), own[0].path)

    def moved(places: Iterable[Place]) -> frozenset[Place]:
        return frozenset(item for place in places for item in _translated(frame, ref, place, bound))

    reached = moved(result.places.difference(own))
    for place in own:  # the variable may stand for something else by now
        value = frame.lookup(cst.Name(place.root.name))
        reached |= frozenset(_extended(value, place.path))
    inside = frozenset(
        item
        for place in handed_back
        if place.root.name in bound
        for item in bound[place.root.name].holds
    )
    places = reached - inside
    items = None
    if result.items is not None:
        items = tuple(_result(frame, ref, item, bound) for item in result.items)
    function = result.function
    if function is not None and function.bound:
        function = None
    elif function is not None and function.scope.node is ref.node:
        around = {Root(ref.node, name): value for name, value in bound.items()}
        function = changed(function, captured={**function.captured, **around})
    copied = frozenset(
        Copied(place, frame.order, mark.shallow)
        for mark in result.copied
        for place in _translated(frame, ref, mark.place, bound)
    )
    found = changed(
        result,
        copied=copied,
        each=None,
        places=places,
        certain=result.certain and bool(places) == bool(result.places),
        holds=moved(result.holds) | inside,
        copies=moved(result.copies),
        depends=_depends(ref, result.depends, bound),
        members={},
        items=items,
        function=function,
    )
    return fewer(found)


def escape(frame: "State", ref: FunctionRef) -> Value:
    """A function that is handed on may be called: it reads outer objects and may return them."""
    frame.called[ref.node] = ref
    summary = frame.flow.summary(ref)
    for places, direct in ((summary.reads, True), (summary.passes, False)):
        for place in places:
            if place.root.owner is not ref.node:
                frame.read_places(_translated(frame, ref, place, {}), direct, by=ref.node)
    own = (place for place in summary.result.out if place.root.owner is not ref.node)
    out = frozenset(item for place in own for item in _translated(frame, ref, place, {}))
    return Value(holds=out)


def arguments(
    frame: "State", handed: Iterable[cst.Arg]
) -> tuple[tuple[Value, ...], Mapping[str, Value]]:
    """The values of positional and of keyword arguments."""
    given: list[Value] = []
    named: dict[str, Value] = {}
    for argument in handed:
        if argument.star == "**" and (spread := _spread(argument.value)) is not None:
            named.update({key: frame.evaluate(item) for key, item in spread.items()})
            continue
        value = frame.evaluate(argument.value)
        if argument.star == "*":
            given += (frame.element(value),) if value.items is None else value.items
        elif argument.keyword is not None:
            named[argument.keyword.value] = value
        elif not argument.star:
            given.append(value)
    return tuple(given), named


def _spread(node: cst.BaseExpression) -> Mapping[str, cst.BaseExpression] | None:
    """The arguments in ``**dict(name=value)`` and ``**{"name": value}``."""
    found: dict[str | None, cst.BaseExpression] = {}
    match node:
        case cst.Call(func=cst.Name(value="dict")):
            for item in node.args:
                found[item.keyword.value if item.keyword is not None else None] = item.value
        case cst.Dict():
            for element in node.elements:
                key = string_value(element.key) if isinstance(element, cst.DictElement) else None
                found[key] = element.value
        case _:
            return None
    named = {name: value for name, value in found.items() if name is not None}
    return named if len(named) == len(found) else None
