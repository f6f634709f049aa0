"""What fixes make of single pieces of code: layout, operators, names and imports."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent, indent

import pytest

from conftest import Flake8

ARRAYS = "import jax\nimport jax.numpy as jnp\n\n\n"
NODE = """\
import functools

import jax
import jax.numpy as jnp
from flax import struct


class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array


"""


@dataclass(frozen=True)
class Case:
    """A module, and what becomes of it; None where it stays as it is."""

    name: str
    before: str
    after: str | None
    head: str = ""
    unsafe: bool = False

    @property
    def given(self) -> str:
        return self.head + self.before

    @property
    def expected(self) -> str:
        return self.given if self.after is None else self.head + self.after


def array(name: str, before: str, after: str | None, unsafe: bool = False) -> Case:
    """An assignment in a jitted function of an array."""
    body = "@jax.jit\ndef f(x: jax.Array, i, v):\n    {}\n    return x\n"
    return Case(
        name,
        body.format(before),
        body.format(after) if after is not None else None,
        ARRAYS,
        unsafe,
    )


def node(name: str, before: str, after: str | None, unsafe: bool = False) -> Case:
    """A function that gets a frozen object."""
    return Case(name, before, after, NODE.replace("import functools\n\n", ""), unsafe)


def module(name: str, before: str, after: str | None, head: str = "") -> Case:
    """A module as it stands here, but for the indentation."""
    return Case(name, dedent(before), dedent(after) if after is not None else None, head)


def member(
    name: str, before: str, after: str | None = None, tail: str = "", unsafe: bool = False
) -> Case:
    """A method of a pytree class, and what stands below the class."""
    texts = [
        indent(dedent(text), "    ") + (f"\n\n{tail}" if tail else "")
        for text in (before, after)
        if text is not None
    ]
    return Case(
        name, texts[0], texts[1] if after is not None else None, f"{NODE.rstrip()}\n\n", unsafe
    )


BOX = """
import jax


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Box:
    low: jax.Array


def f(box: Box):
    box{}
    return box
