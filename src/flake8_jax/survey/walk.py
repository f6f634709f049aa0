"""A walk over ``ast`` trees that notes who may be traced, who mentions whom, and who writes what.

It knows names and nothing else.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from flake8_jax.knowledge.objects import ARRAY_UPDATES, CONTAINER_MUTATORS
from flake8_jax.survey.words import CACHE_WORDS, MARKER_WORDS, TRANSFORM_WORDS, UPDATE_WORDS

_CONSTRUCTION = frozenset({"__init__", "__post_init__", "__new__", "setup", "__setstate__"})
_RAW_WRITES = frozenset({"setattr", "delattr", "__setattr__", "vars", "__dict__"})
_NO_NODES = frozenset(
    {"ctx", "id", "attr", "arg", "name", "names", "module", "level", "kind", "type_comment", "op"}
    | {"ops", "lineno", "asname", "type_ignores", "simple", "is_async", "conversion", "rest"}
)
_WORD = re.compile(r"[^\W\d]\w*")
_MADE = (ast.Dict, ast.List, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.Call, ast.Tuple)


@dataclass(eq=False)
class Function:
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


def own_name(node: ast.AST) -> Iterator[str]:
    """The identifier of a name or of an attribute."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr


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


def below(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(_children(node))


def _stored(target: ast.AST) -> Iterator[str]:
    """The names that a target binds."""
    for node in below(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def last_part(dotted: str) -> str:
    """The last part of a dotted name."""
    return dotted.rpartition(".")[2]


def names_in(node: ast.AST) -> set[str]:
    """All identifiers below a node."""
    return {item for inner in below(node) for item in own_name(inner)}


class Walk:
    """What a walk over the statements of a module has seen."""

    def __init__(self, imports: Mapping[str, str]) -> None:
        self.imports = imports
        self.transforms = set(TRANSFORM_WORDS)
        """The names of what may trace."""
        self.markers: set[str] = set()
        """The names of what may make pytrees, besides those of the tables."""
        self.cached = set(CACHE_WORDS)
        """The names of what caches, and of functions and properties that are cached."""
        self.index = 0
        self.functions: list[Function] = []
        self.classes: list[tuple[int, ast.ClassDef]] = []
        self.candidates: set[str] = set()
        """The names that stand in calls of what may trace."""
        self.registered: set[str] = set()
        """The names that stand in calls of what may make pytrees."""
        self.discarding: set[int] = set()
        """The blocks that throw away what may be an update."""
        self.handed: dict[int, set[str]] = {}
        """The names that each block hands to what may trace."""
        self.writing_outside_of_construction: set[int] = set()

    def dotted(self, node: ast.expr) -> str | None:
        """The dotted name of something that is imported."""
        steps: list[str] = []
        while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
            if isinstance(node, ast.Attribute):
                steps.append(node.attr)
            node = node.func if isinstance(node, ast.Call) else node.value
        root = self.imports.get(node.id) if isinstance(node, ast.Name) else None
        return ".".join([root, *reversed(steps)]) if root else None

    def statement(self, index: int, statement: ast.stmt) -> None:
        """Walk a top-level statement."""
        self.index = index
        block = Function(index, "")
        self.functions.append(block)
        self._visit(statement, block, None)
        if block.sets_attributes:
            self.writing_outside_of_construction.add(index)

    def _visit(self, node: ast.AST, here: Function, cls: ast.ClassDef | None) -> None:
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
                if isinstance(node.value, ast.Call) and names_in(node.value.func) & CACHE_WORDS:
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
                if name in UPDATE_WORDS:
                    self.discarding.add(self.index)
        if isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Name):
            for target in node.targets:
                here.given |= set(_stored(target))
        for child in _children(node):
            self._visit(child, here, cls if isinstance(node, ast.If | ast.Try) else None)

    def _is_array(self, node: ast.expr) -> bool:
        """Whether a call may make a jax array, whose elements cannot be assigned."""
        if not isinstance(node, ast.Call):
            return False
        dotted = self.dotted(node)
        if dotted is None:
            return isinstance(node.func, ast.Attribute)
        return dotted.startswith("jax")

    def _function(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        here: Function,
        cls: ast.ClassDef | None,
    ) -> None:
        inner = self._enter(node.args, node.name)
        inner.is_method = cls is not None
        inner.is_construction = node.name in _CONSTRUCTION
        here.mentions.add(node.name)
        for decorator in node.decorator_list:
            names = {item for part in below(decorator) for item in own_name(part)}
            inner.traced = inner.traced or bool(names & self.transforms)
            if names & (self.cached):
                self.cached.add(node.name)
            self._visit(decorator, here, None)
        for base in cls.bases if cls is not None else ():
            inner.mentions |= names_in(base)
        for child in (node.args, *node.body):
            self._visit(child, inner, None)
        self._leave(inner, here)
        if node.name != "__init__" and inner.sets_attributes:
            self.writing_outside_of_construction.add(self.index)

    def _enter(self, arguments: ast.arguments, name: str) -> Function:
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [item for item in (arguments.vararg, arguments.kwarg) if item is not None]
        function = Function(self.index, name, frozenset(item.arg for item in every))
        for item in every:
            match item.annotation:
                case ast.Constant(value=str(text)):
                    function.mentions.update(_WORD.findall(text))
        self.functions.append(function)
        return function

    def _leave(self, inner: Function, here: Function) -> None:
        """A function mentions what the functions inside mention; it does not write for them."""
        here.mentions |= inner.mentions

    def _call(self, node: ast.Call, here: Function) -> None:
        called = {item for part in below(node.func) for item in own_name(part)}
        if called & self.transforms:
            handed = self.handed.setdefault(self.index, set())
            for argument in (*node.args, *(item.value for item in node.keywords)):
                for part in below(argument):
                    handed.update(own_name(part))
                    if isinstance(part, ast.Lambda):
                        handed.add("<lambda>")
            self.candidates |= {*handed, *called, "__call__"}
            here.mentions.add("__call__")
        if isinstance(node.func, ast.Name):
            here.mentions.add("__call__")
        last = next(own_name(node.func), "")
        if last.startswith("register") or called & self.markers or called & MARKER_WORDS:
            self.registered |= {item for value in node.args for item in names_in(value)}
            self.registered |= {item for word in node.keywords for item in names_in(word.value)}
        if last in {"setattr", "delattr"}:
            here.sets_attributes = True
        if last in CONTAINER_MUTATORS and isinstance(node.func, ast.Attribute):
            self._write(node.func, here)
        elif last in _RAW_WRITES or called & {"__dict__", "__setattr__"}:
            here.writes_outside = True

    def _write(self, node: ast.AST, here: Function) -> None:
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
        if at or function.attr in UPDATE_WORDS:
            self.discarding.add(self.index)
