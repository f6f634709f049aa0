"""What makes a class a pytree, and what its tree is made of.

Measured for every row; a fixture in ``fixtures/JAX101`` shows it.
"""

from dataclasses import dataclass
from enum import Enum


class Filling(Enum):
    """What happens to the tree when something fills the instance's ``__dict__``."""

    UNSEEN = "only declared fields are flattened, so that what was filled in is dropped"
    CHANGES_TREE = "what was filled in becomes part of the tree, and changes its structure"
    KEPT = "the object travels whole, as a static part of the tree"
    REFUSED = "the instances have no __dict__, so that filling it raises"


@dataclass(frozen=True)
class Kind:
    """One way of being a pytree."""

    label: str
    filling: Filling = Filling.UNSEEN
    heritable: bool = False
    """Whether a subclass is a pytree without being marked itself."""
    heir_filling: Filling | None = None
    """What a subclass does instead, where that differs."""
    switch: str | None = None
    """The class keyword that, set to False, keeps a subclass from being a pytree."""
    keeps_writes: bool = False
    """Whether the library has transforms of its own that carry writes back to the caller."""


FLAX_NODE = Kind("flax.struct.PyTreeNode", heritable=True)
FLAX_DATACLASS = Kind("flax.struct.dataclass")
REGISTERED = Kind("a class registered with jax.tree_util")
REGISTERED_STATIC = Kind("jax.tree_util.register_static", Filling.KEPT)
CHEX = Kind("chex.dataclass", Filling.CHANGES_TREE)
EQUINOX = Kind("equinox.Module", Filling.CHANGES_TREE, heritable=True)
NNX = Kind(
    "flax.nnx.Pytree", Filling.CHANGES_TREE, heritable=True, switch="pytree", keeps_writes=True
)
JAX_DATACLASSES = Kind("jax_dataclasses.pytree_dataclass")
PENZAI = Kind("penzai.pz.Struct")
TJAX = Kind("tjax.dataclasses.dataclass")
SIMPLE_PYTREE = Kind("simple_pytree.Pytree", Filling.CHANGES_TREE, heritable=True)
NETKET = Kind("netket.utils.struct.Pytree", Filling.CHANGES_TREE, heritable=True)
NETKET_DATACLASS = Kind("netket.utils.struct.dataclass")
MJX = Kind("mujoco.mjx PyTreeNode", heritable=True, switch="register_as_pytree")
NAMED_TUPLE = Kind("NamedTuple", Filling.REFUSED, heritable=True, heir_filling=Filling.UNSEEN)

BASES = {
    "flax.struct.PyTreeNode": FLAX_NODE,
    "flax.training.train_state.TrainState": FLAX_NODE,
    "flax.training.dynamic_scale.DynamicScale": FLAX_NODE,
    "flax.nnx.Module": NNX,
    "flax.nnx.Pytree": NNX,
    "flax.nnx.Object": NNX,
    "equinox.Module": EQUINOX,
    "simple_pytree.Pytree": SIMPLE_PYTREE,
    "netket.utils.struct.Pytree": NETKET,
    "mujoco.mjx.PyTreeNode": MJX,
    "typing.NamedTuple": NAMED_TUPLE,
    "typing_extensions.NamedTuple": NAMED_TUPLE,
}
"""Base classes that make their subclasses pytrees."""

BASE_PACKAGES = {"equinox.nn": EQUINOX, "flax.nnx": NNX}
"""Packages in which every class is of one kind, so that any of them as a base will do."""

BASE_FACTORIES = {
    "collections.namedtuple": Kind("namedtuple", heritable=True),
    "typing.NamedTuple": Kind("NamedTuple", heritable=True),
}
"""Functions whose result, used as a base class, makes a pytree."""

MARKERS = {
    "flax.struct.dataclass": FLAX_DATACLASS,
    "chex.dataclass": CHEX,
    "flax.nnx.dataclass": NNX,
    "flax.nnx.register_data_type": NNX,
    "jax_dataclasses.pytree_dataclass": JAX_DATACLASSES,
    "penzai.core.struct.pytree_dataclass": PENZAI,
    "penzai.pz.pytree_dataclass": PENZAI,
    "tjax.dataclasses.dataclass": TJAX,
    "netket.utils.struct.dataclass": NETKET_DATACLASS,
    "simple_pytree.dataclass": SIMPLE_PYTREE,
    "jax.tree_util.register_dataclass": REGISTERED,
    "jax.tree_util.register_pytree_node": REGISTERED,
    "jax.tree_util.register_pytree_node_class": REGISTERED,
    "jax.tree_util.register_pytree_with_keys": REGISTERED,
    "jax.tree_util.register_pytree_with_keys_class": REGISTERED,
    "jax.tree_util.register_static": REGISTERED_STATIC,
}
"""Functions that make the class they are given a pytree, as a decorator or as a call."""

CLASS_KEYWORDS = ("nodetype", "clz", "cls", "klass")
"""The parameter names under which a marker may be handed its class."""

ALIASES = {
    "flax.experimental.nnx": "flax.nnx",
    "penzai.pz.Struct": "penzai.core.struct.Struct",
    "mujoco.mjx._src.dataclasses.PyTreeNode": "mujoco.mjx.PyTreeNode",
    "jax._src.tree_util": "jax.tree_util",
    "equinox._module.Module": "equinox.Module",
    "netket.utils.struct.pytree.Pytree": "netket.utils.struct.Pytree",
    "netket.utils.struct.dataclass.dataclass": "netket.utils.struct.dataclass",
    "chex._src.dataclass.dataclass": "chex.dataclass",
    "jax.experimental.pjit.pjit": "jax.jit",
    "flax.linen.jit": "jax.jit",
}
"""Other names of the same things; a prefix stands for all that is below it."""

STATIC_FIELD_KEYWORDS = {"pytree_node": False, "static": True, "pytree": False}
"""What a field's call, or its ``metadata``, says when the field is not a leaf."""

STATIC_FIELD_CALLS = frozenset({"static_field"})
"""The last part of the names of calls that declare a static field."""

STATIC_ANNOTATIONS = frozenset({"ClassVar", "Static"})
"""The last part of the annotations of what is not a leaf."""
