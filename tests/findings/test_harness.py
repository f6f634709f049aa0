"""The harness can fail: each way of disagreeing turns it red."""

from pathlib import Path

import pytest

from cached_wave import HAZARD, LOOKALIKE, MARK
from flake8_jax.evidence.fixtures import Fixture, Mark
from flake8_jax.evidence.instruments import measure, run
from flake8_jax.evidence.verdicts import judge, lint
from flake8_jax.rules import RULES
from flake8_jax.symptoms import Symptom

SYMPTOMS = {rule.code: rule.symptoms for rule in RULES}


def fixture(folder: Path, name: str, text: str) -> Fixture:
    path = folder / "JAX101" / f"{name}.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return Fixture(path)


def problems(
    subject: Fixture, symptoms: dict[str, frozenset[Symptom]] = SYMPTOMS
) -> tuple[str, ...]:
    found = lint([subject])[subject]
    return judge(subject, found, measure(subject), symptoms).problems


def test_agreement_is_green(tmp_path: Path) -> None:
    assert problems(fixture(tmp_path, "hazard_wave", HAZARD)) == ()
    assert problems(fixture(tmp_path, "lookalike_wave", LOOKALIKE)) == ()


def test_a_hazard_without_its_mark_is_red(tmp_path: Path) -> None:
    text = HAZARD.replace(MARK, "")
    assert problems(fixture(tmp_path, "hazard_wave", text)) == (
        "false alarm: JAX101 at 15, column 5",
        "a hazard without a mark for JAX101",
    )


def test_a_mark_in_the_wrong_column_is_red(tmp_path: Path) -> None:
    text = HAZARD.replace("JAX101:5", "JAX101:6")
    assert problems(fixture(tmp_path, "hazard_wave", text)) == (
        "missed: JAX101 at 15, column 6",
        "false alarm: JAX101 at 15, column 5",
    )


def test_a_lookalike_with_a_mark_is_red(tmp_path: Path) -> None:
    text = LOOKALIKE.replace("@property", f"@property{MARK}")
    assert problems(fixture(tmp_path, "lookalike_wave", text)) == (
        "missed: JAX101 at 15, column 5",
        "a lookalike fixture with a mark",
    )


def test_a_lookalike_that_is_a_hazard_is_red(tmp_path: Path) -> None:
    text = HAZARD.replace(MARK, "")
    assert problems(fixture(tmp_path, "lookalike_wave", text)) == (
        "false alarm: JAX101 at 15, column 5",
        "drive: not harmless, shows lost or recomputed",
    )


def test_a_rule_whose_symptom_is_not_shown_is_red(tmp_path: Path) -> None:
    promised = {"JAX101": frozenset({Symptom.STALE})}
    assert problems(fixture(tmp_path, "hazard_wave", HAZARD), promised) == (
        "drive: shows lost or recomputed, not stale",
    )


def test_a_symptom_that_the_fixed_twin_has_too_is_red(tmp_path: Path) -> None:
    hazard = fixture(tmp_path, "hazard_wave", HAZARD)
    fixture(tmp_path, "fixed_wave", HAZARD)
    assert problems(hazard) == ("drive: lost or recomputed is in the control as well",)


def test_a_fixture_without_a_drive_is_red(tmp_path: Path) -> None:
    text = LOOKALIKE.replace("def drive(", "def use_it(")
    assert problems(fixture(tmp_path, "lookalike_wave", text)) == (
        "nothing measured: the fixture has no drive",
    )


@pytest.mark.parametrize("jit", [True, False])
def test_what_a_drive_raises_is_measured(tmp_path: Path, jit: bool) -> None:
    text = LOOKALIKE.replace("wave = watch", "raise KeyError; wave = watch")
    seen = run(fixture(tmp_path, "lookalike_wave", text), "drive", jit=jit)
    assert seen.error == "KeyError"


def test_marks_are_comments_only(tmp_path: Path) -> None:
    text = 'x = "# want: JAX101:5"\ny = 1  # want: JAX101:2, JAX903:14\n'
    marks = fixture(tmp_path, "hazard_text", text).marks()
    assert marks == (Mark(2, 2, "JAX101"), Mark(2, 14, "JAX903"))
