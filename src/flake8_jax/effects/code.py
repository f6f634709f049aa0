"""Code outside of functions, as functions without parameters that can be interpreted.

What the statements of a module do, what a global variable holds, what decorators make of a
function: each is the summary of one of them. So all of it is part of one fixpoint.
"""

from collections.abc import Callable, Set
from dataclasses import dataclass, replace
from typing import TypeAlias

from flake8_jax.effects.callees import CODE, AnyCallee, Cached, FunctionRef, Partial, Traced
from flake8_jax.effects.forwarding import Forwarding
from flake8_jax.effects.values import Value
from flake8_jax.lowering.program import (
    Attr,
    Body,
    Call,
    Class,
    Expr,
    Function,
    Home,
    Kind,
    Parameter,
    Raise,
    Return,
    Spread,
    Var,
)
from flake8_jax.lowering.walk import walk
from flake8_jax.resolution.resolve import Definition
from flake8_jax.resolution.scopes import Position, Scope

Ref: TypeAlias = Callable[[Function, Scope, int], FunctionRef]
"""Makes the reference to a function that stands in a scope, in some top-level statement."""


_SELF, _ARGS, _KEYWORDS = (Var(name, Home.LOCAL) for name in ("self", "args", "kwargs"))
_ANY_CALL = (
    Parameter(_SELF.name),
    Parameter(_ARGS.name, Kind.STAR),
    Parameter(_KEYWORDS.name, Kind.STARS),
)
"""The parameters of a call that stands nowhere in the text."""


@dataclass(frozen=True, slots=True)
class Code:
    """A piece of code."""

    ref: FunctionRef
    position: Position
    """When it runs: it sees the global names that are bound before."""
    source: object
    """What it was made of."""


class Codes:
    """All pieces of code that somebody has asked for, each made once."""

    def __init__(self, ref: Ref) -> None:
        self._ref = ref
        self._by_source: dict[tuple[int, str], Code] = {}
        self._by_function: dict[Function, Code] = {}

    def drop(self, paths: Set[str]) -> None:
        """Forget the code of some files."""
        kept = {key: code for key, code in self._by_source.items() if code.ref.module not in paths}
        self._by_source = kept
        self._by_function = {code.ref.function: code for code in kept.values()}

    def of(self, function: Function) -> Code | None:
        """The code that a function stands for; None for one that is written as a function."""
        return self._by_function.get(function)

    def block(self, body: Body, scope: Scope, index: int) -> Code:
        """A top-level statement."""
        return self._made(body, "", body, scope, (index, 0))

    def expression(self, expr: Expr, scope: Scope, position: Position) -> Code:
        """An expression whose value is asked for."""
        return self._made(expr, "", (Return(expr),), scope, position)

    def class_body(self, cls: Class, scope: Scope, position: Position, name: str = "") -> Code:
        """The body of a class; its value is that of one of its names, if one is asked for."""
        last = (Return(Var(name, Home.CLASS)),) if name else ()
        return self._made(cls, name, (*cls.body, *last), scope, position)

    def decorated(self, own: Definition, decorators: tuple[Expr, ...]) -> Code:
        """What decorators make of a function; what a class body binds they may use as well."""
        target = own.statement.target
        define = own.statement._replace(decorators=decorators)
        before: Body = ()
        around = own.scope.made
        if isinstance(around, Class) and any(_is_of_class(item) for item in walk(decorators)):
            before = around.body
        body = (*before, define, Return(target))
        return self._made(own.made, "", body, own.scope, own.position)

    def call_on(self, cls: Class, scope: Scope, position: Position, name: str) -> Code:
        """A call of what a class binds to a name, on an object that is given."""
        call = Call(Attr(_SELF, name), (Spread(_ARGS),), ((None, _KEYWORDS),))
        key = f"{_SELF.name}.{name}"
        return self._made(cls, key, (Return(call),), scope, position, _ANY_CALL)

    def of_library(
        self, cls: Class, scope: Scope, position: Position, name: str, method: Forwarding
    ) -> Code:
        """A method that a class has from a library; it stands where the class does."""

        def make() -> Function:
            return Function(name, method.parameters, method.body, span=cls.span)

        return self._once(cls, f"library.{name}", make, scope, position)

    def _made(
        self,
        source: object,
        name: str,
        body: Body,
        scope: Scope,
        position: Position,
        parameters: tuple[Parameter, ...] = (),
    ) -> Code:
        def make() -> Function:
            return Function(CODE, parameters, body)

        return self._once(source, name, make, scope, position)

    def _once(
        self,
        source: object,
        name: str,
        make: Callable[[], Function],
        scope: Scope,
        position: Position,
    ) -> Code:
        key = (id(source), name)  # the source is kept, so that no other has its number
        known = self._by_source.get(key)
        if known is None:
            function = make()
            known = Code(self._ref(function, scope, position[0]), position, source)
            self._by_source[key] = self._by_function[function] = known
        return known


def _is_of_class(node: object) -> bool:
    return isinstance(node, Var) and node.home is Home.CLASS


def with_function(callee: AnyCallee, ref: FunctionRef) -> AnyCallee:
    """A callable in which a function is called by its own reference."""
    match callee:
        case FunctionRef() if callee.function is ref.function:
            return ref
        case Partial() | Traced() | Cached():
            return callee._replace(callee=with_function(callee.callee, ref))
    return callee


def with_functions(value: Value, ref: FunctionRef) -> Value:
    """The same for all that a value calls."""
    return value.with_callees(tuple(with_function(item, ref) for item in value.callees))


def never(ref: FunctionRef) -> FunctionRef:
    """A function in the place of another that never returns: nothing is known of it yet."""
    return replace(ref, function=_NEVER)


_NEVER = Function("<never>", (), (Raise(None),))
