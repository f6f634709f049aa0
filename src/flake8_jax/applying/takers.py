"""What the files of a run take from each other, and do with each other's caches.

By words alone: so that an import stays, or a cache, that is of use elsewhere.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from flake8_jax.workspace.files import files_below, home_of

_FROM = re.compile(r"\bfrom\s+([.\w]+)\s+import\s*(\([^)]*\)|(?:[^\n\\]|\\\s*\n)*)")
_MEMBER = re.compile(r"\b(\w+)(?=\.(\w+))")
_WORD = re.compile(r"\w+|\*")
_DEALING = r"""
    \.\s*{0}\s*(?:[-+*/%&|^@]|\*\*|//|<<|>>)?=(?!=)
    | \bdel\b[^\n]*\.\s*{0}\b
    | \.\s*{0}\s*\.\s*(?:__wrapped__|attrname|cache_\w+|func)\b
    | (?:setattr|delattr|__setattr__|__delattr__|__dict__|patch|vars)\b[^\n]*["']{0}["']
    | ["']{0}["'][^\n]*(?:__dict__|vars\()
"""
"""What is done to a cache of some name, other than to read its value."""


@dataclass(frozen=True)
class Takers:
    """The files of a run, and of its projects; they are read when somebody asks."""

    paths: Sequence[str]

    def but(self, path: str) -> "Others":
        """Those that are not a file itself."""
        return Others(self, path)

    @cached_property
    def texts(self) -> dict[str, str]:
        """What is in the files, and in those below the homes of their packages."""
        homes = dict.fromkeys(home_of(path) or os.curdir for path in self.paths)
        around = [path for home in homes for path, _ in files_below(home)]
        found = dict.fromkeys(map(os.path.normpath, (*self.paths, *around)))
        return {path: _read(path) for path in found}

    @cached_property
    def taken(self) -> frozenset[tuple[str, str]]:
        """The last part of a module's name and what is taken from it, by the words alone."""
        modules = frozenset(Path(path).stem for path in self.texts)
        found = (pair for text in self.texts.values() for pair in _pairs(text))
        return frozenset(pair for pair in found if pair[0] in modules)


@dataclass(frozen=True)
class Others:
    """The files of a run, as one of them is concerned."""

    takers: Takers
    path: str

    def spared(self, names: frozenset[str]) -> frozenset[str]:
        """Those of some names that no file takes from the module, so that it may lose them."""
        module = Path(self.path).stem
        if module == "__init__" or (module, "*") in self.takers.taken:
            return frozenset()  # a package has its imports for others
        return frozenset(name for name in names if (module, name) not in self.takers.taken)

    def deals_with(self, cache: str) -> str | None:
        """A file that knows the module, or that it knows, and that does more than to read it."""
        own = os.path.normpath(self.path)
        dealing = re.compile(_DEALING.format(re.escape(cache)), re.VERBOSE)
        found = (
            path
            for path, text in self.takers.texts.items()
            if path != own
            and cache in text
            and dealing.search(text)
            and (_imports(text, own) or _imports(self.takers.texts.get(own, ""), path))
        )
        return next(found, None)


def _imports(text: str, path: str) -> bool:
    """Whether some text imports the module of a file, by its words."""
    known = Path(path)
    module = known.parent.name if known.stem == "__init__" else known.stem
    pattern = rf"\b(?:from|import)\b[^\n]*\b{re.escape(module)}\b"
    return bool(module) and re.search(pattern, text) is not None


def _read(path: str) -> str:
    text = ""
    with suppress(OSError):
        text = Path(path).read_bytes().decode(errors="replace")
    return text


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for module, names in _FROM.findall(text):
        for name in _WORD.findall(names):
            yield module.rpartition(".")[2], name
    yield from _MEMBER.findall(text)
