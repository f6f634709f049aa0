"""The words that the survey looks for, from the tables: the last parts of what they know."""

import re
from collections.abc import Iterable

from flake8_jax.knowledge.caches import CACHED_PROPERTIES, FUNCTION_CACHES
from flake8_jax.knowledge.objects import UPDATE_FUNCTIONS
from flake8_jax.knowledge.pytrees import BASE_FACTORIES, BASES, CONCRETE, MARKERS
from flake8_jax.knowledge.transforms import DEFINES_RULES, TRANSFORMS


def _last_parts(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.rpartition(".")[2] for name in names)


TRANSFORM_WORDS = _last_parts(TRANSFORMS) | DEFINES_RULES | {"remat", "pjit"}
CACHE_WORDS = _last_parts((*CACHED_PROPERTIES, *FUNCTION_CACHES))
MARKER_WORDS = _last_parts((*BASES, *MARKERS, *BASE_FACTORIES, *CONCRETE))
TUPLE_WORDS = _last_parts(BASE_FACTORIES)
UPDATE_WORDS = _last_parts(UPDATE_FUNCTIONS) | {"replace", "_replace"}
DESCRIPTOR_WORDS = frozenset({"__get__"})
STORING_WORDS = frozenset({"setattr", "__setattr__", "__dict__", "vars"})

CACHING = re.compile("|".join(sorted(CACHE_WORDS | DESCRIPTOR_WORDS)))


def makes_caches(words: frozenset[str]) -> bool:
    """Whether code with these words may be a cache, or a cached property of one's own."""
    if not words.isdisjoint(CACHE_WORDS) or not words.isdisjoint(DESCRIPTOR_WORDS):
        return True
    return "property" in words and not words.isdisjoint(STORING_WORDS)
