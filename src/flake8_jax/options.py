"""The options: what a project says of itself that its source does not show."""

import argparse
import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from flake8.exceptions import ExecutionError

from flake8_jax.knowledge.listed import (
    LISTED_BASE,
    LISTED_CACHED_PROPERTY,
    LISTED_DECORATOR,
    LISTED_TRANSFORM,
)
from flake8_jax.project import Settings

if TYPE_CHECKING:
    from flake8.options.manager import OptionManager

_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_ROOTS = "--jax-source-roots"
_NAMES = {
    LISTED_BASE: "base classes of the project that make their subclasses pytrees",
    LISTED_DECORATOR: "decorators of the project that make classes pytrees",
    LISTED_TRANSFORM: "functions of the project that trace their first argument as jax.jit does",
    LISTED_CACHED_PROPERTY: "descriptors of the project that keep a value on the instance",
}
"""The options that list dotted names, under which the tables know such things too."""


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
        help="Folders, separated by commas, in which imported modules are looked for, besides the "
        "folder of the linted package, src and the working directory.",
    )


def settings(options: argparse.Namespace) -> Settings:
    """What the options say; a value that cannot be meant is an error."""
    names: dict[str, str] = {}
    for option in _NAMES:
        for name in _values(options, option):
            if _NAME.fullmatch(name) is None:
                raise ExecutionError(
                    f"{option}: {name!r} is not a dotted name such as package.module.name"
                )
            names[name] = option
    roots = tuple(_values(options, _ROOTS))
    for root in roots:
        if not os.path.isdir(root):
            raise ExecutionError(f"{_ROOTS}: {root!r} is not a folder")
    return Settings(roots, tuple(sorted(names.items())))


def _values(options: argparse.Namespace, option: str) -> Iterable[str]:
    given = getattr(options, option.lstrip("-").replace("-", "_"), None) or ()
    return [value for value in given if value]
