"""The text of a module, cut at its top-level statements and parsed by libcst piece by piece.

libcst costs ten times what ``ast`` does, and most of a module never matters. The ``ast`` tree that
flake8 has at hand tells where each statement stands and which names it binds; libcst sees only
those pieces that somebody asks for.
"""

import ast
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

PIECE = 1_000_000
"""The order of a binding counts statements; each piece of a module starts a new million."""

_WORD = re.compile(r"[^\W\d]\w*")
_CLASS = re.compile(r"^[ \t\f]*class[\s\\]+([^\W\d]\w*)", re.MULTILINE)

LOG = logging.getLogger("flake8.jax")


@dataclass(eq=False)
class Piece:
    """One top-level statement, or several that share a line."""

    index: int
    first: int
    last: int
    nodes: tuple[ast.stmt, ...]
    text: str = field(repr=False)
    matters: bool = True
    """Whether it may take part in a finding; others are parsed only if something refers to them."""

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that the piece binds in the module; ``*`` for a star import."""
        return frozenset(name for node in self.nodes for name in _bound(node))

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the text: all names that it may mention."""
        return frozenset(_WORD.findall(self.text))

    @cached_property
    def classes(self) -> frozenset[str]:
        """The names of the classes that may be in the piece, at whatever depth."""
        return frozenset(_CLASS.findall(self.text))

    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line."""
        return self.first, self.last

    @property
    def at(self) -> float:
        """When the piece is reached, in the order of the module's bindings."""
        return self.index * PIECE + 0.5

    @property
    def defines(self) -> bool:
        """Whether the piece is a single function or class."""
        definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        return len(self.nodes) == 1 and isinstance(self.nodes[0], definition)

    @cached_property
    def tree(self) -> cst.Module | None:
        """The libcst tree; None where libcst cannot parse the text."""
        try:
            return cst.parse_module(self.text)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # libcst's native parser panics with a BaseException
            LOG.info("lines %d to %d are not checked: %r", self.first, self.last, error)
            return None

    @cached_property
    def _positions(self) -> MetadataWrapper:
        assert self.tree is not None
        return MetadataWrapper(self.tree, unsafe_skip_copy=True)

    def line(self, node: cst.CSTNode) -> int:
        """The line of a function of this piece, of its name if it has decorators."""
        anchor = node.name if isinstance(node, cst.FunctionDef | cst.ClassDef) else node
        return self.position(anchor)[0]

    def position(self, node: cst.CSTNode) -> tuple[int, int]:
        """Where a node of this piece starts: its line from 1, its column from 0, in characters."""
        start = self._positions.resolve(PositionProvider)[node].start
        return self.first + start.line - 1, start.column


@dataclass(frozen=True, eq=False)
class Source:
    """A module's pieces, in order."""

    pieces: tuple[Piece, ...]

    @classmethod
    def cut(
        cls, lines: Sequence[str], tree: ast.Module, relevant: frozenset[int] | None = None
    ) -> "Source":
        """Cut a module's lines along the statements of its tree.

        ``relevant`` are the positions of the statements that matter; None for all of them.
        """
        runs: list[tuple[int, int, list[ast.stmt]]] = []
        for node in tree.body:
            first, last = _first_line(node), node.end_lineno or node.lineno
            if runs and first <= runs[-1][1]:
                start, end, nodes = runs[-1]
                runs[-1] = (start, max(end, last), [*nodes, node])
            else:
                runs.append((first, last, [node]))
        matter = None if relevant is None else {id(tree.body[index]) for index in relevant}
        return cls(
            tuple(
                Piece(
                    index,
                    first,
                    last,
                    tuple(nodes),
                    "".join(lines[first - 1 : last]),
                    matter is None or any(id(node) in matter for node in nodes),
                )
                for index, (first, last, nodes) in enumerate(runs)
            )
        )


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _bound(statement: ast.AST) -> Iterator[str]:
    stack = [statement]
    while stack:
        node = stack.pop()
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Import():
                for alias in node.names:
                    yield alias.asname or alias.name.partition(".")[0]
            case ast.ImportFrom():
                for alias in node.names:
                    yield alias.asname or alias.name
            case ast.Name(ctx=ast.Store() | ast.Del()):
                yield node.id
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name
                stack.extend(ast.iter_child_nodes(node))
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name
                stack.extend(ast.iter_child_nodes(node))
            case ast.Lambda():
                pass
            case _:
                stack.extend(ast.iter_child_nodes(node))
