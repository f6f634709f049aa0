"""Whether assigning ``x`` on a complete instance of ``C`` is known to raise."""

from pathlib import Path

import pytest

from flake8_jax.classes.frozen import is_frozen, is_known_to_raise
from unit.class_facts import classes_of

FROZEN = [
    ("class C(struct.PyTreeNode): x: int", True),
    ("class C(struct.PyTreeNode, frozen=False): x: int", False),
    ("class C(struct.PyTreeNode, frozen=OPTION): x: int", False),
    ("class A(struct.PyTreeNode, frozen=False): pass\nclass C(A): x: int", True),
    ("class A(struct.PyTreeNode):\n    def __init_subclass__(cls):\n"
     "        super().__init_subclass__(frozen=False)\nclass C(A): x: int", False),
    ("class A(struct.PyTreeNode):\n    def __init_subclass__(cls, **options):\n"
     "        if options['frozen']: pass\nclass C(A): x: int", False),
    ("class A(struct.PyTreeNode):\n    def __init_subclass__(cls, **options):\n"
     "        if options['thawed']: pass\nclass C(A): x: int", True),
    ("class C(eqx.Module): x: int", True),
    ("class C(nnx.Module): x: int", False),
    ("class C(Pytree): x: int", True),
    ("class C(Pytree, mutable=True): x: int", False),
    ("@chex.dataclass\nclass C: x: int", False),
    ("@chex.dataclass(frozen=True)\nclass C: x: int", True),
    ("@register_pytree_node_class\n@dataclasses.dataclass(frozen=True)\nclass C: x: int", True),
    ("@register_pytree_node_class\n@dataclasses.dataclass\nclass C: x: int", False),
    ("def node(cls):\n    return register_dataclass(dataclasses.dataclass(frozen=True)(cls))\n"
     "@node\nclass C: x: int", True),
    ("class C(NamedTuple): x: int", True),
    ("class A(NamedTuple): y: int\nclass C(A): pass", False),
    ("class C(collections.namedtuple('P', 'x y')): pass", True),
    ("class C(collections.namedtuple('P', 'y')): pass", False),
    ("class C(collections.namedtuple('P', ['x', 'y'])): pass", True),
    ("class C(collections.namedtuple('P', ['y'])): pass", False),
    ("class C(collections.namedtuple('P', 'y')): __slots__ = ()", True),
    ("class C: x: int", False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FROZEN)
def test_frozen(tmp_path: Path, text: str, expected: bool) -> None:
    assert is_frozen(classes_of(tmp_path, text)["C"], "x") is expected


CHANGED = [
    ("class C(eqx.Module): x: int", True),
    ("class A(eqx.Module): pass\nclass C(A): x: int", True),
    ("class C(eqx.Module, Unknown): x: int", False),
    ("class C(eqx.Module, unknown()): x: int", False),
    ("class C(eqx.Module, **options): x: int", False),
    ("class A:\n    def __setattr__(self, n, v): pass\nclass C(eqx.Module, A): x: int", False),
    ("class C(eqx.Module): x: int\nclass D(C):\n    def __setattr__(self, n, v): pass", False),
    ("class C(eqx.Module): x: int\nC.__setattr__ = object.__setattr__", False),
    ("class C(eqx.Module): x: int\ndef patch(cls):\n    setattr(cls, '__setattr__', f)\npatch(C)",
     False),
    ("class C(eqx.Module): x: int\nprint(C)", True),
    # decorators
    ("@unknown\nclass C(eqx.Module): x: int", False),
    ("def show(cls):\n    print(cls)\n    return cls\n@show\nclass C(eqx.Module): x: int", True),
    ("def thaw(cls):\n    cls.__setattr__ = object.__setattr__\n    return cls\n"
     "@thaw\nclass C(eqx.Module): x: int", False),
    ("def thaw(cls):\n    return type(cls.__name__, (cls,), {})\n"
     "@thaw\nclass C(eqx.Module): x: int", False),
    ("def inner(cls):\n    cls.__setattr__ = f\ndef thaw(cls):\n    inner(cls)\n    return cls\n"
     "@thaw\nclass C(eqx.Module): x: int", False),
    ("@chex.dataclass(frozen=True)\nclass C(eqx.Module): x: int", True),
    ("MARK = chex.dataclass(frozen=True)\n@MARK\nclass C(eqx.Module): x: int", True),
    ("MARK = unknown(frozen=True)\n@MARK\nclass C(eqx.Module): x: int", False),
    ("class Book:\n    def add(self, cls): return cls\nBOOK = Book()\n"
     "@BOOK.add\nclass C(eqx.Module): x: int", True),
    ("class Book:\n    def add(self, cls): return cls\nBOOK = Book()\n"
     "@BOOK.take\nclass C(eqx.Module): x: int", False),
    ("class Book:\n    def add(self, cls):\n        cls.__setattr__ = f\n        return cls\n"
     "BOOK = Book()\n@BOOK.add\nclass C(eqx.Module): x: int", False),
    ("@Unknown.add\nclass C(eqx.Module): x: int", False),
    # metaclasses
    ("class M(type(eqx.Module)): pass\nclass C(eqx.Module, metaclass=M): x: int", True),
    ("class M(type(eqx.Module)):\n    def __call__(cls): pass\n"
     "class C(eqx.Module, metaclass=M): x: int", False),
    ("class C(eqx.Module, metaclass=unknown()): x: int", False),
    # what a constructor hands back
    ("class C(eqx.Module):\n    x: int\n    def __new__(cls): return super().__new__(cls)", True),
    ("class C(eqx.Module):\n    x: int\n    def __new__(cls): return object.__new__(cls)", True),
    ("class C(eqx.Module):\n    x: int\n    def __new__(cls): return Unknown()", False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CHANGED)
def test_known_to_raise(tmp_path: Path, text: str, expected: bool) -> None:
    assert is_known_to_raise(classes_of(tmp_path, text)["C"], "x") is expected
