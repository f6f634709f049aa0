"""Caches on pytree classes become what jit makes of them: plain properties and methods."""

import re
from collections.abc import Iterable

import libcst as cst

from flake8_jax.caches import PytreeCache
from flake8_jax.fixes.edits import Change, Changed, Edit, Fix
from flake8_jax.fixes.targets import targets
from flake8_jax.knowledge.caches import (
    CACHED_PROPERTIES,
    FUNCTION_CACHES,
    JITS,
    LISTED_CACHED_PROPERTY,
    OWN_CACHED_PROPERTY,
)
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import CONTAINER_MUTATORS
from flake8_jax.names import refer
from flake8_jax.scopes import Defined, Imported
from flake8_jax.source import Piece
from flake8_jax.syntax import last_part, string_value, walk

_PROPERTY = "builtins.property"
_OF_LIBRARIES = CACHED_PROPERTIES - {OWN_CACHED_PROPERTY, LISTED_CACHED_PROPERTY}
_INSIDES = frozenset(
    {"__dict__", "__wrapped__", "attrname", "cache_clear", "cache_info", "cache_parameters", "func"}
)
"""Attributes by which code deals with a cache itself, or with where it is kept."""
_STORING = frozenset({"__delattr__", "__setattr__", "delattr", "setattr"})
_NOQA = re.compile(r"#\s*noqa\b", re.IGNORECASE)


def plain_property(found: PytreeCache) -> Fix | None:
    """A cached property becomes a property."""
    if not _is_free(found) or not _is(found, cst.Name("property"), {_PROPERTY}):
        return None
    match found.cache.anchor:
        case cst.Decorator() as anchor:
            caching = _called(anchor.decorator)
            function = found.cache.function
            outermost = isinstance(function, cst.FunctionDef) and function.decorators[0] is anchor
            if not outermost or not _is(found, caching, _OF_LIBRARIES):
                return None

            def decorated(node: cst.CSTNode) -> Changed:
                return node.with_changes(decorator=cst.Name("property"))

            return _fix(found, anchor, decorated, caching)
        case cst.Assign(value=cst.Call() as call) as anchor:
            if not _is(found, call.func, _OF_LIBRARIES) or not _takes_one(call):
                return None

            def assigned(node: cst.CSTNode) -> Changed:
                assert isinstance(node, cst.Assign)
                return node.with_deep_changes(node.value, func=cst.Name("property"))

            return _fix(found, anchor, assigned, call.func)
    return None


def plain_method(found: PytreeCache) -> Fix | None:
    """A method loses its function cache."""
    if not _is_free(found):
        return None
    function, anchor = found.cache.function, found.cache.anchor
    match anchor:
        case cst.Decorator() if isinstance(function, cst.FunctionDef):
            caching = _called(anchor.decorator)
            index = [item is anchor for item in function.decorators].index(True)
            above = [item.decorator for item in function.decorators[:index]]
            below = [item.decorator for item in function.decorators[index + 1 :]]
            binds = all(_is(found, _called(item), JITS) for item in below)
            known = all(_is(found, item, {_PROPERTY}) for item in above)
            if not binds or not known or not _is(found, caching, FUNCTION_CACHES):
                return None

            def undecorated(node: cst.CSTNode) -> Changed:
                assert isinstance(node, cst.FunctionDef)
                return _without_decorator(node, index)

            return _fix(found, function, undecorated, caching)
        case cst.Assign(value=cst.Call() as call):
            inner = call.args[0].value if _takes_one(call) else None
            caching = _called(call.func)
            plain = isinstance(inner, cst.Lambda) or (
                isinstance(inner, cst.Name) and _is_plain_function(found, inner)
            )
            if inner is None or not plain or not _is(found, caching, FUNCTION_CACHES):
                return None

            def unwrapped(node: cst.CSTNode) -> Changed:
                assert isinstance(node, cst.Assign)
                assert isinstance(node.value, cst.Call)
                return node.with_changes(value=node.value.args[0].value)

            return _fix(found, anchor, unwrapped, caching)
    return None


