"""Work grows as programs do: calls of functions are counted, at a size, twice and four times it."""

import sys
from pathlib import Path

import pytest

from benchmarks.counting import calls
from benchmarks.programs import PROGRAMS, Files
from conftest import REPOSITORY, call
from flake8_jax.workspace.outline import Block
from linted import linted, project
from sampling import EXHAUSTIVE

LINEAR = 2.25
"""By how much the work may grow when a program is twice as large; it is made so twice."""
SMALLER = {"generated lines": 10, "statements": 5, "functions": 4, "mutual recursion": 2}
"""Programs that are tried below the size that they should bear, to save time."""
LARGER = {
    "class chain": 4.0,  # each class looks at all its ancestors, 40,000 pairs of 200 classes
    "diamonds": 4.0,
    "module chain": 2.8,  # each module is asked for all that it leads to
    "mutual recursion": 2.8,
    "aliases": 3.6,  # a name may be whatever the names in the loops before it were
    "result tree": 2.8,  # grows until a value holds as many places as it may
}
"""What is not linear, and how far from it."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_growth(name: str) -> None:
    size = PROGRAMS[name][1] // SMALLER.get(name, 1) // (1 if EXHAUSTIVE else 2)
    sizes = [str(part) for part in (size // 4, size // 2, size)]
    command = (sys.executable, "-m", "benchmarks.counting", name, *sizes)
    done = call(*command, cwd=REPOSITORY, PYTHONHASHSEED="0")
    counts = [int(part) for part in done.stdout.split()]
    assert counts[0] > 1_000
    assert counts[2] < counts[0] * LARGER.get(name, LINEAR) ** 2, counts


def test_findings_do_not_cut_the_text_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cutting is one call, however much is cut: so characters are counted."""
    cut = 0

    def text(block: Block) -> str:
        nonlocal cut
        cut += block.end - block.start
        return block.source[block.start : block.end]

    monkeypatch.setattr(Block, "text", property(text))
    counts = []
    for size in (100, 200):
        writes = "".join(f"    s.a{i} = x\n" for i in range(size))
        module = f"import jax\n\n\n@jax.jit\ndef step(x, s):\n{writes}    return x\n"
        (tmp_path / f"m{size}.py").write_text(module)
        before = cut
        [found] = linted(project(tmp_path), tmp_path, [f"m{size}.py"]).values()
        assert len(found) == size
        counts.append(cut - before)
    assert counts[1] < counts[0] * LINEAR


def test_growth_is_seen() -> None:
    """A count that could not tell a quadratic program would tell nothing."""

    def pairs(size: int) -> Files:
        text = "import jax\n\n\n@jax.jit\ndef step(x, s):\n"
        lines = [f"    s.a{i}_{j} = x\n" for i in range(size) for j in range(size)]
        return {"main.py": text + "".join(lines) + "    return x\n"}

    first, second, third = (calls(pairs(size))[0] for size in (8, 16, 32))
    assert third - second > 3 * (second - first)
