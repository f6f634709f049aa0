"""Runs the user's command, with the instruments in each of its Python processes."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from flake8_jax.confirming.places import FOLDER

_STARTUP = Path(__file__).parent / "startup"
_NOT_FOUND = 127
_NOT_RUN = 126
_KILLED = 128


class CommandError(Exception):
    """A command that cannot be started."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


def run(command: Sequence[str], folder: Path | None, to_stderr: bool) -> int:
    """The exit status of a command; with a folder, its processes report there."""
    environment = dict(os.environ)
    if folder is not None:
        known = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = os.pathsep.join([str(_STARTUP), *([known] if known else [])])
        environment[FOLDER] = str(folder)
    sys.stdout.flush()
    sys.stderr.flush()
    output = sys.stderr.fileno() if to_stderr else None
    try:
        process = subprocess.Popen(command, env=environment, stdout=output)
    except FileNotFoundError as error:
        raise CommandError(f"{command[0]}: {error.strerror}", _NOT_FOUND) from None
    except OSError as error:
        raise CommandError(f"{command[0]}: {error.strerror}", _NOT_RUN) from None
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command gets it too, and decides
    try:
        status = process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return status if status >= 0 else _KILLED - status
