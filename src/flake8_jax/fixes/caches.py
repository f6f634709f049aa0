"""Caches on pytree classes become what jit makes of them: plain properties and methods."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import libcst as cst

from flake8_jax.classes.caches import CacheForm, PytreeCache
from flake8_jax.classes.layout import own_fields
from flake8_jax.fixes.declining import DeclinedError
from flake8_jax.fixes.edits import NOQA, Change, Changed, Edit, Fix, comments
from flake8_jax.fixes.names import Defined, Imported, Names
from flake8_jax.fixes.nodes import piece_of, statement_at
from flake8_jax.fixes.pieces import Piece
from flake8_jax.fixes.purity import repeatable
from flake8_jax.fixes.safety import Safety
from flake8_jax.fixes.staleness import stale_by
from flake8_jax.fixes.targets import targets
from flake8_jax.knowledge.caches import (
    CACHED_PROPERTIES,
    FUNCTION_CACHES,
    JITS,
    OWN_CACHED_PROPERTY,
)
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.listed import LISTED_CACHED_PROPERTY
from flake8_jax.knowledge.objects import CONTAINER_MUTATORS, ELEMENT_METHODS
from flake8_jax.syntax import is_name, last_part, string_value, walk

_PROPERTY = "builtins.property"
_OF_LIBRARIES = CACHED_PROPERTIES - {OWN_CACHED_PROPERTY, LISTED_CACHED_PROPERTY}
_INSIDES = frozenset(
    {"__dict__", "__wrapped__", "attrname", "cache_clear", "cache_info", "cache_parameters", "func"}
)
"""Attributes by which code deals with a cache itself, or with where it is kept."""
_DEALING = frozenset(
    {
        cst.AnnAssign,
        cst.Arg,
        cst.Assign,
        cst.Attribute,
        cst.AugAssign,
        cst.Call,
        cst.Comparison,
        cst.Del,
        cst.For,
        cst.NamedExpr,
        cst.With,
    }
)
"""The nodes by which code may deal with a value other than by reading it, or name it."""
_TELLING = frozenset({"isinstance", "issubclass"})
_TELLING_APART = frozenset({"id", "proxy", "ref"})
"""Functions whose result depends on which object they get: its identity, a weak reference."""
_NAMES = (cst.Attribute, cst.Name)
_CACHES = frozenset(name.rpartition(".")[2] for name in (*_OF_LIBRARIES, *FUNCTION_CACHES))
_CONSTANTS = frozenset({"None", "True", "False"})
_STORING = frozenset({"__delattr__", "__setattr__", "delattr", "object", "setattr"})
"""The last part of the names of functions that assign an attribute by its name: of
``mock.patch.object``, too."""


def plain_property(found: PytreeCache) -> Fix | None:
    """A cached property becomes a property."""
    _require_free(found)
    if not _is(found, cst.Name("property"), {_PROPERTY}):
        raise DeclinedError(f"'property' stands for something else in {found.info.name!r}")
    match _statement(found):
        case cst.FunctionDef() as function if found.cache.decorator is not None:
            anchor = function.decorators[0]
            caching = _called(anchor.decorator)
            if _index(found) != 0:
                raise DeclinedError(f"{_line(found)} has another decorator above the cache")
            if not _is(found, caching, _OF_LIBRARIES):
                raise DeclinedError(_unknown(found, caching))

            def decorated(node: cst.CSTNode) -> Changed:
                assert isinstance(node, cst.Decorator)
                above = [*node.leading_lines, *_lines(comments(node.decorator))]
                return node.with_changes(decorator=cst.Name("property"), leading_lines=above)

            return _fix(found, anchor, decorated, caching)
        case cst.Assign(value=cst.Call() as call) as assignment:
            if not _is(found, call.func, _OF_LIBRARIES) or not _takes_one(call):
                raise DeclinedError(_unknown(found, call))

            def assigned(node: cst.CSTNode) -> Changed:
                assert isinstance(node, cst.Assign)
                return node.with_deep_changes(node.value, func=cst.Name("property"))

            return _fix(found, assignment, assigned, call.func)
    raise DeclinedError(f"{_line(found)} makes the cache in a way that has no plain twin")


def plain_method(found: PytreeCache) -> Fix | None:
    """A method loses its function cache."""
    _require_free(found)
    match _statement(found):
        case cst.FunctionDef() as function if found.cache.decorator is not None:
            index = _index(found)
            caching = _called(function.decorators[index].decorator)
            above = [item.decorator for item in function.decorators[:index]]
            below = [item.decorator for item in function.decorators[index + 1 :]]
            binds = all(_is(found, _called(item), JITS) for item in below)
            known = all(_is(found, item, {_PROPERTY}) for item in above)
            if not binds or not known:
                raise DeclinedError(f"{_line(found)} has another decorator that may want the cache")
            if not _is(found, caching, FUNCTION_CACHES):
                raise DeclinedError(_unknown(found, caching))

            def undecorated(node: cst.CSTNode) -> Changed:
                assert isinstance(node, cst.FunctionDef)
                return _without_decorator(node, index)

            return _fix(found, function, undecorated, caching)
        case cst.Assign(value=cst.Call() as call) as anchor:
            inner = call.args[0].value if _takes_one(call) else None
            caching = _called(call.func)
            plain = isinstance(inner, cst.Lambda) or (
                isinstance(inner, cst.Name) and _is_plain_function(found, inner)
            )
            if inner is None or not plain or not _is(found, caching, FUNCTION_CACHES):
                raise DeclinedError(_unknown(found, call))

            def unwrapped(node: cst.CSTNode) -> Changed:
                assert isinstance(node, cst.Assign)
                assert isinstance(node.value, cst.Call)
                return node.with_changes(value=node.value.args[0].value)

            return _fix(found, anchor, unwrapped, caching)
    raise DeclinedError(f"{_line(found)} makes the cache in a way that has no plain twin")


def _fix(found: PytreeCache, node: cst.CSTNode, change: Change, caching: cst.BaseExpression) -> Fix:
    alters = repeatable(found) or stale_by(found) or _told_apart(found) or _mixed(found)
    name = caching
    while isinstance(name, cst.Attribute):
        name = name.value
    frees = frozenset({name.value}) if isinstance(name, cst.Name) else frozenset[str]()
    edits = (Edit(piece_of(found.info.module, found.cache.position[0]), node, change),)
    safety = Safety.UNSAFE if alters else Safety.SAFE
    return Fix(edits, safety, alters, frees=frees, cache=found.cache.attribute)


def _statement(found: PytreeCache) -> cst.CSTNode | None:
    """The statement of the class body that makes the cache."""
    return statement_at(found.info.module, found.cache.position)


def _index(found: PytreeCache) -> int:
    """Which of its decorators caches the results of a method."""
    for method in found.info.methods.values():
        if method.position == found.cache.position and found.cache.decorator is not None:
            return method.statement.decorator_spans.index(found.cache.decorator)
    return -1


def _without_decorator(function: cst.FunctionDef, index: int) -> cst.FunctionDef:
    """A function without one of its decorators; the comments about it stay."""
    removed = function.decorators[index]
    rest = [*function.decorators[:index], *function.decorators[index + 1 :]]
    kept = [*removed.leading_lines, *_lines(comments(removed.decorator))]
    comment = removed.trailing_whitespace.comment
    if comment is not None:
        kept += _lines([comment.value])
    if index < len(rest):
        following = rest[index]
        rest[index] = following.with_changes(leading_lines=[*kept, *following.leading_lines])
        return function.with_changes(decorators=rest)
    after = [*kept, *function.lines_after_decorators]
    if rest:
        return function.with_changes(decorators=rest, lines_after_decorators=after)
    lines = [*function.leading_lines, *after]
    return function.with_changes(decorators=rest, leading_lines=lines, lines_after_decorators=())


def _lines(texts: Iterable[str]) -> list[cst.EmptyLine]:
    """Comments on lines of their own; those for linters were about the line that is gone."""
    kept = (text for text in texts if NOQA.match(text) is None)
    return [cst.EmptyLine(comment=cst.Comment(text)) for text in kept]


def _called(node: cst.BaseExpression) -> cst.BaseExpression:
    """What a decorator calls, where it is given nothing but constants."""
    if isinstance(node, cst.Call) and all(_is_constant(item.value) for item in node.args):
        return node.func
    return node


def _is_constant(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Name):
        return node.value in _CONSTANTS
    return isinstance(node, cst.Integer | cst.Float)


def _takes_one(call: cst.Call) -> bool:
    return len(call.args) == 1 and call.args[0].keyword is None and not call.args[0].star


def _is(found: PytreeCache, node: cst.BaseExpression, table: Iterable[str]) -> bool:
    """Whether an expression of the class body can be nothing but what a table knows."""
    referents = Names(found.info.inside).refer(node)
    return bool(referents) and all(
        isinstance(item, Imported) and canonical(item.dotted) in table for item in referents
    )


def _is_plain_function(found: PytreeCache, node: cst.Name) -> bool:
    referents = Names(found.info.inside).refer(node)
    return bool(referents) and all(
        isinstance(item, Defined)
        and isinstance(item.node, cst.FunctionDef)
        and not item.node.decorators
        for item in referents
    )


def _told_apart(found: PytreeCache) -> str:
    """Where the module asks of objects in general whether they are the same; empty if nowhere."""
    for piece in Names.of(found.info.module).pieces:
        if piece.block.words.isdisjoint({"id", "is"}) or piece.tree is None:
            continue
        for node in walk(piece.tree):
            if _is_identity(node):
                line = piece.position(node)[0]
                return f"line {line} may tell two values of {found.cache.attribute!r} apart"
    return ""


def _mixed(found: PytreeCache) -> str:
    """Where a cached method gets arguments that are equal and not the same, as 1 and 1.0."""
    name, seen = found.cache.attribute, dict[object, cst.BaseExpression]()
    if found.cache.form is CacheForm.PROPERTY:
        return ""
    for piece in Names.of(found.info.module).pieces:
        if name not in piece.block.words or piece.tree is None:
            continue
        for node in walk(piece.tree):
            if isinstance(node, cst.Call) and last_part(node.func) == name:
                for item in (part for given in node.args for part in _values(given.value, piece)):
                    value = _constant(item)
                    known = seen.setdefault(value, item) if value is not None else None
                    if known is not None and not known.deep_equals(item):
                        line = piece.position(node)[0]
                        return f"{name!r} gets arguments on line {line} that only look the same"
    return ""


def _values(given: cst.BaseExpression, piece: Piece) -> list[cst.BaseExpression]:
    """What an argument may be: itself, or the elements over which its name loops."""
    if not isinstance(given, cst.Name) or piece.tree is None:
        return [given]
    return [
        item.value
        for node in walk(piece.tree)
        if isinstance(node, cst.For | cst.CompFor) and is_name(node.target, given.value)
        if isinstance(node.iter, cst.List | cst.Tuple | cst.Set)
        for item in node.iter.elements
    ]


def _constant(node: cst.BaseExpression) -> object:
    """The value of a number or of a truth value."""
    match node:
        case cst.Integer() | cst.Float():
            return node.evaluated_value
        case cst.Name(value="True" | "False" as name):
            return name == "True"
    return None


def _is_identity(node: cst.CSTNode) -> bool:
    match node:
        case cst.Call(func=cst.Name(value="id"), args=[_]):
            return True
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator, right)]):
            sides = (left, right)
            firm = any(isinstance(i, cst.Name) and i.value in _CONSTANTS for i in sides)
            named = any((last_part(i) or "")[:1].isupper() for i in sides)
            return isinstance(operator, cst.Is | cst.IsNot) and not firm and not named
    return False


def _line(found: PytreeCache) -> str:
    """Where the cache is made."""
    node = _statement(found)
    piece = piece_of(found.info.module, found.cache.position[0])
    return f"line {piece.position(node)[0]}" if node is not None else repr(found.info.name)


def _unknown(found: PytreeCache, caching: cst.BaseExpression) -> str:
    words = piece_of(found.info.module, found.cache.position[0]).quote(caching)
    return f"'{words}' on {_line(found)} may do more than to keep what the function gives"


def _require_free(found: PytreeCache) -> None:
    """Decline if another class has the cache, or the module does more with it than to read it."""
    info, name = found.info, found.cache.attribute
    if found.is_inherited:
        owner = next((item for item in info.mro if name in item.bound), None)
        raise DeclinedError(
            f"{name!r} is inherited" + (f"; change it in {owner.name!r}" if owner else "")
        )
    for cls in (*info.mro, *info.subclasses):
        if any(item.name == name for item in own_fields(cls)):
            # it is set when an object is made, as only a cache can be
            raise DeclinedError(f"{name!r} is a field of {cls.name!r} as well, which assigns it")
    is_property = found.cache.form is CacheForm.PROPERTY
    values = _Values(name, descriptor_of=info.name if is_property else None)
    for piece in Names.of(info.module).pieces:
        if not _mentions(piece, values):
            continue
        if piece.tree is None:
            raise DeclinedError(f"line {piece.block.first}, which names {name!r}, cannot be read")
        node = _dealing(piece, piece.tree, values)
        if node is not None:
            where = f"'{piece.quote(node)}' on line {piece.position(node)[0]}"
            raise DeclinedError(f"{where} may do more with {name!r} than to read its value")


def _mentions(piece: Piece, values: "_Values") -> bool:
    words = {values.attribute, "vars", *_INSIDES, *_STORING, *_TELLING}
    return not piece.block.words.isdisjoint(words)


def _dealing(piece: Piece, tree: cst.Module, values: "_Values") -> cst.CSTNode | None:
    """Where a piece of the module deals with a cache other than by reading its value."""
    nodes = piece.file.analysed(
        ("dealing", piece), lambda: [node for node in walk(tree) if type(node) in _DEALING]
    )
    known = replace(values, aliases=frozenset(_aliases(nodes, values.attribute)))
    return next((node for node in nodes if _deals(node, known)), None)


def _deals(node: cst.CSTNode, values: "_Values") -> bool:
    match node:
        case cst.Attribute(attr=cst.Name(value=attribute)) if attribute in _INSIDES:
            return True
        case cst.Attribute(value=cst.Name(value=owner), attr=cst.Name(value=attribute)):
            return owner == values.descriptor_of and attribute == values.attribute
        case cst.Call(func=cst.Name(value="vars")):
            return True
        case cst.Call(func=cst.Name(value=name), args=[_, kind]) if name in _TELLING:
            named = (last_part(item) for item in walk(kind.value) if isinstance(item, _NAMES))
            return not _CACHES.isdisjoint(filter(None, named))
        case cst.Call(func=func, args=[given, *_]) if last_part(func) in _TELLING_APART:
            if values.has(given.value):
                return True
        case cst.Arg(keyword=cst.Name(value="out"), value=given):
            return values.has(given)
        case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value=method))):
            if method in CONTAINER_MUTATORS and values.has(owner):
                return True
        case cst.AugAssign(target=target, value=cst.BaseDict() | cst.BaseList() | cst.BaseSet()):
            return values.has(target)
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator, right)]):
            by_identity = isinstance(operator, cst.Is | cst.IsNot)
            constant = is_name(left, "None") or is_name(right, "None")
            return by_identity and not constant and (values.has(left) or values.has(right))
    match node:
        case cst.Call(func=func, args=arguments) if last_part(func) in _STORING:
            names = [string_value(item.value) for item in arguments[:2]]
            if values.attribute in names or names == [None] * len(names):
                return True
    return any(values.has(item) for item in targets(node) if not isinstance(item, cst.Name))


@dataclass(frozen=True)
class _Values:
    """The expressions of a piece that stand for the value of an attribute, or for a part of it."""

    attribute: str
    aliases: frozenset[str] = frozenset()
    descriptor_of: str | None = None
    """The class whose attribute is no value, but what makes it."""

    def has(self, node: cst.BaseExpression) -> bool:
        while True:
            match node:
                case cst.Attribute(attr=cst.Name(value=name)) if name == self.attribute:
                    return True
                case cst.Attribute(value=value) | cst.Subscript(value=value):
                    node = value
                case cst.Call(func=cst.Attribute(value=value, attr=cst.Name(value=method))):
                    if method not in ELEMENT_METHODS:
                        return False
                    node = value
                case _:
                    return isinstance(node, cst.Name) and node.value in self.aliases


def _aliases(nodes: Iterable[cst.CSTNode], attribute: str) -> set[str]:
    """The names that a piece gives to the value of an attribute, or to parts of it."""
    found: set[str] = set()
    for node in nodes:
        match node:
            case cst.Assign(value=value) | cst.AnnAssign(value=cst.BaseExpression() as value):
                bound = targets(node)
            case cst.For(iter=value):
                bound = targets(node)
            case cst.NamedExpr(target=cst.Name() as target, value=value):
                bound = iter([target])
            case _:
                continue
        known = _Values(attribute, frozenset(found))
        several = value.elements if isinstance(value, cst.Tuple) else ()
        if known.has(value) or any(known.has(item.value) for item in several):
            found.update(item.value for item in bound if isinstance(item, cst.Name))
    return found
