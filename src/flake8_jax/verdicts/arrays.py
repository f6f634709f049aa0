"""Elements of jax arrays that are assigned outside of traced code: that raises there, too.

A variable counts only if every value that it is ever given is a jax array. So what may be a numpy
array on some way stays silent.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from flake8_jax.effects.summaries import Site
from flake8_jax.knowledge.objects import ALWAYS_ARRAYS, ARRAY_UPDATES, EXPECTS_ERRORS
from flake8_jax.lowering.program import (
    Attr,
    Body,
    Branch,
    Call,
    Class,
    Const,
    Define,
    Expr,
    Function,
    Home,
    Item,
    Op,
    Store,
    Try,
    Unpack,
    Var,
)
from flake8_jax.lowering.spans import unpack
from flake8_jax.lowering.walk import blocks, walk
from flake8_jax.resolution.bindings import Binding, bindings
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.modules import Module
from flake8_jax.resolution.resolve import definition, resolve
from flake8_jax.resolution.scopes import Position, Scope, module_scope
from flake8_jax.verdicts.places import Place, start
from flake8_jax.verdicts.quotes import done, element_method
from flake8_jax.wording import Told
from flake8_jax.workspace.outline import Block

CODE = "JAX205"
CODES = (CODE,)
_STORES = re.compile(r"\][ \t]*(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=(?!=)|\][ \t]*,")
"""What an assignment to an element looks like."""
_ARITHMETIC = frozenset({"+", "-", "*", "/", "**", "//", "%", "@"})
_KEEPING = frozenset({"astype", "copy", "flatten", "ravel", "reshape", "transpose"})
"""Methods of an array that give an array back."""


class _Assigned(NamedTuple):
    """An element that is assigned, and the scope of its variable."""

    item: Item
    var: Var
    scope: Scope
    statement: int
    """Where the assignment stands."""


class Eager(NamedTuple):
    """An assignment outside of traced code, for what mends it."""

    position: Position


def places(module: Module) -> Iterator[Place]:
    """The assignments to elements of variables that can only be jax arrays."""
    if _STORES.search(module.file.text) is None:
        return
    expecting = [block for block in module.blocks if not EXPECTS_ERRORS.isdisjoint(block.words)]
    for block in module.blocks:
        if block.is_import or _STORES.search(block.text) is None or block in expecting:
            continue
        if any(not other.words.isdisjoint(block.names) for other in expecting):
            continue  # somebody tests that it raises
        for found in _assigned(module, block):
            made = _made(found)
            if made is not None:
                site = Site(module.file.path, block.index, found.item.span)
                told = Told(
                    _quoted(block, found.item),
                    done(module, site),
                    method=element_method(module, site),
                    made=made,
                )
                subject = Eager((block.index, found.statement))
                yield Place(*start(module, block.index, found.item.span), CODE, told, subject)


def _assigned(module: Module, block: Block) -> Iterator[_Assigned]:
    program = module.program(block)
    if program is not None:
        yield from _in_body(program.body, module_scope(module), block.index)


def _in_body(body: Body, scope: Scope, index: int) -> Iterator[_Assigned]:
    """The elements that a body assigns where nobody expects an error."""
    for node in body:
        match node:
            case Store():
                yield from _targets(node, scope)
            case Define(made=Function() | Class() as made):
                inside = definition(scope, node, (index, node.span)).inside
                yield from _in_body(made.body, inside, index)
            case Try(handlers=(_, *_)):
                pass  # the error may be expected there
            case Branch(test=test):
                asked = {item.name for item in walk(test) if isinstance(item, Var)}
                for inner in blocks(node):
                    found = _in_body(inner, scope, index)
                    yield from (item for item in found if item.var.name not in asked)
            case _:
                for inner in blocks(node):
                    yield from _in_body(inner, scope, index)


def _targets(node: Store, scope: Scope) -> Iterator[_Assigned]:
    stack = [*node.targets]
    while stack:
        target = stack.pop()
        match target:
            case Item(base=Var() as var, key=key):
                is_name = isinstance(key, Const) and isinstance(key.value, str)
                if not is_name and _is_own(var, scope):
                    yield _Assigned(target, var, scope, node.span)
            case Unpack():
                stack += target.targets


def _is_own(var: Var, scope: Scope) -> bool:
    """Whether nobody but the code of a scope gives a variable its values."""
    made = scope.made
    if made is None:
        return var.home is Home.GLOBAL and var.name not in scope.module.declared
    if not isinstance(made, Function) or var.home is not Home.LOCAL:
        return False
    is_given = any(item.name == var.name for item in made.parameters)
    return not is_given and var.name not in made.cells


def _made(found: _Assigned) -> str | None:
    """The function that has made an array; None where it may be something else."""
    names = _Arrays(found.scope)
    return names.first if names.is_array(found.var) else None


class _Arrays:
    """Tells which expressions of a scope can only be jax arrays."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._seen: set[str] = set()
        self.first = ""
        """The function that makes the first one."""

    def is_array(self, expr: Expr) -> bool:
        """Whether an expression is a jax array, whatever happens."""
        match expr:
            case Var():
                return self._is_variable(expr)
            case Op(symbol=symbol, operands=operands) if symbol in _ARITHMETIC:
                others = [item for item in operands if not isinstance(item, Const)]
                return bool(others) and all(map(self.is_array, others))
            case Call(callee=Attr(base=Item(base=Attr(base=base, name="at")), name=name)):
                return name in ARRAY_UPDATES and self.is_array(base)
            case Call(callee=Attr(base=base, name=name)) if name in _KEEPING:
                return self.is_array(base) or self._is_made(expr)
            case Call():
                return self._is_made(expr)
        return False

    def _is_variable(self, var: Var) -> bool:
        if not _is_own(var, self._scope):
            return False
        if var.name in self._seen:  # one of its values is computed from itself
            return True
        self._seen.add(var.name)
        found = bindings(self._scope, var.name)
        return bool(found) and all(map(self._binds_array, found))

    def _binds_array(self, binding: Binding) -> bool:
        source = binding.source
        return isinstance(source, Var | Op | Call) and self.is_array(source)

    def _is_made(self, call: Call) -> bool:
        if not self._is_sure(call.callee):
            return False
        found = resolve(self._scope, call.callee)
        names = [item.dotted for item in found if isinstance(item, External)]
        if len(names) < len(found) or not names or not ALWAYS_ARRAYS.issuperset(names):
            return False
        self.first = self.first or names[0]
        return True

    def _is_sure(self, callee: Expr) -> bool:
        """Whether a library is what a name stands for wherever the program runs.

        ``try: import jax.numpy as np`` with numpy in the handler is doubtful.
        """
        while isinstance(callee, Attr):
            callee = callee.base
        if not isinstance(callee, Var) or callee.home not in (Home.GLOBAL, Home.LOCAL):
            return False
        scope = self._scope if callee.home is Home.LOCAL else module_scope(self._scope.module)
        return not any(item.fallback for item in bindings(scope, callee.name))


def _quoted(block: Block, item: Item) -> str:
    """The element in the words of the source, on one line."""
    place = unpack(item.span)
    lines = [line.encode() for line in block.lines[place.line : place.last_line + 1]]
    lines[-1] = lines[-1][: place.end]
    lines[0] = lines[0][place.column :]
    return " ".join(line.decode(errors="replace").strip() for line in lines)
