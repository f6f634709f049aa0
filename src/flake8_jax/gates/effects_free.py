"""Whether a file changes nothing, keeps nothing and throws nothing away: no rule speaks of it.

Told by the tree that flake8 has, so that libcst need not be imported for such a file alone.
"""

import ast

from flake8_jax.knowledge.caches import CACHED_PROPERTIES, FUNCTION_CACHES
from flake8_jax.knowledge.objects import (
    ARRAY_UPDATES,
    CONTAINER_MUTATORS,
    TREE_MAPS,
    UPDATE_FUNCTIONS,
    UPDATE_METHODS,
)
from flake8_jax.workspace.files import File, Project
from flake8_jax.workspace.outline import imports

_SETTERS = frozenset({"setattr", "delattr", "__setattr__", "__delattr__", "__dict__", "vars"})
_NAMES = (*CACHED_PROPERTIES, *FUNCTION_CACHES, *UPDATE_FUNCTIONS)
_TELLING = frozenset(name.rpartition(".")[2] for name in _NAMES) | (
    CONTAINER_MUTATORS | ARRAY_UPDATES | UPDATE_METHODS | _SETTERS | {"__get__", "*"}
)
"""The names by which something is changed, kept, or made anew."""
_MAPS = frozenset(name.rpartition(".")[2] for name in TREE_MAPS)
"""Those of what makes a tree anew, which matters where nobody gets it."""


def is_still(project: Project, file: File, tree: ast.Module) -> bool:
    """Whether no rule can have anything to say about a file, whatever is traced in it."""
    return not project.names and not any(_tells(project, file, node) for node in ast.walk(tree))


def _tells(project: Project, file: File, node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr=name, ctx=context):
            return name in _TELLING or not isinstance(context, ast.Load)
        case ast.Subscript(ctx=context):
            return not isinstance(context, ast.Load)
        case ast.Name(id=name) | ast.Constant(value=str(name)):
            return name in _TELLING
        case ast.AugAssign() | ast.Global() | ast.Nonlocal():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name))):
            return name in _MAPS
        case ast.Import() | ast.ImportFrom():
            if any(item.name.rpartition(".")[2] in _TELLING for item in node.names):
                return True
            return any(project.may_have(file, dotted) for _, dotted in imports([node]))
    return False
