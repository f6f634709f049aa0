"""What a name refers to.

What is imported resolves to its dotted name, what is defined in the module to its definition, an
alias to what it stands for. A parameter, a loop variable, and all that cannot be told, refers to
nothing.
"""

import builtins
from collections.abc import Iterable
from dataclasses import dataclass, replace

import libcst as cst

from flake8_jax.knowledge.aliases import ALIASES
from flake8_jax.knowledge.caches import CACHED_PROPERTIES, FUNCTION_CACHES
from flake8_jax.knowledge.pytrees import BASE_FACTORIES, BASES, CONCRETE, MARKERS
from flake8_jax.knowledge.transforms import TRANSFORMS
from flake8_jax.scopes import (
    EVER,
    Binding,
    Defined,
    Imported,
    InnerScope,
    Referent,
    Scope,
    Valued,
    parameter_names,
)
from flake8_jax.syntax import flat, positional

KNOWN = frozenset(
    {*BASES, *BASE_FACTORIES, *CONCRETE, *MARKERS}
    | {*CACHED_PROPERTIES, *FUNCTION_CACHES, *TRANSFORMS}
)
"""All that the tables have a name for."""

_KNOWN_WHOLE = frozenset({"jax", "jaxlib", "numpy", "builtins"})
_ALIAS_STEPS = 20


def is_known(dotted: str) -> bool:
    """Whether the tables speak for a name, so that its source need not be read."""
    return dotted.partition(".")[0] in _KNOWN_WHOLE or canonical(dotted) in KNOWN


def _in_force(bindings: Iterable[Binding], at: float) -> tuple[Referent, ...]:
    """What a name may refer to at a point of its scope, among the bindings that precede it."""
    found = tuple(bindings)
    before = [binding for binding in found if binding.order < at] or list(found)
    for index in range(len(before) - 1, -1, -1):
        if before[index].certain and not before[index].fallback:
            before = before[index:]
            break
    ordinary = [binding for binding in before if not binding.fallback]
    return tuple(binding.referent for binding in ordinary or before)


def _lookup(name: str, scope: Scope, at: float) -> tuple[Referent, ...]:
    here: Scope | None = scope
    deferred = False
    while here is not None:
        is_class = isinstance(here.node, cst.ClassDef)
        if here is scope or not is_class:
            found = _in_force(here.bindings(name), at)
            if found:
                return found
            stars = [item.referent for item in here.bindings("*") if item.order < at]
            if stars and not hasattr(builtins, name):
                return _from_stars(name, stars, scope)
        deferred = deferred or not is_class
        at = EVER if deferred else here.at
        here = here.parent
    return (Imported(f"builtins.{name}"),) if hasattr(builtins, name) else (None,)


def _from_stars(name: str, stars: Iterable[Referent], scope: Scope) -> tuple[Referent, ...]:
    """What star imports may bind a name to: a thing of the tables, if just one module has it."""
    dotted: list[str] = []
    for star in stars:
        if isinstance(star, Imported):
            full = f"{star.dotted}{'' if star.dotted.endswith('.') else '.'}{name}"
            exported = scope.top.links.exports(star.dotted)
            if exported is not None and name in exported:
                return (Imported(full),)
            dotted += [full] if exported is None else []
    known = [item for item in dotted if canonical(item) in KNOWN]
    return tuple(Imported(item) for item in known or dotted) or (None,)


def _linked(referent: Referent, scope: Scope) -> tuple[Referent, ...]:
    """Something imported, or what it is in the file of the project that defines it."""
    if isinstance(referent, Imported):
        found = scope.top.links.find(referent.dotted)
        if found is not None:
            return found
    return (referent,)


