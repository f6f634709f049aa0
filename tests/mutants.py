"""Changes one piece of the analysis at a time, and counts what the fast tests notice.

    python tests/mutants.py [--count N] [--seed N] [--list FILE] [--again FILE] [PART ...]

needs Python 3.12, which tells at little cost which tests run a line. Each mutant is tried in a fork
of a process that has everything imported: those tests that run the changed line, the cheapest
first, until one fails. What is left is printed; ``--list`` keeps all of them, with what became of
each, and ``--again`` tries those of a list that were left. Only what stands in functions is
changed: tables are the tests' own subject.
"""

import argparse
import ast
import copy
import gc
import os
import random
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import _lru_cache_wrapper
from pathlib import Path
from types import CodeType, FunctionType
from typing import NamedTuple

import pytest

_REPOSITORY = Path(__file__).parent.parent
_PACKAGE = _REPOSITORY / "src/flake8_jax"
PARTS = ("lowering", "effects", "verdicts", "classes")
_TESTS = [
    str(_REPOSITORY / "tests" / name)
    for name in (
        *("unit/lowering", "unit/resolution", "unit/classes", "unit/effects", "unit/verdicts"),
        *("findings/test_marks.py", "findings/test_missed_alarms.py"),
        *("findings/test_false_alarms.py", "findings/test_messages.py"),
        "findings/test_spellings.py",
    )
]
"""The fast tests that run the analysis."""
_TOOL = 4
"""The number by which ``sys.monitoring`` knows this tool."""
_PATIENCE = 60
"""CPU seconds after which a mutant counts as noticed: it does not end."""
_MOST_TESTS = 400
"""How many tests of a line are tried; those that cost least come first."""

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.Mult: ast.Add,
}
LEFT = ("survived", "not run")
"""What becomes of mutants that no test notices."""
_HIDDEN = ("TYPE_CHECKING", "assert_never", "__repr__")


class Mutant(NamedTuple):
    """A change of one module."""

    path: Path
    line: int
    what: str
    tree: ast.Module

    @property
    def name(self) -> str:
        """By which a mutant is known, as long as its module stays the same."""
        return f"{self.path.relative_to(_PACKAGE)}:{self.line}: {self.what}"


