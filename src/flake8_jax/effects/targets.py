"""Assigns to targets, and deletes them."""

from collections.abc import Iterator

from flake8_jax.effects.attributes import delete_attribute, write_attribute
from flake8_jax.effects.callees import External
from flake8_jax.effects.frame import Frame
from flake8_jax.effects.implicit import augmented, delete_item, is_of_project, set_item
from flake8_jax.effects.indices import is_of_array, is_sliced, is_whole
from flake8_jax.effects.openness import refused
from flake8_jax.effects.paths import Index, Rest, Some
from flake8_jax.effects.subscripts import (
    is_array,
    is_container,
    is_key,
    key_of_loop,
    read_item,
    selector_of,
    write_element,
    write_item,
)
from flake8_jax.effects.values import UNKNOWN, Value, fresh_with, join
from flake8_jax.lowering.program import (
    Attr,
    Expr,
    Home,
    Item,
    New,
    NewDict,
    Op,
    Shape,
    Target,
    Unpack,
    Var,
)
from flake8_jax.lowering.stores import Change
from flake8_jax.lowering.walk import walk

_LIST = frozenset({External("builtins.list")})


def assign(
    frame: Frame, target: Target, value: Value, span: int = 0, is_statement: bool = False
) -> bool:
    """``target = value``. All writes of one assignment stand where the statement does.

    False where it raises: what stands behind is not assigned.
    """
    match target:
        case Var():
            frame.assign(target, value, span)
            return True
        case Attr():
            at = span if is_statement else target.span
            return write_attribute(frame, frame.evaluate(target.base), target.name, value, at)
        case Item():
            key = frame.evaluate(target.key)
            owner = frame.evaluate(target.base)
            at = span if is_statement else target.span
            if is_of_project(owner) and set_item(frame, owner, key, value, at):
                return True
            selector = key_of_loop(owner, key) or selector_of(target.key, key)
            if is_array(owner) and _has_at(frame, target.base):
                if frame.guarded:
                    frame.state.leave()
                return True  # what jax updates otherwise is for numpy here
            is_known = not owner.types and is_key(target.key, key)
            is_open = not owner.types and not is_known and is_whole(frame, target.base, owner)
            is_open = is_open or is_sliced(target.key, owner)
            if is_open and is_of_array(target.key, key):
                write_element(frame, owner, selector, at)  # if it is traced
            is_written = write_item(frame, owner, selector, value, at, is_known=is_known)
            if frame.guarded and not is_written:
                frame.state.leave()
            return is_written
        case Unpack():
            parts = zip(target.targets, _elements(frame, target, value), strict=True)
            return all(assign(frame, part, item, span, is_statement) for part, item in parts)


def _has_at(frame: Frame, base: Expr) -> bool:
    """Whether the function also updates a variable as JAX wants it."""
    return isinstance(base, Var) and frame.once(
        (_has_at, base),
        lambda: any(
            isinstance(item, Attr) and item.name == "at" and item.base == base
            for item in walk(frame.ref.function.body)
        ),
    )


def _elements(frame: Frame, target: Unpack, value: Value) -> Iterator[Value]:
    """What each of several targets gets."""
    count, star = len(target.targets), target.star
    for position in range(count):
        if star is None or position < star:
            yield read_item(frame, value, Index(position))
        elif position == star:
            path = frame.fresh(target, Shape.LIST.value)
            element = _rest(frame, value, star, count)
            frame.state.put(path.then(Some.INDEX), element)
            yield fresh_with((element,))._replace(paths=frozenset({path}), types=_LIST)
        else:
            yield read_item(frame, value, Index(position - count))


def _rest(frame: Frame, value: Value, star: int, count: int) -> Value:
    """One of the elements that a starred target gets."""
    items = value.contents.items
    if items is None:
        return read_item(frame, value, Rest(star) if star else Some.INDEX)
    rest = items[star : len(items) - (count - star - 1)]
    return join(rest) if rest else UNKNOWN


def delete(frame: Frame, target: Target, span: int) -> None:
    """``del target``."""
    match target:
        case Var():
            frame.state.unbind(frame.key(target))
        case Attr():
            delete_attribute(frame, frame.evaluate(target.base), target.name, span)
        case Item():
            owner = frame.evaluate(target.base)
            if is_of_project(owner) and delete_item(frame, owner, frame.evaluate(target.key), span):
                return
            write_item(frame, owner, selector_of(target.key), UNKNOWN, span, Change.REMOVE)


def extend(frame: Frame, target: Target, value: Expr, span: int) -> bool:
    """``target += more`` of a list, a set or a dict, which is changed in place.

    False where it is something else: ``value``, the result of the operator, is stored then. So it
    is for a variable of another scope, whose assignment others see.
    """
    if not isinstance(value, Op) or isinstance(target, Unpack):
        return False
    if isinstance(target, Var) and target.home is not Home.LOCAL:
        return False
    owner = frame.evaluate(target)
    if is_of_project(owner):
        more = frame.evaluate(value.operands[-1])
        made = augmented(frame, value.symbol, owner, more, span)
        if made is not None:
            assign(frame, target, made, span, is_statement=True)
        return made is not None
    if value.symbol not in _IN_PLACE:
        return False
    is_known = not owner.types and isinstance(target, Var) and _is_display(value.operands[-1])
    if not owner.paths or not (is_known or is_container(owner)):
        return False
    more = frame.evaluate(value.operands[-1])
    if isinstance(target, Attr) and refused(frame, frame.evaluate(target.base), target.name, span):
        return True
    element = read_item(frame, more, Some.INDEX)
    change = Change.ADD if value.symbol in _ADDING else Change.REMOVE
    write_item(frame, owner, Some.INDEX, element, span, change, is_known=is_known)
    return True


def _is_display(value: Expr) -> bool:
    """Whether only a container can be added to: a list, a set or a dict stands there."""
    match value:
        case New(shape=Shape.LIST | Shape.SET) | NewDict():
            return True
    return False


_ADDING = frozenset({"+", "|", "^"})
_IN_PLACE = _ADDING | {"&", "-", "*"}
