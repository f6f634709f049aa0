"""Programs whose findings are easily lost: on long ways, or through what is seldom written."""

from pathlib import Path

import pytest

from benchmarks.gates import opened, shown

SHADOWED = """\
import jax
import numpy as box
from flax import struct


class Box(struct.PyTreeNode, frozen=False):
    total: jax.Array

    def add(self, y):
        self.total = self.total + y


@jax.jit
def run(given: Box, x):
    match given:
        case Box() as box:
            box.add(x)
    return x
"""


def test_a_variable_may_be_called_like_a_library(tmp_path: Path) -> None:
    (tmp_path / "shadowed.py").write_text(SHADOWED)
    found = shown(*opened(tmp_path / "shadowed.py"))
    assert [(line, text[:6]) for line, _, text in found] == [(10, "JAX201")]


HOLES: dict[str, tuple[dict[str, str], str]] = {
    "elements that only containers lose": (
        {
            "main.py": """\
import jax


@jax.jit
def f(x, first, second, third, key):
    del first[0]
    del second[key]
    del third["a"]
    return x
""",
        },
        "6 JAX202 7 JAX202 8 JAX202",
    ),
    "errors that are expected, and others": (
        {
            "main.py": """\
from dataclasses import FrozenInstanceError

from elsewhere import Refused
from flax import struct


@struct.dataclass
class Box:
    total: float


def expected(box: Box):
    try:
        box.total = 1.0
    except FrozenInstanceError:
        pass
    try:
        box.total = 2.0
    except (KeyError, AttributeError):
        pass
    try:
        box.total = 3.0
    except Refused:
        pass
    try:
        box.total = 4.0
    except:
        pass


def another(box: Box):
    try:
        box.total = 1.0
    except ValueError:
        pass


def others(box: Box):
    try:
        box.total = 1.0
    except (KeyError, ValueError) as error:
        print(error)
""",
        },
        "22 JAX204 33 JAX204 40 JAX204",
    ),
    "arrays among what is kept of arguments": (
        {
            "main.py": """\
import jax
import jax.numpy as jnp
from elsewhere import describe

LOG = []


def note(entry):
    LOG.append(entry)


@jax.jit
def f(x, batch, pair, model):
    LOG.append(describe(x))
    LOG.append(batch["a"])
    LOG.append({"x": (pair[0], 1)})
    LOG.append(jnp.sin(model(x)))
    LOG.append(model.scale * x)
    LOG.append([x.T, x.at[0].set(1)])
    LOG.append(jax.tree.leaves(batch))
    for value in batch.values():
        LOG.append(value)
    note(x.max())
    return x
""",
        },
        "9 JAX303 15 JAX303 16 JAX303 17 JAX303 18 JAX303 19 JAX303 20 JAX303 22 JAX303",
    ),
    "arguments that a star may bring": (
        {
            "main.py": """\
import functools

import jax


def put(scale, state, x):
    state.total = scale * x


def add(state, x, *, scale):
    state.total = scale * x


def set_to(state, x):
    state.total = x


@jax.jit
def by_position(state, *rest):
    put(2, state, *rest)
    return rest


@jax.jit
def by_name(state, x, **options):
    add(state, x, **options)
    return x


@jax.jit
def by_partial(state, *rest):
    functools.partial(set_to, state, *rest)()
    return rest
""",
        },
        "7 JAX201 11 JAX201 15 JAX201",
    ),
    "a decorator that hands over what the call does not": (
        {
            "main.py": """\
import jax


def scaled(function):
    def wrapper(*args):
        return function(2.0, *args)

    return wrapper


@scaled
def product(scale, x):
    return scale * x


@jax.jit
def step(state, x):
    y = product(x)
    state.total = y
    return x
""",
        },
        "19 JAX201",
    ),
    "a method that the constructor gives its first argument": (
        {
            "main.py": """\
import functools

import jax


class Runner:
    def __init__(self):
        self.product = functools.partial(self.product, 2.0)

    def product(self, scale, x):
        return scale * x

    def make(self):
        @jax.jit
        def step(state, x):
            y = self.product(x)
            state.total = y
            return x

        return step
""",
        },
        "17 JAX201",
    ),
    "what follows an error that is expected": (
        {
            "main.py": """\
import jax
import pytest


def put(state, x):
    state.total = x


@jax.jit
def step(state, x):
    with pytest.raises(TypeError):
        put(state)
    put(state, x)
    return x
""",
        },
        "6 JAX201",
    ),
    "a partial that a variable stands for": (
        {
            "main.py": """\
import functools

import jax


def put(scale, state, x):
    state.total = scale * x


double = functools.partial(put, 2)


@jax.jit
def step(state, x):
    double(state, x)
    return x
""",
        },
        "7 JAX201",
    ),
    "an annotated variable": (
        {
            "main.py": """\
import jax


def put(state, x):
    state.total = x


chosen: object = put


@jax.jit
def step(state, x):
    chosen(state, x)
    return x
""",
        },
        "5 JAX201",
    ),
    "an item that is handed over": (
        {
            "main.py": """\
import jax


def step(state, x):
    state.total = x
    return x


def compiled(table):
    table["step"] = step
    return jax.jit(table["step"])
""",
        },
        "5 JAX201",
    ),
    "a name that is bound in a condition": (
        {
            "main.py": """\
import jax


def step(state, x):
    state.total = x
    return x


def compiled():
    if (chosen := step) is not None:
        return jax.jit(chosen)
    return None
""",
        },
        "5 JAX201",
    ),
    "the first of several": (
        {
            "main.py": """\
import jax


def step(state, x):
    state.total = x
    return x


def compiled():
    first, *_ = [step, None]
    return jax.jit(first)
""",
        },
        "5 JAX201",
    ),
    "functions in a table that a loop goes over": (
        {
            "main.py": """\
import jax


def put(state, x):
    state.total = x


TABLE = {"put": put}


@jax.jit
def step(state, x):
    for function in TABLE.values():
        function(state, x)
    return x
""",
        },
        "5 JAX201",
    ),
    "a method that is got by its name": (
        {
            "main.py": """\
import jax


class Counter:
    def step(self, x):
        self.total = x
        return x

    def run(self, x):
        return jax.jit(getattr(self, "step"))(x)
""",
        },
        "6 JAX301",
    ),
    "an object in an attribute that is called": (
        {
            "main.py": """\
import jax


class Step:
    def __call__(self, state, x):
        state.total = x
        return x


class Loop:
    def __init__(self):
        self.step = Step()

    def run(self, state):
        return jax.lax.fori_loop(0, 3, lambda i, carry: self.step(state, carry), 1.0)
""",
        },
        "6 JAX301",
    ),
    "a value that is taken out": (
        {
            "main.py": """\
import jax
from flax import struct


class Queue(struct.PyTreeNode, frozen=False):
    items: list

    def next(self):
        item = self.items.pop()
        return item


@jax.jit
def step(queue: Queue):
    return queue.next()
""",
        },
        "9 JAX202",
    ),
    "another name for setattr": (
        {
            "main.py": """\
import jax


@jax.jit
def step(state, x):
    put = setattr
    put(state, "total", x)
    return x
""",
        },
        "7 JAX201",
    ),
    "another name for setattr on a frozen class": (
        {
            "main.py": """\
from flax import struct


@struct.dataclass
class State:
    total: float = 0.0


def add(state: State, x):
    put = setattr
    put(state, "total", x)
""",
        },
        "11 JAX204",
    ),
    "a derivative rule of another module's function": (
        {
            "main.py": """\
import rules


def backward(state, x):
    return x, x


def forward(state, x):
    state.total = x
    return x, x


rules.step.defvjp(forward, backward)
""",
            "rules.py": """\
import jax


@jax.custom_vjp
def step(state, x):
    return x
""",
        },
        "9 JAX201",
    ),
    "functions that call each other until one returns": (
        {
            "main.py": """\
import jax

SEEN = []


@jax.jit
def first(x, more):
    SEEN.append(x)
    return second(x, more)


@jax.jit
def second(x, more):
    SEEN.append(x)
    return x if more is None else first(x, None)
""",
        },
        "8 JAX303 14 JAX303",
    ),
    "a discarded update in what traced code calls": (
        {
            "main.py": """\
import jax


def put(state, x):
    state.replace(total=x)


@jax.jit
def step(state, x):
    put(state, x)
    return x
""",
        },
        "5 JAX401",
    ),
    "the field of a tuple": (
        {
            "main.py": """\
from typing import NamedTuple

from flax import struct


@struct.dataclass
class State:
    total: float = 0.0


class Pair(NamedTuple):
    state: State


def put(state, x):
    Pair(state).state.total = x
""",
        },
        "16 JAX204",
    ),
    "a constructor that cannot set anything": (
        {
            "main.py": """\
from flax import struct


@struct.dataclass
class State:
    total: float

    def __init__(self, total):
        self.total = total
""",
        },
        "9 JAX204",
    ),
    "a frozen self that is handed to a function": (
        {
            "main.py": """\
import equinox


class State(equinox.Module):
    total: float

    def put(self, x):
        also(self, x)


def also(state, x):
    first = second = state
    second.total = x
""",
        },
        "13 JAX204",
    ),
    "a frozen object that is handed on": (
        {
            "main.py": """\
from flax import struct


@struct.dataclass
class State:
    total: float = 0.0


def run(x):
    first(State(), x)


def first(state, x):
    second(state, x)


def second(state, x):
    state.total = x
""",
        },
        "18 JAX204",
    ),
    "a frozen field that a pattern names": (
        {
            "main.py": """\
from flax import struct


@struct.dataclass
class State:
    total: float = 0.0


class Owner:
    def __init__(self, state: State):
        self.state = state

    def put(self, x):
        for state in [self.state]:
            state.total = x
""",
        },
        "15 JAX204",
    ),
    "a static method that is given something frozen": (
        {
            "main.py": """\
from flax import struct


@struct.dataclass
class State:
    total: float = 0.0


class Rules:
    @staticmethod
    def put(state, x):
        state.total = x


def step(state: State, x):
    Rules().put(state, x)
""",
        },
        "12 JAX204",
    ),
    "a function below a condition": (
        {
            "main.py": """\
import jax
from helpers import put


@jax.jit
def step(state, x):
    put(state, x)
    return x
""",
            "helpers.py": """\
if True:

    def put(state, x):
        state.total = x
""",
        },
        "7 JAX203",
    ),
    "a step of a subclass that a base calls": (
        {
            "main.py": """\
import jax
from helpers import Adding


@jax.jit
def step(state, x):
    Adding().run(state, x)
    return x
""",
            "helpers.py": """\
class Rule:
    def run(self, state, x):
        return self.put(state, x)


class Adding(Rule):
    def put(self, state, x):
        state.total = x
""",
        },
        "7 JAX203",
    ),
    "the only class with a method": (
        {
            "main.py": """\
import jax
from helpers import put


@jax.jit
def step(state, x):
    put(state, x)
    return x
""",
            "helpers.py": """\
from flax import struct


class State(struct.PyTreeNode, frozen=False):
    total: float = 0.0

    def record(self, x):
        self.total = x


def put(state, x):
    state.record(x)
""",
        },
        "7 JAX203",
    ),
    "an argument that comes back through two functions": (
        {
            "main.py": """\
import jax
from helpers import outer


@jax.jit
def step(state, x):
    outer(state).total = x
    return x
""",
            "helpers.py": """\
def outer(state):
    return inner(state)


def inner(state):
    return state
""",
        },
        "7 JAX201",
    ),
    "a cached function in a variable": (
        {
            "main.py": """\
import jax
from helpers import shifted


@jax.jit
def step(x):
    return x + shifted(3)
""",
            "helpers.py": """\
import functools

import jax.numpy as jnp


def _grid(count):
    return jnp.arange(count)


grid = functools.lru_cache(maxsize=None)(_grid)


def shifted(count):
    return grid(count) + 1
""",
        },
        "7 JAX106",
    ),
    "a method of an object that a class traces": (
        {
            "main.py": """\
import jax


class Compiled:
    def __init__(self, function):
        self.function = jax.jit(function)


class Counter:
    def step(self, x):
        self.total = x
        return x

    @classmethod
    def compiled(cls):
        return Compiled(cls().step)
""",
        },
        "11 JAX301",
    ),
    "objects that are handed over": (
        {
            "main.py": """\
import jax


class Counter:
    def __call__(self, x):
        self.total = x
        return x


COUNTER = Counter()
RESULT = jax.lax.switch(0, [COUNTER, COUNTER], 1.0)
""",
        },
        "6 JAX301",
    ),
    "what a function of one's own traces": (
        {
            "main.py": """\
import jax


def repeated(function, x):
    def body(carry, _):
        return function(carry), None

    return jax.lax.scan(body, x, None, length=3)


def run():
    seen = []

    def step(x):
        seen.append(x)
        return x

    repeated(step, 1.0)
    return seen
""",
        },
        "15 JAX303",
    ),
    "a self that is called by what traces it": (
        {
            "main.py": """\
import jax


def traced(function, x):
    return jax.jit(function)(x)


class Counter:
    def __call__(self, x):
        self.total = x
        return x

    def run(self, x):
        return traced(self, x)
""",
        },
        "10 JAX301",
    ),
    "a function that a call gives back": (
        {
            "main.py": """\
import jax


def traced(function, x):
    return jax.jit(function)(x)


def counting(state):
    def step(x):
        state.total = x
        return x

    return step


def run(state, x):
    return traced(counting(state), x)
""",
        },
        "10 JAX301",
    ),
    "a frozen self that functions in a list are given": (
        {
            "main.py": """\
from flax import struct


@struct.dataclass
class State:
    total: float = 0.0

    def run(self, x):
        for function in RULES:
            function(self, x)


def put(state, x):
    state.total = x


RULES = [put]
""",
        },
        "14 JAX204",
    ),
    "a lambda that traces what it is given": (
        {
            "main.py": """\
import jax

SEEN = []
compiled = lambda function: jax.jit(function)


def step(x):
    SEEN.append(x)
    return x


run = compiled(step)
""",
        },
        "8 JAX303",
    ),
    "a function that stands in a method": (
        {
            "main.py": """\
import equinox as eqx


class Trainer:
    def step(self, x):
        def take(state, x):
            del state.inner.parts["old"]
            return x

        return eqx.filter_vmap(take)(self.state, x)
""",
        },
        "7 JAX202",
    ),
    "an element that a function of another module gives back": (
        {
            "parts.py": """\
def first(parts):
    return parts[0]
""",
            "main.py": """\
import jax
from parts import first


@jax.jit
def step(states, x):
    first(states).total = x
    return x
""",
        },
        "7 JAX201",
    ),
    "a copy that a function of another module makes": (
        {
            "parts.py": """\
import dataclasses


def again(state):
    return dataclasses.replace(state)
""",
            "main.py": """\
import jax
from parts import again


@jax.jit
def step(state, x):
    other = again(state)
    other.inner.total = x
    return x
""",
        },
        "8 JAX201",
    ),
    "a variable that a method of another module gives back": (
        {
            "parts.py": """\
class Picker:
    def pick(self, state):
        chosen = state
        return chosen
""",
            "main.py": """\
import jax
from parts import Picker


@jax.jit
def step(state, x):
    Picker().pick(state).total = x
    return x
""",
        },
        "7 JAX201",
    ),
    "a module that another module imports": (
        {
            "storing.py": """\
def put(state, x):
    state.total = x
""",
            "tools.py": """\
import storing
""",
            "main.py": """\
import jax
import tools


@jax.jit
def step(state, x):
    tools.storing.put(state, x)
    return x
""",
        },
        "7 JAX203",
    ),
    "a function of another module by its name": (
        {
            "storing.py": """\
def put(state, x):
    state.total = x
""",
            "main.py": """\
import jax
import storing


@jax.jit
def step(state, x):
    getattr(storing, "put")(state, x)
    return x
""",
        },
        "7 JAX203",
    ),
    "an object of another module that traces what it is given": (
        {
            "engines.py": """\
import jax


class Engine:
    def compiled(self, function):
        return jax.jit(function)


engine = Engine()
""",
            "main.py": """\
from engines import engine


def step(state, x):
    state.total = x
    return x


run = engine.compiled(step)
""",
        },
        "5 JAX201",
    ),
    "a frozen member of a class of another module": (
        {
            "boxes.py": """\
from flax import struct


@struct.dataclass
class Box:
    total: float


class Shelf:
    def __init__(self):
        self.box = Box(1.0)
""",
            "main.py": """\
from boxes import Shelf


def put(shelf: Shelf, x):
    shelf.box.total = x
""",
        },
        "5 JAX204",
    ),
    "something frozen that a function of another module is given": (
        {
            "boxes.py": """\
from flax import struct


@struct.dataclass
class Box:
    total: float


def store(box, x):
    box.total = x


def put(box, x):
    store(box, x)
""",
            "main.py": """\
from boxes import Box, put


def run(box: Box, x):
    put(box, x)
""",
        },
        "5 JAX204",
    ),
    "a variable that begins like an import": (
        {
            "main.py": """\
import jax


def step(state, x):
    state.total = x
    return x


importance = jax.jit(step)
""",
        },
        "5 JAX201",
    ),
    "a name that begins like an import": (
        {
            "main.py": """\
import jax


def put(state, x):
    state.total = x


from_here = put


@jax.jit
def step(state, x):
    from_here(state, x)
    return x
""",
        },
        "5 JAX201",
    ),
}
"""Programs whose findings are easily lost, and the findings of the main module."""


