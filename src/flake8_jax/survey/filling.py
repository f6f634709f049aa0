"""Whether a class may fill a cache by hand: a method stores an attribute that a method tests.

It looks for less than ``lazy`` does, so that it finds all that is found there, and more.
"""

import ast
from collections.abc import Iterator

from flake8_jax.knowledge.objects import CONSTRUCTION
from flake8_jax.survey.nodes import below, names_in

_ANY = "*"
"""Stands for attributes whose names are not written down."""
_METHOD = ast.FunctionDef | ast.AsyncFunctionDef
_RAW = frozenset({"setattr", "__setattr__", "vars", "__dict__"})


def may_fill(cls: ast.ClassDef) -> bool:
    """Whether an attribute that a method stores is one that a method looks at before."""
    stored, tested = set[str](), set[str]()
    for node in cls.body:
        for method in below(node):
            if not isinstance(method, _METHOD) or method.name in CONSTRUCTION:
                continue
            arguments = [*method.args.posonlyargs, *method.args.args]
            if arguments:
                stored.update(_stored(method, arguments[0].arg))
                tested.update(_tested(method, arguments[0].arg))
    if not stored or not tested:
        return False
    return _ANY in stored or _ANY in tested or not stored.isdisjoint(tested)


def names_of_members(cls: ast.ClassDef) -> set[str]:
    """The names in a class body, but for those in its methods."""
    found = set[str]()
    for node in cls.body:
        if not isinstance(node, _METHOD):
            found |= names_in(node)
    return found


def _stored(method: _METHOD, owner: str) -> Iterator[str]:
    for node in below(method):
        match node:
            case ast.Attribute(attr=name, ctx=ast.Store(), value=ast.Name(id=root)):
                if root == owner:
                    yield name
            case ast.Attribute(attr=name) | ast.Name(id=name) if name in _RAW:
                yield _ANY


def _tested(method: _METHOD, owner: str) -> Iterator[str]:
    if method.name == "__getattr__":
        yield _ANY
    for node in below(method):
        match node:
            case ast.If(test=part) | ast.While(test=part) | ast.IfExp(test=part):
                yield from _attributes(part, owner)
            case ast.BoolOp() | ast.Match():
                yield from _attributes(node, owner)
            case ast.Try(body=body) | ast.TryStar(body=body) | ast.With(body=body):
                for statement in body:
                    yield from _attributes(statement, owner)
            case ast.Assign(value=value) | ast.AnnAssign(value=value) | ast.NamedExpr(value=value):
                if isinstance(value, ast.Attribute | ast.Compare | ast.UnaryOp):
                    yield from _attributes(value, owner)
            case ast.Name(id="getattr" | "hasattr"):
                yield _ANY
            case ast.Attribute(attr="__dict__" | "__getattribute__") | ast.Name(id="vars"):
                yield _ANY


def _attributes(node: ast.AST, owner: str) -> Iterator[str]:
    for part in below(node):
        match part:
            case ast.Attribute(attr=name, ctx=ast.Load(), value=ast.Name(id=root)):
                if root == owner:
                    yield name
