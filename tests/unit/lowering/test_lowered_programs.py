"""Source on the left, the lowered program on the right."""

from textwrap import dedent

import pytest

from flake8_jax.lowering.program import Call, Define, Eval, Store
from unit.lowered import function, lowered, shown

EXPRESSIONS = {
    # names and constants
    "x": "$x",
    "None": "None",
    "True": "True",
    "3": "3",
    "0x10": "16",
    "-1": "-1",
    "1.5": "<float>",
    "2j": "<complex>",
    "...": "<...>",
    "'a'": "'a'",
    "'a' 'b'": "'ab'",
    r"'a\n'": r"'a\n'",
    "b'a'": "<bytes>",
    "f'{x} and {y:>{z}}'": "`$x, $y, $z`",
    # attributes, items, calls
    "a.b.c": "$a.b.c",
    "a[0]": "$a[0]",
    "a['k'].b": "$a['k'].b",
    "a[1:, ::2]": "$a[(1:, ::2)]",
    "a[i, ...]": "$a[($i, <...>)]",
    "f(x, *xs, k=1, **kw)": "$f($x, *$xs, k=1, **$kw)",
    "a.at[0].set(1)": "$a.at[0].set(1)",
    # operators
    "a + b + c": "$a + $b + $c",
    "a + b * c": "$a + ($b * $c)",
    "a - b + c": "($a - $b) + $c",
    "a @ b": "$a @ $b",
    "not a": "not $a",
    "a and b and c": "$a and $b and $c",
    "a or b and c": "$a or ($b and $c)",
    "a is None": "$a is None",
    "a is not None": "$a is not None",
    "k not in d": "$k not in $d",
    "a < b < c": "$a compared $b compared $c",
    "a if t else b": "$a if $t else $b",
    # displays and comprehensions
    "(a, *b)": "($a, *$b)",
    "[a, b]": "[$a, $b]",
    "{a, b}": "{$a, $b}",
    "{'k': a, **b}": "{'k': $a, **$b}",
    "[f(i) for i in xs if i]": "[$f(i'1) for i'1 in $xs if i'1]",
    "{k: v for k, v in d.items()}": "{k'1: v'1 for (k'1, v'1) in $d.items()}",
    "{i for i in xs for j in i}": "{i'1 for i'1 in $xs for j'1 in i'1}",
    "sum(i for i in i)": "$sum((i'1 for i'1 in $i))",
    "[[j for j in i] for i in xs]": "[[j'2 for j'2 in i'1] for i'1 in $xs]",
    "[(last := i) for i in xs]": "[($last := i'1) for i'1 in $xs]",
    # functions
    "lambda x, *a, k=y: x + z": "lambda x, *a, k=$y: x + $z",
    "lambda: lambda: x": "lambda : lambda : $x",
    "lambda x: lambda: x": "lambda x: lambda : ^x",
    "[lambda: i for i in xs]": "[lambda : ^i'1 for i'1 in $xs]",
}


@pytest.mark.parametrize("source", EXPRESSIONS)
def test_expressions(source: str) -> None:
    assert shown(f"_ = {source}") == f"$_ = {EXPRESSIONS[source]}"


STATEMENTS = {
    "a = b = c": "$a = $b = $c",
    "a, *b = c": "($a, *$b) = $c",
    "(a, [b, c.d]), e[0] = f": "(($a, ($b, $c.d)), $e[0]) = $f",
    "a.b += c": "$a.b += $a.b + $c",
    "a[0] @= c": "$a[0] += $a[0] @ $c",
    "a: int = 1": "$a: $int = 1",
    "a: int": "$a: $int",
    "del a.b, c[0]": "del $a.b\ndel $c[0]",
    "'a docstring'": "",
    "pass": "",
    "f(x)": "$f($x)",
    "assert t, m": "if $t:\n    pass\nelse:\n    raise $m",
    "raise E from e": "raise $E",
    "import a.b": "import a as $a",
    "import a.b as c": "import a.b as $c",
    "from a.b import c as d, e": "import a.b.c as $d\nimport a.b.e as $e",
    "from . import a": "import .a as $a",
    "from ..a import *": "import ..a as *",
    "if a: b()\nelif c: d()\nelse: e()": """
        if $a:
            $b()
        else:
            if $c:
                $d()
            else:
                $e()
    """,
    "while a:\n  if b: break\n  continue\nelse: c()": """
        while $a:
            if $b:
                break
            continue
        else:
            $c()
    """,
    "for i, j in xs: i.x = j": """
        for ($i, $j) in $xs:
            $i.x = $j
    """,
    "for i in xs: a(i)\nelse: c()": """
        for $i in $xs:
            $a($i)
        else:
            $c()
    """,
    "with a as b, c: d()": """
        with $a as $b, $c:
            $d()
    """,
    "try: a()\nexcept (E, F) as e: b(e)\nexcept: c()\nelse: d()\nfinally: f()": """
        try:
            $a()
        except ($E, $F) as $e:
            $b($e)
        except:
            $c()
        else:
            $d()
        finally:
            $f()
    """,
    "match a:\n  case [1, *rest]: pass\n  case {'k': C(x, y=y), **r} if x: pass\n"
    "  case 1 | None as z: pass\n  case a.b: pass\n  case _: pass": """
        match $a:
            case [1, *$rest]:
                pass
            case {'k': $C($x, y=$y), **$r} if $x:
                pass
            case 1 | None as $z:
                pass
            case $a.b:
                pass
            case _:
                pass
    """,
    "async def f():\n  async with a as b: pass\n  async for i in b: await i": """
        async def f():
            with $a as b:
                pass
            for i in b:
                (await i)
    """,
    "def f():\n  yield 1\n  yield from b": """
        def f():
            (yield 1)
            (yield from $b)
    """,
    "@d(1)\ndef f(a, /, b: int = x, *, c=3, **k) -> R: return a": """
        @$d(1)
        def f(a, b: $int=$x, c=3, **k) -> $R:
            return a
    """,
    "@d\nclass C(B, metaclass=M):\n  x: int = 3\n  y = x\n  def f(self): return x": """
        @$d
        class C($B, metaclass=$M):
            %x: $int = 3
            %y = %x
            def f(self):
                return $x
    """,
}


