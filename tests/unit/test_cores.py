"""The command that compares the two cores, and how the second one puts its parts together."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from flake8_jax import second
from flake8_jax.resolution.modules import Module
from flake8_jax.verdicts.places import Place
from trust.cores import main

HAZARD = """\
import jax

seen = []


@jax.jit
def step(x):
    seen.append(x)  # want: JAX303:5
    return x + 1
"""
RIGHT = Place(8, 4, "JAX303", "seen")


def run(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    places: list[Place],
    *options: str,
) -> tuple[int, list[str]]:
    """The exit status and the lines, where the second core finds some places in each file."""

    def part(module: Module) -> Iterator[Place]:
        assert module.name == "hazard_seen"
        yield from places

    path = folder / "JAX303/hazard_seen.py"
    path.parent.mkdir()
    path.write_text(HAZARD, encoding="utf-8")
    codes = tuple({place.code: None for place in places})
    monkeypatch.setattr(second, "PARTS", {codes: part})
    monkeypatch.chdir(folder)
    status = main(["JAX303", *options])
    return status, capsys.readouterr().out.splitlines()


def numbers(line: str) -> list[str]:
    return line.split()


def test_they_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, lines = run(tmp_path, monkeypatch, capsys, [RIGHT])
    assert status == 0
    assert numbers(lines[1]) == ["JAX303", "1", "0", "0", "1", "0", "0"]
    assert len(lines) == 3


def test_a_planted_difference_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planted = Place(9, 11, "JAX301", "the result")
    status, lines = run(tmp_path, monkeypatch, capsys, [planted])
    assert status == 1
    assert lines[:2] == [
        "JAX303/hazard_seen.py:8:5 only first JAX303",
        "JAX303/hazard_seen.py:9:12 only second JAX301",
    ]
    assert numbers(lines[3]) == ["JAX301", "0", "0", "1", "0", "0", "1"]
    assert numbers(lines[4]) == ["JAX303", "0", "1", "0", "0", "1", "0"]


def test_codes_and_details(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planted = [RIGHT._replace(line=9), RIGHT._replace(code="JAX201")]
    status, lines = run(tmp_path, monkeypatch, capsys, planted, "--codes=JAX2,JAX4", "--verbose")
    assert status == 1
    assert lines[0] == "JAX303/hazard_seen.py:8:5 only second JAX201  seen"
    assert numbers(lines[2]) == ["JAX201", "0", "0", "1", "0", "0", "1"]
    assert len(lines) == 4


def test_a_certain_rule_silences_an_opt_in_rule_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _ = run(tmp_path, monkeypatch, capsys, [RIGHT._replace(code="JAX904"), RIGHT])
    assert status == 0


def test_a_part_that_fails_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("FLAKE8_JAX_RAISE", raising=False)

    def failing(module: Module) -> Iterator[Place]:
        yield RIGHT
        raise RuntimeError(module.name)

    path = tmp_path / "hazard_seen.py"
    path.write_text(HAZARD, encoding="utf-8")
    monkeypatch.setattr(second, "PARTS", {("JAX303",): failing})
    assert main([str(path)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("JAX303 of the second core failed")
    assert "RuntimeError: hazard_seen" in out


def test_a_path_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nowhere"]) == 2
    assert capsys.readouterr().err == "no such path: nowhere\n"
