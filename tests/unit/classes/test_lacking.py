"""Whether no object of ``C`` has an attribute ``x``."""

from pathlib import Path

import pytest

from flake8_jax.classes.lacking import lacks
from unit.class_facts import classes_of

INIT = "    def __init__(self): self.y = 1\n"
CASES = [
    (f"class C:\n{INIT}", True),
    ("@struct.dataclass\nclass C:\n    y: int", True),
    ("class C(flax.struct.PyTreeNode):\n    y: int", False),  # it makes no objects by itself
    (f"class C:\n{INIT}    def x(self): pass", False),
    ("class C:\n    def __init__(self): self.x, self.y = 1, 2", False),
    (f"class C:\n{INIT}    def __getattr__(self, name): return name", False),
    (f"class C:\n{INIT}def make(): C().x = 3", False),
    (f"class C:\n{INIT}# self.x = 3", True),
    (f"class C:\n{INIT}def make(c, name): setattr(c, name, 3)", False),
    (f"class C(Unknown):\n{INIT}", False),
    (f"class C(torch.nn.Module):\n{INIT}", False),
    (f"@unknown\nclass C:\n{INIT}", False),
    (f"class A:\n    def x(self): pass\nclass C(A):\n{INIT}", False),
    (f"class C:\n{INIT}class D(C):\n    def x(self): pass", False),
    (f"class C:\n{INIT}class D(C):\n    def z(self): pass", True),
    ("class C:\n    def y(self): return self.x", False),  # to be mixed into others
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_what_a_class_lacks(tmp_path: Path, text: str, expected: bool) -> None:
    assert lacks(classes_of(tmp_path, text)["C"], "x") is expected
