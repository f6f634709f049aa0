"""What the functions of a statement mention, each for itself, by name alone.

A function inside another one has mentions of its own; its decorators and defaults, which run where
it stands, belong to the one around.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from flake8_jax.classes.walks import last_name
from flake8_jax.knowledge.objects import (
    ARRAY_UPDATES,
    TREE_MAPS,
    UPDATE_FUNCTIONS,
    UPDATE_METHODS,
)
from flake8_jax.lowering.program import (
    Attr,
    Body,
    Call,
    Class,
    Closure,
    Define,
    Delete,
    Expr,
    For,
    Function,
    Item,
    Return,
    Store,
    Unpack,
    Var,
    With,
)
from flake8_jax.resolution.modules import Module
from flake8_jax.workspace.outline import Block

Made: TypeAlias = Function | Class | None
Chain: TypeAlias = tuple[str, str]
"""The variable that a dotted name begins with, and the attribute that it ends with."""
Bound: TypeAlias = tuple[tuple[str, ...], object]
"""Names, and what they are given."""

UPDATE_WORDS = (
    ARRAY_UPDATES | UPDATE_METHODS | {name.rpartition(".")[2] for name in UPDATE_FUNCTIONS}
)
TREE_MAP_WORDS = frozenset(name.rpartition(".")[2] for name in TREE_MAPS)
_TREE_MAPS = {tuple(name.split(".")[-2:]) for name in TREE_MAPS}
_SETTERS = frozenset({"setattr", "delattr", "__setattr__", "__delattr__"})


@dataclass(slots=True, eq=False)
class Mentions:
    """What one function, the body of one class, or a top-level statement mentions."""

    made: Made
    outer: "Mentions | None" = None
    inner: list["Mentions"] = field(default_factory=list)
    variables: set[str] = field(default_factory=set)
    chains: set[Chain] = field(default_factory=set)
    called: set[Chain] = field(default_factory=set)
    """What is called, and what is called on something; a variable itself ends with nothing."""
    passed: set[tuple[Chain, Chain]] = field(default_factory=set)
    """The variables and attributes that are handed over as a whole, behind to what."""
    bound: list[Bound] = field(default_factory=list)
    """The variables that get a value, or that are decorated, and what they get."""
    stored: list[Bound] = field(default_factory=list)
    """The same for attributes."""
    returned: list[object] = field(default_factory=list)
    """What it gives back."""
    assigned: set[str] = field(default_factory=set)
    """The variables of which attributes may be assigned or removed; nothing for other objects."""
    discards: bool = False
    """Whether an updated copy may be thrown away."""
    dropped: set[str] = field(default_factory=set)
    """The last names of what is called for nothing, or for what it does."""

    @property
    def name(self) -> str:
        """The name of the function or class."""
        return self.made.name if self.made is not None else ""

    @property
    def around(self) -> Iterator["Mentions"]:
        """What stands around it, innermost first."""
        here = self.outer
        while here is not None:
            yield here
            here = here.outer

    @property
    def is_method(self) -> bool:
        """Whether it is a function in the body of a class."""
        return self.outer is not None and isinstance(self.outer.made, Class)


def mentions(body: Body) -> tuple[Mentions, ...]:
    """What a top-level statement mentions, and each function and class body in it."""
    first = Mentions(None)
    found = [first]
    stack: list[tuple[Any, Mentions]] = [(body, first)]
    while stack:
        node, own = stack.pop()
        kind = type(node)
        if kind is Var:
            own.variables.add(node.name)
        elif kind is Define or kind is Closure:
            made, outside = (_defined if kind is Define else _closed)(node, own)
            inside = Mentions(made, own)
            own.inner.append(inside)
            found.append(inside)
            stack += ((outside, own), (made.body, inside))
        elif isinstance(node, tuple):
            note = _NOTED.get(kind)
            if note is not None:
                note(node, own)
            stack += [(item, own) for item in node if isinstance(item, tuple)]
    return tuple(found)


def mentions_of(module: Module, block: Block) -> tuple[Mentions, ...]:
    """What a top-level statement of a module mentions, found out once."""

    def find() -> tuple[Mentions, ...]:
        program = module.program(block)
        return mentions(program.body) if program is not None else ()

    return module.once((mentions, block.index), find)


def _defined(node: Define, own: Mentions) -> tuple[Function | Class, tuple[object, ...]]:
    """What a statement makes, and what is evaluated around it."""
    made = node.made
    if node.decorators:
        own.bound.append(((node.target.name,), node.decorators))
    around = (*made.bases, *made.keywords) if isinstance(made, Class) else _defaults(made)
    return made, (*node.decorators, *around)


def _closed(node: Closure, _: Mentions) -> tuple[Function, tuple[object, ...]]:
    return node.function, _defaults(node.function)


def _defaults(made: Function) -> tuple[object, ...]:
    return tuple(item.default for item in made.parameters if item.default is not None)


def _attr(node: Attr, own: Mentions) -> None:
    if (last_name(node.base), node.name) not in _TREE_MAPS:
        own.chains.add(_chain(node))


def _return(node: Return, own: Mentions) -> None:
    own.returned.append(node.value)


def _store(node: Any, own: Mentions) -> None:
    targets = [*_targets(node)]
    attributes = tuple(item.name for item in targets if isinstance(item, Attr))
    own.assigned |= {_owner(item) for item in targets if isinstance(item, Attr)}
    if isinstance(node, Store):
        if _is_setter(node.value):
            own.assigned.add("")
        own.bound.append(
            (tuple(item.name for item in targets if isinstance(item, Var)), node.value)
        )
        if attributes:
            own.stored.append((attributes, node.value))


def _is_setter(node: object) -> bool:
    """Whether what stands here assigns attributes once somebody calls it."""
    return isinstance(node, Var | Attr) and node.name in _SETTERS


def _owner(target: Attr) -> str:
    return target.base.name if isinstance(target.base, Var) else ""


def _targets(node: Any) -> Iterator[Var | Attr]:
    match node:
        case Store(targets=targets) | Unpack(targets=targets):
            for item in targets:
                yield from _targets(item)
        case Delete(target=target) | For(target=target):
            yield from _targets(target)
        case With(items=items):
            for _, bound in items:
                yield from _targets(bound)
        case Var() | Attr():
            yield node


def _call(node: Call, own: Mentions) -> None:
    callee = _chain(_whole(node.callee))
    own.called.add(callee)
    last = callee[1] or callee[0]
    if last in _SETTERS:
        first = node.args[0] if node.args else None
        own.assigned.add(first.name if isinstance(first, Var) else "")
    if not node.used:
        own.discards |= last in UPDATE_WORDS or last in TREE_MAP_WORDS
        own.dropped.add(last)
    for item in (*node.args, *(value for _, value in node.keywords)):
        if _is_setter(item):
            own.assigned.add("")
        whole = _whole(item)
        if isinstance(whole, Var | Attr):
            own.passed.add((callee, _chain(whole)))


def _whole(node: Any) -> Any:
    """What something is an element of: ``self.handlers`` of ``self.handlers[name]``."""
    while isinstance(node, Item):
        node = node.base
    return node


_NOTED: Mapping[type[Any], Callable[[Any, Mentions], None]] = {
    Attr: _attr,
    Return: _return,
    Store: _store,
    Delete: _store,
    For: _store,
    With: _store,
    Call: _call,
}


def _chain(node: Expr) -> Chain:
    """Where a dotted name begins, and how it ends."""
    last = node.name if isinstance(node, Attr) else ""
    while not isinstance(node, Var):
        if isinstance(node, Attr):
            node = node.base
        elif isinstance(node, Call):
            node = node.callee
        else:
            return "", last
    return node.name, last


def names_in(node: object) -> tuple[set[str], set[Chain]]:
    """The variables and dotted names below a node, functions inside left out."""
    below = [*_below(node)]
    variables = {item.name for item in below if isinstance(item, Var)}
    return variables, {_chain(item) for item in below if isinstance(item, Attr)}


def hands_out(own: Mentions, inner: Mentions) -> bool:
    """Whether a function gives a function back that stands in it."""
    return any(
        (isinstance(here, Closure) and here.function is inner.made)
        or (isinstance(here, Var) and here.name == inner.name)
        for value in own.returned
        for here in _below(value)
    )


def _below(node: object) -> Iterator[object]:
    """A node and all below it, functions inside left out."""
    stack = [node]
    while stack:
        here = stack.pop()
        if isinstance(here, tuple):
            yield here
            if not isinstance(here, Var | Closure):
                stack += here
