"""flake8 for small programs: in this process, or in one of its own with ``--processes``."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from flake8 import utils
from flake8.main.cli import main

from conftest import Flake8

PROCESSES = "--processes"
OF_THEIR_OWN = ("-j", "-v", "--jobs", "--version")
"""Options about processes, and about logs, which flake8 sets up once."""


@pytest.fixture
def flake8(flake8: Flake8, tmp_path: Path, pytestconfig: pytest.Config) -> Flake8:
    """Run flake8 in an empty folder, with no configuration but what is given."""
    if pytestconfig.getoption(PROCESSES):
        return flake8

    def run(
        *arguments: str, stdin: str | None = None, cwd: Path = tmp_path
    ) -> "subprocess.CompletedProcess[str]":
        if any(argument.startswith(OF_THEIR_OWN) for argument in arguments):
            return flake8(*arguments, stdin=stdin, cwd=cwd)
        utils.stdin_get_value.cache_clear()
        with _streams(stdin or "") as (stdout, stderr), contextlib.chdir(cwd):
            status = main(["-j1", *arguments])
        return subprocess.CompletedProcess(arguments, status, _text(stdout), _text(stderr))

    return run


@contextlib.contextmanager
def _streams(stdin: str) -> Iterator[tuple[BytesIO, BytesIO]]:
    stdout, stderr = BytesIO(), BytesIO()
    kept = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = TextIOWrapper(BytesIO(stdin.encode()), "utf-8")
    sys.stdout = TextIOWrapper(stdout, "utf-8", write_through=True)
    sys.stderr = TextIOWrapper(stderr, "utf-8", write_through=True)
    try:
        yield stdout, stderr
    finally:
        sys.stdout.detach()  # which leaves what was written
        sys.stderr.detach()
        sys.stdin, sys.stdout, sys.stderr = kept


def _text(stream: BytesIO) -> str:
    return stream.getvalue().decode()
