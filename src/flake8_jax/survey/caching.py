"""The caches of a module, and its pytree classes that may have some."""

import ast
from functools import cached_property

from flake8_jax.outline import Block
from flake8_jax.survey.facts import Class
from flake8_jax.survey.filling import may_fill, names_of_members
from flake8_jax.survey.module import Module
from flake8_jax.survey.neighbours import Trait
from flake8_jax.survey.nodes import last_part, names_in
from flake8_jax.survey.pytrees import Pytrees
from flake8_jax.survey.words import CACHE_WORDS, makes_caches


class Caching:
    """What caches in a module, and what is cached."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.unit = module.unit
        self.names: set[str] = {*CACHE_WORDS, *module.elsewhere(Trait.CACHE)}
        """The names of what caches, and of what is made with it."""
        self.cached: set[str] = set()
        """The names of functions and properties that are cached."""
        for name, dotted in self.unit.imports.items():
            if last_part(dotted) in CACHE_WORDS:
                self.names.add(name)
        for block in module.blocks:
            self._own_names(block)

    def _own_names(self, block: Block) -> None:
        """Note what is a cache, or has one, in this module."""
        found = self.unit.facts(block)
        words = found.words
        mentioned = not words.isdisjoint(self.names)
        self.cached |= found.cached
        for function in found.functions if mentioned else ():
            for decorator in function.decorators:
                if not names_in(decorator).isdisjoint(self.names):
                    self.cached.add(function.name)
        if not mentioned and not makes_caches(words):
            return
        for node in block.nodes:
            if isinstance(node, ast.Assign | ast.FunctionDef | ast.ClassDef):
                telling = words if isinstance(node, ast.Assign) else block.header
                caches = "__get__" in words or not telling.isdisjoint(self.names)
                if caches or (not isinstance(node, ast.ClassDef) and makes_caches(words)):
                    self.names |= block.names

    def mentions_one(self, words: frozenset[str]) -> bool:
        """Whether some names are of what caches, or is cached."""
        return not words.isdisjoint(self.names) or not words.isdisjoint(self.cached)

    def blocks(self, pytrees: Pytrees) -> frozenset[int]:
        """The blocks with pytree classes that may have caches, or inherit them."""
        found: dict[str, int] = {}
        for block, node in pytrees.classes:
            if self._may_cache(block, node) or self.unit.inherits_caches(block, node.bases):
                found[node.name] = block.index
        grown = bool(found)
        while grown:
            grown = False
            for block, node in pytrees.classes:
                if node.name not in found and not node.bases.isdisjoint(found):
                    found[node.name] = block.index
                    grown = True
        return frozenset(found.values())

    def _may_cache(self, block: Block, cls: Class) -> bool:
        """Whether a class may have a cache of its own."""
        if not self.names.isdisjoint(self.unit.words(block)):
            return True
        if cls.node is None:
            return False
        if cls in self._storing and may_fill(cls.node):
            return True
        own = not self.cached.isdisjoint(self.unit.words(block))
        return own and not self.cached.isdisjoint(names_of_members(cls.node))

    @cached_property
    def _storing(self) -> set[Class]:
        """The classes whose methods, or functions inside of those, store something."""
        homes = (item.home for item in self.module.functions if item.fills)
        return {cls for cls in homes if cls is not None}
