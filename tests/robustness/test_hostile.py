"""Hostile input: whatever it is, other results are untouched, and nothing is run or written."""

import json
import os
import re
import stat
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from cached_wave import MESSAGE, NODE
from conftest import FIXTURES, LENIENT, PATIENCE, REPOSITORY, call
from flake8_jax.evidence.fixtures import discover
from flake8_jax.faults import RAISE
from robustness import bulk
from sampling import EXHAUSTIVE, sample

WATCH = Path(__file__).parent / "watch.py"
GOOD = f"good.py:10:5: {MESSAGE}"
START = "import functools\n\nimport flax.struct\nimport jax\n\nseen = []\n\n\n"
STEP = START + "@jax.jit\ndef step(x, s):\n{}    seen.append(x)\n    return x\n"
OTHER = """

@jax.jit
def other(x, s):
    seen.append(x)
    s.b = x
    return x
"""
MAIN = """\
import jax
from other import record


@jax.jit
def pay(account, amount):
    record(account, amount)
    account.paid = amount
    return amount
"""
RECORD = "def record(account, amount):\n    account.total = amount\n"


@dataclass(frozen=True)
class Watched:
    """What a run of flake8 printed, and what it did besides."""

    stdout: str
    stderr: str
    status: int
    news: list[str]

    @property
    def found(self) -> list[str]:
        """The places and codes of the findings."""
        lines = [line.removeprefix("./").split(" ") for line in self.stdout.splitlines()]
        return [f"{words[0].rsplit(':', 2)[0]} {words[1]}" for words in lines]


Watch = Callable[..., Watched]


