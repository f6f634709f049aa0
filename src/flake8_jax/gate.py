"""Decides from a file's text, at the cost of a search, whether there can be anything to find."""

import re
from collections.abc import Sequence

_PYTREES = re.compile(
    r"PyTreeNode|TrainState|DynamicScale|\bstruct\b|\bnnx\b|register_|[cC]hex|[eE]quinox|\beqx\b|"
    r"pytree|Pytree|PyTree|tjax|penzai|NamedTuple|namedtuple|dataclass"
)
_CACHES = re.compile(
    r"cached_?property|lru_cache|\bcache\b|"
    r"\bis\b|hasattr|getattr|__dict__|\bvars\b|AttributeError|\bnot\b|\bor\b|\bif\b"
)


def may_matter(lines: Sequence[str]) -> bool:
    """Whether a file mentions what makes a pytree, and what may be a cache."""
    text = "".join(lines)
    return _PYTREES.search(text) is not None and _CACHES.search(text) is not None
