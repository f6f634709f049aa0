"""Fixtures on disk: their role, the marks in their text, and the module they make."""

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


@dataclass(frozen=True)
class Fixture:
    """One module under ``fixtures/<code>/``."""

    path: Path

    @property
    def code(self) -> str:
        return self.path.parent.name

    @property
    def role(self) -> Role:
        return Role(self.path.stem.partition("_")[0])

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
        match = _NEEDS.search(self.path.read_text(encoding="utf-8"))
        return (int(match["major"]), int(match["minor"])) if match else (3, 0)

    def marks(self) -> tuple[Mark, ...]:
        """The findings that the text asks for, from its ``# want: JAXnnn:column`` comments."""
        found = []
        with tokenize.open(self.path) as file:
            for token in tokenize.generate_tokens(file.readline):
                if token.type == tokenize.COMMENT and (match := _MARK.match(token.string)):
                    for mark in match["marks"].split(","):
                        code, _, column = mark.strip().partition(":")
                        found.append(Mark(token.start[0], int(column), code))
        return tuple(sorted(found))

    def load(self) -> ModuleType:
        """The module, made anew: JAX caches traces by function, so no two runs may share one."""
        name = f"fixture_{next(_serial)}_{self.path.stem}"
        spec = importlib.util.spec_from_file_location(name, self.path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{self.path} is not a Python module")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # dataclasses look annotations up there
        spec.loader.exec_module(module)
        return module


def discover(root: Path) -> Iterator[Fixture]:
    """All fixtures below ``root``, in the order of their paths."""
    yield from (Fixture(path) for path in sorted(root.glob("JAX[0-9][0-9][0-9]/*.py")))


def drives(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """The functions of a fixture that say how to drive it: ``drive`` and ``drive_*``."""
    return {
        name: value
        for name, value in vars(module).items()
        if (name == "drive" or name.startswith("drive_")) and callable(value)
    }
