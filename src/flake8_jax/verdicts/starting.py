"""Where a module has to be looked at: the functions that may start traces, told by name.

A function is interpreted if it mentions a transform, under whatever name, or something that hands
on what it is given to one; or if it assigns attributes or throws updates away, which matters
without a trace, too. What it calls is interpreted on the way.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from flake8_jax.classes.walks import last_name
from flake8_jax.effects.project import Wanted
from flake8_jax.knowledge.transforms import CURRIED_WORDS, DEFINES_RULES, LIBRARIES, TRANSFORM_WORDS
from flake8_jax.lowering.program import Call, Class, Function
from flake8_jax.resolution.imports import Lead, follow
from flake8_jax.resolution.modules import Module
from flake8_jax.verdicts.mentions import (
    Chain,
    Mentions,
    hands_out,
    mentions,
    names_in,
)

_MODULES = 2
"""How many modules away a function may be that hands on what it is given."""


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

    @property
    def size(self) -> int:
        known = (self.variables, self.attributes, self.libraries, self.starts)
        return sum(map(len, known))

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


def starting(module: Module) -> Wanted:
    """The functions and class bodies of a module to interpret, and the top-level statements."""
    words = words_of(module)
    found: set[Function | Class | int] = set()
    blocks = set()
    for index, owns in _mentions(module).items():
        for own in owns:
            if own.assigns or own.discards or words.start(own):
                found.add(index if own.made is None else own.made)
                blocks.add(index)
    return Wanted(frozenset(found), frozenset(blocks))


def _mentions(module: Module) -> Mapping[int, tuple[Mentions, ...]]:
    return module.once(_mentions, lambda: dict(_all_mentions(module)))


def _all_mentions(module: Module) -> Iterator[tuple[int, tuple[Mentions, ...]]]:
    for block in module.blocks:
        program = None if block.is_import else module.program(block)
        if program is not None:
            yield block.index, mentions(program.body)


def words_of(module: Module, modules: int = _MODULES) -> Words:
    """The names by which traces are started in a module."""
    return module.once((words_of, modules), lambda: _words(module, modules))


def _words(module: Module, modules: int) -> Words:
    words = Words()
    for block in module.blocks:
        for name, dotted in block.imported:
            _note_import(words, module, name, dotted, modules)
    owns = [own for found in _mentions(module).values() for own in found]
    before = -1
    while before != words.size:
        before = words.size
        for own in owns:
            _learn(words, own)
    return words


def _note_import(words: Words, module: Module, name: str, dotted: str, modules: int) -> None:
    if dotted in module.project.names:
        words.variables.add(name)
    is_own = module.project.may_have(module.file, dotted.rstrip("*").rstrip("."))
    if not is_own and dotted.partition(".")[0] not in LIBRARIES:
        return
    words.libraries.add(name)
    if dotted.rpartition(".")[2] in TRANSFORM_WORDS:
        words.variables.add(name)
    if name == "*":
        words.variables |= TRANSFORM_WORDS
    if not modules or not is_own:
        return
    lead = follow(module, dotted)
    other = lead.module if isinstance(lead, Lead) else module.find(dotted.removesuffix(".*"))
    if other is None or other is module:
        return
    known = words_of(other, modules - 1)
    words.attributes |= known.attributes
    if isinstance(lead, Lead) and lead.name in known.variables:
        words.variables.add(name)
    elif name == "*":
        words.variables |= known.variables
    elif not isinstance(lead, Lead):
        words.members[name] = frozenset(known.variables)


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
        if any(first in itself and last not in known for first, last in _calls(own)):
            _learn_name(words, own.outer)


def _calls(own: Mentions) -> Iterator[Chain]:
    """What a function calls, with the functions in it."""
    stack = [own]
    while stack:
        here = stack.pop()
        stack += here.inner
        yield from here.called


def _learn_name(words: Words, own: Mentions) -> None:
    """Learn the name of what starts traces; what has no name elsewhere is a part of another."""
    outer, name = own.outer, own.name
    if outer is not None and isinstance(outer.made, Function):
        words.starts.add(outer)
    elif outer is not None and own.is_method and name.startswith("__"):
        _learn_name(words, outer)
    else:
        words.attributes.add(name)
        if not own.is_method:
            words.variables.add(name)


def _hands_on(words: Words, own: Mentions, parameters: set[str]) -> bool:
    """Whether some of the parameters of a function may be called in it."""
    if any(first in parameters and not last for first, last in _calls(own)):
        return True
    stack = [own]
    while stack:
        here = stack.pop()
        stack += here.inner
        for (first, last), name in here.passed:
            if name in parameters and words.are_in(set() if last else {first}, {(first, last)}):
                return True
    return False
