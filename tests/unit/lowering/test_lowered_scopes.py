"""Every name lives where Python says: compared with ``symtable`` on whole source trees."""

import ast
import symtable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import FIXTURES, REPOSITORY
from flake8_jax.lowering.lower import lower_program
from flake8_jax.lowering.program import Class, Define, Function, Home, Var
from flake8_jax.syntax import make
from flake8_jax.syntax.converter import Converter
from sampling import sample

SOURCES = sorted((REPOSITORY / "src").rglob("*.py"))
SAMPLES = [*SOURCES, *sample(sorted(FIXTURES.rglob("*.py")), 7)]
_COMPREHENSIONS = ("genexpr", "listcomp", "setcomp", "dictcomp")


def variables(node: Any) -> Iterator[Var]:
    """The variables of a body, without those of functions inside."""
    stack = [node]
    while stack:
        here = stack.pop()
        if isinstance(here, Var):
            yield here
        elif isinstance(here, Function):
            stack += [item for p in here.parameters for item in (p.default, p.annotation)]
            stack.append(here.returns)
        elif isinstance(here, Class):
            stack += (*here.bases, *here.keywords)
        elif isinstance(here, tuple):
            stack += here


def functions(node: Any) -> Iterator[Function]:
    """The functions in a body, at whatever depth, but no lambdas."""
    stack = [node]
    while stack:
        here = stack.pop()
        if isinstance(here, Define) and isinstance(here.made, Function):
            yield here.made
            stack.append(here.made.body)
        elif isinstance(here, Define) and isinstance(here.made, Class):
            stack.append(here.made.body)
        elif isinstance(here, tuple):
            stack += here


def homes(table: symtable.SymbolTable) -> dict[str, Home]:
    """Where the names that a function uses live, by Python's compiler."""
    found: dict[str, Home] = {}
    for symbol in table.get_symbols():
        if symbol.is_free():
            found[symbol.get_name()] = Home.CELL
        elif symbol.is_global():
            found[symbol.get_name()] = Home.GLOBAL
        elif symbol.is_local():
            found[symbol.get_name()] = Home.LOCAL
    return found


def tables(table: symtable.SymbolTable) -> Iterator[symtable.Function]:
    for child in table.get_children():
        if isinstance(child, symtable.Function) and child.get_name() not in (
            *_COMPREHENSIONS,
            "lambda",
        ):
            yield child
        if child.get_type() in ("function", "class"):
            yield from tables(child)


def check(path: Path) -> int:
    text = path.read_text()
    program = lower_program(make.MODULE(Converter().body(ast.parse(text).body)), lambda _: 0)
    assert program is not None
    mine: dict[str, list[set[tuple[str, Home]]]] = {}
    for made in functions(program.body):
        used = {(v.name, v.home) for v in variables(made.body) if "'" not in v.name}
        mine.setdefault(made.name, []).append(used)
    theirs: dict[str, list[dict[str, Home]]] = {}
    for table in tables(symtable.symtable(text, str(path), "exec")):
        theirs.setdefault(table.get_name(), []).append(homes(table))
    compared = 0
    for name, uses in mine.items():
        if len(uses) != 1 or len(theirs.get(name, ())) != 1 or name == "top":
            continue  # symtable takes a function called "top" for the module
        for variable, home in uses[0]:
            if variable in theirs[name][0] and home is not Home.CLASS:
                assert theirs[name][0][variable] is home, (path, name, variable)
                compared += 1
    return compared


@pytest.mark.parametrize("folder", ["src", "fixtures"])
def test_homes_are_those_of_python(folder: str) -> None:
    paths = [path for path in SAMPLES if path.is_relative_to(REPOSITORY / folder)]
    assert len(paths) > 100
    assert sum(map(check, paths)) > 1000
