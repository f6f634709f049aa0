"""Other modules: how they are found, and that nothing depends on who asks first."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import FIXTURES, Flake8
from flake8_jax.evidence.fixtures import discover
from ledger import LEDGER, MAIN, write
from sampling import sample

CODE = "JAX203"


def codes(stdout: str) -> list[str]:
    found = re.findall(r"^(\S+?:\d+):\d+: (JAX\d{3}) ", stdout, re.M)
    return [f"{place} {code}" for place, code in found]


def test_the_message_names_function_file_and_line(flake8: Flake8, tmp_path: Path) -> None:
    write(tmp_path, {"ledger.py": LEDGER, "main.py": MAIN.format(module="ledger")})
    done = flake8("--select=JAX", ".")
    assert done.stdout == (
        "./main.py:7:5: JAX203 'account.total' is set on a lost copy by record() (ledger.py:2): "
        "'pay' (jax.jit) doesn't return it; return a copy\n"
    )
    assert (done.stderr, done.returncode) == ("", 1)


def test_each_write_of_a_function_elsewhere_counts(flake8: Flake8, tmp_path: Path) -> None:
    """The first twenty go to an object that is returned, the last one to one that is not."""
    writes = "".join(f"    account.a{i} = amount\n" for i in range(20))
    ledger = f"def record(account, amount):\n{writes}    amount.total = 1\n"
    main = MAIN.format(module="ledger").replace("return amount", "return account")
    write(tmp_path, {"ledger.py": ledger, "main.py": main})
    assert codes(flake8("--select=JAX", "main.py").stdout) == [f"main.py:7 {CODE}"]


@pytest.mark.parametrize(
    ("files", "module", "main"),
    [
        ({"ledger.py": LEDGER}, "ledger", "main.py"),
        ({"bank/__init__.py": "", "bank/ledger.py": LEDGER}, "bank.ledger", "main.py"),
        ({"bank/__init__.py": "from .ledger import *\n", "bank/ledger.py": LEDGER}, "bank", "m.py"),
        ({"bank/ledger.py": LEDGER}, "bank.ledger", "main.py"),
        ({"src/bank/__init__.py": LEDGER}, "bank", "scripts/run.py"),
        ({"bank/__init__.py": "", "bank/ledger.py": LEDGER}, ".ledger", "bank/main.py"),
        ({"bank/__init__.py": "", "bank/ledger.py": LEDGER}, "bank.ledger", "bank/main.py"),
        ({"bank/__init__.py": LEDGER, "bank/a/__init__.py": ""}, "..", "bank/a/main.py"),
        ({"bank/ledger.py": LEDGER}, ".ledger", "bank/main.py"),
    ],
)
def test_where_a_module_may_stand(
    flake8: Flake8, tmp_path: Path, files: dict[str, str], module: str, main: str
) -> None:
    write(tmp_path, {**files, main: MAIN.format(module=module)})
    assert codes(flake8("--select=JAX", main).stdout) == [f"{main}:7 {CODE}"]


@pytest.mark.parametrize(
    "text",
    [
        "from ledger import record as note",
        "import ledger\nnote = ledger.record",
        "import ledger as l; note = l.record",
        "from ledger import *\nnote = record",
        "try:\n    from ledger import record as note\n"
        "except ImportError:\n    from slow_ledger import record as note",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from x import record as note\n"
        "else:\n    from ledger import record as note",
        "import functools\nimport ledger\nnote = functools.partial(ledger.record)",
    ],
)
def test_how_a_name_may_be_imported(flake8: Flake8, tmp_path: Path, text: str) -> None:
    use = "\nimport jax\n\n\n@jax.jit\ndef pay(account, x):\n    note(account, x)\n    return x\n"
    write(tmp_path, {"ledger.py": LEDGER, "main.py": text + use})
    line = (text + use).split("\n").index("    note(account, x)") + 1
    assert codes(flake8("--select=JAX", "main.py").stdout) == [f"main.py:{line} {CODE}"]


@pytest.mark.parametrize("use", ["fast(static=(1,))", "quick", "both"])
def test_decorators_of_the_projects_own(flake8: Flake8, tmp_path: Path, use: str) -> None:
    own = """\
import functools

import jax


def fast(static=()):
    def decorate(function):
        return jax.jit(function, static_argnums=static)

    return decorate


def quick(function=None, **options):
    if function is None:
        return functools.partial(quick, **options)
    return jax.jit(function, **options)


def both(function):
    return functools.wraps(function)(jax.jit(jax.vmap(function)))
