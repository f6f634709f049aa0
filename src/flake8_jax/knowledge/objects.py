"""What functions and methods do to objects: copy them, change them, yield arrays."""

ARRAY_PACKAGES = (
    "jax.numpy",
    "jax.lax",
    "jax.nn",
    "jax.random",
    "jax.scipy",
    "jax.image",
    "numpy",
    "scipy",
    "math",
    "optax",
)
"""Packages whose functions yield arrays or numbers, and never an object that they were given."""

NEVER_TRACED = ("builtins.str", "builtins.repr", "builtins.format", "numpy.", "scipy.")
"""Functions whose results are never Tracers: numpy raises on one."""

ARRAY_MAKERS = ("jax.numpy", "jax.random", "jax.nn", "jax.lax")
"""Packages whose functions yield jax arrays."""

TAKES_CONTAINERS = frozenset(
    """array asarray block broadcast_arrays column_stack concat concatenate dstack fori_loop hstack
    map meshgrid scan select stack switch vstack while_loop cond""".split()
)
"""Functions of those packages whose arguments may be containers."""

ARRAY_TYPES = frozenset(
    {
        "jax.Array",
        "jax.numpy.ndarray",
        "jax.typing.ArrayLike",
        "jaxtyping.Array",
        "chex.Array",
        "chex.ArrayDevice",
        "jax.core.Tracer",
    }
)
"""Annotations of jax arrays; those of jaxtyping are known by what they subscript."""

SHALLOW_COPIES = frozenset({"copy.copy", "dataclasses.replace", "copy.replace"})
"""Functions that copy their first argument and share its members."""

TREE_MAPS = frozenset({"jax.tree.map", "jax.tree_map", "jax.tree_util.tree_map"})
"""Functions that map the leaves of trees."""

DEEP_COPIES = TREE_MAPS | frozenset(
    {
        "copy.deepcopy",
        "jax.tree_util.tree_map_with_path",
        "jax.tree.map_with_path",
        "jax.tree_util.tree_unflatten",
        "jax.tree.unflatten",
        "equinox.tree_at",
        "flax.nnx.merge",
        "flax.nnx.clone",
        "jax.device_put",
        "jax.device_get",
    }
)
"""Functions that build new objects from those that they are given."""

CALLS_AT_ONCE = TREE_MAPS | frozenset(
    {
        "builtins.filter",
        "builtins.max",
        "builtins.min",
        "builtins.sorted",
        "functools.reduce",
        "itertools.accumulate",
        "itertools.starmap",
        "jax.lax.associative_scan",
        "jax.tree.map_with_path",
        "jax.tree.reduce",
        "jax.tree_util.tree_map_with_path",
        "jax.tree_util.tree_reduce",
    }
)
"""Functions that call what they are given with elements of what else they are given."""

UPDATE_FUNCTIONS = {"dataclasses.replace": 0, "copy.replace": 0, "equinox.tree_at": 1}
"""Functions that do nothing but give an updated copy back, and which argument they copy."""

PUTS_ON_DEVICE = frozenset({"jax.device_put"})
"""Functions that hand back what they were given, as jax arrays: Tracers, where something traces."""

UPDATE_METHODS = frozenset({"_replace", "apply_gradients", "replace"})
"""Methods of pytrees that do nothing but give an updated copy back; of named tuples, of a
``TrainState``, and of most."""

PASSES_THROUGH = frozenset(
    f"jax.lax.{name}"
    for name in (
        "all_gather all_to_all optimization_barrier pmax pmean pmin ppermute psum pvary "
        "stop_gradient with_sharding_constraint"
    ).split()
)
"""Functions that give a tree of the same structure back."""

LIST_MAKERS = frozenset(
    f"jax.numpy.{name}"
    for name in "array_split broadcast_arrays dsplit hsplit meshgrid split vsplit".split()
)
"""Functions that yield lists of arrays."""

CONTAINER_COPIES = frozenset(
    f"builtins.{name}"
    for name in ("dict", "frozenset", "list", "reversed", "set", "sorted", "tuple")
)
"""Functions that make a new container with the elements of another."""

