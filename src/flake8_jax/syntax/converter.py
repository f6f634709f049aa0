"""Turns ``ast`` nodes into libcst nodes, by a table with a row for each type."""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import libcst as cst

from flake8_jax.syntax import literals, make
from flake8_jax.syntax.precedence import (
    AWAIT,
    BIT_OR,
    CLOSED_PATTERN,
    DISJUNCTION,
    FACTOR,
    LOOSE,
    OPERATORS,
    OR_PATTERN,
    PRIMARY,
    TEST,
    binding,
)


class Converter:
    """Turns ``ast`` nodes into libcst nodes."""

    def one(self, node: Any, level: int = 0) -> Any:
        """The counterpart of a statement, an expression or a pattern.

        What binds less tightly than ``level`` gets parentheses. What libcst has no counterpart for
        raises an UnknownNodeError.
        """
        kind = type(node)
        made = _MAKERS[kind](self, node)
        if level and kind in LOOSE and binding(node) < level:
            make.group(made)
        return made

    def maybe(self, node: ast.AST | None) -> Any:
        return None if node is None else self.one(node)

    def all(self, nodes: Iterable[ast.AST]) -> tuple[Any, ...]:
        return tuple([self.one(node) for node in nodes])

    def body(self, nodes: Iterable[ast.stmt]) -> tuple[cst.CSTNode, ...]:
        """The statements of a block; simple ones are wrapped into lines."""
        one = self.one
        return tuple(
            [one(node) if type(node) in _COMPOUND else make.LINE((one(node),)) for node in nodes]
        )

    def block(self, nodes: Sequence[ast.stmt]) -> cst.IndentedBlock:
        return make.BLOCK(self.body(nodes))

    def annotation(self, node: ast.expr | None) -> cst.Annotation | None:
        return None if node is None else make.ANNOTATION(self.one(node))

    def orelse(self, nodes: Sequence[ast.stmt]) -> cst.Else | None:
        return make.ELSE(self.block(nodes)) if nodes else None

    def arguments(
        self, args: Iterable[ast.expr], keywords: Iterable[ast.keyword]
    ) -> tuple[cst.Arg, ...]:
        one = self.one
        found = [
            make.ARG(one(item.value), None, "*")
            if type(item) is ast.Starred
            else make.ARG(one(item), None, "")
            for item in args
        ]
        for item in keywords:
            name = None if item.arg is None else make.NAME(item.arg)
            found.append(make.ARG(one(item.value), name, "" if item.arg is not None else "**"))
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
            rest = make.STAR()
        others = self._param(node.kwarg, None, "**") if node.kwarg is not None else None
        return make.PARAMETERS(tuple(found[leading:]), rest, named, others, tuple(found[:leading]))

    def _param(self, node: ast.arg, default: ast.expr | None, star: str = "") -> cst.Param:
        return make.PARAM(
            make.NAME(node.arg), self.annotation(node.annotation), self.maybe(default), star
        )

    def elements(self, nodes: Iterable[ast.expr]) -> tuple[cst.BaseElement, ...]:
        one = self.one
        return tuple(
            [
                make.STARRED(one(node.value, BIT_OR))
                if type(node) is ast.Starred
                else make.ELEMENT(one(node))
                for node in nodes
            ]
        )

    def comprehension(self, nodes: Sequence[ast.comprehension]) -> cst.CompFor | None:
        inner: cst.CompFor | None = None
        for node in reversed(nodes):
            ifs = tuple(make.COMP_IF(self.one(test, DISJUNCTION)) for test in node.ifs)
            iterated = self.one(node.iter, DISJUNCTION)
            awaited = make.ASYNC() if node.is_async else None
            inner = make.COMP_FOR(self.one(node.target), iterated, ifs, inner, awaited)
        return inner

    def subscript(self, node: ast.expr) -> cst.BaseSlice:
        match node:
            case ast.Slice():
                return make.SLICE(
                    self.maybe(node.lower), self.maybe(node.upper), self.maybe(node.step)
                )
            case ast.Starred():
                return make.STARRED_INDEX(self.one(node.value, BIT_OR))
        return make.INDEX(self.one(node))

    def type_parameters(self, node: Any) -> cst.TypeParameters | None:
        params: list[Any] = getattr(node, "type_params", None) or []
        return make.TYPE_PARAMETERS(self.all(params)) if params else None


