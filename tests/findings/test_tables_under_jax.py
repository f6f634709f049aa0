"""What the tables call static data, or a function, is that in JAX, also while it traces."""

import importlib
import re
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from benchmarks.gates import opened, shown
from flake8_jax.knowledge.listed import LISTED_TRANSFORM
from flake8_jax.knowledge.transforms import TRANSFORMS
from flake8_jax.knowledge.values import ALWAYS_STATIC, DTYPES, FUNCTION_MAKERS

SPECS = "in_specs=jax.P(), out_specs=jax.P(), mesh=MESH"
MAKERS = {
    **dict.fromkeys(sorted(FUNCTION_MAKERS - {LISTED_TRANSFORM}), "(f)"),
    "chex.assert_max_traces": "(f, 9)",
    "equinox.filter_closure_convert": "(f, 1.0)",
    "flax.nnx.shard_map": f"(f, {SPECS})",
    "jax.experimental.pallas.pallas_call": "(f, out_shape=jax.ShapeDtypeStruct((3,), 'float32'))",
    "jax.export.export": "(jax.jit(f))",
    "jax.shard_map": f"(f, {SPECS})",
    "operator.attrgetter": "('size')",
    "operator.itemgetter": "(0)",
    "operator.methodcaller": "('sum')",
}
for _package in ("jax.nn.initializers", "flax.linen.initializers"):
    MAKERS |= {name: "()" for name in MAKERS if name.startswith(_package)}
    MAKERS[f"{_package}.constant"] = "(0.5)"
    MAKERS[f"{_package}.variance_scaling"] = "(1.0, 'fan_in', 'normal')"
MAKERS |= {
    f"jax.checkpoint_policies.{name}": given
    for name, given in {
        "offload_dot_with_no_batch_dims": "('device', 'pinned_host')",
        "save_and_offload_only_these_names": "(names_which_can_be_saved=[], "
        "names_which_can_be_offloaded=[], offload_src='device', offload_dst='pinned_host')",
        "save_any_names_but_these": "('a')",
        "save_anything_except_these_names": "('a')",
        "save_from_both_policies": "(jax.checkpoint_policies.dots_saveable, "
        "jax.checkpoint_policies.nothing_saveable)",
        "save_only_these_names": "('a')",
    }.items()
}
OPTIMIZERS = {name for name in FUNCTION_MAKERS if name.startswith("optax.")}
STATIC = {
    "builtins": {
        **dict.fromkeys("ascii callable dir id repr str type".split(), "(x)"),
        **dict.fromkeys("bin chr hash hex oct".split(), "(65)"),
        "hasattr": "(x, 'size')",
        "isinstance": "(x, int)",
        "issubclass": "(int, object)",
        "len": "(x)",
        "ord": "('a')",
    },
    "equinox": {
        **dict.fromkeys("is_array is_array_like is_inexact_array".split(), "(x)"),
        "filter_eval_shape": "(jnp.sin, x)",
    },
    "jax": {
        **dict.fromkeys(
            """default_backend device_count devices local_device_count local_devices process_count
            process_index process_indices""".split(),
            "()",
        ),
        "NamedSharding": "(MESH, jax.P())",
        "P": "('x')",
        "ShapeDtypeStruct": "((3,), 'float32')",
        "eval_shape": "(jnp.sin, x)",
        "make_mesh": "((1,), ('x',))",
        "typeof": "(x)",
    },
    "dataclasses": {"fields": "(dataclasses.make_dataclass('Pair', ['one', 'other']))"},
    "jax.core": {
        "ShapedArray": "((3,), jnp.dtype('float32'))",
        "concrete_or_error": "(int, 3)",
        "get_aval": "(x)",
    },
    "jax.dtypes": {
        "canonicalize_dtype": "('float64')",
        "issubdtype": "(x.dtype, jnp.floating)",
        "result_type": "(x)",
    },
    "jax.experimental.mesh_utils": {"create_device_mesh": "((1,))"},
    "jax.experimental.pallas": {"BlockSpec": "((8, 8), lambda i: (i, 0))", "GridSpec": "(grid=1)"},
    "jax.lax": {
        "ConvDimensionNumbers": "((0, 1), (0, 1), (0, 1))",
        "DotAlgorithm": "('float32', 'float32', 'float32', 1, 1, 1, False)",
        "DotAlgorithmPreset": "['DEFAULT']",
        "FftType": "(0)",
        "GatherDimensionNumbers": "((0,), (0,), (0,))",
        "GatherScatterMode": "['CLIP']",
        "Precision": "('highest')",
        "RaggedDotDimensionNumbers": "((((0,), (0,)), ((), ())), [0], [0])",
        "RandomAlgorithm": "(0)",
        "RoundingMethod": "(0)",
        "ScatterDimensionNumbers": "((0,), (0,), (0,))",
        "Tolerance": "(1e-3, 0.0, 0)",
        "axis_size": "('i')",
        "broadcast_shapes": "((3,), (1,))",
        "conv_dimension_numbers": "((1, 1, 4), (1, 1, 2), ('NCH', 'OIH', 'NCH'))",
        "conv_general_permutations": "(('NCH', 'OIH', 'NCH'))",
        "conv_general_shape_tuple": "((1, 1, 4), (1, 1, 2), (1,), 'SAME', ('NCH', 'OIH', 'NCH'))",
        "conv_shape_tuple": "((1, 1, 4), (1, 1, 2), (1,), 'SAME')",
        "conv_transpose_shape_tuple": "((1, 1, 4), (1, 1, 2), (1,), 'SAME', ('NCH', 'OIH', 'NCH'))",
        "dtype": "(x)",
        "padtype_to_pads": "((4,), (2,), (1,), 'SAME')",
        "reduce_window_shape_tuple": "((4,), (2,), (1,), ((0, 0),))",
    },
    "jax.numpy": {
        **dict.fromkeys(
            "iscomplexobj isrealobj isscalar iterable ndim result_type shape size".split(), "(x)"
        ),
        **dict.fromkeys("can_cast promote_types".split(), "('int8', 'float32')"),
        **dict.fromkeys("get_printoptions printoptions".split(), "()"),
        "broadcast_shapes": "((3,), (1,))",
        "dtype": "('float32')",
        "einsum_path": "('i,i->', x, x)",
        "finfo": "('float32')",
        "iinfo": "('int8')",
        "isdtype": "(x.dtype, 'real floating')",
        "issubdtype": "(x.dtype, jnp.floating)",
        "set_printoptions": "()",
    },
    "jax.random": {"key_impl": "(jax.random.key(0))"},
    "jax.sharding": {
        "get_abstract_mesh": "()",
        "AbstractMesh": "((1,), ('x',))",
        "AxisType": "['Auto']",
        "Mesh": "(jax.devices(), ('x',))",
        "NamedSharding": "(MESH, jax.P())",
        "PartitionSpec": "('x')",
        "SingleDeviceSharding": "(jax.devices()[0])",
    },
    "jax.tree": {"structure": "({'x': x})"},
    "jax.tree_util": {
        **dict.fromkeys("DictKey FlattenedIndexKey SequenceKey".split(), "(0)"),
        **dict.fromkeys("treedef_children treedef_is_leaf".split(), "(jax.tree.structure([x]))"),
        "GetAttrKey": "('x')",
        "all_leaves": "([x])",
        "is_tree_node": "(list)",
        "keystr": "(())",
        "tree_structure": "([x])",
        "treedef_tuple": "([jax.tree.structure(x)])",
    },
    "numpy": dict.fromkeys("ndim shape size".split(), "(x)"),
}
CALLS = {f"{package}.{name}": given for package, of in STATIC.items() for name, given in of.items()}


