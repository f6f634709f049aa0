"""The files of a project: which of them a dotted name stands for, read as text, on demand.

Nothing is imported or executed. A file is looked for below the roots and nowhere else, is read once
as long as it stays the same, and carries what later stages have found out about it. When a run of
flake8 begins, or a file is linted again, all that was looked up before is compared with the disk;
if anything has changed, what was found out is forgotten.
"""

import os
import stat
import sys
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from typing import TypeVar, cast

from flake8_jax.workspace import collector
from flake8_jax.workspace.lifetime import Divisible

T = TypeVar("T")

_LARGEST = 1_000_000
"""The size in bytes of the largest file that is followed; what is longer was generated."""
_MOST_REMEMBERED = 2_000_000
"""How many characters of source may be remembered in detail before all of it is forgotten."""
_EDITS = 20
"""After how many changes the collector looks at everything: that takes as long as an edit."""
_MOST_ELSEWHERE = 200_000
"""How many characters of packages that nobody asks for any more may be kept."""
_PATIENCE = 3
"""How many files are linted without asking for a package before nobody is taken to need it."""
_MOST_FILES = 2000
_MOST_FOLDERS = 500
"""How many files and folders are looked through when all of a project are asked for."""
_SOURCE_FOLDER = "src"


@dataclass(frozen=True)
class Settings:
    """What the user told with the options of the plugin."""

    roots: tuple[str, ...] = ()
    """Folders in which modules are looked for, besides those that are found."""
    names: tuple[tuple[str, str], ...] = ()
    """Dotted names of the project's own, each with what the tables call such a thing."""


@dataclass(eq=False)
class File:
    """The text of one module. Two files are equal if they are the same object."""

    path: str
    text: str
    home: str
    """The folder of the outermost package that it belongs to."""
    memo: dict[object, object] = field(default_factory=dict)
    """What its text tells: its outline, where it leads."""
    analysis: dict[object, object] = field(default_factory=dict)
    """What its trees tell, and they themselves."""

    @property
    def module(self) -> str:
        """Its dotted name, as seen from its home."""
        parts = os.path.relpath(self.path, self.home).removesuffix(".py").split(os.sep)
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def is_package(self) -> bool:
        """Whether it is the file of a package itself."""
        return os.path.basename(self.path) == "__init__.py"

    @property
    def label(self) -> str:
        """Its name for a message: as seen from where flake8 was started, if it is below that."""
        name = os.path.relpath(self.path)
        if name.startswith(os.pardir + os.sep):
            name = os.path.relpath(self.path, self.home)
        return name.replace(os.sep, "/")

    def once(self, key: object, compute: Callable[[], T]) -> T:
        """What is computed about the text of the file, computed once."""
        if key not in self.memo:
            self.memo[key] = compute()
        return cast("T", self.memo[key])

    def analysed(self, key: object, compute: Callable[[], T]) -> T:
        """What is computed from its trees, computed once as long as they are kept."""
        if key not in self.analysis:
            self.analysis[key] = compute()
        return cast("T", self.analysis[key])


