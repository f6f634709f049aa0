"""What an expression refers to, seen through aliases, attributes and imports.

A name may stand for several things, where branches bind it differently. What a name stands for is
the least solution of the equations that bindings make: the worklist goes on until nothing changes,
so it does not matter who is asked for first, and a name that leads only back to itself stands for
nothing.
"""

import builtins
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import NamedTuple, TypeAlias

from flake8_jax.knowledge.listed import listed
from flake8_jax.lowering.program import (
    Attr,
    Bind,
    Choice,
    Class,
    Define,
    Expr,
    Function,
    Home,
    Import,
    Var,
)
from flake8_jax.resolution import limits
from flake8_jax.resolution.bindings import Binding, bindings, in_force
from flake8_jax.resolution.imports import External, Lead, follow, starred
from flake8_jax.resolution.modules import Module
from flake8_jax.resolution.scopes import (
    END,
    Position,
    Scope,
    inner_scope,
    living,
    module_scope,
)

_BUILTINS = frozenset(dir(builtins)) - frozenset(vars(ModuleType("")))
"""Names that a module has from Python; ``__name__`` and a few others it has on its own."""


@dataclass(frozen=True, eq=False, slots=True)
class Definition:
    """A function or class of the project. There is one value for each, so they compare by it."""

    scope: Scope
    """Where its statement stands."""
    statement: Define
    position: Position

    @property
    def module(self) -> Module:
        """The module that defines it."""
        return self.scope.module

    @property
    def made(self) -> Function | Class:
        """The lowered function or class."""
        return self.statement.made

    @property
    def inside(self) -> Scope:
        """The scope of its body."""
        return inner_scope(self.made, self.scope, self.position)


@dataclass(frozen=True, slots=True)
class Expression:
    """The value of an expression that is no name of something else."""

    scope: Scope
    """Where its names are looked up."""
    expr: Expr
    position: Position = END
    name: str | None = None
    """The variable that has the value, where there is one."""

    @property
    def module(self) -> Module:
        """The module in which it stands."""
        return self.scope.module


Referent: TypeAlias = External | Definition | Expression | None
"""What something refers to; None stands for what nobody knows."""


def resolve(scope: Scope, expr: Expr, position: Position = END) -> tuple[Referent, ...]:
    """All that an expression may refer to at a point of a scope: one thing at least."""
    found = _ordered(_evaluated(expr, scope, position, None, _solved))
    return found.value or (None,)


def resolve_name(module: Module, name: str, position: Position = END) -> tuple[Referent, ...]:
    """All that a global name of a module may refer to."""
    return resolve(module_scope(module), Var(name, Home.GLOBAL), position)


def imported(module: Module, dotted: str) -> tuple[Referent, ...]:
    """All that a dotted name may refer to that a module imports."""
    return _solved(Imported(module, dotted)).value or (None,)


def defined(scope: Scope) -> Definition | None:
    """The definition of the function or class whose body a scope is; None for a lambda."""
    found = scope.module.memo.get((Definition, scope.made))
    return found if isinstance(found, Definition) else None


class Name(NamedTuple):
    """A variable of a scope, as it is at some point."""

    scope: Scope
    name: str
    position: Position


class Imported(NamedTuple):
    """A dotted name, as a module imports it."""

    module: Module
    dotted: str


_Node: TypeAlias = Name | Imported
_Referents: TypeAlias = Iterator[Referent]


class _Value(NamedTuple):
    """What is known of a node so far."""

    value: tuple[Referent, ...] = ()
    many: bool = False
    """Whether it stands for more than can be told."""


_Read: TypeAlias = Callable[[_Node], _Value]
_UNSEEN = _Value()
_MANY = _Value((None,), True)


class _ManyError(Exception):
    """There is more than can be told."""


def home(var: Var, scope: Scope, position: Position = END) -> Name | None:
    """The variable that a name stands for; None for one of a comprehension in no function."""
    found = living(var, scope, position)
    return Name(found[0], var.name, found[1]) if found is not None else None


def _solved(node: _Node) -> _Value:
    """What a node stands for."""
    known = _known(node)
    return _solve(node) if known is None else known


def _known(node: _Node) -> _Value | None:
    known = _module(node).memo.get(node)
    return known if isinstance(known, _Value) else None


def _module(node: _Node) -> Module:
    return node.module if isinstance(node, Imported) else node.scope.module


def _solve(root: _Node) -> _Value:
    """Find the least solution for a node and all that it leads to, and note it.

    What a node reads comes before the node itself is looked at again.
    """
    values: dict[_Node, _Value] = {root: _UNSEEN}
    readers: dict[_Node, dict[_Node, None]] = {root: {}}
    waiting = deque([root])
    pending = {root}

    def read(other: _Node, reader: _Node) -> _Value:
        known = _known(other)
        if known is not None:
            return known
        if other not in values:
            values[other], readers[other] = _UNSEEN, {}
            waiting.append(other)
            pending.add(other)
        readers[other][reader] = None
        return values[other]

    while waiting:
        node = waiting.pop()
        pending.discard(node)
        value = _ordered(_equation(node, partial(read, reader=node)))
        if value != values[node]:
            values[node] = value
            again = [reader for reader in readers[node] if reader not in pending]
            waiting.extendleft(again)
            pending.update(again)
    for node, value in values.items():
        _module(node).memo[node] = value
    return values[root]


