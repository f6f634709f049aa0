"""The fixtures on disk: those of the repository, or those of the package, unpacked."""

import tempfile
import zipfile
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parent.parent
_ARCHIVE = _PACKAGE / "fixtures.zip"


def fixtures_folder() -> Path:
    """The folder of the fixtures; what is unpacked for it is gone when this process ends."""
    if not _ARCHIVE.exists():
        return _PACKAGE.parent.parent / "fixtures"
    return Path(_unpacked().name)


@cache
def _unpacked() -> "tempfile.TemporaryDirectory[str]":
    folder = tempfile.TemporaryDirectory(prefix="flake8-jax-fixtures-")
    with zipfile.ZipFile(_ARCHIVE) as archive:
        archive.extractall(folder.name)
    return folder
