"""What the interpreter asks of the rest of the project, as protocols.

The stages before this one answer: names tell what a global is, classes tell what an attribute is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from flake8_jax.classes.members import FieldMember, MethodMember, PropertyMember
from flake8_jax.effects.callees import AnyCallee, ClassRef, FunctionRef
from flake8_jax.effects.summaries import Summary
from flake8_jax.effects.values import Type, Value
from flake8_jax.lowering.program import Class, Expr

Member: TypeAlias = MethodMember[AnyCallee] | PropertyMember[FunctionRef] | FieldMember[Type]
"""What an attribute of an instance is."""


Given: TypeAlias = tuple[tuple[str, Value], ...]
"""What is known of some parameters, by their names."""


class ClassView(Protocol):
    """A class of the project, as the interpreter sees it."""

    @property
    def name(self) -> str: ...
    @property
    def is_changed_by_methods(self) -> bool:
        """Whether a method changes an object, as far as their text tells."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that a constructor sets which the class does not write itself, in order."""

    def lacks(self, name: str) -> bool:
        """Whether no object has an attribute: asking for it raises."""

    def member(self, name: str) -> Member | None:
        """What an attribute of an instance is; None where that is not known."""

    def member_after(self, owner: ClassRef, name: str) -> Member | None:
        """What ``super().name`` is in a method of ``owner``, for an instance of this class."""


class World(Protocol):
    """The project around a function."""

    def global_value(self, ref: FunctionRef, name: str) -> Value | None:
        """What a global name stands for in a function; None where it never gets a value."""

    def global_of(self, module: str, name: str) -> Value | None:
        """What a global name of a module stands for in the end; None where it has no value."""

    def external(self, dotted: str, ref: FunctionRef) -> Value | None:
        """What a dotted name stands for in a function; None where it never gets a value."""

    def class_view(self, type_: Type) -> ClassView | None:
        """The class of the project that a type stands for."""

    def local_class(self, cls: Class, ref: FunctionRef) -> Value:
        """A class that is made inside of a function."""

    def annotated(self, annotation: Expr, ref: FunctionRef) -> frozenset[Type]:
        """What a value that is annotated so is one of; nothing where that is not known."""

    def elements(self, annotation: Expr, ref: FunctionRef) -> frozenset[Type]:
        """What the elements of a container are that is annotated so; nothing if not known."""

    def refuses(self, type_: Type, attribute: str, removing: bool) -> bool:
        """Whether an object of a type is known to refuse that an attribute is assigned."""

    def updates(self, type_: Type, method: str | None) -> bool:
        """Whether an object is a pytree, of which a method of the library makes a copy."""

    def told_by(self, ref: FunctionRef, name: str) -> frozenset[Type]:
        """What an argument of a function is if it has a method of a name: the only such class."""

    def inherits(self, type_: Type, cls: Type) -> bool:
        """Whether all objects of a type are known to be instances of a class."""

    def is_refused(self, ref: FunctionRef, name: str) -> bool:
        """Whether a parameter is to get an object that JAX takes as no argument of a trace."""

    def is_static(self, ref: FunctionRef, name: str) -> bool:
        """Whether a parameter is to get an object that JAX hands over as it is."""

    def keeps_writes(self, type_: Type) -> bool | None:
        """Whether the library of a class has transforms that carry writes back to the caller.

        None where the class is not known.
        """

    def opens_in_construction(self, type_: Type) -> bool:
        """Whether an object can be assigned while it is made, whatever it refuses later."""

    def thaws(self, type_: Type) -> bool:
        """Whether the copies that the copy module makes of an object can be assigned."""

    def opens(self, manager: Expr, ref: FunctionRef) -> bool:
        """Whether a context manager that is given an object may let it be assigned."""

    def opened_inside(self, ref: FunctionRef) -> bool:
        """Whether a function itself changes what may be assigned."""

    def is_stub(self, ref: FunctionRef) -> bool:
        """Whether a method says nothing of what those do that override it."""

    def receiver(self, ref: FunctionRef) -> Value | None:
        """What the first parameter of a method gets by itself; None for any other function.

        Of an instance only the types are known, a class is known by what it calls.
        """


@dataclass(frozen=True, slots=True)
class Asking:
    """The world, and the summaries of other functions."""

    world: World
    summary: Callable[[FunctionRef, Given], Summary]
