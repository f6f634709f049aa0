"""Expressions that fixes make from those that are there."""

import libcst as cst

from flake8_jax.syntax import walk

_PRECEDENCE: dict[type[cst.BaseBinaryOp], int] = {
    cst.BitOr: 1,
    cst.BitXor: 2,
    cst.BitAnd: 3,
    cst.LeftShift: 4,
    cst.RightShift: 4,
    cst.Add: 5,
    cst.Subtract: 5,
    cst.Multiply: 6,
    cst.Divide: 6,
    cst.FloorDivide: 6,
    cst.Modulo: 6,
    cst.MatrixMultiply: 6,
    cst.Power: 7,
}
_AUGMENTED: dict[type[cst.BaseAugOp], cst.BaseBinaryOp] = {
    cst.AddAssign: cst.Add(),
    cst.BitAndAssign: cst.BitAnd(),
    cst.BitOrAssign: cst.BitOr(),
    cst.BitXorAssign: cst.BitXor(),
    cst.DivideAssign: cst.Divide(),
    cst.FloorDivideAssign: cst.FloorDivide(),
    cst.LeftShiftAssign: cst.LeftShift(),
    cst.MatrixMultiplyAssign: cst.MatrixMultiply(),
    cst.ModuloAssign: cst.Modulo(),
    cst.MultiplyAssign: cst.Multiply(),
    cst.PowerAssign: cst.Power(),
    cst.RightShiftAssign: cst.RightShift(),
    cst.SubtractAssign: cst.Subtract(),
}
_ATOMS = (
    cst.Attribute,
    cst.BaseNumber,
    cst.Call,
    cst.Name,
    cst.SimpleString,
    cst.Subscript,
)
_REPEATABLE = (
    cst.Attribute,
    cst.BinaryOperation,
    cst.Colon,
    cst.Element,
    cst.Ellipsis,
    cst.Index,
    cst.Integer,
    cst.Name,
    cst.Slice,
    cst.SubscriptElement,
    cst.Subscript,
    cst.Tuple,
    cst.UnaryOperation,
)
_UNLIKE = (cst.BaseComp, cst.BaseDict, cst.List, cst.NamedExpr, cst.Set, cst.Tuple, cst.Yield)


def unaugmented(node: cst.AugAssign) -> cst.BaseExpression | None:
    """The value that an augmented assignment to something immutable stores.

    None where ``+=`` and ``+`` need not be the same, as for containers.
    """
    if isinstance(node.value, _UNLIKE):
        return None
    operator = _AUGMENTED[type(node.operator)]
    right = node.value
    if not right.lpar and not isinstance(right, _ATOMS):
        inner = _PRECEDENCE[type(right.operator)] if isinstance(right, cst.BinaryOperation) else 0
        if inner <= _PRECEDENCE[type(operator)]:
            right = right.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.BinaryOperation(node.target, operator, right)


def call_with(
    function: cst.BaseExpression, value: cst.BaseExpression, *before: cst.Arg, name: str = ""
) -> cst.Call:
    """A call whose last argument is a value, under a name if there is one.

    Parentheses around the value that are there to let it run over lines become those of the call.
    """
    first: cst.BaseParenthesizableWhitespace = cst.SimpleWhitespace("")
    last = first
    if isinstance(value, cst.Tuple | cst.Yield | cst.NamedExpr) and not value.lpar:
        value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    elif len(value.lpar) == 1 and not before and not name and _may_stand_bare(value):
        first, last = value.lpar[0].whitespace_after, value.rpar[0].whitespace_before
        value = value.with_changes(lpar=(), rpar=())
    given = cst.Arg(value, whitespace_after_arg=last)
    if name:
        tight = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        given = given.with_changes(keyword=cst.Name(name), equal=tight)
    return cst.Call(function, [*before, given], whitespace_before_args=first)


def _may_stand_bare(value: cst.BaseExpression) -> bool:
    kinds = (cst.BinaryOperation, cst.BooleanOperation, cst.Comparison, cst.IfExp, *_ATOMS)
    return isinstance(value, kinds)


def is_repeatable(node: cst.CSTNode) -> bool:
    """Whether an index may be evaluated twice: it has no calls in it."""
    return all(isinstance(item, _REPEATABLE) for item in walk(node))