@pytest.mark.parametrize("source", STATEMENTS)
def test_statements(source: str) -> None:
    assert shown(source) == dedent(STATEMENTS[source]).strip()


NAMES = {
    "a function binds what it assigns anywhere": (
        """
        def f(x):
            use(y)
            y = x
        """,
        """
        def f(x):
            $use(y)
            y = x
        """,
    ),
    "global": (
        """
        def f():
            global g
            g = 1
            def h():
                return g
        """,
        """
        def f():
            $g = 1
            def h():
                return $g
        """,
    ),
    "nonlocal, and how far out a variable lives": (
        """
        def f(a):
            b = a
            def g():
                def h():
                    nonlocal b
                    b = a
                return h
        """,
        """
        def f(a):
            b = a
            def g():
                def h():
                    ^^b = ^^a
                return h
        """,
    ),
    "methods do not see the names of their class": (
        """
        def make(x):
            class C:
                x = x
                y = [x for _ in x]
                def f(self):
                    return x
        """,
        """
        def make(x):
            class C:
                %x = %x
                %y = [x for _'1 in %x]
                def f(self):
                    return ^x
        """,
    ),
    "private names are mangled": (
        """
        class _Box:
            __x = 1
            def f(self, __y=2):
                self.__x = __y
                return self.__dict__
        """,
        """
        class _Box:
            %_Box__x = 1
            def f(self, _Box__y=2):
                self._Box__x = _Box__y
                return self.__dict__
        """,
    ),
    "all that binds": (
        """
        def f(xs):
            import a.b
            from c import d as e
            with xs as g: pass
            try: pass
            except E as h: pass
            for i in xs: pass
            match xs:
                case [j, *k]: pass
            if (m := xs): pass
            def n(): pass
            class O: pass
            del p
            return (a, e, g, h, i, j, k, m, n, O, p)
        """,
        """
        def f(xs):
            import a as a
            import c.d as e
            with xs as g:
                pass
            try:
                pass
            except $E as h:
                pass
            for i in xs:
                pass
            match xs:
                case [j, *k]:
                    pass
            if (m := xs):
                pass
            def n():
                pass
            class O:
                pass
            del p
            return (a, e, g, h, i, j, k, m, n, O, p)
        """,
    ),
    "a comprehension has variables of its own": (
        """
        def f(x, xs):
            ys = [x for x in xs]
            zs = [x for x in xs]
            return x
        """,
        """
        def f(x, xs):
            ys = [x'1 for x'1 in xs]
            zs = [x'2 for x'2 in xs]
            return x
        """,
    ),
    "names are normalised": ("def f(ﬁx): return fix", "def f(fix):\n    return fix"),
}


@pytest.mark.parametrize("case", NAMES)
def test_names(case: str) -> None:
    source, program = NAMES[case]
    assert shown(source) == dedent(program).strip()


def test_a_function_knows_its_size_and_its_cells() -> None:
    made = function(
        """
        def f(a, b):
            c = a
            if c:
                d = 1
            def g():
                return b + c
            return g
        """
    )
    assert made.size == 6
    assert made.cells == {"b", "c"}
    assert not made.yields


def test_a_function_that_yields() -> None:
    assert function("def f(): return [(yield i) for i in [1]] if 0 else (yield)").yields
    assert not function("def f(): return lambda: (yield)").yields


def test_a_result_that_nobody_looks_at() -> None:
    statement, store = lowered("f(x)\ny = f(x)")
    assert isinstance(statement, Eval)
    assert isinstance(store, Store)
    assert isinstance(statement.value, Call)
    assert isinstance(store.value, Call)
    assert not statement.value.used
    assert store.value.used


def test_two_functions_are_never_equal() -> None:
    one, other = lowered("def f(): pass\ndef f(): pass")
    assert isinstance(one, Define)
    assert isinstance(other, Define)
    assert one.made != other.made


@pytest.mark.parametrize("operator", ["+", "and"])
def test_long_chains_need_no_stack(operator: str) -> None:
    chain = f" {operator} ".join(["x"] * 5)
    assert shown(f"_ = {chain}").count("$x") == 5


@pytest.mark.parametrize(
    "literal", ["0x" + "f" * 100_000, "'" + "a" * 100_000 + "'", "0b" + "1" * 100_000]
)
def test_long_literals_have_no_value(literal: str) -> None:
    assert shown(f"_ = {literal}") == "$_ = <long>"
