"""Rewrites modules so that they do the same, and tells where everything stood before."""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Position: TypeAlias = tuple[int, int]
"""A line from 1, and a column from 0."""
Rewrite: TypeAlias = Callable[[ast.Module], None]
"""Changes a tree. Nodes that it makes itself stand on line 0."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Rewritten:
    """A module that does the same as another one."""

    text: str
    positions: Mapping[Position, Position]
    """Where what stands somewhere stood before."""


def plain(text: str) -> str:
    """A module as Python prints it: rewritten modules differ from that in what was rewritten."""
    return ast.unparse(ast.parse(text)) + "\n"


def rewritten(text: str, rewrite: Rewrite) -> Rewritten:
    """A module that is printed so, rewritten."""
    tree = ast.parse(text)
    rewrite(tree)
    changed = ast.unparse(tree) + "\n"
    pairs = zip(_positioned(ast.parse(changed)), _positioned(tree), strict=True)
    positions = {}
    for now, before in pairs:
        if before.lineno:
            positions[now.lineno, now.col_offset] = before.lineno, before.col_offset
            for one, other in zip(_decorators(now), _decorators(before), strict=True):
                positions[one.lineno, one.col_offset - 1] = other.lineno, other.col_offset - 1
    return Rewritten(changed, positions)


def _decorators(node: ast.AST) -> list[ast.expr]:
    found: list[ast.expr] = getattr(node, "decorator_list", [])
    return found


def _positioned(tree: ast.AST) -> list[ast.expr | ast.stmt]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.expr | ast.stmt)]


def reorder(tree: ast.Module) -> None:
    """Turn the order of functions and classes around, as far as none needs another one at once."""
    body: list[ast.stmt] = []
    run: list[ast.stmt] = []
    for statement in [*tree.body, None]:
        if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
            run.append(statement)
            continue
        body += _turned(run)
        run = []
        body += [statement] if statement is not None else []
    tree.body = body


def _turned(run: list[ast.stmt]) -> list[ast.stmt]:
    names = [item.name for item in run if isinstance(item, (*_FUNCTIONS, ast.ClassDef))]
    if len({*names}) < len(names):
        return run
    waiting, found = dict(zip(names, run, strict=True)), list[ast.stmt]()
    needed = {name: _needed_at_once(item) for name, item in waiting.items()}
    while waiting:
        ready = [name for name in waiting if not (needed[name] & waiting.keys()) - {name}]
        if not ready:
            return run
        found.append(waiting.pop(ready[-1]))
    return found


def _needed_at_once(statement: ast.stmt) -> set[str]:
    """The names that a definition looks up when it is made."""
    found: set[str] = set()
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        inside = [*ast.iter_child_nodes(node)]
        if isinstance(node, ast.Lambda):
            inside = [node.args]
        elif isinstance(node, _FUNCTIONS):
            inside = [item for item in inside if not isinstance(item, ast.stmt)]
        elif isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= {*node.value.replace("[", " ").replace("]", " ").split()}
        stack += inside
    return found


def rename(tree: ast.Module) -> None:
    """Rename the variables of functions, but for their parameters."""
    for function in [node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)]:
        own = _bound_in(function)
        kept = _parameters(function) | _declared(tree)
        for inner in ast.walk(function):
            if inner is not function and isinstance(inner, _SCOPES):
                kept |= _bound_in(inner) | _parameters(inner)
            if isinstance(inner, _COMPREHENSIONS):
                kept |= {
                    name.id
                    for part in inner.generators
                    for name in ast.walk(part.target)
                    if isinstance(name, ast.Name)
                }
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id in own - kept:
                node.id = f"{node.id}_renamed"


def _bound_in(scope: ast.AST) -> set[str]:
    """The names that statements of a scope assign; not those of what is inside of it."""
    found: set[str] = set()
    others: set[str] = set()
    stack: list[ast.AST] = (
        [*getattr(scope, "body", ())] if not isinstance(scope, ast.Lambda) else []
    )
    while stack:
        node = stack.pop()
        if isinstance(node, _SCOPES):
            others.add(getattr(node, "name", ""))
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        if isinstance(node, ast.Import | ast.ImportFrom):
            others |= {(item.asname or item.name).partition(".")[0] for item in node.names}
        if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            others.add(node.name)
        if isinstance(node, ast.MatchMapping) and node.rest:
            others.add(node.rest)
        stack += ast.iter_child_nodes(node)
    return found if isinstance(scope, ast.ClassDef) else found - others


def _parameters(scope: ast.AST) -> set[str]:
    arguments = getattr(scope, "args", None)
    if not isinstance(arguments, ast.arguments):
        return set()
    return {node.arg for node in ast.walk(arguments) if isinstance(node, ast.arg)}


def _declared(tree: ast.AST) -> set[str]:
    """The names that some function declares global or nonlocal, or asks for by ``locals()``."""
    return {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Global | ast.Nonlocal)
        for name in node.names
    }


def add_function(tree: ast.Module) -> None:
    """Add a function that nobody calls, before the first definition and at the end."""
    first = next(
        (at for at, item in enumerate(tree.body) if isinstance(item, (*_FUNCTIONS, ast.ClassDef))),
        len(tree.body),
    )
    tree.body.insert(
        first, _made("def unrelated_before(first, second):\n    return first + second")
    )
    tree.body.append(_made("def unrelated_behind(rows):\n    return [row for row in rows if row]"))


def _made(text: str) -> ast.stmt:
    """A statement that stood nowhere."""
    [statement] = ast.parse(text).body
    for node in _positioned(statement):
        node.lineno = 0
    return statement


def wrap(tree: ast.Module) -> None:
    """Put the bodies of functions into ``if True:``."""
    for function in ast.walk(tree):
        if isinstance(function, _FUNCTIONS):
            told = 1 if ast.get_docstring(function, clean=False) is not None else 0
            whole = _made("if True:\n    pass")
            assert isinstance(whole, ast.If)
            declared = [
                item for item in function.body if isinstance(item, ast.Global | ast.Nonlocal)
            ]
            rest = [item for item in function.body[told:] if item not in declared]
            if rest:
                whole.body = rest
                function.body = [*function.body[:told], *declared, whole]


def swap(tree: ast.Module) -> None:
    """Swap the branches of ``if`` statements that have two."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and node.orelse:
            node.test = ast.UnaryOp(ast.Not(), node.test, lineno=0)
            node.body, node.orelse = node.orelse, node.body


def alias(tree: ast.Module) -> None:
    """Write to the variables of functions through other names."""
    for function in ast.walk(tree):
        if isinstance(function, _FUNCTIONS) and function.name not in _CONSTRUCTORS:
            _alias_in(function)


_CONSTRUCTORS = ("__init__", "__post_init__", "__new__", "setup", "tree_unflatten")
"""By what they assign to their first parameter itself, it is known which fields a class has."""


def _alias_in(function: _Function) -> None:
    for node in ast.walk(function):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                setattr(node, name, [*_aliased(body)])


def _aliased(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        target: ast.expr | None = None
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
        elif isinstance(statement, ast.AugAssign):
            target = statement.target
        if isinstance(target, ast.Attribute | ast.Subscript) and isinstance(target.value, ast.Name):
            owner = target.value
            if not owner.id.startswith("alias_of_"):
                made = _made(f"alias_of_{owner.id} = {owner.id}")
                yield made
                owner.id = f"alias_of_{owner.id}"
        yield statement


REWRITES: Mapping[str, Rewrite] = {
    "functions and classes in another order": reorder,
    "variables have other names": rename,
    "functions that nobody calls": add_function,
    "bodies in if True": wrap,
    "branches are swapped": swap,
    "written through an alias": alias,
}