def _fix(found: PytreeCache, node: cst.CSTNode, change: Change, caching: cst.BaseExpression) -> Fix:
    name = caching
    while isinstance(name, cst.Attribute):
        name = name.value
    frees = frozenset({name.value}) if isinstance(name, cst.Name) else frozenset[str]()
    return Fix((Edit(found.cls.piece, node, change),), frees=frees)


def _without_decorator(function: cst.FunctionDef, index: int) -> cst.FunctionDef:
    """A function without one of its decorators; the comments about it stay."""
    removed = function.decorators[index]
    rest = [*function.decorators[:index], *function.decorators[index + 1 :]]
    kept = list(removed.leading_lines)
    comment = removed.trailing_whitespace.comment
    if comment is not None and _NOQA.match(comment.value) is None:
        kept.append(cst.EmptyLine(comment=comment))
    if index < len(rest):
        following = rest[index]
        rest[index] = following.with_changes(leading_lines=[*kept, *following.leading_lines])
        return function.with_changes(decorators=rest)
    after = [*kept, *function.lines_after_decorators]
    if rest:
        return function.with_changes(decorators=rest, lines_after_decorators=after)
    lines = [*function.leading_lines, *after]
    return function.with_changes(decorators=rest, leading_lines=lines, lines_after_decorators=())


def _called(node: cst.BaseExpression) -> cst.BaseExpression:
    """What a decorator calls, where it is given nothing but constants."""
    if isinstance(node, cst.Call) and all(_is_constant(item.value) for item in node.args):
        return node.func
    return node


def _is_constant(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Name):
        return node.value in {"None", "True", "False"}
    return isinstance(node, cst.Integer | cst.Float)


def _takes_one(call: cst.Call) -> bool:
    return len(call.args) == 1 and call.args[0].keyword is None and not call.args[0].star


def _is(found: PytreeCache, node: cst.BaseExpression, table: Iterable[str]) -> bool:
    """Whether an expression of the class body can be nothing but what a table knows."""
    referents = refer(node, found.cls.scope)
    return bool(referents) and all(
        isinstance(item, Imported) and canonical(item.dotted) in table for item in referents
    )


def _is_plain_function(found: PytreeCache, node: cst.Name) -> bool:
    referents = refer(node, found.cls.scope)
    return bool(referents) and all(
        isinstance(item, Defined)
        and isinstance(item.node, cst.FunctionDef)
        and not item.node.decorators
        for item in referents
    )


def _is_free(found: PytreeCache) -> bool:
    """Whether the class itself has the cache, and its module takes it for the value alone."""
    if found.owner is not found.cls:
        return False
    pieces = found.cls.model.scope.source.pieces
    return not any(_handles(piece, found.cache.attribute) for piece in pieces)


def _handles(piece: Piece, name: str) -> bool:
    """Whether a piece of the module deals with a cache other than by reading its value."""
    words = piece.block.words
    if not words & {name, "vars", *_INSIDES, *_STORING}:
        return False
    if piece.tree is None:
        return True
    for node in walk(piece.tree):
        match node:
            case cst.Attribute(attr=cst.Name(value=attribute)) if attribute in _INSIDES:
                return True
            case cst.Call(func=cst.Name(value="vars")):
                return True
            case cst.Call(func=cst.Attribute(value=cst.Attribute(attr=owner), attr=method)):
                if owner.value == name and method.value in CONTAINER_MUTATORS:
                    return True
            case cst.Call(func=func, args=arguments) if last_part(func) in _STORING:
                given = [string_value(item.value) for item in arguments[:2]]
                if name in given or given == [None] * len(given):
                    return True
        if any(_is_member(target, name) for target in targets(node)):
            return True
    return False


def _is_member(target: cst.BaseExpression, name: str) -> bool:
    """Whether a target is the attribute of some object, or something inside of it."""
    while isinstance(target, cst.Attribute | cst.Subscript):
        if isinstance(target, cst.Attribute) and target.attr.value == name:
            return True
        target = target.value
    return False
