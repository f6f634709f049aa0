"""Assignments to attributes of frozen objects become bindings of their names to changed copies."""

from dataclasses import dataclass

import libcst as cst

from flake8_jax.fixes.callers import expect_error
from flake8_jax.fixes.edits import Changed, Edit, Fix
from flake8_jax.fixes.expressions import call_with, unaugmented
from flake8_jax.fixes.keeping import Keeping
from flake8_jax.fixes.rebinding import Variable, bound
from flake8_jax.fixes.safety import Safety
from flake8_jax.flow.values import FrozenWrite, Refusal
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import CONTAINER_TYPES, SHALLOW_METHODS, UPDATE_FUNCTIONS
from flake8_jax.knowledge.pytrees import EQUINOX, NETKET, SIMPLE_PYTREE, Kind
from flake8_jax.model import Model, ModelClass
from flake8_jax.names import refer
from flake8_jax.scopes import Defined, Imported, Scope
from flake8_jax.syntax import first_parameter, is_name, keyword, walk
from flake8_jax.tree import fields, static_fields

_CONSTRUCTION = ("__init__", "__new__", "__post_init__")
_MAY_BE_NONE = (None, "Any", "Optional", "Union")
_COPIED_AS_THEY_ARE = frozenset(kind.label for kind in (EQUINOX, NETKET, SIMPLE_PYTREE))
"""Kinds whose copies are made without the constructor."""


def bind_copy(model: Model, node: cst.CSTNode, write: FrozenWrite) -> Fix | None:
    """``state.x = v`` becomes ``state = state.replace(x=v)``, or what the library has for that."""
    target = _target(node)
    if write.by_caller or target is None or not isinstance(target.value, cst.Name):
        return None
    variable = Variable(target.value.value, write.piece, node, model.scope)
    safety = variable.binding(_is_new)
    edit = copying(variable, write.refusal) if safety is not None else None
    if edit is None or safety is None or expect_error(variable):
        return None
    kept = _kept_by_methods(variable, write.refusal.cls)
    if kept is Keeping.SURE:
        return None
    if variable.may_have_other_names or kept is Keeping.POSSIBLE:
        safety = Safety.UNSAFE
    return Fix((edit[0],), safety, edit[1], beside=variable.stores)


def _kept_by_methods(variable: Variable, cls: ModelClass | None) -> Keeping:
    """Whether methods of the object keep it, or are kept themselves, before the statement."""
    found = [Keeping.NONE]
    for member, is_called in variable.members_before if cls is not None else ():
        assert cls is not None
        method = cls.method(member)
        if method is None:
            continue
        home = cls.home_of(method)
        owner = first_parameter(method)
        if not is_called and not method.decorators:
            found.append(Keeping.SURE)
        elif owner is not None and cls.is_instance_method(method):
            top = home.model.scope
            found.append(Variable(owner, home.piece, method.body, top, 1).keeps(False))
    return max(found)


def copying(variable: Variable, refusal: Refusal) -> tuple[Edit, str | None] | None:
    """The edit that binds a variable to a changed copy, and the module that it needs."""
    node = variable.statement
    target = _target(node)
    if target is None or _stored(node) is None or not _can_be_given(refusal, target, node):
        return None
    update = _update(refusal.kind, variable.scope)
    if update is None:
        return None

    def changed(node: cst.CSTNode) -> Changed:
        value = _stored(node)
        assert value is not None
        call = update.call(variable.name, refusal.attribute, value)
        return bound(variable.name, node, call)

    return Edit(variable.piece, node, changed), update.needs


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


def _is_new(value: cst.BaseExpression, scope: Scope) -> bool:
    """Whether an expression makes an object that nobody else has."""
    if not isinstance(value, cst.Call):
        return False
    if isinstance(value.func, cst.Attribute) and value.func.attr.value in SHALLOW_METHODS:
        return True
    for referent in refer(value.func, scope):
        match referent:
            case Defined(node=cst.ClassDef()):
                continue
            case Imported(dotted=dotted) if canonical(dotted) in UPDATE_FUNCTIONS:
                continue
            case _:
                return False
    return True


