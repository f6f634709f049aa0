"""A function that changes an argument and returns nothing hands the argument back.

Its calls then bind the name of what they gave to what comes back.
"""

from collections.abc import Callable, Iterator

import libcst as cst

from flake8_jax.fixes.edits import Changed, Edit, Fix, Safety
from flake8_jax.fixes.rebinding import Variable, bound
from flake8_jax.flow.traces import names_of
from flake8_jax.model import Model
from flake8_jax.scopes import ModuleScope
from flake8_jax.source import Piece
from flake8_jax.syntax import children, flat, is_name, walk
from flake8_jax.writes import Verdict


def hand_back(model: Model, verdict: Verdict) -> Fix | None:
    """``def f(state): state.x = v`` returns ``state``, and ``f(state)`` becomes a binding of it."""
    write, ref = verdict.write, verdict.trace.function
    function, name = ref.node, write.place.root.name
    if not isinstance(function, cst.FunctionDef) or not isinstance(ref.scope, ModuleScope):
        return None
    if write.via or write.origin is not None or write.place.root.owner is not function:
        return None
    if (
        not verdict.trace.transform.is_jit
        or not function.decorators
        or not _returns_nothing(function)
    ):
        return None
    parameters = names_of(function)
    if name not in parameters or not Variable(name, ref.piece, write.node, model.scope).is_own:
        return None
    if any(is_name(item.target, name) for item in _stores(function)):
        return None
    calls = list(_calls(model, function, parameters.index(name)))
    if not calls or None in calls:
        return None

    def returning(node: cst.CSTNode) -> Changed:
        assert isinstance(node, cst.FunctionDef)
        line = cst.SimpleStatementLine([cst.Return(cst.Name(name))])
        return node.with_changes(body=node.body.with_changes(body=[*node.body.body, line]))

    edits = [Edit(call.piece, call.statement, _binding(call.name)) for call in calls if call]
    return Fix((Edit(ref.piece, function, returning), *edits), Safety.UNSAFE)


def _binding(name: str) -> Callable[[cst.CSTNode], Changed]:
    def changed(node: cst.CSTNode) -> Changed:
        assert isinstance(node, cst.Expr)
        return bound(name, node, node.value)

    return changed


def _returns_nothing(function: cst.FunctionDef) -> bool:
    """Whether a function ends without a word, and always at its end."""
    if function.asynchronous is not None or function.returns is not None:
        return False
    leaves = (cst.Return, cst.Yield, cst.Raise)
    inner = (node for node in walk(function.body) if isinstance(node, leaves))
    return isinstance(function.body, cst.IndentedBlock) and next(inner, None) is None


def _stores(function: cst.FunctionDef) -> Iterator[cst.AssignTarget]:
    for statement in flat(function.body):
        if isinstance(statement, cst.Assign):
            yield from statement.targets


def _calls(model: Model, function: cst.FunctionDef, index: int) -> Iterator[Variable | None]:
    """The variables that are given to a function wherever it is called.

    None for a use that is no such call.
    """
    name = function.name.value
    for piece in model.scope.source.pieces:
        if name not in piece.block.words or piece.tree is None:
            continue
        above = {below: node for node in walk(piece.tree) for below in children(node)}
        for node in walk(piece.tree):
            if isinstance(node, cst.Name) and node.value == name and node is not function.name:
                yield _given(model, piece, above, node, index)


def _given(
    model: Model,
    piece: Piece,
    above: dict[cst.CSTNode, cst.CSTNode],
    node: cst.Name,
    index: int,
) -> Variable | None:
    call = above.get(node)
    statement = above.get(call) if call is not None else None
    match call, statement:
        case cst.Call(func=called, args=arguments), cst.Expr() if called is node:
            given = arguments[index] if index < len(arguments) else None
            if given is None or given.star or given.keyword is not None:
                return None
            if not isinstance(given.value, cst.Name):
                return None
            variable = Variable(given.value.value, piece, statement, model.scope)
            return variable if variable.is_global or variable.is_own else None
    return None
