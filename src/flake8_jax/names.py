"""What a name refers to.

What is imported resolves to its dotted name, what is defined in the module to its definition, an
alias to what it stands for. A parameter, a loop variable, and all that cannot be told, refers to
nothing.
"""

import builtins
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from flake8_jax.descriptors import getter, is_guarded, keeps_values
from flake8_jax.knowledge.caches import OWN_CACHED_PROPERTY
from flake8_jax.knowledge.known import KNOWN, canonical
from flake8_jax.knowledge.listed import known_as
from flake8_jax.scopes import (
    EVER,
    Binding,
    Defined,
    Imported,
    InnerScope,
    Referent,
    Scope,
    Valued,
    inner_scope,
)
from flake8_jax.source import Piece
from flake8_jax.syntax import flat, is_name, last_part, parameter_names, positional, walk

_ALIAS_STEPS = 20
_QUESTION_STEPS = 3
"""Over how many calls a question about Tracers is followed."""
_BUILTINS = frozenset(dir(builtins))


def _in_force(bindings: Sequence[Binding], at: float) -> tuple[Referent, ...]:
    """What a name may refer to at a point of its scope, among the bindings that precede it."""
    if len(bindings) < 2:
        return (bindings[0].referent,) if bindings else ()
    before = [binding for binding in bindings if binding.order < at] or list(bindings)
    for index in range(len(before) - 1, -1, -1):
        if before[index].certain and not before[index].fallback:
            before = before[index:]
            break
    ordinary = [binding for binding in before if not binding.fallback]
    return tuple(binding.referent for binding in ordinary or before)


def _lookup(name: str, scope: Scope, at: float) -> tuple[Referent, ...]:
    """What a name may refer to at a point of the scope that is its home."""
    bindings = scope.bindings(name)
    if bindings and scope.parent is None and name in _BUILTINS:
        # until the module takes its name
        bindings = tuple(binding for binding in bindings if binding.order < at)
    if bindings:
        return _in_force(bindings, at)
    if name in _BUILTINS:
        return (Imported(f"builtins.{name}"),)
    stars = [item.referent for item in scope.bindings("*") if item.order < at]
    return _from_stars(name, stars, scope) if stars else (None,)


def _home(name: str, scope: Scope, at: float) -> tuple[Scope, float]:
    """The scope that binds a name, or else that of the module, and the point of it that matters."""
    here = scope
    deferred = False
    while here.parent is not None:
        is_class = type(here.node) is cst.ClassDef
        if (here is scope or not is_class) and here.bindings(name):
            break
        deferred = deferred or not is_class
        at = EVER if deferred else here.at
        here = here.parent
    return here, at


def _from_stars(name: str, stars: Iterable[Referent], scope: Scope) -> tuple[Referent, ...]:
    """What star imports may bind a name to: a thing of the tables, if just one module has it."""
    dotted: list[str] = []
    links = scope.top.links
    for star in stars:
        if isinstance(star, Imported):
            full = f"{star.dotted}{'' if star.dotted.endswith('.') else '.'}{name}"
            exported = links.exports(star.dotted)
            if exported is not None and name in exported:
                found = links.find(full)  # what comes back to where it started leads nowhere
                if found is None or any(item is not None for item in found):
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
    if type(node) is cst.Name:
        return _named(node.value, scope, at, steps)
    if type(node) is cst.Attribute:
        found: list[Referent] = []
        for owner in refer(node.value, scope, at, steps):
            if isinstance(owner, Valued):
                found.append(Valued(node, scope, at))
            else:
                found += member(owner, node.attr.value, scope, steps - 1)
        return tuple(found)
    if type(node) is cst.NamedExpr:
        return refer(node.value, scope, at, steps - 1)
    return (Valued(node, scope, at),)


