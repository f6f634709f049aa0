"""Evaluates expressions: one function for each kind, in a table."""

from collections.abc import Callable
from typing import Any

from flake8_jax.effects.attributes import read_attribute
from flake8_jax.effects.callees import TEXT, External, FunctionRef, innermost
from flake8_jax.effects.calls import call
from flake8_jax.effects.certainty import is_of_the_call, names_of
from flake8_jax.effects.conditions import (
    NEVER,
    NOTHING,
    OF_AN_OBJECT,
    OF_NONE,
    PERHAPS_SOME,
    SILENT,
    Conditions,
    Tells,
    all_of,
    any_of,
    both,
    common,
    negated,
    of_constant,
)
from flake8_jax.effects.frame import Frame, field
from flake8_jax.effects.implicit import (
    get_item,
    gone_through,
    is_of_project,
    operated,
)
from flake8_jax.effects.iteration import copied, element_of
from flake8_jax.effects.limits import PATHS
from flake8_jax.effects.models import DEFAULT_DICT
from flake8_jax.effects.narrowing import assume, of_type
from flake8_jax.effects.paths import AccessPath, Index, LoopKey, Some
from flake8_jax.effects.state import join_states
from flake8_jax.effects.subscripts import (
    ARRAY,
    NONE,
    NUMBER,
    KeyOf,
    is_array,
    is_container,
    is_number,
    key_of_loop,
    read_item,
    selector_of,
)
from flake8_jax.effects.targets import assign
from flake8_jax.effects.values import (
    CONCRETE,
    PLAIN,
    Value,
    derived,
    fresh_with,
    join,
    number,
    truth,
    under,
)
from flake8_jax.lowering.program import (
    Attr,
    Await,
    Bind,
    Call,
    Choice,
    Closure,
    Comp,
    Const,
    Expr,
    Item,
    New,
    NewDict,
    Op,
    Opaque,
    Shape,
    Slice,
    Spread,
    Var,
    Yield,
)

_CONTAINERS = {
    Shape.LIST: External("builtins.list"),
    Shape.SET: External("builtins.set"),
    Shape.DICT: External("builtins.dict"),
}
_TEXT = PLAIN.with_types(frozenset({TEXT}))
_NONE = Value(origin=CONCRETE, types=frozenset({NONE}), tells=OF_NONE)
_ORDERS = frozenset({"<", "<=", ">", ">="})
_OF_TEXTS = frozenset({"+", "%"})
"""Operators that make texts of texts."""
_OF_CONTAINERS = frozenset({"+", "|"})
"""Operators that put containers together."""
_EQUALITIES = frozenset({"is", "is not", "==", "!=", "in", "not in"})
_PLAIN_RESULTS = frozenset({"is", "is not", "in", "not in", "not"})
"""Operators whose result is never a Tracer: on one, they raise or compare objects."""


def evaluate(frame: Frame, node: Expr) -> Value:
    """The value of an expression."""
    return _EVALUATED[type(node)](frame, node)


def _const(_: Frame, node: Const) -> Value:
    if node.value is None:
        return _NONE
    known = _TEXT if isinstance(node.value, str) else PLAIN
    return known.with_tells(of_constant(node.value))


def _attr(frame: Frame, node: Attr) -> Value:
    owner = evaluate(frame, node.base)
    if _raises(frame, owner, node.name):
        return frame.reached(None)
    return read_attribute(frame, owner, node.name, node.span)


def _raises(frame: Frame, owner: Value, name: str) -> bool:
    """Whether an object has no such attribute, and nobody expects the error."""
    if frame.guarded or len(owner.types) != 1 or not owner.paths or not owner.exact:
        return False
    [type_] = owner.types
    view = frame.world.class_view(type_)
    stored = any(path.then(field(name)) in frame.state.heap for path in owner.paths)
    return view is not None and not stored and view.lacks(name)


def _item(frame: Frame, node: Item) -> Value:
    owner = evaluate(frame, node.base)
    key = evaluate(frame, node.key)
    own = key_of_loop(owner, key)
    if isinstance(own, LoopKey) and isinstance(node.key, Var):
        frame.state.bind(frame.key(node.key), PLAIN.with_types(frozenset({KeyOf(own.loop)})))
    if is_of_project(owner) or owner.types == DEFAULT_DICT:
        given = get_item(frame, node, owner, key)
        if given is not None:
            return given
    if isinstance(node.key, Slice) and owner.paths and owner.contents.items is None:
        if not owner.types or is_container(owner):
            return _part_of_list(frame, node, owner)
    return read_item(frame, owner, own or selector_of(node.key, key))