def mutants(path: Path) -> Iterator[Mutant]:
    """All changes of what stands in the functions of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in _outermost(tree):
        for node in _inside(function):
            for what, changed in _changes(node):
                yield Mutant(path, node.lineno, what, _replaced(tree, node, changed))


def _outermost(node: ast.AST) -> Iterator[ast.FunctionDef]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            if child.name not in _HIDDEN:
                yield child
        elif isinstance(child, ast.ClassDef | ast.If):
            yield from _outermost(child)


def _inside(function: ast.FunctionDef) -> Iterator[ast.expr | ast.stmt | ast.comprehension]:
    """Its statements and expressions, but for annotations, docstrings and decorators."""
    todo: list[ast.AST] = [*function.body]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.expr | ast.stmt):
            yield node
        match node:
            case ast.FunctionDef():
                todo += node.body
            case ast.AnnAssign():
                todo += [node.value] if node.value else []
            case ast.Raise() | ast.Assert():  # texts of errors that nobody should meet
                pass
            case _:
                todo += ast.iter_child_nodes(node)


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Compare(ops=[first, *_]) if type(first) in _COMPARED:
            other = _COMPARED[type(first)]
            yield other.__name__, _with(node, ops=[other(), *node.ops[1:]])
        case ast.BoolOp():
            other = ast.And if isinstance(node.op, ast.Or) else ast.Or
            yield other.__name__, _with(node, op=other())
            for index in range(len(node.values)):
                kept = [value for at, value in enumerate(node.values) if at != index]
                yield (
                    f"without {ast.unparse(node.values[index])}",
                    kept[0] if len(kept) == 1 else _with(node, values=kept),
                )
        case ast.UnaryOp(op=ast.Not()):
            yield "without not", node.operand
        case ast.BinOp() if type(node.op) in _COMPUTED:
            other = _COMPUTED[type(node.op)]
            yield other.__name__, _with(node, op=other())
        case ast.Constant(value=bool()):
            yield str(not node.value), ast.Constant(not node.value)
        case ast.Constant(value=int()):
            yield str(node.value + 1), ast.Constant(node.value + 1)
        case ast.If() | ast.IfExp() | ast.While():
            yield "if not", _with(node, test=ast.UnaryOp(ast.Not(), node.test))
        case ast.Return() if node.value is not None and not isinstance(node.value, ast.Constant):
            yield "return None", _with(node, value=ast.Constant(None))
        case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()) | ast.AugAssign():
            yield f"without {ast.unparse(node)}", ast.Pass()
        case ast.Continue():
            yield "break", ast.Break()
        case ast.Break():
            yield "continue", ast.Continue()
    for index, clause in enumerate(getattr(node, "generators", ())):
        for at, test in enumerate(clause.ifs):
            kept = [item for place, item in enumerate(clause.ifs) if place != at]
            clauses = [*node.generators]  # type: ignore[attr-defined]
            clauses[index] = _with(clause, ifs=kept)
            yield f"without if {ast.unparse(test)}", _with(node, generators=clauses)


def _with(node: ast.AST, **parts: object) -> ast.AST:
    made = copy.copy(node)
    for name, part in parts.items():
        setattr(made, name, part)
    return made


def _replaced(tree: ast.Module, old: ast.AST, new: ast.AST) -> ast.Module:
    """The tree with another node in a place; all that is not on the way there is shared."""

    def rebuilt(node: ast.AST) -> ast.AST:
        if node is old:
            return ast.fix_missing_locations(ast.copy_location(new, old))
        parts = {}
        for name, part in ast.iter_fields(node):
            if isinstance(part, ast.AST):
                made: object = rebuilt(part)
            elif isinstance(part, list):
                made = [rebuilt(item) if isinstance(item, ast.AST) else item for item in part]
                made = part if all(map(_same, made, part)) else made
            else:
                continue
            if made is not part:
                parts[name] = made
        return _with(node, **parts) if parts else node

    return rebuilt(tree)  # type: ignore[return-value]


def _same(one: object, other: object) -> bool:
    return one is other


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


class Lines:
    """Which tests run a line, and what each of them costs."""

    def __init__(self) -> None:
        self.tests: dict[tuple[str, int], list[str]] = {}
        self.costs: dict[str, float] = {}
        self._seen: set[tuple[str, int]] = set()

    def start(self) -> None:
        """Watch all functions of the analysis that have been made."""
        monitoring = sys.monitoring
        monitoring.use_tool_id(_TOOL, "mutants")
        monitoring.register_callback(_TOOL, monitoring.events.LINE, self._ran)
        for function in _functions():
            for code in _codes(function.__code__):
                monitoring.set_local_events(_TOOL, code, monitoring.events.LINE)

    def stop(self) -> None:
        """Watch no more."""
        sys.monitoring.free_tool_id(_TOOL)

    def _ran(self, code: CodeType, line: int) -> object:
        self._seen.add((code.co_filename, line))
        return sys.monitoring.DISABLE

    def test(self, item: pytest.Item) -> None:
        """Run a test."""
        self._seen.clear()
        sys.monitoring.restart_events()
        before = time.process_time()
        _run(item)
        self.costs[item.nodeid] = time.process_time() - before

    def keep(self, item: pytest.Item) -> None:
        """Keep which lines the test ran that was run last."""
        seen, self._seen = self._seen, set()
        for place in seen:
            self.tests.setdefault(place, []).append(item.nodeid)


def _functions() -> list[FunctionType]:
    gc.unfreeze()  # the plugin keeps what lives long out of the collector's sight
    return [
        item
        for item in gc.get_objects()
        if isinstance(item, FunctionType) and item.__code__.co_filename.startswith(str(_PACKAGE))
    ]


class Failures:
    """Whether a test has failed."""

    def __init__(self) -> None:
        self.count = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.count += report.failed


def _run(item: pytest.Item) -> None:
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)


class Mutating:
    """Takes the place of pytest's loop over the tests."""

    def __init__(
        self,
        parts: list[str],
        count: int,
        seed: int,
        listing: Path | None,
        again: Path | None,
    ) -> None:
        self._parts, self._count, self._seed = parts, count, seed
        self._again = again
        self._listing = listing
        self._failures = Failures()
        self._lines = Lines()
        self.survivors: list[str] = []
        self.fates: Counter[str] = Counter()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise session.Interrupted("not all tests can be collected")
        self._quiet(session)
        session.config.pluginmanager.register(self._failures)
        self._lines.start()
        for item in session.items:
            failed = self._failures.count
            self._lines.test(item)
            if self._failures.count == failed:  # else it may need a library that is not there
                self._lines.keep(item)
        self._failures.count = 0
        self._lines.stop()
        if not self._lines.tests:
            raise session.Interrupted("no test runs anything of the analysis")
        items = {item.nodeid: item for item in session.items}
        for mutant in self._chosen():
            fate = self._fate(mutant, items)
            self.fates[fate] += 1
            text = f"{fate}: {mutant.name}"
            if fate in LEFT:
                self.survivors.append(text)
            if self._listing is not None:
                with self._listing.open("a", encoding="utf-8") as file:
                    file.write(f"{text}\n")
        return True

    @staticmethod
    def _quiet(session: pytest.Session) -> None:
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        session.config.pluginmanager.unregister(reporter)

    def _chosen(self) -> list[Mutant]:
        paths = sorted(path for part in self._parts for path in (_PACKAGE / part).rglob("*.py"))
        every = [mutant for path in paths for mutant in mutants(path)]
        if self._again is not None:
            lines = self._again.read_text(encoding="utf-8").splitlines()
            names = {
                name for fate, _, name in (line.partition(": ") for line in lines) if fate in LEFT
            }
            return [mutant for mutant in every if mutant.name in names]
        chance = random.Random(self._seed)
        return every if self._count >= len(every) else chance.sample(every, self._count)

    def _fate(self, mutant: Mutant, items: dict[str, pytest.Item]) -> str:
        ran = self._lines.tests.get((str(mutant.path), mutant.line), [])
        if not ran:
            return "not run"
        chosen = sorted(ran, key=self._lines.costs.__getitem__)[:_MOST_TESTS]
        child = os.fork()
        if child == 0:
            status = 2
            with suppress(BaseException):
                status = self._tried(mutant, [items[name] for name in chosen])
            os._exit(status)
        _, status = os.waitpid(child, 0)
        return "survived" if status == 0 else "killed"

    def _tried(self, mutant: Mutant, tests: list[pytest.Item]) -> int:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        spent = int(time.process_time())
        resource.setrlimit(resource.RLIMIT_CPU, (spent + _PATIENCE, spent + _PATIENCE))
        _apply(mutant)
        for item in tests:
            _run(item)
            if self._failures.count:
                return 1
        return 0


