"""What messages say: the exact words where these depend on the code, and that named lines exist."""

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from conftest import Flake8

_FOUND = re.compile(r"^(?P<path>.+?):(?P<line>\d+):\d+: (?P<text>JAX.*)$", re.M)
HEAD = """\
import dataclasses
import functools
from typing import NamedTuple

import chex
import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx, struct
"""


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(textwrap.dedent(text))


def messages(flake8: Flake8, *arguments: str) -> list[str]:
    done = flake8("--select=JAX,JAX9", *arguments)
    assert done.stderr == ""
    return [match["text"] for match in _FOUND.finditer(done.stdout)]


LOST = "JAX201 write to traced argument is lost: 's.x' is {} under jax.jit ('f', line {}) and its"
CLASSES = {
    "flax": (
        "class S(struct.PyTreeNode, frozen=False):\n    x: jax.Array",
        "use .replace(...) and return the new object",
    ),
    "registered_dataclass": (
        "@jax.tree_util.register_dataclass\n@dataclasses.dataclass\nclass S:\n    x: jax.Array",
        "use dataclasses.replace(...) and return the new object",
    ),
    "chex": (
        "@chex.dataclass\nclass S:\n    x: jax.Array",
        "use .replace(...) and return the new object",
    ),
    "registered_class": (
        "@jax.tree_util.register_pytree_node_class\nclass S:\n    def tree_flatten(self):\n"
        "        return (self.x,), None",
        "build and return a new object",
    ),
    "registered_class_with_its_own_method": (
        "@jax.tree_util.register_pytree_node_class\nclass S:\n    def tree_flatten(self):\n"
        "        return (self.x,), None\n    def replace(self, **new):\n        return S(**new)",
        "use .replace(...) and return the new object",
    ),
    "nnx": (
        "class S(nnx.Module):\n    def __init__(self):\n        self.x = nnx.Param(1)",
        "use flax.nnx.jit, which hands it back",
    ),
    "unknown": ("from elsewhere import S", "build and return a new object"),
}


@pytest.mark.parametrize("name", CLASSES)
def test_the_advice_fits_the_class(flake8: Flake8, tmp_path: Path, name: str) -> None:
    cls, advice = CLASSES[name]
    text = f"{HEAD}\n\n{cls}\n\n\n@jax.jit\ndef f(s: S, v):\n    s.x = v\n    return v\n"
    write(tmp_path, {"a.py": text})
    line = text[: text.index("def f")].count("\n") + 1
    assert messages(flake8, "a.py") == [
        LOST.format("set", line) + f" object is not returned; {advice}"
    ]


EQUINOX = """
class S(eqx.Module):
    x: jax.Array


@jax.jit
def f(s: S, v):
    object.__setattr__(s, "x", v)
    return v


def g(s: S):
    s.x = 1
"""


def test_the_advice_for_equinox(flake8: Flake8, tmp_path: Path) -> None:
    write(tmp_path, {"a.py": HEAD + EQUINOX})
    assert messages(flake8, "a.py") == [
        LOST.format("set", 16)
        + " object is not returned; use equinox.tree_at(...) and return the new object",
        "JAX204 write to a frozen pytree raises: 's.x' (S, equinox.Module); "
        "use equinox.tree_at(...)",
    ]


VERBS = {
    "s.x = v": "'s.x' is set",
    "s.x += v": "'s.x' is changed",
    "del s.x": "'s.x' is deleted",
    "delattr(s, 'x')": "'s.x' is deleted",
    "setattr(s, 'x', v)": "'s.x' is set",
    "object.__setattr__(s, 'x', v)": "'s.x' is set",
    "vars(s)['x'] = v": "'vars(s)['x']' is set",
    "vars(s).update(x=v)": "'s.x' is set",
    "s.__dict__.pop('x')": "'s.x' is deleted",
    "s.rows.append(v)": "'s.rows' is changed",
    "s.rows[0] = v": "'s.rows[0]' is set",
    "s.rows[0] += v": "'s.rows[0]' is changed",
    "del s.rows[0]": "'s.rows[0]' is deleted",
    "s.rows += [v]": "'s.rows' is changed",
    "s.rows.pop()": "'s.rows' is changed",
    "list.append(s.rows, v)": "'s.rows' is changed",
    "s.table.__setitem__('k', v)": "'s.table' is changed",
}


