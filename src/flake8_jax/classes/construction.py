"""What constructors do: which methods take part, and what every instance has from the start."""

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from flake8_jax.classes import limits
from flake8_jax.classes.absence import Self
from flake8_jax.classes.table import ClassInfo, subclasses_elsewhere
from flake8_jax.classes.walks import first_parameter, is_var, stores
from flake8_jax.knowledge.objects import CONSTRUCTION
from flake8_jax.lowering.program import (
    Attr,
    Branch,
    Call,
    Choice,
    Const,
    Eval,
    Expr,
    For,
    Function,
    Item,
    New,
    NewDict,
    Op,
    Raise,
    Return,
    Store,
    Try,
    Var,
    While,
    With,
)
from flake8_jax.lowering.walk import walk
from flake8_jax.resolution.resolve import Definition

_CONSTRUCTORS = ("__init__", "__post_init__")
_MAY_GIVE_NONE = frozenset({"get", "getattr", "pop"})

_Full: TypeAlias = frozenset[str] | None
"""The names that certainly hold something; None where no way leads to."""


def called_in_construction(info: ClassInfo) -> frozenset[str]:
    """The methods that a constructor calls on self: they are part of construction."""
    return info.once(called_in_construction, lambda: _called_in_construction(info))


def _called_in_construction(info: ClassInfo) -> frozenset[str]:
    found: set[str] = set()
    names = sorted(CONSTRUCTION)
    while names:
        name = names.pop()
        for item in info.mro:
            for called in _called_on_self(item, name):
                if called not in found and info.method(called) is not None:
                    found.add(called)
                    names.append(called)
    return frozenset(found)


def _called_on_self(info: ClassInfo, name: str) -> tuple[str, ...]:
    """The methods that a method calls on self, or hands self to."""
    return info.once((_called_on_self, name), lambda: tuple(_on_self(info.methods.get(name))))


def _on_self(own: Definition | None) -> Iterator[str]:
    if own is None or not isinstance(own.made, Function):
        return
    owner = first_parameter(own.made)
    for node in walk(own.made.body) if owner is not None else ():
        match node:
            case Call(callee=Attr(base=Var() as base, name=name), args=args):
                if any(is_var(item, owner) for item in (base, *args[:1])):
                    yield name


def helps_to_make(info: ClassInfo, name: str) -> bool:
    """Whether a method is part of construction: that of the class, or of a subclass anywhere.

    A private method that its own module never mentions is there for subclasses.
    """
    return info.once((helps_to_make, name), lambda: _helps_to_make(info, name))


def _helps_to_make(info: ClassInfo, name: str) -> bool:
    if name in CONSTRUCTION or any(name in _steps(item) for item in (info, *info.subclasses)):
        return True
    private = name.startswith("_") and not name.endswith("__")
    if private and re.search(rf"\.\s*{name}\b", info.module.file.text) is None:
        return True
    if not info.once(_assigns_later, lambda: _assigns_later(info)):
        return False  # nobody needs to look at all other files
    return any(name in _steps(item) for item in subclasses_elsewhere(info))


def _assigns_later(info: ClassInfo) -> bool:
    """Whether a method that no constructor of the class calls assigns an attribute of self."""
    made = CONSTRUCTION | _steps(info)
    return any(
        _assigns_self(own.made)
        for item in info.mro
        for name, own in item.methods.items()
        if name not in made and isinstance(own.made, Function)
    )


def _assigns_self(function: Function) -> bool:
    owner = first_parameter(function)
    return any(
        isinstance(target, Attr) and is_var(target.base, owner)
        for item in stores(function.body)
        for target in item.targets
    )


def _steps(info: ClassInfo) -> frozenset[str]:
    """The methods that a constructor calls on self, or names to call them in a loop."""
    return info.once(_steps, lambda: called_in_construction(info) | {*_listed(info)})


def _listed(info: ClassInfo) -> Iterator[str]:
    for item in info.mro:
        for name in sorted(CONSTRUCTION | called_in_construction(info)):
            own = item.methods.get(name)
            if own is not None and isinstance(own.made, Function):
                owner = first_parameter(own.made)
                for node in walk(own.made.body):
                    for part in _elements(node):
                        if isinstance(part, Attr) and is_var(part.base, owner):
                            yield part.name


def _elements(node: object) -> tuple[Expr, ...]:
    if isinstance(node, New):
        return node.parts
    return node.values if isinstance(node, NewDict) else ()


def construction_fills(info: ClassInfo, attribute: str) -> bool:
    """Whether every instance has something in an attribute once it is made."""
    key = (construction_fills, attribute)
    return info.once(key, lambda: any(_fills(info, name, attribute) for name in _CONSTRUCTORS))


def _fills(info: ClassInfo, name: str, attribute: str) -> bool:
    method = info.method(name)
    return method is not None and _leaves(info, method, attribute, limits.CALL_STEPS)


