"""Updated copies that are thrown away are bound to the name of the object that they update."""

import libcst as cst

from flake8_jax.fixes.edits import Changed, Edit, Fix
from flake8_jax.fixes.rebinding import Variable, bound, parent
from flake8_jax.fixes.safety import Safety
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import ARRAY_UPDATES, UPDATE_FUNCTIONS, UPDATE_METHODS
from flake8_jax.model import Model
from flake8_jax.names import refer
from flake8_jax.scopes import Imported, Scope
from flake8_jax.source import Piece
from flake8_jax.syntax import positional


def bind_result(model: Model, piece: Piece, node: cst.CSTNode) -> Fix | None:
    """``x.replace(…)`` becomes ``x = x.replace(…)``, and so on."""
    statement = parent(piece, node)
    if not isinstance(node, cst.Call) or not isinstance(statement, cst.Expr):
        return None
    name = _updated(node, model.scope)
    if name is None:
        return None
    variable = Variable(name, piece, statement, model.scope)
    if variable.binding(lambda _value, _scope: True) is None:
        return None

    def changed(node: cst.CSTNode) -> Changed:
        assert isinstance(node, cst.Expr)
        return bound(name, node, node.value)

    return Fix((Edit(piece, statement, changed),), Safety.UNSAFE)


def _updated(node: cst.BaseExpression, scope: Scope) -> str | None:
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
            return _updated(array, scope)
        case cst.Call(func=func, args=arguments):
            for referent in refer(func, scope):
                if isinstance(referent, Imported):
                    index = UPDATE_FUNCTIONS.get(canonical(referent.dotted))
                    given = positional(tuple(arguments))
                    if index is not None and index < len(given):
                        return _updated(given[index], scope)
            if isinstance(func, cst.Attribute) and func.attr.value in UPDATE_METHODS:
                return _updated(func.value, scope)
    return None
