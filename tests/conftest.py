"""What the tests share: flake8 run as a user runs it, and the fixtures it lints."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent
FIXTURES = REPOSITORY / "fixtures"

Flake8 = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def flake8(tmp_path: Path) -> Flake8:
    """Run flake8 in an empty folder, with no configuration but what is given."""

    def run(
        *arguments: str, stdin: str | None = None, cwd: Path = tmp_path
    ) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "flake8", *arguments]
        return subprocess.run(
            command, input=stdin, capture_output=True, text=True, cwd=cwd, check=False
        )

    return run
