"""Faults of the plugin itself: flake8's log has them, and its output has not.

Where the variable ``FLAKE8_JAX_RAISE`` is set they are raised instead, for those who test it.
"""

import logging
import os
import sys
from traceback import format_exception

from flake8_jax.printable import printable, printable_lines

LOG = logging.getLogger("flake8.jax")
RAISE = "FLAKE8_JAX_RAISE"
"""The variable that turns a fault that is logged into one that is raised."""


class _Printable(logging.Filter):
    """Lets a log tell of files that nobody has checked."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = printable(record.getMessage()), ()
        if record.exc_info and record.exc_info[0] is not None:
            record.exc_text = printable_lines("".join(format_exception(*record.exc_info)).rstrip())
        return True


LOG.addFilter(_Printable())


def fault(message: str, *details: object) -> None:
    """Log the exception that is being handled and what it costs; raise it for those who test."""
    if os.environ.get(RAISE):
        raise
    where = not isinstance(sys.exception(), RecursionError)  # which is everywhere
    LOG.error(message, *details, exc_info=where)
