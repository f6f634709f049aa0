"""``flake8-jax fix --list`` and its reports: what can be done about each finding, and how."""

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from fixing.kernel import FIXED, KERNEL, UNSAFE, write
from flake8_jax.applying.changes import Change, Point, changes
from flake8_jax.cli.main import main
from flake8_jax.pages import page
from flake8_jax.rules import RULES

BY_CODE = {rule.code: rule for rule in RULES}
LEFT = """\
import jax

runs = []


@jax.jit
def run(x):
    runs.append(x)
    return x
"""
ALTERS = "'x' is the updated copy from line 6 on"
NO_FIX = "JAX303 has no fix; flake8-jax explain JAX303 says what to write instead"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "kernel.py")
    write(tmp_path / "left.py", LEFT)
    write(tmp_path / "update.py", UNSAFE)
    return tmp_path


def fix(*arguments: str) -> int:
    return main(["fix", "--isolated", "--select=JAX", *arguments])


def test_each_finding_says_what_can_be_done(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fix("--list", "kernel.py", "left.py", "update.py") == 1
    shown = capsys.readouterr()
    assert shown.out == (
        "kernel.py:10:5: JAX101 safe\n"
        f"left.py:8:5: JAX303 not fixed: {NO_FIX}\n"
        f"update.py:6:5: JAX401 unsafe: {ALTERS}\n"
    )
    assert shown.err == "3 findings: 1 safe, 1 unsafe, 1 not fixed.\n"
    assert (folder / "kernel.py").read_text() == KERNEL
    assert fix("--list", "--exit-zero", "-q", "kernel.py") == 0
    assert capsys.readouterr().err == ""
    assert fix("--list", "--exclude=*.py") == 0
    assert capsys.readouterr().err == "0 findings.\n"


def told(capsys: pytest.CaptureFixture[str], path: Path, text: str) -> str:
    """Why the only finding of a file is not fixed."""
    write(path, text)
    assert fix("--list", str(path)) == 1
    (line,) = capsys.readouterr().out.splitlines()
    return line.partition("not fixed: ")[2]


METER = """\
import jax
from flax import struct


class Meter(struct.PyTreeNode, frozen=False):
    total: jax.Array


{}
def record(meter: Meter, value):
    meter.total += value
{}
"""
CALL = "\n\ndef run(meter):\n    record(meter, 1)\n    return meter"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            METER.format("@jax.jit", ""),
            "nothing in the module calls 'record', so that nobody takes the object",
        ),
        (
            METER.format("@jax.jit", "    return value" + CALL),
            "'record' gives something else back already on line 12; return 'meter' as well, and "
            "take both wherever 'record' is called",
        ),
        (
            METER.format("@jax.jit", CALL + "\n\nrecord.lower"),
            "line 18 uses 'record' other than by a call that is a statement of its own",
        ),
        (
            METER.format("@jax.jit", "\n\ndef run(meter):\n    record(meter, 1)\n    return 1"),
            "line 15 calls 'record', and 'meter' is not read after line 15, so that its copy would "
            "be lost too",
        ),
        (
            METER.format("@jax.jit", "\n\ndef run(meter):\n    record(meter, 1)\n    print(meter)"),
            "line 15 calls 'record', and the caller's object keeps its values",
        ),
        (
            METER.format("@jax.jit", CALL.replace("meter, 1", "meter[0], 1")),
            "line 15 gives 'record' no variable that could take the new object",
        ),
        (
            METER.format("@print\n@jax.jit", CALL),
            "'record' on line 11 is decorated with something else than a jit without options",
        ),
        (
            UNSAFE.replace("    return x\n", ""),
            "'x' is not read after line 6, so that its copy would be lost too",
        ),
        (
            UNSAFE.replace("x.at", "y = x\n    x.at").replace("return x", "return x, y"),
            "the object of 'x' gets another name, or is kept, on line 6",
        ),
    ],
)
def test_reasons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, reason: str
) -> None:
    assert told(capsys, tmp_path / "module.py", text) == reason


def test_a_file_that_deals_with_a_cache_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder / "reset.py", "from kernel import Kernel\n\n\ndef reset(k):\n    del k.gram\n")
    assert fix("--list", "kernel.py", "reset.py") == 1
    assert capsys.readouterr().out == (
        "kernel.py:10:5: JAX101 not fixed: reset.py does more with 'gram' than to read its value\n"
    )


