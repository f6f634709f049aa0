"""Tables that a constructor has filled: that traced code asks for more keys is not known."""

from collections.abc import Iterator

import libcst as cst

from flake8_jax.flow.values import Write
from flake8_jax.model import Model, ModelClass
from flake8_jax.syntax import blocks, first_parameter, is_name, statements, walk

_CONSTRUCTORS = ("__init__", "__post_init__", "setup")
_LEAVING = (cst.Return, cst.Raise, cst.Continue)
_FAR_IN = 3
"""Through how many methods a constructor is followed."""


def is_of_a_full_table(write: Write) -> bool:
    """Whether a write only happens where a table lacks a key, and a constructor has filled that.

    It does so in a loop, by a comprehension, or by the method that makes the write.
    """
    node = write.node if write.origin is None else write.origin.node
    piece = write.piece if write.origin is None else write.origin.piece
    model = piece.file.analysis.get(Model)
    for cls in model.classes_in(piece) if isinstance(model, Model) else ():
        for method in cls.methods.values():
            first = first_parameter(method)
            if first is not None and _holds(method.body, node):
                tables = set(_asked_for(list(statements(method.body)), node, first))
                family = (cls, *cls.model.heirs(cls))
                return bool(tables) and any(_fills(item, method, tables) for item in family)
    return False


def _asked_for(body: list[cst.CSTNode], node: cst.CSTNode, first: str) -> Iterator[str]:
    """The attributes that are asked for a key before a node is reached."""
    for statement in body:
        if isinstance(statement, cst.If):
            table, lacks = _membership(statement.test, first)
            inside = _holds(statement.body, node)
            last = list(statements(statement.body))[-1:]
            leaves = any(isinstance(item, _LEAVING) for item in last)
            otherwise = not lacks and (leaves or _holds(statement, node))
            if table is not None and (lacks if inside else otherwise):
                yield table
        if _holds(statement, node):
            inner = [item for item in blocks(statement) if _holds(item, node)]
            yield from _asked_for(list(blocks(statement)) if inner else [], node, first)
            return


def _holds(node: cst.CSTNode, part: cst.CSTNode) -> bool:
    return any(item is part for item in walk(node))


def _membership(test: cst.BaseExpression, first: str) -> tuple[str | None, bool]:
    """The attribute that ``key in self.table`` asks, and whether the key is to be lacking."""
    match test:
        case cst.Comparison(
            comparisons=[
                cst.ComparisonTarget(
                    operator=cst.In() | cst.NotIn() as operator,
                    comparator=cst.Attribute(value=owner, attr=cst.Name(value=table)),
                )
            ]
        ) if is_name(owner, first):
            return table, isinstance(operator, cst.NotIn)
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            table_, lacks = _membership(inner, first)
            return table_, not lacks
    return None, False


def _fills(cls: ModelClass, asking: cst.FunctionDef, tables: set[str]) -> bool:
    """Whether a constructor of a class fills one of some tables, or calls the method that asks."""
    names = (name for name in _CONSTRUCTORS)
    return any(
        _filled_in(cls, method, asking, tables, _FAR_IN)
        for name in names
        if (method := cls.method(name)) is not None
    )


def _filled_in(
    cls: ModelClass,
    method: cst.FunctionDef,
    asking: cst.FunctionDef,
    tables: set[str],
    depth: int,
) -> bool:
    first = first_parameter(method)
    if first is None or not depth:
        return False
    for node in walk(method.body):
        match node:
            case cst.Assign(targets=targets, value=cst.DictComp()):
                if any(_is_table(item.target, first, tables) for item in targets):
                    return True
            case cst.For() | cst.While():
                stores = (part for part in walk(node.body) if isinstance(part, cst.AssignTarget))
                for store in stores:
                    if isinstance(store.target, cst.Subscript):
                        if _is_table(store.target.value, first, tables):
                            return True
            case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value=name))):
                called = cls.method(name) if is_name(owner, first) else None
                if called is asking:
                    return True
                if called is not None and called is not method:
                    if _filled_in(cls, called, asking, tables, depth - 1):
                        return True
    return False


def _is_table(node: cst.BaseExpression, first: str, tables: set[str]) -> bool:
    return (
        isinstance(node, cst.Attribute) and is_name(node.value, first) and node.attr.value in tables
    )
