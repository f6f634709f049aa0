"""What flake8 prints of all fixtures: the marks, in words that all tools can read."""

import re

import pytest

from conftest import FIXTURES
from fixture_findings import Finding, findings_of_fixtures
from flake8_jax.evidence.fixtures import discover
from flake8_jax.rules import RULES

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
