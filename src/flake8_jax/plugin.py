"""The flake8 plugin: a file's way from flake8's lines to flake8's findings."""

import argparse
import ast
import logging
from collections.abc import Iterator, Sequence

from flake8_jax.gate import may_matter
from flake8_jax.survey import survey

LOG = logging.getLogger("flake8.jax")


class Plugin:
    """What flake8 makes for each file."""

    def __init__(
        self,
        tree: ast.Module,
        lines: Sequence[str],
        filename: str,
        options: argparse.Namespace,
    ) -> None:
        self._tree = tree
        self._lines = lines
        self._filename = filename
        self._options = options

    def run(self) -> Iterator[tuple[int, int, str, type["Plugin"]]]:
        """The findings of a file, as flake8 wants them: line from 1, column from 0, text."""
        try:
            relevant = survey(self._tree, self._lines) if may_matter(self._lines) else None
            if not relevant:
                return
            from flake8_jax.check import check  # brings libcst, which most files do not need

            named = [*(self._options.select or ()), *(self._options.extend_select or ())]
            found = check(self._lines, self._tree, relevant, named)
        except Exception:
            LOG.exception("%s is not checked by flake8-jax", self._filename)
            return
        yield from ((line, column, text, type(self)) for line, column, text in found)
