"""Takes apart what refers to itself when the file that it was found out about forgets it.

Scopes, classes and functions of a module hold each other. The garbage collector would have to find
all of them, which takes longer than to free them.
"""

from collections.abc import Callable
from typing import Protocol, TypeVar

from flake8_jax.project import File


class Part(Protocol):
    """Something that can be taken apart."""

    def release(self) -> None:
        """Let go of all that it refers to; nobody uses it any more."""


P = TypeVar("P", bound=Part)


class _Owner:
    """Stands beside a part in what is known of a file, and nowhere else."""

    def __init__(self, part: Part) -> None:
        self._part = part

    def __del__(self) -> None:
        self._part.release()


def owned(file: File, key: object, make: Callable[[], P]) -> P:
    """What is made of a file once, and taken apart when that is forgotten."""

    def made() -> P:
        part = make()
        file.analysis[_Owner, key] = _Owner(part)
        return part

    return file.analysed(key, made)
