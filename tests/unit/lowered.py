"""Lowers the programs of unit tests."""

import ast
from itertools import count
from textwrap import dedent

from flake8_jax.lowering.lower import lower_program
from flake8_jax.lowering.printer import show_body
from flake8_jax.lowering.program import Body, Define, Function
from flake8_jax.syntax.trees import converted
from flake8_jax.workspace.outline import from_tree


def lowered(text: str) -> Body:
    lines = [f"{line}\n" for line in text.split("\n")]
    body: Body = ()
    spans = count(1)
    for block in from_tree(text, lines, ast.parse(text)):
        tree, _ = converted(block)
        part = lower_program(tree, lambda _: next(spans))
        assert part is not None
        body += part.body
    return body


def shown(text: str) -> str:
    return show_body(lowered(dedent(text).strip()))


def function(text: str) -> Function:
    [statement] = lowered(dedent(text).strip())
    assert isinstance(statement, Define)
    assert isinstance(statement.made, Function)
    return statement.made