"""


def box(name: str, before: str, after: str | None = None, value: str = "") -> Case:
    """A frozen dataclass, with some imports before and after its fix."""
    result = None if after is None else after + BOX.format(f" = {value}")
    return Case(name, before + BOX.format(".low = 1"), result)


NORM = "def norm(self):\n    return jnp.sum(self.a)\n"
CACHED = f"@functools.cached_property\n{NORM}"

CASES = [
    array("set", "x[i] = v", "x = x.at[i].set(v)"),
    array("spaces", "x [ i ]=v ;v = 1", "x=x.at [ i ].set(v) ;v = 1"),
    array("add", "x[i] += v  # much", "x = x.at[i].add(v)  # much"),
    array("subtract", "x[i] -= v", "x = x.at[i].subtract(v)"),
    array("multiply", "x[i] *= v", "x = x.at[i].multiply(v)"),
    array("divide", "x[i] /= v", "x = x.at[i].divide(v)"),
    array("power", "x[i] **= v", "x = x.at[i].power(v)"),
    array("floor", "x[i] //= v", "x = x.at[i].set(x[i] // v)"),
    array("modulo", "x[i, 1:] %= v + 1", "x = x.at[i, 1:].set(x[i, 1:] % (v + 1))"),
    array("shift", "x[-1] <<= v * 2", "x = x.at[-1].set(x[-1] << v * 2)"),
    array("index_called", "x[i.pop()] //= v", None),
    array("add_index_called", "x[abs(i)] += v", "x = x.at[abs(i)].add(v)"),
    array("bare_tuple", "x[:2] = v, 1", "x = x.at[:2].set((v, 1))"),
    array("lambda", "x[0] = (lambda: v)()", "x = x.at[0].set((lambda: v)())"),
    array("condition", "x[0] = v if x.ndim else -v", "x = x.at[0].set(v if x.ndim else -v)"),
    array(
        "lines",
        "x[0] = (  # first\n        v\n        + 1  # second\n    )  # third",
        "x = x.at[0].set(  # first\n        v\n        + 1  # second\n    )  # third",
    ),
    array(
        "continued",
        "x[0] = v \\\n        + 1",
        "x = x.at[0].set(v \\\n        + 1)",
    ),
    array("listed_index", "x[[0, 1]] = v", None),
    array("comparison_index", "x[x > 0] = v", None),
    array("mask_made_before", "low = x < 0\n    x[low] = v", None),
    array("mask_index", "x[~i] = v", None),
    array("one_line", "if v: x[0] = v", "if v: x = x.at[0].set(v)"),
    array(
        "branches",
        "if i:\n        x[0] = v\n    else:\n        x[1] = v",
        "if i:\n        x = x.at[0].set(v)\n    else:\n        x = x.at[1].set(v)",
    ),
    array(
        "loop",
        "for j in range(3):\n        x[j] = v",
        "for j in range(3):\n        x = x.at[j].set(v)",
    ),
    array("chained", "x[0] = y = v", None),
    array("one_of_two", "x[0] = v\n    x[1], x[2] = v, v", None),
    array("second_name", "y = x\n    x[0] = v\n    print(y)", None),
    array("kept_in_list", "kept = [x]\n    x[0] = v\n    print(kept)", None),
    array("appended", "kept = []\n    kept.append(x)\n    x[0] = v", None),
    array("name_given_later", "x[0] = v\n    y = x", "x = x.at[0].set(v)\n    y = x"),
    array("name_in_loop", "for j in range(3):\n        x[j] = v\n        y = x", None),
    array("kept_by_an_object", "pair = Pair(x, v)\n    x[0] = v\n    print(pair)", None),
    array("kept_by_a_partial", "g = partial(print, x)\n    x[0] = v\n    g()", None),
    array("closure", "x[0] = v\n    g = lambda: x\n    v = g()", None),
    array("nested_reader", "def g():\n        return x\n    x[0] = v", None),
    array(
        "called_before", "y = jnp.sum(x)\n    x[0] = y", "y = jnp.sum(x)\n    x = x.at[0].set(y)"
    ),
    array("noqa", "x[0] = v  # noqa: JAX205", None),
    Case("unused", "@jax.jit\ndef f(x: jax.Array):\n    x[0] = 1\n", None, ARRAYS),
    Case(
        "part_that_does_not_come_out",
        "def f(start):\n"
        "    def body(carry, v):\n"
        "        x, n = carry\n"
        "        x[n] = v\n"
        "        return carry, x.sum()\n\n"
        "    return jax.lax.scan(body, (jnp.zeros(3), 0), start)\n",
        None,
        ARRAYS,
    ),
    Case(
        "part_that_comes_out",
        "def f(start):\n"
        "    def body(carry, v):\n"
        "        x, n = carry\n"
        "        x[n] = v\n"
        "        return (x, n + 1), x.sum()\n\n"
        "    return jax.lax.scan(body, (jnp.zeros(3), 0), start)\n",
        "def f(start):\n"
        "    def body(carry, v):\n"
        "        x, n = carry\n"
        "        x = x.at[n].set(v)\n"
        "        return (x, n + 1), x.sum()\n\n"
        "    return jax.lax.scan(body, (jnp.zeros(3), 0), start)\n",
        ARRAYS,
    ),
    Case(
        "view",
        "@jax.jit\ndef f(x: jax.Array):\n    row = x[0]\n    row[0] = 1\n    return x, row\n",
        None,
        ARRAYS,
    ),
    module(
        "helper_that_returns_nothing",
        """\
        def put(x: jax.Array, v):
            x[0] = v
            print(x)


        @jax.jit
        def f(x: jax.Array):
            put(x, 1)
            return x
        """,
        None,
        ARRAYS,
    ),
    module(
        "helper_without_annotation",
        """\
        def put(x, v):
            x[0] = v
            return x


        @jax.jit
        def f(x: jax.Array):
            return put(x, 1)
        """,
        None,
        ARRAYS,
    ),
    node(
        "two_writes",
        "def f(n: Node):\n    n.a = n.b\n    n.b += 1\n    return n\n",
        "def f(n: Node):\n    n = n.replace(a=n.b)\n    n = n.replace(b=n.b + 1)\n    return n\n",
    ),
    node(
        "precedence",
        "def f(n: Node, x):\n    n.b *= x + 1\n    n.a -= x * 2\n    return n, x\n",
        "def f(n: Node, x):\n    n = n.replace(b=n.b * (x + 1))\n    n = n.replace(a=n.a - x * 2)\n"
        "    return n, x\n",
    ),
    node(
        "decorator_that_drops_the_result",
        "def kept(fn):\n    def inner(n):\n        fn(n)\n        return n\n\n"
        "    return inner\n\n\n@kept\ndef f(n: Node):\n    n.a = 1\n    return n\n",
        None,
        unsafe=True,
    ),
    node(
        "decorator_that_applies_jit",
        "def fast(fn):\n    return jax.jit(fn)\n\n\n"
        "@fast\ndef f(n: Node):\n    n.a = 1\n    return n\n",
        "def fast(fn):\n    return jax.jit(fn)\n\n\n"
        "@fast\ndef f(n: Node):\n    n = n.replace(a=1)\n    return n\n",
    ),
    node(
        "two_parameters_that_may_be_one",
        "def f(n: Node, other: Node):\n    n.a = 1\n    return n, other\n",
        None,
    ),
    node(
        "attribute_of_what_may_be_the_same",
        "def f(n: Node, other):\n    n.a = 1\n    return n, other.a\n",
        None,
    ),
    node(
        "two_parameters_that_are_not_one",
        "def f(n: Node, x: jax.Array):\n    n.a = 1\n    return n, x\n",
        "def f(n: Node, x: jax.Array):\n    n = n.replace(a=1)\n    return n, x\n",
    ),
    Case(
        "field_that_is_called_self",
        "from flax import struct\n\n\nclass Pair(struct.PyTreeNode):\n    self: float\n\n\n"
        "def f(pair: Pair):\n    pair.self = 1.0\n    return pair\n",
        None,
    ),
    Case(
        "class_without_replace",
        "from tjax.dataclasses import dataclass\n\n\n@dataclass\nclass T:\n    a: float\n\n\n"
        "def f(t: T):\n    t.a = 1.0\n    return t\n",
        "import dataclasses\nfrom tjax.dataclasses import dataclass\n\n\n@dataclass\nclass T:\n"
        "    a: float\n\n\ndef f(t: T):\n    t = dataclasses.replace(t, a=1.0)\n    return t\n",
    ),
    node("argument_read", "def f(n: Node):\n    n.a = 1\n    return n.a\n", None),
    node(
        "argument_read_unsafe",
        "def f(n: Node):\n    n.a = 1\n    return n.a\n",
        "def f(n: Node):\n    n = n.replace(a=1)\n    return n.a\n",
        unsafe=True,
    ),
    node(
        "copied_when_returned",
        "def f(n: Node):\n    n.a = 1\n    return n.replace(b=2)\n",
        "def f(n: Node):\n    n = n.replace(a=1)\n    return n.replace(b=2)\n",
    ),
    node("field", "@jax.jit\ndef f(n: Node):\n    n.a[0] = 1\n    return n\n", None),
    node("not_used", "def f(n: Node):\n    n.a = 1\n", None, unsafe=True),
    node("no_field", "def f(n: Node):\n    n.c = 1\n    return n\n", None, unsafe=True),
    node("list_added", "def f(n: Node):\n    n.a += [1]\n    return n\n", None),
    node("two_targets", "def f(n: Node):\n    n.a = n.b = 1\n    return n\n", None),
    node("part", "def f(x):\n    n: Node = x.inner\n    n.a = 1\n    return n\n", None),
    node(
        "element", "def f(x: list[Node]):\n    for n in x:\n        n.a = 1\n    return x\n", None
    ),
    node("global", "def f():\n    global n\n    n = Node(1, 2)\n    n.a = 1\n    return n\n", None),
    node(
        "made_here",
        "def f():\n    n = Node(1, 2)\n    n.a = 1\n    return n.a\n",
        "def f():\n    n = Node(1, 2)\n    n = n.replace(a=1)\n    return n.a\n",
    ),
    node(
        "module",
        "n = Node(1, 2)\nn.a = 1\nprint(n)\n",
        None,
        unsafe=True,
    ),
    member(
        "own_replace",
        "def replace(self, **changes):\n    return self\n",
        tail="def f(n: Node):\n    n.a = 1\n    return n\n",
    ),
    member(
        "self_returned",
        "def f(self):\n    self.a = 1\n    return self\n",
        "def f(self):\n    self = self.replace(a=1)\n    return self\n",
        unsafe=True,
    ),
    member("self_returned_safely", "def f(self):\n    self.a = 1\n    return self\n"),
    box(
        "import_added",
        '"""Boxes."""\n\nfrom __future__ import annotations\n\nfrom dataclasses import dataclass\n',
        '"""Boxes."""\n\nfrom __future__ import annotations\n\nimport dataclasses\n'
        "from dataclasses import dataclass\n",
        "dataclasses.replace(box, low=1)",
    ),
    box(
        "import_there",
        "import dataclasses as dc\nfrom dataclasses import dataclass\n",
        "import dataclasses as dc\nfrom dataclasses import dataclass\n",
        "dc.replace(box, low=1)",
    ),
    box(
        "function_there",
        "from dataclasses import dataclass, replace as change\n",
        "from dataclasses import dataclass, replace as change\n",
        "change(box, low=1)",
    ),
    box(
        "import_for_type_checkers",
        "from typing import TYPE_CHECKING\n\nfrom dataclasses import dataclass\n\n"
        "if TYPE_CHECKING:\n    import dataclasses\n",
    ),
    module(
        "heir_of_a_module",
        """\
        import equinox as eqx
        import jax


        class Layer(eqx.Module):
            weight: jax.Array


        class Dense(Layer):
            bias: jax.Array
            name: str = eqx.field(static=True)


        def f(dense: Dense):
            dense.bias = 0.5 * dense.bias
            dense.weight *= 2
            return dense


        def g(dense: Dense):
            dense.name = "g"
            return dense
        """,
        """\
        import equinox as eqx
        import jax


        class Layer(eqx.Module):
            weight: jax.Array


        class Dense(Layer):
            bias: jax.Array
            name: str = eqx.field(static=True)


        def f(dense: Dense):
            dense = eqx.tree_at(lambda tree: tree.bias, dense, 0.5 * dense.bias)
            dense = eqx.tree_at(lambda tree: tree.weight, dense, dense.weight * 2)
            return dense


        def g(dense: Dense):
            dense.name = "g"
            return dense
        """,
    ),
    module(
        "given_for_construction",
        """\
        import dataclasses

        import jax


        @jax.tree_util.register_dataclass
        @dataclasses.dataclass(frozen=True)
        class Scaled:
            a: jax.Array
            by: dataclasses.InitVar[float]


        def f(scaled: Scaled):
            scaled.a = 1
            return scaled
        """,
        None,
    ),
    member(
        "private_name",
        "__c: int = 0\n\ndef f(self):\n    self.__c = 1\n    return self\n",
        unsafe=True,
    ),
    *(
        box(
            f"import_below_{name}",
            f"{head}try:\n    from dataclasses import dataclass\nfinally:\n    pass\n",
            f"{after}try:\n    from dataclasses import dataclass\nfinally:\n    pass\n",
            "dataclasses.replace(box, low=1)",
        )
        for name, head, after in (
            (
                "first_comments",
                "#!/usr/bin/env python\n# coding: latin-1\n",
                "#!/usr/bin/env python\n# coding: latin-1\nimport dataclasses\n",
            ),
            (
                "a_shared_line",
                '"""Boxes."""; import os\n',
                '"""Boxes."""; import os\nimport dataclasses\n',
            ),
            (
                "nothing_but_a_decorator",
                "@print\ndef f(): ...\n",
                "import dataclasses\n@print\ndef f(): ...\n",
            ),
        )
    ),
    box("import_name_taken", "from dataclasses import dataclass\ndataclasses = []\n"),
    member(
        "method_and_what_is_in_it",
        """\
        # The weights.
        @functools.lru_cache(maxsize=None)  # of all orders
        # below
        def weights(self, order):
            def fill(x: jax.Array):
                x[0] = order
                return x
            return jax.jit(fill)(self.a)
        """,
        """\
        # The weights.
        # of all orders
        # below
        def weights(self, order):
            def fill(x: jax.Array):
                x = x.at[0].set(order)
                return x
            return jax.jit(fill)(self.a)
        """,
        tail="print(functools)\n",
    ),
    member(
        "two_rounds",
        """\
        @functools.cached_property
        @functools.lru_cache  # noqa: B019
        def norm(self):
            return jnp.sum(self.a)
        """,
        """\
        @property
        def norm(self):
            return jnp.sum(self.a)
        """,
        tail="print(functools)\n",
    ),
    member(
        "first_of_three",
        """\
        @property
        # one
        @functools.cache  # two
        # three
        @jax.jit
        # four
        def norm(self):
            return jnp.sum(self.a)
        """,
        """\
        @property
        # one
        # two
        # three
        @jax.jit
        # four
        def norm(self):
            return jnp.sum(self.a)
        """,
        tail="print(functools)\n",
    ),
    member("cleared", f"@functools.cache\n{NORM}", tail="Node.norm.cache_clear()\n"),
    member("assigned", CACHED, tail="def reset(node):\n    node.norm = None\n"),
    member("deleted", CACHED, tail="def reset(node):\n    del node.norm\n"),
    member("stored", CACHED, tail="def reset(node):\n    setattr(node, 'norm', 1)\n"),
    member("filled", CACHED, tail="def note(node):\n    node.norm[0] = 1\n"),
    member("extended", CACHED, tail="def note(node):\n    node.norm.append(1)\n"),
    member("looked_into", CACHED, tail="def note(node):\n    node.__dict__.clear()\n"),
    member("below_another", f"@jax.named_call\n{CACHED}"),
    member("property_is_another", f"property = staticmethod\n\n{CACHED}"),
    member(
        "property_is_another_later",
        CACHED,
        f"@property\n{NORM}",
        tail="def property(function):\n    return functools.wraps(function)\n",
    ),
    member("above_a_strange_one", f"@functools.cache\n@jax.named_call\n{NORM}"),
    member(
        "read",
        CACHED,
        f"@property\n{NORM}",
        tail="def f(node):\n    print(functools, {'norm': node.norm})\n",
    ),
]
PURE = {
    "arithmetic": "return jnp.sum(self.a) + 2 * self.b",
    "local_list": "parts = []\nparts.append(self.a)\nparts[0] = self.b\nreturn jnp.stack(parts)",
    "local_dict": "d = {}\nd.setdefault('a', self.a)\nreturn d.pop('a')",
    "local_function": "def add(x):\n    return x + self.a\nreturn add(self.b)",
    "unknown_function": "return expensive(self.a)",
    "own_function": "return doubled(self.a)",
    "filled_by_a_function": "out = [self.a]\nfill(out)\nreturn jnp.stack(out)",
    "own_property": "return self.other + 1",
    "next_of_new": "return next(iter([self.a])) + next(x for x in [self.b])",
    "array_updates": "return self.a.at[0].add(1).at[1].set(self.b)",
    "seeded": "import numpy as np\nreturn self.a * np.random.default_rng(3).normal()",
    "asserted": "import chex\nchex.assert_rank(self.a, 1)\nassert self.a.ndim\nreturn self.a",
    "optimised": "state = self.tx.update(self.a)\nreturn state",
    "augmented": "x = self.a\nx += 1\nreturn x",
    "seeded_by_name": "rng = jax.random.key(0)\nreturn self.a * jax.random.normal(rng)",
    "got": "return {'a': self.a}.get('a') + TABLE.get('b', 1)",
    "documented": "'The norm.'\nreturn jnp.sum(self.a)",
}
ACTING = {
    "print": "print(self.a)\nreturn self.a",
    "append": "LOG.append(1)\nreturn self.a",
    "fields_list": "self.b.append(1)\nreturn self.a",
    "alias_append": "log = LOG\nlog.append(1)\nreturn self.a",
    "item": "LOG[0] = 1\nreturn self.a",
    "counter": "return self.a + next(NUMBERS)",
    "random": "import random\nreturn self.a * random.random()",
    "numpy_random": "import numpy as np\nreturn self.a * np.random.normal()",
    "unseeded": "import numpy as np\nreturn self.a * np.random.default_rng().normal()",
    "own_generator": "return self.a * self.rng.normal()",
    "generator_of_the_module": "return self.a * source.normal()",
    "queue": "return self.a * self.b.get()",
    "next_method": "return self.a * NUMBERS.__next__()",
    "time": "import time\nreturn self.a + time.time()",
    "open": "with open('a') as file:\n    return self.a * float(file.read())",
    "global": "global COUNT\nCOUNT += 1\nreturn self.a",
    "attribute": "object.__setattr__(self, 'seen', True)\nreturn self.a",
    "class_attribute": "Node.count += 1\nreturn self.a",
    "called_for_its_effect": "notify(self.a)\nreturn self.a",
    "logged": "logger.info('norm')\nreturn self.a",
    "debug_print": "jax.debug.print('norm')\nreturn self.a",
    "popped": "return self.a * LOG.pop()",
    "through_a_function": "return counted(self.a)",
    "through_a_method": "return self.noted() + 1",
    "generator": "yield self.a",
    "generator_returned": "return (x for x in (self.a, self.b))",
    "iterator_returned": "return map(jnp.sum, (self.a, self.b))",
    "append_as_a_value": "_ = LOG.append(1)\nreturn self.a",
    "append_in_a_comprehension": "[LOG.append(x) for x in 'ab']\nreturn self.a",
    "append_handed_on": "list(map(LOG.append, 'ab'))\nreturn self.a",
    "append_by_another_name": "return self.a, note(1)",
    "acting_function_handed_on": "return jax.pure_callback(counted, self.a, self.a)",
    "called_twice": "out = []\nfill(out)\nfill(LOG)\nreturn self.a",
    "object_that_counts": "return self.a * counter()",
    "method_that_counts": "return self.a * counter.tick()",
    "function_that_counts": "return self.a * tick()",
    "lambda_that_counts": "return self.a * fresh()",
    "partial_that_counts": "return self.a * following()",
    "bound_method_that_counts": "return self.a * after()",
    "environment": "import os\nreturn self.a * float(os.environ['SCALE'])",
    "own_generator_by_its_class": "return self.a * self.source.normal()",
}
FRESH = {
    "dict": "return {'a': self.a}",
    "list": "rows = [self.a, self.b]\nreturn rows",
    "comprehension": "return self.a, [x + 1 for x in (self.a, self.b)]",
    "called": "return dict(a=self.a)",
    "numpy": "import numpy as np\nreturn np.asarray(self.a) + 1",
    "object": "return Box(self.a)",
    "through_a_function": "return listed(self.a)",
    "through_a_method": "return self.rows()",
    "split": "return jnp.split(self.a, 2)",
    "leaves": "return jax.tree.leaves(self.b)",
    "copied": "import copy\nreturn copy.copy(self.b)",
    "sorted": "return sorted(self.b)",
    "fetched": "return jax.device_get(self.a) * 2",
    "host_array_of_a_field": "return self.host * 2",
    "copy_of_a_field": "return self.table.copy()",
    "function_in_a_tuple": "return self.a, lambda x: x",
}
FUNCTIONS = """\
    host: "numpy.ndarray" = None
    table: dict = None
    source: "numpy.random.Generator" = None

    def rows(self):
        return [self.a]

    @property
    def other(self):
        return self.a * 3

    def noted(self):
        LOG.append(self.a)
        return self.a


