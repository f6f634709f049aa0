"""Programs whose values a safe fix must not change: each has a ``main`` that gives them."""

CACHES = {
    "stale_item_of_dict_field": """
class N(struct.PyTreeNode):
    p: dict
    @cached_property
    def norm(self):
        return jnp.sum(self.p["w"])
def main():
    n = N({"w": jnp.ones(3)})
    a = n.norm
    n.p["w"] = jnp.zeros(3)
    return a, n.norm
""",
    "stale_append": """
class N(struct.PyTreeNode):
    p: list
    @cached_property
    def total(self):
        return sum(self.p) + jnp.zeros(())
def main():
    n = N([1.0, 2.0])
    a = n.total
    n.p.append(4.0)
    return a, n.total
""",
    "stale_by_alias": """
class N(struct.PyTreeNode):
    p: list
    @cached_property
    def total(self):
        return sum(self.p) + jnp.zeros(())
def main():
    data = [1.0, 2.0]
    n = N(data)
    a = n.total
    data.append(4.0)
    return a, n.total
""",
    "stale_via_method": """
class N(struct.PyTreeNode, frozen=False):
    r: float
    def double(self):
        return self.r * 2
    @cached_property
    def vol(self):
        return self.double() ** 3 + jnp.zeros(())
def main():
    n = N(2.0)
    a = n.vol
    n.r = 5.0
    return a, n.vol
""",
    "stale_via_helper": """
def cube(n):
    return n.r ** 3 + jnp.zeros(())
class N(struct.PyTreeNode, frozen=False):
    r: float
    @cached_property
    def vol(self):
        return cube(self)
def main():
    n = N(2.0)
    a = n.vol
    n.r = 5.0
    return a, n.vol
""",
    "stale_via_getattr": """
class N(struct.PyTreeNode, frozen=False):
    r: float
    @cached_property
    def vol(self):
        return getattr(self, "r") ** 3 + jnp.zeros(())
def main():
    n = N(2.0)
    a = n.vol
    n.r = 5.0
    return a, n.vol
""",
    "stale_nested": """
class I(struct.PyTreeNode, frozen=False):
    v: float
class N(struct.PyTreeNode):
    inner: I
    @cached_property
    def vol(self):
        return self.inner.v ** 3 + jnp.zeros(())
def main():
    n = N(I(2.0))
    a = n.vol
    n.inner.v = 5.0
    return a, n.vol
""",
    "stale_nested_alias": """
class I(struct.PyTreeNode, frozen=False):
    v: float
class N(struct.PyTreeNode):
    inner: I
    @cached_property
    def vol(self):
        return self.inner.v ** 3 + jnp.zeros(())
def main():
    i = I(2.0)
    n = N(i)
    a = n.vol
    i.v = 5.0
    return a, n.vol
""",
    "stale_numpy_field": """
class N(struct.PyTreeNode):
    x: np.ndarray
    @cached_property
    def s(self):
        return jnp.sum(self.x)
def main():
    n = N(np.ones(3))
    a = n.s
    n.x[0] = 10
    return a, n.s
""",
    "stale_numpy_inplace_op": """
class N(struct.PyTreeNode):
    x: np.ndarray
    @cached_property
    def s(self):
        return jnp.sum(self.x)
def main():
    x = np.ones(3)
    n = N(x)
    a = n.s
    x += 1
    return a, n.s
""",
    "stale_global_container": """
CONFIG = {"scale": 2.0}
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x) * CONFIG["scale"]
def main():
    n = N(jnp.ones(3))
    a = n.s
    CONFIG["scale"] = 5.0
    return a, n.s
""",
    "stale_global_object": """
class Cfg: pass
cfg = Cfg()
cfg.scale = 2.0
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x) * cfg.scale
def main():
    n = N(jnp.ones(3))
    a = n.s
    cfg.scale = 5.0
    return a, n.s
""",
    "stale_class_attr": """
class N(struct.PyTreeNode):
    x: jax.Array
    scale = 2.0
    @cached_property
    def s(self):
        return jnp.sum(self.x) * self.scale
def main():
    n = N(jnp.ones(3))
    a = n.s
    N.scale = 5.0
    return a, n.s
""",
    "stale_class_attr2": """
class N(struct.PyTreeNode):
    x: jax.Array
    scale = 2.0
    @cached_property
    def s(self):
        return jnp.sum(self.x) * type(self).scale
def main():
    n = N(jnp.ones(3))
    a = n.s
    N.scale = 5.0
    return a, n.s
""",
    "stale_setattr": """
class N(struct.PyTreeNode, frozen=False):
    r: float
    @cached_property
    def vol(self):
        return self.r ** 3 + jnp.zeros(())
def main():
    n = N(2.0)
    a = n.vol
    setattr(n, "r", 5.0)
    return a, n.vol
""",
    "stale_object_setattr": """
class N(struct.PyTreeNode):
    r: float
    @cached_property
    def vol(self):
        return self.r ** 3 + jnp.zeros(())
def main():
    n = N(2.0)
    a = n.vol
    object.__setattr__(n, "r", 5.0)
    return a, n.vol
""",
    "stale_toplevel": """
class N(struct.PyTreeNode, frozen=False):
    r: float
    @cached_property
    def vol(self):
        return self.r ** 3 + jnp.zeros(())
n = N(2.0)
a = n.vol
n.r = 5.0
def main():
    return a, n.vol
""",
    "stale_for_target": """
class N(struct.PyTreeNode, frozen=False):
    r: float
    @cached_property
    def vol(self):
        return self.r ** 3 + jnp.zeros(())
def main():
    n = N(2.0)
    a = n.vol
    for n.r in (1.0, 3.0): pass
    return a, n.vol
""",
    "stale_env": """
import os
class N(struct.PyTreeNode):
    r: float
    @cached_property
    def vol(self):
        return self.r * float(os.environ["SC"]) + jnp.zeros(())
def main():
    os.environ["SC"] = "1"
    n = N(2.0)
    a = n.vol
    os.environ["SC"] = "3"
    return a, n.vol
""",
    "env_get": """
import os
class N(struct.PyTreeNode):
    r: float
    @cached_property
    def vol(self):
        return self.r * float(os.getenv("SC", "1")) + jnp.zeros(())
def main():
    os.environ["SC"] = "1"
    n = N(2.0)
    a = n.vol
    os.environ["SC"] = "3"
    return a, n.vol
""",
    "module_reassigned": """
SCALE = 2.0
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x) * SCALE
n = N(jnp.ones(3))
a = n.s
SCALE = 5.0
def main():
    return a, n.s
""",
    "counter_object": """
class Counter:
    def __init__(self): self.n = 0
    def __call__(self):
        self.n += 1
        return self.n
counter = Counter()
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x) * counter()
def main():
    n = N(jnp.ones(3))
    return n.s, n.s
""",
    "counter_method": """
class Counter:
    def __init__(self): self.n = 0
    def tick(self):
        self.n += 1
        return self.n
counter = Counter()
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x) * counter.tick()
def main():
    n = N(jnp.ones(3))
    return n.s, n.s
""",
    "closure_counter": """
def make():
    k = 0
    def tick():
        nonlocal k
        k += 1
        return k
    return tick
tick = make()
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x) * tick()
def main():
    n = N(jnp.ones(3))
    return n.s, n.s
""",
    "lambda_counter": """
import itertools
ids = itertools.count()
fresh = lambda: next(ids)
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x) * fresh()
def main():
    n = N(jnp.ones(3))
    return n.s, n.s
""",
    "bound_next": """
import itertools
fresh = itertools.count().__next__
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x) * fresh()
def main():
    n = N(jnp.ones(3))
    return n.s, n.s
""",
    "partial_next": """
import itertools
fresh = functools.partial(next, itertools.count())
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x) * fresh()
def main():
    n = N(jnp.ones(3))
    return n.s, n.s
""",
    "rand_by_field_name": """
class N(struct.PyTreeNode):
    random: np.random.Generator = struct.field(pytree_node=False)
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x) * self.random.normal()
def main():
    n = N(np.random.default_rng(0), jnp.ones(3))
    return float(n.s) == float(n.s)
""",
    "rand_local_of_global_seeded": """
rng_source = np.random.RandomState(0)
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        r = rng_source
        return jnp.sum(self.x) * r.rand()
def main():
    n = N(jnp.ones(3))
    return float(n.s) == float(n.s)
""",
    "list_default_mut": """
def helper(x, acc=[]):
    acc.append(x)
    return len(acc)
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x) * helper(1)
def main():
    n = N(jnp.ones(3))
    return n.s, n.s
""",
    "func_attr": """
def helper(x):
    helper.n = getattr(helper, "n", 0) + 1
    return helper.n
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x) * helper(1)
def main():
    n = N(jnp.ones(3))
    return n.s, n.s
""",
    "classmethod_count": """
class N(struct.PyTreeNode):
    x: jax.Array
    @classmethod
    def tick(cls):
        cls.k = getattr(cls, "k", 0) + 1
        return cls.k
    @cached_property
    def s(self):
        return jnp.sum(self.x) * self.tick()
def main():
    n = N(jnp.ones(3))
    return n.s, n.s
""",
    "classmethod_count2": """
class N(struct.PyTreeNode):
    x: jax.Array
    @classmethod
    def tick(cls):
        cls.k = getattr(cls, "k", 0) + 1
        return cls.k
    @cached_property
    def s(self):
        return jnp.sum(self.x) * N.tick()
def main():
    n = N(jnp.ones(3))
    return n.s, n.s
""",
    "super_count": """
COUNT = []
class M:
    def base(self):
        COUNT.append(1)
        return len(COUNT)
class N(M, struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x) * super().base()
def main():
    n = N(jnp.ones(3))
    return n.s, n.s
""",
    "in_comprehension_effect": """
LOG = []
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        [LOG.append(i) for i in range(3)]
        return jnp.sum(self.x)
def main():
    n = N(jnp.ones(3))
    n.s, n.s
    return len(LOG)
""",
    "effect_as_value": """
LOG = []
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        _ = LOG.append(1)
        return jnp.sum(self.x)
def main():
    n = N(jnp.ones(3))
    n.s, n.s
    return len(LOG)
""",
    "effect_in_or": """
LOG = []
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return LOG.append(1) or jnp.sum(self.x)
def main():
    n = N(jnp.ones(3))
    n.s, n.s
    return len(LOG)
""",
    "effect_in_lambda": """
LOG = []
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        note = lambda v: LOG.append(v)
        note(1)
        return jnp.sum(self.x)
def main():
    n = N(jnp.ones(3))
    n.s, n.s
    return len(LOG)
""",
    "effect_by_map": """
LOG = []
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        list(map(LOG.append, [1]))
        return jnp.sum(self.x)
def main():
    n = N(jnp.ones(3))
    n.s, n.s
    return len(LOG)
""",
    "effect_bound_method_alias": """
LOG = []
note = LOG.append
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        note(1)
        return jnp.sum(self.x)
def main():
    n = N(jnp.ones(3))
    n.s, n.s
    return len(LOG)
""",
    "effect_unknown_value": """
LOG = []
note = LOG.append
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        r = note(1)
        return jnp.sum(self.x)
def main():
    n = N(jnp.ones(3))
    n.s, n.s
    return len(LOG)
""",
    "tree_map_effect": """
LOG = []
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        jax.tree.map(LOG.append, self.x)
        return jnp.sum(self.x)
def main():
    n = N(jnp.ones(3))
    n.s, n.s
    return len(LOG)
""",
    "pure_callback_effect": """
LOG = []
def host(x):
    LOG.append(1)
    return x
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jax.pure_callback(host, self.x, self.x)
def main():
    n = N(jnp.ones(3))
    n.s, n.s
    return len(LOG)
""",
    "io_callback_effect": """
from jax.experimental import io_callback
LOG = []
def host(x):
    LOG.append(1)
    return np.asarray(x) * len(LOG)
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return io_callback(host, self.x, self.x)
def main():
    n = N(jnp.ones(3))
    n.s, n.s
    return len(LOG)
""",
    "subclass_field": """
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x)
class Sub(N):
    s: jax.Array
def main():
    n = Sub(jnp.ones(3), jnp.zeros(1))
    return n.s
""",
    "subclass_field_default": """
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x)
class Sub(N):
    s: float = 3.0
def main():
    n = Sub(jnp.ones(3), 7.0)
    return n.s
""",
    "subclass_init_sets": """
@jax.tree_util.register_pytree_node_class
class N:
    def __init__(self, x): self.x = x
    def tree_flatten(self): return (self.x,), None
    @classmethod
    def tree_unflatten(cls, a, c): return cls(*c)
    @cached_property
    def s(self):
        return jnp.sum(self.x)
@jax.tree_util.register_pytree_node_class
class Sub(N):
    def __init__(self, x):
        super().__init__(x)
        self.s = 9.0
def main():
    return Sub(jnp.ones(3)).s
""",
    "init_preset": """
@jax.tree_util.register_pytree_node_class
class N:
    def __init__(self, x, s=None):
        self.x = x
        if s is not None:
            self.s = s
    def tree_flatten(self): return (self.x,), None
    @classmethod
    def tree_unflatten(cls, a, c): return cls(*c)
    @cached_property
    def s(self):
        return jnp.sum(self.x)
def main():
    return N(jnp.ones(3), 9.0).s
""",
    "preset_update": """
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x)
def main():
    n = N(jnp.ones(3))
    for k, v in {"s": 4.0}.items():
        object.__setattr__(n, k, v)
    return n.s
""",
    "preset_loop_setattr": """
class N(struct.PyTreeNode, frozen=False):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x)
def fill(n, **kw):
    for k in kw:
        setattr(n, k, kw[k])
    return n
def main():
    return fill(N(jnp.ones(3)), s=4.0).s
""",
    "own_field_and_property": """
class N(struct.PyTreeNode):
    x: jax.Array
    s: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x)
def main():
    return N(jnp.ones(3), 4.0).s
""",
    "hasattr_dict": """
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x)
def main():
    n = N(jnp.ones(3))
    before = "s" in dir(n) and "s" in n.__dict__
    n.s
    return before
""",
    "slots_vars": """
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x)
def main():
    n = N(jnp.ones(3))
    n.s
    import inspect
    return sorted(k for k, v in inspect.getmembers(N) if isinstance(v, cached_property))
""",
    "isinstance_type": """
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x)
def main():
    return [k for k in dir(N) if isinstance(getattr(N, k), cached_property)]
""",
    "identity_two_names": """
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x)
def main():
    n = N(jnp.ones(3))
    a, b = n.s, n.s
    return a is b
""",
    "identity_in_list": """
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x) + jnp.zeros(())
def main():
    n = N(jnp.ones(3))
    return [n.s][0] is n.s
""",
    "object_key": """
class Key: pass
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def key(self):
        return (Key(), self.x)
def main():
    n = N(jnp.ones(3))
    return {n.key[0]: 1}.get(n.key[0])
""",
    "unknown_container_result": """
def build(x):
    return {"a": x}
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def table(self):
        return build(self.x)
def main():
    n = N(jnp.ones(3))
    t = n.table
    t["b"] = 1
    return sorted(n.table)
""",
    "unknown_container_result_elsewhere": """
def build(x):
    return {"a": x}
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def table(self):
        return build(self.x)
def touch(t):
    t["b"] = 1
def main():
    n = N(jnp.ones(3))
    touch(n.table)
    return sorted(n.table)
""",
    "container_via_method": """
class N(struct.PyTreeNode):
    x: jax.Array
    def build(self):
        return [self.x]
    @cached_property
    def rows(self):
        return self.build()
def touch(t):
    t.append(1)
def main():
    n = N(jnp.ones(3))
    touch(n.rows)
    return len(n.rows)
""",
    "container_ifexp": """
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def rows(self):
        return [self.x] if self.x.ndim else []
def touch(t):
    t.append(1)
def main():
    n = N(jnp.ones(3))
    touch(n.rows)
    return len(n.rows)
""",
    "container_split": """
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def rows(self):
        return jnp.split(self.x, 3)
def touch(t):
    t.append(1)
def main():
    n = N(jnp.ones(3))
    touch(n.rows)
    return len(n.rows)
""",
    "container_tree_leaves": """
class N(struct.PyTreeNode):
    x: dict
    @cached_property
    def rows(self):
        return jax.tree.leaves(self.x)
def touch(t):
    t.append(1)
def main():
    n = N({"a": jnp.ones(3)})
    touch(n.rows)
    return len(n.rows)
""",
    "container_tree_map": """
class N(struct.PyTreeNode):
    x: dict
    @cached_property
    def rows(self):
        return jax.tree.map(jnp.sum, self.x)
def touch(t):
    t["b"] = 1
def main():
    n = N({"a": jnp.ones(3)})
    touch(n.rows)
    return len(n.rows)
""",
    "container_copy_method": """
class N(struct.PyTreeNode):
    x: dict
    @cached_property
    def rows(self):
        return self.x.copy()
def touch(t):
    t["b"] = 1
def main():
    n = N({"a": jnp.ones(3)})
    touch(n.rows)
    return len(n.rows)
""",
    "container_copy_copy": """
import copy
class N(struct.PyTreeNode):
    x: dict
    @cached_property
    def rows(self):
        return copy.deepcopy(self.x)
def touch(t):
    t["b"] = 1
def main():
    n = N({"a": jnp.ones(3)})
    touch(n.rows)
    return len(n.rows)
""",
    "container_sorted": """
class N(struct.PyTreeNode):
    x: dict
    @cached_property
    def rows(self):
        return sorted(self.x.values(), key=id)
def touch(t):
    t.append(1)
def main():
    n = N({"a": jnp.ones(3)})
    touch(n.rows)
    return len(n.rows)
""",
    "host_array": """
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def rows(self):
        return jax.device_get(self.x) * 2
def touch(t):
    t[0] = 7
def main():
    n = N(jnp.ones(3))
    touch(n.rows)
    return n.rows
""",
    "host_array_method": """
class N(struct.PyTreeNode):
    x: np.ndarray
    @cached_property
    def rows(self):
        return self.x * 2
def touch(t):
    t[0] = 7
def main():
    n = N(np.ones(3))
    touch(n.rows)
    return n.rows
""",
    "split_key": """
class N(struct.PyTreeNode):
    key: jax.Array
    @cached_property
    def noise(self):
        return jax.random.normal(self.key)
def main():
    n = N(jax.random.key(0))
    return n.noise == n.noise
""",
    "exception_once": """
class N(struct.PyTreeNode):
    x: list
    @cached_property
    def first(self):
        return jnp.asarray(self.x[0])
def main():
    n = N([1.0])
    n.first
    n.x.clear()
    return n.first
""",
    "del_field": """
@jax.tree_util.register_pytree_node_class
class N:
    def __init__(self, x): self.x = x
    def tree_flatten(self): return (self.x,), None
    @classmethod
    def tree_unflatten(cls, a, c): return cls(*c)
    @cached_property
    def s(self):
        return jnp.sum(self.x)
    def release(self):
        self.s
        del self.x
def main():
    n = N(jnp.ones(3)); n.release()
    return n.s
""",
    "release_field": """
@jax.tree_util.register_pytree_node_class
class N:
    def __init__(self, x): self.x = x
    def tree_flatten(self): return (self.x,), None
    @classmethod
    def tree_unflatten(cls, a, c): return cls(*c)
    @cached_property
    def s(self):
        return jnp.sum(self.x)
    def release(self):
        self.s
        self.x.delete()
def main():
    n = N(jnp.ones(3)); n.release()
    return n.s
""",
    "plain_flax": """
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x)
def main():
    n = N(jnp.ones(3))
    return n.s, jax.jit(lambda n: n.s)(n), n.replace(x=jnp.zeros(3)).s
""",
    "plain_dataclass": """
@struct.dataclass
class N:
    x: jax.Array
    scale: float = struct.field(pytree_node=False, default=2.0)
    @functools.cached_property
    def s(self):
        return jnp.sum(self.x) * self.scale
def main():
    n = N(jnp.ones(3))
    return n.s, n.s, jax.grad(lambda n: n.s)(n).x
""",
    "plain_registered": """
@jax.tree_util.register_pytree_node_class
class N:
    def __init__(self, x):
        self.x = x
    def tree_flatten(self):
        return (self.x,), None
    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)
    @cached_property
    def s(self):
        return jnp.sum(self.x)
def main():
    n = N(jnp.ones(3))
    return n.s, jax.jit(lambda n: n.s + n.s)(n)
""",
    "plain_register_dataclass": """
@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class N:
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x)
def main():
    return jax.vmap(lambda n: n.s)(N(jnp.ones((2, 3))))
""",
    "plain_equinox": """
class N(eqx.Module):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x)
def main():
    n = N(jnp.ones(3))
    return n.s, eqx.filter_jit(lambda n: n.s)(n)
""",
    "plain_over_jit": """
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    @jax.jit
    def s(self):
        return jnp.sum(self.x)
def main():
    n = N(jnp.ones(3))
    return n.s, n.s
""",
    "plain_over_jit_assigned": """
class N(struct.PyTreeNode):
    x: jax.Array
    def _s(self):
        return jnp.sum(self.x)
    s = cached_property(jax.jit(_s))
def main():
    n = N(jnp.ones(3))
    return n.s, n.s, n._s()
""",
    "plain_assigned": """
class N(struct.PyTreeNode):
    x: jax.Array
    def _s(self):
        return jnp.sum(self.x)
    s = cached_property(_s)
    t = functools.cached_property(lambda self: self.x * 2)
def main():
    n = N(jnp.ones(3))
    return n.s, n.t, n._s()
""",
    "plain_three_that_use_each_other": '''
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def gram(self):
        return self.x @ self.x.T
    # about the factor
    @cached_property  # (lower)
    def factor(self):
        return jnp.linalg.cholesky(self.gram + jnp.eye(2))
    @cached_property
    def logdet(self):
        """Of the gram."""
        return 2 * jnp.sum(jnp.log(jnp.diagonal(self.factor)))
def main():
    n = N(jnp.arange(6.0).reshape(2, 3))
    return n.logdet, n.factor, jax.jit(lambda n: n.logdet)(n)
''',
    "plain_with_helpers": """
def scaled(x, by=2):
    out = []
    for row in x:
        out.append(row * by)
    return jnp.stack(out)
class N(struct.PyTreeNode):
    x: jax.Array
    def half(self):
        return scaled(self.x, 0.5)
    @cached_property
    def s(self):
        parts = {"a": self.half(), "b": scaled(self.x)}
        total = parts["a"] + parts["b"]
        if total.ndim > 1:
            total = total.sum(0)
        return total
def main():
    n = N(jnp.ones((2, 2)))
    return n.s, n.s
""",
    "plain_tuple": """
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def moments(self):
        mean = self.x.mean()
        return mean, ((self.x - mean) ** 2).mean()
def main():
    mean, var = N(jnp.arange(4.0)).moments
    return mean, var
""",
    "plain_lru_cache": """
@jax.tree_util.register_pytree_node_class
class N:
    def __init__(self, x):
        self.x = x
    def tree_flatten(self):
        return (self.x,), None
    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)
    @lru_cache(maxsize=None)
    def power(self, p, *, plus=0):
        return jnp.sum(self.x**p) + plus
def main():
    n = N(jnp.arange(3.0))
    return n.power(2), n.power(2), n.power(p=3, plus=1), n.power(2, plus=1)
""",
    "plain_cache_below_property": """
@jax.tree_util.register_pytree_node_class
class N:
    def __init__(self, x):
        self.x = x
    def tree_flatten(self):
        return (self.x,), None
    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)
    @property
    @functools.cache
    def s(self):
        return jnp.sum(self.x)
def main():
    n = N(jnp.arange(3.0))
    return n.s, n.s
""",
    "plain_cache_of_a_lambda": """
@jax.tree_util.register_pytree_node_class
class N:
    def __init__(self, x):
        self.x = x
    def tree_flatten(self):
        return (self.x,), None
    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)
    s = cache(lambda self: jnp.sum(self.x))
def main():
    n = N(jnp.arange(3.0))
    return n.s(), n.s()
""",
    "plain_subclass": """
class M(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x)
class N(M):
    y: jax.Array
    @cached_property
    def s(self):
        return super().s + jnp.sum(self.y)
def main():
    n = N(jnp.ones(3), jnp.ones(2))
    return n.s, n.s
""",
    "plain_other_class_assigns": """
class Other:
    def __init__(self, v):
        self.v = v
    def move(self):
        self.v += 1
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x)
def main():
    o = Other(1)
    o.move()
    table = {}
    table["n"] = N(jnp.ones(3))
    return table["n"].s, o.v
""",
    "plain_constant": """
SCALE = 3.0
TABLE = {"a": 2.0}
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return jnp.sum(self.x) * SCALE * TABLE["a"]
def main():
    return N(jnp.ones(3)).s
""",
    "plain_key": """
class N(struct.PyTreeNode):
    key: jax.Array
    @cached_property
    def noise(self):
        a, b = jax.random.split(self.key)
        return jax.random.normal(a, (2,)) + jax.random.normal(b, (2,))
def main():
    n = N(jax.random.PRNGKey(0))
    return n.noise, n.noise
""",
    "plain_scan": """
class N(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def total(self):
        def body(c, v):
            return c + v, c
        return jax.lax.scan(body, 0.0, self.x)[0]
def main():
    n = N(jnp.ones(3))
    return n.total, jax.jit(lambda n: n.total)(n)
""",
    "plain_branches": """
class N(struct.PyTreeNode):
    x: jax.Array
    flag: bool = struct.field(pytree_node=False, default=True)
    @cached_property
    def s(self) -> jax.Array:
        if self.flag:
            return self.x.max()
        elif self.x.ndim == 2:
            raise ValueError(self.x.shape)
        try:
            return self.x.min()
        finally:
            pass
def main():
    return N(jnp.ones(3)).s, N(jnp.ones(3), False).s
""",
    **{
        f"stale_under_another_name_{name}": f"""
TABLE = np.zeros(3)
def bump(given):
    given[0] = 7
class N(struct.PyTreeNode):
    buf: np.ndarray
    @cached_property
    def total(self):
        return jnp.sum({read}) + 0.0
def main():
    buf = np.zeros(3)
    n = N(buf)
    a = n.total
    {change.format(there)}
    return a, n.total
"""
        for read, there, place in (
            ("self.buf", "buf", "local"),
            ("self.buf", "n.buf", "field"),
            ("TABLE", "TABLE", "global"),
        )
        for name, change in {
            f"{place}_helper": "bump({0})",
            f"{place}_helper_of_a_view": "bump({0}[:1])",
            f"{place}_out": "np.add({0}, 1, out={0})",
            f"{place}_view": "view = {0}[:]; view[0] = 7",
            f"{place}_alias": "other = {0}; other += 1",
            f"{place}_method": "{0}.fill(3)",
            f"{place}_copied_to": "np.copyto({0}, 1)",
        }.items()
    },
    "stale_popped": """
class N(struct.PyTreeNode):
    p: list
    @cached_property
    def total(self):
        return sum(self.p) + jnp.zeros(())
def last(n):
    return n.p.pop()
def main():
    n = N([1.0, 2.0])
    a = n.total
    return a, last(n), n.total
""",
    "plain_beside_changes_of_others": """
LOG = []
def noted(x):
    LOG.append(x)
    return x
class N(struct.PyTreeNode):
    p: list
    x: jax.Array
    @cached_property
    def total(self):
        return jnp.sum(self.x)
def main():
    rows = []
    n = N([1.0], jnp.ones(3))
    for i in range(2):
        rows.append(i)
        n.p.append(2.0)
    noted(rows)
    return n.total, n.total
""",
}
"""Caches on pytree classes, and what is done to what they were computed from."""
FROZEN = {
    "raises_with": """
import pytest
def main():
    n = Node(1, 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        n.a = 3
    return n.a
""",
    "suppress": """
def main():
    n = Node(1, 2)
    with contextlib.suppress(AttributeError):
        n.a = 3
    return n.a
""",
    "assert_raises": """
class T(unittest.TestCase):
    def test_it(self):
        n = Node(1, 2)
        with self.assertRaises(Exception):
            n.a = 3
        self.assertEqual(n.a, 1)
def main():
    T("test_it").debug()
    return 1
""",
    "raises_helper": """
import pytest
def set_a(n: Node):
    n.a = 3
    return n
def main():
    with pytest.raises(dataclasses.FrozenInstanceError):
        set_a(Node(1, 2))
    return 1
""",
    "raises_helper_call": """
import pytest
def set_a(n: Node):
    n.a = 3
    return n
def main():
    pytest.raises(dataclasses.FrozenInstanceError, set_a, Node(1, 2))
    return 1
""",
    "try_helper": """
def set_a(n: Node):
    n.a = 3
    return n
def main():
    n = Node(1, 2)
    try:
        n = set_a(n)
    except dataclasses.FrozenInstanceError:
        n = n.replace(b=7)
    return n.a, n.b
""",
    "nested_raises": """
import pytest
def main():
    n = Node(1, 2)
    def f(m: Node):
        m.a = 2
        return m
    with pytest.raises(AttributeError):
        f(n)
    return n.a
""",
    "own_context": """
class expect_error:
    def __enter__(self): return self
    def __exit__(self, t, v, b): return True
def main():
    n = Node(1, 2)
    with expect_error():
        n.a = 3
    return n.a
""",
    "dropped_by_caller": """
def reset(s: Node):
    s.a = 0
    return s
def main():
    s = Node(1, 2)
    reset(s)
    return s.a
""",
    "recursion_drop": """
def down(s: Node, n):
    s.a = n
    if n:
        down(s, n - 1)
    return s
def main():
    return down(Node(1, 2), 3).a
""",
    "caller_keeps_old": """
def reset(s: Node):
    s.a = 0
    return s
def main():
    s = Node(1, 2)
    t = reset(s)
    return s.a, t.a
""",
    "method_arg_drop": """
class M:
    def reset(self, s: Node):
        s.a = 0
        return s
def main():
    s = Node(1, 2)
    M().reset(s)
    return s.a
""",
    "map_calls": """
def reset(s: Node):
    s.a = 0
    return s
def main():
    l = [Node(1, 2), Node(3, 4)]
    for s in l: reset(s)
    return [s.a for s in l]
""",
    "list_comp_calls": """
def reset(s: Node):
    s.a = 0
    return s
def main():
    l = [Node(1, 2), Node(3, 4)]
    m = [reset(s) for s in l]
    return [s.a for s in m]
""",
    "returns_tuple": """
def reset(s: Node):
    s.a = 0
    return s, s.b
def main():
    s = Node(1, 2)
    _, b = reset(s)
    return s.a, b
""",
    "early_return_other": """
def reset(s: Node, flag):
    s.a = 0
    if flag:
        return None
    return s
def main():
    s = Node(1, 2)
    reset(s, True)
    return s.a
""",
    "loop_var": """
def main():
    out = []
    for i in range(3):
        n = Node(i, i)
        n.a += 1
        out.append(n)
    return [n.a for n in out]
""",
    "plain_loop_carry": """
def main():
    n = Node(0, 0)
    for i in range(3):
        n.a += i
        n.b = n.a * 2
    return n.a, n.b
""",
    "loop_alias_before": """
def main():
    n = Node(0, 0)
    hist = []
    for i in range(3):
        n.a += i
        hist.append(n)
    return [h.a for h in hist]
""",
    "plain_while_else": """
def main():
    n = Node(0, 0)
    while n.a < 3:
        n.a += 1
    else:
        n.b = 9
    return n.a, n.b
""",
    "plain_cond_expr": """
def main():
    n = Node(1, 2)
    n.a = 5 if n.b else 6
    return n
""",
    "plain_lambda_value": """
def main():
    n = Node(1, 2)
    n.a = (lambda q: q + 1)(3)
    return n.a
""",
    "lambda_value_self": """
def main():
    n = Node(1, 2)
    n.a = lambda: n.b
    return n.a()
""",
    "plain_comp_value": """
def main():
    n = Node(1, 2)
    n.a = [n.b for _ in range(2)]
    return n.a
""",
    "comp_shadow": """
def main():
    n = Node(1, 2)
    n.a = sum(n for n in range(3))
    return n.a
""",
    "plain_walrus_val": """
def main():
    n = Node(1, 2)
    n.a = (k := 4)
    return n.a, k
""",
    "chain": """
def main():
    n = Node(1, 2)
    n.a = n.b = 4
    return n.a, n.b
""",
    "tuple_target": """
def main():
    n = Node(1, 2)
    n.a, n.b = n.b, n.a
    return n.a, n.b
""",
    "nested_obj": """
class Outer(struct.PyTreeNode):
    n: Node
def main():
    o = Outer(Node(1, 2))
    o.n.a = 4
    return o.n.a
""",
    "part_alias": """
class Outer(struct.PyTreeNode):
    n: Node
def main():
    o = Outer(Node(1, 2))
    n = o.n
    n.a = 4
    return n.a, o.n.a
""",
    "kept_in_outer": """
class Outer(struct.PyTreeNode):
    n: Node
def main():
    n = Node(1, 2)
    o = Outer(n)
    n.a = 4
    return n.a, o.n.a
""",
    "kept_in_lower_maker": """
class Outer(struct.PyTreeNode):
    n: Node
def make_outer(n):
    return Outer(n)
def main():
    n = Node(1, 2)
    o = make_outer(n)
    n.a = 4
    return n.a, o.n.a
""",
    "kept_by_imported_lower": """
from collections import deque as queue
def main():
    n = Node(1, 2)
    o = queue([n])
    n.a = 4
    return n.a, o[0].a
""",
    "kept_by_replace": """
class Outer(struct.PyTreeNode):
    n: Node
def main():
    n = Node(1, 2)
    o = Outer(None).replace(n=n)
    n.a = 4
    return n.a, o.n.a
""",
    "kept_by_dc_replace": """
class Outer(struct.PyTreeNode):
    n: Node
def main():
    n = Node(1, 2)
    o = dataclasses.replace(Outer(None), n=n)
    n.a = 4
    return n.a, o.n.a
""",
    "kept_by_tree_map": """
def main():
    n = Node(1, 2)
    o = jax.tree.map(lambda x: x, [n], is_leaf=lambda x: isinstance(x, Node))
    n.a = 4
    return n.a, o[0].a
""",
    "kept_by_tree_unflatten": """
def main():
    n = Node(1, 2)
    o = jax.tree.unflatten(jax.tree.structure([0]), [n])
    n.a = 4
    return n.a, o[0].a
""",
    "kept_by_zip": """
def main():
    n = Node(1, 2)
    o = list(zip([n], [1]))
    n.a = 4
    return n.a, o[0][0].a
""",
    "kept_by_copy": """
import copy
def main():
    n = Node(1, 2)
    o = copy.copy([n])
    n.a = 4
    return n.a, o[0].a
""",
    "kept_by_itertools": """
import itertools
def main():
    n = Node(1, 2)
    o = list(itertools.chain([n], [n]))
    n.a = 4
    return n.a, o[0].a
""",
    "kept_by_itertools_repeat": """
import itertools
def main():
    n = Node(1, 2)
    o = itertools.repeat(n, 2)
    n.a = 4
    return n.a, next(o).a
""",
    "kept_by_operator": """
import operator
def main():
    n = Node(1, 2)
    o = operator.itemgetter(0)([n])
    n.a = 4
    return n.a, o.a
""",
    "kept_by_operator_setitem": """
import operator
def main():
    n = Node(1, 2)
    d = {}
    operator.setitem(d, "n", n)
    n.a = 4
    return n.a, d["n"].a
""",
    "kept_by_bisect": """
import bisect
def main():
    n = Node(1, 2)
    l = []
    bisect.insort(l, n, key=lambda q: q.a)
    n.a = 4
    return n.a, l[0].a
""",
    "kept_by_heap": """
import heapq
def main():
    n = Node(1, 2)
    l = []
    heapq.heappush(l, (1, n))
    n.a = 4
    return n.a, l[0][1].a
""",
    "kept_by_tuple_index": """
def main():
    n = Node(1, 2)
    m = (n, 1)[0]
    n.a = 4
    return n.a, m.a
""",
    "kept_by_or": """
def main(q=None):
    n = Node(1, 2)
    m = q or n
    n.a = 4
    return n.a, m.a
""",
    "kept_by_ifexp": """
def main(q=None):
    n = Node(1, 2)
    m = n if q is None else q
    n.a = 4
    return n.a, m.a
""",
    "kept_by_or_rev": """
def main(q=None):
    m = Node(1, 2)
    n = q or m
    n.a = 4
    return n.a, m.a
""",
    "bound_method_kept": """
class Node2(struct.PyTreeNode):
    a: jax.Array
    def get(self): return self.a
def main():
    n = Node2(1)
    g = n.get
    n.a = 4
    return n.a, g()
""",
    "method_returns_self": """
class Node2(struct.PyTreeNode):
    a: jax.Array
    def me(self): return self
def main():
    n = Node2(1)
    m = n.me()
    n.a = 4
    return n.a, m.a
""",
    "method_returns_holder": """
class Holder:
    def __init__(self, n): self.n = n
class Node2(struct.PyTreeNode):
    a: jax.Array
    def held(self): return Holder(self)
def main():
    n = Node2(1)
    m = n.held()
    n.a = 4
    return n.a, m.n.a
""",
    "from_me": """
class Node2(struct.PyTreeNode):
    a: jax.Array
    def me(self): return self
def main():
    m = Node2(1)
    n = m.me()
    n.a = 4
    return n.a, m.a
""",
    "from_factory": """
CACHE = {}
def get(k):
    if k not in CACHE: CACHE[k] = Node(1, 2)
    return CACHE[k]
def main():
    n: Node = get("x")
    n.a = 4
    return n.a, get("x").a
""",
    "from_factory_annot": """
CACHE = {}
def get(k) -> Node:
    if k not in CACHE: CACHE[k] = Node(1, 2)
    return CACHE[k]
def main():
    n = get("x")
    n.a = 4
    return n.a, get("x").a
""",
    "from_singleton_classmethod": """
class S(struct.PyTreeNode):
    a: jax.Array
    @classmethod
    def the(cls) -> "S":
        if not hasattr(cls, "_the"): cls._the = cls(1)
        return cls._the
def main():
    n = S.the()
    n.a = 4
    return n.a, S.the().a
""",
    "global_n": """
n = Node(1, 2)
def f(n: Node):
    n.a = 3
    return n
def main():
    f(n)
    return n.a
""",
    "with_as": """
@contextlib.contextmanager
def making():
    n = Node(1, 2)
    yield n
    OUT.append(n.a)
OUT = []
def main():
    with making() as n:
        n.a = 5
        b = n.a
    return b, OUT
""",
    "plain_ctx_yield_after": """
OUT = []
@contextlib.contextmanager
def making():
    n = Node(1, 2)
    n.a = 7
    yield n
    OUT.append(n.a)
def main():
    with making() as n:
        b = n.a
    return b, OUT
""",
    "plain_except_var": """
def main():
    n = Node(1, 2)
    try:
        raise ValueError
    except ValueError:
        n.a = 4
    return n.a
""",
    "plain_finally_ok": """
def main():
    n = Node(1, 2)
    try:
        x = 1
    finally:
        n.a = 4
    return n.a
""",
    "plain_try_else_catch": """
def main():
    n = Node(1, 2)
    try:
        x = 1
    except Exception:
        pass
    else:
        n.a = 4
    return n.a
""",
    "plain_try_body_catch": """
def main():
    n = Node(1, 2)
    try:
        n.a = 4
    except ValueError:
        pass
    return n.a
""",
    "try_outer_catch": """
def main():
    n = Node(1, 2)
    try:
        try:
            n.a = 4
        finally:
            pass
    except Exception:
        pass
    return n.a
""",
    "match_capture": """
def main():
    match Node(1, 2):
        case Node() as n:
            n.a = 4
            return n.a
""",
    "del_attr": """
def main():
    n = Node(1, 2)
    del n.a
    return n
""",
    "plain_starred": """
def main():
    n = Node(1, 2)
    n.a = *range(3),
    return n.a
""",
    "plain_multiline_str": '''
def main():
    n = Node(1, 2)
    n.a = """x
y"""
    return n.a
''',
    "plain_await_value": """
import asyncio
async def g(): return 4
async def h():
    n = Node(1, 2)
    n.a = await g()
    return n.a
def main(): return asyncio.run(h())
""",
    "async_shared": """
import asyncio
async def h(n: Node):
    n.a = 4
    await asyncio.sleep(0)
    return n.a
def main(): return asyncio.run(h(Node(1, 2)))
""",
    "plain_aug_all": """
def main():
    n = Node(17, 3)
    n.a //= 2; n.a %= 5; n.a **= 2; n.a <<= 1; n.a |= 1; n.a ^= 2; n.a &= 255
    n.a >>= 1; n.a -= 2 - 1; n.a /= 1 if n.b else 2
    return n.a
""",
    "plain_aug_not": """
def main():
    n = Node(17, 3)
    n.a += not n.b
    n.a *= n.b or 2
    n.a -= -n.b
    n.a **= -1
    n.b **= 2 ** 2
    return n.a, n.b
""",
    "plain_aug_lambda": """
def main():
    n = Node(17, 3)
    n.a += (lambda: 3)()
    n.a += [1, 2][0]
    return n.a
""",
    "static_field": """
class L(struct.PyTreeNode):
    t: str = struct.field(pytree_node=False)
def main():
    n = L("a")
    n.t = "b"
    return n.t
""",
    "plain_keyword_field": """
class L(struct.PyTreeNode):
    self_: int
    replace_: int
def main():
    n = L(1, 2)
    n.self_ = 5
    return n.self_
""",
    "type_check_only": """
def main():
    n = Node(1, 2)
    n.a: int = 5
    return n.a
""",
    "self_method": """
class N2(struct.PyTreeNode):
    a: int
    def inc(self):
        self.a += 1
        return self
def main():
    n = N2(1)
    n.inc()
    return n.a
""",
    "after_param_default": """
def f(n: Node = Node(1, 2)):
    n.a += 1
    return n
def main():
    f()
    return f().a
""",
    "posonly_kw": """
def f(*, n: Node, **kw):
    n.a = 5
    return dict(n=n, **kw)
def main():
    return f(n=Node(1, 2))["n"].a
""",
    "returned_in_lambda": """
def f(n: Node):
    n.a = 5
    return lambda: n
def main():
    return f(Node(1, 2))().a
""",
    "nested_def_write": """
def main():
    n = Node(1, 2)
    def g():
        n.a = 5
        return n
    g()
    return n.a
""",
    "plain_class_in_func": """
def main():
    class C(struct.PyTreeNode):
        v: int
    c = C(1)
    c.v = 2
    return c.v
""",
    "plain_print_between": """
def main():
    n = Node(1, 2)
    print(n)
    n.a = 3; n.b = 4
    return n.a + n.b
""",
    "plain_ann_param_optional": """
from typing import Optional
def f(n: Optional[Node]):
    if n is not None:
        n.a = 3
    return n
def main():
    return f(Node(1, 2)).a, f(None)
""",
    "union_mutable": """
class Mut:
    a = 1
def f(n: Node | Mut):
    n.a = 3
    return n
def main():
    m = Mut()
    f(m)
    return m.a
""",
}
"""Assignments to frozen objects, and those who have the object, too."""
ARRAYS = {
    "also_numpy_eager": """
import numpy as np
def f(x, v):
    x[0, 1:] = v
    return x
g = jax.jit(f)
def main():
    return f(np.zeros((2, 3)), 4.0)
""",
    "also_numpy_eager2": """
import numpy as np
def f(x):
    x[:2] = 1
    return x
def main():
    r = f(np.zeros(3))
    try:
        jax.jit(f)(r)
    except TypeError: pass
    return r
""",
    "also_vmap_numpy": """
import numpy as np
def f(x):
    y = x * 2.0
    y[0] = 1
    return y
def main():
    return f(np.zeros(3))
batched = jax.vmap(f)
""",
    "scan_body_also_python": """
import numpy as np
def body(c, t):
    c[0:1] = t
    return c, t
def main():
    c = np.zeros(3)
    for t in range(3): c, _ = body(c, t)
    return c
def run(c):
    return jax.lax.scan(body, c, jnp.arange(3))
""",
    "method_also_numpy": """
import numpy as np
class S:
    def step(self, x):
        x[0, :] = 1
        return x
    def fast(self):
        return jax.jit(self.step)
def main():
    return S().step(np.zeros((2, 2)))
""",
    "plain_set": """
@jax.jit
def f(x: jax.Array):
    x[0] = 1
    return x
def main(): return f(jnp.zeros(3))
""",
    "plain_all_aug": """
@jax.jit
def f(x: jax.Array):
    x[0] += 2; x[1] -= 3; x[2] *= 4; x[3] /= 4; x[4] **= 2; x[5] //= 2; x[6] %= 3
    return x
def main(): return f(jnp.arange(7.0) + 5)
""",
    "plain_int_aug": """
@jax.jit
def f(x: jax.Array):
    x[0] <<= 2; x[1] >>= 1; x[2] |= 8; x[3] ^= 3; x[4] &= 6
    return x
def main(): return f(jnp.arange(5) + 5)
""",
    "plain_int_div": """
@jax.jit
def f(x: jax.Array):
    x[0] //= 2
    x[1] = x[1] // 2
    return x
def main(): return f(jnp.arange(5) + 5)
""",
    "plain_matmul": """
@jax.jit
def f(x: jax.Array, w):
    x[0] @= w
    return x
def main(): return f(jnp.ones((2, 2, 2)), jnp.eye(2) * 2)
""",
    "plain_ellipsis": """
@jax.jit
def f(x: jax.Array):
    x[..., 0] = 5
    x[...] += 1
    x[None, 0] = 2
    x[::2, ::-1] *= 2
    return x
def main(): return f(jnp.arange(6.0).reshape(2, 3))
""",
    "bool_mask_where": """
@jax.jit
def f(x: jax.Array):
    idx = jnp.where(x > 1)
    x[idx] = 0
    return x
def main(): return f(jnp.arange(3.0))
""",
    "plain_bool_const": """
@jax.jit
def f(x: jax.Array):
    x[True] = 5
    return x
def main(): return f(jnp.ones(3))
""",
    "plain_float_index": """
@jax.jit
def f(x: jax.Array):
    x[int(2 / 1)] = 5
    return x
def main(): return f(jnp.ones(3))
""",
    "plain_neg": """
@jax.jit
def f(x: jax.Array, i):
    x[-1] = 5
    x[i] = 7
    return x
def main(): return f(jnp.ones(3), -2)
""",
    "view_slice": """
@jax.jit
def f(x: jax.Array):
    y = x[:2]
    y[0] = 9
    return x, y
def main(): return f(jnp.ones(3))
""",
    "view_T": """
@jax.jit
def f(x: jax.Array):
    y = x.T
    y[0] = 9
    return x, y
def main(): return f(jnp.ones((2, 2)))
""",
    "view_ravel": """
@jax.jit
def f(x: jax.Array):
    y = x.ravel()
    y[0] = 9
    return x, y
def main(): return f(jnp.ones((2, 2)))
""",
    "view_asarray": """
@jax.jit
def f(x: jax.Array):
    y = jnp.asarray(x)
    y[0] = 9
    return x, y
def main(): return f(jnp.ones((2, 2)))
""",
    "view_real": """
@jax.jit
def f(x: jax.Array):
    y = jnp.real(x)
    y[0] = 9
    return x, y
def main(): return f(jnp.ones((2,)))
""",
    "view_array_split": """
@jax.jit
def f(x: jax.Array):
    a, b = jnp.split(x, 2)
    a[0] = 9
    return x, a
def main(): return f(jnp.ones((2,)))
""",
    "view_later_written": """
@jax.jit
def f(x: jax.Array):
    y = x.reshape(-1)
    x[0] = 9
    return x, y
def main(): return f(jnp.ones((2, 1)))
""",
    "view_iter": """
@jax.jit
def f(x: jax.Array):
    for row in x:
        row[0] = 3
    return x
def main(): return f(jnp.ones((2, 1)))
""",
    "view_unpack": """
@jax.jit
def f(x: jax.Array):
    a, b = x
    a[0] = 3
    return x, a
def main(): return f(jnp.ones((2, 1)))
""",
    "view_T_later": """
@jax.jit
def f(x: jax.Array):
    t = x.T
    x[0] = 9
    return x, t
def main(): return f(jnp.ones((2, 2)))
""",
    "swap": """
@jax.jit
def f(x: jax.Array):
    x[0], x[1] = x[1], x[0]
    return x
def main(): return f(jnp.arange(2.0))
""",
    "nested_index": """
@jax.jit
def f(x: jax.Array):
    x[0][1] = 4
    return x
def main(): return f(jnp.ones((2, 2)))
""",
    "plain_side_effect_index": """
@jax.jit
def f(x: jax.Array):
    it = iter([0, 1])
    x[next(it)] += 3
    return x
def main(): return f(jnp.ones((2, 2)))
""",
    "side_effect_index2": """
@jax.jit
def f(x: jax.Array):
    it = iter([0, 1])
    x[next(it)] //= 3
    return x
def main(): return f(jnp.ones((2, 2)) * 9)
""",
    "plain_walrus_index": """
@jax.jit
def f(x: jax.Array):
    x[(j := 1)] += 3
    return x, j
def main(): return f(jnp.ones(2))
""",
    "plain_walrus_value": """
@jax.jit
def f(x: jax.Array):
    x[0] = (k := 4)
    return x, k
def main(): return f(jnp.ones(2))
""",
    "walrus_value_bare": """
@jax.jit
def f(x: jax.Array):
    x[0] = (x := x + 1)[1]
    return x
def main(): return f(jnp.ones(2))
""",
    "plain_eval_order": """
@jax.jit
def f(x: jax.Array):
    log = []
    def val(): log.append("v"); return 1.0
    def idx(): log.append("i"); return 0
    x[idx()] = val()
    return x, len(log)
def main(): return f(jnp.ones(2))
""",
    "order_walrus": """
@jax.jit
def f(x: jax.Array):
    j = 0
    x[j] = (j := 1)
    return x
def main(): return f(jnp.zeros(2))
""",
    "plain_loop_shadow": """
@jax.jit
def f(xs: jax.Array):
    out = jnp.zeros(3)
    for i, v in enumerate([1.0, 2.0]):
        out[i] = v
    return out
def main(): return f(jnp.ones(2))
""",
    "plain_comprehension_closure": """
@jax.jit
def f(x: jax.Array):
    x[0] = 1
    return [x[i] for i in range(2)]
def main(): return f(jnp.zeros(2))
""",
    "cond_branch": """
@jax.jit
def f(x: jax.Array, p):
    def t(y):
        y[0] = 1
        return y
    def e(y):
        return y
    return jax.lax.cond(p, t, e, x)
def main(): return f(jnp.zeros(2), True)
""",
    "zeros_like": """
@jax.jit
def f(x: jax.Array):
    y = jnp.zeros_like(x)
    z = y
    y[0] = 2
    return y, z
def main(): return f(jnp.ones(2))
""",
    "helper_annot": """
def put(x: jax.Array, v):
    x[0] = v
    return x
@jax.jit
def f(x: jax.Array):
    y = put(x, 3)
    return x, y
def main(): return f(jnp.ones(2))
""",
    "helper_annot_drop": """
def put(x: jax.Array, v):
    x[0] = v
    return x
@jax.jit
def f(x: jax.Array):
    put(x, 3)
    return x
def main(): return f(jnp.ones(2))
""",
    "plain_result_dropped": """
def f(x):
    x[0, 0] += 1
    return x.sum()
g = jax.jit(f)
def main(): return g(jnp.ones((2, 2)))
""",
    "plain_yield_in": """
@jax.jit
def f(x: jax.Array):
    x[0] = 1 if x.ndim else 2
    x[1] = -x[0]
    x[0] += -1
    x[0] -= 1 - 2
    return x
def main(): return f(jnp.zeros(2))
""",
    "plain_tuple_value": """
@jax.jit
def f(x: jax.Array):
    x[:2] = 1, 2
    x[0:2] += jnp.array([1, 2])
    return x
def main(): return f(jnp.zeros(3))
""",
    "tuple_aug": """
@jax.jit
def f(x: jax.Array):
    x[:2] += 1, 2
    return x
def main(): return f(jnp.zeros(3))
""",
    "plain_list_value": """
@jax.jit
def f(x: jax.Array):
    x[:2] = [1, 2]
    return x
def main(): return f(jnp.zeros(3))
""",
    "list_aug": """
@jax.jit
def f(x: jax.Array):
    x[:2] += [1, 2]
    return x
def main(): return f(jnp.zeros(3))
""",
    "range_index": """
@jax.jit
def f(x: jax.Array):
    x[range(2)] = 4
    return x
def main(): return f(jnp.zeros(3))
""",
    "plain_np_index": """
import numpy as np
@jax.jit
def f(x: jax.Array):
    x[np.array([0, 1])] = 4
    x[np.ix_([0], [1])] = 3
    return x
def main(): return f(jnp.zeros((3, 3)))
""",
    "plain_tuple_var_index": """
@jax.jit
def f(x: jax.Array):
    ij = (0, 1)
    x[ij] = 4
    return x
def main(): return f(jnp.zeros((3, 3)))
""",
    "list_var_index": """
@jax.jit
def f(x: jax.Array):
    ij = [0, 1]
    x[ij] = 4
    return x
def main(): return f(jnp.zeros((3, 3)))
""",
    "list_comp_index": """
@jax.jit
def f(x: jax.Array):
    ij = list(range(2))
    x[ij] = 4
    return x
def main(): return f(jnp.zeros((3, 3)))
""",
    "plain_slice_var": """
@jax.jit
def f(x: jax.Array):
    s = slice(0, 2)
    x[s] = 4
    return x
def main(): return f(jnp.zeros(3))
""",
    "plain_starred_index": """
@jax.jit
def f(x: jax.Array):
    ij = (0,)
    x[*ij, 1] = 4
    return x
def main(): return f(jnp.zeros((3, 3)))
""",
    "dyn_slice": """
@jax.jit
def f(x: jax.Array, i):
    x[i:i + 2] = 4
    return x
def main(): return f(jnp.zeros(3), 0)
""",
    "plain_async_gen": """
@jax.jit
def f(x: jax.Array):
    for i in range(2):
        x[i] = i
        if i: continue
        x[i] += 5
    else:
        x[2] = 9
    return x
def main(): return f(jnp.zeros(3))
""",
    "try_except": """
@jax.jit
def f(x: jax.Array):
    try:
        x[0] = 1
    except TypeError:
        x = x.at[0].set(1)
    return x
def main(): return f(jnp.zeros(3))
""",
    "try_numpy_fallback": """
def f(x):
    try:
        x[0, :] = 1
    except TypeError:
        x = x.at[0, :].set(1)
    return x
g = jax.jit(f)
def main():
    import numpy as np
    return f(np.zeros((2, 2))), g(jnp.zeros((2, 2)))
""",
    "isinstance_branch": """
import numpy as np
def f(x):
    if isinstance(x, np.ndarray):
        x[0, :] = 1
    else:
        x = x.at[0, :].set(1)
    return x
g = jax.jit(f)
def main():
    return f(np.zeros((2, 2))), g(jnp.zeros((2, 2)))
""",
    "isinstance_early": """
import numpy as np
def f(x):
    if isinstance(x, jax.Array):
        return x.at[0, :].set(1)
    x[0, :] = 1
    return x
g = jax.jit(f)
def main():
    return f(np.zeros((2, 2))), g(jnp.zeros((2, 2)))
""",
    "backend_param": """
import numpy as np
def f(x, xp=np):
    y = xp.zeros(3)
    y[0] = 1
    return y
def main():
    return f(None)
g = jax.jit(lambda x: f(x, jnp))
""",
    "new_ref": """
@jax.jit
def f(x):
    r = jax.new_ref(x)
    r[0] = 3.0
    return r[...]
def main(): return f(jnp.zeros(3))
""",
    "listy": """
@jax.jit
def f(x):
    out = [x, x]
    out[0] = x + 1
    return out
def main(): return f(jnp.zeros(3))
""",
}
"""Assignments to elements of arrays, under jit and without."""

