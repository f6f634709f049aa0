"""What a module may get from others, judged by names alone.

As the rest of the survey this errs on the side of looking: something imported may be a transform
if it mentions one, or mentions something that may be one, in whatever module.
"""

import ast
import re
from collections.abc import Callable, Container, Iterator, Mapping, Set
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from flake8_jax.gate import may_matter
from flake8_jax.knowledge.known import is_known
from flake8_jax.knowledge.listed import (
    LISTED_BASE,
    LISTED_CACHED_PROPERTY,
    LISTED_DECORATOR,
    LISTED_TRANSFORM,
)
from flake8_jax.knowledge.objects import COMMON_NAMES
from flake8_jax.outline import Block, by_name, outline
from flake8_jax.project import File, Project, longest_prefix
from flake8_jax.survey.facts import Facts, Function, Names, facts
from flake8_jax.survey.filling import may_fill
from flake8_jax.survey.nodes import below, last_part
from flake8_jax.survey.words import (
    DESCRIPTOR_WORDS,
    FROZEN_WORDS,
    MARKER_WORDS,
    PLAIN_WORDS,
    SEALED_WORDS,
    TRANSFORM_WORDS,
    makes_caches,
)


class Trait(Enum):
    """What something imported may be, or lead to."""

    TRANSFORM = "a transform"
    MARKER = "something that makes pytrees, or is one"
    FROZEN = "a class whose attributes cannot be set, or something that makes them"
    SEALED = "such a class whose constructor cannot set them either, or something that makes them"
    CACHE = "a cache, or something that has one"