class Project:
    """The files below some roots, for the time of a process."""

    def __init__(self, settings: Settings, folder: str) -> None:
        self.names = dict(settings.names)
        """The dotted names that the user listed, and under which option."""
        given = [os.path.join(folder, root) for root in settings.roots]
        usual = [os.path.join(folder, _SOURCE_FOLDER), folder]
        self._roots = tuple(dict.fromkeys(os.path.abspath(root) for root in (*given, *usual)))
        self._folder = folder
        self._run: object = None
        self._linted: set[str] = set()
        self._files: dict[str, tuple[tuple[int, ...] | None, File]] = {}
        self._found: dict[tuple[str, str], tuple[File, File | None]] = {}
        self._loaded: dict[str, File | None] = {}
        self._tops: dict[str, bool] = {}
        self._listed: dict[str, tuple[tuple[str, int], ...]] = {}
        """The files below homes, as far as somebody has asked for all of them."""
        self.analysis: dict[object, object] = {}
        """What was found out about all of them together."""
        self._remembered = 0
        self._outdated = 0
        """How many files have changed while the rest was kept."""
        self._open: File | None = None
        self._drafts: dict[str, str] = {}
        """The texts of files that are taken for what is on disk."""
        self._askers: dict[str, set[str]] = {}
        """The files that something was asked of a file for, by its path."""
        self._asked: dict[str, int] = {}
        """How many files had been linted when somebody last asked for something of a home."""

    def lists(self, text: str) -> bool:
        """Whether a text may use something that the user listed."""
        return any(name.rpartition(".")[2] in text for name in self.names)

    def open(self, path: str, text: str, run: object) -> File:
        """The file that is linted now, with the text that flake8 has of it, in some run."""
        path = os.path.abspath(os.path.join(self._folder, path))
        if run is not self._run or path in self._linted:
            self._begin(run)
        if self._remembered > _MOST_REMEMBERED:
            self._let_go()
        self._linted.add(path)
        home = home_of(path)
        self._asked[home] = len(self._linted)
        self._leave()
        known = self._files.get(path)
        if known is not None and known[1].text == text:
            file = known[1]
        else:
            if known is not None:
                self._outdate(known[1])
            file = File(path, text, home)
            self._files[path] = (None, file)
        self._open = file
        return file

    def draft(self, path: str, text: str | None) -> None:
        """Take a text for what is in a file, be it written or not; None goes back to the disk."""
        path = os.path.abspath(os.path.join(self._folder, path))
        if self._drafts.get(path) == text:
            return
        if text is None:
            del self._drafts[path]
        else:
            self._drafts[path] = text
        known = self._files.pop(path, None)
        if known is None:
            self._forget()
        elif known[1].text != text:
            self._outdate(known[1])

    def _begin(self, run: object) -> None:
        """Look at the disk again."""
        if run is not self._run:
            collector.unfreeze()
        self._run = run
        self._linted = set()
        self._asked = dict.fromkeys(self._asked, 0)
        before, self._found = self._found, {}
        self._loaded, self._tops = {}, {}
        listed, self._listed = self._listed, {home: files_below(home) for home in self._listed}
        if listed != self._listed:
            self._forget()
            return
        for (_, dotted), (asking, found) in before.items():
            if self.find(asking, dotted) is not found:
                self._forget()
                return

    def _leave(self) -> None:
        """Forget all, if there is much of packages that the last files had nothing to do with."""
        late = len(self._linted) - _PATIENCE
        needed = {self._part(home) for home, asked in self._asked.items() if asked >= late}
        left = {home for home in self._asked if self._part(home) not in {os.curdir, *needed}}
        if left:
            for home in left:
                del self._asked[home]
            kept = sum(len(file.text) for _, file in self._files.values() if file.home in left)
            if kept > _MOST_ELSEWHERE:
                self._forget()
                self._files = {}

    def _part(self, home: str) -> str:
        """The part of the project that a home belongs to: a folder of packages has many homes."""
        first = os.path.relpath(home, self._folder).partition(os.sep)[0]
        return home if first == os.pardir else first

    def _outdate(self, file: File) -> None:
        """Forget what was found out from a file that has changed, and from those that ask it.

        What they have asked for stays: an editor lints one file again and again.
        """
        dirty, stack = set[str](), [file.path]
        while stack:
            path = stack.pop()
            if path not in dirty:
                dirty.add(path)
                stack += self._askers.get(path, ())
        self._outdated += 1
        if self._outdated % _EDITS == 0:
            collector.unfreeze()
        for part in [*self.analysis.values()]:
            if isinstance(part, Divisible):
                part.drop(dirty)
        known = [item for path, (_, item) in self._files.items() if path in dirty]
        for item in dict.fromkeys((file, *known)):
            self._remembered -= len(item.text) if item.analysis else 0
            item.analysis.clear()
            item.memo.clear()
        self._found = {key: pair for key, pair in self._found.items() if pair[1] is not file}
        self._loaded = {path: item for path, item in self._loaded.items() if item is not file}

    def _forget(self) -> None:
        """Forget what was found out from files, because one has changed, or to save memory."""
        self._found, self._loaded, self._tops, self._listed = {}, {}, {}, {}
        self._askers = {}
        self._let_go()
        for _, file in self._files.values():
            file.memo.clear()

    def _let_go(self) -> None:
        """Let go of the trees, of which there are many, and of all that was made of them."""
        self._remembered = 0
        collector.unfreeze()
        self.analysis.clear()
        for _, file in self._files.values():
            file.analysis.clear()

    def analysed(self, key: object, compute: Callable[[], T]) -> T:
        """What is found out about the project, once as long as its trees are kept."""
        if key not in self.analysis:
            self.analysis[key] = compute()
        return cast("T", self.analysis[key])

    def remember(self, file: File) -> None:
        """Note that much is going to be remembered of a file."""
        self._remembered += len(file.text)

    def find(self, file: File, dotted: str) -> File | None:
        """The module under a dotted name, as seen from a file; a relative one begins with dots."""
        key = (file.home if not dotted.startswith(".") else os.path.dirname(file.path), dotted)
        if key not in self._found:
            self._found[key] = (file, self._look(file, dotted))
        found = self._found[key][1]
        if found is not None:
            self._asked[found.home] = len(self._linted)
            self._askers.setdefault(found.path, set()).add(file.path)
        return found

    def _look(self, file: File, dotted: str) -> File | None:
        roots = (file.home, *(root for root in self._roots if root != file.home))
        if dotted.startswith("."):
            return self._module_at(_relative(file, dotted), roots)
        top, _, rest = dotted.partition(".")
        if top in sys.stdlib_module_names:
            return None
        parts = rest.split(".") if rest else []
        for root in roots:
            base = os.path.join(root, top)
            if self._exists(base):
                found = self._module_at(os.path.join(base, *parts), roots)
                if found is not None:
                    return found
        return None

    def may_have(self, file: File, dotted: str) -> bool:
        """Whether a dotted name may lead to a module of the project."""
        if dotted.startswith("."):
            return True
        top = dotted.partition(".")[0]
        if top in sys.stdlib_module_names:
            return False
        if any(self._exists(os.path.join(root, top)) for root in (file.home, *self._roots)):
            return True
        return self.find(file, top) is not None  # noted, so that it is seen when it is there later

    def others(self, file: File) -> Iterator[File]:
        """The other files below the home of a file."""
        home = file.home
        if home not in self._listed:
            self._listed[home] = files_below(home)
        for path, _ in self._listed[home]:
            if path != file.path:
                if path not in self._loaded:
                    self._loaded[path] = self._load(path, (home, *self._roots))
                other = self._loaded[path]
                if other is not None:
                    self._askers.setdefault(path, set()).add(file.path)
                    yield other

    def has_module(self, file: File, dotted: str) -> bool:
        """Whether there is a module or a package under a relative name."""
        return self._exists(_relative(file, dotted))

    def _exists(self, base: str) -> bool:
        """Whether there is a module or a package at a path."""
        if base not in self._tops:
            self._tops[base] = os.path.isdir(base) or os.path.isfile(f"{base}.py")
        return self._tops[base]

    def _module_at(self, base: str, roots: tuple[str, ...]) -> File | None:
        for path in (os.path.join(base, "__init__.py"), f"{base}.py"):
            if path not in self._loaded:
                self._loaded[path] = self._load(path, roots)
            if self._loaded[path] is not None:
                return self._loaded[path]
        return None

    def _load(self, path: str, roots: tuple[str, ...]) -> File | None:
        try:
            seen = os.stat(path)
            if not stat.S_ISREG(seen.st_mode):  # opening a pipe waits for whoever writes to it
                return None
            if seen.st_size > _LARGEST or not _is_inside(path, roots):
                return None
            signature = (seen.st_mtime_ns, seen.st_size, seen.st_ino)
            known = self._files.get(path)
            if known is not None and known[0] == signature:
                return known[1]
            text = self._drafts[path] if path in self._drafts else _read(path)
            if self._open is not None and self._open.path == path:
                return self._open  # perhaps with changes that are not on disk yet
        except (OSError, SyntaxError, UnicodeError, ValueError):
            return None
        file = known[1] if known is not None and known[1].text == text else None
        file = file or File(path, text, home_of(path))
        self._files[path] = (signature, file)
        return file


