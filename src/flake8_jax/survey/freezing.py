"""The functions of a module that may set attributes of frozen objects."""

from flake8_jax.knowledge.pytrees import CONCRETE
from flake8_jax.survey.facts import Function
from flake8_jax.survey.module import Module
from flake8_jax.survey.neighbours import Trait
from flake8_jax.survey.nodes import last_part
from flake8_jax.survey.pytrees import Pytrees
from flake8_jax.survey.words import FROZEN_WORDS

_CONCRETE_WORDS = frozenset(last_part(name) for name in CONCRETE)


class Freezing:
    """The names of classes that may be frozen, of what makes them, and of their instances."""

    def __init__(self, module: Module, pytrees: Pytrees) -> None:
        self.module = module
        self.unit = module.unit
        self.pytrees = pytrees
        self.names: set[str] = {*_CONCRETE_WORDS, *module.elsewhere(Trait.FROZEN)}
        for name, dotted in self.unit.imports.items():
            if dotted.startswith("equinox") or last_part(dotted) in FROZEN_WORDS:
                self.names.add(name)
        for block in module.blocks:
            if not block.is_import and not block.is_class:
                words = self.unit.words(block)
                if not words.isdisjoint(self.names) or not words.isdisjoint(FROZEN_WORDS):
                    self.names |= block.names

    def setting(self, functions: list[Function]) -> set[Function]:
        """Those of some functions that may set attributes of frozen classes, and who calls them."""
        words = set(self.names)
        grown = True
        while grown:
            frozen = {
                node.name
                for block, node in self.pytrees.classes
                if node.name not in words
                and not (block.header.isdisjoint(FROZEN_WORDS) and block.header.isdisjoint(words))
            }
            words |= frozen
            grown = bool(frozen)
        for block in self.module.blocks:
            if not block.defines and not block.is_import:
                if not words.isdisjoint(self.unit.words(block)):
                    words |= block.names
        for function in self.module.functions:  # it may hand an instance out
            if function.name and not words.isdisjoint(function.words):
                words.add(function.name)
        found, bare = set[Function](), list[Function]()
        for function in functions:
            roots = function.attributes_of
            own = function.cls is not None and function.cls.name in words
            if own or any(self._may_be_frozen(function, root, words) for root in roots):
                found.add(function)
            elif not roots.isdisjoint(function.parameters[function.cls is not None :]):
                bare.append(function)
        return found | self._given_frozen(bare, words)

    def _given_frozen(self, bare: list[Function], words: set[str]) -> set[Function]:
        """Those of some functions that may be given frozen objects, and what gives them."""
        names = {item.name for item in bare}
        givers = [item for item in self.module.functions if not names.isdisjoint(item.words)]
        givers = [item for item in givers if not words.isdisjoint(item.words)]
        called = frozenset[str]().union(*(item.words for item in givers))
        return {*givers, *(item for item in bare if item.name in called)} if givers else set()

    def _may_be_frozen(self, function: Function, root: str, words: set[str]) -> bool:
        """Whether what a function sets an attribute of may be an instance of a frozen class."""
        origins = function.origins.get(root, {root.rstrip(".")})
        if not words.isdisjoint(origins):
            return True
        outer = function.around
        while outer is not None and outer.name:  # a variable of a function around
            if outer.cls is not None and outer.cls.name in words:
                return True
            if not words.isdisjoint(outer.words):
                return True
            outer = outer.around
        if not root.endswith(".") or root[:-1] not in function.parameters[:1]:
            return not root or not function.name
        return function.cls is not None and not words.isdisjoint(self.unit.words(function.block))
