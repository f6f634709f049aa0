"""Why a finding is not fixed, in one sentence that a user can act on.

Whatever works out a fix may raise it, from as deep as it finds out. Where it gives no fix and no
reason, :func:`unexplained` has one.
"""

from flake8_jax.findings import Rule


class DeclinedError(Exception):
    """There is no fix, for a reason: a sentence without its full stop."""


def unexplained(rule: Rule) -> str:
    """The reason where none is told."""
    if rule.fix is None:
        return f"{rule.code} has no fix; flake8-jax explain {rule.code} says what to write instead"
    return (
        f"no change is known to be right here; flake8-jax explain {rule.code} says what is left "
        "alone"
    )
