"""Probes: a program is run as it is written, and each of its writes reports what it changed.

The syntax tree gets calls of a recorder around the objects that statements write to; nothing else
of the program changes, and lines stay where they are. The probes know nothing of the rules, nor of
who wrote the program.
"""

import ast
import functools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CellType, FrameType, ModuleType
from typing import Any

from flake8_jax.evidence.changes import GONE, MUTATORS, SETTERS, changes
from flake8_jax.evidence.reach import children, reachable

NAME = "__probe__"
"""The name by which a program reaches the recorder."""
_OF_AN_OBJECT = SETTERS | {"vars"}
"""Functions that are given an object and do not read it."""
_FLATTENING = frozenset({"tree_flatten", "tree_unflatten"})
"""What JAX calls to take objects apart, as do the functions that ``register_*`` is given."""
_TRANSFORMING = ("jax", "equinox", "flax", "flake8_jax.evidence.transparent")


@dataclass(frozen=True, order=True)
class Spot:
    """A line of a program."""

    module: str
    line: int


@dataclass(frozen=True, eq=False)
class Event:
    """One change of one object, at the moment in which it was made."""

    spot: Spot
    target: Any
    """The object, the cell of a nonlocal name, or the namespace of a global one."""
    key: Any
    value: Any
    """What is there now; ``GONE`` where something was taken away."""
    calls: tuple[Spot, ...]
    """The lines of the program that were under way, the innermost first."""
    boundaries: tuple[FrameType, ...]
    """The frames of the functions that transforms called, the innermost first."""
    handed_in: bool
    """Whether the object came from outside of the innermost of them."""

    @property
    def traced(self) -> bool:
        return bool(self.boundaries)

    @property
    def is_removal(self) -> bool:
        return self.value is GONE

    @property
    def is_held(self) -> bool:
        """Whether the object still has what was written."""
        held = children(self.target)
        if isinstance(self.target, list):  # where the elements move
            return self.is_removal or any(item is self.value for item in held.values())
        return held.get(self.key, GONE) is self.value


@dataclass(frozen=True)
class _Pending:
    spot: Spot
    target: Any
    before: dict[Any, Any]
    only: Any
    calls: tuple[Spot, ...]
    boundaries: tuple[FrameType, ...]
    handed_in: bool


@dataclass
class Recorder:
    """Takes down what the probes of one run report."""

    files: dict[str, str]
    """The modules of the program by the name of their file."""
    events: list[Event] = field(default_factory=list)
    pending: list[_Pending] = field(default_factory=list)
    returns: dict[FrameType, Any] = field(default_factory=dict)
    """What each call of a function gave back."""
    reads: list[tuple[int, Any]] = field(default_factory=list)
    """What was read, and how many changes there had been."""
    idle: set[tuple[Spot, ...]] = field(default_factory=set)
    """The writes, by their lines and those of the calls, that changed nothing this time."""

    def clear(self) -> None:
        """Forget what happened while the modules were loaded."""
        self.events.clear()
        self.reads.clear()
        self.idle.clear()

    def at(self, line: int, target: Any, key: str | None = None) -> Any:
        """An object is about to be changed; with a key, what it holds there may change as well."""
        self.done()
        self._expect(line, target)
        if key is not None:
            held = getattr(target, key, None)
            if isinstance(held, list | dict | set):
                self._expect(line, held)
        return target

    def name(self, line: int, name: str, read: Callable[[], Any]) -> None:
        """A global or nonlocal name is about to be assigned."""
        self.done()
        cells = read.__closure__
        if cells:
            self._expect(line, cells[0])
        else:
            self._expect(line, read.__globals__, ("item", repr(name)))

    def read(self, value: Any) -> Any:
        """A value is used: handed on, kept, or computed with."""
        if self.events:
            self.reads.append((len(self.events), value))
        return value

    def returning(self, value: Any) -> Any:
        """A function is about to give a value back."""
        self.done()
        self.returns[sys._getframe(1)] = value
        return value

    def done(self) -> None:
        """What was announced has happened."""
        waiting, self.pending = self.pending, []
        known = len(self.events)
        for item in waiting:
            for key, value in changes(item.target, item.before, children(item.target)):
                if item.only in (None, key):
                    self.events.append(
                        Event(
                            item.spot,
                            item.target,
                            key,
                            value,
                            item.calls,
                            item.boundaries,
                            item.handed_in,
                        )
                    )

        if len(self.events) == known:
            self.idle |= {item.calls for item in waiting}

    def _expect(self, line: int, target: Any, only: Any = None) -> None:
        if isinstance(target, ModuleType):
            return
        before = children(target)
        if not before and not hasattr(target, "__dict__") and not isinstance(target, _EMPTY):
            return
        calls, boundaries, outside = self._stack(sys._getframe(2))
        spot = Spot(calls[0].module, line)
        around = reachable([frame.f_locals for frame in outside], frozenset())
        handed_in = id(target) in around
        self.pending.append(
            _Pending(spot, target, before, only, (spot, *calls[1:]), boundaries, handed_in)
        )

    def _stack(
        self, frame: FrameType | None
    ) -> tuple[tuple[Spot, ...], tuple[FrameType, ...], list[FrameType]]:
        """The lines under way, the functions that transforms called, and the frames around them."""
        spots: list[Spot] = []
        boundaries: list[FrameType] = []
        outside: list[FrameType] = []
        last = None
        while frame is not None:
            module = self.files.get(frame.f_code.co_filename)
            if module is not None:
                spots.append(Spot(module, frame.f_lineno))
                if boundaries:
                    outside.append(frame)
                last = frame
            elif str(frame.f_globals.get("__name__")).startswith(_TRANSFORMING):
                if last is not None:
                    boundaries.append(last)
                last = None
            frame = frame.f_back
        return tuple(spots), tuple(boundaries), outside


