"""Confirms by measurement, under the installed jax, what the rules say by reading."""
