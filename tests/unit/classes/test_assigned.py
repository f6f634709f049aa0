"""What an attribute ``x`` of an instance of ``C`` may be an instance of, by what methods assign."""

from pathlib import Path

import pytest

from flake8_jax.classes.assigned import assigned
from flake8_jax.classes.table import ClassInfo
from unit.class_facts import classes_of

CASES = [
    ("self.x = D()", "D"),
    ("self.x = D() if k else E()", "D E"),
    ("self.x = D() if k else None", "D"),
    ("self.x = None if k else D()", "D"),
    ("self.x = D() if k else unknown()", ""),
    ("self.x = k", ""),
    ("self.x = None", ""),
    ("self.x = []", "builtins.list"),
    ("self.x = [i for i in k]", "builtins.list"),
    ("self.x = {1}", "builtins.set"),
    ("self.x = {'a': k}", "builtins.dict"),
    ("self.x = {i: i for i in k}", "builtins.dict"),
    ("self.x = dict(a=k)", "builtins.dict"),
    ("self.x = collections.OrderedDict()", "collections.OrderedDict"),
    ("self.x = jnp.zeros(3)", "jax.Array"),
    ("self.x = 'text'", ""),
    ("self.x = D()\nself.x = E()", "D E"),
    ("self.x = {'a': D, 'b': E}[k]()", "D E"),
    ("self.x = D()\nself.x = k", ""),
    ("self.x = D()\nself.x += 1", "D"),
    ("self.x = D()\nself.x += k", ""),
    ("self.x, self.y = D(), E()", ""),
    ("(self.x) = D()", "D"),
    ("self.x, self.y = k", ""),
    ("for self.x in k: pass", ""),
    ("k.x = D()", ""),
    ("y = D()\nself.x = y", "D"),
]


def told(item: object) -> str:
    return item.name if isinstance(item, ClassInfo) else str(getattr(item, "dotted", item))


def types(folder: Path, text: str) -> str:
    info = classes_of(folder, f"class D: pass\nclass E: pass\n{text}")["C"]
    return " ".join(sorted(map(told, assigned(info, "x"))))


@pytest.mark.parametrize(("body", "expected"), CASES)
def test_assigned(tmp_path: Path, body: str, expected: str) -> None:
    lines = body.replace("\n", "\n        ")
    text = f"class C:\n    def __init__(self, k):\n        {lines}\n"
    assert types(tmp_path, text) == expected


CLASSES = [
    ("class C:\n    x = D()", "D"),
    ("class C:\n    x = []", "builtins.list"),
    ("class C:\n    x = 3\n    def put(self): self.x = D()", "D"),
    ("class A:\n    def put(self): self.x = E()\nclass C(A):\n    def put(self): self.x = D()",
     "D E"),
    ("class C:\n    def put(self, k: D): self.x = k", "D"),
    ("class C:\n    def put(self, j: E, k: D): self.x = k", "D"),
    ("class C:\n    def put(self, *k: D): self.x = k", ""),
    ("class C:\n    @staticmethod\n    def put(): pass", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CLASSES)
def test_a_class(tmp_path: Path, text: str, expected: str) -> None:
    assert types(tmp_path, text) == expected
