"""Where a module has to be looked at: the functions that may start traces, told by name.

A function is interpreted if it mentions a transform, under whatever name, or something that hands
on what it is given to one; or if it assigns attributes or throws updates away, which matters
without a trace, too. What it calls is interpreted on the way.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from flake8_jax.classes.registration import registration
from flake8_jax.classes.table import classes_in
from flake8_jax.classes.walks import last_name
from flake8_jax.effects.project import Wanted
from flake8_jax.knowledge.listed import shown
from flake8_jax.knowledge.objects import (
    ARRAY_METHODS,
    ARRAY_UPDATES,
    CONTAINER_MUTATORS,
    ELEMENT_METHODS,
    UPDATE_METHODS,
)
from flake8_jax.knowledge.transforms import CURRIED_WORDS, DEFINES_RULES, LIBRARIES, TRANSFORM_WORDS
from flake8_jax.lowering.program import Call, Class, Function
from flake8_jax.resolution.bindings import STAR
from flake8_jax.resolution.imports import External, Neighbour, follow, neighbours
from flake8_jax.resolution.modules import Module
from flake8_jax.verdicts.changers import Changers, assigns, changers_of
from flake8_jax.verdicts.mentions import (
    UPDATE_WORDS,
    Chain,
    Mentions,
    hands_out,
    mentions_of,
    names_in,
)
from flake8_jax.verdicts.updating import updating
from flake8_jax.workspace.outline import Block

_MODULES = 2
"""How many modules away a function may be that hands on what it is given."""


_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")


@dataclass(slots=True)
class Words:
    """The names in a module by which traces are started."""

    variables: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=lambda: set(DEFINES_RULES))
    libraries: set[str] = field(default_factory=set)
    """Variables that stand for libraries, or for modules of the project."""
    members: dict[str, frozenset[str]] = field(default_factory=dict)
    """The names in modules of the project, by the variables that stand for these."""
    starts: set[Mentions] = field(default_factory=set)
    """Functions in which another one stands that starts traces."""
    are_lent: bool = False
    """Whether a function without a name hands on what it is given."""

    @property
    def size(self) -> int:
        """How much is known."""
        names = len(self.variables) + len(self.attributes) + len(self.libraries)
        return names + len(self.starts)

    def may_be_in(self, words: frozenset[str]) -> bool:
        """Whether a text of these words may start traces."""
        known = (TRANSFORM_WORDS, self.variables, self.attributes, *self.members.values())
        return not all(map(words.isdisjoint, known))

    def start(self, own: Mentions) -> bool:
        """Whether a function may start traces."""
        return own in self.starts or self.are_in(own.variables, own.chains)

    def are_in(self, variables: set[str], chains: set[Chain]) -> bool:
        """Whether something is mentioned that starts traces."""
        if not self.variables.isdisjoint(variables):
            return True
        return any(
            last in self.attributes
            or (last in TRANSFORM_WORDS and first in self.libraries)
            or last in self.members.get(first, ())
            for first, last in chains
        )


def starting(module: Module) -> Wanted | None:
    """The functions and class bodies of a module to interpret, and the top-level statements.

    None where all of it has to be: something hands on what others make, by names or without.
    """
    words = words_of(module)
    if words.are_lent:
        return None
    changers, updates = changers_of(module), updating(module)
    found: set[Function | Class | int] = set()
    blocks = set()
    for block in module.blocks:
        is_update = not updates.isdisjoint(block.words)
        if block.is_import or not (is_update or _may_matter(words, changers, block)):
            continue
        for own in mentions_of(module, block):
            is_discard = own.discards or not updates.isdisjoint(own.dropped)
            is_change = (
                is_discard or _may_be_refused(module, block, own) or changers.are_mentioned(own)
            )
            if is_change or words.start(own):
                found.add(block.index if own.made is None else own.made)
                blocks.add(block.index)
            if is_change:  # a function around may know the object
                found.update(item.made for item in own.around if isinstance(item.made, Function))
    return Wanted(frozenset(found), frozenset(blocks))


def leading(module: Module) -> frozenset[str]:
    """The names of the functions of a module that start traces, or mention one that does."""
    return module.once(leading, lambda: _leading(module))


def _leading(module: Module) -> frozenset[str]:
    words = words_of(module)
    found: set[str] = set()
    before = -1
    while before != len(found):
        before = len(found)
        for block in module.blocks:
            if block.is_import or (
                found.isdisjoint(block.words) and not words.may_be_in(block.words)
            ):
                continue
            for own in mentions_of(module, block):
                last = {name for _, name in own.chains}
                if words.start(own) or not found.isdisjoint(own.variables | last):
                    found.update(item.name for item in (own, *own.around))
                    if not isinstance(own.made, Function):  # what is decorated, or made here
                        found.update(name for names, _ in own.bound for name in names)
    return frozenset(found)


def _may_matter(words: Words, changers: Changers, block: Block) -> bool:
    """Whether something in a statement is to be looked at, as far as its text tells."""
    known = block.words
    if words.may_be_in(known) or changers.may_be_in(known) or not UPDATE_WORDS.isdisjoint(known):
        return True
    return assigns(block)


def _may_be_refused(module: Module, block: Block, own: Mentions) -> bool:
    """Whether a function may assign an attribute of a frozen object.

    Of its own object its class tells.
    """
    if not own.assigned:
        return False
    parameters = own.made.parameters if isinstance(own.made, Function) else ()
    if (
        own.outer is None
        or not own.is_method
        or own.assigned != {item.name for item in parameters[:1]}
    ):
        return True
    owners = (info for info in classes_in(module, block) if info.made is own.outer.made)
    return any(registration(info) is not None for info in owners)


def words_of(module: Module, modules: int = _MODULES) -> Words:
    """The names by which traces are started in a module."""
    return module.once((words_of, modules), lambda: _words(module, modules))


def _words(module: Module, modules: int) -> Words:
    words = Words()
    for block in module.blocks:
        for name, dotted in block.imported:
            _note_import(words, module, name, dotted)
        if block.is_import and modules:
            for dotted in _DOTTED.findall(block.text):
                _note_module(words, module, dotted, modules)
    for item in neighbours(module) if modules else ():
        _note_neighbour(words, item, words_of(item.module, modules - 1))
    before = -1
    while before != words.size:
        before = words.size
        for block in module.blocks:
            if not block.is_import and words.may_be_in(block.words):
                for own in mentions_of(module, block):
                    _learn(words, own)
    return words


def _note_module(words: Words, module: Module, dotted: str, modules: int) -> None:
    """``import package.module`` binds the package, by which the module is found."""
    first = dotted.partition(".")[0]
    other = module.find(dotted) if first in words.libraries else None
    if other is not None and other is not module:
        _add_members(words, first, words_of(other, modules - 1))


def _note_import(words: Words, module: Module, name: str, dotted: str) -> None:
    lead = follow(module, dotted) if module.project.names else None
    if isinstance(lead, External) and lead.dotted != shown(lead.dotted):  # the user listed it
        words.variables.add(name)
    is_own = module.project.may_have(module.file, dotted.rstrip("*").rstrip("."))
    if not is_own and dotted.partition(".")[0] not in LIBRARIES:
        return
    words.libraries.add(name)
    if dotted.rpartition(".")[2] in TRANSFORM_WORDS:
        words.variables.add(name)
    if name == STAR:
        words.variables |= TRANSFORM_WORDS


def _note_neighbour(words: Words, item: Neighbour, known: Words) -> None:
    """Learn what is known of a module that is imported, or from which a name is."""
    words.attributes |= known.attributes
    if item.lead is not None and item.lead.name in known.variables:
        words.variables.add(item.name)
    elif item.name == STAR:
        words.variables |= known.variables
    elif item.lead is None:
        _add_members(words, item.name, known)


def _add_members(words: Words, name: str, known: Words) -> None:
    """Learn what starts traces in a module that a variable stands for, or that it leads to."""
    words.members[name] = words.members.get(name, frozenset()) | known.variables


def _learn(words: Words, own: Mentions) -> None:
    """Learn the names of what a function, a class or a statement makes of a transform."""
    if not words.start(own):
        return
    made, outer = own.made, own.outer
    if outer is not None and isinstance(outer.made, Function) and hands_out(outer, own):
        _learn_name(words, outer)
    for names, value in own.stored:
        if _is_made(words, value):
            words.attributes.update(names)
    for names, value in own.bound if not isinstance(made, Function) else ():
        if _is_made(words, value):
            words.attributes.update(names)
            if made is None:
                words.variables.update(names)
                words.libraries.update(names)
    if isinstance(made, Function):
        _learn_function(words, own, made)


def _is_made(words: Words, value: object) -> bool:
    """Whether a value may be a transform, or a function that one has made."""
    match value:
        case Call(callee=Call()):
            return False
        case Call(callee=callee, args=args):
            last = last_name(callee)
            is_result = last in TRANSFORM_WORDS and last not in CURRIED_WORDS
            return not is_result and words.are_in(*names_in((callee, args)))
    return words.are_in(*names_in(value))


def _learn_function(words: Words, own: Mentions, made: Function) -> None:
    """Learn the name of a function that hands on what it, or its object, is given."""
    given = {item.name for item in made.parameters}
    itself = {made.parameters[0].name} if own.is_method and made.parameters else set()
    if _hands_on(words, own, given - itself):
        _learn_name(words, own)
    if own.outer is not None and itself:
        known = {item.name for item in own.outer.inner}
        used = (*_calls(own), *_traced(words, own))
        if any(first in itself and last not in known for first, last in used):
            _learn_name(words, own.outer)


def _traced(words: Words, own: Mentions) -> Iterator[Chain]:
    """What a function, or one in it, hands to what starts traces."""
    stack = [own]
    while stack:
        here = stack.pop()
        stack += here.inner
        for (first, last), given in here.passed:
            if words.are_in(set() if last else {first}, {(first, last)}):
                yield given


def _calls(own: Mentions) -> Iterator[Chain]:
    """What a function calls, with the functions in it."""
    stack = [own]
    while stack:
        here = stack.pop()
        stack += here.inner
        yield from here.called


_OF_VALUES = ARRAY_METHODS | ARRAY_UPDATES | CONTAINER_MUTATORS | ELEMENT_METHODS | UPDATE_METHODS
"""Methods of arrays, containers and pytrees, which do nothing that a caller knows more of."""


def _learn_name(words: Words, own: Mentions) -> None:
    """Learn the name of what starts traces; what has no name elsewhere is a part of another."""
    outer, name = own.outer, own.name
    words.are_lent |= not name.isidentifier()
    if outer is not None and isinstance(outer.made, Function):
        words.starts.add(outer)
    elif outer is not None and own.is_method and name.startswith("__"):
        _learn_name(words, outer)
    else:
        words.attributes.add(name)
        if not own.is_method:
            words.variables.add(name)


def _hands_on(words: Words, own: Mentions, parameters: set[str]) -> bool:
    """Whether some of the parameters of a function, or methods of them, may be called in it."""
    if any(first in parameters and last not in _OF_VALUES for first, last in _calls(own)):
        return True
    return any(name in parameters for name, _ in _traced(words, own))
