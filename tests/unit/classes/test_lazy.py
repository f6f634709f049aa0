"""Hand-made caches: which attributes a class body fills only while they are absent."""

from pathlib import Path
from textwrap import indent

import pytest

from flake8_jax.classes.construction import construction_fills
from flake8_jax.classes.lazy import lazy_stores
from flake8_jax.lowering.printer import show
from unit.class_facts import classes_of


def lazily(folder: Path, body: str) -> list[str]:
    """The attributes that class C fills lazily, with what is stored."""
    info = classes_of(folder, f"class C(eqx.Module):\n{indent(body, '    ')}")["C"]
    found = [f"{item.attribute} = {show(item.value)}" for item in lazy_stores(info)]
    return [item.replace("$", "").replace("^", "") for item in found]


FILLED = ["_c = f(self)"]
METHODS = [
    # tests
    ("if self._c is None: self._c = f(self)\nreturn self._c", FILLED),
    ("if self._c is not None: return self._c\nself._c = f(self)", FILLED),
    ("if not self._c:\n    self._c = f(self)", FILLED),
    ("if bool(self._c): return self._c\nself._c = f(self)", FILLED),
    ("if self._c == None or k: self._c = f(self)", FILLED),
    ("if not hasattr(self, '_c'): self._c = f(self)", FILLED),
    ("if '_c' not in vars(self): self._c = f(self)", FILLED),
    ("if '_c' in self.__dict__.keys(): return self._c\nself._c = f(self)", FILLED),
    ("if getattr(self, '_c', None) is None: self._c = f(self)", FILLED),
    ("if self.__dict__.get('_c') is None: self._c = f(self)", FILLED),
    ("c = self._c\nif c is None: c = self._c = f(self)\nreturn c", FILLED),
    ("is_new = self._c is None\nif is_new: self._c = f(self)", FILLED),
    ("if (c := self._c) is not None: return c\nself._c = f(self)", FILLED),
    ("if self._c is ...: self._c = f(self)", FILLED),
    ("if self._c is unknown.MISSING: self._c = f(self)", FILLED),
    ("match self._c:\n    case None: self._c = f(self)", FILLED),
    ("match self._c:\n    case None: pass\n    case c: return c\nself._c = f(self)", FILLED),
    ("try: return self._c\nexcept AttributeError: self._c = f(self)", FILLED),
    ("try: return self.__dict__['_c']\nexcept (KeyError, ValueError): pass\nself._c = f(self)",
     FILLED),
    ("with suppress(AttributeError): return self._c\nself._c = f(self)", FILLED),
    ("while self._c is None: self._c = f(self)", FILLED),
    ("with suppress(KeyError, AttributeError): return self._c\nself._c = f(self)", FILLED),
    ("try: return self._c\nexcept: self._c = f(self)", FILLED),
    ("for k in range(3):\n    if self._c is None: self._c = f(self)", FILLED),
    ("if not self._ready:\n    self._c = f(self)\n    self._ready = True",
     ["_c = f(self)", "_ready = True"]),
    # ways to store
    ("if self._c is None: object.__setattr__(self, '_c', f(self))", FILLED),
    ("if self._c is None: super().__setattr__('_c', f(self))", FILLED),
    ("if self._c is None: setattr(self, '_c', f(self))", FILLED),
    ("if self._c is None: self.__dict__['_c'] = f(self)", FILLED),
    ("d = vars(self)\nif '_c' not in d: d['_c'] = f(self)", FILLED),
    ("if self._c is None: self.__dict__.update(_c=f(self))", FILLED),
    ("if self._c is None: vars(self).update({'_c': f(self)})", FILLED),
    ("return vars(self).setdefault('_c', f(self))", FILLED),
    ("if self._c is None: self._c, self.n = f(self), 1", ["_c = f(self)", "n = 1"]),
    ("self._c = self._c or f(self)", ["_c = self._c or f(self)"]),
    ("self._c = self._c if self._c is not None else f(self)",
     ["_c = self._c if (self._c is not None) else f(self)"]),
    ("def fill(): self._c = f(self)\nif self._c is None: fill()", FILLED),
    ("for name in 'ab':\n    if not hasattr(self, name): setattr(self, name, f(self))",
     ["<name> = f(self)"]),
    # no caches
    ("self._c = f(self)", []),
    ("if self._c is None: return f(self)\nreturn self._c", []),
    ("if self._c is not None: self._c = f(self)", []),
    ("if self._c is None: self._d = f(self)", []),
    ("if self._c is None: self._c = k", []),
    ("if self._c is None: self._c = k * 2", []),
    ("if self._c is None: self._c = None", []),
    ("if self._c is None: self._c = f(self)\nself._c = g(self)", []),
    ("if self._c is None: self._c = f(self)\nself._c += 1", []),
    ("if self._c is None: self._c = f(self)\nreturn self", []),
    ("if hasattr(self, '_c'): raise ValueError\nself._c = f(self)", []),
    ("try: return self._c\nexcept ValueError: self._c = f(self)", []),
    ("try: return self._c\nexcept unknown.Absent: self._c = f(self)", []),
    ("with suppress(unknown.Absent): return self._c\nself._c = f(self)", []),
    ("try: return self._c\nexcept AttributeError as e: raise\nself._c = f(self)", []),
    ("if other._c is None: other._c = f(self)", []),
    ("if self._c is None:\n    def fill(): self._c = f(self)", []),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), METHODS)
