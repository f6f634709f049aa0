"""On all fixtures, names stand for what the first core takes them for, or what Python says.

Asked are all names that occur in a module, as they are in the end, and all decorators and base
classes, where they stand.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import libcst as cst
import pytest

from conftest import FIXTURES
from flake8_jax import linking, names, scopes
from flake8_jax.knowledge.caches import OWN_CACHED_PROPERTY
from flake8_jax.knowledge.known import canonical
from flake8_jax.lowering.printer import show
from flake8_jax.lowering.program import Class, Expr
from flake8_jax.outline import attach
from flake8_jax.project import Project, Settings
from flake8_jax.resolution.callee import callees
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.modules import module_of
from flake8_jax.resolution.resolve import Definition, Expression, Referent, resolve, resolve_name
from flake8_jax.resolution.scopes import module_scope
from written import definitions

BETTER = {
    "JAX101/hazard_own_marker_forms.py: $node": "a lambda is seen through as a function is",
    "JAX201/hazard_jit_if_fast.py: bake_fast": "either side of a conditional expression",
}
"""Where the first core says less, and what makes the difference."""

_CONSTANTS = ("builtins.None", "builtins.True", "builtins.False")


def old(item: scopes.Referent) -> str:
    match item:
        case scopes.Imported():
            return "value" if item.dotted in _CONSTANTS else canonical(item.dotted)
        case scopes.Defined():
            return f"{item.scope.top.name}: {item.node.name.value}"
        case scopes.Valued():
            return "value"
    return "unknown"


def new(item: Referent) -> str:
    match item:
        case External():
            return item.dotted
        case Definition():
            return f"{item.module.name}: {item.made.name}"
        case Expression():
            return "value"
    return "unknown"


def old_definitions(scope: scopes.Scope) -> Iterator[scopes.Defined]:
    if isinstance(scope, scopes.ModuleScope):
        bound = [item for piece in scope.source.pieces for item in scope._of(piece)]
    else:
        assert isinstance(scope, scopes.InnerScope)
        bound = [*scope.all]
    for item in bound:
        made = item.referent
        if isinstance(made, scopes.Defined):
            yield made
            inner = scopes.inner_scope(made.node, scope, item.order, made.piece)
            yield from old_definitions(inner)


def old_expressions(made: scopes.Defined) -> list[cst.BaseExpression]:
    bases = made.node.bases if isinstance(made.node, cst.ClassDef) else ()
    return [item.decorator for item in made.node.decorators] + [item.value for item in bases]


def new_expressions(made: Definition) -> tuple[Expr, ...]:
    bases = made.made.bases if isinstance(made.made, Class) else ()
    return (*made.statement.decorators, *bases)


def differences(project: Project, path: Path) -> Iterator[str]:
    text = path.read_text()
    tree = ast.parse(text)
    file = project.open(str(path), text, project)
    attach(file, text.splitlines(keepends=True), tree)
    before = linking.module_scope(project, file)
    module = module_of(project, file)
    words = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    rebound = {
        name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names
    }
    for word in sorted(words - {"__name__"}):  # a string of the module, and not that of builtins
        first = {old(item) for item in names.refer(cst.Name(word), before)}
        second = {new(item) for item in resolve_name(module, word)}
        if word in rebound:  # functions may give it other values
            second.discard("unknown")
        if first != second:
            yield word
    pairs = zip(old_definitions(before), definitions(module_scope(module)), strict=True)
    for one, other in pairs:
        assert one.node.name.value == other.made.name
        for node, expr in zip(old_expressions(one), new_expressions(other), strict=True):
            first = {old(item) for item in names.refer(node, one.scope, one.at)}
            if first != {new(item) for item in resolve(other.scope, expr, other.position)}:
                yield show(expr)
            used = names.applied(node, one.scope, one.at).names
            found = callees(other.scope, expr, other.position)
            if used == (OWN_CACHED_PROPERTY,):  # a later stage tells, by the definition
                assert all(isinstance(item.target, Definition) or item.via for item in found)
            elif {*used} != {
                new(item.target) for item in found if isinstance(item.target, External)
            }:
                yield show(expr)


@pytest.mark.parametrize(
    "folder", [path for path in sorted(FIXTURES.iterdir()) if path.is_dir()], ids=lambda p: p.name
)
def test_fixtures(folder: Path) -> None:
    project = Project(Settings(), str(folder))
    paths = sorted(folder.rglob("*.py"))
    assert paths
    found = [
        f"{path.relative_to(FIXTURES).as_posix()}: {difference}"
        for path in paths
        for difference in differences(project, path)
    ]
    expected = [item for item in BETTER if item.startswith(f"{folder.name}/")]
    assert sorted({*found}) == expected
