"""The caches of a class: cached properties, and function caches on methods."""

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from flake8_jax.classes.arguments import is_constant, keyword
from flake8_jax.classes.custom_cached_property import Keeping, decorated_by
from flake8_jax.classes.layout import Routine, is_registered, may_hold_arrays, routine
from flake8_jax.classes.markers import Registration
from flake8_jax.classes.registration import pytrees, registration
from flake8_jax.classes.table import DATACLASS, ClassInfo, decorations, keywords
from flake8_jax.classes.walks import first_parameter, is_abstract
from flake8_jax.knowledge.caches import (
    CACHED_PROPERTIES,
    FUNCTION_CACHES,
    JITS,
    NOT_BOUND,
    OWN_CACHED_PROPERTY,
)
from flake8_jax.lowering.program import (
    Attr,
    Call,
    Closure,
    Define,
    Expr,
    Function,
    Kind,
    Spread,
    Store,
    Var,
)
from flake8_jax.resolution.bindings import bindings
from flake8_jax.resolution.callee import all_in, callees
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.modules import Module
from flake8_jax.resolution.resolve import Definition, Expression, definition, resolve
from flake8_jax.resolution.scopes import END, Position, Scope, inner_scope

_IMPLICIT_STATIC = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
_PROPERTY = External("builtins.property")


class CacheForm(Enum):
    """How a class keeps a value."""

    PROPERTY = "a cached property"
    FUNCTION = "a function cache on a method"


class Cache(NamedTuple):
    """A cache that a class body declares."""

    form: CacheForm
    attribute: str
    owner: ClassInfo
    """The class whose body declares it."""
    by: str
    """The dotted name of what caches."""
    function: Routine | None
    """What computes the value."""
    is_jitted: bool
    """Whether that is a jitted function."""
    position: Position
    """Where its statement stands."""
    decorator: int | None = None
    """The span of the decorator of a method that it is; None for an assignment."""


class PytreeCache(NamedTuple):
    """A cache that a pytree class declares, or inherits from a class that is none."""

    info: ClassInfo
    registration: Registration
    cache: Cache

    @property
    def is_inherited(self) -> bool:
        """Whether another class declares it."""
        return self.cache.owner is not self.info


def pytree_caches(module: Module, form: CacheForm) -> Iterator[PytreeCache]:
    """The caches of one form on the pytree classes of a module."""
    for info in pytrees(module):
        made = registration(info)
        if made is not None and may_hold_arrays(info, made):
            for cache in (*caches(info), *inherited_caches(info)):
                if cache.form is form:
                    yield PytreeCache(info, made, cache)


def caches(info: ClassInfo) -> tuple[Cache, ...]:
    """The caches that a class body itself declares, in the order of the text."""
    return info.once(caches, lambda: tuple(_caches(info)))


def non_pytree_ancestors(info: ClassInfo) -> frozenset[ClassInfo]:
    """The ancestors that are no pytrees, and not those of an ancestor that is one."""
    found = [item for item in info.mro if item is not info and registration(item) is not None]
    covered = {item for pytree in found for item in pytree.mro}
    return frozenset(info.mro) - covered - {info}


def inherited_caches(info: ClassInfo) -> tuple[Cache, ...]:
    """The caches that a class gets from ancestors that are no pytrees themselves."""
    hidden: set[str] = set()
    found: list[Cache] = []
    open_ = non_pytree_ancestors(info)
    for item in info.mro:
        if item in open_:
            found += [cache for cache in caches(item) if cache.attribute not in hidden]
        hidden |= {*item.bound}
    return tuple(found)


def _caches(info: ClassInfo) -> Iterator[Cache]:
    index = info.definition.position[0]
    for statement in info.body:
        match statement:
            case Define(made=Function()):
                own = definition(info.inside, statement, (index, statement.span))
                found = _decorated(info, own)
                if found is not None and _last(info, found.attribute) is statement:
                    yield found
            case Store(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, Var) and _last(info, target.name) is value:
                        yield from _assigned(info, target.name, value, (index, statement.span))