"""
    main = "from own import *\n\nseen = []\n\n\n@{}\ndef f(x, n=1):\n    seen.append(x)\n"
    write(tmp_path, {"own.py": own, "main.py": main.format(use)})
    assert codes(flake8("--select=JAX", "main.py").stdout) == ["main.py:8 JAX303"]


@pytest.mark.parametrize(
    ("exports", "found"), [("__all__ = ['record']\n", 1), ("__all__ = ['other']\n", 0), ("", 1)]
)
def test_a_star_brings_what_the_module_exports(
    flake8: Flake8, tmp_path: Path, exports: str, found: int
) -> None:
    main = MAIN.format(module="ledger").replace("import record", "import *")
    write(tmp_path, {"ledger.py": exports + LEDGER + "other = 1\n", "main.py": main})
    assert len(codes(flake8("--select=JAX", "main.py").stdout)) == found


def test_standard_input_stands_where_its_name_says(flake8: Flake8, tmp_path: Path) -> None:
    write(tmp_path, {"bank/__init__.py": "", "bank/ledger.py": LEDGER})
    text = MAIN.format(module=".ledger")
    done = flake8("--select=JAX", "--stdin-display-name=bank/main.py", "-", stdin=text)
    assert codes(done.stdout) == [f"bank/main.py:7 {CODE}"]
    assert flake8("--select=JAX", "-", stdin=text).stdout == ""


def test_the_working_directory_does_not_matter(flake8: Flake8, tmp_path: Path) -> None:
    files = {"bank/__init__.py": "", "bank/ledger.py": LEDGER}
    write(tmp_path, {**files, "bank/main.py": MAIN.format(module=".ledger")})
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = str(tmp_path / "bank/main.py")
    for folder in (tmp_path, tmp_path / "bank", elsewhere, Path("/")):
        assert codes(flake8("--select=JAX", path, cwd=folder).stdout) == [f"{path}:7 {CODE}"]


def test_the_order_and_number_of_jobs_do_not_matter(flake8: Flake8) -> None:
    folders = sample([item.path for item in discover(FIXTURES) if item.path.is_dir()], 4)
    files = sorted(str(path) for folder in folders for path in folder.rglob("*.py"))
    options = ("--isolated", "--select=JAX,JAX9")
    expected = flake8(*options, "-j1", *files).stdout
    assert len(expected.splitlines()) > 30
    assert flake8(*options, "-j2", *files).stdout == expected
    backwards = flake8(*options, "-j1", *reversed(files)).stdout
    assert sorted(backwards.splitlines()) == sorted(expected.splitlines())


def test_functions_that_call_each_other_across_modules(flake8: Flake8, tmp_path: Path) -> None:
    module = """\
import jax
import {other}


def {name}(state, depth):
    if depth == 0:
        return depth
    depth = {other}.{other}_step(state, depth - 1)
    state.{name} = depth
    return depth


def {name}_step(state, depth):
    return {other}.{other}(state, depth)


@jax.jit
def use_{name}(state):
    return {other}.{other}(state, 3)
