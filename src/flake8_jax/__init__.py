"""flake8-jax: finds what jax.jit drops, loses or leaks."""
