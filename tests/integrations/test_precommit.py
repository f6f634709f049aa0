"""The hooks of pre-commit, tried as pre-commit tries them and run as a project has them."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from conftest import REPOSITORY, call, commit, once
from integrations.example import MODEL, PAGE, PRINTED

CONFIGURATIONS = PAGE["pre-commit"].files
CLEAN = MODEL.replace("functools.cached_property", "property").partition("@jax.jit")[0]
SETTINGS = "[flake8]\nrequire-plugins = flake8-no-such-plugin\n"


@pytest.fixture(scope="session")
def variables(tmp_path_factory: pytest.TempPathFactory, wheels: dict[str, str]) -> dict[str, str]:
    """Variables under which pre-commit keeps the environments of hooks for all the tests."""
    store = once(tmp_path_factory, "pre-commit")
    return {**wheels, "PRE_COMMIT_HOME": str(store)}


def project(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    commit(folder)
    return folder


def statuses(output: str) -> dict[str, str]:
    """What pre-commit says of each hook, by the hook's name."""
    return dict(re.findall(r"^(flake8-jax.*?)\.{3,}.*?(Passed|Failed)$", output, re.M))


def findings(output: str) -> str:
    return "".join(re.findall(r"^\S+?:\d+:\d+: .*\n", output, re.M))


def test_the_manifest_is_valid() -> None:
    done = call("pre-commit", "validate-manifest", ".pre-commit-hooks.yaml", cwd=REPOSITORY)
    assert (done.stdout, done.returncode) == ("", 0)


def test_the_page_names_all_hooks() -> None:
    manifest = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text())
    page = (REPOSITORY / "docs/integrations.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(flake8-jax[\w-]*)` \|", page, re.M)
    assert named == [hook["id"] for hook in manifest]


def test_the_readme_shows_the_hook_of_the_page() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```yaml\n(.*?)^```$", readme, re.S | re.M)
    assert CONFIGURATIONS[".pre-commit-config.yaml"] == f"repos:\n{shown}"


def attempt(
    hook: str, source: Path, folder: Path, wheels: dict[str, str]
) -> "subprocess.CompletedProcess[str]":
    return call("pre-commit", "try-repo", source, hook, "--all-files", cwd=folder, **wheels)


def test_a_hook_is_tried(tmp_path: Path, source: Path, wheels: dict[str, str]) -> None:
    project(tmp_path, model__py=MODEL)
    done = attempt("flake8-jax", source, tmp_path, wheels)
    assert done.returncode == 1, done.stdout
    assert statuses(done.stdout) == {"flake8-jax": "Failed"}
    assert findings(done.stdout) == PRINTED
    assert (tmp_path / "model.py").read_text() == MODEL


def test_a_clean_project_passes(tmp_path: Path, source: Path, variables: dict[str, str]) -> None:
    project(tmp_path, model__py=CLEAN)
    done = run(CONFIGURATIONS[".pre-commit-config.yaml"], source, tmp_path, variables)
    assert done.returncode == 0, done.stdout
    assert statuses(done.stdout) == {"flake8-jax": "Passed"}
    assert (tmp_path / "model.py").read_text() == CLEAN


def test_the_fixing_hook_changes_the_file(
    tmp_path: Path, source: Path, variables: dict[str, str]
) -> None:
    configuration = CONFIGURATIONS[".pre-commit-config.yaml"].replace(
        "- id: flake8-jax\n", "- id: flake8-jax-fix\n"
    )
    cached = MODEL.partition("\n\n\n@jax.jit")[0] + "\n"
    project(tmp_path, model__py=cached)
    done = run(configuration, source, tmp_path, variables)
    assert done.returncode == 1, done.stdout
    assert statuses(done.stdout) == {"flake8-jax fix": "Failed"}
    assert "- files were modified by this hook" in done.stdout
    mended = cached.replace("import functools\n\n", "").replace("functools.cached_", "")
    assert (tmp_path / "model.py").read_text() == mended
    commit(tmp_path)
    done = run(configuration, source, tmp_path, variables)
    assert done.returncode == 0, done.stdout
    assert statuses(done.stdout) == {"flake8-jax fix": "Passed"}
    assert (tmp_path / "model.py").read_text() == mended


def run(
    configuration: str, source: Path, folder: Path, variables: dict[str, str]
) -> "subprocess.CompletedProcess[str]":
    (folder / ".pre-commit-config.yaml").write_text(configured(configuration, source))
    return call("pre-commit", "run", "--all-files", cwd=folder, **variables)


def test_the_hook_uses_the_settings_of_the_project(
    tmp_path: Path, source: Path, variables: dict[str, str]
) -> None:
    configuration = CONFIGURATIONS[".pre-commit-config.yaml"]
    settings = "[flake8]\nper-file-ignores =\n    model.py: JAX101\n"
    project(tmp_path, model__py=MODEL, stub__pyi=MODEL, notes__txt=MODEL, __flake8=settings)
    done = run(configuration, source, tmp_path, variables)
    assert statuses(done.stdout) == {"flake8-jax": "Failed"}, done.stdout
    stub = PRINTED.replace("model.py", "stub.pyi")
    assert findings(done.stdout) == PRINTED.partition("\n")[2] + stub


def test_a_plugin_that_is_missing_stops_the_hook_but_not_the_isolated_one(
    tmp_path: Path, source: Path, variables: dict[str, str]
) -> None:
    configuration = CONFIGURATIONS[".pre-commit-config.yaml"]
    isolated = configuration + "      - id: flake8-jax-isolated\n"
    project(tmp_path, model__py=MODEL, __flake8=SETTINGS)
    done = run(isolated, source, tmp_path, variables)
    assert statuses(done.stdout) == {
        "flake8-jax": "Failed",
        "flake8-jax (isolated)": "Failed",
    }, done.stdout
    alone, _, apart = done.stdout.partition("flake8-jax (isolated)")
    assert (findings(alone), findings(apart)) == ("", PRINTED)
    assert "flake8-no-such-plugin" in alone
    (tmp_path / "model.py").write_text(CLEAN)
    done = run(isolated, source, tmp_path, variables)
    assert statuses(done.stdout)["flake8-jax (isolated)"] == "Passed", done.stdout


def test_the_hook_reads_pyproject_with_what_reads_it(
    tmp_path: Path, source: Path, variables: dict[str, str]
) -> None:
    settings = PAGE["Settings in pyproject.toml"].files["pyproject.toml"]
    project(tmp_path, model__py=MODEL, pyproject__toml=settings)
    done = run(CONFIGURATIONS["pyproject-settings.yaml"], source, tmp_path, variables)
    assert statuses(done.stdout) == {"flake8-jax": "Failed"}, done.stdout
    assert findings(done.stdout) == PRINTED.partition("\n")[2]


def configured(text: str, source: Path) -> str:
    """A configuration of the page, with the copy of the repository that is tested."""
    head = call("git", "rev-parse", "HEAD", cwd=source).stdout.strip()
    text, repositories = re.subn(r"(?<=repo: ).*", source.as_posix(), text)
    text, revisions = re.subn(r"(?<=rev: ).*", head, text)
    assert repositories == revisions == 1
    return text
