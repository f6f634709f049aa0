"""Follows calls: of functions of the project, of classes, of libraries, of methods."""

from dataclasses import replace

from flake8_jax.classes.frozen import library_kind
from flake8_jax.classes.members import MethodMember
from flake8_jax.classes.walks import last_name
from flake8_jax.effects.attributes import (
    callables,
    defines,
    delete_attribute,
    read_attribute,
    write_attribute,
    write_some_attribute,
)
from flake8_jax.effects.binding import Arguments
from flake8_jax.effects.callbacks import call_back
from flake8_jax.effects.callees import (
    AnyCallee,
    Cached,
    ClassRef,
    Configured,
    External,
    FunctionRef,
    Method,
    Partial,
    Record,
    Traced,
    innermost,
)
from flake8_jax.effects.conditions import FOR_EFFECT, SILENT, Tells
from flake8_jax.effects.frame import Frame, field
from flake8_jax.effects.instantiate import apply, named
from flake8_jax.effects.iteration import VIEWS, view
from flake8_jax.effects.memos import keep, kept
from flake8_jax.effects.models import configured, model_of, shallow_copy
from flake8_jax.effects.openness import opened
from flake8_jax.effects.paths import AccessPath, Index, Some
from flake8_jax.effects.subscripts import (
    ATTRIBUTES,
    GLOBAL_NAMES,
    inherits_container,
    is_array,
    is_number,
    is_variable,
    read_item,
    selector_of,
    write_item,
)
from flake8_jax.effects.traces import define_rules, run, start
from flake8_jax.effects.updates import note_function, note_method, note_own, update_elements
from flake8_jax.effects.values import (
    EMPTY,
    PLAIN,
    UNKNOWN,
    Value,
    derived,
    doubtful,
    fresh_with,
    join,
    join_origins,
    no_tracer,
    number,
)
from flake8_jax.knowledge.objects import (
    ARITY,
    ARRAY_METHODS,
    COMPUTING_METHODS,
    CONTAINER_FACTORIES,
    CONVERTING_METHODS,
    DEQUE_METHODS,
    ELEMENT_METHODS,
    EXPECTS_ERRORS,
    FROZEN_DICTS,
    IMPLICIT,
    KEYED,
    LAYERS,
    RUNS_MODEL,
    SETS_VALUE,
    SHALLOW_METHODS,
    asks_about_tracers,
)
from flake8_jax.knowledge.pytrees import MADE_CLASSES
from flake8_jax.knowledge.transforms import DEFINES_RULES, KERNEL, KERNELS, transform_named
from flake8_jax.lowering.program import (
    Attr,
    Call,
    Const,
    Expr,
    Function,
    NewDict,
    Return,
    Spread,
)
from flake8_jax.lowering.stores import (
    SELF,
    Change,
    Form,
    Part,
    Way,
    argument,
    by_function,
    by_method,
)

_ARRAY_METHODS = ARRAY_METHODS | {"max", "min"}


def call(frame: Frame, node: Call) -> Value:
    """The value of a call. One that never comes back ends the way that led to it."""
    is_called = frame.is_called
    frame.is_called = isinstance(node.callee, Call)
    callee = frame.evaluate(node.callee)  # here and not in a function: calls are chained
    frame.is_called = False
    arguments = evaluate_arguments(frame, node)
    if last_name(node.callee) in EXPECTS_ERRORS:
        _expect(frame, arguments)
    callees = callables(frame, callee)
    if not callees:
        return _of_module(_unknown(frame, node, callee, arguments), callee, arguments)
    frame.calling = node.span
    frame.is_called = is_called
    is_one_of = frame.is_one_of(callee, (node.callee,))
    frame.choosing += is_one_of
    results = [_call_one(frame, node, item, arguments) for item in callees]
    frame.choosing -= is_one_of
    frame.is_called = False
    found = [item for item in results if item is not None]
    if not found:
        frame.state.leave()
        return UNKNOWN
    return _settled(frame, node, join(found))


def evaluate_decorator(frame: Frame, node: Expr) -> Value:
    """What is called as a decorator; a call may have made it."""
    frame.is_called = isinstance(node, Call)
    callee = frame.evaluate(node)
    frame.is_called = False
    return callee


