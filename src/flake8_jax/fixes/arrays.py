"""Assignments to elements of jax arrays become bindings of their names to updated arrays."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import libcst as cst

from flake8_jax.fixes.binding import Bound, binding, obstacle
from flake8_jax.fixes.callers import calls, require_unexpected
from flake8_jax.fixes.declining import DeclinedError
from flake8_jax.fixes.edits import Changed, Edit, Fix
from flake8_jax.fixes.expressions import call_with, is_repeatable, unaugmented
from flake8_jax.fixes.names import Imported, Names
from flake8_jax.fixes.pieces import Piece
from flake8_jax.fixes.rebinding import Variable, bound
from flake8_jax.fixes.safety import Safety
from flake8_jax.fixes.targets import targets
from flake8_jax.fixes.variables import Source
from flake8_jax.knowledge.effects import ACTING_METHODS
from flake8_jax.knowledge.objects import (
    ARRAY_ATTRIBUTES,
    ARRAY_MAKERS,
    ARRAY_TYPES,
    ELEMENT_UPDATES,
    GIVING,
)
from flake8_jax.resolution.modules import Module
from flake8_jax.syntax import children, flat, is_name, last_part, parameter_names, walk

_METHODS: dict[type[cst.BaseAugOp], str] = {
    cst.AddAssign: ELEMENT_UPDATES["+"],
    cst.DivideAssign: ELEMENT_UPDATES["/"],
    cst.MultiplyAssign: ELEMENT_UPDATES["*"],
    cst.PowerAssign: ELEMENT_UPDATES["**"],
    cst.SubtractAssign: ELEMENT_UPDATES["-"],
}
"""The methods of ``x.at[…]`` for augmented assignments."""
_VIEWS = frozenset(
    """T array_split asarray atleast_1d atleast_2d atleast_3d broadcast_to diagonal dsplit
    expand_dims flat flip hsplit imag moveaxis ravel real reshape rollaxis rot90 split squeeze
    swapaxes transpose view vsplit""".split()
)
"""Functions, methods and attributes that share their elements with an array, in numpy."""
_TAKING = GIVING | ACTING_METHODS
"""Methods that give something else the next time."""
_STATIC = frozenset({"len", "ndim", "shape", "size"})
"""What is a number also where an array is a Tracer."""
_INDEX_MAKERS = frozenset({"argsort", "argwhere", "array", "asarray", "concatenate", "where"})
_HOLDING = frozenset({"dict", "enumerate", "list", "reversed", "tuple", "zip"})
"""Functions whose results hold what they are given."""
_SEQUENCES = frozenset({"list", "range", "sorted"})
_HOST_ARRAY = "numpy.ndarray"


@dataclass(frozen=True)
class Element:
    """An element of an array that is assigned in traced code."""

    is_known: bool
    """Whether the array is known to be one of jax."""
    traced: tuple[int, int] | None
    """Where the traced function starts in the same top-level statement: its line and column."""
    same: frozenset[str] = frozenset()
    """The parameters that the traced function gets as they are."""
    is_certain: bool = False
    """Whether the variable can only have arrays of jax."""


def bind_array(module: Module, piece: Piece, node: cst.CSTNode, element: Element) -> Fix | None:
    """``x[i] = v`` becomes ``x = x.at[i].set(v)``."""
    name = _updated(node)
    if name is None:
        raise DeclinedError(_no_update(piece, node))
    variable = Variable(name, piece, node, Names.of(module))
    if variable.function is None:
        raise DeclinedError(obstacle(variable) or "")
    if _is_host_array(variable):
        raise DeclinedError(f"{name!r} is annotated as an array of numpy in {variable.label!r}")
    require_unexpected(variable)
    function = variable.function
    is_traced = piece.extent(function)[:2] == element.traced and not _is_called(variable)
    if not is_traced and not element.is_certain and not _is_certain(variable, element):
        raise DeclinedError(
            f"{variable.label!r} may be called with an array of numpy for {name!r} as well; "
            "annotate it as a jax.Array"
        )
    traced = frozenset(parameter_names(function)) - element.same if is_traced else frozenset()
    known = variable.shared("arrays", lambda: _all(variable, is_traced), is_traced)
    if isinstance(known, str):
        raise DeclinedError(known)
    for item in variable.stores:
        if _has_bounds(item, traced):
            line = variable.line(item)
            raise DeclinedError(
                f"the slice on line {line} has a traced bound; use jax.lax.dynamic_update_slice"
            )
    safety, alters = known
    seen = _seen_elsewhere(variable)
    if seen is not None:
        safety, alters = Safety.UNSAFE, f"{seen!r}, a view in numpy, keeps its elements"
    repeated = next(
        (name for item in variable.stores for name in _may_repeat(variable, item)), None
    )
    if repeated is not None:
        safety, alters = Safety.UNSAFE, f"an element that {repeated!r} has twice changes twice"
    if variable.shared("dict", lambda: _may_be_dict(variable)):
        safety, alters = Safety.UNSAFE, f"{name!r} may be a dict, which has no 'at'"

    def changed(node: cst.CSTNode) -> Changed:
        return bound(variable.name, node, _update(node))

    return Fix((Edit(piece, node, changed),), safety, alters, beside=variable.places)


def _may_repeat(variable: Variable, statement: cst.CSTNode) -> Iterator[str]:
    """The names in the index of an update that may be arrays, with the same index twice.

    numpy then changes the element once. A parameter is taken for a number, as it mostly is.
    """
    if not isinstance(statement, cst.AugAssign) or type(statement.operator) not in _METHODS:
        return
    for target in targets(statement):
        found = list(_indices(target)) if isinstance(target, cst.Subscript) else []
        for item in found:
            if isinstance(item, cst.Name):
                index = replace(variable, name=item.value)
                made = [value for _, value in index.sources if isinstance(value, cst.Call)]
                if any(last_part(value.func) in _INDEX_MAKERS for value in made):
                    yield item.value


def _no_update(piece: Piece, node: cst.CSTNode) -> str:
    """Why a statement has no twin with ``.at``."""
    line = piece.position(node)[0]
    found = [item for item in targets(node) if isinstance(item, cst.Subscript)]
    if len(found) != 1 or not isinstance(node, cst.Assign | cst.AugAssign):
        return f"line {line} does not assign one element by itself, with '=' or '+='"
    if not isinstance(found[0].value, cst.Name):
        words = piece.quote(found[0].value)
        return f"'{words}' on line {line} is no variable that could hold an updated array"
    if any(_is_sequence(item) for item in _indices(found[0])):
        return f"the index on line {line} is a list, which '.at' does not take; use jnp.array"
    return f"line {line} has no '.at' that does the same"


def _all(variable: Variable, is_traced: bool) -> Bound | str:
    """How all assignments to elements can be changed, or why not: the rest would still raise."""
    try:
        found = [_bound(replace(variable, statement=item), is_traced) for item in variable.stores]
    except DeclinedError as error:
        return str(error)
    alters = next((item.alters for item in found if item.alters), "")
    unsafe = next((item for item in found if item.safety is Safety.UNSAFE), None)
    return unsafe or Bound(Safety.SAFE, alters)


def _bound(variable: Variable, is_traced: bool) -> Bound:
    """How the name can be bound where one of the elements is assigned."""
    statement, line = variable.statement, variable.line(variable.statement)
    if _updated(statement) != variable.name:
        raise DeclinedError(_no_update(variable.piece, statement))
    if _cannot_be_index(variable):
        raise DeclinedError(f"the index on line {line} may be a mask or a list; use jnp.where")
    if _depends_on_order(statement):
        raise DeclinedError(f"on line {line} the value has to be there before the index")
    for source, value in variable.sources:
        if _is_view(source, value, variable):
            raise DeclinedError(
                f"{variable.name!r} on line {line} is a view, in numpy, of what is read later"
            )
    return binding(variable, lambda _value, _names: True, "its elements", is_rebuilt=is_traced)


def _may_be_dict(variable: Variable) -> bool:
    """Whether numbers as indices are all that tells a parameter from a dict with pairs as keys."""
    function, parameter = variable.function, variable.parameter
    if function is None or parameter is None or parameter.annotation is not None:
        return False
    traced = frozenset(parameter_names(function))  # a Tracer is no key
    for node in walk(function.body):
        match node:
            case cst.Subscript(value=cst.Name(value=name), slice=parts) if name == variable.name:
                inside = [item for part in parts for item in walk(part)]
                if any(isinstance(item, cst.Slice | cst.Ellipsis) for item in inside):
                    return False
                if any(isinstance(item, cst.Name) and item.value in traced for item in inside):
                    return False
            case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=attribute)):
                if name == variable.name and attribute in ARRAY_ATTRIBUTES:
                    return False
            case cst.Arg(value=given) | cst.UnaryOperation(expression=given):
                if is_name(given, variable.name):
                    return False
            case cst.BinaryOperation(left=left, right=right):
                if is_name(left, variable.name) or is_name(right, variable.name):
                    return False
    return True


def _is_view(source: Source, value: cst.BaseExpression | None, variable: Variable) -> bool:
    """Whether numpy would have changed another array, too, which is looked at later."""
    is_row = source is Source.PART and isinstance(value, cst.Name)
    if value is None or not (is_row or _shares(value)):
        return False
    names = {item.value for item in walk(value) if isinstance(item, cst.Name)} - {variable.name}
    return any(replace(variable, name=name).is_read_later for name in names)


def _shares(value: cst.BaseExpression) -> bool:
    """Whether an expression shares the elements of an array, in numpy."""
    match value:
        case cst.Call(func=func, args=arguments):
            return last_part(func) in _VIEWS or any(map(_is_no_copy, arguments))
        case cst.Attribute(attr=cst.Name(value=name)):
            return name in _VIEWS
        case cst.Subscript(slice=parts):
            return any(isinstance(part.slice, cst.Slice) for part in parts)
    return False


def _is_no_copy(argument: cst.Arg) -> bool:
    """Whether an argument asks for the array itself: ``copy=False``."""
    is_copy = argument.keyword is not None and argument.keyword.value == "copy"
    return is_copy and not is_name(argument.value, "True")


def _parts(value: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """An expression, and what it holds if it makes a container."""
    stack = [value]
    while stack:
        part = stack.pop()
        yield part
        match part:
            case cst.Call(func=cst.Name(value=name), args=arguments) if name in _HOLDING:
                stack += [item.value for item in arguments]
            case cst.List(elements=elements) | cst.Tuple(elements=elements):
                stack += [item.value for item in elements]
            case cst.Dict(elements=elements):
                stack += [item.value for item in elements]
            case cst.ListComp(elt=element, for_in=clause):
                stack += [element, clause.iter]


def _seen_elsewhere(variable: Variable) -> str | None:
    """Another name that has a view of the array, in numpy, and is read later."""
    assert variable.function is not None
    for statement in flat(variable.function.body):
        match statement:
            case cst.Assign(value=value) if variable.is_before(statement):
                shared = (item for part in _parts(value) if _shares(part) for item in walk(part))
                names = {item.value for item in shared if isinstance(item, cst.Name)}
                if variable.name in names:
                    bound = (i.value for i in targets(statement) if isinstance(i, cst.Name))
                    for name in sorted(set(bound) - {variable.name}):
                        if replace(variable, name=name).is_read_later:
                            return name
    return None


def _depends_on_order(statement: cst.CSTNode) -> bool:
    """Whether the value has to be there before the index, as it is in an assignment."""
    match statement:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript() as target)], value=value):
            index = [item for part in target.slice for item in walk(part)]
            given = list(walk(value))
            if any(map(_takes, index)) and any(map(_takes, given)):
                return True
            bound = {item.target for item in (*index, *given) if isinstance(item, cst.NamedExpr)}
            names = {item.value for item in bound if isinstance(item, cst.Name)}
            used = (item for item in (*index, *given) if isinstance(item, cst.Name))
            return any(item.value in names and item not in bound for item in used)
    return False


def _takes(node: cst.CSTNode) -> bool:
    """Whether an expression takes something from somewhere, so that the next one gets another."""
    match node:
        case cst.Call(func=cst.Name(value="next")):
            return True
        case cst.Call(func=cst.Attribute(attr=cst.Name(value=method))):
            return method in _TAKING
    return False


def _has_bounds(statement: cst.CSTNode, traced: frozenset[str]) -> bool:
    """Whether a slice has a Tracer as a bound, which jax does not take."""
    stack: list[cst.CSTNode] = [
        part.slice
        for target in targets(statement)
        if isinstance(target, cst.Subscript)
        for part in target.slice
        if isinstance(part.slice, cst.Slice)
    ]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.Name) and node.value in traced:
            return True
        known = node.func if isinstance(node, cst.Call) else node
        if not isinstance(known, cst.Attribute | cst.Name) or last_part(known) not in _STATIC:
            stack += children(node)
    return False


def _is_called(variable: Variable) -> bool:
    """Whether a function that is handed to a transform is also called as it is."""
    return (
        variable.function is not None and not variable.function.decorators and bool(calls(variable))
    )


def _is_certain(variable: Variable, element: Element) -> bool:
    """Whether the array is one of jax, whoever calls the function."""
    parameter = variable.parameter
    if parameter is not None:
        return element.is_known and parameter.annotation is not None
    made = [value.func for _, value in variable.sources if isinstance(value, cst.Call)]
    names = [item for maker in made for item in variable.names.refer(maker)]
    is_made_by_jax = len(made) == len(variable.sources) and all(
        isinstance(item, Imported) and item.dotted.startswith(ARRAY_MAKERS) for item in names
    )
    return element.is_known and (is_made_by_jax or not _is_called(variable))


def _updated(node: cst.CSTNode) -> str | None:
    """The name of the array of which a statement assigns an element in a way that can be fixed."""
    match node:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript() as target)]):
            possible = not isinstance(node.value, cst.Yield)
        case cst.AugAssign(target=cst.Subscript() as target):
            possible = type(node.operator) in _METHODS or all(map(is_repeatable, target.slice))
            possible = possible and unaugmented(node) is not None
        case _:
            return None
    listed = any(_is_sequence(item) for item in _indices(target))
    if not possible or listed or not isinstance(target.value, cst.Name):
        return None
    return target.value.value


def _indices(target: cst.Subscript) -> Iterator[cst.BaseExpression]:
    """What a subscript takes, with what is in a tuple."""
    stack = [part.slice.value for part in target.slice if isinstance(part.slice, cst.Index)]
    while stack:
        match stack.pop():
            case cst.Tuple(elements=elements):
                stack += [item.value for item in elements]
            case index:
                yield index


def _is_sequence(node: cst.BaseExpression | None) -> bool:
    """Whether an expression makes a list, or the like, which ``.at`` does not take."""
    if isinstance(node, cst.Call):
        return isinstance(node.func, cst.Name) and node.func.value in _SEQUENCES
    return isinstance(node, cst.List | cst.ListComp)


def _cannot_be_index(variable: Variable) -> bool:
    """Whether ``.at`` does not take an index: a list, or what may be a mask, under jit."""
    (target,) = targets(variable.statement)
    assert isinstance(target, cst.Subscript)
    names = (item.value for item in _indices(target) if isinstance(item, cst.Name))
    made = (value for name in names for _, value in replace(variable, name=name).sources)
    if any(map(_is_sequence, made)):
        return True
    inside = [item for part in target.slice for item in walk(part)]
    for name in {item.value for item in inside if isinstance(item, cst.Name)}:
        index = replace(variable, name=name)
        parameter = index.parameter
        if parameter is not None and parameter.annotation is not None:
            found = variable.names.dotted(parameter.annotation.annotation)
            if not ARRAY_TYPES.isdisjoint(found):
                return True
        inside += [item for _, made in index.sources if made is not None for item in walk(made)]
    return any(_tells_truth(item) for item in inside)


def _tells_truth(node: cst.CSTNode) -> bool:
    match node:
        case cst.Comparison() | cst.BooleanOperation():
            return True
        case cst.UnaryOperation(operator=cst.BitInvert() | cst.Not()):
            return True
        case cst.BinaryOperation(operator=cst.BitAnd() | cst.BitOr() | cst.BitXor()):
            return True
        case cst.Call(func=func):
            return (last_part(func) or "").startswith(("is", "logical_"))
        case cst.Name(value=name):
            return "mask" in name.lower()
    return False


def _is_host_array(variable: Variable) -> bool:
    parameter = variable.parameter
    if parameter is None or parameter.annotation is None:
        return False
    return _HOST_ARRAY in variable.names.dotted(parameter.annotation.annotation)


def _update(node: cst.CSTNode) -> cst.Call:
    method = "set"
    if isinstance(node, cst.AugAssign):
        target: cst.BaseExpression = node.target
        value: cst.BaseExpression | None = node.value
        if type(node.operator) in _METHODS:
            method = _METHODS[type(node.operator)]
        else:
            value = unaugmented(node)
    else:
        assert isinstance(node, cst.Assign)
        target, value = node.targets[0].target, node.value
    assert isinstance(target, cst.Subscript)
    assert value is not None
    item = target.with_changes(value=cst.Attribute(target.value, cst.Name("at")))
    return call_with(cst.Attribute(item, cst.Name(method)), value)
