"""Rules, fixtures, pages, changelog and README speak of the same codes, and the README is true."""

import csv
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from conftest import FIXTURES, REPOSITORY, Flake8, call
from flake8_jax.evidence.fixtures import Role, discover
from flake8_jax.evidence.page import chart
from flake8_jax.evidence.page import page as evidence
from flake8_jax.findings import Rule
from flake8_jax.pages import pages
from flake8_jax.rules import RULES

CODES = {rule.code for rule in RULES}
HEADINGS = [
    "## What it does",
    "## Why is this bad?",
    "## Example",
    "## Use instead",
    "## What it does not flag",
    "## Fix",
    "## Evidence",
    "## References",
]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def test_codes_are_unique_and_well_formed() -> None:
    assert len(CODES) == len(RULES)
    assert all(re.fullmatch(r"JAX[1-9]\d\d", code) for code in CODES)
    assert [rule.code for rule in RULES] == sorted(CODES)


def test_each_rule_stands_in_the_module_of_its_code() -> None:
    modules = {path.stem.upper() for path in (REPOSITORY / "src/flake8_jax/rules").glob("jax*.py")}
    assert modules == CODES
    for rule in RULES:
        assert import_module(f"flake8_jax.rules.{rule.code.lower()}").RULE is rule


def test_each_rule_has_hazards_and_lookalikes() -> None:
    roles: dict[str, set[Role]] = {}
    for fixture in discover(FIXTURES):
        roles.setdefault(fixture.code, set()).add(fixture.role)
    assert roles.keys() == CODES
    assert all({Role.HAZARD, Role.LOOKALIKE} <= found for found in roles.values())


def test_each_rule_is_shown_across_modules() -> None:
    roles: dict[str, set[Role]] = {}
    for fixture in discover(FIXTURES):
        if fixture.path.is_dir():
            roles.setdefault(fixture.code, set()).add(fixture.role)
    assert roles.keys() == CODES
    assert all({Role.HAZARD, Role.LOOKALIKE} <= found for found in roles.values())


def test_each_fixed_twin_has_a_hazard_with_the_same_drives() -> None:
    def drives(path: Path) -> list[str]:
        return re.findall(r"^def (drive\w*)\(", path.read_text(encoding="utf-8"), re.M)

    twins = {fixture.twin: fixture for fixture in discover(FIXTURES) if fixture.twin}
    fixed = [fixture for fixture in discover(FIXTURES) if fixture.role is Role.FIXED]
    assert {fixture.path for fixture in fixed} == {twin.path for twin in twins if twin}
    for twin, hazard in twins.items():
        assert twin is not None
        assert drives(twin.main) == drives(hazard.main), hazard.path.name


def test_the_figures_of_each_draw_are_those_of_its_findings() -> None:
    page = (REPOSITORY / "docs/trust.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (\d+) \| (\d+) \| [^|]* \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", page, re.M
    )
    assert rows
    with (REPOSITORY / "trust/contacts.csv").open(encoding="utf-8", newline="") as file:
        contacts = [*csv.DictReader(file)]
    with (REPOSITORY / "trust/draws.csv").open(encoding="utf-8", newline="") as file:
        drawn = [*csv.DictReader(file)]
    assert {item["draw"] for item in (*contacts, *drawn)} == {row[0] for row in rows}
    for draw, repositories, *figures in rows:
        found = [item for item in contacts if item["draw"] == draw]
        words = [item["word"] for item in found]
        wrong = {item["repository"] for item in found if item["word"] == "wrong"}
        counts = [*(words.count(word) for word in ("right", "wrong", "debatable")), len(wrong)]
        assert counts == [*map(int, figures)]
        assert sum(counts[:3]) == len(found)
        assert sum(item["draw"] == draw for item in drawn) == int(repositories)


def test_the_readme_has_the_figures_of_the_last_draw() -> None:
    page = (REPOSITORY / "docs/trust.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \d+ \| (\d+) \| (.*) \| (\d+) \| (\d+) \| (\d+) \| \d+ \|$", page, re.M)
    repositories, lines, right, wrong, debatable = rows[-1]
    said = (
        f"Of the last {repositories} repositories with {lines} lines, {right} findings were right, "
    )
    said += f"{wrong} wrong and {debatable} debatable."
    assert said in " ".join(README.split())


