"""Starts traces: what a transform does with the callables that it is handed."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import takewhile, zip_longest

from flake8_jax.effects.attributes import callables
from flake8_jax.effects.binding import Arguments
from flake8_jax.effects.callees import (
    CODE,
    AnyCallee,
    External,
    FunctionRef,
    Partial,
    Traced,
    innermost,
    is_private,
    trace_of,
)
from flake8_jax.effects.conditions import NOTHING, OF_AN_OBJECT, of_copy
from flake8_jax.effects.frame import Frame
from flake8_jax.effects.instantiate import apply, types_of_default
from flake8_jax.effects.paths import Index, Some
from flake8_jax.effects.roles import (
    Role,
    bound_roles,
    default_object,
    gathered_role,
    has_own_object,
    required_names,
    roles,
)
from flake8_jax.effects.subscripts import REFERENCE, is_container, read_item
from flake8_jax.effects.summaries import Run
from flake8_jax.effects.values import (
    CONCRETE,
    PLAIN,
    Contents,
    Origin,
    Snapshot,
    Value,
    doubtful,
    initial,
    join,
    may_be_anything,
    truth,
)
from flake8_jax.knowledge.transforms import (
    CUSTOM_RULES,
    RULE_OF_A_BACKWARD,
    RULE_OF_A_FORWARD,
    RULE_OF_A_PRIMITIVE,
    WITH_FORWARD,
    Transform,
)
from flake8_jax.lowering.program import Call, Const, Expr, Kind, New, Spread

TRACED = Origin(traced=True)
_REFERENCES = frozenset({REFERENCE})
SOMETHING = External("something that a transform makes a function of")
"""What gives arrays, whatever it is: a transform refuses all else."""


def start(frame: Frame, node: Call, transform: Transform, arguments: Arguments[Value]) -> Value:
    """Hand callables to a transform.

    What a callable does to objects around it is noted at once, whoever calls it later.
    """
    frame.starts = True
    static = frozenset(_keys(node, transform.statics))
    argnums = (transform.differentiated,) if transform.differentiated else ()
    differentiated = frozenset(key for key in _keys(node, argnums) if isinstance(key, int))
    refuses = transform.refuses and _are_known(node, transform)
    mapped, unmapped = _mapped(node, transform), _unmapped(node, transform)
    site = frame.site(node.span)
    maker = frame.scope if frame.ref.function.name != CODE else None
    are_all = any(is_container(arguments.positional[i]) for i in _own(transform, arguments))
    made: list[AnyCallee] = []
    results: list[Value] = []
    for value in _callables(frame, transform, arguments):
        is_one_of = frame.is_one_of(value, node.args) and not are_all
        frame.choosing += is_one_of
        for callee in callables(frame, value):
            traced = Traced(
                transform,
                callee,
                static | _kept(frame, transform, callee, transform.refuses and not refuses),
                differentiated,
                refuses,
                site,
                maker,
                frame.state.clear,
                mapped,
                unmapped,
            )
            made.append(traced)
            if transform.curried:
                _run_later(frame, traced, _operands(transform, arguments))
                continue
            result = run(frame, traced, _operands(transform, arguments))
            if result is not None:
                results.append(result)
        frame.choosing -= is_one_of
    if transform.curried and not made and transform.refuses and not transform.describes:
        some = Partial(SOMETHING, tuple(_callables(frame, transform, arguments)))
        made.append(Traced(transform, some, static, differentiated, site=site, maker=maker))
    if transform.curried and made:
        return Value(origin=Origin(concrete=True), callees=tuple(made))
    if transform.describes:
        return PLAIN
    if not results:
        return frame.traced(arguments.positional)
    is_told = bool(transform.operands) or transform.rest is not None
    return join(results) if is_told else _with_all(frame, join(results), arguments)


def _run_later(frame: Frame, traced: Traced, arguments: Arguments[Value]) -> None:
    """Note what a callable does once somebody calls what a transform has made of it."""
    before, was_virtual = frame.state.copy(), frame.is_virtual
    frame.is_virtual = True
    run(frame, traced, arguments)
    frame.is_virtual = was_virtual
    frame.state.come_back(before)


def define_rules(frame: Frame, node: Call, owner: Value, arguments: Arguments[Value]) -> None:
    """Hand the rules of a derivative to the function that has one.

    What is not differentiated arrives as it is: in its own place in a forward rule, and before all
    else in any other one.
    """
    given: list[tuple[str | int, Value]] = [
        *enumerate(arguments.positional),
        *arguments.named.items(),
    ]
    for custom in owner.callees:
        if not isinstance(custom, Traced) or custom.transform.name not in CUSTOM_RULES:
            continue
        has_forward = custom.transform.name == WITH_FORWARD
        other = RULE_OF_A_BACKWARD if has_forward else RULE_OF_A_PRIMITIVE
        own = frozenset(item for item in custom.static if isinstance(item, int))
        first = frozenset(range(len(own)))
        for place, value in given:
            is_forward = has_forward and place in (0, "fwd")
            kind = RULE_OF_A_FORWARD if is_forward else other
            for callee in callables(frame, value):
                static = (own if is_forward else first) | _kept(frame, kind, callee)
                rule = Traced(kind, callee, static, site=frame.site(node.span))
                _run_later(frame, rule, _operands(kind, arguments))


def _kept(
    frame: Frame, transform: Transform, callee: AnyCallee, is_told_more: bool = False
) -> frozenset[str]:
    """The parameters that get objects which a transform does not take apart.

    Where it has options that cannot be read here, they say so of what it would refuse.
    """
    ref = innermost(callee)
    if not isinstance(ref, FunctionRef):
        return frozenset()
    world = frame.world
    return frozenset(
        item.name
        for item in ref.function.parameters
        if world.is_static(ref, item.name)
        or ((transform.keeps_objects or is_told_more) and world.is_refused(ref, item.name))
    )


def _operands(transform: Transform, arguments: Arguments[Value]) -> Arguments[Value]:
    """What a callable gets of what a transform is given; the rest is somebody's."""
    given = arguments.positional
    if transform.rest is not None and transform.rest < len(given):
        return Arguments(given[transform.rest :], is_spread=True, is_spread_named=True)
    found: list[Value] = []
    for position, name in zip_longest(transform.operands, transform.operand_names):
        if name is not None and name in arguments.named:
            found.append(arguments.named[name])
        elif position is not None and position < len(given):
            found.append(given[position])
        elif name is None and position is None:
            found.append(Value())
        else:
            break
    return Arguments(tuple(found), is_spread=True, is_spread_named=True)


