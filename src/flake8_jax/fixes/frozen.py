"""Assignments to attributes of frozen objects become bindings of their names to changed copies."""

from dataclasses import dataclass

import libcst as cst

from flake8_jax.classes.caches import is_instance_method
from flake8_jax.classes.layout import Field, own_fields, static_fields
from flake8_jax.classes.table import ClassInfo
from flake8_jax.classes.walks import first_parameter
from flake8_jax.fixes.callers import expect_error
from flake8_jax.fixes.declining import DeclinedError
from flake8_jax.fixes.edits import Changed, Edit, Fix
from flake8_jax.fixes.expressions import call_with, unaugmented
from flake8_jax.fixes.keeping import Keeping
from flake8_jax.fixes.names import Defined, Imported, Names, defined
from flake8_jax.fixes.rebinding import Variable, bound
from flake8_jax.fixes.safety import Safety
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import CONTAINER_TYPES, SHALLOW_METHODS, UPDATE_FUNCTIONS
from flake8_jax.knowledge.pytrees import EQUINOX, NETKET, SIMPLE_PYTREE, Kind
from flake8_jax.lowering.program import Call, Const, Function
from flake8_jax.resolution.modules import Module
from flake8_jax.resolution.resolve import Definition
from flake8_jax.source import Piece
from flake8_jax.syntax import walk
from flake8_jax.verdicts.telling import update

_CONSTRUCTION = ("__init__", "__new__", "__post_init__")
_MAY_BE_NONE = (None, "Any", "Optional", "Union")
_COPIED_AS_THEY_ARE = frozenset(kind.label for kind in (EQUINOX, NETKET, SIMPLE_PYTREE))
"""Kinds whose copies are made without the constructor."""


@dataclass(frozen=True)
class Refused:
    """An attribute that cannot be assigned."""

    attribute: str
    kind: Kind
    info: ClassInfo | None
    """The class of its object, where it is one of the project."""


def bind_copy(module: Module, piece: Piece, node: cst.CSTNode, refused: Refused) -> Fix | None:
    """``state.x = v`` becomes ``state = state.replace(x=v)``, or what the library has for that."""
    target = _target(node)
    if target is None or not isinstance(target.value, cst.Name):
        return None
    variable = Variable(target.value.value, piece, node, Names.of(module))
    safety = variable.binding(_is_new)
    edit = copying(variable, refused) if safety is not None else None
    if edit is None or safety is None or expect_error(variable):
        return None
    kept = _kept_by_methods(variable, refused.info)
    if kept is Keeping.SURE:
        return None
    if variable.is_given and variable.is_wrapped:
        raise DeclinedError(
            f"a decorator of {variable.label!r} may drop the new object; return it to all callers"
        )
    if variable.may_have_other_names or kept is Keeping.POSSIBLE:
        safety = Safety.UNSAFE
    if variable.may_be_another(refused.attribute):
        safety = Safety.UNSAFE
    is_lost = variable.is_given and not variable.is_handed_back
    loses = f"the caller's object keeps its {refused.attribute!r}" if is_lost else ""
    return Fix((edit[0],), safety, edit[1], beside=variable.places, loses=loses)


def _kept_by_methods(variable: Variable, info: ClassInfo | None) -> Keeping:
    """Whether methods of the object keep it, or are kept themselves, before the statement."""
    found = [Keeping.NONE]
    for member, is_called in variable.members_before if info is not None else ():
        method = info.method(member) if info is not None else None
        if method is not None and not is_called and not method.statement.decorators:
            found.append(Keeping.SURE)
        elif method is not None and is_instance_method(method):
            found.append(_kept_by(method))
    return max(found)


def _kept_by(method: Definition) -> Keeping:
    """Whether a method keeps its object."""
    owner = first_parameter(method.made) if isinstance(method.made, Function) else None
    found = defined(method)
    if owner is None or found is None:
        return Keeping.POSSIBLE
    return Variable(owner, found.piece, found.node.body, found.top, 1).keeps(False)


def copying(variable: Variable, refused: Refused) -> tuple[Edit, str | None] | None:
    """The edit that binds a variable to a changed copy, and the module that it needs."""
    node = variable.statement
    target = _target(node)
    if target is None or _stored(node) is None or not _can_be_given(refused, target, node):
        return None
    spelled = update(refused.kind, refused.info)
    copied = _update(spelled, variable.names) if spelled is not None else None
    if copied is None:
        return None

    def changed(node: cst.CSTNode) -> Changed:
        value = _stored(node)
        assert value is not None
        call = copied.call(variable.name, refused.attribute, value)
        return bound(variable.name, node, call)

    return Edit(variable.piece, node, changed), copied.needs


