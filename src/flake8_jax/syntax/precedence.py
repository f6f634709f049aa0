"""How tightly expressions and patterns bind, which decides about parentheses."""

import ast
from typing import Any, Final

TEST: Final = 1
DISJUNCTION: Final = 2
CONJUNCTION: Final = 3
INVERSION: Final = 4
COMPARISON: Final = 5
BIT_OR: Final = 6
SUM: Final = 10
PRODUCT: Final = 11
FACTOR: Final = 12
POWER: Final = 13
AWAIT: Final = 14
PRIMARY: Final = 15

AS_PATTERN: Final = 1
OR_PATTERN: Final = 2
CLOSED_PATTERN: Final = 3

OPERATORS: Final[dict[type[ast.AST], int]] = {
    ast.Or: DISJUNCTION,
    ast.And: CONJUNCTION,
    ast.Not: INVERSION,
    ast.BitOr: BIT_OR,
    ast.BitXor: BIT_OR + 1,
    ast.BitAnd: BIT_OR + 2,
    ast.LShift: BIT_OR + 3,
    ast.RShift: BIT_OR + 3,
    ast.Add: SUM,
    ast.Sub: SUM,
    ast.Mult: PRODUCT,
    ast.MatMult: PRODUCT,
    ast.Div: PRODUCT,
    ast.FloorDiv: PRODUCT,
    ast.Mod: PRODUCT,
    ast.UAdd: FACTOR,
    ast.USub: FACTOR,
    ast.Invert: FACTOR,
    ast.Pow: POWER,
}
LOOSE: Final[dict[type[ast.AST], int | None]] = {
    ast.IfExp: TEST,
    ast.Lambda: TEST,
    ast.Compare: COMPARISON,
    ast.Await: AWAIT,
    ast.BoolOp: None,
    ast.BinOp: None,
    ast.UnaryOp: None,
    ast.MatchAs: AS_PATTERN,
    ast.MatchOr: OR_PATTERN,
}
"""What does not bind as tightly as a primary; None where its operator tells."""


def binding(node: Any) -> int:
    """How tightly one of the loose nodes binds."""
    if type(node) is ast.MatchAs and node.pattern is None:
        return CLOSED_PATTERN
    known = LOOSE[type(node)]
    return OPERATORS[type(node.op)] if known is None else known