def _apply(mutant: Mutant) -> None:
    """Give the functions that are there the code of the changed module, and forget results."""
    name = str(mutant.path)
    made = {
        (code.co_qualname, code.co_firstlineno): code
        for code in _codes(compile(mutant.tree, name, "exec", dont_inherit=True))
    }
    gc.unfreeze()
    for item in gc.get_objects():
        if isinstance(item, FunctionType) and item.__code__.co_filename == name:
            code = made.get((item.__code__.co_qualname, item.__code__.co_firstlineno))
            if code is not None and code.co_freevars == item.__code__.co_freevars:
                item.__code__ = code
        elif isinstance(item, _lru_cache_wrapper):
            item.cache_clear()


def main() -> int:
    """Try mutants, and print the share that is killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", default=PARTS, metavar="PART")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", type=Path)
    parser.add_argument("--again", type=Path)
    given = parser.parse_args()
    mutating = Mutating([*given.parts], given.count, given.seed, given.list, given.again)
    options = ("-q", "-m", "fast", "-p", "no:cacheprovider", "-p", "no:xdist", "--capture=sys")
    status = pytest.main([*options, *_TESTS], plugins=[mutating])
    tried = sum(mutating.fates.values())
    if status or not tried:
        return int(status) or 1
    print("\n".join(mutating.survivors))
    killed = mutating.fates["killed"]
    print(f"{killed} of {tried} mutants are killed: {killed / tried:.0%}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
