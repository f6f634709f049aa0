"""libcst trees, made of the ``ast`` trees that there are already.

libcst's own parser takes about ten times as long as Python's, mostly for blanks and commas, which
mean nothing here. So what is analysed are libcst's nodes without their layout: only the fields that
carry meaning are set. Parentheses, the joints of adjacent strings and the difference between
``elif`` and ``else: if`` are not there any more.
"""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, cast

import libcst as cst

from flake8_jax.outline import Block, first_line
from flake8_jax.syntax import children

Node = TypeVar("Node", bound=cst.CSTNode)


def _maker(kind: type[Node], *names: str) -> Callable[..., Node]:
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


_ARG = _maker(cst.Arg, "value", "keyword", "star")
_AS_NAME = _maker(cst.AsName, "name")
_ANNOTATION = _maker(cst.Annotation, "annotation")
_ATTRIBUTE = _maker(cst.Attribute, "value", "attr")
_BINARY = _maker(cst.BinaryOperation, "left", "operator", "right")
_BLOCK = _maker(cst.IndentedBlock, "body")
_BOOLEAN = _maker(cst.BooleanOperation, "left", "operator", "right")
_CALL = _maker(cst.Call, "func", "args")
_COMP_FOR = _maker(cst.CompFor, "target", "iter", "ifs", "inner_for_in")
_COMP_IF = _maker(cst.CompIf, "test")
_COMPARED = _maker(cst.ComparisonTarget, "operator", "comparator")
_DECORATOR = _maker(cst.Decorator, "decorator")
_ELEMENT = _maker(cst.Element, "value")
_ELSE = _maker(cst.Else, "body")
_FROM = _maker(cst.From, "item")
_FSTRING = _maker(cst.FormattedString, "parts")
_INDEX = _maker(cst.Index, "value")
_LINE = _maker(cst.SimpleStatementLine, "body")
_NAME = _maker(cst.Name, "value")
_PARAM = _maker(cst.Param, "name", "annotation", "default", "star")
_SEQUENCE_ELEMENT = _maker(cst.MatchSequenceElement, "value")
_STARRED = _maker(cst.StarredElement, "value")
_STRING = _maker(cst.SimpleString, "value")
_SUBSCRIPT_ELEMENT = _maker(cst.SubscriptElement, "slice")
_PARAMETERS = _maker(
    cst.Parameters, "params", "star_arg", "kwonly_params", "star_kwarg", "posonly_params"
)

