"""Links between modules: what a dotted name stands for in the files of the project."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from flake8_jax.knowledge.known import canonical, is_known
from flake8_jax.knowledge.listed import listed
from flake8_jax.names import member, refer
from flake8_jax.outline import outline
from flake8_jax.ownership import owned
from flake8_jax.project import File, Project, longest_prefix
from flake8_jax.scopes import EVER, Defined, Imported, ModuleScope, Referent, Valued
from flake8_jax.source import Source
from flake8_jax.syntax import string_value


def module_scope(project: Project, file: File) -> ModuleScope:
    """The scope of a module, made once."""

    def make() -> ModuleScope:
        project.remember(file)
        return ModuleScope(Source.of(file, outline(file)), Links(project, file))

    return owned(file, module_scope, make)


@dataclass(frozen=True, eq=False)
class Links:
    """What one module may refer to in others."""

    project: Project
    file: File

    def find(self, dotted: str) -> tuple[Referent, ...] | None:
        """What a dotted name refers to; None where it is no affair of the project."""
        key = (Links, dotted)
        if key not in self.file.analysis:
            self.file.analysis[key] = (None,)  # a name that leads back to itself refers to nothing
            self.file.analysis[key] = self._find(dotted)
        found = self.file.analysis[key]
        return found if isinstance(found, tuple) else None

    def _find(self, dotted: str) -> tuple[Referent, ...] | None:
        name = self.absolute(dotted)
        if name in self.project.names:
            return (Imported(listed(self.project.names[name], name)),)
        if not dotted.startswith(".") and is_known(name) and not self._is_shadowed(name):
            return None
        split = longest_prefix(self.project, self.file, dotted)
        if split is None:
            return self._module(dotted, name)
        other, (first, *rest) = split
        scope = module_scope(self.project, other)
        own = other is self.file and self.project.has_module(self.file, dotted)
        if own or not scope.binds(first):  # a package may import its own modules by name
            shadows = not dotted.startswith(".") and is_known(name)
            return (None,) if shadows else self._module(dotted, name)
        found = refer(cst.Name(first), scope, EVER)
        for step in rest:
            found = tuple(item for owner in found for item in member(owner, step, scope))
        return tuple(self._named(item) for item in found)

    def _module(self, dotted: str, name: str) -> tuple[Referent, ...] | None:
        """What a name refers to that no module binds: a module, perhaps, or nothing.

        A relative name that leads nowhere is nothing, whatever it would be called otherwise.
        """
        if not dotted.startswith("."):
            return None
        known = name.partition(".")[0] in sys.stdlib_module_names or is_known(name)
        there = self.project.has_module(self.file, dotted)
        return (Imported(name),) if there and not known else (None,)

    def _named(self, referent: Referent) -> Referent:
        """Something that an option names stands for what the option says."""
        if isinstance(referent, Defined) and referent.piece is not None and self.project.names:
            name = f"{referent.piece.file.module}.{referent.node.name.value}"
            if name in self.project.names and isinstance(referent.scope, ModuleScope):
                return Imported(listed(self.project.names[name], name))
        return referent

    def _is_shadowed(self, name: str) -> bool:
        """Whether a file of the project stands in the place of a library."""
        found = self.project.find(self.file, name.partition(".")[0])
        return found is not None and not found.is_package

    def absolute(self, dotted: str) -> str:
        """A dotted name without leading dots."""
        name = dotted.lstrip(".")
        up = len(dotted) - len(name)
        if up == 0:
            return dotted
        package = self.file.module.split(".")
        up -= self.file.is_package
        package = package[: len(package) - up] if up <= len(package) else []
        return canonical(".".join([*package, name] if name else package))

    def exports(self, dotted: str) -> frozenset[str] | None:
        """The names that ``from dotted import *`` binds; None where that cannot be told."""
        found = self.project.find(self.file, dotted)
        if found is None:
            return None
        return found.analysed(Links.exports, lambda: _exports(self.project, found))

    def mentioning(self, word: str) -> Iterator[ModuleScope]:
        """The other modules of the project that mention a word."""
        for other in self.project.others(self.file):
            if word in other.text:
                yield module_scope(self.project, other)


def _exports(project: Project, file: File) -> frozenset[str]:
    names: set[str] = set()
    seen: set[File] = set()
    stack = [file]
    while stack:  # modules may import each other's names with a star
        here = stack.pop()
        if here in seen:
            continue
        seen.add(here)
        scope = module_scope(project, here)
        listed = _listed(scope)
        names |= listed or {name for name in scope.names if not name.startswith("_")}
        for star in scope.bindings("*") if not listed else ():
            if isinstance(star.referent, Imported):
                found = project.find(here, star.referent.dotted)
                stack += [found] if found is not None else []
    return frozenset(names)


def _listed(scope: ModuleScope) -> frozenset[str]:
    """The names in ``__all__``; none where it is made up in a way that cannot be read."""
    listed: set[str] = set()
    for binding in scope.bindings("__all__"):
        if not isinstance(binding.referent, Valued):
            return frozenset()
        match binding.referent.node:
            case cst.List(elements=elements) | cst.Tuple(elements=elements):
                listed |= {text for item in elements if (text := string_value(item.value))}
            case _:
                return frozenset()
    return frozenset(listed)
