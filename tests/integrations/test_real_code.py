"""The command that lints real projects, on small ones that are made here: nothing is downloaded."""

import hashlib
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from conftest import REPOSITORY
from trust import trees, verdicts
from trust.real_code import lint, problems
from trust.trees import Project, Tree, UnsafeArchiveError, fetch, pinned, unpack
from trust.verdicts import Place, Verdict, Word, compare

HAZARD = """\
import jax

seen = []


@jax.jit
def step(x):
    seen.append(x)
    return x + 1
"""
HEAD = "project,version,path,line,code,verdict,reason\n"
ROW = "small,1.0,small/step.py,8,JAX303,{},{}\n"
MESSAGE = (
    "'seen' leaks a Tracer: the container outlives 'step' (jax.jit); "
    "return it or use jax.debug.callback"
)


def wheel(folder: Path, name: str, files: dict[str, str]) -> Project:
    """Make a wheel with some files, and the pin for it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, text in files.items():
            archive.writestr(member, text)
    return Project(name, "1.0", hashlib.sha256(path.read_bytes()).hexdigest())


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache with two projects and the pins for them, one of them with a hazard."""
    folder = tmp_path / "cache"
    files = {"small/__init__.py": "", "small/step.py": HAZARD, "small/data.bin": "x"}
    projects = [
        wheel(folder / "archives", "small", files),
        wheel(folder / "archives", "quiet", {"quiet.py": "import jax\n", "old.py": "print 1\n"}),
    ]
    lines = "".join(f"{project.requirement}\n" for project in projects)
    (tmp_path / "pins.txt").write_text(f"# two of them\n\n{lines}", encoding="utf-8")
    return folder


