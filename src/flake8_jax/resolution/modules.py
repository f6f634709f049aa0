"""A module of the project: its top-level statements, each lowered when somebody asks for it.

Which names a statement binds is told by its text. Only what is asked for is parsed, made into
libcst nodes and lowered; the nodes are dropped then.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import libcst as cst

from flake8_jax.faults import LOG
from flake8_jax.lowering.expressions import Positions
from flake8_jax.lowering.lower import Program, lower_program
from flake8_jax.lowering.spans import pack
from flake8_jax.syntax.make import UnknownNodeError
from flake8_jax.syntax.trees import converted
from flake8_jax.workspace.files import File, Project
from flake8_jax.workspace.lifetime import owned
from flake8_jax.workspace.outline import Block, first_line, outline, parsed

T = TypeVar("T")

_GLOBAL = re.compile(r"^[ \t\f]*global\b(.*)", re.MULTILINE)
_NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, eq=False)
class Module:
    """A module. There is one for each file, as long as the file and those around stay the same."""

    project: Project
    file: File
    blocks: tuple[Block, ...]
    """Its top-level statements."""
    memo: dict[object, Any] = field(default_factory=dict)
    """What has been found out about its names."""

    @cached_property
    def name(self) -> str:
        """Its dotted name."""
        return self.file.module

    @cached_property
    def binding(self) -> Mapping[str, tuple[Block, ...]]:
        """The top-level statements that bind a name; ``*`` stands for star imports."""
        found: dict[str, list[Block]] = {}
        for block in self.blocks:
            for name in block.names:
                found.setdefault(_normal(name), []).append(block)
        return {name: tuple(blocks) for name, blocks in found.items()}

    @cached_property
    def declared(self) -> Mapping[str, tuple[Block, ...]]:
        """The top-level statements that may declare a name ``global``, so that functions bind it.

        They are told by their text: the words may stand in a docstring.
        """
        found: dict[str, list[Block]] = {}
        for block in self.blocks if "global" in self.file.text else ():
            for line in _GLOBAL.findall(block.text) if block.has("global") else ():
                for name in _NAME.findall(line):
                    found.setdefault(_normal(name), []).append(block)
        return {name: tuple(blocks) for name, blocks in found.items()}

    def program(self, block: Block) -> Program | None:
        """The lowered program of a top-level statement; None where it cannot be lowered."""
        return self.once((Program, block.index), lambda: _lowered(self.file, block))

    def once(self, key: object, compute: Callable[[], T]) -> T:
        """What is found out about the module, found out once."""
        if key not in self.memo:
            self.memo[key] = compute()
        found: T = self.memo[key]
        return found

    def find(self, dotted: str) -> "Module | None":
        """The module of the project under a dotted name, as seen from this one."""
        file = self.project.find(self.file, dotted)
        return module_of(self.project, file) if file is not None else None

    def release(self) -> None:
        """Let go of what was found out: it refers to the module in turn."""
        self.memo.clear()


def module_of(project: Project, file: File) -> Module:
    """The module of a file, made once."""

    def make_module() -> Module:
        project.remember(file)
        return Module(project, file, outline(file))

    return owned(file, module_of, make_module)


def _normal(name: str) -> str:
    """A name as Python keeps it."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def _lowered(file: File, block: Block) -> Program | None:
    """The lowered program of a statement; the log says why there is none."""
    try:
        tree, span = _converted(block)
        program = lower_program(tree, span, block.has(":="))
    except (UnknownNodeError, RecursionError) as error:
        LOG.info("lines %d to %d: %r", block.first, block.last, error)
    else:
        if block.nodes or parsed(block.text) is not None:
            return program
    LOG.info("%s, lines %d to %d: not read", file.path, block.first, block.last)
    return None


def _converted(block: Block) -> tuple[cst.Module, Positions]:
    """The libcst tree of a top-level statement, and where its nodes stand in it."""
    tree, made = converted(block)
    above = min((first_line(node) for node in block.nodes), default=0)

    def span(node: cst.CSTNode) -> int:
        origin = made[id(node)]
        last, end = origin.end_lineno or origin.lineno, origin.end_col_offset or 0
        return pack(origin.lineno - above, origin.col_offset, last - above, end)

    return tree, span