USERS = {
    "cached_filled_by_bound_method": """
class Stat(struct.PyTreeNode):
    items: list
    @cached_property
    def total(self):
        return jnp.asarray(sum(self.items))
def main():
    items = [1.0]
    add = items.append
    s = Stat(items)
    a = s.total
    add(2.0)
    return a, s.total
""",
    "cached_filled_by_partial": """
class Stat(struct.PyTreeNode):
    opts: dict
    @cached_property
    def total(self):
        return jnp.asarray(self.opts["lr"]) * 2
def main():
    opts = {"lr": 1.0}
    put = partial(opts.update, lr=4.0)
    s = Stat(opts)
    a = s.total
    put()
    return a, s.total
""",
    "cached_filled_by_map": """
class Stat(struct.PyTreeNode):
    items: list
    @cached_property
    def total(self):
        return jnp.asarray(sum(self.items))
def main():
    items = [1.0]
    s = Stat(items)
    a = s.total
    list(map(items.append, [2.0, 3.0]))
    return a, s.total
""",
    "cached_filled_by_thread": """
import threading
class Box(struct.PyTreeNode):
    items: list
    @cached_property
    def total(self):
        return jnp.asarray(float(len(self.items)))
def work(items):
    items.extend([1, 2])
def main():
    items = [0]
    b = Box(items)
    a = b.total
    t = threading.Thread(target=work, args=(items,))
    t.start()
    t.join()
    return a, b.total
""",
    "cached_reads_path": """
import pathlib, tempfile
PATH = pathlib.Path(tempfile.gettempdir()) / "flake8_jax_values2.txt"
class Data(struct.PyTreeNode):
    w: jax.Array
    @cached_property
    def shift(self):
        return self.w + float(PATH.read_text())
def main():
    PATH.write_text("1")
    d = Data(jnp.ones(2))
    a = d.shift
    PATH.write_text("6")
    return a, d.shift
""",
    "cached_loads_array": """
import os, tempfile
PATH = os.path.join(tempfile.gettempdir(), "flake8_jax_values.npy")
class Data(struct.PyTreeNode):
    w: jax.Array
    @cached_property
    def shift(self):
        return self.w + jnp.asarray(np.load(PATH))
def main():
    np.save(PATH, np.ones(2))
    d = Data(jnp.ones(2))
    a = d.shift
    np.save(PATH, np.zeros(2))
    return a, d.shift
""",
    "cached_counts_by_property_of_field": """
class Meter:
    calls = 0
    @property
    def next(self):
        self.calls += 1
        return self.calls
class Layer(struct.PyTreeNode):
    w: jax.Array
    meter: Meter = struct.field(pytree_node=False)
    @cached_property
    def double(self):
        return self.w * self.meter.next
def main():
    n = Layer(jnp.ones(1), Meter())
    return n.double, n.double
""",
    "lru_method_equal_arguments": """
@struct.dataclass
class Grid:
    n: int = struct.field(pytree_node=False)
    @lru_cache
    def tell(self, k):
        return repr(k)
def main():
    g = Grid(3)
    return g.tell(1), g.tell(1.0), g.tell(True)
""",
    "cached_under_another_precision": """
class Net(struct.PyTreeNode):
    n: int = struct.field(pytree_node=False)
    @cached_property
    def grid(self):
        return jnp.arange(self.n) / 3
def main():
    n = Net(2)
    a = str(n.grid.dtype)
    jax.config.update("jax_enable_x64", True)
    try:
        return a, str(n.grid.dtype)
    finally:
        jax.config.update("jax_enable_x64", False)
""",
    "cached_weakly_referenced": """
import weakref
class Net(struct.PyTreeNode):
    w: jax.Array
    @cached_property
    def twice(self):
        return self.w * 2
def main():
    n = Net(jnp.ones(2))
    r = weakref.ref(n.twice)
    return r() is None
""",
    "cached_subclass_counts": """
class Base(struct.PyTreeNode):
    w: jax.Array
    def compute(self):
        return self.w
class Net(Base):
    @cached_property
    def twice(self):
        return self.compute() * 2
class Loud(Net):
    def compute(self):
        HEARD.append(1)
        return self.w
HEARD = []
def main():
    n = Loud(jnp.ones(2))
    n.twice, n.twice
    return len(HEARD)
""",
    "frozen_context_goes_on": """
class State(struct.PyTreeNode):
    x: jax.Array
@contextlib.contextmanager
def scaled(s: State, k):
    s.x = s.x * k
    yield s
def main():
    s = State(jnp.ones(()))
    with scaled(s, 3.0):
        return s.x
""",
    "array_eager_loop": """
def table(n):
    out = jnp.zeros(n)
    for i in range(n):
        out[i] = i * 2
    return out
def main():
    return table(4)
""",
    "array_eager_augmented": """
def table(n):
    out = jnp.ones((n, n))
    out[0] += 5
    out[:, 1] *= 3
    return out
def main():
    return table(2)
""",
    "array_eager_alias": """
def table(n):
    out = jnp.zeros(n)
    same = out
    out[0] = 1
    return out, same
def main():
    return table(2)
""",
    "array_eager_kept_in_list": """
def table(n):
    out = jnp.zeros(n)
    frames = []
    for i in range(n):
        out[i] = 1
        frames.append(out)
    return frames
def main():
    return table(2)
""",
    "array_eager_from_numpy": """
def table(n):
    base = np.arange(n)
    out = jnp.asarray(base)
    out[0] = 9
    return out, base
def main():
    return table(3)
""",
    "array_eager_not_read": """
def table(n):
    out = jnp.zeros(n)
    out[0] = 1
    return n
def main():
    return table(2)
""",
    "array_eager_repeated_index": """
def counts(labels):
    hist = jnp.zeros(3)
    idx = jnp.array([0, 0, 1])
    hist[idx] += 1
    return hist
def main():
    return counts(None)
""",
    "gram_with_jitter": """
class Kernel(struct.PyTreeNode):
    points: jax.Array
    jitter: float = struct.field(pytree_node=False, default=1e-3)
    @cached_property
    def gram(self):
        k = self.points @ self.points.T
        return k + self.jitter * jnp.eye(len(self.points))
    def solve(self, y):
        return jnp.linalg.solve(self.gram, y)
def main():
    k = Kernel(jnp.array([[1.0, 0.0], [0.0, 2.0]]))
    return k.solve(jnp.ones(2)), k.replace(jitter=0.5).gram
""",
    "cached_super": """
class Base(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def scale(self):
        return jnp.max(self.x)
class Derived(Base):
    @cached_property
    def scale(self):
        return super().scale * 2
def main():
    d = Derived(jnp.arange(4.0))
    return d.scale, d.scale
""",
    "cached_overridden_by_field": """
class Base(eqx.Module):
    x: jax.Array
    @property
    def scale(self):
        return 1.0
class Derived(Base):
    @cached_property
    def scale(self):
        return float(self.x[0]) + 1
def main():
    return Derived(jnp.ones(2)).scale
""",
    "cached_subclass_field_default": """
@struct.dataclass
class Base:
    x: jax.Array
    @cached_property
    def total(self):
        return self.x.sum()
@struct.dataclass
class Sub(Base):
    y: jax.Array = None
    def both(self):
        return self.total + self.y.sum()
def main():
    return Sub(jnp.ones(2), jnp.ones(3)).both()
""",
    "cached_generic": """
class Box(struct.PyTreeNode, Generic[T]):
    item: T
    @cached_property
    def doubled(self):
        return jax.tree.map(lambda v: v * 2, self.item)
def main():
    return Box((jnp.ones(2), 3.0)).doubled
""",
    "cached_nested_class": """
class Outer:
    class Inner(struct.PyTreeNode):
        x: jax.Array
        @cached_property
        def s(self):
            return self.x.sum()
    def __init__(self):
        self.inner = Outer.Inner(jnp.arange(4.0))
def main():
    o = Outer()
    a = o.inner.s
    o.inner = o.inner.replace(x=jnp.ones(2))
    return a, o.inner.s
""",
    "cached_identity_dict_key": """
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def table(self):
        return {"a": self.x * 2}
def main():
    k = K(jnp.ones(2))
    t = k.table
    t["b"] = jnp.zeros(1)
    return sorted(k.table)
""",
    "cached_counter": """
CALLS = []
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        CALLS.append(1)
        return self.x.sum()
def main():
    k = K(jnp.ones(3))
    k.s, k.s
    return len(CALLS)
""",
    "cached_global_counter": """
n = 0
def bump():
    global n
    n += 1
    return n
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def stamp(self):
        return bump() + 0 * self.x.sum()
def main():
    k = K(jnp.ones(3))
    return k.stamp, k.stamp
""",
    "cached_closure_counter": """
def counter():
    n = 0
    def tick():
        nonlocal n
        n += 1
        return n
    return tick
tick = counter()
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def stamp(self):
        return tick() + self.x.sum()
def main():
    k = K(jnp.ones(3))
    return k.stamp, k.stamp
""",
    "cached_np_random": """
RNG = np.random.default_rng(0)
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def noise(self):
        return self.x + RNG.normal(size=3)
def main():
    k = K(jnp.ones(3))
    return bool((k.noise == k.noise).all())
""",
    "cached_np_random_in_helper": """
class Source:
    def __init__(self):
        self.rng = np.random.default_rng(0)
    def draw(self, shape):
        return self.rng.normal(size=shape)
SOURCE = Source()
def noise(shape):
    return SOURCE.draw(shape)
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def noisy(self):
        return self.x + noise(self.x.shape)
def main():
    k = K(jnp.ones(3))
    return bool((k.noisy == k.noisy).all())
""",
    "cached_iterator_field": """
class K(struct.PyTreeNode):
    x: jax.Array
    names: object = struct.field(pytree_node=False, default=None)
    @cached_property
    def first(self):
        return next(self.names), self.x
def main():
    k = K(jnp.ones(1), iter("abc"))
    return k.first[0], k.first[0]
""",
    "cached_setter_elsewhere": """
class Cfg:
    def __init__(self):
        self._s = 1.0
    @property
    def s(self):
        return self._s
    @s.setter
    def s(self, v):
        self._s = v
CFG = Cfg()
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def scaled(self):
        return self.x * CFG.s
def main():
    k = K(jnp.ones(2))
    a = k.scaled
    CFG.s = 3.0
    return a, k.scaled
""",
    "cached_class_constant_changed": """
class K(struct.PyTreeNode):
    x: jax.Array
    factor = 2.0
    @cached_property
    def scaled(self):
        return self.x * type(self).factor
def main():
    k = K(jnp.ones(2))
    a = k.scaled
    K.factor = 5.0
    return a, k.scaled
""",
    "cached_numpy_view_row": """
class K(struct.PyTreeNode):
    data: np.ndarray
    @cached_property
    def total(self):
        return jnp.sum(self.data)
def main():
    raw = np.ones((2, 2))
    k = K(raw)
    a = k.total
    row = raw[0]
    row += 5
    return a, k.total
""",
    "cached_numpy_swap_rows": """
class K(struct.PyTreeNode):
    data: np.ndarray
    @cached_property
    def first(self):
        return jnp.asarray(self.data[0])
def swap(a):
    a[[0, 1]] = a[[1, 0]]
def main():
    raw = np.arange(4.0).reshape(2, 2)
    k = K(raw)
    x = k.first
    swap(raw)
    return x, k.first
""",
    "cached_numpy_inplace_shuffle": """
class K(struct.PyTreeNode):
    data: np.ndarray
    @cached_property
    def head(self):
        return jnp.asarray(self.data[0] + 0)
def main():
    k = K(np.arange(5.0))
    a = k.head
    k.data.sort()
    k.data[::-1].sort()
    return a, k.head
""",
    "cached_buffer_refill": """
BUF = np.zeros(3)
def refill(v):
    BUF[:] = v
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def total(self):
        return self.x.sum() + BUF.sum()
def main():
    k = K(jnp.ones(2))
    a = k.total
    refill(4.0)
    return a, k.total
""",
    "cached_dict_update_kw": """
OPTS = dict(scale=1.0)
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def total(self):
        return self.x.sum() * OPTS["scale"]
def configure(**kw):
    OPTS.update(kw)
def main():
    k = K(jnp.ones(2))
    a = k.total
    configure(scale=7.0)
    return a, k.total
""",
    "cached_dict_or_equals": """
OPTS = {"scale": 1.0}
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def total(self):
        return self.x.sum() * OPTS["scale"]
def main():
    global OPTS
    k = K(jnp.ones(2))
    a = k.total
    OPTS |= {"scale": 7.0}
    return a, k.total
""",
    "cached_stack_of_configs": """
STACK = [1.0]
@contextlib.contextmanager
def scaled(v):
    STACK.append(v)
    try:
        yield
    finally:
        STACK.pop()
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def total(self):
        return self.x.sum() * STACK[-1]
def main():
    k = K(jnp.ones(2))
    with scaled(3.0):
        a = k.total
    return a, k.total
""",
    "cached_module_flag": """
jax_scale = 1.0
def set_scale(v):
    globals()["jax_scale"] = v
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def total(self):
        return self.x.sum() * jax_scale
def main():
    k = K(jnp.ones(2))
    a = k.total
    set_scale(3.0)
    return a, k.total
""",
    "cached_env": """
import os
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def total(self):
        return self.x.sum() * float(os.environ.get("FLAKE8_JAX_SCALE", "1"))
def main():
    k = K(jnp.ones(2))
    a = k.total
    os.environ["FLAKE8_JAX_SCALE"] = "2"
    b = k.total
    del os.environ["FLAKE8_JAX_SCALE"]
    return a, b
""",
    "cached_time": """
import time
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def made(self):
        return time.perf_counter() + 0 * self.x.sum()
def main():
    k = K(jnp.ones(2))
    return bool(k.made == k.made)
""",
    "cached_walrus": """
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def pair(self):
        return ((s := self.x.sum()), s * 2)
def main():
    return K(jnp.ones(2)).pair
""",
    "cached_semicolons_comments": """
class K(struct.PyTreeNode):
    x: jax.Array; y: jax.Array = None
    # about the sum
    @cached_property  # it is expensive
    def s(self): a = self.x.sum(); return a  # done
def main():
    return K(jnp.ones(2)).s
""",
    "cached_two_decorators_lines": """
class K(struct.PyTreeNode):
    x: jax.Array
    @(
        cached_property  # why
    )
    def s(self):
        return self.x.sum()
    @property
    @lru_cache(
        maxsize=None,
    )
    def t(self):
        return 2
    __hash__ = object.__hash__
def main():
    k = K(jnp.ones(2))
    return k.s, k.t
""",
    "lru_method_static": """
class K(struct.PyTreeNode):
    n: int = struct.field(pytree_node=False)
    @lru_cache(maxsize=None)
    def grid(self, m):
        return jnp.arange(self.n * m)
def main():
    return K(3).grid(2)
""",
    "lru_method_mutated_result": """
class K(struct.PyTreeNode):
    n: int = struct.field(pytree_node=False)
    @lru_cache(maxsize=None)
    def grid(self, m):
        return np.arange(self.n * m)
def main():
    k = K(3)
    k.grid(2)[0] = 100
    return k.grid(2)
""",
    "lru_method_list": """
class K(struct.PyTreeNode):
    n: int = struct.field(pytree_node=False)
    @cache
    def names(self):
        return [str(i) for i in range(self.n)]
def main():
    k = K(2)
    k.names().append("x")
    return k.names()
""",
    "lru_method_info": """
class K(struct.PyTreeNode):
    n: int = struct.field(pytree_node=False)
    @cache
    def names(self):
        return tuple(str(i) for i in range(self.n))
def main():
    k = K(2)
    k.names(), k.names()
    return K.names.cache_info().hits
""",
    "cached_is_same_object": """
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return self.x * 2
def same(a, b):
    return a is b
def main():
    k = K(jnp.ones(2))
    return same(k.s, k.s)
""",
    "cached_in_set_by_id": """
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return self.x * 2
def main():
    k = K(jnp.ones(2))
    return len({id(v) for v in (k.s, k.s)})
""",
    "cached_donated": """
@partial(jax.jit, donate_argnums=0)
def eat(x):
    return x + 1
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return self.x * 2
def main():
    k = K(jnp.ones(2))
    s = k.s
    return eat(s), k.x
""",
    "cached_deleted_source": """
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return self.x.sum()
def main():
    x = jnp.ones(2)
    k = K(x)
    a = k.s
    x.delete()
    return a, k.s
""",
    "cached_optional_branch": """
class K(struct.PyTreeNode):
    x: jax.Array
    flag: bool = struct.field(pytree_node=False, default=True)
    @cached_property
    def v(self):
        if self.flag:
            return self.x
        return {"x": self.x}
def main():
    k = K(jnp.ones(1), False)
    k.v["y"] = 1
    return sorted(k.v)
""",
    "cached_property_reads_other_mutable": """
@chex.dataclass
class State:
    x: jax.Array
@struct.dataclass
class K:
    state: State
    @cached_property
    def s(self):
        return self.state.x.sum()
def advance(state):
    state.x = state.x + 1
def main():
    st = State(x=jnp.ones(2))
    k = K(st)
    a = k.s
    advance(st)
    return a, k.s
""",
    "cached_by_loop_setattr": """
@chex.dataclass
class State:
    x: jax.Array
    y: jax.Array
    @cached_property
    def s(self):
        return self.x.sum() + self.y.sum()
def main():
    st = State(x=jnp.ones(2), y=jnp.ones(2))
    a = st.s
    for name in ("x", "y"):
        setattr(st, name, jnp.zeros(2))
    return a, st.s
""",
    "cached_by_with_target": """
@chex.dataclass
class State:
    x: jax.Array
    @cached_property
    def s(self):
        return self.x.sum()
@contextlib.contextmanager
def zeros():
    yield jnp.zeros(2)
def main():
    st = State(x=jnp.ones(2))
    a = st.s
    with zeros() as st.x:
        pass
    return a, st.s
""",
    "cached_by_tuple_swap": """
@chex.dataclass
class State:
    x: jax.Array
    y: jax.Array
    @cached_property
    def s(self):
        return self.x * 10 + self.y
def main():
    st = State(x=1.0, y=2.0)
    a = st.s
    st.x, st.y = st.y, st.x
    return a, st.s
""",
    "cached_by_vars_update": """
@chex.dataclass
class State:
    x: jax.Array
    @cached_property
    def s(self):
        return self.x * 10
def reset(obj, **kw):
    for k, v in kw.items():
        object.__setattr__(obj, k, v)
def main():
    st = State(x=1.0)
    a = st.s
    reset(st, x=5.0)
    return a, st.s
""",
    "cached_pickled": """
import copy
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return self.x.sum()
def main():
    k = K(jnp.ones(2))
    k.s
    return copy.copy(k).s, copy.deepcopy(k).s, k == k
""",
    "cached_hasattr_dict": """
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return self.x.sum()
def main():
    k = K(jnp.ones(2))
    a = "s" in k.__dict__
    k.s
    return a, "s" in k.__dict__
""",
    "cached_raises_once": """
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        if self.x.ndim == 0:
            raise ValueError("scalar")
        return self.x.sum()
def main():
    try:
        K(jnp.float32(1)).s
    except ValueError as e:
        return str(e), K(jnp.ones(2)).s
""",
    "cached_protocol_mixin": """
class Mixin:
    @cached_property
    def s(self):
        return self.x.sum()
class A(Mixin, struct.PyTreeNode):
    x: jax.Array
class B(Mixin):
    def __init__(self, x):
        self.x = x
def main():
    b = B(np.ones(2))
    first = b.s
    b.x = np.zeros(2)
    return A(jnp.ones(2)).s, first, b.s
""",
    "cached_in_function_class": """
def make(scale):
    @struct.dataclass
    class K:
        x: jax.Array
        @cached_property
        def s(self):
            return self.x.sum() * scale
    return K
def main():
    return make(2.0)(jnp.ones(2)).s
""",
    "cached_closure_rebound": """
def main():
    scale = 2.0
    @struct.dataclass
    class K:
        x: jax.Array
        @cached_property
        def s(self):
            return self.x.sum() * scale
    k = K(jnp.ones(2))
    a = k.s
    scale = 5.0
    return a, k.s
""",
    "cached_closure_list": """
def main():
    parts = [1.0]
    @struct.dataclass
    class K:
        x: jax.Array
        @cached_property
        def s(self):
            return self.x.sum() * sum(parts)
    k = K(jnp.ones(2))
    a = k.s
    parts += [3.0]
    return a, k.s
""",
    "cached_default_argument": """
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self, seen=[]):
        seen.append(1)
        return self.x.sum() + len(seen)
def main():
    k = K(jnp.ones(2))
    return k.s, k.s
""",
    "cached_calls_method_that_acts": """
class Hist:
    def __init__(self):
        self.n = 0
    def __call__(self, v):
        self.n += 1
        return v * self.n
HIST = Hist()
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return HIST(self.x.sum())
def main():
    k = K(jnp.ones(2))
    return k.s, k.s
""",
    "cached_operator_acts": """
class Pile:
    def __init__(self):
        self.items = []
    def __lshift__(self, v):
        self.items.append(v)
        return len(self.items)
PILE = Pile()
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return (PILE << 1) + self.x.sum()
def main():
    k = K(jnp.ones(2))
    return k.s, k.s
""",
    "cached_getitem_acts": """
from collections import defaultdict
TABLE = defaultdict(list)
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        TABLE["a"] += [1]
        return self.x.sum() + len(TABLE["a"])
def main():
    k = K(jnp.ones(2))
    return k.s, k.s
""",
    "cached_property_acts_through_property": """
class Meter:
    def __init__(self):
        self.n = 0
    @property
    def value(self):
        self.n += 1
        return self.n
METER = Meter()
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return METER.value + self.x.sum()
def main():
    k = K(jnp.ones(2))
    return k.s, k.s
""",
    "cached_map_of_acting": """
SEEN = []
def note(v):
    SEEN.append(v)
    return len(SEEN)
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return sum(map(note, range(2))) + self.x.sum()
def main():
    k = K(jnp.ones(2))
    return k.s, k.s
""",
    "cached_with_context_acts": """
DEPTH = [0]
class Deep:
    def __enter__(self):
        DEPTH[0] += 1
        return DEPTH[0]
    def __exit__(self, *a):
        return None
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        with Deep() as d:
            return d + self.x.sum()
def main():
    k = K(jnp.ones(2))
    return k.s, k.s
""",
    "cached_dict_setdefault": """
MEMO = {}
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def s(self):
        return self.x.sum() + MEMO.setdefault("n", len(MEMO))
def main():
    k = K(jnp.ones(2))
    return k.s, k.s
""",
    "frozen_step_counter": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def step(node: Node, x):
    node.a = node.a + x
    node.b += 1  # count
    return node
def main():
    n = step(Node(jnp.zeros(2), 0), 1.0)
    return n.a, n.b
""",
    "frozen_alias_before": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def step(node: Node):
    old = node
    node.a = node.a + 1
    return old.a, node.a
def main():
    return step(Node(jnp.zeros(2), 0))
""",
    "frozen_alias_in_walrus": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def step(node: Node):
    if (old := node).b is not None:
        node.a = node.a + 1
    return old.a, node.a
def main():
    return step(Node(jnp.zeros(2), 0))
""",
    "frozen_alias_in_lambda": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def step(node: Node):
    look = lambda: node.a
    node.a = node.a + 1
    return look()
def main():
    return step(Node(jnp.zeros(2), 0))
""",
    "frozen_alias_by_default": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def step(node: Node):
    def look(n=node):
        return n.a
    node.a = node.a + 1
    return look(), node
def main():
    x, n = step(Node(jnp.zeros(2), 0))
    return x, n.a
""",
    "frozen_alias_in_tuple": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def step(node: Node):
    pair = node, 1
    node.a = node.a + 1
    return pair[0].a, node
def main():
    x, n = step(Node(jnp.zeros(2), 0))
    return x, n.a
""",
    "frozen_alias_in_loop_list": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def run(node: Node):
    seen = []
    for i in range(2):
        node.a = node.a + 1
        seen.append(node)
    return seen[0].a, node
def main():
    x, n = run(Node(jnp.zeros(1), 0))
    return x, n.a
""",
    "frozen_same_object_twice": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def step(one: Node, two: Node):
    one.a = one.a + 1
    return one.a + two.a
def main():
    n = Node(jnp.zeros(2), 0)
    return step(n, n)
""",
    "frozen_same_object_kwargs": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def step(one: Node, **others):
    one.a = one.a + 1
    return one, others["two"].a
def main():
    n = Node(jnp.zeros(2), 0)
    r, x = step(n, two=n)
    return r.a, x
""",
    "frozen_same_object_args": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def step(one: Node, *others):
    one.a = one.a + 1
    return one, others[0].a
def main():
    n = Node(jnp.zeros(2), 0)
    r, x = step(n, n)
    return r.a, x
""",
    "frozen_same_object_global": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
CURRENT = Node(jnp.zeros(2), 0)
def step(one: Node):
    one.a = one.a + 1
    return one, CURRENT.a
def main():
    r, x = step(CURRENT)
    return r.a, x
""",
    "frozen_same_object_parent": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
class Tree(struct.PyTreeNode):
    root: Node
def step(one: Node, tree: Tree):
    one.a = one.a + 1
    return one, tree.root.a
def main():
    t = Tree(Node(jnp.zeros(2), 0))
    r, x = step(t.root, t)
    return r.a, x
""",
    "frozen_from_field": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
class Tree(struct.PyTreeNode):
    root: Node
def step(tree: Tree):
    node = tree.root
    node.a = node.a + 1
    return tree.root.a, node
def main():
    x, n = step(Tree(Node(jnp.zeros(2), 0)))
    return x, n.a
""",
    "frozen_from_dict_get": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def step(nodes: dict[str, Node]):
    node = nodes["x"]
    node.a = node.a + 1
    return node
def main():
    d = {"x": Node(jnp.zeros(2), 0)}
    n = step(d)
    return n.a, d["x"].a
""",
    "frozen_from_method": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
class Holder:
    def __init__(self):
        self.node = Node(jnp.zeros(2), 0)
    def get(self) -> Node:
        return self.node
def main():
    h = Holder()
    node: Node = h.get()
    node.a = node.a + 1
    return h.node.a, node.a
""",
    "frozen_from_for": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def main():
    nodes = [Node(jnp.zeros(1), 0), Node(jnp.ones(1), 0)]
    for node in nodes:
        node.a = node.a + 1
    return [n.a for n in nodes]
""",
    "frozen_made_in_branch": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def make(flag):
    if flag:
        node = Node(jnp.zeros(1), 0)
    else:
        node = Node(jnp.ones(1), 1)
    node.a = node.a * 2; node.b = node.b + 1
    return node
def main():
    n = make(False)
    return n.a, n.b
""",
    "frozen_try_finally": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
LOG = []
def make():
    node = Node(jnp.zeros(1), 0)
    try:
        node.a = node.a + 1
    finally:
        LOG.append(node)
    return node
def main():
    n = make()
    return n.a, LOG[0].a
""",
    "frozen_property_setter": """
@struct.dataclass
class Node:
    a: jax.Array
    @property
    def double(self):
        return self.a * 2
def make():
    node = Node(jnp.ones(1))
    node.double = node.double + 4
    return node
def main():
    return make().a
""",
    "frozen_subclass_overrides_replace": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
class Leaf(Node):
    def replace(self, **kw):
        return super().replace(**kw, b=9)
def make(node: Node):
    node.a = node.a + 1
    return node
def main():
    n = make(Leaf(jnp.zeros(1), 0))
    return n.a, n.b
""",
    "frozen_subclass_post_init": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
class Leaf(Node):
    def __post_init__(self):
        object.__setattr__(self, "b", 5)
def make(node: Node):
    node.b = node.b + 1
    return node
def main():
    return make(Leaf(jnp.zeros(1), 0)).b
""",
    "frozen_equinox_call": """
class Net(eqx.Module):
    w: jax.Array
    def __call__(self, x):
        self.w = self.w * 0.5
        return self.run(x)
    def run(self, x):
        return self.w * x
def main():
    net = Net(jnp.ones(2))
    return net(2.0), net(2.0)
""",
    "frozen_equinox_list_field": """
class Net(eqx.Module):
    layers: list
def grow(net: Net):
    net.layers += [jnp.ones(1)]
    return net
def main():
    n = Net([])
    return grow(n).layers
""",
    "frozen_namedtuple_unpacked": """
class P(NamedTuple):
    x: jax.Array
    y: jax.Array
def move(p: P, dx):
    x, y = p
    p.x = p.x + dx
    return p, x
def main():
    p, x = move(P(jnp.ones(1), jnp.zeros(1)), 2.0)
    return tuple(p), x
""",
    "frozen_replace_shadowed": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def replace(x):
    return x
def move(p: Node, dataclasses):
    p.a = p.a + dataclasses
    return p
def main():
    return move(Node(jnp.ones(1), 0.0), 2.0).a
""",
    "frozen_multiline": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def move(p: Node, dx):
    p.a = (
        p.a  # old
        + dx  # new
    )
    p.b = p.a if \\
        dx > 1 else p.b
    return p
def main():
    n = move(Node(jnp.ones(1), 0.0), 2.0)
    return n.a, n.b
""",
    "frozen_conditional_return": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def move(p: Node, dx):
    if dx > 0:
        p.a = p.a + dx
        return p
    return p
def main():
    n = Node(jnp.ones(1), 0.0)
    return move(n, 2.0).a, move(n, -1).a
""",
    "frozen_caller_keeps": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def move(p: Node, dx):
    p.a = p.a + dx
    return p
def main():
    n = Node(jnp.ones(1), 0.0)
    moved = move(n, 2.0)
    return moved.a, n.a
""",
    "frozen_caller_in_list": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def move(p: Node, dx):
    p.a = p.a + dx
    return p
def main():
    ns = [Node(jnp.ones(1), 0.0)]
    [move(n, 2.0) for n in ns]
    return ns[0].a
""",
    "frozen_caller_via_map": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def move(p: Node):
    p.a = p.a + 1
    return p
def main():
    ns = [Node(jnp.ones(1), 0.0)]
    list(map(move, ns))
    return ns[0].a
""",
    "frozen_caller_via_partial": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def move(dx, p: Node):
    p.a = p.a + dx
    return p
def main():
    n = Node(jnp.ones(1), 0.0)
    go = partial(move, 1.0)
    go(n)
    return n.a
""",
    "frozen_caller_via_dict": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def move(p: Node):
    p.a = p.a + 1
    return p
ACTIONS = {"move": move}
def main():
    n = Node(jnp.ones(1), 0.0)
    ACTIONS["move"](n)
    return n.a
""",
    "frozen_caller_via_alias": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def move(p: Node):
    p.a = p.a + 1
    return p
shift = move
def main():
    n = Node(jnp.ones(1), 0.0)
    shift(n)
    return n.a
""",
    "frozen_caller_via_decorator_ok": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def logged(fn):
    @functools.wraps(fn)
    def inner(*args):
        return fn(*args)
    return inner
@logged
def move(p: Node):
    p.a = p.a + 1
    return p
def main():
    return move(Node(jnp.ones(1), 0.0)).a
""",
    "frozen_method_fluent": """
class Cfg(struct.PyTreeNode):
    a: jax.Array
    def with_a(self, v):
        self.a = v
        return self
def main():
    c = Cfg(1.0)
    return c.with_a(2.0).a, c.a
""",
    "frozen_method_fluent_dropped": """
class Cfg(struct.PyTreeNode):
    a: jax.Array
    def set_a(self, v):
        self.a = v
        return self
def main():
    c = Cfg(1.0)
    c.set_a(2.0)
    return c.a
""",
    "frozen_classmethod_build": """
class Cfg(struct.PyTreeNode):
    a: jax.Array
    @classmethod
    def build(cls, v):
        self = cls(0.0)
        self.a = v
        return self
def main():
    return Cfg.build(2.0).a
""",
    "frozen_generator": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def walk(p: Node):
    for i in range(2):
        p.a = p.a + i
        yield p
def main():
    return [n.a for n in walk(Node(jnp.zeros(1), 0))]
""",
    "frozen_generator_list": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def walk(p: Node):
    p.a = p.a + 1
    yield p.a
    p.a = p.a + 1
    yield p.a
def main():
    n = Node(jnp.zeros(1), 0)
    return list(walk(n)), n.a
""",
    "frozen_recursion": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def down(p: Node, k):
    if k == 0:
        return p
    p.a = p.a + k
    return down(p, k - 1)
def main():
    return down(Node(jnp.zeros(1), 0), 3).a
""",
    "frozen_scan_carry": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def body(carry: Node, x):
    carry.a = carry.a + x
    return carry, carry.a
def main():
    c, ys = jax.lax.scan(body, Node(jnp.zeros(()), jnp.zeros(())), jnp.arange(3.0))
    return c.a, ys
""",
    "frozen_nested_function_return": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def outer():
    def inner(p: Node):
        p.a = p.a + 1
        return p
    n = Node(jnp.zeros(1), 0)
    inner(n)
    return n.a
def main():
    return outer()
""",
    "frozen_global_statement": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
STATE = Node(jnp.zeros(1), 0)
def tick():
    global STATE
    STATE.a = STATE.a + 1
    return STATE.a
def main():
    return tick(), tick()
""",
    "frozen_del_after": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def f(p: Node):
    p.a = p.a + 1
    q = p
    del p
    return q
def main():
    return f(Node(jnp.zeros(1), 0)).a
""",
    "frozen_match": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def f(p: Node):
    match p:
        case Node(a=a):
            p.a = a + 1
    return p
def main():
    return f(Node(jnp.zeros(1), 0)).a
""",
    "frozen_hash_in_dict": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
def f():
    p = Node(1.0, 0)
    table = {p: "x"}
    p.a = p.a + 1
    return table.get(p), p
def main():
    return f()[0]
""",
    "frozen_weird_names": """
class Node(struct.PyTreeNode):
    lambda_: jax.Array
    cls: jax.Array
def f(n: Node):
    n.cls = n.cls + 1
    n.lambda_ = n.lambda_ + 1
    return n
def main():
    n = f(Node(1.0, 2.0))
    return n.cls, n.lambda_
""",
    "frozen_async": """
class Node(struct.PyTreeNode):
    a: jax.Array
    b: jax.Array
import asyncio
async def f(n: Node):
    n.a = await asyncio.sleep(0, n.a + 1)
    return n
def main():
    return asyncio.run(f(Node(jnp.zeros(1), 0))).a
""",
    "array_set_rows": """
@jax.jit
def f(x):
    for i in range(x.shape[0]):
        x[i] = x[i] * i
    return x
def main():
    return f(jnp.ones((3, 2)))
""",
    "array_helper_result_dropped": """
def fill(x: jax.Array):
    x[0] = 3.0
    return x
@jax.jit
def f(z):
    fill(z)
    return z
def main():
    return f(jnp.zeros(2))
""",
    "array_helper_no_result": """
def fill(x: jax.Array):
    x[0] = 3.0
    total = x.sum()
    print(total)
@jax.jit
def f(z):
    fill(z)
    return z
def main():
    return f(jnp.zeros(2))
""",
    "array_numpy_beside": """
@jax.jit
def f(x):
    mask = np.zeros(3)
    mask[0] = 1.0
    y = x * mask
    y[1] = 7.0
    return y
def main():
    return f(jnp.ones(3))
""",
    "array_newaxis": """
@jax.jit
def f(x):
    x[:, None] = 1.0
    x[..., 0] = 2.0
    return x
def main():
    return f(jnp.zeros(2))
""",
    "array_zeros_like": """
@jax.jit
def f(x):
    out = jnp.zeros_like(x)
    out[0] = x[0]; out[1] = x[1] * 2  # second
    return out
def main():
    return f(jnp.ones(2))
""",
    "array_multi_line": """
@jax.jit
def f(x):
    x[
        0,  # first
        1,
    ] = (
        3.0
        + 1.0
    )
    return x
def main():
    return f(jnp.zeros((2, 2)))
""",
    "array_one_liner": """
@jax.jit
def f(x):
    if x.ndim == 1: x[0] = 3.0; x[1] = 4.0
    return x
def main():
    return f(jnp.zeros(2))
""",
    "array_reshape_only": """
@jax.jit
def f(x):
    flat = x.reshape(-1)
    flat[0] = 3.0
    return flat
def main():
    return f(jnp.zeros((2, 2)))
""",
    "array_view_in_call": """
@jax.jit
def f(x):
    parts = list(x.reshape(2, 2))
    x[0] = 3.0
    return parts[0], x
def main():
    return f(jnp.zeros(4))
""",
    "array_view_tuple_index": """
@jax.jit
def f(x):
    first = x[0, :]
    x[0, 0] = 5.0
    return first, x
def main():
    return f(jnp.zeros((2, 2)))
""",
    "array_view_attribute_T": """
@jax.jit
def f(x):
    t = x.T
    x[0, 1] = 5.0
    return t, x
def main():
    return f(jnp.zeros((2, 2)))
""",
    "lru_method_recursive": """
class Poly(struct.PyTreeNode):
    n: int = struct.field(pytree_node=False)
    @lru_cache(maxsize=None)
    def fib(self, k):
        return k if k < 2 else self.fib(k - 1) + self.fib(k - 2)
def main():
    return Poly(3).fib(60)
""",
    "cached_recursive_link": """
class Link(struct.PyTreeNode):
    value: jax.Array
    below: "Link | None" = None
    @cached_property
    def weight(self):
        if self.below is None:
            return self.value
        return self.below.weight + 0.5 * self.below.weight
def main():
    node = Link(jnp.ones(()))
    for _ in range(40):
        node = Link(jnp.ones(()), node)
    return node.weight
""",
    "cached_ufunc_at": """
class Hist(struct.PyTreeNode):
    counts: np.ndarray
    @cached_property
    def probs(self):
        return jnp.asarray(self.counts) / self.counts.sum()
    def observe(self, idx):
        np.add.at(self.counts, idx, 1)
def main():
    h = Hist(np.ones(3))
    a = h.probs
    h.observe([0, 0])
    return a, h.probs
""",
    "cached_clip_out_by_position": """
class Grid(struct.PyTreeNode):
    cells: np.ndarray
    @cached_property
    def total(self):
        return jnp.sum(self.cells)
def main():
    g = Grid(np.ones((2, 2)))
    a = g.total
    np.clip(g.cells, 0.0, 0.5, g.cells)
    return a, g.total
""",
    "cached_ufunc_out_by_position": """
class Grid(struct.PyTreeNode):
    cells: np.ndarray
    @cached_property
    def total(self):
        return jnp.sum(self.cells)
def main():
    g = Grid(np.ones((2, 2)))
    a = g.total
    np.multiply(g.cells, 4, g.cells)
    return a, g.total
""",
    "cached_shuffled_by_generator": """
class Plan(struct.PyTreeNode):
    order: list
    @cached_property
    def first(self):
        return jnp.asarray(self.order[0])
def main():
    import random
    p = Plan(list(range(50)))
    a = p.first
    random.Random(1).shuffle(p.order)
    return a, p.first
""",
    "cached_patched": """
class K(struct.PyTreeNode, frozen=False):
    x: jax.Array
    @cached_property
    def gram(self):
        return self.x * 2
def main():
    from unittest import mock
    k = K(jnp.ones(()))
    with mock.patch.object(k, "gram", 7.0):
        return k.gram
""",
    "lru_method_looped_numbers": """
class Grid(struct.PyTreeNode):
    n: int = struct.field(pytree_node=False)
    @lru_cache
    def points(self, step):
        return jnp.arange(self.n) * step
def main():
    g = Grid(3)
    return [str(g.points(step).dtype) for step in (1, 1.0, True)]
""",
    "cached_rotated_deque": """
class K(struct.PyTreeNode):
    q: object = struct.field(pytree_node=False)
    x: jax.Array
    @cached_property
    def head(self):
        return self.x * self.q[0]
def main():
    q = collections.deque([1.0, 2.0, 3.0])
    k = K(q, jnp.ones(()))
    a = k.head
    q.rotate(1)
    return a, k.head
""",
    "cached_function_rebound": """
def base(x):
    return x * 2
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def value(self):
        return base(self.x)
def main():
    global base
    k = K(jnp.ones(()))
    a = k.value
    base = lambda x: x * 10
    return a, k.value
""",
    "cached_field_with_state": """
class K(struct.PyTreeNode):
    f: object = struct.field(pytree_node=False)
    x: jax.Array
    @cached_property
    def value(self):
        return self.f(self.x)
def make_f():
    state = {"n": 0}
    def f(x):
        state["n"] += 1
        return x + state["n"]
    return f
def main():
    k = K(make_f(), jnp.ones(()))
    return k.value, k.value
""",
    "cached_fields_of_buffers": """
class Buffer:
    def __init__(self):
        self.items = []
    def __len__(self):
        return len(self.items)
    def push(self, x):
        self.items.append(x)
class K(struct.PyTreeNode):
    buffer: Buffer = struct.field(pytree_node=False)
    x: jax.Array
    @cached_property
    def total(self):
        return self.x * len(self.buffer)
def main():
    k = K(Buffer(), jnp.ones(()))
    a = k.total
    k.buffer.push(3.0)
    return a, k.total
""",
    "cached_context_variable": """
import contextvars
LEVEL = contextvars.ContextVar("level", default=1.0)
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def scaled(self):
        return self.x * LEVEL.get()
def main():
    k = K(jnp.ones(()))
    a = k.scaled
    LEVEL.set(4.0)
    return a, k.scaled
""",
    "frozen_rollback": """
class S(struct.PyTreeNode):
    n: jax.Array
def attempt(s: S, x):
    backup = s.n
    try:
        s.n = s.n * x
        if not jnp.isfinite(s.n):
            raise ValueError
    except ValueError:
        s.n = backup
    return s
def main():
    return attempt(S(jnp.ones(())), 0.5).n, attempt(S(jnp.ones(())), float("nan")).n
""",
    "frozen_finally_reads": """
class S(struct.PyTreeNode):
    n: jax.Array
LOG = []
def f(s: S):
    try:
        s.n = s.n + 1
        return s
    finally:
        LOG.append(float(s.n))
def main():
    return f(S(jnp.zeros(()))).n, LOG
""",
    "frozen_thread_target": """
class S(struct.PyTreeNode):
    n: jax.Array
def bump(s: S):
    s.n = s.n + 1
    return s
def main():
    s = S(jnp.zeros(()))
    t = threading.Thread(target=bump, args=(s,))
    with warnings.catch_warnings():
        threading.excepthook = lambda *a: None
        t.start(); t.join()
    return s.n
""",
    "frozen_wrapped_by_assignment": """
class S(struct.PyTreeNode):
    n: jax.Array
def _inc(s: S):
    s.n = s.n + 1
    return s
def keep(fn):
    def inner(s):
        fn(s)
        return s
    return inner
inc = keep(_inc)
def main():
    return inc(S(jnp.zeros(()))).n
""",
    "frozen_in_registry": """
class S(struct.PyTreeNode):
    n: jax.Array
def inc(s: S):
    s.n = s.n + 1
    return s
HANDLERS = {"inc": inc}
def main():
    s = S(jnp.zeros(()))
    HANDLERS["inc"](s)
    return s.n
""",
    "frozen_decorator_registers": """
HOOKS = []
def hook(fn):
    HOOKS.append(fn)
    return fn
class S(struct.PyTreeNode):
    n: jax.Array
@hook
def inc(s: S):
    s.n = s.n + 1
    return s
def main():
    s = S(jnp.zeros(()))
    for h in HOOKS:
        h(s)
    return s.n
""",
    "frozen_fluent_by_getattr": """
class Body(struct.PyTreeNode):
    pos: jax.Array
    def move(self, d):
        self.pos = self.pos + d
        return self
def run(body, name, *args):
    getattr(body, name)(*args)
    return body
def main():
    return run(Body(jnp.zeros(())), "move", 2.0).pos
""",
    "frozen_enter": """
class Session(struct.PyTreeNode):
    step: int
    active: bool
    def __enter__(self):
        self.active = True
        return self
    def __exit__(self, *a):
        return None
def main():
    s = Session(0, False)
    with s:
        return s.active
""",
    "frozen_property_dropped": """
class Acc(struct.PyTreeNode):
    total: jax.Array
    @property
    def reset(self):
        self.total = jnp.zeros(())
        return self
def main():
    a = Acc(jnp.ones(()))
    a.reset
    return a.total
""",
    "array_elimination": """
@jax.jit
def eliminate(a: jax.Array):
    n = a.shape[0]
    for i in range(n):
        a[i] = a[i] / a[i, i]
        for j in range(i + 1, n):
            a[j] -= a[i] * a[j, i]
    return a
def main():
    return eliminate(jnp.array([[2.0, 1.0], [1.0, 3.0]]))
""",
    "array_blocks": """
@jax.jit
def f(m: jax.Array, b):
    m[:2, :2] = b
    m[..., -1] += 1
    m[:, 0] *= 3
    return m
def main():
    return f(jnp.ones((3, 3)), jnp.zeros((2, 2)))
""",
    "array_nested_writer": """
@jax.jit
def f(x: jax.Array):
    def write(i):
        x[i] = 7
    write(0)
    return x
def main():
    return f(jnp.ones(2))
""",
    "array_scalar_swap": """
@jax.jit
def f(x: jax.Array):
    first = x[0]
    x[0] = x[1]
    x[1] = first
    return x
def main():
    return f(jnp.arange(2.0))
""",
    "frozen_given_attribute": """
class S(struct.PyTreeNode):
    n: jax.Array
def bump(s: S):
    s.n = s.n + 1
    return s
class Trainer:
    def __init__(self, s):
        self.state = s
    def step(self):
        new = bump(self.state)
        return new, self.state.n
def main():
    t = Trainer(S(jnp.zeros(())))
    new, n = t.step()
    return new.n, n
""",
    "frozen_given_element": """
class S(struct.PyTreeNode):
    n: jax.Array
def bump(s: S):
    s.n = s.n + 1
    return s
def main():
    states = [S(jnp.zeros(()))]
    new = bump(states[0])
    return new.n, states[0].n
""",
    "frozen_given_beside_itself": """
class S(struct.PyTreeNode):
    n: jax.Array
def bump(s: S):
    s.n = s.n + 1
    return s
def main():
    s = S(jnp.zeros(()))
    out = [s, bump(s)]
    return out[0].n, out[1].n
""",
    "frozen_given_and_held": """
class S(struct.PyTreeNode):
    n: jax.Array
def bump(s: S):
    s.n = s.n + 1
    return s
def main():
    s = S(jnp.zeros(()))
    states = [s]
    t = bump(s)
    return states[0].n, t.n
""",
    "frozen_given_and_held_by_object": """
class S(struct.PyTreeNode):
    n: jax.Array
@dataclasses.dataclass
class Box:
    s: S
def bump(s: S):
    s.n = s.n + 1
    return s
def main():
    s = S(jnp.zeros(()))
    box = Box(s)
    s = bump(s)
    return box.s.n, s.n
""",
    "frozen_given_alias": """
class S(struct.PyTreeNode):
    n: jax.Array
def bump(s: S):
    s.n = s.n + 1
    return s
def main():
    s = S(jnp.zeros(()))
    other = s
    t = bump(other)
    return t.n, s.n
""",
    "frozen_given_starred": """
class S(struct.PyTreeNode):
    n: jax.Array
def bump(s: S):
    s.n = s.n + 1
    return s
def main():
    s = S(jnp.zeros(()))
    args = (s,)
    t = bump(*args)
    return t.n, s.n
""",
    "frozen_given_through_call": """
class S(struct.PyTreeNode):
    n: jax.Array
def bump(s: S):
    s.n = s.n + 1
    return s
def same(s):
    return s
def main():
    s = S(jnp.zeros(()))
    t = bump(same(s))
    return t.n, s.n
""",
    "frozen_given_part": """
class S(struct.PyTreeNode):
    n: jax.Array
class Out(struct.PyTreeNode):
    s: S
    k: jax.Array
def bump(s: S):
    s.n = s.n + 1
    return s
def total(o: Out):
    t = bump(o.s)
    return t.n + o.s.n
def main():
    return total(Out(S(jnp.zeros(())), 1))
""",
    "frozen_given_in_loop": """
class S(struct.PyTreeNode):
    n: jax.Array
def bump(s: S):
    s.n = s.n + 1
    return s
def main():
    s = S(jnp.zeros(()))
    for _ in range(3):
        t = bump(s)
    return t.n
""",
    "frozen_given_in_condition": """
class S(struct.PyTreeNode):
    n: jax.Array
def bump(s: S):
    s.n = s.n + 1
    return s
def main():
    s = S(jnp.zeros(()))
    steps = 0
    while bump(s).n < 3:
        steps += 1
        if steps > 9:
            break
    return steps
""",
    "frozen_given_in_comprehension": """
class S(struct.PyTreeNode):
    n: jax.Array
def bump(s: S):
    s.n = s.n + 1
    return s
def main():
    s = S(jnp.zeros(()))
    return [float(bump(s).n) for _ in range(3)]
""",
    "frozen_given_in_closure": """
class S(struct.PyTreeNode):
    n: jax.Array
def bump(s: S):
    s.n = s.n + 1
    return s
def main():
    s = S(jnp.zeros(()))
    def tick():
        return bump(s).n
    return tick(), tick()
""",
    "frozen_given_global": """
class S(struct.PyTreeNode):
    n: jax.Array
CURRENT = S(jnp.zeros(()))
def bump(s: S):
    s.n = s.n + 1
    return s
def tick():
    return bump(CURRENT).n
def main():
    return tick(), tick()
""",
    "frozen_given_either": """
class S(struct.PyTreeNode):
    n: jax.Array
def bump(s: S):
    s.n = s.n + 1
    return s
def main():
    a, b = S(jnp.zeros(())), S(jnp.ones(()))
    t = bump(a if True else b)
    return t.n, a.n
""",
    "frozen_given_cached": """
@lru_cache
def default():
    return S(jnp.zeros(()))
class S(struct.PyTreeNode):
    n: jax.Array
def bump(s: S):
    s.n = s.n + 1
    return s
def main():
    a = bump(default())
    return a.n, default().n
""",
    "frozen_given_taken_apart": """
class S(struct.PyTreeNode):
    n: jax.Array
def bump(s: S):
    s.n = s.n + 1
    return s
def step(carry):
    s, key = carry
    s = bump(s)
    return s, carry
def main():
    s, c = step((S(jnp.zeros(())), 1))
    return s.n, c[0].n
""",
    "frozen_dropped_further_out": """
class S(struct.PyTreeNode):
    n: jax.Array
def bump(s: S):
    s.n = s.n + 1
    return s
def step(s):
    return bump(s)
def main():
    s = S(jnp.zeros(()))
    step(s)
    return s.n
""",
    "frozen_dropped_by_method": """
class S(struct.PyTreeNode):
    n: jax.Array
    def go(self):
        return bump(self)
def bump(s: S):
    s.n = s.n + 1
    return s
def main():
    s = S(jnp.zeros(()))
    s.go()
    return s.n
""",
    "array_given_attribute": """
def bump(x: jax.Array):
    x[0] = 9.0
    return x
class T:
    def __init__(self, x):
        self.x = x
    def go(self):
        y = bump(self.x)
        return y, self.x
run = jax.jit(bump)
def main():
    return T(jnp.zeros(2)).go()
""",
    "array_given_and_held": """
def bump(x: jax.Array):
    x[0] = 9.0
    return x
@jax.jit
def f(x):
    kept = [x]
    y = bump(x)
    return kept[0], y
def main():
    return f(jnp.zeros(2))
""",
    "array_dropped_further_out": """
def bump(x: jax.Array):
    x[0] = 9.0
    return x
def step(x):
    return bump(x)
@jax.jit
def f(x):
    step(x)
    return x
def main():
    return f(jnp.zeros(2))
""",
    "frozen_rebound_in_training": """
class S(struct.PyTreeNode):
    n: jax.Array
def init():
    return S(jnp.zeros(()))
def bump(s: S, x):
    s.n = s.n + x
    return s, s.n
def fit(xs):
    s = init()
    log = []
    for x in xs:
        s, n = bump(s, x)
        log.append(n)
    return s, log
def main():
    s, log = fit([1, 2, 3])
    return s.n, log
""",
    "frozen_made_each_round": """
class S(struct.PyTreeNode):
    n: jax.Array
def bump(s: S, x):
    s.n = s.n + x
    return s
def main():
    out = []
    for x in (1, 2):
        s = S(jnp.zeros(()))
        out.append(bump(s, x))
    ones = [bump(S(jnp.ones(())), 1).n for _ in range(2)]
    return [o.n for o in out], bump(S(jnp.ones(())), 1).n, ones
""",
    "frozen_rebound_by_method": """
class S(struct.PyTreeNode):
    n: jax.Array
class Opt:
    def step(self, s: S):
        s.n = s.n + 1
        return s
def main():
    opt = Opt()
    s = S(jnp.zeros(()))
    s = opt.step(s)
    s = opt.step(s)
    return s.n
""",
    "frozen_rebound_attribute": """
class S(struct.PyTreeNode):
    n: jax.Array
class Opt:
    def step(self, s: S):
        s.n = s.n + 1
        return s
class Loop:
    def __init__(self):
        self.opt, self.s = Opt(), S(jnp.zeros(()))
    def run(self):
        for _ in range(2):
            self.s = self.opt.step(self.s)
        return self.s.n
def main():
    return Loop().run()
""",
    "frozen_rebound_element": """
class S(struct.PyTreeNode):
    n: jax.Array
def bump(s: S):
    s.n = s.n + 1
    return s
def main():
    states = {k: S(jnp.zeros(())) for k in "ab"}
    for k in states:
        states[k] = bump(states[k])
    return [states[k].n for k in "ab"]
""",
    "frozen_rebound_async": """
class S(struct.PyTreeNode):
    n: jax.Array
async def bump(s: S):
    s.n = s.n + 1
    return s
async def run():
    s = S(jnp.zeros(()))
    s = await bump(s)
    s = await bump(s)
    return s.n
def main():
    import asyncio
    return asyncio.run(run())
""",
    "cached_result_mutable_pytree": """
@chex.dataclass
class Stats:
    hits: int
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def stats(self):
        return Stats(hits=self.x.sum())
def bump(stats):
    stats.hits = stats.hits + 1
def main():
    k = K(jnp.zeros(()))
    bump(k.stats)
    bump(k.stats)
    return k.stats.hits
""",
    "cached_result_module": """
class Head(nnx.Module):
    def __init__(self, x):
        self.n = nnx.Param(x)
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def head(self):
        return Head(self.x)
def bump(head):
    head.n.value = head.n.value + 1
def main():
    k = K(jnp.zeros(()))
    bump(k.head)
    bump(k.head)
    return k.head.n.value
""",
    "cached_result_variable": """
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def head(self):
        return nnx.Param(self.x)
def bump(head):
    head.value = head.value + 1
def main():
    k = K(jnp.zeros(()))
    bump(k.head)
    bump(k.head)
    return k.head.value
""",
    "cached_result_list_of_array": """
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def rows(self):
        rows = self.x.tolist()
        return rows
def push(rows, v):
    rows.append(v)
def main():
    k = K(jnp.zeros(2))
    push(k.rows, 1)
    return len(k.rows)
""",
    "cached_under_a_matmul_precision": """
class K(struct.PyTreeNode):
    x: jax.Array
    @cached_property
    def gram(self):
        return self.x.T @ self.x
def main():
    k = K(jax.random.normal(jax.random.key(0), (20, 20)))
    with jax.default_matmul_precision("float32"):
        a = k.gram
    return a.sum(), k.gram.sum()
""",
}
"""Programs as users write them, with what has led fixes astray."""
