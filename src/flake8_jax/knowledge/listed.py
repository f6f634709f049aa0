"""The options by which users list what is theirs; the tables know such things under these names."""

LISTED_BASE = "--jax-pytree-bases"
LISTED_DECORATOR = "--jax-pytree-decorators"
LISTED_TRANSFORM = "--jax-transforms"
LISTED_CACHED_PROPERTY = "--jax-cached-properties"


def listed(option: str, name: str) -> str:
    """What a dotted name that a user listed under an option refers to."""
    return f"{option}={name}"


def known_as(dotted: str) -> str:
    """The name under which the tables know something: that of the option, if a user listed it."""
    return dotted.partition("=")[0]


def shown(dotted: str) -> str:
    """The name of something for a message: its own, if a user listed it."""
    return dotted.rpartition("=")[2]