def _part_of_list(frame: Frame, node: Item, owner: Value) -> Value:
    """``rows[1:]``, a new list of the same elements; part of an array is no object of others."""
    element = read_item(frame, owner, Some.INDEX)
    made = _container(frame, node, Shape.LIST, [element])
    return copied(frame, made.with_types(owner.types), (owner,), element)


def _slice(frame: Frame, node: Slice) -> Value:
    return derived([evaluate(frame, part) for part in node.parts if part is not None])


def _op(frame: Frame, node: Op) -> Value:
    if node.symbol in ("and", "or"):
        return _either(frame, node)
    values = [evaluate(frame, item) for item in node.operands]
    if any(map(is_of_project, values)):
        given = operated(frame, node.symbol, values, frame.here)
        if given is not None:
            return given
    for value in values:
        frame.use(value.paths)
    if node.symbol in _PLAIN_RESULTS:
        return PLAIN.with_tells(_told(frame, node, values))
    if node.symbol in _OF_CONTAINERS and any(map(is_container, values)):
        return _combined(frame, node, values)
    if any(value.contents.reaches or value.contents.items for value in values):
        return fresh_with(values).with_tells(OF_AN_OBJECT)
    told = both(_told(frame, node, values), OF_AN_OBJECT)
    result = derived(_deciding(values)).with_tells(told)
    if any(map(_is_foreign, values)):
        return result
    arrays = [value.types for value in values if value.types]
    if any(map(is_array, values)) and all(map(_is_number, values)):
        computed = frame.computed(values).with_tells(result.tells)
        return computed.with_types(frozenset({ARRAY}))
    if _makes_number(node, values):
        return result.with_types(frozenset({NUMBER}))
    is_same = len({*arrays}) == 1 and (node.symbol in _OF_TEXTS or arrays[0] != _TEXT.types)
    return result.with_types(arrays[0]) if is_same else result


def _deciding(values: list[Value]) -> list[Value]:
    """The operands that tell whether a result is a Tracer: one of them that is one is enough."""
    certain = [value for value in values if not value.origin.concrete and not value.origin.doubtful]
    return certain or values


def _is_number(value: Value) -> bool:
    """Whether a value may be a number or an array: an operator of another class is its own."""
    return not value.types or is_array(value) or is_number(value)


def _makes_number(node: Op, values: list[Value]) -> bool:
    """Whether an operator makes a number or an array: containers have none that does so."""
    if not all(map(_is_number, values)):
        return False
    if node.symbol in _OF_NUMBERS:
        return True
    constants = _SHOWS_NUMBERS.get(node.symbol, ())
    return bool(constants) and any(
        value.types or (isinstance(item, Const) and _constant_type(item) in constants)
        for item, value in zip(node.operands, values, strict=True)
    )


def _constant_type(node: Const) -> object:
    return node.value if isinstance(node.value, Opaque) else type(node.value)


_OF_NUMBERS = frozenset({"-", "/", "//", "**", "@"})
_SHOWS_NUMBERS = {"+": (int, Opaque.FLOAT, Opaque.COMPLEX), "*": (Opaque.FLOAT, Opaque.COMPLEX)}
"""Operators that containers have, too, and which constants no container takes there."""


def _is_foreign(value: Value) -> bool:
    """Whether unknown code has given a value, which may be of any class."""
    return not value.types and not value.exact and value.origin.doubtful


def _told(frame: Frame, node: Op, values: list[Value]) -> Tells:
    """What the result of an operator tells."""
    symbol, told = node.symbol, [truth(value) for value in values]
    if symbol == "not":
        return negated(told[0])
    if symbol in ("&", "|"):
        return all_of(told) if symbol == "&" else any_of(told)
    if symbol == "-" and any(map(_is_set, node.operands)):
        return PERHAPS_SOME
    if symbol in _ORDERS:
        asked = number(derived(values).origin)
        return Tells(asked, asked)
    if symbol in _EQUALITIES:
        found = of_type(frame, node) or _compared(node.operands[1:], told[0])
        return found if symbol in ("is", "==", "in") else negated(found)
    return SILENT


