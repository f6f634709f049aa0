"""A pytree with a cached property: what flake8 says of it, and the same as a fixture."""

NODE = """\
import functools

import flax.struct
import jax


class Wave(flax.struct.PyTreeNode):
    signal: jax.Array

    @functools.cached_property
    def spectrum(self):
        return jax.numpy.fft.fft(self.signal)
"""
STATIC = NODE.replace("jax.numpy.fft.fft(self.signal)", "self.signal.shape[0]")
MESSAGE = (
    "JAX101 'Wave.spectrum' is recomputed in every jitted call: "
    "cached property on a pytree (struct.PyTreeNode); use @property"
)
STATIC_MESSAGE = (
    "JAX903 'Wave.spectrum' is recomputed at every trace: "
    "static cached property on a pytree (struct.PyTreeNode); use a static field"
)
HAZARD = """\
from functools import cached_property

import jax
import jax.numpy as jnp
from flax import struct


def expensive(signal):
    return jnp.sin(signal)


class Wave(struct.PyTreeNode):
    signal: jax.Array

    @cached_property  # want: JAX101:5
    def spectrum(self):
        return expensive(self.signal)


def drive(watch):
    wave = watch(Wave(signal=jnp.arange(3.0)))
    use = jax.jit(lambda node: node.spectrum)
    return use(wave), use(wave)
"""
LOOKALIKE = HAZARD.replace("@cached_property  # want: JAX101:5", "@property")
MARK = "  # want: JAX101:5"
