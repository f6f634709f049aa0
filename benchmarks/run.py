"""The benchmark: what flake8-jax costs beside plain flake8 and other plugins.

    python -m benchmarks.run [--quick] [--write] [--rounds N] [--verify-gates] [--cache FOLDER]

makes an environment for each variant, fetches the source trees, and measures all variants in turns,
round after round, so that what else the machine does falls on all of them. It prints the ratios to
plain flake8; with --write they go to docs/performance.md and docs/performance.svg.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.measuring import Cost, Ratio, run
from benchmarks.programs import PROGRAMS
from benchmarks.variants import JAX, PLAIN, REPOSITORY, VARIANTS, Variant
from flake8_jax.evidence.chart import bars
from trust.trees import Tree, default_cache, fetch, pinned

_PAGE = REPOSITORY / "docs" / "performance.md"
_CHART = REPOSITORY / "docs" / "performance.svg"
_BEGIN, _END = "<!-- measured -->\n", "<!-- end -->"
_LENGTH = 400
"""The lines of a file as one edits it."""
_ROUNDS = 5
_TREES = ("brax", "flax", "equinox", "numpyro", "netket", "optax", "dm-haiku", "distrax")
"""Projects that use JAX throughout, of those that are pinned for real code."""
_FEW = ("equinox", "chex", "brax")
_TARGET = 1.10
_CPU, _MEMORY = "CPU time, one process", "peak memory"
_EDITED = "a JAX file with findings, from standard input"


class Benchmark:
    """The variants, the trees, and what is measured of them."""

    def __init__(
        self, cache: Path, trees: Sequence[Tree], more: Sequence[Tree], rounds: int
    ) -> None:
        self.cache = cache
        self.trees = trees
        self.more = more
        """All trees, to see how the cost grows."""
        self.rounds = rounds
        self.folders = [str(tree.folder) for tree in trees]
        self.lines = sum(tree.count_lines() for tree in trees)
        self.files = sum(len(tree.files) for tree in trees)

    def _rounds(self, arguments: Sequence[str], stdin: bytes = b"") -> dict[Variant, list[Cost]]:
        found: dict[Variant, list[Cost]] = {variant: [] for variant in VARIANTS}
        for count in range(self.rounds):
            turn = count % len(VARIANTS)
            for variant in (*VARIANTS[turn:], *VARIANTS[:turn]):
                if not count or not variant.once:
                    python = variant.python(self.cache)
                    found[variant].append(run(python, arguments, self.cache, stdin))
        return found

    def table(self) -> dict[str, dict[Variant, Ratio]]:
        """The ratios of all variants, by what is measured."""
        _say(f"linting {self.files} files with {self.lines:,} lines, one process")
        serial = self._rounds(["-j1", *self.folders])
        _say("the same with two processes")
        parallel = self._rounds(["-j2", *self.folders])
        _say("small files")
        empty = self._rounds(["-"])
        name, text = self._edited()
        edited = self._rounds([f"--stdin-display-name={name}", "-"], text)
        return {
            _CPU: _ratios(serial, lambda cost: cost.cpu),
            "wall time, two processes": _ratios(parallel, lambda cost: cost.wall),
            _MEMORY: _ratios(serial, lambda cost: cost.memory),
            "an empty file": _ratios(empty, lambda cost: cost.cpu),
            _EDITED: _ratios(edited, lambda cost: cost.cpu),
        }

    def _edited(self) -> tuple[str, bytes]:
        """A file of the trees with findings, of a usual length."""
        python = JAX.python(self.cache)
        output = run(python, ["--select=JAX", *self.folders], self.cache, keep=True).output
        named = {line.partition(":")[0] for line in output.decode().splitlines()}
        _say(f"{len(output.splitlines())} findings in {len(named)} files")
        lengths = {name: Path(name).read_bytes().count(b"\n") for name in sorted(named)}
        name = min(lengths, key=lambda item: abs(lengths[item] - _LENGTH))
        return name, Path(name).read_bytes()

    def gates(self, verify: bool) -> dict[str, list[int]]:
        """How many files and lines there are, and pass each gate."""
        options = ["--verify"] if verify else []
        command = [str(JAX.python(self.cache)), "-m", "benchmarks.gates", *options, *self.folders]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=REPOSITORY)
        found = json.loads(done.stdout)
        for path in found["lost"]:
            print(f"findings of {path} are lost at a gate")
        if found["lost"]:
            raise SystemExit(1)
        counts: dict[str, list[int]] = found["counts"]
        return counts

    def per_thousand_lines(self) -> list[tuple[int, float, float]]:
        """The CPU time in milliseconds for a thousand lines, by the number of lines; and of plain
        flake8.
        """
        found = []
        most = sum(tree.count_lines() for tree in self.more)
        for wanted in (10_000, 30_000, 100_000, 300_000, 1_000_000):
            if wanted > most:
                break
            folders, lines = [], 0
            for tree in sorted(self.more, key=Tree.count_lines):
                if lines < wanted:
                    folders.append(str(tree.folder))
                    lines += tree.count_lines()
            command = ["-j1", *folders]
            costs = [run(v.python(self.cache), command, self.cache) for v in (JAX, PLAIN)]
            found.append((lines, *(cost.cpu / lines * 1e6 for cost in costs)))
        return found

    def programs(self) -> list[tuple[str, int, float, float]]:
        """The CPU time of generated programs, at half of their size and at all of it."""
        found = []
        for name, (program, size) in PROGRAMS.items():
            costs = []
            for part in (size // 2, size):
                folder = self.cache / "programs" / f"{name}-{part}".replace(" ", "-")
                folder.mkdir(parents=True, exist_ok=True)
                for path, text in program(part).items():
                    (folder / path).write_text(text, encoding="utf-8")
                both = [
                    run(v.python(self.cache), ["-j1", "main.py"], folder).cpu for v in (JAX, PLAIN)
                ]
                costs.append(max(both[0] - both[1], 0.0))
            found.append((name, size, costs[0], costs[1]))
        return found


def _ratios(
    costs: dict[Variant, list[Cost]], figure: Callable[[Cost], float]
) -> dict[Variant, Ratio]:
    plain = [figure(cost) for cost in costs[PLAIN]]
    return {v: Ratio.of([figure(cost) for cost in found], plain) for v, found in costs.items()}


def _report(
    benchmark: Benchmark,
    table: dict[str, dict[Variant, Ratio]],
    gates: dict[str, list[int]],
    lines: list[tuple[int, float, float]],
    programs: list[tuple[str, int, float, float]],
) -> str:
    """What was measured, as Markdown."""
    others = [variant for variant in VARIANTS if variant is not PLAIN]
    ours = {what: f"{ratios[JAX].middle:.2f}" for what, ratios in table.items()}
    text = [
        f"Over {len(benchmark.trees)} packages that use JAX ({benchmark.files:,} files, "
        f"{benchmark.lines:,} lines), flake8 with flake8-jax takes **{ours[_CPU]} times** the CPU "
        f"time of flake8 alone, and {ours[_MEMORY]} times its memory. One file of about {_LENGTH} "
        f"lines, linted as an editor does it, takes {ours[_EDITED]} times as long.",
        "",
        "Each figure is a ratio to plain flake8 in the same round: the median, and in brackets the "
        f"least and the most, of {benchmark.rounds} rounds under Python "
        f"{sys.version.split()[0]}.",
        "",
        "| | " + " | ".join(variant.name for variant in others) + " |",
        "|---|" + "---|" * len(others),
    ]
    for what, ratios in table.items():
        text.append(f"| {what} | " + " | ".join(str(ratios[v]) for v in others) + " |")
    total = table[_CPU]
    added = {variant: total[variant].middle - 1 for variant in others if variant.libcst}
    text += ["", "What the plugins based on libcst add to flake8's CPU time:", ""]
    text += [
        f"- {v.name}: {share:.0%}{f', {v.note}' if v.note else ''}" for v, share in added.items()
    ]
    text += ["", "## What is looked at", ""]
    text += ["Most of the cost falls on files that have to do with JAX and change something.", ""]
    text += ["| | files | lines |", "|---|---|---|"]
    names = {"all": "all", "text": "have to do with JAX", "still": "and change something"}
    files, count = gates["all"]
    for stage, (some, these) in gates.items():
        shares = f"{some:,} ({some / files:.0%}) | {these:,} ({these / count:.0%})"
        text.append(f"| {names[stage]} | {shares} |")
    text += ["", "## How it grows", ""]
    text += ["With the number of lines, over more and more packages in one run:", ""]
    text += ["| lines | CPU time for a thousand | of plain flake8 |", "|---|---|---|"]
    text += [f"| {some:,} | {ours:.0f} ms | {plain:.0f} ms |" for some, ours, plain in lines]
    text += ["", "With the size of one program, of shapes that are hard to analyse:", ""]
    text += ["| generated program | size | CPU time above flake8's | at half of it |"]
    text.append("|---|---|---|---|")
    text += [
        f"| {name} | {n:,} | {all_:.2f} s | {half:.2f} s |" for name, n, half, all_ in programs
    ]
    return "\n".join(text) + "\n"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Set up, measure, print, and perhaps write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="three trees and one round")
    parser.add_argument("--write", action="store_true", help="write the page and its chart")
    parser.add_argument("--rounds", type=int, default=_ROUNDS, help=f"how many ({_ROUNDS})")
    parser.add_argument("--verify-gates", action="store_true", help="check what they stop, too")
    parser.add_argument("--cache", type=Path, default=default_cache())
    given = parser.parse_args()
    cache = given.cache.resolve()
    cache.mkdir(parents=True, exist_ok=True)
    for variant in VARIANTS:
        _say(f"environment of {variant.name}")
        variant.install(cache)
    projects = pinned()
    wanted = _FEW if given.quick else _TREES
    trees = fetch([project for project in projects if project.name in wanted], cache)
    more = trees if given.quick else fetch(projects, cache)
    benchmark = Benchmark(cache, trees, more, 1 if given.quick else given.rounds)
    table = benchmark.table()
    _say("gates and growth")
    gates = benchmark.gates(given.verify_gates)
    lines, programs = benchmark.per_thousand_lines(), benchmark.programs()
    text = _report(benchmark, table, gates, lines, programs)
    print(text)
    if given.write:
        rows = [(v.name, ratio.middle) for v, ratio in table[_CPU].items()]
        title = "CPU time over the source trees, as a multiple of plain flake8's"
        _CHART.write_text(bars(title, rows, JAX.name, _TARGET), encoding="utf-8")
        page = _PAGE.read_text(encoding="utf-8")
        before, _, rest = page.partition(_BEGIN)
        _, _, after = rest.partition(_END)
        _PAGE.write_text(f"{before}{_BEGIN}{text}{_END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
