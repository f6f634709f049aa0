"""Programs that trace something, and what becomes of each write."""

import re
from textwrap import dedent

import pytest

from flake8_jax.effects.callees import FunctionRef
from flake8_jax.effects.interpreter import Interpreter
from flake8_jax.lowering.program import Define, Function
from flake8_jax.verdicts.judge import judge
from unit.worlds import MODULE, OneModule

HEAD = """
import jax
import jax.numpy as jnp
import functools
from functools import partial
"""


def fates(text: str) -> list[str]:
    """The fate of each write of what ``main`` traces."""
    world = OneModule(HEAD + dedent(text))
    statement = world.statement("main")
    assert isinstance(statement, Define)
    assert isinstance(statement.made, Function)
    interpreter = Interpreter(world)
    main = FunctionRef(statement.made, MODULE)
    found: dict[str, None] = {}
    outcome = interpreter.outcome(main)
    for verdict in judge(interpreter, outcome, called=outcome.called):
        path = re.sub(r"#\d+", "#", str(verdict.write.path))
        found[f"{path} {verdict.fate.value}"] = None
    return [*found]


CASES = {
    "arithmetic makes an array of what is traced": (
        """
        def step(x):
            y = x - x.mean()
            y[0] = 0.0
            return y
        def main():
            return jax.jit(step)
        """,
        ["array[0] raises"],
    ),
    "lists that are added and repeated": (
        """
        def step(rows, more):
            both = (rows + more) * 2
            both[0] = 0.0
            return both
        def main():
            return jax.jit(step)
        """,
        [],
    ),
    "what is mapped": (
        """
        def step(x, y):
            a, b = x - 1, y - 1
            a[0] = 0.0
            b[0] = 0.0
            return a + b
        def main():
            return jax.vmap(step, in_axes=(None, 0))
        """,
        ["array[0] raises"],
    ),
    "all but the first": (
        """
        def step(jobs, x):
            first, *others = jobs
            for job in others:
                job.waited = job.waited + x
            return first.waited
        def main():
            return jax.jit(step)
        """,
        ["jobs[#].waited lost"],
    ),
    "what a generator hands on": (
        """
        def each(jobs):
            for job in jobs:
                if job:
                    yield job
        def step(jobs, x):
            for job in each(jobs):
                job.waited = x
        def main():
            return jax.jit(step)
        """,
        ["jobs[#].waited lost"],
    ),
    "a lambda that appends": (
        """
        def main():
            return jax.jit(lambda seen, x: seen.append(x))
        """,
        ["seen[?] lost"],
    ),
    "a branch that appends gives something back": (
        """
        def step(queue, x):
            return jax.lax.cond(x > 0, lambda q: q.append(x), lambda q: q, queue)
        def main():
            return jax.jit(step)
        """,
        [],
    ),
    "lost": (
        """
        def step(s, x):
            s.total = x
        def main():
            return jax.jit(step)
        """,
        ["s.total lost"],
    ),
    "replaced before the end": (
        """
        def step(x, out):
            out.last = x
            y = out.last * 2
            out.last = None
            return y
        def main(out):
            return jax.jit(partial(step, out=out))
        """,
        ["out.last once"],
    ),
    "replaced on some ways": (
        """
        def clear(out, keeps):
            if not keeps:
                out.last = None
        def step(x, out):
            out.last = x
            clear(out, len(x) > 3)
            return x
        def main(out):
            return jax.jit(partial(step, out=out))
        """,
        ["out.last leaked", "out.last once"],
    ),
    "made around the trace that stores it": (
        """
        def main(out):
            kernel = jnp.ones(3)
            def step(y, _):
                out.kernel = kernel
                return y, None
            return jax.lax.scan(step, kernel, None, length=2)
        """,
        [],
    ),
    "a guarded write": (
        """
        def step(s, x, out):
            if not isinstance(x, jax.core.Tracer):
                s.total = x
                out.append(1)
        def main(out):
            return jax.jit(partial(step, out=out))
        """,
        [],
    ),
    "a number under a derivative": (
        """
        def loss(w, out):
            if w.sum() > 0.0:
                out.append(w)
        def main(out):
            return jax.grad(loss), jax.vmap(partial(loss, out=out))
        """,
        ["out[?] leaked"],
    ),
    "a callback": (
        """
        def note(x, out):
            out.append(x)
            out.append(1)
        def step(x, out):
            jax.debug.callback(partial(note, out=out), x)
            return x
        def main(out):
            return jax.jit(partial(step, out=out))
        """,
        [],
    ),
    "an argument that jit refuses": (
        """
        class Plain:
            pass
        def step(s: Plain, x, out):
            s.total = x
            out.append(x)
        def main(out):
            return jax.jit(partial(step, out=out))
        """,
        [],
    ),
    "one that may arrive as it is": (
        """
        class Plain:
            pass
        def step(s: Plain, x, out):
            out.append(x)
        def main(out, static):
            return jax.jit(partial(step, out=out), static_argnums=static)
        """,
        ["out[?] leaked"],
    ),
    "what nnx hands back": (
        """
        from flax import nnx
        class Kept:
            pass
        class Other:
            pass
        def step(kept: Kept, other: Other, unknown, x):
            kept.total = x
            other.total = x
            unknown.total = x
        def main():
            return nnx.jit(step)
        """,
        ["other.total lost"],
    ),
    "what is computed at once": (
        """
        def step(x, out):
            with jax.ensure_compile_time_eval():
                table = jnp.arange(3)
                out["table"] = table
                out["made"] = made()
                out["of x"] = x + table
            out["later"] = jnp.arange(3)
        def made():
            return jnp.ones(3)
        def main(out):
            return jax.jit(partial(step, out=out))
        """,
        ["out['of x'] leaked", "out['later'] leaked"],
    ),
    "returned": (
        """
        def step(s, x):
            s.total = x
            return s, 1
        def main():
            return jax.jit(step)
        """,
        ["s.total returned"],
    ),
    "returned as a copy": (
        """
        def step(s, x):
            s.total = x
            return s.replace(n=1)
        def main():
            return jax.jit(step)
        """,
        ["s.total returned"],
    ),
    "scratch": (
        """
        def step(s, x):
            s.total = x
            return s.total * 2
        def main():
            return jax.jit(step)
        """,
        ["s.total scratch"],
    ),
    "a copy that was made before": (
        """
        def step(s, x):
            copy = s.replace(n=1)
            s.total = x
            return copy
        def main():
            return jax.jit(step)
        """,
        ["s.total lost"],
    ),
    "what a copy shares": (
        """
        def step(s, x):
            copy = s.replace(n=1)
            s.inner.total = x
            return copy
        def main():
            return jax.jit(step)
        """,
        ["s.inner.total returned"],
    ),
    "what stood there before is returned": (
        """
        def step(s, x):
            before = s.total
            s.total = x
            return before + 1
        def main():
            return jax.jit(step)
        """,
        ["s.total lost"],
    ),
    "other transforms hand over objects of their own": (
        """
        def step(s, x):
            s.total = x
            return s
        def scratch(s, x):
            s.last = x
            return s.last
        def main():
            return jax.vmap(step), jax.vmap(scratch)
        """,
        [],
    ),
    "a transform between jit and the function hands over objects of its own": (
        """
        def step(s, x):
            s.total = x
            return s.total
        def main():
            return jax.jit(jax.vmap(step))
        """,
        [],
    ),
    "each round of a loop has an object of its own": (
        """
        def step(boxes, x):
            for box in boxes:
                box.total = box.total + x
        def main():
            return jax.jit(step)
        """,
        ["boxes[#].total lost"],
    ),
    "a loop over the values of a dict": (
        """
        def step(boxes, x):
            for i, (name, box) in enumerate(boxes.items()):
                box.total = box.total + i
            for box in boxes.values():
                box.n = box.n + 1
        def main():
            return jax.jit(step)
        """,
        ["boxes[#].total lost", "boxes[#].n lost"],
    ),
    "what a round leaves is read by the next one": (
        """
        def step(boxes, x):
            last = None
            for box in boxes:
                if last is not None:
                    x = x + last.total
                box.total = box.total + x
                last = box
            return x
        def main():
            return jax.jit(step)
        """,
        ["boxes[#].total scratch"],
    ),
    "a loop is gone through again": (
        """
        def step(boxes, x):
            for _ in range(3):
                for box in boxes:
                    box.total = box.total + x
        def main():
            return jax.jit(step)
        """,
        ["boxes[#].total scratch"],
    ),
    "what a loop has left is read behind it": (
        """
        def step(boxes, x):
            for box in boxes:
                box.total = box.total + x
            return box.total
        def main():
            return jax.jit(step)
        """,
        ["boxes[#].total scratch"],
    ),
    "the keywords of a call are a dict of its own": (
        """
        def step(x, *more, **options):
            options["scale"] = 2.0
            options["box"].total = x
            return options["scale"] * x
        def main():
            return jax.jit(step)
        """,
        ["options['box'].total lost"],
    ),
    "a helper hands back what nobody takes": (
        """
        def put(s, x):
            s.total = x
            return s
        def step(s, x):
            put(s, x)
        def read(t, x):
            return put(t, x).total
        def main():
            return jax.jit(step), jax.jit(read)
        """,
        ["s.total lost", "t.total scratch"],
    ),
    "what is written by a number may be a reference": (
        """
        def step(a, b, c, x):
            a[...] = x
            b[0] = x
            c["k"] = x
            del b[1]
        def main():
            return jax.jit(step)
        """,
        ["c['k'] lost", "b[1] lost"],
    ),
    "keys of another dict": (
        """
        def step(a, b, c, d):
            for name, item in b.items():
                a[name] -= item
            for name in c:
                d[name] = c[name] + 1
        def main():
            return jax.jit(step)
        """,
        ["a[#] lost", "d[#] lost"],
    ),
    "containers that no transform takes": (
        """
        from collections import deque
        def step(seen: set, x):
            seen.add(x)
        def shift(window, x):
            window.append(x)
            window.popleft()
        def main():
            return jax.jit(step), jax.jit(shift), jax.jit(fill)
        def fill(recent: deque, x):
            recent.append(x)
        """,
        [],
    ),
    "an object that may be a copy": (
        """
        def step(s, x, inplace):
            if not inplace:
                s = s.replace()
            s.total = x
        def main():
            return jax.jit(step, static_argnums=2)
        """,
        [],
    ),
    "an object or None": (
        """
        def step(s, x):
            log = s.log or None
            log["x"] = x
        def main():
            return jax.jit(step)
        """,
        ["s.log['x'] lost"],
    ),
    "a count looks at a container, and not at what is in it": (
        """
        def step(boxes, x):
            for box in boxes:
                box.total = x
            boxes.append(x)
            return len(boxes)
        def main():
            return jax.jit(step)
        """,
        ["boxes[#].total lost", "boxes[?] scratch"],
    ),
    "a frozen dict gives two things back": (
        """
        def step(variables, x):
            rest, params = variables.pop("params")
            return params * x
        def main():
            return jax.jit(step)
        """,
        [],
    ),
    "elements of computed arrays": (
        """
        def put(row):
            row[0] = 1.0
        def step(x):
            y = jnp.zeros(3)
            y[0] = x
            z = 2 * y + x
            z[1] += 1.0
            put(y)
            parts = jnp.split(y, 3)
            parts[0] = x
        def main():
            return jax.jit(step)
        """,
        ["array[0] raises", "array[1] raises"],
    ),
    "elements of arrays, where somebody expects the error or copies them to the host": (
        """
        def step(x):
            y = jnp.zeros(3)
            try:
                y[0] = x
            except TypeError:
                y = y.at[0].set(x)
            host = jax.device_get(y)
            host[0] = 1.0
        def main():
            return jax.jit(step)
        """,
        [],
    ),
    "elements of what a loop starts with": (
        """
        def main(xs):
            def body(carry, x):
                total, table = carry
                table[0] = total
                return (total + x, table), x
            jax.lax.scan(body, (0.0, jnp.zeros(3)), xs)
        """,
        ["carry[1][0] raises"],
    ),
    "what is handed to another trace is looked at": (
        """
        def inner(s):
            return s.total
        def step(s, x):
            s.total = x
            return jax.jit(inner)(s)
        def main():
            return jax.jit(step)
        """,
        ["s.total scratch"],
    ),
    "what is taken out is looked at before": (
        """
        def step(d, x):
            return d.pop("k") + x
        def main():
            return jax.jit(step)
        """,
        ["d['k'] lost"],
    ),
    "a static argument": (
        """
        def step(s, x):
            s.total = x
        def main():
            return jax.jit(step, static_argnums=0)
        """,
        ["s.total leaked"],
    ),
    "a static argument by its name": (
        """
        def step(s, x):
            s.total = x
        def main():
            return jax.jit(step, static_argnames=("s",))
        """,
        ["s.total leaked"],
    ),
    "what a partial has bound": (
        """
        def step(s, x):
            s.total = x
        def main(s):
            return jax.vmap(partial(step, s))
        """,
        ["s.total leaked"],
    ),
    "a bound keyword is no Tracer": (
        """
        def step(s, x, scale):
            s.scale = scale
        def main(s):
            return jax.vmap(partial(step, s, scale=2.0))
        """,
        [],
    ),
    "only what is differentiated is rebuilt": (
        """
        def loss(w, s):
            s.last = w
            w.n = 1
        def main():
            return jax.grad(loss)
        """,
        ["w.n lost", "s.last leaked"],
    ),
    "argnums": (
        """
        def loss(w, s):
            s.last = w
        def main():
            return jax.grad(loss, argnums=(0, 1))
        """,
        ["s.last lost"],
    ),
    "a global": (
        """
        def step(x):
            LOG.append(x)
            LOG.append(1)
            LOG.append(jnp.zeros(3))
        def main():
            return jax.jit(step)
        """,
        ["$m:LOG[?] leaked", "$m:LOG[?] once"],
    ),
    "what unknown code has given may be kept there": (
        """
        def main(watch):
            box = watch()
            def step(x):
                box.last = x
            return jax.jit(step)
        """,
        ["<foreign>.last leaked"],
    ),
    "what unknown code has got may be kept there": (
        """
        def main(register):
            box = {}
            register([box])
            def step(x):
                box["last"] = x
            return jax.jit(step)
        """,
        ["<dict>['last'] leaked"],
    ),
    "what stands in an object around is kept": (
        """
        def main(run):
            run.log = log = []
            def step(x):
                log.append(x)
            jax.jit(step)(1.0)
        """,
        ["<list>[?] leaked"],
    ),
    "what nobody looks at later is not kept": (
        """
        def main(run):
            log = []
            def step(x):
                log.append(x)
            jax.jit(step)(1.0)
        """,
        [],
    ),
    "what only the trace itself looks at is not kept": (
        """
        def main():
            registers = {}
            def step(x):
                registers["in"] = x
                return sum(registers.values())
            return jax.jit(step)(1.0)
        """,
        [],
    ),
    "what is only counted later is not kept": (
        """
        def main():
            calls, seen = [], []
            def step(x):
                calls.append(x)
                seen.append(x)
            jax.jit(step)(1.0)
            return len(calls), seen
        """,
        ["<list>[?] leaked"],
    ),
    "an argument that is made for the call": (
        """
        def loss(x, seen):
            seen["hidden"] = x
            return seen["hidden"]
        def main(x):
            return jax.grad(loss)(x, {"hidden": x})
        """,
        [],
    ),
    "an argument of the caller": (
        """
        def loss(x, seen):
            seen["hidden"] = x
        def main(x, seen):
            return jax.grad(loss)(x, seen)
        """,
        ["seen['hidden'] leaked"],
    ),
    "a gradient that jit gets": (
        """
        def loss(x, seen):
            seen["hidden"] = x
        def main():
            return jax.jit(jax.grad(loss))
        """,
        ["seen['hidden'] lost"],
    ),
    "a call that no parameter fits": (
        """
        def step(x):
            BOX.last = x
        def main(x):
            return jax.jit(step)(x, x)
        """,
        [],
    ),
    "gathered arguments that are not differentiated": (
        """
        def loss(*values):
            BOX.rate = values[1]
            BOX.last = values[0]
        def main(x):
            return jax.grad(loss)(x, 0.5)
        """,
        ["$m:BOX.last leaked"],
    ),
    "gathered keywords that are not differentiated": (
        """
        def loss(x, **options):
            BOX.rate = options["rate"] / 2
        def main(x):
            return jax.grad(loss)(x, rate=0.5)
        """,
        [],
    ),
    "pushed and popped": (
        """
        def main(stack: list):
            def step(x):
                stack.append(x)
                y = stack[-1] * 2
                stack.pop()
                return y
            return jax.jit(step)
        """,
        [],
    ),
    "popped in the end": (
        """
        def main(stack: list, named: dict):
            def step(x):
                stack.append(x)
                named["x"] = x
                try:
                    return stack[-1] * 2
                finally:
                    stack.pop()
                    del named["x"]
            return jax.jit(step)
        """,
        [],
    ),
    "pushed and popped by helpers": (
        """
        def push(stack: list, x):
            stack.append(x)
        def pop(stack: list):
            return stack.pop()
        def main(stack: list):
            def step(x):
                push(stack, x)
                pop(stack)
            return jax.jit(step)
        """,
        [],
    ),
    "popped on one way only": (
        """
        def main(stack: list):
            def step(x):
                stack.append(x)
                if len(stack) > 3:
                    stack.pop()
            return jax.jit(step)
        """,
        ["stack[?] leaked", "stack[?] once"],
    ),
    "popped before": (
        """
        def main(stack: list):
            def step(x):
                stack.pop()
                stack.append(x)
            return jax.jit(step)
        """,
        ["stack[?] once", "stack[?] leaked"],
    ),
    "popped at the other end": (
        """
        def main(stack: list):
            def step(x):
                stack.append(x)
                stack.pop(0)
            return jax.jit(step)
        """,
        ["stack[?] leaked", "stack[0] once"],
    ),
    "sorted, and still there": (
        """
        def main(stack: list):
            def step(x):
                stack.append(x)
                stack.sort()
            return jax.jit(step)
        """,
        ["stack[?] leaked", "stack[?] once"],
    ),
    "set and put back": (
        """
        def step(x):
            before = BOX.system
            BOX.system = x
            y = BOX.system * 2
            BOX.system = before
            return y
        def main():
            return jax.jit(step)
        """,
        [],
    ),
    "something else is put back": (
        """
        def step(x):
            before = BOX.other
            BOX.system = x
            BOX.system = before + x
        def main():
            return jax.jit(step)
        """,
        ["$m:BOX.system leaked"],
    ),
    "a cache that is filled by hand before the trace": (
        """
        class Field:
            def table(self):
                if self.kept is None:
                    self.kept = jnp.arange(3)
                return self.kept
        def main(one: Field, other: Field, third: Field, flag):
            one.table()
            if flag:
                third.table()
            return jax.jit(lambda x: x * one.table() + other.table() + third.table())
        """,
        ["other.kept leaked", "third.kept leaked"],
    ),
    "a cache that is asked for by hasattr, getattr and keys": (
        """
        def fill(box):
            if not hasattr(box, "one"):
                box.one = jnp.zeros(3)
            if getattr(box, "two", None) is None:
                box.two = jnp.zeros(3)
            if "three" not in box.table:
                box.table["three"] = jnp.zeros(3)
            if "four" not in box.__dict__:
                box.four = jnp.zeros(3)
        def main(box, other):
            fill(box)
            return jax.jit(lambda x: (fill(box), x)), jax.jit(lambda x: (fill(other), x))
        """,
        [
            "other.one leaked",
            "other.two leaked",
            "other.table['three'] leaked",
            "other.four leaked",
        ],
    ),
    "a cache that was set to None": (
        """
        def fill(box):
            if box.kept is None:
                box.kept = jnp.zeros(3)
        def main(box):
            box.kept = None
            return jax.jit(lambda x: (fill(box), x))
        """,
        ["box.kept leaked"],
    ),
    "the object of a default": (
        """
        def step(x, seen=[], count=0):
            seen.append(x)
        def main():
            return jax.jit(step)
        """,
        ["seen[?] leaked"],
    ),
    "the object of the default of a helper": (
        """
        def note(x, seen=BOX):
            seen.last = x
        def main(box):
            return jax.jit(lambda x: note(x)), jax.jit(lambda s, x: note(x, s))
        """,
        ["s.last lost", "seen.last leaked"],
    ),
    "what jax makes under vmap alone is no Tracer": (
        """
        def step(x):
            LOG.append(jnp.zeros(3))
        def main():
            return jax.vmap(step)
        """,
        [],
    ),
    "a cached function": (
        """
        def main():
            @functools.lru_cache(maxsize=8)
            def table(n):
                return jnp.arange(n)
            @functools.cache
            def size(n):
                return n + 1
            def step(x):
                return x * table(x.size) + size(3)
            return jax.jit(step)
        """,
        ["<table>[?] leaked", "<size>['3'] once"],
    ),
    "a cached function that keeps nothing": (
        """
        def main():
            @functools.lru_cache(maxsize=0)
            def table(n):
                return jnp.arange(n)
            def step(x):
                return x * table(3)
            return jax.jit(step)
        """,
        [],
    ),
    "a cached function that was asked before, for the same": (
        """
        def main():
            @functools.cache
            def table(n):
                return jnp.arange(n)
            def step(x):
                return x * table(3) + table(n=4)
            table(3)
            table(4)
            return jax.jit(step)
        """,
        ["<table>['n=4'] leaked"],
    ),
    "a cached function that the traced function makes": (
        """
        def step(x):
            @functools.cache
            def table(n):
                return jnp.arange(n)
            return x * table(3)
        def main():
            return jax.jit(step)
        """,
        [],
    ),
    "a cached method keeps by its object": (
        """
        class Grid:
            @functools.cache
            def table(self, n):
                return jnp.arange(n)
        def main(one: Grid, other: Grid):
            one.table(3)
            return jax.jit(lambda x: x * one.table(3) + other.table(3))
        """,
        ["other.table(3) leaked"],
    ),
    "a cached property that was read before": (
        """
        class Grid:
            @cached_property
            def table(self):
                return jnp.arange(3)
        def main(one: Grid, other: Grid, third: Grid, flag):
            one.table
            if flag:
                third.table
            return jax.jit(lambda x: x * one.table + other.table + third.table)
        """,
        ["other.table leaked", "third.table leaked"],
    ),
    "a transform with nothing but the function": (
        """
        def step(s, v):
            s.x = v
        def main():
            return partial(jax.jit, step)()
        """,
        ["s.x lost"],
    ),
    "what stands behind a callback": (
        """
        def host(x):
            return x
        def step(s, v):
            y = jax.pure_callback(host, v, v)
            s.x = y
        def main():
            return jax.jit(step)
        """,
        ["s.x lost"],
    ),
    "guarded": (
        """
        def step(x):
            if not isinstance(x, jax.core.Tracer):
                LOG.append(x)
        def main():
            return jax.vmap(step)
        """,
        [],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_fates(case: str) -> None:
    source, wanted = CASES[case]
    assert fates(source) == wanted
