"""The interpreter over real modules: what functions of ``main.py`` do, and what it starts."""

from pathlib import Path

import pytest

from flake8_jax.classes.members import MethodMember
from flake8_jax.classes.table import class_info
from flake8_jax.effects.callees import (
    AnyCallee,
    Cached,
    ClassRef,
    External,
    FunctionRef,
    Method,
    Partial,
    Traced,
)
from flake8_jax.effects.project import ProjectWorld, position
from flake8_jax.resolution.modules import Module
from unit.projects import defined, main_module
from unit.worlds import lines_of

HELPER = "def put(box, v):\n    box.x = v\n"
BASE = "class Base:\n    def put(self, v):\n        self.x = v\n"
TWO = """
    class C:
        def put(self, v):
            self.x = v
    First = C
    class C:
        def put(self, v):
            self.y = v
"""
IMPORTS = "import jax\nimport functools\nfrom functools import partial\nimport jax.numpy as jnp\n"


class Told:
    """A world around ``main.py``."""

    def __init__(self, folder: Path, files: dict[str, str]) -> None:
        self.folder = folder
        self.module: Module = main_module(folder, files)
        self.world = ProjectWorld()
        self.key = self.world.enter(self.module)

    def summary(self, name: str = "f") -> list[str]:
        own = defined(self.module, name)
        found = self.world.interpreter.summary(self.world.function_ref(own))
        return [self._short(line) for line in lines_of(found)]

    def value(self, name: str) -> str:
        """What a global name of the module stands for."""
        ref = self.world.function_ref(defined(self.module, "f"))
        value = self.world.global_value(ref, name)
        assert value is not None
        words = [*sorted(map(str, value.paths))]
        words += [f"of {' or '.join(sorted(map(_type, value.types)))}"] if value.types else []
        words += [f"calls {_callee(item)}" for item in value.callees]
        words += [f"holds {len(value.contents.items)}"] if value.contents.items else []
        return self._short(" ".join(words))

    def class_named(self, name: str) -> ClassRef:
        info = class_info(defined(self.module, name))
        assert info is not None
        return self.world.class_ref(info)

    def starts(self) -> list[str]:
        """The traces that all code of the module starts, in the order of the text."""
        found = [run.traced for outcome in self.world.outcomes(self.key) for run in outcome.runs]
        unique = {(item.site, item.callee, item.transform.name): item for item in found}
        starts = sorted(unique.values(), key=lambda item: (item.site, item.transform.name))
        return [self._start(item) for item in starts]

    def _start(self, item: Traced) -> str:
        line, column = position(self.world, item.site)
        static = f" static {sorted(map(str, item.static))}" if item.static else ""
        return self._short(f"{line}:{column} {item.transform.name} {_callee(item.callee)}{static}")

    def _short(self, text: str) -> str:
        return text.replace(f"{self.folder}/", "")


def _type(item: object) -> str:
    assert isinstance(item, ClassRef | External)
    return item.name if isinstance(item, ClassRef) else item.dotted


def _callee(item: AnyCallee) -> str:
    match item:
        case FunctionRef():
            owner = f"{item.owner.name}." if item.owner is not None else ""
            return f"{owner}{item.function.name}"
        case Cached():
            return f"cached({_callee(item.callee)})"
        case Traced():
            return f"{item.transform.name}({_callee(item.callee)})"
        case Partial():
            return f"{'bound' if item.is_method else 'partial'}({_callee(item.callee)})"
        case ClassRef():
            return f"class {item.name}"
        case Method():
            return f"method {item.name}"
    return str(item[0])


