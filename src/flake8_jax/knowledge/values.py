"""What calls and attributes yield: static data, or functions.

Static data is what JAX never traces: Python and numpy values that depend on shapes, types and
static fields alone.
"""

from flake8_jax.knowledge.caches import FUNCTION_CACHES
from flake8_jax.knowledge.transforms import KERNELS, TRANSFORMS

STATIC_ATTRIBUTES = frozenset(
    {
        "__class__",
        "__doc__",
        "__module__",
        "__name__",
        "__qualname__",
        "args_info",
        "aval",
        "devices",
        "dtype",
        "flags",
        "in_tree",
        "itemsize",
        "nbytes",
        "ndim",
        "out_info",
        "out_tree",
        "shape",
        "sharding",
        "size",
        "weak_type",
    }
)
"""Attributes that are static data on an array, traced or not (``flags`` on one of numpy alone), and
on a compiled function."""


def _below(package: str, names: str) -> frozenset[str]:
    return frozenset(f"{package}.{name}" for name in names.split())


ALWAYS_STATIC = (
    _below(
        "builtins",
        "ascii bin callable chr dir hasattr hash hex id isinstance issubclass len oct ord repr str "
        "type",
    )
    | _below(
        "jax",
        """NamedSharding P ShapeDtypeStruct default_backend device_count devices eval_shape
        local_device_count local_devices make_mesh process_count process_index process_indices
        typeof""",
    )
    | _below("jax.core", "ShapedArray concrete_or_error get_aval")
    | _below("jax.dtypes", "canonicalize_dtype issubdtype result_type")
    | _below("jax.experimental.mesh_utils", "create_device_mesh")
    | _below("jax.experimental.pallas", "BlockSpec GridSpec")
    | _below(
        "jax.lax",
        """ConvDimensionNumbers DotAlgorithm DotAlgorithmPreset FftType GatherDimensionNumbers
        GatherScatterMode Precision RaggedDotDimensionNumbers RandomAlgorithm RoundingMethod
        ScatterDimensionNumbers Tolerance axis_size broadcast_shapes conv_dimension_numbers
        conv_general_permutations conv_general_shape_tuple conv_shape_tuple
        conv_transpose_shape_tuple dtype padtype_to_pads reduce_window_shape_tuple""",
    )
    | _below(
        "jax.numpy",
        """broadcast_shapes can_cast dtype einsum_path finfo get_printoptions iinfo iscomplexobj
        isdtype isrealobj isscalar issubdtype iterable ndim printoptions promote_types result_type
        set_printoptions shape size""",
    )
    | _below("jax.random", "key_impl")
    | _below(
        "jax.sharding",
        """AbstractMesh AxisType Mesh NamedSharding PartitionSpec SingleDeviceSharding
        get_abstract_mesh""",
    )
    | _below("jax.tree", "structure")
    | _below(
        "jax.tree_util",
        """DictKey FlattenedIndexKey GetAttrKey SequenceKey all_leaves is_tree_node keystr
        tree_structure treedef_children treedef_is_leaf treedef_tuple""",
    )
    | _below("equinox", "filter_eval_shape is_array is_array_like is_inexact_array")
    | _below("dataclasses", "fields")
    | _below("numpy", "ndim shape size")
)
"""Calls that yield static data whatever they are given."""

DTYPES = _below(
    "jax.numpy",
    """bfloat16 bool bool_ cdouble character complex128 complex64 complex_ complexfloating csingle
    double e euler_gamma flexible float16 float32 float4_e2m1fn float64 float6_e2m3fn float6_e3m2fn
    float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2
    float8_e5m2fnuz float8_e8m0fnu float_ floating generic index_exp inexact inf int1 int16 int2
    int32 int4 int64 int8 int_ integer nan newaxis number object_ pi s_ signedinteger single uint
    uint1 uint16 uint2 uint32 uint4 uint64 uint8 unsignedinteger""",
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
    "abc",
    "collections",
    "dataclasses",
    "enum",
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
    "typing",
)
"""Packages whose functions compute in Python and numpy, and whose constants are static."""

TREE_BUILTINS = _below(
    "jax.tree",
    """all broadcast flatten flatten_with_path leaves leaves_with_path map map_with_path reduce
    transpose unflatten""",
) | _below(
    "jax.tree_util",
    """tree_all tree_broadcast tree_flatten tree_flatten_with_path tree_leaves
    tree_leaves_with_path tree_map tree_map_with_path tree_reduce tree_transpose tree_unflatten""",
)
"""Functions of JAX that take trees apart and put them together, in Python."""