def _relative(file: File, dotted: str) -> str:
    """The path that a relative name means, without a suffix."""
    name = dotted.lstrip(".")
    folder = os.path.dirname(file.path)
    for _ in range(len(dotted) - len(name) - 1):
        folder = os.path.dirname(folder)
    return os.path.join(folder, *name.split(".")) if name else folder


def files_below(home: str) -> tuple[tuple[str, int], ...]:
    """The Python files below a folder, each with the time of its last change; not too many."""
    found: list[tuple[str, int]] = []
    for count, (folder, folders, names) in enumerate(os.walk(home)):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        if count >= _MOST_FOLDERS or len(found) >= _MOST_FILES:
            break
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith(".py"):
                try:
                    found.append((path, os.stat(path).st_mtime_ns))
                except OSError:
                    continue
    return tuple(found)


def _read(path: str) -> str:
    """The text of a file, as flake8 reads it."""
    with open(path, "rb") as file:
        content = file.read(_LARGEST + 1)
    encoding, _ = tokenize.detect_encoding(BytesIO(content).readline)
    text = content.decode(encoding).removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_inside(path: str, roots: tuple[str, ...]) -> bool:
    """Whether a file lies below one of the roots, also if links lead to it."""
    real = os.path.realpath(path)
    return any(real.startswith(os.path.join(os.path.realpath(root), "")) for root in roots)


def home_of(path: str) -> str:
    """The first folder upwards that is no package."""
    folder = os.path.dirname(path)
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    return folder


@lru_cache(maxsize=4)
def project(settings: Settings, folder: str) -> Project:
    """The project for some settings; flake8 gives one set of them to all files of a run."""
    return Project(settings, folder)


def longest_prefix(
    project: Project, file: File, dotted: str
) -> tuple[File, tuple[str, ...]] | None:
    """The module that a dotted name leads to, and the names that are left to look up there.

    The last part is looked up in the module before it is taken for a module itself, as the import
    statement does.
    """
    for module, rest in _splits(dotted):
        found = project.find(file, module)
        if found is not None:
            return found, rest
    return None


def _splits(dotted: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    name = dotted.lstrip(".")
    dots = dotted[: len(dotted) - len(name)]
    parts = name.split(".")
    for count in range(len(parts) - 1, 0 if not dots else -1, -1):
        yield dots + ".".join(parts[:count]), tuple(parts[count:])
