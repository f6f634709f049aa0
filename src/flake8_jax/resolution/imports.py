"""Imports: which module of the project a dotted name leads to, and what is left to look up there.

All of this is told by the names that modules bind and by the files that there are: nothing depends
on what a name stands for.
"""

import sys
from collections.abc import Iterator
from typing import NamedTuple

from flake8_jax.knowledge.known import KNOWN, canonical, is_known
from flake8_jax.knowledge.listed import listed
from flake8_jax.lowering.program import Const, Import, New, Shape
from flake8_jax.resolution.bindings import STAR, Binding, bindings
from flake8_jax.resolution.modules import Module, module_of
from flake8_jax.resolution.scopes import END, Position, module_scope
from flake8_jax.workspace.files import longest_prefix


class External(NamedTuple):
    """Something that the project does not define, or one of its modules, by its dotted name.

    The name is the one under which the tables know it.
    """

    dotted: str


class Guesses(NamedTuple):
    """What a name may be that star imports of libraries may bind."""

    externals: tuple[External, ...]


class Lead(NamedTuple):
    """A name that a module of the project binds, and the attributes that are left to look up."""

    module: Module
    name: str
    rest: tuple[str, ...] = ()


class Neighbour(NamedTuple):
    """Another module of the project that a module imports, or from which it imports a name."""

    name: str
    """The name that it gets; ``*`` where that is all of them."""
    module: Module
    lead: Lead | None
    """Where the name stands there; None where it stands for the module itself."""


def neighbours(module: Module) -> tuple[Neighbour, ...]:
    """The imports of a module that lead to others of the project."""
    return module.once(neighbours, lambda: tuple(_neighbours(module)))


def _neighbours(module: Module) -> Iterator[Neighbour]:
    project, file = module.project, module.file
    for block in module.blocks:
        for name, dotted in block.imported:
            if not project.may_have(file, dotted.rstrip("*").rstrip(".")):
                continue
            found = follow(module, dotted)
            lead = found if isinstance(found, Lead) else None
            other = lead.module if lead is not None else module.find(dotted.removesuffix(".*"))
            if other is not None and other is not module:
                yield Neighbour(name, other, lead)


def follow(module: Module, dotted: str) -> Lead | External | None:
    """Where a dotted name leads that a module imports; None where nobody can tell.

    A relative name begins with its dots.
    """
    project, file = module.project, module.file
    name = absolute(module, dotted)
    if name in project.names:
        return External(listed(project.names[name], name))
    is_relative = dotted.startswith(".")
    knows = is_known(name) and not is_relative
    if knows and not _is_shadowed(module, name):
        return External(canonical(name))
    split = longest_prefix(project, file, dotted)
    if split is not None:
        other = module_of(project, split[0])
        first, *rest = split[1]
        # a package may import its own modules by name
        own = other is module and _is_module(module, dotted)
        if not own and binds(other, first):
            return Lead(other, first, tuple(rest))
        if knows:
            return None
    return _unbound(module, dotted, name)


def _unbound(module: Module, dotted: str, name: str) -> External | None:
    """What a name is that no module binds: a module or a library, perhaps.

    A relative name that leads nowhere is nothing, whatever it would be called otherwise.
    """
    if dotted.startswith("."):
        is_taken = name.partition(".")[0] in sys.stdlib_module_names or is_known(name)
        if is_taken or not module.project.has_module(module.file, dotted):
            return None
    return External(canonical(name))


def _is_module(module: Module, dotted: str) -> bool:
    if dotted.startswith("."):
        return module.project.has_module(module.file, dotted)
    return module.project.find(module.file, dotted) is not None


def _is_shadowed(module: Module, name: str) -> bool:
    """Whether a file of the project stands in the place of a library."""
    found = module.project.find(module.file, name.partition(".")[0])
    return found is not None and not found.is_package


def absolute(module: Module, dotted: str) -> str:
    """A dotted name without leading dots."""
    name = dotted.lstrip(".")
    up = len(dotted) - len(name)
    if up == 0:
        return dotted
    package = module.name.split(".")
    up -= module.file.is_package
    package = package[: len(package) - up] if up <= len(package) else []
    return ".".join([*package, name] if name else package)


def binds(module: Module, name: str) -> bool:
    """Whether a statement of the module gives the name a value, if only by a star import."""
    if name in module.binding or name in module.declared:
        return True
    return not isinstance(starred(module, name), Guesses)


def starred(module: Module, name: str, position: Position = END) -> Lead | External | Guesses:
    """What star imports bind a name to, those before a point of the module.

    That is a name of the last module that exports it. Where there is none: what libraries may
    have under the name; just one, if the tables know just one.
    """
    if STAR not in module.binding:
        return Guesses(())
    return module.once((starred, name, position), lambda: _starred(module, name, position))


def _starred(module: Module, name: str, position: Position) -> Lead | External | Guesses:
    libraries: list[External] = []
    seen = {module}
    stack = _stars(module, position)
    while stack:
        here, star = stack.pop()
        library = _library(star, name)
        other = here.find(star)
        if other is None:
            libraries += [library] if library is not None else []
        elif other not in seen:
            seen.add(other)
            listed = _listed(other)
            if name in listed if listed else not name.startswith("_"):
                if name in other.binding:
                    if library is not None and is_known(library.dotted):
                        return library
                    return Lead(other, name)
                stack += _stars(other, END)
    known = tuple(item for item in libraries if item.dotted in KNOWN)
    return Guesses(known or tuple(libraries))


def _library(star: str, name: str) -> External | None:
    """What a library that is imported with a star has under a name, if it is one."""
    return External(canonical(f"{star}.{name}")) if not star.startswith(".") else None


def _stars(module: Module, position: Position) -> list[tuple[Module, str]]:
    """The modules whose names are imported with a star, and who imports them."""
    found = bindings(module_scope(module), STAR)
    return [
        (module, item.source.dotted)
        for item in found
        if isinstance(item.source, Import) and item.position < position
    ]


def _listed(module: Module) -> frozenset[str]:
    """The names in ``__all__``; none where it is made up in a way that cannot be read."""
    return module.once(_listed, lambda: _read(bindings(module_scope(module), "__all__")))


def _read(found: tuple[Binding, ...]) -> frozenset[str]:
    listed: set[str] = set()
    for item in found:
        source = item.source
        if not isinstance(source, New) or source.shape not in (Shape.LIST, Shape.TUPLE):
            return frozenset()
        values = [part.value for part in source.parts if isinstance(part, Const)]
        listed.update(value for value in values if isinstance(value, str))
    return frozenset(listed)