def run(cache: Path, said: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the command as a user does, with verdicts."""
    path = cache.parent / "verdicts.csv"
    path.write_text(HEAD + said, encoding="utf-8")
    command = [sys.executable, "-m", "trust.real_code", "--cache", str(cache), "--verdicts"]
    command += [str(path), "--projects", str(cache.parent / "pins.txt"), *arguments]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)


def printed(done: "subprocess.CompletedProcess[str]") -> list[str]:
    """What was printed, without the time that it took."""
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if "seconds of flake8" not in line]


def test_a_right_finding_agrees(cache: Path) -> None:
    done = run(cache, ROW.format("right", "the Tracer stays in the list"))
    assert printed(done) == [
        "JAX303  1 right, 0 wrong, 0 debatable",
        "1 judged: 1 right, 0 wrong, 0 debatable; 100.0 of 100 are right",
        "0 new, 0 gone",
    ]
    assert done.returncode == 0
    assert "2 projects, 11 lines, " in done.stdout


@pytest.mark.parametrize("said", ["", ROW.format("", "")])
def test_what_nobody_read_is_new(cache: Path, said: str) -> None:
    done = run(cache, said)
    assert printed(done) == [
        f"new   small 1.0 small/step.py:8 JAX303 {MESSAGE}",
        "0 judged: 0 right, 0 wrong, 0 debatable; 100.0 of 100 are right",
        "1 new, 0 gone",
    ]
    assert done.returncode == 1


def test_what_is_gone(cache: Path) -> None:
    other = "small,1.0,small/step.py,3,JAX301,wrong,it is a list\n"
    done = run(cache, ROW.format("right", "it leaks") + other)
    assert printed(done) == [
        "gone  small 1.0 small/step.py:3 JAX301 (wrong: it is a list)",
        "JAX303  1 right, 0 wrong, 0 debatable",
        "1 judged: 1 right, 0 wrong, 0 debatable; 100.0 of 100 are right",
        "0 new, 1 gone",
    ]
    assert done.returncode == 1


def test_too_few_are_right(cache: Path) -> None:
    done = run(cache, ROW.format("wrong", "it does not leak"))
    assert printed(done)[-2:] == [
        "1 judged: 0 right, 1 wrong, 0 debatable; 0.0 of 100 are right",
        "0 new, 0 gone",
    ]
    assert done.returncode == 1


def test_some_projects_only(cache: Path) -> None:
    done = run(cache, ROW.format("wrong", "it does not leak"), "quiet")
    assert printed(done) == [
        "0 judged: 0 right, 0 wrong, 0 debatable; 100.0 of 100 are right",
        "0 new, 0 gone",
    ]
    assert done.returncode == 0


def test_an_unknown_project(cache: Path) -> None:
    done = run(cache, "", "loud")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "no such project: loud\n")


def test_update_leaves_rows_to_fill_in(cache: Path) -> None:
    other = "small,1.0,small/step.py,3,JAX301,wrong,it is a list\n"
    assert run(cache, other, "--update").returncode == 1
    path = cache.parent / "verdicts.csv"
    assert path.read_text(encoding="utf-8") == HEAD + ROW.format("", "")


def test_opt_in_rules_only_when_asked_for(cache: Path) -> None:
    said = ROW.format("right", "it leaks") + "small,1.0,small/step.py,1,JAX904,right,counted\n"
    assert run(cache, said).returncode == 0
    done = run(cache, said, "--opt-in")
    assert printed(done)[0] == "gone  small 1.0 small/step.py:1 JAX904 (right: counted)"
    assert done.returncode == 1


def test_a_tree_that_takes_too_long(cache: Path) -> None:
    done = run(cache, ROW.format("right", "it leaks"), "small", "--seconds", "0")
    assert "not linted to its end: small 1.0: not done after 0 seconds" in printed(done)
    assert done.returncode == 1


def test_a_file_of_another_python_is_not_lost(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text("print 1\n", encoding="utf-8")
    assert lint(Tree(Project("old", "1.0", ""), tmp_path), "JAX", 60).problems == ()


@pytest.mark.parametrize(
    ("status", "log", "expected"),
    [
        (1, "flake8.checker  INFO  done", []),
        (2, "", ["flake8 ended with status 2"]),
        (0, "a.py is not checked by flake8-jax\nTraceback", ["a.py is not checked by flake8-jax"]),
        (1, "x\nJAX101 failed\nTraceback\nKeyError", ["JAX101 failed"]),
        (1, "Traceback\nKeyError: 3", ["KeyError: 3"]),
    ],
)
def test_problems_are_told_from_the_log(status: int, log: str, expected: list[str]) -> None:
    done = subprocess.CompletedProcess(["flake8"], status, "", log)
    assert list(problems(done)) == expected


def test_only_python_files_are_unpacked(cache: Path) -> None:
    small, _ = fetch(pinned(cache.parent / "pins.txt"), cache)
    assert [str(path.relative_to(small.folder)) for path in small.files] == [
        "small/__init__.py",
        "small/step.py",
    ]
    assert not list(small.folder.rglob("*.bin"))


@pytest.mark.parametrize(
    "name", ["../out.py", "a/../../out.py", "/out.py", "C:\\out.py", "..\\o.py"]
)
def test_members_that_leave_the_folder_are_refused(tmp_path: Path, name: str) -> None:
    wheel(tmp_path / "archives", "bad", {"good.py": "", name: ""})
    with pytest.raises(UnsafeArchiveError):
        unpack(tmp_path / "archives" / "bad-1.0-py3-none-any.whl", tmp_path / "tree")
    assert [path.name for path in tmp_path.iterdir()] == ["archives"]


def test_links_are_refused(tmp_path: Path) -> None:
    member = zipfile.ZipInfo("link.py")
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "bad.whl", "w") as archive:
        archive.writestr(member, "/etc/hostname")
    with pytest.raises(UnsafeArchiveError, match=r"bad\.whl: 'link\.py'"):
        unpack(tmp_path / "bad.whl", tmp_path / "tree")


def test_the_cache_is_outside_of_the_repository() -> None:
    with pytest.raises(ValueError, match="outside of the repository"):
        fetch([], REPOSITORY / "cache")


def test_a_pin_without_a_digest_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pins.txt").write_text("small==1.0\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"pins\.txt, line 1"):
        pinned(tmp_path / "pins.txt")


def test_two_verdicts_on_one_place_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.csv"
    path.write_text(HEAD + 2 * ROW.format("right", "it leaks"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"two verdicts on small 1\.0 small/step\.py:8 JAX303"):
        verdicts.read(path)


def test_the_target_is_met_from_95_of_100() -> None:
    places = [Place("p", "1", "p.py", line, "JAX101") for line in range(100)]
    for wrong, agrees in ((5, True), (6, False)):
        said = {
            place: Verdict(Word.WRONG if place.line < wrong else Word.RIGHT) for place in places
        }
        assert compare(places, said).agrees is agrees


def test_the_verdicts_are_on_pinned_projects_and_give_reasons() -> None:
    known = {(project.name, project.version) for project in pinned(trees.PINS)}
    assert len(known) >= 25
    for place, verdict in verdicts.read().items():
        assert (place.project, place.version) in known, place
        assert verdict.word is not Word.UNREAD, place
        assert verdict.reason, place
