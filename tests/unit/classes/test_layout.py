"""Fields in order, static ones in brackets, and what flatten functions do."""

from pathlib import Path

import pytest

from flake8_jax.classes.layout import filling, restores
from flake8_jax.classes.registration import registration
from unit.class_facts import classes_of, fields_of

FLATTEN = """
@register_pytree_node_class
class C:
    def tree_flatten(self):
        {body}
    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children, x=aux)
"""

FIELDS = [
    ("class C(struct.PyTreeNode):\n    x: int\n    y: jax.Array = None", "x y"),
    ("class A:\n    x: int\n    y: int\nclass C(A):\n    z: int\n    x: float", "x y z"),
    ("class C:\n    x: ClassVar[int] = 3\n    y: 'ClassVar[int]' = 3", "[x] [y]"),
    ("class C:\n    x: int = struct.field(pytree_node=False)", "[x]"),
    ("class C:\n    x: int = struct.field(pytree_node=True)", "x"),
    ("class C:\n    x: int = eqx.field(static=True)\n    y: int = eqx.static_field()", "[x] [y]"),
    ("class C:\n    x: int = dataclasses.field(metadata={'static': True})", "[x]"),
    ("class C:\n    x: int = dataclasses.field(metadata=dict(static=True))", "[x]"),
    ("static = partial(struct.field, pytree_node=False)\nclass C:\n    x: int = static()", "[x]"),
    ("def static(**options):\n    return struct.field(pytree_node=False, **options)\n"
     "class C:\n    x: int = static(default=3)", "[x]"),
    # declared again
    ("class A:\n    x: int = struct.field(pytree_node=False)\nclass C(A):\n    x: int", "x"),
    # named to the marker
    ("class C:\n    x: int\n    y: int\nregister_dataclass(C, ['x'], ['y'])", "x [y]"),
    ("META = ('y',)\nclass C:\n    x: int\n    y: int\n"
     "register_dataclass(C, data_fields=('x',), meta_fields=META)", "x [y]"),
    # auxiliary data
    (FLATTEN.format(body="return (self.x,), (self.y,)"), "(y)"),
    (FLATTEN.format(body="return (self.x,), (self.x, self.y)"), "(y)"),
    (FLATTEN.format(body="kids = [self.x]\n        aux = self.y\n        return kids, aux"), "(y)"),
    (FLATTEN.format(body="kids, aux = (self.x,), self.y\n        return kids, aux"), "(y)"),
    (FLATTEN.format(body="out = (self.x,), self.y\n        return out"), "(y)"),
    ("class C: pass\nregister_pytree_node(C, lambda c: ((c.x,), c.y), unknown)", "(y)"),
    ("class C: pass\ndef flat(c):\n    return (c.x,), c.y\n"
     "register_pytree_node(C, flatten_func=flat, unflatten_func=unknown)", "(y)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FIELDS)
def test_fields(tmp_path: Path, text: str, expected: str) -> None:
    assert fields_of(classes_of(tmp_path, text)["C"]) == expected


FILLINGS = [
    ("class C(struct.PyTreeNode): pass", "UNSEEN"),
    ("class C(eqx.Module): pass", "CHANGES_TREE"),
    ("class C(NamedTuple): x: int", "REFUSED"),
    ("class A(NamedTuple): x: int\nclass C(A): pass", "UNSEEN"),
    (FLATTEN.format(body="return (self.x,), None"), "UNSEEN"),
    (FLATTEN.format(body="return tuple(vars(self).values()), None"), "CHANGES_TREE"),
    (FLATTEN.format(body="return tuple(self.__dict__.values()), None"), "CHANGES_TREE"),
]


@pytest.mark.parametrize(("text", "expected"), FILLINGS)
def test_filling(tmp_path: Path, text: str, expected: str) -> None:
    info = classes_of(tmp_path, text)["C"]
    made = registration(info)
    assert made is not None
    assert filling(info, made).name == expected


def test_what_a_class_restores(tmp_path: Path) -> None:
    info = classes_of(tmp_path, FLATTEN.format(body="return (self.y,), self.x"))["C"]
    made = registration(info)
    assert made is not None
    assert [restores(info, made, name) for name in "xyz"] == [True, False, False]
