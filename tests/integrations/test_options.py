"""The options: what they take, and what is said of what they do not take."""

from pathlib import Path

import pytest

from conftest import Flake8, call

USES = "from lab import fast\n\nseen = []\n\n\n@fast\ndef f(x):\n    seen.append(x)\n"
FOUND = "uses.py:8:5: JAX303 "
SAID = "There was a critical error during execution of Flake8:\n"
WHERE = {
    "setup.cfg": [],
    "tox.ini": [],
    ".flake8": [],
    "given.ini": ["--config=given.ini"],
    "more.ini": ["--append-config=more.ini"],
}
"""Where a configuration may stand, and what leads flake8 to it."""


def configured(flake8: Flake8, folder: Path, text: str, name: str = ".flake8") -> tuple[str, int]:
    """What flake8 prints with a configuration, and its status."""
    (folder / "uses.py").write_text(USES)
    (folder / name).write_text(f"[flake8]\nselect = JAX\n{text}\n")
    done = flake8(*WHERE[name], "uses.py")
    assert done.stderr == ""
    return done.stdout, done.returncode


@pytest.mark.parametrize(
    ("name", "line", "right"),
    [
        *((name, "jax-transform = lab.fast", "jax-transforms") for name in WHERE),
        (".flake8", "jax_pytree_base = lab.fast", "jax-pytree-bases"),
        (".flake8", "jax-source-root = lib", "jax-source-roots"),
        (".flake8", "JAX_Transfroms = lab.fast", "jax-transforms"),
        (".flake8", "--jax-transforms = lab.fast", "jax-transforms"),
        (".flake8", "jaxtransforms = lab.fast", "jax-transforms"),
        (".flake8", "transforms = lab.fast", "jax-transforms"),
        (".flake8", "jax-cached-property = lab.fast", "jax-cached-properties"),
        (".flake8", "jax-decorators = lab.fast", "jax-pytree-decorators"),
    ],
)
def test_a_misspelt_option_in_a_configuration(
    flake8: Flake8, tmp_path: Path, name: str, line: str, right: str
) -> None:
    said, status = configured(flake8, tmp_path, line, name)
    key = line.partition(" =")[0].lower()
    hint = f"; did you mean {right}?"
    assert said == f"{SAID}{key!r} in the configuration is not an option of flake8-jax{hint}\n"
    assert status == 1


def test_a_misspelt_option_in_pyproject(flake8: Flake8, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.flake8]\njax-transform = ['lab.fast']\n")
    done = flake8("-", stdin="")
    assert "'jax-transform' in the configuration is not an option" in done.stdout
    assert (done.returncode, done.stderr) == (1, "")


def test_an_option_like_no_other(flake8: Flake8, tmp_path: Path) -> None:
    said, status = configured(flake8, tmp_path, "jax-x = 1")
    problem = "'jax-x' in the configuration is not an option of flake8-jax"
    assert (said, status) == (f"{SAID}{problem}\n", 1)


