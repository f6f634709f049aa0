"""Programs on the left, the summary of their function ``f`` on the right."""

from textwrap import dedent

import pytest

from unit.worlds import shown, summary

CASES = {
    "an attribute of an argument": (
        """
        def f(s, v):
            s.x = v
            return s
        """,
        ["set s.x from v", "returns s"],
    ),
    "a part of a part": (
        """
        def f(s):
            s.inner.x = 1
        """,
        ["set s.inner.x from plain", "returns plain"],
    ),
    "an alias": (
        """
        def f(s, v):
            t = s.inner
            t.x = v
        """,
        ["set s.inner.x from v", "returns plain"],
    ),
    "an object that is made here is nobody else's": (
        """
        class C: pass
        def f(v):
            c = C()
            c.x = v
            return c.x
        """,
        ["returns v"],
    ),
    "an instance of another class than was said": (
        """
        class Frozen: pass
        class Other: pass
        def f(s: Frozen, v):
            s.a = v
            if isinstance(s, Other):
                s.b = v
            else:
                s.c = v
            s.d = v
        """,
        ["set s.b from v", "returns plain"],
    ),
    "no instance of what was said": (
        """
        class Box: pass
        class Small(Box): pass
        def f(s: Small, v):
            if not isinstance(s, Box):
                s.a = v
            if type(s) is not Small:
                return
            s.b = v
            match s, v:
                case Box(), _:
                    s.c = v
        """,
        ["set s.b from v", "set s.c from v", "returns plain"],
    ),
    "a class of some that are not known": (
        """
        class Frozen: pass
        def f(s, v):
            if isinstance(s, (Frozen, unknown)):
                s.x = v
        """,
        ["set s.x from v", "returns plain"],
    ),
    "an element that is told": (
        """
        class Frozen: pass
        def g(*all):
            if isinstance(all[0], Frozen):
                return all[0]
            all[0].x = all[1]
        def f(v):
            g(Frozen(), v)
            g(v, v)
        """,
        ["set v.x from v via g", "returns plain"],
    ),
    "either of two objects": (
        """
        def f(a, b, v):
            s = a if v else b
            s.x = v
        """,
        ["set a.x from v", "set b.x from v", "returns plain"],
    ),
    "a branch does not see what the other one stored": (
        """
        class I: pass
        def f(s, v):
            if v:
                s.inner = I()
            else:
                s.inner.x = v
        """,
        ["set s.inner from plain if v true", "set s.inner.x from v if v false", "returns plain"],
    ),
    "what was stored is found again": (
        """
        def f(s, t):
            s.inner = t
            s.inner.x = 1
        """,
        ["set s.inner from t read later", "set t.x from plain", "returns plain"],
    ),
    "augmented assignment reads what it writes": (
        """
        def f(s):
            s.n += 1
        """,
        ["set s.n from s?", "returns plain"],
    ),
    "items of an argument": (
        """
        def f(d, v, k):
            d["a"] = v
            d[k] = 1
            del d["b"]
        """,
        [
            "set d['a'] from v",
            "set d[?] from plain",
            "remove d['b'] from ?",
            "returns plain",
        ],
    ),
    "containers are changed by their methods": (
        """
        def f(s, v):
            s.log.append(v)
            s.d.setdefault("k", v)
        """,
        ["add s.log[?] from v", "add s.d['k'] from v", "returns plain"],
    ),
    "a way to write, by a name of its own": (
        """
        from operator import setitem as put
        def f(d, v):
            put(d, "k", v)
            push = d.append
            push(v)
            setattr(d, "x", v)
            vars(d)["y"] = v
        """,
        [
            "set d['k'] from v",
            "add d[?] from v",
            "set d.x from v",
            "set d.y from v",
            "returns plain",
        ],
    ),
    "a helper": (
        """
        def g(t, w):
            t.x = w
        def f(s, v):
            g(s.inner, v + 1)
        """,
        ["set s.inner.x from v via g", "returns plain"],
    ),
    "a helper that cannot be called so": (
        """
        def g(t, w):
            t.x = w
        def f(s):
            g(s)
        """,
        ["never returns"],
    ),
    "a helper that gives its argument back": (
        """
        def g(t):
            return t.inner
        def f(s):
            g(s).x = 1
        """,
        ["set s.inner.x from plain", "returns plain"],
    ),
    "tuples are known by their elements": (
        """
        def g(a, b):
            return b, a
        def f(a, b):
            x, y = g(a, b)
            x.n = 1
            return x, y
        """,
        ["set b.n from plain", "returns (b, a)"],
    ),
    "a closure writes to a variable of the function around it": (
        """
        def f(s, v):
            def g():
                s.x = v
            g()
        """,
        ["set s.x from v via g", "returns plain"],
    ),
    "a closure that is handed out": (
        """
        def make(s):
            def g(v):
                s.x = v
            return g
        def f(t, v):
            make(t)(v)
        """,
        ["set t.x from v via g", "returns plain"],
    ),
    "a partial has its arguments already": (
        """
        from functools import partial
        def g(t, w):
            t.x = w
        def f(s, v):
            partial(g, s)(v)
        """,
        ["set s.x from v via g", "returns plain"],
    ),
    "methods": (
        """
        class C:
            def put(self, v):
                self.x = v
        def f(c: C, v):
            c.put(v)
        """,
        ["set c.x from v via put", "returns plain"],
    ),
    "a setter": (
        """
        class C:
            @property
            def y(self): return self.x
            @y.setter
            def y(self, v): self.x = v
        def f(c: C, v):
            c.y = v
            return c.y
        """,
        ["set c.x from v via y read later", "returns v"],
    ),
    "a cached property is filled when it is read": (
        """
        class C:
            @cached_property
            def table(self): return self.x * 2
        def f(c: C):
            return c.table
        """,
        ["set c.table from c?", "returns new"],
    ),
    "globals": (
        """
        def f(v):
            global N
            N = v
            LOG.append(v)
        """,
        ["set $m:N from v", "add $m:LOG[?] from v", "returns plain"],
    ),
    "nonlocal": (
        """
        def f(v):
            n = 0
            def g():
                nonlocal n
                n = v
            g()
            return n
        """,
        ["returns v"],
    ),
    "what is plain stays plain": (
        """
        def f(s, x):
            s.a = len(x)
            s.b = x.shape[0] + 1
            s.c = f"{x}"
            s.d = x is None
        """,
        [
            "set s.a from plain",
            "set s.b from plain",
            "set s.c from plain",
            "set s.d from plain",
            "returns plain",
        ],
    ),
    "what jax makes": (
        """
        import jax.numpy as jnp
        def f(s):
            s.a = jnp.zeros(3)
            s.b = jnp.sum(s.a)
        """,
        ["set s.a from jax read later", "set s.b from jax", "returns plain"],
    ),
    "a guard against Tracers": (
        """
        import jax
        def f(s, x):
            if not isinstance(x, jax.core.Tracer):
                s.last = x
        """,
        ["set s.last from x if x no tracer", "returns plain"],
    ),
    "a guard of one's own, two calls deep": (
        """
        import jax
        def leaves_a_tracer(tree):
            return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(tree))
        def may_keep(tree):
            if tree is None:
                return False
            return not leaves_a_tracer(tree)
        def f(s, x):
            if may_keep((x, 1)):
                s.last = 1
        """,
        ["set s.last from plain if x no tracer", "returns plain"],
    ),
    "a function that raises on a Tracer": (
        """
        import jax
        def check(value):
            if isinstance(value, jax.core.Tracer):
                raise TypeError
        def f(s, x):
            check(x)
            s.last = x
        """,
        ["set s.last from x if x no tracer", "returns plain"],
    ),
    "a number is made": (
        """
        def f(s, x):
            s.before = x
            s.last = float(x)
        """,
        ["set s.before from x", "set s.last from plain if x number", "returns plain"],
    ),
    "an error is expected": (
        """
        import jax
        def key_of(x):
            try:
                return x.tobytes()
            except jax.errors.ConcretizationTypeError:
                return None
        def f(s, x):
            key = key_of(x)
            if key is None:
                return
            s.last = x
        """,
        ["set s.last from x if x number", "returns plain"],
    ),
    "a flag that somebody hands over": (
        """
        import jax
        def put(s, x, keep=False):
            if keep:
                s.last = x
        def f(s, x):
            put(s, x)
            put(s, x, keep=not isinstance(x, jax.core.Tracer))
        """,
        ["set s.last from x via put if x no tracer", "returns plain"],
    ),
    "a flag that a loop lowers": (
        """
        import jax
        def f(s, xs):
            clean = True
            for x in xs:
                if isinstance(x, jax.core.Tracer):
                    clean = False
            if clean:
                s.last = 1
            s.all = 1
        """,
        [
            "set s.last from plain if xs no tracer",
            "set s.all from plain",
            "returns plain",
        ],
    ),
    "a guard with another way around it": (
        """
        import jax
        def f(s, x, y):
            if y or not isinstance(x, jax.core.Tracer):
                s.last = x
        """,
        ["set s.last from x", "returns plain"],
    ),
    "nothing is being traced": (
        """
        import jax
        def f(s):
            if jax.core.trace_state_clean():
                s.last = 1
        """,
        ["set s.last from plain if idle", "returns plain"],
    ),
    "an array that is asked for": (
        """
        import jax
        import jax.numpy as jnp
        def f(s):
            x = jnp.ones(3)
            if not isinstance(x, jax.core.Tracer):
                s.last = x
        """,
        ["set s.last from jax if eager", "returns plain"],
    ),
    "the way on which something was chosen": (
        """
        import jax
        def f(s, x):
            s.last = None if isinstance(x, jax.core.Tracer) else x
        """,
        ["set s.last from x?", "returns plain"],
    ),
    "a match": (
        """
        from jax.core import Tracer
        def f(s, x):
            match x:
                case Tracer():
                    return
            s.last = x
        """,
        ["set s.last from x if x no tracer", "returns plain"],
    ),
    "a function that is mapped": (
        """
        import jax
        def is_traced(x):
            return isinstance(x, jax.core.Tracer)
        def f(s, xs, tree):
            if any(map(is_traced, xs)):
                return
            if jax.tree.all(jax.tree.map(lambda leaf: not is_traced(leaf), tree)):
                s.last = 1
        """,
        ["set s.last from plain if tree no tracer if xs no tracer", "returns plain"],
    ),
    "a function that leaves of a tree are handed to": (
        """
        import jax
        def f(s, tree):
            def note(leaf):
                s.last = leaf
                return leaf.shape
            s.shapes = jax.tree.map(note, tree)
        """,
        ["set s.last from tree via note", "set s.shapes from plain", "returns plain"],
    ),
    "an early return": (
        """
        import jax
        def f(s, x):
            if isinstance(x, jax.core.Tracer):
                return
            s.last = x
        """,
        ["set s.last from x if x no tracer", "returns plain"],
    ),
    "a loop comes to rest": (
        """
        def f(s, xs):
            t = s
            for x in xs:
                t.x = x
                t = t.next
        """,
        [
            "set s.x from xs?",
            "set s.next.x from xs?",
            "set s.next.next.x from xs? read later",
            "set s.next.next... from xs? read later",
            "returns plain",
        ],
    ),
    "what a loop writes is read by the next iteration": (
        """
        def f(s, xs):
            for x in xs:
                use = s.x + 1
                s.x = x
        """,
        ["set s.x from xs? read later", "returns plain"],
    ),
    "what stands behind a return is not reached": (
        """
        def f(s):
            return 1
            s.x = 2
        """,
        ["returns plain"],
    ),
    "an exception may come at any point": (
        """
        def f(s, v):
            try:
                s.x = v
            except ValueError:
                s.y = v
            finally:
                s.z = 1
        """,
        [
            "set s.x from v",
            "set s.y from v",
            "set s.z from plain",
            "returns plain",
        ],
    ),
    "match narrows": (
        """
        class C:
            def put(self, v): self.x = v
        def f(s, v):
            match s:
                case C():
                    s.put(v)
                case {"k": t}:
                    t.y = v
        """,
        ["set s.x from v via put", "set s['k'].y from v", "returns plain"],
    ),
    "mutual recursion": (
        """
        def g(s, n):
            s.b = n
            return f(s, n - 1)
        def f(s, n):
            if n == 0:
                return s
            s.a = n
            return g(s, n)
        """,
        [
            "set s.a from n if n true",
            "set s.b from n via g if n true",
            "returns s",
        ],
    ),
    "what jit calls is a copy": (
        """
        import jax
        def g(t, w):
            t.x = w
            return t
        def f(s, v):
            return jax.jit(g)(s, v)
        """,
        ["returns new"],
    ),
    "what jit closes over is not": (
        """
        import jax
        def f(s, v):
            def g(w):
                s.x = w
            jax.jit(g)(v)
        """,
        ["set s.x from tracer via g under jax.jit", "returns plain"],
    ),
    "an element of a container that is made here is what was put there": (
        """
        def f(s, v):
            found = []
            for item in v:
                found.append(1)
            s.x = found[-1]
            s.y = {}.get("k")
        """,
        ["set s.x from plain", "set s.y from plain", "returns plain"],
    ),
    "also if unknown code got it": (
        """
        def f(s):
            found = []
            unknown(found)
            s.x = found[-1]
        """,
        ["set s.x from ?", "returns plain"],
    ),
    "what unknown code gives is not known": (
        """
        def f(s):
            s.x = unknown(1)
        """,
        ["set s.x from ?", "returns plain"],
    ),
    "what Python gives is plain": (
        """
        import itertools
        import jax.numpy as jnp
        def f(s, v):
            s.x = itertools.count(1)
            s.y = itertools.starmap(jnp.add, ())
            s.z = v.keys()
        """,
        [
            "set s.x from plain",
            "set s.y from ?",
            "set s.z from plain",
            "returns plain",
        ],
    ),
    "a description of a computation is plain": (
        """
        import jax
        def g(x):
            return x
        def f(s, v):
            s.x = jax.eval_shape(g, v)
            s.y = jax.make_jaxpr(g)(v)
        """,
        ["set s.x from plain", "set s.y from plain", "returns plain"],
    ),
    "methods of a class, and what is run after its constructor": (
        """
        class C:
            @classmethod
            def of(cls, v):
                return cls(inner=v)
            @staticmethod
            def put(v):
                v.x = 1
            def own(self):
                self.y = 1
            def __post_init__(self):
                self.inner.n = 1
        def f(s):
            C.of(s)
            C.put(s)
            C.own(s)
        """,
        [
            "set s.n from plain via of.__post_init__",
            "set s.x from plain via put",
            "set s.y from plain via own",
            "returns plain",
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_summaries(case: str) -> None:
    source, wanted = CASES[case]
    assert shown(source) == wanted


def test_what_unknown_code_gets_escapes() -> None:
    found = summary("def f(s, t):\n    unknown(s.inner)")
    assert {str(path) for path in found.escapes} == {"s.inner"}


def test_the_order_of_functions_does_not_matter() -> None:
    source = dedent(CASES["mutual recursion"][0])
    one, two = source.split("def f(s, n):")
    swapped = "def f(s, n):" + two + one
    assert sorted(shown(swapped)) == sorted(shown(source))