"""
    files = ("ping.py", "pong.py")
    write(tmp_path, {files[0]: module.format(name="ping", other="pong")})
    write(tmp_path, {files[1]: module.format(name="pong", other="ping")})
    runs = [[files], [files[::-1]], [files[:1], files[1:]]]
    results = [[flake8("--select=JAX", "-j1", *names).stdout for names in run] for run in runs]
    printed = {"".join(sorted("".join(result).splitlines(keepends=True))) for result in results}
    assert len(printed) == 1
    assert codes(printed.pop()) == ["ping.py:19 JAX203", "pong.py:19 JAX203"]


@pytest.mark.parametrize(
    "other",
    [
        None,
        "def record(account, amount:\n",
        "from main import record\n",
        "from ledger import record\n",
        "from . import ledger\nrecord = ledger.record\n",
        "record = record\n",
        "from main import *\n",
        "from ledger import *\n",
        "import ledger\nrecord = ledger.record\n",
        "# coding: no-such-thing\n",
        "\0",
        "record = lambda *a: None\n",
        LEDGER + "x = 1\n" * 600_000,
    ],
    ids=[
        "missing",
        "syntax",
        "cycle",
        "itself",
        "package",
        "name",
        "star cycle",
        "star of itself",
        "alias",
        "coding",
        "nul",
        "lambda",
        "huge",
    ],
)
def test_what_cannot_be_followed_is_silent(
    flake8: Flake8, tmp_path: Path, other: str | None
) -> None:
    write(tmp_path, {"main.py": MAIN.format(module="ledger")})
    if other is not None:
        write(tmp_path, {"ledger.py": other})
    done = flake8("--select=JAX", "main.py")
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_a_star_import_that_leads_nowhere_costs_only_itself(flake8: Flake8, tmp_path: Path) -> None:
    main = "import jax\nimport pkg\n\n\n@jax.jit\ndef f(s, v):\n    m = pkg.Model(v)\n"
    write(tmp_path, {"pkg/__init__.py": "from pkg._compiled import *\n"})
    write(tmp_path, {"main.py": main + "    s.x = v\n    return m\n"})
    done = flake8("--select=JAX", "main.py")
    assert (codes(done.stdout), done.stderr) == (["main.py:8 JAX201"], "")


def test_star_imports_in_a_circle(flake8: Flake8, tmp_path: Path) -> None:
    write(tmp_path, {"a.py": MAIN.format(module="b").replace("import record", "import *")})
    write(tmp_path, {"b.py": "from a import *\nfrom ledger import *\n"})
    write(tmp_path, {"ledger.py": "from b import *\n\n\n" + LEDGER})
    for order in (["a.py", "b.py", "ledger.py"], ["ledger.py", "b.py", "a.py"], ["a.py"]):
        assert codes(flake8("--select=JAX", "-j1", *order).stdout) == [f"a.py:7 {CODE}"]


def test_a_file_that_is_not_followed_is_not_followed_after_it_was_linted(
    flake8: Flake8, tmp_path: Path
) -> None:
    write(tmp_path, {"ledger.py": LEDGER + ("#" * 999 + "\n") * 1_000})
    write(tmp_path, {"main.py": MAIN.format(module="ledger")})
    for order in (["main.py", "ledger.py"], ["ledger.py", "main.py"]):
        assert flake8("--select=JAX", "-j1", *order).stdout == ""


def test_folders_links_and_locked_files_are_silent(flake8: Flake8, tmp_path: Path) -> None:
    project = tmp_path / "project"
    outside = tmp_path / "outside"
    write(outside, {"ledger.py": LEDGER})
    write(project, {"main.py": MAIN.format(module="ledger")})
    ledger = project / "ledger.py"
    ledger.symlink_to(outside / "ledger.py")
    assert flake8("--select=JAX", "main.py", cwd=project).stdout == ""
    roots = f"--jax-source-roots={outside}"
    assert codes(flake8("--select=JAX", roots, "main.py", cwd=project).stdout) != []
    ledger.unlink()
    ledger.symlink_to(ledger)
    assert flake8("--select=JAX", "main.py", cwd=project).stdout == ""
    ledger.unlink()
    ledger.mkdir()
    assert flake8("--select=JAX", "main.py", cwd=project).stdout == ""
    write(project, {"a/main.py": MAIN.format(module="....outside.ledger")})
    assert flake8("--select=JAX", "a/main.py", cwd=project).stdout == ""
    ledger.rmdir()
    write(project, {"ledger.py": LEDGER})
    ledger.chmod(0)
    expected = [] if not os.access(ledger, os.R_OK) else [f"main.py:7 {CODE}"]
    assert codes(flake8("--select=JAX", "main.py", cwd=project).stdout) == expected


def test_a_module_called_like_a_library_is_not_that_library(flake8: Flake8, tmp_path: Path) -> None:
    write(tmp_path, {"ledger.py": LEDGER, "main.py": MAIN.format(module="ledger")})
    assert codes(flake8("--select=JAX", "main.py").stdout) == [f"main.py:7 {CODE}"]
    write(tmp_path, {"jax.py": "def jit(function):\n    return function\n"})
    assert flake8("--select=JAX", "main.py").stdout == ""


def test_nothing_is_imported_run_or_written(flake8: Flake8, tmp_path: Path) -> None:
    trap = "import pathlib\npathlib.Path('trap').touch()\n"
    write(tmp_path, {"ledger.py": trap + LEDGER, "main.py": MAIN.format(module="ledger")})
    assert codes(flake8("--select=JAX", "main.py").stdout) == [f"main.py:7 {CODE}"]
    assert {path.name for path in tmp_path.iterdir()} == {"ledger.py", "main.py"}


LONG_LIVED = """\
import sys
from pathlib import Path

from flake8.api.legacy import get_style_guide

ledger = Path("ledger.py")
for text in sys.argv[1:]:
    if text:
        ledger.write_text(text)
    else:
        ledger.unlink()
    print("run", get_style_guide(select=["JAX"]).check_files(["main.py"]).total_errors)
"""


def test_a_long_lived_process_sees_edits(tmp_path: Path) -> None:
    pure = "def record(account, amount):\n    return account.total + amount\n"
    write(tmp_path, {"main.py": MAIN.format(module="ledger")})
    texts = [LEDGER, LEDGER, pure, LEDGER.replace("total", "t"), "", LEDGER]
    done = subprocess.run(
        [sys.executable, "-c", LONG_LIVED, *texts],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert re.findall(r"run (\d)", done.stdout) == ["1", "1", "0", "1", "0", "1"]


USES = """\
from functools import cached_property

