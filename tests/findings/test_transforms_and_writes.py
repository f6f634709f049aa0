"""Every transform times every way of writing: what JAX does to the object is what flake8 says.

The programs are generated, run and linted; nothing of the outcome is typed by hand.
"""

from dataclasses import dataclass
from typing import Any

import jax
import pytest

from flake8_jax.evidence.fixtures import Fixture, Mark
from flake8_jax.evidence.instruments import holds_tracer, snapshot
from flake8_jax.evidence.verdicts import lint

MODULE = """\
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.scipy.optimize
from flax import nnx, struct
from jax.experimental.ode import odeint


class Box(struct.PyTreeNode, frozen=False):
    x: jax.Array
    d: dict
    items: list


X = jnp.ones(3)


def make():
    return Box(x=jnp.zeros(3), d={{"k": jnp.zeros(3)}}, items=[jnp.zeros(3)])


BOX = make()


def write({parameters}):
    {write}
    return v


def total(box: Box):
    return jnp.sum(box.x)


def forward(box, v):
    return v, None


def backward(_, cotangent):
    return None, cotangent


{outer}def run(box: Box):
    {call}
"""
CALLERS = """\
def associative(x):
    return jax.lax.associative_scan(lambda a, v: a + write(v), x)


def squared(v):
    return jnp.sum(write(v) ** 2)


"""
LINE = MODULE.count("\n", 0, MODULE.index("    {write}")) + 1

WRITES = {
    "assign": ("{o}.x = v * 2.0", "attribute"),
    "augmented": ("{o}.x += v", "attribute"),
    "tuple target": ("{o}.x, _ = v, 1", "attribute"),
    "for target": ("for {o}.x in [v]: pass", "attribute"),
    "setattr": ('setattr({o}, "x", v)', "attribute"),
    "object.__setattr__": ('object.__setattr__({o}, "x", v)', "attribute"),
    "vars": ('vars({o})["x"] = v', "attribute"),
    "__dict__.update": ("{o}.__dict__.update(x=v)", "attribute"),
    "dict item": ('{o}.d["k"] = v', "container"),
    "dict update": ("{o}.d.update(k=v)", "container"),
    "list item": ("{o}.items[0] = v", "container"),
    "append": ("{o}.items.append(v)", "container"),
    "list grows": ("{o}.items += [v]", "container"),
}

ARGUMENT = {
    "jit": "jax.jit(write)(box, X)",
    "jit of a lambda": "jax.jit(lambda b: write(b, X))(box)",
    "jit of a partial": "jax.jit(partial(write, v=X))(box)",
    "jit by partial": "partial(jax.jit, inline=True)(write)(box, X)",
    "lower": "jax.jit(write).lower(box, X)",
    "jit of vmap": "jax.jit(jax.vmap(write))(box, X)",
    "vmap": "jax.vmap(write)(box, X)",
    "checkpoint": "jax.checkpoint(write)(box, X)",
    "remat": "jax.remat(write)(box, X)",
    "scan": "jax.lax.scan(lambda c, b: (c, write(b, c)), 1.0, box)",
    "scan by keyword": "jax.lax.scan(f=lambda c, b: (c, write(b, c)), init=1.0, xs=box)",
    "map": "jax.lax.map(lambda b: write(b, 1.0), box)",
    "cond": "jax.lax.cond(True, write, write, box, X)",
    "switch": "jax.lax.switch(0, [write, write], box, X)",
    "eval_shape": "jax.eval_shape(write, box, X)",
    "make_jaxpr": "jax.make_jaxpr(write)(box, X)",
    "closure_convert": "jax.closure_convert(write, box, X)",
    "grad": "jax.grad(lambda b: write(b, total(b)))(box)",
    "value_and_grad": "jax.value_and_grad(lambda b: write(b, total(b)))(box)",
    "jacfwd": "jax.jacfwd(lambda b: write(b, total(b)))(box)",
    "jacrev": "jax.jacrev(lambda b: write(b, total(b)))(box)",
    "jvp": "jax.jvp(lambda b: write(b, total(b)), (box,), (box,))",
    "vjp": "jax.vjp(lambda b: write(b, total(b)), box)",
    "linearize": "jax.linearize(lambda b: write(b, total(b)), box)",
    "custom_jvp": "f = jax.custom_jvp(write); f.defjvps(None, None); f(box, X)",
    "custom_vjp": "f = jax.custom_vjp(write); f.defvjp(forward, backward); f(box, X)",
    "filter_jit": "eqx.filter_jit(write)(box, X)",
    "filter_vmap": "eqx.filter_vmap(write)(box, X)",
    "filter_grad": "eqx.filter_grad(lambda b: write(b, total(b)))(box)",
    "filter_eval_shape": "eqx.filter_eval_shape(write, box, X)",
    "filter_checkpoint": "eqx.filter_checkpoint(write)(box, X)",
    "nnx.jit": "nnx.jit(write)(box, X)",
    "nnx.vmap": "nnx.vmap(write)(box, X)",
}
"""Calls that hand the object to the traced callable."""

