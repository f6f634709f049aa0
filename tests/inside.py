"""Commands that are run in this process, as in one of their own: their streams, their status."""

import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import IO

from flake8 import utils

Main = Callable[[list[str]], int]
Done = subprocess.CompletedProcess
OF_THEIR_OWN = ("-j", "-v", "--jobs", "--version", "--verbose")
"""Options about processes, and about logs, which flake8 sets up once."""


def needs_a_process(arguments: Sequence[str]) -> bool:
    """Whether a command cannot be run in this process."""
    return any(argument.startswith(OF_THEIR_OWN) for argument in arguments)


def called(main: Main, arguments: Sequence[str], stdin: bytes, folder: Path) -> Done[bytes]:
    """Run a command in a folder."""
    utils.stdin_get_value.cache_clear()
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        with _streams(stdin, stdout, stderr), contextlib.chdir(folder):
            try:
                status = main([*arguments])
            except SystemExit as ended:
                status = ended.code if isinstance(ended.code, int) else 1
        return Done(arguments, status, _read(stdout), _read(stderr))


@contextlib.contextmanager
def _streams(stdin: bytes, stdout: IO[bytes], stderr: IO[bytes]) -> Iterator[None]:
    kept = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = TextIOWrapper(BytesIO(stdin), "utf-8")
    sys.stdout = TextIOWrapper(stdout, "utf-8", write_through=True)
    sys.stderr = TextIOWrapper(stderr, "utf-8", write_through=True)
    try:
        yield
    finally:
        sys.stdout.detach()  # which leaves what was written
        sys.stderr.detach()
        sys.stdin, sys.stdout, sys.stderr = kept


def _read(stream: IO[bytes]) -> bytes:
    stream.seek(0)
    return stream.read()