def _is_set(node: Expr) -> bool:
    """Whether an expression is plain to see a set: ``set(names)``, ``table.keys()``, ``{…}``."""
    match node:
        case Call(callee=Var(name="set" | "frozenset")) | Call(callee=Attr(name="keys"), args=()):
            return True
        case New(shape=Shape.SET) | Comp(shape=Shape.SET):
            return True
    return False


def _compared(others: tuple[Expr, ...], told: Tells) -> Tells:
    """What ``value == constant`` tells."""
    match others:
        case (Const(value=None),):
            return Tells(told.if_none, told.if_some)
        case (Const(value=True),):
            return Tells(told.if_true, told.if_false)
        case (Const(value=False | 0),):
            return negated(told)
    return SILENT


def _combined(frame: Frame, node: Op, values: list[Value]) -> Value:
    """``rows + more``: a new container that holds the elements of others."""
    elements = [read_item(frame, value, Some.INDEX) for value in values]
    made = _container(frame, node, Shape.LIST, elements)
    types = next(value.types for value in values if is_container(value))
    return copied(frame, made.with_types(types), values, join(elements))


def _either(frame: Frame, node: Op) -> Value:
    """``a or b``: what stands behind is evaluated if what stands before did not decide."""
    values: list[Value] = []
    tells: list[Tells] = []
    ends = []
    before = frame.state.clear
    for item in node.operands:
        value = evaluate(frame, item)
        told = truth(value)
        tells.append(truth(under(value, frame.state.clear - before)))
        decides = told.if_false if node.symbol == "and" else told.if_true
        if NEVER not in decides or item is node.operands[-1]:
            values.append(under(value, frame.state.clear - before))
        ends.append(frame.state.copy())
        assume(frame, item, node.symbol == "and", value)
        if not frame.state.reachable:
            break
    frame.state.adopt(join_states(ends))
    _ask_for_default(frame, values)
    combined = all_of if node.symbol == "and" else any_of
    return join(values).with_tells(combined(tells))


def _choice(frame: Frame, node: Choice) -> Value:
    test = evaluate(frame, node.test)
    orelse = frame.state.copy()
    before, ways = frame.state.clear, frame.state.ways
    if is_of_the_call(node.test, test.origin):
        number = -1 - len(ways)  # a choice has no place of its own
        frame.state.ways, orelse.ways = ways | {(number, 0)}, ways | {(number, 1)}
    assume(frame, node.test, True, test)
    values = []
    if frame.state.reachable:
        values.append(under(evaluate(frame, node.then), frame.state.clear - before))
    then = frame.state
    frame.state = orelse
    assume(frame, node.test, False, test)
    if frame.state.reachable:
        values.append(under(evaluate(frame, node.orelse), frame.state.clear - before))
    frame.state = join_states((then, frame.state))
    frame.state.ways = ways
    _ask_for_default(frame, values)
    return join(values)


def _ask_for_default(frame: Frame, values: list[Value]) -> None:
    """Ask callers whether they give nothing, so that something else is called: ``given or own``."""
    if any(isinstance(innermost(item), FunctionRef) for value in values for item in value.callees):
        for value in values:
            if not value.callees:
                frame.ask(value.inexact())


def _new(frame: Frame, node: New) -> Value:
    sources = []
    values = []
    for item in node.parts:
        if isinstance(item, Spread):
            sources.append(evaluate(frame, item.value))
            values.append(element_of(frame, sources[-1]))
        else:
            values.append(evaluate(frame, item))
    if node.shape is Shape.STRING:
        return _TEXT
    if node.shape is Shape.TUPLE:
        contents = fresh_with(values).contents
        items = tuple(values) if not sources else None
        made = derived(values).with_contents(contents._replace(items=items))
        made = made.with_tells(OF_AN_OBJECT)
        return copied(frame, made, sources, join(values))
    if sources:
        made = _container(frame, node, node.shape, values)
        return copied(frame, made, sources, join(values))
    if node.shape is Shape.LIST and len(values) <= PATHS:
        path = frame.fresh(node, node.shape.value)
        for position, value in enumerate(values):
            frame.state.put(path.then(Index(position)), value)
        return _holding(path, node.shape, values)
    return _container(frame, node, node.shape, values)