@pytest.mark.parametrize("outer", [False, True], ids=["argument", "outer"])
def test_the_verb_fits_the_statement(flake8: Flake8, tmp_path: Path, outer: bool) -> None:
    text = (
        f"{HEAD}\n\n@chex.dataclass\nclass S:\n    x: jax.Array\n    rows: list\n    table: dict\n"
    )
    jit = "@functools.partial(jax.jit, static_argnums=0)" if outer else "@jax.jit"
    for number, statement in enumerate(VERBS):
        text += f"\n\n{jit}\ndef f{number}(s: S, v):\n    {statement}\n    return v\n"
    write(tmp_path, {"a.py": text})
    found = [item.partition(": ")[2].partition(", line")[0] for item in messages(flake8, "a.py")]
    assert found == [
        f"{words} under jax.jit ('f{number}'" for number, words in enumerate(VERBS.values())
    ]


METERS = """\
class Meter:
    def __init__(self):
        self.total = 0
        self.log = []

    def push(self, value):
        self.total = value

    def keep(self, value):
        self._keep(value)

    def _keep(self, value):
        self.log.append(value)


def record(meter, value):
    meter.total = value
"""
USES_METERS = """\
import jax
from functools import partial
from meters import Meter, record

METER = Meter()
push = jax.jit(METER.push)
part = jax.jit(partial(record, METER))


def build():
    meter = Meter()
    return jax.jit(meter.push), meter


class Runner:
    def __init__(self):
        self.meter = Meter()

    def run(self, value):
        return jax.jit(self.meter.push)(value)


@jax.jit
def use(value):
    METER.keep(value)
    return value


@jax.jit
def lend(meters, value):
    record(meters["first"], value)
    return value


def later(value):
    METER.push(value)
    return value


compiled = jax.jit(later)
"""
OUTER = (
    "JAX301 write to an outer object leaks a Tracer: '{}' is set under jax.jit{} ({}, by '{}' in"
)
OUTSIDE = "return the value and assign it outside"


def test_what_another_module_writes_is_called_as_the_caller_calls_it(
    flake8: Flake8, tmp_path: Path
) -> None:
    write(tmp_path, {"meters.py": METERS, "a.py": USES_METERS})
    pushed = "'push', line 6 of meters.py"
    assert messages(flake8, "a.py") == [
        OUTER.format("METER.total", "", pushed, "push") + f" meters.py on line 7); {OUTSIDE}",
        OUTER.format("METER.total", "", "'record', line 16 of meters.py", "record")
        + f" meters.py on line 17); {OUTSIDE}",
        OUTER.format("meter.total", "", pushed, "push") + f" meters.py on line 7); {OUTSIDE}",
        OUTER.format("self.meter.total", "", pushed, "push") + f" meters.py on line 7); {OUTSIDE}",
        "JAX303 change of an outer container leaks a Tracer: 'METER.log' is changed under jax.jit "
        "('use', line 24, by '_keep' in meters.py on line 13); return the value, or use "
        "jax.debug.callback",
        "JAX203 call writes to a traced argument and the change is lost: "
        "'meters[\"first\"].total' is set under jax.jit ('lend', line 30, by 'record' in meters.py "
        "on line 17) and its object is not returned; let it return a new object, and return that",
        OUTER.format("METER.total", " on line 40", "'later', line 35", "push")
        + f" meters.py on line 7); {OUTSIDE}",
    ]


TABLES = """
import functools
import jax.numpy as jnp


@functools.cache
def table(size=3, scale=1.0):
    return scale * jnp.arange(size)


def shifted(x):
    return x + table()


def scaled(x):
    return x * table(4, scale=2)
"""
USES_TABLES = """
import jax
from tables import scaled, shifted

first = jax.jit(shifted)(1.0)
second = jax.jit(scaled)(1.0)
"""


