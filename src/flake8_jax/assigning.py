"""Whether an assignment to an attribute of an instance is known to raise.

A pytree library freezes its classes by their ``__setattr__``. It is known to be in force if all
that makes the class is known: its ancestors, its metaclass and its decorators, and if none of them
puts another ``__setattr__`` in its place, or another class in that of the instance.
"""

import re
import sys
from collections.abc import Callable, Iterator
from typing import TypeVar, cast

import libcst as cst

from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import CONSTRUCTION
from flake8_jax.knowledge.pytrees import (
    BASE_FACTORIES,
    BASE_PACKAGES,
    BASES,
    KEEPS_CLASSES,
    MARKERS,
    UNFREEZES,
)
from flake8_jax.lazy import called_in_construction
from flake8_jax.model import Model, ModelClass
from flake8_jax.names import applied, refer
from flake8_jax.scopes import EVER, Defined, Imported, Referent, Scope, Valued, inner_scope
from flake8_jax.syntax import (
    Function,
    first_parameter,
    flat,
    is_name,
    keyword,
    last_part,
    string_value,
    walk,
)

T = TypeVar("T")

_DEEP = 4
"""Through how many functions that call each other a change of a class is looked for."""
_CHANGED = UNFREEZES | {"__class__", "_pytree__initializing", "_pytree__mutable"}
"""What is set to let an object be assigned: by its class, or by the library's own switch."""
_NEW_CLASSES = frozenset({"types.new_class", "dataclasses.make_dataclass"})
_MAKERS = frozenset({"__new__", "__init__", "__post_init__", "__init_subclass__"})


def keeps_its_rule(cls: ModelClass) -> bool:
    """Whether the pytree library alone decides what may be assigned on instances of a class."""
    return _once(cls, keeps_its_rule, lambda: _keeps_its_rule(cls))


def _keeps_its_rule(cls: ModelClass) -> bool:
    if not all(_is_known(item) for item in cls.lineage):
        return False
    heirs = cls.model.heirs(cls)
    return not any(_has_own_rule(item) for item in heirs)


def _is_known(cls: ModelClass) -> bool:
    """Whether a class body, and what is applied to it, are seen to leave assignments alone."""
    return _once(
        cls,
        _is_known,
        lambda: (
            not _has_own_rule(cls)
            and not any(argument.star for argument in (*cls.node.bases, *cls.node.keywords))
            and all(_is_known_base(cls, item) for base in cls.bases for item in base)
            and _is_known_metaclass(cls)
            and all(_leaves(item.decorator, cls) for item in cls.node.decorators)
            and not _is_patched(cls)
        ),
    )


def _has_own_rule(cls: ModelClass) -> bool:
    """Whether a class body brings its own way of being assigned."""
    if not UNFREEZES.isdisjoint(cls.members):
        return True
    makers = [method for name, method in cls.methods.items() if name in _MAKERS]
    new = cls.methods.get("__new__")
    return any(changes_assignment(item, cls.scope) for item in makers) or (
        new is not None and not _makes_own(new)
    )


def _is_known_base(cls: ModelClass, base: Referent) -> bool:
    match base:
        case Imported():
            return _is_library(base.dotted)
        case Valued(node=cst.Call() as call):
            if applied(call.func, base.scope, base.at).all_in(BASE_FACTORIES):
                return True
    return cls.model.class_of(base) is not None


def _is_library(dotted: str) -> bool:
    """Whether a library is known to leave the classes alone that it is given, or to freeze them."""
    name = canonical(dotted)
    top = name.partition(".")[0]
    return (
        top in sys.stdlib_module_names
        or top == "builtins"
        or top in KEEPS_CLASSES
        or name in BASES
        or name in MARKERS
        or name.rpartition(".")[0] in BASE_PACKAGES
    )


def _is_known_metaclass(cls: ModelClass) -> bool:
    node = keyword(tuple(cls.node.keywords), "metaclass")
    return node is None or all(
        _is_quiet_metaclass(cls.model, item) for item in refer(node, cls.outer, cls.at)
    )


def _is_quiet_metaclass(model: Model, referent: Referent) -> bool:
    """Whether a metaclass neither calls its classes in a way of its own nor changes them."""
    match referent:
        case Imported():
            return _is_library(referent.dotted)
        case Valued(node=cst.Call(func=cst.Name(value="type"), args=[_])):
            return True
    meta = model.class_of(referent)
    if meta is None:
        return False
    return all(
        "__call__" not in item.methods
        and not any(changes_assignment(method, item.scope) for method in item.methods.values())
        for item in meta.lineage
    ) and all(
        _is_quiet_metaclass(item.model, base)
        for item in meta.lineage
        for referents in item.bases
        for base in referents
        if item.model.class_of(base) is None
    )


