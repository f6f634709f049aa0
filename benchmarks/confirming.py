"""What ``flake8-jax confirm`` adds to the CPU time of a program, linting left out.

    python -m benchmarks.confirming src/ -- python train.py --steps 3

The command runs by turns with instruments and without, and the fastest of each is compared.
"""

import resource
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from flake8_jax.applying.flake8 import Flake8
from flake8_jax.confirming import command as commands
from flake8_jax.confirming import places
from flake8_jax.confirming.linting import findings

_TIMES = 3


def main(given: Sequence[str]) -> int:
    """Run the command, and print the two times and how they compare."""
    if "--" not in given:
        print(__doc__, file=sys.stderr)
        return 2
    at = given.index("--")
    found, plan = findings(Flake8(given[:at]))
    without, measured = [], []
    for _ in range(_TIMES):
        without.append(_seconds(given[at + 1 :], None))
        with tempfile.TemporaryDirectory() as name:
            places.write(plan, Path(name))
            measured.append(_seconds(given[at + 1 :], Path(name)))
    alone, watched = min(without), min(measured)
    print(
        f"{len(found)} findings; {alone:.1f} s of CPU alone, {watched:.1f} s with instruments: "
        f"{watched / alone:.2f}"
    )
    return 0


def _seconds(command: Sequence[str], folder: Path | None) -> float:
    before = _spent()
    commands.run(command, folder, to_stderr=True)
    return _spent() - before


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