import outside
from outside.base import Node, lazy
from outside import fast as quick


class A(Node):
    x: float

    @cached_property
    def y(self):
        return expensive(self.x)


@outside.mark
class B:
    @lazy
    def y(self):
        return expensive(self.x)


seen = []


@quick
def step(x):
    seen.append(x)
    return x
"""
OPTIONS = {
    "jax-pytree-bases": "outside.base.Node",
    "jax-pytree-decorators": "outside.mark, outside.other",
    "jax-transforms": "outside.fast",
    "jax-cached-properties": "outside.base.lazy",
}
FOUND = ["uses.py:11 JAX101", "uses.py:18 JAX101", "uses.py:28 JAX303"]


def test_options_on_the_command_line(flake8: Flake8, tmp_path: Path) -> None:
    write(tmp_path, {"uses.py": USES})
    assert flake8("--select=JAX", "uses.py").stdout == ""
    given = [f"--{name}={value}" for name, value in OPTIONS.items()]
    assert codes(flake8("--select=JAX", *given, "uses.py").stdout) == FOUND


@pytest.mark.parametrize("name", [".flake8", "setup.cfg", "tox.ini"])
def test_options_in_a_configuration(flake8: Flake8, tmp_path: Path, name: str) -> None:
    lines = [f"{key} =\n    " + value.replace(", ", "\n    ") for key, value in OPTIONS.items()]
    write(tmp_path, {"uses.py": USES, name: "[flake8]\nselect = JAX\n" + "\n".join(lines) + "\n"})
    assert codes(flake8("uses.py").stdout) == FOUND


def test_options_in_pyproject(flake8: Flake8, tmp_path: Path) -> None:
    lines = [f"{key} = {value.split(', ')}" for key, value in OPTIONS.items()]
    text = "[tool.flake8]\nselect = ['JAX']\n" + "\n".join(lines) + "\n"
    write(tmp_path, {"uses.py": USES, "pyproject.toml": text})
    assert codes(flake8("uses.py").stdout) == FOUND


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--jax-pytree-bases", "Node"),
        ("--jax-pytree-decorators", "a..b"),
        ("--jax-transforms", "a.b()"),
        ("--jax-cached-properties", "1.x"),
        ("--jax-source-roots", "nowhere"),
    ],
)
def test_a_malformed_value_is_an_error(
    flake8: Flake8, tmp_path: Path, option: str, value: str
) -> None:
    write(tmp_path, {"a.py": "x = 1\n"})
    done = flake8(f"{option}={value}", "a.py")
    assert done.returncode == 1
    assert f"{option}: " in done.stdout + done.stderr
    assert value in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_an_option_that_names_something_of_the_project(flake8: Flake8, tmp_path: Path) -> None:
    compat = "def fast(function):\n    return BACKENDS['jit'](function)\n"
    main = "from {}compat import fast\nseen = []\n\n\n@fast\ndef f(x):\n    seen.append(x)\n"
    write(tmp_path, {"lab/__init__.py": "from .compat import fast\n", "lab/compat.py": compat})
    write(tmp_path, {"lab/a.py": main.format("."), "b.py": main.format("lab.")})
    write(tmp_path, {"c.py": main.format("lab.").replace("lab.compat", "lab")})
    assert flake8("--select=JAX", ".").stdout == ""
    found = codes(flake8("--select=JAX", "--jax-transforms=lab.compat.fast", ".").stdout)
    assert found == ["./b.py:7 JAX303", "./c.py:7 JAX303", "./lab/a.py:7 JAX303"]


LAZY = """\
import jax
import jax.numpy as jnp


class Rows:
    def __init__(self, array):
        self.array = array
        self._chunks = None

    @property
    def chunks(self):
        if self._chunks is None:
            self._chunks = jnp.split(self.array, 2)
        return self._chunks


jax.tree_util.register_pytree_node(Rows, lambda r: ((r.array,), None), lambda _, a: Rows(*a))
"""
USES_LAZY = """\
import jax
from rows import Rows


def first(rows: Rows):
    return rows.chunks[0] + rows.chunks[1]


total = jax.jit(first)
"""


def test_a_hand_made_cache_is_reported_at_its_class_alone(flake8: Flake8, tmp_path: Path) -> None:
    write(tmp_path, {"rows.py": LAZY, "main.py": USES_LAZY})
    assert codes(flake8("--select=JAX", ".").stdout) == ["./rows.py:13 JAX104"]
