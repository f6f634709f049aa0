"""Turns ``ast`` nodes into libcst nodes, by a table with a row for each type."""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import libcst as cst

from flake8_jax.conversion import make


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
            name = None if item.arg is None else make.WORD(item.arg)
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
            rest = make.STAR
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
                make.STARRED(one(node.value))
                if type(node) is ast.Starred
                else make.ELEMENT(one(node))
                for node in nodes
            ]
        )

    def comprehension(self, nodes: Sequence[ast.comprehension]) -> cst.CompFor | None:
        inner: cst.CompFor | None = None
        for node in reversed(nodes):
            ifs = tuple(make.COMP_IF(self.one(test)) for test in node.ifs)
            inner = make.COMP_FOR(self.one(node.target), self.one(node.iter), ifs, inner)
        return inner

    def subscript(self, node: ast.expr) -> cst.SubscriptElement:
        match node:
            case ast.Slice():
                bounds = (self.maybe(node.lower), self.maybe(node.upper), self.maybe(node.step))
                return make.SUBSCRIPT_ELEMENT(make.SLICE(*bounds))
            case ast.Starred():
                return make.SUBSCRIPT_ELEMENT(make.INDEX(self.one(node.value)))
        return make.SUBSCRIPT_ELEMENT(make.INDEX(self.one(node)))

    def type_parameters(self, node: Any) -> cst.TypeParameters | None:
        params: list[Any] = getattr(node, "type_params", None) or []
        return make.TYPE_PARAMETERS(self.all(params)) if params else None

    def formatted(self, nodes: Iterable[ast.expr]) -> tuple[cst.CSTNode, ...]:
        """The parts of a formatted string, without its text."""
        return tuple(
            make.FORMATTED(
                self.one(node.value),
                None if node.format_spec is None else self.one(node.format_spec).parts,
            )
            for node in nodes
            if isinstance(node, ast.FormattedValue)
        )


_NUMBERS: Mapping[type, Callable[..., cst.CSTNode]] = {
    int: make.maker(cst.Integer, "value"),
    float: make.maker(cst.Float, "value"),
    complex: make.maker(cst.Imaginary, "value"),
}


def _constant(_: Converter, node: ast.Constant) -> cst.CSTNode:
    value = node.value
    if isinstance(value, str | bytes):
        return make.STRING(repr(value))
    if value is None or value is True or value is False:
        return make.NAME(str(value))
    number = _NUMBERS.get(type(value))
    return number(repr(value)) if number is not None else make.MAKE_ELLIPSIS(())


def _boolean(c: Converter, node: ast.BoolOp) -> cst.CSTNode:
    operator = make.OTHER_OPERATORS[type(node.op)]
    found = c.one(node.values[0])
    for value in node.values[1:]:
        found = make.BOOLEAN(found, operator, c.one(value))
    return found  # type: ignore[no-any-return]


def _comparison(c: Converter, node: ast.Compare) -> cst.CSTNode:
    pairs = zip(node.ops, node.comparators, strict=True)
    compared = tuple(
        make.COMPARED(make.OTHER_OPERATORS[type(op)], c.one(item)) for op, item in pairs
    )
    return make.COMPARISON(c.one(node.left), compared)


def _dict(c: Converter, node: ast.Dict) -> cst.CSTNode:
    pairs = zip(node.keys, node.values, strict=True)
    return make.DICT(
        tuple(
            make.STARRED_DICT_ELEMENT(c.one(value))
            if key is None
            else make.DICT_ELEMENT(c.one(key), c.one(value))
            for key, value in pairs
        )
    )


def _subscript(c: Converter, node: ast.Subscript) -> cst.CSTNode:
    inner = node.slice
    every = inner.elts if type(inner) is ast.Tuple and inner.elts else [inner]
    return make.SUBSCRIPT(c.one(node.value), tuple([c.subscript(item) for item in every]))


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
    return make.DEL(c.one(targets[0]) if len(targets) == 1 else make.TUPLE(c.elements(targets)))


def _assign(c: Converter, node: ast.Assign) -> cst.CSTNode:
    targets = tuple([make.ASSIGN_TARGET(c.one(target)) for target in node.targets])
    return make.ASSIGN(targets, c.one(node.value))


def _if(c: Converter, node: ast.If) -> cst.CSTNode:
    rest = node.orelse
    chained = len(rest) == 1 and type(rest[0]) is ast.If
    orelse = c.one(rest[0]) if chained else c.orelse(rest)
    return make.IF(c.one(node.test), c.block(node.body), orelse)


def _for(c: Converter, node: ast.For | ast.AsyncFor) -> cst.CSTNode:
    return make.FOR(c.one(node.target), c.one(node.iter), c.block(node.body), c.orelse(node.orelse))


