"""Confirms the findings of all hazards as a user would, and prints how many of each rule.

    python tests/integrations/confirmed_hazards.py [CODE...]

The hazards of a rule are driven by ``driven.py``, which knows nothing of the instruments. What is
not confirmed is listed below its rule. The other fixtures are linted, so that there is nothing to
refute in them. The status is 1 if a finding is refuted or not measured.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DRIVER = (sys.executable, "tests/integrations/confirmed/driven.py")
NOTHING = (sys.executable, "-c", "pass")
_CONFIRM = (sys.executable, "-m", "flake8_jax", "confirm", "--format=json")
_OPT_IN = "--extend-select=JAX901,JAX902,JAX903,JAX904"
_VERDICTS = ("confirmed", "not reached", "not measured", "refuted")


def main(codes: Sequence[str]) -> int:
    """Print a line for each rule, and what is not as it should be below it."""
    known = codes or sorted(path.name for path in (ROOT / "fixtures").glob("JAX*"))
    total: Counter[str] = Counter()
    for code in known:
        hazards, others = fixtures(code)
        found, _ = confirmed(hazards, *DRIVER, *hazards)
        false, _ = confirmed(others, *NOTHING)
        counts = Counter(item["verdict"] for item in found)
        total += counts
        told = f"{_counted(counts)}; {len(others)} others, {len(false)} findings"
        print(f"{code}: {len(hazards)} hazards, {told}", flush=True)
        for item in [*found, *false]:
            if item in false or item["verdict"] != "confirmed":
                place = f"{item['path']}:{item['line']}:{item['column']}"
                said = f"{item['verdict']}: {item['detail']}"
                print(f"  {place} {item['code']} {said}", flush=True)
        total["refuted"] += len(false)
    print(f"all: {_counted(total)}")
    return int(total["refuted"] + total["not measured"] > 0)


def _counted(counts: Counter[str]) -> str:
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in _VERDICTS)
    return f"{counts.total()} findings: {told}"


def fixtures(code: str = "JAX*") -> tuple[list[str], list[str]]:
    """The hazards of some rules, and the other fixtures, as a command line names them."""
    found = sorted(path.relative_to(ROOT) for path in (ROOT / "fixtures").glob(f"{code}/*_*"))
    known = [path for path in found if path.name != "__pycache__"]
    hazards = [str(path) for path in known if path.name.startswith("hazard_")]
    return hazards, [str(path) for path in known if str(path) not in hazards]


def confirmed(paths: Sequence[str], *command: str) -> tuple[list[dict[str, Any]], str]:
    """What is said of the findings below some paths, and what the command prints."""
    done = run(*_CONFIRM, _OPT_IN, *paths, "--", *command)
    findings: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return findings, done.stderr


def run(*command: str) -> "subprocess.CompletedProcess[str]":
    """A command, in the folder of the project."""
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
