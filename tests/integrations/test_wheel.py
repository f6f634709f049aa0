"""The wheel: what is in it, and how it works where nothing else is."""

import io
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

from conftest import FIXTURES, REPOSITORY, call, once
from flake8_jax.evidence.fixtures import discover
from flake8_jax.pages import page
from flake8_jax.rules import RULES
from integrations.example import MODEL, PRINTED

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def elsewhere(
    tmp_path_factory: pytest.TempPathFactory, built: Path, wheels: dict[str, str]
) -> Path:
    """The programs of an environment that has the wheel and what it requires, and no more."""

    def make(folder: Path) -> None:
        (wheel,) = built.glob("*.whl")
        for command in (
            ("virtualenv", folder),
            (folder / "bin/python", "-m", "pip", "install", "--quiet", wheel),
        ):
            done = call(*command, cwd=folder, **wheels)
            assert done.returncode == 0, done.stdout

    return once(tmp_path_factory, "elsewhere", make) / "bin"


def names(wheel: Path) -> set[str]:
    return set(zipfile.ZipFile(wheel).namelist())


def read(wheel: Path, name: str) -> str:
    (found,) = (path for path in names(wheel) if path.endswith(f".dist-info/{name}"))
    return zipfile.ZipFile(wheel).read(found).decode()


def metadata(wheel: Path) -> Message:
    return Parser().parsestr(read(wheel, "METADATA"))


def test_twine_finds_nothing_wrong(built: Path) -> None:
    files = [path for path in built.iterdir() if path.name != "made"]
    assert sorted(path.suffix for path in files) == [".gz", ".whl"]
    done = call("twine", "check", "--strict", *files, cwd=built)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("PASSED") == 2


def test_the_source_distribution_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    command = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path)
    done = call(*command, cwd=REPOSITORY)
    assert done.returncode == 0, done.stdout
    (direct,) = tmp_path.iterdir()
    assert direct.read_bytes() == wheel.read_bytes()


def test_what_is_inside(wheel: Path) -> None:
    package = REPOSITORY / "src/flake8_jax"
    modules = {f"flake8_jax/{path.relative_to(package)}" for path in package.rglob("*.py")}
    information = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
    folder = f"flake8_jax-{PROJECT['version']}.dist-info"
    assert names(wheel) == {
        *modules,
        "flake8_jax/fixtures.zip",
        "flake8_jax/py.typed",
        *(f"{folder}/{name}" for name in information),
    }


def test_the_fixtures_are_one_archive(wheel: Path) -> None:
    packed = zipfile.ZipFile(wheel).read("flake8_jax/fixtures.zip")
    archive = zipfile.ZipFile(io.BytesIO(packed))
    found = {name: archive.read(name) for name in archive.namelist()}
    assert len(found) > 1_000
    assert found == {
        path.relative_to(FIXTURES).as_posix(): path.read_bytes()
        for path in FIXTURES.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_entry_points(wheel: Path) -> None:
    assert read(wheel, "entry_points.txt") == (
        "[console_scripts]\nflake8-jax = flake8_jax.cli.main:main\n\n"
        "[flake8.extension]\nJAX = flake8_jax.plugin:Plugin\n\n"
        "[pylsp]\nflake8_jax = flake8_jax.editor.pylsp\n"
    )


def test_metadata(wheel: Path) -> None:
    found = metadata(wheel)
    assert (found["Name"], found["Version"]) == ("flake8-jax", PROJECT["version"])
    assert found["Summary"] == PROJECT["description"]
    assert found["License-Expression"] == "MIT"
    assert found["Requires-Python"] == ">=3.11"
    assert found["Description-Content-Type"] == "text/markdown"
    assert found.get_payload() == (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert sorted(found.get_all("Classifier", [])) == sorted(PROJECT["classifiers"])
    required = [line for line in found.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert required == PROJECT["dependencies"]


def away(
    elsewhere: Path, folder: Path, program: str, *arguments: str
) -> "subprocess.CompletedProcess[str]":
    return call(elsewhere / program, *arguments, cwd=folder, PYTHONPATH="")


def test_flake8_uses_it_elsewhere(elsewhere: Path, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    listed = away(elsewhere, tmp_path, "flake8", "--version").stdout
    assert f"flake8-jax: {PROJECT['version']}" in listed.replace("\n", " ")
    done = away(elsewhere, tmp_path, "flake8", "model.py")
    assert (done.stdout, done.returncode) == (PRINTED, 1)


def test_the_command_works_elsewhere(elsewhere: Path, tmp_path: Path) -> None:
    done = away(elsewhere, tmp_path, "flake8-jax", "--version")
    assert (done.stdout, done.returncode) == (f"{PROJECT['version']}\n", 0)
    done = away(elsewhere, tmp_path, "flake8-jax", "explain", "JAX101")
    assert done.returncode == 0
    assert done.stdout.startswith("cached-property-on-pytree (JAX101)\n=====")
    pages = away(elsewhere, tmp_path, "flake8-jax", "explain", "--format=json").stdout
    shown = {item["code"]: item["explanation"] for item in json.loads(pages)}
    assert shown == {rule.code: page(rule) for rule in RULES}
    done = away(elsewhere, tmp_path, "flake8-jax", "confirm")
    assert done.returncode == 2
    assert "pip install 'flake8-jax[confirm]'" in done.stdout


def test_the_fixtures_are_found_elsewhere(elsewhere: Path, tmp_path: Path) -> None:
    script = (
        "from flake8_jax.evidence.archive import fixtures_folder\n"
        "from flake8_jax.evidence.fixtures import discover\n"
        "folder = fixtures_folder()\n"
        "names = [fixture.main.relative_to(folder) for fixture in discover(folder)]\n"
        "print(folder, *names, sep='\\n')"
    )
    folder, *listed = away(elsewhere, tmp_path, "python", "-c", script).stdout.splitlines()
    assert not Path(folder).is_relative_to(REPOSITORY)
    assert not Path(folder).exists()  # what was unpacked does not stay
    assert listed == [str(fixture.main.relative_to(FIXTURES)) for fixture in discover(FIXTURES)]


def test_nothing_of_the_repository_is_used_elsewhere(elsewhere: Path, tmp_path: Path) -> None:
    script = "import flake8_jax, sys; print(flake8_jax.__file__, *sys.path, sep='\\n')"
    paths = away(elsewhere, tmp_path, "python", "-c", script).stdout.splitlines()
    assert Path(paths[0]).is_relative_to(elsewhere.parent)
    assert not any(Path(path).is_relative_to(REPOSITORY) for path in paths)
    listed = away(elsewhere, tmp_path, "python", "-m", "pip", "list", "--format=freeze").stdout
    installed = set(re.findall(r"^([\w-]+)==", listed, re.M)) - {"pip", "setuptools"}
    assert {"flake8", "flake8-jax", "libcst"} <= installed
    assert not {"jax", "flax", "pytest"} & installed