@pytest.fixture
def watch(tmp_path: Path) -> Watch:
    """Run flake8 under watch over files of a folder, with a good file among them."""

    def run(
        files: Mapping[str, str | bytes],
        *arguments: str,
        config: str = "--isolated",
        select: str = "JAX,JAX9,E9",
        recursion: int = 1_000,
    ) -> Watched:
        for name, content in {"good.py": NODE, **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return watched(
            tmp_path, config, f"--select={select}", *(arguments or ["."]), recursion=recursion
        )

    return run


def watched(folder: Path, *arguments: str, recursion: int = 1_000) -> Watched:
    with tempfile.TemporaryFile() as report:
        command = [sys.executable, "-B", str(WATCH), str(report.fileno()), ".", str(recursion)]
        done = subprocess.run(
            [*command, "-j1", *arguments],
            capture_output=True,
            text=True,
            cwd=folder,
            pass_fds=[report.fileno()],
            check=False,
            timeout=PATIENCE,
        )
        report.seek(0)
        news = json.loads(report.read() or b'["no report"]')
    return Watched(done.stdout, done.stderr, done.returncode, news)


def assert_only(done: Watched, *found: str) -> None:
    """There are these findings and the good file's, and nothing else has happened."""
    expected = sorted([*found, "good.py:10 JAX101"])
    assert (sorted(done.found), done.stderr, done.news, done.status) == (expected, "", [], 1)
    assert done.stdout.replace("./", "").count(f"{GOOD}\n") == 1


NESTS = {
    "brackets": ("[", "]"),
    "parentheses": ("(", ")"),
    "braces": ("{0: ", "}"),
    "calls": ("f(", ")"),
    "chained calls": ("", ".b()"),
    "attributes": ("", ".b"),
    "subscripts": ("", "[0]"),
    "terms": ("", " + x"),
    "signs": ("-", ""),
    "negations": ("not ", ""),
    "lambdas": ("lambda: ", ""),
    "choices": ("x if x else ", ""),
    "powers": ("x ** ", ""),
}


def nested(kind: str, depth: int) -> str:
    """An expression that is nested deeply."""
    before, after = NESTS[kind]
    return before * depth + "x" + after * depth


def test_what_flake8_can_read(watch: Watch) -> None:
    """Each of these is followed, and has the findings that it should have."""
    indents = "".join(f"{' ' * i}if x:\n" for i in range(4, 94)) + f"{' ' * 94}x\n"
    files = {
        "decorators.py": START
        + "@table[0]\ndef a(x):\n    seen.append(x)\n\n\n"
        + "@jax.jit[0]\ndef b(x):\n    seen.append(x)\n\n\n"
        + "@(lambda f: f)\ndef c(x):\n    seen.append(x)\n\n\n"
        + "@(fast := jax.jit)\ndef d(x):\n    seen.append(x)\n",
        "keywords.py": START
        + "match = case = type = _ = 1\n\n\n"
        + "@jax.jit\ndef exec(case, type, print):\n    case.match = type\n    return print\n",
        "metaclasses.py": START
        + "class Meta(type):\n    def __new__(meta, *a):\n"
        + "        return jax.tree_util.register_pytree_node_class(super().__new__(meta, *a))\n\n\n"
        + "class Node(metaclass=Meta):\n    @functools.cached_property\n    def y(self):\n"
        + "        return expensive(self.x)\n\n\n"
        + "class Own(Own, metaclass=Own):\n    pass\n\n\nclass Star(*seen, **seen):\n    pass\n",
        "executes.py": START + "exec('seen = 1/0')\neval('1/0')\n__import__('os').abort()\n",
        "itself.py": START
        + "a = a\nb = c\nc = b\nf = jax.jit(f)\njax.jit = jax.jit\n"
        + "f = functools.partial(f, f)\ng = jax.jit(lambda: g)\n",
        "arguments.py": START
        + "jax.jit()\njax.jit(*seen)\njax.jit(**seen)\njax.jit(1)\njax.jit(None)(1)\n"
        + "jax.jit(seen, static_argnums=10**99)\njax.lax.scan()\n"
        + "jax.jit(seen, static_argnums=(-5, 'x', None), static_argnames=1)\n"
        + "jax.lax.switch(1, [seen, *seen])\njax.vmap(seen, in_axes=())\n",
        "surrogates.py": STEP.format("    s['\\ud800'] = x\n    setattr(s, '\\udfff', x)\n"),
        "indents.py": STEP.format(indents),
        "patterns.py": STEP.format("    match x:\n        case [[[[a]]]]: s.a = a\n"),
        "deep_patterns.py": STEP.format(f"    match x:\n        case {'[' * 60}a{']' * 60}: 0\n"),
        "strings.py": STEP.format("    y = (" + "'a'\n" * 1_000 + ")\n"),
        "long_line.py": START + f"# {'jax ' * 2_500_000}\n" + STEP.format(""),
    }
    assert_only(
        watch(files),
        "decorators.py:26 JAX303",
        "keywords.py:14 JAX201",
        "metaclasses.py:15 JAX101",
        "surrogates.py:11 JAX202",
        "surrogates.py:12 JAX201",
        "surrogates.py:13 JAX303",
        "indents.py:102 JAX303",
        "patterns.py:12 JAX201",
        "patterns.py:13 JAX303",
        "deep_patterns.py:13 JAX303",
        "strings.py:1012 JAX303",
        "long_line.py:20 JAX303",
    )


HUGE: dict[str, Callable[[int], str]] = {
    "hexadecimal": lambda count: f"0x{'f' * count}",
    "octal": lambda count: f"0o{'7' * count}",
    "binary": lambda count: f"0b{'1' * count}",
    "underscores": lambda count: f"0x{'f_' * count}f",
    "decimal": lambda count: "9" * min(count, 4_300),
    "fraction": lambda count: f"{'9' * count}.{'9' * count}",
    "exponent": lambda count: f"1e{'9' * count}",
    "imaginary": lambda count: f"{'9' * count}.5e{'9' * count}j",
    "text": lambda count: f"'{'a' * count}'",
    "names": lambda count: "'" + "\\N{BULLET}" * count + "'",
    "escapes": lambda count: "'" + "\\U0010ffff" * count + "'",
    "octets": lambda count: "b'" + "\\xff" * count + "'",
    "strings": lambda count: "(" + "'a'\n" * min(count, 5_000) + ")",
    "formatted": lambda count: "f'" + "{x}" * min(count, 1_000) + "'",
}
LITERALS = (
    START
    + """\
table = {0}


def unrelated(x, limit={0}):
    y = x[{0}]
    if x[-{1}] == {0}:
        x.update(a={0})
    return y, {{{0}: {0}}}[{0}]


@jax.jit
def step(x, s):
    seen.append(x)
    s[{0}].a = x
    setattr(s[1], "b", ({0}, -{1}))
    seen[{1}] = x
    unrelated(x, {0})
    return x


other = jax.jit(unrelated, static_argnums=(-{1}, {0}), static_argnames={0})
"""
)


def lines_of(text: str, *places: str) -> list[int]:
    """The lines in which some words stand."""
    lines = text.split("\n")
    return [next(i for i, line in enumerate(lines, 1) if place in line) for place in places]


def test_literals_without_end(watch: Watch) -> None:
    """Python refuses to print a number of more than 4,300 digits."""
    files: dict[str, str] = {}
    expected: set[str] = set()
    for index, (kind, literal) in enumerate(HUGE.items()):
        for count in sample((20_000, 3_700, 3_590), 3):
            number = literal(count) if kind in list(HUGE)[:5] else "0"
            text = LITERALS.format(literal(count), number)
            append, store = lines_of(text, "seen.append", "setattr(")
            name = f"huge{index}_{count}.py"
            files[name] = text
            expected |= {f"{name}:{append} JAX303", f"{name}:{store} JAX201"}
    done = watch(files)
    assert (done.stderr, done.news) == ("", [])
    assert expected <= {*done.found}
    assert all(len(line) < 400 for line in done.stdout.splitlines())


def test_a_million_digits(tmp_path: Path) -> None:
    """They are not converted at all where no index can be meant, which would take minutes."""
    tally = bulk.Tally()
    literal = HUGE["hexadecimal"](1_000_000)
    bulk.lint(LITERALS.format(literal, literal), tmp_path / "huge.py", tally)
    assert (tally.linted, tally.faults) == (1, [])
    assert tally.findings >= 3


TANGLED = {
    "functions.py": START
    + "@jax.jit\ndef step(x):\n"
    + "".join(f"{' ' * i}def f{i}(x):\n" for i in range(1, 20))
    + f"{' ' * 20}seen.append(x)\n"
    + "".join(f"{' ' * i}return f{i}(x)\n" for i in range(19, 0, -1)),
    "branches.py": START
    + "@jax.jit\ndef step(x, k):\n    if k == 0:\n        pass\n"
    + "".join(f"    elif k == {i}:\n        x = x + {i}\n" for i in range(1, 80))
    + "    seen.append(x)\n    return x\n",
    "parameters.py": START
    + f"@jax.jit\ndef step({', '.join(f'a{i}' for i in range(2_000))}, *b, **c):\n"
    + f"    seen.append(a7)\n    return g({', '.join(f'a{i}=a{i}' for i in range(2_000))}, *b)\n",
    "matches.py": STEP.format(
        """\
    match s:
        case {"a": [1, *_, {"b": (y, *rest)}], **more} if (n := y):
            seen.append(n)
        case [jax.Array(shape=(1 | 2 | 3, *_)) as a, -1.5e3 + 2j, None] | [_, a, *_, _]:
            a.x = x
        case str() | bytes() | int(real=0) as q:
            pass
    match x, *s:
        case () | ([], {}):
            pass
"""
    ),
    "waits.py": START
    + """\
@jax.jit
async def step(x):
    async with x as (y, *z):
        async for a.b in y:
            seen.append(x)
    r = [await q async for q in y if (w := q)]
    return [*r, *(item for item in z)]
""",
    "knots.py": START
    + """\
f = functools.partial(f, f)
h = [h, jax.jit(h[0])]
k = {"k": k}["k"]
l, (m, *n) = m, (l, *n)
for f in f(f):
    f = jax.jit(f)(f)
with f as g, g as f:
    f.g = g.f


@g
@f
@k
@jax.jit
def step(x):
    seen.append(x)
    return step(step)
""",
    "families.py": START
    + """\
class A(B, metaclass=A):
    pass


class B(A, *A, **A):
    @functools.cached_property
    @functools.cached_property
    def x(self):
        return self.x


class C(C, metaclass=lambda *a: type(*a)):
    __slots__ = C.__slots__ = self = ("x",)

    class C(C):
        step = jax.jit(lambda self, x: setattr(self, "x", x))


@jax.tree_util.register_pytree_node_class
class D(D, B, A, D):
    def tree_flatten(self):
        return self.tree_flatten()

    @classmethod
    def tree_unflatten(cls, *a):
        return cls.tree_unflatten(*a)
""",
    "targets.py": STEP.format(
        """\
    (s.a, [s.b, *s.c], (s.d, *_)), *z = x
    for s.i, (seen[:], *_) in x * 2.0: ...
    with x as s.w, x as (s.v, *s["u"]): ...
    del s.a, (s.b, [z[0], (seen[0])]), s.f()[0:1].x
    s.q @= x; seen[-1] **= x
    s().x = (lambda: s)().y = (yield s).k = x
"""
    ),
    "letters.py": START
    + "@jax.jit\ndef \uff53tep(\ufb01, \U0001d535):\n    \ufb01.\U0001d4b3 = x\n",
    "lines.py": "\ufeff"
    + START.replace("\n", "\r\n")
    + "\f@jax.jit\r\ndef step(x):\r\n\tif x is not None:\r\n\t    seen.append(x); x = \\\r\n x",
    "lambdas.py": START
    + """\
fs = [jax.jit(lambda x, i=i: (seen.append(x), i)) for i in range(3) if (last := i)]
i = (lambda f: jax.jit(f))(lambda x: seen.append(x))
j = jax.jit((own := lambda x: [seen.append(y) for y in x * 2.0] and {**seen} or [*x]))
""",
    "ring/__init__.py": "from .a import *\n",
    "ring/a.py": "from .b import *\nfrom .b import record\n__all__ = __all__ + ['record']\n",
    "ring/b.py": "from ring.c import *\nfrom ring import *\n",
    "ring/c.py": "from .a import *\nfrom ..ring.b import *\nfrom .... import none\n" + RECORD,
    "in_a_ring.py": MAIN.replace("from other", "from ring.a"),
    "others.py": START
    + "class Field:\n    def get(self, x):\n        if self.c is None:\n"
    + "            self.c = 2 * x\n        return self.c\n\n\n"
    + "def _f0(f: Field, x):\n    return jax.lax.fori_loop(0, 3, lambda i, y: f.get(y), x)\n\n\n"
    + "".join(f"def _f{i}(f: Field, x):\n    return _f{i - 1}(f, x)\n\n\n" for i in range(1, 99))
    + "def _g(x, into: dict):\n    into['x'] = x\n\n\n_g = jax.grad(_g)\n"
    + "".join(f"_g{i} = jax.grad(_g{i - 1 or ''})\n" for i in range(1, 99)),
}


def test_what_nobody_would_write(watch: Watch) -> None:
    """Functions, classes, modules and callers that lead to themselves, or on without an end."""
    assert_only(
        watch(TANGLED),
        "branches.py:171 JAX303",
        "families.py:24 JAX201",
        "families.py:28 JAX101",
        "functions.py:30 JAX303",
        "in_a_ring.py:8 JAX201",
        "knots.py:24 JAX303",
        "lambdas.py:10 JAX303",
        "lambdas.py:11 JAX303",
        "lambdas.py:9 JAX303",
        "letters.py:11 JAX201",
        "lines.py:12 JAX303",
        "matches.py:13 JAX303",
        "matches.py:15 JAX201",
        "matches.py:21 JAX303",
        "others.py:413 JAX303",
        "parameters.py:11 JAX303",
        "targets.py:11 JAX901",
        "targets.py:12 JAX303",
        "targets.py:12 JAX901",
        "targets.py:13 JAX901",
        "targets.py:13 JAX901",
        "targets.py:13 JAX901",
        "targets.py:14 JAX904",
        "targets.py:15 JAX303",
        "targets.py:15 JAX901",
        "targets.py:16 JAX901",
        "targets.py:17 JAX303",
        "waits.py:13 JAX303",
    )


def test_what_flake8_cannot_read(watch: Watch) -> None:
    """flake8 says so itself, and of nothing else."""
    files = {
        "nul.py": b"import jax\n\0\n",
        "sixteen.py": "import jax\n".encode("utf-16"),
        "python2.py": b"import jax\nprint 'jax'\n",
        "cut.py": STEP.format("").encode()[:-30] + b"(",
        "brackets.py": f"import jax\nx = {nested('brackets', 5_000)}\n".encode(),
    }
    assert_only(watch(files, select="JAX,JAX9"))
    said = {line.partition(":")[0] for line in watch(files).found if line.endswith(" E999")}
    assert said == {*files}


def test_encodings_that_lie(watch: Watch) -> None:
    files = {
        "latin.py": b"import jax\nx = '\xff\xfe'\n",
        "seven.py": b"# coding: utf-7\nimport jax\n",
        "unknown.py": b"# coding: no-such-thing\nimport jax\n",
        "surrogate.py": b"import jax\nx = '\xed\xa0\x80'\n",
        "binary.py": bytes(range(1, 256)) * 100,
    }
    assert_only(watch(files, select="JAX,JAX9"))


@pytest.mark.parametrize(
    "deep",
    [
        "        return a" + ".b()" * 200 + "\n",
        "        return " + "+".join(["1"] * 600) + "\n",
        "        return (" + "\n".join(['"a"'] * 1_500) + ")\n",
        "        if a: pass\n" + "        elif b: pass\n" * 400,
    ],
    ids=["chained calls", "terms", "strings", "elifs"],
)
def test_what_libcst_cannot_parse_costs_only_itself(watch: Watch, deep: str) -> None:
    """The limit of recursion is raised so that pyflakes, which runs first, bears it."""
    text = f"class Deep:\n    def f(self):\n{deep}{NODE}"
    line = 12 + deep.count("\n")
    assert_only(watch({"deep.py": text}, recursion=10_000), f"deep.py:{line} JAX101")


NEWER = """\
import ast
import sys
from flake8.main.cli import main

class JoinedStr(ast.expr):  # what pyflakes knows by its name, and nobody by its type
    _fields = ("values",)

class Add(ast.operator):
    pass

class Newer(ast.NodeTransformer):
    def visit_JoinedStr(self, node):
        return ast.copy_location(JoinedStr(values=node.values), node)

    def visit_Add(self, node):
        return Add()

parse = ast.parse
ast.parse = lambda *given, **more: Newer().visit(parse(*given, **more))
raise SystemExit(main())
"""
NEW_SYNTAX = STEP.format("    y = {0}\n").replace("step", "new") + OTHER


@pytest.mark.parametrize(
    ("text", "name"), [('f"{x}"', "JoinedStr"), ("[x for x in x + s]", "Add")], ids=ascii
)
def test_syntax_of_a_newer_python_costs_only_itself(tmp_path: Path, text: str, name: str) -> None:
    """The log says what was not read."""
    (tmp_path / "main.py").write_text(NEW_SYNTAX.replace("{0}", text))
    command = [sys.executable, "-c", NEWER, "-j1", "--isolated", "--select=JAX", "-v", "main.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    found = re.findall(r"^main.py:(\d+):\d+: (JAX\d+)", done.stdout, re.M)
    assert found == [("18", "JAX303"), ("19", "JAX201")]
    said = done.stdout + done.stderr
    assert f"lines 9 to 13: UnknownNodeError('{name}')" in said
    assert "main.py, lines 9 to 13: not read" in said


def test_deep_nesting_that_is_linted(watch: Watch) -> None:
    files = {
        f"deep{i}.py": STEP.format(f"    y = {nested(kind, 80)}\n") for i, kind in enumerate(NESTS)
    }
    assert_only(watch(files), *(f"{name}:12 JAX303" for name in files))


@pytest.mark.parametrize("depth", [150, 100_000])
def test_deep_nesting_that_is_imported(watch: Watch, depth: int) -> None:
    """Imported files are not parsed by flake8 before: a deep one would end the process."""
    files: dict[str, str] = {}
    for index, kind in enumerate(NESTS):
        deep = nested(kind, depth)
        for folder, text in {
            f"beside{index}": f"{RECORD}y = {deep}\n",
            f"inside{index}": f"{RECORD}    y = {deep}\n",
            f"above{index}": f"def record(account, amount, y={deep}):\n    account.total = 1\n",
        }.items():
            files[f"{folder}/other.py"] = text[:900_000]
            files[f"{folder}/main.py"] = MAIN
    mains = [name for name in files if name.endswith("main.py")]
    done = watch(files, "good.py", *mains)
    assert (done.stderr, done.news) == ("", [])
    own = {line for line in done.found if line.endswith("JAX201")}
    assert own == {f"{name}:8 JAX201" for name in mains}
    followed = {line for line in done.found if line.endswith("JAX203")}
    assert {f"beside{index}/main.py:7 JAX203" for index in range(len(NESTS))} <= followed


@pytest.mark.parametrize(
    "other",
    [
        f"{RECORD}    match amount:\n        case {'{0: ' * 60}a{'}' * 60}: pass\n",
        f"def record(account: '{'(' * 50_000}', amount):\n    account.total = amount\n",
        "def record(account: '\\ud800', amount: 'a\\0b'):\n    account.total = amount\n",
        f"def record(account, amount={'[' * 50_000}{']' * 50_000}):\n    account.total = amount\n",
        "def record(account, amount='''" + "\\'''" * 50_000 + "):\n    account.total = amount\n",
        f"from {'.' * 3_000} import record\n",
        f"from {'a.' * 3_000}a import record\n",
        "__all__ = __all__ + other.__all__\n__all__ += __all__\nfrom other import *\n",
    ],
    ids=["patterns", "annotation", "surrogates", "header", "quotes", "dots", "steps", "all"],
)
def test_imports_that_are_hostile(watch: Watch, other: str) -> None:
    done = watch({"other.py": other, "main.py": MAIN}, "good.py", "main.py")
    reached = [line for line in done.found if line != "main.py:7 JAX203"]
    assert (reached, done.stderr, done.news) == (["good.py:10 JAX101", "main.py:8 JAX201"], "", [])


def test_imported_files_raise_no_warnings(watch: Watch) -> None:
    """Python warns of strange escapes when it parses a file that nobody asked about."""
    other = "def record(account, amount):\n    account.total = '\\d'\n    assert (1, 'x')\n"
    done = watch({"other.py": other, "main.py": MAIN}, "good.py", "main.py")
    assert_only(done, "main.py:7 JAX203", "main.py:8 JAX201")


def test_a_ring_of_modules(watch: Watch) -> None:
    """Each imports the next with a star, and from the next; the last imports the first."""
    ring = {
        f"m{i}.py": f"from m{(i + 1) % 150} import *\nfrom m{(i + 1) % 150} import record\n"
        for i in range(150)
    }
    main = MAIN.replace("other", "m0")
    assert_only(watch({**ring, "main.py": main}, "good.py", "main.py"), "main.py:8 JAX201")


RING = 300 if EXHAUSTIVE else 200
RINGS: dict[str, tuple[str, str, str]] = {
    "functions": (
        "",
        "def f{0}(x, s):\n    s.a{0} = x\n    return f{1}(x, s) if x.ndim else x\n\n\n",
        "step = jax.jit(f0)\n",
    ),
    "traced": (
        "",
        "@jax.jit\ndef f{0}(x, s):\n    seen.append(x)\n    return f{1}(x, s)\n\n\n",
        "",
    ),
    "transformed": (
        "",
        "def f{0}(x):\n    seen.append(x)\n    return jax.jit(f{1})(x)\n\n\n",
        "step = jax.jit(f0)\n",
    ),
    "methods": (
        "class Node(flax.struct.PyTreeNode):\n    v: jax.Array\n\n",
        "    def f{0}(self, x):\n        seen.append(x)\n        return self.f{1}(x)\n\n",
        "step = jax.jit(lambda node, x: node.f0(x))\n",
    ),
    "properties": (
        "class Node(flax.struct.PyTreeNode):\n    v: jax.Array\n\n",
        "    @property\n    def f{0}(self):\n        seen.append(self.v)\n"
        "        return self.f{1}\n\n",
        "step = jax.jit(lambda node: node.f0)\n",
    ),
    "caches": (
        "class Node(flax.struct.PyTreeNode):\n    v: jax.Array\n\n",
        "    @functools.cached_property\n    def f{0}(self):\n"
        "        return self.f{1} + self.v\n\n",
        "",
    ),
    "classes": ("", "class C{0}(C{1}):\n    def m(self, x):\n        self.a = x\n\n\n", ""),
    "names": ("", "f{0} = f{1}\n", "step = jax.jit(f0)\n"),
    "chain": ("f0 = 1\n", "f{1} = f{0} + 1\n", f"step = jax.jit(f{RING - 1})\n"),
}


def test_rings_of_functions_methods_and_classes(watch: Watch) -> None:
    """Each of hundreds needs the next, and the last the first; what is beside them is found."""
    files: dict[str, str] = {}
    expected: set[str] = set()
    for kind, (before, each, after) in RINGS.items():
        ring = "".join(each.format(i, (i + 1) % RING) for i in range(RING))
        files[f"{kind}.py"] = f"{START}{before}{ring}\n{after}{OTHER}"
        line = files[f"{kind}.py"].count("\n")
        expected |= {f"{kind}.py:{line - 2} JAX303", f"{kind}.py:{line - 1} JAX201"}
    done = watch(files, select="JAX")
    assert (done.stderr, done.news) == ("", [])
    assert expected <= {*done.found}
    inside = Counter(line.partition(":")[0] for line in {*done.found} - expected)
    assert (inside["traced.py"], inside["caches.py"]) == (RING, RING)
    assert all(inside[f"{kind}.py"] >= 30 for kind in ("functions", "methods", "properties"))


def test_links_in_circles_and_folders_called_like_modules(watch: Watch, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "other.py").symlink_to(tmp_path / "another.py")
    (tmp_path / "another.py").symlink_to(tmp_path / "other.py")
    (tmp_path / "jax.py").mkdir()
    (tmp_path / "functools.py").mkdir()
    far = MAIN.replace("from other", f"from {'loop.' * 30}other")
    done = watch({"main.py": MAIN, "far.py": far}, "good.py", "main.py", "far.py")
    assert_only(done, "main.py:8 JAX201", "far.py:8 JAX201")


def test_what_is_no_file_is_not_opened(watch: Watch, tmp_path: Path) -> None:
    """To open a pipe is to wait for whoever writes to it, which nobody does."""
    (tmp_path / "bank").mkdir()
    (tmp_path / "teller").mkdir()
    os.mkfifo(tmp_path / "other.py")
    os.mkfifo(tmp_path / "bank/other.py")
    os.mkfifo(tmp_path / "teller/__init__.py")
    os.mknod(tmp_path / "bank/ledger.py", stat.S_IFSOCK | 0o600)
    (tmp_path / "bank/endless.py").symlink_to("/dev/zero")
    files = {
        f"main{index}.py": MAIN.replace("from other", f"from {name}")
        for index, name in enumerate(("other", "bank.other", "bank.ledger", "bank.endless"))
    }
    files["bank/main.py"] = MAIN.replace("from other", "from .other")
    files["teller/main.py"] = MAIN.replace("from other", "from teller")
    assert_only(watch(files, "good.py", *files), *(f"{name}:8 JAX201" for name in files))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("jax", ["good.py:10 JAX101"]),
        ("flax", ["main.py:8 JAX201"]),
        ("functools", ["good.py:10 JAX101", "main.py:8 JAX201"]),
    ],
)
def test_modules_that_shadow_libraries(watch: Watch, name: str, found: list[str]) -> None:
    """A module called jax is not jax; the standard library comes before a project's modules."""
    trap = "raise SystemExit(3)\n\n\ndef jit(f):\n    return f\n"
    done = watch({f"{name}.py": trap, "main.py": MAIN}, "good.py", "main.py")
    assert (done.found, done.stderr, done.news) == (found, "", [])


