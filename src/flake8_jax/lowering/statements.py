"""Lowers statements, functions and classes."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import libcst as cst

from flake8_jax.lowering.expressions import (
    OPERATORS,
    Context,
    every_parameter,
    lower_arguments,
    lower_expression,
    lower_maybe,
    lower_parameters,
    lower_target,
    unused,
)
from flake8_jax.lowering.kinds import ByKind, LoweringError
from flake8_jax.lowering.patterns import lower_pattern
from flake8_jax.lowering.program import (
    Body,
    Branch,
    Case,
    Class,
    Const,
    Declare,
    Define,
    Delete,
    Eval,
    For,
    Function,
    Handler,
    How,
    Import,
    Jump,
    Match,
    Op,
    Raise,
    Return,
    Stmt,
    Store,
    Target,
    Try,
    Unpack,
    Var,
    While,
    With,
)
from flake8_jax.lowering.scopes import ClassScope, FunctionScope, Scope, bindings
from flake8_jax.syntax import statements

_AUGMENTED: Mapping[type[cst.CSTNode], str] = {
    getattr(cst, f"{kind.__name__}Assign"): symbol
    for kind, symbol in OPERATORS.items()
    if hasattr(cst, f"{kind.__name__}Assign")
}
"""The operators of augmented assignments, from their plain twins."""
_SYMBOLS = ByKind(_AUGMENTED)


def lower_body(nodes: cst.BaseSuite | cst.Module | None, scope: Scope, context: Context) -> Body:
    """Lower the statements of a block; those that do nothing are left out."""
    if nodes is None:
        return ()
    lowered: list[Stmt] = []
    for node in statements(nodes):
        lowered += _STATEMENTS[type(node)](node, scope, context)
    context.statements += len(lowered)
    return tuple(lowered)


def lower_function(node: cst.FunctionDef, scope: Scope, context: Context) -> Function:
    """Lower a function; its decorators belong to the statement that defines it."""
    names = [param.name.value for param, _ in every_parameter(node.params)]
    inner = FunctionScope(scope, names, bindings(node.body, context.has_walrus))
    before = context.statements
    body = lower_body(node.body, inner, context)
    returns = node.returns.annotation if node.returns is not None else None
    return Function(
        scope.spelled(node.name.value),
        lower_parameters(node.params, scope, context),
        body,
        scope.cls if isinstance(scope, ClassScope) else None,
        lower_maybe(returns, scope, context),
        is_async=getattr(node, "asynchronous", None) is not None,
        yields=inner.yields,
        span=context.span(node),
        size=context.statements - before,
        cells=frozenset(inner.cells),
    )


def lower_class(node: cst.ClassDef, scope: Scope, context: Context) -> Class:
    """Lower a class."""
    bases, keywords = lower_arguments((*node.bases, *node.keywords), scope, context)
    inner = ClassScope(scope, node.name.value, bindings(node.body, context.has_walrus))
    body = lower_body(node.body, inner, context)
    return Class(scope.spelled(node.name.value), bases, keywords, body, context.span(node))


def _define(node: Any, scope: Scope, context: Context) -> Iterator[Stmt]:
    decorators = tuple(lower_expression(item.decorator, scope, context) for item in node.decorators)
    lower: Callable[[Any, Scope, Context], Function | Class] = lower_function
    if isinstance(node, cst.ClassDef):
        lower = lower_class
    made = lower(node, scope, context)
    spans = tuple(context.span(item.decorator) for item in node.decorators)
    yield Define(scope.load(node.name.value), made, decorators, made.span, spans)


def _assign(node: cst.Assign, scope: Scope, context: Context) -> Iterator[Stmt]:
    value = lower_expression(node.value, scope, context)
    targets = tuple(lower_target(item.target, scope, context) for item in node.targets)
    yield Store(targets, value, How.ASSIGN, context.span(node))


def _augment(node: cst.AugAssign, scope: Scope, context: Context) -> Iterator[Stmt]:
    target = lower_target(node.target, scope, context)
    if isinstance(target, Unpack):
        raise LoweringError("augmented tuple")
    more = lower_expression(node.value, scope, context)
    value = Op(_SYMBOLS[type(node.operator)], (target, more))
    yield Store((target,), value, How.AUGMENT, context.span(node))


def _annotated(node: cst.AnnAssign, scope: Scope, context: Context) -> Iterator[Stmt]:
    target = lower_target(node.target, scope, context)
    annotation = lower_expression(node.annotation.annotation, scope, context)
    span = context.span(node)
    if node.value is None:
        yield Declare(target, annotation, span)
    else:
        value = lower_expression(node.value, scope, context)
        yield Store((target,), value, How.ASSIGN, span, annotation)


def _alias(node: cst.TypeAlias, scope: Scope, context: Context) -> Iterator[Stmt]:
    value = lower_expression(node.value, scope, context)
    yield Store((scope.load(node.name.value),), value, How.ASSIGN, context.span(node))


def _expression(node: cst.Expr, scope: Scope, context: Context) -> Iterator[Stmt]:
    value = lower_expression(node.value, scope, context)
    if not isinstance(value, Const):
        yield Eval(unused(value), context.span(node))


def _return(node: cst.Return, scope: Scope, context: Context) -> Iterator[Stmt]:
    yield Return(lower_maybe(node.value, scope, context), context.span(node))


def _raise(node: cst.Raise, scope: Scope, context: Context) -> Iterator[Stmt]:
    yield Raise(lower_maybe(node.exc, scope, context), context.span(node))


def _assert(node: cst.Assert, scope: Scope, context: Context) -> Iterator[Stmt]:
    test = lower_expression(node.test, scope, context)
    span = context.span(node)
    failure = Raise(lower_maybe(node.msg, scope, context), span)
    yield Branch(test, (), (failure,), span)


def _delete(node: cst.Del, scope: Scope, context: Context) -> Iterator[Stmt]:
    span = context.span(node)
    stack: list[Target] = [lower_target(node.target, scope, context)]
    while stack:
        target = stack.pop()
        if isinstance(target, Unpack):
            stack += reversed(target.targets)
        else:
            yield Delete(target, span)


def _if(node: cst.If, scope: Scope, context: Context) -> Iterator[Stmt]:
    arms = [node]
    while isinstance(arms[-1].orelse, cst.If):
        arms.append(arms[-1].orelse)
    tests = [
        (lower_expression(arm.test, scope, context), lower_body(arm.body, scope, context), arm)
        for arm in arms
    ]
    last = arms[-1].orelse
    orelse = lower_body(last.body, scope, context) if isinstance(last, cst.Else) else ()
    for test, then, arm in reversed(tests):
        orelse = (Branch(test, then, orelse, context.span(arm)),)
    yield from orelse


def _while(node: cst.While, scope: Scope, context: Context) -> Iterator[Stmt]:
    test = lower_expression(node.test, scope, context)
    body = lower_body(node.body, scope, context)
    yield While(test, body, _orelse(node, scope, context), context.span(node))


def _for(node: cst.For, scope: Scope, context: Context) -> Iterator[Stmt]:
    target = lower_target(node.target, scope, context)
    source = lower_expression(node.iter, scope, context)
    body = lower_body(node.body, scope, context)
    orelse = _orelse(node, scope, context)
    yield For(target, source, body, orelse, context.span(node), context.span(node.target))


def _orelse(node: cst.While | cst.For | cst.Try | cst.TryStar, scope: Scope, c: Context) -> Body:
    return lower_body(node.orelse.body if node.orelse is not None else None, scope, c)


def _with(node: cst.With, scope: Scope, context: Context) -> Iterator[Stmt]:
    items = tuple(
        (
            lower_expression(item.item, scope, context),
            lower_target(item.asname.name, scope, context) if item.asname is not None else None,
        )
        for item in node.items
    )
    spans = tuple(
        context.span(item.asname.name if item.asname is not None else node) for item in node.items
    )
    yield With(items, lower_body(node.body, scope, context), context.span(node), spans)


def _try(node: cst.Try | cst.TryStar, scope: Scope, context: Context) -> Iterator[Stmt]:
    final = node.finalbody.body if node.finalbody is not None else None
    yield Try(
        lower_body(node.body, scope, context),
        tuple(_handler(item, scope, context) for item in node.handlers),
        _orelse(node, scope, context),
        lower_body(final, scope, context),
        context.span(node),
    )


def _handler(
    node: cst.ExceptHandler | cst.ExceptStarHandler, scope: Scope, context: Context
) -> Handler:
    name = lower_target(node.name.name, scope, context) if node.name is not None else None
    assert name is None or isinstance(name, Var)
    kind = lower_maybe(node.type, scope, context)
    return Handler(kind, name, lower_body(node.body, scope, context))


def _match(node: cst.Match, scope: Scope, context: Context) -> Iterator[Stmt]:
    cases = tuple(
        Case(
            lower_pattern(case.pattern, scope, context),
            lower_maybe(case.guard, scope, context),
            lower_body(case.body, scope, context),
        )
        for case in node.cases
    )
    yield Match(lower_expression(node.subject, scope, context), cases, context.span(node))


def _import(node: cst.Import, scope: Scope, context: Context) -> Iterator[Stmt]:
    span = context.span(node)
    for alias in node.names:
        dotted = _dotted(alias.name)
        if alias.asname is not None:
            target = lower_target(alias.asname.name, scope, context)
            assert isinstance(target, Var)
            yield Import(target, dotted, span)
        else:
            top = dotted.partition(".")[0]
            yield Import(scope.load(top), top, span)


def _import_from(node: cst.ImportFrom, scope: Scope, context: Context) -> Iterator[Stmt]:
    span = context.span(node)
    module = "." * len(node.relative) + (_dotted(node.module) if node.module is not None else "")
    if isinstance(node.names, cst.ImportStar):
        yield Import(None, module, span)
        return
    prefix = module if module.endswith(".") else f"{module}."
    for alias in node.names:
        name = _dotted(alias.name)
        target = scope.load(name)
        if alias.asname is not None:
            renamed = lower_target(alias.asname.name, scope, context)
            assert isinstance(renamed, Var)
            target = renamed
        yield Import(target, prefix + name, span)


def _dotted(node: cst.BaseExpression) -> str:
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    assert isinstance(node, cst.Name)
    return ".".join([node.value, *reversed(parts)])


def _nothing(*_: object) -> Iterator[Stmt]:
    return iter(())


def _jump(jump: Jump) -> Callable[..., Iterator[Stmt]]:
    return lambda *_: iter((jump,))


_STATEMENTS = ByKind(
    {
        cst.Assign: _assign,
        cst.AugAssign: _augment,
        cst.AnnAssign: _annotated,
        cst.TypeAlias: _alias,
        cst.Expr: _expression,
        cst.Return: _return,
        cst.Raise: _raise,
        cst.Assert: _assert,
        cst.Del: _delete,
        cst.If: _if,
        cst.While: _while,
        cst.For: _for,
        cst.With: _with,
        cst.Try: _try,
        cst.TryStar: _try,
        cst.Match: _match,
        cst.FunctionDef: _define,
        cst.ClassDef: _define,
        cst.Import: _import,
        cst.ImportFrom: _import_from,
        cst.Break: _jump(Jump.BREAK),
        cst.Continue: _jump(Jump.CONTINUE),
        cst.Pass: _nothing,
        cst.Global: _nothing,
        cst.Nonlocal: _nothing,
    }
)
