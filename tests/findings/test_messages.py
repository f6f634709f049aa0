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


LOST = "JAX201 's.x' is set on a lost copy: 'f' (jax.jit) doesn't return it; "
CLASSES = {
    "flax": (
        "class S(struct.PyTreeNode, frozen=False):\n    x: jax.Array",
        "return s.replace(x=...)",
    ),
    "registered_dataclass": (
        "@jax.tree_util.register_dataclass\n@dataclasses.dataclass\nclass S:\n    x: jax.Array",
        "return dataclasses.replace(s, x=...)",
    ),
    "chex": (
        "@chex.dataclass\nclass S:\n    x: jax.Array",
        "return s.replace(x=...)",
    ),
    "registered_class": (
        "@jax.tree_util.register_pytree_node_class\nclass S:\n    def tree_flatten(self):\n"
        "        return (self.x,), None",
        "return a new object",
    ),
    "registered_class_with_its_own_method": (
        "@jax.tree_util.register_pytree_node_class\nclass S:\n    def tree_flatten(self):\n"
        "        return (self.x,), None\n    def replace(self, **new):\n        return S(**new)",
        "return s.replace(x=...)",
    ),
    "nnx": (
        "class S(nnx.Module):\n    def __init__(self):\n        self.x = nnx.Param(1)",
        "use nnx.jit, which hands it back",
    ),
    "unknown": ("from elsewhere import S", "return a new object"),
}


@pytest.mark.parametrize("name", CLASSES)
def test_the_advice_fits_the_class(flake8: Flake8, tmp_path: Path, name: str) -> None:
    cls, advice = CLASSES[name]
    text = f"{HEAD}\n\n{cls}\n\n\n@jax.jit\ndef f(s: S, v):\n    s.x = v\n    return v\n"
    write(tmp_path, {"a.py": text})
    assert messages(flake8, "a.py") == [f"{LOST}{advice}"]


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
        f"{LOST}return eqx.tree_at(lambda t: t.x, s, ...)",
        "JAX204 's.x' cannot be set: 'S' is frozen (eqx.Module); "
        "use eqx.tree_at(lambda t: t.x, s, ...)",
    ]


VERBS = {
    "s.x = v": ("s.x", "set", "return s.replace(x=...)"),
    "s.x += v": ("s.x", "changed", "return s.replace(x=...)"),
    "del s.x": ("s.x", "deleted", "return a new object without it"),
    "delattr(s, 'x')": ("s.x", "deleted", "return a new object without it"),
    "setattr(s, 'x', v)": ("s.x", "set", "return s.replace(x=...)"),
    "object.__setattr__(s, 'x', v)": ("s.x", "set", "return s.replace(x=...)"),
    "vars(s)['x'] = v": ("vars(s)['x']", "set", "return an updated copy"),
    "vars(s).update(x=v)": ("s.x", "set", "return s.replace(x=...)"),
    "s.__dict__.pop('x')": ("s.x", "deleted", "return a new object without it"),
    "s.rows.append(v)": ("s.rows", "changed", "return a changed copy"),
    "s.rows[0] = v": ("s.rows[0]", "set", "return a changed copy"),
    "s.rows[0] += v": ("s.rows[0]", "changed", "return a changed copy"),
    "del s.rows[0]": ("s.rows[0]", "deleted", "return a copy without it"),
    "s.rows += [v]": ("s.rows", "changed", "return a changed copy"),
    "s.rows.pop()": ("s.rows", "changed", "return a changed copy"),
    "list.append(s.rows, v)": ("s.rows", "changed", "return a changed copy"),
    "s.table.__setitem__('k', v)": ("s.table", "changed", "return a changed copy"),
}
S = f"{HEAD}\n\n@chex.dataclass\nclass S:\n    x: jax.Array\n    rows: list\n    table: dict\n"