def _leaves(decorator: cst.BaseExpression, cls: ModelClass) -> bool:
    """Whether a decorator leaves the class as it is, or makes of it what the tables say."""
    return all(
        _leaves_class(item, cls.model) for item in refer(_called(decorator), cls.outer, cls.at)
    )


def _called(node: cst.BaseExpression) -> cst.BaseExpression:
    while isinstance(node, cst.Call):
        node = node.func
    return node


def _leaves_class(referent: Referent, model: Model) -> bool:
    match referent:
        case Imported():
            return _is_library(referent.dotted)
        case Defined(node=cst.FunctionDef() as function):
            return not changes_assignment(function, referent.scope)
        case Defined(node=cst.ClassDef()):
            cls = model.class_of(referent)
            return cls is not None and not any(
                changes_assignment(item, cls.scope) for item in cls.methods.values()
            )
        case Valued(node=cst.Call() as call):
            used = applied(call, referent.scope, referent.at)
            return bool(used.names) and all(map(_is_library, used.names))
        case Valued(node=cst.Lambda() as function):
            return not changes_assignment(function, referent.scope)
        case Valued(node=cst.Attribute(value=owner, attr=cst.Name(value=name))):
            return _method_leaves(owner, name, referent.scope, model)
    return False


def _method_leaves(owner: cst.BaseExpression, name: str, scope: Scope, model: Model) -> bool:
    """Whether a method of an object of the project, as in ``@REGISTRY.add``, changes nothing."""
    for referent in refer(owner, scope):
        match referent:
            case Valued(node=cst.Call() as call):
                made = [model.class_of(item) for item in refer(call.func, referent.scope)]
                for cls in made:
                    method = cls.method(name) if cls is not None else None
                    if cls is None or method is None:
                        return False
                    if changes_assignment(method, cls.home_of(method).scope):
                        return False
            case _:
                return False
    return True


def _is_patched(cls: ModelClass) -> bool:
    """Whether statements of its module change the class once it is there."""
    for piece in cls.model.scope.source.pieces:
        block = piece.block
        if block.defines or block.is_import or cls.name not in block.words or not block.has("("):
            if not (cls.name in block.words and block.has("__setattr__")) or block.defines:
                continue
        for node in walk(piece.tree) if piece.tree is not None else ():
            if _sets_rule(node):
                return True
            if isinstance(node, cst.Call) and _calls_change(node, cls.model.scope, _DEEP):
                return True
    return False


def changes_assignment(function: Function, outer: Scope, steps: int = _DEEP) -> bool:
    """Whether a function changes what may be assigned: on a class, or on an object it is given."""
    return outer.top.source.file.analysed(
        (changes_assignment, function, steps),
        lambda: _changes_assignment(function, outer, steps),
    )


def _changes_assignment(function: Function, outer: Scope, steps: int) -> bool:
    scope = _inside(function, outer)
    for node in walk(function.body):
        if _sets_rule(node) or _makes_class(node, scope):
            return True
        if isinstance(node, cst.Call) and _calls_change(node, scope, steps):
            return True
    return False


def _inside(function: Function, outer: Scope) -> Scope:
    if isinstance(function, cst.Lambda):
        return outer
    return inner_scope(function, outer, EVER)


def _sets_rule(node: cst.CSTNode) -> bool:
    """Whether a node gives a class another rule, or an object another class."""
    match node:
        case cst.AssignTarget(target=cst.Attribute(attr=cst.Name(value=name))):
            return name in _CHANGED
        case cst.AssignTarget(target=cst.Subscript(slice=[cst.SubscriptElement(slice=index)])):
            return isinstance(index, cst.Index) and string_value(index.value) in _CHANGED
        case cst.Arg(keyword=None, value=value):
            return string_value(value) in _CHANGED
        case cst.Arg(keyword=cst.Name(value=name)):
            return name in _CHANGED
        case cst.DictElement(key=key):
            return string_value(key) in _CHANGED
        case cst.FunctionDef(name=cst.Name(value=name)):
            return name in UNFREEZES
        case cst.Del(target=cst.Attribute(attr=cst.Name(value=name))):
            return name in UNFREEZES
    return False


def _makes_class(node: cst.CSTNode, scope: Scope) -> bool:
    """Whether a node makes a class by a call: ``type(name, bases, members)``."""
    if not isinstance(node, cst.Call):
        return False
    if is_name(node.func, "type"):
        return len(node.args) > 1
    return applied(node.func, scope).all_in(_NEW_CLASSES)


