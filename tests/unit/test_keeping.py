"""What is found out about a project is kept while its files are linted."""

from pathlib import Path

import pytest

from flake8_jax.workspace.files import Project, Settings

TEXT = "x = 1\n" * 50_000


@pytest.mark.parametrize(("folder", "is_kept"), [("one/a", True), ("two/b", False)])
def test_folders_of_one_part_are_kept_together(tmp_path: Path, folder: str, is_kept: bool) -> None:
    project, run = Project(Settings(), str(tmp_path)), object()
    project.open("one/first/large.py", TEXT, run)
    project.analysed("key", lambda: "value")
    for number in range(9):
        project.open(f"{folder}/{number}.py", "", run)
    assert ("key" in project.analysis) is is_kept


def test_what_lies_in_the_folder_itself_is_kept(tmp_path: Path) -> None:
    project, run = Project(Settings(), str(tmp_path)), object()
    project.open("large.py", TEXT, run)
    project.analysed("key", lambda: "value")
    for number in range(9):
        project.open(f"two/b/{number}.py", "", run)
    assert "key" in project.analysis