def test_verb_and_advice_fit_the_statement(flake8: Flake8, tmp_path: Path) -> None:
    text = S
    for number, statement in enumerate(VERBS):
        text += f"\n\n@jax.jit\ndef f{number}(s: S, v):\n    {statement}\n    return v\n"
    write(tmp_path, {"a.py": text})
    found = [item.partition(" ")[2] for item in messages(flake8, "a.py")]
    assert [item.replace(" in a lost", " on a lost") for item in found] == [
        f"'{target}' is {done} on a lost copy: 'f{number}' (jax.jit) doesn't return it; {advice}"
        for number, (target, done, advice) in enumerate(VERBS.values())
    ]


def test_what_leaks_is_named_as_it_is_written(flake8: Flake8, tmp_path: Path) -> None:
    text = S
    for number, statement in enumerate(VERBS):
        jit = "@functools.partial(jax.jit, static_argnums=0)"
        text += f"\n\n{jit}\ndef f{number}(s: S, v):\n    {statement}\n    return v\n"
    write(tmp_path, {"a.py": text})
    words = [item.partition(" ")[2].split(";")[0] for item in messages(flake8, "a.py")]
    leaks = "leaks a Tracer: {} outlives 'f{}' (jax.jit)"
    once = "is {} once per trace, not per call: 'f{}' (jax.jit)"
    removing = ("del ", "delattr", "s.__dict__.pop", "s.rows.pop")
    owners = {"JAX301": "its object", "JAX303": "the container"}
    codes = [item.split()[0] for item in messages(flake8, "a.py")]
    assert words == [
        f"'{target}' "
        + (
            once.format(done, number)
            if statement.startswith(removing)
            else leaks.format(owners[codes[number]], number)
        )
        for number, (statement, (target, done, _)) in enumerate(VERBS.items())
    ]


ELEMENTS = {
    "x[0] = 1": ("set", "x = x.at[0].set(...)"),
    "x[0, 1:] += 1": ("changed", "x = x.at[0, 1:].add(...)"),
    "x[i] -= 1": ("changed", "x = x.at[i].subtract(...)"),
    "x[i] *= 2": ("changed", "x = x.at[i].multiply(...)"),
    "x[i] /= 2": ("changed", "x = x.at[i].divide(...)"),
    "x[i] **= 2": ("changed", "x = x.at[i].power(...)"),
    "x[i] //= 2": ("changed", "x = x.at[i].set(...)"),
}


@pytest.mark.parametrize("traced", [False, True], ids=["made", "traced"])
def test_the_advice_for_an_array_fits_the_operator(
    flake8: Flake8, tmp_path: Path, traced: bool
) -> None:
    text = HEAD
    for number, statement in enumerate(ELEMENTS):
        head = f"@jax.jit\ndef f{number}(x: jax.Array, i):\n"
        if not traced:
            head = f"def f{number}(i):\n    x = jnp.zeros((3, 3))\n"
        text += f"\n\n{head}    {statement}\n    return x\n"
    write(tmp_path, {"a.py": text})
    source = "in 'f{}' (jax.jit)" if traced else "from jnp.zeros"
    assert messages(flake8, "a.py") == [
        f"JAX205 '{re.split(' .?.?=', statement)[0]}' cannot be {done}: "
        f"'x' is a jax array {source.format(number)}; use {update}"
        for number, (statement, (done, update)) in enumerate(ELEMENTS.items())
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
    "JAX301 '{}' leaks a Tracer through {} (meters.py:{}): its object outlives {}; "
    "return the value instead"
)


def test_what_another_module_writes_is_called_as_the_caller_calls_it(
    flake8: Flake8, tmp_path: Path
) -> None:
    write(tmp_path, {"meters.py": METERS, "a.py": USES_METERS})
    pushed = "'push' (jax.jit)"
    assert messages(flake8, "a.py") == [
        OUTER.format("METER.total", "push()", 7, pushed),
        OUTER.format("METER.total", "record()", 17, "'record' (jax.jit)"),
        OUTER.format("meter.total", "push()", 7, pushed),
        OUTER.format("self.meter.total", "push()", 7, pushed),
        "JAX303 'METER.log' leaks a Tracer through _keep() (meters.py:13): the container outlives "
        "'use' (jax.jit); return it or use jax.debug.callback",
        "JAX203 'meters[\"first\"].total' is set on a lost copy by record() (meters.py:17): "
        "'lend' (jax.jit) doesn't return it; return a copy",
        OUTER.format("METER.total", "push()", 7, "'later' (jax.jit, line 40)"),
    ]


