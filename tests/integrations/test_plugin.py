"""The plugin as flake8 runs it: places, configuration, processes, faults."""

import subprocess
import sys
from pathlib import Path

import pytest

from cached_wave import MESSAGE, NODE, STATIC, STATIC_MESSAGE
from conftest import Flake8


def test_flake8_lists_the_plugin(flake8: Flake8) -> None:
    assert "flake8-jax: " in flake8("--version").stdout


def test_a_file_with_a_finding(flake8: Flake8, tmp_path: Path) -> None:
    (tmp_path / "wave.py").write_text(NODE)
    done = flake8("--select=JAX", "wave.py")
    assert (done.stdout, done.stderr) == (f"wave.py:10:5: {MESSAGE}\n", "")
    assert done.returncode == 1


def test_the_rule_is_on_by_default(flake8: Flake8, tmp_path: Path) -> None:
    (tmp_path / "wave.py").write_text(NODE)
    assert flake8("wave.py").stdout == f"wave.py:10:5: {MESSAGE}\n"


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("plain", NODE.encode(), "10:5"),
        ("bom", b"\xef\xbb\xbf" + NODE.encode(), "10:5"),
        ("crlf", NODE.replace("\n", "\r\n").encode(), "10:5"),
        ("lone carriage returns", NODE.replace("\n", "\r").encode(), "10:5"),
        ("form feed line", NODE.replace("\n\n\nclass", "\n\x0c\n\nclass").encode(), "10:5"),
        ("form feed before class", NODE.replace("class", "\x0cclass").encode(), "10:5"),
        ("form feed in a string", b's = "a\x0cb"\n' + NODE.encode(), "11:5"),
        ("tabs", NODE.replace("    ", "\t").encode(), "10:2"),
        ("no final newline", NODE.rstrip("\n").encode(), "10:5"),
        ("emoji above", '"""Wäve 漢字 😀"""\n'.encode() + NODE.encode(), "11:5"),
        ("emoji in a name", NODE.replace("signal", "sïgnal漢").encode(), "10:5"),
        ("latin-1", b"# coding: latin-1\nx = '\xe9'\n" + NODE.encode(), "12:5"),
        ("line separators", 'x = "\u2028\x85"\n'.encode() + NODE.encode(), "11:5"),
        ("backslashes", NODE.replace("class Wave", "class \\\n  Wave").encode(), "11:5"),
        ("semicolons", b"x = 1; y = 2\n" + NODE.encode(), "11:5"),
        ("nothing but a comment behind", NODE.encode() + b"# end", "10:5"),
    ],
)
def test_the_place_is_exact(
    flake8: Flake8, tmp_path: Path, name: str, content: bytes, place: str
) -> None:
    (tmp_path / "wave.py").write_bytes(content)
    by_path = flake8("--select=JAX", "wave.py")
    assert by_path.stdout == f"wave.py:{place}: {MESSAGE}\n", name
    command = [sys.executable, "-m", "flake8", "--select=JAX", "--stdin-display-name=wave.py", "-"]
    by_stdin = subprocess.run(command, input=content, capture_output=True, cwd=tmp_path)
    assert by_stdin.stdout.decode() == by_path.stdout


