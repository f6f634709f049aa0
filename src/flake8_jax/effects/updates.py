"""Updates that make a copy: what they give, and where somebody throws it away."""

from flake8_jax.effects.binding import Arguments
from flake8_jax.effects.callees import AnyCallee, External, FunctionRef, Traced, innermost
from flake8_jax.effects.frame import Frame
from flake8_jax.effects.subscripts import ARRAY, AT, NONE, REFERENCE
from flake8_jax.effects.summaries import Discard
from flake8_jax.effects.values import PLAIN, Value
from flake8_jax.knowledge.objects import (
    ARRAY_UPDATES,
    FROZEN_DICT_UPDATES,
    FROZEN_DICTS,
    TREE_MAPS,
    UPDATE_FUNCTIONS,
    UPDATE_METHODS,
    UPDATES_OF_TREES,
)
from flake8_jax.lowering.program import (
    Attr,
    Bind,
    Branch,
    Call,
    Const,
    Declare,
    Eval,
    Expr,
    Function,
    Home,
    Item,
    Op,
    Return,
    Store,
    Var,
)
from flake8_jax.lowering.walk import flat, walk

UPDATE_NAMES = UPDATE_METHODS | {name.rpartition(".")[2] for name in UPDATE_FUNCTIONS}
"""The names of what gives an updated copy of a pytree back."""
_AT = frozenset({AT})
_REFERENCE = frozenset({REFERENCE})
_FROZEN_DICT = frozenset(map(External, FROZEN_DICTS.values()))


def update_elements(
    frame: Frame, node: Call, owner: Value, name: str, arguments: Arguments[Value]
) -> Value | None:
    """The value of ``x.at[...].set(...)``; None where this is something else."""
    if owner.types == _REFERENCE and name in ARRAY_UPDATES:
        frame.in_place.add(frame.site(node.span))
        return PLAIN
    if owner.types != _AT:
        return None
    is_dropped = name in ARRAY_UPDATES and not node.used and not owner.origin.concrete
    if is_dropped and not _is_tried_out(frame, node):
        _note(frame, node)
    frame.stages = True
    made = frame.computed((owner, *arguments.positional, *arguments.named.values()))
    return made.with_types(frozenset({ARRAY}))


def note_method(frame: Frame, node: Call, owner: Value, name: str) -> None:
    """Note a method of a pytree that gives an updated copy back to nobody."""
    if node.used:
        return
    types = owner.types - {NONE}
    if types == _FROZEN_DICT and name in FROZEN_DICT_UPDATES:
        _note(frame, node)
    if name not in UPDATE_METHODS:
        return
    if types and all(frame.world.updates(item, name) for item in types):
        _note(frame, node)
    elif not types and not owner.origin.concrete and node.keywords and not node.args:
        _note(frame, node, is_certain=False)  # no string, path or table is replaced like that


def note_function(frame: Frame, node: Call, dotted: str, arguments: Arguments[Value]) -> None:
    """Note a function that gives an updated copy of a pytree back to nobody."""
    if node.used:
        return
    if dotted in UPDATES_OF_TREES or (dotted in TREE_MAPS and _maps_values(frame, arguments)):
        _note(frame, node)
    index = UPDATE_FUNCTIONS.get(dotted)
    if index is None or index >= len(arguments.positional):
        return
    types = arguments.positional[index].types - {NONE}
    if types and all(frame.world.updates(item, None) for item in types):
        _note(frame, node)


def note_own(frame: Frame, node: Call, callee: AnyCallee, result: Value | None) -> None:
    """Note a function of the project that does nothing but give an updated copy to nobody.

    A traced one may be called so that it is compiled: then it matters inside of traced code.
    """
    if node.used or result is None or not result.types:
        return
    ref, types = innermost(callee), result.types - {NONE}
    if not types or not isinstance(ref, FunctionRef):
        return
    if not all(item == ARRAY or frame.world.updates(item, None) for item in types):
        return
    if not frame.once((note_own, ref.function), lambda: gives_update(ref.function)):
        return
    summary = frame.asking.summary(ref, ())
    if not summary.writes and not summary.escapes:
        _note(frame, node, is_certain=not isinstance(callee, Traced))


