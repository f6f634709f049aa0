"""Scopes and positions: where a name is used, and so which of its bindings come before."""

from dataclasses import dataclass
from sys import maxsize
from typing import TypeAlias

from flake8_jax.lowering.program import Class, Function, Home, Var
from flake8_jax.resolution.modules import Module

Position: TypeAlias = tuple[int, int]
"""A point of a module: the number of a top-level statement, and the span of a statement in it."""

START: Position = (-1, 0)
END: Position = (maxsize, 0)
"""When all of a module has run: what a function sees that is called later."""
LATER: Position = (maxsize, -1)
"""When functions run that are called by nobody knows whom."""


@dataclass(frozen=True, eq=False, slots=True)
class Scope:
    """Where names are bound: a module, the body of a class, or a function."""

    module: Module
    made: Function | Class | None = None
    """The function or class; None for the module."""
    outer: "Scope | None" = None
    position: Position = END
    """When the function or class is made, in the scope around it."""

    @property
    def index(self) -> int:
        """The number of the top-level statement that holds it; -1 where nobody said."""
        return -1 if self.position == END else self.position[0]

    @property
    def may_have_walrus(self) -> bool:
        """Whether ``:=`` may stand in it."""
        return self.index < 0 or self.module.blocks[self.index].has(":=")

    @property
    def home(self) -> Home:
        """Where a variable lives that is bound here, as seen from here."""
        if self.made is None:
            return Home.GLOBAL
        return Home.CLASS if isinstance(self.made, Class) else Home.LOCAL


def module_scope(module: Module) -> Scope:
    """The scope of a module."""
    return module.once(Scope, lambda: Scope(module))


def inner_scope(made: Function | Class, outer: Scope, position: Position) -> Scope:
    """The scope of a function or class that stands in another scope."""
    return outer.module.once(made, lambda: Scope(outer.module, made, outer, position))


def living(var: Var, scope: Scope, position: Position) -> tuple[Scope, Position] | None:
    """The scope in which a variable lives, and the point of it that a use of it sees.

    None for a variable of a comprehension that stands in no function.
    """
    if var.home is Home.CLASS:
        return scope, position
    here, levels, later = scope, var.levels, False
    while here.outer is not None:
        if isinstance(here.made, Class):  # its body runs where it stands
            position = END if later else here.position
        elif var.home is not Home.GLOBAL and not levels:
            return here, position
        else:
            position, later = END, True
            levels -= 1
        here = here.outer
    return (here, position) if var.home is Home.GLOBAL else None