def _calls_change(call: cst.Call, scope: Scope, steps: int) -> bool:
    """Whether a call leads to a function of the project that changes what may be assigned."""
    if not steps or not isinstance(call.func, cst.Name | cst.Attribute):
        return False
    return any(
        changes_assignment(item.node, item.scope, steps - 1)
        for item in refer(call.func, scope)
        if isinstance(item, Defined) and isinstance(item.node, cst.FunctionDef)
    )


def _makes_own(new: cst.FunctionDef) -> bool:
    """Whether ``__new__`` hands back a new instance of the class itself, and nothing else."""
    cls = first_parameter(new)
    made: set[str] = set()
    results: list[cst.BaseExpression | None] = []
    for item in flat(new.body):
        match item:
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value
            ) if _is_new(value, cls):
                made.add(name)
            case cst.Return():
                results.append(item.value)
    return all(
        (isinstance(item, cst.Name) and item.value in made) or _is_new(item, cls)
        for item in results
    )


def _is_new(node: cst.BaseExpression | None, cls: str | None) -> bool:
    match node:
        case cst.Call(func=cst.Attribute(attr=cst.Name(value="__new__")), args=[first, *_]):
            return is_name(first.value, cls or "")
    return False


def manager_opens(node: cst.BaseExpression, scope: Scope, model: Model) -> bool:
    """Whether a context manager that is given an object may let it be assigned."""
    return any(not _leaves_class(item, model) for item in refer(_called(node), scope))


def opened_within(function: Function, outer: Scope, cls: ModelClass) -> bool:
    """Whether a function itself changes what may be assigned, before a context manager does."""
    return outer.top.source.file.analysed(
        (opened_within, function, cls), lambda: _opened_within(function, outer, cls)
    )


def _opened_within(function: Function, outer: Scope, cls: ModelClass) -> bool:
    scope = _inside(function, outer)
    nodes = list(walk(function.body))
    managers = {item.item for node in nodes if isinstance(node, cst.With) for item in node.items}
    for node in nodes:
        if _sets_rule(node):
            return True
        if isinstance(node, cst.Call) and node not in managers:
            if _calls_change(node, scope, _DEEP):
                return True
            method = cls.method(last_part(node.func) or "")
            if isinstance(node.func, cst.Attribute) and method is not None:
                if changes_assignment(method, cls.home_of(method).scope):
                    return True
    return False


def is_called_in_construction(cls: ModelClass, name: str) -> bool:
    """Whether a method is part of construction: that of the class, or of a subclass elsewhere."""
    if any(name in _steps_of_construction(item) for item in (cls, *heirs_anywhere(cls))):
        return True
    private = name.startswith("_") and not name.endswith("__")
    text = cls.model.scope.source.file.text
    return private and re.search(rf"\.\s*{name}\b", text) is None  # it is there for subclasses


def _steps_of_construction(cls: ModelClass) -> frozenset[str]:
    """The methods that a constructor calls on self, or names to call them in a loop."""
    called = called_in_construction(cls)
    listed: set[str] = set()
    for item in cls.lineage:
        for name in (CONSTRUCTION | called) & item.methods.keys():
            method = item.methods[name]
            for node in walk(method.body):
                match node:
                    case cst.Element(value=value) | cst.DictElement(value=value):
                        if isinstance(value, cst.Attribute):
                            if is_name(value.value, first_parameter(method) or ""):
                                listed.add(value.attr.value)
    return called | listed


def heirs_anywhere(cls: ModelClass) -> tuple[ModelClass, ...]:
    """The subclasses of a class in all files of the project."""
    return _once(cls, heirs_anywhere, lambda: tuple(_heirs_anywhere(cls)))


def _heirs_anywhere(cls: ModelClass) -> Iterator[ModelClass]:
    found = dict.fromkeys(cls.model.heirs(cls))
    names, asked = {cls.name, *(item.name for item in found)}, set[str]()
    while names - asked:
        name = (names - asked).pop()
        asked.add(name)
        for scope in cls.model.scope.links.mentioning(name):
            heirs = [item for item in Model.of(scope).classes if cls in item.lineage]
            found |= dict.fromkeys(item for item in heirs if item is not cls)
        names |= {item.name for item in found}
    yield from found


def _once(cls: ModelClass, key: object, compute: Callable[[], T]) -> T:
    if key not in cls.memo:
        cls.memo[key] = compute()
    return cast("T", cls.memo[key])