def _named(name: str, scope: Scope, at: float, steps: int) -> tuple[Referent, ...]:
    """What a name refers to; of a name of the module, as it is in the end, this is noted."""
    here, at = _home(name, scope, at)
    if at != EVER or here is not scope.top or steps < _ALIAS_STEPS:
        return tuple(_aliased(name, here, at, steps))
    noted = scope.top.referred
    if name not in noted:
        noted[name] = tuple(_aliased(name, here, at, steps))
    return noted[name]


def _aliased(name: str, scope: Scope, at: float, steps: int) -> Iterator[Referent]:
    """What a name of a scope refers to, aliases seen through."""
    for referent in _lookup(name, scope, at):
        if isinstance(referent, Valued):
            for item in refer(referent.node, referent.scope, referent.at, steps - 1):
                if isinstance(item, Valued) and item.piece is None:
                    item = replace(item, piece=referent.piece, name=referent.name)
                yield item
        else:
            yield from _linked(referent, scope)


def member(
    owner: Referent, name: str, scope: Scope, steps: int = _ALIAS_STEPS
) -> tuple[Referent, ...]:
    """What an attribute of something that is referred to refers to."""
    match owner:
        case Imported():
            return _linked(Imported(f"{owner.dotted}.{name}"), scope)
        case Defined(node=cst.ClassDef() as node):
            inner = inner_scope(node, owner.scope, owner.at, owner.piece)
            if inner.bindings(name):
                return refer(cst.Name(name), inner, EVER, steps)
    return (None,)


@dataclass(frozen=True, eq=False)
class Applied:
    """What an expression calls or decorates with, and the arguments that it has been given."""

    names: tuple[str, ...]
    """Its canonical dotted names: several where branches bind it differently."""
    arguments: tuple[cst.Arg, ...] = ()

    def all_in(self, table: Iterable[str]) -> bool:
        """Whether the table knows each of the names."""
        return bool(self.names) and all(known_as(name) in table for name in self.names)


_NOTHING = Applied(())


def _wrapped(
    function: cst.FunctionDef, outer: Scope, steps: int, piece: Piece | None = None
) -> Applied:
    """What a function of one's own applies to its argument: ``def f(g): return jax.jit(g)``.

    It may hand back a function that calls the result, a function inside that takes the argument
    (``@f(option)``), or either of them.
    """
    if not steps:
        return _NOTHING
    return outer.top.source.file.analysed(
        (_wrapped, function), lambda: _wrapping(function, outer, steps, piece)
    )


def _wrapping(function: cst.FunctionDef, outer: Scope, steps: int, piece: Piece | None) -> Applied:
    if function.decorators and not all(_is_wraps(item.decorator) for item in function.decorators):
        return _NOTHING
    scope = inner_scope(function, outer, EVER, piece)
    results = [item.value for item in flat(function.body) if isinstance(item, cst.Return)]
    found = [_handed_back(item, function, scope, steps) for item in results if item is not None]
    some = [item for item in found if item.names]
    return some[0] if some and all(item.names == some[0].names for item in some) else _NOTHING


def _handed_back(
    node: cst.BaseExpression, function: cst.FunctionDef, scope: InnerScope, steps: int
) -> Applied:
    if isinstance(node, cst.Call):
        return _applying(node, function, scope, steps)
    for referent in refer(node, scope) if isinstance(node, cst.Name) and steps else ():
        match referent:
            case Valued(node=cst.Call() as call):
                return _applying(call, function, scope, steps)
            case Defined(node=cst.FunctionDef() as inner) if inner is not function:
                own = _wrapped(inner, scope, steps - 1, scope.piece)
                return own if own.names else _applying_inside(inner, function, scope, steps - 1)
    return _NOTHING


