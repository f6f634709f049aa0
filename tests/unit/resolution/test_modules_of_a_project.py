"""A module is cut by its text; only what somebody asks for is lowered."""

from pathlib import Path

import pytest

from flake8_jax.lowering.lower import Program
from flake8_jax.lowering.printer import show_body
from flake8_jax.lowering.spans import unpack
from flake8_jax.resolution import modules
from flake8_jax.resolution.modules import module_of
from flake8_jax.resolution.resolve import resolve_name
from flake8_jax.workspace.files import File
from flake8_jax.workspace.outline import Block
from unit.projects import defined, main_module, opened, written

TEXT = """\
import jax

LIMIT = 3


@jax.jit
def step(x):
    y = x + 1
    return y


if LIMIT: other = 1; another = 2
"""


def test_the_statements_that_bind_a_name(tmp_path: Path) -> None:
    module = main_module(tmp_path, TEXT)
    binding = {name: [block.index for block in blocks] for name, blocks in module.binding.items()}
    assert binding == {"jax": [0], "LIMIT": [1], "step": [2], "other": [3], "another": [3]}


def test_a_statement_is_lowered_on_demand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither imports nor definitions that nobody asks for are parsed."""
    asked: list[int] = []
    real = modules._lowered

    def lowered(file: File, block: Block) -> Program | None:
        asked.append(block.index)
        return real(file, block)

    monkeypatch.setattr(modules, "_lowered", lowered)
    module = main_module(tmp_path, TEXT)
    resolve_name(module, "jax")
    assert asked == []
    for _ in range(2):
        resolve_name(module, "step")
    assert asked == [2]


def test_programs_have_a_size(tmp_path: Path) -> None:
    module = main_module(tmp_path, TEXT)
    programs = [module.program(block) for block in module.blocks]
    assert [program.size if program is not None else None for program in programs] == [1, 1, 3, 3]
    program = programs[1]
    assert isinstance(program, Program)
    assert show_body(program.body) == "$LIMIT = 3"


def test_spans_count_from_the_top_level_statement(tmp_path: Path) -> None:
    step = defined(main_module(tmp_path, TEXT), "step")
    spans = [unpack(item.span) for item in step.made.body if not isinstance(item, str)]
    assert tuple(unpack(step.made.span)) == (1, 0, 3, 12)
    assert [tuple(span) for span in spans] == [(2, 4, 2, 13), (3, 4, 3, 12)]


def test_what_cannot_be_lowered_binds_names_to_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modules, "lower_program", lambda *_: None)
    module = main_module(tmp_path, TEXT)
    assert resolve_name(module, "step") == (None,)


def test_there_is_one_module_for_a_file_until_it_changes(tmp_path: Path) -> None:
    project = written(tmp_path, {"main.py": "import other\n", "other.py": "x = 1\n"})
    module = opened(project, tmp_path / "main.py")
    other = module.find("other")
    assert other is not None
    assert other is module_of(project, other.file) is module.find("other")
    (tmp_path / "other.py").write_text("x = 2\ny = 3\n")
    again = opened(project, tmp_path / "main.py").find("other")
    assert again is not None
    assert set(again.binding) == {"x", "y"}