def _expect(frame: Frame, arguments: Arguments[Value]) -> None:
    """Note the functions that are handed to what expects them to raise."""
    for value in arguments.positional:
        functions = (innermost(item) for item in value.callees)
        frame.expected.update(x.function for x in functions if isinstance(x, FunctionRef))


def call_value(frame: Frame, callee: Value, argument: Value, span: int) -> Value:
    """What a decorator makes of a function."""
    found = call_value_with(frame, callee, (argument,), span)
    return UNKNOWN if found is None else found


def call_value_with(
    frame: Frame, callee: Value, arguments: tuple[Value, ...], span: int
) -> Value | None:
    """Call a value where no call is written; None where it does not come back."""
    return _call_with(frame, callee, Arguments(arguments), span)


def _call_with(frame: Frame, callee: Value, arguments: Arguments[Value], span: int) -> Value | None:
    """Call a value with arguments of all kinds."""
    node = frame.implied(span, len(arguments.positional))
    is_one_of = frame.is_one_of(callee, ())
    frame.choosing += is_one_of
    results = [_call_one(frame, node, item, arguments) for item in callee.callees]
    frame.choosing -= is_one_of
    found = [item for item in results if item is not None]
    return join(found) if found else None


def call_method(
    frame: Frame, owner: Value, name: str, arguments: tuple[Value, ...], span: int
) -> Value | None:
    """Call a method that the class of an object defines; None where none is known, or it raises."""
    found = read_attribute(frame, owner, name, span) if defines(frame, owner, name) else UNKNOWN
    functions = [item for item in found.callees if isinstance(item, Partial)]
    if not functions or len(functions) < len(found.callees):
        return None
    frame.calling = span
    made = _call_with(frame, found, Arguments(arguments), span)
    return _settled(frame, frame.implied(span, 0), made) if made is not None else None


def _settled(frame: Frame, node: Call, value: Value) -> Value:
    """New objects that a function has handed out get paths of their own here."""
    if value.callees:
        value = value.with_callees(tuple(_owned(frame, node, item) for item in value.callees))
    is_empty = value.contents == EMPTY and value.origin.concrete
    return named(frame, id(node), value) if value.contents.parts or is_empty else value


def _owned(frame: Frame, node: Call, callee: AnyCallee) -> AnyCallee:
    """A function that was handed out: what its variables hold was made by this call.

    But for the variables of functions around this one: those hold what they have held before.
    """
    match callee:
        case FunctionRef() if callee.captured:
            around = (frame.scope, *frame.ref.scopes)
            frame.cells.note_made(root for root, _ in callee.captured if root.scope not in around)
            captured = tuple(
                (
                    root,
                    value._replace(paths=frozenset({frame.fresh(node, f"{root.name} of a call")})),
                )
                if value.paths == {AccessPath(root)} and root.scope not in around
                else (root, value)
                for root, value in callee.captured
            )
            return replace(callee, captured=captured)
        case Partial() | Traced() | Cached():
            return callee._replace(callee=_owned(frame, node, callee.callee))
    return callee


def evaluate_arguments(frame: Frame, node: Call) -> Arguments[Value]:
    """The arguments of a call. A tuple that is spread is known by its elements."""
    positional: list[Value] = []
    spread: list[Value] = []
    is_spread = False
    for item in node.args:
        if isinstance(item, Spread):
            value = frame.evaluate(item.value)
            if value.contents.items is not None and not is_spread:
                positional += value.contents.items
                continue
            is_spread = True
            spread.append(read_item(frame, value, Some.INDEX))
        elif is_spread:
            spread.append(frame.evaluate(item))
        else:
            positional.append(frame.state.whole(frame.evaluate(item)))
    named = {
        name: frame.state.whole(frame.evaluate(value))
        for name, value in node.keywords
        if name is not None
    }
    spread_named = tuple(
        read_item(frame, frame.evaluate(value), Some.INDEX)
        for name, value in node.keywords
        if name is None
    )
    return Arguments(
        tuple(positional), named, tuple(spread), spread_named, is_spread, bool(spread_named)
    )


