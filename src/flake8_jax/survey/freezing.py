"""The functions of a module that may set attributes of frozen objects."""

from flake8_jax.knowledge.pytrees import CONCRETE
from flake8_jax.survey.facts import Function
from flake8_jax.survey.module import Module
from flake8_jax.survey.neighbours import Trait
from flake8_jax.survey.nodes import last_part
from flake8_jax.survey.pytrees import Pytrees
from flake8_jax.survey.words import FROZEN_WORDS, SEALED_WORDS

_CONCRETE_WORDS = frozenset(last_part(name) for name in CONCRETE)


class Freezing:
    """The names of classes that may be frozen, of what makes them, and of their instances."""

    def __init__(self, module: Module, pytrees: Pytrees) -> None:
        self.module = module
        self.unit = module.unit
        self.pytrees = pytrees
        libraries = {*_CONCRETE_WORDS}
        for name, dotted in self.unit.imports.items():
            if dotted.startswith("equinox") or last_part(dotted) in FROZEN_WORDS:
                libraries.add(name)
        others = module.elsewhere(Trait.FROZEN)
        self.sealed = self._classes(module.elsewhere(Trait.SEALED), SEALED_WORDS)
        """The names of classes whose constructors may fail to set attributes."""
        self.words = self._words(self._classes(libraries | others, FROZEN_WORDS))

    def _classes(self, names: set[str], signs: frozenset[str]) -> set[str]:
        """Some names, and those of what is made of them, or of what is called like some signs."""
        words = set(names)
        for block in self.module.blocks:
            if not block.is_import and not block.is_class:
                here = self.unit.words(block)
                if not here.isdisjoint(words) or not here.isdisjoint(signs):
                    words |= block.names
        grown = True
        while grown:
            found = {
                node.name
                for block, node in self.pytrees.classes
                if node.name not in words
                and not (block.header.isdisjoint(signs) and block.header.isdisjoint(words))
            }
            words |= found
            grown = bool(found)
        return words

    def _words(self, words: set[str]) -> set[str]:
        """The names of what may be frozen, have something that is, or hand it out."""
        for block in self.module.blocks:
            if not block.defines and not block.is_import:
                if not words.isdisjoint(self.unit.words(block)):
                    words |= block.names
        for function in self.module.functions:  # it may hand an instance out
            if function.name and not words.isdisjoint(function.words):
                words.add(function.called)
        return words

    def setting(self, functions: list[Function]) -> set[Function]:
        """Those of some functions that may set attributes of frozen classes, and who calls them."""
        found, given = set[Function](), list[Function]()
        for function in functions:
            if self._is_construction(function):
                continue
            own = function.cls is not None and function.cls.name in self.words
            if own or any(self._may_be_frozen(function, root) for root in function.attributes_of):
                found.add(function)
            elif function.sets_arguments:
                given.append(function)
        return found | self._given_frozen(given)

    def _is_construction(self, function: Function) -> bool:
        """Whether a constructor sets attributes of self alone, and may do so."""
        if function.name != "__init__" or function.cls is None:
            return False
        own = function.attributes_of <= set(function.parameters[:1])
        return own and function.cls.name not in self.sealed

    def _given_frozen(self, setting: list[Function]) -> set[Function]:
        """Those of some functions that may be given frozen objects, and what gives them."""
        names = {item.called for item in setting}
        callers: set[Function] = set()
        grown = bool(names)
        while grown:
            latest = {
                item
                for item in self.module.functions
                if item not in callers and not names.isdisjoint(item.words)
            }
            callers |= latest
            further = {item.called for item in latest if item.name}
            for block in self.module.blocks:  # a variable may stand for one of them
                if not block.defines and not block.is_import:
                    if not names.isdisjoint(self.unit.words(block)):
                        further |= block.names
            grown = not further <= names
            names |= further
        return {*callers, *setting} if any(map(self._has_frozen, callers)) else set()

    def _may_hold(self, function: Function, names: set[str]) -> bool:
        """Whether something of another module, by some names, may have members that are frozen."""
        return any(
            unit.may_hold(name, Trait.FROZEN)
            for head, word, (unit, name) in self.unit.references(function.block)
            if unit is not self.unit and (head in names or word in names)
        )

    def giving(self, names: set[str]) -> set[Function]:
        """The functions that may give something frozen to what has some names."""
        return {
            item
            for item in self.module.functions
            if item.name and not names.isdisjoint(item.words) and self._has_frozen(item)
        }

    def _has_frozen(self, function: Function) -> bool:
        """Whether a function, or the class that it is a method of, names what may be frozen."""
        home = function.home
        words = self.unit.words(function.block) if home is not None else function.words
        return not self.words.isdisjoint(words)

    def _may_be_frozen(self, function: Function, root: str) -> bool:
        """Whether what a function sets an attribute of may be an instance of a frozen class."""
        origins = function.origins.get(root, {root.rstrip(".")})
        if not self.words.isdisjoint(origins) or root in ("", ".") or not function.name:
            return True
        if not origins.isdisjoint(self.unit.imports):  # something of a module
            if not self.words.isdisjoint(function.words):
                return True
            if root.endswith(".") and self._may_hold(function, origins):
                return True
        outer = function.around
        while outer is not None and outer.name:  # a variable of a function around
            if self._has_frozen(outer):
                return True
            outer = outer.around
        is_own = not origins.isdisjoint(function.parameters[:1])
        return is_own and root not in function.parameters[:1] and self._has_frozen(function)
