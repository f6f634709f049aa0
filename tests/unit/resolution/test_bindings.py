"""Which statements bind a name, in order: for sure, perhaps, or as a fallback."""

from pathlib import Path
from textwrap import dedent

import pytest

from flake8_jax.lowering.printer import show
from flake8_jax.lowering.program import Define, Import
from flake8_jax.resolution.bindings import Binding, bindings
from flake8_jax.resolution.scopes import module_scope
from unit.projects import defined, main_module

BOUND = {
    "f = g": "$g",
    "f = h = g": "$g",
    "f, h = a, b": "$a",
    "(f, x), h = (a, c), b": "$a",
    "f, h = both()": "$both()[0]",
    "f, *h = a, b": "?",
    "f, h = a, *b": "?",
    "f: int = 3": "3",
    "f: int": "",
    "f += 1": "?",
    "del f": "?",
    "f.x = 1": "",
    "f[0] = 1": "",
    "def f(): pass": "def",
    "async def f(): pass": "def",
    "class f: pass": "def",
    "import f": "import f",
    "import f.g": "import f",
    "import a.b as f": "import a.b",
    "from a import b as f": "import a.b",
    "from . import f": "import .f",
    "from .a import f": "import .a.f",
    "from ..a import f, g": "import ..a.f",
    "for f in (a, b): pass": "perhaps $a, perhaps $b",
    "for f in rows: pass": "perhaps ?",
    "for f, g in rows: pass": "perhaps ?",
    "for x in rows:\n    f = x": "perhaps $x",
    "for x in rows:\n    pass\nelse:\n    f = 1": "perhaps 1",
    "while x:\n    f = 1\nelse:\n    f = 2": "perhaps 1, perhaps 2",
    "with a as f: pass": "?",
    "with a as (f, g): pass": "?",
    "with a:\n    f = 1": "1",
    "if x:\n    f = 1": "perhaps 1",
    "if x:\n    f = 1\nelse:\n    f = 2": "1, perhaps 2",
    "if x:\n    f = 1\nelif y:\n    f = 2\nelse:\n    f = 3": "1, perhaps 2, perhaps 3",
    "if x:\n    f = 1\nelif y:\n    f = 2": "1, perhaps 2",
    "if x:\n    if y:\n        f = 1\n    else:\n        f = 2": "perhaps 1, perhaps 2",
    "try:\n    f = 1\nexcept E:\n    f = 2": "1, fallback 2",
    "try:\n    g = 1\nexcept E as f:\n    pass": "fallback ?",
    "try:\n    g()\nexcept E:\n    pass\nelse:\n    f = 1\nfinally:\n    f = 2": "1, 2",
    "if TYPE_CHECKING:\n    import f": "fallback import f",
    "if typing.TYPE_CHECKING:\n    import f\nelse:\n    f = 1": "fallback import f, 1",
    "if not TYPE_CHECKING:\n    f = 1\nelse:\n    import f": "1, fallback import f",
    "if x:\n    import f\nelse:\n    def f(): pass": "import f, fallback def",
    "if x:\n    def f(): pass\nelse:\n    import f": "fallback def, import f",
    "if x:\n    import f\nelse:\n    f = None": "import f, fallback None",
    "if x:\n    import f\nelse:\n    f = lambda c: c": "import f, fallback lambda c: c",
    "if x:\n    import f\nelse:\n    import g as f": "import f, perhaps import g",
    "if x:\n    import f\nelse:\n    f = g.f": "import f, perhaps $g.f",
    "match x:\n    case [f, *g]: pass": "perhaps ?",
    "match x:\n    case {'a': 1, **f}: pass": "perhaps ?",
    "match x:\n    case A(b=(f | g)): pass": "perhaps ?",
    "match x:\n    case 1:\n        f = 1": "perhaps 1",
    "if (f := g): pass": "$g",
    "h = [f := x for x in y]": "x'1",
    "while (f := g()): pass": "$g()",
    "for x in (f := g): pass": "$g",
    "with (f := g): pass": "$g",
    "g = lambda: (f := 1)": "",
    "def g():\n    f = 1": "",
    "class g:\n    f = 1": "",
    "[f for f in x]": "",
    "global f": "",
}


def told(found: tuple[Binding, ...]) -> str:
    def one(item: Binding) -> str:
        match item.source:
            case None:
                value = "?"
            case Define():
                value = "def"
            case Import(dotted=dotted):
                value = f"import {dotted}"
            case expr:
                value = show(expr)
        sure = "" if item.certain else "perhaps "
        return f"{'fallback ' if item.fallback else sure}{value}"

    return ", ".join(map(one, found))


@pytest.mark.parametrize("text", BOUND, ids=lambda text: text.replace("\n", "; "))
def test_bindings_of_a_module(tmp_path: Path, text: str) -> None:
    module = main_module(tmp_path, f"{text}\n")
    assert told(bindings(module_scope(module), "f")) == BOUND[text]


BODIES = {
    "f = g": "g",
    "def f(): pass": "def",
    "import f": "import f",
    "global f\nf = 1": "",
    "if x:\n    f = 1\nelse:\n    f = 2": "1, perhaps 2",
    "h = [f := 1 for x in y]": "1",
}


@pytest.mark.parametrize("head", ["def body():", "class body:"])
@pytest.mark.parametrize("text", BODIES, ids=lambda text: text.replace("\n", "; "))
def test_bindings_of_functions_and_classes(tmp_path: Path, head: str, text: str) -> None:
    if head.startswith("class") and ":=" in text:
        return  # Python refuses it
    lines = "\n".join(f"    {line}" for line in ["g = 0", *text.split("\n")])
    body = defined(main_module(tmp_path, f"{head}\n{lines}\n"), "body")
    found = told(bindings(body.inside, "f"))
    assert found.replace("%", "") == BODIES[text]


def test_parameters_come_first(tmp_path: Path) -> None:
    text = "def body(f, *g, h=1, **k):\n    f = 2\n"
    inside = defined(main_module(tmp_path, text), "body").inside
    assert told(bindings(inside, "f")) == "?, 2"
    assert [told(bindings(inside, name)) for name in "ghk"] == ["?", "?", "?"]


def test_private_names_of_a_class_are_mangled(tmp_path: Path) -> None:
    text = dedent(
        """
        class Account:
            __total = 1
            def total(self): return self.__total
        """
    )
    inside = defined(main_module(tmp_path, text), "Account").inside
    assert told(bindings(inside, "_Account__total")) == "1"