_NUMBERS: Mapping[type, Callable[..., cst.CSTNode]] = {
    int: make.maker(cst.Integer, "value"),
    float: make.maker(cst.Float, "value"),
    complex: make.maker(cst.Imaginary, "value"),
}


def _constant(_: Converter, node: ast.Constant) -> cst.CSTNode:
    value = node.value
    if isinstance(value, str | bytes):
        return make.STRING(repr(value) if node.kind is None else node.kind + repr(value))
    if value is None or value is True or value is False:
        return make.NAME(str(value))
    number = _NUMBERS.get(type(value))
    return make.MAKE_ELLIPSIS() if number is None else number(literals.number(value))


def _boolean(c: Converter, node: ast.BoolOp) -> cst.CSTNode:
    operator = make.OTHER_OPERATORS[type(node.op)]
    level = OPERATORS[type(node.op)] + 1
    found: cst.CSTNode = c.one(node.values[0], level)
    for value in node.values[1:]:
        found = make.BOOLEAN(found, operator(), c.one(value, level))
    return found


def _binary(c: Converter, node: ast.BinOp) -> cst.CSTNode:
    operator = type(node.op)
    made = make.BINARY_OPERATORS[operator][0]()
    level = OPERATORS[operator]
    left, right = (AWAIT, FACTOR) if operator is ast.Pow else (level, level + 1)
    return make.BINARY(c.one(node.left, left), made, c.one(node.right, right))


def _unary(c: Converter, node: ast.UnaryOp) -> cst.CSTNode:
    operator = type(node.op)
    return make.UNARY(make.OTHER_OPERATORS[operator](), c.one(node.operand, OPERATORS[operator]))


def _comparison(c: Converter, node: ast.Compare) -> cst.CSTNode:
    pairs = zip(node.ops, node.comparators, strict=True)
    compared = tuple(
        make.COMPARED(make.OTHER_OPERATORS[type(op)](), c.one(item, BIT_OR)) for op, item in pairs
    )
    return make.COMPARISON(c.one(node.left, BIT_OR), compared)


def _attribute(c: Converter, node: ast.Attribute) -> cst.CSTNode:
    value = c.one(node.value, PRIMARY)
    if type(value) is cst.Integer:
        make.group(value)
    return make.ATTRIBUTE(value, make.NAME(node.attr))


def _dict(c: Converter, node: ast.Dict) -> cst.CSTNode:
    pairs = zip(node.keys, node.values, strict=True)
    return make.DICT(
        tuple(
            make.STARRED_DICT_ELEMENT(c.one(value, BIT_OR))
            if key is None
            else make.DICT_ELEMENT(c.one(key), c.one(value))
            for key, value in pairs
        )
    )


def _subscript(c: Converter, node: ast.Subscript) -> cst.CSTNode:
    inner = node.slice
    value = c.one(node.value, PRIMARY)
    if type(inner) is not ast.Tuple or not inner.elts:
        return make.SUBSCRIPT(value, (make.SUBSCRIPT_ELEMENT(c.subscript(inner)),))
    made = make.SUBSCRIPT_ELEMENT if len(inner.elts) > 1 else make.LONE_SUBSCRIPT_ELEMENT
    return make.SUBSCRIPT(value, tuple([made(c.subscript(item)) for item in inner.elts]))


_SIMPLE_COMP = {
    ast.ListComp: make.maker(cst.ListComp, "elt", "for_in"),
    ast.SetComp: make.maker(cst.SetComp, "elt", "for_in"),
    ast.GeneratorExp: make.maker(cst.GeneratorExp, "elt", "for_in"),
}


def _comp(c: Converter, node: Any) -> cst.CSTNode:
    return _SIMPLE_COMP[type(node)](c.one(node.elt), c.comprehension(node.generators))