@pytest.mark.parametrize("name", ["jax", "flax", "functools"])
def test_packages_called_like_libraries_are_those(watch: Watch, name: str) -> None:
    """Whoever works on a library has its source in a folder of its name."""
    files = {
        f"{name}/__init__.py": "raise SystemExit(3)\n",
        f"{name}/struct.py": "",
        "main.py": MAIN,
    }
    assert_only(watch(files, "good.py", "main.py"), "main.py:8 JAX201")


LIKE_A_PLACE = """\
import jax
from bank.ledger import record

seen = {}


@jax.jit
def pay(account, amount):
    account["a:1:2: W1 b"].b = amount
    account["a::: b c"].c = amount
    account["a:1:2:3:4:5: b"].d = amount
    account['''a
:5:6: JAX999 c'''].e = amount
    setattr(account, "f:7:8: g h", amount)
    seen["a:1:2: b"] = amount
    record(account, amount)
    account["LONG"].g = amount
    return account["a:1:2: W1 b"].b
""".replace("LONG", "long" * 100_000)


def test_what_a_message_quotes_is_short_and_is_not_taken_for_a_place(watch: Watch) -> None:
    """A language server takes the last of all places in a line for the one that is meant."""
    ledger = 'def record(account, amount):\n    account["x:1:2: y z"].z = amount\n'
    files = {"bank/__init__.py": "", "bank/ledger.py": ledger, "main.py": LIKE_A_PLACE}
    done = watch(files, "good.py", "main.py")
    lines = (9, 10, 11, 12, 14, 15, 16, 17)
    codes = ("JAX206", *("JAX201",) * 4, "JAX303", "JAX203", "JAX201")
    found = [f"main.py:{line} {code}" for line, code in zip(lines, codes, strict=True)]
    assert_only(done, *found)
    for line in done.stdout.splitlines():
        assert re.sub(r"(.*):(\d*):(\d*): (\w*) (.*)", r"\1 \3", line) in {"good.py 5", "main.py 5"}
        assert len(line) < 400


