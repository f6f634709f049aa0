"""Updates that make a copy: what they give, and where somebody throws it away."""

from flake8_jax.effects.binding import Arguments
from flake8_jax.effects.frame import Frame
from flake8_jax.effects.subscripts import ARRAY, AT, NONE, REFERENCE
from flake8_jax.effects.summaries import Discard
from flake8_jax.effects.values import PLAIN, Value
from flake8_jax.knowledge.objects import ARRAY_UPDATES, UPDATE_FUNCTIONS, UPDATE_METHODS
from flake8_jax.lowering.program import Attr, Bind, Call, Function, Home, Item, Store, Var
from flake8_jax.lowering.walk import walk

_AT = frozenset({AT})
_REFERENCE = frozenset({REFERENCE})


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
    if node.used or name not in UPDATE_METHODS:
        return
    types = owner.types - {NONE}
    if types and all(frame.world.updates(item, name) for item in types):
        _note(frame, node)
    elif not types and not owner.origin.concrete and node.keywords and not node.args:
        _note(frame, node, is_certain=False)  # no string, path or table is replaced like that


def note_function(frame: Frame, node: Call, dotted: str, arguments: Arguments[Value]) -> None:
    """Note a function that gives an updated copy of a pytree back to nobody."""
    index = UPDATE_FUNCTIONS.get(dotted)
    if node.used or index is None or index >= len(arguments.positional):
        return
    types = arguments.positional[index].types - {NONE}
    if types and all(frame.world.updates(item, None) for item in types):
        _note(frame, node)


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
