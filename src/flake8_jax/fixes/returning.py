"""A function that changes an argument and returns nothing hands a changed copy back.

Its calls then bind the name of what they gave to what comes back.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from flake8_jax.fixes.binding import binding, obstacle
from flake8_jax.fixes.declining import DeclinedError
from flake8_jax.fixes.edits import Changed, Edit, Fix, comments
from flake8_jax.fixes.frozen import Refused, copying
from flake8_jax.fixes.names import Names
from flake8_jax.fixes.pieces import Piece
from flake8_jax.fixes.rebinding import Variable, bound
from flake8_jax.fixes.safety import Safety
from flake8_jax.fixes.targets import targets
from flake8_jax.fixes.variables import is_type_comment
from flake8_jax.resolution.modules import Module
from flake8_jax.syntax import children, flat, is_name, walk


@dataclass(frozen=True)
class Change:
    """A write of a traced function to one of its arguments."""

    parameter: str
    refused: Refused | None
    """The attribute of the argument itself that is written; None for all else."""


@dataclass(frozen=True, eq=False)
class Lost:
    """A traced function of a module whose writes to a parameter are lost."""

    piece: Piece
    function: cst.FunctionDef
    parameter: str
    changes: Mapping[cst.CSTNode, Change]
    """All that becomes of arguments of the function, by statement."""


def hand_back(module: Module, lost: Lost) -> Fix | None:
    """``def f(state): state.x = v`` binds a copy and returns it, and ``f(state)`` binds that."""
    function, piece, name = lost.function, lost.piece, lost.parameter
    said = f"{function.name.value!r}"
    params = function.params
    parameters = [item.name.value for item in (*params.posonly_params, *params.params)]
    line = piece.position(function)[0]
    if not _is_bare(function.decorators):
        raise DeclinedError(
            f"{said} on line {line} is decorated with something else than a jit without options"
        )
    if name not in parameters:
        raise DeclinedError(f"{name!r} is not given to {said} on line {line} by its position")
    leaving = _leaving(function)
    if leaving is not None:
        raise DeclinedError(
            f"{said} gives something else back already on line {piece.position(leaving)[0]}; "
            f"return {name!r} as well, and take both wherever {said} is called"
        )
    if _ends_with_comment(piece):
        raise DeclinedError(f"a comment stands where {said} on line {line} would return {name!r}")
    names = Names.of(module)
    copies = _copies(names, lost)
    if not copies:
        raise DeclinedError(
            f"not all that {said} on line {line} does to {name!r} can be written as an updated copy"
        )
    calls = list(_calls(names, function, parameters.index(name)))
    if not calls:
        raise DeclinedError(f"nothing in the module calls {said}, so that nobody takes the object")

    def returning(node: cst.CSTNode) -> Changed:
        assert isinstance(node, cst.FunctionDef)
        line = cst.SimpleStatementLine([cst.Return(cst.Name(name))])
        return node.with_changes(body=node.body.with_changes(body=[*node.body.body, line]))

    edits = [edit for edit, _ in copies]
    edits += [Edit(call.piece, call.statement, _binding(call.name)) for call in calls]
    needs = next((module for _, module in copies if module is not None), None)
    alters = f"{said} returns a changed {name!r}, which all who call it have to take"
    return Fix((Edit(piece, function, returning), *edits), Safety.UNSAFE, alters, needs)


def _copies(names: Names, lost: Lost) -> list[tuple[Edit, str | None]]:
    """The edits of all statements that change the object of a parameter; none if one has none."""
    name = lost.parameter
    if any(change.parameter != name for change in lost.changes.values()):
        return []
    found: list[tuple[Edit, str | None]] = []
    for statement in flat(lost.function.body):
        if not any(_is_part(target, name) for target in targets(statement)):
            continue
        change = lost.changes.get(statement)
        if change is None or change.refused is None:
            return []
        variable = Variable(name, lost.piece, statement, names)
        if not variable.is_own or variable.has_other_names or variable.has_type_comment:
            raise DeclinedError(obstacle(variable) or "")
        found.append(copying(variable, change.refused))
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


def _leaving(function: cst.FunctionDef) -> cst.CSTNode | None:
    """What tells that a function does not always end at its end, without a word."""
    is_annotated = function.returns is not None or any(map(is_type_comment, comments(function)))
    if function.asynchronous is not None or is_annotated:
        return function
    if not isinstance(function.body, cst.IndentedBlock):
        return function
    leaves = (cst.Return, cst.Yield, cst.Raise)
    return next((node for node in walk(function.body) if isinstance(node, leaves)), None)


def _ends_with_comment(piece: Piece) -> bool:
    """Whether comments follow the last statement of a function, where a return would stand.

    A statement that was cut by its text alone has the comments below it.
    """
    lines = piece.file.text.split("\n")
    last = piece.block.last
    while not lines[last - 1].strip() or lines[last - 1].lstrip().startswith("#"):
        last -= 1
    for line in lines[last:]:
        text = line.strip()
        if text and not text.startswith("#"):
            break
        if text and line[0].isspace():
            return True
    return False


def _calls(names: Names, function: cst.FunctionDef, index: int) -> Iterator[Variable]:
    """The variables that are given to a function wherever it is called.

    It is declined if it is used in another way, or if one cannot be bound again.
    """
    name = function.name.value
    for piece in names.pieces:
        if name not in piece.block.words or piece.tree is None:
            continue
        above = {below: node for node in walk(piece.tree) for below in children(node)}
        for node in walk(piece.tree):
            if isinstance(node, cst.Name) and node.value == name and node is not function.name:
                yield _given(names, piece, above, node, index)


def _given(
    names: Names,
    piece: Piece,
    above: dict[cst.CSTNode, cst.CSTNode],
    node: cst.Name,
    index: int,
) -> Variable:
    call = above.get(node)
    statement = above.get(call) if call is not None else None
    said, line = repr(node.value), f"line {piece.position(node)[0]}"
    match call, statement:
        case cst.Call(func=called, args=arguments), cst.Expr() if called is node:
            given = arguments[index] if index < len(arguments) else None
            is_plain = (
                given is not None and given.keyword is None and not any(map(_star, arguments))
            )
            if given is None or not is_plain or not isinstance(given.value, cst.Name):
                raise DeclinedError(
                    f"{line} gives {said} no variable that could take the new object"
                )
            variable = Variable(given.value.value, piece, statement, names)
            try:
                known = binding(variable, lambda *_: True)
            except DeclinedError as error:
                raise DeclinedError(f"{line} calls {said}, and {error}") from None
            if known.safety is not Safety.SAFE:
                raise DeclinedError(f"{line} calls {said}, and {known.alters}")
            return variable
    raise DeclinedError(f"{line} uses {said} other than by a call that is a statement of its own")


def _star(argument: cst.Arg) -> bool:
    return bool(argument.star)