def test_columns_count_characters(flake8: Flake8) -> None:
    text = (
        "import flax.struct\n"
        "class W(flax.struct.PyTreeNode, frozen=False):\n"
        "    _c: object = None\n"
        "    def c(self):\n"
        "        if self._c is None:\n"
        '            "é漢字😀"; self._c = expensive(self)\n'
        "        return self._c\n"
    )
    done = flake8("--select=JAX", "-", stdin=text)
    assert done.stdout.startswith("stdin:6:21: JAX104 'W._c' is lost under jit")


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "\x0c", "pass", "x = 1\n"])
def test_files_with_nothing_for_us(flake8: Flake8, text: str) -> None:
    done = flake8("--select=JAX", "-", stdin=text)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_jobs_and_start_methods_print_the_same(flake8: Flake8, tmp_path: Path) -> None:
    for index in range(8):
        (tmp_path / f"wave{index}.py").write_text("\n" * index + NODE)
    expected = "".join(f"./wave{i}.py:{10 + i}:5: {MESSAGE}\n" for i in range(8))
    assert flake8("--select=JAX", "-j1", ".").stdout == expected
    assert flake8("--select=JAX", "-j2", ".").stdout == expected
    for method in ("spawn", "forkserver"):
        script = tmp_path.parent / f"{method}.py"
        script.write_text(
            "import multiprocessing\n"
            "from flake8.main.cli import main\n"
            "if __name__ == '__main__':\n"
            f"    multiprocessing.set_start_method({method!r})\n"
            "    raise SystemExit(main())\n"
        )
        command = [sys.executable, str(script), "--select=JAX", "-j2", "."]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        assert (done.stdout, done.stderr) == (expected, ""), method


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), ""),
        (("--select=JAX",), ""),
        (("--ignore=E501",), ""),
        (("--extend-select=JAX",), ""),
        (("--select=JAX9",), f"stdin:10:5: {STATIC_MESSAGE}\n"),
        (("--select=JAX903",), f"stdin:10:5: {STATIC_MESSAGE}\n"),
        (("--select=JAX90",), f"stdin:10:5: {STATIC_MESSAGE}\n"),
        (("--extend-select=JAX903",), f"stdin:10:5: {STATIC_MESSAGE}\n"),
        (("--select=JAX,JAX9",), f"stdin:10:5: {STATIC_MESSAGE}\n"),
        (("--extend-select=JAX904",), ""),
        (("--extend-select=JAX903", "--extend-ignore=JAX903"), ""),
    ],
)
def test_opt_in_rules(flake8: Flake8, arguments: tuple[str, ...], expected: str) -> None:
    assert flake8(*arguments, "-", stdin=STATIC).stdout == expected


def test_configuration_selects_opt_in_rules(flake8: Flake8, tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_text("[flake8]\nextend-select =\n    JAX903,\n")
    assert flake8("-", stdin=STATIC).stdout == f"stdin:10:5: {STATIC_MESSAGE}\n"


def test_noqa_and_ignores(flake8: Flake8, tmp_path: Path) -> None:
    silenced = NODE.replace("cached_property\n", "cached_property  # noqa: JAX101\n")
    assert flake8("-", stdin=silenced).stdout == ""
    other = NODE.replace("cached_property\n", "cached_property  # noqa: JAX102\n")
    assert flake8("-", stdin=other).stdout == f"stdin:10:5: {MESSAGE}\n"
    assert flake8("--extend-ignore=JAX1", "-", stdin=NODE).stdout == ""
    (tmp_path / "wave.py").write_text(NODE)
    assert flake8("--per-file-ignores=wave.py:JAX101", "wave.py").stdout == ""


def test_messages_survive_editors_that_parse_places(flake8: Flake8) -> None:
    assert flake8("--select=JAX", "-", stdin=NODE).stdout.count(":") == 4


PROBE = """\
import sys
from flake8.main.application import Application
try:
    Application().run([*sys.argv[1:]])
except SystemExit:
    pass
print(sorted(name for name in ("jax", "flax", "libcst", "flake8_jax.check") if name in sys.modules))
"""


def test_nothing_is_imported_that_a_file_does_not_need(tmp_path: Path) -> None:
    def imported(text: str) -> str:
        (tmp_path / "subject.py").write_text(text)
        command = [sys.executable, "-c", PROBE, "--select=JAX", "-j1", "subject.py"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
        return done.stdout.splitlines()[-1]

    assert imported("import os\n\nprint(os.sep)\n") == "[]"
    assert imported("import jax\n\nf = jax.jit(lambda x: x)\n") == "[]"
    assert imported(NODE) == "['flake8_jax.check', 'libcst']"