Node = tuple["Unit", str]
"""A name of a module."""
Callee = tuple["Unit", str | None, str]
"""A function of a module, or a method of a class of it."""


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
        found = dict(self._named_imports)
        for further in (False, True):  # a module that has a name itself goes before others
            for module in self._stars:
                joint = "" if module.endswith(".") else "."
                for name in self._names_of(module, further) - self.blocks.keys():
                    found.setdefault(name, f"{module}{joint}{name}")
        return found

    @cached_property
    def _all_imports(self) -> tuple[tuple[str, str], ...]:
        return tuple(pair for block in outline(self.file) for pair in block.imported)

    @cached_property
    def _named_imports(self) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for name, dotted in self._all_imports:
            if name not in found or self.project.may_have(self.file, dotted):
                found[name] = dotted
        return found

    @cached_property
    def _stars(self) -> tuple[str, ...]:
        """The modules whose names are imported with a star."""
        modules = [dotted.removesuffix("*") for name, dotted in self._all_imports if name == "*"]
        return tuple(m if not m.strip(".") else m.removesuffix(".") for m in modules)

    def _names_of(self, module: str, further: bool) -> set[str]:
        """The names that a module has, and perhaps those that it imports with a star."""
        names: set[str] = set()
        seen: set[Unit] = set()
        stack: list[tuple[Unit, str]] = [(self, module)]
        while stack:
            unit, dotted = stack.pop()
            file = self.project.find(unit.file, dotted)
            other = Unit.of(self.project, file) if file is not None else None
            if other is not None and other not in seen:
                seen.add(other)
                names |= {*other.blocks, *other._named_imports}
                stack += [(other, star) for star in other._stars if further]
        return names

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
        found: tuple[Node, str] | None = None
        steps = rest.split(".") if rest else []
        for count, word in enumerate([head, *steps]):
            node = self.resolve(".".join([dotted, *steps[:count]]))
            if node is not None:
                found = (node, word)
                if node[1] not in node[0].imports:  # else it may be a module, which has more
                    break
        return found

    def resolve(self, dotted: str) -> Node | None:
        """What a dotted name of an import statement leads to in the end."""
        return self.file.once((Unit.resolve, dotted), lambda: self._resolve(dotted))

    def _resolve(self, dotted: str) -> Node | None:
        unit, last = self, None
        seen = set[tuple[Unit, str]]()
        while (unit, dotted) not in seen:
            seen.add((unit, dotted))
            if not unit.project.may_have(unit.file, dotted) or is_known(dotted):
                return last  # a library's, under a name of the project
            split = longest_prefix(unit.project, unit.file, dotted)
            if split is None:
                return last
            unit, (name, *rest) = Unit.of(unit.project, split[0]), split[1]
            if name not in unit.imports:
                return (unit, name) if name in unit.blocks else None
            last = (unit, name) if not rest else None
            dotted = ".".join([unit.imports[name], *rest])
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
            stack += unit.near(here, trait)
        for unit, here in seen:
            unit.file.memo[trait, here] = False
        return False

    def near(self, name: str, trait: Trait) -> tuple[Node, ...]:
        """What a name of the module mentions in a way that may give it a trait."""
        return self.file.once((Unit.near, trait, name), lambda: tuple(self._near(name, trait)))

    def _near(self, name: str, trait: Trait) -> Iterator[Node]:
        if name in self.imports:
            found = self.target(name)
            if found is not None:
                yield found[0]
            return
        for block in self.blocks.get(name, ()):
            references = [item for item in self.references(block) if item[2] != (self, name)]
            leading = self._leading(block, trait) if references else ()
            yield from (node for head, _, node in references if head in leading)

    def _shows(self, name: str, trait: Trait) -> bool:
        """Whether a name of the module shows a trait by itself."""
        if name in self.imports:
            return self._tells(frozenset({last_part(self.imports[name])}), trait)
        return any(self._tells_of(block, trait) for block in self.blocks[name])

    def _tells_of(self, block: Block, trait: Trait) -> bool:
        """Whether the words of a block, as far as they may come from a library, tell a trait."""
        telling = self._telling(block, trait)
        told = _SIGNS[trait](telling & self._foreign(block))
        return told or self._lists(telling | block.names, trait)

    def _foreign(self, block: Block) -> frozenset[str]:
        """The words of a block that may be names of a library.

        A name that is not imported is the module's own, a variable, or a member of self.
        """
        return self.file.once((Unit._foreign, block.index), lambda: self._find_foreign(block))

    def _find_foreign(self, block: Block) -> frozenset[str]:
        if "*" in self.imports or "getattr" in block.words:
            return block.words
        found = set(PLAIN_WORDS)
        for head, rests in block.heads.items():
            if head in self.imports:
                found.update((head, last_part(self.imports[head])))
            if head not in _OWN:
                found.update(*(rest.split(".") for rest in rests))
        return frozenset(found)

    def _leading(self, block: Block, trait: Trait) -> Container[str]:
        """The names in a block that may give what it defines a trait."""
        if not block.defines:
            return block.heads
        if block.is_class:
            return block.header if trait is not Trait.TRANSFORM else ()
        if trait is Trait.CACHE or (trait is Trait.TRANSFORM and not self.facts(block).wraps):
            return ()
        return block.heads

    def _telling(self, block: Block, trait: Trait) -> frozenset[str]:
        """The words of a block that tell whether what it defines has a trait."""
        if block.is_class and trait in (Trait.MARKER, Trait.FROZEN, Trait.SEALED):
            return block.words if _marks_others(block) else block.header
        if trait is Trait.CACHE and block.is_class:
            return block.header | (block.words & DESCRIPTOR_WORDS)
        if trait is Trait.TRANSFORM and block.defines:
            if (
                block.is_class
                or self._foreign(block).isdisjoint(TRANSFORM_WORDS)
                or not self.facts(block).wraps
            ):
                return frozenset()
        return block.words

    def _tells(self, words: frozenset[str], trait: Trait) -> bool:
        return _SIGNS[trait](words) or self._lists(words, trait)

    def _lists(self, words: frozenset[str], trait: Trait) -> bool:
        return not words.isdisjoint(self.listed(trait))

    def listed(self, trait: Trait) -> frozenset[str]:
        """The words for what the user listed as having a trait."""
        return self.project.words(*_OPTIONS.get(trait, ())) if self.project.names else frozenset()

    def facts(self, block: Block) -> Facts:
        """What a walk over a block of the module sees."""
        return self.file.once((Unit.facts, block.index), lambda: self._look(block))

    def _look(self, block: Block) -> Facts:
        found = facts(block, self.names)
        return found if block.parsed is not None else found.without_trees()

    @cached_property
    def names(self) -> Names:
        """What the names of the module stand for that come from elsewhere."""
        project, file = self.project, self.file
        near = {name for name, dotted in self.imports.items() if project.may_have(file, dotted)}
        bound = {name for block in outline(file) if not block.is_import for name in block.names}
        foreign = self.imports.keys() - near - bound
        return Names(self.imports, frozenset(near), frozenset(foreign))

    def words(self, block: Block) -> frozenset[str]:
        """The names in a block, from its tree if there is one."""
        return self.facts(block).words if self._has_facts(block) else block.words

    def _has_facts(self, block: Block) -> bool:
        return block.parsed is not None or (Unit.facts, block.index) in self.file.memo

    def look_again(self) -> None:
        """Let go of what was seen in blocks: the survey of the module itself needs their trees."""
        for block in outline(self.file):
            self.file.memo.pop((Unit.facts, block.index), None)
            self.file.memo.pop((Unit.references, block.index), None)

    def release(self) -> None:
        """Let go of what was seen in the module itself: who asks later looks at single blocks."""
        self.look_again()
        for detail in vars(self).keys() - {"project", "file"}:
            del vars(self)[detail]

    def inherits_caches(self, block: Block, bases: Set[str]) -> bool:
        """Whether a base class of another module may have caches, and be no pytree itself."""
        return any(
            not owner.may_be(cls, Trait.MARKER) and owner._has_caches(cls)
            for _, word, (unit, base) in self.references(block)
            if word in bases and unit is not self
            for owner, cls in unit._lineage(base)
        )

    def called_in_traces(self, cls: str) -> frozenset[str]:
        """The words in those bases of a class, in other modules, that may trace something."""
        found = set[str]()
        for unit, base in self._lineage(cls):
            for block in unit.blocks.get(base, ()) if unit is not self else ():
                if unit._may_trace(block):
                    found |= block.words
        return frozenset(found)

    def _may_trace(self, block: Block) -> bool:
        """Whether a block may use a transform, of a library or of the project."""
        words = block.words
        if not words.isdisjoint(TRANSFORM_WORDS) or self._lists(words, Trait.TRANSFORM):
            return True
        named = (node for _, _, node in self.references(block))
        return any(unit.may_be(name, Trait.TRANSFORM) for unit, name in named)

    def _has_caches(self, cls: str) -> bool:
        """Whether a method of a class may be cached, or fill a hand-made cache."""
        for block in self.blocks.get(cls, ()):
            known = {name for name in self.imports if self.may_be(name, Trait.CACHE)}
            if makes_caches(self._foreign(block) & block.words) or not known.isdisjoint(
                block.words
            ):
                return True
            inside = [node for item in block.nodes for node in below(item)]
            classes = [node for node in inside if isinstance(node, ast.ClassDef)]
            if any(may_fill(node) for node in classes if node.name == cls):
                return True
        return False

    def leads(self, function: Function) -> bool:
        """Whether a function of the module leads to a write, or to a cache, in another one."""
        return any(
            unit._writes(cls, name) for unit, cls, name in self._calls(function) if unit is not self
        )

    def _writes(self, cls: str | None, name: str) -> bool:
        """Whether calling a function, or reading a member, may change what it is given."""
        key = (Unit._writes, cls, name)
        known = self.file.memo.get(key)
        if known is not None:
            return known is True
        seen: set[Callee] = set()
        stack: list[Callee] = [(self, cls, name)]
        while stack:
            callee = stack.pop()
            if callee in seen:
                continue
            seen.add(callee)
            unit, owner, here = callee
            known = unit.file.memo.get((Unit._writes, owner, here))
            if known is True or (known is None and unit._writes_itself(owner, here)):
                self.file.memo[key] = True
                return True
            if known is None:
                for function in unit._functions(owner, here):
                    stack += unit._calls(function)
        for unit, owner, here in seen:
            unit.file.memo[Unit._writes, owner, here] = False
        return False

    def _functions(self, cls: str | None, name: str) -> Iterator[Function]:
        for block in self.blocks.get(cls or name, ()):
            found = self.facts(block)
            yield from found.functions if cls is None else found.methods.get((cls, name), ())

    def _writes_itself(self, cls: str | None, name: str) -> bool:
        for block in self.blocks.get(cls or name, ()):
            if name in self.facts(block).cached:
                return True
        return any(item.writes for item in self._functions(cls, name))

    def _calls(self, function: Function) -> tuple[Callee, ...]:
        """What a function may call, in this module and in others."""
        if function not in self._called:
            self._called[function] = tuple(self._find_calls(function))
        return self._called[function]

    def _find_calls(self, function: Function) -> Iterator[Callee]:
        classes: set[Node] = set()
        around, makers = set[str](), set[str]()
        outer = function.around
        while outer is not None:
            around |= outer.words
            makers |= {made for name, made in outer.makers.items() if name in function.words}
            outer = outer.around
        if function.cls is not None:
            classes.add((self, function.cls.name))
            around |= function.cls.fields
        words, nodes = function.words, list[Node]()
        for head, word, node in self.references(function.block):
            named = head in words and word in words
            if named or (word in around and not node[0]._is_function(node[1])):
                nodes.append(node)
            elif word in makers:
                nodes += node[0]._made_by(node[1])
        wanted = set(function.attributes)
        if not all(self._is_function(name) for name in function.calls):
            wanted.add("__call__")
        seen: set[Node] = set()
        stack = nodes
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            unit, name = node
            if name in unit.imports:
                stack += [found[0] for found in [unit.target(name)] if found is not None]
                continue
            for block in unit.blocks.get(name, ()):
                if block.is_class:
                    classes.add(node)
                elif block.defines:
                    yield unit, None, name
                    stack += unit._made_by(name)
                else:
                    wanted |= {*block.words, "__call__"}
                    stack += [inner for _, _, inner in unit.references(block)]
                    found = unit.facts(block)
                    classes |= {node for cls in found.classes if cls.name == name}
                    if found.functions[1:] or name in found.cached:  # it stands below a condition
                        yield unit, None, name
        for unit, name in {*classes, *self._known_by(function.attributes)}:
            yield from unit._reached(name, wanted)

    def _known_by(self, attributes: frozenset[str]) -> Iterator[Node]:
        """The classes of the module that have methods of some names, which may tell them."""
        known = self._classes_by_method
        for name in attributes - COMMON_NAMES if known else ():
            yield from ((self, cls) for cls in known.get(name, ()))

    @cached_property
    def _classes_by_method(self) -> Mapping[str, set[str]]:
        """The classes that may have methods of each name."""
        found: dict[str, set[str]] = {}
        for name, blocks in self.blocks.items():
            for block in blocks:
                for method in block.functions if block.is_class else ():
                    found.setdefault(method, set()).add(name)
        return found

    def _reached(self, cls: str, wanted: set[str]) -> Iterator[Callee]:
        """The members of a class and of its bases that some names lead to, also through others."""
        names, further = set[str](), set(wanted)
        while further:
            names |= further
            latest, further = further, set()
            for (unit, owner), member in self._members(cls, latest):
                yield unit, owner, member
                for function in unit._functions(owner, member):
                    further |= function.attributes
            further -= names

    def _made_by(self, name: str) -> list[Node]:
        """What a function mentions that is no function: the classes of what it gives back."""
        inside = [node for b in self.blocks.get(name, ()) for _, _, node in self.references(b)]
        return [node for node in inside if not node[0]._is_function(node[1])]

    def _is_function(self, name: str) -> bool:
        return any(block.defines and not block.is_class for block in self.blocks.get(name, ()))

    def takers(self, name: str) -> frozenset[str]:
        """The methods of a class, or of an object, that may trace what they are given."""
        return self.file.once((Unit.takers, name), lambda: self._takers(name))

    def _takers(self, name: str) -> frozenset[str]:
        found = set[str]()
        seen: set[Node] = set()
        stack: list[Node] = [(self, name)]
        while stack:
            node = stack.pop()
            unit, here = node
            for block in unit.blocks.get(here, ()) if node not in seen else ():
                if not block.defines:  # perhaps an object: what its class may do
                    stack += [inner for _, _, inner in unit.references(block)]
                elif block.is_class and not block.words.isdisjoint(TRANSFORM_WORDS):
                    functions = unit.facts(block).functions
                    found |= {item.called for item in functions if item.takes_functions}
            seen.add(node)
        return frozenset(found)

    def sets_attributes(self, name: str) -> bool:
        """Whether a function may set attributes of what it is given, itself or through others."""
        key = (Unit.sets_attributes, name)
        known = self.file.memo.get(key)
        if known is not None:
            return known is True
        seen: set[Node] = set()
        stack: list[Node] = [(self, name)]
        while stack:
            node = stack.pop()
            unit, here = node
            known = unit.file.memo.get((Unit.sets_attributes, here))
            if node in seen or known is False:
                continue
            seen.add(node)
            blocks = [] if here in unit.imports else unit.blocks.get(here, [])
            if known is True or any(not b.is_class and _STORES.search(b.text) for b in blocks):
                self.file.memo[key] = True
                return True
            for block in blocks:
                stack += [inner for _, _, inner in unit.references(block)] if block.defines else []
        for unit, here in seen:
            unit.file.memo[Unit.sets_attributes, here] = False
        return False

    def may_hold(self, name: str, trait: Trait) -> bool:
        """Whether objects of a class, or a variable, may have members with a trait."""
        seen: set[Node] = set()
        stack: list[Node] = [(self, name)]
        while stack:
            node = stack.pop()
            unit, here = node
            if node in seen or unit._is_function(here):
                continue
            seen.add(node)
            if unit.may_be(here, trait):
                return True
            if here in unit.imports:
                stack += [found[0] for found in [unit.target(here)] if found is not None]
            for block in unit.blocks.get(here, ()):
                stack += [inner for _, _, inner in unit.references(block)]
        return False

    def _members(self, name: str, wanted: set[str]) -> Iterator[tuple[Node, str]]:
        """The members of a class and of its bases, among some names, and where they are."""
        for unit, cls in self._lineage(name):
            for block in unit.blocks.get(cls, ()):
                if not wanted.isdisjoint(block.functions):
                    defined = unit.facts(block).members
                    yield from (((unit, cls), member) for member in wanted & defined)

    def _lineage(self, name: str) -> tuple[Node, ...]:
        """A class and its bases, as far as they are in the project."""
        return self.file.once((Unit._lineage, name), lambda: self._find_lineage(name))

    def _find_lineage(self, name: str) -> tuple[Node, ...]:
        seen: dict[Node, None] = {}
        stack: list[Node] = [(self, name)]
        while stack:
            node = stack.pop()
            unit, here = node
            if node in seen:
                continue
            seen[node] = None
            if here in unit.imports:
                stack += [found[0] for found in [unit.target(here)] if found is not None]
                continue
            for block in unit.blocks.get(here, ()):
                bases = unit._bases(block, here)
                references = unit.references(block) if bases else ()
                stack += [inner for _, word, inner in references if word in bases]
        return tuple(node for node in seen if node[1] not in node[0].imports)

    def _bases(self, block: Block, name: str) -> Set[str]:
        """The names in the bases of a class, told by its text as long as nobody needs its tree."""
        if block.is_class and not self._has_facts(block):
            return block.bases
        named = [cls for cls in self.facts(block).classes if cls.name == name]
        return _EMPTY.union(*(cls.bases for cls in named))

    def references(self, block: Block) -> tuple[tuple[str, str, Node], ...]:
        """What a block mentions: how it begins, the word for it, and what it is."""
        key = (Unit.references, block.index)
        return self.file.once(key, lambda: tuple(self._find_references(block)))

    def _find_references(self, block: Block) -> Iterator[tuple[str, str, Node]]:
        for chain in self._chains(block):
            found = self.target(chain)
            if found is not None:
                yield chain.partition(".")[0], found[1], found[0]

    def _chains(self, block: Block) -> Iterator[str]:
        """The dotted names in a block that may lead to something of the project."""
        if self._has_facts(block):
            found = self.facts(block)
            yield from found.chains
            yield from found.words & self._own
            return
        near, own = self.names.near, self._own
        # An intersection of keys with a frozen set would go over the set, which is the larger one.
        for head in [name for name in block.heads if name in near or name in own]:
            yield from (f"{head}.{rest}" if rest else head for rest in block.heads[head])

    @cached_property
    def _own(self) -> frozenset[str]:
        """The names that the module binds by itself."""
        return frozenset(self.blocks.keys() - self.imports.keys())

    @cached_property
    def _called(self) -> dict[Function, tuple[Callee, ...]]:
        return {}

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


