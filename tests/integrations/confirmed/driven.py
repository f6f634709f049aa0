"""Runs modules with drives, each in a process of its own: ``driven.py PATH...``."""

import importlib
import os
import sys
import traceback
from pathlib import Path

import jax.numpy  # noqa: F401


def name_of(path: Path) -> str:
    """The name that a module is imported by; where that is found gets into the path."""
    main = path if path.is_file() else next(path.rglob("main.py"))
    root = main.parent
    while (root / "__init__.py").exists():
        root = root.parent
    sys.path.insert(0, str(root))
    return ".".join(main.relative_to(root).with_suffix("").parts)


def drive(path: Path) -> None:
    module = importlib.import_module(name_of(path))
    for name, function in list(vars(module).items()):
        if (name == "drive" or name.startswith("drive_")) and callable(function):
            try:
                function(lambda value: value)
            except Exception:
                traceback.print_exc()


if __name__ == "__main__":
    for given in sys.argv[1:]:
        child = os.fork()
        if child == 0:
            drive(Path(given))
            sys.exit()
        os.waitpid(child, 0)
