"""``flake8-jax server``: starts the language server, where what it is made with is installed."""

import argparse
import importlib.util
import sys

_NEEDED = """\
flake8-jax: error: server needs pygls, which is not installed here; install it with
    pip install 'flake8-jax[server]'"""


def run(given: argparse.Namespace) -> int:
    """Speak with an editor on stdin and stdout."""
    if importlib.util.find_spec("pygls") is None:
        print(_NEEDED, file=sys.stderr)
        return 2
    from flake8_jax.editor.server import serve  # brings pygls

    return serve(given.flake8)
