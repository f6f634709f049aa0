"""Which blocks of a module may take part in a finding, so that libcst parses those and no others.

A function may be traced if its name, or the name of something that mentions it, stands in a call of
something that is called like a transform; it matters if one of those functions writes, or leads to
another module in which something does.
"""

import ast
import builtins
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.pytrees import CONCRETE
from flake8_jax.knowledge.transforms import DEFINES_RULES, TRANSFORMS, Transform
from flake8_jax.outline import Block, outline
from flake8_jax.project import File, Project
from flake8_jax.survey.facts import CALL, Class, Function
from flake8_jax.survey.filling import may_fill, names_of_members
from flake8_jax.survey.neighbours import Trait, Unit
from flake8_jax.survey.nodes import (
    LAMBDA,
    below,
    dotted_name,
    functions_in,
    last_part,
    names_in,
    own_name,
    stripped,
)
from flake8_jax.survey.words import (
    CACHE_WORDS,
    FROZEN_WORDS,
    MARKER_WORDS,
    TRACING,
    TRANSFORM_WORDS,
    makes_caches,
)

_CONCRETE_WORDS = frozenset(last_part(name) for name in CONCRETE)
_STEPS = 30
"""How many calls inside each other are followed without having looked at the inner ones before."""
_NAMING = (ast.Name, ast.Attribute, ast.Call)
_EXPORTS = frozenset({"__all__"})
"""What is bound by a statement that names much and uses none of it."""


@dataclass(frozen=True)
class Relevant:
    """The blocks that may take part in a finding, by their index."""

    classes: frozenset[int] = frozenset()
    """Those with pytree classes that may have caches."""
    functions: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """Those with functions that have to be followed, and the names of these."""
    changing: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """Those of them that may set frozen attributes, or throw updates away, whatever is traced."""
    complete: bool = False
    """Whether all of the file is to be followed, and nothing sorted out later either."""


def survey(project: Project, file: File) -> Relevant:
    """The blocks of a file that may take part in a finding."""

    def look() -> Relevant:
        unit = Unit.of(project, file)
        found = _Survey(unit).relevant()
        unit.release()
        return found

    return file.once(survey, look)


def _handing(function: Function, names: set[str]) -> Function:
    """What a function hands to transforms, as a function that calls it."""
    block = function.block
    around = Function(block, "", mentions={*block.words})
    return Function(block, "", mentions=names, around=around)


def _names_of(functions: Iterable[Function]) -> dict[int, frozenset[str]]:
    """The names of functions, and of those around them, by block."""
    names: dict[int, set[str]] = {}
    for function in functions:
        here = names.setdefault(function.block.index, set())
        outer: Function | None = function
        while outer is not None:
            here.add(outer.name)
            outer = outer.around
    return {index: frozenset(found) for index, found in names.items()}


