"""A program without jit that fails in the end."""

import jax

SEEN = []


@jax.jit
def noted(x):
    SEEN.append(x)
    return x / 0


with jax.disable_jit():
    print(noted(1))