import numpy

LOG = []
SCALE = 1
TABLE = {}
source = numpy.random.default_rng(0)
NUMBERS = iter(range(9))


def doubled(x):
    return x * 2


def fill(out):
    out.append(1)


def counted(x):
    LOG.append(x)
    return x


def scale(x):
    global SCALE
    SCALE = x


def listed(x):
    return [x]


class Counter:
    def __init__(self):
        self.count = 0

    def tick(self):
        self.count += 1
        return self.count

    def __call__(self):
        return self.tick()


def counting():
    count = 0

    def tick():
        nonlocal count
        count += 1
        return count

    return tick


note = LOG.append
counter = Counter()
tick = counting()
fresh = lambda: next(NUMBERS)
following = functools.partial(next, NUMBERS)
after = NUMBERS.__next__


class Box:
    def __init__(self, x):
        self.x = x


print(functools)
"""


def body(name: str, text: str, changed: bool, unsafe: bool = False) -> Case:
    """A cached property with a body, and what it may use."""
    function = "def norm(self):\n" + indent(text, "    ") + "\n\n"
    texts = (
        indent(f"@{by}\n{function}", "    ") for by in ("functools.cached_property", "property")
    )
    before, after = (text + FUNCTIONS for text in texts)
    return Case(name, before, after if changed else None, f"{NODE.rstrip()}\n\n", unsafe)


CASES += [body(f"pure_{name}", text, True) for name, text in PURE.items()]
CASES += [body(f"acting_{name}", text, False, unsafe=True) for name, text in ACTING.items()]
CASES += [
    body("global_rebound", "return self.a * SCALE", False),
    body("global_rebound_unsafe", "return self.a * SCALE", True, unsafe=True),
]
CASES += [body(f"fresh_{name}", text, False) for name, text in FRESH.items()]
CASES += [body(f"fresh_{name}_unsafe", text, True, unsafe=True) for name, text in FRESH.items()]
CASES += [
    member(
        f"changed_{name}",
        CACHED,
        tail=f"def change(node):\n{indent(text, '    ')}\n",
        unsafe=True,
    )
    for name, text in {
        "by_another_name": "norm = node.norm\nnorm['b'] = 3",
        "by_a_second_name": "norm = node.norm\nother = norm\nother.append(3)",
        "in_a_part": "row = node.norm['a']\nrow += [3]",
        "in_a_loop": "for row in node.norm.values():\n    row.clear()",
        "by_a_named_expression": "if norm := node.norm:\n    del norm[0]",
        "compared_by_identity": "return node.norm is other",
        "told_apart": "return id(node.norm)",
        "as_an_output": "jnp.add(node.norm, 1, out=node.norm)",
        "looked_at_as_a_descriptor": "return isinstance(Node.norm, functools.cached_property)",
    }.items()
]
CASES += [
    member(
        "read_by_another_name",
        CACHED,
        f"@property\n{NORM}",
        tail="def f(node):\n    norm = node.norm\n    norm += 1\n    rows = norm.copy()\n"
        "    rows[0] = 1\n    print(functools, norm is None)\n",
    ),
    member(
        "comments_in_a_decorator",
        """\
        # one
        @functools.lru_cache(  # two
            maxsize=3,  # three
            # four
        )  # five
        def norm(self):
            return jnp.sum(self.a)
        """,
        """\
        # one
        # two
        # three
        # four
        # five
        def norm(self):
            return jnp.sum(self.a)
        """,
        tail="print(functools)\n",
    ),
    member(
        "comments_in_a_wrapping_call",
        """\
        norm = functools.lru_cache(
            maxsize=3,  # three
        )(lambda self: jnp.sum(self.a))
        """,
    ),
]
HANDED = """\
KEPT = []


