"""Finds files that a module leads to, by what the texts import; nothing is run for that."""

import ast
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from flake8_jax.confirming.places import Via

_MOST = 64


def definition(path: Path, name: str, wanted: str) -> tuple[Path, int] | None:
    """Where the base class of that name is defined that a class has: its file and line.

    >>> definition(Path("main.py"), "Hamiltonian", "HasSpectrum")  # doctest: +SKIP
    (PosixPath("spectra.py"), 10)
    """
    queue = deque([(path, name)])
    seen: set[tuple[Path, str]] = set()
    while queue and len(seen) < _MOST:
        at = queue.popleft()
        if at in seen:
            continue
        seen.add(at)
        file, called = at
        tree = _parsed(file)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name == called:
                if called == wanted:
                    return file, node.lineno
                queue.extend(item for base in node.bases for item in _named(base, file, tree))
            elif isinstance(node, ast.ImportFrom):
                queue.extend(_imported(node, file, called))
    return None


def function_at(path: Path, line: int) -> Via:
    """The function around a line, with those that are defined in it; or else the module."""
    for node in ast.walk(_parsed(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            last = node.end_lineno or node.lineno
            if first <= line <= last:
                return Via(str(path), first, last)
    return Via(str(path), 0, sys.maxsize)


def _parsed(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], [])


def _named(base: ast.expr, file: Path, tree: ast.Module) -> Iterator[tuple[Path, str]]:
    """Where the class may be defined that an expression names."""
    if isinstance(base, ast.Subscript):
        base = base.value
    if isinstance(base, ast.Name):
        yield file, base.id  # or imported there
    if not isinstance(base, ast.Attribute):
        return
    dotted = ast.unparse(base.value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                if dotted in (item.asname, item.name):
                    yield from ((found, base.attr) for found in _modules(file, item.name, 0))
        elif isinstance(node, ast.ImportFrom):
            for item in node.names:
                if dotted == (item.asname or item.name):
                    inner = f"{node.module}.{item.name}" if node.module else item.name
                    found = _modules(file, inner, node.level)
                    yield from ((module, base.attr) for module in found)


def _imported(node: ast.ImportFrom, file: Path, name: str) -> Iterator[tuple[Path, str]]:
    for item in node.names:
        if name == (item.asname or item.name) or item.name == "*":
            known = name if item.name == "*" else item.name
            for module in _modules(file, node.module or "", node.level):
                yield module, known


def _modules(file: Path, dotted: str, level: int) -> Iterator[Path]:
    """The file of a module, as another one names it."""
    parts = [part for part in dotted.split(".") if part]
    parents = [file.parents[level - 1]] if level else list(file.parents)
    for folder in parents:
        base = folder.joinpath(*parts)
        for path in (base.with_name(f"{base.name}.py"), base / "__init__.py"):
            if path.is_file():
                yield path.resolve()
                return