def _function(c: Converter, node: ast.FunctionDef | ast.AsyncFunctionDef) -> cst.CSTNode:
    return make.FUNCTION(
        make.NAME(node.name),
        c.parameters(node.args),
        c.block(node.body),
        tuple(make.DECORATOR(c.one(item)) for item in node.decorator_list),
        c.annotation(node.returns),
        c.type_parameters(node),
        make.ASYNC() if type(node) is ast.AsyncFunctionDef else None,
    )


def _class(c: Converter, node: ast.ClassDef) -> cst.CSTNode:
    return make.CLASS(
        make.NAME(node.name),
        c.block(node.body),
        c.arguments(node.bases, ()),
        c.arguments((), node.keywords),
        tuple(make.DECORATOR(c.one(item)) for item in node.decorator_list),
        c.type_parameters(node),
    )


def _delete(c: Converter, node: ast.Delete) -> cst.CSTNode:
    targets = node.targets
    return make.DEL(
        c.one(targets[0]) if len(targets) == 1 else make.BARE_TUPLE(c.elements(targets))
    )


def _assign(c: Converter, node: ast.Assign) -> cst.CSTNode:
    targets = tuple([make.ASSIGN_TARGET(c.one(target)) for target in node.targets])
    return make.ASSIGN(targets, c.one(node.value))


def _if(c: Converter, node: ast.If) -> cst.CSTNode:
    rest = node.orelse
    chained = len(rest) == 1 and type(rest[0]) is ast.If
    orelse = c.one(rest[0]) if chained else c.orelse(rest)
    return make.IF(c.one(node.test), c.block(node.body), orelse)


def _for(c: Converter, node: ast.For | ast.AsyncFor) -> cst.CSTNode:
    return make.FOR(
        c.one(node.target),
        c.one(node.iter),
        c.block(node.body),
        c.orelse(node.orelse),
        make.ASYNC() if type(node) is ast.AsyncFor else None,
    )


def _with(c: Converter, node: ast.With | ast.AsyncWith) -> cst.CSTNode:
    items = tuple(_with_item(c, item) for item in node.items)
    awaited = make.ASYNC() if type(node) is ast.AsyncWith else None
    return make.WITH(items, c.block(node.body), awaited)


def _with_item(c: Converter, node: ast.withitem) -> cst.CSTNode:
    value = c.one(node.context_expr)
    if type(value) is cst.Tuple:  # ``with (a, b):`` has two items
        make.group(value)
    name = None if node.optional_vars is None else make.AS_NAME(c.one(node.optional_vars))
    return make.WITH_ITEM(value, name)


_TRY_KINDS = {
    "Try": (
        make.maker(cst.Try, "body", "handlers", "orelse", "finalbody"),
        make.maker(cst.ExceptHandler, "body", "type", "name"),
    ),
    "TryStar": (
        make.maker(cst.TryStar, "body", "handlers", "orelse", "finalbody"),
        make.maker(cst.ExceptStarHandler, "body", "type", "name"),
    ),
}


def _try(c: Converter, node: ast.Try | ast.TryStar) -> cst.CSTNode:
    made, handle = _TRY_KINDS[type(node).__name__]
    handlers = tuple(
        handle(
            c.block(item.body),
            c.maybe(item.type),
            None if item.name is None else make.AS_NAME(make.NAME(item.name)),
        )
        for item in node.handlers
    )
    final = make.FINALLY(c.block(node.finalbody)) if node.finalbody else None
    return made(c.block(node.body), handlers, c.orelse(node.orelse), final)


def _dotted(name: str) -> cst.CSTNode:
    first, *rest = name.split(".")
    found: cst.CSTNode = make.NAME(first)
    for part in rest:
        found = make.ATTRIBUTE(found, make.NAME(part))
    return found


def _aliases(names: Iterable[ast.alias]) -> tuple[cst.CSTNode, ...]:
    return tuple(
        make.IMPORT_ALIAS(
            _dotted(item.name), None if not item.asname else make.AS_NAME(make.NAME(item.asname))
        )
        for item in names
    )


def _import_from(_: Converter, node: ast.ImportFrom) -> cst.CSTNode:
    star = [item.name for item in node.names] == ["*"]
    return make.IMPORT_FROM(
        None if node.module is None else _dotted(node.module),
        make.IMPORT_STAR() if star else _aliases(node.names),
        tuple([make.DOT() for _ in range(node.level)]),
    )