def gives_update(function: Function) -> bool:
    """Whether a function gives an updated copy back, and no statement of it does anything else."""
    if function.yields or function.is_async:
        return False
    returned: list[Expr | None] = []
    made: dict[Var, Expr] = {}
    for statement in flat(function.body):
        match statement:
            case Return(value=value):
                returned.append(value)
            case Store(targets=(Var(home=Home.LOCAL) as target,), value=value):
                made[target] = value
            case Branch() | Declare() | Eval(value=Const()):
                pass
            case _:
                return False
    values = [made.get(item, item) if isinstance(item, Var) else item for item in returned]
    updates = [item for item in values if _is_update(item)]
    given = {item.name for item in function.parameters}
    return bool(updates) and all(
        item in updates or (isinstance(item, Var) and item.name in given) for item in values
    )


def _is_update(value: Expr | None) -> bool:
    match value:
        case Call(callee=Attr(base=Item(base=Attr(name="at")), name=name)):
            return name in ARRAY_UPDATES
        case Call(callee=Attr(name=name) | Var(name=name)):
            return name in UPDATE_NAMES
    return False


_ARITHMETIC = frozenset({"+", "-", "*", "/", "**", "@"})


def _maps_values(frame: Frame, arguments: Arguments[Value]) -> bool:
    """Whether a function that is mapped over a tree just computes."""
    functions = arguments.positional[0].callees if arguments.positional else ()
    return bool(functions) and all(_computes(frame, item) for item in functions)


def _computes(frame: Frame, callee: AnyCallee) -> bool:
    match callee:
        case External(dotted=dotted):
            return dotted.startswith(_COMPUTING)
        case FunctionRef(function=Function(body=(Return(value=Op(symbol=symbol)),))):
            return symbol in _ARITHMETIC
        case FunctionRef(function=Function(body=(Return(value=Call(callee=Attr() as called)),))):
            return _is_of_jax(frame, callee, called)
    return False


def _is_of_jax(frame: Frame, ref: FunctionRef, called: Attr) -> bool:
    """Whether a name in a function stands for one of jax's that compute arrays."""
    match called.base:
        case Var(name=name, home=Home.GLOBAL):
            value = frame.world.global_of(ref.module, name)
            found = value.callees if value is not None else ()
            return bool(found) and all(
                isinstance(item, External) and f"{item.dotted}.".startswith(_COMPUTING)
                for item in found
            )
    return False


_COMPUTING = ("jax.numpy.", "jax.nn.")


def _note(frame: Frame, node: Call, is_certain: bool = True) -> None:
    if not node.used and not frame.guarded:
        site = frame.site(node.span)
        frame.discards.setdefault(site, Discard(site, is_certain))


def _is_tried_out(frame: Frame, node: Call) -> bool:
    """Whether nothing but updates is made of an array of the function's own."""
    array = _updated(node.callee)
    function = frame.ref.function
    if not isinstance(array, Var) or array.home is not Home.LOCAL:
        return False
    if any(item.name == array.name for item in function.parameters):
        return False
    return frame.once((_is_tried_out, array), lambda: _is_updated_only(function, array))


def _is_updated_only(function: Function, array: Var) -> bool:
    """Whether a variable is mentioned where it is assigned and updated, and nowhere else."""
    updated = 0
    mentioned = 0
    for item in walk(function.body):
        match item:
            case Attr(base=Var() as base, name="at") if base == array:
                updated += 1
            case Store(targets=targets):
                mentioned -= sum(target == array for target in targets)
            case Bind(target=target) if target == array:
                mentioned -= 1
            case Var() if item == array:
                mentioned += 1
    return updated == mentioned


def _updated(callee: object) -> object:
    """The array of ``array.at[...].set``."""
    match callee:
        case Attr(base=Item(base=Attr(base=array, name="at"))):
            return array
    return None
