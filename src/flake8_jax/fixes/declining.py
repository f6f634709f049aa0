"""Why a finding is not fixed, in one sentence that a user can act on.

Whatever works out a fix may raise it, from as deep as it finds out.
"""


class DeclinedError(Exception):
    """There is no fix, for a reason: a sentence without its full stop."""