TRAP = """\
import pathlib
import socket
import subprocess

import jax

pathlib.Path("trap").touch()
subprocess.run(["touch", "trap"])
socket.create_connection(("localhost", 9))
exec("pathlib.Path('trap').touch()")


@jax.jit
def record(account, amount):
    exec("pathlib.Path('trap').touch()")
    account.total = amount
    return open("trap", "w")


record(object(), 1)
"""


def test_nothing_is_run_written_or_fetched(watch: Watch, tmp_path: Path) -> None:
    files = {"other.py": TRAP, "main.py": MAIN, "conftest.py": TRAP, "setup.py": TRAP}
    done = watch(files)
    own = [f"{name}:16 JAX201" for name in ("other.py", "conftest.py", "setup.py")]
    assert_only(done, *own, "main.py:8 JAX201")
    assert {path.name for path in tmp_path.iterdir()} == {*files, "good.py"}


def test_nothing_is_read_outside_of_the_roots(watch: Watch, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}_outside"
    outside.mkdir()
    (outside / "other.py").write_text(RECORD)
    (tmp_path / "link.py").symlink_to(outside / "other.py")
    (tmp_path / "folder").symlink_to(outside, target_is_directory=True)
    files = {
        "a.py": MAIN.replace("from other", "from link"),
        "b.py": MAIN.replace("from other", "from folder.other"),
        "c/d.py": MAIN.replace("from other", f"from ...{outside.name}.other"),
        "e.py": MAIN.replace("from other", f"from ..{outside.name}.other"),
    }
    assert_only(watch(files, "good.py", *files), *(f"{name}:8 JAX201" for name in files))


