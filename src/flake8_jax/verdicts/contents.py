"""What a cache holds: static data, a function, or something that JAX may trace.

The function that computes the value is interpreted, with a self of the class that has the cache.
"""

from collections.abc import Iterator
from enum import IntEnum

from flake8_jax.classes.caches import PytreeCache
from flake8_jax.classes.layout import Field as Attribute
from flake8_jax.classes.layout import Routine, fields, filling, functions_of, static_fields
from flake8_jax.classes.lazy import PytreeLazyStore
from flake8_jax.classes.table import ClassInfo
from flake8_jax.classes.walks import first_parameter, last_name
from flake8_jax.effects.callees import ClassRef, External, Method
from flake8_jax.effects.conditions import Asked, Condition
from flake8_jax.effects.frame import FOREIGN
from flake8_jax.effects.interpreter import Application
from flake8_jax.effects.models import is_of_python
from flake8_jax.effects.paths import AccessPath, Field, Owner, Root
from flake8_jax.effects.project import ProjectWorld
from flake8_jax.effects.subscripts import is_container
from flake8_jax.effects.summaries import Form, Summary
from flake8_jax.effects.values import Callee, Type, Value, initial
from flake8_jax.knowledge.pytrees import REGISTERED, Filling
from flake8_jax.knowledge.values import DTYPES, FUNCTION_TYPES, STATIC_TYPES
from flake8_jax.lowering.lower import unquoted
from flake8_jax.lowering.program import Call, Const, Expr, Item, New, Op, Opaque
from flake8_jax.verdicts.reached import world_of

_OF_FIELDS = "register_dataclass"
"""What registers a class by its declared fields."""
_FACTORIES = frozenset({"default_factory", "factory"})
_TUPLES = frozenset({"tuple", "Tuple", "list", "List", "Sequence"})


class Holds(IntEnum):
    """What a value is; of several values, the largest."""

    STATIC = 0
    FUNCTION = 1
    ANYTHING = 2


def cached_contents(found: PytreeCache) -> Holds:
    """What a cache of a pytree class yields."""
    own = found.cache.function
    if own is None or own.function.is_async or own.function.yields:
        return Holds.ANYTHING
    summary = summary_of(found.info, own)
    promised = _promised(own, summary)
    if promised is not None:
        return promised
    results = [summary.result] if summary.result is not None else []
    return _held(found.info, results, _fixed(found, own))


def is_refused_by_traces(found: PytreeCache) -> bool:
    """Whether a trace cannot compute what a cache yields: a number is made of a leaf, a size."""
    own, made = found.cache.function, found.registration
    name = first_parameter(own.function) if own is not None else None
    if own is None or name is None:
        return False
    if made.kind == REGISTERED and not made.marker.endswith(_OF_FIELDS):
        return False  # which attributes are leaves, functions tell
    itself, summary = Root(Owner.PARAMETER, name), summary_of(found.info, own)
    if Condition(Asked.NUMBER, itself) not in summary.ensures:
        return False
    sizes = {item.name for item in fields(found.info) if item.kind == "int"}
    leaves = sizes - static_fields(found.info)
    return any(AccessPath(itself).then(Field(item)) in summary.reads for item in leaves)


def stored_contents(found: PytreeLazyStore) -> Holds:
    """What a hand-made cache of a pytree class stores."""
    return _held(found.info, _stored(found), _fixed(found, found.store.function))


def _stored(found: PytreeLazyStore) -> list[Value]:
    own, store = found.store.function, found.store
    itself = AccessPath(Root(Owner.PARAMETER, first_parameter(own.function) or ""))
    places = {itself.then(item) for item in (Field(store.field), Field(store.field, static=True))}
    return [
        write.value
        for write in summary_of(found.info, own).writes
        if (write.target if store.is_entry else write.path) in places
        and (write.form is Form.ATTRIBUTE) is not store.is_entry
    ]


def may_store_tracers(found: PytreeLazyStore) -> bool:
    """Whether a hand-made cache is known to store what is a Tracer under jit."""
    return any(
        not (item.origin.concrete or item.origin.doubtful)
        for value in _stored(found)
        for item in _with_parts(value)
    )


def _fixed(found: PytreeCache | PytreeLazyStore, own: Routine) -> frozenset[Root]:
    """The variables of a function whose values are static: self, where JAX leaves it whole."""
    name = first_parameter(own.function)
    is_kept = filling(found.info, found.registration) is Filling.KEPT
    return frozenset({Root(Owner.PARAMETER, name)}) if is_kept and name else frozenset()