def push(s):
    KEPT.append(s)


def hold(s):
    push(s)


def check(s):
    assert s.a.ndim == 1


def norm(s):
    check(s)
    return s.a @ s.a


def same(s):
    return s


@jax.jit
def traced(s):
    KEPT.append(s)
    return s.a


compiled = jax.jit(norm)


def f(x, registry):
    s = Node(x, x)
    {}
    {}
    return s
"""


def handed(name: str, call: str, changed: bool, unsafe: bool = False) -> Case:
    """An object that is handed to something before it is changed."""
    before, after = (HANDED.format(call, text) for text in ("s.a = 1", "s = s.replace(a=1)"))
    return node(f"handed_to_{name}", before, after if changed else None, unsafe)


CASES += [
    *(
        handed(name, call, True)
        for name, call in {
            "print": "print(s)",
            "len": "n = len(s)",
            "jax": "jax.block_until_ready(s)",
            "a_logger": "registry.log.info('%s', s)",
            "a_check": "check(s)",
            "a_reader": "n = norm(s)",
            "a_traced_function": "n = traced(s)",
            "a_compiled_function": "n = compiled(s)",
            "a_transform": "n = jax.vmap(norm)(s)",
            "the_same_name": "s = same(s)",
            "a_function_a_part": "registry.add(s.a)",
        }.items()
    ),
    *(
        handed(name, call, False, unsafe=True)
        for name, call in {
            "a_list": "KEPT.append(s)",
            "a_function_that_keeps": "push(s)",
            "a_function_that_hands_on": "hold(s)",
            "an_unknown_method": "registry.register(s)",
            "an_unknown_method_in_a_tuple": "registry.register((1, s))",
            "an_iterator": "yield s",
            "a_dict": "registry['s'] = s",
            "an_object": "registry.s = s",
            "an_object_by_name": "setattr(registry, 's', s)",
        }.items()
    ),
    *(
        handed(f"{name}{'_unsafe' * unsafe}", call, unsafe, unsafe)
        for name, call in {
            "an_unknown_function": "n = registry(s)",
            "another_name": "t = same(s)",
            "a_choice": "t = max(s, s, key=id)",
            "its_own_method": "s.register(registry)",
        }.items()
        for unsafe in (False, True)
    ),
    array("unknown_function", "y = v(x)\n    x[0] = y", "y = v(x)\n    x = x.at[0].set(y)"),
    array("called_for_its_effect", "v(x)\n    x[0] = 1", None),
    array("shape_of_another", "y = x.reshape(-1)\n    y[0] = v\n    v = y", None),
    array(
        "shape_of_its_own",
        "x = x.reshape(-1)\n    x[0] = v",
        "x = x.reshape(-1)\n    x = x.at[0].set(v)",
    ),
    *(
        Case(
            f"pair_{name}{'_unsafe' * unsafe}",
            f"@jax.jit\ndef f(x, i, v):\n    {before}\n    return {result}\n",
            f"@jax.jit\ndef f(x, i, v):\n    {after}\n    return {result}\n" if fixed else None,
            ARRAYS,
            unsafe,
        )
        for name, before, after, result, fixed, unsafe in (
            ("of_numbers", "x[0, 1] = v", "", "x", False, False),
            ("of_numbers", "x[0, 1] = v", "x = x.at[0, 1].set(v)", "x", True, True),
            ("of_an_array", "x[0, 1] = v", "x = x.at[0, 1].set(v)", "x.sum()", True, False),
            ("of_tracers", "x[0, i] = v", "x = x.at[0, i].set(v)", "x", True, False),
            ("with_a_slice", "x[0, :] = v", "x = x.at[0, :].set(v)", "x", True, False),
        )
    ),
    array("two_names_at_once", "y, z = x, x\n    y[0] = v\n    v = y", None),
    array(
        "two_arrays_at_once",
        "y, z = x + 1, x\n    y[0] = v\n    x = y",
        "y, z = x + 1, x\n    y = y.at[0].set(v)\n    x = y",
    ),
    array("got", "y = {'y': x}.get('y')\n    y[0, 1] = v\n    v = y", None),
    array("dropped", "try:\n        x[0] = v\n    finally:\n        return x", None),
    array("deeper", "x[0] = v\n    x[0][1] = v", None),
    array("one_is_silenced", "x[0] = v\n    x[1] = v  # noqa: JAX205", None),
    array("one_has_a_type_comment", "x[0] = v\n    x[1] = v  # type: float", None),
    array("one_may_be_a_mask", "x[0] = v\n    x[x > 0] = v", None),
    array("one_before_another_name", "x[0] = v\n    y = x\n    x[1] = y[0]", None),
    array("type_comment", "x[0] = v  # type: float", None),
    array("type_ignored", "x[0] = v  # type: ignore", "x = x.at[0].set(v)  # type: ignore"),
    node("holds_itself", "def f(n: Node):\n    n.a = [n]\n    return n\n", None),
    node("kept_by_the_value", "def f(n: Node, k):\n    n.a = k.append(n)\n    return n\n", None),
    node("type_told", "def f(n: Node):\n    n.a = 1  # type: int\n    return n\n", None),
    node(
        "another_is_silenced",
        "def f(n: Node):\n    n.a = 1\n    n.b = 2  # noqa: JAX204\n    return n\n",
        None,
    ),
]
CASES += [
    array("list_made_before", "j = [0, 1]\n    x[j] = v", None),
    array("range_made_before", "j = range(2)\n    x[j] = v", None),
    array("range_index", "x[range(2)] = v", None),
    array("list_in_a_tuple", "x[[0, 1], 0] = v", None),
    array(
        "list_in_an_array",
        "x[jnp.array([0, 1])] = v",
        "x = x.at[jnp.array([0, 1])].set(v)",
    ),
    array("traced_bounds", "x[i : i + 2] = v", None),
    array(
        "static_bounds",
        "x[: v.shape[0], len(i) :] = v",
        "x = x.at[: v.shape[0], len(i) :].set(v)",
    ),
    array("both_take", "j = iter('ab')\n    x[next(j)] = next(j)", None),
    array("index_bound_by_the_value", "j = 0\n    x[j] = (j := 1)", None),
    array("value_bound", "x[0] = (j := 1)\n    v = j", "x = x.at[0].set((j := 1))\n    v = j"),
    array("rows", "y, z = x\n    y[0] = v\n    v = x", None),
    array("halves", "y, z = jnp.split(x, 2)\n    y[0] = v\n    v = y", None),
    array("view_read_later", "y = x.T\n    x[0] = v\n    v = y", None),
    array("slice_read_later", "y = x[1:]\n    x[0] = v\n    v = y", None),
    array(
        "slice_read_later_unsafe",
        "y = x[1:]\n    x[0] = v\n    v = y",
        "y = x[1:]\n    x = x.at[0].set(v)\n    v = y",
        unsafe=True,
    ),
    array(
        "swapped",
        "y = x[0]\n    x[0] = x[1]\n    x[1] = y",
        "y = x[0]\n    x = x.at[0].set(x[1])\n    x = x.at[1].set(y)",
    ),
    array(
        "view_made_later",
        "x[0] = v\n    y = x.T\n    v = y",
        "x = x.at[0].set(v)\n    y = x.T\n    v = y",
    ),
    *(
        Case(
            f"traced_and_called_{name}",
            f"def f(x{kind}, v):\n    {start}{before}\n    return x\n\n\n"
            f"g = jax.jit(f)\nh = f(1, 2)\n",
            after
            and f"def f(x{kind}, v):\n    {start}{after}\n    return x\n\n\n"
            f"g = jax.jit(f)\nh = f(1, 2)\n",
            ARRAYS,
        )
        for name, kind, start, before, after in (
            ("with_anything", "", "", "x[0, :] = v", None),
            ("with_an_array", ": jax.Array", "", "x[0] = v", "x = x.at[0].set(v)"),
            ("with_a_part", "", "x = x * 2\n    ", "x[0, :] = v", None),
        )
    ),
    Case(
        "traced_and_called_with_its_own",
        "def f(v):\n    x = jnp.zeros(3)\n    x[0] = v\n    return x\n\n\n"
        "print(f(1), jax.jit(f))\n",
        "def f(v):\n    x = jnp.zeros(3)\n    x = x.at[0].set(v)\n    return x\n\n\n"
        "print(f(1), jax.jit(f))\n",
        ARRAYS,
    ),
]
RESET = """\
def reset(n: Node, to=0):
    {}
    return n


