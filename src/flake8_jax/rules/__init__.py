"""The rules, one module each, under its code."""

from flake8_jax.rules import jax101, jax102, jax103, jax104, jax903

RULES = (jax101.RULE, jax102.RULE, jax103.RULE, jax104.RULE, jax903.RULE)