def _target(node: cst.CSTNode) -> cst.Attribute | None:
    """The attribute that a statement assigns, and nothing else."""
    match node:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Attribute() as target)]):
            return target
        case cst.AugAssign(target=cst.Attribute() as target):
            return target
    return None


def _stored(node: cst.CSTNode) -> cst.BaseExpression | None:
    """What an assignment stores; None where that cannot be said in another place."""
    if isinstance(node, cst.AugAssign):
        return unaugmented(node)
    assert isinstance(node, cst.Assign)
    return None if isinstance(node.value, cst.Yield) else node.value


def _is_new(value: cst.BaseExpression, names: Names) -> bool:
    """Whether an expression makes an object that nobody else has."""
    if not isinstance(value, cst.Call):
        return False
    if isinstance(value.func, cst.Attribute) and value.func.attr.value in SHALLOW_METHODS:
        return True
    for referent in names.refer(value.func):
        match referent:
            case Defined(node=cst.ClassDef()):
                continue
            case Imported(dotted=dotted) if canonical(dotted) in UPDATE_FUNCTIONS:
                continue
            case _:
                return False
    return True


def _can_be_given(refused: Refused, target: cst.Attribute, node: cst.CSTNode) -> bool:
    """Whether a copy can be made that differs in the attribute."""
    info, name, kind = refused.info, refused.attribute, refused.kind
    if target.attr.value.startswith("__"):
        return False  # in its class it has another name than in a call
    if name == "self" and _method(update(kind, info) or "") == "replace":
        return False  # the method itself has a parameter of that name
    if info is not None:
        makers = () if kind.label in _COPIED_AS_THEY_ARE else _CONSTRUCTION
        own = {name, *makers, _method(update(kind, info) or "") or name}
        if any(info.method(item) is not None for item in own):
            return False
        every = [item for owner in info.mro for item in own_fields(owner)]
        if any(item.kind == "InitVar" for item in every):
            return False  # it has to be given again
        declared = [item for item in every if item.name == name]
        if declared:
            hidden = any(map(_is_hidden, declared))
            if _is_tree(kind.update):  # None is no node of a tree
                hidden = declared[0].kind in _MAY_BE_NONE
            if isinstance(node, cst.AugAssign) and declared[0].kind in CONTAINER_TYPES:
                return False  # whose += and + are not the same
            return not hidden and name not in static_fields(info)  # which hold no Tracers
        if any(name in owner.bound for owner in info.mro):
            return False
    if isinstance(node, cst.AugAssign):
        return True
    assert isinstance(node, cst.Assign)
    return any(item.deep_equals(target) for item in walk(node.value))  # it is there


def _is_hidden(field: Field) -> bool:
    """Whether a field is none of those that a constructor takes."""
    options = dict(field.value.keywords) if isinstance(field.value, Call) else {}
    return options.get("init") == Const(False)


def _method(spelled: str) -> str | None:
    """The method by which objects are copied, if it is one."""
    name = spelled.removesuffix("(...)")
    return name.removeprefix(".") if name.startswith(".") else None


def _is_tree(spelled: str) -> bool:
    """Whether copies are made by naming a place of the tree."""
    return spelled == EQUINOX.update


@dataclass(frozen=True)
class _Update:
    """How to spell a changed copy in some place."""

    spelled: str
    function: cst.BaseExpression | None
    """What to call, where it is not a method of the object."""
    needs: str | None = None
    """The module that has to be imported for that."""

    def call(self, name: str, attribute: str, value: cst.BaseExpression) -> cst.Call:
        """The call that makes a copy of a variable's object."""
        if self.function is None:
            method = cst.Attribute(cst.Name(name), cst.Name(_method(self.spelled) or ""))
            return call_with(method, value, name=attribute)
        copied = cst.Arg(cst.Name(name))
        if not _is_tree(self.spelled):
            return call_with(self.function, value, copied, name=attribute)
        where = cst.Arg(cst.parse_expression(f"lambda tree: tree.{attribute}"))
        return call_with(self.function, value, where, copied)


def _update(spelled: str, names: Names) -> _Update | None:
    if _method(spelled) is not None:
        return _Update(spelled, None)
    dotted = spelled.removesuffix("(...)")
    module, _, function = dotted.rpartition(".")
    for name in sorted(names.module.binding):
        if not all(item.certain and not item.fallback for item in names.bindings(name)):
            continue  # it may be there for type checkers only
        match names.refer(cst.Name(name)):
            case [Imported(dotted=known)] if known == dotted:
                return _Update(spelled, cst.Name(name))
            case [Imported(dotted=known)] if known == module:
                return _Update(spelled, cst.Attribute(cst.Name(name), cst.Name(function)))
    if names.is_bound(module):
        return None
    return _Update(spelled, cst.Attribute(cst.Name(module), cst.Name(function)), module)