def _leaves(info: ClassInfo, method: Definition, attribute: str, steps: int) -> bool:
    """Whether a method leaves something in an attribute of self, whatever it is given."""
    owner = first_parameter(method.made) if isinstance(method.made, Function) else None
    return owner is not None and _Constructor(info, method, owner, attribute, steps).fills()


class _Constructor:
    """Follows which names certainly hold something, on all ways through a constructor."""

    def __init__(
        self, info: ClassInfo, method: Definition, owner: str, attribute: str, steps: int
    ) -> None:
        self._info, self._method, self._steps = info, method, steps
        self._self = Self(owner, method.inside)
        self._own = f"{owner}.{attribute}"
        self._attribute = attribute
        self._ends: list[frozenset[str]] = []

    def fills(self) -> bool:
        last = self._block(self._method.made.body, frozenset())
        ends = [*self._ends, *([last] if last is not None else [])]
        return bool(ends) and all(self._own in end for end in ends)

    def _block(self, body: Sequence[object], full: _Full) -> _Full:
        for statement in body:
            if full is None:
                return None
            full = self._statement(statement, full)
        return full

    def _statement(self, statement: object, full: frozenset[str]) -> _Full:
        if isinstance(statement, Branch):
            then = self._block(statement.then, _narrowed(statement.test, full, True))
            return _join(
                then, self._block(statement.orelse, _narrowed(statement.test, full, False))
            )
        if isinstance(statement, While | For):
            return _join(full, self._block(statement.body, full))
        if isinstance(statement, With):
            return self._block(statement.body, full)
        if isinstance(statement, Try):
            return self._try(statement, full)
        if isinstance(statement, Return):
            self._ends.append(full)
            return None
        return None if isinstance(statement, Raise) else self._simple(statement, full)

    def _try(self, statement: Try, full: frozenset[str]) -> _Full:
        done = self._block(statement.body, full)
        done = self._block(statement.orelse, done)
        for handler in statement.handlers:
            done = _join(done, self._block(handler.body, full))
        return self._block(statement.final, done)

    def _simple(self, statement: object, full: frozenset[str]) -> frozenset[str]:
        if isinstance(statement, Store):
            named = {name for item in statement.targets if (name := _dotted(item))}
            full = full | named if _is_full(statement.value, full) else full - named
        for store in self._self.stores(statement):
            name = f"{self._self.name}.{store.attribute}"
            full = full | {name} if _is_full(store.value, full) else full - {name}
        if isinstance(statement, Eval) and self._is_left_by(statement.value):
            full |= {self._own}
        return full

    def _is_left_by(self, node: Expr) -> bool:
        """Whether a call of a method of self, or of a base, leaves something in the attribute."""
        if not self._steps or not isinstance(node, Call) or not isinstance(node.callee, Attr):
            return False
        method: Definition | None = None
        base, name = node.callee.base, node.callee.name
        if is_var(base, self._self.name):
            method = self._info.method(name)
        elif isinstance(base, Call) and is_var(base.callee, "super"):
            method = self._above(name)
        return method is not None and _leaves(self._info, method, self._attribute, self._steps - 1)

    def _above(self, name: str) -> Definition | None:
        """The method that ``super`` stands for in the constructor."""
        found = False
        for item in self._info.mro:
            if found and name in item.methods:
                return item.methods[name]
            found = found or self._method in item.methods.values()
        return None


def _join(one: _Full, other: _Full) -> _Full:
    if one is None or other is None:
        return one if other is None else other
    return one & other


def _dotted(node: object) -> str | None:
    """``name`` or ``name.attribute``."""
    match node:
        case Var(name=name):
            return name
        case Attr(base=Var(name=owner), name=name):
            return f"{owner}.{name}"
    return None


def _narrowed(test: Expr, full: frozenset[str], holds: bool) -> frozenset[str]:
    """What certainly holds something where a test passes, or where it fails."""
    match test:
        case Op(symbol="not", operands=(inner,)):
            return _narrowed(inner, full, not holds)
        case Op(symbol="is" | "is not" as symbol, operands=(left, Const(value=None))):
            name = _dotted(left)
            is_there = (symbol == "is not") is holds
        case _:
            name, is_there = _dotted(test) if holds else None, True
    if name is None:
        return full
    return full | {name} if is_there else full - {name}


def _is_full(node: Expr, full: frozenset[str]) -> bool:
    """Whether an expression certainly is something; an element may be anything."""
    match node:
        case Const(value=value):
            return value is not None
        case Var() | Attr():
            return _dotted(node) in full
        case Item():
            return False
        case Choice(test=test, then=then, orelse=orelse):
            return _is_full(then, _narrowed(test, full, True)) and _is_full(
                orelse, _narrowed(test, full, False)
            )
        case Op(symbol="or", operands=operands):
            return _is_full(operands[-1], full)
        case Op(symbol="and", operands=operands):
            return all(_is_full(item, full) for item in operands)
        case Call(callee=Var(name=name) | Attr(name=name)):
            return name not in _MAY_GIVE_NONE
    return True