_INITIALIZERS = """
    constant delta_orthogonal glorot_normal glorot_uniform he_normal he_uniform kaiming_normal
    kaiming_uniform lecun_normal lecun_uniform normal orthogonal truncated_normal uniform
    variance_scaling xavier_normal xavier_uniform"""

_OPTIMIZERS = _below(
    "optax",
    """adabelief adadelta adafactor adagrad adam adamax adamaxw adamw adan adaptive_grad_clip
    add_decayed_weights add_noise amsgrad apply_every apply_if_finite centralize chain clip
    clip_by_block_rms clip_by_global_norm constant_schedule cosine_decay_schedule
    cosine_onecycle_schedule ema exponential_decay flatten freeze fromage identity
    inject_hyperparams join_schedules keep_params_nonnegative lamb lars lbfgs
    linear_onecycle_schedule linear_schedule lion lookahead masked multi_transform nadam nadamw
    named_chain noisy_sgd normalize_by_update_norm novograd optimistic_gradient_descent partition
    piecewise_constant_schedule piecewise_interpolate_schedule polyak_sgd polynomial_schedule radam
    rmsprop rprop scale scale_by_adadelta scale_by_adam scale_by_adamax scale_by_adan
    scale_by_amsgrad scale_by_backtracking_linesearch scale_by_belief scale_by_lbfgs
    scale_by_learning_rate scale_by_lion scale_by_novograd scale_by_optimistic_gradient
    scale_by_param_block_norm scale_by_param_block_rms scale_by_polyak scale_by_radam scale_by_rms
    scale_by_rprop scale_by_rss scale_by_schedule scale_by_sign scale_by_sm3 scale_by_stddev
    scale_by_trust_ratio scale_by_yogi scale_by_zoom_linesearch set_to_zero sgd sgdr_schedule
    sign_sgd sm3 stateless trace value_and_grad_from_state warmup_constant_schedule
    warmup_cosine_decay_schedule warmup_exponential_decay_schedule yogi zero_nans""",
)

_WRAPPERS_BESIDES_TRANSFORMS = frozenset(
    {
        "chex.assert_max_traces",
        "equinox.filter_closure_convert",
        "equinox.filter_custom_jvp",
        "equinox.filter_custom_vjp",
        "equinox.filter_hessian",
        "equinox.filter_jacfwd",
        "equinox.filter_jacrev",
        "equinox.filter_pmap",
        "flax.nnx.custom_vjp",
        "flax.nnx.pmap",
        "flax.nnx.shard_map",
        "functools.partial",
        "functools.singledispatch",
        "jax.custom_batching.custom_vmap",
        "jax.custom_batching.sequential_vmap",
        "jax.custom_gradient",
        "jax.experimental.custom_partitioning.custom_partitioning",
        "jax.experimental.sparse.grad",
        "jax.experimental.sparse.jacfwd",
        "jax.experimental.sparse.jacobian",
        "jax.experimental.sparse.jacrev",
        "jax.experimental.sparse.sparsify",
        "jax.experimental.sparse.value_and_grad",
        "jax.named_call",
        "jax.tree_util.Partial",
    }
)

WRAPPERS = (
    frozenset(name for name, row in TRANSFORMS.items() if row.curried)
    | FUNCTION_CACHES
    | KERNELS
    | _WRAPPERS_BESIDES_TRANSFORMS
)
"""Calls that take a function and yield one: the transforms that hand one back, and others."""

FUNCTION_MAKERS = (
    WRAPPERS
    | _OPTIMIZERS
    | _below(
        "jax.checkpoint_policies",
        """offload_dot_with_no_batch_dims save_and_offload_only_these_names save_any_names_but_these
        save_anything_except_these_names save_from_both_policies save_only_these_names""",
    )
    | _below("jax.nn.initializers", _INITIALIZERS)
    | _below("flax.linen.initializers", f"{_INITIALIZERS} ones_init zeros_init")
    | _below("operator", "attrgetter itemgetter methodcaller")
)
"""Calls that yield a function, or a bundle of functions."""

FUNCTION_TYPES = frozenset({"Callable"})
"""The last part of the return annotations of what yields a function."""

STATIC_TYPES = frozenset({"bytes", "int", "str"})
"""Return annotations that promise static data, believed where the body calls nothing of JAX."""


TEXTS = frozenset({"builtins.str", "builtins.bytes"})
"""Types whose instances are never Tracers, whatever a field is annotated with besides."""