"""


def caller(name: str, text: str, changed: bool, unsafe: bool = False) -> Case:
    """A function that returns the object that it was to change, and one that calls it."""
    before, after = (RESET.format(line) for line in ("n.a = to", "n = n.replace(a=to)"))
    end = dedent(text)
    return node(f"caller_{name}", before + end, after + end if changed else None, unsafe)


CASES += [
    *(
        caller(name, f"def run(n, m):\n{indent(text, '    ')}\n", True)
        for name, text in {
            "binds": "n = reset(n)\nreturn n.a",
            "binds_a_field": "m.n = reset(m.n)\nreturn m",
            "returns": "return reset(n)",
            "makes": "m = reset(Node(1, 2))\nreturn m, n",
            "does_not_go_on": "m = reset(n, to=3)\nreturn m",
            "traces": "return jax.jit(reset)(n), n",
            "catches_in_a_handler": "try:\n    n.b\nexcept KeyError:\n    n = reset(n)\nreturn n",
        }.items()
    ),
    *(
        caller(name, text, changed)
        for name, changed, text in (
            (
                "reads_in_a_block_of_the_module",
                False,
                "if __name__:\n    n = Node(1, 2)\n    m = reset(n)\n    print(n)\n",
            ),
            (
                "binds_in_a_block_of_the_module",
                True,
                "if __name__:\n    n = Node(1, 2)\n    n = reset(n)\n    print(n)\n",
            ),
            (
                "gives_it_in_each_round",
                False,
                "n = Node(1, 2)\nfor _ in range(3):\n    print(reset(n))\n",
            ),
            (
                "binds_it_in_each_round",
                True,
                "n = Node(1, 2)\nfor _ in range(3):\n    n = reset(n)\n",
            ),
            ("has_it_in_a_list", False, "n = Node(1, 2)\nall_of_them = [n]\nn = reset(n)\n"),
            (
                "shows_it_in_a_function",
                False,
                "n = Node(1, 2)\n\n\ndef show():\n    return n.a\n\n\nm = reset(n)\n",
            ),
        )
    ),
    *(
        caller(
            f"{name}{'_unsafe' * unsafe}", f"def run(n):\n{indent(text, '    ')}\n", unsafe, unsafe
        )
        for name, text in {
            "drops": "reset(n)\nreturn n.a",
            "goes_on": "m = reset(n)\nreturn m, n",
            "goes_on_by_keyword": "m = reset(to=1, n=n)\nreturn m, n",
            "drops_in_a_loop": "for m in n:\n    reset(m)\nreturn n",
        }.items()
        for unsafe in (False, True)
    ),
    *(
        caller(name, f"def run(n):\n{indent(text, '    ')}\n", False, unsafe=True)
        for name, text in {
            "expects_an_error": "with pytest.raises(AttributeError):\n    n = reset(n)\nreturn n",
            "hands_it_to_raises": "pytest.raises(AttributeError, reset, n)",
            "catches": "try:\n    return reset(n)\nexcept AttributeError:\n    return n",
        }.items()
    ),
    node(
        "same_default",
        "def f(n: Node = Node(1, 2)):\n    n.a = 1\n    return n\n",
        None,
    ),
    node(
        "dropped_by_a_context",
        "class Quiet:\n    def __enter__(self):\n        return self\n\n"
        "    def __exit__(self, *error):\n        return True\n\n\n"
        "def f():\n    n = Node(1, 2)\n    with Quiet():\n        n.a = 1\n    return n\n",
        None,
        unsafe=True,
    ),
    node(
        "in_a_context",
        "class Timed:\n    def __enter__(self):\n        return self\n\n"
        "    def __exit__(self, *error):\n        return False\n\n\n"
        "def f():\n    n = Node(1, 2)\n    with Timed():\n        n.a = 1\n    return n\n",
        "class Timed:\n    def __enter__(self):\n        return self\n\n"
        "    def __exit__(self, *error):\n        return False\n\n\n"
        "def f():\n    n = Node(1, 2)\n    with Timed():\n        n = n.replace(a=1)\n"
        "    return n\n",
    ),
    *(
        node(
            f"before_that_{name}",
            "import copy\nimport dataclasses\nimport operator\n\n\n"
            f"def f(o):\n    n = Node(1, 2)\n    m = {text}\n    n.a = 1\n    return n, m\n",
            None,
        )
        for name, text in {
            "in_a_copy_of_a_list": "copy.copy([n])",
            "in_another_object": "dataclasses.replace(o, n=n)",
            "in_a_mapped_tree": "jax.tree.map(f, [n])",
            "in_a_tuple": "(n, 1)[0]",
            "by_an_operator": "operator.itemgetter(0)([n])",
        }.items()
    ),
    *(
        member(
            f"method_that_{name}",
            f"def m(self):\n    return {value}\n",
            tail=f"def f():\n    n = Node(1, 2)\n    m = n.m{call}\n    n.a = 1\n    return n, m\n",
        )
        for name, value, call in (
            ("gives_itself", "self", "()"),
            ("holds_itself", "Box(self)", "()"),
            ("is_kept", "self.a", ""),
        )
    ),
    Case(
        "method_that_computes",
        "    def m(self):\n        return self.a + 1\n\n\n"
        "def f():\n    n = Node(1, 2)\n    m = n.m()\n    n.a = m\n    return n\n",
        "    def m(self):\n        return self.a + 1\n\n\n"
        "def f():\n    n = Node(1, 2)\n    m = n.m()\n    n = n.replace(a=m)\n    return n\n",
        f"{NODE.rstrip()}\n\n",
    ),
]
IMPORTS = [
    ("from functools import cached_property\n\nimport jax\n", "import jax\n"),
    (
        "import jax\nfrom functools import cached_property\nimport os\n",
        "import jax\nimport os\n",
    ),
    (
        "import jax\nfrom functools import cached_property, cache\n",
        "import jax\nfrom functools import cache\n",
    ),
    (
        "import jax\nfrom functools import cache, cached_property\n",
        "import jax\nfrom functools import cache\n",
    ),
    (
        "import jax\nfrom functools import (\n    cache,\n    cached_property,\n)\n",
        "import jax\nfrom functools import (\n    cache,\n)\n",
    ),
    ("import jax\nfrom functools import (\n    cached_property,  # one\n    cache,\n)\n", None),
    ("import jax\nfrom functools import cached_property  # noqa: F401\n", None),
    ("import jax\nfrom functools import cached_property  # lazy\n", None),
    ("import jax\nfrom functools import cached_property as cached_property\n", None),
    ("import jax\nif jax:\n    from functools import cached_property\n", None),
    ("import jax; from functools import cached_property\n", None),
    ('import jax\nfrom functools import cached_property\n__all__ = ["cached_property"]\n', None),
    ("import jax\nfrom functools import cached_property\nkeep = cached_property\n", None),
    (
        "'''Tells of cached_property.'''\nimport jax\nfrom functools import cached_property\n",
        "'''Tells of cached_property.'''\nimport jax\n",
    ),
    (
        "'''Shows it.\n\n>>> print(cached_property)\n'''\n"
        "import jax\nfrom functools import cached_property\n",
        None,
    ),
]
CLASS = """
@jax.tree_util.register_pytree_node_class
class C:
    @{}
    def p(self):
        return jax.numpy.sum(self.a)