def test_the_fixtures_under_watch() -> None:
    """Most of those that have several modules, where other files are read."""
    every = [*discover(FIXTURES)]
    chosen = sample([item for item in every if item.path.is_dir()], 4)
    chosen += sample([item for item in every if item.path.is_file()], 24)
    names = {path: str(path.relative_to(FIXTURES)) for item in chosen for path in item.modules}
    done = watched(FIXTURES, "--isolated", "--select=JAX,JAX9", *names.values())
    marked = [
        f"{names[path]}:{mark.line} {mark.code}"
        for item in chosen
        for path, module in item.modules.items()
        for mark in item.marks()
        if mark.module == module
    ]
    assert sorted(done.found) == sorted(marked)
    assert (done.stderr, done.news) == ("", [])


MISCHIEF = """\
import logging
import os
import socket
import subprocess
import sys


class Plugin:
    def __init__(self, tree):
        pass

    def run(self):
        open("written", "w").close()
        open("/etc/hostname").close()
        os.listdir("/")
        os.mkdir("made")
        exec(compile("x = 1", "good.py", "exec"))
        subprocess.run([sys.executable, "-c", ""])
        socket.socket().close()
        sys.path.insert(0, ".")
        import good_neighbour
        logging.getLogger("flake8.jax").error("a fault")
        return iter(())
"""


