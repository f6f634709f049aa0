"""Annotations: of which classes a value is that is annotated so."""

from collections.abc import Iterator
from typing import TypeAlias

from flake8_jax.classes.table import ClassInfo, class_of
from flake8_jax.knowledge.objects import TYPED_DICTS
from flake8_jax.lowering.lower import unquoted
from flake8_jax.lowering.program import (
    Attr,
    Call,
    Const,
    Expr,
    Item,
    New,
    Op,
    Opaque,
    Var,
)
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.resolve import Expression, resolve
from flake8_jax.resolution.scopes import END, Position, Scope

Annotated: TypeAlias = ClassInfo | External
"""A class of the project, or something of a library."""

_ANY_OF = frozenset({"typing.Union", "typing.Optional"})
_FIRST_OF = frozenset({"typing.Annotated", "typing.Final", "typing.Required"})


def annotated(scope: Scope, annotation: Expr, position: Position = END) -> frozenset[Annotated]:
    """What a value may be an instance of; nothing where one alternative is not known.

    None is left out: ``Optional[Grid]`` and ``Grid | None`` mean a grid.
    """
    found = list(_alternatives(scope, annotation, position))
    known = frozenset(item for item in found if item is not None)
    return known if None not in found else frozenset()


def elements(scope: Scope, annotation: Expr, position: Position = END) -> frozenset[Annotated]:
    """What the elements of a container may be, or the values of a dict; nothing if not known."""
    match annotation:
        case Const(value=str() as text):
            written = unquoted(text)
            is_text = written is None or isinstance(written, Const)
            return frozenset() if written is None or is_text else elements(scope, written)
        case Op(symbol="|", operands=operands):
            given = [item for item in operands if item != Const(None)]
            return elements(scope, given[0], position) if len(given) == 1 else frozenset()
        case Item(base=base, key=key):
            owners = {
                item.dotted for item in resolve(scope, base, position) if isinstance(item, External)
            }
            parts = key.parts if isinstance(key, New) else (key,)
            if owners & _ANY_OF and len(parts) == 1:
                return elements(scope, parts[0], position)
            shape = {_HOLDING.get(item.rpartition(".")[2].lower()) for item in owners}
            is_held = shape == {len(parts)} or (shape == {1} and parts[1:] == (_AND_SO_ON,))
            part = parts[-1] if shape == {2} else parts[0]
            return annotated(scope, part, position) if is_held else frozenset()
        case Var() | Attr():
            found = resolve(scope, annotation, position)
            alias = found[0] if len(found) == 1 else None
            if isinstance(alias, Expression) and isinstance(alias.expr, Item):
                return elements(alias.scope, alias.expr, alias.position)
    return frozenset()


_HOLDING = {
    **dict.fromkeys(("list", "tuple", "set", "frozenset", "deque", "sequence", "iterable"), 1),
    **dict.fromkeys(("dict", "mapping", "mutablemapping", "ordereddict", "defaultdict"), 2),
}
"""How many types the annotation of a container names; the last one is that of its elements."""
_AND_SO_ON = Const(Opaque.ELLIPSIS)


def names_one(annotation: Expr) -> bool:
    """Whether an annotation is the name of one class, so that nothing else is to be there."""
    if isinstance(annotation, Const) and isinstance(annotation.value, str):
        written = unquoted(annotation.value)
        return isinstance(written, Var | Attr)
    return isinstance(annotation, Var | Attr)


def _named(alias: Expression) -> Iterator[Annotated | None]:
    """What a name means that is no class: ``Table = dict[str, Array]``, ``TypedDict("T", {…})``."""
    match alias.expr:
        case Call(callee=callee):
            found = resolve(alias.scope, callee, alias.position)
            names = {item.dotted if isinstance(item, External) else "" for item in found}
            yield _DICT if names and names <= TYPED_DICTS else None
        case Item(base=base) if not isinstance(base, Item):
            owners = resolve(alias.scope, base, alias.position)
            known = [item for item in owners if isinstance(item, External)]
            is_container = bool(known) and all(_holds(item) for item in known)
            yield from known if len(known) == len(owners) and is_container else (None,)
        case _:
            yield None


def _holds(item: External) -> bool:
    return item.dotted.rpartition(".")[2].lower() in _HOLDING


_DICT = External("builtins.dict")


def _alternatives(scope: Scope, expr: Expr, position: Position) -> Iterator[Annotated | None]:
    match expr:
        case Const(value=None):
            return
        case Const(value=str() as text):
            written = unquoted(text)
            if written is None or isinstance(written, Const):
                yield None
            else:
                yield from _alternatives(scope, written, END)
        case Op(symbol="|", operands=operands):
            for item in operands:
                yield from _alternatives(scope, item, position)
        case Item(base=base, key=key):
            owners = {
                item.dotted for item in resolve(scope, base, position) if isinstance(item, External)
            }
            parts = key.parts if isinstance(key, New) else (key,)
            if owners & _ANY_OF:
                for item in parts:
                    yield from _alternatives(scope, item, position)
            elif owners & _FIRST_OF:
                yield from _alternatives(scope, parts[0], position)
            else:
                yield from _alternatives(scope, base, position)
        case Var() | Attr():
            for referent in resolve(scope, expr, position):
                info = class_of(referent)
                if info is not None:
                    yield info
                elif isinstance(referent, Expression):
                    yield from _named(referent)
                else:
                    yield referent if isinstance(referent, External) else None
        case _:
            yield None
