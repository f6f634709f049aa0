"""The second gate: a walk over the ``ast`` tree that flake8 has at hand.

It knows names and nothing else, and errs on the side of looking: it tells which top-level
statements may take part in a finding, so that libcst parses those and no others. A function may be
traced if its name, or the name of something that mentions it, stands in a call of something that
is called like a transform; it matters if one of those functions writes.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from flake8_jax.knowledge.caches import CACHED_PROPERTIES, FUNCTION_CACHES
from flake8_jax.knowledge.objects import ARRAY_UPDATES, CONTAINER_MUTATORS, UPDATE_FUNCTIONS
from flake8_jax.knowledge.pytrees import BASES, MARKERS
from flake8_jax.knowledge.transforms import DEFINES_RULES, TRANSFORMS

_CONSTRUCTION = frozenset({"__init__", "__post_init__", "__new__", "setup", "__setstate__"})
_TRANSFORMS = frozenset(
    {name.rpartition(".")[2] for name in TRANSFORMS} | DEFINES_RULES | {"remat", "pjit"}
)
_CACHES = frozenset(name.rpartition(".")[2] for name in (*CACHED_PROPERTIES, *FUNCTION_CACHES))
_UPDATES = frozenset({"replace", "_replace", *(n.rpartition(".")[2] for n in UPDATE_FUNCTIONS)})
_RAW_WRITES = frozenset({"setattr", "delattr", "__setattr__", "vars", "__dict__"})
_CACHE_WORDS = re.compile("|".join(sorted(_CACHES)))
_PYTREE_WORDS = re.compile(
    "|".join(sorted({name.rpartition(".")[2] for name in (*BASES, *MARKERS)} | {"nn", "nnx"}))
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
    writes_outside: bool = False

    @property
    def writes(self) -> bool:
        """Whether it may change an object that it has not made itself."""
        own = self.made - self.given - self.parameters
        return self.writes_outside or bool(self.written - own)


def survey(tree: ast.Module, text: str) -> frozenset[int]:
    """The positions in ``tree.body`` of the statements that may take part in a finding."""
    walk = _Walk(_aliases(tree), _PYTREE_WORDS.search(text) is not None)
    for index, statement in enumerate(tree.body):
        walk.statement(index, statement)
    if _CACHE_WORDS.search(text):
        walk.relevant |= walk.with_classes | walk.with_traces
    reached = walk.reached()
    if any(function.writes for function in reached) or _CACHE_WORDS.search(text):
        walk.relevant |= {function.index for function in reached} | walk.with_traces
    if walk.lazy:
        walk.relevant |= walk.with_classes
    return frozenset(walk.relevant)


def _aliases(tree: ast.Module) -> frozenset[str]:
    """The names that may stand for a transform."""
    names = set(_TRANSFORMS)
    for node in ast.walk(tree):
        if isinstance(node, ast.alias) and node.asname and node.name in names:
            names.add(node.asname)
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.FunctionDef):
            mentioned = {item for inner in ast.walk(node) for item in _own_name(inner)}
            if mentioned & names:
                targets = node.targets if isinstance(node, ast.Assign) else []
                names |= {item.id for item in targets if isinstance(item, ast.Name)}
                if isinstance(node, ast.FunctionDef):
                    names.add(node.name)
    return frozenset(names)


def _own_name(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr


class _Walk:
    def __init__(self, transforms: frozenset[str], pytrees: bool) -> None:
        self.transforms = transforms
        self.pytrees = pytrees
        self.index = 0
        self.functions: list[_Function] = []
        self.candidates: set[str] = set()
        self.relevant: set[int] = set()
        self.with_classes: set[int] = set()
        self.with_traces: set[int] = set()
        self.lazy = False

    def statement(self, index: int, statement: ast.stmt) -> None:
        """Walk a top-level statement."""
        self.index = index
        block = _Function(index, "")
        self._visit(statement, block, None)

    def reached(self) -> list[_Function]:
        """The functions that may run under a trace."""
        by_name: dict[str, list[_Function]] = {}
        for function in self.functions:
            by_name.setdefault(function.name, []).append(function)
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
                self.with_classes.add(self.index)
                here.mentions.add(node.name)
                for child in ast.iter_child_nodes(node):
                    self._visit(child, here, node)
                return
            case ast.Call():
                self._call(node, here)
            case ast.Name():
                here.mentions.add(node.id)
            case ast.Attribute():
                here.mentions.add(node.attr)
                if isinstance(node.ctx, ast.Store | ast.Del):
                    self._write(node, here)
            case ast.Subscript():
                if isinstance(node.ctx, ast.Store | ast.Del):
                    self._write(node, here)
            case ast.Global() | ast.Nonlocal():
                here.writes_outside = True
            case ast.Assign(targets=[ast.Name(id=name)]):
                (here.made if isinstance(node.value, _MADE) else here.given).add(name)
            case ast.AugAssign(target=ast.Name(id=name)):
                if isinstance(node.value, _MADE):
                    here.written.add(name)
            case ast.For(target=target) | ast.comprehension(target=target):
                here.given |= {item for inner in ast.walk(target) for item in _own_name(inner)}
            case ast.NamedExpr(target=ast.Name(id=name)):
                here.given.add(name)
            case ast.Expr(value=ast.Call(func=ast.Attribute() as function)):
                self._discarded(function)
            case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
                if name in _UPDATES:
                    self.relevant.add(self.index)
        if isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Name):
            for target in node.targets:
                here.given |= {item for inner in ast.walk(target) for item in _own_name(inner)}
        for child in ast.iter_child_nodes(node):
            self._visit(child, here, cls if isinstance(node, ast.If | ast.Try) else None)

    def _function(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        here: _Function,
        cls: ast.ClassDef | None,
    ) -> None:
        inner = self._enter(node.args, node.name)
        inner.is_method = cls is not None
        here.mentions.add(node.name)
        for decorator in node.decorator_list:
            names = {item for part in ast.walk(decorator) for item in _own_name(part)}
            inner.traced = inner.traced or bool(names & self.transforms)
            self._visit(decorator, here, None)
        if inner.traced:
            self.with_traces.add(self.index)
        for child in (node.args, *node.body):
            self._visit(child, inner, None)
        self._leave(inner, here)
        if cls is not None and node.name not in _CONSTRUCTION and inner.writes:
            self.lazy = self.lazy or self.pytrees
            if self.pytrees and (cls.bases or cls.decorator_list or cls.keywords):
                self.relevant.add(self.index)
        elif self.pytrees and cls is None and inner.writes:
            self.relevant.add(self.index)

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
        called = {item for part in ast.walk(node.func) for item in _own_name(part)}
        if called & self.transforms:
            self.with_traces.add(self.index)
            for argument in (*node.args, *(item.value for item in node.keywords)):
                for part in ast.walk(argument):
                    self.candidates.update(_own_name(part))
                    if isinstance(part, ast.Lambda):
                        self.candidates.add("<lambda>")
            self.candidates |= called
        last = next(_own_name(node.func), "")
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


