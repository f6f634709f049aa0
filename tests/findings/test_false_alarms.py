"""Code that real projects have, and that the rules which are on by default leave alone."""

import pytest

from conftest import Flake8

HEAD = "import collections\nimport functools\nimport flax.struct\nimport jax\n"
HEAD += "import jax.numpy as jnp\nimport numpy as np\n"
CASES = {
    "what has replace and is no pytree, since it is made of plain numbers": """
@jax.jit
def stamped(x):
    shown = str(x.shape[0])
    shown.replace(old="1", new="2")
    when = round(x.shape[0] / 2.0)
    when.replace(hour=0)
    return x
""",
    "writes before a call that cannot bind its arguments, and so raises": """
def nearby(positions, reach, edges=False):
    return positions * reach if edges else positions


@flax.struct.dataclass(frozen=False)
class World:
    positions: jnp.ndarray
    notes: dict


@jax.jit
def step(world: World, push):
    world.notes["before"] = world.positions
    world.positions = world.positions + push
    world.notes["near"] = nearby(world.positions, 2.0, 3.0, edges=True)
    return world
""",
    "flags, which arrays of numpy have alone": """
from contextlib import contextmanager


@flax.struct.dataclass
class State:
    pressure: jax.Array


@contextmanager
def unlocked(*arrays):
    before = [values.flags.writeable for values in arrays]
    opened = []
    try:
        for values in arrays:
            values = values.copy()
            values.flags.writeable = True
            opened.append(values)
        yield opened[0]
    finally:
        for values, was in zip(opened, before):
            values.flags.writeable = was


def set_in_numpy(values, index, value):
    with unlocked(values) as open_values:
        open_values[index] = value
    return open_values


def set_in_jax(values, index, value):
    return values.at[index].set(value)


set_one = set_in_numpy if jax.config.jax_enable_x64 else set_in_jax


@jax.jit
def force(state):
    return set_one(state.pressure, 0, 1.0) * 2


def run():
    return force(State(jnp.zeros(3)))
""",
    "what another library says of what is traced": """
from elsewhere import Model, describe, key_of

LOG = []
CACHE = {}
LAST = None


def note(entry):
    LOG.append(entry)


@jax.jit
def f(x, config, model: Model, state):
    global LAST
    LOG.append(describe(x))
    CACHE[key_of(x)] = x.describe()
    LOG.append(config.name)
    CACHE["model"] = model.config.name
    note(state.kind)
    note(describe(state))
    for key in state:
        LOG.append(key)
    LOG.append(sorted(state))
    LOG.append(jax.tree.map(describe, state))
    LAST = config.name
    describe.last = key_of(x)
    return x
""",
    "objects of classes that are not known": """
from elsewhere import Field, fields, make


@jax.jit
def f(field: Field, grid: "fields.Grid", x):
    field[0, 1] = field.shape[0]
    grid[:, 0] = grid.T
    moved = field + jnp.ones(3)
    moved[0] = x
    scaled = make(3) * jnp.ones(3)
    scaled[0] = x
    with make(4) as store:
        store["a"] = jnp.sin(x)
        store["a"][...] = jnp.sin(x)
    return x
""",
    "references that kernels of other modules and jitted functions are given": """
from jax import lax
from jax.experimental import pallas as pl
from elsewhere import refs_of


def kernel(refs, scratch, *, n):
    x_ref, o_ref = refs

    def body(i, c):
        o_ref[i, 0] = x_ref[i, 0] * c
        refs[1][...] = c
        scratch["acc"][i] += c
        scratch.total[...] = c
        for name, ref in scratch.items():
            ref[i, :] = c
        return c

    lax.fori_loop(0, n, body, 0.0)

    @pl.when(n > 1)
    def _():
        o_ref[0, 1] = x_ref.shape[0]


@jax.jit
def step(state, acc: jax.Ref, out_ref, x):
    acc[0, 1] = acc.shape[0]
    out_ref[...] += x * 2
    out_ref[0, :] = x
    for ref in refs_of(state):
        ref[0, 1] = x
    return x
""",
    "frozen classes of which not all is known": """
import equinox as eqx
from elsewhere import Meta, Mixin, decorate, make_base


class Mixed(Mixin, eqx.Module):
    x: jax.Array

    def put(self, v):
        self.x = v


class Made(eqx.Module, metaclass=Meta):
    x: jax.Array

    def put(self, v):
        self.x = v


@decorate
@flax.struct.dataclass
class Decorated:
    x: jax.Array

    def put(self, v):
        self.x = v


class Called(flax.struct.PyTreeNode, make_base()):
    x: jax.Array

    def put(self, v):
        self.x = v
""",
    "a class that its own hook for subclasses, or a function, opens": """
class Open(flax.struct.PyTreeNode):
    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        cls.__setattr__ = object.__setattr__


class Heir(Open):
    x: jax.Array

    def put(self, v):
        self.x = v


def unlock(node):
    object.__setattr__(node, "__class__", Heir)


@flax.struct.dataclass
class Locked:
    x: jax.Array

    def _unlock(self):
        unlock(self)

    def put(self, v):
        self._unlock()
        self.x = v


def change(node: Locked):
    unlock(node)
    node.x = 1.0
""",
    "what partial binds of a static argument": """
class Report:
    def __init__(self):
        self.size = 0


REPORT = Report()


def scaled(size, x):
    REPORT.size = size * 2
    return x * size


@functools.partial(jax.jit, static_argnames="size")
def f(x, size):
    return jax.vmap(functools.partial(scaled, size))(x)


@jax.jit
def g(x):
    size = len(x)
    return jax.vmap(functools.partial(scaled, size + 1))(x)


def helper(x, size):
    return jax.vmap(functools.partial(scaled, size))(x)


@jax.jit
def h(x):
    return helper(x, 3)
""",
    "what partial binds of a static self": """
class Trainer:
    def __init__(self, rate: float):
        self.rate = rate
        self.table = {}

    def _step(self, rate, x):
        self.table["rate"] = 2 * rate
        return x * rate

    @functools.partial(jax.jit, static_argnums=0)
    def run(self, xs):
        return jax.vmap(functools.partial(self._step, self.rate))(xs)

    def make(self):
        rate = self.rate

        @jax.jit
        def run(xs):
            return jax.vmap(functools.partial(self._step, rate))(xs)

        return run
""",
    "a singleton of plain Python": """
class Registry:
    _instance = None

    def __init__(self):
        self.hooks = []

    @classmethod
    def instance(cls):
        if cls._instance is None:
            cls._instance = cls()
        return cls._instance


@jax.jit
def f(x):
    Registry.instance()
    return x
""",
    "moved to the end": """
from elsewhere import key_of

CACHE = collections.OrderedDict()


def get(key):
    if key in CACHE:
        CACHE.move_to_end(key)
        return CACHE[key]
    return 1.0


@jax.jit
def f(x):
    return get(key_of(x)) * x
""",
    "a method of a numpy array": """
def order(problem):
    out = np.argsort(np.asarray(problem.slots)).astype(np.int32)
    problem.order = out
    return out


def make(problem):
    @jax.jit
    def f(x):
        return x[order(problem)]

    return f
""",
    "what a library makes of a function": """
import library

KNOWN = {}


@jax.jit
def f(*args):
    flat, tree = jax.tree.flatten(args)
    found = KNOWN.get(tree)
    if found is None:

        def inner(*flat):
            return jax.tree.unflatten(tree, flat)

        found = library.callable(inner, outputs=1)
        KNOWN[tree] = found
    return found(*flat)
""",
    "an empty container of the standard library": """
class State:
    pass


STATE = State()


@jax.jit
def f(x):
    STATE.counts = collections.defaultdict(int)
    return x
""",
    "a constant of a library": """
import mujoco

OPTIONS = {}


@jax.jit
def f(x):
    OPTIONS["integrator"] = mujoco.mjtIntegrator.mjINT_EULER
    return x
""",
    "a size from a tuple of sizes": """
class Buffer:
    def __init__(self, limit: int, rows):
        self.shape = (limit, len(rows))
        self.size = 0

    def insert(self, row):
        self.size = min(self.shape[0], self.size + 1)
        return row


BUFFER = Buffer(3, [])


@jax.jit
def f(x):
    return BUFFER.insert(x)
""",
    "a word in a dict": """
@flax.struct.dataclass
class Input:
    tree: dict

    @functools.cached_property
    def has_vision(self):
        return "vision" in self.tree
""",
    "a path in a table of modules": """
PATHS = {}


class Module:
    parent = None
    name = "dense"

    def call(self, x):
        PATHS[self] = () if self.parent is None else PATHS[self.parent] + (self.name,)
        return x


MODULE = Module()


@jax.jit
def f(x):
    return MODULE.call(x)
""",
    "buffers that a caller asks for": """
@flax.struct.dataclass
class Attention:
    heads: int = flax.struct.field(pytree_node=False)

    def decode(self, batch_size=None, length=None):
        if not hasattr(self, "keys"):
            shape = (batch_size, length, self.heads)
            object.__setattr__(self, "keys", jnp.zeros(shape))
""",
    "references that a context is handed, and their reverse": """
@jax.tree_util.register_pytree_node_class
class Context:
    def __init__(self):
        self.index = None
        self.reverse = None

    def end(self, index):
        if self.index is None:
            self.index = index
            self.reverse = {number: name for name, number in self.index.items()}

    def tree_flatten(self):
        return (), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls()
""",
    "a collector that belongs to a thread": """
import threading


class Context(threading.local):
    def __init__(self):
        self.losses = None


LOCAL = Context()


def add_loss(value):
    if LOCAL.losses is None:
        return
    LOCAL.losses.append(value)


@jax.jit
def f(x):
    add_loss(x.sum())
    return x
""",
    "a number that is mapped together with what is traced": """
def decay(steps):
    def schedule(count):
        nonlocal steps
        steps, count = jax.tree.map(
            lambda x: float(x) if isinstance(x, int) else x, (steps, count)
        )
        return jnp.minimum(count, steps) / steps

    return schedule


SCHEDULE = jax.jit(decay(10))
""",
    "a stack of another library that is popped at the end": """
import contextlib

from library import ContextStack

STACK = ContextStack()


@contextlib.contextmanager
def pushed(value):
    try:
        STACK.append(value)
        yield
    finally:
        STACK.pop()


@jax.jit
def f(x):
    with pushed(x):
        return x
""",
    "a list that is put back at the end": """
class Tape:
    def __init__(self):
        self.records = []

    def record(self, x):
        saved = self.records
        self.records = []
        try:
            self.records.append(x)
            return list(self.records)
        finally:
            self.records = saved


TAPE = Tape()


@jax.jit
def f(x):
    return TAPE.record(x)
""",
    "a numpy array that goes by the name of another": """
def integrals(mol, name, grids=None):
    env = mol.env
    if "ECP" in name:
        env[0] = len(mol.bas)
    elif grids is not None:
        env = np.append(env, grids)
        env[1] = env.size
    return env


intor = jax.custom_vjp(integrals)
""",
    "a class of jax_dataclasses with a switch of its own": """
import jax_dataclasses


class Switched:
    __mutability__ = False

    def mutable(self):
        object.__setattr__(self, "__mutability__", True)
        return self


@jax_dataclasses.pytree_dataclass
class Link(Switched):
    mass: float


def build(links: list[Link]):
    for link in links:
        link.mutable()
    for link in links:
        link.mass = 1.0
""",
    "a tuple that holds an iterator": """
from collections.abc import Iterator
from typing import NamedTuple


class Items:
    @functools.cached_property
    def by_name(self):
        return {name: getattr(self, name) for name in self._fields}


class Saved(NamedTuple):
    state: dict
    batches: Iterator[dict]


class Checkpoint(Saved, Items):
    pass
""",
    "a static field that a context manager sets and puts back": """
import contextlib


@flax.struct.dataclass(frozen=False)
class Data:
    position: jax.Array
    frame: str = flax.struct.field(pytree_node=False, default="body")

    @contextlib.contextmanager
    def seen_from(self, frame):
        original = self.frame
        try:
            self.frame = frame
            yield self
        finally:
            self.frame = original


@jax.jit
def energy(data: Data):
    with data.seen_from("world"):
        return data.position @ data.position
""",
    "updates that a test tries out": """
def test_at():
    x = jnp.arange(5.0)
    x.at[2].add(10.0)
    x.at[20].add(10.0, mode="clip")
    x.at[20].get(mode="fill")
""",
    "a cache that other code may have filled before": """
@flax.struct.dataclass
class Cells:
    value: jax.Array

    @functools.cached_property  # noqa: JAX101
    def last(self):
        return self.value[-1] * 2


@flax.struct.dataclass
class Profiles:
    ions: Cells


def edge(profiles: Profiles):
    return profiles.ions.last


def coefficients(profiles: Profiles, transport, flag):
    flow = transport(profiles)
    inner = jax.lax.cond(flag, lambda: edge(profiles), lambda: 0.0)
    return flow + inner + profiles.ions.last
""",
    "arrays that are made, and not differentiated": """
class Cell:
    def __init__(self):
        self.nodes = {}

    def to_jax(self):
        self.nodes["radius"] = jnp.ones(3)


def test_gradient():
    cell = Cell()

    def loss(params):
        cell.to_jax()
        return params.sum() + cell.nodes["radius"].sum()

    return jax.value_and_grad(loss)(jnp.ones(3))
""",
    "an element that is replaced before it is changed": """
@jax.jit
def f(m: dict, v):
    d = {"m": m}
    d["m"] = {}
    d["m"]["z"] = v
    return v


@jax.jit
def g(m: dict, v):
    d = [m]
    d[0] = dict(m)
    d[0]["z"] = v
    return v
""",
    "an element that a method replaces": """
@jax.jit
def f(m: dict, v):
    d = {}
    d["m"] = m
    d.update(m={})
    d["m"]["z"] = v
    return v
""",
    "a setter that a later one replaces": """
class State(flax.struct.PyTreeNode, frozen=False):
    x: jax.Array

    @property
    def y(self):
        return 1

    @y.setter
    def y(self, v):
        self.x = v

    @property
    def y(self):
        return 1

    @y.setter
    def y(self, v):
        pass


@jax.jit
def f(state: State, v):
    state.y = v
    return v
""",
    "gathered keywords that are replaced": """
def put(**given):
    given["m"] = dict(given["m"])
    given["m"]["z"] = 3


@jax.jit
def f(m: dict, v):
    put(m=m)
    return v
""",
    "a keyword with the name of a positional parameter": """
def put(m, /, **given):
    m["z"] = 3


@jax.jit
def f(m: dict, v):
    put({}, m=m)
    return v
""",
    "an argument that comes out in a dict": """
class State(flax.struct.PyTreeNode, frozen=False):
    x: jax.Array


@jax.jit
def f(state: State, v):
    state.x = v
    return dict(state=state)
""",
}


