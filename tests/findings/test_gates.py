"""The gates only err on the side of looking: with and without them the findings are the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.gates import differs, opened, passed, shown
from conftest import FIXTURES
from flake8_jax.evidence.fixtures import discover
from flake8_jax.gates.text import is_on, may_matter


def paths() -> Iterator[Path]:
    yield from (path for fixture in discover(FIXTURES) for path in fixture.modules)


def test_the_gates_lose_nothing() -> None:
    stopped = [path for path in paths() if "still" not in passed(*opened(path))]
    assert stopped
    assert [path for path in stopped if differs(path)] == []


def test_every_module_with_a_mark_passes_the_gates() -> None:
    marked = [
        path
        for fixture in discover(FIXTURES)
        for path, module in fixture.modules.items()
        if module in {mark.module for mark in fixture.marks()}
    ]
    assert marked
    assert [path for path in marked if passed(*opened(path)) != ["text", "still"]] == []


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("import pkg.deco", "pkg.deco"),
        ("import pkg.deco, os", "pkg.deco"),
        ("import pkg.deco as d", "d"),
        ("from pkg import deco", "deco"),
    ],
)
def test_every_import_leads_to_jax(statement: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").touch()
    (tmp_path / "pkg" / "deco.py").write_text("import jax\nfast = jax.jit\n")
    main = tmp_path / "main.py"
    main.write_text(
        f"{statement}\n\n\n@{name}.fast\ndef f(x, d: dict):\n    d['a'] = x\n    return x\n"
    )
    assert passed(*opened(main)) == ["text", "still"]
    assert [(line, text[:6]) for line, _, text in shown(*opened(main))] == [(6, "JAX202")]


@pytest.mark.parametrize(
    "text",
    [
        "import os\n",
        "x = 'ajax'\n",
        "import flask\n",
        "class Config(NamedTuple):\n    x: str\n",
        "",
    ],
)
def test_files_that_cannot_matter_stop_at_the_gate(text: str) -> None:
    assert not may_matter(text)


@pytest.mark.parametrize(
    "text",
    [
        "import jax\nf = jax.jit(lambda x: x + 1)\n",
        "import jax\n@jax.jit\ndef f(x):\n    y = {'x': x}\n    return y['x']\n",
        "import flax.linen as nn\nclass M(nn.Module):\n    size: int\n",
    ],
)
def test_what_changes_nothing_is_still(tmp_path: Path, text: str) -> None:
    assert passed(*opened(tmp_path / "still.py", text)) == ["text"]


@pytest.mark.parametrize(
    "statement",
    [
        "x.y = z",
        "x[0] = z",
        "x += z",
        "x.y: int = z",
        "x.y, w = z",
        "del x[0]",
        "del x.y",
        "x.append(z)",
        "global x",
        "setattr(x, 'y', z)",
        "getattr(builtins, 'setattr')(x, 'y', z)",
        "vars(x)",
        "x.replace(y=z)",
        "x.at[0].set(z)",
        "dataclasses.replace(x, y=z)",
        "from functools import cached_property as kept",
        "@functools.cache\n    def f(): ...",
        "for x.y in z: ...",
        "with z as x[0]: ...",
        "from . import z",
        "import still",
    ],
)
def test_what_may_change_something_is_not(tmp_path: Path, statement: str) -> None:
    (tmp_path / "still.py").touch()
    text = f"import jax\n\n\ndef f(x, z):\n    {statement}\n"
    assert passed(*opened(tmp_path / "still.py", text)) == ["text", "still"]


def test_opt_in_rules_need_their_name() -> None:
    assert is_on("JAX101", [])
    assert not is_on("JAX903", ["JAX", "E"])
    assert is_on("JAX903", ["JAX9"])
    assert is_on("JAX903", ["JAX903"])
    assert not is_on("JAX903", ["JAX901"])
