"""Registration: which classes are pytrees, of which kind, and by which marker.

A class is one by a base, a decorator, a metaclass, or a call after it was defined, of a library or
of the project's own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from flake8_jax.classes.arguments import is_constant, keyword
from flake8_jax.classes.markers import Registration, marking, marking_within
from flake8_jax.classes.table import (
    DATACLASS,
    Base,
    ClassInfo,
    class_arguments,
    class_of,
    classes,
    classes_named,
    decorations,
    factory,
    keywords,
)
from flake8_jax.classes.walks import is_abstract, placed
from flake8_jax.knowledge.listed import known_as, shown
from flake8_jax.knowledge.pytrees import (
    BASE_FACTORIES,
    BASE_PACKAGES,
    BASES,
    REGISTERED_STATIC,
)
from flake8_jax.lowering.program import (
    Attr,
    Body,
    Call,
    Class,
    Clause,
    Define,
    Expr,
    For,
    Function,
    New,
    NewDict,
    Target,
    Unpack,
    Var,
)
from flake8_jax.resolution.callee import arguments
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.modules import Module
from flake8_jax.resolution.resolve import Definition, Expression, definition, resolve
from flake8_jax.resolution.scopes import Scope, module_scope

_SUBCLASS_HOOKS = ("__init_subclass__", "__new__")
_METACLASS_HOOKS = ("__new__", "__init__")
_NO_PYTREES = frozenset({"builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"})
_OPEN_BASES = frozenset({"abc.ABC", "typing.Protocol"})


def registration(info: ClassInfo) -> Registration | None:
    """What makes a class a pytree; None where nothing does, or it cannot be told."""
    if (registration, info.made) not in info.module.memo:
        for ancestor in reversed(info.mro):  # so that no chain of them is followed by recursion
            _registration(ancestor)
    return _registration(info)


def _registration(info: ClassInfo) -> Registration | None:
    return info.once(registration, lambda: _marked(info) or _inherited(info))


def pytrees(module: Module) -> tuple[ClassInfo, ...]:
    """The classes of a module that are pytrees."""
    return tuple(info for info in classes(module) if registration(info) is not None)


def is_known_non_pytree(info: ClassInfo) -> bool:
    """Whether all ancestors are known and none is a pytree."""
    if not info.ancestry.is_whole:
        return False
    return all(registration(item) is None and _has_plain_bases(item) for item in info.mro)


def _has_plain_bases(info: ClassInfo) -> bool:
    return all(
        isinstance(item, ClassInfo) or (isinstance(item, External) and item.dotted in _NO_PYTREES)
        for base in info.bases
        for item in base
    )


def is_static(info: ClassInfo) -> bool:
    """Whether JAX hands an instance over as it is, as static data."""
    made = registration(info)
    return made is not None and made.kind.label == REGISTERED_STATIC.label


def is_refused(info: ClassInfo) -> bool:
    """Whether JAX takes no instance as an argument: neither it nor a subclass is a pytree.

    What others are to implement may be one, and so may what a decorator makes that is not known.
    Subclasses and registrations are looked for in the module of the class.
    """
    return info.once(is_refused, lambda: _is_refused(info))


def _is_refused(info: ClassInfo) -> bool:
    if not is_known_non_pytree(info) or any(_may_be_anything(item) for item in info.mro):
        return False
    return all(is_known_non_pytree(item) for item in info.subclasses)


def _may_be_anything(info: ClassInfo) -> bool:
    bases = [item for base in info.bases for item in base]
    if any(isinstance(item, External) and item.dotted in _OPEN_BASES for item in bases):
        return True
    functions = [item.made for item in info.methods.values()]
    if info.made.keywords or any(is_abstract(f) for f in functions if isinstance(f, Function)):
        return True
    return not all(
        len(found) == 1 and found[0].target == External(DATACLASS)
        for found in decorations(info.definition)
    )


def _marked(info: ClassInfo) -> Registration | None:
    """What makes a class itself a pytree, and not one of its bases."""
    own = info.definition
    for decorator in own.statement.decorators:
        made = marking(own.scope, decorator, own.position)
        if made is not None:
            return made
    return _registered(info) or _by_metaclass(info)


def _by_metaclass(info: ClassInfo) -> Registration | None:
    metaclass = keyword(keywords(info), "metaclass")
    if metaclass is None:
        return None
    for referent in resolve(metaclass.scope, metaclass.expr, metaclass.position):
        meta = class_of(referent)
        for name in _METACLASS_HOOKS if meta is not None else ():
            made = _marked_by(meta.method(name) if meta is not None else None)
            if made is not None:
                return replace(made, kind=replace(made.kind, heritable=True))
    return None


def _marked_by(method: Definition | None) -> Registration | None:
    if method is None or not isinstance(method.made, Function):
        return None
    return marking_within(method.made, method.inside)


def _inherited(info: ClassInfo) -> Registration | None:
    if not info.ancestry.is_whole:
        return None
    for base in info.bases:
        found = [_from_base(item) for item in base]
        made = [item for item in found if item is not None]
        if not made or len(made) < len(found):
            continue
        switch = made[0].kind.switch
        if switch and is_constant(keyword(keywords(info), switch), False):
            return None
        return made[0]
    return None


def _from_base(base: Base) -> Registration | None:
    match base:
        case External(dotted=name):
            kind = BASES.get(known_as(name)) or BASE_PACKAGES.get(name.rpartition(".")[0])
            return Registration(kind, shown(name)) if kind else None
        case ClassInfo():
            return _from_parent(base)
        case Expression():
            name_of_factory = factory(base)
            if name_of_factory is not None:
                return Registration(BASE_FACTORIES[name_of_factory], name_of_factory)
    return None


def _from_parent(parent: ClassInfo) -> Registration | None:
    made = _registration(parent)
    if made is not None and made.kind.heritable:
        filling = made.kind.heir_filling or made.kind.filling
        return replace(made, kind=replace(made.kind, filling=filling))
    for name in _SUBCLASS_HOOKS:
        made = _marked_by(parent.methods.get(name))
        if made is not None:
            switch = made.kind.switch or "pytree"
            return replace(made, kind=replace(made.kind, heritable=True, switch=switch))
    return None


def _registered(info: ClassInfo) -> Registration | None:
    """What makes a class a pytree after it was defined: ``register_pytree_node(Foo, …)``."""
    found = _registrations(info.module).get(info.made)
    scope = info.definition.scope
    if found is None and scope.made is not None:
        found = _registrations_in(scope).get(info.made)
    return found


def _registrations(module: Module) -> Mapping[Class, Registration]:
    """The classes that calls at the top level of a module register, or a function for that."""
    return module.once(_registrations, lambda: _in_module(module))


def _in_module(module: Module) -> Mapping[Class, Registration]:
    found: dict[Class, Registration] = {}
    blocks = module.blocks
    names = frozenset[str]().union(*(block.classes for block in blocks))
    for block in blocks:  # lists of classes, to be registered in a loop
        if not block.defines and block.words & names:
            names |= block.names
    scope = module_scope(module)
    for block in blocks:
        if not block.has("(") or not block.words & names:
            continue
        if block.defines and not block.has("regist"):
            continue
        program = module.program(block)
        if program is None:
            continue
        if not block.defines:
            _register(program.body, scope, block.index, found)
            continue
        for statement in program.body:
            if isinstance(statement, Define) and isinstance(statement.made, Function):
                own = definition(scope, statement, (block.index, statement.span))
                _register(statement.made.body, own.inside, block.index, found)
    return found


def _registrations_in(scope: Scope) -> Mapping[Class, Registration]:
    """The classes that calls in a function register."""
    return scope.module.once((_registrations, scope.made), lambda: _in_function(scope))


def _in_function(scope: Scope) -> Mapping[Class, Registration]:
    found: dict[Class, Registration] = {}
    if scope.made is not None:
        _register(scope.made.body, scope, scope.index, found)
    return found


def _register(body: Body, scope: Scope, index: int, found: dict[Class, Registration]) -> None:
    nodes = [item.node for item in placed(body, scope, index, deep=False)]
    loops = dict(_loops(nodes))
    for call in nodes:
        if not isinstance(call, Call):
            continue
        for value in class_arguments(call):
            looped = loops.get(value.name) if isinstance(value, Var) else None
            values = [value] if looped is None else [value, *_listed(looped, scope)]
            named = [own for item in values for own in classes_named(item, scope)]
            made = marking(scope, call.callee) if named else None
            if made is None:
                continue
            if not made.via_project_function:
                passed = arguments(call, scope, (index, call.span))
                made = replace(made, arguments=(*made.arguments, *passed))
            for own in named:
                if isinstance(own.made, Class):
                    found.setdefault(own.made, made)


def _loops(nodes: list[object]) -> Iterator[tuple[str, Expr]]:
    """The variables of loops and comprehensions, and what they run over."""
    for node in nodes:
        if isinstance(node, For | Clause):
            target: Target = node.target
            if isinstance(target, Unpack) and len(target.targets) == 2:
                target = target.targets[1]
            if isinstance(target, Var):
                yield target.name, node.source


def _listed(source: Expr, scope: Scope) -> Iterator[Expr]:
    """The elements of a list or tuple that is written down, or the values of a dict."""
    match source:
        case Call(callee=Attr(base=owner, name="values" | "items")):
            source = owner
    for referent in resolve(scope, source):
        match referent:
            case Expression(expr=New(parts=parts)):
                yield from parts
            case Expression(expr=NewDict(values=values)):
                yield from values
