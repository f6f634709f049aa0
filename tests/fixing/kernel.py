"""Files that fixes change: a kernel with a cache, an unsafe fix, and an app of the kernel."""

from pathlib import Path

KERNEL = """\
from functools import cached_property

import jax
from flax import struct


class Kernel(struct.PyTreeNode):
    points: jax.Array

    @cached_property  # of the points
    def gram(self):
        return self.points @ self.points.T
"""
FIXED = """\
import jax
from flax import struct


class Kernel(struct.PyTreeNode):
    points: jax.Array

    @property  # of the points
    def gram(self):
        return self.points @ self.points.T
"""
UNSAFE = """\
import jax


@jax.jit
def pinned(x: jax.Array):
    x.at[0].set(0.0)
    return x
"""
APP = """\
import jax
import jax.numpy as jnp

from kernel import Kernel

KERNEL = Kernel(jnp.ones(3))


@jax.jit
def apply(x):
    return KERNEL.gram @ x
"""
"""What keeps a Tracer as long as the kernel has a cache."""


def write(path: Path, text: str | bytes = KERNEL) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path