"""
CASES += [
    Case(
        f"import_{index}",
        before + CLASS.format("cached_property"),
        (after or before) + CLASS.format("property"),
    )
    for index, (before, after) in enumerate(IMPORTS)
]

METER = """\
import jax
from flax import struct


class Meter(struct.PyTreeNode, frozen=False):
    total: jax.Array


"""
CALLED = """\
@jax.jit
def record(meter: Meter, value):
    {}{}


def {}
"""


def called(name: str, before: str, after: str | None, end: str = "") -> Case:
    """A jitted function that returns nothing, and one that calls it."""
    copied = "meter = meter.replace(total=meter.total + value)"
    fixed = None if after is None else CALLED.format(copied, "\n    return meter", after)
    given = CALLED.format("meter.total += value", end, before)
    return Case(name, given, fixed, METER, unsafe=True)


STALE = """\
from functools import cached_property

import jax


@jax.tree_util.register_pytree_node_class
class Ball:
    def __init__(self, radius):
        self.radius = radius

    @{}
    def volume(self):
        return self.radius**3
{}

print(cached_property)
"""
MOVED = "\n    def grow(self):\n        self.radius = 2 * self.radius\n"
CASES += [
    Case("field_kept", STALE.format("cached_property", ""), STALE.format("property", "")),
    Case("field_assigned", STALE.format("cached_property", MOVED), None),
    Case(
        "field_assigned_unsafe",
        STALE.format("cached_property", MOVED),
        STALE.format("property", MOVED),
        unsafe=True,
    ),
]
CASES += [
    called(
        "call_with_a_variable",
        "run(meter):\n    record(meter, 1)  # one\n    return meter",
        "run(meter):\n    meter = record(meter, 1)  # one\n    return meter",
    ),
    called(
        "calls_in_a_loop",
        "run(meter, xs):\n    for x in xs: record(meter, x)\n    return meter",
        "run(meter, xs):\n    for x in xs: meter = record(meter, x)\n    return meter",
    ),
    called("call_with_a_part", "run(state):\n    record(state.meter, 1)\n    return state", None),
    called("call_by_keyword", "run(meter):\n    record(value=1, meter=meter)", None),
    called("call_with_a_result", "run(meter):\n    return record(meter, 1)", None),
    called("handed_on", "run(meter):\n    record(meter, 1)\n    return record", None),
    called("closed_over", "run(meter):\n    return lambda: meter, record(meter, 1)", None),
    called(
        "call_with_an_element", "run(meters):\n    for m in meters:\n        record(m, 1)", None
    ),
    called(
        "call_with_another_name",
        "run(state):\n    m = state.meter\n    record(m, 1)\n    return m, state",
        None,
    ),
    called("call_for_nobody", "run(meter):\n    record(meter, 1)", None),
    called(
        "call_with_collected_arguments",
        "run(values):\n    meter = Meter(0)\n    record(*values, meter)\n    return meter",
        None,
    ),
    called("no_call", "run(meter):\n    return meter", None),
    *(
        Case(
            name,
            CALLED.format(
                "meter.total += value", "", "run(meter):\n    record(meter, 1)\n    return meter"
            )
            .replace("@jax.jit\n", decorators)
            .replace("record(meter: Meter, value)", signature)
            .replace("    meter.total += value\n", body),
            None,
            METER,
            unsafe=True,
        )
        for name, decorators, signature, body in (
            (
                "two_decorators",
                "@timed\n@jax.jit\n",
                "record(meter: Meter, value)",
                "    meter.total += value\n",
            ),
            (
                "jit_with_options",
                "@jax.jit(out_shardings=())\n",
                "record(meter: Meter, value)",
                "    meter.total += value\n",
            ),
            (
                "two_arguments",
                "@jax.jit\n",
                "record(meter: Meter, value: Meter)",
                "    meter.total += 1\n    value.total += 1\n",
            ),
            (
                "annotated_result",
                "@jax.jit\n",
                "record(meter: Meter, value) -> None",
                "    meter.total += value\n",
            ),
        )
    ),
    Case(
        "static_field",
        "class Label(struct.PyTreeNode):\n    text: str = struct.field(pytree_node=False)\n\n\n"
        "@jax.jit\ndef f(label: Label, text):\n    label.text = text\n    return label\n",
        None,
        METER,
    ),
    Case(
        "shadowed_module",
        "from dataclasses import dataclass\n\nimport jax\n\n\n@jax.tree_util.register_dataclass\n"
        "@dataclass(frozen=True)\nclass T:\n    a: int\n\n\ndef f(t: T, dataclasses):\n"
        "    t.a = dataclasses\n    return t\n",
        None,
    ),
    Case(
        "perhaps_none",
        "from typing import Any\n\nimport equinox as eqx\n\n\n"
        "class N(eqx.Module):\n    w: Any\n\n\n"
        "def f():\n    n = N(1)\n    n.w = 2\n    return n\n",
        None,
    ),
    called(
        "comment_at_the_end",
        "run(meter):\n    record(meter, 1)\n    return meter",
        None,
        "\n\n    # and that is all",
    ),
    called(
        "second_write_silenced",
        "run(meter):\n    record(meter, 1)\n    return meter",
        None,
        "\n    meter.total *= value  # noqa: JAX201",
    ),
    called(
        "type_comment_of_a_function",
        "run(meter):\n    record(meter, 1)\n    return meter",
        None,
        "  # type: float",
    ),
    called("early_return", "run(meter):\n    record(meter, 1)", None, "\n    return"),
    called("with_a_result", "run(meter):\n    record(meter, 1)", None, "\n    return value"),
]


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What one safe and one unsafe run make of all cases."""
    found: dict[str, str] = {}
    for unsafe in (False, True):
        folder = tmp_path_factory.mktemp("cases")
        for case in CASES:
            if case.unsafe is unsafe:
                (folder / f"{case.name}.py").write_text(case.given)
        command = [sys.executable, "-m", "flake8_jax", "fix", "--isolated", "--select=JAX"]
        command += ["--unsafe"] if unsafe else []
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
        assert "left alone" not in done.stderr
        found |= {path.stem: path.read_text() for path in folder.iterdir()}
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_becomes_of_a_module(case: Case, fixed: dict[str, str]) -> None:
    compile(case.given, case.name, "exec")
    assert fixed[case.name] == case.expected


