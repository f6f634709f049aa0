"""Which names the files of a run take from each other, so that their imports have to stay."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_FROM = re.compile(r"\bfrom\s+([.\w]+)\s+import\s*(\([^)]*\)|(?:[^\n\\]|\\\s*\n)*)")
_MEMBER = re.compile(r"\b(\w+)(?=\.(\w+))")
_WORD = re.compile(r"\w+|\*")


@dataclass(frozen=True)
class Takers:
    """The files of a run; they are read when somebody asks."""

    paths: Sequence[str]

    def spared(self, path: str, names: frozenset[str]) -> frozenset[str]:
        """Those of some names that no file takes from a module, so that it may lose them."""
        module = Path(path).stem
        if module == "__init__" or (module, "*") in self._taken:
            return frozenset()  # a package has its imports for others
        return frozenset(name for name in names if (module, name) not in self._taken)

    @cached_property
    def _taken(self) -> frozenset[tuple[str, str]]:
        """The last part of a module's name and what is taken from it, by the words alone."""
        modules = frozenset(Path(path).stem for path in self.paths)
        return frozenset(pair for path in self.paths for pair in _pairs(path) if pair[0] in modules)


def _pairs(path: str) -> Iterator[tuple[str, str]]:
    text = ""
    with suppress(OSError):
        text = Path(path).read_bytes().decode(errors="replace")
    for module, names in _FROM.findall(text):
        for name in _WORD.findall(names):
            yield module.rpartition(".")[2], name
    yield from _MEMBER.findall(text)
