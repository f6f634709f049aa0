"""Bases, and the order in which Python asks them."""

from pathlib import Path

import pytest

from flake8_jax.classes import limits
from flake8_jax.classes.registration import is_known_non_pytree, registration
from flake8_jax.classes.table import classes
from unit.class_facts import IMPORTS, classes_of
from unit.projects import main_module

ORDERS = [
    ("class A: pass\nclass B(A): pass\nclass C(B): pass", "C B A"),
    ("class A: pass\nclass B: pass\nclass C(A, B): pass", "C A B"),
    # a diamond
    ("class A: pass\nclass B(A): pass\nclass C(A): pass\nclass D(B, C): pass", "D B C A"),
    # a deep one, as in the paper on C3
    ("class O: pass\nclass A(O): pass\nclass B(O): pass\nclass C(O): pass\nclass D(O): pass\n"
     "class E(O): pass\nclass K1(C, A, B): pass\nclass K3(A, D): pass\nclass K2(B, D, E): pass\n"
     "class Z(K1, K3, K2): pass", "Z K1 C K3 A K2 B D E O"),
    ("class A(Generic[T]): pass\nclass B(A[int]): pass", "B A"),
    ("class A: pass\nB = A\nclass C(B): pass", "C A"),
    ("class A: pass\nA = register_pytree_node_class(A)\nclass C(A): pass", "C A"),
    ("class A: pass\nclass A(A): pass", "A A"),
    # what Python refuses comes in the order of the text
    ("class A: pass\nclass B(A): pass\nclass C(A, B): pass", "C A B"),
    ("class A: pass\nclass B(A): pass\nclass C(B, unknown(A), *more): pass", "C B A"),
    ("if jax:\n    class A: pass\nelse:\n    class B: pass\n    A = B\nclass C(A): pass", "C A B"),
    ("def make():\n    class A: pass\n    class B(A): pass\n    return B", "B A"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ORDERS)
def test_order(tmp_path: Path, text: str, expected: str) -> None:
    info = classes_of(tmp_path, text)[expected.split()[0]]
    assert " ".join(item.name for item in info.mro) == expected


KNOWN = [
    ("class C: pass", True),
    ("class C(struct.PyTreeNode, Generic[T]): pass", True),
    ("class C(collections.namedtuple('P', 'x')): pass", True),
    ("class C(Unknown): pass", True),  # a library that is not there
    ("class C(unknown()): pass", False),
    ("class C(nobody_binds_this): pass", False),
    ("class C(*bases): pass", False),
    ("class A(unknown()): pass\nclass C(A): pass", False),
]


@pytest.mark.parametrize(("text", "expected"), KNOWN)
def test_whether_all_bases_are_known(tmp_path: Path, text: str, expected: bool) -> None:
    assert classes_of(tmp_path, text)["C"].is_known is expected


def test_other_modules(tmp_path: Path) -> None:
    files = {
        "main.py": "from far import Base\nclass C(Base): pass\n",
        "far.py": "from flax import struct\nclass Base(struct.PyTreeNode): pass\n",
    }
    [info] = classes(main_module(tmp_path, files))
    assert [(item.name, item.module.name) for item in info.mro] == [("C", "main"), ("Base", "far")]
    made = registration(info)
    assert made is not None
    assert made.marker == "flax.struct.PyTreeNode"


def test_classes_that_inherit_from_each_other(tmp_path: Path) -> None:
    files = {
        "main.py": "from far import B\nclass A(B): pass\nclass C(A): pass\n",
        "far.py": "from main import A\nclass B(A): pass\n",
    }
    a, c = classes(main_module(tmp_path, files))
    assert [item.name for item in c.mro] == ["C", "A", "B"]
    assert not a.is_known
    assert registration(a) is registration(c) is None
    assert not is_known_non_pytree(a)


@pytest.mark.parametrize("last_first", [False, True])
def test_long_chains(tmp_path: Path, last_first: bool) -> None:
    """Beyond the bound nothing is known, whoever is asked for first, and nothing overflows."""
    chain = "".join(f"class C{i}(C{i - 1}): pass\n" for i in range(1, 1000))
    module = main_module(tmp_path, f"{IMPORTS}\nclass C0(struct.PyTreeNode): pass\n{chain}")
    found = classes(module)
    pytrees = [registration(info) is not None for info in (found[::-1] if last_first else found)]
    assert sum(pytrees) == limits.ANCESTORS
    assert pytrees[-1 if last_first else 0]


def test_subclasses(tmp_path: Path) -> None:
    text = "class A: pass\nclass B(A): pass\nX = B\nclass C(X): pass\nclass D: pass"
    found = classes_of(tmp_path, text)
    assert [item.name for item in found["A"].subclasses] == ["B", "C"]
    assert [item.name for item in found["D"].subclasses] == []