def data(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert fix(*arguments) == 1
    return json.loads(capsys.readouterr().out)


def changed(lines: Sequence[str], made: Iterable[Change]) -> str:
    """The text of some lines after changes, of which no two overlap."""
    text = "".join(lines)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for change in sorted(made, key=lambda item: item.start, reverse=True):
        first, last = (
            starts[point.line - 1] + point.column for point in (change.start, change.end)
        )
        text = text[:first] + change.text + text[last:]
    return text


def applied(lines: list[str], edits: list[Any]) -> str:
    """Some lines after the edits of a report."""
    made = [
        Change(
            *(Point(edit[end]["line"], edit[end]["column"] - 1) for end in ("start", "end")),
            edit["text"],
        )
        for edit in edits
    ]
    return changed(lines, made)


@pytest.mark.parametrize("mode", ["--list", "--check"])
def test_json_has_ranges_and_texts(
    folder: Path, capsys: pytest.CaptureFixture[str], mode: str
) -> None:
    report = data(capsys, mode, "--format=json", "kernel.py", "left.py", "update.py")
    assert report["failures"] == []
    kernel, left, update = report["findings"]
    assert (kernel["path"], kernel["line"], kernel["column"]) == ("kernel.py", 10, 5)
    assert (kernel["code"], kernel["name"]) == ("JAX101", BY_CODE["JAX101"].name)
    assert kernel["message"].startswith("'Kernel.gram' is recomputed in every jitted call")
    assert (kernel["fix"]["safety"], kernel["reason"]) == ("safe", None)
    assert applied(KERNEL.splitlines(keepends=True), kernel["fix"]["edits"]) == FIXED
    assert (left["fix"], left["reason"]) == (None, NO_FIX)
    assert update["fix"] == {
        "safety": "unsafe",
        "alters": ALTERS,
        "edits": [
            {
                "start": {"line": 6, "column": 6},
                "end": {"line": 6, "column": 6},
                "text": " = x",
            }
        ],
    }
    assert (folder / "kernel.py").read_text() == KERNEL


def test_json_of_what_is_left(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "broken.py", "(")
    report = data(capsys, "--format=json", "--unsafe")
    assert [(item["path"], item["code"]) for item in report["findings"]] == [
        ("./left.py", "JAX303")
    ]
    assert [item["path"] for item in report["failures"]] == ["./broken.py"]
    assert (folder / "kernel.py").read_text() == FIXED


@pytest.mark.usefixtures("folder")
def test_sarif_has_the_pages_and_the_fixes(capsys: pytest.CaptureFixture[str]) -> None:
    (run,) = data(capsys, "--list", "--format=sarif")["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["JAX101", "JAX303", "JAX401"]
    for rule in rules:
        assert rule["help"]["markdown"] == page(BY_CODE[rule["id"]])
        assert rule["shortDescription"]["text"] == BY_CODE[rule["id"]].summary
    first, second, third = run["results"]
    assert [rules[item["ruleIndex"]]["id"] for item in run["results"]] == [
        item["ruleId"] for item in run["results"]
    ]
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "kernel.py", "uriBaseId": "SRCROOT"}
    assert place["region"] == {"startLine": 10, "startColumn": 5}
    (fixed,) = first["fixes"]
    (change,) = fixed["artifactChanges"]
    made = [
        Change(
            Point(region["startLine"], region["startColumn"] - 1),
            Point(region["endLine"], region["endColumn"] - 1),
            item["insertedContent"]["text"],
        )
        for item in change["replacements"]
        for region in [item["deletedRegion"]]
    ]
    assert changed(KERNEL.splitlines(keepends=True), made) == FIXED
    assert "fixes" not in second
    assert third["properties"] == {"fix": f"unsafe: {ALTERS}"}


@pytest.mark.usefixtures("folder")
def test_gitlab_has_the_pages(capsys: pytest.CaptureFixture[str]) -> None:
    issues = data(capsys, "--list", "--format=gitlab")
    assert [item["check_name"] for item in issues] == ["JAX101", "JAX303", "JAX401"]
    for item in issues:
        assert item["content"]["body"] == page(BY_CODE[item["check_name"]])
        assert item["description"].startswith(f"{item['check_name']} ")
    assert issues[0]["location"] == {"path": "kernel.py", "lines": {"begin": 10, "end": 10}}
    assert len({item["fingerprint"] for item in issues}) == len(issues)
    assert data(capsys, "--list", "--format=gitlab") == issues


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "a\n"),
        ("a\n", ""),
        ("a\nb\nc\n", "a\nc\n"),
        ("a\nc\n", "a\nb\nb\nc\n"),
        ("one = 1\ntwo = 2\n", "one = 11\ntwo = 22\n"),
        ("aaa", "aa"),
        ("x = 漢字\ny = 1", "x = 漢\ny = 1\n"),
        ("a\nb\n", "b\na\n"),
    ],
)
def test_changes_lead_from_one_text_to_the_other(before: str, after: str) -> None:
    lines, others = before.splitlines(keepends=True), after.splitlines(keepends=True)
    made = changes(lines, others)
    assert changed(lines, made) == after
    assert all(one.end <= other.start for one, other in pairwise(made))