def test_a_cached_function_of_another_module_is_called_by_its_name(
    flake8: Flake8, tmp_path: Path
) -> None:
    write(tmp_path, {"tables.py": TABLES, "a.py": USES_TABLES})
    [found] = messages(flake8, "a.py")
    assert found.startswith("JAX106 cached function keeps a Tracer: 'table' is called ")


CACHED = """\
    @functools.cached_property
    def y(self):
        return {}
"""
KINDS = {
    "class S(struct.PyTreeNode):": (
        "is computed again in every jitted call: 'S.y' (flax.struct.PyTreeNode); "
        "use a plain property, or a field set when it is made"
    ),
    "class S(eqx.Module):": (
        "changes the tree when read, so jit traces again and scan and cond raise: "
        "'S.y' (equinox.Module); use a plain property"
    ),
    "class S(nnx.Module):": (
        "lands in static metadata: nnx.jit leaks it, and scan and cond raise: "
        "'S.y' (flax.nnx.Module); use a plain property"
    ),
    "class S(simple_pytree.Pytree):": (
        "is a field too many when read, so flattening raises: "
        "'S.y' (simple_pytree.Pytree); use a plain property"
    ),
    "@jax.tree_util.register_static\nclass S:": (
        "keeps a Tracer of the call that reads it first: "
        "'S.y' (jax.tree_util.register_static); use a plain property"
    ),
    "class S(NamedTuple):": (
        "raises when it is read: 'S.y' (typing.NamedTuple); use a plain property"
    ),
}


@pytest.mark.parametrize("cls", KINDS)
def test_what_happens_to_a_cached_property(flake8: Flake8, tmp_path: Path, cls: str) -> None:
    body = "    x: jax.Array\n" + CACHED.format("jnp.sin(self.x)")
    write(tmp_path, {"a.py": f"import simple_pytree\n{HEAD}\n\n{cls}\n{body}"})
    (found,) = messages(flake8, "a.py")
    assert found == f"JAX101 cached property on a pytree {KINDS[cls]}"
    assert len(found) <= 160


@pytest.mark.parametrize("base", ["eqx.Module", "nnx.Module"])
def test_what_happens_to_a_static_cached_property(
    flake8: Flake8, tmp_path: Path, base: str
) -> None:
    body = "    x: jax.Array\n" + CACHED.format("self.x.shape[0] * 2")
    write(tmp_path, {"a.py": f"{HEAD}\n\nclass S({base}):\n{body}"})
    (found,) = messages(flake8, "a.py")
    assert found.startswith("JAX101 cached property on a pytree changes the tree when read, so jit")


LISTED = """\
import functools
import outside
from outside import fast
from outside.base import Node

SEEN = []
COUNT = {}


class A(Node):
    @functools.cached_property
    def y(self):
        return expensive(self.x)


@outside.mark
class B:
    @functools.cached_property
    def y(self):
        return expensive(self.x)


@fast
def step(x):
    SEEN.append(x)
    COUNT["n"] = 1
    return x


later = fast(lambda x: SEEN.append(x))
"""


def test_what_options_list_has_its_own_name(flake8: Flake8, tmp_path: Path) -> None:
    write(tmp_path, {"a.py": LISTED})
    options = (
        "--jax-pytree-bases=outside.base.Node",
        "--jax-pytree-decorators=outside.mark",
        "--jax-transforms=outside.fast",
    )
    again = "JAX101 cached property on a pytree is computed again in every jitted call:"
    advice = "use a plain property, or a field set when it is made"
    leaks = "JAX303 change of an outer container leaks a Tracer: 'SEEN' is changed under"
    assert messages(flake8, *options, "a.py") == [
        f"{again} 'A.y' (outside.base.Node); {advice}",
        f"{again} 'B.y' (outside.mark); {advice}",
        f"{leaks} outside.fast ('step', line 24); return the value, or use jax.debug.callback",
        "JAX904 side effect happens once per trace: 'COUNT[\"n\"]' is set under outside.fast "
        "('step', line 24), not at every call; use jax.debug.callback, or do it outside",
        f"{leaks} outside.fast ('<lambda>', line 30); return the value, or use jax.debug.callback",
    ]
