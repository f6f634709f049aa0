"""The command ``flake8-jax``: its output, its errors, its exit statuses."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cached_wave import HAZARD, LOOKALIKE, MARK
from conftest import in_a_terminal
from flake8_jax.cli.main import main
from flake8_jax.evidence import confirmation
from flake8_jax.findings import Rule
from flake8_jax.pages import page, table
from flake8_jax.rules import RULES

BY_CODE = {rule.code: rule for rule in RULES}


def installed(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [str(Path(sys.executable).with_name("flake8-jax")), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_is_installed() -> None:
    done = installed("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", done.stdout)


@pytest.mark.parametrize("arguments", [[], ["frobnicate"], ["explain", "--format=yaml"], ["-x"]])
def test_wrong_usage_has_status_2(arguments: list[str]) -> None:
    done = installed(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: flake8-jax")


def test_explain_without_a_code_lists_all_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[: len(RULES)]] == list(BY_CODE)
    assert all(rule.summary in lines[index] for index, rule in enumerate(RULES))


def explained(*arguments: str, **environment: str) -> str:
    """What is shown in a terminal, with the marks of colours."""
    given = {"TERM": "xterm", "PATH": os.environ["PATH"]} | environment
    return in_a_terminal("explain", *arguments, env=given)


@pytest.mark.parametrize("columns", ["50", "80"])
def test_explain_fills_a_terminal(columns: str) -> None:
    page = explained("JAX401", COLUMNS=columns)
    assert "\n\x1b[1mWhat it does\x1b[0m\n" in page
    prose = [line for line in page.splitlines() if not line.startswith("    ")]
    lengths = {len(re.sub(r"\x1b\[\d*m", "", line)) for line in prose if "<http" not in line}
    assert int(columns) - 10 < max(lengths) <= int(columns)
    words = re.sub(r"\x1b\[\d*m", "", page).split()
    assert words == [
        word
        for word in installed("explain", "JAX401").stdout.split()
        if word[:3] not in ("---", "===")
    ]
    listing = explained(COLUMNS=columns)
    assert max(map(len, listing.splitlines())) <= int(columns)
    assert listing.split() == installed("explain").stdout.split()


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_explain_without_colours(environment: dict[str, str]) -> None:
    shown = explained("JAX401", **environment)
    assert "\x1b" not in shown
    assert "\nWhat it does\n------------\n" in shown


def test_explain_where_the_encoding_lacks_something() -> None:
    command = [sys.executable, "-m", "flake8_jax", "explain", "JAX401"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert ".at[?].set(?)" in done.stdout


def test_output_that_cannot_be_written() -> None:
    command = [sys.executable, "-m", "flake8_jax", "explain", "JAX"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "flake8-jax: error: No space left on device\n")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_explain_shows_a_page(rule: object, capsys: pytest.CaptureFixture[str]) -> None:
    code = getattr(rule, "code", "")
    assert main(["explain", code]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"{BY_CODE[code].name} ({code})\n===")
    for title in ("What it does", "Why is this bad?", "Example", "Use instead", "Evidence"):
        assert f"\n{title}\n{'-' * len(title)}\n" in text
    assert "```" not in text
    assert main(["explain", "--format=markdown", code.lower()]) == 0
    assert capsys.readouterr().out == page(BY_CODE[code])


def test_explain_takes_several_codes_and_beginnings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--format=json", "JAX401", "JAX2"]) == 0
    data = json.loads(capsys.readouterr().out)
    twos = [code for code in BY_CODE if code.startswith("JAX2")]
    assert [item["code"] for item in data] == [*twos, "JAX401"]
    assert data[0] == {
        "code": "JAX201",
        "name": BY_CODE["JAX201"].name,
        "summary": BY_CODE["JAX201"].summary,
        "opt_in": False,
        "symptoms": ["lost", "stale"],
        "fix": "unsafe",
        "explanation": page(BY_CODE["JAX201"]),
    }


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_explain_takes_names_and_numbers(rule: Rule, capsys: pytest.CaptureFixture[str]) -> None:
    number = rule.code.removeprefix("JAX")
    for text in (rule.name, rule.name.upper(), rule.name.replace("-", "_"), number, f"jax{number}"):
        assert main(["explain", "--format=markdown", text]) == 0
        assert capsys.readouterr().out == page(rule), text


def test_explain_takes_the_beginning_of_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--format=json", "3", "discarded-update"]) == 0
    codes = [item["code"] for item in json.loads(capsys.readouterr().out)]
    assert codes == [*(code for code in BY_CODE if code.startswith("JAX3")), "JAX401"]


def test_the_table_of_rules_in_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--format=markdown"]) == 0
    assert capsys.readouterr().out == table()


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("JAX207", "there is no rule 'JAX207'; did you mean JAX206 or JAX205 or JAX204?"),
        ("JAX11", "there is no rule 'JAX11'; did you mean JAX101?"),
        ("jax1o1", "there is no rule 'jax1o1'; did you mean JAX101?"),
        ("JX101", "there is no rule 'JX101'; did you mean JAX101?"),
        ("207", "there is no rule '207'; did you mean JAX206 or JAX205 or JAX204?"),
        ("7", "there is no rule '7'"),
        ("frozen", "there is no rule 'frozen'; did you mean JAX204 (frozen-write)?"),
        ("frozen_writes", "there is no rule 'frozen_writes'; did you mean JAX204 (frozen-write)?"),
        ("E501", "there is no rule 'E501'"),
        ("nonsense", "there is no rule 'nonsense'"),
        (f"1{'0' * 5_000}", f"there is no rule '1{'0' * 5_000}'"),
        ("JAX10\u0661", "there is no rule 'JAX10\u0661'; did you mean JAX101 or JAX102 or JAX103?"),
    ],
)
def test_an_unknown_code(code: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "JAX101", code]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == f"flake8-jax: error: {message}\n"


def fixtures(folder: Path, hazard: str) -> Path:
    (folder / "JAX101").mkdir()
    (folder / "JAX101/hazard_wave.py").write_text(hazard)
    (folder / "JAX101/lookalike_wave.py").write_text("print('a library says hello')\n" + LOOKALIKE)
    (folder / "JAX101/lookalike_missing.py").write_text("import no_such_library\n" + LOOKALIKE)
    return folder


def test_confirm_prints_what_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = fixtures(tmp_path, HAZARD)
    monkeypatch.setattr(confirmation, "fixtures_folder", lambda: folder)
    assert main(["confirm", "JAX101", "-j1", "--format=markdown"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert re.match(r"Python 3\.\d+\.\d+.*, jax \d", shown[0])
    assert shown[2] == "| rule | symptoms | with jit | control | fixtures | verdict |"
    assert shown[4] == (
        "| JAX101 | leaked or lost or raises or recomputed or stale | lost 1, recomputed 1 "
        "| nothing | 2 (1 need no_such_library) | confirmed |"
    )


def test_confirm_says_what_disagrees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = fixtures(tmp_path, HAZARD.replace(MARK, ""))
    monkeypatch.setattr(confirmation, "fixtures_folder", lambda: folder)
    assert main(["confirm", "JAX101", "-j1", "--format=json"]) == 1
    (found,) = json.loads(capfd.readouterr().out)["rules"]
    assert found["verdict"] == "NOT CONFIRMED"
    assert found["problems"] == [
        "hazard_wave.py: false alarm: JAX101 at 15, column 5",
        "hazard_wave.py: a hazard without a mark for JAX101",
    ]


def test_confirm_says_what_does_not_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = fixtures(tmp_path, HAZARD)
    old = "import jax\n\njax.nothing_of_the_kind()\n"
    (folder / "JAX101/lookalike_old.py").write_text(old)
    monkeypatch.setattr(confirmation, "fixtures_folder", lambda: folder)
    assert main(["confirm", "JAX101", "-j1"]) == 1
    shown = capfd.readouterr()
    row = shown.out.rstrip().splitlines()[-1]
    assert row.endswith("2 (1 need no_such_library) (1 do not load)  confirmed in part")
    reason = "AttributeError: module 'jax' has no attribute 'nothing_of_the_kind'"
    assert f"JAX101: lookalike_old.py: {reason}\n" in shown.err


def test_a_rule_without_measurements_is_not_confirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(confirmation, "fixtures_folder", lambda: tmp_path)
    assert main(["confirm", "JAX101", "-j1"]) == 1
    assert capsys.readouterr().out.rstrip().endswith("0         not measured")


def test_confirm_without_jax_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert main(["confirm"]) == 2
    assert "pip install 'flake8-jax[confirm]'" in capsys.readouterr().err