@pytest.mark.parametrize("cause", HOLES)
def test_what_is_easily_lost_is_found(cause: str, tmp_path: Path) -> None:
    modules, wanted = HOLES[cause]
    for name, text in modules.items():
        (tmp_path / name).write_text(text)
    main = tmp_path / "main.py"
    found = shown(*opened(main))
    assert " ".join(f"{line} {text[:6]}" for line, _, text in found) == wanted


FROZEN = """\
from flax import struct


@struct.dataclass
class Box:
    total: float


def put(box, x):
    {}
"""
GIVEN = """\
from boxes import Box, put


def run(box: Box, x):
    put(box, x)
"""


@pytest.mark.parametrize(
    "statement",
    [
        "box.total += x",
        "box.total: float = x",
        "box.total, y = x, x",
        "(box.total, y) = x, x",
        "y, box.total = x, x",
        "del box.total",
        "setattr(box, 'total', x)",
        "for box.total in [x]: pass",
        "with open(x) as box.total: pass",
    ],
)
def test_whatever_sets_an_attribute_elsewhere_is_seen(statement: str, tmp_path: Path) -> None:
    (tmp_path / "boxes.py").write_text(FROZEN.format(statement))
    main = tmp_path / "main.py"
    main.write_text(GIVEN)
    assert [(line, text[:6]) for line, _, text in shown(*opened(main))] == [(5, "JAX204")]