def test_the_watch_sees_what_it_should(watch: Watch) -> None:
    local = "[flake8:local-plugins]\nextension =\n    XYZ = mischief:Plugin\npaths = plugins\n"
    files = {"plugins/mischief.py": MISCHIEF, "setup.cfg": local, "good_neighbour.py": "x = 1\n"}
    news = "\n".join(watch(files, "good.py", config="--config=setup.cfg").news)
    for what in ("writes written", "reads /etc/hostname", "lists /", "os.mkdir", "runs good.py"):
        assert what in news
    for what in ("subprocess.Popen", "socket.", "imports ", "good_neighbour", "fault: a fault"):
        assert what in news


def test_spoiled_files_in_bulk() -> None:
    """The long run is a command: python tests/robustness/bulk.py."""
    tally = bulk.run(sorted(FIXTURES.rglob("*.py")), count=250, seed=20)
    assert tally.faults == []
    assert tally.linted > 250
    assert tally.unparsable > 50
    assert tally.findings > 500


def test_a_bulk_run_notices_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(RAISE)
    monkeypatch.setattr("flake8_jax.check.module_of", None)
    tally = bulk.run(sorted(FIXTURES.glob("JAX201/hazard_*.py")), count=5, seed=1)
    assert any("is not checked by flake8-jax" in fault for fault in tally.faults)


