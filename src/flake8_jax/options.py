"""The options: what a project says of itself that its source does not show."""

import argparse
import keyword
import os
import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from flake8.exceptions import ExecutionError

from flake8_jax.knowledge.listed import (
    LISTED_BASE,
    LISTED_CACHED_PROPERTY,
    LISTED_DECORATOR,
    LISTED_TRANSFORM,
)
from flake8_jax.workspace.files import Settings

if TYPE_CHECKING:
    from flake8.options.manager import OptionManager

_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_HOME = re.compile(r"(?:^|[/\\])(~.*)")
_ROOTS = "--jax-source-roots"
_NAMES = {
    LISTED_BASE: "base classes that make their subclasses pytrees",
    LISTED_DECORATOR: "decorators that make classes pytrees",
    LISTED_TRANSFORM: "functions that trace their first argument as jax.jit does",
    LISTED_CACHED_PROPERTY: "descriptors that keep a value on the instance",
}
"""The options that list dotted names, under which the tables know such things too."""
_KEYS = [option.removeprefix("--") for option in (*_NAMES, _ROOTS)]
"""The options as a configuration spells them."""
_PREFIX = "jax-"
_ALIKE = 0.85
_COMMENTS = ("#", ";")


class _Keys(dict[str, Any]):
    """The options that flake8 looks up for each key of a configuration.

    What it does not find it ignores; of this plugin's options nothing would be left then, and
    nobody would know.
    """

    def get(self, key: str, default: Any = None) -> Any:
        if key not in self and (near := _meant(key)) is not None:
            hint = f"; did you mean {near}?" if near else ""
            raise ExecutionError(
                f"{key!r} in the configuration is not an option of flake8-jax{hint}"
            )
        return super().get(key, default)


def _meant(key: str) -> str | None:
    """Which option a key that is none was meant to be; empty if that cannot be told."""
    spelled = key.lower().replace("_", "-").lstrip("-")
    near = get_close_matches(spelled, _KEYS, n=1, cutoff=_ALIKE)
    if not near and spelled.startswith(_PREFIX):
        near = [*get_close_matches(spelled, _KEYS, n=1), ""]
    if not near:
        near = [option for option in _KEYS if option == _PREFIX + spelled]
    return near[0] if near else None


def add_options(manager: "OptionManager") -> None:
    """Tell flake8 which options there are, on the command line and in its configuration."""
    for option, meaning in _NAMES.items():
        manager.add_option(
            option,
            default="",
            metavar="names",
            parse_from_config=True,
            comma_separated_list=True,
            help=f"Dotted names, separated by commas: {meaning}.",
        )
    manager.add_option(
        _ROOTS,
        default="",
        metavar="folders",
        parse_from_config=True,
        comma_separated_list=True,
        normalize_paths=True,
        help="Folders, separated by commas, to look for imported modules in, besides the folder of "
        "the linted package, src and the working directory.",
    )
    manager.config_options_dict = _Keys(manager.config_options_dict)


def settings(options: argparse.Namespace) -> Settings:
    """What the options say; a value that cannot be meant is an error."""
    names: dict[str, str] = {}
    for option in _NAMES:
        for value in _values(options, option):
            name = unicodedata.normalize("NFKC", value)  # as Python reads names
            if _NAME.fullmatch(name) is None or any(map(keyword.iskeyword, name.split("."))):
                raise _error(option, value, "is not a dotted name such as package.module.name")
            names[name] = option
    return Settings(tuple(_roots(options)), tuple(sorted(names.items())))


def _roots(options: argparse.Namespace) -> Iterable[str]:
    for value in _values(options, _ROOTS):
        root = value if os.path.isdir(value) else _expanded(value)
        if not os.path.isdir(root):
            raise _error(_ROOTS, value, "is not a folder")
        yield root


def _expanded(path: str) -> str:
    """A path with the home folder that it begins with.

    flake8 has taken it for one below the folder of the configuration.
    """
    match = _HOME.search(path)
    return os.path.expanduser(match[1]) if match is not None else path


def _error(option: str, value: str, problem: str) -> ExecutionError:
    if os.path.basename(value).startswith(_COMMENTS):
        problem += ": a comment needs a line of its own in a configuration"
    return ExecutionError(f"{option}: {value!r} {problem}")


def _values(options: argparse.Namespace, option: str) -> Iterable[str]:
    given = getattr(options, option.lstrip("-").replace("-", "_"), None) or ()
    return [value for value in given if value]