_EMPTY = (CellType, dict, list, set)


@functools.lru_cache(64)
def instrument(text: str, file: str) -> Any:
    """The code of a module, with probes."""
    tree = _Instrument().visit(ast.parse(text))
    return compile(ast.fix_missing_locations(tree), file, "exec")


class _Instrument(ast.NodeTransformer):
    def __init__(self) -> None:
        self._outer: list[frozenset[str]] = [frozenset()]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name in _FLATTENING:
            return node
        declared = {
            name for item in _own(node) if isinstance(item, ast.Global | ast.Nonlocal)
            for name in item.names
        }  # fmt: skip
        self._outer.append(frozenset(declared))
        self.generic_visit(node)
        self._outer.pop()
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return _probed("read", node) if isinstance(node.ctx, ast.Load) else node

    def _member(self, node: ast.Attribute | ast.Subscript) -> ast.expr:
        """Of the objects on the way to a member, none is read; the last one may be written."""
        node.value = self._base(node.value)
        if isinstance(node, ast.Subscript):
            node.slice = self.visit(node.slice)
        if not isinstance(node.ctx, ast.Load):
            node.value = _at(node.value, node.lineno)
            return node
        return _probed("read", node)

    visit_Attribute = visit_Subscript = _member  # noqa: N815

    def _base(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Name):
            return node
        if isinstance(node, ast.Attribute | ast.Subscript):
            node.value = self._base(node.value)
            if isinstance(node, ast.Subscript):
                node.slice = self.visit(node.slice)
            return node
        visited: ast.expr = self.visit(node)
        return visited

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr.startswith("register_"):
            return node
        name = called.attr if isinstance(called, ast.Attribute) else ""
        name = called.id if isinstance(called, ast.Name) else name
        node.func = self._base(called)
        first = node.args[:1] if name in _OF_AN_OBJECT else []
        others = node.args[len(first) :]
        node.args = [*map(self._base, first), *map(self.visit, others)]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        if isinstance(called, ast.Attribute) and name in MUTATORS:
            called.value = _at(called.value, node.lineno)
        elif first and name in SETTERS:
            node.args[0] = _at(node.args[0], node.lineno)
        elif isinstance(called, ast.Attribute):
            called.value = _probed("read", called.value)
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        value = node.value or ast.Constant(None)
        node.value = _probed("returning", self._base(value))  # what just comes out is not read
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.generic_visit(node)
        node.body = _probed("returning", node.body)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        target = node.target
        self.generic_visit(node)
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Call):
            target.value.args.append(ast.Constant(target.attr))
        before = self._names(node, node.lineno)
        if isinstance(target, ast.Name):
            before.append(ast.Expr(_at(ast.Name(target.id, ast.Load()), node.lineno)))
        return [*before, node, _done(node.lineno)]

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        self.generic_visit(node)
        return [*self._names(node, node.lineno), node, _done(node.lineno)]

    visit_Assign = visit_AnnAssign = visit_Delete = visit_Expr = _statement  # noqa: N815

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        node.body.insert(0, _done(node.lineno))
        return [*self._names(node.target, node.lineno), node]

    def visit_With(self, node: ast.With) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, _done(node.lineno))
        return node

    def _names(self, node: ast.AST, line: int) -> list[ast.stmt]:
        """Probes of the global and nonlocal names that a statement binds."""
        bound = {
            item.id
            for item in ast.walk(node)
            if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)
        }
        read = "{0}.name({1}, {2!r}, lambda: {2})"
        return [
            _parsed(read.format(NAME, line, name), line) for name in sorted(bound & self._outer[-1])
        ]


def _own(node: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function without those of the functions in it."""
    stack: list[ast.AST] = list(node.body)
    while stack:
        item = stack.pop()
        yield item
        if not isinstance(item, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            stack += ast.iter_child_nodes(item)


def _at(value: ast.expr, line: int) -> ast.Call:
    return _probed("at", ast.Constant(line), value)


def _probed(method: str, *values: ast.expr) -> ast.Call:
    probe = ast.Attribute(ast.Name(NAME, ast.Load()), method, ast.Load())
    return ast.Call(probe, list(values), [])


def _done(line: int) -> ast.stmt:
    return _parsed(f"{NAME}.done()", line)


def _parsed(text: str, line: int) -> ast.stmt:
    """A statement that stands on a line."""
    statement = ast.parse(text).body[0]
    return ast.increment_lineno(statement, line - 1)