def _names(made: Callable[..., cst.CSTNode]) -> Callable[..., cst.CSTNode]:
    return lambda _, node: made(tuple(make.NAME_ITEM(make.NAME(name)) for name in node.names))


def _match(c: Converter, node: ast.Match) -> cst.CSTNode:
    cases = tuple(_case(c, case) for case in node.cases)
    return make.MATCH(c.one(node.subject, DISJUNCTION), cases)


def _case(c: Converter, node: ast.match_case) -> cst.CSTNode:
    made = make.CASE if node.guard is None else make.GUARDED_CASE
    return made(c.one(node.pattern), c.maybe(node.guard), c.block(node.body))


def _maybe_name(name: str | None) -> cst.Name | None:
    return None if name is None else make.NAME(name)


def _in_sequence(c: Converter, patterns: Iterable[ast.pattern]) -> tuple[cst.CSTNode, ...]:
    return tuple(
        c.one(item) if isinstance(item, ast.MatchStar) else make.SEQUENCE_ELEMENT(c.one(item))
        for item in patterns
    )


def _match_mapping(c: Converter, node: ast.MatchMapping) -> cst.CSTNode:
    pairs = zip(node.keys, node.patterns, strict=True)
    elements = tuple(make.MATCH_MAPPING_ELEMENT(c.one(key), c.one(item)) for key, item in pairs)
    return make.MATCH_MAPPING(elements, _maybe_name(node.rest))


def _match_class(c: Converter, node: ast.MatchClass) -> cst.CSTNode:
    pairs = zip(node.kwd_attrs, node.kwd_patterns, strict=True)
    named = tuple(make.MATCH_KEYWORD(make.NAME(key), c.one(item)) for key, item in pairs)
    return make.MATCH_CLASS(c.one(node.cls), _in_sequence(c, node.patterns), named)


def _annotated(c: Converter, node: ast.AnnAssign) -> cst.CSTNode:
    target = c.one(node.target)
    if not node.simple and type(target) is cst.Name:
        make.group(target)
    return make.ANN_ASSIGN(target, make.ANNOTATION(c.one(node.annotation)), c.maybe(node.value))


def _formatted(c: Converter, node: ast.JoinedStr) -> cst.CSTNode:
    made = [c.one(item.value, PRIMARY) for item in literals.interpolations(node)]
    return literals.formatted(node, made)


def _template(c: Converter, node: Any) -> cst.CSTNode:
    """Template strings keep what stands in them, as tuples do, and make no text of it."""
    return make.TUPLE(c.elements([item.value for item in literals.interpolations(node)]))


def _type_parameter(c: Converter, made: Any, node: Any) -> cst.CSTNode:
    default = getattr(node, "default_value", None)  # since Python 3.13
    if default is None:
        return make.TYPE_PARAM(made)
    starred = type(default) is ast.Starred
    return cst.TypeParam(
        made, default=c.one(default.value if starred else default), star="*" if starred else ""
    )