class _Survey:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.blocks = outline(unit.file)
        self.tracing: set[str] = set()
        """The names of what may trace, besides those of the tables."""
        self.markers: set[str] = set()
        """The names of what may make pytrees, besides those of the tables."""
        self.frozen: set[str] = set(_CONCRETE_WORDS)
        """The names of classes that may be frozen, of what makes them, and of their instances."""
        self.caching: set[str] = set(CACHE_WORDS)
        """The names of what caches, and of what is made with it."""
        self.cached: set[str] = set()
        """The names of functions and properties that are cached."""
        self.registered: set[str] = set()
        """The names that stand in calls of what may make pytrees."""
        self.handed: dict[Function, set[str]] = {}
        """The names that each function hands to what may trace."""

    def relevant(self) -> Relevant:
        self._elsewhere()
        for block in self.blocks:
            self._own_names(block)
        self._calls()
        while self._takers():
            self._calls()
        functions = {function for function in self.functions if function.discards}
        pytrees = self._pytree_classes()
        functions |= self._setting(pytrees)
        tracing = self._followed(self._traced_writers())
        caching = frozenset(self._caching(pytrees))
        return Relevant(caching, _names_of(functions | tracing), _names_of(functions))

    @cached_property
    def functions(self) -> list[Function]:
        """All functions of the module, and what stands in none."""
        return [item for block in self.blocks for item in self.unit.facts(block).functions]

    def _elsewhere(self) -> None:
        """Note the words for what other modules of the project have."""
        words = {
            Trait.TRANSFORM: self.tracing,
            Trait.MARKER: self.markers,
            Trait.FROZEN: self.frozen,
            Trait.CACHE: self.caching,
        }
        found = {
            (node, word)
            for block in self.blocks
            if not block.is_import and block.names != _EXPORTS
            for _, word, node in self.unit.references(block)
            if node[0] is not self.unit
        }
        for (unit, name), word in found:
            for trait, names in words.items():
                if unit.may_be(name, trait):
                    names.add(word)
            self.tracing |= unit.takers(name)
        for trait, names in words.items():
            listed = self.unit.listed(trait)
            names |= listed
            names |= {n for n, d in self.unit.imports.items() if last_part(d) in listed}
        for name, dotted in self.unit.imports.items():
            if last_part(dotted) in CACHE_WORDS:
                self.caching.add(name)
            if dotted.startswith("equinox") or last_part(dotted) in FROZEN_WORDS:
                self.frozen.add(name)
            if name == "*":
                self.tracing |= TRANSFORM_WORDS
            elif name not in TRANSFORM_WORDS and canonical(dotted) in TRACING:
                self.tracing.add(name)

    def _own_names(self, block: Block) -> None:
        """Note what stands for a transform, a marker of pytrees or a cache in this module."""
        words = block.words
        found = self.unit.facts(block)
        marks = not words.isdisjoint(MARKER_WORDS) or not words.isdisjoint(self.markers)
        if not block.is_import and not block.is_class:
            if not words.isdisjoint(self.frozen) or not words.isdisjoint(FROZEN_WORDS):
                self.frozen |= block.names
        traces = not words.isdisjoint(TRANSFORM_WORDS) or not words.isdisjoint(self.tracing)
        if traces:
            self.tracing |= {name for name, value in found.aliases if self._names_transform(value)}
        self.cached |= found.cached
        for function in found.functions:
            for decorator in function.decorators:
                if not names_in(decorator).isdisjoint(self.caching):
                    self.cached.add(function.name)
        for node in block.nodes:
            if not isinstance(node, ast.Assign | ast.FunctionDef | ast.ClassDef):
                self.registered |= words if marks else set()
                continue
            is_function = isinstance(node, ast.FunctionDef)
            if traces and is_function and found.wraps:
                self.tracing |= block.names
            if marks:
                self.markers |= block.names
            telling = words if isinstance(node, ast.Assign) else block.header
            caches = "__get__" in words or not telling.isdisjoint(self.caching)
            if caches or (not isinstance(node, ast.ClassDef) and makes_caches(words)):
                self.caching |= block.names

    def _calls(self) -> None:
        """Note what is handed to transforms, and to what makes pytrees."""
        marking = self.markers | MARKER_WORDS
        for block in self.blocks:
            for function, call in self.unit.facts(block).calls:
                last = next(own_name(call.func), "")
                if self._may_trace(call.func):
                    handed = self.handed.setdefault(function, set())
                    for argument in self._callables(call):
                        handed.update(functions_in(argument))
                        if not isinstance(argument, ast.Lambda):
                            handed.add(CALL)
                    handed.update(functions_in(call.func))
                    if not function.name:  # perhaps among the members of a class
                        handed |= {f".{name}" for name in handed}
                if last.startswith("register") or last in marking:
                    for argument in (*call.args, *(item.value for item in call.keywords)):
                        self.registered |= names_in(argument)
        for block in self.blocks:  # a list of classes that a loop registers
            if not block.defines and not block.is_import:
                if not self.registered.isdisjoint(block.names):
                    self.registered |= block.words

    def _takers(self) -> bool:
        """Note the functions that may trace what they are given; whether there are new ones."""
        known = len(self.tracing)
        for function, names in self.handed.items():
            outer: Function | None = function
            while outer is not None:
                if outer.name and not names.isdisjoint(outer.parameters):
                    self.tracing.add(outer.called)
                outer = outer.around
        for function in self.functions:
            if function.takes_functions and function.called not in self.tracing:
                words = function.block.words
                if not words.isdisjoint(TRANSFORM_WORDS) or not words.isdisjoint(self.tracing):
                    self.tracing.add(function.called)
        return len(self.tracing) > known

    def _callables(self, call: ast.Call) -> Iterable[ast.expr]:
        """The arguments of what may be a transform that may be callables."""
        row = self._row(call.func)
        if row is None:
            inner = self._row(call.func.func) if isinstance(call.func, ast.Call) else None
            if inner is not None and isinstance(call.func, ast.Call) and call.func.args:
                return  # what is traced is given what it works on
        starred = any(isinstance(item, ast.Starred) for item in call.args)
        for index, argument in enumerate(call.args):
            if row is None or starred or index in row.callables:
                yield argument
        for item in call.keywords:
            if row is None or item.arg is None or item.arg in row.keywords:
                yield item.value

    def _row(self, node: ast.expr) -> Transform | None:
        """The row of the tables for what an expression names."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return None
        dotted = dotted_name(node, self.unit.imports)
        return TRANSFORMS.get(canonical(dotted)) if dotted is not None else None

    def _names_transform(self, node: ast.expr) -> bool:
        """Whether an expression may be another name of a transform: an alias, or a partial."""
        if isinstance(node, ast.Call):
            dotted = dotted_name(node.func, self.unit.imports) or ""
            return (last_part(dotted) == "partial" or not node.args) and self._may_trace(node)
        return isinstance(node, ast.Name | ast.Attribute | ast.IfExp) and self._may_trace(node)

    def _may_trace(self, node: ast.expr) -> bool:
        """Whether calling what an expression stands for, or decorating with it, may trace."""
        match node:
            case ast.Name(id=name):
                if name in self.tracing:
                    return True
                if name in self.unit.imports:
                    return canonical(self.unit.imports[name]) in TRACING
                return name in TRANSFORM_WORDS and not hasattr(builtins, name)
            case ast.Attribute(attr=name):
                if name in self.tracing:
                    return True
                if name not in TRANSFORM_WORDS:
                    return False
                dotted = dotted_name(node, self.unit.imports)
                return name in DEFINES_RULES if dotted is None else canonical(dotted) in TRACING
            case ast.Call():
                given = (*node.args, *(item.value for item in node.keywords))
                if isinstance(node.func, _NAMING) and self._may_trace(node.func):
                    return True
                return any(isinstance(item, _NAMING) and self._may_trace(item) for item in given)
        names = names_in(node)
        return not names.isdisjoint(TRANSFORM_WORDS) or not names.isdisjoint(self.tracing)

    def _pytree_classes(self) -> list[tuple[Block, Class]]:
        """The classes that may be pytrees, or that those inherit from."""
        classes = [(b, node) for b in self.blocks for node in self.unit.facts(b).classes]
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
        name = next(own_name(node))
        dotted = dotted_name(node, self.unit.imports)
        if dotted is None or name in own:
            return name in own or name in MARKER_WORDS
        if dotted.startswith("flax.linen"):
            return False
        kinds = ("equinox.nn.", "flax.nnx.")
        last = last_part(dotted)
        return last in MARKER_WORDS or dotted.startswith(kinds) or last in own

    def _setting(self, pytrees: list[tuple[Block, Class]]) -> set[Function]:
        """The functions that may set attributes of frozen classes."""
        words = set(self.frozen)
        grown = True
        while grown:
            frozen = {
                node.name
                for block, node in pytrees
                if node.name not in words
                and not (block.header.isdisjoint(FROZEN_WORDS) and block.header.isdisjoint(words))
            }
            words |= frozen
            grown = bool(frozen)
        for block in self.blocks:
            if not block.defines and not block.is_import and not words.isdisjoint(block.words):
                words |= block.names
        setting = [item for item in self.functions if item.attributes_of]
        setting = [item for item in setting if item.name != "__init__"]
        for function in self.functions if setting else ():  # it may hand an instance out
            if function.name and not words.isdisjoint(function.words):
                words.add(function.name)
        found, bare = set[Function](), list[Function]()
        for function in setting:
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
        givers = [item for item in self.functions if not names.isdisjoint(item.words)]
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
        return function.cls is not None and not words.isdisjoint(function.block.words)

    def _caching(self, pytrees: list[tuple[Block, Class]]) -> set[int]:
        """The blocks with pytree classes that may have caches, or inherit them."""
        found: dict[str, int] = {}
        for block, node in pytrees:
            if self._may_cache(block, node) or self.unit.inherits_caches(block, node.bases):
                found[node.name] = block.index
        grown = bool(found)
        while grown:
            grown = False
            for block, node in pytrees:
                if node.name not in found and not node.bases.isdisjoint(found):
                    found[node.name] = block.index
                    grown = True
        return set(found.values())

    def _may_cache(self, block: Block, cls: Class) -> bool:
        """Whether a class may have a cache of its own."""
        if not self.caching.isdisjoint(block.words):
            return True
        if cls.node is None:
            return False
        if cls in self._storing and may_fill(cls.node):
            return True
        own = not self.cached.isdisjoint(block.words)
        return own and not self.cached.isdisjoint(names_of_members(cls.node))

    @cached_property
    def _storing(self) -> set[Class]:
        """The classes whose methods, or functions inside of those, store something."""
        homes = (item.home for item in self.functions if item.fills)
        return {cls for cls in homes if cls is not None}

    @cached_property
    def _by_name(self) -> dict[str, list[Function]]:
        found: dict[str, list[Function]] = {}
        for function in self.functions:
            name = function.name if function.cls is None else f".{function.name}"
            found.setdefault(name, []).append(function)
        return found

    def _mentioned(self, function: Function) -> list[Function]:
        """The functions of the module that a function may call."""
        names = function.mentions & self._by_name.keys()
        found = [item for name in names for item in self._by_name[name]]
        if CALL in self._by_name and not function.calls <= self._by_name.keys():
            found += self._by_name[CALL]
        return found

    def _meant(self, names: set[str]) -> set[str]:
        """Names, and what those of them stand for that are variables."""
        found, stack = set(names), list(names)
        while stack:
            further = self._stands_for.get(stack.pop(), set()) - found
            found |= further
            stack += further
        return found

    @cached_property
    def _stands_for(self) -> dict[str, set[str]]:
        """What the variables of the module may stand for."""
        found: dict[str, set[str]] = {}
        for block in self.blocks:
            for name, names in self.unit.facts(block).stands_for.items():
                found.setdefault(name, set()).update(names)
        return found

    def _traced_writers(self) -> set[Function]:
        """The functions that may be traced and lead to a write, and those that trace them."""
        reached = self._reached()
        found: set[Function] = set()
        stack = [item for item in reached if self._leads(item)]
        stack += [
            function
            for function, names in self.handed.items()
            if self.unit.leads(_handing(function, names))
        ]
        callers: dict[Function, list[Function]] = {}
        for function in {*reached, *self.handed}:
            for callee in self._mentioned(function):
                callers.setdefault(callee, []).append(function)
        for function, names in self.handed.items():
            for name in self._meant(names) - names:
                for callee in self._by_name.get(name, ()):
                    callers.setdefault(callee, []).append(function)
        while stack:
            function = stack.pop()
            if function not in found:
                found.add(function)
                stack += callers.get(function, ())
                if function.name == LAMBDA and function.around is not None:
                    stack.append(function.around)
        return found

    def _followed(self, writers: set[Function]) -> set[Function]:
        """Those from which the others are come to, unless that takes too many steps."""
        roots = writers.intersection((*self.handed, *self._decorated()))
        found, latest = set(roots), roots
        for _ in range(_STEPS):
            latest = {item for function in latest for item in self._mentioned(function)}
            latest = (latest & writers) - found
            if not latest:
                return roots
            found |= latest
        return writers

    def _leads(self, function: Function) -> bool:
        """Whether a function may write, or fill a cache, itself or in another module."""
        if function.writes or not function.words.isdisjoint(self.caching):
            return True
        if not function.words.isdisjoint(self.cached):
            return True
        return self.unit.leads(function)

    def _decorated(self) -> list[Function]:
        """The functions that a decorator may hand to a transform."""
        return [
            item
            for item in self.functions
            if any(self._may_trace(decorator) for decorator in item.decorators)
        ]

    def _reached(self) -> list[Function]:
        """The functions that may run under a trace."""
        found: set[Function] = set()
        stack = self._decorated()
        names = self._meant(set[str]().union(*self.handed.values()))
        stack += [item for name in names for item in self._by_name.get(name, ())]
        while stack:
            function = stack.pop()
            if function not in found:
                found.add(function)
                stack += self._mentioned(function)
        return list(found)
