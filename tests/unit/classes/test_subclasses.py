"""The subclasses of a class: in its own module, and in the other files of the project."""

from pathlib import Path

from flake8_jax.classes.table import classes, subclasses_elsewhere
from unit.projects import main_module

FILES = {
    "main.py": "class A: pass\nclass Own(A): pass\n",
    "near.py": "from main import A\nclass Near(A):\n    pass\nclass Other:\n    a: A\n",
    "far.py": "import near\nclass Far(near.Near): pass\n",
    "of_own.py": "from main import Own\nclass OfOwn(Own): pass\n",
    "namesake.py": "class A: pass\nclass Stranger(A): pass\n",
    "silent.py": "class Silent: pass\n",
}


def test_subclasses(tmp_path: Path) -> None:
    found = {info.name: info for info in classes(main_module(tmp_path, FILES))}
    assert [info.name for info in found["A"].subclasses] == ["Own"]
    assert {info.name for info in subclasses_elsewhere(found["A"])} == {"Near", "Far", "OfOwn"}
    assert {info.name for info in subclasses_elsewhere(found["Own"])} == {"OfOwn"}
