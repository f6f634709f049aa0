"""Lowers expressions."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import libcst as cst

from flake8_jax.lowering import literals
from flake8_jax.lowering.kinds import ByKind, LoweringError
from flake8_jax.lowering.program import (
    Attr,
    Await,
    Bind,
    Call,
    Choice,
    Clause,
    Closure,
    Comp,
    Const,
    Expr,
    Function,
    Item,
    Kind,
    New,
    NewDict,
    Op,
    Parameter,
    Return,
    Shape,
    Slice,
    Span,
    Spread,
    Target,
    Unpack,
    Var,
    Yield,
)
from flake8_jax.lowering.scopes import (
    ComprehensionScope,
    FunctionScope,
    Scope,
    expression_bindings,
    target_names,
)

Positions: TypeAlias = Callable[[cst.CSTNode], Span]
"""Tells where a node stands."""


@dataclass(slots=True)
class Context:
    """What holds for a whole top-level statement."""

    span: Positions
    has_walrus: bool = True
    """Whether ``:=`` may stand in it."""
    statements: int = 0
    """How many statements have been lowered so far."""


OPERATORS: Mapping[type[cst.CSTNode], str] = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.MatrixMultiply: "@",
    cst.Divide: "/",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
    cst.BitOr: "|",
    cst.BitXor: "^",
    cst.BitAnd: "&",
    cst.FloorDivide: "//",
    cst.And: "and",
    cst.Or: "or",
    cst.Not: "not",
    cst.BitInvert: "~",
    cst.Plus: "+",
    cst.Minus: "-",
    cst.Equal: "==",
    cst.NotEqual: "!=",
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.Is: "is",
    cst.IsNot: "is not",
    cst.In: "in",
    cst.NotIn: "not in",
}
COMPARED = "compared"
"""The symbol of a comparison of more than two values."""


_SYMBOLS = ByKind(OPERATORS)


def lower_expression(node: cst.CSTNode, scope: Scope, context: Context) -> Expr:
    """Lower an expression that is evaluated in some scope."""
    lowered: Expr = _EXPRESSIONS[type(node)](node, scope, context)
    return lowered


def lower_maybe(node: cst.CSTNode | None, scope: Scope, context: Context) -> Expr | None:
    """Lower an expression that may not be there."""
    return None if node is None else lower_expression(node, scope, context)


def lower_target(node: cst.CSTNode, scope: Scope, context: Context) -> Target:
    """Lower what something is assigned to."""
    if isinstance(node, cst.Tuple | cst.List):
        targets = tuple(lower_target(item.value, scope, context) for item in node.elements)
        starred = [isinstance(item, cst.StarredElement) for item in node.elements]
        return Unpack(targets, starred.index(True) if True in starred else None)
    target = lower_expression(node, scope, context)
    if isinstance(target, Var | Attr | Item):
        return target
    raise LoweringError("target")


def lower_arguments(
    args: Iterable[cst.Arg], scope: Scope, context: Context
) -> tuple[tuple[Expr, ...], tuple[tuple[str | None, Expr], ...]]:
    """Lower the arguments of a call: the positional ones, and those with a keyword."""
    given: list[Expr] = []
    named: list[tuple[str | None, Expr]] = []
    for arg in args:
        value = lower_expression(arg.value, scope, context)
        if arg.star == "**":
            named.append((None, value))
        elif arg.star == "*":
            given.append(Spread(value))
        elif arg.keyword is not None:
            named.append((scope.spelled(arg.keyword.value), value))
        else:
            given.append(value)
    return tuple(given), tuple(named)


def lower_parameters(node: cst.Parameters, scope: Scope, context: Context) -> tuple[Parameter, ...]:
    """Lower parameters; defaults and annotations belong to the scope around the function."""

    def parameter(param: cst.Param, kind: Kind) -> Parameter:
        default = lower_maybe(param.default, scope, context)
        annotation = param.annotation.annotation if param.annotation is not None else None
        lowered = lower_maybe(annotation, scope, context)
        return Parameter(scope.spelled(param.name.value), kind, default, lowered)

    return tuple(parameter(param, kind) for param, kind in every_parameter(node))


def every_parameter(node: cst.Parameters) -> Iterator[tuple[cst.Param, Kind]]:
    """The parameters in the order of a signature."""
    for param in node.posonly_params:
        yield param, Kind.POSITIONAL
    for param in node.params:
        yield param, Kind.NORMAL
    if isinstance(node.star_arg, cst.Param):
        yield node.star_arg, Kind.STAR
    for param in node.kwonly_params:
        yield param, Kind.KEYWORD
    if node.star_kwarg is not None:
        yield node.star_kwarg, Kind.STARS


def _name(node: cst.Name, scope: Scope, _: Context) -> Expr:
    return literals.NAMED.get(node.value) or scope.load(node.value)


def _attribute(node: cst.Attribute, scope: Scope, context: Context) -> Expr:
    base = lower_expression(node.value, scope, context)
    return Attr(base, scope.spelled(node.attr.value), context.span(node))


def unused(value: Expr) -> Expr:
    """An expression whose value nobody looks at: nor at that of calls which it comes from."""
    match value:
        case Call():
            return value._replace(used=False)
        case Choice():
            return value._replace(then=unused(value.then), orelse=unused(value.orelse))
        case Op(symbol="and" | "or", operands=(*tests, last)):
            return value._replace(operands=(*tests, unused(last)))
        case New(shape=Shape.TUPLE):
            return value._replace(parts=tuple(map(unused, value.parts)))
        case Comp(shape=Shape.LIST):
            return value._replace(parts=tuple(map(unused, value.parts)))
    return value


def _subscript(node: cst.Subscript, scope: Scope, context: Context) -> Expr:
    base = lower_expression(node.value, scope, context)
    keys = [_index(item.slice, scope, context) for item in node.slice]
    key = keys[0] if len(keys) == 1 else New(Shape.TUPLE, tuple(keys))
    return Item(_with_one_used(base, key), key, context.span(node))


def _with_one_used(base: Expr, key: Expr) -> Expr:
    """``(a(), b())[1]``: nobody looks at the other elements."""
    match base, key:
        case New(shape=Shape.TUPLE), Const(value=int() as index):
            count = len(base.parts)
            if -count <= index < count and not any(isinstance(x, Spread) for x in base.parts):
                parts = [unused(item) for item in base.parts]
                parts[index] = base.parts[index]
                return base._replace(parts=tuple(parts))
    return base


def _index(node: cst.BaseSlice, scope: Scope, context: Context) -> Expr:
    if isinstance(node, cst.Slice):
        lower, upper, step = (
            lower_maybe(item, scope, context) for item in (node.lower, node.upper, node.step)
        )
        return Slice((lower, upper, step))
    assert isinstance(node, cst.Index)
    return lower_expression(node.value, scope, context)


def _call(node: cst.Call, scope: Scope, context: Context) -> Expr:
    callee = lower_expression(node.func, scope, context)
    given, named = lower_arguments(node.args, scope, context)
    return Call(callee, given, named, span=context.span(node))


def _chain(
    node: Any, kind: type[cst.BinaryOperation | cst.BooleanOperation]
) -> tuple[type[cst.CSTNode], list[cst.BaseExpression]]:
    """The operands of ``a + b + c``, with one operator all along, however many there are."""
    operator = type(node.operator)
    operands: list[cst.BaseExpression] = []
    while isinstance(node, kind) and type(node.operator) is operator:
        operands.append(node.right)
        node = node.left
    return operator, [node, *reversed(operands)]


def _binary(node: cst.BinaryOperation, scope: Scope, context: Context) -> Expr:
    operator, operands = _chain(node, cst.BinaryOperation)
    return Op(_SYMBOLS[operator], _all(operands, scope, context))


def _boolean(node: cst.BooleanOperation, scope: Scope, context: Context) -> Expr:
    operator, operands = _chain(node, cst.BooleanOperation)
    return Op(_SYMBOLS[operator], _all(operands, scope, context))


def _unary(node: cst.UnaryOperation, scope: Scope, context: Context) -> Expr:
    operand = lower_expression(node.expression, scope, context)
    symbol = _SYMBOLS[type(node.operator)]
    if symbol == "-" and isinstance(operand, Const) and type(operand.value) is int:
        return Const(-operand.value)
    return Op(symbol, (operand,))


def _comparison(node: cst.Comparison, scope: Scope, context: Context) -> Expr:
    compared = node.comparisons
    operands = _all([node.left, *(item.comparator for item in compared)], scope, context)
    symbol = _SYMBOLS[type(compared[0].operator)] if len(compared) == 1 else COMPARED
    if symbol in ("is", "is not") and operands[1] == Const(None):
        operands = (unused(operands[0]), *operands[1:])
    return Op(symbol, operands)


def _choice(node: cst.IfExp, scope: Scope, context: Context) -> Expr:
    test, then, orelse = _all((node.test, node.body, node.orelse), scope, context)
    return Choice(test, then, orelse)


def _all(nodes: Iterable[cst.CSTNode], scope: Scope, context: Context) -> tuple[Expr, ...]:
    return tuple([lower_expression(node, scope, context) for node in nodes])


def _display(shape: Shape) -> Callable[[Any, Scope, Context], Expr]:
    def display(node: Any, scope: Scope, context: Context) -> Expr:
        return New(shape, tuple([_element(item, scope, context) for item in node.elements]))

    return display


def _element(node: cst.BaseElement, scope: Scope, context: Context) -> Expr:
    value = lower_expression(node.value, scope, context)
    return Spread(value) if isinstance(node, cst.StarredElement) else value


def _dict(node: cst.Dict, scope: Scope, context: Context) -> Expr:
    keys: list[Expr | None] = []
    values: list[Expr] = []
    for item in node.elements:
        key = item.key if isinstance(item, cst.DictElement) else None
        keys.append(lower_maybe(key, scope, context))
        values.append(lower_expression(item.value, scope, context))
    return NewDict(tuple(keys), tuple(values))


def _formatted(node: cst.FormattedString, scope: Scope, context: Context) -> Expr:
    return New(Shape.STRING, tuple(_formatted_parts(node.parts, scope, context)))


def _formatted_parts(
    parts: Sequence[cst.BaseFormattedStringContent], scope: Scope, context: Context
) -> Iterator[Expr]:
    for part in parts:
        if isinstance(part, cst.FormattedStringExpression):
            yield lower_expression(part.expression, scope, context)
            yield from _formatted_parts(part.format_spec or (), scope, context)


def _comprehension(shape: Shape) -> Callable[[Any, Scope, Context], Expr]:
    def comprehension(node: Any, scope: Scope, context: Context) -> Expr:
        fors = [*_fors(node.for_in)]
        names = [name for item in fors for name in target_names(item.target)]
        inner = ComprehensionScope(scope, names)
        clauses: list[Clause] = []
        for item in fors:
            source = lower_expression(item.iter, inner if clauses else scope, context)
            target = lower_target(item.target, inner, context)
            tests = _all([test.test for test in item.ifs], inner, context)
            clauses.append(Clause(target, source, tests))
        results = (node.key, node.value) if shape is Shape.DICT else (node.elt,)
        return Comp(shape, _all(results, inner, context), tuple(clauses))

    return comprehension


def _fors(node: cst.CompFor | None) -> Iterator[cst.CompFor]:
    while node is not None:
        yield node
        node = node.inner_for_in


def _lambda(node: cst.Lambda, scope: Scope, context: Context) -> Expr:
    names = [param.name.value for param, _ in every_parameter(node.params)]
    bound = expression_bindings(node.body, context.has_walrus)
    inner = FunctionScope(scope, names, bound)
    parameters = lower_parameters(node.params, scope, context)
    span = context.span(node)
    body = (Return(lower_expression(node.body, inner, context), span),)
    return Closure(
        Function(
            "<lambda>",
            parameters,
            body,
            scope.cls,
            yields=inner.yields,
            span=span,
            size=1,
            cells=frozenset(inner.cells),
        )
    )


def _bind(node: cst.NamedExpr, scope: Scope, context: Context) -> Expr:
    assert isinstance(node.target, cst.Name)
    target = scope.bind(node.target.value)
    return Bind(target, lower_expression(node.value, scope, context), context.span(node.target))


def _yield(node: cst.Yield, scope: Scope, context: Context) -> Expr:
    scope.has_yield()
    if isinstance(node.value, cst.From):
        return Yield(lower_expression(node.value.item, scope, context), each=True)
    return Yield(lower_maybe(node.value, scope, context))


_EXPRESSIONS = ByKind(
    {
        cst.Name: _name,
        cst.Attribute: _attribute,
        cst.Subscript: _subscript,
        cst.Call: _call,
        cst.BinaryOperation: _binary,
        cst.BooleanOperation: _boolean,
        cst.UnaryOperation: _unary,
        cst.Comparison: _comparison,
        cst.IfExp: _choice,
        cst.Tuple: _display(Shape.TUPLE),
        cst.List: _display(Shape.LIST),
        cst.Set: _display(Shape.SET),
        cst.Dict: _dict,
        cst.FormattedString: _formatted,
        cst.SimpleString: lambda node, _, __: literals.string(node),
        cst.Integer: lambda node, _, __: literals.integer(node),
        cst.Float: lambda *_: literals.FLOAT,
        cst.Imaginary: lambda *_: literals.COMPLEX,
        cst.Ellipsis: lambda *_: literals.ELLIPSIS,
        cst.ListComp: _comprehension(Shape.LIST),
        cst.SetComp: _comprehension(Shape.SET),
        cst.GeneratorExp: _comprehension(Shape.GENERATOR),
        cst.DictComp: _comprehension(Shape.DICT),
        cst.Lambda: _lambda,
        cst.NamedExpr: _bind,
        cst.Yield: _yield,
        cst.Await: lambda node, scope, context: Await(
            lower_expression(node.expression, scope, context)
        ),
    }
)
