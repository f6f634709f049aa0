"""Small projects that tests write, and what their names stand for, as text."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import dedent

from flake8_jax.lowering.expressions import Context, lower_expression
from flake8_jax.lowering.printer import show
from flake8_jax.lowering.program import Class, Define, Expr
from flake8_jax.lowering.scopes import Scope as LoweringScope
from flake8_jax.lowering.walk import flat
from flake8_jax.resolution.callee import Argument, Callee
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.modules import Module, module_of
from flake8_jax.resolution.resolve import Definition, Expression, Referent, definition
from flake8_jax.resolution.scopes import Scope, module_scope
from flake8_jax.syntax.trees import expression
from flake8_jax.workspace.files import Project, Settings

MAIN = "main.py"


def written(
    folder: Path, files: Mapping[str, str], names: Mapping[str, str] | None = None
) -> Project:
    """A project of some files; ``names`` are those that options list."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    return Project(Settings(names=tuple((names or {}).items())), str(folder))


def opened(project: Project, path: Path) -> Module:
    """A module of a project, as when it is linted."""
    return module_of(project, project.open(str(path), path.read_text(), project))


def main_module(
    folder: Path, files: Mapping[str, str] | str, names: Mapping[str, str] | None = None
) -> Module:
    """The module ``main.py`` of a project that is written now."""
    files = {MAIN: files} if isinstance(files, str) else files
    first = MAIN if MAIN in files else next(iter(files))
    return opened(written(folder, files, names), folder / first)


def lowered(text: str) -> Expr:
    """An expression of a module."""
    node = expression(text)
    assert node is not None
    return lower_expression(node, LoweringScope(), Context(lambda _: 0))


def definitions(scope: Scope) -> Iterator[Definition]:
    """All functions and classes in a scope and in those inside."""
    if scope.made is None:
        blocks = ((block, scope.module.program(block)) for block in scope.module.blocks)
        bodies = [(block.index, program.body) for block, program in blocks if program is not None]
    else:
        bodies = [(scope.position[0], scope.made.body)]
    for index, body in bodies:
        for statement in flat(body):
            if isinstance(statement, Define):
                found = definition(scope, statement, (index, statement.span))
                yield found
                yield from definitions(found.inside)


def defined(module: Module, name: str) -> Definition:
    """The last definition of a name, at whatever depth."""
    return [item for item in definitions(module_scope(module)) if item.made.name == name][-1]


def told(found: Iterable[Referent]) -> str:
    """Referents as text."""
    return " | ".join(map(_told, found))


def _told(item: Referent) -> str:
    match item:
        case External():
            return item.dotted
        case Definition():
            word = "class" if isinstance(item.made, Class) else "def"
            return f"{word} {item.module.name}.{item.made.name}"
        case Expression():
            return f"{item.module.name}: {show(item.expr)}"
    return "unknown"


def called(found: Iterable[Callee]) -> str:
    """Callables with the arguments they have, as text."""
    return " | ".join(_called(item) for item in found) or "unknown"


def _called(item: Callee) -> str:
    return f"{_told(item.target)}({', '.join(map(_argument, item.arguments))})"


def _argument(item: Argument) -> str:
    keyword = f"{item.keyword}=" if item.keyword is not None else ""
    return f"{keyword}{'*' * item.stars}{show(item.value.expr)}"
