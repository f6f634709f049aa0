"""The flake8 plugin: a file's way from flake8's lines to flake8's findings."""

import argparse
import ast
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from flake8_jax import options
from flake8_jax.faults import fault
from flake8_jax.gates.text import may_matter
from flake8_jax.workspace import collector
from flake8_jax.workspace.files import File, Project, Settings, project

if TYPE_CHECKING:
    from flake8.options.manager import OptionManager

    from flake8_jax.findings import Placed

_IMPORT = "import"
_CHECK = "flake8_jax.check"
"""What is not imported before there is a file that needs it."""


class Plugin:
    """What flake8 makes for each file."""

    def __init__(
        self,
        tree: ast.Module,
        lines: Sequence[str],
        filename: str,
        options: argparse.Namespace,  # the name by which flake8 hands it over
    ) -> None:
        self._tree = tree
        self._lines = lines
        self._filename = filename
        self._options = options

    @staticmethod
    def add_options(manager: "OptionManager") -> None:
        """Tell flake8 which options there are."""
        options.add_options(manager)

    @staticmethod
    def parse_options(given: argparse.Namespace) -> None:
        """Read the options once, when flake8 starts."""
        given.jax_settings = options.settings(given)

    def run(self) -> Iterator[tuple[int, int, str, type["Plugin"]]]:
        """The findings of a file, as flake8 wants them: line from 1, column from 0, text."""
        try:
            with self.checked() as found:
                shown = [(item.line, item.column, item.text) for item in found]
        except Exception:
            fault("%s is not checked by flake8-jax", self._filename)
            return
        yield from ((line, column, text, type(self)) for line, column, text in shown)

    @contextmanager
    def checked(self) -> Iterator[list["Placed"]]:
        """The findings of a file, while all that was found out about it is at hand."""
        text = "".join(self._lines)
        files = project(getattr(self._options, "jax_settings", Settings()), str(Path.cwd()))
        file = files.open(self._filename, text, self._options)
        named_here = may_matter(text) or files.lists(text)
        if not named_here and _IMPORT not in text:
            yield []
            return
        from flake8_jax.workspace.outline import (  # later stages, which most files stop before
            attach,
            release,
        )

        with collector.paused():
            attach(file, self._lines, self._tree)
            try:
                yield self._findings(files, file, named_here)
            finally:
                release(file)

    def _findings(self, files: Project, file: File, named_here: bool) -> list["Placed"]:
        from flake8_jax.gates.effects_free import is_still
        from flake8_jax.gates.imports import leads_to_jax

        if not named_here and not leads_to_jax(files, file):
            return []
        if _CHECK not in sys.modules and is_still(files, file, self._tree):
            return []
        named = [*(self._options.select or ()), *(self._options.extend_select or ())]
        from flake8_jax.check import check  # brings libcst

        return check(files, file, named)