def _container(frame: Frame, node: object, shape: Shape, values: list[Value]) -> Value:
    """A new list, set or dict; its elements are known together."""
    path = frame.fresh(node, shape.value)
    if values:
        frame.state.put(path.then(Some.INDEX), join(values))
    return _holding(path, shape, values)


def _holding(path: AccessPath, shape: Shape, values: list[Value]) -> Value:
    """A new container at a path."""
    held = fresh_with(values)
    return Value(
        frozenset({path}),
        origin=held.origin,
        types=frozenset({_CONTAINERS[shape]}),
        contents=held.contents,
    )


def _dict(frame: Frame, node: NewDict) -> Value:
    values: list[Value] = []
    sources: list[Value] = []
    known = []
    for key, item in zip(node.keys, node.values, strict=True):
        value = evaluate(frame, item)
        if key is None:
            values.append(read_item(frame, value, Some.INDEX))
            sources.append(value)
        else:
            evaluate(frame, key)
            values.append(value)
            known.append((selector_of(key), value))
    made = _container(frame, node, Shape.DICT, [])
    [path] = made.paths
    for selector, value in known:
        frame.state.put(path.then(selector), value)
    if len(known) < len(values):
        frame.state.put(path.then(Some.INDEX), join(values))
    held = fresh_with(values)
    made = made.with_contents(held.contents).with_origin(held.origin)
    return copied(frame, made, sources, join(values)) if sources else made


def _comp(frame: Frame, node: Comp) -> Value:
    before = frame.state.clear
    left_out: Conditions = NOTHING
    sources: list[Value] = []
    for clause in node.clauses:
        sources.append(gone_through(frame, evaluate(frame, clause.source), frame.here))
        if len(sources) == 1:
            before = frame.state.clear  # all else is evaluated for some element, if there is one
        frame.rounds.update(names_of(clause.target))
        assign(frame, clause.target, element_of(frame, sources[-1]))
        for test in clause.tests:
            value = evaluate(frame, test)
            left_out = truth(value).if_false
            assume(frame, test, True, value)
    values = [under(evaluate(frame, item), frame.state.clear - before) for item in node.parts]
    tests = [test for clause in node.clauses for test in clause.tests]
    has_tests = bool(tests)
    tells = _each(truth(values[-1]), left_out if has_tests else None)
    if any(isinstance(test, Op) and test.symbol == "not in" for test in tests):
        tells = tells._replace(if_true=PERHAPS_SOME.if_true)
    frame.state.clear = before
    if node.shape is Shape.GENERATOR:
        made = fresh_with(values)
    else:
        made = _container(frame, node, node.shape, values[-1:])
    return copied(frame, made, sources, values[-1]).with_tells(tells)


def _each(element: Tells, left_out: Conditions | None) -> Tells:
    """What a collection tells of its elements, and of those that a test has left out."""
    if left_out is None:
        return Tells(if_every=element.if_true, if_no=element.if_false)
    every = common((element.if_true, left_out))
    no = common((element.if_false, left_out))
    return Tells(if_false=left_out, if_every=every, if_no=no)


def _closure(frame: Frame, node: Closure) -> Value:
    return frame.closure(node.function)


def _bind(frame: Frame, node: Bind) -> Value:
    value = evaluate(frame, node.value)
    frame.assign(node.target, value, node.span)
    return value


def _spread(frame: Frame, node: Spread) -> Value:
    return element_of(frame, evaluate(frame, node.value))


def _yield(frame: Frame, node: Yield) -> Value:
    value = evaluate(frame, node.value) if node.value is not None else PLAIN
    if node.each:
        value = element_of(frame, value)
    held = fresh_with((value,))
    contents = held.contents._replace(parts=((Some.INDEX, value),))
    frame.give_back(held.with_contents(contents), ensures=False)
    return Value(exact=False)


_EVALUATED: dict[type[Any], Callable[[Frame, Any], Value]] = {
    Var: lambda frame, node: frame.variable(node),
    Const: _const,
    Attr: _attr,
    Item: _item,
    Slice: _slice,
    Op: _op,
    Choice: _choice,
    New: _new,
    NewDict: _dict,
    Comp: _comp,
    Call: call,
    Closure: _closure,
    Bind: _bind,
    Spread: _spread,
    Yield: _yield,
    Await: lambda frame, node: evaluate(frame, node.value),
}
