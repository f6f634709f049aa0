"""Makes the fixtures one archive in the wheel: an install gets one file, not thousands."""

import tempfile
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ARCHIVE = "flake8_jax/fixtures.zip"
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The same time for all files, so that the same files make the same archive."""


class FixturesArchive(BuildHookInterface):  # type: ignore[misc]
    """Adds the archive to a wheel; an editable install has the fixtures of the repository."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the archive to a folder that is gone when the build ends, and name it."""
        if version == "editable":
            return
        self._folder = tempfile.TemporaryDirectory()
        path = Path(self._folder.name) / "fixtures.zip"
        write_archive(Path(self.root) / "fixtures", path)
        build_data["force_include"][str(path)] = ARCHIVE


def write_archive(fixtures: Path, path: Path) -> None:
    """Write the files of a folder to an archive, in the order of their names."""
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(fixtures.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                member = zipfile.ZipInfo(file.relative_to(fixtures).as_posix(), _LONG_AGO)
                member.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(member, file.read_bytes())