def _traced(expression: str) -> Any:
    """What an expression yields when a function that jit traces evaluates it first."""
    kept = []
    scope = {"jax": jax, "jnp": jnp, "MESH": jax.make_mesh((1,), ("x",)), "f": lambda x, *_: x}
    parts = re.split(r"[(\[]", expression)[0].split(".")
    scope[parts[0]] = importlib.import_module(parts[0])

    def first(x: jax.Array) -> jax.Array:
        kept.append(eval(expression, {**scope, "x": x}))
        return x

    with_axis = jax.vmap(first, in_axes=None, out_axes=None, axis_size=2, axis_name="i")
    jax.jit(with_axis)(jnp.ones(3))
    return kept[0]


def _exists(name: str) -> bool:
    """Whether the installed libraries have a member of a name; its module is imported."""
    parts = name.split(".")
    found: Any = importlib.import_module(parts[0])
    for count, part in enumerate(parts[1:], 2):
        if not hasattr(found, part):
            try:
                importlib.import_module(".".join(parts[:count]))
            except ImportError:
                return False
        found = getattr(found, part)
    return True


def _existing(names: list[str]) -> list[str]:
    return [name for name in names if _exists(name)]


def _holds_tracer(value: Any) -> bool:
    return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(value))


def test_each_transform_that_hands_back_a_function_makes_one() -> None:
    for name, row in TRANSFORMS.items():
        assert (name in FUNCTION_MAKERS) == row.curried, name


def test_each_static_call_has_an_example() -> None:
    assert set(CALLS) == ALWAYS_STATIC


@pytest.mark.parametrize("name", _existing(sorted(ALWAYS_STATIC)))
def test_a_call_that_yields_static_data(name: str) -> None:
    assert not _holds_tracer(_traced(name + CALLS[name]))


@pytest.mark.parametrize("name", _existing(sorted(DTYPES)))
def test_a_member_that_is_static_data(name: str) -> None:
    assert not _holds_tracer(_traced(name))


@pytest.mark.parametrize("name", _existing(sorted(set(MAKERS) - OPTIMIZERS)))
def test_a_call_that_yields_a_function(name: str) -> None:
    made = _traced(name + MAKERS[name])
    assert callable(made)
    assert not _holds_tracer(made)


CACHED = """\
from functools import cached_property

import jax
import jax.numpy as jnp
from flax.struct import PyTreeNode
{imports}

MESH = jax.make_mesh((1,), ("x",))


def f(x, *_):
    return x


class Node(PyTreeNode):
    x: jax.Array
"""
PROPERTY = """
    @cached_property
    def p{number}(self):
        x = self.x
        return {call}
"""


def test_cached_functions_and_static_data_are_left_alone(tmp_path: Path) -> None:
    calls = [name + given for name, given in {**MAKERS, **CALLS}.items()]
    packages = sorted({name.rpartition(".")[0] for name in {**MAKERS, **CALLS}} - {"builtins"})
    text = CACHED.format(imports="\n".join(f"import {package}" for package in packages))
    for number, call in enumerate(calls):
        text += PROPERTY.format(number=number, call=call.removeprefix("builtins."))
    path = tmp_path / "cached.py"
    path.write_text(text)
    found = [item for item in shown(*opened(path)) if "JAX903" not in item[2]]
    assert found == []
