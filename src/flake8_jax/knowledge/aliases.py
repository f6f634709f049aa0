"""Other names of the same things, so that each table needs one."""

_ACTIVATIONS = """celu elu gelu glu hard_sigmoid hard_silu hard_swish hard_tanh leaky_relu
log_sigmoid log_softmax logsumexp normalize one_hot relu relu6 selu sigmoid silu soft_sign softmax
softplus standardize swish tanh""".split()
"""Functions of jax.nn that libraries of layers have, too."""

ALIASES = {
    **{
        f"flax.{package}.{name}": f"jax.nn.{name}"
        for package in ("linen", "nnx")
        for name in _ACTIVATIONS
    },
    "brax.envs.base.State": "brax.envs.State",
    "chex._src.dataclass.dataclass": "chex.dataclass",
    "equinox._module.Module": "equinox.Module",
    "flax.experimental.nnx": "flax.nnx",
    "flax.nnx.checkpoint": "flax.nnx.remat",
    "jax._src.tree_util": "jax.tree_util",
    "jax.ad_checkpoint.checkpoint": "jax.checkpoint",
    "jax.custom_derivatives.custom_gradient": "jax.custom_gradient",
    "jax.custom_derivatives.custom_jvp": "jax.custom_jvp",
    "jax.custom_derivatives.custom_vjp": "jax.custom_vjp",
    "jax.experimental.pjit.pjit": "jax.jit",
    "jax.experimental.shard_map.shard_map": "jax.shard_map",
    "jax.remat": "jax.checkpoint",
    "mujoco.mjx._src.dataclasses.PyTreeNode": "mujoco.mjx.PyTreeNode",
    "numpyro.distributions.distribution.Distribution": "numpyro.distributions.Distribution",
    "netket.utils.struct.dataclass.dataclass": "netket.utils.struct.dataclass",
    "netket.utils.struct.pytree.Pytree": "netket.utils.struct.Pytree",
}
"""A prefix stands for all that is below it."""