_BINARY_OPERATORS: Mapping[type[ast.operator], tuple[cst.CSTNode, cst.CSTNode]] = {
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
_OTHER_OPERATORS: Mapping[type[ast.AST], cst.CSTNode] = {
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
_DOT = cst.Dot()
_STAR = cst.ParamStar()
_IMPORT_STAR = cst.ImportStar()


class Converter:
    """Turns ``ast`` nodes into libcst nodes."""

    def one(self, node: Any) -> Any:
        """The counterpart of a statement, an expression or a pattern.

        What libcst has no counterpart for raises a KeyError.
        """
        return _MAKERS[type(node)](self, node)

    def maybe(self, node: ast.AST | None) -> Any:
        return None if node is None else self.one(node)

    def all(self, nodes: Iterable[ast.AST]) -> tuple[Any, ...]:
        return tuple([self.one(node) for node in nodes])

    def body(self, nodes: Iterable[ast.stmt]) -> tuple[cst.CSTNode, ...]:
        """The statements of a block; simple ones are wrapped into lines."""
        one = self.one
        return tuple(
            [one(node) if type(node) in _COMPOUND else _LINE((one(node),)) for node in nodes]
        )

    def block(self, nodes: Sequence[ast.stmt]) -> cst.IndentedBlock:
        return _BLOCK(self.body(nodes))

    def annotation(self, node: ast.expr | None) -> cst.Annotation | None:
        return None if node is None else _ANNOTATION(self.one(node))

    def orelse(self, nodes: Sequence[ast.stmt]) -> cst.Else | None:
        return _ELSE(self.block(nodes)) if nodes else None

    def arguments(
        self, args: Iterable[ast.expr], keywords: Iterable[ast.keyword]
    ) -> tuple[cst.Arg, ...]:
        one = self.one
        found = [
            _ARG(one(item.value), None, "*")
            if type(item) is ast.Starred
            else _ARG(one(item), None, "")
            for item in args
        ]
        for item in keywords:
            name = None if item.arg is None else _NAME(item.arg)
            found.append(_ARG(one(item.value), name, "" if item.arg is not None else "**"))
        return tuple(found)

    def parameters(self, node: ast.arguments) -> cst.Parameters:
        leading = len(node.posonlyargs)
        every = [*node.posonlyargs, *node.args]
        defaults = [None] * (len(every) - len(node.defaults)) + list(node.defaults)
        found = [self._param(p, d) for p, d in zip(every, defaults, strict=True)]
        named = tuple(
            self._param(p, d) for p, d in zip(node.kwonlyargs, node.kw_defaults, strict=True)
        )
        rest: object = cst.MaybeSentinel.DEFAULT
        if node.vararg is not None:
            rest = self._param(node.vararg, None, "*")
        elif named:
            rest = _STAR
        others = self._param(node.kwarg, None, "**") if node.kwarg is not None else None
        return _PARAMETERS(tuple(found[leading:]), rest, named, others, tuple(found[:leading]))

    def _param(self, node: ast.arg, default: ast.expr | None, star: str = "") -> cst.Param:
        return _PARAM(_NAME(node.arg), self.annotation(node.annotation), self.maybe(default), star)

    def elements(self, nodes: Iterable[ast.expr]) -> tuple[cst.BaseElement, ...]:
        one = self.one
        return tuple(
            [
                _STARRED(one(node.value)) if type(node) is ast.Starred else _ELEMENT(one(node))
                for node in nodes
            ]
        )

    def comprehension(self, nodes: Sequence[ast.comprehension]) -> cst.CompFor | None:
        inner: cst.CompFor | None = None
        for node in reversed(nodes):
            ifs = tuple(_COMP_IF(self.one(test)) for test in node.ifs)
            inner = _COMP_FOR(self.one(node.target), self.one(node.iter), ifs, inner)
        return inner

    def subscript(self, node: ast.expr) -> cst.SubscriptElement:
        match node:
            case ast.Slice():
                bounds = (self.maybe(node.lower), self.maybe(node.upper), self.maybe(node.step))
                return _SUBSCRIPT_ELEMENT(_SLICE(*bounds))
            case ast.Starred():
                return _SUBSCRIPT_ELEMENT(_INDEX(self.one(node.value)))
        return _SUBSCRIPT_ELEMENT(_INDEX(self.one(node)))

    def type_parameters(self, node: Any) -> cst.TypeParameters | None:
        params: list[Any] = getattr(node, "type_params", None) or []
        return _TYPE_PARAMETERS(self.all(params)) if params else None

    def formatted(self, nodes: Iterable[ast.expr]) -> tuple[cst.CSTNode, ...]:
        """The parts of a formatted string, without its text."""
        return tuple(
            _FORMATTED(
                self.one(node.value),
                None if node.format_spec is None else self.one(node.format_spec).parts,
            )
            for node in nodes
            if isinstance(node, ast.FormattedValue)
        )


_SLICE = _maker(cst.Slice, "lower", "upper", "step")
_FORMATTED = _maker(cst.FormattedStringExpression, "expression", "format_spec")
_TYPE_PARAMETERS = _maker(cst.TypeParameters, "params")
_TYPE_PARAM = _maker(cst.TypeParam, "param")
_NAME_ITEM = _maker(cst.NameItem, "name")
_IMPORT_ALIAS = _maker(cst.ImportAlias, "name", "asname")
_WITH_ITEM = _maker(cst.WithItem, "item", "asname")
_DICT_ELEMENT = _maker(cst.DictElement, "key", "value")
_STARRED_DICT_ELEMENT = _maker(cst.StarredDictElement, "value")
_NUMBERS: Mapping[type, Callable[..., cst.CSTNode]] = {
    int: _maker(cst.Integer, "value"),
    float: _maker(cst.Float, "value"),
    complex: _maker(cst.Imaginary, "value"),
}
_MAKE_ELLIPSIS = _maker(cst.Ellipsis, "lpar")
_TUPLE = _maker(cst.Tuple, "elements")


def _constant(_: Converter, node: ast.Constant) -> cst.CSTNode:
    value = node.value
    if isinstance(value, str | bytes):
        return _STRING(repr(value))
    if value is None or value is True or value is False:
        return _NAME(str(value))
    make = _NUMBERS.get(type(value))
    return make(repr(value)) if make is not None else _MAKE_ELLIPSIS(())


def _boolean(c: Converter, node: ast.BoolOp) -> cst.CSTNode:
    operator = _OTHER_OPERATORS[type(node.op)]
    found = c.one(node.values[0])
    for value in node.values[1:]:
        found = _BOOLEAN(found, operator, c.one(value))
    return found  # type: ignore[no-any-return]


def _comparison(c: Converter, node: ast.Compare) -> cst.CSTNode:
    pairs = zip(node.ops, node.comparators, strict=True)
    compared = tuple(_COMPARED(_OTHER_OPERATORS[type(op)], c.one(item)) for op, item in pairs)
    return _COMPARISON(c.one(node.left), compared)


_COMPARISON = _maker(cst.Comparison, "left", "comparisons")


def _dict(c: Converter, node: ast.Dict) -> cst.CSTNode:
    pairs = zip(node.keys, node.values, strict=True)
    return _DICT(
        tuple(
            _STARRED_DICT_ELEMENT(c.one(value))
            if key is None
            else _DICT_ELEMENT(c.one(key), c.one(value))
            for key, value in pairs
        )
    )


_DICT = _maker(cst.Dict, "elements")


def _subscript(c: Converter, node: ast.Subscript) -> cst.CSTNode:
    inner = node.slice
    every = inner.elts if type(inner) is ast.Tuple and inner.elts else [inner]
    return _SUBSCRIPT(c.one(node.value), tuple([c.subscript(item) for item in every]))


_SUBSCRIPT = _maker(cst.Subscript, "value", "slice")
_YIELD = _maker(cst.Yield, "value")
_SIMPLE_COMP = {
    ast.ListComp: _maker(cst.ListComp, "elt", "for_in"),
    ast.SetComp: _maker(cst.SetComp, "elt", "for_in"),
    ast.GeneratorExp: _maker(cst.GeneratorExp, "elt", "for_in"),
}
_DICT_COMP = _maker(cst.DictComp, "key", "value", "for_in")


def _comp(c: Converter, node: Any) -> cst.CSTNode:
    return _SIMPLE_COMP[type(node)](c.one(node.elt), c.comprehension(node.generators))


def _function(c: Converter, node: ast.FunctionDef | ast.AsyncFunctionDef) -> cst.CSTNode:
    return _FUNCTION(
        _NAME(node.name),
        c.parameters(node.args),
        c.block(node.body),
        tuple(_DECORATOR(c.one(item)) for item in node.decorator_list),
        c.annotation(node.returns),
        c.type_parameters(node),
    )


_FUNCTION = _maker(
    cst.FunctionDef, "name", "params", "body", "decorators", "returns", "type_parameters"
)


def _class(c: Converter, node: ast.ClassDef) -> cst.CSTNode:
    return _CLASS(
        _NAME(node.name),
        c.block(node.body),
        c.arguments(node.bases, ()),
        c.arguments((), node.keywords),
        tuple(_DECORATOR(c.one(item)) for item in node.decorator_list),
        c.type_parameters(node),
    )


_CLASS = _maker(cst.ClassDef, "name", "body", "bases", "keywords", "decorators", "type_parameters")


def _delete(c: Converter, node: ast.Delete) -> cst.CSTNode:
    targets = node.targets
    return _DEL(c.one(targets[0]) if len(targets) == 1 else _TUPLE(c.elements(targets)))


_DEL = _maker(cst.Del, "target")
_ASSIGN_TARGET = _maker(cst.AssignTarget, "target")
_ASSIGN = _maker(cst.Assign, "targets", "value")
_IF = _maker(cst.If, "test", "body", "orelse")


def _assign(c: Converter, node: ast.Assign) -> cst.CSTNode:
    targets = tuple([_ASSIGN_TARGET(c.one(target)) for target in node.targets])
    return _ASSIGN(targets, c.one(node.value))


def _if(c: Converter, node: ast.If) -> cst.CSTNode:
    rest = node.orelse
    chained = len(rest) == 1 and type(rest[0]) is ast.If
    orelse = c.one(rest[0]) if chained else c.orelse(rest)
    return _IF(c.one(node.test), c.block(node.body), orelse)


def _for(c: Converter, node: ast.For | ast.AsyncFor) -> cst.CSTNode:
    return _FOR(c.one(node.target), c.one(node.iter), c.block(node.body), c.orelse(node.orelse))


_FOR = _maker(cst.For, "target", "iter", "body", "orelse")
_WITH = _maker(cst.With, "items", "body")


def _with(c: Converter, node: ast.With | ast.AsyncWith) -> cst.CSTNode:
    items = tuple(
        _WITH_ITEM(
            c.one(item.context_expr),
            None if item.optional_vars is None else _AS_NAME(c.one(item.optional_vars)),
        )
        for item in node.items
    )
    return _WITH(items, c.block(node.body))


_TRY_KINDS = {
    "Try": (
        _maker(cst.Try, "body", "handlers", "orelse", "finalbody"),
        _maker(cst.ExceptHandler, "body", "type", "name"),
    ),
    "TryStar": (
        _maker(cst.TryStar, "body", "handlers", "orelse", "finalbody"),
        _maker(cst.ExceptStarHandler, "body", "type", "name"),
    ),
}
_FINALLY = _maker(cst.Finally, "body")


def _try(c: Converter, node: ast.Try | ast.TryStar) -> cst.CSTNode:
    make, handle = _TRY_KINDS[type(node).__name__]
    handlers = tuple(
        handle(
            c.block(item.body),
            c.maybe(item.type),
            None if item.name is None else _AS_NAME(_NAME(item.name)),
        )
        for item in node.handlers
    )
    final = _FINALLY(c.block(node.finalbody)) if node.finalbody else None
    return make(c.block(node.body), handlers, c.orelse(node.orelse), final)


def _dotted(name: str) -> cst.CSTNode:
    first, *rest = name.split(".")
    found: cst.CSTNode = _NAME(first)
    for part in rest:
        found = _ATTRIBUTE(found, _NAME(part))
    return found


def _aliases(names: Iterable[ast.alias]) -> tuple[cst.CSTNode, ...]:
    return tuple(
        _IMPORT_ALIAS(_dotted(item.name), None if not item.asname else _AS_NAME(_NAME(item.asname)))
        for item in names
    )


_IMPORT = _maker(cst.Import, "names")
_IMPORT_FROM = _maker(cst.ImportFrom, "module", "names", "relative")


def _import_from(_: Converter, node: ast.ImportFrom) -> cst.CSTNode:
    star = [item.name for item in node.names] == ["*"]
    return _IMPORT_FROM(
        None if node.module is None else _dotted(node.module),
        _IMPORT_STAR if star else _aliases(node.names),
        (_DOT,) * node.level,
    )


def _names(make: Callable[..., cst.CSTNode]) -> Callable[..., cst.CSTNode]:
    return lambda _, node: make(tuple(_NAME_ITEM(_NAME(name)) for name in node.names))


_CASE = _maker(cst.MatchCase, "pattern", "guard", "body")
_MATCH = _maker(cst.Match, "subject", "cases")
_MATCH_STAR = _maker(cst.MatchStar, "name")
_MATCH_LIST = _maker(cst.MatchList, "patterns")
_MATCH_AS = _maker(cst.MatchAs, "pattern", "name")
_MATCH_MAPPING = _maker(cst.MatchMapping, "elements", "rest")
_MATCH_MAPPING_ELEMENT = _maker(cst.MatchMappingElement, "key", "pattern")
_MATCH_CLASS = _maker(cst.MatchClass, "cls", "patterns", "kwds")
_MATCH_KEYWORD = _maker(cst.MatchKeywordElement, "key", "pattern")
_MATCH_OR = _maker(cst.MatchOr, "patterns")
_MATCH_OR_ELEMENT = _maker(cst.MatchOrElement, "pattern")
_MATCH_VALUE = _maker(cst.MatchValue, "value")
_MATCH_SINGLETON = _maker(cst.MatchSingleton, "value")


def _match(c: Converter, node: ast.Match) -> cst.CSTNode:
    cases = tuple(
        _CASE(c.one(case.pattern), c.maybe(case.guard), c.block(case.body)) for case in node.cases
    )
    return _MATCH(c.one(node.subject), cases)


def _maybe_name(name: str | None) -> cst.Name | None:
    return None if name is None else _NAME(name)


def _in_sequence(c: Converter, patterns: Iterable[ast.pattern]) -> tuple[cst.CSTNode, ...]:
    return tuple(
        c.one(item) if isinstance(item, ast.MatchStar) else _SEQUENCE_ELEMENT(c.one(item))
        for item in patterns
    )


def _match_mapping(c: Converter, node: ast.MatchMapping) -> cst.CSTNode:
    pairs = zip(node.keys, node.patterns, strict=True)
    elements = tuple(_MATCH_MAPPING_ELEMENT(c.one(key), c.one(item)) for key, item in pairs)
    return _MATCH_MAPPING(elements, _maybe_name(node.rest))


def _match_class(c: Converter, node: ast.MatchClass) -> cst.CSTNode:
    pairs = zip(node.kwd_attrs, node.kwd_patterns, strict=True)
    named = tuple(_MATCH_KEYWORD(_NAME(key), c.one(item)) for key, item in pairs)
    return _MATCH_CLASS(c.one(node.cls), _in_sequence(c, node.patterns), named)


_AUG_ASSIGN = _maker(cst.AugAssign, "target", "operator", "value")
_ANN_ASSIGN = _maker(cst.AnnAssign, "target", "annotation", "value")
_RETURN = _maker(cst.Return, "value")
_EXPR = _maker(cst.Expr, "value")
_RAISE = _maker(cst.Raise, "exc", "cause")
_ASSERT = _maker(cst.Assert, "test", "msg")
_WHILE = _maker(cst.While, "test", "body", "orelse")
_LAMBDA = _maker(cst.Lambda, "params", "body")
_IF_EXP = _maker(cst.IfExp, "test", "body", "orelse")
_UNARY = _maker(cst.UnaryOperation, "operator", "expression")
_NAMED_EXPR = _maker(cst.NamedExpr, "target", "value")
_AWAIT = _maker(cst.Await, "expression")
_LIST = _maker(cst.List, "elements")
_SET = _maker(cst.Set, "elements")
_PASS = _maker(cst.Pass, "semicolon")
_BREAK = _maker(cst.Break, "semicolon")
_CONTINUE = _maker(cst.Continue, "semicolon")
_TYPE_ALIAS = _maker(cst.TypeAlias, "name", "value", "type_parameters")
_TYPE_VAR = _maker(cst.TypeVar, "name", "bound")
_TYPE_VAR_TUPLE = _maker(cst.TypeVarTuple, "name")
_PARAM_SPEC = _maker(cst.ParamSpec, "name")
_NOTHING = cst.MaybeSentinel.DEFAULT

_MAKERS: dict[type[ast.AST], Callable[[Converter, Any], cst.CSTNode]] = {
    ast.Name: lambda _, n: _NAME(n.id),
    ast.Attribute: lambda c, n: _ATTRIBUTE(c.one(n.value), _NAME(n.attr)),
    ast.Call: lambda c, n: _CALL(c.one(n.func), c.arguments(n.args, n.keywords)),
    ast.Constant: _constant,
    ast.Subscript: _subscript,
    ast.BinOp: lambda c, n: _BINARY(
        c.one(n.left), _BINARY_OPERATORS[type(n.op)][0], c.one(n.right)
    ),
    ast.BoolOp: _boolean,
    ast.UnaryOp: lambda c, n: _UNARY(_OTHER_OPERATORS[type(n.op)], c.one(n.operand)),
    ast.Compare: _comparison,
    ast.IfExp: lambda c, n: _IF_EXP(c.one(n.test), c.one(n.body), c.one(n.orelse)),
    ast.Lambda: lambda c, n: _LAMBDA(c.parameters(n.args), c.one(n.body)),
    ast.NamedExpr: lambda c, n: _NAMED_EXPR(c.one(n.target), c.one(n.value)),
    ast.Tuple: lambda c, n: _TUPLE(c.elements(n.elts)),
    ast.List: lambda c, n: _LIST(c.elements(n.elts)),
    ast.Set: lambda c, n: _SET(c.elements(n.elts)),
    ast.Dict: _dict,
    ast.ListComp: _comp,
    ast.SetComp: _comp,
    ast.GeneratorExp: _comp,
    ast.DictComp: lambda c, n: _DICT_COMP(
        c.one(n.key), c.one(n.value), c.comprehension(n.generators)
    ),
    ast.Await: lambda c, n: _AWAIT(c.one(n.value)),
    ast.Yield: lambda c, n: _YIELD(c.maybe(n.value)),
    ast.YieldFrom: lambda c, n: _YIELD(_FROM(c.one(n.value))),
    ast.JoinedStr: lambda c, n: _FSTRING(c.formatted(n.values)),
    ast.Assign: _assign,
    ast.AugAssign: lambda c, n: _AUG_ASSIGN(
        c.one(n.target), _BINARY_OPERATORS[type(n.op)][1], c.one(n.value)
    ),
    ast.AnnAssign: lambda c, n: _ANN_ASSIGN(
        c.one(n.target), _ANNOTATION(c.one(n.annotation)), c.maybe(n.value)
    ),
    ast.Expr: lambda c, n: _EXPR(c.one(n.value)),
    ast.Return: lambda c, n: _RETURN(c.maybe(n.value)),
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: lambda c, n: _WHILE(c.one(n.test), c.block(n.body), c.orelse(n.orelse)),
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Raise: lambda c, n: _RAISE(
        c.maybe(n.exc), None if n.cause is None else _FROM(c.one(n.cause))
    ),
    ast.Assert: lambda c, n: _ASSERT(c.one(n.test), c.maybe(n.msg)),
    ast.Delete: _delete,
    ast.Import: lambda _, n: _IMPORT(_aliases(n.names)),
    ast.ImportFrom: _import_from,
    ast.Global: _names(_maker(cst.Global, "names")),
    ast.Nonlocal: _names(_maker(cst.Nonlocal, "names")),
    ast.Pass: lambda *_: _PASS(_NOTHING),
    ast.Break: lambda *_: _BREAK(_NOTHING),
    ast.Continue: lambda *_: _CONTINUE(_NOTHING),
    ast.Match: _match,
    ast.MatchValue: lambda c, n: _MATCH_VALUE(c.one(n.value)),
    ast.MatchSingleton: lambda _, n: _MATCH_SINGLETON(_NAME(str(n.value))),
    ast.MatchSequence: lambda c, n: _MATCH_LIST(_in_sequence(c, n.patterns)),
    ast.MatchStar: lambda _, n: _MATCH_STAR(_maybe_name(n.name)),
    ast.MatchMapping: _match_mapping,
    ast.MatchClass: _match_class,
    ast.MatchAs: lambda c, n: _MATCH_AS(c.maybe(n.pattern), _maybe_name(n.name)),
    ast.MatchOr: lambda c, n: _MATCH_OR(
        tuple(_MATCH_OR_ELEMENT(c.one(item)) for item in n.patterns)
    ),
}
_COMPOUND = frozenset(
    {ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.If, ast.For, ast.AsyncFor}
    | {ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match}
)
_NEWER: Mapping[str, Callable[[Converter, Any], cst.CSTNode]] = {
    "TypeAlias": lambda c, n: _TYPE_ALIAS(c.one(n.name), c.one(n.value), c.type_parameters(n)),
    "TypeVar": lambda c, n: _TYPE_PARAM(_TYPE_VAR(_NAME(n.name), c.maybe(n.bound))),
    "TypeVarTuple": lambda _, n: _TYPE_PARAM(_TYPE_VAR_TUPLE(_NAME(n.name))),
    "ParamSpec": lambda _, n: _TYPE_PARAM(_PARAM_SPEC(_NAME(n.name))),
}
"""What there is only since Python 3.12."""
_MAKERS.update({getattr(ast, name): make for name, make in _NEWER.items() if hasattr(ast, name)})


def expression(text: str) -> cst.BaseExpression | None:
    """The libcst tree of an expression; None where the text is none."""
    try:
        return cast("cst.BaseExpression", Converter().one(ast.parse(text, mode="eval").body))
    except (SyntaxError, ValueError, KeyError, RecursionError, MemoryError):
        return None


def converted(block: Block) -> "Converted | None":
    """The libcst tree of a block; None where it has something that libcst does not know."""
    try:
        return Converted(block, _MODULE(Converter().body(block.nodes)))
    except (KeyError, RecursionError):
        return None


@dataclass(frozen=True, eq=False)
class Converted:
    """A tree without layout; where its nodes stand is found out from what they were made of."""

    block: Block
    module: cst.Module

    @cached_property
    def _origins(self) -> tuple[int, Mapping[int, ast.AST]]:
        """The line on which the block starts, and what each node, by identity, was made of."""
        nodes = self.block.nodes
        recorder = _Recorder()
        found: dict[int, ast.AST] = {}
        stack: list[tuple[cst.CSTNode, cst.CSTNode]] = [
            (self.module, _MODULE(recorder.body(nodes)))
        ]
        while stack:
            here, twin = stack.pop()
            if id(twin) in recorder.made:
                found[id(here)] = recorder.made[id(twin)]
            stack += zip(children(here), children(twin), strict=True)
        return min(first_line(item) for item in nodes), found

    @cached_property
    def _lines(self) -> list[str]:
        return self.block.text.split("\n")

    def _before(self, line: int, column: int) -> str:
        """A line up to a column that is counted in bytes."""
        return self._lines[line].encode()[:column].decode()

    def _span(self, node: cst.CSTNode) -> tuple[int, int, int, int]:
        """The first line and column, and the last."""
        above, found = self._origins
        origin = found[id(node)]
        assert isinstance(origin, ast.expr | ast.stmt)
        last = origin.end_lineno or origin.lineno
        return origin.lineno - above, origin.col_offset, last - above, origin.end_col_offset or 0

    def start(self, node: cst.CSTNode) -> tuple[int, int]:
        """The line of a node, from 0, and its column, in characters; of a decorator, its ``@``."""
        if not isinstance(node, cst.Decorator):
            line, column, _, _ = self._span(node)
            return line, len(self._before(line, column))
        line, column, _, _ = self._span(node.decorator)
        before = self._before(line, column)
        while "@" not in before:
            line -= 1
            before = self._lines[line]
        return line, before.rindex("@")

    def quote(self, node: cst.CSTNode) -> str:
        """A node in the words of the source."""
        line, column, last, end = self._span(node)
        text = "\n".join([*self._lines[line:last], self._before(last, end)])
        return text[len(self._before(line, column)) :]


class _Recorder(Converter):
    """A converter that remembers; it is needed only where there is something to report."""

    def __init__(self) -> None:
        self.made: dict[int, ast.AST] = {}

    def one(self, node: Any) -> Any:
        found = super().one(node)
        self.made[id(found)] = node
        return found


_MODULE = _maker(cst.Module, "body")