def _call_one(
    frame: Frame,
    node: Call,
    callee: AnyCallee,
    arguments: Arguments[Value],
    itself: Value | None = None,
) -> Value | None:
    """The result of one callee; ``itself`` is the object whose method it is."""
    match callee:
        case FunctionRef():
            result = apply(frame, callee, arguments)
            note_own(frame, node, callee, result)
            return result
        case Partial():
            given = _bound_before(callee, arguments)
            itself = callee.bound[0] if callee.is_method else None
            return _call_one(frame, node, callee.callee, given, itself)
        case Traced():
            result = run(frame, callee, arguments)
            note_own(frame, node, callee, result)
            return result
        case Cached():
            result = kept(frame, node, callee, itself)
            if result is None:
                result = _call_one(frame, node, callee.callee, arguments)
                keep(frame, node, callee, itself, result)
            return result
        case Configured():
            given_now = node._replace(keywords=(*callee.options, *node.keywords))
            return _external(frame, given_now, callee.dotted, arguments)
        case ClassRef():
            return _construct(frame, node, callee, arguments)
        case Record():
            return _recorded(callee, arguments)
        case External():
            return _external(frame, node, callee.dotted, arguments)
        case Method():
            return _method(frame, node, callee, arguments)


def _bound_before(callee: Partial, arguments: Arguments[Value]) -> Arguments[Value]:
    """The arguments of a call with those that the callable has already."""
    given = replace(
        arguments.after(callee.bound),
        named={**dict(callee.named), **arguments.named},
        spread_named=(*callee.spread_named, *arguments.spread_named),
        is_spread_named=arguments.is_spread_named or bool(callee.spread_named),
    )
    if not callee.spread:
        return given
    spread = (*callee.spread, *arguments.positional, *arguments.spread)
    return replace(given, positional=callee.bound, spread=spread, is_spread=True)


def _construct(
    frame: Frame, node: Call, cls: ClassRef, arguments: Arguments[Value]
) -> Value | None:
    """Make an object: it holds what it is given, and what its constructor stores."""
    path = frame.fresh(node, cls.name)
    values = [*arguments.positional, *arguments.named.values(), *arguments.spread]
    made = Value(frozenset({path}), types=frozenset({cls}), origin=derived(values).origin)
    made = made.with_contents(fresh_with(values).contents)
    view = frame.world.class_view(cls)
    init = view.member("__init__") if view is not None else None
    if isinstance(init, MethodMember) and isinstance(init.function, FunctionRef):
        given = arguments.after((_in_construction(frame, made),))
        return made if apply(frame, init.function, given) is not None else None
    places = zip(view.fields if view is not None else (), arguments.positional, strict=False)
    for name, value in (*places, *arguments.named.items()):
        frame.state.put(path.then(field(name)), value)
    after = view.member("__post_init__") if view is not None else None
    if isinstance(after, MethodMember) and isinstance(after.function, FunctionRef):
        apply(frame, after.function, Arguments((_in_construction(frame, made),)))
    return made


def _recorded(callee: Record, arguments: Arguments[Value]) -> Value:
    """Make a named tuple."""
    fields = callee.fields
    given = {**dict(zip(fields, arguments.positional, strict=False)), **arguments.named}
    made = fresh_with((*arguments.positional, *arguments.named.values(), *arguments.spread))
    made = made.with_types(frozenset({External(callee.dotted)}))
    if len(given) < len(fields):
        return made.inexact()
    items = tuple(given[name] for name in fields)
    parts = tuple((field(name), given[name]) for name in fields)
    return made.with_contents(made.contents._replace(items=items, parts=parts))


def _construct_external(
    frame: Frame, node: Call, dotted: str, arguments: Arguments[Value]
) -> Value:
    """Make an object of a pytree class of a library: it holds what it is given."""
    values = [*arguments.positional, *arguments.named.values(), *arguments.spread]
    held = fresh_with(values)
    path = frame.fresh(node, dotted.rpartition(".")[2])
    types = frozenset({External(dotted)})
    return Value(frozenset({path}), origin=held.origin, types=types, contents=held.contents)


def _in_construction(frame: Frame, made: Value) -> Value:
    """An object as its constructor gets it."""
    is_open = all(frame.world.opens_in_construction(item) for item in made.types)
    return opened(made) if is_open else made


