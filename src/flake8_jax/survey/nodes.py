"""Trees of ``ast``: going over them, and the names in them."""

import ast
from collections.abc import Iterator, Mapping

LAMBDA = "<lambda>"
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)


def own_name(node: ast.AST) -> str:
    """The identifier of a name or of an attribute; "" for what has none."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each type that hold nodes, or lists of them."""

    _NO_NODES = frozenset(
        {"ctx", "id", "attr", "arg", "name", "names", "module", "level", "kind", "type_comment"}
        | {"op", "ops", "lineno", "asname", "type_ignores", "simple", "is_async", "conversion"}
        | {"rest", "kwd_attrs"}
    )
    _LEAVES = (ast.Constant, ast.MatchSingleton)

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        names = kind._fields if kind not in self._LEAVES else ()
        self[kind] = tuple(name for name in names if name not in self._NO_NODES)
        return self[kind]


_FIELDS = _Fields()
_GAPS = (ast.Dict, ast.arguments)
"""What has lists in which nodes may be missing."""


def children(node: ast.AST) -> list[ast.AST]:
    """As ``ast.iter_child_nodes``, which spends most of its time on fields that hold no nodes."""
    kind = type(node)
    found: list[ast.AST] = []
    for name in _FIELDS[kind]:
        value = getattr(node, name, None)
        if type(value) is list:
            found += value
        elif value is not None:
            found.append(value)
    return [item for item in found if item is not None] if kind in _GAPS else found


def below(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(children(node))


def stored(target: ast.AST) -> Iterator[str]:
    """The names that a target binds."""
    for node in below(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def captured(pattern: ast.AST) -> Iterator[str]:
    """The names that a pattern binds."""
    for node in below(pattern):
        if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name is not None:
            yield node.name


def names_in(node: ast.AST) -> set[str]:
    """All identifiers below a node."""
    return {name for name in map(own_name, below(node)) if name}


def functions_in(node: ast.AST) -> Iterator[str]:
    """What an expression mentions, and whether there are functions without a name.

    What variables get inside of it is noted where they do: what a comprehension goes over, and the
    value of a walrus, would be gone over again for each that stands around it.
    """
    stack = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.NamedExpr):
            yield part.target.id
        elif isinstance(part, ast.DictComp):
            stack += (part.key, part.value)
        elif isinstance(part, _COMPREHENSIONS):
            stack.append(part.elt)
        else:
            if isinstance(part, ast.Attribute):
                yield f".{part.attr}"
            elif isinstance(part, ast.Lambda):
                yield LAMBDA
            elif isinstance(part, ast.Call) and own_name(part.func) == "getattr":
                named = (item for item in part.args[1:2] if isinstance(item, ast.Constant))
                yield from (f".{item.value!s}" for item in named)
            stack += children(part)


def last_part(dotted: str) -> str:
    """The last part of a dotted name."""
    return dotted.rpartition(".")[2]


def stripped(base: ast.expr) -> ast.expr:
    """A base class without its type arguments."""
    while isinstance(base, ast.Subscript):
        base = base.value
    return base


def dotted_name(node: ast.expr, imports: Mapping[str, str]) -> str | None:
    """The dotted name of something that is imported."""
    steps: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        if isinstance(node, ast.Attribute):
            steps.append(node.attr)
        node = node.func if isinstance(node, ast.Call) else node.value
    root = imports.get(node.id) if isinstance(node, ast.Name) else None
    return ".".join([root, *reversed(steps)]) if root else None
