"""Decides, before anything is parsed, what there is to do: which rules, and which files."""

import re
from collections.abc import Iterable, Sequence

OPT_IN = "JAX9"
"""How the codes begin that are on only when they are selected by name."""

_PYTREES = re.compile(
    r"PyTreeNode|TrainState|DynamicScale|\bstruct\b|\bnnx\b|register_|[cC]hex|[eE]quinox|\beqx\b|"
    r"pytree|Pytree|PyTree|tjax|penzai|NamedTuple|namedtuple|dataclass"
)
_CACHES = re.compile(
    r"cached_?property|lru_cache|\bcache\b|"
    r"\bis\b|hasattr|getattr|__dict__|\bvars\b|AttributeError|\bnot\b|\bor\b|\bif\b"
)


def is_on(code: str, named: Iterable[str]) -> bool:
    """Whether a rule is to run, given the codes that the user selected.

    An opt-in rule needs an entry that names it, or the group of opt-in rules: flake8 itself would
    turn it on for ``--select=JAX`` and for ``--ignore=E501`` alike.
    """
    if not code.startswith(OPT_IN):
        return True
    return any(name.startswith(OPT_IN) and code.startswith(name) for name in named)


def may_matter(lines: Sequence[str]) -> bool:
    """Whether a file mentions what makes a pytree, and what may be a cache."""
    text = "".join(lines)
    return _PYTREES.search(text) is not None and _CACHES.search(text) is not None
