"""The words of the grammar: kinds of pytree classes, transforms, and ways to alias, copy and write.

A row is a piece of source with holes: ``{p}`` a place, ``{v}`` an array, ``{f}`` a function,
``{t}`` a new name, ``{m}`` the stamp of a write.
"""

from dataclasses import dataclass
from enum import StrEnum


class Type(StrEnum):
    """What a place holds, as far as the grammar has to know."""

    NODE = "node"
    INNER = "inner"
    DICT = "dict"
    LIST = "list"
    ARRAY = "array"
    ELEMENT = "element"
    """An array in a dict or a list, of which no annotation tells."""
    PLAIN = "plain"
    """An object of a class that is no pytree, with a node in it."""


PARTS: dict[Type, dict[str, Type]] = {
    Type.NODE: {
        ".inner": Type.INNER,
        ".nodes[0]": Type.INNER,
        ".d": Type.DICT,
        ".items": Type.LIST,
        ".x": Type.ARRAY,
    },
    Type.INNER: {".d": Type.DICT, ".x": Type.ARRAY},
    Type.DICT: {'["k"]': Type.ELEMENT},
    Type.LIST: {"[0]": Type.ELEMENT},
    Type.PLAIN: {".state": Type.NODE, ".log": Type.LIST, ".d": Type.DICT, ".x": Type.ARRAY},
    Type.ARRAY: {},
    Type.ELEMENT: {},
}
"""What can be reached from a place in one step."""


@dataclass(frozen=True)
class Kind:
    """A way to make a class a pytree: what stands before, in and after its definition."""

    name: str
    head: str
    tail: str = ""
    frozen: bool = False
    replaces: str = "dataclasses.replace({p}, z={v})"
    """How a copy with another field is spelled."""
    has_dict: bool = True
    members: str = ""


_FLATTEN = """
    def tree_flatten(self):
        return tuple(vars(self).values()), tuple(vars(self))

    @classmethod
    def tree_unflatten(cls, names, parts):
        return cls(**dict(zip(names, parts)))
"""
_REGISTER = (
    "jax.tree_util.register_pytree_node({c}, lambda o: (tuple(vars(o).values()), tuple(vars(o))), "
    "lambda names, parts: {c}(**dict(zip(names, parts))))"
)
_REPLACE = "{p}.replace(z={v})"

KINDS = (
    Kind("flax node", "class {c}(struct.PyTreeNode, frozen=False):", replaces=_REPLACE),
    Kind("flax frozen node", "class {c}(struct.PyTreeNode):", frozen=True, replaces=_REPLACE),
    Kind(
        "flax dataclass",
        "@partial(struct.dataclass, frozen=False)\nclass {c}:",
        replaces=_REPLACE,
    ),
    Kind("chex dataclass", "@chex.dataclass\nclass {c}:", replaces=_REPLACE),
    Kind(
        "registered dataclass",
        "@jax.tree_util.register_dataclass\n@dataclasses.dataclass\nclass {c}:",
    ),
    Kind(
        "registered class",
        "@jax.tree_util.register_pytree_node_class\n@dataclasses.dataclass(eq=False)\nclass {c}:",
        members=_FLATTEN,
    ),
    Kind(
        "class registered by a call",
        "@dataclasses.dataclass\nclass {c}:",
        tail=_REGISTER,
    ),
    Kind("equinox module", "class {c}(eqx.Module):", frozen=True),
    Kind("jax_dataclasses", "@jdc.pytree_dataclass\nclass {c}:", frozen=True),
    Kind(
        "named tuple",
        "class {c}(NamedTuple):",
        frozen=True,
        replaces="{p}._replace(z={v})",
        has_dict=False,
    ),
)