def _with_all(frame: Frame, result: Value, arguments: Arguments[Value]) -> Value:
    """What a transform gives of which nobody knows what it hands over: copies of all, anywhere."""
    given = (*arguments.positional, *arguments.named.values())
    snapshots = result.contents.snapshots.union(*(_copies(frame, value) for value in given))
    return _anywhere(result, snapshots) if snapshots else result


def _callables(frame: Frame, transform: Transform, arguments: Arguments[Value]) -> list[Value]:
    """The callables that a transform is handed, one by one or in a list."""
    found = [arguments.positional[i] for i in _own(transform, arguments)]
    found += [arguments.named[name] for name in transform.keywords if name in arguments.named]
    return [item for value in found for item in _each(frame, value)]


def _own(transform: Transform, arguments: Arguments[Value]) -> list[int]:
    """Where the callables stand among the arguments of a transform."""
    return [i for i in transform.callables if i < len(arguments.positional)]


def _each(frame: Frame, value: Value) -> tuple[Value, ...]:
    if value.contents.items is not None:
        return value.contents.items
    if not is_container(value):
        return (value,)
    anyone = read_item(frame, value, Some.INDEX)
    return (anyone,) if anyone.callees else (anyone, *_placed(frame, value))


def _placed(frame: Frame, value: Value) -> Iterator[Value]:
    """The elements of a list that are known by their places: one may be a number."""
    for path, item in frame.state.heap.items():
        if path.selectors and isinstance(path.selectors[-1], Index) and path.owner in value.paths:
            yield item


def _keys(node: Call, names: tuple[str, ...]) -> Iterator[str | int]:
    """The names and positions that some arguments of a transform list."""
    for name, value in node.keywords:
        if name in names:
            for item in value.parts if isinstance(value, New) else (value,):
                if isinstance(item, Const) and isinstance(item.value, str | int):
                    yield item.value


def _are_known(node: Call, transform: Transform) -> bool:
    """Whether it is plain to see which parameters arrive as they are."""
    options = {*transform.statics, transform.differentiated, transform.axes} - {None}
    spreads = any(isinstance(item, Spread) for item in node.args) or None in dict(node.keywords)
    if options and (spreads or (transform.axes is not None and len(node.args) > 1)):
        return False
    for name, value in node.keywords:
        if name is not None and name == transform.axes:
            return False
        if name in transform.statics or name == transform.differentiated:
            if not all(map(_is_key, value.parts if isinstance(value, New) else (value,))):
                return False
    return True