def test_a_configuration_that_is_not_read_is_no_error(flake8: Flake8, tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_text("[flake8]\njax-transform = lab.fast\n")
    done = flake8("--isolated", "-", stdin="")
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


@pytest.mark.parametrize(
    "line",
    [
        "jaxtyping-names = a",
        "pytest-fixtures = a",
        "transformers = a",
        "x = 1",
        "source-path = lib",
        "max-line-length = 100",
    ],
)
def test_options_of_others_are_theirs(flake8: Flake8, tmp_path: Path, line: str) -> None:
    assert configured(flake8, tmp_path, line) == ("", 0)


@pytest.mark.parametrize("key", ["jax-transforms", "jax_transforms", "JAX-Transforms"])
def test_options_may_be_spelt_in_several_ways(flake8: Flake8, tmp_path: Path, key: str) -> None:
    said, status = configured(flake8, tmp_path, f"{key} = lab.fast", "setup.cfg")
    assert (said.startswith(FOUND), status) == (True, 1)


@pytest.mark.parametrize("mark", ["#", ";"])
@pytest.mark.parametrize("words", [" ours", "lab.fast"])
def test_a_comment_behind_a_value(flake8: Flake8, tmp_path: Path, mark: str, words: str) -> None:
    for option, value in {"jax-transforms": "lab.fast", "jax-source-roots": "."}.items():
        text = f"{option} = {value}  {mark}{words}"
        said, status = configured(flake8, tmp_path, text)
        assert said.startswith(f"{SAID}--{option}: ")
        assert said.endswith(": a comment needs a line of its own in a configuration\n")
        assert (said.count("\n"), status) == (2, 1)
        text = f"{option} =\n    {value},  {mark}{words}\n    {value}"
        assert configured(flake8, tmp_path, text) == (said, 1)


@pytest.mark.parametrize(
    "text",
    [
        "jax-transforms =\n    # ours\n    lab.fast\n    ; or\n    lab.slow",
        "# ours\njax-transforms = lab.fast",
        "jax-transforms = \uff4c\uff41\uff42.\uff46ast",  # the same name, to Python
    ],
    ids=["inside", "above", "letters"],
)
def test_values_that_are_meant(flake8: Flake8, tmp_path: Path, text: str) -> None:
    said, status = configured(flake8, tmp_path, text)
    assert (said.startswith(FOUND), status) == (True, 1)


@pytest.mark.parametrize(
    "value",
    ["class.x", "lab.def", "None.x", "lab.True", "a", "a.", ".a", "a b", "a.b=c", "a-b.c", "a.0"],
)
def test_what_is_no_dotted_name(flake8: Flake8, value: str) -> None:
    name = value.split()[0]
    expected = f"--jax-transforms: {name!r} is not a dotted name such as package.module.name\n"
    done = flake8(f"--jax-transforms={value}", "-", stdin="")
    assert (done.stdout, done.stderr, done.returncode) == (SAID + expected, "", 1)


LAB = "import jax\n\n\ndef fast(f):\n    return jax.jit(f)\n"


@pytest.mark.parametrize("value", ["~", "~/libs/../libs", "~/libs/"])
@pytest.mark.parametrize("given", ["option", "configuration", "other folder"])
def test_the_home_folder(tmp_path: Path, value: str, given: str) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    for folder in (home / "libs", work / "deeper"):
        folder.mkdir(parents=True)
    (home / "lab.py").write_text(LAB)
    (home / "libs/lab.py").write_text(LAB)
    (work / "uses.py").write_text(USES)
    (work / "deeper/config").write_text(f"[flake8]\njax-source-roots = {value}\n")
    (work / "setup.cfg").write_text(f"[flake8]\njax-source-roots = {value}\n")
    arguments = {
        "option": ["--isolated", f"--jax-source-roots={value}"],
        "configuration": [],
        "other folder": ["--config=deeper/config"],
    }
    done = call("flake8", "--select=JAX", *arguments[given], "uses.py", cwd=work, HOME=str(home))
    assert done.stdout.startswith(FOUND), done.stdout


def test_a_home_that_there_is_not(tmp_path: Path) -> None:
    for value in ("~/none", "~nobody-of-this-name/x"):
        done = call("flake8", f"--jax-source-roots={value}", cwd=tmp_path, HOME=str(tmp_path))
        assert done.returncode == 1
        assert done.stdout.startswith(f"{SAID}--jax-source-roots: ")
        assert done.stdout.endswith("' is not a folder\n")


def test_the_command_reads_the_same_configuration(tmp_path: Path) -> None:
    (tmp_path / "tox.ini").write_text("[flake8]\njax-transform = lab.fast\n")
    done = call("flake8-jax", "fix", ".", cwd=tmp_path)
    expected = "'jax-transform' in the configuration is not an option of flake8-jax"
    assert done.stdout == f"flake8-jax: error: {expected}; did you mean jax-transforms?\n"
    assert done.returncode == 2