ALIASES = (
    "{t} = {p}",
    "{t}, _ = {p}, 0",
    "({t}, _), _ = ({p}, 1), 2",
    "[{t}] = [{p}]",
    "{t} = _ = {p}",
    "{t}: object = {p}",
    "{t} = {p} if FLAG else {p}",
    "{t} = [{p}][0]",
    "{t} = ({p}, 1)[0]",
    '{t} = {{"key": {p}}}["key"]',
    "{t} = (lambda: {p})()",
    "{t} = (lambda same: same)({p})",
    "{t} = same({p})",
    "{t} = {p} or None",
    "*_, {t} = 1, {p}",
    "print({t} := {p}, file=io.StringIO())",
    "{t} = next(iter([{p}]))",
)
COPIES: dict[Type, tuple[str, ...]] = {
    Type.NODE: (
        "{t} = copy.copy({p})",
        "{t} = copy.deepcopy({p})",
        "{t} = jax.tree.map(lambda leaf: leaf, {p})",
        "{t} = jax.tree.unflatten(jax.tree.structure({p}), jax.tree.leaves({p}))",
        "{t} = renewed({p})",
        "{t} = make()",
    ),
    Type.INNER: (
        "{t} = copy.copy({p})",
        "{t} = jax.tree.map(lambda leaf: leaf, {p})",
    ),
    Type.DICT: (
        "{t} = dict({p})",
        "{t} = {{**{p}}}",
        "{t} = {p}.copy()",
        "{t} = {p} | {{}}",
        "{t} = {{key: item for key, item in {p}.items()}}",
        '{t} = {{"k": {v}}}',
    ),
    Type.LIST: (
        "{t} = list({p})",
        "{t} = {p}[:]",
        "{t} = [*{p}]",
        "{t} = {p} + []",
        "{t} = [item for item in {p}]",
        "{t} = [{v}]",
    ),
}
SET = (
    "{p}.{a} = {v} + {m}",
    "{p}.{a} += {v} + {m}",
    "{p}.{a} += {m}",
    "{p}.{a} = {p}.{a} + {m}",
    "{p}.{a}, _ = {v} + {m}, 1",
    "_, ({p}.{a}, _) = 0, ({v} + {m}, 1)",
    "_ = {p}.{a} = {v} + {m}",
    "{p}.{a}: jax.Array = {v} + {m}",
    "[*_, {p}.{a}] = [1, {v} + {m}]",
    "for {p}.{a} in [{v} + {m}]: pass",
    "with contextlib.nullcontext({v} + {m}) as {p}.{a}: pass",
    'setattr({p}, "{a}", {v} + {m})',
)
FORCE = (
    'object.__setattr__({p}, "{a}", {v} + {m})',
    'vars({p})["{a}"] = {v} + {m}',
    '{p}.__dict__["{a}"] = {v} + {m}',
    "{p}.__dict__.update({a}={v} + {m})",
    "vars({p}).update({a}={v} + {m})",
)
"""Ways to set an attribute that a frozen class does not refuse."""
CHANGE: dict[Type, tuple[str, ...]] = {
    Type.DICT: (
        '{p}["k"] = {v} + {m}',
        '{p}["k"] += {v} + {m}',
        '{p}["k"] += {m}',
        '{p}["new"] = {v} + {m}',
        "{p}.update(k={v} + {m})",
        '{p}.update({{"k": {v} + {m}}})',
        '{p}.setdefault("other", {v} + {m})',
        "{p} |= {{'k': {v} + {m}}}",
        'for {p}["k"] in ({v} + {m},): pass',
        '{p}["k"], _ = {v} + {m}, 1',
        'operator.setitem({p}, "k", {v} + {m})',
        'dict.__setitem__({p}, "k", {v} + {m})',
        '{p}[f"k{{0}}"] = {v} + {m}',
        "for key in list({p}): {p}[key] = {v} + {m}",
        'del {p}["k"]',
        '{p}.pop("k")',
    ),
    Type.LIST: (
        "{p}.append({v} + {m})",
        "{p}.extend([{v} + {m}])",
        "{p}.insert(0, {v} + {m})",
        "{p}[0] = {v} + {m}",
        "{p}[-1] += {v} + {m}",
        "{p}[:] = [{v} + {m}]",
        "{p} += [{v} + {m}]",
        "list.append({p}, {v} + {m})",
        "operator.iadd({p}, [{v} + {m}])",
        "jax.tree.map({p}.append, [{v} + {m}])",
        "(lambda push: push({v} + {m}))({p}.append)",
        "{p}.pop()",
        "del {p}[0]",
    ),
    Type.ARRAY: ("{p}[0] = {m}",),
}
PLAIN_VALUES = ("{p}.{a} = {m}", '{p}.{a} = "{m}"')

READS = (
    "v = v + {p}",
    "v += {p}",
    "v = jnp.stack([v, {p}]).sum(0)",
    "v = same(v) + same({p})",
)
TESTS = ("FLAG", "not FLAG", "{p} is not None", "len([{p}]) == 1")
BLOCKS = (
    "if {test}:",
    "for _ in range(2):",
    "while v is None:\n    break\nelse:",
    "try:",
    "with contextlib.nullcontext():",
)
LOOPS = (
    "for {t} in [{p}]:",
    "for {t} in ({p},):",
    "for _, {t} in enumerate([{p}]):",
    "for {t}, _ in zip([{p}], [1]):",
    'for {t} in {{"key": {p}}}.values():',
    "if ({t} := {p}) is not None:",
    "with contextlib.nullcontext({p}) as {t}:",
)


class Result(StrEnum):
    """What a function of the grammar gives back."""

    ARRAY = "array"
    SAME = "same"
    """The object that it was given, or one like it."""
    PAIR = "pair"


