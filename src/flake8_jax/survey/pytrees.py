"""The classes of a module that may be pytrees."""

import ast
from collections.abc import Iterable
from functools import cached_property

from flake8_jax.outline import Block
from flake8_jax.survey.facts import Class
from flake8_jax.survey.module import Module
from flake8_jax.survey.neighbours import Trait
from flake8_jax.survey.nodes import below, dotted_name, last_part, names_in, own_name, stripped
from flake8_jax.survey.words import MARKER_WORDS


class Pytrees:
    """What makes pytrees in a module, and what they are made of."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.unit = module.unit
        self.markers: set[str] = module.elsewhere(Trait.MARKER)
        """The names of what may make pytrees, besides those of the tables."""
        self.registered: set[str] = set()
        """The names that stand in calls of what may make pytrees."""
        self._own_names()
        self._calls()

    def _own_names(self) -> None:
        """Note what makes pytrees in this module."""
        for block in self.module.blocks:
            words = self.unit.words(block)
            if words.isdisjoint(MARKER_WORDS) and words.isdisjoint(self.markers):
                continue
            for node in block.nodes:
                if isinstance(node, ast.Assign | ast.FunctionDef | ast.ClassDef):
                    self.markers |= block.names
                else:
                    self.registered |= words

    def _calls(self) -> None:
        """Note what is handed to what makes pytrees."""
        marking = self.markers | MARKER_WORDS
        for block in self.module.blocks:
            for _, call in self.unit.facts(block).calls:
                last = own_name(call.func)
                if last.startswith("register") or last in marking:
                    for argument in (*call.args, *(item.value for item in call.keywords)):
                        self.registered |= names_in(argument)
        for block in self.module.blocks:  # a list of classes that a loop registers
            if not block.defines and not block.is_import:
                if not self.registered.isdisjoint(block.names):
                    self.registered |= self.unit.words(block)

    @cached_property
    def classes(self) -> list[tuple[Block, Class]]:
        """The classes that may be pytrees, or that those inherit from."""
        classes = self.module.classes
        found: dict[str, tuple[Block, Class]] = {}
        grown = True
        while grown:
            grown = False
            for block, node in classes:
                if node.name not in found and self._may_be_pytree(node, found.keys()):
                    found[node.name] = (block, node)
                    grown = True
        grown = True
        while grown:
            parents = {name for _, node in found.values() for name in node.bases} - found.keys()
            mixins = {node.name: (block, node) for block, node in classes}
            mixins = {name: mixins[name] for name in parents & mixins.keys()}
            grown = bool(mixins)
            found |= mixins
        return list(found.values())

    def _may_be_pytree(self, cls: Class, known: Iterable[str]) -> bool:
        if cls.name in self.registered:
            return True
        node = cls.node
        if node is None:
            return False
        bases = [stripped(base) for base in node.bases]
        marks = [*bases, *node.decorator_list, *(item.value for item in node.keywords)]
        own = self.markers | set(known)
        return any(self._marks(part, own) for mark in marks for part in below(mark))

    def _marks(self, node: ast.AST, own: set[str]) -> bool:
        """Whether a name in a base class or decorator may make a class a pytree."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return False
        name = own_name(node)
        dotted = dotted_name(node, self.unit.imports)
        if dotted is None or name in own:
            return name in own or name in MARKER_WORDS
        if dotted.startswith("flax.linen"):
            return False
        kinds = ("equinox.nn.", "flax.nnx.")
        last = last_part(dotted)
        return last in MARKER_WORDS or dotted.startswith(kinds) or last in own