def _mapped(node: Call, transform: Transform) -> tuple[bool, ...]:
    """Which arguments are certainly mapped, by position, where a call lists the axes."""
    given = _axes(node, transform)
    return tuple(map(_is_axis, given.parts)) if isinstance(given, New) else ()


def _unmapped(node: Call, transform: Transform) -> frozenset[int]:
    """The positions of the arguments that are not certainly mapped; one of all is."""
    given = _axes(node, transform)
    if given is None or _is_axis(given):
        return frozenset()
    if not isinstance(given, New):
        return _ANY_POSITION
    return frozenset(i for i, item in enumerate(given.parts) if not _is_axis(item))


_ANY_POSITION = frozenset(range(32))
"""Where arguments stand."""


def _axes(node: Call, transform: Transform) -> Expr | None:
    """What a call says of the axes along which arguments are mapped."""
    if transform.axes is None:
        return None
    return dict(node.keywords).get(transform.axes) or next(iter(node.args[1:2]), None)


def _is_axis(node: Expr) -> bool:
    return isinstance(node, Const) and type(node.value) is int


def _is_key(node: Expr) -> bool:
    return isinstance(node, Const) and isinstance(node.value, str | int)


def _is_refused(frame: Frame, traced: Traced, ref: FunctionRef) -> bool:
    """Whether an argument that would be rebuilt, and has to be given, is to be no pytree."""
    arriving = roles(traced)
    return any(
        frame.world.is_refused(ref, item.name)
        for item in ref.function.parameters
        if item.default is None and arriving.get(item.name, Role.SAME).is_new
    )


def run(frame: Frame, traced: Traced, arguments: Arguments[Value]) -> Value | None:
    """Call what a transform has made: the arguments are rebuilt, and all that comes out is new."""
    values = (*arguments.positional, *arguments.named.values())
    made = PLAIN if traced.transform.describes else frame.traced(values)
    callee: AnyCallee = traced.callee
    bound: tuple[Value, ...] = ()
    named: dict[str, Value] = {}
    started = [] if frame.is_virtual else [traced]
    while isinstance(callee, Partial | Traced):
        if isinstance(callee, Partial):
            if callee.spread:
                return made  # which parameters are left for the transform is not known
            bound = (*callee.bound, *bound)
            named = {**dict(callee.named), **named}
        elif traced.transform.staged or not callee.transform.staged:
            started.append(callee)
        callee = callee.callee
    if callee is SOMETHING:
        frame.escape(values)
        made = frame.traced((*bound, *values))
    if not isinstance(callee, FunctionRef):
        return made
    frame.called |= {trace_of(item, callee) for item in started if _is_in_sight(frame, item)}
    if traced.transform.hands_references:
        arguments = Arguments(is_spread=True, is_spread_named=True)
    if not traced.transform.traces:
        return made  # it runs on the host, later, with values of its own
    if traced.refuses and _is_refused(frame, traced, callee):
        frame.runs.setdefault(Run(traced, callee, (), is_refused=True))
        return None
    as_bound = bound_roles(traced)
    arriving = _arriving(frame, callee, traced, arguments, len(bound), named)
    arriving = arriving.after(
        tuple(_AS[role](frame, value) for role, value in zip(as_bound, bound, strict=True))
    )
    given = replace(arriving, named={**named, **arriving.named})
    known = traced.only_if - frame.state.clear if traced.maker == frame.scope else NOTHING
    frame.state.clear |= known
    result = apply(frame, callee, given, traced)
    frame.state.clear -= known
    if result is None:
        return None
    copied = new_from(frame, result).with_origin(made.origin)
    return copied if traced.transform.differentiated is None else _with_derivatives(copied)


def _with_derivatives(result: Value) -> Value:
    """What a derivative gives of a function that returns several things.

    Options say where they stand in it: ``(value, aux), grads``. All may stand everywhere.
    """
    items = result.contents.items
    if items is None:
        return result
    snapshots = result.contents.snapshots.union(*(item.contents.snapshots for item in items))
    return _anywhere(result, snapshots)


def _anywhere(result: Value, snapshots: frozenset[Snapshot]) -> Value:
    """What a transform gives, if copies may stand everywhere in it."""
    part = Value(exact=False, origin=result.origin, contents=Contents(snapshots=snapshots))
    for _ in range(_LEVELS):
        part = part.with_contents(Contents(snapshots=snapshots, items=(part, part)))
    return part


_LEVELS = 2
"""How deep the results of a function stand in those of ``value_and_grad``."""


