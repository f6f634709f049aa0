"""What can be seen to go wrong when code meets ``jax.jit``."""

from enum import StrEnum


class Symptom(StrEnum):
    """One observable effect, measured by running code with jit and without."""

    RECOMPUTED = "recomputed"
    """A value that the code caches is computed again at run time."""
    RETRACED = "retraced"
    """The Python body of a cache runs again at each trace; at run time it costs nothing."""
    LOST = "lost"
    """A change of the caller's object that happens without jit does not happen with it."""
    LEAKED = "leaked"
    """A Tracer stays behind in an object that outlives the trace."""
    RAISES = "raises"
    """The call raises."""
    STALE = "stale"
    """The result is not what the same code computes without the cache."""
    ONCE = "once"
    """A side effect happens at trace time only, not at every call."""
