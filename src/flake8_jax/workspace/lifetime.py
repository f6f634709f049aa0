"""Takes apart what refers to itself when the file or project that it is about forgets it.

Scopes, classes and functions of a module hold each other. The garbage collector would have to find
all of them, which takes longer than to free them.
"""

from collections.abc import Callable, Set
from typing import Protocol, TypeVar, runtime_checkable


class Part(Protocol):
    """Something that can be taken apart."""

    def release(self) -> None:
        """Let go of all that it refers to; nobody uses it any more."""


@runtime_checkable
class Divisible(Protocol):
    """Something about several files that can forget some of them."""

    def drop(self, paths: Set[str]) -> None:
        """Let go of all that was found out from some files."""


P = TypeVar("P", bound=Part)
T = TypeVar("T")


class Analysed(Protocol):
    """A file or a project, with what was found out about it."""

    @property
    def analysis(self) -> dict[object, object]: ...
    def analysed(self, key: object, compute: Callable[[], T]) -> T: ...


class _Owner:
    """Stands beside a part in what is known of a file or project, and nowhere else."""

    def __init__(self, part: Part) -> None:
        self._part = part

    def __del__(self) -> None:
        self._part.release()


def owned(holder: Analysed, key: object, make: Callable[[], P]) -> P:
    """What is made of a file or project once, and taken apart when that is forgotten."""

    def made() -> P:
        part = make()
        holder.analysis[_Owner, key] = _Owner(part)
        return part

    return holder.analysed(key, made)
