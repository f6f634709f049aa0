"""The findings of a text that is open in an editor, each with the changes that can be made."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from flake8_jax.applying.changes import Change, changes
from flake8_jax.applying.flake8 import Flake8, UnparsableError
from flake8_jax.applying.remedies import Remedy, remedies
from flake8_jax.applying.rounds import UnsettledError, settle
from flake8_jax.applying.silence import silenced
from flake8_jax.applying.takers import Takers
from flake8_jax.applying.texts import lines_of
from flake8_jax.findings import Placed

_CONFIGURATIONS = (".flake8", "setup.cfg", "tox.ini", "pyproject.toml")
_ALONE = threading.RLock()
"""Whoever holds it may change the working folder, which is that of the whole process."""


@dataclass
class Workbench:
    """A folder of a project, with options of flake8 beside those of its configuration."""

    folder: str
    arguments: Sequence[str] = ()
    _known: tuple[object, Flake8] | None = field(default=None, init=False)

    def findings(self, path: str, text: str) -> list[Placed] | None:
        """What is found in a file with some text; None if it is not Python yet."""
        with self._flake8(path) as flake8, suppress(UnparsableError):
            if flake8 is None:
                return []
            with flake8.lint(path, lines_of(text)) as report:
                return [replace(item, file=None, fix=None) for item in report.shown]
        return None

    def remedies(
        self, path: str, text: str, wanted: Callable[[Placed], bool] = lambda _: True
    ) -> list[Remedy] | None:
        """What is found in a file with some text, with edits; None if it is not Python yet."""
        lines = lines_of(text)
        with self._flake8(path) as flake8:
            if flake8 is None:
                return []
            with suppress(UnparsableError):
                lint = partial(flake8.lint, path)
                return remedies(lines, lint, Takers((path,)).but(path), wanted)
        return None

    def fixed(self, path: str, text: str) -> tuple[Change, ...]:
        """The changes that fix all that is safe to fix."""
        lines = lines_of(text)
        with self._flake8(path) as flake8:
            if flake8 is not None:
                with suppress(UnparsableError, UnsettledError):
                    lint = partial(flake8.lint, path)
                    outcome = settle(lines, lint, False, Takers((path,)).but(path))
                    return changes(lines, outcome.lines)
        return ()

    def draft(self, path: str, text: str | None) -> None:
        """Let other files see a text that is not on disk; None shows them the disk again."""
        with self._flake8(path) as flake8:
            if flake8 is not None:
                flake8.draft(path, lines_of(text) if text is not None else None)

    @contextmanager
    def _flake8(self, path: str) -> Iterator[Flake8 | None]:
        """flake8 in the folder; None for a file that is excluded."""
        with _ALONE, _working_in(self.folder):
            stamp = [_changed_at(name) for name in _CONFIGURATIONS]
            if self._known is None or self._known[0] != stamp:
                self._known = stamp, Flake8(self.arguments)
            flake8 = self._known[1]
            yield flake8 if flake8.takes(path) else None


def silencing(text: str, item: Remedy) -> tuple[Change, ...]:
    """The change that silences a finding with a comment."""
    lines = lines_of(text)
    return changes(lines, silenced(lines, {item.line: [item.code]}))


def _changed_at(name: str) -> int:
    with suppress(OSError):
        return Path(name).stat().st_mtime_ns
    return 0


@contextmanager
def _working_in(folder: str) -> Iterator[None]:
    before = Path.cwd()
    if str(before) == folder:
        yield
        return
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
