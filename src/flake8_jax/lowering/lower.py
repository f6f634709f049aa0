"""From the libcst tree of a top-level statement to its lowered program."""

from functools import lru_cache
from typing import NamedTuple

import libcst as cst

from flake8_jax.lowering.expressions import Context, Positions, lower_expression
from flake8_jax.lowering.kinds import LoweringError
from flake8_jax.lowering.program import Body, Expr
from flake8_jax.lowering.scopes import Scope
from flake8_jax.lowering.statements import lower_body
from flake8_jax.syntax.trees import expression


class Program(NamedTuple):
    """Some lowered statements, and how many they are with all that is inside."""

    body: Body
    size: int


def lower_program(tree: cst.Module, span: Positions, has_walrus: bool = True) -> Program | None:
    """The program of some top-level statements; None where they cannot be lowered.

    That is so where they are nested deeper than Python can follow, or are of a kind that is not
    known yet.
    """
    context = Context(span, has_walrus)
    try:
        return Program(lower_body(tree, Scope(), context), context.statements)
    except (LoweringError, RecursionError):
        return None


@lru_cache(maxsize=256)
def unquoted(text: str) -> Expr | None:
    """The expression in a quoted annotation, in which all names are global; None for other texts.

    It stands nowhere: its spans say nothing.
    """
    node = expression(text.strip())
    try:
        return None if node is None else lower_expression(node, Scope(), Context(lambda _: 0))
    except (LoweringError, RecursionError):
        return None
