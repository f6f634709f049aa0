"""Bindings: the statements that give a name its value, in order, and how sure each of them is.

An ordinary binding is preferred to a fallback: to what a handler of ``try`` binds, what is there
for type checkers only, and a stand-in for something that the other branch imports.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

from flake8_jax.lowering.program import (
    AnyOf,
    Attr,
    Bind,
    Body,
    Branch,
    Call,
    Capture,
    Class,
    Closure,
    Const,
    Define,
    Delete,
    Elements,
    Entries,
    Expr,
    For,
    Function,
    Home,
    How,
    Import,
    IsInstance,
    Item,
    Match,
    New,
    Op,
    Pattern,
    Rest,
    Shape,
    Spread,
    Stmt,
    Store,
    Target,
    Try,
    Unpack,
    Var,
    While,
    With,
)
from flake8_jax.lowering.walk import walk
from flake8_jax.resolution.modules import Module
from flake8_jax.resolution.scopes import LATER, START, Position, Scope
from flake8_jax.workspace.outline import Block

STAR = "*"
"""The name under which star imports are listed."""

Source: TypeAlias = Expr | Define | Import | None
"""What a binding gives a name: a value, a definition, an import, or nobody knows what."""


class Binding(NamedTuple):
    """One place that gives a name a value."""

    name: str
    source: Source
    position: Position
    certain: bool
    """Whether it always happens when its scope runs."""
    fallback: bool
    """Whether it is there for when the ordinary binding fails, or for type checkers only."""


def bindings(scope: Scope, name: str) -> tuple[Binding, ...]:
    """The bindings of a name in a scope, in order."""
    made, module = scope.made, scope.module
    if made is not None:
        return _known_inside(scope, made).get(name, ())
    return module.once((bindings, name), lambda: tuple(_global(scope, name)))


def bound_inside(scope: Scope) -> Collection[str]:
    """The names that the body of a function or class binds."""
    return _known_inside(scope, scope.made).keys() if scope.made is not None else ()


def _known_inside(scope: Scope, made: Function | Class) -> Mapping[str, tuple[Binding, ...]]:
    return scope.module.once((bindings, made), lambda: _by_name(_inside(scope, made)))


def in_force(found: Sequence[Binding], position: Position) -> Sequence[Binding]:
    """The bindings that a use of the name may see at a point of the scope.

    Where none precedes it, any may: the use stands in a loop, or nobody gets there.
    """
    if len(found) < 2:
        return found
    before = [item for item in found if item.position < position] or found
    for index in range(len(before) - 1, -1, -1):
        if before[index].certain and not before[index].fallback:
            before = before[index:]
            break
    return [item for item in before if not item.fallback] or before


def _global(scope: Scope, name: str) -> Iterator[Binding]:
    module = scope.module
    for block in module.binding.get(name, ()):
        yield from _top_level(module, block).get(name, ())
    if any(name in _rebound(module, block) for block in module.declared.get(name, ())):
        yield Binding(name, None, LATER, False, False)


def _rebound(module: Module, block: Block) -> frozenset[str]:
    """The global names that functions in a top-level statement bind."""
    return module.once((_rebound, block.index), lambda: frozenset(_global_targets(module, block)))


def _global_targets(module: Module, block: Block) -> Iterator[str]:
    program = module.program(block)
    for made in walk(program.body) if program is not None else ():
        if isinstance(made, Function):
            yield from (item.name for item in _of(made.body, _Run(block.index, has_walrus=True)))


def _top_level(module: Module, block: Block) -> Mapping[str, tuple[Binding, ...]]:
    """What a top-level statement binds. Plain imports are read without parsing them."""
    key = (bindings, block.index)
    known = module.memo.get(key)
    if known is None:
        known = module.memo[key] = _by_name(_of_block(module, block))
    return cast("Mapping[str, tuple[Binding, ...]]", known)


def _of_block(module: Module, block: Block) -> Iterable[Binding]:
    run = _Run(block.index, has_walrus=block.has(":="))
    if block.is_import:
        return [_import(_spelled(*item), run) for item in block.imported]
    program = module.program(block)
    if program is None:
        return [Binding(name, None, (block.index, 0), True, False) for name in block.names]
    return _of(program.body, run)


def _spelled(name: str, dotted: str) -> Import:
    if name != STAR:
        return Import(Var(name, Home.GLOBAL), dotted)
    module = dotted.removesuffix(STAR)
    return Import(None, module.removesuffix(".") if module.strip(".") else module)


def _inside(scope: Scope, made: Function | Class) -> Iterator[Binding]:
    if isinstance(made, Function):
        yield from (Binding(item.name, None, START, True, False) for item in made.parameters)
    yield from _of(made.body, _Run(scope.index, scope.home, scope.may_have_walrus))


def _by_name(found: Iterable[Binding]) -> Mapping[str, tuple[Binding, ...]]:
    by_name: dict[str, list[Binding]] = {}
    for item in found:
        by_name.setdefault(item.name, []).append(item)
    return {name: tuple(items) for name, items in by_name.items()}


class _Run(NamedTuple):
    """Under which circumstances some statements run."""

    block: int
    home: Home = Home.GLOBAL
    """Where the variables live that are looked for."""
    has_walrus: bool = False
    certain: bool = True
    fallback: bool = False

    def bind(self, target: Var, source: Source, span: int) -> Iterator[Binding]:
        if target.home is self.home:
            yield Binding(target.name, source, (self.block, span), self.certain, self.fallback)

    def maybe(self, fallback: bool = False) -> "_Run":
        """The same for statements that need not run."""
        return self._replace(certain=False, fallback=self.fallback or fallback)


def _of(body: Body, run: _Run) -> Iterator[Binding]:
    """The bindings of a body and of the blocks inside, but of no scopes inside."""
    for statement in body:
        rule = _RULES.get(type(statement))
        if rule is not None:
            yield from rule(statement, run)
        if run.has_walrus:
            for node in _walruses(statement):
                yield from run.bind(node.target, node.value, _span(statement))


def _store(node: Store, run: _Run) -> Iterator[Binding]:
    for target in node.targets:
        value = node.value if node.how is not How.AUGMENT else None
        for var, source in _unpacked(target, value):
            yield from run.bind(var, source, node.span)


def _delete(node: Delete, run: _Run) -> Iterator[Binding]:
    for var, _ in _unpacked(node.target, None):
        yield from run.bind(var, None, node.span)


def _define(node: Define, run: _Run) -> Iterator[Binding]:
    yield from run.bind(node.target, node, node.span)


def _import(node: Import, run: _Run) -> Binding:
    name = STAR if node.target is None else node.target.name
    return Binding(name, node, (run.block, node.span), run.certain, run.fallback)


def _imported(node: Import, run: _Run) -> Iterator[Binding]:
    if node.target is None or node.target.home is run.home:
        yield _import(node, run)


def _for(node: For, run: _Run) -> Iterator[Binding]:
    some = run.maybe()
    elements = _elements(node.source) if isinstance(node.target, Var) else ()
    for value in elements or (None,):
        for var, source in _unpacked(node.target, value):
            yield from some.bind(var, source, node.span)
    yield from _of(node.body, some)
    yield from _of(node.orelse, some)


def _while(node: While, run: _Run) -> Iterator[Binding]:
    yield from _of(node.body, run.maybe())
    yield from _of(node.orelse, run.maybe())


def _with(node: With, run: _Run) -> Iterator[Binding]:
    for _, target in node.items:
        for var, _ in _unpacked(target, None) if target is not None else ():
            yield from run.bind(var, None, node.span)
    yield from _of(node.body, run)


def _try(node: Try, run: _Run) -> Iterator[Binding]:
    yield from _of(node.body, run)
    for handler in node.handlers:
        rescue = run.maybe(fallback=True)
        if handler.name is not None:
            yield from rescue.bind(handler.name, None, node.span)
        yield from _of(handler.body, rescue)
    yield from _of(node.orelse, run)
    yield from _of(node.final, run)


def _match(node: Match, run: _Run) -> Iterator[Binding]:
    some = run.maybe()
    for case in node.cases:
        for var in _captured(case.pattern):
            yield from some.bind(var, None, node.span)
        yield from _of(case.body, some)


def _branch(node: Branch, run: _Run) -> Iterator[Binding]:
    """The bindings of both branches; of names that both bind, one of them happens for sure.

    Then the first is marked as certain, so that it hides what came before, and not the other one.
    """
    for_checkers = _for_checkers(node.test)
    then = list(_of(node.then, run.maybe(for_checkers is True)))
    orelse = list(_of(node.orelse, run.maybe(for_checkers is False)))
    both = {item.name for item in then} & {item.name for item in orelse}
    if both:
        then, orelse = _stand_ins(then, orelse), _stand_ins(orelse, then)
    hidden = {item.name for item in then if item.fallback} & both
    for item in then:
        sure = run.certain and item.name in both - hidden
        yield item._replace(certain=True) if sure else item
    for item in orelse:
        sure = run.certain and item.name in hidden and not item.fallback
        yield item._replace(certain=True) if sure else item


def _stand_ins(here: list[Binding], there: list[Binding]) -> list[Binding]:
    """The bindings of a branch; those that replace an import of the other one are fallbacks."""
    ordinary = [item for item in there if not item.fallback]
    imported = {item.name for item in ordinary if isinstance(item.source, Import)}
    imported -= {item.name for item in here if isinstance(item.source, Import)}
    return [
        item._replace(fallback=True)
        if item.name in imported and isinstance(item.source, Define | Closure | Const)
        else item
        for item in here
    ]


def _for_checkers(test: Expr) -> bool | None:
    """The truth of a test, for type checkers, that tells them from everybody else."""
    expected = True
    if isinstance(test, Op) and test.symbol == "not":
        test, expected = test.operands[0], False
    named = isinstance(test, Var | Attr) and test.name == "TYPE_CHECKING"
    return expected if named else None


_RULES: Mapping[type[Any], Callable[[Any, _Run], Iterator[Binding]]] = {
    Store: _store,
    Delete: _delete,
    Define: _define,
    Import: _imported,
    For: _for,
    While: _while,
    With: _with,
    Try: _try,
    Match: _match,
    Branch: _branch,
}
"""How statements bind names, other than by ``:=``."""

_OWN: Mapping[type[Any], Callable[[Any], tuple[Any, ...]]] = {
    Branch: lambda node: (node.test,),
    While: lambda node: (node.test,),
    For: lambda node: (node.source,),
    With: lambda node: node.items,
    Try: lambda _: (),
    Match: lambda node: (node.subject, *(case.guard for case in node.cases)),
}
"""What statements with blocks evaluate themselves."""


def _walruses(statement: Stmt) -> Iterator[Bind]:
    """The ``:=`` that a statement evaluates itself."""
    own = _OWN.get(type(statement))
    stack: list[object] = [statement] if own is None else [*own(statement)]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):  # a function inside is none
            stack += reversed(node)
        if isinstance(node, Bind):
            yield node


def _span(statement: Any) -> int:
    return int(getattr(statement, "span", 0))


def _unpacked(target: Target, value: Expr | None) -> Iterator[tuple[Var, Expr | None]]:
    """The variables among some targets, each with its part of a value that is spelled out."""
    if isinstance(target, Var):
        yield target, value
    elif isinstance(target, Unpack):
        values: Sequence[Expr | None] = _elements(value) if target.star is None else ()
        if len(values) != len(target.targets):
            values = _places(value, target)
        for inner, part in zip(target.targets, values, strict=True):
            yield from _unpacked(inner, part)


def _places(value: Expr | None, target: Unpack) -> Sequence[Expr | None]:
    """What several variables get of what a call has made."""
    if not isinstance(value, Call) or target.star is not None:
        return [None] * len(target.targets)
    return [Item(value, Const(place)) for place, _ in enumerate(target.targets)]


def _elements(value: Expr | None) -> tuple[Expr, ...]:
    """The elements of a tuple or list that is spelled out; none where one of them is starred."""
    if not isinstance(value, New) or value.shape not in (Shape.TUPLE, Shape.LIST):
        return ()
    return () if any(isinstance(part, Spread) for part in value.parts) else value.parts


def _captured(pattern: Pattern | None) -> Iterator[Var]:
    """The variables that a pattern binds."""
    stack = [pattern]
    while stack:
        match stack.pop():
            case Capture(inner=inner, name=name):
                stack.append(inner)
                yield from () if name is None else (name,)
            case Rest(name=name):
                yield from () if name is None else (name,)
            case Entries(entries=entries, rest=rest):
                stack += [item for _, item in entries]
                yield from () if rest is None else (rest,)
            case IsInstance(positional=positional, keywords=keywords):
                stack += (*positional, *(item for _, item in keywords))
            case Elements(parts=parts) | AnyOf(patterns=parts):
                stack += parts
