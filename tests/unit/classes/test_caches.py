"""The caches of a class, with what computes the value."""

from pathlib import Path

import pytest

from unit.class_facts import caches_told, classes_of

DESCRIPTOR = """
class lazy:
    def __init__(self, function):
        self.function = function
    def __get__(self, instance, owner=None):
        value = self.function(instance)
        {body}
        return value
class C:
    @lazy
    def x(self): return 1
"""
OWN = "property x: a cached property of the project's own C.x"

CASES = [
    ("class C:\n    @cached_property\n    def x(self): return 1",
     ["property x: functools.cached_property C.x"]),
    ("class C:\n    @cached_property\n    @jax.jit\n    def x(self): return 1",
     ["property x: functools.cached_property C.x jitted"]),
    ("class C:\n    @functools.cache\n    def x(self): return 1",
     ["function x: functools.cache C.x"]),
    ("class C:\n    @property\n    @functools.lru_cache(maxsize=1)\n    def x(self): return 1",
     ["function x: functools.lru_cache C.x"]),
    ("class C:\n    x = cached_property(lambda self: 1)",
     ["property x: functools.cached_property C.<lambda>"]),
    ("class C:\n    def get(self): return 1\n    x = cached_property(jax.jit(get))",
     ["property x: functools.cached_property C.get jitted"]),
    ("class C:\n    def get(self): return 1\n    x = property(functools.cache(get))",
     ["function x: functools.cache C.get"]),
    # no caches of an instance
    ("class C:\n    @staticmethod\n    @functools.cache\n    def x(a): return 1", []),
    ("class C:\n    @functools.cache\n    def x(): return 1", []),
    ("class C:\n    @cached_property\n    def x(self): raise NotImplementedError", []),
    ("class C:\n    @cached_property\n    def x(self): return 1\n    x = None", []),
    ("class C:\n    @property\n    def x(self): return 1", []),
    # inherited from what is no pytree
    ("class A:\n    @cached_property\n    def x(self): return 1\nclass C(A, eqx.Module): pass",
     ["property x: functools.cached_property A.x of A"]),
    ("class A:\n    @cached_property\n    def x(self): return 1\nclass C(A):\n    x = 1", []),
    ("class A(eqx.Module):\n    @cached_property\n    def x(self): return 1\nclass C(A): pass", []),
    # one's own
    ("def lazy(f): return cached_property(f)\nclass C:\n    @lazy\n    def x(self): return 1",
     ["property x: functools.cached_property C.x"]),
    ("class lazy(cached_property): pass\nclass C:\n    @lazy\n    def x(self): return 1",
     ["property x: functools.cached_property C.x"]),
    (DESCRIPTOR.format(body="instance.__dict__[self.name] = value"), [OWN]),
    (DESCRIPTOR.format(body="setattr(instance, self.name, value)"), [OWN]),
    (DESCRIPTOR.format(body="object.__setattr__(instance, self.name, value)"), [OWN]),
    (DESCRIPTOR.format(body="cache = vars(instance)\n        cache[self.name] = value"), [OWN]),
    (DESCRIPTOR.format(body="vars(instance).setdefault(self.name, value)"), [OWN]),
    (DESCRIPTOR.format(body="pass"), []),
    (DESCRIPTOR.format(body="if not isinstance(value, jax.core.Tracer):\n"
                            "            instance.__dict__[self.name] = value"), []),
    (DESCRIPTOR.format(body="instance.value = value")
     .replace("class C:", "class lazier(lazy): pass\nclass C:")
     .replace("@lazy", "@lazier"), [OWN]),
    ("def lazy(f):\n    def get(self):\n        if 'x' not in vars(self):\n"
     "            vars(self)['x'] = f(self)\n        return vars(self)['x']\n"
     "    return property(get)\n"
     "class C:\n    @lazy\n    def x(self): return 1", [OWN]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_caches(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert caches_told(classes_of(tmp_path, text)["C"]) == expected
