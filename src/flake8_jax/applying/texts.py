"""Python files as they are on disk: their encoding, line ends and mode survive a change."""

import difflib
import os
import re
import signal
import stat
import tempfile
import tokenize
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path

from flake8_jax.fixes.edits import split
from flake8_jax.printable import printable, printable_lines

_BOM = "\ufeff"
_END = re.compile(r"\r\n|\r|\n")
_STOPPING = {signal.SIGINT, signal.SIGTERM}
"""What ends a program before its time, and can wait."""


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
        return lines_of(self._decoded.removeprefix(_BOM))

    def changed(self, lines: Sequence[str]) -> "Text":
        """The text with other lines; those that are the same keep their ends."""
        if lines == self.lines:
            return self
        body = self._decoded.removeprefix(_BOM)
        usual = usual_end(body)
        old = [*_END.findall(body), ""]
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
        header, body = self._difference(other, name)
        return header.encode(errors="surrogateescape") + body.encode(self._encoding)

    def shown_difference(self, other: "Text", name: str) -> str:
        """The same for eyes: what cannot be seen, or does something to a terminal, is escaped."""
        header, body = self._difference(other, printable(name))
        return header + printable_lines(body)

    def _difference(self, other: "Text", name: str) -> tuple[str, str]:
        pair = split(self._decoded), split(other._decoded)
        _, _, *lines = difflib.unified_diff(*pair)
        end = "\t" if " " in name else ""  # or the name ends at the first blank, for patch
        return f"--- {name}{end}\n+++ {name}{end}\n", "".join(map(_marked, lines))

    def write(self, path: str, before: "Text") -> None:
        """Put the text in the place of another one, at once, unless that one has changed.

        A file with several names keeps them: it is written where it is, while a draft of the new
        text stands beside it.
        """
        target = Path(path).resolve()
        try:
            known = target.stat()
            require_writable(path)
            handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        except OSError as error:
            raise LeftAloneError(error.strerror or str(error)) from None
        draft = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(self.content)
                file.flush()
                os.fsync(file.fileno())
            if target.read_bytes() != before.content:
                raise LeftAloneError("it has changed meanwhile")
            if known.st_nlink > 1:
                _overwrite(target, self.content)
                return
            if hasattr(os, "chown"):
                with suppress(PermissionError):
                    os.chown(draft, known.st_uid, known.st_gid)
            draft.chmod(stat.S_IMODE(known.st_mode))
            draft.replace(target)
        except OSError as error:
            raise LeftAloneError(error.strerror or str(error)) from None
        finally:
            draft.unlink(missing_ok=True)


def lines_of(text: str) -> list[str]:
    """The lines of a text as flake8 has them: each ends with a newline, whatever it ended with."""
    return split(_END.sub("\n", text))


def usual_end(text: str) -> str:
    """What most lines of a text end with."""
    ends = _END.findall(text)
    return max(sorted(set(ends)), key=ends.count, default="\n")


def require_writable(path: str) -> None:
    """Leave a file alone that nobody may write."""
    try:
        mode = Path(path).stat().st_mode
    except OSError as error:
        raise LeftAloneError(error.strerror or str(error)) from None
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise LeftAloneError("it is read-only")


def require_inside(path: str, given: Sequence[str]) -> None:
    """Leave a file alone that a link leads to, from below the given paths to outside of them."""
    target = Path(path).resolve()
    if not any(target.is_relative_to(Path(item).resolve()) for item in given):
        raise LeftAloneError(f"it is a link that leads out of the given paths, to {target}")


def _overwrite(path: Path, content: bytes) -> None:
    """Write a file where it is; signals wait until it is done."""
    mask: Callable[..., object] = getattr(signal, "pthread_sigmask", lambda *_: ())
    before = mask(getattr(signal, "SIG_BLOCK", 0), _STOPPING)
    try:
        with path.open("r+b", buffering=0) as file:
            rest = memoryview(content)
            while rest:
                rest = rest[file.write(rest) or 0 :]
            file.truncate()
            os.fsync(file.fileno())
    finally:
        mask(getattr(signal, "SIG_SETMASK", 0), before)


def _marked(line: str) -> str:
    """A line of a diff, with a mark if it has no end."""
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def read(path: str) -> Text:
    """The content of a file."""
    try:
        return Text(Path(path).read_bytes())
    except OSError as error:
        raise LeftAloneError(error.strerror or str(error)) from None
