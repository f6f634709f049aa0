"""Python files as they are on disk: their encoding, line ends and mode survive a change."""

import difflib
import os
import re
import stat
import tempfile
import tokenize
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path

from flake8_jax.fixes.edits import split

_BOM = "\ufeff"
_END = re.compile(r"\r\n|\r|\n")


class LeftAloneError(Exception):
    """Why a file is not changed."""


@dataclass(frozen=True)
class Text:
    """The content of a file."""

    content: bytes

    @cached_property
    def _encoding(self) -> str:
        try:
            encoding, _ = tokenize.detect_encoding(BytesIO(self.content).readline)
        except SyntaxError as error:
            raise LeftAloneError(str(error)) from None
        return "utf-8" if encoding == "utf-8-sig" else encoding

    @cached_property
    def _decoded(self) -> str:
        try:
            return self.content.decode(self._encoding)
        except UnicodeDecodeError as error:
            raise LeftAloneError(str(error)) from None

    @cached_property
    def lines(self) -> Sequence[str]:
        """The lines as flake8 has them: without a byte order mark, and each ends with a newline."""
        return split(_END.sub("\n", self._decoded.removeprefix(_BOM)))

    def changed(self, lines: Sequence[str]) -> "Text":
        """The text with other lines; those that are the same keep their ends."""
        if lines == self.lines:
            return self
        body = self._decoded.removeprefix(_BOM)
        ends = _END.findall(body)
        usual = max(sorted(set(ends)), key=ends.count, default="\n")
        old = [*ends, ""]
        result: list[str] = []
        matcher = difflib.SequenceMatcher(None, self.lines, lines, autojunk=False)
        for tag, first, _, start, stop in matcher.get_opcodes():
            for index, line in enumerate(lines[start:stop], first):
                end = old[index] if tag == "equal" else usual
                result.append(line[:-1] + end if line.endswith("\n") else line)
        text = "".join(result)
        bom = _BOM if self._decoded.startswith(_BOM) else ""
        return Text((bom + text).encode(self._encoding))

    def difference(self, other: "Text", name: str) -> bytes:
        """A unified diff that leads to another text, in the encoding of this one."""
        pair = split(self._decoded), split(other._decoded)
        _, _, *lines = difflib.unified_diff(*pair)
        end = "\t" if " " in name else ""  # or the name ends at the first blank, for patch
        header = f"--- {name}{end}\n+++ {name}{end}\n".encode(errors="surrogateescape")
        return header + "".join(map(_marked, lines)).encode(self._encoding)

    def write(self, path: str, before: "Text") -> None:
        """Put the text in the place of another one, at once, unless that one has changed."""
        target = Path(path).resolve()
        try:
            known = target.stat()
            if not known.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
                raise LeftAloneError("it is read-only")
            handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        except OSError as error:
            raise LeftAloneError(error.strerror or str(error)) from None
        draft = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(self.content)
                file.flush()
                os.fsync(file.fileno())
            if hasattr(os, "chown"):
                with suppress(PermissionError):
                    os.chown(draft, known.st_uid, known.st_gid)
            draft.chmod(stat.S_IMODE(known.st_mode))
            if target.read_bytes() != before.content:
                raise LeftAloneError("it has changed meanwhile")
            draft.replace(target)
        except OSError as error:
            raise LeftAloneError(error.strerror or str(error)) from None
        finally:
            draft.unlink(missing_ok=True)


def _marked(line: str) -> str:
    """A line of a diff, with a mark if it has no end."""
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def read(path: str) -> Text:
    """The content of a file."""
    try:
        return Text(Path(path).read_bytes())
    except OSError as error:
        raise LeftAloneError(error.strerror or str(error)) from None