def _marks_others(block: Block) -> bool:
    """Whether a class may make pytrees of its subclasses or, if it is a metaclass, of others."""
    if not block.words.isdisjoint(_SUBCLASS_HOOKS):
        return True
    is_metaclass = any(word == "type" or "meta" in word.lower() for word in block.header)
    return is_metaclass and "__init__" in block.words


_EMPTY = frozenset[str]()
_STORES = re.compile(
    r"\.\w+[^\S\n]*(?:[-+*/@%&|^]|//|\*\*|<<|>>)?=(?!=)"
    r"|^[^\S\n]*[(\[]?[\w.]+\.\w+[^\S\n]*[,:][^\n=]*=(?!=)"
    r"|\bfor\b(?:(?!\bin\b)[^\n])*\.\w|\bas[^\S\n]+\w+\."
    r"|\b(?:set|del)attr\b|\bdel\b",
    re.MULTILINE,
)
"""Where an attribute may be set, or deleted."""
_OWN = ("self", "cls")
_SUBCLASS_HOOKS = frozenset({"__init_subclass__", "__new__"})
_OPTIONS = {
    Trait.TRANSFORM: (LISTED_TRANSFORM,),
    Trait.MARKER: (LISTED_BASE, LISTED_DECORATOR),
    Trait.CACHE: (LISTED_CACHED_PROPERTY,),
}
_SIGNS: Mapping[Trait, Callable[[frozenset[str]], bool]] = {
    Trait.TRANSFORM: lambda words: not words.isdisjoint(TRANSFORM_WORDS),
    Trait.MARKER: lambda words: not words.isdisjoint(MARKER_WORDS),
    Trait.FROZEN: lambda words: not words.isdisjoint(FROZEN_WORDS),
    Trait.SEALED: lambda words: not words.isdisjoint(SEALED_WORDS),
    Trait.CACHE: makes_caches,
}
