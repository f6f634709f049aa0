"""What a module may get from others, judged by names alone.

As the rest of the survey this errs on the side of looking: something imported may be a transform
if it mentions one, or mentions something that may be one, in whatever module.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from flake8_jax.gate import may_matter
from flake8_jax.knowledge.known import is_known
from flake8_jax.outline import Block, by_name, imports, outline
from flake8_jax.project import File, Project, longest_prefix
from flake8_jax.survey.walk import Walk
from flake8_jax.survey.words import MARKER_WORDS, TRANSFORM_WORDS, makes_caches

_INNER_IMPORT = re.compile(r"(?:^[ \t]+|[:;][ \t]*)(?:from|import)\b", re.MULTILINE)


class Trait(Enum):
    """What something imported may be, or lead to."""

    TRANSFORM = "a transform"
    MARKER = "something that makes pytrees, or is one"
    CACHE = "a cache, or something that has one"
    WRITER = "something that changes what it is given"


Node = tuple["Unit", str]


@dataclass(frozen=True, eq=False)
class Unit:
    """A module, as the survey sees it."""

    project: Project
    file: File

    @classmethod
    def of(cls, project: Project, file: File) -> "Unit":
        """The unit of a file, made once."""
        return file.once(cls, lambda: cls(project, file))

    @cached_property
    def blocks(self) -> Mapping[str, list[Block]]:
        """The blocks that bind each name."""
        return by_name(outline(self.file))

    @cached_property
    def imports(self) -> Mapping[str, str]:
        """The names that may be imported, at whatever depth, and what they stand for."""
        found: dict[str, str] = {}
        for block in outline(self.file):
            if block.imports:
                inner = not block.is_import and _INNER_IMPORT.search(block.text) is not None
                if inner or block.is_import:
                    nodes = (node for item in block.nodes for node in ast.walk(item))
                    found.update(imports(nodes if inner else block.nodes))
        star = found.pop("*", None)
        if star is not None:
            for block in outline(self.file):
                for _, dotted in imports(block.nodes) if block.is_import else ():
                    if dotted.endswith(".*"):
                        found = {**dict(self._from_star(dotted)), **found}
        return found

    def _from_star(self, dotted: str) -> Iterator[tuple[str, str]]:
        module = dotted.removesuffix("*")
        module = module if set(module) == {"."} else module.removesuffix(".")
        file = self.project.find(self.file, module)
        if file is not None and file is not self.file:
            unit = Unit.of(self.project, file)
            joint = "" if module.endswith(".") else "."
            names = {*unit.blocks, *(unit.imports if "*" in unit.blocks else ())}
            yield from ((name, f"{module}{joint}{name}") for name in names)

    def target(self, chain: str) -> tuple[Node, str] | None:
        """What a dotted name of the module leads to, and the word of it that stands for that."""
        head, _, rest = chain.partition(".")
        dotted = self.imports.get(head)
        if dotted is None:
            return ((self, head), head) if head in self.blocks else None
        if not self.project.may_have(self.file, dotted):
            return None
        return self.file.once((Unit.target, chain), lambda: self._target(dotted, head, rest))

    def _target(self, dotted: str, head: str, rest: str) -> tuple[Node, str] | None:
        steps = rest.split(".") if rest else []
        word = head
        for step in [None, *steps]:
            if step is not None:
                dotted, word = f"{dotted}.{step}", step
            if is_known(dotted):
                return None
            split = longest_prefix(self.project, self.file, dotted)
            if split is not None:
                unit, name = Unit.of(self.project, split[0]), split[1][0]
                if name in unit.imports or name in unit.blocks:
                    return (unit, name), word
        return None

    def may_be(self, name: str, trait: Trait) -> bool:
        """Whether a name of the module has a trait, itself or through what it mentions."""
        known = self.file.memo.get((trait, name))
        if known is not None:
            return known is True
        seen: set[Node] = set()
        stack: list[Node] = [(self, name)]
        while stack:
            unit, here = stack.pop()
            if (unit, here) in seen:
                continue
            seen.add((unit, here))
            known = unit.file.memo.get((trait, here))
            if known is False:
                continue
            if known is True or unit._shows(here, trait):
                self.file.memo[trait, name] = True
                return True
            stack += unit.near(here)
        for unit, here in seen:
            unit.file.memo[trait, here] = False
        return False

    def near(self, name: str) -> tuple[Node, ...]:
        """What a name of the module mentions."""
        return self.file.once((Unit.near, name), lambda: tuple(self._near(name)))

    def _near(self, name: str) -> Iterator[Node]:
        chains = {name} if name in self.imports else set[str]()
        for block in self.blocks.get(name, ()) if not chains else ():
            chains |= block.chains
        for chain in chains:
            found = self.target(chain)
            if found is not None:
                yield found[0]

    def _shows(self, name: str, trait: Trait) -> bool:
        """Whether a name of the module shows a trait by itself."""
        if name in self.imports:
            words = frozenset({self.imports[name].rpartition(".")[2]})
            return trait is not Trait.WRITER and _SIGNS[trait](words)
        blocks = self.blocks.get(name, ())
        if trait is Trait.WRITER:
            return any(_SIGNS[Trait.CACHE](b.words) or self._writes(b) for b in blocks)
        return any(_SIGNS[trait](block.words) for block in blocks)

    def _writes(self, block: Block) -> bool:
        walk = Walk(self.imports)
        for node in block.nodes if block.defines else ():
            walk.statement(block.index, node)
        return any(item.writes and not item.is_construction for item in walk.functions)

    def leads_to_jax(self) -> bool:
        """Whether the module, or one that it imports, may have to do with JAX."""
        seen: set[Unit] = set()
        stack = [self]
        while stack:
            unit = stack.pop()
            if unit not in seen:
                seen.add(unit)
                known = unit.file.memo.get(Unit.leads_to_jax)
                if known is True or (known is None and may_matter(unit.file.text)):
                    self.file.memo[Unit.leads_to_jax] = True
                    return True
                stack += unit.modules if known is None else ()
        for unit in seen:
            unit.file.memo[Unit.leads_to_jax] = False
        return False

    @cached_property
    def modules(self) -> tuple["Unit", ...]:
        """The modules of the project that it imports."""
        found: dict[File, Unit] = {}
        for dotted in self.imports.values():
            if self.project.may_have(self.file, dotted):
                split = longest_prefix(self.project, self.file, dotted)
                for file in (self.project.find(self.file, dotted), split and split[0]):
                    if file is not None:
                        found[file] = Unit.of(self.project, file)
        return tuple(found.values())


_SIGNS: Mapping[Trait, Callable[[frozenset[str]], bool]] = {
    Trait.TRANSFORM: lambda words: not words.isdisjoint(TRANSFORM_WORDS),
    Trait.MARKER: lambda words: not words.isdisjoint(MARKER_WORDS),
    Trait.CACHE: makes_caches,
}
