"""Assignments to attributes of frozen objects become bindings of their names to changed copies."""

from dataclasses import dataclass

import libcst as cst

from flake8_jax.classes.caches import is_instance_method
from flake8_jax.classes.layout import Field, own_fields, static_fields
from flake8_jax.classes.table import ClassInfo
from flake8_jax.classes.walks import first_parameter
from flake8_jax.fixes.binding import binding
from flake8_jax.fixes.callers import require_unexpected
from flake8_jax.fixes.declining import DeclinedError
from flake8_jax.fixes.edits import Changed, Edit, Fix
from flake8_jax.fixes.expressions import call_with, unaugmented
from flake8_jax.fixes.keeping import Keeping, kept_inside
from flake8_jax.fixes.names import Defined, Imported, Names
from flake8_jax.fixes.pieces import Piece
from flake8_jax.fixes.rebinding import Variable, bound
from flake8_jax.fixes.safety import Safety
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import CONTAINER_TYPES, SHALLOW_METHODS, UPDATE_FUNCTIONS
from flake8_jax.knowledge.pytrees import EQUINOX, NETKET, SIMPLE_PYTREE, Kind
from flake8_jax.lowering.program import Call, Const, Function
from flake8_jax.resolution.modules import Module
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
    line = piece.position(node)[0]
    if target is None:
        raise DeclinedError(
            f"line {line} does not assign one attribute by itself, with '=' or '+='"
        )
    if not isinstance(target.value, cst.Name):
        words = piece.quote(target.value)
        raise DeclinedError(f"'{words}' on line {line} is no variable that could hold a copy")
    variable = Variable(target.value.value, piece, node, Names.of(module))
    keeps = f"its {refused.attribute!r}"
    safety, alters = binding(variable, _is_new, keeps)
    edit, needs = copying(variable, refused)
    require_unexpected(variable)
    kept = _kept_by_methods(variable, refused.info)
    if kept is Keeping.SURE:
        raise DeclinedError(f"a method that is used before line {line} keeps {variable.name!r}")
    if variable.is_given and variable.is_wrapped:
        raise DeclinedError(
            f"a decorator of {variable.label!r} may drop the new object; return it to all callers"
        )
    handed = variable.handed_on_at
    another = variable.another(refused.attribute)
    if another is not None:
        safety, alters = Safety.UNSAFE, f"{another!r}, if it is the same object, keeps {keeps}"
    elif handed is not None:
        at = variable.line(handed)
        safety, alters = Safety.UNSAFE, f"what line {at} may have kept of the object keeps {keeps}"
    elif kept is Keeping.POSSIBLE:
        safety, alters = Safety.UNSAFE, f"what methods may have kept of the object keeps {keeps}"
    return Fix((edit,), safety, alters, needs, beside=variable.places)


def _kept_by_methods(variable: Variable, info: ClassInfo | None) -> Keeping:
    """Whether methods of the object keep it, or are kept themselves, before the statement."""
    found = [Keeping.NONE]
    for member, is_called in variable.members_before if info is not None else ():
        method = info.method(member) if info is not None else None
        if method is not None and not is_called and not method.statement.decorators:
            found.append(Keeping.SURE)
        elif method is not None and is_instance_method(method):
            owner = first_parameter(method.made) if isinstance(method.made, Function) else None
            found.append(kept_inside(method, owner or "", False))
    return max(found)


def copying(variable: Variable, refused: Refused) -> tuple[Edit, str | None]:
    """The edit that binds a variable to a changed copy, and the module that it needs."""
    node = variable.statement
    line = variable.line(node)
    target = _target(node)
    if target is None:
        raise DeclinedError(
            f"line {line} does not assign one attribute by itself, with '=' or '+='"
        )
    if _stored(node) is None:
        raise DeclinedError(f"the value on line {line} cannot stand in a call")
    reason = _misfit(refused, target, node)
    if reason is not None:
        raise DeclinedError(reason)
    spelled = update(refused.kind, refused.info)
    if spelled is None:
        raise DeclinedError(f"{_class(refused)} has no call that makes a changed copy")
    copied = _update(spelled, variable.names)
    if copied is None:
        raise DeclinedError(
            f"the name {spelled.partition('.')[0]!r} stands for something else here"
        )

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


def _class(refused: Refused) -> str:
    return repr(refused.info.name) if refused.info is not None else refused.kind.label


def _misfit(refused: Refused, target: cst.Attribute, node: cst.CSTNode) -> str | None:
    """Why no copy can be made that differs in the attribute, if that is so."""
    info, name, kind = refused.info, refused.attribute, refused.kind
    if target.attr.value.startswith("__"):
        return f"{target.attr.value!r} has another name in a call than in its class"
    copier = _method(update(kind, info) or "")
    if name == "self" and copier == "replace":
        return "the method 'replace' has a parameter 'self' of its own"
    if info is not None:
        makers = () if kind.label in _COPIED_AS_THEY_ARE else _CONSTRUCTION
        for item in sorted({name, *makers, copier or name}):
            for cls in (info, *info.subclasses):
                if cls.method(item) is not None:
                    return f"{cls.name!r} has {item!r} of its own, which a copy would run"
        every = [item for owner in info.mro for item in own_fields(owner)]
        if any(item.kind == "InitVar" for item in every):
            return f"{info.name!r} has an InitVar, which a copy would have to be given again"
        declared = [item for item in every if item.name == name]
        if declared:
            return _unfit_field(refused, info, declared, node)
        if any(name in owner.bound for owner in info.mro):
            return f"{name!r} is no field of {info.name!r}"
    if isinstance(node, cst.AugAssign):
        return None
    assert isinstance(node, cst.Assign)
    if any(item.deep_equals(target) for item in walk(node.value)):  # it is there
        return None
    return f"{name!r} is not known to be a field of {_class(refused)}"


def _unfit_field(
    refused: Refused, info: ClassInfo, declared: list[Field], node: cst.CSTNode
) -> str | None:
    """Why a copy cannot be given a field, if that is so."""
    said = f"the field {refused.attribute!r}"
    if isinstance(node, cst.AugAssign) and declared[0].kind in CONTAINER_TYPES:
        return f"{said} holds a container, whose '+=' and '+' are not the same"
    if refused.attribute in static_fields(info):
        return f"{said} is static, and holds no Tracers"
    if _is_tree(refused.kind.update):
        is_maybe_none = declared[0].kind in _MAY_BE_NONE
        return f"{said} may be None, which is no node of a tree" if is_maybe_none else None
    return f"{said} is none that the constructor takes" if any(map(_is_hidden, declared)) else None


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
