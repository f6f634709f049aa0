"""``flake8-jax fix --add-noqa``: comments for what is not fixed, merged with what stands there."""

from pathlib import Path

import pytest

from fixing.kernel import FIXED, KERNEL, write
from flake8_jax.applying.silence import silenced
from flake8_jax.cli.main import main

LEAK = """\
import jax

runs = []


@jax.jit
def run(x):
    {}
    return x
"""
AT = 8
"""The line of what is reported in it."""
CODES = ["JAX303"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("runs.append(x)", "runs.append(x)  # noqa: JAX303"),
        ("runs.append(x)   ", "runs.append(x)  # noqa: JAX303"),
        ("runs.append(x)  # of it", "runs.append(x)  # of it  # noqa: JAX303"),
        ("runs.append(x)  # noqa: E501", "runs.append(x)  # noqa: E501, JAX303"),
        ("runs.append(x)  # noqa:E501,W2", "runs.append(x)  # noqa:E501,W2, JAX303"),
        ("runs.append(x)  # NoQA: E501 W291", "runs.append(x)  # NoQA: E501 W291, JAX303"),
        ("runs.append(x)  # noqa: E501  long", "runs.append(x)  # noqa: E501, JAX303  long"),
        ("runs.append(x)  # type: ignore", "runs.append(x)  # type: ignore  # noqa: JAX303"),
        ("runs.append(x)  # noqa: E501 # no", "runs.append(x)  # noqa: E501, JAX303 # no"),
        (
            "runs.append(  # first\n        x\n    )",
            "runs.append(  # first  # noqa: JAX303\n        x\n    )",
        ),
        ('runs.append(("""a\nb""", x))', 'runs.append(("""a\nb""", x))  # noqa: JAX303'),
        ("runs \\\n        .append(x)", "runs \\\n        .append(x)  # noqa: JAX303"),
        ('runs.append("é漢" and x)', 'runs.append("é漢" and x)  # noqa: JAX303'),
        ("runs.append(x); x = x", "runs.append(x); x = x  # noqa: JAX303"),
        (
            "runs.append(x)\n    runs.append(x)",
            "runs.append(x)  # noqa: JAX303\n    runs.append(x)  # noqa: JAX303",
        ),
    ],
)
def test_a_comment_is_merged(
    before: str, after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / "leak.py", LEAK.format(before))
    assert main(["fix", "--isolated", "--select=JAX", "--add-noqa"]) == 0
    assert path.read_text() == LEAK.format(after)
    assert main(["fix", "--isolated", "--select=JAX", "--add-noqa"]) == 0
    assert path.read_text() == LEAK.format(after)


@pytest.mark.parametrize(
    "line",
    [
        "runs.append(x)  # noqa",
        "runs.append(x)  # noqa: JAX303",
        "runs.append(x)  # NOQA:jax303",
        'runs.append("# noqa: E501" and x)',  # which flake8 takes for a comment
    ],
)
def test_what_need_not_or_cannot_be_added(line: str) -> None:
    lines = LEAK.format(line).splitlines(keepends=True)
    assert silenced(lines, {AT: CODES}) == lines


def test_several_codes_of_a_line() -> None:
    lines = ["x = (  # noqa: W2\n", "    1)\n", "y = 2"]
    found = {1: {"JAX303", "JAX101"}, 3: ["JAX401"]}
    assert silenced(lines, found) == [
        "x = (  # noqa: W2, JAX101, JAX303\n",
        "    1)\n",
        "y = 2  # noqa: JAX401",
    ]


def test_only_what_is_not_fixed_is_silenced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    kernel = write(tmp_path / "kernel.py", KERNEL.replace("\n", "\r\n"))
    leak = write(tmp_path / "leak.py", LEAK.format("runs.append(x)"))
    command = ["fix", "--isolated", "--select=JAX", "--add-noqa"]
    assert main([*command, "--check"]) == 1
    assert capsys.readouterr().out == (
        "Would fix: ./kernel.py (1 JAX101)\n  ./kernel.py:10:5: JAX101 safe\n"
        "Would silence: ./leak.py (1 JAX303)\n"
    )
    assert main(command) == 0
    told = "Fixed 1 finding in 1 file. Silenced 1 finding in 1 file.\n"
    assert capsys.readouterr().err == told
    assert kernel.read_bytes() == FIXED.replace("\n", "\r\n").encode()
    assert leak.read_text() == LEAK.format("runs.append(x)  # noqa: JAX303")
    assert main(command) == 0
    assert capsys.readouterr().err == "Nothing to fix.\n"


def test_a_comment_that_does_not_count_is_written_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    leak = write(tmp_path / "leak.py", LEAK.format("runs.append(x)"))
    command = ["fix", "--isolated", "--select=JAX", "--add-noqa", "--disable-noqa"]
    assert main(command) == 1
    assert main(command) == 1
    assert leak.read_text() == LEAK.format("runs.append(x)  # noqa: JAX303")
