"""What functions and methods do to objects: copy them, change them, yield arrays."""

import re
from collections.abc import Mapping

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

HANDS_OVER = frozenset(
    f"numpy.{name}"
    for name in """all amax amin any argmax argmin argsort around array_split cumprod cumsum flip
    hsplit imag isreal max mean min moveaxis permute_dims prod real repeat reshape rollaxis round
    searchsorted split squeeze std sum swapaxes transpose unstack var vsplit""".split()
)
"""Functions of numpy that hand over to the method of the array, or take it apart: they give a
Tracer for one."""

CONVERSIONS = frozenset(
    {
        *(f"builtins.{name}" for name in ("bool", "bytes", "complex", "float", "int", "range")),
        "operator.contains",
        "operator.index",
        "operator.not_",
        "operator.truth",
    }
)
"""Functions that make a plain value of an array; of a Tracer they make none, they raise."""

_ASKING = re.compile(
    "tracer|tracing|traced|concrete|trace_state|(in|under|inside)_(a_)?(jit|trace)"
)


def asks_about_tracers(name: str | None) -> bool:
    """Whether a function that is not known asks about Tracers, by its name."""
    return name is not None and _ASKING.search(name.lower()) is not None


CONVERTING_METHODS = frozenset({"is_integer", "item", "tobytes", "tolist"})
"""Methods of arrays that do the same."""

ARRAY_MAKERS = ("jax.numpy", "jax.random", "jax.nn", "jax.lax")
"""Packages whose functions yield jax arrays."""

SIZES: Mapping[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    **dict.fromkeys(
        (f"jax.numpy.{name}" for name in ("zeros", "ones", "empty", "full")), ((0,), ("shape",))
    ),
    **dict.fromkeys(("jax.numpy.eye", "jax.numpy.tri"), ((0, 1), ("N", "M"))),
    "jax.numpy.identity": ((0,), ("n",)),
    "jax.numpy.arange": ((0, 1, 2), ("start", "stop", "step")),
    "jax.numpy.linspace": ((2,), ("num",)),
    "jax.numpy.broadcast_to": ((1,), ("shape",)),
    "jax.numpy.tile": ((1,), ("reps",)),
    "jax.random.normal": ((1,), ("shape",)),
    "jax.random.uniform": ((1,), ("shape",)),
}
"""Which arguments of functions that make arrays say how large they are: they are no Tracers."""

TAKES_TO_HOST = frozenset({"jax.device_get"})
"""Functions that make numpy arrays of jax arrays."""

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

UPDATE_FUNCTIONS = {
    "copy.replace": 0,
    "dataclasses.replace": 0,
    "equinox.apply_updates": 0,
    "equinox.tree_at": 1,
    "flax.core.copy": 0,
    "flax.core.frozen_dict.copy": 0,
    "optax.apply_updates": 0,
    "optax.incremental_update": 1,
    "optax.periodic_update": 1,
}
"""Functions that do nothing but give an updated copy back, and which argument they copy."""

UPDATES_OF_TREES = frozenset(UPDATE_FUNCTIONS) - {
    "copy.replace",
    "dataclasses.replace",
    "equinox.tree_at",
}
"""Those of them that copy any tree; the others copy objects, which may be no pytrees."""

FROZEN_DICTS = dict.fromkeys(
    (
        "flax.core.FrozenDict",
        "flax.core.freeze",
        "flax.core.frozen_dict.FrozenDict",
        "flax.core.frozen_dict.freeze",
    ),
    "flax.core.FrozenDict",
)
"""Functions that make a dict which cannot be changed, and its class."""
FROZEN_DICT_UPDATES = frozenset({"copy", "pop"})
"""The methods of such a dict that give an updated copy back."""

PUTS_ON_DEVICE = frozenset({"jax.device_put"})
"""Functions that hand back what they were given, as jax arrays: Tracers, where something traces."""

UPDATE_METHODS = frozenset({"_replace", "apply_gradients", "replace"})
"""Methods of pytrees that do nothing but give an updated copy back; of named tuples, of a
``TrainState``, and of most."""

SAMPLES = frozenset({"numpyro.sample", "numpyro.primitives.sample"})
"""Functions by which probabilistic models draw arrays."""
HANDLERS = frozenset(
    f"numpyro.handlers.{name}"
    for name in (
        "block collapse condition do infer_config lift mask reparam replay scale scope seed "
        "substitute trace uncondition"
    ).split()
)
"""Functions that make of a model one that is run in another way."""
RUNS_MODEL = "get_trace"
"""The method by which that is done, where it is not just called."""

PASSES_THROUGH = frozenset(
    f"jax.lax.{name}"
    for name in (
        "all_gather all_to_all optimization_barrier pmax pmean pmin ppermute psum pvary "
        "stop_gradient with_sharding_constraint"
    ).split()
)
"""Functions that give a tree of the same structure back."""