def _last(info: ClassInfo, name: str) -> object:
    """What the last statement of a class body that binds a name binds it to."""
    found = bindings(info.inside, name)
    return found[-1].source if found else None


class Caching(NamedTuple):
    """What a decorator caches, and its name."""

    form: CacheForm
    by: str


def caching(scope: Scope, decorator: Expr, position: Position = END) -> Caching | None:
    """How a decorator caches the results of a function; None where it does not."""
    own = decorated_by(scope, decorator, position)
    if own is not Keeping.UNKNOWN:
        keeps = own is Keeping.KEEPS
        return Caching(CacheForm.PROPERTY, OWN_CACHED_PROPERTY) if keeps else None
    found = callees(scope, decorator, position)
    for form, table in (
        (CacheForm.PROPERTY, CACHED_PROPERTIES),
        (CacheForm.FUNCTION, FUNCTION_CACHES),
    ):
        if all_in(found, table) and isinstance(found[0].target, External):
            return Caching(form, found[0].target.dotted)
    return None


def is_instance_method(own: Definition) -> bool:
    """Whether a function of a class body gets the instance as its first parameter."""
    function = own.made
    if not isinstance(function, Function) or function.name in _IMPLICIT_STATIC:
        return False
    takes = first_parameter(function) is not None
    takes = takes or any(item.kind is Kind.STAR for item in function.parameters)
    return takes and not any(all_in(found, NOT_BOUND) for found in decorations(own))


def _decorated(info: ClassInfo, own: Definition) -> Cache | None:
    for index, decorator in enumerate(own.statement.decorators):
        found = caching(own.scope, decorator, own.position)
        if found is None:
            continue
        made = own.made
        if not isinstance(made, Function) or not is_instance_method(own) or is_abstract(made):
            return None
        jitted = any(all_in(inner, JITS) for inner in decorations(own)[index + 1 :])
        name = own.statement.target.name
        span = own.statement.decorator_spans[index]
        return Cache(found.form, name, info, found.by, routine(own), jitted, own.position, span)
    return None


def _assigned(info: ClassInfo, name: str, value: Expr, position: Position) -> Iterator[Cache]:
    """The cache in ``name = cached_property(function)``, also inside of ``property(…)``."""
    while isinstance(value, Call):
        inner = _first(value)
        if inner is None:
            return
        found = callees(info.inside, value.callee)
        if len(found) == 1 and found[0].target == _PROPERTY:
            value = inner
            continue
        form = caching(info.inside, value.callee)
        if form is not None:
            function, jitted = _function(inner, info.inside)
            if function is not None or isinstance(inner, Var | Attr | Call):
                yield Cache(form.form, name, info, form.by, function, jitted, position)
        return


def _first(call: Call) -> Expr | None:
    if call.args:
        return None if isinstance(call.args[0], Spread) else call.args[0]
    return dict(call.keywords).get("func")


def _function(expr: Expr, scope: Scope) -> tuple[Routine | None, bool]:
    """The function that an expression stands for, and whether it has been jitted."""
    jitted = False
    while True:
        for referent in resolve(scope, expr):
            match referent:
                case Definition(made=Function()):
                    found = any(all_in(item, JITS) for item in decorations(referent))
                    return routine(referent), jitted or found
                case Expression(expr=Closure(function=function)):
                    inside = inner_scope(function, referent.scope, referent.position)
                    return Routine(function, inside), jitted
                case Expression(expr=Call() as call) if all_in(callees(scope, call), JITS):
                    inner = _first(call)
                    if inner is not None and not jitted:
                        expr, jitted = inner, True
                        break
        else:
            return None, jitted


def hashes_by_identity(info: ClassInfo, made: Registration) -> bool:
    """Whether the objects of a pytree class hash by what they are, and not by what they hold."""
    if info.method("__hash__") is not None:
        return True
    found = decorations(info.definition)
    given = [item for used in found for callee in used[:1] for item in callee.arguments]
    if is_constant(keyword((*keywords(info), *given), "eq"), False):
        return True
    compared = any(used[:1] and used[0].target == External(DATACLASS) for used in found)
    return (is_registered(made) or made.kind.hashes) and not compared
