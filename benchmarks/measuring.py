"""Runs of flake8, measured: CPU time, wall time and peak memory of the process and its workers."""

import os
import statistics
import subprocess
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """What one run took."""

    cpu: float
    wall: float
    memory: float
    """In megabytes, of the largest process."""
    output: bytes = b""


def run(
    python: Path, arguments: Sequence[str], folder: Path, stdin: bytes = b"", keep: bool = False
) -> Cost:
    """Run flake8 once."""
    command = [str(python), "-m", "flake8", "--isolated", "--exit-zero", *arguments]
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE if keep else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    process.stdin.write(stdin)
    process.stdin.close()
    output = process.stdout.read() if process.stdout is not None else b""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"flake8 failed: {' '.join(command)}")
    wall = time.perf_counter() - began
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024, output)


@dataclass(frozen=True)
class Ratio:
    """How a figure compares to that of plain flake8 in the same round: median, least and most."""

    middle: float
    least: float
    most: float

    @classmethod
    def of(cls, figures: Iterable[float], plain: Iterable[float]) -> "Ratio":
        """Compare the rounds one by one, as many as there are of both."""
        found = [figure / base for figure, base in zip(figures, plain, strict=False)]
        return cls(statistics.median(found), min(found), max(found))

    def __str__(self) -> str:
        if self.least == self.most:
            return f"{self.middle:.2f}"
        return f"{self.middle:.2f} ({self.least:.2f} to {self.most:.2f})"
