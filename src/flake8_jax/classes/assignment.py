"""Whether a pytree library alone decides what may be assigned on instances of a class.

A library freezes its classes by their ``__setattr__``. It is known to be in force if all that makes
the class is known: its ancestors, its metaclass and its decorators, and if none of them puts
another ``__setattr__`` in its place, or another class in that of the instance.
"""

import sys
from collections.abc import Iterator

from flake8_jax.classes import limits
from flake8_jax.classes.arguments import keyword
from flake8_jax.classes.table import (
    Base,
    ClassInfo,
    class_of,
    factory,
    keywords,
)
from flake8_jax.classes.walks import first_parameter, inside, is_var, placed, stores
from flake8_jax.knowledge.listed import known_as
from flake8_jax.knowledge.pytrees import BASE_PACKAGES, BASES, KEEPS_CLASSES, MARKERS, UNFREEZES
from flake8_jax.lowering.program import (
    Attr,
    Call,
    Closure,
    Const,
    Define,
    Delete,
    Expr,
    Function,
    Item,
    NewDict,
    Return,
    Store,
    Unpack,
    Var,
    With,
)
from flake8_jax.lowering.walk import flat
from flake8_jax.resolution.callee import all_in, callees
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.modules import Module
from flake8_jax.resolution.resolve import Definition, Expression, Referent, resolve
from flake8_jax.resolution.scopes import Position, Scope, inner_scope, module_scope

_CHANGED = UNFREEZES | {"__class__", "_pytree__initializing", "_pytree__mutable"}
"""What is set to let an object be assigned: by its class, or by the library's own switch."""
_NEW_CLASSES = frozenset({"types.new_class", "dataclasses.make_dataclass"})
_MAKERS = frozenset({"__new__", "__init__", "__post_init__", "__init_subclass__"})


def keeps_its_rule(info: ClassInfo) -> bool:
    """Whether the pytree library alone decides what may be assigned on instances of a class."""
    return info.once(keeps_its_rule, lambda: _keeps_its_rule(info))


def _keeps_its_rule(info: ClassInfo) -> bool:
    if not info.ancestry.is_whole or not all(map(_is_known, info.mro)):
        return False
    return not any(map(_has_own_rule, info.subclasses))


def _is_known(info: ClassInfo) -> bool:
    """Whether a class body, and what is applied to it, are seen to leave assignments alone."""
    own = info.definition
    return info.once(
        _is_known,
        lambda: (
            not _has_own_rule(info)
            and all(name is not None for name, _ in info.made.keywords)
            and all(_is_known_base(item) for base in info.bases for item in base)
            and _is_known_metaclass(info)
            and all(_leaves(item, info) for item in own.statement.decorators)
            and not _is_patched(info)
        ),
    )


def _has_own_rule(info: ClassInfo) -> bool:
    """Whether a class body brings its own way of being assigned."""
    if not UNFREEZES.isdisjoint(info.bound):
        return True
    makers = [method for name, method in info.methods.items() if name in _MAKERS]
    new = info.methods.get("__new__")
    return any(changes_assignment(item) for item in makers) or (
        new is not None and isinstance(new.made, Function) and not _makes_own(new.made)
    )


def _is_known_base(base: Base) -> bool:
    match base:
        case External():
            return _is_library(base.dotted)
        case Expression():
            return factory(base) is not None
    return base is not None


def _is_library(dotted: str) -> bool:
    """Whether a library is known to leave the classes alone that it is given, or to freeze them."""
    top = dotted.partition(".")[0]
    return (
        top in sys.stdlib_module_names
        or top == "builtins"
        or top in KEEPS_CLASSES
        or known_as(dotted) in BASES
        or known_as(dotted) in MARKERS
        or dotted.rpartition(".")[0] in BASE_PACKAGES
    )


def _is_known_metaclass(info: ClassInfo) -> bool:
    value = keyword(keywords(info), "metaclass")
    return value is None or all(
        _is_quiet_metaclass(item) for item in resolve(value.scope, value.expr, value.position)
    )


def _is_quiet_metaclass(referent: Referent) -> bool:
    """Whether a metaclass neither calls its classes in a way of its own nor changes them."""
    match referent:
        case External():
            return _is_library(referent.dotted)
        case Expression(expr=Call(callee=Var(name="type"), args=[_])):
            return True
    meta = class_of(referent)
    return meta is not None and all(
        "__call__" not in item.methods
        and not any(map(changes_assignment, item.methods.values()))
        and all(
            isinstance(part, ClassInfo) or _is_quiet_metaclass(part)
            for base in item.bases
            for part in base
        )
        for item in meta.mro
    )


def _leaves(decorator: Expr, info: ClassInfo) -> bool:
    """Whether a decorator leaves the class as it is, or makes of it what the tables say."""
    while isinstance(decorator, Call):
        decorator = decorator.callee
    own = info.definition
    return all(map(leaves_class, resolve(own.scope, decorator, own.position)))


def leaves_class(referent: Referent) -> bool:
    """Whether what is applied to a class or an object leaves it alone what may be assigned."""
    match referent:
        case External():
            return _is_library(referent.dotted)
        case Definition(made=Function()):
            return not changes_assignment(referent)
        case Definition():
            info = class_of(referent)
            return info is not None and not any(map(changes_assignment, info.methods.values()))
        case Expression(expr=Call() as call):
            used = callees(referent.scope, call, referent.position)
            names = [item.target.dotted for item in used if isinstance(item.target, External)]
            return len(names) == len(used) > 0 and all(map(_is_library, names))
        case Expression(expr=Closure(function=function)):
            scope = inner_scope(function, referent.scope, referent.position)
            return not _changes(function, scope, limits.CALL_STEPS)
        case Expression(expr=Attr(base=owner, name=name)):
            return _method_leaves(owner, name, referent.scope)
    return False


