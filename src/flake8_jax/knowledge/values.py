"""What calls and attributes yield: static data, or functions.

Static data is what JAX never traces: Python and numpy values that depend on shapes, types and
static fields alone.
"""

STATIC_ATTRIBUTES = frozenset(
    {
        "__class__",
        "__name__",
        "__qualname__",
        "dtype",
        "itemsize",
        "nbytes",
        "ndim",
        "shape",
        "size",
    }
)
"""Attributes that are static data on an array, traced or not."""

STATIC_METHODS = frozenset({"keys"})
"""Methods that yield static data of a dict, whatever its values are."""

ALWAYS_STATIC = frozenset(
    {
        "builtins.callable",
        "builtins.hasattr",
        "builtins.hash",
        "builtins.id",
        "builtins.isinstance",
        "builtins.issubclass",
        "builtins.len",
        "builtins.type",
        "jax.ShapeDtypeStruct",
        "jax.device_count",
        "jax.devices",
        "jax.eval_shape",
        "jax.local_device_count",
        "jax.local_devices",
        "jax.make_mesh",
        "jax.numpy.broadcast_shapes",
        "jax.numpy.dtype",
        "jax.numpy.finfo",
        "jax.numpy.iinfo",
        "jax.numpy.issubdtype",
        "jax.numpy.ndim",
        "jax.numpy.result_type",
        "jax.numpy.shape",
        "jax.numpy.size",
        "jax.sharding.Mesh",
        "jax.sharding.NamedSharding",
        "jax.sharding.PartitionSpec",
        "jax.tree.structure",
        "jax.tree_util.tree_structure",
        "numpy.ndim",
        "numpy.shape",
        "numpy.size",
    }
)
"""Calls that yield static data whatever they are given."""

DTYPES = frozenset(
    f"jax.numpy.{name}"
    for name in (
        "bfloat16 bool_ complex128 complex64 float16 float32 float64 int16 int32 int64 int8 uint16 "
        "uint32 uint64 uint8 inf nan pi"
    ).split()
)
"""Types and constants of JAX that are static data."""

PYTHON_BUILTINS = frozenset(
    f"builtins.{name}"
    for name in (
        "abs all any bin bool bytes chr complex dict divmod enumerate filter float format "
        "frozenset getattr hex int iter list map max min next oct ord pow range repr reversed "
        "round set slice sorted str sum tuple zip"
    ).split()
)
"""Calls that yield static data when all that they are given is static."""

PYTHON_PACKAGES = (
    "collections",
    "dataclasses",
    "fractions",
    "functools",
    "hashlib",
    "itertools",
    "json",
    "logging",
    "math",
    "numpy",
    "operator",
    "os",
    "pathlib",
    "re",
    "scipy",
    "string",
    "types",
)
"""Packages whose functions compute in Python and numpy, and whose constants are static."""

FUNCTION_MAKERS = frozenset(
    {
        "functools.partial",
        "jax.checkpoint",
        "jax.grad",
        "jax.hessian",
        "jax.jacfwd",
        "jax.jacrev",
        "jax.jit",
        "jax.pmap",
        "jax.remat",
        "jax.shard_map",
        "jax.value_and_grad",
        "jax.vmap",
        "jax.custom_jvp",
        "jax.custom_vjp",
        "jax.numpy.vectorize",
        "jax.tree_util.Partial",
        "equinox.filter_grad",
        "equinox.filter_jit",
        "equinox.filter_value_and_grad",
        "equinox.filter_vmap",
        "flax.nnx.grad",
        "flax.nnx.jit",
        "flax.nnx.value_and_grad",
        "flax.nnx.vmap",
        "operator.attrgetter",
        "operator.itemgetter",
    }
)
"""Calls that yield a function."""

FUNCTION_TYPES = frozenset({"Callable"})
"""The last part of the return annotations of what yields a function."""

STATIC_TYPES = frozenset({"bytes", "int", "str"})
"""Return annotations that promise static data, believed where the body calls nothing of JAX."""
