"""The command ``flake8-jax``: what flake8 itself cannot do."""
