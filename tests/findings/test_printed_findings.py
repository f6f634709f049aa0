"""What flake8 prints of all fixtures: the marks, in words that all tools can read."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from conftest import FIXTURES
from fixture_findings import Finding, findings_of_fixtures
from flake8_jax.evidence.fixtures import discover
from flake8_jax.rules import RULES

_REASON = re.compile(
    r" under (?P<by>[\w.]+|a derivative rule)(?: on line (?P<start>\d+)(?: of (?P<where>\S+))?)? "
    r"\('(?P<name>[\w<>]+)', line (?P<line>\d+)(?: of (?P<home>[^,)]+))?"
    r"(?:, through '(?P<through>[\w<>]+)')?"
    r"(?:, by '(?P<function>[\w<>]+)' in (?P<file>\S+) on line (?P<write>\d+))?\)"
)
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
            others = re.search(r"\) and in (\d+) more places?\b", finding.text)
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


def named(path: Path, label: str | None) -> Path:
    """The file that a message about another one calls by a label."""
    if label is None:
        return path
    folder = FIXTURES.joinpath(*path.relative_to(FIXTURES).parts[:2])
    return next(item for item in folder.rglob("*.py") if str(item).endswith(f"/{label}"))


def wrong_lines(path: Path, line: int, reason: re.Match[str]) -> Iterator[str]:
    """What a message names that is not there."""
    traced = named(path, reason["home"])
    if (reason["name"], int(reason["line"])) not in {item[:2] for item in functions(traced)}:
        yield "the traced function"
    if reason["start"]:
        lines = named(path, reason["where"]).read_text().splitlines()
        if not re.search(r"\w\(|@", lines[int(reason["start"]) - 1]):
            yield "the call that hands the function over"
    file, inner, at = path, reason["through"], line
    if reason["file"]:
        file, inner, at = named(path, reason["file"]), reason["function"], int(reason["write"])
    around = {name for name, first, last in functions(file) if first <= at <= last}
    if not reason["file"]:  # an assignment is reported where it stands, and runs a setter
        around = {name for name, _, _ in functions(file)}
    if inner and inner not in around:
        yield "the function that writes"


def test_the_lines_that_are_named_are_those_that_matter(findings: list[Finding]) -> None:
    wrong = []
    checked = 0
    for found in findings:
        reason = _REASON.search(found.text)
        assert reason is not None or " under " not in found.text.replace(" under jit ", ""), found
        if reason is not None:
            checked += 1
            wrong += [
                f"{found}: {item}"
                for item in wrong_lines(Path(found.path), int(found.line), reason)
            ]
    assert checked > 500
    assert wrong == []
