"""An agent that leaks, a kernel that caches, and a state that is changed in vain."""

from functools import cached_property, partial

import jax
import jax.numpy as jnp
from flax import struct


class Agent:
    def __init__(self):
        self.key = jax.random.key(0)

    @partial(jax.jit, static_argnums=0)
    def step(self, x):
        self.key, key = jax.random.split(self.key)
        return x + jax.random.normal(key)


class Kernel(struct.PyTreeNode):
    points: jax.Array

    @cached_property
    def gram(self):
        return self.points @ self.points.T


@struct.dataclass
class Fixed:
    n: jax.Array


class State(struct.PyTreeNode, frozen=False):
    n: jax.Array


@jax.jit
def loop(state, x):
    state.n = state.n + 1
    return x * 2


def _old(state):
    state.n = state.n + 1


old = jax.jit(_old)


@jax.jit
def project(kernel, x):
    return kernel.gram @ x


@jax.jit
def thrown_away(x):
    x.at[0].set(0.0)
    return x


def refused(fixed):
    fixed.n = 2


@jax.jit
def unused(state):
    state.n = state.n + 1


if __name__ == "__main__":
    import sys

    Agent().step(1.0)
    kernel = Kernel(jnp.eye(2))
    for _ in range(2):
        project(kernel, jnp.ones(2))
    print(kernel.gram.shape)
    project(kernel, jnp.ones((2, 2)))
    state = State(jnp.array(0))
    loop(state, 1.0)
    _old(state)
    thrown_away(jnp.ones(2))
    try:
        refused(Fixed(jnp.array(1)))
    except AttributeError as error:
        print(error)
    print(__file__, sys.argv, sys.path[0])
