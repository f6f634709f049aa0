"""What makes a class a pytree, and what its tree is made of.

Measured for every row; a fixture in ``fixtures/JAX101`` shows it.
"""

from dataclasses import dataclass
from enum import Enum

from flake8_jax.knowledge.listed import LISTED_BASE, LISTED_DECORATOR


class Filling(Enum):
    """What happens to the tree when something fills the instance's ``__dict__``."""

    UNSEEN = "only declared fields are flattened, so that what was filled in is dropped"
    CHANGES_TREE = "what was filled in becomes part of the tree, and changes its structure"
    KEPT = "the object travels whole, as a static part of the tree"
    REFUSED = "the instances have no __dict__, so that filling it raises"
    BREAKS = "an object that was filled cannot be flattened any more"


class Frozen(Enum):
    """When assigning an attribute of an instance raises."""

    NEVER = "never"
    ALWAYS = "always"
    UNLESS_FALSE = "unless the class says frozen=False"
    IF_TRUE = "if the class says frozen=True"
    UNLESS_MUTABLE = "unless the class says mutable=True"
    UNLESS_EVER_MUTABLE = "unless the class or one of its ancestors says mutable=True"
    AS_DATACLASS = "if dataclasses.dataclass says frozen=True"


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
    frozen: Frozen = Frozen.ALWAYS
    sealed: bool = False
    """Whether not even its own construction may assign attributes once it is frozen."""
    hashes: bool = False
    """Whether its objects hash by identity unless the class compares its fields."""
    thaws: bool = False
    """Whether the copies that the copy module makes can be assigned."""
    update: str = ".replace(...)"
    """How to make a changed copy of an instance; nothing where the library has no call for that."""


FLAX_NODE = Kind("flax.struct.PyTreeNode", heritable=True, frozen=Frozen.UNLESS_FALSE, sealed=True)
FLAX_DATACLASS = Kind("flax.struct.dataclass", frozen=Frozen.UNLESS_FALSE, sealed=True)
REGISTERED = Kind(
    "a class registered with jax.tree_util",
    frozen=Frozen.AS_DATACLASS,
    sealed=True,
    update="dataclasses.replace(...)",
)
REGISTERED_STATIC = Kind(
    "jax.tree_util.register_static",
    Filling.KEPT,
    frozen=Frozen.AS_DATACLASS,
    update="dataclasses.replace(...)",
)
CHEX = Kind("chex.dataclass", Filling.CHANGES_TREE, frozen=Frozen.IF_TRUE)
EQUINOX = Kind(
    "equinox.Module",
    Filling.CHANGES_TREE,
    heritable=True,
    thaws=True,
    update="equinox.tree_at(...)",
)
NNX = Kind(
    "flax.nnx.Pytree",
    Filling.CHANGES_TREE,
    heritable=True,
    switch="pytree",
    keeps_writes=True,
    frozen=Frozen.NEVER,
    hashes=True,
    update="",
)
JAX_DATACLASSES = Kind("jax_dataclasses.pytree_dataclass", update="jax_dataclasses.replace(...)")
PENZAI = Kind("penzai.pz.Struct", update="dataclasses.replace(...)")
TJAX = Kind(
    "tjax.dataclasses.dataclass",
    frozen=Frozen.UNLESS_FALSE,
    update="dataclasses.replace(...)",
)
SIMPLE_PYTREE = Kind(
    "simple_pytree.Pytree",
    Filling.BREAKS,
    heritable=True,
    frozen=Frozen.UNLESS_MUTABLE,
    hashes=True,
)
NETKET = Kind(
    "netket.utils.struct.Pytree",
    Filling.BREAKS,
    heritable=True,
    frozen=Frozen.UNLESS_EVER_MUTABLE,
    hashes=True,
)
NETKET_DATACLASS = Kind("netket.utils.struct.dataclass")
MJX = Kind("mujoco.mjx PyTreeNode", heritable=True, switch="register_as_pytree")
NUMPYRO = Kind("numpyro.distributions.Distribution", heritable=True, frozen=Frozen.NEVER, update="")
DISTRAX = Kind(
    "distrax.Jittable", Filling.CHANGES_TREE, heritable=True, frozen=Frozen.NEVER, update=""
)
NAMED_TUPLE = Kind(
    "NamedTuple",
    Filling.REFUSED,
    heritable=True,
    heir_filling=Filling.UNSEEN,
    update="._replace(...)",
)

BASES = {
    LISTED_BASE: Kind(LISTED_BASE, heritable=True, frozen=Frozen.NEVER, update=""),
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
    "numpyro.distributions.Distribution": NUMPYRO,
    "distrax.Bijector": DISTRAX,
    "distrax.Distribution": DISTRAX,
    "typing.NamedTuple": NAMED_TUPLE,
    "typing_extensions.NamedTuple": NAMED_TUPLE,
}
"""Base classes that make their subclasses pytrees."""

CONCRETE = {
    "flax.training.train_state.TrainState": FLAX_NODE,
    "flax.training.dynamic_scale.DynamicScale": FLAX_NODE,
    "brax.envs.State": FLAX_DATACLASS,
    "optax.EmptyState": NAMED_TUPLE,
    "optax.ScaleByAdamState": NAMED_TUPLE,
    "optax.TraceState": NAMED_TUPLE,
}
"""Classes that are used as they are, and are frozen."""

CREATORS = {"create": "flax.training.train_state.TrainState"}
"""Class methods that make an instance of the class, whichever subclass it is, and who has them."""

BASE_PACKAGES = {"equinox.nn": EQUINOX, "flax.nnx": NNX}
"""Packages in which every class is of one kind, so that any of them as a base will do."""

BASE_FACTORIES = {
    "collections.namedtuple": Kind("namedtuple", heritable=True, update="._replace(...)"),
    "typing.NamedTuple": Kind("NamedTuple", heritable=True, update="._replace(...)"),
}
"""Functions whose result, used as a base class, makes a pytree."""
MADE_CLASSES = {f"{name}(...)": kind for name, kind in BASE_FACTORIES.items()}
"""The classes that they make, as they are."""

MARKERS = {
    LISTED_DECORATOR: Kind(LISTED_DECORATOR, frozen=Frozen.NEVER, update=""),
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
    "chex.register_dataclass_type_with_jax_tree_util": REGISTERED,
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

UNFREEZES = frozenset({"__mutability__", "__setattr__"})
"""Members by which a frozen class decides for itself what may be assigned; the first one is the
switch that the classes of jax_dataclasses look at."""

KEEPS_CLASSES = frozenset(
    """beartype brax chex distrax equinox flax haiku jax jax_dataclasses jaxtyping mujoco netket
    numpy numpyro optax penzai simple_pytree tjax typeguard typing_extensions""".split()
)
"""Libraries whose base classes and decorators leave it to the tables what may be assigned."""

NEVER_ARRAYS = frozenset({"Callable", "Path", "bytes", "str", "type"})
"""The last part of the annotations of fields that no array goes into."""

NEVER_LEAVES = frozenset({"Generator", "Iterator"})
"""The last part of the annotations of fields that cannot be handed to jit."""

STATIC_FIELD_KEYWORDS = {"pytree_node": False, "static": True, "pytree": False}
"""What a field's call, or its ``metadata``, says when the field is not a leaf."""

STATIC_FIELD_CALLS = frozenset({"static_field"})
"""The last part of the names of calls that declare a static field."""

STATIC_ANNOTATIONS = frozenset({"ClassVar", "Static"})
"""The last part of the annotations of what is not a leaf."""
