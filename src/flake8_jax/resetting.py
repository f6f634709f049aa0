"""Objects that every call sets anew before it reads them: nobody meets what a trace leaves."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import libcst as cst

from flake8_jax.flow.analysis import parameters
from flake8_jax.flow.values import STATIC, Write
from flake8_jax.syntax import children, integer_value, statements, string_value, walk, walk_scope

_NEW = (cst.Call, cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp, cst.SetComp)
_LOOPS = (cst.For, cst.While)
_FUNCTIONS = (cst.FunctionDef, cst.Lambda)
_SUITES = (cst.IndentedBlock, cst.SimpleStatementSuite)


class _Mention(NamedTuple):
    """A mention of a variable, and what it stands in, outermost first."""

    node: cst.Name
    around: tuple[cst.CSTNode, ...]

    @property
    def parent(self) -> cst.CSTNode:
        return self.around[-1]

    @property
    def function(self) -> cst.CSTNode | None:
        """The outermost function inside of the one that has the variable."""
        return next((item for item in self.around if isinstance(item, _FUNCTIONS)), None)


def is_set_before_read(write: Write) -> bool:
    """Whether what is written belongs to a variable of a function around, and each of the inner
    functions that mention the variable sets the place before it reads anything of the object.

    The function itself mentions the variable only before those are defined, and hands it to nobody.
    """
    owner, name = write.place.root.owner, write.place.root.name
    if not isinstance(owner, cst.FunctionDef) or not write.place.path:
        return False
    if name in {item.name for item in parameters(owner)}:
        return False
    path = tuple(step.lstrip(STATIC) for step in write.place.path)
    mentions = [item for item in _mentions(owner.body) if item.node.value == name]
    inner = {item.function: None for item in mentions if item.function is not None}
    order = {node: index for index, node in enumerate(walk(owner.body))}
    first = min((order[item] for item in inner if item is not None), default=0)
    own = [item for item in mentions if item.function is None]
    bound = [item for item in own if isinstance(item.parent, cst.AssignTarget)]
    if len(bound) != 1 or not _is_new(bound[0], owner) or not inner:
        return False
    for item in own:
        loops = [node for node in item.around if isinstance(node, _LOOPS)]
        early = order[item.node] < first and not any(_holds(loop, inner) for loop in loops)
        if item is not bound[0] and not (early and isinstance(item.parent, cst.Attribute)):
            return False
    return all(_sets_first(function, name, path) for function in inner)


def _mentions(root: cst.CSTNode) -> Iterator[_Mention]:
    stack: list[tuple[cst.CSTNode, tuple[cst.CSTNode, ...]]] = [(root, ())]
    while stack:
        node, around = stack.pop()
        if isinstance(node, cst.Name):
            if not _is_label(node, around[-1]):
                yield _Mention(node, around)
            continue
        stack += [(item, (*around, node)) for item in children(node)]


def _is_label(node: cst.Name, parent: cst.CSTNode) -> bool:
    """Whether a name is that of an attribute or a keyword."""
    match parent:
        case cst.Attribute(attr=label) | cst.Arg(keyword=label):
            return label is node
    return False


def _is_new(mention: _Mention, owner: cst.FunctionDef) -> bool:
    """Whether a variable is bound to an object that was made for it, as far as one can see.

    What the caller has handed over may give objects of the caller.
    """
    statement = mention.around[-2]
    if not isinstance(statement, cst.Assign) or not isinstance(statement.value, _NEW):
        return False
    if not isinstance(statement.value, cst.Call):
        return True
    given = {item.name for item in parameters(owner)}
    called = (node for node in walk(statement.value.func) if isinstance(node, cst.Name))
    return given.isdisjoint(node.value for node in called)


def _holds(node: cst.CSTNode, parts: object) -> bool:
    assert isinstance(parts, dict)
    return any(item in parts for item in walk(node))


def _sets_first(function: cst.CSTNode | None, name: str, path: tuple[str, ...]) -> bool:
    """Whether a function sets a place of an object before it does anything else with the object."""
    if not isinstance(function, cst.FunctionDef):
        return False
    names = {name, *_aliases(function, name)}
    if not names.isdisjoint(item.name for item in parameters(function)):
        return False
    left: set[cst.Name] = set()
    alone = {
        item
        for item in walk(function.body)
        if isinstance(item, cst.FunctionDef) and _sets_first(item, name, path)
    }
    for item in _mentions(function.body):
        if item.node.value not in names or _is_alias(item, names):
            continue
        if not alone.isdisjoint(item.around):
            continue
        if not isinstance(item.parent, cst.Attribute | cst.Subscript | cst.Arg):
            return False
        left.add(item.node)

    def sets(node: cst.CSTNode) -> bool:
        if not isinstance(node, cst.Assign):
            return False
        if any(part in left for part in walk(node.value)):
            return False
        found = (_steps(target.target) for target in node.targets)
        return any(base in names and steps and steps == path[: len(steps)] for base, steps in found)

    stored = {part for node in walk(function.body) for part in _stored(node)}
    if alone and left <= stored:
        return True
    return any(_comes_first(list(statements(suite)), sets, left) for suite in _suites(function))


def _suites(function: cst.FunctionDef) -> Iterator[cst.BaseSuite]:
    for node in walk_scope(function.body):
        if isinstance(node, _SUITES):
            yield node


def _comes_first(
    body: list[cst.CSTNode], sets: Callable[[cst.CSTNode], bool], mentions: set[cst.Name]
) -> bool:
    """Whether a block has a statement before which nothing is mentioned but what is set, and all
    that is mentioned elsewhere is mentioned after it in the same block.
    """
    for index, statement in enumerate(body):
        if sets(statement):
            inside = {part for item in body[index:] for part in walk(item)}
            before = {part for item in body[:index] for part in _stored(item)}
            return mentions <= inside | before
    return False


def _stored(statement: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The variables in the targets of an assignment to attributes: they are not read."""
    if isinstance(statement, cst.Assign):
        for target in statement.targets:
            if isinstance(target.target, cst.Attribute):
                yield target.target.value


def _aliases(function: cst.FunctionDef, name: str) -> Iterator[str]:
    for node in walk_scope(function.body):
        match node:
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Name(value=alias))],
                value=cst.Name(value=value),
            ) if value == name:
                yield alias


def _is_alias(mention: _Mention, names: set[str]) -> bool:
    """Whether a mention is a part of ``other = name``."""
    for node in mention.around[-2:]:
        match node:
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Name(value=alias))],
                value=cst.Name(value=value),
            ):
                return {alias, value} <= names
    return False


def _steps(node: cst.BaseExpression) -> tuple[str, tuple[str, ...]]:
    """The variable of ``name.one["two"]``, and the steps from it; none where it is not plain."""
    steps: list[str] = []
    while not isinstance(node, cst.Name):
        match node:
            case cst.Attribute(value=value, attr=cst.Name(value=step)):
                steps.append(step)
            case cst.Subscript(
                value=value, slice=[cst.SubscriptElement(slice=cst.Index(value=key))]
            ):
                text, number = string_value(key), integer_value(key)
                if text is None and number is None:
                    return "", ()
                steps.append(f"[{text if text is not None else number!r}]")
            case _:
                return "", ()
        node = value
    return node.value, tuple(reversed(steps))