def test_a_method(tmp_path: Path, body: str, expected: list[str]) -> None:
    assert lazily(tmp_path, f"def get(self, k):\n{indent(body, '    ')}") == expected


CLASSES = [
    ("def get(self):\n    if self._c is None: self._fill()\ndef _fill(self): self._c = f(self)",
     FILLED),
    ("def get(self):\n    if self._c is None: self._fill(f(self))\ndef _fill(self, x): self._c = x",
     FILLED),
    ("def get(self):\n    if self._c is None: self.c = f(self)\n"
     "@property\ndef c(self): return 1\n@c.setter\ndef c(self, x): self._c = x", FILLED),
    ("def __getattr__(self, name):\n    setattr(self, name, f(self))", ["<name> = f(self)"]),
    ("def get(this):\n    if this._c is None: this._c = f(this)", ["_c = f(this)"]),
    ("def __init__(self):\n    if self._c is None: self._c = f(self)", []),
    ("def __init__(self): self.get()\ndef get(self):\n    if self._c is None: self._c = f(self)",
     []),
    ("def get(k):\n    return k\ndef take(self):\n    if self._c is None: self._c = f(self)",
     FILLED),
    ("def __new__(cls):\n    if cls._c is None: cls._c = f(cls)", []),
    ("def __init_subclass__(cls):\n    if cls._c is None: cls._c = f(cls)", []),
    ("@staticmethod\ndef get(self):\n    if self._c is None: self._c = f(self)", []),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), CLASSES)
def test_a_class(tmp_path: Path, body: str, expected: list[str]) -> None:
    assert lazily(tmp_path, body) == expected


CONSTRUCTORS = [
    ("self.c = f(x)", True),
    ("self.c = x", False),
    ("self.c = x[0]", False),
    ("self.c = x if x is not None else 1", True),
    ("self.c = x or 1", True),
    ("self.c = x and 1", False),
    ("if x is None: x = f(1)\nself.c = x", True),
    ("if x is None: return\nself.c = x", False),
    ("if x is None: raise ValueError\nself.c = x", True),
    ("if x: self.c = x\nelse: self.c = 1", True),
    ("if x: self.c = f(x)", False),
    ("for y in x: self.c = f(y)", False),
    ("try: self.c = f(x)\nexcept ValueError: pass", False),
    ("with x: self.c = f(x)", True),
    ("self.c = f(x)\nself.c = None", False),
    ("object.__setattr__(self, 'c', f(x))", True),
    ("self._fill()", True),
    ("if self.c is None: self._fill()", True),
    ("super().__init__(x)", True),
    ("self.c = kw.get('c')", False),
]


@pytest.mark.parametrize(("body", "expected"), CONSTRUCTORS)
def test_what_construction_fills(tmp_path: Path, body: str, expected: bool) -> None:
    text = (
        "class B:\n    def __init__(self, x): self.c = f(x)\n"
        f"class C(B):\n    def __init__(self, x, **kw):\n{indent(body, '        ')}\n"
        "    def _fill(self): self.c = 1\n"
    )
    assert construction_fills(classes_of(tmp_path, text)["C"], "c") is expected
