"""What the functions of a module hand to transforms, told by how it is spelled.

A function is followed to see what becomes of the objects that others write under the traces that it
starts. Where none of them writes anything there is nothing to see, and what is handed over is as a
rule a name, a lambda or a method. So those that are handed over are summarised first; the functions
that hand them over are followed only if one of them writes, or if it cannot be told which they are.
"""

from collections.abc import Iterable, Iterator

import libcst as cst

from flake8_jax.flow.analysis import Flow
from flake8_jax.flow.spelling import Meant, Spelled
from flake8_jax.flow.values import FunctionRef
from flake8_jax.knowledge.transforms import KERNELS, TRANSFORMS, Transform
from flake8_jax.names import Applied, refer
from flake8_jax.scopes import Defined, Referent, Valued
from flake8_jax.syntax import (
    keyword,
    positional,
)

_EVERY = Transform("", callables=(), keywords=())
"""Stands for what may be a transform: each of its arguments may be a callable."""


def is_harmless(flow: Flow, refs: Iterable[FunctionRef]) -> bool:
    """Whether nothing that some functions hand to transforms writes anything."""
    seen: set[cst.CSTNode] = set()
    for ref in refs:
        for handed in _Host(flow, ref).handed():
            if handed is None:
                flow.summary(ref)
                break
            if handed.node not in seen:
                seen.add(handed.node)
                if flow.summary(handed).writes:
                    return False
    told = (flow.frozen_writes, flow.discarded, flow.discarded_if_traced)
    return not any(told) and not any(flow.summary(item.function).writes for item in flow.traces)


class _Host(Spelled):
    """A function that may hand others to transforms."""

    def handed(self) -> Iterator[Meant]:
        """The functions that are handed to transforms here."""
        for node in self.nodes:
            if type(node) is cst.FunctionDef:
                ref = self.flow.function(node, self.scope, self.ref.piece, self.ref.cls)
                if ref.trace is not None:
                    yield ref.trace.function
                elif any(_is_own(self.applied(item.decorator)) for item in node.decorators):
                    yield None
            elif type(node) is cst.Call:
                used = self.applied(node.func)
                row, before = _transform(used)
                if row is not None:
                    for argument in _callables(row, (*before, *node.args)):
                        yield from self.meant(argument)
                elif _is_own(used) and any(map(self._is_function, node.args)):
                    yield None

    def _is_function(self, argument: cst.Arg) -> bool:
        """Whether an argument is a function by its spelling, or a collection of some."""
        stack = [argument.value]
        while stack:
            node = stack.pop()
            match node:
                case cst.Lambda():
                    return True
                case cst.Name(value=name) if name not in self.loose:
                    if any(map(_is_definition, refer(node, self.scope))):
                        return True
                case cst.Attribute(value=owner, attr=cst.Name(value=name)):
                    if self.flow.model.classes_with(name):
                        return True
                    cls = self.own_class(owner, self.scope)
                    if cls is not None and cls.method(name) is not None:
                        return True
                    if self.is_named(owner, self.scope):
                        if any(map(_is_definition, refer(node, self.scope))):
                            return True
                case cst.List() | cst.Tuple():
                    stack += [item.value for item in node.elements]
                case cst.Dict():
                    stack += [item.value for item in node.elements]
                case cst.Call():  # a partial
                    stack += [item.value for item in node.args[:1]]
        return False


def _is_own(used: Applied | None) -> bool:
    """Whether what is called may be of the project, and so may call or trace what it gets."""
    return used is None or not used.names


def _transform(used: Applied | None) -> tuple[Transform | None, tuple[cst.Arg, ...]]:
    """The row for what is called, if that may be a transform, and what it has been given."""
    if used is None:
        return _EVERY, ()
    for name in used.names:
        row = TRANSFORMS.get(name)
        if name in KERNELS:
            return _EVERY, ()
        if row is not None and row.traces:
            if len(used.names) > 1:
                return _EVERY, ()
            given = any(True for _ in _callables(row, used.arguments))
            return (None, ()) if given else (row, used.arguments)  # or what was traced
    return None, ()


def _is_definition(item: Referent) -> bool:
    match item:
        case Defined(node=cst.FunctionDef()) | Valued(node=cst.Lambda()):
            return True
    return False


def _callables(row: Transform, handed: tuple[cst.Arg, ...]) -> Iterator[cst.BaseExpression]:
    """The arguments of a transform that may be callables."""
    if row is _EVERY:
        yield from (item.value for item in handed)
        return
    given = positional(handed)
    for index, position in enumerate(row.callables):
        names = row.keywords if len(row.callables) == 1 else row.keywords[index : index + 1]
        if position < len(given):
            yield given[position]
        else:
            named = (keyword(handed, name) for name in names)
            yield from (item for item in named if item is not None)
