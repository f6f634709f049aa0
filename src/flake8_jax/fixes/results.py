"""Updated copies that are thrown away are bound to the name of the object that they update."""

import libcst as cst

from flake8_jax.fixes.binding import binding
from flake8_jax.fixes.declining import DeclinedError
from flake8_jax.fixes.edits import Changed, Edit, Fix
from flake8_jax.fixes.names import Imported, Names
from flake8_jax.fixes.pieces import Piece
from flake8_jax.fixes.rebinding import Variable, bound, parent
from flake8_jax.fixes.safety import Safety
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import (
    ARRAY_UPDATES,
    TREE_MAPS,
    UPDATE_FUNCTIONS,
    UPDATE_METHODS,
)
from flake8_jax.resolution.modules import Module
from flake8_jax.syntax import positional

_COPIED = {**UPDATE_FUNCTIONS, **dict.fromkeys(TREE_MAPS, 1)}
"""Which argument functions copy."""
_METHODS = UPDATE_METHODS | {"copy"}


def bind_result(module: Module, piece: Piece, node: cst.CSTNode) -> Fix | None:
    """``x.replace(…)`` becomes ``x = x.replace(…)``, and so on."""
    statement = parent(piece, node)
    if not isinstance(node, cst.Call) or not isinstance(statement, cst.Expr):
        raise DeclinedError("the copy is made inside of another expression, which drops it")
    names = Names.of(module)
    name = _updated(node, names)
    if name is None:
        line = piece.position(node)[0]
        raise DeclinedError(f"what is copied on line {line} is no variable; bind what comes back")
    variable = Variable(name, piece, statement, names)
    binding(variable, lambda _value, _names: True)

    def changed(node: cst.CSTNode) -> Changed:
        assert isinstance(node, cst.Expr)
        return bound(name, node, node.value)

    line = variable.line(statement)
    alters = f"{name!r} is the updated copy from line {line} on"
    return Fix((Edit(piece, statement, changed),), Safety.UNSAFE, alters)


def _updated(node: cst.BaseExpression, names: Names) -> str | None:
    """The name of the object that an expression makes an updated copy of."""
    match node:
        case cst.Name(value=name):
            return name
        case cst.Call(
            func=cst.Attribute(
                value=cst.Subscript(value=cst.Attribute(value=array, attr=cst.Name(value="at"))),
                attr=cst.Name(value=method),
            )
        ) if method in ARRAY_UPDATES:
            return _updated(array, names)
        case cst.Call(func=func, args=arguments):
            for referent in names.refer(func):
                if isinstance(referent, Imported):
                    index = _COPIED.get(canonical(referent.dotted))
                    given = positional(tuple(arguments))
                    if index is not None and index < len(given):
                        return _updated(given[index], names)
            if isinstance(func, cst.Attribute) and func.attr.value in _METHODS:
                return _updated(func.value, names)
    return None
