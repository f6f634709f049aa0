"""The second gate: a walk over the ``ast`` tree that flake8 has at hand.

It knows names and nothing else, and errs on the side of looking: it tells which top-level
statements may take part in a finding, so that libcst parses those and no others. A function may be
traced if its name, or the name of something that mentions it, stands in a call of something that
is called like a transform; it matters if one of those functions writes.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from flake8_jax.knowledge.caches import CACHED_PROPERTIES, FUNCTION_CACHES
from flake8_jax.knowledge.objects import ARRAY_UPDATES, CONTAINER_MUTATORS, UPDATE_FUNCTIONS
from flake8_jax.knowledge.pytrees import BASE_FACTORIES, BASES, CONCRETE, MARKERS
from flake8_jax.knowledge.transforms import DEFINES_RULES, TRANSFORMS

_CONSTRUCTION = frozenset({"__init__", "__post_init__", "__new__", "setup", "__setstate__"})
_TRANSFORMS = frozenset(
    {name.rpartition(".")[2] for name in TRANSFORMS} | DEFINES_RULES | {"remat", "pjit"}
)
_CACHES = frozenset(name.rpartition(".")[2] for name in (*CACHED_PROPERTIES, *FUNCTION_CACHES))
_UPDATES = frozenset({"replace", "_replace", *(n.rpartition(".")[2] for n in UPDATE_FUNCTIONS)})
_RAW_WRITES = frozenset({"setattr", "delattr", "__setattr__", "vars", "__dict__"})
_CACHE_WORDS = re.compile("|".join(sorted(_CACHES)))
_MARKERS = frozenset(
    {name.rpartition(".")[2] for name in (*BASES, *MARKERS, *BASE_FACTORIES, *CONCRETE)}
)
_TUPLES = frozenset(name.rpartition(".")[2] for name in BASE_FACTORIES)
_INNER_IMPORT = re.compile(r"(?:^[ \t]+|[:;][ \t]*)(?:from|import)\b", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")
_NO_NODES = frozenset(
    {"ctx", "id", "attr", "arg", "name", "names", "module", "level", "kind", "type_comment", "op"}
    | {"ops", "lineno", "asname", "type_ignores", "simple", "is_async", "conversion", "rest"}
)
_MADE = (ast.Dict, ast.List, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.Call, ast.Tuple)


@dataclass(eq=False)
class _Function:
    """What a walk over one function has seen."""

    index: int
    name: str
    parameters: frozenset[str] = frozenset()
    traced: bool = False
    is_method: bool = False
    mentions: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    """The names at the root of what it writes."""
    made: set[str] = field(default_factory=set)
    """The local names that stand for objects which are made here."""
    given: set[str] = field(default_factory=set)
    """The local names that may stand for something else."""
    is_construction: bool = False
    writes_outside: bool = False
    sets_attributes: bool = False

    @property
    def fills(self) -> bool:
        """Whether it may fill a hand-made cache."""
        return not self.is_construction and (self.sets_attributes or self.writes_outside)

    @property
    def writes(self) -> bool:
        """Whether it may change an object that it has not made itself."""
        own = self.made - self.given - self.parameters
        return self.writes_outside or bool(self.written - own)


def survey(tree: ast.Module, lines: Sequence[str]) -> frozenset[int]:
    """The positions in ``tree.body`` of the statements that may take part in a finding."""
    text = "".join(lines)
    walk = _Walk(tree, lines, _INNER_IMPORT.search(text) is not None)
    for index, statement in enumerate(tree.body):
        walk.statement(index, statement)
    relevant = set(walk.relevant)
    pytrees = walk.pytree_classes()
    if pytrees or walk.uses_pytrees:
        relevant |= walk.writing_outside_of_construction
    if pytrees:
        relevant |= walk.caching(pytrees, lines)
    relevant |= walk.traced_writers()
    if relevant and _CACHE_WORDS.search(
        text
    ):  # what the module does when it is imported may fill a cache
        simple = (ast.Expr, ast.Assign, ast.AnnAssign, ast.For, ast.If, ast.With)
        relevant |= {i for i, node in enumerate(tree.body) if isinstance(node, simple)}
    return frozenset(relevant)


def _own_name(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr


def _imports(statements: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """The names that are imported, and what they stand for."""
    for node in statements:
        match node:
            case ast.Import():
                for alias in node.names:
                    name = alias.name if alias.asname else alias.name.partition(".")[0]
                    yield alias.asname or name, name
            case ast.ImportFrom():
                for alias in node.names:
                    yield alias.asname or alias.name, f"{node.module or ''}.{alias.name}"


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each type that may hold nodes."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        self[kind] = tuple(name for name in kind._fields if name not in _NO_NODES)
        return self[kind]


_FIELDS = _Fields()


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """As ``ast.iter_child_nodes``, which spends most of its time on fields that hold no nodes."""
    for name in _FIELDS[type(node)]:
        value = getattr(node, name, None)
        if type(value) is list:
            yield from (item for item in value if isinstance(item, ast.AST))
        elif isinstance(value, ast.AST):
            yield value


def _below(node: ast.AST) -> Iterator[ast.AST]:
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(_children(node))


def _stored(target: ast.AST) -> Iterator[str]:
    """The names that a target binds."""
    for node in _below(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _last(dotted: str) -> str:
    return dotted.rpartition(".")[2]


def _all(node: ast.AST) -> set[str]:
    """All identifiers below a node."""
    return {item for inner in _below(node) for item in _own_name(inner)}


class _Walk:
    def __init__(self, tree: ast.Module, lines: Sequence[str], inner_imports: bool) -> None:
        self.imports = dict(_imports(_below(tree) if inner_imports else tree.body))
        self.transforms = set(_TRANSFORMS)
        self.transforms |= {
            name for name, dotted in self.imports.items() if _last(dotted) in _TRANSFORMS
        }
        self.index = 0
        self.functions: list[_Function] = []
        self.classes: list[tuple[int, ast.ClassDef]] = []
        self.candidates: set[str] = set()
        self.registered: set[str] = set()
        self.markers: set[str] = set()
        """The functions and classes of the module that have to do with markers of pytrees."""
        self.cached = set(_CACHES)
        self.cached |= {name for name, dotted in self.imports.items() if _last(dotted) in _CACHES}
        """The names of what caches, and of functions and properties that are cached."""
        self.relevant: set[int] = set()
        self.writing_outside_of_construction: set[int] = set()
        for node in tree.body:
            self._own_names(node, lines)

    def _own_names(self, node: ast.stmt, lines: Sequence[str]) -> None:
        """Note what stands for a transform or a marker of pytrees in this module."""
        mentioned = set(_WORD.findall("".join(lines[node.lineno - 1 : node.end_lineno])))
        if not isinstance(node, ast.Assign | ast.FunctionDef | ast.ClassDef):
            if mentioned & (_MARKERS | self.markers):
                self.registered |= mentioned
            return
        if isinstance(node, ast.Assign):
            names = {item.id for item in node.targets if isinstance(item, ast.Name)}
        else:
            names = {node.name}
        if mentioned & self.transforms and not isinstance(node, ast.ClassDef):
            self.transforms |= names
        if mentioned & _MARKERS or mentioned & self.markers:
            self.markers |= names
        bases = node.bases if isinstance(node, ast.ClassDef) else []
        caches = any(_all(base) & self.cached for base in bases)
        if caches or (not isinstance(node, ast.ClassDef) and mentioned & self.cached):
            self.cached |= names

    @property
    def uses_pytrees(self) -> bool:
        """Whether classes are imported that are known to be frozen."""
        return any(
            dotted in CONCRETE or dotted.startswith("equinox") or _last(dotted) in _TUPLES
            for dotted in self.imports.values()
        )

    def pytree_classes(self) -> list[tuple[int, ast.ClassDef]]:
        """The classes that may be pytrees, or that those inherit from."""
        found: dict[str, tuple[int, ast.ClassDef]] = {}
        grown = True
        while grown:
            grown = False
            for index, node in self.classes:
                if node.name not in found and self._may_be_pytree(node, found.keys()):
                    found[node.name] = (index, node)
                    grown = True
        grown = True
        while grown:
            bases = [base for _, node in found.values() for base in node.bases]
            parents = {name for base in bases for name in _all(base)} - found.keys()
            mixins = {node.name: (index, node) for index, node in self.classes}
            mixins = {name: mixins[name] for name in parents & mixins.keys()}
            grown = bool(mixins)
            found |= mixins
        return list(found.values())

    def _may_be_pytree(self, node: ast.ClassDef, known: Iterable[str]) -> bool:
        if node.name in self.registered:
            return True
        marks = [*node.bases, *node.decorator_list, *(item.value for item in node.keywords)]
        own = self.markers | set(known)
        return any(self._marks(part, own) for mark in marks for part in _below(mark))

    def _marks(self, node: ast.AST, own: set[str]) -> bool:
        """Whether a name in a base class or decorator may make a class a pytree."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return False
        dotted = self._dotted(node)
        if dotted is None:
            return next(_own_name(node)) in own | _MARKERS
        if dotted.startswith("flax.linen"):
            return False
        kinds = ("equinox.nn.", "flax.nnx.")
        return _last(dotted) in _MARKERS or dotted.startswith(kinds) or _last(dotted) in own

    def _dotted(self, node: ast.expr) -> str | None:
        """The dotted name of something that is imported."""
        steps: list[str] = []
        while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
            if isinstance(node, ast.Attribute):
                steps.append(node.attr)
            node = node.func if isinstance(node, ast.Call) else node.value
        root = self.imports.get(node.id) if isinstance(node, ast.Name) else None
        return ".".join([root, *reversed(steps)]) if root else None

    def caching(self, pytrees: list[tuple[int, ast.ClassDef]], lines: Sequence[str]) -> set[int]:
        """The statements with pytree classes that may have caches, or inherit them."""
        methods = {item.index for item in self.functions if item.is_method and item.fills}
        found: dict[str, int] = {}
        for index, node in pytrees:
            first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            words = _WORD.findall("".join(lines[first - 1 : node.end_lineno]))
            if index in methods or not self.cached.isdisjoint(words):
                found[node.name] = index
        grown = bool(found)
        while grown:
            heirs = {
                node.name: index
                for index, node in pytrees
                if node.name not in found and any(_all(base) & found.keys() for base in node.bases)
            }
            found |= heirs
            grown = bool(heirs)
        return set(found.values())

    def traced_writers(self) -> set[int]:
        """The statements with functions that may be traced and lead to a write."""
        by_name: dict[str, list[_Function]] = {}
        for function in self.functions:
            by_name.setdefault(function.name, []).append(function)
        reached = self._reached(by_name)
        writers = [item for item in reached if item.writes or item.mentions & self.cached]
        if not writers:
            return set()
        callers: dict[str, list[_Function]] = {}
        for function in self.functions:
            for name in function.mentions & by_name.keys():
                callers.setdefault(name, []).append(function)
        found: dict[int, _Function] = {}
        stack = list(writers)
        while stack:
            function = stack.pop()
            if id(function) not in found:
                found[id(function)] = function
                stack += callers.get(function.name, ())
        relevant = {function.index for function in found.values()}
        if any(item.mentions & self.cached for item in writers):
            relevant |= {index for index, _ in self.classes}
        return relevant

    def statement(self, index: int, statement: ast.stmt) -> None:
        """Walk a top-level statement."""
        self.index = index
        block = _Function(index, "")
        self.functions.append(block)
        self._visit(statement, block, None)
        if block.sets_attributes:
            self.writing_outside_of_construction.add(index)

    def _reached(self, by_name: dict[str, list[_Function]]) -> list[_Function]:
        """The functions that may run under a trace."""
        found: dict[int, _Function] = {}
        stack = [item for item in self.functions if item.traced]
        stack += [item for name in self.candidates for item in by_name.get(name, ())]
        while stack:
            function = stack.pop()
            if id(function) not in found:
                found[id(function)] = function
                names = function.mentions & by_name.keys()
                stack += [item for name in names for item in by_name[name]]
        return list(found.values())

    def _visit(self, node: ast.AST, here: _Function, cls: ast.ClassDef | None) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(node, here, cls)
                return
            case ast.Lambda():
                inner = self._enter(node.args, "<lambda>")
                self._visit(node.body, inner, None)
                self._leave(inner, here)
                return
            case ast.ClassDef():
                self.classes.append((self.index, node))
                here.mentions.add(node.name)
                for child in _children(node):
                    self._visit(child, here, node)
                return
            case ast.Call():
                self._call(node, here)
            case ast.Name():
                here.mentions.add(node.id)
            case ast.Attribute():
                here.mentions.add(node.attr)
                if isinstance(node.ctx, ast.Store | ast.Del):
                    here.sets_attributes = True
                    self._write(node, here)
            case ast.Subscript():
                if isinstance(node.ctx, ast.Store | ast.Del):
                    self._write(node, here)
            case ast.Global() | ast.Nonlocal():
                here.writes_outside = True
            case ast.Assign(targets=[ast.Name(id=name)]):
                if isinstance(node.value, ast.Call) and _all(node.value.func) & _CACHES:
                    self.cached.add(name)
                made = isinstance(node.value, _MADE) and not self._is_array(node.value)
                (here.made if made else here.given).add(name)
            case ast.AugAssign(target=ast.Name(id=name)):
                if isinstance(node.value, _MADE):
                    here.written.add(name)
            case ast.For(target=target) | ast.comprehension(target=target):
                here.given |= set(_stored(target))
            case ast.NamedExpr(target=ast.Name(id=name)):
                here.given.add(name)
            case ast.Expr(value=ast.Call(func=ast.Attribute() as function)):
                self._discarded(function)
            case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
                if name in _UPDATES:
                    self.relevant.add(self.index)
        if isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Name):
            for target in node.targets:
                here.given |= set(_stored(target))
        for child in _children(node):
            self._visit(child, here, cls if isinstance(node, ast.If | ast.Try) else None)

    def _is_array(self, node: ast.expr) -> bool:
        """Whether a call may make a jax array, whose elements cannot be assigned."""
        if not isinstance(node, ast.Call):
            return False
        dotted = self._dotted(node)
        if dotted is None:
            return isinstance(node.func, ast.Attribute)
        return dotted.startswith("jax")

    def _function(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        here: _Function,
        cls: ast.ClassDef | None,
    ) -> None:
        inner = self._enter(node.args, node.name)
        inner.is_method = cls is not None
        inner.is_construction = node.name in _CONSTRUCTION
        here.mentions.add(node.name)
        for decorator in node.decorator_list:
            names = {item for part in _below(decorator) for item in _own_name(part)}
            inner.traced = inner.traced or bool(names & self.transforms)
            if names & (self.cached):
                self.cached.add(node.name)
            self._visit(decorator, here, None)
        for child in (node.args, *node.body):
            self._visit(child, inner, None)
        self._leave(inner, here)
        if node.name != "__init__" and inner.sets_attributes:
            self.writing_outside_of_construction.add(self.index)

    def _enter(self, arguments: ast.arguments, name: str) -> _Function:
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [item for item in (arguments.vararg, arguments.kwarg) if item is not None]
        function = _Function(self.index, name, frozenset(item.arg for item in every))
        self.functions.append(function)
        return function

    def _leave(self, inner: _Function, here: _Function) -> None:
        """A function mentions what the functions inside mention; it does not write for them."""
        here.mentions |= inner.mentions

    def _call(self, node: ast.Call, here: _Function) -> None:
        called = {item for part in _below(node.func) for item in _own_name(part)}
        if called & self.transforms:
            for argument in (*node.args, *(item.value for item in node.keywords)):
                for part in _below(argument):
                    self.candidates.update(_own_name(part))
                    if isinstance(part, ast.Lambda):
                        self.candidates.add("<lambda>")
            self.candidates |= {*called, "__call__"}
            here.mentions.add("__call__")
        if isinstance(node.func, ast.Name):
            here.mentions.add("__call__")
        last = next(_own_name(node.func), "")
        if last.startswith("register") or called & self.markers or called & _MARKERS:
            self.registered |= {item for value in node.args for item in _all(value)}
            self.registered |= {item for word in node.keywords for item in _all(word.value)}
        if last in {"setattr", "delattr"}:
            here.sets_attributes = True
        if last in CONTAINER_MUTATORS and isinstance(node.func, ast.Attribute):
            self._write(node.func, here)
        elif last in _RAW_WRITES or called & {"__dict__", "__setattr__"}:
            here.writes_outside = True

    def _write(self, node: ast.AST, here: _Function) -> None:
        while isinstance(node, ast.Attribute | ast.Subscript):
            if isinstance(node, ast.Attribute) and node.attr == "__dict__":
                here.writes_outside = True
            node = node.value
        if isinstance(node, ast.Name):
            here.written.add(node.id)
        else:
            here.writes_outside = True

    def _discarded(self, function: ast.Attribute) -> None:
        at = isinstance(function.value, ast.Subscript) and function.attr in ARRAY_UPDATES
        if at or function.attr in _UPDATES:
            self.relevant.add(self.index)
