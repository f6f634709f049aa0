"""How far flake8-jax can be trusted, measured on code that was not written for it."""
