"""Places: what is reported, and where it stands in its file."""

from typing import NamedTuple

from flake8_jax.lowering.spans import unpack
from flake8_jax.resolution.modules import Module


class Place(NamedTuple):
    """One place that is reported: its line from 1, its column from 0, in characters."""

    line: int
    column: int
    code: str
    told: object = None
    """What the message of the rule is made of."""
    subject: object = None
    """What was found, for what mends it."""


def start(module: Module, index: int, span: int) -> tuple[int, int]:
    """Where a span of a top-level statement begins: its line from 1, its column from 0."""
    block = module.blocks[index]
    line, column = unpack(span)[:2]
    return block.first + line, len(_before(block.lines[line], column))


def decorator_start(module: Module, index: int, span: int) -> tuple[int, int]:
    """Where the ``@`` stands before a decorator of a top-level statement."""
    block = module.blocks[index]
    lines = block.lines
    line, column = unpack(span)[:2]
    before = _before(lines[line], column)
    while "@" not in before:
        line -= 1
        before = lines[line]
    return block.first + line, before.rindex("@")


def _before(line: str, column: int) -> str:
    """A line up to a column that is counted in bytes."""
    return line.encode()[:column].decode()
