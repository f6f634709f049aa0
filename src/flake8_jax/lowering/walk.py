"""Walks over lowered programs."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from flake8_jax.lowering.program import (
    Body,
    Branch,
    Class,
    For,
    Function,
    Match,
    Stmt,
    Try,
    While,
    With,
)

_BLOCKS: Mapping[type[Any], Callable[[Any], tuple[Body, ...]]] = {
    Branch: lambda node: (node.then, node.orelse),
    While: lambda node: (node.body, node.orelse),
    For: lambda node: (node.body, node.orelse),
    With: lambda node: (node.body,),
    Try: lambda node: (
        node.body,
        *(handler.body for handler in node.handlers),
        node.orelse,
        node.final,
    ),
    Match: lambda node: tuple(case.body for case in node.cases),
}
"""The blocks of statements that open no scope of their own."""


def blocks(statement: Stmt) -> tuple[Body, ...]:
    """The blocks of a statement that open no scope of their own."""
    found = _BLOCKS.get(type(statement))
    return found(statement) if found is not None else ()


def flat(body: Body) -> Iterator[Stmt]:
    """All statements that run in a body's own scope, at whatever depth, in order."""
    stack = list(reversed(body))
    while stack:
        statement = stack.pop()
        yield statement
        blocks = _BLOCKS.get(type(statement))
        for block in reversed(blocks(statement)) if blocks is not None else ():
            stack += reversed(block)


def walk(node: object) -> Iterator[object]:
    """A node and all below it, in order, nested functions and classes included."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        if isinstance(here, tuple):
            stack += reversed(here)
        elif isinstance(here, Function):
            stack += (here.body, here.returns, here.parameters)
        elif isinstance(here, Class):
            stack += (here.body, here.keywords, here.bases)
