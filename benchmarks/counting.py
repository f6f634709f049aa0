"""Work that is counted and not timed: how many calls of functions it takes to lint a program.

``python -m benchmarks.counting NAME SIZE ...`` prints the counts of one of the programs.
"""

import ast
import sys
import tempfile
from pathlib import Path

from benchmarks.programs import PROGRAMS, Files
from flake8_jax.check import check
from flake8_jax.workspace.files import Project, Settings
from flake8_jax.workspace.outline import attach


def calls(files: Files) -> tuple[int, int]:
    """How many calls it takes to lint ``main.py`` among some files, and how many findings it has.

    The parsers, which are native, count as one call; so do methods of strings and sets. What they
    cost is seen in the times of the benchmark.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in files.items():
            (folder / path).write_text(text, encoding="utf-8")
        text = files["main.py"]
        lines, tree = text.splitlines(keepends=True), ast.parse(text)
        count = 0

        def note(_frame: object, event: str, _argument: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            project = Project(Settings(), str(folder))
            file = project.open(str(folder / "main.py"), text, None)
            attach(file, lines, tree)
            found = check(project, file, ())
        finally:
            sys.setprofile(before)
    return count, len(found)


def main(name: str, *sizes: str) -> None:
    """Print the counts of a program in some sizes; what is made once in a process counts not."""
    program, _ = PROGRAMS[name]
    calls(program(3))
    print(*(calls(program(int(size)))[0] for size in sizes))


if __name__ == "__main__":
    main(*sys.argv[1:])
