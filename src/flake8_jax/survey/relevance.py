"""Which blocks of a module may take part in a finding, so that libcst parses those and no others.

A function may be traced if its name, or the name of something that mentions it, stands in a call of
something that is called like a transform; it matters if one of those functions writes, or leads to
another module in which something does.
"""

import ast
from collections.abc import Iterable
from functools import cached_property

from flake8_jax.knowledge.pytrees import CONCRETE
from flake8_jax.outline import Block, outline
from flake8_jax.project import File, Project
from flake8_jax.survey.neighbours import Trait, Unit
from flake8_jax.survey.walk import Function, Walk, below, last_part, names_in, own_name
from flake8_jax.survey.words import CACHING, MARKER_WORDS, TUPLE_WORDS, makes_caches


def survey(project: Project, file: File) -> frozenset[int]:
    """The blocks of a file that may take part in a finding, by their index."""
    return _Survey(Unit.of(project, file)).relevant()


class _Survey:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.blocks = outline(unit.file)
        self.walk = Walk(unit.imports)
        self.writers: set[str] = set()
        """The words for what other modules have, and what may change what it is given."""
        self.pytrees_elsewhere: set[str] = set()
        """The words for what may be pytrees, or make them, in other modules."""

    def relevant(self) -> frozenset[int]:
        self._elsewhere()
        for block in self.blocks:
            self._own_names(block)
        for block in self.blocks:
            for node in block.nodes:
                self.walk.statement(block.index, node)
        found = set(self.walk.discarding)
        pytrees = self._pytree_classes()
        if pytrees or self._uses_pytrees:
            found |= self.walk.writing_outside_of_construction
        found |= self._writing_elsewhere(bool(pytrees))
        if pytrees:
            found |= self._caching(pytrees)
        found |= self._traced_writers()
        text = self.unit.file.text
        if found and (CACHING.search(text) or self.writers):
            # what the module does when it is imported may fill a cache
            simple = (ast.Expr, ast.Assign, ast.AnnAssign, ast.For, ast.If, ast.With)
            found |= {
                block.index
                for block in self.blocks
                if any(isinstance(node, simple) for node in block.nodes)
            }
        return frozenset(found)

    def _elsewhere(self) -> None:
        """Note the words for what other modules of the project have."""
        words = {
            Trait.TRANSFORM: self.walk.transforms,
            Trait.MARKER: self.pytrees_elsewhere,
            Trait.CACHE: self.walk.cached,
            Trait.WRITER: self.writers,
        }
        chains = {
            chain
            for block in self.blocks
            for chain in block.chains
            if chain.partition(".")[0] in self.unit.imports
        }
        for chain in chains:
            target = self.unit.target(chain)
            if target is not None:
                (unit, name), word = target
                for trait, names in words.items():
                    if unit.may_be(name, trait):
                        names.add(word)
        self.walk.markers |= self.pytrees_elsewhere
        self.walk.transforms |= {
            name
            for name, dotted in self.unit.imports.items()
            if last_part(dotted) in self.walk.transforms
        }
        self.walk.cached |= {
            name
            for name, dotted in self.unit.imports.items()
            if last_part(dotted) in self.walk.cached
        }

    def _own_names(self, block: Block) -> None:
        """Note what stands for a transform or a marker of pytrees in this module."""
        walk, words = self.walk, block.words
        marks = not words.isdisjoint(MARKER_WORDS) or not words.isdisjoint(walk.markers)
        for node in block.nodes:
            if not isinstance(node, ast.Assign | ast.FunctionDef | ast.ClassDef):
                walk.registered |= words if marks else set()
                continue
            if isinstance(node, ast.Assign):
                names = {item.id for item in node.targets if isinstance(item, ast.Name)}
            else:
                names = {node.name}
            is_class = isinstance(node, ast.ClassDef)
            if not is_class and not words.isdisjoint(walk.transforms):
                walk.transforms |= names
            if marks:
                walk.markers |= names
            if isinstance(node, ast.Assign) and not words.isdisjoint(self.writers):
                self.writers |= names
            bases = node.bases if isinstance(node, ast.ClassDef) else []
            caches = any(names_in(base) & walk.cached for base in bases)
            caches = caches or "__get__" in words or (not is_class and makes_caches(words))
            if caches or (not is_class and not words.isdisjoint(walk.cached)):
                walk.cached |= names

    @property
    def _uses_pytrees(self) -> bool:
        """Whether classes are imported that are known to be frozen."""
        return any(
            dotted in CONCRETE or dotted.startswith("equinox") or last_part(dotted) in TUPLE_WORDS
            for dotted in self.unit.imports.values()
        )

    def _writing_elsewhere(self, has_pytrees: bool) -> set[int]:
        """The blocks that may change pytrees of other modules, or have them changed there."""
        found = set[int]()
        frozen = has_pytrees or self._uses_pytrees
        for block in self.blocks:
            near = not self.pytrees_elsewhere.isdisjoint(block.words)
            if near and block.index in self.walk.writing_outside_of_construction:
                found.add(block.index)
            if (near or frozen) and not self.writers.isdisjoint(block.words):
                if not block.is_import:
                    found.add(block.index)
        return found

    def _pytree_classes(self) -> list[tuple[int, ast.ClassDef]]:
        """The classes that may be pytrees, or that those inherit from."""
        classes = self.walk.classes
        found: dict[str, tuple[int, ast.ClassDef]] = {}
        grown = True
        while grown:
            grown = False
            for index, node in classes:
                if node.name not in found and self._may_be_pytree(node, found.keys()):
                    found[node.name] = (index, node)
                    grown = True
        grown = True
        while grown:
            bases = [base for _, node in found.values() for base in node.bases]
            parents = {name for base in bases for name in names_in(base)} - found.keys()
            mixins = {node.name: (index, node) for index, node in classes}
            mixins = {name: mixins[name] for name in parents & mixins.keys()}
            grown = bool(mixins)
            found |= mixins
        return list(found.values())

    def _may_be_pytree(self, node: ast.ClassDef, known: Iterable[str]) -> bool:
        if node.name in self.walk.registered:
            return True
        marks = [*node.bases, *node.decorator_list, *(item.value for item in node.keywords)]
        own = self.walk.markers | set(known)
        return any(self._marks(part, own) for mark in marks for part in below(mark))

    def _marks(self, node: ast.AST, own: set[str]) -> bool:
        """Whether a name in a base class or decorator may make a class a pytree."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return False
        dotted = self.walk.dotted(node)
        if dotted is None or next(own_name(node)) in own:
            return next(own_name(node)) in own | MARKER_WORDS
        if dotted.startswith("flax.linen"):
            return False
        kinds = ("equinox.nn.", "flax.nnx.")
        last = last_part(dotted)
        return last in MARKER_WORDS or dotted.startswith(kinds) or last in own

    def _caching(self, pytrees: list[tuple[int, ast.ClassDef]]) -> set[int]:
        """The blocks with pytree classes that may have caches, or inherit them."""
        methods = {item.index for item in self.walk.functions if item.is_method and item.fills}
        caching = self.walk.cached | self.writers
        found: dict[str, int] = {}
        for index, node in pytrees:
            if index in methods or not caching.isdisjoint(self.blocks[index].words):
                found[node.name] = index
        grown = bool(found)
        while grown:
            heirs = {
                node.name: index
                for index, node in pytrees
                if node.name not in found
                and any(names_in(base) & found.keys() for base in node.bases)
            }
            found |= heirs
            grown = bool(heirs)
        return set(found.values())

    @cached_property
    def _by_name(self) -> dict[str, list[Function]]:
        found: dict[str, list[Function]] = {}
        for function in self.walk.functions:
            found.setdefault(function.name, []).append(function)
        return found

    def _traced_writers(self) -> set[int]:
        """The blocks with functions that may be traced and lead to a write."""
        leading = self.walk.cached | self.writers
        writers = [item for item in self._reached() if item.writes or item.mentions & leading]
        handing = {
            index for index, names in self.walk.handed.items() if not names.isdisjoint(leading)
        }
        if not writers and not handing:
            return set()
        callers: dict[str, list[Function]] = {}
        for function in self.walk.functions:
            for name in function.mentions & self._by_name.keys():
                callers.setdefault(name, []).append(function)
        found: set[Function] = set()
        stack = list(writers)
        while stack:
            function = stack.pop()
            if function not in found:
                found.add(function)
                stack += callers.get(function.name, ())
        relevant = {function.index for function in found} | handing
        if any(item.mentions & self.walk.cached for item in writers):
            relevant |= {index for index, _ in self.walk.classes}
        return relevant

    def _reached(self) -> list[Function]:
        """The functions that may run under a trace."""
        found: set[Function] = set()
        stack = [item for item in self.walk.functions if item.traced]
        stack += [item for name in self.walk.candidates for item in self._by_name.get(name, ())]
        while stack:
            function = stack.pop()
            if function not in found:
                found.add(function)
                names = function.mentions & self._by_name.keys()
                stack += [item for name in names for item in self._by_name[name]]
        return [item for item in self.walk.functions if item in found]
