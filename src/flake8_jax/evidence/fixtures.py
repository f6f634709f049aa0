"""Fixtures on disk: their role, the marks in their text, and the module they make."""

import importlib
import importlib.util
import re
import sys
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

_MARK = re.compile(r"#\s*want:\s*(?P<marks>JAX\d{3}:\d+(?:\s*,\s*JAX\d{3}:\d+)*)\s*$")
_NEEDS = re.compile(r"^# needs: python>=(?P<major>\d+)\.(?P<minor>\d+)$", re.MULTILINE)
_serial = count()
LOADED = "fixture_"
"""What the name of a loaded fixture begins with."""


class Role(StrEnum):
    """What a fixture is there to show; the first word of its file name."""

    HAZARD = "hazard"
    FIXED = "fixed"
    LOOKALIKE = "lookalike"


@dataclass(frozen=True, order=True)
class Mark:
    """A finding, as a fixture expects it or as flake8 prints it; line and column count from 1."""

    line: int
    column: int
    code: str
    module: str = ""
    """In a fixture of several modules, the path of the one that it stands in."""


@dataclass(frozen=True)
class Fixture:
    """One module under ``fixtures/<code>/``, or one folder of modules with a ``main.py``."""

    path: Path

    @property
    def code(self) -> str:
        return self.path.parent.name

    @property
    def role(self) -> Role:
        return Role(self.path.stem.partition("_")[0])

    @property
    def modules(self) -> dict[Path, str]:
        """Its files, and the name that a mark has for each."""
        if self.path.is_file():
            return {self.path: ""}
        found = sorted(self.path.rglob("*.py"))
        return {path: path.relative_to(self.path).as_posix() for path in found}

    @property
    def main(self) -> Path:
        """The module with the drives."""
        return self.path if self.path.is_file() else next(self.path.rglob("main.py"))

    @property
    def twin(self) -> "Fixture | None":
        """The fixed version of a hazard, where there is one."""
        if self.role is not Role.HAZARD:
            return None
        path = self.path.with_name(self.path.name.replace(Role.HAZARD, Role.FIXED, 1))
        return Fixture(path) if path.exists() else None

    @property
    def needs(self) -> tuple[int, int]:
        """The oldest Python that its libraries run on, from a ``# needs: python>=3.12`` line."""
        match = _NEEDS.search(self.main.read_text(encoding="utf-8"))
        return (int(match["major"]), int(match["minor"])) if match else (3, 0)

    def marks(self) -> tuple[Mark, ...]:
        """The findings that the text asks for, from its ``# want: JAXnnn:column`` comments."""
        found = []
        for path, module in self.modules.items():
            with tokenize.open(path) as file:
                for token in tokenize.generate_tokens(file.readline):
                    if token.type == tokenize.COMMENT and (match := _MARK.match(token.string)):
                        for mark in match["marks"].split(","):
                            code, _, column = mark.strip().partition(":")
                            found.append(Mark(token.start[0], int(column), code, module))
        return tuple(sorted(found))

    def load(self) -> tuple[ModuleType, ...]:
        """Its modules, made anew: JAX caches traces by function, so no two runs may share one.

        The first of them is the one with the drives.
        """
        return (self._load_file(),) if self.path.is_file() else self._load_folder()

    def _load_folder(self) -> tuple[ModuleType, ...]:
        root = self.main.parent
        while (root / "__init__.py").exists():
            root = root.parent
        names = {".".join(path.relative_to(root).with_suffix("").parts) for path in self.modules}
        names |= {name.removesuffix(".__init__") for name in names}
        names |= {name.rpartition(".")[0] for name in names}
        for name in names & sys.modules.keys():
            del sys.modules[name]
        sys.path[:] = [str(root), *(item for item in sys.path if item != str(root))]
        importlib.invalidate_caches()
        main = importlib.import_module(".".join(self.main.relative_to(root).with_suffix("").parts))
        others = [sys.modules[name] for name in sorted(names & sys.modules.keys())]
        return (main, *(module for module in others if module is not main))

    def _load_file(self) -> ModuleType:
        name = f"{LOADED}{next(_serial)}_{self.path.stem}"
        spec = importlib.util.spec_from_file_location(name, self.path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{self.path} is not a Python module")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # dataclasses look annotations up there
        spec.loader.exec_module(module)
        return module


def discover(root: Path) -> Iterator[Fixture]:
    """All fixtures below ``root``, in the order of their paths."""
    found = (path for path in root.glob("JAX[0-9][0-9][0-9]/*_*") if path.name != "__pycache__")
    yield from (Fixture(path) for path in sorted(found))


def drives(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """The functions of a fixture that say how to drive it: ``drive`` and ``drive_*``."""
    return {
        name: value
        for name, value in vars(module).items()
        if (name == "drive" or name.startswith("drive_")) and callable(value)
    }