def test_pages_are_in_step() -> None:
    folder = REPOSITORY / "docs/rules"
    written = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    assert written == pages()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_pages_have_the_same_order(rule: Rule) -> None:
    headings = [title for title in HEADINGS if title != "## Fix" or rule.fix is not None]
    assert re.findall(r"^## .*$", rule.page, re.M) == headings


@pytest.mark.parametrize("document", ["CHANGELOG.md", "README.md"])
def test_documents_name_all_codes_and_no_others(document: str) -> None:
    named = set(re.findall(r"JAX\d{3}", (REPOSITORY / document).read_text(encoding="utf-8")))
    assert named == CODES


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_examples_of_a_page_are_found_as_it_says_and_mended(
    flake8: Flake8, tmp_path: Path, rule: Rule
) -> None:
    imports = "import functools\nimport itertools\nfrom functools import cached_property\n"
    imports += "import flax.struct\nimport jax\nimport jax.numpy as jnp\n\n\n"
    sections = dict(re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", rule.page, re.S | re.M))
    for title in ("Example", "Use instead"):
        blocks = re.findall(r"(?:<!-- (\S+) -->\n)?```python\n(.*?)```", sections[title], re.S)
        named = [(name, text) for name, text in blocks if name]
        for name, text in named:
            (tmp_path / name).write_text(text)
        if named:
            found = [flake8("--select=JAX,JAX9", ".").stdout]
        else:
            given = [imports + text for _, text in blocks]
            found = [flake8("--select=JAX,JAX9", "-", stdin=text).stdout for text in given]
        if title == "Example":
            assert found[0].count(f" {rule.code} ") == 1
            assert found[0].count("JAX") == found[0].count(f" {rule.code} ")
            [shown] = re.findall(r"```text\n(.*)\n```", sections[title])
            assert found[0].partition(f": {rule.code} ")[2].strip() == shown.partition(" ")[2]
            found = found[1:]
        assert not any(found)


def test_the_readme_shows_what_flake8_prints(flake8: Flake8, tmp_path: Path) -> None:
    [module] = re.findall(r"```python\n(.*?)```", README, re.S)
    shown = re.search(r"```console\n\$ (flake8 [^\n]*)\n(.*?)\n```", README, re.S)
    assert shown is not None
    (tmp_path / "model.py").write_text(module)
    assert flake8(*shown[1].split()[1:]).stdout.rstrip("\n") == shown[2]


def test_the_readme_shows_the_product_in_a_screenful() -> None:
    command = re.search(r"&& \.venv/bin/flake8 (.*--exit-zero.*)$", README, re.M)
    assert command is not None
    done = call(sys.executable, "-m", "flake8", *command[1].split(), cwd=REPOSITORY)
    assert done.returncode == 0
    found = done.stdout.splitlines()
    assert len(found) == 4
    assert all(" JAX" in line for line in found)


LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)")


def test_links_between_documents_lead_somewhere() -> None:
    folders = (REPOSITORY, REPOSITORY / "docs", REPOSITORY / "docs/rules", FIXTURES)
    documents = [path for folder in folders for path in folder.glob("*.md")]
    linked = [
        (path, target)
        for path in documents
        for target in LINK.findall(path.read_text(encoding="utf-8"))
    ]
    assert len({path for path, _ in linked}) > 20
    assert [item for item in linked if not (item[0].parent / item[1]).exists()] == []


RUN: dict[str, Any] = {
    "versions": {"Python": "3.11.7", "jax": "0.9.0", "flax": None},
    "rules": [
        {
            "code": "JAX101",
            "with_jit": {"lost": 2, "raises": 1},
            "control": {},
            "fixtures": 4,
            "missing": ["tjax"],
            "verdict": "confirmed",
            "problems": [],
            "broken": [],
        }
    ],
}