def applied(info: ClassInfo, own: Routine) -> Application:
    """A method of a class, with a self of that class."""
    world = world_of(info.module)
    name = first_parameter(own.function)
    if name is None:
        return Application(world.routine_ref(own))
    itself = initial(AccessPath(Root(Owner.PARAMETER, name)))
    itself = itself.with_types(frozenset({world.class_ref(info)}))
    return Application(world.routine_ref(own), ((name, itself),))


def summary_of(info: ClassInfo, own: Routine) -> Summary:
    """What a method of a class does, with a self of that class."""
    return world_of(info.module).interpreter.summary(*applied(info, own))


def _held(info: ClassInfo, values: list[Value], fixed: frozenset[Root]) -> Holds:
    """What values are, if what some variables hold is static; nobody knows what none are."""
    found = [item for value in values for item in _with_parts(value)]
    kinds = [_kind(info, item, fixed) for item in found]
    return max(kinds, default=Holds.ANYTHING)


def _kind(info: ClassInfo, value: Value, fixed: frozenset[Root]) -> Holds:
    if _is_function(value):
        return Holds.FUNCTION
    if not _is_static(value, fixed) or not all(
        _has_static_defaults(info, item) for item in value.types
    ):
        return Holds.ANYTHING
    return Holds.STATIC


def _has_static_defaults(info: ClassInfo, type_: Type) -> bool:
    """Whether the fields of an object of the project have defaults that are static."""
    world = world_of(info.module)
    view = world.class_view(type_)
    return view is None or all(
        _is_static_default(world, item) for item in fields(view.info) if item.value is not None
    )


def _is_static_default(world: ProjectWorld, item: Attribute) -> bool:
    value = world.class_value(item.owner, item.name)
    made = [value] if value is not None else []
    factories = dict(item.value.keywords) if isinstance(item.value, Call) else {}
    for name in _FACTORIES & factories.keys():
        for found in functions_of(item.owner.inside, factories[name]):
            result = world.interpreter.summary(world.routine_ref(found)).result
            made += [result] if result is not None else []
    return all(_is_static(part, frozenset()) for item in made for part in _with_parts(item))


def _with_parts(value: Value) -> Iterator[Value]:
    """A value and what is in it; of a container all of whose elements are known, only they."""
    stack = [value]
    while stack:
        here = stack.pop()
        parts = [*(here.contents.items or ()), *(part for _, part in here.contents.parts)]
        if not parts or not (here.contents.items or is_container(here)):
            yield here
        stack += parts


def _is_static(value: Value, fixed: frozenset[Root]) -> bool:
    origin = value.origin
    if origin.concrete and not origin.sources:
        return True
    if not origin.sources or origin.staged or origin.traced:
        return False
    return all(root in fixed or _is_made_here(root) for root in origin.sources)


def _is_made_here(root: Root) -> bool:
    """Whether an object is made by code that is known."""
    return root.owner is Owner.FRESH and root.name != FOREIGN


def _is_function(value: Value) -> bool:
    """Whether a value can only be called: a function, a method, or what is made of one."""
    return bool(value.callees) and not any(map(_is_data, value.callees))


def _is_data(callee: Callee) -> bool:
    """Whether something that could be called is data all the same: a class, ``np.pi``."""
    if isinstance(callee, External):
        return callee.dotted in DTYPES or is_of_python(callee.dotted)
    return isinstance(callee, Method | ClassRef)


def _promised(own: Routine, summary: Summary) -> Holds | None:
    """What the annotation of a function says that it returns, where it is to be believed."""
    if own.function.returns is None:
        return None
    kinds = [*_alternatives(own.function.returns)]
    if kinds and all(last_name(item) in FUNCTION_TYPES for item in kinds):
        return Holds.FUNCTION
    is_static = bool(kinds) and all(map(_is_static_type, kinds))
    return Holds.STATIC if is_static and not summary.stages else None


def _alternatives(annotation: Expr) -> Iterator[Expr]:
    """The types that an annotation allows, besides None."""
    match annotation:
        case Const(value=None):
            return
        case Const(value=str() as text):
            written = unquoted(text)
            if written is not None and not isinstance(written, Const):
                yield from _alternatives(written)
            else:
                yield annotation
        case Op(symbol="|", operands=operands):
            for item in operands:
                yield from _alternatives(item)
        case Item(base=base, key=key) if last_name(base) in ("Optional", "Union"):
            for item in key.parts if isinstance(key, New) else (key,):
                yield from _alternatives(item)
        case _:
            yield annotation


def _is_static_type(annotation: Expr) -> bool:
    match annotation:
        case Item(base=base, key=key) if last_name(base) in _TUPLES:
            parts = key.parts if isinstance(key, New) else (key,)
            return all(item == Const(Opaque.ELLIPSIS) or _is_static_type(item) for item in parts)
        case Item():
            return False
    return last_name(annotation) in STATIC_TYPES
