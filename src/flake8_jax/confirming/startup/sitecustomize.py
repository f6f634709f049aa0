"""Starts the instruments in each process of a program that is confirmed; Python imports it.

It is the first of that name on ``PYTHONPATH``; the one that it hides is run as well.
"""

import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
_PACKAGE = "flake8_jax"


class _Finder:
    """Finds this package, whatever the program's own environment has."""

    def find_spec(self, name, path=None, target=None):  # type: ignore[no-untyped-def]  # noqa: ARG002
        if name != _PACKAGE:
            return None
        root = os.path.dirname(os.path.dirname(os.path.dirname(_HERE)))  # noqa: PTH120
        return importlib.machinery.PathFinder.find_spec(name, [root])


def _start() -> None:
    sys.path[:] = [item for item in sys.path if os.path.abspath(item or ".") != _HERE]  # noqa: PTH100
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize")
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)
    sys.meta_path.insert(0, _Finder())  # not another version of it
    try:
        from flake8_jax.confirming.hook import start

        start()
    except Exception as error:
        sys.stderr.write(f"flake8-jax: nothing is measured in this process: {error!r}\n")


_start()