def _external(frame: Frame, node: Call, dotted: str, arguments: Arguments[Value]) -> Value:
    transform = transform_named(dotted)
    if transform is not None and transform.curried and not arguments.positional:
        options = configured(dotted, node)
        if options is not None:
            return options
    if transform is not None:
        return start(frame, node, transform, arguments)
    if dotted in KERNELS:
        return start(frame, node, KERNEL, arguments)
    note_function(frame, node, dotted, arguments)
    if dotted in FROZEN_DICTS:
        return _construct_external(frame, node, FROZEN_DICTS[dotted], arguments)
    if dotted in MADE_CLASSES:
        held = fresh_with([*arguments.positional, *arguments.named.values(), *arguments.spread])
        return held.with_types(frozenset({External(dotted)})).inexact()
    cls = dotted.removesuffix(".create")
    if cls in LAYERS or library_kind(cls) is not None:
        return _construct_external(frame, node, cls, arguments)
    method = IMPLICIT.get(dotted)
    if method is not None and len(arguments.positional) == 1:
        made = call_method(frame, arguments.positional[0], method, (), node.span)
        if made is not None:
            return made
    called = call_back(
        frame, dotted, arguments, lambda callee, given: _call_with(frame, callee, given, node.span)
    )
    if called is not None:
        return called
    model = model_of(dotted)
    if model is not None and by_function(dotted, node) is None:
        made = model(frame, node, arguments)
        is_typed = made.types or dotted not in CONTAINER_FACTORIES
        return made if is_typed else made.with_types(frozenset({External(dotted)}))
    if dotted in CONTAINER_FACTORIES:
        return Value(frozenset({frame.fresh(node, "list")}), types=frozenset({External(dotted)}))
    way = by_function(dotted, node)
    if way is not None:
        _write(frame, node, way, arguments)
        return model(frame, node, arguments) if model is not None else PLAIN
    return _unknown(frame, node, Value(), arguments)


def _write(
    frame: Frame, node: Call, way: Way, arguments: Arguments[Value], owner: Value | None = None
) -> None:
    """Make the write that a call makes in a known way."""
    target = owner if way.target == SELF else _given(arguments, way.target)
    if target is None:
        return
    key = argument(node, way.key) if way.key is not None else None
    values = [value for part in way.values if (value := _given(arguments, part)) is not None]
    if way.spreads:
        values = [read_item(frame, value, Some.INDEX) for value in values]
        for name, value in arguments.named.items():
            write_item(frame, target, Index(name), value, node.span, Change.SET, is_known=True)
        if arguments.named and not values and not arguments.is_spread_named:
            return
    stored = join(values) if values else PLAIN
    if way.form is not Form.ATTRIBUTE:
        selector = selector_of(key) if key is not None else Some.INDEX
        write_item(frame, target, selector, stored, node.span, way.change, is_known=True)
    elif isinstance(key, Const) and isinstance(key.value, str):
        if way.change is Change.REMOVE:
            delete_attribute(frame, target, key.value, node.span, way.raw)
        else:
            write_attribute(frame, target, key.value, stored, node.span, way.raw)
    else:
        write_some_attribute(frame, target, stored, node.span, way.change, way.raw)


def _given(arguments: Arguments[Value], part: Part) -> Value | None:
    """The value of the argument that a way to write speaks of."""
    if part.keyword is not None and part.keyword in arguments.named:
        return arguments.named[part.keyword]
    if 0 <= part.position < len(arguments.positional):
        return arguments.positional[part.position]
    return None