CONTAINER_FACTORIES = frozenset(
    {
        "builtins.dict",
        "builtins.list",
        "builtins.set",
        "collections.Counter",
        "collections.OrderedDict",
        "collections.defaultdict",
        "collections.deque",
    }
)
"""Functions whose result is a mutable container."""

CONTAINER_RESULTS = (
    *sorted(LIST_MAKERS),
    "builtins.sorted",
    "copy.",
    "jax.device_get",
    "jax.tree.",
    "jax.tree_map",
    "jax.tree_util.",
)
"""Beginnings of names of functions whose result may be, or hold, a new container."""

CONTAINER_TYPES = frozenset(
    {
        "Counter",
        "DefaultDict",
        "Dict",
        "List",
        "MutableMapping",
        "MutableSequence",
        "MutableSet",
        "OrderedDict",
        "Set",
        "defaultdict",
        "deque",
        "dict",
        "list",
        "set",
    }
)
"""The last part of the annotations of mutable containers."""

PER_THREAD = frozenset({"contextvars.ContextVar", "threading.local"})
"""What holds the state of contexts that code opens and closes around itself: whether a context is
open when a function is traced, and what becomes of what it collects, is not seen there."""

SHALLOW_METHODS = frozenset({"_replace", "apply_gradients", "copy", "replace"})
"""Methods that give back a copy which shares the members."""

ARITY = {"append": 1, "appendleft": 1, "extend": 1, "extendleft": 1, "insert": 2}
"""Methods that only containers have, if called so: their argument count, the result unused."""

CONTAINER_MUTATORS = ARITY.keys() | frozenset(
    """__delitem__ __setitem__ add clear difference_update discard intersection_update move_to_end
    pop popitem popleft remove reverse sort setdefault symmetric_difference_update update""".split()
)
"""Methods that change a container in place."""

KEYED = frozenset({"__delitem__", "__setitem__", "pop", "setdefault"})
"""Those of them that are given a key, and change what is there."""

REMOVALS = frozenset(
    """__delitem__ clear difference_update discard intersection_update move_to_end pop popitem
    popleft remove reverse sort""".split()
)
"""Those of them that put nothing in."""

GIVING = frozenset({"pop", "popitem", "popleft", "setdefault"})
"""Methods that change a container and give something back."""

ELEMENT_METHODS = frozenset({"get", "items", "pop", "popleft", "setdefault", "values"})
"""Methods that give elements of a container back."""

ARRAY_UPDATES = frozenset(
    {"add", "apply", "divide", "max", "min", "mul", "multiply", "power", "set", "subtract"}
)
"""Methods of ``x.at[…]`` that give an updated array back."""

ARRAY_METHODS = frozenset(
    """argsort astype clip conj cumprod cumsum dot flatten mean prod ravel reshape round squeeze std
    sum swapaxes transpose var""".split()
)
"""Methods that arrays have and that yield arrays."""

ARRAY_ATTRIBUTES = frozenset(
    {"T", "astype", "dtype", "mean", "ndim", "reshape", "shape", "size", "sum", "transpose"}
)
"""Attributes that tell that a parameter is an array."""

COMMON_NAMES = (
    CONTAINER_MUTATORS | ELEMENT_METHODS | SHALLOW_METHODS | ARRAY_UPDATES | ARRAY_ATTRIBUTES
) | frozenset(
    """apply build call close fit forward init keys log log_prob loss open prox read reset run
    sample shape split step update_state value write""".split()
)
"""Names of methods that too many classes have for one of them to be told by its name alone."""

EXPECTS_ERRORS = frozenset({"assertRaises", "assertRaisesRegex", "raises", "suppress"})
"""The last part of the names of what expects an error, of the block or function that it gets."""

REFERENCES = frozenset({"jax.new_ref", "jax.experimental.array_ref", "jax.array_ref"})
"""Functions that make a reference, to be written in place."""

CONSTRUCTION = frozenset(
    {
        "__check_init__",
        "__hash__",
        "__init__",
        "__init_subclass__",
        "__new__",
        "__post_init__",
        "__set_name__",
        "__setattr__",
        "__setstate__",
        "setup",
    }
)
"""Methods that make or identify the object: what they store is no cache of arrays."""
