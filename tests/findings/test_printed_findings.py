"""What flake8 prints of all fixtures: the marks, in words that all tools can read."""

import ast
import re
import statistics
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from conftest import FIXTURES
from fixture_findings import Finding, findings_of_fixtures
from flake8_jax.evidence.fixtures import discover
from flake8_jax.rules import RULES

_TRACED = re.compile(
    r"(?:'(?P<name>\w+)'|a lambda) \((?P<by>[\w.]+|a derivative rule)"
    r"(?:, (?:line (?P<line>\d+)|(?P<file>[\w./]+):(?P<elsewhere>\d+)))?"
    r"(?:, and \d+ more places?)?\)"
)
_DOING = re.compile(r" (?:(?P<name>\w+)\(\)|a lambda) \((?P<file>[\w./]+):(?P<line>\d+)\)")
_LONGEST, _MEDIAN = 160, 120
"""How many characters a finding of the project's own files has, at most and in the median."""
PATTERNS = {
    "python-lsp-server": ("a.py:{}:{}: {} {}", r"(?:.*):(\d*):(\d*): (\w*) (.*)"),
    "VS Code": ("{},{},J,{}:{}", r"(\d+),(-?\d+),\w+,(\w+\d+):([^\r\n]*)"),
    "ALE": ("a.py:{}:{}: {} {}", r"^[a-zA-Z]?:?[^:]+:(\d+):?(\d+)?: ([A-Za-z0-9]+):? (.*)$"),
    "flymake": ("stdin:{}:{}: {} {}", r"^<?stdin>?:([0-9]+):(?:([0-9]+):)? (\w+) (.*)$"),
    "GitHub annotations": (
        "::error file=a.py,line={},col={},title={}::{}",
        r"::error file=a.py,line=(\d+),col=(\d+),title=(\w+)::([^%\r\n]*)$",
    ),
}
"""How a finding is written for a tool, and how the tool takes it apart."""


@pytest.fixture(scope="session")
def findings(tmp_path_factory: pytest.TempPathFactory) -> list[Finding]:
    return findings_of_fixtures(tmp_path_factory)


def test_the_marks_are_what_flake8_prints(findings: list[Finding]) -> None:
    wanted = set()
    for fixture in discover(FIXTURES):
        paths = {module: str(path) for path, module in fixture.modules.items()}
        for mark in fixture.marks():
            wanted.add((paths[mark.module], str(mark.line), str(mark.column), mark.code))
    found = [finding[:4] for finding in findings]
    assert set(found) == wanted
    assert len(found) == len(wanted)


@pytest.mark.parametrize("tool", PATTERNS)
def test_every_message_survives(tool: str, findings: list[Finding]) -> None:
    written, pattern = PATTERNS[tool]
    assert {finding.code for finding in findings} == {rule.code for rule in RULES}
    for finding in findings:
        match = re.match(pattern, written.format(*finding[1:]))
        assert match is not None, finding
        assert match.groups() == finding[1:]


PLACES = {
    "JAX105/hazard_abstract_evaluation": 3,
    "JAX105/hazard_bound_method_of_instance": 2,
    "JAX105/hazard_branches": 2,
    "JAX105/hazard_checkpoint": 2,
    "JAX105/hazard_class_elsewhere": 2,
    "JAX105/hazard_declared_field": 2,
    "JAX105/hazard_helper": 1,
    "JAX105/hazard_inner_branches": 2,
    "JAX105/hazard_inner_jit": 2,
    "JAX105/hazard_inner_loops": 4,
    "JAX105/hazard_inner_then_another": 1,
    "JAX105/hazard_jitted_vmap": 3,
    "JAX105/hazard_loops": 4,
    "JAX105/hazard_method_elsewhere": 3,
    "JAX105/hazard_nested_step_in_method": 1,
    "JAX105/hazard_object_elsewhere": 1,
    "JAX105/hazard_one_cause_many_reads": 2,
    "JAX105/hazard_static_argnames": 3,
    "JAX105/hazard_static_self_argnames": 2,
    "JAX106/hazard_cached_function_elsewhere": 2,
    "JAX106/hazard_checkpoint": 2,
    "JAX106/hazard_frameworks": 2,
    "JAX106/hazard_inner_scan": 1,
    "JAX106/hazard_jitted_vmap": 2,
    "JAX106/hazard_loops": 5,
    "JAX106/hazard_lru_cache": 2,
    "JAX106/hazard_one_memo_many_calls": 3,
    "JAX303/hazard_one_write_elsewhere": 5,
}
"""How many places of a fixture have a cause that is reported once.

A place of a cache is one that may fill it. What is read behind it finds the cache full.
"""


def test_one_cause_is_reported_once_and_tells_of_the_other_places(
    findings: list[Finding],
) -> None:
    found = dict.fromkeys(PLACES, 0)
    for finding in findings:
        code, fixture = Path(finding.path).relative_to(FIXTURES).parts[:2]
        name = f"{code}/{fixture.removesuffix('.py')}"
        if name in PLACES and finding.code == code:
            others = re.search(r", and (\d+) more places?\)", finding.text)
            found[name] += 1 + int(others[1] if others else 0)
    assert found == PLACES


@lru_cache(maxsize=64)
def functions(path: Path) -> tuple[tuple[str, int, int], ...]:
    """The functions of a file: their names, and their first and last lines."""
    return tuple(
        (getattr(node, "name", "<lambda>"), node.lineno, node.end_lineno or 0)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    )


def named(path: Path, label: str) -> Path:
    """The file that a message about another one calls by a label."""
    folder = FIXTURES.joinpath(*path.relative_to(FIXTURES).parts[:2])
    return next(item for item in folder.rglob("*.py") if str(item).endswith(f"/{label}"))


def wrong_lines(found: Finding) -> Iterator[str]:
    """What a message names that is not there."""
    path, line = Path(found.path), int(found.line)
    doing = _DOING.search(found.text)
    if doing is not None:
        file, at = named(path, doing["file"]), int(doing["line"])
        around = {name for name, first, last in functions(file) if first <= at <= last}
        if (doing["name"] or "<lambda>") not in around:
            yield "the function that writes"
    traced = _TRACED.search(found.text)
    if traced is None:
        return
    name = traced["name"] or "<lambda>"
    if traced["elsewhere"]:
        path, line = named(path, traced["file"]), int(traced["elsewhere"])
    elif traced["line"]:
        line = int(traced["line"])
    begins = path.read_text().splitlines()[line - 1]
    known = {name for name, first, last in functions(path) if first <= line <= last}
    if name not in known and re.search(r"\w\(|@", begins) is None:
        yield "where the function is traced"


def test_the_lines_that_are_named_are_those_that_matter(findings: list[Finding]) -> None:
    wrong = [f"{item}: {word}" for item in findings for word in wrong_lines(item)]
    assert sum(_TRACED.search(item.text) is not None for item in findings) > 800
    assert sum(_DOING.search(item.text) is not None for item in findings) > 60
    assert wrong == []


def test_messages_are_short(findings: list[Finding]) -> None:
    lengths = [len(f"{item.code} {item.text}") for item in findings]
    assert len(lengths) > 1300
    assert max(lengths) <= _LONGEST
    assert statistics.median(lengths) <= _MEDIAN


def test_each_message_has_what_its_page_says(findings: list[Finding]) -> None:
    says = {rule.code: rule.says for rule in RULES}
    assert {item.code for item in findings} == set(says)
    assert [item for item in findings if says[item.code] not in item.text] == []
    assert [item for item in findings if not item.text.startswith("'")] == []