CASES["an update of an array that numpy made, which raises"] = """
import numpy as np


def returns(rewards, gamma):
    total = np.zeros(rewards.shape)
    total.at[0].set(rewards[0] + gamma)
    return total
"""


@pytest.mark.parametrize("name", CASES)
def test_silent(flake8: Flake8, name: str) -> None:
    done = flake8("--select=JAX", "-", stdin=HEAD + CASES[name])
    assert (done.stdout, done.stderr) == ("", "")


LEAKS = {
    "an array that is made in the trace": "jnp.ones(3)",
    "one in a dict": "{'ones': jnp.ones(3)}",
    "one that a loop computes": "jax.lax.fori_loop(0, 3, lambda i, c: c, 0)",
    "one that another jitted function computes": "jax.jit(lambda: 1)()",
    "what is traced": "x",
}


@pytest.mark.parametrize("name", LEAKS)
def test_a_value_that_leaks(flake8: Flake8, name: str) -> None:
    text = f"SEEN = []\n\n\n@jax.jit\ndef f(x):\n    SEEN.append({LEAKS[name]})\n    return x\n"
    assert "JAX303" in flake8("--select=JAX", "-", stdin=HEAD + text).stdout


def test_an_update_that_is_missed(flake8: Flake8) -> None:
    text = "def f():\n    x = jnp.ones(3)\n    x.at[0].set(2.0)\n    return x\n"
    assert "JAX401" in flake8("--select=JAX", "-", stdin=HEAD + text).stdout


