"""Annotations: of which classes a value is that is annotated so."""

from collections.abc import Iterator
from typing import TypeAlias

from flake8_jax.classes.table import ClassInfo, class_of
from flake8_jax.lowering.lower import unquoted
from flake8_jax.lowering.program import (
    Attr,
    Const,
    Expr,
    Item,
    New,
    Op,
    Var,
)
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.resolve import resolve
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


def names_one(annotation: Expr) -> bool:
    """Whether an annotation is the name of one class, so that nothing else is to be there."""
    if isinstance(annotation, Const) and isinstance(annotation.value, str):
        written = unquoted(annotation.value)
        return isinstance(written, Var | Attr)
    return isinstance(annotation, Var | Attr)


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
                else:
                    yield referent if isinstance(referent, External) else None
        case _:
            yield None
