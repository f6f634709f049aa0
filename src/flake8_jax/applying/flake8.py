"""flake8 in this process: its options, its choice of files, and what it reports of some lines."""

import ast
import configparser
import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from flake8.discover_files import expand_paths
from flake8.exceptions import Flake8Exception
from flake8.formatting.base import BaseFormatter
from flake8.options.parse_args import parse_args
from flake8.plugins import reporter
from flake8.processor import FileProcessor
from flake8.style_guide import StyleGuideManager
from flake8.violation import Violation

from flake8_jax.applying.offers import Report
from flake8_jax.findings import Placed
from flake8_jax.plugin import Plugin
from flake8_jax.printable import printable, printable_lines
from flake8_jax.workspace.files import project

STDIN = "-"
_WRONG_USAGE = 2


class ConfigurationError(Exception):
    """Options or a configuration that flake8 does not take."""


class UsageError(Exception):
    """Arguments that flake8 does not take."""


class UnparsableError(Exception):
    """Lines that are not Python."""


class _Collector(BaseFormatter):
    """Keeps what flake8 would print."""

    found: list[Violation]

    def after_init(self) -> None:
        self.found = []

    def handle(self, error: Violation) -> None:
        self.found.append(error)

    def format(self, error: Violation) -> str | None:
        raise NotImplementedError


@dataclass
class Flake8:
    """One run, with the options of a command line and of the configuration that it leads to."""

    arguments: Sequence[str]

    def __post_init__(self) -> None:
        said = io.StringIO()
        try:
            with redirect_stderr(said):  # it would tell the usage of another command
                self._plugins, self.options = parse_args(self.arguments)
        except SystemExit as error:
            if error.code != _WRONG_USAGE:
                raise
            raise UsageError(said.getvalue().rpartition("error: ")[2].strip()) from None
        except (Flake8Exception, ValueError, configparser.Error) as error:
            raise ConfigurationError(str(error)) from None
        self._collector = _Collector(self.options)
        self._guide = StyleGuideManager(self.options, self._collector)

    def files(self) -> list[str]:
        """The files that flake8 would lint, each once, also if several names lead to it."""
        options = self.options
        found = expand_paths(
            paths=options.filenames,
            stdin_display_name=options.stdin_display_name,
            filename_patterns=options.filename,
            exclude=(*options.exclude, *options.extend_exclude),
        )
        by_file: dict[object, str] = {}
        for path in found:
            by_file.setdefault(_identity(path), path)
        return sorted(by_file.values())

    def takes(self, path: str) -> bool:
        """Whether flake8 would lint a file, if it were asked to lint the working folder."""
        inside = Path(path).is_relative_to(Path.cwd())
        around = Path(path).relative_to(Path.cwd()).parents if inside else ()
        names = [path, *(str(Path.cwd() / folder) for folder in around if folder.name)]
        return not any(map(self._excludes, names))

    def _excludes(self, name: str) -> bool:
        options = self.options
        found = expand_paths(
            paths=[STDIN],
            stdin_display_name=name,
            filename_patterns=options.filename,
            exclude=(*options.exclude, *options.extend_exclude),
        )
        return not list(found)

    def label(self, path: str) -> str:
        """The name under which a file is reported."""
        return self.options.stdin_display_name if path == STDIN else path

    @contextmanager
    def lint(self, path: str, lines: Sequence[str]) -> Iterator[Report]:
        """What flake8 reports of a file with some lines, and what it does not."""
        name = self.label(path)
        processor = FileProcessor(name, self.options, list(lines))
        self._collector.found = []
        if processor.should_ignore_file():
            yield Report()
            return
        try:
            tree = processor.build_ast()
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise UnparsableError(str(error) or type(error).__name__) from None
        assert isinstance(tree, ast.Module)
        with Plugin(tree, processor.lines, name, self.options).checked() as found:
            groups: dict[bool, list[Placed]] = {True: [], False: []}
            for item in found:
                groups[self._is_reported(item, name, processor)].append(item)
            yield Report(tuple(groups[True]), tuple(groups[False]))

    def draft(self, path: str, lines: Sequence[str] | None) -> None:
        """Let other files see some lines in the place of a file's; None shows them the disk."""
        files = project(self.options.jax_settings, str(Path.cwd()))
        files.draft(self.label(path), None if lines is None else "".join(lines))

    def _is_reported(self, item: Placed, name: str, processor: FileProcessor) -> bool:
        line = processor.noqa_line_for(item.line)
        text = item.message
        code, at = item.code, (item.line, item.column)
        return bool(self._guide.handle_error(code, name, *at, text, line))

    @property
    def left(self) -> list[Violation]:
        """What was reported of the lines that were linted last."""
        return self._collector.found

    def show(self, found: Sequence[Violation]) -> None:
        """Print findings as flake8 would."""
        formatter = reporter.make(self._plugins.reporters, self.options)
        formatter.start()
        if sys.stdout.isatty() and not self.options.output_file:
            found = [_for_terminal(violation) for violation in found]
        for name, group in groupby(found, lambda violation: violation.filename):
            formatter.beginning(name)
            for violation in group:
                formatter.handle(violation)
            formatter.finished(name)
        formatter.stop()


def _identity(path: str) -> object:
    """What all names of a file have in common, be they links of either kind."""
    try:
        known = Path(path).stat()
    except OSError:
        return path
    return known.st_dev, known.st_ino


def _for_terminal(violation: Violation) -> Violation:
    line = violation.physical_line
    return violation._replace(
        filename=printable(violation.filename),
        physical_line=None if line is None else printable_lines(line),
    )