def _method(frame: Frame, node: Call, callee: Method, arguments: Arguments[Value]) -> Value | None:
    """A call of a method whose class is not the project's."""
    owner, name = callee.owner, callee.name
    way = by_method(name)
    if name in DEFINES_RULES:
        define_rules(frame, node, owner, arguments)
        return join(arguments.positional)
    if name == RUNS_MODEL and owner.callees:
        _call_with(frame, owner, arguments, node.span)
    if name in DEQUE_METHODS:
        frame.deques |= owner.paths
    if name in SETS_VALUE and is_variable(owner):
        values = [*arguments.positional, *arguments.named.values()]
        write_item(frame, owner, Some.INDEX, join(values), node.span)
        return PLAIN
    if way is not None and way.form is Form.ATTRIBUTE and _is_own_call(node):
        _write(frame, node, way, arguments, owner)
        return PLAIN
    if way is not None and _is_container_call(frame, owner, node, name):
        is_read = name in ELEMENT_METHODS and node.used
        key = argument(node, way.key) if way.key is not None else None
        selector = Some.INDEX if key is None else selector_of(key)
        element = read_item(frame, owner, selector) if is_read else PLAIN
        before = frame.state.clear
        if not owner.types and _is_all(frame, node):
            frame.state.clear |= {FOR_EFFECT}
        _write(frame, node, way, arguments, owner)
        frame.state.clear = before
        return join((element, *arguments.positional[1:])) if is_read else PLAIN
    if name == "__getitem__" and inherits_container(frame, owner):
        key = node.args[0] if node.args else None
        return read_item(frame, owner, Some.INDEX if key is None else selector_of(key))
    updated = update_elements(frame, node, owner, name, arguments)
    if updated is not None:
        return updated
    note_method(frame, node, owner, name)
    if name in SHALLOW_METHODS and not is_array(owner):
        return shallow_copy(frame, owner, arguments)
    values = [*arguments.positional, *arguments.named.values()]
    if name in VIEWS and not values:
        return view(owner, VIEWS[name])
    frame.use(owner.out)
    if is_array(owner):
        frame.stages = True
        return frame.computed((owner, *values)).with_types(owner.types)
    if name in CONVERTING_METHODS and not owner.origin.doubtful:
        frame.state.learn(number(owner.origin))
        return PLAIN
    if name in ELEMENT_METHODS:
        return read_item(frame, owner, Some.INDEX)
    if name in _ARRAY_METHODS and (not owner.types or is_number(owner)):
        return derived((owner, *values)).with_types(owner.types)
    if owner.origin.concrete and all(value.origin.concrete for value in values):
        return derived((owner, *values))
    found = _unknown(frame, node, owner, arguments)
    computed = derived(values).origin if name in COMPUTING_METHODS else PLAIN.origin
    return found if computed.concrete else found.with_origin(computed)


def _is_own_call(node: Call) -> bool:
    """Whether a method is called on an object, and not on what ``super()`` gives."""
    return isinstance(node.callee, Attr) and not isinstance(node.callee.base, Call)


def _is_container_call(frame: Frame, owner: Value, node: Call, name: str) -> bool:
    """Whether a method can only be that of a list, a dict or the like."""
    if ATTRIBUTES in owner.types or owner.types == GLOBAL_NAMES or inherits_container(frame, owner):
        return True
    if owner.types:
        return False
    if ARITY.get(name) == len(node.args):
        is_own = any(not path.selectors for path in owner.paths)
        if not node.used or (is_own and _is_all(frame, node)):
            return True
    if frame.has_items(owner.paths):
        return True
    if name == "update" and not node.used and not node.keywords:
        return len(node.args) == 1 and isinstance(node.args[0], NewDict)
    if node is frame.unpacked and len(node.args) == 1:
        return False  # a frozen dict gives two things back
    first = node.args[0] if node.args else None
    keyed = name in KEYED and isinstance(first, Const) and isinstance(first.value, str)
    return keyed or name == "setdefault"


def _is_all(frame: Frame, node: Call) -> bool:
    """Whether a call is all that a lambda does: it is made for what it changes."""
    match frame.ref.function:
        case Function(name="<lambda>", body=(Return(value=value),)):
            return value is node
    return False


def _of_module(result: Value, callee: Value, arguments: Arguments[Value]) -> Value:
    """What a call of an unknown object gives: a pytree that is called on arrays computes some."""
    given = (*arguments.positional, *arguments.named.values(), *arguments.spread)
    if callee.origin.concrete or all(value.origin.concrete for value in given):
        return result
    return result.with_origin(result.origin._replace(surely=callee.origin.certain))


def _unknown(frame: Frame, node: Call, owner: Value, arguments: Arguments[Value]) -> Value:
    """Code that is not known gets the arguments, and may give any of them back."""
    values = [*arguments.positional, *arguments.named.values()]
    values += (*arguments.spread, *arguments.spread_named)
    frame.escape(values)
    held = [owner, *values] if argument(node, SELF) is not None else values
    found = fresh_with(held)
    origin = doubtful(found.origin._replace(concrete=False))
    tells = SILENT
    if asks_about_tracers(last_name(node.callee)):
        asked = no_tracer(join_origins(value.origin for value in (owner, *values)))
        tells = Tells(asked, asked)
    path = frame.foreign(node)
    return Value(frozenset({path}), False, origin, contents=found.contents, tells=tells)
