"""Linting in bulk: mutated and generated modules, and not one fault.

    python tests/robustness/bulk.py [--count N] [--seed N] [--generated N] [FOLDER ...]

takes the Python files below some folders, the fixtures if none is given, and spoils them: lines and
words are deleted, doubled, swapped or replaced, the end is cut off. Each result is linted, and is
imported by a module that traces all its functions. With --generated, modules that hypothesmith
makes up are linted too. The status is 1 if the plugin logged a fault.
"""

import argparse
import ast
import gc
import logging
import random
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from flake8_jax.plugin import Plugin

FIXTURES = Path(__file__).parents[2] / "fixtures"
_WORD = re.compile(r"\w+|[^\w\s]|\s+")
_DEFINED = re.compile(r"^(?:def|class)\s+(\w+)|^(\w+)\s*=", re.MULTILINE)
_ODD = ("", "x", "self", "(", ")", "]", "*", "**", ":", ",", ".", "=", "lambda: 0", "jax.jit", "0")


@dataclass
class Tally(logging.Handler):
    """What was linted, and what went wrong."""

    linted: int = 0
    unparsable: int = 0
    findings: int = 0
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(logging.WARNING)

    def emit(self, record: logging.LogRecord) -> None:
        """Note a fault."""
        self.faults.append(self.format(record))

    def __hash__(self) -> int:
        return id(self)


def mutants(text: str, chance: random.Random) -> str:
    """A text with one to four things wrong."""
    for _ in range(chance.randint(1, 4)):
        text = chance.choice(_MUTATIONS)(text, chance)
    return text


def _lines(change: Callable[[list[str], random.Random], None]) -> Callable[..., str]:
    def mutate(text: str, chance: random.Random) -> str:
        lines = text.splitlines(keepends=True)
        if lines:
            change(lines, chance)
        return "".join(lines)

    return mutate


def _words(change: Callable[[list[str], random.Random], None]) -> Callable[..., str]:
    def mutate(text: str, chance: random.Random) -> str:
        words = _WORD.findall(text)
        if words:
            change(words, chance)
        return "".join(words)

    return mutate


def _delete(parts: list[str], chance: random.Random) -> None:
    del parts[chance.randrange(len(parts))]


def _double(parts: list[str], chance: random.Random) -> None:
    at = chance.randrange(len(parts))
    parts.insert(at, parts[at])


def _swap(parts: list[str], chance: random.Random) -> None:
    one, other = (chance.randrange(len(parts)) for _ in range(2))
    parts[one], parts[other] = parts[other], parts[one]


def _replace(parts: list[str], chance: random.Random) -> None:
    parts[chance.randrange(len(parts))] = chance.choice((*_ODD, *chance.choices(parts, k=3)))


def _rename(text: str, chance: random.Random) -> str:
    """Make two names one."""
    names = re.findall(r"[a-z_]\w+", text) or ["x"]
    return re.sub(rf"\b{chance.choice(names)}\b", chance.choice(names), text)


def _cut(text: str, chance: random.Random) -> str:
    return text[: chance.randint(0, len(text))]


_MUTATIONS: tuple[Callable[[str, random.Random], str], ...] = (
    *(_lines(change) for change in (_delete, _double, _swap)),
    *(_words(change) for change in (_delete, _double, _swap, _replace, _replace)),
    _rename,
    _rename,
    _cut,
)


def lint(text: str, path: Path, tally: Tally) -> None:
    """Lint a text as flake8 does, if Python can parse it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tally.unparsable += 1
        return
    options = argparse.Namespace(select=["JAX", "JAX9"], extend_select=[])
    lines = [f"{line}\n" for line in text.split("\n")]
    tally.linted += 1
    before = len(tally.faults)
    for line, column, said, _ in Plugin(tree, lines, str(path), options).run():
        tally.findings += 1
        if not (1 <= line <= len(lines) and 0 <= column <= len(lines[line - 1])):
            tally.faults.append(f"{line}:{column} is no place: {said}")
    if len(tally.faults) > before:
        tally.faults[-1] += f"\n--- in\n{text}"


def lint_and_import(text: str, folder: Path, tally: Tally) -> None:
    """Lint a text, and a module that uses all that it defines."""
    (folder / "subject.py").write_text(text, encoding="utf-8", errors="replace", newline="\n")
    lint(text, folder / "subject.py", tally)
    names = {name for found in _DEFINED.findall(text) for name in found if name.isidentifier()}
    uses = [f"def use_{n}(x, y):\n    x.y = subject.{n}(x, y)\n    y.z = x\n" for n in names]
    traced = [f"jax.jit(subject.{name})\njax.jit(use_{name})\n" for name in sorted(names)]
    start = "import jax\nimport subject\nfrom subject import *\n"
    lint(start + "".join([*sorted(uses), *traced]), folder / "user.py", tally)


def mutated(files: Sequence[Path], count: int, seed: int) -> Iterator[str]:
    """Spoiled texts, always the same for a seed."""
    chance = random.Random(seed)
    for _ in range(count):
        yield mutants(chance.choice(files).read_text(encoding="utf-8", errors="replace"), chance)


def generated(count: int, seed: int, use: Callable[[str], None]) -> None:
    """Hand over modules that hypothesmith makes up."""
    import hypothesis
    import hypothesmith

    settings = hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )

    @hypothesis.seed(seed)
    @settings
    @hypothesis.given(hypothesmith.from_grammar() | hypothesmith.from_node())
    def each(text: str) -> None:
        use("import jax\nimport flax.struct\n" + text)

    each()


def run(files: Sequence[Path], count: int, seed: int, made_up: int = 0) -> Tally:
    """Lint in bulk.

    The garbage collector is off: after each text it would walk over all that the tests have loaded.
    """
    tally = Tally()
    logger = logging.getLogger("flake8.jax")
    logger.addHandler(tally)
    was_on = gc.isenabled()
    gc.disable()
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for text in mutated(files, count, seed):
                lint_and_import(text, folder, tally)
            if made_up:
                generated(made_up, seed, lambda text: lint_and_import(text, folder, tally))
    finally:
        if was_on:
            gc.enable()
        logger.removeHandler(tally)
    return tally


def main() -> int:
    """Read the arguments, run, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("folders", nargs="*", type=Path, default=[FIXTURES])
    parser.add_argument("--count", type=int, default=2_000, help="how many mutated files")
    parser.add_argument("--generated", type=int, default=0, help="how many of hypothesmith")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    files = sorted(path for folder in given.folders for path in folder.rglob("*.py"))
    tally = run(files, given.count, given.seed, given.generated)
    print(f"{tally.linted} linted, {tally.unparsable} not Python, {tally.findings} findings")
    for fault in tally.faults[:20]:
        print(fault, file=sys.stderr)
    print(f"{len(tally.faults)} faults")
    return 1 if tally.faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
