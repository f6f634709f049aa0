"""What the fixes make of the fixtures: it lints clean, is settled, and runs as it should."""

import io
import re
import shutil
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path

import pytest

from conftest import FIXTURES, Flake8, once
from fixture_runs import run_once
from flake8_jax.evidence.fixtures import Fixture, Mark, Role, discover, drives
from flake8_jax.evidence.instruments import measure
from flake8_jax.evidence.verdicts import judge, lint
from flake8_jax.rules import RULES
from sampling import sample

SYMPTOMS = {rule.code: rule.symptoms for rule in RULES}
FIXABLE = [rule.code for rule in RULES if rule.fix is not None]
HAZARDS = [item for item in discover(FIXTURES) if item.code in FIXABLE and item.role is Role.HAZARD]
MARK = re.compile(r"\s*# want: .*")
LEFT = frozenset(
    f"{code}/hazard_{name}"
    for code, names in {
        "JAX101": "flatten_walks_vars flatten_walks_vars_static mixin mixin_elsewhere "
        "mixin_registered_by_call mixin_two_levels own_descriptor_elsewhere "
        "own_descriptor_instance_dict own_descriptor_set_name own_descriptor_setattr "
        "own_property_maker own_property_maker_elsewhere own_subclass_of_cached_property "
        "registered_by_base_walks_dict",
        "JAX103": "class_body_module_function inherited_by_registered_class inherited_from_mixin "
        "lru_mixin_elsewhere memoize_elsewhere property_of_lru_cache",
        "JAX204": "after_the_unlocked_block alias annotated_and_chained augmented_container "
        "class_from_a_table closure_of_another_module "
        "called_after_construction_elsewhere closed_over declared_field del element_of_a_field "
        "elements_of_a_list "
        "field_of_an_imported_class field_of_plain_class for_target helper_argument "
        "helper_of_another_module module_level module_level_instance "
        "named_tuple_subclass_members nested_function new_that_makes_the_instance optax_state "
        "post_init register_dataclass_call setattr setattr_self simple_pytree_subclass "
        "static_field told_by_a_test told_outside_of_jit tuple_target undeclared_attribute "
        "with_target",
        "JAX205": "alias arithmetic_result array_under_nnx chex_annotation "
        "dict_of_arrays equinox_field "
        "field_of_argument field_of_self field_set_before helper_given_an_argument "
        "helper_two_calls_away "
        "helper_two_modules_away method_of_an_imported_class module_constant named_tuple_field "
        "ndarray_annotation nested_field nested_function numpy_annotation "
        "numpy_routine_under_jit swap",
        "JAX401": "at_set_in_dict at_set_on_field inside_other_expressions nested_field "
        "own_updates scan_body",
    }.items()
    for name in names.split()
)
LEFT |= {
    f"{item.code}/{item.path.stem}"
    for item in HAZARDS
    if item.code == "JAX201" and item.path.stem != "hazard_returns_nothing"
}
"""The hazards of which something stays, also with unsafe fixes: see the pages of the rules."""


def label(fixture: Fixture) -> str:
    return f"{fixture.code}/{fixture.path.stem}"


def texts(folder: Path) -> dict[str, str]:
    found = sorted(folder.rglob("*.py"))
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in found}


def fix(folder: Path) -> "subprocess.CompletedProcess[str]":
    select = f"--select={','.join(FIXABLE)}"
    command = [sys.executable, "-m", "flake8_jax", "fix", "--unsafe", "--isolated", select, "."]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)


@pytest.fixture(scope="session")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hazards without their marks, named as what they are to become."""
    return once(tmp_path_factory, "before", _write_hazards)


def _write_hazards(folder: Path) -> None:
    for hazard in HAZARDS:
        name = hazard.path.name.replace(Role.HAZARD, Role.FIXED, 1)
        for path in hazard.modules:
            inner = path.relative_to(hazard.path) if path != hazard.path else Path()
            target = folder / hazard.code / name / inner
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(MARK.sub("", path.read_text(encoding="utf-8")), encoding="utf-8")


@pytest.fixture(scope="session")
def after(before: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same after one run of ``flake8-jax fix --unsafe``."""

    def make(folder: Path) -> None:
        ignored = shutil.ignore_patterns("made")
        shutil.copytree(before, folder, dirs_exist_ok=True, ignore=ignored)
        done = fix(folder)
        assert done.returncode == 1
        summary = r"^Fixed \d+ findings in \d+ files\. (\d+) findings left: \1 have no fix\.$"
        assert re.search(summary, done.stderr, re.M)

    return once(tmp_path_factory, "after", make)


@pytest.fixture(scope="session")
def findings(after: Path) -> dict[Fixture, tuple[Mark, ...]]:
    """What flake8 says of the results, each linted in its own place."""
    return lint([_repaired(hazard, after) for hazard in sample(MEASURED, 3)])


def _repaired(hazard: Fixture, after: Path) -> Fixture:
    assert hazard.twin is not None
    return Fixture(after / hazard.code / hazard.twin.path.name)


def test_all_that_is_not_named_is_fixed(flake8: Flake8, after: Path) -> None:
    done = flake8("--isolated", "--select=JAX,JAX9", ".", cwd=after)
    found = [line.split(":", 1)[0].split("/")[1:3] for line in done.stdout.splitlines()]
    left = {f"{code}/{name.replace('fixed', 'hazard', 1)}" for code, name in found}
    assert {name.removesuffix(".py") for name in left} == LEFT


def test_the_result_is_settled(after: Path) -> None:
    settled = texts(after)
    done = fix(after)
    assert re.fullmatch(r"(\d+) findings left: \1 have no fix\.\n", done.stderr)
    assert texts(after) == settled


def test_only_what_is_reported_changes(before: Path, after: Path) -> None:
    old_texts, new_texts = texts(before), texts(after)
    changed = {name for name, text in new_texts.items() if text != old_texts[name]}
    assert len(changed) >= len(HAZARDS) - len(LEFT)
    for name in changed:
        old, new = old_texts[name], new_texts[name]
        compile(new, name, "exec")
        assert comments(new) == comments(old)
        gone = Counter(old.splitlines()) - Counter(new.splitlines())
        hazard = FIXTURES / name.replace("fixed_", "hazard_", 1)
        marked = [
            MARK.sub("", line) for line in hazard.read_text().splitlines() if MARK.search(line)
        ]
        results = {line.partition(" = ")[2] for line in new.splitlines()}
        for line in gone:
            assert "import" in line or not line or line in marked or line.strip() in results, name


def comments(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


MEASURED = [
    item
    for item in HAZARDS
    if item.twin is not None and label(item) not in LEFT and sys.version_info >= item.needs
]


def test_each_rule_with_a_fix_shows_it_by_a_pair() -> None:
    assert {item.code for item in MEASURED} == set(FIXABLE)


@pytest.mark.parametrize("hazard", sample(MEASURED, 3), ids=label)
def test_the_result_runs_as_the_twin_does(
    hazard: Fixture, after: Path, findings: dict[Fixture, tuple[Mark, ...]]
) -> None:
    assert hazard.twin is not None
    repaired = _repaired(hazard, after)
    row = judge(repaired, findings[repaired], measure(repaired, run_once), SYMPTOMS)
    assert row.problems == ()
    for drive in drives(repaired.load()[0]):
        expected = run_once(hazard.twin, drive, jit=True)
        assert run_once(repaired, drive, jit=True).value == expected.value
