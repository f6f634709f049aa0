"""Source trees of pinned projects: fetched, checked against their digests and unpacked.

Only wheels are fetched, because a source distribution may run code of its own when pip asks it
for its metadata. Of a wheel only the Python files are unpacked, and none of it is run.
"""

import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

REPOSITORY = Path(__file__).resolve().parent.parent
PINS = Path(__file__).with_name("projects.txt")
_PIN = re.compile(r"(?P<name>[\w.-]+)==(?P<version>\S+) --hash=sha256:(?P<digest>[0-9a-f]{64})")
_CHUNK = 1 << 20


class UnsafeArchiveError(Exception):
    """An archive with a member that would be written outside of its folder."""


@dataclass(frozen=True)
class Project:
    """A project at a version, and the digest of its wheel."""

    name: str
    version: str
    digest: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def requirement(self) -> str:
        """The project in the words of pip."""
        return f"{self.name}=={self.version} --hash=sha256:{self.digest}"


@dataclass(frozen=True)
class Tree:
    """The Python files of a project."""

    project: Project
    folder: Path

    @property
    def files(self) -> list[Path]:
        """All Python files, in a fixed order."""
        return sorted(self.folder.rglob("*.py"))

    def count_lines(self) -> int:
        """How many lines the files have together."""
        return sum(path.read_bytes().count(b"\n") for path in self.files)


def pinned(pins: Path = PINS) -> list[Project]:
    """The projects of a file of requirements with versions and digests."""
    found = []
    for number, line in enumerate(pins.read_text(encoding="utf-8").splitlines(), start=1):
        text = line.strip()
        if text and not text.startswith("#"):
            match = _PIN.fullmatch(text)
            if match is None:
                raise ValueError(f"{pins.name}, line {number}: not name==version --hash=sha256:…")
            found.append(Project(**match.groupdict()))
    return found


def default_cache() -> Path:
    """The folder below which trees are kept: that of the user, and never the repository."""
    given = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(given or Path.home() / ".cache") / "flake8-jax"


def fetch(projects: Iterable[Project], cache: Path) -> list[Tree]:
    """The trees of projects; what the cache does not have yet is downloaded."""
    cache = cache.resolve()
    if cache.is_relative_to(REPOSITORY):
        raise ValueError(f"the cache has to be outside of the repository: {cache}")
    archives = cache / "archives"
    archives.mkdir(parents=True, exist_ok=True)
    trees = [
        Tree(project, cache / "trees" / f"{project.name}-{project.version}") for project in projects
    ]
    wanted = [tree for tree in trees if not tree.folder.is_dir()]
    known = dict(_digests(archives)) if wanted else {}
    missing = [tree.project for tree in wanted if tree.project.digest not in known]
    if missing:
        _download(missing, archives)
        known = dict(_digests(archives))
    for tree in wanted:
        unpack(known[tree.project.digest], tree.folder)
    return trees


def _digests(archives: Path) -> Iterator[tuple[str, Path]]:
    for path in archives.glob("*.whl"):
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
        yield digest.hexdigest(), path


def _download(projects: list[Project], archives: Path) -> None:
    """Let pip download wheels from the index that it is set up for."""
    with tempfile.TemporaryDirectory() as folder:
        pins = Path(folder) / "pins.txt"
        pins.write_text("".join(f"{item.requirement}\n" for item in projects), encoding="utf-8")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary=:all:", "--ignore-requires-python", "--require-hashes"]
        command += ["--disable-pip-version-check", "--dest", str(archives), "-r", str(pins)]
        subprocess.run(command, check=True)


def unpack(archive: Path, folder: Path) -> None:
    """Unpack the Python files of a wheel, all or nothing."""
    with zipfile.ZipFile(archive) as wheel:
        members = wheel.infolist()
        for member in members:
            if not _stays_inside(member):
                raise UnsafeArchiveError(f"{archive.name}: {member.filename!r}")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as made:
            part = Path(made) / "tree"
            part.mkdir()
            for member in members:
                if member.filename.endswith(".py"):
                    wheel.extract(member, part)
            shutil.move(part, folder)


def _stays_inside(member: zipfile.ZipInfo) -> bool:
    """Whether a member is a file or folder below the one that it is unpacked to."""
    for path in (PurePosixPath(member.filename), PureWindowsPath(member.filename)):
        if path.anchor or ".." in path.parts:
            return False
    kind = stat.S_IFMT(member.external_attr >> 16)
    return kind in (0, stat.S_IFREG, stat.S_IFDIR)