def _method_leaves(owner: Expr, name: str, scope: Scope) -> bool:
    """Whether a method of an object of the project, as in ``@REGISTRY.add``, changes nothing."""
    for referent in resolve(scope, owner):
        if not isinstance(referent, Expression) or not isinstance(referent.expr, Call):
            return False
        for item in resolve(referent.scope, referent.expr.callee):
            info = class_of(item)
            method = info.method(name) if info is not None else None
            if method is None or changes_assignment(method):
                return False
    return True


def _is_patched(info: ClassInfo) -> bool:
    """Whether statements of its module change the class once it is there."""
    module = info.module
    scope = module_scope(module)
    for block in module.blocks:
        if block.defines or block.is_import or info.name not in block.words:
            continue
        if not block.has("(") and not block.has("__setattr__"):
            continue
        program = module.program(block)
        for node, here, _ in placed(program.body, scope, block.index) if program else ():
            if _sets_rule(node):
                return True
            if isinstance(node, Call) and _calls_change(node, here, limits.CALL_STEPS):
                return True
    return False


def opens(scope: Scope, manager: Expr, position: Position) -> bool:
    """Whether a context manager that is given an object may let it be assigned."""
    while isinstance(manager, Call):
        manager = manager.callee
    return not all(map(leaves_class, resolve(scope, manager, position)))


def opened_inside(function: Function, scope: Scope) -> bool:
    """Whether a function itself changes what may be assigned, before a context manager does."""
    key = (opened_inside, function)
    return scope.module.once(key, lambda: _opened_inside(function, scope))


def _opened_inside(function: Function, scope: Scope) -> bool:
    managers = set[int]()
    for node, here, _ in inside(function, scope):
        if isinstance(node, With):
            managers |= {id(context) for context, _ in node.items}
        if _sets_rule(node):
            return True
        if isinstance(node, Call) and id(node) not in managers:
            if _calls_change(node, here, limits.CALL_STEPS):
                return True
    return False


def changes_assignment(own: Definition, steps: int = limits.CALL_STEPS) -> bool:
    """Whether a function changes what may be assigned: on a class, or on an object it is given."""
    return isinstance(own.made, Function) and _changes(own.made, own.inside, steps)


def _changes(function: Function, scope: Scope, steps: int) -> bool:
    key = (changes_assignment, function, steps)
    return scope.module.once(key, lambda: _is_changing(function, scope, steps))


def _is_changing(function: Function, scope: Scope, steps: int) -> bool:
    return any(
        _sets_rule(node)
        or (
            isinstance(node, Call)
            and (_makes_class(node, here) or _calls_change(node, here, steps))
        )
        for node, here, _ in inside(function, scope)
    )


def _sets_rule(node: object) -> bool:
    """Whether a node gives a class another rule, or an object another class."""
    match node:
        case Store(targets=targets):
            return any(_is_rule(item) for target in targets for item in _single(target))
        case Call(args=args, keywords=named):
            return any(_is_text(item) for item in args) or any(
                name in _CHANGED for name, _ in named
            )
        case NewDict(keys=keys):
            return any(_is_text(key) for key in keys)
        case Define(made=Function(name=name)):
            return name in UNFREEZES
        case Delete(target=Attr(name=name)):
            return name in UNFREEZES
    return False


def _single(target: object) -> Iterator[object]:
    stack = [target]
    while stack:
        here = stack.pop()
        if isinstance(here, Unpack):
            stack += here.targets
        else:
            yield here


def _is_rule(target: object) -> bool:
    match target:
        case Attr(name=name):
            return name in _CHANGED
        case Item(key=key):
            return _is_text(key)
    return False


def _is_text(expr: Expr | None) -> bool:
    return isinstance(expr, Const) and isinstance(expr.value, str) and expr.value in _CHANGED


def _makes_class(call: Call, scope: Scope) -> bool:
    """Whether a call makes a class: ``type(name, bases, members)``."""
    if is_var(call.callee, "type"):
        return len(call.args) + len(call.keywords) > 1
    if not isinstance(call.callee, Var | Attr) or not _may_make_classes(scope.module):
        return False
    return all_in(callees(scope, call.callee), _NEW_CLASSES)


def _may_make_classes(module: Module) -> bool:
    """Whether a module mentions a function that makes classes."""
    words = [name.rpartition(".")[2] for name in _NEW_CLASSES]
    return module.once(_may_make_classes, lambda: any(word in module.file.text for word in words))


def _calls_change(call: Call, scope: Scope, steps: int) -> bool:
    """Whether a call leads to a function of the project that changes what may be assigned."""
    if not steps or not isinstance(call.callee, Var | Attr):
        return False
    return any(
        changes_assignment(item, steps - 1)
        for item in resolve(scope, call.callee)
        if isinstance(item, Definition)
    )


def _makes_own(new: Function) -> bool:
    """Whether ``__new__`` hands back a new instance of the class itself, and nothing else."""
    cls = first_parameter(new)
    made = {
        target.name
        for item in stores(new.body)
        for target in item.targets
        if isinstance(target, Var) and _is_new(item.value, cls)
    }
    results = [item.value for item in flat(new.body) if isinstance(item, Return)]
    return all((isinstance(it, Var) and it.name in made) or _is_new(it, cls) for it in results)


def _is_new(expr: Expr | None, cls: str | None) -> bool:
    match expr:
        case Call(callee=Attr(name="__new__"), args=(first, *_)):
            return is_var(first, cls)
    return False
