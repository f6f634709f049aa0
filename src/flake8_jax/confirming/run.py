"""The whole of it: lints, runs the command, judges, and says which exit status it is."""

import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from flake8_jax.applying.flake8 import Flake8, UnparsableError
from flake8_jax.applying.texts import read
from flake8_jax.confirming import command as commands
from flake8_jax.confirming import places
from flake8_jax.confirming.judging import Reports, Standing, judge, status_of
from flake8_jax.confirming.linting import Finding, findings
from flake8_jax.confirming.reports import lines
from flake8_jax.confirming.showing import Summary, counted
from flake8_jax.confirming.slices import cut


def confirmed(
    flake8: Flake8, command: Sequence[str], to_stderr: bool, only_confirmed: bool
) -> Summary:
    """Run a command, and say what happens where flake8 has something to say."""
    found, plan = findings(flake8)
    if not found:
        status = commands.run(command, None, to_stderr)
        ending = f"nothing to confirm: flake8 finds nothing here; {_ended(status)}"
        return Summary((), status, ending, status, _versions({}), {})
    with tempfile.TemporaryDirectory(prefix="flake8-jax-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        places.write(plan, folder)
        status = commands.run(command, folder, to_stderr)
        reports = Reports.gathered(lines(folder))
    verdicts = [judge(item, str(Path(item.path).resolve()), reports) for item in found]
    slices = {
        item.finding.number: _slice(flake8, item.finding)
        for item in verdicts
        if item.standing is Standing.REFUTED
    }
    own = status_of(verdicts)
    said = f"{counted(verdicts)}; {_ended(status)}"
    ending = f"{said}; exit status {status or own}: {_WHICH[bool(status), bool(own)]}"
    if only_confirmed:
        verdicts = [item for item in verdicts if item.standing is Standing.CONFIRMED]
        slices = {}
    notes = [f"a fault of the instruments: {fault}" for fault in sorted(reports.faults)]
    versions = _versions(reports.versions)
    return Summary(verdicts, status or own, ending, status, versions, slices, notes)


_WHICH = {
    (False, False): "no finding was refuted",
    (False, True): "a finding was refuted",
    (True, False): "that of the command",
    (True, True): "that of the command",
}


def _ended(status: int) -> str:
    return "the command ended well" if status == 0 else f"the command failed with status {status}"


def _versions(of_program: dict[str, str]) -> dict[str, str]:
    known = {"flake8-jax": _version("flake8-jax"), "flake8": _version("flake8")}
    known |= {"libcst": _version("libcst"), "Python": sys.version.split()[0]}
    return {name: number for name, number in (known | of_program).items() if number}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _slice(flake8: Flake8, finding: Finding) -> str:
    """The least of a file that still gives a finding."""
    known = read(finding.path).lines
    wanted = finding.code, known[finding.line - 1].strip()

    def gives(some: Sequence[str]) -> bool:
        try:
            with flake8.lint(finding.path, some) as report:
                return any(
                    (item.code, some[item.line - 1].strip()) == wanted for item in report.shown
                )
        except UnparsableError:
            return False

    return "".join(cut(known, gives))
