"""What docs/integrations.md shows is what happens: files, sessions, settings, reports."""

import json
import re
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from conftest import ENVIRONMENT, REPOSITORY, call, once
from snippets import Section, sections

PAGE = sections("docs/integrations.md")
MODEL = PAGE[""].files["model.py"]
FINDINGS = dict(PAGE[""].steps)["$ flake8 --select=JAX model.py"]
WITH_SESSIONS = [
    section for section in PAGE.values() if any(step.startswith("$ ") for step, _ in section.steps)
]


def replay(section: Section, folder: Path) -> None:
    """Do what a section shows, from top to bottom."""
    PAGE[""].write(folder)
    for step, text in section.steps:
        if not step.startswith("$ "):
            Section("", [(step, text)]).write(folder)
            continue
        done = subprocess.run(
            step.removeprefix("$ "),
            shell=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=folder,
            env=ENVIRONMENT,
            check=False,
        )
        assert done.stdout == text, step


@pytest.mark.parametrize("section", WITH_SESSIONS, ids=lambda section: section.title or "first")
def test_sessions_print_what_is_shown(section: Section, tmp_path: Path) -> None:
    replay(section, tmp_path)