SUMMARIES = [
    (
        "a helper of another module writes what it is given",
        {"main.py": "from helper import put\ndef f(s, v):\n    put(s, v)\n",
         "helper.py": HELPER},
        ["set s.x from v via put", "returns plain"],
    ),
    (
        "through the module",
        {"main.py": "import helper as h\ndef f(s, v):\n    h.put(s, v)\n", "helper.py": HELPER},
        ["set s.x from v via put", "returns plain"],
    ),
    (
        "imported inside of the function, from a package",
        {"main.py": "def f(s, v):\n    from p.helper import put\n    put(s, v)\n",
         "p/__init__.py": "", "p/helper.py": HELPER},
        ["set s.x from v via put", "returns plain"],
    ),
    (
        "star import",
        {"main.py": "from helper import *\ndef f(s, v):\n    put(s, v)\n", "helper.py": HELPER},
        ["set s.x from v via put", "returns plain"],
    ),
    (
        "a method of a base class in another module",
        {"main.py": "from base import Base\nclass C(Base): pass\n"
                    "def f(c: C, v):\n    c.put(v)\n", "base.py": BASE},
        ["set c.x from v via put", "returns plain"],
    ),
    (
        "a diamond",
        {"main.py": "from base import Base\nclass A(Base): pass\n"
                    "class B(Base):\n    def put(self, v):\n        self.y = v\n"
                    "class C(A, B): pass\ndef f(c: C, v):\n    c.put(v)\n", "base.py": BASE},
        ["set c.y from v via put", "returns plain"],
    ),
    (
        "two classes of one name: the first",
        {"main.py": TWO + "    def f(c: First, v):\n        c.put(v)\n"},
        ["set c.x from v via put", "returns plain"],
    ),
    (
        "two classes of one name: the second",
        {"main.py": TWO + "    def f(c: C, v):\n        c.put(v)\n"},
        ["set c.y from v via put", "returns plain"],
    ),
    (
        "a class that a function makes",
        {"main.py": "def f(v):\n    class C:\n        def put(self, w):\n            G.x = w\n"
                    "    C().put(v)\nclass S: pass\nG = S()\n"},
        ["set $main.py:G.x from v via put", "returns plain"],
    ),
    (
        "a global object",
        {"main.py": "from base import Base\nbox = Base()\ndef f(v):\n    box.put(v)\n",
         "base.py": BASE},
        ["set $main.py:box.x from v via put", "returns plain"],
    ),
    (
        "a global object of another module, under another name",
        {"main.py": "from base import box as mine\ndef f(v):\n    mine.put(v)\n",
         "base.py": f"{BASE}box = Base()\n"},
        ["set $base.py:box.x from v via put", "returns plain"],
    ),
    (
        "a function for a function, decorated",
        {"main.py": IMPORTS + "@jax.jit\ndef put(s, v):\n    LOG.append(v)\nLOG = []\n"
                    "def f(s, v):\n    put(s, v)\n"},
        ["add $main.py:LOG[?] from tracer via put under jax.jit", "returns plain"],
    ),
    (
        "modules that import each other",
        {"main.py": "import other\ndef f(s, n):\n    s.a = n\n    other.g(s, n)\n",
         "other.py": "import main\ndef g(s, n):\n    s.b = n\n    if n:\n        main.f(s, n)\n"},
        ["set s.a from n", "set s.b from n via g", "returns plain"],
    ),
    (
        "a field with a class",
        {"main.py": "from base import Base\nclass C:\n    part: Base\n"
                    "def f(c: C, v):\n    c.part.put(v)\n", "base.py": BASE},
        ["set c.part.x from v via put", "returns plain"],
    ),
    (
        "a field that a constructor makes",
        {"main.py": "from base import Base\nclass C:\n"
                    "    def __init__(self):\n        self.part = Base()\n"
                    "def f(c: C, v):\n    c.part.put(v)\n", "base.py": BASE},
        ["set c.part.x from v via put", "returns plain"],
    ),
    (
        "a jitted method rebuilds self",
        {"main.py": IMPORTS + "from flax.struct import PyTreeNode\n"
                    "class C(PyTreeNode):\n    @jax.jit\n    def put(self, v):\n"
                    "        self.x = v\ndef f(c: C, v):\n    c.put(v)\n"},
        ["returns plain"],
    ),
    (
        "a jitted method of what jit takes as no argument",
        {"main.py": IMPORTS + "class C:\n    @jax.jit\n    def put(self, v):\n"
                    "        self.x = v\ndef f(c: C, v):\n    c.put(v)\n"},
        ["never returns"],
    ),
    (
        "a method of a base",
        {"main.py": IMPORTS + "class B:\n    def put(self, v):\n        self.x = v\n"
                    "class C(B):\n    def put(self, v):\n        super().put(v)\n"
                    "class D(B):\n    def put(self, v):\n        super(D, self).put(v)\n"
                    "def f(c: C, d: D, v):\n    c.put(v)\n    d.put(v)\n"},
        ["set c.x from v via put.put", "set d.x from v via put.put", "returns plain"],
    ),
    (
        "an object that is called",
        {"main.py": IMPORTS + "class C:\n    def __call__(self, v):\n        self.x = v\n"
                    "def f(c: C, v):\n    c(v)\n"},
        ["set c.x from v via __call__", "returns plain"],
    ),
    (
        "a class that the name of a method tells",
        {"main.py": IMPORTS + "class C:\n    def put_into(self, v):\n        self.x = v\n"
                    "def f(c, d, v):\n    c.put_into(v)\n"
                    "    if not isinstance(d, C):\n        d.put_into(v)\n"},
        ["set c.x from v via put_into", "returns plain"],
    ),
    (
        "two classes that have such a method",
        {"main.py": IMPORTS + "class C:\n    def put_into(self, v):\n        self.x = v\n"
                    "class D:\n    def put_into(self, v):\n        self.x = v\n"
                    "def f(c, v):\n    c.put_into(v)\n"},
        ["returns plain"],
    ),
    (
        "self is static",
        {"main.py": IMPORTS + "class C:\n    @partial(jax.jit, static_argnums=0)\n"
                    "    def put(self, v):\n        self.x = v\ndef f(c: C, v):\n    c.put(v)\n"},
        ["set c.x from tracer via put under jax.jit", "returns plain"],
    ),
    (
        "a name of a class body that is jitted",
        {"main.py": IMPORTS + "class C:\n    def raw(self, v):\n        self.x = v\n"
                    "    put = jax.jit(raw, static_argnums=(0,))\n"
                    "def f(c: C, v):\n    c.put(v)\n"},
        ["set c.x from tracer via raw under jax.jit", "returns plain"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "expected"), [item[1:] for item in SUMMARIES], ids=[item[0] for item in SUMMARIES]
)
def test_summary(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert Told(tmp_path, files).summary() == expected


F = "\ndef f(x): pass\nclass S: pass\nclass T: pass\n"
VALUES = [
    ("f", "calls f"),
    ("S", "calls class S"),
    ("len", "calls builtins.len"),
    ("jnp", "calls jax.numpy"),
    ("v = S()", "$main.py:v of S"),
    ("v = jax.jit(f)", "$main.py:v calls jax.jit(f)"),
    ("v = partial(f, 1)", "$main.py:v calls partial(f)"),
    ("v = lambda x: x", "$main.py:v calls <lambda>"),
    ("v = (S(), f)", "$main.py:v holds 2"),
    ("v = {'a': f}", "$main.py:v of builtins.dict"),
    ("w = S()\nv = w", "$main.py:w of S"),
    ("v = S() if unknown else T()", "$main.py:v of S or T"),
    ("v = S() if unknown else unknown()", "$main.py:v"),
    ("v = S()\nif unknown:\n    v = T()", "$main.py:v of S or T"),
    ("v = S()\nv = T()", "$main.py:v of T"),
    ("v = S()\ndef g():\n    global v\n    v = T()", "$main.py:v"),
    ("v, w = S(), T()", "$main.py:v of S"),
    ("for v in unknown: pass", "$main.py:v"),
    ("def v(): pass\nv = jax.jit(v)", "$main.py:v calls jax.jit(v)"),
    ("@jax.jit\ndef v(): pass", "calls jax.jit(v)"),
    ("@partial(jax.jit, static_argnums=0)\ndef v(): pass", "calls jax.jit(v)"),
    ("@jax.jit(static_argnums=0)\ndef v(): pass", "calls jax.jit(v)"),
    ("@functools.lru_cache\ndef v(): pass", "calls cached(v)"),
    ("@unknown\ndef v(): pass", "$main.py:v"),
    ("def make(): return S()\nv = make()", "$main.py:v of S"),
    ("def make():\n    def inner(): pass\n    return inner\nv = make()", "$main.py:v calls inner"),
    ("v = None", "$main.py:v"),
]


@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_value_of_a_global(tmp_path: Path, text: str, expected: str) -> None:
    name = text if text.isidentifier() else "v"
    body = "" if text.isidentifier() else text
    assert Told(tmp_path, {"main.py": f"{IMPORTS}{F}{body}\n"}).value(name) == expected


STARTS = [
    ("@jax.jit\ndef f(x): pass", ["6:0 jax.jit f"]),
    ("def f(x): pass\nstep = jax.jit(f)", ["6:7 jax.jit f"]),
    ("def f(x): pass\nif __name__ == '__main__':\n    jax.vmap(f)(1)", ["7:4 jax.vmap f"]),
    ("class C:\n    @jax.jit\n    def m(self): pass", ["7:4 jax.jit C.m"]),
    ("class C:\n    @partial(jax.jit, static_argnums=0)\n    def m(self): pass",
     ["7:4 jax.jit C.m static ['0']"]),
    ("class C:\n    def m(self): pass\n    def g(self):\n        return jax.jit(self.m)",
     ["8:15 jax.jit bound(C.m)"]),
    ("def f():\n    @jax.jit\n    def g(x): pass", ["7:4 jax.jit g"]),
    ("def f():\n    def g():\n        jax.jit(lambda x: x)", ["7:8 jax.jit <lambda>"]),
    ("def f():\n    class C:\n        @jax.jit\n        def m(self): pass", ["8:8 jax.jit C.m"]),
    ("s = 'ä'; f = jax.jit(lambda x: x)", ["5:13 jax.jit <lambda>"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), STARTS)
def test_starts_of_a_module(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert Told(tmp_path, {"main.py": f"{IMPORTS}{text}\n"}).starts() == expected


def test_what_is_asked_for_is_counted(tmp_path: Path) -> None:
    files = {
        "main.py": "from helper import put\ndef f(s):\n    put(s, 1)\n",
        "helper.py": f"{HELPER}def other():\n    pass\n",
    }
    told = Told(tmp_path, files)
    assert told.world.statements == 0
    told.summary()
    assert told.world.statements == 4


def test_super(tmp_path: Path) -> None:
    """The order is that of the class of the instance."""
    told = Told(tmp_path, {
        "main.py": "class A:\n    def m(self): pass\n"
        "class B(A):\n    def m(self): pass\n"
        "class C(A):\n    def m(self): pass\n"
        "class D(B, C): pass\n"
    })  # fmt: skip
    views = {name: told.world.class_view(told.class_named(name)) for name in "BD"}
    found = {
        name: view.member_after(told.class_named("B"), "m")
        for name, view in views.items()
        if view is not None
    }
    shown = {
        name: _callee(item.function)
        for name, item in found.items()
        if isinstance(item, MethodMember)
    }
    assert shown == {"B": "A.m", "D": "C.m"}


def test_an_index_from_the_end_that_is_not_there(tmp_path: Path) -> None:
    text = "def g(pair):\n    return pair[-3].x\ndef f(s):\n    return g((s, s))\n"
    assert Told(tmp_path, {"main.py": text}).summary()[-1].startswith("returns")
