"""Goes through values: what a loop gets of a list, a dict, its keys and values, of several at once.

What a call such as ``d.items()`` gives is a view: the object itself, of a type that says how a loop
goes through it.
"""

from collections.abc import Iterable

from flake8_jax.effects.callees import External
from flake8_jax.effects.frame import Frame
from flake8_jax.effects.paths import LoopKey, Selector, Some
from flake8_jax.effects.subscripts import KEY, KeyOf, is_array, read_item
from flake8_jax.effects.values import (
    CONCRETE,
    PLAIN,
    Contents,
    Snapshot,
    Type,
    Value,
    derived,
    doubtful,
    fresh_with,
)
from flake8_jax.lowering.program import Attr, Call, Expr, New, NewDict, Spread

KEYS: Type = External("the keys of a dict")
VALUES: Type = External("the values of a dict, or the elements of a list")
ITEMS: Type = External("the items of a dict")
TOGETHER: Type = External("several values that are gone through together")
"""The values are the elements of the view."""
VIEWS = {"keys": KEYS, "values": VALUES, "items": ITEMS}
"""By the name of the method."""
_DICTS = frozenset(
    External(name)
    for name in ("builtins.dict", "collections.OrderedDict", "collections.defaultdict")
)


def view(owner: Value, kind: Type) -> Value:
    """A value that a loop goes through in its own way."""
    found = owner.with_types(frozenset({kind})).with_callees(())
    return found.with_origin(CONCRETE) if kind == KEYS else found


def together(values: tuple[Value, ...]) -> Value:
    """What ``zip`` makes of values."""
    made = fresh_with(values)
    return view(made.with_contents(made.contents._replace(items=values)), TOGETHER)


def element_of(frame: Frame, owner: Value, loop: int | None = None) -> Value:
    """What a loop over a value yields; of a dict, its keys.

    With the number of a loop, an element that no other round gets.
    """
    selector: Selector = Some.INDEX if loop is None else LoopKey(loop)
    types = owner.types
    key = PLAIN.with_types(frozenset({KEY if loop is None else KeyOf(loop)}))
    if types == {TOGETHER}:
        return pair(*(element_of(frame, item, loop) for item in owner.contents.items or ()))
    if types == {KEYS}:
        return key
    if types and types <= _DICTS:
        return key.with_origin(doubtful(owner.origin))  # it may be another mapping
    if types == {ITEMS}:
        return pair(key, read_item(frame, owner, selector))
    if owner.contents.items is not None and owner.paths and loop is not None:
        whole = read_item(frame, owner.with_contents(Contents()), selector)
        element = read_item(frame, owner, selector)
        return element._replace(paths=whole.paths)
    found = read_item(frame, owner, selector)
    if loop is not None:
        own = (path for path in found.paths if found.exact or path.owner in owner.paths)
        rounds = {path: path.in_round(loop) for path in own}
        found = found._replace(paths=frozenset(rounds.get(path, path) for path in found.paths))
    if owner.contents.items is not None or is_array(owner) or types:
        return found
    return found.with_origin(doubtful(found.origin))


def copied(frame: Frame, made: Value, sources: Iterable[Value], element: Value) -> Value:
    """A new container; if it holds the elements of others as they are, it is a copy of them.

    So it is of all that those are copies of.
    """
    owners = {path.owner for path in element.paths if path.selectors}
    snapshots = made.contents.snapshots
    for source in sources:
        if source.paths and not owners.isdisjoint(source.paths):
            snapshots = snapshots.union(copies(frame, source))
        elif element.paths <= source.out:
            snapshots |= source.contents.snapshots
    return made.with_contents(made.contents._replace(snapshots=snapshots))


def copies(frame: Frame, source: Value) -> frozenset[Snapshot]:
    """What a new container is a copy of that holds the elements of another one as they are."""
    own = frozenset(Snapshot(path, True, frame.state.writes) for path in source.paths)
    return own | source.contents.snapshots


def pair(*values: Value) -> Value:
    """A new tuple."""
    contents = fresh_with(values).contents._replace(items=values)
    return derived(values).with_contents(contents)


def has_elements(source: Expr) -> bool:
    """Whether a loop goes through something that is there, and is not empty."""
    match source:
        case New(parts=parts):
            return any(not isinstance(item, Spread) for item in parts)
        case NewDict(keys=keys):
            return any(key is not None for key in keys)
        case Call(callee=Attr(base=NewDict() as table, name=name), args=()):
            return name in VIEWS and has_elements(table)
    return False
