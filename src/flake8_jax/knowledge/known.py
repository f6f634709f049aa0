"""What the tables speak for: a name that they know need not be looked up in its source."""

from functools import lru_cache

from flake8_jax.knowledge.aliases import ALIASES
from flake8_jax.knowledge.caches import CACHED_PROPERTIES, FUNCTION_CACHES
from flake8_jax.knowledge.pytrees import BASE_FACTORIES, BASES, CONCRETE, MARKERS
from flake8_jax.knowledge.transforms import TRANSFORMS

KNOWN = frozenset(
    {*BASES, *BASE_FACTORIES, *CONCRETE, *MARKERS}
    | {*CACHED_PROPERTIES, *FUNCTION_CACHES, *TRANSFORMS}
)
"""All that the tables have a name for."""

_KNOWN_WHOLE = frozenset({"jax", "jaxlib", "numpy", "builtins"})


@lru_cache(maxsize=4096)  # the same few names are asked for again and again
def canonical(dotted: str) -> str:
    """The name under which the tables know it."""
    head, tail = dotted, ""
    while head:
        if head in ALIASES:
            return ALIASES[head] + tail
        head, dot, last = head.rpartition(".")
        tail = f"{dot}{last}{tail}"
    return dotted


def is_known(dotted: str) -> bool:
    """Whether the tables speak for a name, so that its source need not be read."""
    return dotted.partition(".")[0] in _KNOWN_WHOLE or canonical(dotted) in KNOWN