def test_the_page_of_evidence_is_made_from_what_confirm_prints() -> None:
    rule = RUN["rules"][0] | {
        "verdict": "NOT CONFIRMED",
        "control": {"lost": 1},
        "problems": ["hazard_a.py: missed"],
        "broken": ["hazard_b.py: TypeError: old"],
    }
    newer = {"versions": {"Python": "3.12.1", "jax": "0.10.0", "flax": "1.0"}, "rules": [rule]}
    _, _, text = evidence([newer, RUN]).partition("(evidence.svg)\n\n")
    assert (
        text
        == """\
|  | jax 0.9.0 | jax 0.10.0 |
|---|---|---|
| Python | 3.11.7 | 3.12.1 |
| flax | none | 1.0 |
| fixtures | 4 | 4 |

## Rules

| rule | jax 0.9.0 | jax 0.10.0 |
|---|---|---|
| JAX101 | **confirmed**: lost 2, raises 1; 4 fixtures \
| **NOT CONFIRMED**: lost 2, raises 1; control: lost 1; 4 fixtures |

## Not measured

- jax 0.9.0, JAX101: some fixtures need tjax.
- jax 0.10.0, JAX101: some fixtures need tjax.
- jax 0.10.0, JAX101: `hazard_b.py: TypeError: old`
- jax 0.10.0, JAX101 disagrees: hazard_a.py: missed
"""
    )


def test_the_chart_of_evidence_is_of_the_newest_jax() -> None:
    rule = RUN["rules"][0] | {"with_jit": {"lost": 7}}
    newer = {"versions": {"Python": "3.12.1", "jax": "0.10.0"}, "rules": [rule]}
    shown = re.findall(r"<text [^>]*>([^<]*)</text>", chart([newer, RUN]))
    assert shown == ["Symptoms that hazards show under jax 0.10.0, by rule", "JAX101", "7"]


def test_the_evidence_is_of_all_rules() -> None:
    text = (REPOSITORY / "docs/evidence.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (JAX\d{3}) \|(.*)\|$", text, re.M)
    assert [code for code, _ in rows] == [rule.code for rule in RULES]
    versions = set(re.findall(r"jax (\d[\d.]*) \|", text))
    assert {"0.10.2", "0.12.0.1"} < versions
    assert all(len(row.split("|")) == len(versions) for _, row in rows)


def test_ci_runs_the_command_of_the_readme() -> None:
    script = (REPOSITORY / ".ci/run").read_text(encoding="utf-8")
    assert "grep -m1 -E '^python3 .*pytest' README.md" in script
    assert len(re.findall(r"^python3 .*pytest", README, re.M)) == 1


COLLECT = """\
import sys, tomllib
from pathlib import Path
import pytest

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
optional = project["optional-dependencies"]
for name in (*optional["confirm"], "hypothesis", "hypothesmith", "nox", "yaml"):
    sys.modules[name.partition(";")[0].replace("-", "_")] = None
raise SystemExit(pytest.main(["--collect-only", "--quiet", *sys.argv[1:]]))
"""


def test_what_nox_runs_without_jax_needs_no_jax() -> None:
    """An environment of ``nox -s lint`` has flake8, libcst and pytest, and not the libraries."""
    text = (REPOSITORY / "noxfile.py").read_text(encoding="utf-8")
    [listed] = re.findall(r"^WITHOUT_JAX = \((.*?)^\)", text, re.M | re.S)
    files = re.findall(r'"(tests/[\w/]+\.py)"', listed)
    assert files
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = call(sys.executable, "-c", COLLECT, *files, cwd=REPOSITORY, **alone)
    assert done.returncode == 0, done.stdout


def test_no_file_names_a_machine_or_a_registry() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], capture_output=True, text=True, cwd=REPOSITORY, check=True
    )
    forbidden = re.compile("/(?:root|home|work|tmp)/" + r"|pypi\." + "org")
    names = [*filter(None, listed.stdout.split("\0"))]
    assert names
    texts = {name: (REPOSITORY / name).read_text(encoding="utf-8") for name in names}
    assert [name for name, text in texts.items() if forbidden.search(text)] == []


def test_guarantees_name_tests_that_exist() -> None:
    page = (REPOSITORY / "docs/guarantees.md").read_text(encoding="utf-8")
    modules = (REPOSITORY / "tests").rglob("test_*.py")
    texts = [path.read_text(encoding="utf-8") for path in modules]
    tests = {name for text in texts for name in re.findall(r"^def (test_\w+)", text, re.M)}
    named = set(re.findall(r"`(test_\w+)`", page))
    assert named <= tests
    hostile = (REPOSITORY / "tests/robustness/test_hostile.py").read_text(encoding="utf-8")
    assert set(re.findall(r"^def (test_\w+)", hostile, re.M)) <= named
    rows = re.findall(r"^\| (?!promise|---).*$", page, re.M)
    assert rows
    assert all("`test_" in row for row in rows)
