"""What a document shows: its files, and its sessions at a prompt, by the section they stand in.

A file is a fenced block below a comment with its name. A block of ``console`` is a session:
commands behind a ``$``, each followed by what it prints. A block of ``sh`` is for the reader to run
once.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from conftest import REPOSITORY

_HEADING = re.compile(r"^## (.*)\n", re.M)
_BLOCK = re.compile(r"(?:^ *<!-- (\S+) -->\n)?^```(\w*)\n(.*?)^```$", re.S | re.M)
_COMMAND = re.compile(r"^\$ (.*)\n", re.M)


@dataclass(frozen=True)
class Section:
    """A section of a document; the one before the first heading has no title."""

    title: str
    steps: list[tuple[str, str]] = field(default_factory=list)
    """Files to write, by name, and commands to run, behind a ``$``, with what they print."""
    reader: list[str] = field(default_factory=list)
    """Commands that the reader is told to run."""

    @property
    def files(self) -> dict[str, str]:
        return {name: text for name, text in self.steps if not name.startswith("$ ")}

    def write(self, folder: Path) -> None:
        """Write the files of the section into a folder."""
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def sections(document: str) -> dict[str, Section]:
    """The sections of a document of the repository, by title."""
    text = (REPOSITORY / document).read_text(encoding="utf-8")
    parts = ["", *_HEADING.split(text)]
    return {
        title: _section(title, part) for title, part in zip(parts[::2], parts[1::2], strict=True)
    }


def _section(title: str, text: str) -> Section:
    section = Section(title)
    for name, language, body in _BLOCK.findall(text):
        if name:
            section.steps.append((name, body))
        elif language == "console":
            section.steps.extend(_session(body))
        elif language == "sh":
            section.reader.extend(body.splitlines())
        else:
            raise ValueError(f"a block of {language} in {title!r} that is no file")
    return section


def _session(body: str) -> Iterator[tuple[str, str]]:
    _, *parts = _COMMAND.split(body)
    for command, output in zip(parts[::2], parts[1::2], strict=True):
        yield f"$ {command}", output
