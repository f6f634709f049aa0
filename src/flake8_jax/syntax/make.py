"""Makers of libcst nodes: they are given the fields that carry meaning, and fill in the layout.

libcst's own constructors check what they are given, which takes ten times as long as these makers
do. What comes out is the same: a node of libcst's own class, with all of its fields.

The layout is libcst's default, and shared: a blank or a bracket is one object for all nodes of a
kind. Each its own would be as many objects again, and a fifth more time; ``deep_clone`` makes them.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from functools import cache
from types import FunctionType
from typing import Any, NoReturn, TypeVar

import libcst as cst

Node = TypeVar("Node", bound=cst.CSTNode)
Maker = Callable[..., cst.CSTNode]


def maker(kind: type[Node], *names: str, **layout: object) -> Callable[..., Node]:
    """A function that makes a node from the values of some fields, in this order.

    The other fields are as ``layout`` says, or libcst's defaults: also those that a newer libcst
    adds. The nodes of libcst refuse to be changed. So a node is an object of a twin class at first,
    while its fields are set.
    """
    rest = [field for field in fields(kind) if field.name not in names]
    known = [layout[field.name] if field.name in layout else _default(field) for field in rest]
    every = (*names, *(field.name for field in rest))
    code = _setting(len(every)).__code__.replace(co_names=(*every, "__class__"))
    return FunctionType(code, {}, kind.__name__, (*known, _twin(kind), kind, object.__new__))


@cache
def _setting(count: int) -> FunctionType:
    """A function that makes a node of this many fields, but for their names."""
    numbers = range(count)
    lines = [
        f"def make({''.join(f'value_{i}, ' for i in numbers)}twin, kind, new):",
        "    node = new(twin)",
        *(f"    node.field_{i} = value_{i}" for i in numbers),
        "    node.__class__ = kind",
        "    return node",
    ]
    scope: dict[str, FunctionType] = {}
    exec("\n".join(lines), scope)
    return scope["make"]


@cache
def _twin(kind: type[cst.CSTNode]) -> type:
    """A class with the same slots, whose objects can be changed."""
    return type.__new__(type(kind), kind.__name__, (kind,), dict(_CHANGEABLE))


_CHANGEABLE = {
    "__slots__": (),
    "__setattr__": object.__setattr__,
    "__delattr__": object.__delattr__,
    **{name: vars(cst.CSTNode)[name] for name in ("__repr__", "__eq__", "__hash__")},
}
"""What libcst adds to each class of nodes on its own is there already: that takes its time."""


def _default(field: Field[Any]) -> object:
    if field.default is not MISSING:
        return field.default
    if field.default_factory is MISSING:
        raise TypeError(f"libcst has no default for {field.name}")
    return field.default_factory()


def group(node: Any) -> None:
    """Put a pair of parentheses around a node that has just been made."""
    if type(node) is cst.MatchValue:
        node = node.value
    object.__setattr__(node, "lpar", (cst.LeftParen(), *node.lpar))
    object.__setattr__(node, "rpar", (*node.rpar, cst.RightParen()))


_SPACE = cst.SimpleWhitespace(" ")
_PARENTHESES = {"lpar": (cst.LeftParen(),), "rpar": (cst.RightParen(),)}
_BRACKETS = {"lbracket": cst.LeftSquareBracket(), "rbracket": cst.RightSquareBracket()}

ANNOTATION = maker(cst.Annotation, "annotation")
ANN_ASSIGN = maker(cst.AnnAssign, "target", "annotation", "value")
ARG = maker(cst.Arg, "value", "keyword", "star")
ASSERT = maker(cst.Assert, "test", "msg")
ASSIGN = maker(cst.Assign, "targets", "value")
ASSIGN_TARGET = maker(cst.AssignTarget, "target")
ASYNC = maker(cst.Asynchronous)
AS_NAME = maker(cst.AsName, "name")
ATTRIBUTE = maker(cst.Attribute, "value", "attr")
AUG_ASSIGN = maker(cst.AugAssign, "target", "operator", "value")
AWAIT = maker(cst.Await, "expression")
BARE_TUPLE = maker(cst.Tuple, "elements", lpar=(), rpar=())
BINARY = maker(cst.BinaryOperation, "left", "operator", "right")
BLOCK = maker(cst.IndentedBlock, "body")
BOOLEAN = maker(cst.BooleanOperation, "left", "operator", "right")
BREAK = maker(cst.Break)
CALL = maker(cst.Call, "func", "args")
CASE = maker(cst.MatchCase, "pattern", "guard", "body")
CLASS = maker(cst.ClassDef, "name", "body", "bases", "keywords", "decorators", "type_parameters")
COMPARED = maker(cst.ComparisonTarget, "operator", "comparator")
COMPARISON = maker(cst.Comparison, "left", "comparisons")
COMP_FOR = maker(cst.CompFor, "target", "iter", "ifs", "inner_for_in", "asynchronous")
COMP_IF = maker(cst.CompIf, "test")
CONTINUE = maker(cst.Continue)
DECORATOR = maker(cst.Decorator, "decorator")
DEL = maker(cst.Del, "target")
DICT = maker(cst.Dict, "elements")
DICT_COMP = maker(cst.DictComp, "key", "value", "for_in")
DICT_ELEMENT = maker(cst.DictElement, "key", "value")
ELEMENT = maker(cst.Element, "value")
ELSE = maker(cst.Else, "body")
EXPR = maker(cst.Expr, "value")
FINALLY = maker(cst.Finally, "body")
FOR = maker(cst.For, "target", "iter", "body", "orelse", "asynchronous")
FORMATTED = maker(
    *(cst.FormattedStringExpression, "expression", "conversion", "format_spec"),
    "whitespace_before_expression",
)
FROM = maker(cst.From, "item")
FSTRING = maker(cst.FormattedString, "parts", "start", "end")
FUNCTION = maker(
    *(cst.FunctionDef, "name", "params", "body", "decorators", "returns", "type_parameters"),
    "asynchronous",
)
GUARDED_CASE = maker(
    *(cst.MatchCase, "pattern", "guard", "body"),
    whitespace_before_if=_SPACE,
    whitespace_after_if=_SPACE,
)
IF = maker(cst.If, "test", "body", "orelse")
IF_EXP = maker(cst.IfExp, "test", "body", "orelse")
IMPORT = maker(cst.Import, "names")
IMPORT_ALIAS = maker(cst.ImportAlias, "name", "asname")
IMPORT_FROM = maker(cst.ImportFrom, "module", "names", "relative")
INDEX = maker(cst.Index, "value")
LAMBDA = maker(cst.Lambda, "params", "body")
LINE = maker(cst.SimpleStatementLine, "body")
LIST = maker(cst.List, "elements")
LONE_SUBSCRIPT_ELEMENT = maker(cst.SubscriptElement, "slice", comma=cst.Comma())
MAKE_ELLIPSIS = maker(cst.Ellipsis)
MATCH = maker(cst.Match, "subject", "cases")
MATCH_AS = maker(cst.MatchAs, "pattern", "name")
MATCH_CLASS = maker(cst.MatchClass, "cls", "patterns", "kwds")
MATCH_KEYWORD = maker(cst.MatchKeywordElement, "key", "pattern")
MATCH_LIST = maker(cst.MatchList, "patterns", **_BRACKETS)
MATCH_MAPPING = maker(cst.MatchMapping, "elements", "rest")
MATCH_MAPPING_ELEMENT = maker(cst.MatchMappingElement, "key", "pattern")
MATCH_OR = maker(cst.MatchOr, "patterns")
MATCH_OR_ELEMENT = maker(cst.MatchOrElement, "pattern")
MATCH_SINGLETON = maker(cst.MatchSingleton, "value")
MATCH_STAR = maker(cst.MatchStar, "name")
MATCH_VALUE = maker(cst.MatchValue, "value")
MODULE = maker(cst.Module, "body")
NAME = maker(cst.Name, "value")
NAMED_EXPR = maker(cst.NamedExpr, "target", "value", **_PARENTHESES)
NAME_ITEM = maker(cst.NameItem, "name")
PARAM = maker(cst.Param, "name", "annotation", "default", "star")
PARAMETERS = maker(
    cst.Parameters, "params", "star_arg", "kwonly_params", "star_kwarg", "posonly_params"
)
PARAM_SPEC = maker(cst.ParamSpec, "name")
PASS = maker(cst.Pass)
RAISE = maker(cst.Raise, "exc", "cause")
RETURN = maker(cst.Return, "value")
SEQUENCE_ELEMENT = maker(cst.MatchSequenceElement, "value")
SET = maker(cst.Set, "elements")
SLICE = maker(cst.Slice, "lower", "upper", "step")
STARRED = maker(cst.StarredElement, "value")
STARRED_DICT_ELEMENT = maker(cst.StarredDictElement, "value")
STARRED_INDEX = maker(cst.Index, "value", star="*")
STRING = maker(cst.SimpleString, "value")
SUBSCRIPT = maker(cst.Subscript, "value", "slice")
SUBSCRIPT_ELEMENT = maker(cst.SubscriptElement, "slice")
TEXT = maker(cst.FormattedStringText, "value")
TUPLE = maker(cst.Tuple, "elements")
TYPE_ALIAS = maker(cst.TypeAlias, "name", "value", "type_parameters")
TYPE_PARAM = maker(cst.TypeParam, "param")
TYPE_PARAMETERS = maker(cst.TypeParameters, "params")
TYPE_VAR = maker(cst.TypeVar, "name", "bound")
TYPE_VAR_TUPLE = maker(cst.TypeVarTuple, "name")
UNARY = maker(cst.UnaryOperation, "operator", "expression")
WHILE = maker(cst.While, "test", "body", "orelse")
WITH = maker(cst.With, "items", "body", "asynchronous")
WITH_ITEM = maker(cst.WithItem, "item", "asname")
YIELD = maker(cst.Yield, "value", **_PARENTHESES)


class UnknownNodeError(Exception):
    """A node that a newer Python makes, or whose operator it is."""


class Table(dict[type[ast.AST], Any]):
    """Rows for types of nodes; what it has no row for is not known."""

    def __missing__(self, kind: type[ast.AST]) -> NoReturn:
        raise UnknownNodeError(kind.__name__)


BINARY_OPERATORS: Mapping[type[ast.AST], tuple[Maker, Maker]] = Table(
    {
        ast.Add: (maker(cst.Add), maker(cst.AddAssign)),
        ast.Sub: (maker(cst.Subtract), maker(cst.SubtractAssign)),
        ast.Mult: (maker(cst.Multiply), maker(cst.MultiplyAssign)),
        ast.MatMult: (maker(cst.MatrixMultiply), maker(cst.MatrixMultiplyAssign)),
        ast.Div: (maker(cst.Divide), maker(cst.DivideAssign)),
        ast.Mod: (maker(cst.Modulo), maker(cst.ModuloAssign)),
        ast.Pow: (maker(cst.Power), maker(cst.PowerAssign)),
        ast.LShift: (maker(cst.LeftShift), maker(cst.LeftShiftAssign)),
        ast.RShift: (maker(cst.RightShift), maker(cst.RightShiftAssign)),
        ast.BitOr: (maker(cst.BitOr), maker(cst.BitOrAssign)),
        ast.BitXor: (maker(cst.BitXor), maker(cst.BitXorAssign)),
        ast.BitAnd: (maker(cst.BitAnd), maker(cst.BitAndAssign)),
        ast.FloorDiv: (maker(cst.FloorDivide), maker(cst.FloorDivideAssign)),
    }
)
"""Each operator, and how it assigns."""
OTHER_OPERATORS: Mapping[type[ast.AST], Maker] = Table(
    {
        ast.And: maker(cst.And),
        ast.Or: maker(cst.Or),
        ast.Invert: maker(cst.BitInvert),
        ast.Not: maker(cst.Not),
        ast.UAdd: maker(cst.Plus),
        ast.USub: maker(cst.Minus),
        ast.Eq: maker(cst.Equal),
        ast.NotEq: maker(cst.NotEqual),
        ast.Lt: maker(cst.LessThan),
        ast.LtE: maker(cst.LessThanEqual),
        ast.Gt: maker(cst.GreaterThan),
        ast.GtE: maker(cst.GreaterThanEqual),
        ast.Is: maker(cst.Is),
        ast.IsNot: maker(cst.IsNot),
        ast.In: maker(cst.In),
        ast.NotIn: maker(cst.NotIn),
    }
)
DOT = maker(cst.Dot)
STAR = maker(cst.ParamStar)
IMPORT_STAR = maker(cst.ImportStar)