OUTER = {
    "jit": "jax.jit(write)(X)",
    "jit by partial": "partial(jax.jit, inline=True)(write)(X)",
    "lower": "jax.jit(write).lower(X)",
    "jit of vmap": "jax.jit(jax.vmap(write))(X)",
    "vmap": "jax.vmap(write)(X)",
    "checkpoint": "jax.checkpoint(write)(X)",
    "scan": "jax.lax.scan(lambda c, v: (c, write(v)), 0.0, X)",
    "while body": "jax.lax.while_loop(lambda v: v < 1, lambda v: write(v) + 1, 0.0)",
    "while cond": "jax.lax.while_loop(lambda v: write(v) < 1, lambda v: v + 1, 0.0)",
    "fori": "jax.lax.fori_loop(0, 2, lambda i, v: write(v), X)",
    "map": "jax.lax.map(write, X)",
    "cond": "jax.lax.cond(True, write, lambda v: v, X)",
    "switch": "jax.lax.switch(0, [write, write], X)",
    "eval_shape": "jax.eval_shape(write, X)",
    "make_jaxpr": "jax.make_jaxpr(write)(X)",
    "grad": "jax.grad(write)(1.0)",
    "hessian": "jax.hessian(write)(1.0)",
    "jvp": "jax.jvp(write, (X,), (X,))",
    "vjp": "jax.vjp(write, X)",
    "linearize": "jax.linearize(write, X)",
    "vectorize": "jnp.vectorize(write)(X)",
    "filter_jit": "eqx.filter_jit(write)(X)",
    "filter_grad": "eqx.filter_grad(write)(jnp.array(1.0))",
    "nnx.jit": "nnx.jit(write)(X)",
    "nnx.remat": "nnx.remat(write)(X)",
    "nnx.cond": "nnx.cond(True, write, lambda v: v, X)",
    "nnx.switch": "nnx.switch(0, [write, write], X)",
    "nnx.fori": "nnx.fori_loop(0, 2, lambda i, v: write(v), X)",
    "nnx.while": "nnx.while_loop(lambda v: v < 1, lambda v: write(v) + 1, 0.0)",
    "nnx.grad": "nnx.grad(write)(jnp.array(1.0))",
    "nnx.eval_shape": "nnx.eval_shape(write, X)",
    "associative_scan in jit": "jax.jit(associative)(X)",
    "linear_transpose": "jax.linear_transpose(write, X)(X)",
    "piecewise": "jnp.piecewise(X, [X > 0], [write, 0.0])",
    "fromfunction": "jnp.fromfunction(write, (3,))",
    "minimize": "jax.scipy.optimize.minimize(squared, X, method='BFGS')",
    "cg": "jax.scipy.sparse.linalg.cg(write, X)",
    "odeint": "odeint(lambda y, t: write(y), X, jnp.linspace(0.0, 1.0, 2))",
    "export": "jax.export.export(jax.jit(write))(X)",
    "filter_checkpoint": "eqx.filter_checkpoint(write)(X)",
    "filter_eval_shape": "eqx.filter_eval_shape(write, X)",
    "filter_make_jaxpr": "eqx.filter_make_jaxpr(write)(X)",
    "closure_convert": "jax.closure_convert(write, X)",
    "jacfwd": "jax.jacfwd(write)(1.0)",
    "jacrev": "jax.jacrev(write)(1.0)",
    "value_and_grad": "jax.value_and_grad(write)(1.0)",
}
"""Calls of a callable that writes a global object."""

