"""A process that lints many files of a project, with edits in between, keeps a bounded amount."""

import sys
from pathlib import Path

from conftest import REPOSITORY, call
from sampling import EXHAUSTIVE

MODULE = """\
import jax
from flax import struct
from functools import cached_property
from m{base} import note{base}


class Node{i}(struct.PyTreeNode):
    x: jax.Array

    @cached_property
    def twice(self):
        return self.x * {edit}


def note{i}(s, v):
    s.a{i} = v


@jax.jit
def step{i}(s, v):
    note{base}(s, v)
    return v
"""
SERVER = f"""\
import gc, sys
from pathlib import Path
from robustness import bulk
from flake8_jax.workspace import files

MODULE = {MODULE!r}
FILES, MOST = int(sys.argv[1]), int(sys.argv[2])
files._MOST_REMEMBERED = MOST  # what is kept at most, in characters: reached soon

def lint(i, edit):
    text = MODULE.format(i=i, base=i % 5, edit=edit)
    Path(f"m{{i}}.py").write_text(text)
    bulk.lint(text, Path(f"m{{i}}.py"), tally)

tally, kept = bulk.Tally(), []
for i in range(5):
    Path(f"m{{i}}.py").write_text(MODULE.format(i=i, base=(i + 1) % 5, edit=1))
for i in range(5, FILES):
    lint(i, 1)
    if i % 10 == 0:
        lint(i // 2 + 3, i)
    if i % (FILES // 10) == 0:
        gc.collect()
        kept.append(gc.get_freeze_count() + len(gc.get_objects()))
print(tally.faults, tally.findings >= 2 * (FILES - 5), *kept)
"""
FILES = 2000 if EXHAUSTIVE else 100
LITTLE, PLENTY = 100 * FILES if FILES < 200 else 20_000, 10**9


def _kept(folder: Path, most: int) -> list[int]:
    """How many objects are kept, counted ten times while the files are linted."""
    command = (sys.executable, "-c", SERVER, str(FILES), str(most))
    done = call(*command, cwd=folder, PYTHONPATH=str(REPOSITORY / "tests"))
    faults, complete, *counts = done.stdout.split()
    assert (faults, complete) == ("[]", "True"), done.stdout
    return list(map(int, counts))


def test_what_is_kept_of_many_files_is_bounded(tmp_path: Path) -> None:
    kept = _kept(tmp_path, LITTLE)
    assert len(kept) >= 9
    assert max(kept[5:]) < max(kept[2:5]) * 1.02


def test_the_count_sees_what_is_kept(tmp_path: Path) -> None:
    """Where nothing is forgotten, the count grows with each file."""
    kept = _kept(tmp_path, PLENTY)
    assert kept == sorted(kept)
    assert kept[-1] - kept[1] > FILES
