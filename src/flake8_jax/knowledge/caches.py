"""Decorators that cache, and those that jit."""

from flake8_jax.knowledge.listed import LISTED_CACHED_PROPERTY

OWN_CACHED_PROPERTY = "a cached property of the project's own"
CACHED_PROPERTIES = frozenset(
    {
        OWN_CACHED_PROPERTY,
        LISTED_CACHED_PROPERTY,
        "functools.cached_property",
        "cached_property.cached_property",
        "cached_property.cached_property_with_ttl",
        "cached_property.threaded_cached_property",
        "cached_property.threaded_cached_property_with_ttl",
        "cached_property.timed_cached_property",
        "cached_property.timed_threaded_cached_property",
        "backports.cached_property.cached_property",
        "werkzeug.utils.cached_property",
        "django.utils.functional.cached_property",
        "boltons.cacheutils.cachedproperty",
    }
)
"""Descriptors that keep a method's result in the instance's ``__dict__``."""

FUNCTION_CACHES = frozenset({"functools.cache", "functools.lru_cache"})
"""Decorators that keep a function's results by its arguments."""

JITS = frozenset(
    {
        "jax.jit",
        "equinox.filter_jit",
        "flax.linen.jit",
        "flax.nnx.jit",
        "jax_dataclasses.jit",
    }
)
"""Decorators whose result is a jitted function."""

NOT_BOUND = frozenset({"builtins.staticmethod", "builtins.classmethod"})
"""Decorators of functions that get no instance."""
