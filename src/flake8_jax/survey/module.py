"""The module that is surveyed, and what it uses of others."""

from dataclasses import dataclass
from functools import cached_property

from flake8_jax.outline import Block, outline
from flake8_jax.survey.facts import Class, Function
from flake8_jax.survey.neighbours import Node, Trait, Unit
from flake8_jax.survey.nodes import last_part

_EXPORTS = frozenset({"__all__"})
"""What is bound by a statement that names much and uses none of it."""


@dataclass(eq=False)
class Module:
    """A module with all that was seen in it."""

    unit: Unit

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Its top-level statements."""
        return outline(self.unit.file)

    @cached_property
    def functions(self) -> list[Function]:
        """All functions of the module, and what stands in none."""
        return [item for block in self.blocks for item in self.unit.facts(block).functions]

    @cached_property
    def classes(self) -> list[tuple[Block, Class]]:
        """All classes of the module."""
        return [(block, cls) for block in self.blocks for cls in self.unit.facts(block).classes]

    @cached_property
    def used(self) -> frozenset[tuple[Node, str]]:
        """What it uses of other modules, with the words for that."""
        return frozenset(
            (node, word)
            for block in self.blocks
            if not block.is_import and block.names != _EXPORTS
            for _, word, node in self.unit.references(block)
            if node[0] is not self.unit
        )

    def elsewhere(self, trait: Trait) -> set[str]:
        """The words for what has a trait in other modules, or is listed by the user."""
        found = {word for (unit, name), word in self.used if unit.may_be(name, trait)}
        listed = self.unit.listed(trait)
        if listed:
            found |= listed
            found |= {n for n, dotted in self.unit.imports.items() if last_part(dotted) in listed}
        return found