SAME = {
    "partial argument": "jax.jit(partial(write, box))(X)",
    "default": "jax.jit(lambda v, b=box: write(b, v))(X)",
    "not differentiated": "jax.grad(lambda p, b: write(b, p))(1.0, box)",
    "argnums": "jax.grad(lambda b, p: write(b, p), argnums=1)(box, 1.0)",
}
"""Calls that hand over the caller's own object."""

HOST = {
    "plain": "write(box, X)",
    "named_call": "jax.named_call(write)(box, X)",
    "debug.callback": "jax.debug.callback(write, box, X)",
    "disable_jit": "jax.tree.map(lambda leaf: leaf, write(box, X))",
}
"""Calls under which nothing is traced."""


@dataclass(frozen=True)
class Case:
    group: str
    transform: str
    write: str
    text: str
    code: str | None

    @property
    def name(self) -> str:
        return f"{self.group}-{self.transform}-{self.write}"


def cases() -> list[Case]:
    codes = {
        ("argument", "attribute"): "JAX201",
        ("argument", "container"): "JAX202",
        ("outer", "attribute"): "JAX301",
        ("outer", "container"): "JAX303",
    }
    groups = [("argument", ARGUMENT), ("outer", OUTER), ("same", SAME), ("host", HOST)]
    found = []
    for group, calls in groups:
        for transform, call in calls.items():
            for write, (template, kind) in WRITES.items():
                owner = "BOX" if group == "outer" else "b"
                parameters = "v" if group == "outer" else "b: Box, v"
                text = MODULE.format(
                    parameters=parameters,
                    write=template.format(o=owner),
                    call=call,
                    outer=CALLERS if group == "outer" else "",
                )
                code = codes.get(("outer" if group == "same" else group, kind))
                found.append(Case(group, transform, write, text, code))
    return found


CASES = cases()


@pytest.fixture(scope="session")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Mark, ...]]:
    folder = tmp_path_factory.mktemp("matrix")
    names: dict[Fixture, str] = {}
    for index, case in enumerate(CASES):
        path = folder / f"case_{index}.py"
        path.write_text(case.text)
        names[Fixture(path)] = case.name
    return {names[fixture]: marks for fixture, marks in lint(list(names)).items()}


def state_after(text: str) -> tuple[bool, bool]:
    """Whether the object has changed, and whether it holds a Tracer."""
    namespace: dict[str, Any] = {"__name__": "matrix"}
    exec(compile(text, "matrix.py", "exec"), namespace)
    box = namespace["make"]()
    watched = (box, namespace["BOX"])
    before = snapshot(watched)
    try:
        namespace["run"](box)
        jax.effects_barrier()
    except jax.errors.UnexpectedTracerError:
        return True, True  # the transform itself met the Tracer that was left behind
    after = snapshot(watched)
    return before != after, holds_tracer(after)


EXPECTED = {
    "argument": (False, False),
    "outer": (True, True),
    "same": (True, True),
}


@pytest.mark.parametrize(
    "transform", sorted({(case.group, case.transform) for case in CASES}), ids="-".join
)
def test_verdict_and_measurement_agree(
    transform: tuple[str, str], findings: dict[str, tuple[Mark, ...]]
) -> None:
    for case in CASES:
        if (case.group, case.transform) != transform:
            continue
        reported = {mark.code for mark in findings[case.name] if mark.line == LINE}
        changed, leaked = state_after(case.text)
        if case.group == "host":
            assert not leaked, case.name
            assert reported == set(), case.name
        else:
            assert (changed, leaked) == EXPECTED[case.group], case.name
            assert reported == {case.code}, case.name
