"""Classes of the project, as the interpreter sees them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from flake8_jax.classes.annotations import Annotated
from flake8_jax.classes.assigned import assigned, held_by, is_changed_by_methods
from flake8_jax.classes.caches import CacheForm, caching
from flake8_jax.classes.lacking import lacks
from flake8_jax.classes.layout import Routine, fields
from flake8_jax.classes.members import (
    FieldMember,
    MethodMember,
    PropertyMember,
    is_deferred,
    member,
    member_among,
)
from flake8_jax.classes.table import ClassInfo, decorations, is_accessor, libraries
from flake8_jax.effects.callees import AnyCallee, ClassRef, FunctionRef
from flake8_jax.effects.code import never
from flake8_jax.effects.forwarding import Forwarding, forwarding, is_forwarded
from flake8_jax.effects.values import Type, Value
from flake8_jax.effects.world import Member
from flake8_jax.knowledge.caches import CACHED_PROPERTIES, NOT_BOUND
from flake8_jax.knowledge.objects import KEEPS_SIGNATURE
from flake8_jax.lowering.program import Call, Expr
from flake8_jax.resolution.bindings import bindings
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.resolve import Definition, defined

_DESCRIBES = NOT_BOUND | KEEPS_SIGNATURE | CACHED_PROPERTIES | {"builtins.property"}
"""Decorators that members are told by, or that change nothing."""
_CONSTRUCTORS = ("__init__", "__new__", "__post_init__")


class Maker(Protocol):
    """What a view asks of the world."""

    def routine_ref(self, routine: Routine) -> FunctionRef:
        """The reference to a function that stands somewhere."""

    def class_ref(self, info: ClassInfo) -> ClassRef:
        """The reference to a class."""

    def types_of(self, found: frozenset[Annotated]) -> frozenset[Type]:
        """The types that annotations stand for."""

    def made_by(self, own: Definition, decorators: tuple[Expr, ...]) -> Value | None:
        """What decorators make of a function; None where nothing is known yet."""

    def inherited(self, info: ClassInfo, name: str, method: Forwarding) -> FunctionRef:
        """A method that a class has from a library."""

    def class_value(self, info: ClassInfo, name: str) -> Value | None:
        """What the body of a class binds a name to; None where nothing is known yet."""


@dataclass(frozen=True, slots=True)
class ProjectClass:
    """A class of the project."""

    ref: ClassRef
    info: ClassInfo
    maker: Maker
    known: dict[str, Member] = field(default_factory=dict, compare=False)
    """The members that no code has to be interpreted for, as far as somebody has asked."""

    @property
    def name(self) -> str:
        """Its name, as its statement has it."""
        return self.info.name

    @property
    def is_changed_by_methods(self) -> bool:
        """Whether a method changes an object, as far as their text tells."""
        return any(map(is_changed_by_methods, self.info.mro))

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that a constructor sets which the class does not write itself, in order."""
        return tuple(item.name for item in fields(self.info))

    def lacks(self, name: str) -> bool:
        """Whether no object has an attribute: asking for it raises."""
        return lacks(self.info, name)

    def member(self, name: str) -> Member | None:
        """What an attribute of an instance is; None where that is not known."""
        known = self.known.get(name)
        return self._member(name, self.info.mro) if known is None else known

    def member_after(self, owner: ClassRef, name: str) -> Member | None:
        """What ``super().name`` is in a method of ``owner``, for an instance of this class."""
        order = self.info.mro
        refs = [self.maker.class_ref(item) for item in order]
        return self._member(name, order[refs.index(owner) + 1 :]) if owner in refs else None

    def _member(self, name: str, order: tuple[ClassInfo, ...]) -> Member | None:
        is_whole = order is self.info.mro
        found = member(self.info, name) if is_whole else member_among(self.info, order, name)
        told: Member
        match found:
            case MethodMember() | PropertyMember() if is_whole and is_deferred(_own(found)):
                return None
            case MethodMember():
                code = self._code(found.function, name, order)
                ref = self.maker.routine_ref(found.function)
                if code is not None:
                    function = _made(code, ref)
                    return None if function is None else MethodMember(function, *found[1:])
                told = MethodMember(ref, *found[1:])
            case PropertyMember():
                setter = None if found.setter is None else self.maker.routine_ref(found.setter)
                getter = self.maker.routine_ref(found.getter)
                told = PropertyMember(getter, setter, found.is_cached)
            case FieldMember():
                types = found.types or assigned(self.info, name)
                held = self.maker.types_of(found.elements or held_by(self.info, name))
                told = FieldMember(self.maker.types_of(types), found.is_static, held)
            case _:
                inherited = self._inherited(name) if is_whole and is_forwarded(name) else None
                if inherited is None:
                    return None
                told = MethodMember(inherited)
        if is_whole:
            self.known[name] = told
        return told

    def _inherited(self, name: str) -> FunctionRef | None:
        """A method that the class has from a library and that calls its own."""
        method = forwarding(libraries(self.info), name)
        return self.maker.inherited(self.info, name, method) if method is not None else None

    def _code(
        self, routine: Routine, name: str, order: tuple[ClassInfo, ...]
    ) -> Callable[[], Value | None] | None:
        """What tells what is made of the function of a method; None where it stays as it is."""
        if name in _CONSTRUCTORS:
            return None
        owner = next((info for info in order if name in info.bound), None)
        last = bindings(owner.inside, name)[-1:] if owner is not None else ()
        if owner is not None and any(isinstance(item.source, Call) for item in last):
            return partial(self.maker.class_value, owner, name)
        own = defined(routine.inside)
        decorators = transforming(own) if own is not None else ()
        if own is None or not decorators:
            return None
        return partial(self.maker.made_by, own, decorators)


def _made(code: Callable[[], Value | None], ref: FunctionRef) -> AnyCallee | None:
    """What is made of a function; None for something unknown."""
    made = code()
    if made is None:
        return never(ref)
    found: AnyCallee | None = made.callees[0] if len(made.callees) == 1 else None
    return found


def _own(found: MethodMember[Routine] | PropertyMember[Routine]) -> Routine:
    return found.function if isinstance(found, MethodMember) else found.getter


def transforming(own: Definition) -> tuple[Expr, ...]:
    """The decorators of a function that may make something else of it."""
    return own.module.once((transforming, own.made), lambda: _transforming(own))


def _transforming(own: Definition) -> tuple[Expr, ...]:
    found: list[Expr] = []
    for decorator, callees in zip(own.statement.decorators, decorations(own), strict=True):
        names = {item.target.dotted for item in callees if isinstance(item.target, External)}
        is_told = bool(names) and names <= _DESCRIBES and len(names) == len(callees)
        if is_told or is_accessor(decorator):
            continue
        cache = caching(own.scope, decorator, own.position)
        if cache is None or cache.form is CacheForm.FUNCTION:
            found.append(decorator)
    return tuple(found)