def _is_in_sight(frame: Frame, traced: Traced) -> bool:
    """Whether all calls of what a transform has made stand where this one does."""
    if traced.maker is not None:
        return traced.maker == frame.scope
    function = innermost(traced.callee)
    if isinstance(function, FunctionRef) and is_private(function):
        return True
    site = traced.site
    return site is not None and site[:2] == frame.site(0)[:2]


def _arriving(
    frame: Frame,
    ref: FunctionRef,
    traced: Traced,
    arguments: Arguments[Value],
    skipped: int,
    bound: Mapping[str, Value],
) -> Arguments[Value]:
    """The arguments as the traced function gets them; some are bound already, by their names."""
    parameters = ref.function.parameters
    places = [item.name for item in parameters if item.kind in _BY_POSITION][skipped:]
    arriving = roles(traced)
    gathered = gathered_role(traced)
    required = required_names(ref)

    def arrive(name: str | None, value: Value, position: int | None = None) -> Value:
        role = arriving.get(name) if name is not None else None
        if name in required and may_be_anything(value):
            value = value.with_tells(OF_AN_OBJECT)
        role = gathered(position) if role is None else role
        if traced.transform.hands_references and role is Role.SAME:
            return _rebuild(frame, value).with_types(_REFERENCES)
        return _AS[role](frame, value)

    positional = [
        arrive(places[i] if i < len(places) else None, value, i)
        for i, value in enumerate(arguments.positional)
    ]
    named = {name: arrive(name, value) for name, value in arguments.named.items()}
    if arguments.is_spread:
        later = [*takewhile(lambda name: name not in bound, places[len(positional) :])]
        left = {*places[len(positional) + len(later) :]} - bound.keys()
        names = [item.name for item in parameters if item.kind is Kind.KEYWORD or item.name in left]
        own = {item.name: item.default for item in parameters if has_own_object(item)}

        def left_out(name: str) -> Value:
            value = initial(default_object(ref, name))
            if name not in own:
                return arrive(name, value)
            return value.with_types(types_of_default(frame, ref, own[name]))

        positional += map(left_out, later)
        named = {name: left_out(name) for name in names} | named
    elements = tuple(_rebuild(frame, item) for item in arguments.spread)
    if traced.transform.hands_references:
        elements = (Value(exact=False, origin=TRACED, types=_REFERENCES),)
    return replace(
        arguments,
        positional=tuple(positional),
        named=named,
        spread=elements or (_gathered(gathered),),
        is_spread=arguments.is_spread and any(item.kind is Kind.STAR for item in parameters),
        is_spread_named=arguments.is_spread_named
        and any(item.kind is Kind.STARS for item in parameters),
    )


def _gathered(role: Callable[[int | None], Role]) -> Value:
    """One of the arguments that a function gathers, of which nobody knows which it is."""
    is_traced = role(None) is Role.REBUILT
    return Value(exact=False, origin=TRACED if is_traced else doubtful(TRACED))


def _rebuild(frame: Frame, value: Value) -> Value:
    """What a transform makes of an argument: a new object with Tracers in it."""
    return _copy(frame, value).with_origin(TRACED)


def _copy(frame: Frame, value: Value) -> Value:
    """What is put together again of the parts of an argument, and of its own static fields."""
    frame.use(value.out)
    made = new_from(frame, value)
    statics = value.paths | value.contents.statics
    return made.with_contents(made.contents._replace(statics=statics))


_AS: dict[Role, Callable[[Frame, Value], Value]] = {
    Role.REBUILT: _rebuild,
    Role.COPIED: _copy,
    Role.SAME: lambda _, value: value,
    Role.STATIC: lambda _, value: value.with_origin(CONCRETE),
}
_BY_POSITION = (Kind.POSITIONAL, Kind.NORMAL)


def new_from(frame: Frame, value: Value) -> Value:
    """A deep copy: nothing of it is the same object."""
    items = value.contents.items
    copied = tuple(new_from(frame, item) for item in items) if items is not None else None
    contents = Contents(snapshots=_copies(frame, value), items=copied)
    return Value(
        frozenset(),
        value.exact,
        value.origin,
        value.types,
        contents,
        value.callees,
        of_copy(truth(value)),
    )


def _copies(frame: Frame, value: Value) -> frozenset[Snapshot]:
    """What a deep copy of a value holds, with all that was written there until now."""
    copied = (Snapshot(path, False, frame.state.writes) for path in value.out)
    return value.contents.snapshots.union(copied)
