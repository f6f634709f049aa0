"""What an attribute ``x`` of an instance of ``C`` is."""

from pathlib import Path

import pytest

from flake8_jax.classes.members import member
from unit.class_facts import classes_of, member_told

SETTER = "    @x.setter\n    def x(self, value): pass\n"
CASES = [
    ("class C:\n    def x(self): pass", "method C.x(self)"),
    ("class C:\n    @staticmethod\n    def x(a): pass", "method C.x(nothing)"),
    ("class C:\n    @classmethod\n    def x(cls): pass", "method C.x(cls)"),
    ("class C:\n    @jax.jit\n    def x(self): pass", "method C.x(self)"),
    ("class C:\n    @unknown\n    def x(self): pass", "method C.x(self) wrapped"),
    ("class C:\n    @functools.lru_cache(None)\n    def x(self): pass", "method C.x(self) cached"),
    ("class C:\n    @property\n    def x(self): pass", "property C.x"),
    (f"class C:\n    @property\n    def x(self): pass\n{SETTER}", "property C.x setter C.x"),
    ("class C:\n    def get(self): pass\n    x = property(get)", "property C.get"),
    ("class C:\n    x = property(lambda self: 1)", "property C.<lambda>"),
    ("class C:\n    @cached_property\n    def x(self): pass", "property C.x cached"),
    ("class C:\n    def get(self): pass\n    x = cached_property(get)", "property C.get cached"),
    ("class C:\n    def get(self): pass\n    x = get", "method C.get(self)"),
    ("class C:\n    def get(self): pass\n    x = jax.jit(get)", "method C.get(self)"),
    ("def get(self): pass\nclass C:\n    x = get", "method get(self)"),
    ("class C:\n    x = lambda self: 1", "method C.<lambda>(self)"),
    ("class D: pass\nclass C:\n    x: D", "field D"),
    ("class D: pass\nclass C:\n    x: 'D | None'", "field D"),
    ("class D: pass\nclass C:\n    x: 'D'", "field D"),
    ("class D: pass\nclass C:\n    x: typing.Optional[D] = None", "field D"),
    ("class D: pass\nclass C:\n    x: D | jax.Array", "field D jax.Array"),
    ("class C:\n    x: int = struct.field(pytree_node=False)", "static field builtins.int"),
    ("class C:\n    x = 3", "field"),
    ("class C:\n    def __init__(self): self.x = 3", "field"),
    ("class C(eqx.Module):\n    def get(self): pass\n    x: object = get", "field builtins.object"),
    ("class C(eqx.Module):\n    def get(self): pass\n    x = get", "method C.get(self)"),
    ("class C: pass", "unknown"),
    # the nearest wins
    ("class A:\n    def x(self): pass\nclass C(A): pass", "method A.x(self)"),
    ("class A:\n    def x(self): pass\nclass C(A):\n    x: int", "field builtins.int"),
    ("class A:\n    @property\n    def x(self): pass\nclass C(A):\n    def x(self): pass",
     "method C.x(self)"),
    (f"class A:\n    @property\n    def x(self): pass\n{SETTER}"
     "class C(A):\n    @property\n    def x(self): pass", "property C.x"),
    ("class A:\n    @property\n    def x(self): pass\n"
     "class C(A):\n    @A.x.setter\n    def x(self, value): pass", "property A.x setter C.x"),
    ("class A:\n    def x(self): pass\nclass B(A): pass\nclass D(A):\n    x: int\n"
     "class C(B, D): pass", "field builtins.int"),
    ("class C:\n    def x(self): pass\n    x = None", "field"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_member(tmp_path: Path, text: str, expected: str) -> None:
    assert member_told(member(classes_of(tmp_path, text)["C"], "x")) == expected
