"""What makes a class a pytree, of which kind."""

from pathlib import Path

import pytest

from flake8_jax.classes.registration import is_known_non_pytree, is_refused
from flake8_jax.classes.table import classes
from flake8_jax.knowledge.listed import LISTED_BASE, LISTED_DECORATOR
from unit.class_facts import classes_of, registered
from unit.projects import main_module

NODE = "flax.struct.PyTreeNode, heritable"
DATACLASS = "flax.struct.dataclass"
BY_CLASS = "a class registered with jax.tree_util, by jax.tree_util.register_pytree_node_class"
BY_CALL = "a class registered with jax.tree_util, by jax.tree_util.register_pytree_node"

CASES = [
    ("class C: pass", "no pytree"),
    # bases
    ("class C(struct.PyTreeNode): pass", NODE),
    ("class A(struct.PyTreeNode): pass\nclass C(A): pass", NODE),
    ("class C(eqx.nn.Linear): pass", "equinox.Module, by equinox.nn.Linear, heritable"),
    ("class C(NamedTuple): x: int", "NamedTuple, by typing.NamedTuple, heritable"),
    ("class C(collections.namedtuple('P', 'x')): pass",
     "namedtuple, by collections.namedtuple, heritable"),
    ("P = collections.namedtuple('P', 'x')\nclass C(P): pass",
     "namedtuple, by collections.namedtuple, heritable"),
    ("class C(Unknown): pass", "no pytree"),
    ("class C(struct.PyTreeNode if jax else object): pass", "no pytree"),
    # decorators
    ("@struct.dataclass\nclass C: pass", DATACLASS),
    ("@struct.dataclass\nclass A: pass\nclass C(A): pass", "no pytree"),
    ("@struct.dataclass(frozen=False)\nclass C: pass", f"{DATACLASS}, frozen=False"),
    ("@partial(struct.dataclass, frozen=False)\nclass C: pass", f"{DATACLASS}, frozen=False"),
    ("@register_pytree_node_class\nclass C: pass", BY_CLASS),
    # calls
    ("class C: pass\nregister_pytree_node(C, flat, unflat)", BY_CALL),
    ("class C: pass\nregister_pytree_node(nodetype=C, flatten_func=f)",
     f"{BY_CALL}, nodetype=$C, flatten_func=$f"),
    ("class C: pass\nC = register_pytree_node_class(C)", BY_CLASS),
    ("class C: pass\nregister_pytree_node_class(dataclasses.dataclass(C))", BY_CLASS),
    ("class C: pass\nfor one in (C,):\n    register_pytree_node_class(one)", BY_CLASS),
    ("class C: pass\nALL = [C]\nfor one in ALL:\n    register_pytree_node_class(one)", BY_CLASS),
    ("class C: pass\nALL = {'c': C}\nfor k, one in ALL.items():\n"
     "    register_pytree_node_class(one)",
     BY_CLASS),
    ("class C: pass\n[register_pytree_node_class(one) for one in [C]]", BY_CLASS),
    ("class C: pass\ndef register():\n    register_pytree_node_class(C)", BY_CLASS),
    ("def make():\n    class C: pass\n    register_pytree_node_class(C)\n    return C", BY_CLASS),
    ("class C: pass\nprint(C)", "no pytree"),
    # switches
    ("class C(nnx.Module, pytree=False): pass", "no pytree"),
    ("class C(nnx.Module, pytree=True): pass",
     "flax.nnx.Pytree, by flax.nnx.Module, heritable"),
    # one's own
    ("def node(cls):\n    return register_pytree_node_class(cls)\n@node\nclass C: pass",
     f"{BY_CLASS}, via own"),
    ("def node(frozen):\n    def wrap(cls):\n        return struct.dataclass(cls, frozen=frozen)\n"
     "    return wrap\n@node(False)\nclass C: pass", f"{DATACLASS}, frozen=False, via own"),
    ("def node(**options):\n    return partial(struct.dataclass, **options)\n"
     "@node(frozen=False)\nclass C: pass", f"{DATACLASS}, frozen=False, via own"),
    ("node = lambda cls: struct.dataclass(cls)\n@node\nclass C: pass", f"{DATACLASS}, via own"),
    ("class Node:\n    def __call__(self, cls):\n        return struct.dataclass(cls)\n"
     "@Node()\nclass C: pass", f"{DATACLASS}, via own"),
    ("def node(cls):\n    inner(cls)\n    return cls\ndef inner(cls):\n    struct.dataclass(cls)\n"
     "@node\nclass C: pass", f"{DATACLASS}, via own"),
    ("class A:\n    def __init_subclass__(cls, **kw):\n        register_pytree_node_class(cls)\n"
     "class C(A): pass", f"{BY_CLASS}, heritable"),
    ("class A:\n    def __init_subclass__(cls, **kw):\n        register_pytree_node_class(cls)\n"
     "class C(A, pytree=False): pass", "no pytree"),
    ("class M(type):\n    def __new__(m, *args):\n        cls = super().__new__(m, *args)\n"
     "        return register_pytree_node_class(cls)\nclass C(metaclass=M): pass",
     f"{BY_CLASS}, heritable"),
    # a decorator that registers another class
    ("def count(cls):\n    register_pytree_node(collections.OrderedDict, f, g)\n    return cls\n"
     "@count\nclass C: pass", "no pytree"),
    ("class A: pass\ndef count(cls):\n    register_pytree_node_class(A)\n    return cls\n"
     "@count\nclass C: pass", "no pytree"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_registration(tmp_path: Path, text: str, expected: str) -> None:
    assert registered(classes_of(tmp_path, text)["C"]) == expected


REFUSED = [
    ("class C: pass", True, True),
    ("class C(Generic[T]): pass", True, True),
    ("@dataclasses.dataclass\nclass C: pass", True, True),
    ("class A: pass\nclass C(A): pass", True, True),
    ("class C(struct.PyTreeNode): pass", False, False),
    ("class C(Unknown): pass", False, False),
    # it may be one in the end
    ("@unknown\nclass C: pass", True, False),
    ("class C:\n    def f(self): raise NotImplementedError", True, False),
    ("class C: pass\n@struct.dataclass\nclass D(C): pass", True, False),
]


@pytest.mark.parametrize(("text", "is_none", "refused"), REFUSED)
def test_non_pytrees(tmp_path: Path, text: str, is_none: bool, refused: bool) -> None:
    info = classes_of(tmp_path, text)["C"]
    assert (is_known_non_pytree(info), is_refused(info)) == (is_none, refused)


def test_what_options_list(tmp_path: Path) -> None:
    text = "from elsewhere import Base, mark\nclass A(Base): pass\n@mark\nclass B: pass\n"
    names = {"elsewhere.Base": LISTED_BASE, "elsewhere.mark": LISTED_DECORATOR}
    found = [registered(info) for info in classes(main_module(tmp_path, text, names))]
    assert found == [
        "--jax-pytree-bases, by elsewhere.Base, heritable",
        "--jax-pytree-decorators, by elsewhere.mark",
    ]
