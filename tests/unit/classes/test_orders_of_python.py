"""The ancestors of a class come in the order in which Python itself looks them up."""

import random
from pathlib import Path

import pytest

from benchmarks.gates import opened
from flake8_jax.classes.table import classes
from flake8_jax.resolution.modules import module_of

LETTERS = "ABCDEFG"


def _hierarchy(seed: int) -> dict[str, list[str]]:
    """Some classes, each with up to three of those before it as bases."""
    chance = random.Random(seed)
    return {
        name: chance.sample(LETTERS[:count], chance.randint(0, min(3, count)))
        for count, name in enumerate(LETTERS)
    }


def _orders(bases: dict[str, list[str]]) -> dict[str, list[str]]:
    """The orders that Python gives, for the classes that it allows."""
    made: dict[str, type] = {}
    for name, above in bases.items():
        if all(base in made for base in above):
            try:
                made[name] = type(name, tuple(made[base] for base in above), {})
            except TypeError:  # no order is consistent
                continue
    return {name: [item.__name__ for item in cls.__mro__[:-1]] for name, cls in made.items()}


@pytest.mark.parametrize("seed", range(40))
def test_the_order_is_that_of_python(seed: int, tmp_path: Path) -> None:
    bases = _hierarchy(seed)
    path = tmp_path / "classes.py"
    lines = [f"class {name}({', '.join(above)}):\n    pass\n" for name, above in bases.items()]
    path.write_text("import jax\n\n\n" + "\n\n".join(lines))
    orders = _orders(bases)
    assert orders
    for cls in classes(module_of(*opened(path))):
        found = [item.name for item in cls.mro]
        assert len(set(found)) == len(found)
        assert cls.name not in orders or found == orders[cls.name]


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    pass\n\n\nclass B(A):\n    pass\n\n\nclass C(A, B):\n    pass\n",
        "class A(B, C):\n    pass\n\n\nclass B(A):\n    pass\n\n\nclass C(A, B):\n    pass\n",
    ],
)
def test_classes_that_python_refuses_have_the_order_of_the_text(text: str, tmp_path: Path) -> None:
    path = tmp_path / "classes.py"
    path.write_text(f"import jax\n\n\n{text}")
    last = classes(module_of(*opened(path)))[-1]
    assert sorted(item.name for item in last.mro) == ["A", "B", "C"]