LAYERS = frozenset(
    f"{package}.{name}"
    for package, names in {
        "equinox.nn": """Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d Embedding GroupNorm
        LayerNorm Linear MLP RMSNorm""",
        "flax.linen": """BatchNorm Conv ConvLocal ConvTranspose Dense DenseGeneral Einsum Embed
        GroupNorm InstanceNorm LayerNorm MultiHeadAttention MultiHeadDotProductAttention RMSNorm
        SelfAttention""",
        "flax.nnx": """BatchNorm Conv ConvTranspose Einsum Embed GroupNorm InstanceNorm LayerNorm
        Linear LinearGeneral MultiHeadAttention RMSNorm""",
        "haiku": "Conv1D Conv2D Conv2DTranspose Embed LayerNorm Linear RMSNorm nets.MLP",
    }.items()
    for name in names.split()
)
"""Classes of libraries whose instances give an array back when they are called."""
CALLED_LAYERS = frozenset(f"{name}(...)" for name in LAYERS)
"""Such instances, as what is called."""

NNX_VARIABLES = frozenset(
    f"flax.nnx.{name}"
    for name in "BatchStat Cache Intermediate LoRAParam Param Perturbation Variable".split()
)
"""Classes of what holds an array, to be set as a whole or by its elements.

One that was made outside of a trace refuses that."""
VALUE = "value"
"""The attribute that holds the array."""
SETS_VALUE = frozenset({"set_raw_value", "set_value"})
"""Methods that set it."""

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
        "array.array",
        "builtins.bytearray",
        "collections.ChainMap",
        "collections.UserDict",
        "collections.UserList",
        "queue.LifoQueue",
        "queue.PriorityQueue",
        "queue.Queue",
        "queue.SimpleQueue",
        "weakref.WeakKeyDictionary",
        "weakref.WeakSet",
        "weakref.WeakValueDictionary",
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
        "ChainMap",
        "Counter",
        "DefaultDict",
        "Deque",
        "Dict",
        "List",
        "MutableMapping",
        "MutableSequence",
        "MutableSet",
        "OrderedDict",
        "Set",
        "UserDict",
        "UserList",
        "bytearray",
        "defaultdict",
        "deque",
        "dict",
        "list",
        "set",
    }
)
"""The last part of the annotations of mutable containers."""

TYPED_DICTS = frozenset({"typing.TypedDict", "typing_extensions.TypedDict"})
PROTOCOLS = frozenset({"typing.Protocol", "typing_extensions.Protocol"})
"""Bases of classes that only describe what others are to have."""
"""Base classes, and functions that make classes, whose instances are plain dicts."""

OPAQUE_TYPES = frozenset(
    """ChainMap Counter Deque LifoQueue MutableSet PriorityQueue Queue Set SimpleQueue UserDict
    UserList WeakKeyDictionary WeakSet WeakValueDictionary array bytearray deque set""".split()
)
"""Those of them that are no pytrees: as an argument, every transform refuses them or hands them
over as they are. Subclasses of dict and list are none either."""

DEQUE_METHODS = frozenset({"appendleft", "extendleft", "popleft"})
"""Methods that only a deque has."""

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

ELEMENT_UPDATES = {"+": "add", "/": "divide", "*": "multiply", "**": "power", "-": "subtract"}
"""The methods of ``x.at[…]`` for augmented assignments, by their operators."""

ARRAY_METHODS = frozenset(
    """argsort astype clip conj cumprod cumsum dot flatten mean prod ravel reshape round squeeze std
    sum swapaxes transpose var""".split()
)
"""Methods that arrays have and that yield arrays."""

COMPUTING_METHODS = frozenset({"apply", "apply_fn", "log_prob"})
"""Methods of models and distributions that compute arrays of arrays, whatever object has them."""

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

REFUSALS = frozenset(
    {"AttributeError", "BaseException", "Exception", "FrozenInstanceError", "TypeError"}
)
"""The last part of the names of what a forbidden assignment raises, and of what catches it."""

KEEPS_SIGNATURE = frozenset(
    {
        "abc.abstractmethod",
        "contextlib.asynccontextmanager",
        "contextlib.contextmanager",
        "flax.linen.add_metadata_axis",
        "flax.linen.checkpoint",
        "flax.linen.compact",
        "flax.linen.map_variables",
        "flax.linen.named_call",
        "flax.linen.nowrap",
        "flax.linen.remat",
        "flax.linen.remat_scan",
        "flax.linen.scan",
        "flax.linen.vmap",
        "functools.wraps",
        "jax.named_call",
        "jax.named_scope",
        "typing.final",
        "typing.override",
    }
)
"""Decorators whose result is called just as the function, or the class, that they decorate."""

IMPLICIT = {
    f"builtins.{name}": f"__{name}__" for name in ("abs", "bool", "iter", "len", "next", "reversed")
}
"""Functions that call a method of what they are given."""

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

ALWAYS_ARRAYS = frozenset(
    f"{package}.{name}"
    for package, names in {
        "jax.numpy": """abs arange array asarray clip concatenate copy cos cumprod cumsum diag dot
        einsum empty empty_like exp eye flip full full_like hstack identity linspace log logspace
        matmul maximum minimum ones ones_like outer pad ravel repeat reshape roll sin sort sqrt
        stack sum tile transpose tri tril triu vstack zeros zeros_like""",
        "jax.random": """bernoulli beta categorical exponential gamma normal permutation randint
        truncated_normal uniform""",
        "jax.nn": "one_hot relu sigmoid softmax",
    }.items()
    for name in names.split()
)
"""Functions that give a jax array back, whatever they are given."""