def _applying(call: cst.Call, function: cst.FunctionDef, scope: InnerScope, steps: int) -> Applied:
    """What a call applies to the first parameter of a function, or to a function that calls it."""
    first = next(parameter_names(function), None)
    given = positional(tuple(call.args))
    if first is None or not given or not steps:
        return _NOTHING
    if isinstance(given[0], cst.Call):
        inner = _applying(given[0], function, scope, steps - 1)
        if not inner.names or (isinstance(call.func, cst.Call) and _is_wraps(call.func)):
            return inner
        outer = applied(call.func, scope, EVER, steps - 1)
        return Applied(outer.names, (*outer.arguments, *call.args[1:])) if outer.names else inner
    if not isinstance(given[0], cst.Name):
        return _NOTHING
    if given[0].value != first:
        wrappers = [item.node for item in refer(given[0], scope) if isinstance(item, Defined)]
        if not any(node is not function and _mentions(node, first) for node in wrappers):
            return _NOTHING
    inner = applied(call.func, scope, EVER, steps - 1)
    return Applied(inner.names, (*inner.arguments, *call.args[1:]))


def _applying_inside(
    inner: cst.FunctionDef, function: cst.FunctionDef, scope: InnerScope, steps: int
) -> Applied:
    """What a wrapper calls in place of the function that it wraps."""
    for node in walk(inner.body):
        if isinstance(node, cst.Call):
            for referent in refer(node.func, scope):
                if isinstance(referent, Valued) and isinstance(referent.node, cst.Call):
                    found = _applying(referent.node, function, scope, steps)
                    if found.names:
                        return found
    return _NOTHING


def _inherited(cls: cst.ClassDef, referent: Defined, steps: int) -> Applied:
    """What a class of one's own does as a decorator: what its base does, or a descriptor."""
    if _may_have(referent, "__get__"):
        get = getter(cls)
        if get is not None and asks_about_tracers(get, inner_scope(cls, referent.scope, 0)):
            return _NOTHING
        if _keeps_values(cls, referent.scope):
            return Applied((OWN_CACHED_PROPERTY,))
    match cls.bases:
        case [cst.Arg(value=base)]:
            return applied(base, referent.scope, referent.at, steps)
    return _NOTHING


def asks_about_tracers(node: cst.CSTNode, scope: Scope, steps: int = _QUESTION_STEPS) -> bool:
    """Whether code asks if something is a Tracer, itself or by what it calls or reads of self.

    The scope is the one that the code stands in.
    """
    if is_guarded(node):
        return True
    return steps > 0 and any(
        asks_about_tracers(item.node, item.scope, steps - 1)
        for part in walk(node)
        for item in _called(part, scope)
        if item.node is not node
    )


def _called(node: cst.CSTNode, scope: Scope) -> Iterator[Defined]:
    """The functions of the project that a call runs, or the reading of a member of self."""
    if type(node) is cst.Attribute and type(node.value) is cst.Name:
        found = [item.referent for item in scope.bindings(node.attr.value)]
        if type(scope.node) is cst.ClassDef:
            yield from (item for item in found if isinstance(item, Defined))
    if type(node) is cst.Call:
        for item in refer(node.func, scope):
            if isinstance(item, Defined) and isinstance(item.node, cst.FunctionDef):
                yield item


def _may_have(referent: Defined, word: str) -> bool:
    """Whether a word may stand in a definition."""
    return referent.piece is None or word in referent.piece.block.words


def _keeps_values(node: cst.ClassDef | cst.FunctionDef, scope: Scope) -> bool:
    file = scope.top.source.file
    return file.analysed(
        (keeps_values, node), lambda: keeps_values(node) and not asks_about_tracers(node, scope)
    )


def _mentions(node: cst.CSTNode, name: str) -> bool:
    return any(is_name(item, name) for item in walk(node))


def _is_wraps(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Call) and last_part(node.func) == "wraps"


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
                inner = Applied((OWN_CACHED_PROPERTY,))
                named = _may_have(referent, "property")
                if not named or not _keeps_values(function, referent.scope):
                    inner = _wrapped(function, referent.scope, steps - 1, referent.piece)
                if not inner.names:
                    return _NOTHING
                names += inner.names
                arguments = inner.arguments
            case Defined(node=cst.ClassDef() as cls) if steps:
                inner = _inherited(cls, referent, steps - 1)
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