def test_all_but_three_of_the_cases_are_reported(flake8: Flake8, tmp_path: Path) -> None:
    names = {case.name for case in CASES}
    assert len(names) == len(CASES)
    for case in CASES:
        (tmp_path / f"{case.name}.py").write_text(case.given)
    done = flake8("--isolated", "--select=JAX", ".")
    found = {Path(line.partition(":")[0]).stem for line in done.stdout.splitlines()}
    expected = {"caller_expects_an_error", "caller_hands_it_to_raises"}  # they want it to raise
    assert names - found == {"noqa", *expected}


def test_what_is_lost_without_an_error_is_said(tmp_path: Path) -> None:
    text = next(case.given for case in CASES if case.name == "argument_read")
    (tmp_path / "read.py").write_text(text)
    command = [sys.executable, "-m", "flake8_jax", "fix", "--list", "read.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "unsafe: the caller's object keeps its 'a'" in done.stdout


def test_imports_of_a_package_stay(tmp_path: Path) -> None:
    text = next(case.given for case in CASES if case.name == "import_0")
    (tmp_path / "__init__.py").write_text(text)
    subprocess.run([sys.executable, "-m", "flake8_jax", "fix"], cwd=tmp_path, check=True)
    assert (tmp_path / "__init__.py").read_text() == text.replace("@cached_property", "@property")
