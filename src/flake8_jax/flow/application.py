"""Applying a summary: what a call does, in terms of the caller's own objects."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import libcst as cst

from flake8_jax.contents import Holds, returned_contents
from flake8_jax.flow.binding import fitting
from flake8_jax.flow.guards import seen_by_caller
from flake8_jax.flow.traces import (
    arrives_as_it_is,
    bound_of,
    is_same,
    name_at,
    name_of,
    names_of,
    traced,
)
from flake8_jax.flow.types import refused
from flake8_jax.flow.values import (
    ARRAYS,
    CONTAINERS,
    FALSE,
    PLAIN,
    TRUE,
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
    all_doubtful,
    changed,
    computed,
    fewer,
    holding,
    index_of,
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
    if ref.overrides:
        results, before = [], frame.clear
        for one in (changed(ref, overrides=()), *ref.overrides):
            results.append(apply(frame, one, given, named, here, node))
            frame.clear = before
        return join(results)
    if frame.flow.is_switched(ref):
        return changed(holding(*given, *named.values()), certain=False, doubtful=True)
    given = (*ref.bound, *given)
    named = {**ref.keywords, **named}
    values = (*given, *named.values())
    frame.called[ref.node] = ref
    if frame.unlocked:
        _unlock(frame.flow, ref)
    if node is not None and here is None and _is_foreign(frame, ref):
        here = Here(node, frame.piece)
    if ref.trace is not None:
        fill(frame, ref.trace)
        if ref.cached and node is not None:
            frame.call_cached(ref, node)
        result = escape(frame, ref)
        summary = frame.flow.summary(ref)
        if summary.invocations and node is not None:
            bound = _bind(frame.flow, ref, summary, given, named)
            _carry_out(frame, ref, summary, bound, node, ref.trace)
        if ref.trace.transform.differentiated is not None and node is not None:
            _hand_over(frame, ref, ref.trace, _bind(frame.flow, ref, summary, given, named), node)
            out = (*values, result) if ref.trace.has_aux else ()
            copied = [frame.copy_of(value, shallow=False) for value in out]
            made = changed(computed(*values, result), copied=frozenset().union(*copied))
            return frame.stages(changed(made, plain=False))
        kind = summary.result.type if ref.trace.transform.is_jit else None
        kind = kind if isinstance(kind, ModelClass) else None
        staged = frame.stages(changed(holding(*values, result), plain=False, type=kind))
        return PLAIN if ref.trace.transform.describes else staged
    summary = frame.flow.summary(ref)
    if summary.makes_arrays and not frame.compile_time:
        frame.makes_arrays = True
        if ref.cached and node is not None and summary.result.function is None:
            if returned_contents(ref.node, ref.cls, ref.scope) is Holds.ANYTHING:
                frame.call_cached(ref, node)
    bound = _bind(frame.flow, ref, summary, given, named)
    frame.flow.passes(ref.node, bound)
    frame.order += 1
    for value in values:
        if value.function is not None:
            frame.flow.escaped.add(value.function.node)
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
        renamed = here is not None and here.text is None and _is_foreign(frame, ref)
        _adopt(frame, ref, write, bound, renamed)
    frame.order += 1
    if summary.invocations and node is not None:
        _carry_out(frame, ref, summary, bound, node)
    if summary.lent and isinstance(node, cst.Call):
        frame.share(_lent(node, ref, summary))
    frame.clear |= seen_by_caller(frame, ref, summary.clear, bound)
    return _result(frame, ref, summary.result, bound)


def _hand_over(
    frame: "State", ref: FunctionRef, trace: Trace, bound: Mapping[str, Value], node: cst.CSTNode
) -> None:
    """Note what a transform does to the arguments of a call that it hands over as they are.

    Those that are arguments of this function, or of one around it, are what the traces of that
    one make of them.
    """
    here = Here(node, frame.piece) if _is_foreign(frame, ref) else None
    owners: set[Function | None] = set()
    for write in located(frame.flow, ref, frame.flow.summary(ref).writes, here):
        root = write.place.root
        if root.owner is not ref.node or not arrives_as_it_is(trace, write.place):
            continue
        target = _follow(frame, bound.get(root.name, UNKNOWN), write.target.path)
        places = _written(write, target) if target.certain else []
        own = [place for place in places if place.root.name in _names(place.root.owner)]
        if not own or len(own) < len(places) or write.form not in (Form.ATTRIBUTE, Form.ITEM):
            owners.add(None)
            continue
        owners |= {place.root.owner for place in own}
        used = write.read_after or write.read_inside
        inner = changed(write, trace=trace, read_after=False, read_inside=used, handed=True)
        frame.adopt(inner, own)
    frame.flow.handed[node] = frozenset(owners)


def _names(function: Function | None) -> tuple[str, ...]:
    return names_of(function) if function is not None else ()


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
    under: Trace | None = None,
) -> None:
    """Call or trace what a function was given, where it does so: perhaps all under a trace."""
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
            transform=item.transform or (under.transform if under is not None else None),
            rebuilt=item.rebuilt or (under is not None and _rebuilds(under, ref, root)),
        )
        copied = item.rebuilt and value.function is None
        function = value.function or callable_object(frame, value)
        if function is not None and item.scope is None and isinstance(item.node, cst.Call):
            function = fitting(function, item.node.args)
            if function is None:
                continue
        if function is None:
            frame.invoke(value, item)
        elif item.transform is None:
            apply(frame, function, item.given, item.named, node=node)
        else:
            here = Here(node, frame.piece)
            for one in each_of(function):
                if item.scope is not None or one.trace is None:
                    trace = _handed(item, item.transform, one, ref)
                    start(frame, changed(trace, here=here, copies_self=copied))
    frame.invoking -= 1


def is_of_copy(trace: Trace, root: Root) -> bool:
    """Whether a variable is the self of a method, and that a copy: the trace around it knows."""
    node = trace.function.node
    return trace.copies_self and root.owner is node and root.name in names_of(node)[:1]


def _rebuilds(trace: Trace, ref: FunctionRef, root: Root) -> bool:
    """Whether a variable is a parameter of a traced function that arrives as a copy."""
    return root.owner is ref.node and not is_same(trace, root.name)


def each_of(function: FunctionRef) -> Iterator[FunctionRef]:
    """The functions that a value may be."""
    for item in (function, *function.overrides):
        yield changed(item, overrides=())


def carry_out_at_construction(
    frame: "State",
    ref: FunctionRef,
    given: tuple[Value, ...],
    named: Mapping[str, Value],
    node: cst.CSTNode,
) -> None:
    """Call or trace what a constructor is given, where it does so."""
    summary = frame.flow.summary(ref)
    if summary.invocations:
        bound = _bind(frame.flow, ref, summary, (UNKNOWN, *given), named)
        _carry_out(frame, ref, summary, bound, node)


def _handed(
    item: Invocation, transform: Transform, function: FunctionRef, by: FunctionRef
) -> Trace:
    """The trace of a function that another one hands to a transform, or calls inside of one."""
    if item.scope is not None:
        made = traced(transform, function, item.scope, item.arguments)
        return changed(made, lasting=transform.curried)
    free = (name_at(function.node, len(function.bound) + i) for i in range(len(item.given)))
    given = {name: value for name, value in zip(free, item.given, strict=True) if name}
    given |= {name_of(function.node, name): value for name, value in item.named.items()}
    static = {
        name
        for name, value in given.items()
        if value.plain
        or not (transform.staged or any(root.owner is by.node for root in value.depends))
    }
    same = frozenset(bound_of(function).keys() | static)
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
            origin = origin or Origin((ref.name, *write.via)[-1], write.piece, write.node)
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
    if trace.refuses and _is_refused(frame, trace):
        return
    frame.flow.traces.append(trace)
    escape(frame, trace.function)
    ref = trace.function
    summary = frame.flow.summary(ref)
    frame.order += 1
    bound = _bound_already(frame, ref, summary)
    frame.flow.passes(ref.node, bound)
    here = trace.here if _is_foreign(frame, ref) else None
    writes = tuple(located(frame.flow, ref, summary.writes, here))
    caches = tuple(write for write in writes if write.form is Form.CACHE)
    others = tuple(write for write in writes if write.form is not Form.CACHE)
    _trace_writes(frame, trace, bound, others)
    frame.waiting[trace] = (bound, caches)
    if not trace.transform.curried:
        fill(frame, trace)
    if summary.invocations:
        node = trace.here.node if trace.here is not None else ref.node
        _carry_out(frame, ref, summary, bound, node, trace)


def fill(frame: "State", trace: Trace) -> None:
    """Fill the caches that a trace reads: when it runs, and not when it is made.

    What is read meanwhile, for its arguments perhaps, is there already.
    """
    bound, caches = frame.waiting.pop(trace, ({}, ()))
    _trace_writes(frame, trace, bound, caches)


def _trace_writes(
    frame: "State", trace: Trace, bound: Mapping[str, Value], writes: Iterable[Write]
) -> None:
    """Note what a trace writes to the objects around it."""
    ref = trace.function
    here = trace.here if _is_foreign(frame, ref) else None
    lent = frame.shared.intersection(item.name for item in frame.parameters)
    around, frame.clear = frame.clear, frozenset()  # whatever is asked around it, it is a trace
    for write in writes:
        root = write.place.root
        if is_of_copy(trace, root):
            continue
        if write.form is Form.CACHE and write.place in frame.filled:
            frame.flow.filled_before.add((trace, write.place))
            continue
        if root.owner is ref.node and root.name in bound:
            value = bound[root.name]
        elif root.owner is None or root.owner is ref.node:
            continue
        else:
            value = None
        if write.form is Form.CACHE and root.name in lent:
            continue  # code that is not known may have filled it
        outermost = trace if trace.lasting else write.trace or trace
        used = write.read_after or write.read_inside
        unless = seen_by_caller(frame, ref, write.unless, bound)
        inner = changed(write, trace=outermost, read_after=False, read_inside=used, unless=unless)
        if value is None and (root.owner is not frame.node or write.form is Form.NAME):
            frame.adopt(inner, [write.place])
            continue
        if value is None:
            value = frame.lookup(cst.Name(root.name))
        target = _follow(frame, value, write.target.path)
        places = _written(write, target)
        if write.form is Form.CACHE and not frame.filled.isdisjoint(places):
            frame.flow.filled_before.add((trace, write.place))
            continue
        if target.certain and places:
            again = write.form is Form.CACHE and frame.is_filled_inside(places, ref.node)
            frame.adopt(changed(inner, read_after=again), places, renamed=here is not None)
        elif not target.places and root.owner is frame.node:
            foreign = not target.certain or root.name in frame.shared
            frame.adopt(changed(inner, foreign=foreign), [write.place])
    frame.clear = around


def _bound_already(frame: "State", ref: FunctionRef, summary: "Summary") -> dict[str, Value]:
    """What a partial, or a bound method, has been given by the code around it."""
    has = {*bound_of(ref), *(Root(None, name).whole for name in bound_of(ref))}
    bound = _bind(frame.flow, ref, summary, ref.bound, ref.keywords)
    return {name: value for name, value in bound.items() if name in has}


def _is_refused(frame: "State", trace: Trace) -> bool:
    """Whether a parameter that would be rebuilt, and has to be given, is to be no pytree."""
    ref = trace.function
    return any(
        parameter.annotation is not None
        and parameter.default is None
        and parameter.name not in trace.same
        and refused(frame.model, parameter.annotation.annotation, ref.scope)
        for parameter in frame.flow.summary(ref).parameters
    )


def _written(write: Write, target: Value) -> list[Place]:
    """The places that a write changes, given what its target is here."""
    if not write.place.path:
        return list(target.places)
    return [place.member(write.place.path[-1]) for place in target.places]


def _follow(frame: "State", value: Value, path: Iterable[str]) -> Value:
    for step in path:
        if step.startswith("["):
            value = frame.element(value, index_of(step))
        else:
            value = frame.member(value, step.lstrip("!"))
    return value


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
            bound |= {f"{parameter.name}[{index}]": value for index, value in enumerate(rest)}
            rest = []
        elif parameter.star == "**":
            members = {f"[{name!r}]": value for name, value in left.items()}
            bound[parameter.name] = changed(holding(*left.values()), members=members)
            bound |= {f"{parameter.name}{step}": value for step, value in members.items()}
        elif parameter.name in left and not parameter.positional_only:
            bound[parameter.name] = left.pop(parameter.name)
        elif rest and not parameter.keyword_only:
            bound[parameter.name] = rest.pop(0)
        else:
            bound[parameter.name] = _default(flow, ref, parameter.name, parameter.default)
    return bound


def _unlock(flow: "Flow", ref: FunctionRef) -> None:
    """Note that what a function calls may assign frozen objects: somebody has unlocked them."""
    stack = [ref]
    while stack:
        here = stack.pop()
        if here.node not in flow.expected_to_raise:
            flow.expected_to_raise.add(here.node)
            stack += flow.summary(here).calls


def _default(flow: "Flow", ref: FunctionRef, name: str, node: cst.BaseExpression | None) -> Value:
    """What a parameter is that was not given: the same object at every call."""
    if type(node) is cst.Name and node.value in _SINGLETONS:
        return TRUE if node.value == "True" else FALSE
    if type(node) in _CONSTANTS:
        return PLAIN
    if type(node) is cst.Name:
        return flow.outer(node, ref.scope, ref.piece)
    if type(node) in _CONTAINERS:
        place = Place(Root(None, f"{ref.name}({name})"))
        return Value(places=frozenset({place}), type=Shape.CONTAINER)
    return UNKNOWN


def _adopt(
    frame: "State",
    ref: FunctionRef,
    write: Write,
    bound: Mapping[str, Value],
    renamed: bool = False,
) -> None:
    """Take over a write; ``renamed`` if its words are those of another module."""
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
        if write.form is Form.ARRAY and not write.is_known:
            made_of = [root.name for root in write.depends if root.owner is ref.node]
            if any(name in bound and bound[name].decides for name in made_of):
                return
        frame.adopt(write, [write.place], via=via, **_seen_from(frame, ref, write, bound))
        return
    target = _follow(frame, value, write.target.path)
    if _is_for_others(write, target):
        return
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
        elif form is Form.UNKNOWN_ITEM and target.type in CONTAINERS:
            form = Form.ITEM
        elif form is Form.ARRAY:
            if target.type is not None or not target.depends:
                return  # the caller knows better, or nothing that is traced comes here
            write = write if known else changed(write, depends=target.depends)
    if form is Form.CACHE:
        frame.filled |= set(places)
    seen = _seen_from(frame, ref, write, bound)
    cls = target.cls()
    if cls is None or write.cls not in cls.lineage:  # the caller may know which subclass it is
        cls = write.cls
    opaque = write.is_opaque or target.type is Shape.OPAQUE
    frame.adopt(
        write,
        places,
        renamed,
        form=form,
        via=via,
        is_known=known,
        is_opaque=opaque,
        cls=cls,
        **seen,
    )


def _is_for_others(write: Write, target: Value) -> bool:
    """Whether a function that asks for classes writes to objects of other classes only."""
    cls = target.cls()
    return cls is not None and not write.never.isdisjoint(cls.lineage)


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
    own = [root for root in write.depends if root.owner is ref.node and root.whole in bound]
    given = [_given(root, bound) for root in own]
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
    unless = seen_by_caller(frame, ref, write.unless, bound)
    return {
        "plain": plain,
        "depends": depends,
        "source": source,
        "unless": unless,
        "doubtful": write.doubtful
        or (all_doubtful(given) and not write.is_array and not write.is_sum),
    }


def _depends(
    ref: FunctionRef, roots: Iterable[Root], bound: Mapping[str, Value]
) -> frozenset[Root]:
    """Variables of a function in terms of the caller: what its arguments depend on."""
    found: set[Root] = set()
    for root in roots:
        own = root.owner is ref.node and root.whole in bound
        found |= _given(root, bound).depends if own else {root}
    return frozenset(found)


def _given(root: Root, bound: Mapping[str, Value]) -> Value:
    """What a parameter was given, or, as far as it is known, one that gathers arguments."""
    return bound.get(root.name) or bound[root.whole]


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
    if path and value.items is not None:
        index = index_of(path[0])
        if isinstance(index, int) and index < len(value.items):
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


def _is_of_doubtful(ref: FunctionRef, result: Value, bound: Mapping[str, Value]) -> bool:
    """Whether a result is made of what may be static data, and of nothing else."""
    own = [root.name for root in result.depends if root.owner is ref.node]
    given = [bound[name] for name in own if name in bound]
    return result.type is None and not result.numeric and all_doubtful(given)


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
        doubtful=result.doubtful or _is_of_doubtful(ref, result, bound),
        members={},
        items=items,
        function=function,
        if_true=seen_by_caller(frame, ref, result.if_true, bound),
        if_false=seen_by_caller(frame, ref, result.if_false, bound),
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
