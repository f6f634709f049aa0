"""Shows a lowered program as text: for tests, logs and people.

Variables of functions around carry one ``^`` for each function between, global ones a ``$``, those
of a class body a ``%``; local ones carry nothing.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from flake8_jax.lowering.program import (
    AnyOf,
    Attr,
    Await,
    Bind,
    Body,
    Branch,
    Call,
    Capture,
    Choice,
    Class,
    Closure,
    Comp,
    Const,
    Declare,
    Define,
    Delete,
    Elements,
    Entries,
    Equals,
    Eval,
    For,
    Function,
    Home,
    How,
    Import,
    IsInstance,
    Item,
    Jump,
    Kind,
    Match,
    New,
    NewDict,
    Op,
    Opaque,
    Parameter,
    Raise,
    Rest,
    Return,
    Shape,
    Slice,
    Spread,
    Store,
    Try,
    Unpack,
    Var,
    While,
    With,
    Yield,
)

_INDENT = "    "
_MARKS = {Home.LOCAL: "", Home.CLASS: "%", Home.GLOBAL: "$"}
_STARS = {Kind.STAR: "*", Kind.STARS: "**"}
_BRACKETS = {
    Shape.TUPLE: ("(", ")"),
    Shape.LIST: ("[", "]"),
    Shape.SET: ("{", "}"),
    Shape.DICT: ("{", "}"),
    Shape.STRING: ("`", "`"),
    Shape.GENERATOR: ("(", ")"),
}


def show(node: Any) -> str:
    """An expression, a target or a pattern as text."""
    return _SHOWN[type(node)](node)


def _all(nodes: Iterable[Any]) -> str:
    return ", ".join(show(node) for node in nodes)


def _var(node: Var) -> str:
    return ("^" * node.levels or _MARKS[node.home]) + node.name


def _const(node: Const) -> str:
    return f"<{node.value.value}>" if isinstance(node.value, Opaque) else repr(node.value)


def _operand(node: Any) -> str:
    return f"({show(node)})" if isinstance(node, Op | Choice) else show(node)


def _op(node: Op) -> str:
    if len(node.operands) == 1:
        return f"{node.symbol} {_operand(node.operands[0])}"
    return f" {node.symbol} ".join(_operand(item) for item in node.operands)


def _choice(node: Choice) -> str:
    return f"{_operand(node.then)} if {_operand(node.test)} else {_operand(node.orelse)}"


def _slice(node: Slice) -> str:
    lower, upper, step = ("" if part is None else show(part) for part in node.parts)
    return f"{lower}:{upper}:{step}" if step else f"{lower}:{upper}"


def _display(node: New) -> str:
    opening, closing = _BRACKETS[node.shape]
    return f"{opening}{_all(node.parts)}{closing}"


def _dict(node: NewDict) -> str:
    pairs = zip(node.keys, node.values, strict=True)
    shown = (f"**{show(v)}" if k is None else f"{show(k)}: {show(v)}" for k, v in pairs)
    return "{" + ", ".join(shown) + "}"


def _comp(node: Comp) -> str:
    opening, closing = _BRACKETS[node.shape]
    clauses = "".join(
        f" for {show(item.target)} in {show(item.source)}"
        + "".join(f" if {show(test)}" for test in item.tests)
        for item in node.clauses
    )
    return f"{opening}{': '.join(map(show, node.parts))}{clauses}{closing}"


def _arguments(args: Iterable[Any], keywords: Iterable[tuple[str | None, Any]]) -> str:
    named = (f"**{show(v)}" if name is None else f"{name}={show(v)}" for name, v in keywords)
    return ", ".join([*map(show, args), *named])


def _closure(node: Closure) -> str:
    made = node.function
    statement = made.body[0]
    assert isinstance(statement, Return)
    return f"lambda {_parameters(made.parameters)}: {show(statement.value)}"


def _parameters(parameters: Iterable[Parameter]) -> str:
    return ", ".join(map(_parameter, parameters))


def _parameter(node: Parameter) -> str:
    default = f"={show(node.default)}" if node.default is not None else ""
    annotation = f": {show(node.annotation)}" if node.annotation is not None else ""
    return f"{_STARS.get(node.kind, '')}{node.name}{annotation}{default}"


def _yield(node: Yield) -> str:
    word = "yield from" if node.each else "yield"
    return f"({word})" if node.value is None else f"({word} {show(node.value)})"


def _unpack(node: Unpack) -> str:
    shown = [f"*{show(t)}" if i == node.star else show(t) for i, t in enumerate(node.targets)]
    return f"({', '.join(shown)})"


def _capture(node: Capture) -> str:
    name = "_" if node.name is None else show(node.name)
    return name if node.inner is None else f"{show(node.inner)} as {name}"


def _is_instance(node: IsInstance) -> str:
    return f"{show(node.cls)}({_arguments(node.positional, node.keywords)})"


def _entries(node: Entries) -> str:
    shown = [f"{show(key)}: {show(value)}" for key, value in node.entries]
    shown += [f"**{show(node.rest)}"] if node.rest is not None else []
    return "{" + ", ".join(shown) + "}"


_SHOWN: dict[type[Any], Callable[[Any], str]] = {
    Var: _var,
    Const: _const,
    Attr: lambda node: f"{_operand(node.base)}.{node.name}",
    Item: lambda node: f"{_operand(node.base)}[{show(node.key)}]",
    Slice: _slice,
    Op: _op,
    Choice: _choice,
    New: _display,
    NewDict: _dict,
    Comp: _comp,
    Call: lambda node: f"{_operand(node.callee)}({_arguments(node.args, node.keywords)})",
    Closure: _closure,
    Bind: lambda node: f"({show(node.target)} := {show(node.value)})",
    Spread: lambda node: f"*{show(node.value)}",
    Yield: _yield,
    Await: lambda node: f"(await {show(node.value)})",
    Unpack: _unpack,
    Equals: lambda node: show(node.value),
    Capture: _capture,
    IsInstance: _is_instance,
    Elements: lambda node: f"[{_all(node.parts)}]",
    Rest: lambda node: "*_" if node.name is None else f"*{show(node.name)}",
    Entries: _entries,
    AnyOf: lambda node: " | ".join(map(show, node.patterns)),
    type(None): lambda _: "None",
}


def show_body(body: Body, indent: str = "") -> str:
    """The statements of a body, a line each."""
    return "\n".join(indent + line for statement in body for line in _lines(statement))


def _block(head: str, body: Body) -> Iterator[str]:
    yield f"{head}:"
    for statement in body:
        for line in _lines(statement):
            yield _INDENT + line
    if not body:
        yield f"{_INDENT}pass"


def _function(function: Function, decorators: Iterable[Any]) -> Iterator[str]:
    for item in decorators:
        yield f"@{show(item)}"
    word = "async def" if function.is_async else "def"
    returns = f" -> {show(function.returns)}" if function.returns is not None else ""
    head = f"{word} {function.name}({_parameters(function.parameters)}){returns}"
    yield from _block(head, function.body)


def _class(made: Class, decorators: Iterable[Any]) -> Iterator[str]:
    for item in decorators:
        yield f"@{show(item)}"
    given = _arguments(made.bases, made.keywords)
    yield from _block(f"class {made.name}({given})" if given else f"class {made.name}", made.body)


def _store(node: Store) -> str:
    targets = " = ".join(map(show, node.targets))
    if node.annotation is not None:
        targets = f"{targets}: {show(node.annotation)}"
    word = "+=" if node.how is How.AUGMENT else "="
    return f"{targets} {word} {show(node.value)}"


def _lines(statement: Any) -> Iterator[str]:
    match statement:
        case Store():
            yield _store(statement)
        case Declare():
            yield f"{show(statement.target)}: {show(statement.annotation)}"
        case Delete():
            yield f"del {show(statement.target)}"
        case Eval():
            yield show(statement.value)
        case Return():
            yield "return" if statement.value is None else f"return {show(statement.value)}"
        case Raise():
            yield "raise" if statement.value is None else f"raise {show(statement.value)}"
        case Jump():
            yield statement.value
        case Branch():
            yield from _block(f"if {show(statement.test)}", statement.then)
            yield from _else(statement.orelse)
        case While():
            yield from _block(f"while {show(statement.test)}", statement.body)
            yield from _else(statement.orelse)
        case For():
            head = f"for {show(statement.target)} in {show(statement.source)}"
            yield from _block(head, statement.body)
            yield from _else(statement.orelse)
        case With():
            items = (
                show(context) if target is None else f"{show(context)} as {show(target)}"
                for context, target in statement.items
            )
            yield from _block(f"with {', '.join(items)}", statement.body)
        case Try():
            yield from _try(statement)
        case Match():
            yield f"match {show(statement.subject)}:"
            for case in statement.cases:
                guard = f" if {show(case.guard)}" if case.guard is not None else ""
                for line in _block(f"case {show(case.pattern)}{guard}", case.body):
                    yield _INDENT + line
        case Define(made=Function() as function):
            yield from _function(function, statement.decorators)
        case Define(made=Class() as cls):
            yield from _class(cls, statement.decorators)
        case Import():
            target = "*" if statement.target is None else show(statement.target)
            yield f"import {statement.dotted} as {target}"


def _else(body: Body) -> Iterator[str]:
    if body:
        yield from _block("else", body)


def _try(statement: Try) -> Iterator[str]:
    yield from _block("try", statement.body)
    for handler in statement.handlers:
        kind = f" {show(handler.kind)}" if handler.kind is not None else ""
        name = f" as {show(handler.name)}" if handler.name is not None else ""
        yield from _block(f"except{kind}{name}", handler.body)
    yield from _else(statement.orelse)
    if statement.final:
        yield from _block("finally", statement.final)
