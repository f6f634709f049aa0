"""The options by which users list what is theirs; the tables know such things under these names."""

LISTED_BASE = "--jax-pytree-bases"
LISTED_DECORATOR = "--jax-pytree-decorators"
LISTED_TRANSFORM = "--jax-transforms"
LISTED_CACHED_PROPERTY = "--jax-cached-properties"
