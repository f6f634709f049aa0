"""A function that changes an argument and returns nothing hands a changed copy back.

Its calls then bind the name of what they gave to what comes back.
"""

from collections.abc import Callable, Iterator, Sequence

import libcst as cst

from flake8_jax.fixes.edits import Changed, Edit, Fix, comments
from flake8_jax.fixes.frozen import copying
from flake8_jax.fixes.rebinding import Variable, bound
from flake8_jax.fixes.safety import Safety
from flake8_jax.fixes.targets import targets
from flake8_jax.fixes.variables import is_type_comment
from flake8_jax.flow.traces import names_of
from flake8_jax.flow.values import Refusal
from flake8_jax.model import Model
from flake8_jax.scopes import ModuleScope
from flake8_jax.source import Piece
from flake8_jax.syntax import children, flat, is_name, walk
from flake8_jax.writes import Verdict, verdicts


def hand_back(model: Model, verdict: Verdict) -> Fix | None:
    """``def f(state): state.x = v`` binds a copy and returns it, and ``f(state)`` binds that."""
    ref, name = verdict.trace.function, verdict.write.place.root.name
    function = ref.node
    if not isinstance(function, cst.FunctionDef) or not isinstance(ref.scope, ModuleScope):
        return None
    if not verdict.trace.transform.is_jit or not _is_bare(function.decorators):
        return None
    parameters = names_of(function)
    if name not in parameters or not _returns_nothing(function) or _ends_with_comment(ref.piece):
        return None
    copies = _copies(model, function, name)
    calls = list(_calls(model, function, parameters.index(name)))
    if not copies or not calls or None in calls:
        return None

    def returning(node: cst.CSTNode) -> Changed:
        assert isinstance(node, cst.FunctionDef)
        line = cst.SimpleStatementLine([cst.Return(cst.Name(name))])
        return node.with_changes(body=node.body.with_changes(body=[*node.body.body, line]))

    edits = [edit for edit, _ in copies]
    edits += [Edit(call.piece, call.statement, _binding(call.name)) for call in calls if call]
    needs = next((module for _, module in copies if module is not None), None)
    return Fix((Edit(ref.piece, function, returning), *edits), Safety.UNSAFE, needs)


def _copies(model: Model, function: cst.FunctionDef, name: str) -> list[tuple[Edit, str | None]]:
    """The edits of all statements that change the object of a parameter; none if one has none."""
    changes = [
        item.write
        for item in model.once(verdicts).values()
        if item.write.place.root.owner is function
    ]
    if any(write.place.root.name != name for write in changes):
        return []
    lost = {write.node: write for write in changes}
    found: list[tuple[Edit, str | None]] = []
    for statement in flat(function.body):
        if not any(_is_part(target, name) for target in targets(statement)):
            continue
        write = lost.get(statement)
        making = write.cls.making if write is not None and write.cls is not None else None
        if write is None or making is None or write.via or len(write.place.path) != 1:
            return []
        variable = Variable(name, write.piece, statement, model.scope)
        refusal = Refusal(making.by, making.kind, write.cls, write.place.path[0])
        edit = copying(variable, refusal)
        kept = variable.has_other_names or variable.has_type_comment
        if edit is None or not variable.is_own or kept:
            return []
        found.append(edit)
    return found


def _is_part(target: cst.BaseExpression, name: str) -> bool:
    """Whether a statement that stores there binds a name, or changes the object of it."""
    while isinstance(target, cst.Attribute | cst.Subscript):
        target = target.value
    return is_name(target, name)


def _binding(name: str) -> Callable[[cst.CSTNode], Changed]:
    def changed(node: cst.CSTNode) -> Changed:
        assert isinstance(node, cst.Expr)
        return bound(name, node, node.value)

    return changed


def _is_bare(decorators: Sequence[cst.Decorator]) -> bool:
    """Whether a jit, without options, is all that is made of a function."""
    return len(decorators) == 1 and isinstance(decorators[0].decorator, cst.Name | cst.Attribute)


def _returns_nothing(function: cst.FunctionDef) -> bool:
    """Whether a function ends without a word, and always at its end."""
    if function.asynchronous is not None or function.returns is not None:
        return False
    if any(map(is_type_comment, comments(function))):
        return False
    leaves = (cst.Return, cst.Yield, cst.Raise)
    inner = (node for node in walk(function.body) if isinstance(node, leaves))
    return isinstance(function.body, cst.IndentedBlock) and next(inner, None) is None


def _ends_with_comment(piece: Piece) -> bool:
    """Whether comments follow the last statement of a function, where a return would stand."""
    for line in piece.file.text.split("\n")[piece.block.last :]:
        text = line.strip()
        if text and not text.startswith("#"):
            break
        if text and line[0].isspace():
            return True
    return False


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
            if given is None or given.keyword is not None or any(a.star for a in arguments):
                return None
            if not isinstance(given.value, cst.Name):
                return None
            variable = Variable(given.value.value, piece, statement, model.scope)
            if variable.function is None or not variable.is_own:
                return None
            return variable if variable.binding(lambda *_: True) is Safety.SAFE else None
    return None