_MAKERS: dict[type[ast.AST], Callable[[Converter, Any], cst.CSTNode]] = make.Table()
_MAKERS |= {
    ast.Name: lambda _, n: make.NAME(n.id),
    ast.Attribute: _attribute,
    ast.Call: lambda c, n: make.CALL(c.one(n.func, PRIMARY), c.arguments(n.args, n.keywords)),
    ast.Constant: _constant,
    ast.Subscript: _subscript,
    ast.BinOp: _binary,
    ast.BoolOp: _boolean,
    ast.UnaryOp: _unary,
    ast.Compare: _comparison,
    ast.IfExp: lambda c, n: make.IF_EXP(
        c.one(n.test, DISJUNCTION), c.one(n.body, DISJUNCTION), c.one(n.orelse, TEST)
    ),
    ast.Lambda: lambda c, n: make.LAMBDA(c.parameters(n.args), c.one(n.body)),
    ast.NamedExpr: lambda c, n: make.NAMED_EXPR(c.one(n.target), c.one(n.value)),
    ast.Tuple: lambda c, n: make.TUPLE(c.elements(n.elts)),
    ast.List: lambda c, n: make.LIST(c.elements(n.elts)),
    ast.Set: lambda c, n: make.SET(c.elements(n.elts)),
    ast.Dict: _dict,
    ast.ListComp: _comp,
    ast.SetComp: _comp,
    ast.GeneratorExp: _comp,
    ast.DictComp: lambda c, n: make.DICT_COMP(
        c.one(n.key), c.one(n.value), c.comprehension(n.generators)
    ),
    ast.Await: lambda c, n: make.AWAIT(c.one(n.value, PRIMARY)),
    ast.Yield: lambda c, n: make.YIELD(c.maybe(n.value)),
    ast.YieldFrom: lambda c, n: make.YIELD(make.FROM(c.one(n.value))),
    ast.JoinedStr: _formatted,
    ast.Starred: lambda c, n: make.STARRED(c.one(n.value, BIT_OR)),
    ast.Assign: _assign,
    ast.AugAssign: lambda c, n: make.AUG_ASSIGN(
        c.one(n.target), make.BINARY_OPERATORS[type(n.op)][1](), c.one(n.value)
    ),
    ast.AnnAssign: _annotated,
    ast.Expr: lambda c, n: make.EXPR(c.one(n.value)),
    ast.Return: lambda c, n: make.RETURN(c.maybe(n.value)),
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: lambda c, n: make.WHILE(c.one(n.test), c.block(n.body), c.orelse(n.orelse)),
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Raise: lambda c, n: make.RAISE(
        c.maybe(n.exc), None if n.cause is None else make.FROM(c.one(n.cause))
    ),
    ast.Assert: lambda c, n: make.ASSERT(c.one(n.test), c.maybe(n.msg)),
    ast.Delete: _delete,
    ast.Import: lambda _, n: make.IMPORT(_aliases(n.names)),
    ast.ImportFrom: _import_from,
    ast.Global: _names(make.maker(cst.Global, "names")),
    ast.Nonlocal: _names(make.maker(cst.Nonlocal, "names")),
    ast.Pass: lambda *_: make.PASS(),
    ast.Break: lambda *_: make.BREAK(),
    ast.Continue: lambda *_: make.CONTINUE(),
    ast.Match: _match,
    ast.MatchValue: lambda c, n: make.MATCH_VALUE(c.one(n.value)),
    ast.MatchSingleton: lambda _, n: make.MATCH_SINGLETON(make.NAME(str(n.value))),
    ast.MatchSequence: lambda c, n: make.MATCH_LIST(_in_sequence(c, n.patterns)),
    ast.MatchStar: lambda _, n: make.MATCH_STAR(_maybe_name(n.name)),
    ast.MatchMapping: _match_mapping,
    ast.MatchClass: _match_class,
    ast.MatchAs: lambda c, n: make.MATCH_AS(
        None if n.pattern is None else c.one(n.pattern, OR_PATTERN), _maybe_name(n.name)
    ),
    ast.MatchOr: lambda c, n: make.MATCH_OR(
        tuple(make.MATCH_OR_ELEMENT(c.one(item, CLOSED_PATTERN)) for item in n.patterns)
    ),
}


_COMPOUND = frozenset(
    {ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.If, ast.For, ast.AsyncFor}
    | {ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match}
)


_NEWER: Mapping[str, Callable[[Converter, Any], cst.CSTNode]] = {
    "TypeAlias": lambda c, n: make.TYPE_ALIAS(c.one(n.name), c.one(n.value), c.type_parameters(n)),
    "TypeVar": lambda c, n: _type_parameter(
        c, make.TYPE_VAR(make.NAME(n.name), c.maybe(n.bound)), n
    ),
    "TypeVarTuple": lambda c, n: _type_parameter(c, make.TYPE_VAR_TUPLE(make.NAME(n.name)), n),
    "ParamSpec": lambda c, n: _type_parameter(c, make.PARAM_SPEC(make.NAME(n.name)), n),
    "TemplateStr": _template,
}
"""What there is only since Python 3.12, or 3.14."""
_MAKERS.update({getattr(ast, name): make for name, make in _NEWER.items() if hasattr(ast, name)})
