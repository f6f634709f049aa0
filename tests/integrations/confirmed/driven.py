"""Runs modules with drives, a few of a folder in a process: ``driven.py PATH...``."""

import contextlib
import importlib
import os
import sys
import traceback
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from pathlib import Path

for library in (
    "jax.numpy",
    "flax.nnx",
    "equinox",
    "chex",
    "optax",
):
    with contextlib.suppress(ImportError):
        importlib.import_module(library)

TOGETHER = 16


def name_of(path: Path) -> str:
    """The name that a module is imported by; where that is found gets into the path."""
    main = path if path.is_file() else next(path.rglob("main.py"))
    root = main.parent
    while (root / "__init__.py").exists():
        root = root.parent
    sys.path.insert(0, str(root))
    return ".".join(main.relative_to(root).with_suffix("").parts)


def drive(path: Path) -> None:
    try:
        module = importlib.import_module(name_of(path))
    except ImportError as error:  # of a library that is not for this Python
        print(error)
        return
    for name, function in list(vars(module).items()):
        if (name == "drive" or name.startswith("drive_")) and callable(function):
            try:
                print(name, repr(function(lambda value: value)))
            except Exception:
                traceback.print_exc(file=sys.stdout)


def batches(paths: Iterable[Path]) -> Iterator[list[Path]]:
    """What may share a process: files of one folder, whose names differ."""
    for _, found in groupby(paths, key=lambda path: path.parent if path.is_file() else path):
        some = iter(found)
        while batch := list(islice(some, TOGETHER)):
            yield batch


if __name__ == "__main__":
    for batch in batches(Path(given) for given in sys.argv[1:]):
        child = os.fork()
        if child == 0:
            for path in batch:
                print(path)
                drive(path)
            sys.exit()
        _, status = os.waitpid(child, 0)
        print("ended with", status, flush=True)
