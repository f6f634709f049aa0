"""Makers of libcst nodes that set only the fields which carry meaning."""

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TypeVar

import libcst as cst

Node = TypeVar("Node", bound=cst.CSTNode)


def maker(kind: type[Node], *names: str) -> Callable[..., Node]:
    """A function that makes a node from the values of some fields, and leaves the others unset."""
    new: Callable[[type[Node]], Node] = object.__new__
    setters = [getattr(kind, name).__set__ for name in names]

    def make_one(a: object) -> Node:
        node = new(kind)
        first(node, a)
        return node

    def make_two(a: object, b: object) -> Node:
        node = new(kind)
        first(node, a)
        second(node, b)
        return node

    def make_more(*values: object) -> Node:
        node = new(kind)
        for setter, value in zip(setters, values, strict=True):
            setter(node, value)
        return node

    first, second = setters[0], setters[-1]
    by_count: dict[int, Callable[..., Node]] = {1: make_one, 2: make_two}
    return by_count.get(len(setters), make_more)


ANNOTATION = maker(cst.Annotation, "annotation")
ANN_ASSIGN = maker(cst.AnnAssign, "target", "annotation", "value")
ARG = maker(cst.Arg, "value", "keyword", "star")
ASSERT = maker(cst.Assert, "test", "msg")
ASSIGN = maker(cst.Assign, "targets", "value")
ASSIGN_TARGET = maker(cst.AssignTarget, "target")
AS_NAME = maker(cst.AsName, "name")
ATTRIBUTE = maker(cst.Attribute, "value", "attr")
AUG_ASSIGN = maker(cst.AugAssign, "target", "operator", "value")
AWAIT = maker(cst.Await, "expression")
BINARY = maker(cst.BinaryOperation, "left", "operator", "right")
BLOCK = maker(cst.IndentedBlock, "body")
BOOLEAN = maker(cst.BooleanOperation, "left", "operator", "right")
BREAK = maker(cst.Break, "semicolon")
CALL = maker(cst.Call, "func", "args")
CASE = maker(cst.MatchCase, "pattern", "guard", "body")
CLASS = maker(cst.ClassDef, "name", "body", "bases", "keywords", "decorators", "type_parameters")
COMPARED = maker(cst.ComparisonTarget, "operator", "comparator")
COMPARISON = maker(cst.Comparison, "left", "comparisons")
COMP_FOR = maker(cst.CompFor, "target", "iter", "ifs", "inner_for_in")
COMP_IF = maker(cst.CompIf, "test")
CONTINUE = maker(cst.Continue, "semicolon")
DECORATOR = maker(cst.Decorator, "decorator")
DEL = maker(cst.Del, "target")
DICT = maker(cst.Dict, "elements")
DICT_COMP = maker(cst.DictComp, "key", "value", "for_in")
DICT_ELEMENT = maker(cst.DictElement, "key", "value")
ELEMENT = maker(cst.Element, "value")
ELSE = maker(cst.Else, "body")
EXPR = maker(cst.Expr, "value")
FINALLY = maker(cst.Finally, "body")
FOR = maker(cst.For, "target", "iter", "body", "orelse")
FORMATTED = maker(cst.FormattedStringExpression, "expression", "format_spec")
FROM = maker(cst.From, "item")
FSTRING = maker(cst.FormattedString, "parts")
FUNCTION = maker(
    cst.FunctionDef, "name", "params", "body", "decorators", "returns", "type_parameters"
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
MAKE_ELLIPSIS = maker(cst.Ellipsis, "lpar")
MATCH = maker(cst.Match, "subject", "cases")
MATCH_AS = maker(cst.MatchAs, "pattern", "name")
MATCH_CLASS = maker(cst.MatchClass, "cls", "patterns", "kwds")
MATCH_KEYWORD = maker(cst.MatchKeywordElement, "key", "pattern")
MATCH_LIST = maker(cst.MatchList, "patterns")
MATCH_MAPPING = maker(cst.MatchMapping, "elements", "rest")
MATCH_MAPPING_ELEMENT = maker(cst.MatchMappingElement, "key", "pattern")
MATCH_OR = maker(cst.MatchOr, "patterns")
MATCH_OR_ELEMENT = maker(cst.MatchOrElement, "pattern")
MATCH_SINGLETON = maker(cst.MatchSingleton, "value")
MATCH_STAR = maker(cst.MatchStar, "name")
MATCH_VALUE = maker(cst.MatchValue, "value")
MODULE = maker(cst.Module, "body")
NAME = maker(cst.Name, "value")
WORD = lru_cache(maxsize=4096)(NAME)
"""A name that is no variable, of an attribute or a keyword; there is one node for each such."""
NAMED_EXPR = maker(cst.NamedExpr, "target", "value")
NAME_ITEM = maker(cst.NameItem, "name")
PARAM = maker(cst.Param, "name", "annotation", "default", "star")
PARAMETERS = maker(
    cst.Parameters, "params", "star_arg", "kwonly_params", "star_kwarg", "posonly_params"
)
PARAM_SPEC = maker(cst.ParamSpec, "name")
PASS = maker(cst.Pass, "semicolon")
RAISE = maker(cst.Raise, "exc", "cause")
RETURN = maker(cst.Return, "value")
SEQUENCE_ELEMENT = maker(cst.MatchSequenceElement, "value")
SET = maker(cst.Set, "elements")
SLICE = maker(cst.Slice, "lower", "upper", "step")
STARRED = maker(cst.StarredElement, "value")
STARRED_DICT_ELEMENT = maker(cst.StarredDictElement, "value")
STRING = maker(cst.SimpleString, "value")
SUBSCRIPT = maker(cst.Subscript, "value", "slice")
SUBSCRIPT_ELEMENT = maker(cst.SubscriptElement, "slice")
TUPLE = maker(cst.Tuple, "elements")
TYPE_ALIAS = maker(cst.TypeAlias, "name", "value", "type_parameters")
TYPE_PARAM = maker(cst.TypeParam, "param")
TYPE_PARAMETERS = maker(cst.TypeParameters, "params")
TYPE_VAR = maker(cst.TypeVar, "name", "bound")
TYPE_VAR_TUPLE = maker(cst.TypeVarTuple, "name")
UNARY = maker(cst.UnaryOperation, "operator", "expression")
WHILE = maker(cst.While, "test", "body", "orelse")
WITH = maker(cst.With, "items", "body")
WITH_ITEM = maker(cst.WithItem, "item", "asname")
YIELD = maker(cst.Yield, "value")

BINARY_OPERATORS: Mapping[type[ast.operator], tuple[cst.CSTNode, cst.CSTNode]] = {
    ast.Add: (cst.Add(), cst.AddAssign()),
    ast.Sub: (cst.Subtract(), cst.SubtractAssign()),
    ast.Mult: (cst.Multiply(), cst.MultiplyAssign()),
    ast.MatMult: (cst.MatrixMultiply(), cst.MatrixMultiplyAssign()),
    ast.Div: (cst.Divide(), cst.DivideAssign()),
    ast.Mod: (cst.Modulo(), cst.ModuloAssign()),
    ast.Pow: (cst.Power(), cst.PowerAssign()),
    ast.LShift: (cst.LeftShift(), cst.LeftShiftAssign()),
    ast.RShift: (cst.RightShift(), cst.RightShiftAssign()),
    ast.BitOr: (cst.BitOr(), cst.BitOrAssign()),
    ast.BitXor: (cst.BitXor(), cst.BitXorAssign()),
    ast.BitAnd: (cst.BitAnd(), cst.BitAndAssign()),
    ast.FloorDiv: (cst.FloorDivide(), cst.FloorDivideAssign()),
}
"""Each operator, and how it assigns."""
OTHER_OPERATORS: Mapping[type[ast.AST], cst.CSTNode] = {
    ast.And: cst.And(),
    ast.Or: cst.Or(),
    ast.Invert: cst.BitInvert(),
    ast.Not: cst.Not(),
    ast.UAdd: cst.Plus(),
    ast.USub: cst.Minus(),
    ast.Eq: cst.Equal(),
    ast.NotEq: cst.NotEqual(),
    ast.Lt: cst.LessThan(),
    ast.LtE: cst.LessThanEqual(),
    ast.Gt: cst.GreaterThan(),
    ast.GtE: cst.GreaterThanEqual(),
    ast.Is: cst.Is(),
    ast.IsNot: cst.IsNot(),
    ast.In: cst.In(),
    ast.NotIn: cst.NotIn(),
}
DOT = cst.Dot()
STAR = cst.ParamStar()
IMPORT_STAR = cst.ImportStar()
