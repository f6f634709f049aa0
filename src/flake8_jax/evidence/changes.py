"""What a statement has changed of an object, and how Python spells a change."""

from collections.abc import Iterator, Mapping
from typing import Any

MUTATORS = frozenset(
    "add append clear discard extend insert pop popitem remove reverse"
    " setdefault sort update".split()
)
"""The methods that change what they are called on."""
SETTERS = frozenset({"setattr", "delattr", "__setattr__", "__delattr__"})
"""The functions that change an attribute of what they are given."""
GONE = object()
"""What stands for something that was taken away."""


def changes(
    target: Any, before: Mapping[Any, Any], after: Mapping[Any, Any]
) -> Iterator[tuple[Any, Any]]:
    """What is new in an object, by key; of a list, whose elements move, what it did not have."""
    if isinstance(target, list):
        old, new = list(map(id, before.values())), list(map(id, after.values()))
        yield from ((key, value) for key, value in after.items() if id(value) not in old)
        if any(item not in new for item in old) and len(new) < len(old):
            yield ("item", "removed"), GONE
        return
    for key in [*before, *(key for key in after if key not in before)]:
        value = after.get(key, GONE)
        if before.get(key, GONE) is not value:
            yield key, value
