"""Lints pinned real projects and holds the findings against the verdicts of readers.

Run it with ``python -m trust.real_code``. The exit status is 1 if a finding has not been judged, a
judged one is gone, too few are right, or a tree was not linted to its end.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from trust import verdicts
from trust.trees import PINS, Project, Tree, default_cache, fetch, pinned
from trust.verdicts import Place, Verdict, Word, compare

_FINDING = re.compile(r"(?P<path>.+?):(?P<line>\d+):\d+: (?P<code>[A-Z]+\d+) (?P<text>.*)")
_FAULT = re.compile(r".* is not checked by flake8-jax|.*JAX\d+ failed")
"""What the log says when the checker met a fault of its own."""
UNREADABLE = ("E902", "E999")
"""What flake8 says of files that it cannot read or parse."""
OPT_IN = "JAX9"


@dataclass(frozen=True)
class Linted:
    """What flake8 said of a tree."""

    project: Project
    lines: int
    seconds: float
    found: dict[Place, str]
    """The messages, by place."""
    problems: tuple[str, ...]
    """Why it cannot be said that the whole tree was linted."""


def lint(tree: Tree, select: str, limit: float) -> Linted:
    """Lint a tree with flake8 as users run it; the log tells of faults that flake8 hides."""
    command = [sys.executable, "-m", "flake8", "--isolated", "--jobs=1", "--verbose"]
    command.append(f"--select={select},{','.join(UNREADABLE)}")
    begin = time.perf_counter()
    try:
        done = subprocess.run(
            [*command, "."],
            cwd=tree.folder,
            capture_output=True,
            encoding="utf-8",
            timeout=limit,
            check=False,
        )
        output, wrong = done.stdout, [*problems(done)]
    except subprocess.TimeoutExpired:
        output, wrong = "", [f"not done after {limit:g} seconds"]
    found: dict[Place, str] = {}
    for match in filter(None, map(_FINDING.fullmatch, output.splitlines())):
        path = Path(match["path"]).as_posix()
        if match["code"] not in UNREADABLE:
            project = tree.project
            place = Place(project.name, project.version, path, int(match["line"]), match["code"])
            found[place] = match["text"]
        elif _is_python(tree.folder / path):
            wrong.append(f"{path} was lost: {match['code']} {match['text']}")
    seconds = time.perf_counter() - begin
    return Linted(tree.project, tree.count_lines(), seconds, found, tuple(wrong))


def problems(done: "subprocess.CompletedProcess[str]") -> Iterator[str]:
    """Why the end and the log of flake8 do not let us trust what it printed."""
    if done.returncode not in (0, 1):
        yield f"flake8 ended with status {done.returncode}"
    if "Traceback" in done.stderr and _FAULT.search(done.stderr) is None:
        yield done.stderr.strip().splitlines()[-1]
    yield from _FAULT.findall(done.stderr)


def _is_python(path: Path) -> bool:
    """Whether this Python can parse a file that flake8 could not."""
    try:
        compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Fetch, lint and compare; 0 if the verdicts hold, 1 if they do not, 2 for wrong usage."""
    given = _parser().parse_args(arguments)
    projects = pinned(given.projects)
    unknown = set(given.only) - {project.name for project in projects}
    if unknown:
        print(f"no such project: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    projects = [item for item in projects if not given.only or item.name in given.only]
    trees = fetch(projects, given.cache)
    select = f"JAX,{OPT_IN}" if given.opt_in else "JAX"
    with ThreadPoolExecutor(given.jobs) as pool:
        done = list(pool.map(partial(lint, select=select, limit=given.seconds), trees))
    return report(done, given)


def report(done: Sequence[Linted], given: argparse.Namespace) -> int:
    """Print what was found, and say whether the verdicts hold."""
    known = verdicts.read(given.verdicts)
    names = {item.project.name for item in done}
    mine = {
        place: verdict
        for place, verdict in known.items()
        if place.project in names and (given.opt_in or not place.code.startswith(OPT_IN))
    }
    found = {place: text for item in done for place, text in item.found.items()}
    comparison = compare(found, mine)
    problems = [f"{item.project}: {text}" for item in done for text in item.problems]
    for place in sorted(comparison.new):
        print(f"new   {place} {found[place]}")
    for place in sorted(comparison.gone):
        print(f"gone  {place} ({mine[place].word}: {mine[place].reason})")
    for text in problems:
        print(f"not linted to its end: {text}")
    lines, seconds = sum(item.lines for item in done), sum(item.seconds for item in done)
    print(f"{len(done)} projects, {lines:,} lines, {seconds:.0f} seconds of flake8")
    print("\n".join(comparison.lines()))
    if given.update:
        kept = {place: item for place, item in known.items() if place not in comparison.gone}
        unread = dict.fromkeys(comparison.new, Verdict(Word.UNREAD))
        verdicts.write({**kept, **unread}, given.verdicts)
    return 0 if comparison.agrees and not problems else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m trust.real_code",
        description="Lint pinned real projects, and hold the findings against the verdicts of "
        "readers: what is new, what is gone, and how many of a hundred are right.",
    )
    parser.add_argument("only", nargs="*", metavar="project", help="only these; all by default")
    parser.add_argument(
        "--cache",
        type=Path,
        default=default_cache(),
        help="the folder for what is downloaded, outside of the repository (default: %(default)s)",
    )
    parser.add_argument(
        "--opt-in", action="store_true", help="also with the rules that are off by default"
    )
    parser.add_argument(
        "--update",
        action="store_true",
        help="drop the verdicts on what is gone, and add rows for what is new, to be filled in",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        help="how many trees to lint at once (default: %(default)s)",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=900.0,
        help="how long flake8 may take for one tree (default: %(default)g)",
    )
    parser.add_argument("--projects", type=Path, default=PINS, help="the pins")
    parser.add_argument(
        "--verdicts", type=Path, default=verdicts.VERDICTS, help="the verdicts, as CSV"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
