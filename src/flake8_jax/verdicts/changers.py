"""The functions that may assign attributes of what they are given, told by name.

Who calls one of them may hand it a frozen object: that raises, in traced code and elsewhere.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from flake8_jax.lowering.program import Call, Class, Function, Var
from flake8_jax.lowering.walk import walk
from flake8_jax.resolution.bindings import STAR
from flake8_jax.resolution.imports import Neighbour, neighbours
from flake8_jax.resolution.modules import Module
from flake8_jax.verdicts.mentions import Chain, Mentions, mentions_of, names_in
from flake8_jax.workspace.outline import Block

_MODULES = 2
"""How many modules away such a function may be."""

_ASSIGNS = re.compile(
    r"\.[ \t]{0,9}[^\W\d]\w*[ \t]{0,9}(?::[^=\n]{0,200})?(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=(?!=)"
    r"|\bdel\b|attr|\.[^\W\d]\w*[ \t]{0,9}[,)\]][^\n]{0,200}="
    r"|\bfor\b[^\n.]{0,200}\.[^\n]{0,200}\bin\b|\bas\b[^\n.]{0,200}\."
)
"""What a statement looks like in which an attribute may be assigned or removed."""


@dataclass(slots=True)
class Changers:
    """The names under which a module knows functions that change what they are given."""

    variables: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)

    @property
    def names(self) -> set[str]:
        """All of them."""
        return self.variables | self.attributes

    def may_be_in(self, words: frozenset[str]) -> bool:
        """Whether a text of these words may call one."""
        return not (self.variables.isdisjoint(words) and self.attributes.isdisjoint(words))

    def are_mentioned(self, own: Mentions) -> bool:
        """Whether a function mentions one."""
        return self.are_in(own.variables, own.chains)

    def are_in(self, variables: set[str], chains: set[Chain]) -> bool:
        """Whether one is among some names."""
        if not self.variables.isdisjoint(variables):
            return True
        return any(last in self.attributes for _, last in chains)


def assigns(block: Block) -> bool:
    """Whether an attribute may be assigned or removed in a statement, as far as its text tells."""
    return _ASSIGNS.search(block.text) is not None


def changers_of(module: Module, modules: int = _MODULES) -> Changers:
    """The functions that a module knows, its own and those of modules so many steps away."""
    return module.once((changers_of, modules), lambda: _changers(module, modules))


def _changers(module: Module, modules: int) -> Changers:
    known = Changers()
    for item in neighbours(module) if modules else ():
        _note_import(known, item, changers_of(item.module, modules - 1))
    blocks = [block for block in module.blocks if not block.is_import]
    for block in filter(assigns, blocks):
        for own in mentions_of(module, block):
            if _changes_others(own):
                _learn(known, own)
    asked: set[str] = set()
    while new := known.names - asked:
        asked |= new
        for block in [block for block in blocks if not new.isdisjoint(block.words)]:
            for own in mentions_of(module, block):
                _learn_values(known, own)
                if _hands_on(known, own):
                    _learn(known, own)
    return known


def _note_import(known: Changers, item: Neighbour, there: Changers) -> None:
    """Learn what is known of a module that is imported, or from which a name is."""
    known.attributes |= there.attributes
    if item.lead is not None:
        known.variables |= {item.name} if item.lead.name in there.variables else set()
    elif item.name == STAR:
        known.variables |= there.variables
    else:
        known.attributes |= there.variables


def _learn(known: Changers, own: Mentions) -> None:
    """Learn the name by which others reach a function."""
    outer = own.outer
    if outer is None:
        return
    if isinstance(outer.made, Function):
        _learn(known, outer)
    elif isinstance(outer.made, Class):
        if own.name.startswith("__"):
            _learn(known, outer)
        else:
            known.attributes.add(own.name)
    else:
        known.variables.add(own.name)


def _learn_values(known: Changers, own: Mentions) -> None:
    """Learn the names of what holds such functions: a list in a module, a field."""
    for names, value in own.stored:
        if known.are_in(*names_in(value)):
            known.attributes.update(names)
    for names, value in own.bound if not isinstance(own.made, Function) else ():
        if known.are_in(*names_in(value)):
            (known.variables if own.made is None else known.attributes).update(names)


def _changes_others(own: Mentions) -> bool:
    """Whether a function may assign attributes of other objects than its own and new ones."""
    if not isinstance(own.made, Function):
        return False
    itself = _itself(own)
    return any(name != itself and not _is_new(own, name) for name in own.assigned)


def _itself(own: Mentions) -> str | None:
    """The parameter that is the object of a method."""
    if not own.is_method or own.outer is None or not isinstance(own.made, Function):
        return None
    decorated = {name for names, _ in own.outer.bound for name in names}
    if own.name in decorated or not own.made.parameters:
        return None
    return own.made.parameters[0].name


def _is_new(own: Mentions, name: str) -> bool:
    """Whether a variable holds what calls give that get none of the parameters."""
    assert isinstance(own.made, Function)
    given = {item.name for item in own.made.parameters}
    values = [value for names, value in own.bound if name in names]
    return bool(values) and all(
        isinstance(value, Call)
        and given.isdisjoint(item.name for item in walk(value) if isinstance(item, Var))
        for value in values
    )


def _hands_on(known: Changers, own: Mentions) -> bool:
    """Whether a function hands what it is given to one that changes it."""
    if not isinstance(own.made, Function):
        return False
    given = {item.name for item in own.made.parameters}
    return any(name in given for name in _handed(known, own))


def _handed(known: Changers, own: Mentions) -> Iterator[str]:
    for (first, last), (name, _) in own.passed:
        if last in known.attributes if last else first in known.variables:
            yield name
