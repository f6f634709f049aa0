"""What names stand for: in one module, at a point of it, and across modules."""

from collections.abc import Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from flake8_jax.lowering.program import Class, Comp, Return
from flake8_jax.resolution import limits
from flake8_jax.resolution import resolve as resolution
from flake8_jax.resolution.resolve import resolve, resolve_name
from flake8_jax.resolution.scopes import module_scope
from unit.projects import MAIN, defined, lowered, main_module, opened, told, written

ONE_MODULE = [
    # imports, definitions, values
    ("import jax", "jax", "jax"),
    ("import jax", "jax.jit", "jax.jit"),
    ("import jax.numpy as jnp", "jnp.add", "jax.numpy.add"),
    ("import jax.numpy", "jax.numpy.add", "jax.numpy.add"),
    ("from jax import jit as fast", "fast", "jax.jit"),
    ("from jax.experimental.pjit import pjit", "pjit", "jax.jit"),
    ("from flax.experimental import nnx", "nnx.checkpoint", "flax.nnx.remat"),
    ("def f(): pass", "f", "def main.f"),
    ("class A: pass", "A", "class main.A"),
    ("x = f(1)", "x", "main: $f(1)"),
    ("", "f(1)", "main: $f(1)"),
    ("", "x", "unknown"),
    # aliases
    ("import jax\nfast = jax.jit", "fast", "jax.jit"),
    ("import jax\na = jax\nb = a.jit\nc = b", "c", "jax.jit"),
    ("import jax\na, b = jax.jit, jax.vmap", "b", "jax.vmap"),
    ("import jax\nprint(fast := jax.jit)", "fast", "jax.jit"),
    ("import jax\nfast = jax.jit if cond else jax.pmap", "fast", "jax.jit | jax.pmap"),
    ("a = b\nb = a", "a", "unknown"),
    ("a = a.b", "a", "unknown"),
    # attributes
    ("class A:\n    def f(self): pass", "A.f", "def main.f"),
    ("class A:\n    class B:\n        x = 1", "A.B.x", "main: 1"),
    ("class A: pass", "A.f", "unknown"),
    ("def f(): pass", "f.x", "unknown"),
    ("x = f(1)", "x.y.z", "main: $x.y.z"),
    # builtins
    ("", "list", "builtins.list"),
    ("", "object.__setattr__", "builtins.object.__setattr__"),
    ("def list(): pass", "list", "def main.list"),
    ("", "__name__", "unknown"),
    # the last binding that always happens hides those before
    ("import jax\nf = jax.jit\nf = jax.vmap", "f", "jax.vmap"),
    ("import jax\nf = jax.jit\nif x:\n    f = jax.vmap", "f", "jax.jit | jax.vmap"),
    ("import a\nif x:\n    f = a.b\nelse:\n    f = a.c", "f", "a.b | a.c"),
    ("f = 1\nimport a\nif x:\n    f = a.b\nelif y:\n    f = a.c\nelse:\n    f = a.d", "f",
     "a.b | a.c | a.d"),
    ("import a\nfor f in (a.b, a.c): pass", "f", "a.b | a.c"),
    ("def f(): pass\ndel f", "f", "unknown"),
    ("x = 1\nx += 1", "x", "unknown"),
    ("with a as f: pass", "f", "unknown"),
    # fallbacks
    ("try:\n    from a import f\nexcept ImportError:\n    from b import f", "f", "a.f"),
    ("try:\n    import a\nexcept ImportError:\n    a = None", "a", "a"),
    ("try:\n    pass\nexcept ImportError:\n    from b import f", "f", "b.f"),
    ("if TYPE_CHECKING:\n    from a import f\nelse:\n    from b import f", "f", "b.f"),
    ("if not TYPE_CHECKING:\n    from a import f\nelse:\n    from b import f", "f", "a.f"),
    ("if TYPE_CHECKING:\n    from a import f", "f", "a.f"),
    ("if jax:\n    from a import f\nelse:\n    def f(c): return c", "f", "a.f"),
    ("if jax is None:\n    def f(c): return c\nelse:\n    from a import f", "f", "a.f"),
    ("if jax:\n    from a import f\nelse:\n    f = None", "f", "a.f"),
    ("if x:\n    def f(): pass\nelse:\n    f = None", "f", "def main.f | main: None"),
    # functions that bind a global name, when somebody calls them
    ("import jax\nf = jax.jit\ndef g():\n    global f\n    f = 1", "f", "jax.jit | unknown"),
    ("def g():\n    global f, h\n    import f", "f", "unknown"),
    ("import jax\nf = jax.jit\ndef g():\n    global f\n    f()", "f", "jax.jit"),
    ("f = 1\ndef g():\n    '''\n    global f\n    '''\n    f = 2", "f", "main: 1"),
    # star imports of libraries
    ("from jax import *", "jit", "jax.jit"),
    ("from somewhere import *", "thing", "somewhere.thing"),
    ("from somewhere import *\nfrom jax import *", "jit", "jax.jit"),
    ("from somewhere import *\nfrom elsewhere import *", "f", "elsewhere.f | somewhere.f"),
    ("from somewhere import *", "list", "builtins.list"),
    ("from somewhere import *\ndef f(): pass", "f", "def main.f"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expr", "expected"), ONE_MODULE)
def test_names_of_a_module(tmp_path: Path, text: str, expr: str, expected: str) -> None:
    module = main_module(tmp_path, f"{text}\n")
    assert told(resolve(module_scope(module), lowered(expr))) == expected


POINTS = [
    # a decorator sees what was bound before it
    ("import a\nfrom a import f\n@f\ndef g(): pass\nf = 1", "a.f"),
    ("import g\n@g.f\ndef g(): pass", "g.f"),
    ("from a import g\n@g\ndef g(): pass", "a.g"),
    ("@list\ndef g(): pass\ndef list(): pass", "builtins.list"),
    ("from a import *\n@f\ndef g(): pass\nfrom jax import *", "a.f"),
    ("if x:\n    from a import f\n    @f\n    def g(): pass", "a.f"),
    ("import a\nf = a.f\ndef h():\n    global f\n    f = 1\n@f\ndef g(): pass", "a.f"),
    # what runs later sees the end of the module
    ("def outer():\n    @f\n    def g(): pass\nfrom a import f", "a.f"),
    ("class A:\n    def m(self):\n        @f\n        def g(): pass\nfrom a import f", "a.f"),
    # a class body runs where it stands
    ("from a import f\nclass A:\n    @f\n    def g(self): pass\nf = 1", "a.f"),
    ("from a import A\nclass A:\n    @A\n    def g(self): pass", "a.A"),
    ("class A:\n    from a import f\n    @f\n    def g(self): pass", "a.f"),
    ("from a import f\nclass A:\n    @f\n    def g(self): pass\n    f = 1", "a.f"),
    ("from a import g\nclass A:\n    @g\n    def g(self): pass", "a.g"),
    ("class A:\n    def f(self): pass\n    @f\n    def g(self): pass", "def main.f"),
    # functions see those around them, and not the classes
    ("def outer():\n    from a import f\n    @f\n    def g(): pass", "a.f"),
    ("def outer(f):\n    @f\n    def g(): pass", "unknown"),
    ("def outer():\n    from a import f\n    def inner():\n        @f\n        def g(): pass",
     "a.f"),
    ("def outer():\n    from a import f\n    class A:\n        @f\n        def g(self): pass",
     "a.f"),
    ("f = 1\nclass A:\n    from a import f\n    def m(self):\n        @f\n        def g(): pass",
     "main: 1"),
    ("def outer():\n    global f\n    from a import f\n    @f\n    def g(): pass\nfrom b import f",
     "b.f | unknown"),
    ("def outer():\n    for f in (jax.a, jax.b):\n        @f\n        def g(): pass\nimport jax",
     "jax.a | jax.b"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), POINTS)
def test_names_at_a_point(tmp_path: Path, text: str, expected: str) -> None:
    found = defined(main_module(tmp_path, f"{text}\n"), "g")
    [decorator] = found.statement.decorators
    assert told(resolve(found.scope, decorator, found.position)) == expected


def test_a_class_may_take_the_name_of_its_base(tmp_path: Path) -> None:
    found = defined(main_module(tmp_path, "from a import Base\nclass Base(Base): pass\n"), "Base")
    assert isinstance(found.made, Class)
    assert told(resolve(found.scope, found.made.bases[0], found.position)) == "a.Base"


LEDGER = "def record(account): pass\nclass Account: pass\ntotal = count(0)\n"
MODULES: list[tuple[Mapping[str, str], str, str]] = [
    # where a module may stand
    ({"main.py": "from ledger import record", "ledger.py": LEDGER}, "record", "def ledger.record"),
    ({"main.py": "import ledger", "ledger.py": LEDGER}, "ledger.Account", "class ledger.Account"),
    ({"main.py": "import ledger", "ledger.py": LEDGER}, "ledger", "ledger"),
    ({"main.py": "import ledger", "ledger.py": LEDGER}, "ledger.total", "ledger: $count(0)"),
    ({"main.py": "import ledger", "ledger.py": LEDGER}, "ledger.missing", "ledger.missing"),
    # a folder that is no package gives its files no name
    ({"main.py": "import bank.ledger", "bank/ledger.py": LEDGER}, "bank.ledger.record",
     "def ledger.record"),
    ({"main.py": "import bank.ledger as l", "bank/__init__.py": "", "bank/ledger.py": LEDGER},
     "l.record", "def bank.ledger.record"),
    ({"main.py": "from bank import ledger", "bank/__init__.py": "", "bank/ledger.py": LEDGER},
     "ledger.record", "def bank.ledger.record"),
    ({"main.py": "from bank import record", "src/bank/__init__.py": LEDGER}, "record",
     "def bank.record"),
    # relative
    ({"bank/main.py": "from .ledger import record", "bank/__init__.py": "",
      "bank/ledger.py": LEDGER}, "record", "def bank.ledger.record"),
    ({"bank/main.py": "from . import ledger", "bank/__init__.py": "", "bank/ledger.py": LEDGER},
     "ledger.record", "def bank.ledger.record"),
    ({"bank/a/main.py": "from ..ledger import record", "bank/__init__.py": "",
      "bank/a/__init__.py": "", "bank/ledger.py": LEDGER}, "record", "def bank.ledger.record"),
    ({"bank/a/main.py": "from .. import record", "bank/a/__init__.py": "",
      "bank/__init__.py": LEDGER}, "record", "def bank.record"),
    ({"bank/main.py": "from .nowhere import record", "bank/__init__.py": ""}, "record", "unknown"),
    ({"bank/main.py": "from .jax import jit", "bank/__init__.py": "",
      "bank/jax.py": "def jit(f): pass"}, "jit", "def bank.jax.jit"),
    # re-exports
    ({"main.py": "import bank", "bank/__init__.py": "from .ledger import record",
      "bank/ledger.py": LEDGER}, "bank.record", "def bank.ledger.record"),
    ({"main.py": "from a import f", "a.py": "from b import g as f",
      "b.py": "import jax\ng = jax.jit"}, "f", "jax.jit"),
    ({"main.py": "import bank", "bank/__init__.py": "from . import ledger",
      "bank/ledger.py": LEDGER}, "bank.ledger.record", "def bank.ledger.record"),
    ({"main.py": "import bank", "bank/__init__.py": "from bank import ledger",
      "bank/ledger.py": LEDGER}, "bank.ledger.record", "def bank.ledger.record"),
    ({"main.py": "import bank", "bank/__init__.py": "from .record import record",
      "bank/record.py": LEDGER}, "bank.record", "def bank.record.record"),
    ({"main.py": "from a import A", "a.py": "class A:\n    from b import f",
      "b.py": "def f(): pass"}, "A.f", "def b.f"),
    # circular
    ({"main.py": "from a import f", "a.py": "from b import f", "b.py": "from a import f"}, "f",
     "unknown"),
    ({"main.py": "from main import f"}, "f", "unknown"),
    ({"main.py": "from a import f", "b.py": "from a import f",
      "a.py": "if x:\n    from b import f\nelse:\n    from c import f", "c.py": "def f(): pass"},
     "f", "def c.f"),
    ({"main.py": "from a import x", "a.py": "import jax\nimport b\nx = jax\nif c:\n    x = b.y.n",
      "b.py": "import a\ny = a.x.m"}, "x", "unknown"),
    # star imports
    ({"main.py": "from ledger import *", "ledger.py": LEDGER}, "record", "def ledger.record"),
    ({"main.py": "from ledger import *", "ledger.py": "def _f(): pass"}, "_f", "unknown"),
    ({"main.py": "from ledger import *", "ledger.py": f"__all__ = ['record']\n{LEDGER}"}, "record",
     "def ledger.record"),
    ({"main.py": "from ledger import *", "ledger.py": f"__all__ = ['record']\n{LEDGER}"}, "total",
     "unknown"),
    ({"main.py": "from ledger import *", "ledger.py": "__all__ = ['_f']\ndef _f(): pass"}, "_f",
     "def ledger._f"),
    ({"main.py": "from ledger import *", "ledger.py": f"__all__ = names()\n{LEDGER}"}, "total",
     "ledger: $count(0)"),
    ({"main.py": "from a import *", "a.py": "from b import *", "b.py": "def f(): pass"}, "f",
     "def b.f"),
    ({"main.py": "from a import *", "a.py": "from jax import *"}, "jit", "jax.jit"),
    ({"main.py": "from a import *", "a.py": "from b import *", "b.py": "from a import *"}, "f",
     "unknown"),
    ({"main.py": "from a import *\nfrom b import *", "a.py": "def f(): pass",
      "b.py": "def f(): pass"}, "f", "def b.f"),
    ({"main.py": "import bank", "bank/__init__.py": "from .a import *\nfrom .b import *",
      "bank/a.py": "def f(): pass", "bank/b.py": "from bank import *"}, "bank.f", "def bank.a.f"),
    ({"main.py": "from ledger import *\nfrom other import *", "ledger.py": LEDGER}, "record",
     "def ledger.record"),
    ({"main.py": "from ledger import *", "ledger.py": "def sum(xs): pass"}, "sum",
     "def ledger.sum"),
    # the project and libraries of the same name
    ({"main.py": "import jax", "jax.py": "def jit(f): pass"}, "jax.jit", "def jax.jit"),
    ({"main.py": "import jax", "jax.py": "x = 1"}, "jax.jit", "unknown"),
    ({"main.py": "import jax", "jax/__init__.py": "def jit(f): pass"}, "jax.jit", "jax.jit"),
    ({"main.py": "import functools", "functools.py": "def partial(f): pass"}, "functools.partial",
     "functools.partial"),
    ({"main.py": "from equinox import Module, other", "equinox/__init__.py":
      "class Module: pass\nclass other: pass"}, "Module", "equinox.Module"),
    ({"main.py": "from equinox import Module, other", "equinox/__init__.py":
      "class Module: pass\nclass other: pass"}, "other", "class equinox.other"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "expr", "expected"), MODULES)
def test_names_across_modules(
    tmp_path: Path, files: Mapping[str, str], expr: str, expected: str
) -> None:
    module = main_module(tmp_path, {name: f"{text}\n" for name, text in files.items()})
    assert told(resolve(module_scope(module), lowered(expr))) == expected


def test_names_that_options_list(tmp_path: Path) -> None:
    files = {
        "main.py": "from bank import fast\nimport elsewhere\nfrom bank._impl import quick\n",
        "bank/__init__.py": "from ._impl import fast\n",
        "bank/_impl.py": "def fast(f): pass\ndef quick(f): pass\n@quick\ndef g(): pass\n",
    }
    listed = {"bank.fast": "transform", "elsewhere.f": "base", "bank._impl.quick": "decorator"}
    module = main_module(tmp_path, files, listed)
    shown = [told(resolve(module_scope(module), lowered(text))) for text in ("fast", "quick")]
    assert shown == ["transform=bank.fast", "decorator=bank._impl.quick"]
    assert told(resolve(module_scope(module), lowered("elsewhere.f"))) == "base=elsewhere.f"
    inside = module.find("bank._impl")
    assert inside is not None
    assert told(resolve_name(inside, "quick")) == "decorator=bank._impl.quick"
    assert told(resolve_name(inside, "fast")) == "def bank._impl.fast"


CIRCLE = {
    "a.py": "if x:\n    from b import f\nelse:\n    from c import f\n",
    "b.py": "from a import f\nfrom c import g\n",
    "c.py": "if x:\n    from b import f\nelse:\n    from jax import jit as f\ng = f\n",
}


@pytest.mark.parametrize("order", [*permutations(CIRCLE)])
def test_it_does_not_matter_who_is_asked_first(tmp_path: Path, order: tuple[str, ...]) -> None:
    project = written(tmp_path, CIRCLE)
    modules = [opened(project, tmp_path / name) for name in order]
    assert {told(resolve_name(module, "f")) for module in modules} == {"jax.jit"}


def test_a_chain_of_aliases_has_no_limit(tmp_path: Path) -> None:
    """Nor do attributes, or branches in branches."""
    count = 3_000
    lines = ["import jax", "a0 = jax.jit", *(f"a{i} = a{i - 1}" for i in range(1, count))]
    module = main_module(tmp_path, "\n".join(lines) + "\n")
    assert told(resolve_name(module, f"a{count - 1}")) == "jax.jit"


def test_the_work_grows_with_the_program_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many alternatives lead to the same thing."""
    looks = 0
    real = resolution._equation

    def counted(*given: Any) -> Any:
        nonlocal looks
        looks += 1
        return real(*given)

    monkeypatch.setattr(resolution, "_equation", counted)
    count = 300
    aliases = [f"g{i} = jax.jit" for i in range(count)]
    branches = [f"if x:\n    f = g{i}" for i in range(count)]
    text = "\n".join(["import jax", *aliases, *branches])
    assert told(resolve_name(main_module(tmp_path, f"{text}\n"), "f")) == "jax.jit"
    assert looks < 4 * count


def test_too_many_alternatives_are_unknown(tmp_path: Path) -> None:
    def text(count: int) -> str:
        lines = ["import lib", *(f"if x:\n    f = lib.f{i}" for i in range(count)), "g = f"]
        return "\n".join(lines) + "\n"

    most = limits.ALTERNATIVES
    (tmp_path / "few").mkdir()
    (tmp_path / "many").mkdir()
    assert len(resolve_name(main_module(tmp_path / "few", text(most)), "g")) == most
    assert resolve_name(main_module(tmp_path / "many", text(most + 1)), "g") == (None,)


def test_comprehensions_have_names_of_their_own(tmp_path: Path) -> None:
    text = "from a import f\ng = [f for f in x]\ndef h(y):\n    return [f for f in y]\n"
    module = main_module(tmp_path, {MAIN: text})
    assert told(resolve_name(module, "f")) == "a.f"
    found = defined(module, "h")
    [statement] = found.made.body
    assert isinstance(statement, Return)
    assert isinstance(statement.value, Comp)
    assert told(resolve(found.inside, statement.value.parts[0])) == "unknown"