def _ordered(found: Iterable[Referent]) -> _Value:
    """Each referent once, in an order that does not depend on how it was found."""
    unique: list[Referent] = []
    try:
        for item in found:
            if item not in unique:
                unique.append(item)
                if len(unique) > limits.ALTERNATIVES:
                    return _MANY
    except _ManyError:
        return _MANY
    return _Value(tuple(unique if len(unique) < 2 else sorted(unique, key=_order)))


def _order(item: Referent) -> tuple[int, str, Position]:
    """Libraries first, then the project by place, then what nobody knows.

    What stands in the same statement stays in the order in which it is found there.
    """
    match item:
        case External():
            return 0, item.dotted, END
        case Definition():
            return 1, item.module.file.path, item.position
        case Expression():
            return 2, item.module.file.path, item.position
    return 3, "", END


def _all(value: _Value) -> tuple[Referent, ...]:
    if value.many:
        raise _ManyError
    return value.value


def _equation(node: _Node, read: _Read) -> _Referents:
    """What a node stands for, in terms of other nodes."""
    if isinstance(node, Imported):
        return _imported(node, read)
    if node.scope.made is None:
        return _global(node, read)
    return _local(node, read)


def _imported(node: Imported, read: _Read) -> _Referents:
    lead = follow(node.module, node.dotted)
    if not isinstance(lead, Lead):
        yield lead
        return
    found = _all(read(Name(module_scope(lead.module), lead.name, END)))
    for step in lead.rest:
        found = tuple(item for owner in found for item in _member(owner, step, lead.module, read))
    yield from found


def _global(node: Name, read: _Read) -> _Referents:
    scope, name, position = node
    module = scope.module
    if module.project.names and f"{module.name}.{name}" in module.project.names:
        own = f"{module.name}.{name}"
        yield External(listed(module.project.names[own], own))
        return
    found = bindings(scope, name)
    if name in _BUILTINS:  # until the module takes its name
        found = tuple(item for item in found if item.position < position)
    if found:
        yield from _bound(in_force(found, position), scope, read)
        return
    stars = starred(module, name, position)
    if isinstance(stars, Lead):
        yield from _all(read(Name(module_scope(stars.module), stars.name, END)))
    elif isinstance(stars, External):
        yield stars
    elif name in _BUILTINS:
        yield External(f"builtins.{name}")
    else:
        yield from stars.externals or (None,)


def _local(node: Name, read: _Read) -> _Referents:
    """A variable of a function or class; a class body sees a global one until it binds its own."""
    scope, name, position = node
    found = bindings(scope, name)
    if isinstance(scope.made, Class):
        found = tuple(item for item in found if item.position < position)
        if not found:
            yield from _evaluated(Var(name, Home.GLOBAL), scope, position, None, read)
            return
    yield from _bound(in_force(found, position), scope, read) if found else (None,)


def _bound(found: Iterable[Binding], scope: Scope, read: _Read) -> _Referents:
    for item in found:
        source = item.source
        if source is None:
            yield None
        elif isinstance(source, Import):
            yield from _all(read(Imported(scope.module, source.dotted)))
        elif isinstance(source, Define):
            yield definition(scope, source, item.position)
        else:
            yield from _evaluated(source, scope, item.position, item.name, read)


def definition(scope: Scope, statement: Define, position: Position) -> Definition:
    """A function or class that stands in a scope."""
    key = (Definition, statement.made)
    return scope.module.once(key, lambda: Definition(scope, statement, position))


def _evaluated(
    expr: Expr, scope: Scope, position: Position, name: str | None, read: _Read
) -> _Referents:
    stack = [expr]
    while stack:
        node = stack.pop()
        if isinstance(node, Choice):
            stack += (node.orelse, node.then)
        elif isinstance(node, Bind):
            stack.append(node.value)
        elif isinstance(node, Attr):
            yield from _attribute(node, scope, position, name, read)
        elif isinstance(node, Var):
            var = home(node, scope, position)
            yield from _all(read(var)) if var is not None else (None,)
        else:
            yield Expression(scope, node, position, name)


def _attribute(
    attr: Attr, scope: Scope, position: Position, name: str | None, read: _Read
) -> _Referents:
    chain = [attr]
    while isinstance(chain[-1].base, Attr):
        chain.append(chain[-1].base)
    found = tuple(_evaluated(chain[-1].base, scope, position, None, read))
    for step in reversed(chain):
        found = tuple(
            item
            for owner in found
            for item in (
                (Expression(scope, step, position, name),)
                if isinstance(owner, Expression)
                else _member(owner, step.name, scope.module, read)
            )
        )
    yield from found


def _member(owner: Referent, name: str, asking: Module, read: _Read) -> _Referents:
    if isinstance(owner, External):
        yield from _all(read(Imported(asking, f"{owner.dotted}.{name}")))
    elif isinstance(owner, Definition) and isinstance(owner.made, Class):
        inside = owner.inside
        bound = bindings(inside, name)
        yield from _all(read(Name(inside, name, END))) if bound else (None,)
    else:
        yield None
