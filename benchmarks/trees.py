"""The source trees that are linted: wheels of pinned versions, unpacked and never installed.

A wheel is an archive: getting one runs nothing of what is in it, as building from a source archive
would.
"""

import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

PACKAGES = {
    "brax": "0.14.2",
    "flax": "0.12.8",
    "equinox": "0.13.8",
    "numpyro": "0.22.0",
    "netket": "3.23.0",
    "optax": "0.2.8",
    "chex": "0.1.92",
    "distrax": "0.1.9",
    "diffrax": "0.7.2",
    "dm-haiku": "0.0.17",
    "blackjax": "1.7.1",
    "evosax": "0.3.2",
    "jaxopt": "0.8.5",
    "ott-jax": "0.6.0",
    "e3nn-jax": "0.21.0",
    "jax-md": "0.2.29",
    "keras": "3.15.1",
    "pennylane": "0.45.1",
    "tensorflow-probability": "0.25.0",
    "orbax-checkpoint": "0.12.8",
    "penzai": "0.2.5",
    "mujoco-mjx": "3.17.0",
    "jumanji": "1.1.2",
    "gymnax": "1.0.1",
}
"""Projects that use JAX, large and small, and two that do so in a corner."""
FEW = ("equinox", "chex", "brax")


@dataclass(frozen=True)
class Tree:
    """The unpacked files of one package."""

    name: str
    folder: Path
    files: tuple[Path, ...]
    lines: int


def fetch(names: tuple[str, ...], cache: Path) -> list[Tree]:
    """The trees of some packages, from the cache or from the index that pip is set up for."""
    return [_tree(name, cache) for name in names]


def _tree(name: str, cache: Path) -> Tree:
    version = PACKAGES[name]
    folder = cache / "trees" / f"{name}-{version}"
    if not folder.exists():
        wheels = cache / "wheels"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary=:all:", "--dest", str(wheels / name), f"{name}=={version}"]
        subprocess.run(command, check=True)
        (wheel,) = (wheels / name).glob("*.whl")
        _unpack(wheel, folder)
    files = tuple(sorted(folder.rglob("*.py")))
    return Tree(name, folder, files, sum(path.read_bytes().count(b"\n") for path in files))


def _unpack(wheel: Path, folder: Path) -> None:
    """Write the Python files of an archive below a folder, and nothing anywhere else."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            path = PurePosixPath(name)
            if path.suffix == ".py" and not path.is_absolute() and ".." not in path.parts:
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))
