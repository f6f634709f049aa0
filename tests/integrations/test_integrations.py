"""What docs/integrations.md shows is what happens: sessions, settings, reports, CI."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml

from conftest import ENVIRONMENT, REPOSITORY, Flake8, call
from integrations.example import FINDINGS, MODEL, PAGE, PRINTED
from integrations.snippets import Section

SHOWN = [section for section in PAGE.values() if any(step[0] == "$" for step, _ in section.steps)]
"""The sections with sessions."""


def replay(section: Section, folder: Path) -> None:
    """Do what a section shows, from top to bottom, beside the file of the page."""
    PAGE[""].write(folder)
    for step, text in section.steps:
        if step.startswith("$ "):
            assert shell(step.removeprefix("$ "), folder) == text, step
        else:
            Section("", [(step, text)]).write(folder)


def shell(command: str, folder: Path) -> str:
    return call("sh", "-c", command, cwd=folder).stdout


@pytest.mark.parametrize("section", SHOWN, ids=lambda section: section.title or "first")
def test_sessions_print_what_is_shown(section: Section, tmp_path: Path) -> None:
    replay(section, tmp_path)


def test_each_section_is_tried() -> None:
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    for title, section in PAGE.items():
        assert section in SHOWN or f'PAGE["{title}"].' in tests, title


def test_what_the_reader_is_told_to_install_is_what_is_tried() -> None:
    commands = [command.split() for section in PAGE.values() for command in section.reader]
    assert commands
    for pip, install, *names in commands:
        assert (pip, install) == ("pip", "install")
        assert all(version(re.sub(r"[\"']|\[.*\]", "", name)) for name in names)


@pytest.mark.parametrize("name", ["setup.cfg", "tox.ini"])
def test_settings_stand_in_any_file_of_flake8(name: str, tmp_path: Path) -> None:
    section = PAGE["Settings"]
    renamed = [(name if step == ".flake8" else step, text) for step, text in section.steps]
    assert renamed != section.steps
    replay(Section("", renamed), tmp_path)


def test_noqa_as_the_page_says(flake8: Flake8) -> None:
    quiet = PAGE["Silence a finding"].files["quiet.py"]
    comment = "# noqa: JAX101  only read outside of jit"
    assert flake8("-", stdin=quiet).stdout == ""
    (found,) = flake8("--select=JAX", "-", stdin=quiet.replace(comment, "")).stdout.splitlines()
    assert found.startswith("stdin:10:5: JAX101 ")
    unused = "stdin:1:1: F401 'os' imported but unused\n"
    for blanket in ("# noqa", "# noqa: JAX"):
        assert flake8("-", stdin=quiet.replace(comment, blanket)).stdout == ""
        assert flake8("-", stdin=f"import os  {blanket}\n").stdout == ""
    assert flake8("-", stdin="import os  # noqa: JAX101\n").stdout == unused


def test_a_file_that_is_listed_twice_has_one_of_its_lines(flake8: Flake8, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    twice = "[flake8]\nper-file-ignores =\n    model.py: JAX101\n    model.py: JAX201\n"
    (tmp_path / ".flake8").write_text(twice)
    assert len(flake8("--select=JAX").stdout.splitlines()) == 1


def test_ruff_removes_what_it_is_not_told_of(tmp_path: Path) -> None:
    section = PAGE["ruff"]
    section.write(tmp_path)
    quiet, settings = tmp_path / "quiet.py", tmp_path / "pyproject.toml"
    assert shell("ruff check --fix quiet.py", tmp_path) == "All checks passed!\n"
    assert quiet.read_text() == section.files["quiet.py"]
    settings.write_text(settings.read_text().replace('external = ["JAX"]\n', ""))
    assert "(1 fixed, 0 remaining)" in shell("ruff check --fix quiet.py", tmp_path)
    assert quiet.read_text() == section.files["quiet.py"].replace("  # noqa: JAX101", "")


def test_reports_carry_the_findings(tmp_path: Path) -> None:
    replay(PAGE["Other reports"], tmp_path)

    def report(name: str) -> Any:
        return json.loads((tmp_path / name).read_text())

    assert [
        (item["line_number"], item["column_number"], item["code"], item["text"])
        for item in report("model.json")["model.py"]
    ] == FINDINGS
    (run,) = report("model.sarif")["runs"]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert {place["artifactLocation"]["uri"] for place in places} == {"model.py"}
    assert [
        (
            place["region"]["startLine"],
            place["region"]["startColumn"],
            result["ruleId"],
            result["message"]["text"],
        )
        for place, result in zip(places, run["results"], strict=True)
    ] == FINDINGS
    assert [
        (item["location"]["path"], item["location"]["lines"]["begin"], item["description"])
        for item in report("gl-code-quality-report.json")
    ] == [("model.py", found.line, f"{found.text} [{found.code}]") for found in FINDINGS]


def test_the_table_of_reports_is_the_session() -> None:
    page = (REPOSITORY / "docs/integrations.md").read_text(encoding="utf-8")
    table = set(re.findall(r"^\| [\w ]+ \| [\w-]+ \| `--format=([\w-]+)` \|$", page, re.M))
    commands = [step for step, _ in PAGE["Other reports"].steps]
    assert table == {re.findall(r"--format=([\w-]+)", command)[0] for command in commands}


def test_clients_are_told_the_command_of_the_server() -> None:
    files = PAGE["flake8-jax server"].files
    command = ["flake8-jax", "server"]
    helix = tomllib.loads(files["languages.toml"])
    server = helix["language-server"]["flake8-jax"]
    assert [server["command"], *server["args"]] == command
    assert "flake8-jax" in helix["language"][0]["language-servers"]
    sublime = json.loads(files["LSP.sublime-settings"])
    assert sublime["clients"]["flake8-jax"]["command"] == command
    zed = json.loads(files[".zed/settings.json"])["lsp"]["pylsp"]["settings"]
    assert zed == json.loads(PAGE["Language servers"].files["settings.json"])["pylsp"]


def test_fixes_of_notebooks(tmp_path: Path) -> None:
    replay(PAGE["Notebooks"], tmp_path)
    before = json.loads(PAGE["Notebooks"].files["kernel.ipynb"])
    after = json.loads((tmp_path / "kernel.ipynb").read_text())
    assert after["cells"][0]["source"][0] == before["cells"][0]["source"][0]
    assert after["cells"][1]["source"][3] == "    @property\n"


def test_the_task_of_vs_code(tmp_path: Path) -> None:
    (task,) = json.loads(PAGE["flake8-jax server"].files[".vscode/tasks.json"])["tasks"]
    PAGE[""].write(tmp_path)
    given = {"${command:python.interpreterPath}": sys.executable, "${file}": "model.py"}
    call(*(given.get(part, part) for part in (task["command"], *task["args"])), cwd=tmp_path)
    assert "    @property\n" in (tmp_path / "model.py").read_text()


def test_the_workflow_of_github(tmp_path: Path, built: Path, wheels: dict[str, str]) -> None:
    workflow = yaml.safe_load(PAGE["GitHub Actions"].files[".github/workflows/flake8-jax.yml"])
    (job,) = workflow["jobs"].values()
    assert workflow[True] == ["push", "pull_request"]  # YAML 1.1 reads the key "on" so
    actions = [step["uses"].partition("@")[0] for step in job["steps"] if "uses" in step]
    assert actions == ["actions/checkout", "actions/setup-python"]
    install, lint = [step["run"] for step in job["steps"] if "run" in step]

    environment = tmp_path / "environment"
    assert call("virtualenv", environment, cwd=tmp_path).returncode == 0
    project = tmp_path / "project"
    project.mkdir()
    PAGE[""].write(project)
    variables = {
        **wheels,
        "PIP_FIND_LINKS": f"{wheels['PIP_FIND_LINKS']} {built}",
        "PATH": f"{environment / 'bin'}:{ENVIRONMENT['PATH']}",
    }

    def step(command: str) -> "subprocess.CompletedProcess[str]":
        return call("bash", "-e", "-c", command, cwd=project, **variables)

    done = step(install)
    assert done.returncode == 0, done.stdout
    done = step(lint)
    annotations = dict(PAGE["Other reports"].steps)[f"$ {lint} model.py"]
    assert (done.stdout, done.returncode) == (annotations, 1)
    (project / "model.py").write_text("x = 1\n")
    done = step(lint)
    assert (done.stdout, done.returncode) == ("", 0)


def test_the_first_session_has_findings_to_show() -> None:
    assert len(FINDINGS) == len(PRINTED.splitlines()) == 2