def _with(c: Converter, node: ast.With | ast.AsyncWith) -> cst.CSTNode:
    items = tuple(
        make.WITH_ITEM(
            c.one(item.context_expr),
            None if item.optional_vars is None else make.AS_NAME(c.one(item.optional_vars)),
        )
        for item in node.items
    )
    return make.WITH(items, c.block(node.body))


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
        make.IMPORT_STAR if star else _aliases(node.names),
        (make.DOT,) * node.level,
    )


def _names(made: Callable[..., cst.CSTNode]) -> Callable[..., cst.CSTNode]:
    return lambda _, node: made(tuple(make.NAME_ITEM(make.NAME(name)) for name in node.names))


def _match(c: Converter, node: ast.Match) -> cst.CSTNode:
    cases = tuple(
        make.CASE(c.one(case.pattern), c.maybe(case.guard), c.block(case.body))
        for case in node.cases
    )
    return make.MATCH(c.one(node.subject), cases)


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


_NOTHING = cst.MaybeSentinel.DEFAULT


_MAKERS: dict[type[ast.AST], Callable[[Converter, Any], cst.CSTNode]] = {
    ast.Name: lambda _, n: make.NAME(n.id),
    ast.Attribute: lambda c, n: make.ATTRIBUTE(c.one(n.value), make.WORD(n.attr)),
    ast.Call: lambda c, n: make.CALL(c.one(n.func), c.arguments(n.args, n.keywords)),
    ast.Constant: _constant,
    ast.Subscript: _subscript,
    ast.BinOp: lambda c, n: make.BINARY(
        c.one(n.left), make.BINARY_OPERATORS[type(n.op)][0], c.one(n.right)
    ),
    ast.BoolOp: _boolean,
    ast.UnaryOp: lambda c, n: make.UNARY(make.OTHER_OPERATORS[type(n.op)], c.one(n.operand)),
    ast.Compare: _comparison,
    ast.IfExp: lambda c, n: make.IF_EXP(c.one(n.test), c.one(n.body), c.one(n.orelse)),
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
    ast.Await: lambda c, n: make.AWAIT(c.one(n.value)),
    ast.Yield: lambda c, n: make.YIELD(c.maybe(n.value)),
    ast.YieldFrom: lambda c, n: make.YIELD(make.FROM(c.one(n.value))),
    ast.JoinedStr: lambda c, n: make.FSTRING(c.formatted(n.values)),
    ast.Assign: _assign,
    ast.AugAssign: lambda c, n: make.AUG_ASSIGN(
        c.one(n.target), make.BINARY_OPERATORS[type(n.op)][1], c.one(n.value)
    ),
    ast.AnnAssign: lambda c, n: make.ANN_ASSIGN(
        c.one(n.target), make.ANNOTATION(c.one(n.annotation)), c.maybe(n.value)
    ),
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
    ast.Pass: lambda *_: make.PASS(_NOTHING),
    ast.Break: lambda *_: make.BREAK(_NOTHING),
    ast.Continue: lambda *_: make.CONTINUE(_NOTHING),
    ast.Match: _match,
    ast.MatchValue: lambda c, n: make.MATCH_VALUE(c.one(n.value)),
    ast.MatchSingleton: lambda _, n: make.MATCH_SINGLETON(make.NAME(str(n.value))),
    ast.MatchSequence: lambda c, n: make.MATCH_LIST(_in_sequence(c, n.patterns)),
    ast.MatchStar: lambda _, n: make.MATCH_STAR(_maybe_name(n.name)),
    ast.MatchMapping: _match_mapping,
    ast.MatchClass: _match_class,
    ast.MatchAs: lambda c, n: make.MATCH_AS(c.maybe(n.pattern), _maybe_name(n.name)),
    ast.MatchOr: lambda c, n: make.MATCH_OR(
        tuple(make.MATCH_OR_ELEMENT(c.one(item)) for item in n.patterns)
    ),
}


_COMPOUND = frozenset(
    {ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.If, ast.For, ast.AsyncFor}
    | {ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match}
)


_NEWER: Mapping[str, Callable[[Converter, Any], cst.CSTNode]] = {
    "TypeAlias": lambda c, n: make.TYPE_ALIAS(c.one(n.name), c.one(n.value), c.type_parameters(n)),
    "TypeVar": lambda c, n: make.TYPE_PARAM(make.TYPE_VAR(make.NAME(n.name), c.maybe(n.bound))),
    "TypeVarTuple": lambda _, n: make.TYPE_PARAM(make.TYPE_VAR_TUPLE(make.NAME(n.name))),
    "ParamSpec": lambda _, n: make.TYPE_PARAM(make.PARAM_SPEC(make.NAME(n.name))),
}
"""What there is only since Python 3.12."""
_MAKERS.update({getattr(ast, name): make for name, make in _NEWER.items() if hasattr(ast, name)})