def refer(
    node: cst.BaseExpression, scope: Scope, at: float = EVER, steps: int = _ALIAS_STEPS
) -> tuple[Referent, ...]:
    """All that an expression may refer to: several where branches bind a name differently."""
    if steps == 0:
        return (None,)
    match node:
        case cst.Name():
            found: list[Referent] = []
            for referent in _lookup(node.value, scope, at):
                if isinstance(referent, Valued):
                    there = refer(referent.node, referent.scope, referent.at, steps - 1)
                    piece = referent.piece
                    found += [
                        replace(item, piece=piece)
                        if isinstance(item, Valued) and item.piece is None
                        else item
                        for item in there
                    ]
                else:
                    found += _linked(referent, scope)
            return tuple(found)
        case cst.Attribute():
            owners = refer(node.value, scope, at, steps - 1)
            return tuple(
                item
                for owner in owners
                for item in member(owner, node.attr.value, scope, steps - 1)
            )
        case cst.NamedExpr():
            return refer(node.value, scope, at, steps - 1)
        case _:
            return (Valued(node, scope, at),)


def member(
    owner: Referent, name: str, scope: Scope, steps: int = _ALIAS_STEPS
) -> tuple[Referent, ...]:
    """What an attribute of something that is referred to refers to."""
    match owner:
        case Imported():
            return _linked(Imported(f"{owner.dotted}.{name}"), scope)
        case Defined(node=cst.ClassDef() as node):
            inner = InnerScope(node, owner.scope, owner.at, owner.piece)
            if inner.bindings(name):
                return refer(cst.Name(name), inner, EVER, steps)
    return (None,)


def canonical(dotted: str) -> str:
    """The name under which the tables know it."""
    head, tail = dotted, ""
    while head:
        if head in ALIASES:
            return ALIASES[head] + tail
        head, dot, last = head.rpartition(".")
        tail = f"{dot}{last}{tail}"
    return dotted


@dataclass(frozen=True, eq=False)
class Applied:
    """What an expression calls or decorates with, and the arguments that it has been given."""

    names: tuple[str, ...]
    """Its canonical dotted names: several where branches bind it differently."""
    arguments: tuple[cst.Arg, ...] = ()

    def all_in(self, table: Iterable[str]) -> bool:
        """Whether the table knows each of the names."""
        return bool(self.names) and all(name in table for name in self.names)


_NOTHING = Applied(())


def _wrapped(function: cst.FunctionDef, outer: Scope, steps: int) -> Applied:
    """What a function of one's own applies to its argument: ``def f(g): return jax.jit(g)``."""
    results = [item for item in flat(function.body) if isinstance(item, cst.Return)]
    first = next(parameter_names(function), None)
    if len(results) != 1 or not isinstance(results[0].value, cst.Call) or function.decorators:
        return _NOTHING
    call = results[0].value
    given = positional(tuple(call.args))
    if not given or not (isinstance(given[0], cst.Name) and given[0].value == first):
        return _NOTHING
    inner = applied(call.func, InnerScope(function, outer, EVER), EVER, steps)
    return Applied(inner.names, (*inner.arguments, *call.args[1:]))


def applied(
    node: cst.BaseExpression, scope: Scope, at: float = EVER, steps: int = _ALIAS_STEPS
) -> Applied:
    """See through factories, partials and aliases: ``@f``, ``@f(x=1)``, ``@partial(f, x=1)``."""
    names: list[str] = []
    arguments: tuple[cst.Arg, ...] = ()
    for referent in refer(node, scope, at):
        match referent:
            case Imported():
                names.append(canonical(referent.dotted))
            case Defined(node=cst.FunctionDef() as function) if steps:
                inner = _wrapped(function, referent.scope, steps - 1)
                if not inner.names:
                    return _NOTHING
                names += inner.names
                arguments = inner.arguments
            case Defined(node=cst.ClassDef(bases=[cst.Arg(value=base)])) if steps:
                inner = applied(base, referent.scope, referent.at, steps - 1)
                if not inner.names:
                    return _NOTHING
                names += inner.names
            case Valued(node=cst.Call() as call) if steps:
                inner = applied(call.func, referent.scope, referent.at, steps - 1)
                given = tuple(call.args)
                if inner.names == ("functools.partial",) and positional(given):
                    inner = applied(given[0].value, referent.scope, referent.at, steps - 1)
                    given = given[1:]
                names += inner.names
                arguments = (*inner.arguments, *given)
                if not inner.names:
                    return _NOTHING
            case _:
                return _NOTHING
    return Applied(tuple(names), arguments)