@dataclass(frozen=True)
class Way:
    """A transform, as it is called on a function of an object and an array, or of an array."""

    text: str
    result: frozenset[Result] = frozenset(Result)
    """What the function may give back."""


_ARRAY = frozenset({Result.ARRAY})
_SAME = frozenset({Result.SAME})

DIRECT = (
    Way("{f}({p}, {v})"),
    Way("{f}({p}, v={v})"),
    Way("{f}(*({p}, {v}))"),
    Way("{f}({p}, **dict(v={v}))"),
    Way("(lambda other: {f}(other, {v}))({p})"),
    Way("partial({f}, {p})({v})"),
    Way("[{f}(other, {v}) for other in [{p}]][0]"),
)
BINARY = (
    Way("jax.jit({f})({p}, {v})"),
    Way("jax.jit(lambda other, w: {f}(other, w))({p}, {v})"),
    Way("jax.jit(lambda other: {f}(other, {v}))({p})"),
    Way("jax.jit(partial({f}, v={v}))({p})"),
    Way("jax.jit(partial({f}, {p}))({v})"),
    Way("partial(jax.jit, inline=True)({f})({p}, {v})"),
    Way("jax.jit(jax.vmap({f}))({p}, {v})"),
    Way("jax.vmap({f})({p}, {v})"),
    Way("jax.checkpoint({f})({p}, {v})"),
    Way("jax.remat({f})({p}, {v})"),
    Way("eqx.filter_jit({f})({p}, {v})"),
    Way("eqx.filter_vmap({f})({p}, {v})"),
    Way("nnx.jit({f})({p}, {v})"),
    Way("jax.lax.cond({v}.sum() > 0, {f}, {f}, {p}, {v})"),
    Way("jax.lax.switch(0, [{f}, {f}], {p}, {v})"),
    Way("jax.lax.map(lambda other: {f}(other, 0.5), {p})"),
    Way("jax.lax.scan(lambda c, other: (c, {f}(other, c)), 0.5, {p})[1]"),
    Way("jax.lax.scan(lambda c, w: (c, {f}({p}, w)), 0.5, {v})[1]"),
    Way("jax.lax.fori_loop(0, 2, lambda i, other: {f}(other, {v}), {p})", _SAME),
    Way("jax.lax.scan(lambda other, _: ({f}(other, {v}), None), {p}, None, 2)[0]", _SAME),
    Way(
        "jax.lax.while_loop(lambda c: c[0] < 1, lambda c: (c[0] + 1, {f}(c[1], {v})), (0, {p}))[1]",
        _SAME,
    ),
    Way("jax.value_and_grad(lambda other: {f}(other, {v}).sum())({p})[0]", _ARRAY),
    Way("jax.value_and_grad(lambda w: {f}({p}, w).sum())({v})[0]", _ARRAY),
    Way("jax.value_and_grad(lambda w, other: {f}(other, w).sum())({v}, {p})[0]", _ARRAY),
    Way("jax.grad(lambda w: (w.sum(), {f}({p}, w)), has_aux=True)({v})[1]"),
    Way("jax.vjp({f}, {p}, {v})[0]"),
)
"""Calls of ``f(object, array)``."""
UNARY = (
    Way("jax.jit({f})({v})"),
    Way("jax.jit(lambda w: {f}(w))({v})"),
    Way("jax.jit(jax.vmap({f}))({v})"),
    Way("jax.vmap({f})({v})"),
    Way("jax.checkpoint({f})({v})"),
    Way("eqx.filter_jit({f})({v})"),
    Way("nnx.jit({f})({v})"),
    Way("jax.lax.map({f}, {v})"),
    Way("jax.lax.scan(lambda c, w: (c, {f}(w)), 0.5, {v})[1]"),
    Way("jax.lax.cond({v}.sum() > 0, {f}, {f}, {v})"),
    Way("jax.lax.switch(0, [{f}, {f}], {v})"),
    Way("jax.lax.fori_loop(0, 2, lambda i, w: {f}(w), {v})", _ARRAY),
    Way(
        "jax.lax.while_loop(lambda c: c[0] < 1, lambda c: (c[0] + 1, {f}(c[1])), (0, {v}))[1]",
        _ARRAY,
    ),
    Way("jax.grad(lambda w: (w.sum(), {f}(w)), has_aux=True)({v})[1]"),
    Way("jax.value_and_grad(lambda w: {f}(w).sum())({v})[0]", _ARRAY),
    Way("{f}({v})"),
)
"""Calls of ``f(array)``."""
DECORATORS = (
    "@jax.jit",
    "@partial(jax.jit, inline=True)",
    "@partial(jax.jit, static_argnames=())",
    "@jax.jit(inline=True)",
    "@jax.vmap",
    "@jax.checkpoint",
    "@eqx.filter_jit",
    "@nnx.jit",
    "",
)