def _can_be_given(refusal: Refusal, target: cst.Attribute, node: cst.CSTNode) -> bool:
    """Whether a copy can be made that differs in the attribute."""
    cls, name, kind = refusal.cls, refusal.attribute, refusal.kind
    if name.startswith("__"):
        return False  # in its class it has another name than in a call
    if cls is not None:
        makers = () if kind.label in _COPIED_AS_THEY_ARE else _CONSTRUCTION
        own = {name, *makers, _method(kind) or name}
        if any(cls.method(item) is not None for item in own):
            return False
        every = [item for owner in cls.lineage for item in fields(owner)]
        if any(item.annotation == "InitVar" for item in every):
            return False  # it has to be given again
        declared = [item for item in every if item.name == name]
        if declared:
            hidden = any(_is_hidden(owner, name) for owner in cls.lineage)
            if _is_tree(kind):  # None is no node of a tree
                hidden = declared[0].annotation in _MAY_BE_NONE
            if isinstance(node, cst.AugAssign) and declared[0].annotation in CONTAINER_TYPES:
                return False  # whose += and + are not the same
            return not hidden and name not in static_fields(cls)  # which hold no Tracers
        if any(name in owner.members for owner in cls.lineage):
            return False
    if isinstance(node, cst.AugAssign):
        return True
    assert isinstance(node, cst.Assign)
    return any(item.deep_equals(target) for item in walk(node.value))  # it is there


def _is_hidden(cls: ModelClass, name: str) -> bool:
    """Whether a field is none of those that a constructor takes."""
    for statement in cls.body:
        match statement:
            case cst.AnnAssign(target=cst.Name(value=field), value=cst.Call() as call):
                if field == name and is_name(keyword(tuple(call.args), "init"), "False"):
                    return True
    return False


def _method(kind: Kind) -> str | None:
    """The method by which objects of a kind are copied."""
    return _spelled(kind).removeprefix(".") if _spelled(kind).startswith(".") else None


def _spelled(kind: Kind) -> str:
    return kind.update.removesuffix("(...)")


def _is_tree(kind: Kind) -> bool:
    """Whether copies are made by naming a place of the tree."""
    return kind.update == EQUINOX.update


@dataclass(frozen=True)
class _Update:
    """How to spell a changed copy in some place."""

    kind: Kind
    function: cst.BaseExpression | None
    """What to call, where it is not a method of the object."""
    needs: str | None = None
    """The module that has to be imported for that."""

    def call(self, name: str, attribute: str, value: cst.BaseExpression) -> cst.Call:
        """The call that makes a copy of a variable's object."""
        if self.function is None:
            method = cst.Attribute(cst.Name(name), cst.Name(_method(self.kind) or ""))
            return call_with(method, value, name=attribute)
        copied = cst.Arg(cst.Name(name))
        if not _is_tree(self.kind):
            return call_with(self.function, value, copied, name=attribute)
        where = cst.Arg(cst.parse_expression(f"lambda tree: tree.{attribute}"))
        return call_with(self.function, value, where, copied)


def _is_bound(name: str, scope: Scope) -> bool:
    """Whether a name has some meaning already, here or around."""
    here: Scope | None = scope
    while here is not None:
        if here.bindings(name):
            return True
        here = here.parent
    return scope.top.binds(name)


def _update(kind: Kind, scope: Scope) -> _Update | None:
    if _method(kind) is not None:
        return _Update(kind, None)
    dotted = _spelled(kind)
    module, _, function = dotted.rpartition(".")
    for name in sorted(scope.top.names):
        bindings = scope.top.bindings(name)
        if not all(item.certain and not item.fallback for item in bindings):
            continue  # it may be there for type checkers only
        match refer(cst.Name(name), scope):
            case [Imported(dotted=known)] if known == dotted:
                return _Update(kind, cst.Name(name))
            case [Imported(dotted=known)] if known == module:
                return _Update(kind, cst.Attribute(cst.Name(name), cst.Name(function)))
    if refer(cst.Name(module), scope) != (None,) or _is_bound(module, scope):
        return None
    return _Update(kind, cst.Attribute(cst.Name(module), cst.Name(function)), module)