def test_a_file_is_named_as_seen_from_where_flake8_is_started(
    flake8: Flake8, tmp_path: Path
) -> None:
    (tmp_path / "src/lab").mkdir(parents=True)
    write(tmp_path / "src/lab", {"__init__.py": "", "meters.py": METERS})
    use = "import jax\nfrom lab.meters import record\n\nrun = jax.jit(record)\n"
    write(tmp_path / "src/lab", {"a.py": use})
    (found,) = messages(flake8, "src/lab/a.py")
    assert " by record() (src/lab/meters.py:17): " in found


VEHICLES = """\
import jax
from flax import struct


class Vehicle(struct.PyTreeNode, frozen=False):
    trips: jax.Array

    def haul(self, load):
        self.trips = self.trips + 1
        return load
"""
USES_VEHICLES = """\
import jax
from vehicles import Vehicle

haul = jax.jit(Vehicle.haul)
"""


def test_where_nobody_is_self_nothing_is_called_self(flake8: Flake8, tmp_path: Path) -> None:
    write(tmp_path, {"vehicles.py": VEHICLES, "a.py": USES_VEHICLES})
    (found,) = messages(flake8, "a.py")
    assert "self" not in found
    assert "trips' is set on a lost copy by haul() (vehicles.py:9): 'haul' (jax.jit)" in found


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
    assert found.startswith("JAX106 'table' leaks a Tracer through shifted() (tables.py:")


CACHED = """\
    @functools.cached_property
    def y(self):
        return {}
"""
KINDS = {
    "class S(struct.PyTreeNode):": ("is recomputed in every jitted call", "struct.PyTreeNode"),
    "class S(eqx.Module):": ("changes the pytree structure when read", "eqx.Module"),
    "class S(nnx.Module):": ("is leaked by nnx.jit, as static metadata", "nnx.Module"),
    "class S(simple_pytree.Pytree):": (
        "breaks flattening once it is read",
        "simple_pytree.Pytree",
    ),
    "@jax.tree_util.register_static\nclass S:": (
        "leaks a Tracer of the call that reads it first",
        "register_static",
    ),
    "class S(NamedTuple):": ("raises when read", "typing.NamedTuple"),
}


@pytest.mark.parametrize("cls", KINDS)
def test_what_happens_to_a_cached_property(flake8: Flake8, tmp_path: Path, cls: str) -> None:
    body = "    x: jax.Array\n" + CACHED.format("jnp.sin(self.x)")
    write(tmp_path, {"a.py": f"import simple_pytree\n{HEAD}\n\n{cls}\n{body}"})
    happens, kind = KINDS[cls]
    assert messages(flake8, "a.py") == [
        f"JAX101 'S.y' {happens}: cached property on a pytree ({kind}); use @property"
    ]


@pytest.mark.parametrize("base", ["eqx.Module", "nnx.Module"])
def test_what_happens_to_a_static_cached_property(
    flake8: Flake8, tmp_path: Path, base: str
) -> None:
    body = "    x: jax.Array\n" + CACHED.format("self.x.shape[0] * 2")
    write(tmp_path, {"a.py": f"{HEAD}\n\nclass S({base}):\n{body}"})
    (found,) = messages(flake8, "a.py")
    assert found.startswith("JAX101 'S.y' changes the pytree structure when read: cached property")


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
    again = "is recomputed in every jitted call: cached property on a pytree"
    leaks = "JAX303 'SEEN' leaks a Tracer: the container outlives"
    instead = "return it or use jax.debug.callback"
    assert messages(flake8, *options, "a.py") == [
        f"JAX101 'A.y' {again} (base.Node); use @property",
        f"JAX101 'B.y' {again} (outside.mark); use @property",
        f"{leaks} 'step' (outside.fast); {instead}",
        "JAX904 'COUNT[\"n\"]' is set once per trace, not per call: 'step' (outside.fast); "
        "use jax.debug.callback",
        f"{leaks} a lambda (outside.fast); {instead}",
    ]