LONG_LIVED = """\
import gc
from pathlib import Path
from robustness import bulk

node = Path("node.py").read_text()
tally, kept = bulk.Tally(), []
for edit in range(60):
    bulk.lint(f"{node}\\n\\nx = {edit}\\n", Path("edited.py"), tally)
    gc.collect()
    kept.append(gc.get_freeze_count() + len(gc.get_objects()))
print(tally.faults, tally.findings, kept[-1] < kept[20] * 1.02)
"""


def test_what_a_long_lived_process_keeps_is_bounded(tmp_path: Path) -> None:
    """An editor lints the same file for days: what was found out about old texts is let go."""
    (tmp_path / "node.py").write_text(NODE)
    done = call(
        sys.executable, "-c", LONG_LIVED, cwd=tmp_path, PYTHONPATH=str(REPOSITORY / "tests")
    )
    assert done.stdout == "[] 60 True\n"


BROKEN = """\
from flake8.main.cli import main

def fail(module):
    raise RuntimeError("a fault of the analysis")
    yield

import sys
from flake8_jax import check
if sys.argv[1] == "part":
    check.PARTS = {**check.PARTS, check.discards.CODES: fail}
else:
    check.module_of = None
del sys.argv[1]
raise SystemExit(main())
"""


@pytest.mark.parametrize("what", ["part", "module"])
def test_a_fault_of_the_analysis_harms_nothing_else(tmp_path: Path, what: str) -> None:
    (tmp_path / "a.py").write_text(NODE)
    (tmp_path / "b.py").write_text("import os\n")
    found = f"a.py:10:5: {MESSAGE}\n" if what == "part" else ""
    unused = "b.py:1:1: F401 'os' imported but unused\n"

    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-c", BROKEN, what, *arguments, "a.py", "b.py"]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, check=False, env=environment
        )

    environment = LENIENT
    quiet = run("-j1")
    assert (quiet.stdout, quiet.stderr, quiet.returncode) == (found + unused, "", 1)
    verbose = run("-j1", "-v")
    assert (f"a.py:10:5: {MESSAGE}\n" in verbose.stdout) is (what == "part")
    assert unused in verbose.stdout
    said = "JAX401 failed" if what == "part" else "a.py is not checked by flake8-jax"
    assert said in verbose.stderr + verbose.stdout
    environment = {**LENIENT, RAISE: "1"}
    strict = run("-j1")
    assert (strict.stdout, strict.returncode) == ("", 1)
    assert strict.stderr.startswith("Traceback")
