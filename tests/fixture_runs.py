"""Fixtures driven once each, however many tests ask for what became of them."""

from functools import cache

from flake8_jax.evidence.instruments import run

run_once = cache(run)
"""What a drive of a fixture did. The files of fixtures do not change while tests run."""