def test_a_name_is_no_guard(flake8: Flake8) -> None:
    text = (
        "SEEN = []\n\n\n@jax.jit\ndef advect(tracer):\n    SEEN.append(tracer)\n    return tracer\n"
    )
    assert "JAX303" in flake8("--select=JAX", "-", stdin=HEAD + text).stdout


READ_BEFORE = """
@flax.struct.dataclass
class Variable:
    value: jax.Array

    @functools.cached_property
    def centres(self):
        return (self.value[1:] + self.value[:-1]) / 2

    @functools.cached_property
    def pair(self):
        return Pair(self.value)

    def face(self):
        return self.centres * 2


class Pair:
    def __init__(self, value):
        self.value = value


@jax.jit
def f(variable: Variable, flag):
    {first}
    inner = jax.lax.cond(flag, lambda: {inner}, lambda: 0.0)
    return inner + {last}
"""


@pytest.mark.parametrize(
    ("first", "inner", "last", "found"),
    [
        ("variable.face()", "variable.face().sum()", "variable.centres.sum()", 0),
        ("pass", "variable.face().sum()", "variable.centres.sum()", 1),
        ("pass", "variable.pair.value", "variable.pair.value", 0),
    ],
)
def test_a_cache_that_is_filled_before_or_holds_nothing_new(
    flake8: Flake8, first: str, inner: str, last: str, found: int
) -> None:
    text = HEAD + READ_BEFORE.format(first=first, inner=inner, last=last)
    assert flake8("--select=JAX105", "-", stdin=text).stdout.count("JAX105") == found


CALLED = """
class Counter(flax.struct.PyTreeNode, frozen=False):
    total: jax.Array

    def __call__(self, x):
        self.total = self.total + x.sum()
        return self.total


counter = Counter(jnp.zeros(()))


@jax.jit
def count(counter, x):
    return counter(x)


def hand_on(counter, x):
    return count(counter, x)


def f(x):
    own = Counter(jnp.ones(()))
    jax.vmap(lambda each, y: each(y), in_axes=(None, 0))(own, x)
    jax.grad(lambda each, y: each(y))(counter, x)
    jax.jit(lambda each, y: each(y))(counter, x)
    return count(counter, x), count(own, x), hand_on(counter, x)
"""


def test_an_argument_that_is_called_is_a_copy(flake8: Flake8) -> None:
    assert "JAX3" not in flake8("--select=JAX", "-", stdin=HEAD + CALLED).stdout
