"""The words that the survey looks for, from the tables: the last parts of what they know."""

from collections.abc import Iterable

from flake8_jax.knowledge.caches import CACHED_PROPERTIES, FUNCTION_CACHES
from flake8_jax.knowledge.objects import UPDATE_FUNCTIONS, UPDATE_METHODS
from flake8_jax.knowledge.pytrees import BASE_FACTORIES, BASES, CONCRETE, MARKERS, Frozen
from flake8_jax.knowledge.transforms import DEFINES_RULES, TRANSFORMS


def _last_parts(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.rpartition(".")[2] for name in names)


TRACING = frozenset(name for name, row in TRANSFORMS.items() if row.traces)
"""The transforms that trace; callbacks do not."""
TRANSFORM_WORDS = _last_parts(TRACING) | DEFINES_RULES | {"remat", "pjit"}
CACHE_WORDS = _last_parts((*CACHED_PROPERTIES, *FUNCTION_CACHES))
MARKER_WORDS = _last_parts((*BASES, *MARKERS, *BASE_FACTORIES, *CONCRETE))
_KINDS = {**BASES, **MARKERS, **BASE_FACTORIES, **CONCRETE}
_OPEN = (Frozen.NEVER, Frozen.IF_TRUE, Frozen.AS_DATACLASS)
FROZEN_WORDS = _last_parts(name for name, kind in _KINDS.items() if kind.frozen not in _OPEN)
FROZEN_WORDS |= {"frozen"}
SEALED_WORDS = _last_parts(name for name, kind in _KINDS.items() if kind.sealed)
"""Those of classes whose own constructors cannot set attributes either, once they are frozen."""
UPDATE_WORDS = _last_parts(UPDATE_FUNCTIONS) | UPDATE_METHODS
DESCRIPTOR_WORDS = frozenset({"__get__"})
STORING_WORDS = frozenset({"setattr", "__setattr__", "__dict__", "vars"})
PLAIN_WORDS = DESCRIPTOR_WORDS | STORING_WORDS | {"frozen", "property"}
"""The words that tell something and come from no library."""


def makes_caches(words: frozenset[str]) -> bool:
    """Whether code with these words may be a cache, or a cached property of one's own."""
    if not words.isdisjoint(CACHE_WORDS) or not words.isdisjoint(DESCRIPTOR_WORDS):
        return True
    return "property" in words and not words.isdisjoint(STORING_WORDS)
