"""Nodes that are made of Python's own trees are libcst's: its tools work on them, and its code."""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import libcst as cst
import libcst.matchers as m
import pytest
from libcst.metadata import (
    ExpressionContextProvider,
    MetadataWrapper,
    ParentNodeProvider,
    PositionProvider,
    ScopeProvider,
)

from flake8_jax.syntax import make, walk
from flake8_jax.syntax.converter import Converter
from flake8_jax.syntax.trees import expression
from sampling import sample

ROOT = Path(__file__).parents[3]
SOURCES = sample(
    sorted(path for top in ("src", "tests", "trust") for path in (ROOT / top).rglob("*.py")), 4
)
FIXTURES = sample(sorted((ROOT / "fixtures").rglob("*.py")), 8)
LAYOUT = (
    *(cst.BaseParenthesizableWhitespace, cst.TrailingWhitespace, cst.Newline, cst.EmptyLine),
    *(cst.LeftParen, cst.RightParen, cst.LeftSquareBracket, cst.RightSquareBracket),
    *(cst.LeftCurlyBrace, cst.RightCurlyBrace, cst.Comma, cst.Colon, cst.Dot),
)
STATEMENTS = """
x = 1
x = y = z
x, y = y, x
(x, *y), [z] = w
*x, = y
x.a[0] = 1
x: int
x: int = 1
(x): int = 1
x.y: int = 1, 2
x[0]: "T" = yield_
x += 1; x -= 1; x *= 1; x @= 1; x /= 1; x //= 1; x %= 1; x **= 1; x <<= 1; x >>= 1
x |= 1; x &= 1; x ^= 1
del x
del x, y[0], z.a
del (x, y)
del (x,)
del [x, y]
assert x
assert x, "message"
assert (x, "message")
pass
global x
global x, y
import a
import a.b.c, d as e, f.g as h
from a import b
from a.b import c as d, e
from . import a
from .a.b import c
from .... import a
from a import *
from .. import (a, b)
if x: pass
if x: pass
else: pass
if x: pass
elif y: pass
elif z: pass
else: pass
if x:
    if y: pass
else:
    if z: pass
    pass
if (x := y): pass
for x in y: pass
for x, (y, *z) in w: break
else: continue_
for x.a in y: pass
for x[0] in y, z: pass
for x in *y, z: pass
for x in (yield_ if a else b): pass
while x: break
while x: continue
else: pass
while (x := y) and z: pass
try: pass
except: pass
try: pass
except A: pass
except (B, C) as e: pass
except d.E: pass
else: pass
finally: pass
try: pass
finally: pass
try: pass
except* A: pass
except* (B, C) as e: pass
with a: pass
with a as b: pass
with a, b as c, d as (e, f): pass
with (a, b): pass
with ((a, b)): pass
with ((a, b)) as c: pass
with (a, b) as c, d: pass
with ((a,)): pass
with (): pass
with (a if b else c): pass
with (a := b): pass
with (lambda: a): pass
with (x for x in y): pass
with a as b.c, d as e[0], f as [g, h]: pass
def f(): pass
def f(a, b=1, *, c, d=2): pass
def f(a, /): pass
def f(a, b=1, /, c=2, *d, e, f=3, **g): pass
def f(*, a): pass
def f(*a, **b): pass
def f(a: int, *b: str, c: "T" = 1, **d: (x, y)) -> z: pass
def f(*a: *b): pass
def f(a=lambda: 1, b=(yield_), c=(1, 2)) -> (lambda: 1): pass
@a
@b.c(d)
@(lambda f: f)
@(e := g)
@h[0]
def f(): return
def f(): return x, *y
def f(): return (yield)
def f():
    "a docstring"
def f():
    yield
    yield x
    yield x, y
    yield from z
    a = yield
    b = yield c
    d += yield e
    g((yield))
    return [(yield), not (yield h)]
def f():
    x = 1
    def g():
        nonlocal x
    class C:
        nonlocal x
async def f(a: int) -> b:
    await a
    await a.b(c)
    -await a
    await a ** 2
    (await a) ** await b
    (await a).b
    await (a + b)
    async for x in y: pass
    else: pass
    async for x, y in z: break
    async with a as b, c: pass
    [x async for x in y if await z]
    {x: y async for x, y in z async for w in v}
    (await x async for x in y)
    yield
class A: pass
class A(): pass
class A(B, *C, d=e, **f): x: int = 1
class A(metaclass=B): pass
@a
class A(B[int], c.D):
    @property
    def f(self): ...
raise
raise x
raise x from y
raise x(y) from None
match x:
    case 1: pass
match x, y:
    case 1 | "two" | b"three" | -4 | 5.5 | -6j | 1 + 2j | -1 - 2.5j | None | True | a.b.c: pass
    case x: pass
match (x := y):
    case _: pass
match (lambda: x), -y:
    case []: pass
    case [a]: pass
    case (a,): pass
    case a, *b, _: pass
    case [*_, [b, *c]]: pass
    case (a | b) as c, [d as e]: pass
    case ((a as b) as c): pass
    case (a as b) | (c as d) | (e | f): pass
    case {}: pass
    case {"a": 1, -2: b, c.d: [e], 1 + 2j: f, **rest}: pass
    case {**rest}: pass
    case A(): pass
    case a.B(c, D(e), f=g, h=(i | j) as k): pass
    case A(b=c): pass
    case a if b: pass
    case a if (b := c): pass
    case {"x": (a, b)} if a if b else c: pass
match -x:
    case ("a" "b"): pass
match not x:
    case (y): pass
match = case = type = 1
match(case)
"""
EXPRESSIONS = r"""
x
x.y.z
x()
x(1, *y, 2, *z, a=1, **b, c=2, **d)
x(*a or b, **c or d)
x(y for y in z)
x(a := b)
x(a=(b := c))
x(lambda: y, z if a else b)
x[0]
x[()]
x[a,]
x[a, b]
x[(a, b), c]
x[*a]
x[*a, b]
x[*a or b]
x[:]
x[a:]
x[:a]
x[::a]
x[a:b:c]
x[:, a, ..., b:c]
x[a if b else c:d or e, lambda: f]
x[a := b]
x[lambda: a:b]
(x + y).z
(x + y)[z]
(x + y)(z)
(-x).y
-x.y
(lambda: x)()
(x if y else z).a
(not x).y
(x, y).z
[x].y
{x: y}.z
"x".y
f"x".y
1 .real
1.0.real
1j.real
0x1F.real
True.real
x + y + z
x + (y + z)
x - (y - z)
(x - y) - z
x * y + z * w
(x + y) * (z + w)
x ** y ** z
(x ** y) ** z
-x ** y
(-x) ** y
x ** -y
x ** (y if z else w)
x ** ~y ** -z
- -x
-(-x)
+x - +y
~x
not x
not not x
not x == y
(not x) == y
x == (not y)
-(not x)
not -x
x @ y / z // w % v
x << y >> z
(x << y) & z
x & y | z ^ w
x & (y | z) ^ w
x | (y if a else b)
x and y and z
(x and y) and z
x and (y and z)
x and y or z
x and (y or z)
(x or y) and z
x or y or (z or w)
not (x and y)
(lambda: x) or y
x or (lambda: y)
x < y
x < y <= z == w != v > u >= t
(x < y) < z
x < (y < z)
x is y is not z
x in y not in z
x in (y or z)
(x | y) in z
x | y in z
x if y else z
x if y else z if w else v
(x if y else z) if w else v
x if (y if z else w) else v
x or y if z and w else lambda: v
(lambda: x) if y else z
x if (lambda: y) else z
lambda: x
lambda x: y
lambda x, y=1, /, z=2, *a, b, c=3, **d: (x, y)
lambda *, x: x
lambda *x: lambda **y: x if y else z
lambda: (yield_)
lambda: (x := y)
lambda x=lambda: y: x
(x := y)
(x := y if z else w)
[x := y, z]
{(x := y): z}
()
(x,)
(x, y)
(*x,)
(*x, *(y or z))
(*(x if y else z),)
((x, y), (z,), ())
[]
[x]
[*x, y]
[(x, y), [z]]
{x}
{*x, y}
{*()}
{}
{x: y}
{**x, y: z, **w}
{**(x or y), **(z if w else v)}
{lambda: x: lambda: y}
{x if y else z: w}
[x for x in y]
[x, [y for y in z]]
[x for x in y if z if w or v for u, t in s]
[x for x in (y if z else w)]
[x for x in y if (z if w else v)]
[x for x in (lambda: y)]
[x for x in y if (lambda: z)]
[x if y else z for x in y]
[(x, y) for x in y]
[lambda: x for x in y]
[(x := y) for z in w]
{x for x in y}
{x: y for x, y in z}
{x if y else z: lambda: w for x in y}
(x for x in y)
(x for x in y if (z := w))
(x for x, in y)
(x for (x, *y), z.a, w[0] in v)
...
None
True
False
0
12345678901234567890
0x1F
0b11
1_000
1.5
1e100
1e-7
1e999
0.1
1_0.5e1_0
2j
1e999j
1.5e-7j
"text"
'it\'s'
"say \"it's\""
"new\nline \\ \t \x00 \x7f é \u200b \U0001f600 \ud800"
"a" 'b' r"\c"
u"text"
b"bytes \x00 \xff \\ '\""
b"a" b'b'
''
f""
f"text"
f"{x}"
f"{x}{y}"
f"a {x} b {y.z[0]} c"
f"{x!r} {y!s} {z!a}"
f"{x:>10} {y:{z}} {w!r:{v}.{u}} {t:%Y-%m-%d}"
f"{x=} {y = !r:>10}"
f"{{ }} {x} {{{y}}}"
f"{x:\x7b\x7d}"
f"{'a'}"
f'{"a"} "b"'
f"{x['a']} it's \"b\""
f'''{x['a']} {y["it's"]}'''
f'''{x.strip('"')}'''
f"{f'{x}'}"
f'''{f"{x['a']} 'b'"} "c"'''
f"{ {x} } { {x: y}[z] } { {x for x in y} }"
f"{(lambda: x)} {(lambda x: y)(z)}"
f"{x if y else z} {x + y} {x != y} {not x} {-x}"
f"{(x := y)} {x, y} {(x for x in y)} {[x for x in y]}"
f"\n \\ \t {x} \x00 é \u200b {{ \N{BULLET}"
"a" f"{x}" 'b' f"c{y}"
rf"\d{x}\{y}"
f"{' '}{'é'}"
f"{b'x'!r}"
"""
NEWER = """
type X = int
type X[T] = list[T]
type X[T: int, *Ts, **P] = T | int
def f[T](x: T) -> T: pass
def f[T: (int, str), *Ts, **P](*args: *Ts): pass
class A[T: lambda: x](B[T]): pass
class A[T]: pass
async def f[T](): pass
f"{x:{y!r:>{z}}}"
f"{"a"} {x["b"]} {'\\n'.join(y)} {f"{f"{z}"}"}"
f"{'\\ud800'} {'it\\'s'}"
"""
NEWEST = """
class A[T = int, *Ts = *tuple[int, ...], **P = [int]]: pass
type X[T: str = x if y else z] = T
"""


def pieces(text: str) -> list[str]:
    """The statements of a text, each as a text of its own."""
    lines = text.splitlines()
    found: dict[str, None] = {}
    for node in ast.parse(text).body:
        first = min(item.lineno for item in (node, *getattr(node, "decorator_list", ())))
        found["\n".join(lines[first - 1 : node.end_lineno])] = None
    return list(found)


SAMPLES = [
    *pieces(STATEMENTS),
    *pieces(EXPRESSIONS),
    "f'''{\"\"\"a\nb\"\"\"}'''",
    *(pieces(NEWER) if sys.version_info >= (3, 12) else []),
    *(pieces(NEWEST) if sys.version_info >= (3, 13) else []),
]
EVERYTHING = "\n".join(SAMPLES)


def made(text: str) -> cst.Module:
    return make.MODULE(Converter().body(ast.parse(text).body))


def parsed(text: str) -> str:
    return ast.dump(ast.parse(text))


class Collector(cst.CSTVisitor):
    """All nodes of a tree, as libcst visits them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[cst.CSTNode] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        self.found.append(node)
        return True


def nodes(tree: cst.CSTNode) -> list[cst.CSTNode]:
    collector = Collector()
    tree.visit(collector)
    return collector.found


def lacking(path: Path) -> bool:
    """Whether the code of a module's tree means something else than its text."""
    text = path.read_text(encoding="utf-8")
    return parsed(made(text).code) != parsed(text)


@pytest.mark.parametrize("text", SAMPLES)
def test_code_means_the_same(text: str) -> None:
    assert parsed(made(text).code) == parsed(text)


def test_samples_have_all_of_the_syntax() -> None:
    known = {type(node) for node in ast.walk(ast.parse(EVERYTHING))}
    parts = ["stmt", "expr", "pattern", "operator", "unaryop", "boolop", "cmpop", "type_param"]
    bases = [getattr(ast, name) for name in parts if hasattr(ast, name)]
    every = {kind for base in bases for kind in base.__subclasses__()}
    assert {kind.__name__ for kind in every - known} <= {"TemplateStr", "Interpolation"}


def alone(tree: ast.AST) -> Iterator[ast.expr]:
    """The expressions that could stand alone."""
    inside = {id(getattr(node, "format_spec", None)) for node in ast.walk(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Starred | ast.Slice | ast.FormattedValue) or id(node) in inside:
            continue
        if isinstance(node, ast.Tuple) and any(isinstance(item, ast.Slice) for item in node.elts):
            continue
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            yield node


def test_code_of_an_expression_alone_means_the_same() -> None:
    for node in alone(ast.parse(EVERYTHING)):
        code = cst.Module([]).code_for_node(Converter().one(node))
        assert ast.dump(ast.parse(f"({code}\n)", mode="eval").body) == ast.dump(node)


def test_code_of_a_statement_alone_means_the_same() -> None:
    for statement in made(EVERYTHING).body:
        code = cst.Module([]).code_for_node(statement)
        again = made(code).body[0]
        assert cst.Module([]).code_for_node(again) == code


@pytest.mark.parametrize("text", SAMPLES)
def test_nodes_are_as_libcst_makes_them(text: str) -> None:
    for node in nodes(made(text)):
        assert type(node).__module__.startswith("libcst.")
        assert repr(node).startswith(f"{type(node).__name__}(")
        assert list(node.children) == list(node.with_changes().children)
        if not isinstance(node, cst.AsName):  # whose types libcst states too narrowly
            node.validate_types_shallow()
        clone = node.deep_clone()
        assert type(clone) is type(node)
        assert node.deep_equals(clone)
        assert clone.deep_equals(node)
        again = node.visit(cst.CSTTransformer())
        assert isinstance(again, cst.CSTNode)
        assert node.deep_equals(again)


@pytest.mark.parametrize("text", SAMPLES)
def test_every_node_has_code(text: str) -> None:
    tree = made(text)
    for node in nodes(tree):
        if not isinstance(node, cst.Annotation):  # of which libcst writes none without its parent
            assert tree.code_for_node(node.deep_clone()) == tree.code_for_node(node)


@pytest.mark.parametrize("text", [text for text in SAMPLES if not text.startswith("(x): ")])
def test_nodes_have_the_types_that_libcst_parses(text: str) -> None:
    def kinds(tree: cst.Module) -> Counter[type[cst.CSTNode]]:
        return Counter(type(node) for node in nodes(tree) if not isinstance(node, blank))

    blank = (*LAYOUT, cst.AssignEqual, cst.ParamSlash, cst.BitOr)  # ``|`` stands in patterns, too
    tree = made(text)
    assert kinds(tree) == kinds(cst.parse_module(tree.code))


def test_every_node_with_a_meaning_is_an_object_of_its_own() -> None:
    tree = made(EVERYTHING)
    often = Counter(map(id, nodes(tree)))
    assert [n for n in nodes(tree) if often[id(n)] > 1 and not isinstance(n, LAYOUT)] == []
    assert max(Counter(map(id, nodes(tree.deep_clone()))).values()) == 1
    assert max(Counter(map(id, walk(tree))).values()) == 1


def test_a_tree_knows_nothing_of_another() -> None:
    first, second = made("x.y = z"), made("x.y = z")
    assert first is not second
    assert not first.deep_equals(made("x.y = w"))
    assert first.deep_equals(second)
    changed = first.visit(Renaming({"z": "w"}))
    assert isinstance(changed, cst.Module)
    assert (first.code, changed.code, second.code) == ("x.y = z\n", "x.y = w\n", "x.y = z\n")


class Renaming(cst.CSTTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        super().__init__()
        self.names = names

    def leave_Name(  # noqa: N802
        self, original_node: cst.Name, updated_node: cst.Name
    ) -> cst.Name:
        return updated_node.with_changes(
            value=self.names.get(original_node.value, updated_node.value)
        )


def test_visitors_visit() -> None:
    class Calls(cst.CSTVisitor):
        def __init__(self) -> None:
            super().__init__()
            self.met: list[str] = []

        def visit_FunctionDef(self, node: cst.FunctionDef) -> None:  # noqa: N802
            self.met.append(node.name.value)

        def visit_Call_func(self, node: cst.Call) -> None:  # noqa: N802
            self.met.append(cst.Module([]).code_for_node(node.func))

        def leave_Lambda(self, _original: cst.Lambda) -> None:  # noqa: N802
            self.met.append("lambda")

    visitor = Calls()
    made("async def f(x=a.b(c)):\n    return g(lambda: h()(1))\n").visit(visitor)
    assert visitor.met == ["f", "a.b", "g", "h()", "h", "lambda"]


def test_transformers_transform() -> None:
    class Inverting(cst.CSTTransformer):
        def leave_Await(  # noqa: N802
            self, _original: cst.Await, updated_node: cst.Await
        ) -> cst.BaseExpression:
            return updated_node.expression

        def leave_FunctionDef(  # noqa: N802
            self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
        ) -> cst.FunctionDef:
            assert original_node.asynchronous is not None
            return updated_node.with_changes(asynchronous=None)

        def leave_Pass(  # noqa: N802
            self, _original: cst.Pass, _updated: cst.Pass
        ) -> cst.RemovalSentinel:
            return cst.RemoveFromParent()

    tree = made("async def f(x):\n    pass\n    return (await x).y\n").visit(Inverting())
    assert isinstance(tree, cst.Module)
    assert tree.code == "def f(x):\n    return x.y\n"


def test_replacing_and_removing() -> None:
    tree = made("x = a.b\ny = a.b\n")
    attribute = next(node for node in walk(tree) if isinstance(node, cst.Attribute))
    replaced = tree.deep_replace(attribute, cst.Name("c"))
    assert isinstance(replaced, cst.Module)
    assert replaced.code == "x = c\ny = a.b\n"
    assert tree.with_deep_changes(attribute, attr=cst.Name("d")).code == "x = a.d\ny = a.b\n"
    assert tree.with_deep_changes(attribute.attr, value="e").code == "x = a.e\ny = a.b\n"
    removed = tree.deep_remove(tree.body[0])
    assert isinstance(removed, cst.Module)
    assert removed.code == "y = a.b\n"


def test_matchers_match() -> None:
    tree = made("self.cache.update(x=f(1))\ncache.update(y)\nother = [lambda *a: a, not b]\n")
    call = m.Call(func=m.Attribute(attr=m.Name("update")), args=[m.Arg(keyword=m.Name())])
    assert len(m.findall(tree, m.Call())) == 3
    assert len(m.findall(tree, call)) == 1
    found = m.extractall(tree, m.Call(func=m.SaveMatchedNode(m.Name(), "name")))
    assert [item["name"].value for item in found if isinstance(item["name"], cst.Name)] == ["f"]
    assert m.matches(tree, m.Module(body=[m.AtLeastN(m.SimpleStatementLine(), n=3)]))
    assert not m.matches(tree, m.Module(body=[]))
    assert len(m.findall(tree, m.Lambda(params=m.Parameters(star_arg=m.Param())))) == 1
    assert len(m.findall(tree, m.UnaryOperation(operator=m.Not()))) == 1
    assert len(m.findall(tree, m.Attribute(lpar=[], rpar=[]))) == 3
    changed = m.replace(tree, m.Integer("1"), cst.Integer("2"))
    assert isinstance(changed, cst.Module)
    assert "f(2)" in changed.code


def test_metadata() -> None:
    wrapper = MetadataWrapper(made("import a\ndef f(x):\n    return a.b(x)\n"))
    positions = wrapper.resolve(PositionProvider)
    scopes = wrapper.resolve(ScopeProvider)
    parents = wrapper.resolve(ParentNodeProvider)
    wrapper.resolve(ExpressionContextProvider)
    call = next(node for node in walk(wrapper.module) if isinstance(node, cst.Call))
    assert (positions[call].start.line, positions[call].start.column) == (3, 11)
    assert isinstance(parents[call], cst.Return)
    assert scopes[call] is not scopes[wrapper.module.body[0]]
    scope = scopes[call]
    assert scope is not None
    assert [item.name for item in scope.get_qualified_names_for(call.func)] == ["a.b"]


def test_asynchronous_is_told() -> None:
    text = "async def f():\n    async for x in y:\n        async with z: [w async for w in v]\n"
    kinds = (cst.FunctionDef, cst.For, cst.With, cst.CompFor)
    for tree, count in ((made(text), 4), (made(text.replace("async ", "")), 0)):
        found = [node for node in walk(tree) if isinstance(node, kinds)]
        assert len(found) == 4
        assert len([node for node in found if node.asynchronous is not None]) == count


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x = a + b", "x = a + b"),
        ("x = (a + b) * c", "x = (a + b) * c"),
        ("x = ((a + b) + c) + d", "x = a + b + c + d"),
        ("if ((a)): pass", "if a:\n    pass"),
        ("return_(not (a), -(b))", "return_(not a, -b)"),
        ("x = f'{a}'", 'x = f"{a}"'),
        ("x = y[(a, b)]", "x = y[a, b]"),
        ("match x:\n    case (1): pass", "match x:\n    case 1:\n        pass"),
    ],
)
def test_parentheses_stand_only_where_they_are_needed(text: str, code: str) -> None:
    assert made(text).code == f"{code}\n"


def test_long_operations_nest_no_parentheses() -> None:
    for operator in ("+", "and", "|", "*"):
        text = f" {operator} ".join(["x"] * 150)
        assert made(text).code == f"{text}\n"


def test_numbers_of_thousands_of_digits() -> None:
    tree = ast.parse(made(f"0x{'f' * 10_000}").code, mode="eval")
    assert isinstance(tree.body, ast.Constant)
    assert tree.body.value == 16**10_000 - 1


def test_an_expression_alone() -> None:
    found = expression("a.b[0]")
    assert found is not None
    assert cst.Module([]).code_for_node(found) == "a.b[0]"


@dataclass(frozen=True, slots=True)
class Grown(cst.CSTNode):
    """A node as a newer libcst may have it, with more fields."""

    value: str
    lpar: tuple[cst.LeftParen, ...] = ()
    added: str = "default"

    def _visit_and_replace_children(self, _: object) -> "Grown":
        return self

    def _codegen_impl(self, _: object) -> None: ...


def test_fields_of_newer_versions_have_their_defaults() -> None:
    node = make.maker(Grown, "value")("x")
    assert (node.value, node.lpar, node.added) == ("x", (), "default")
    assert make.maker(Grown, "value", added="other")("x").added == "other"
    with pytest.raises(TypeError, match="value"):
        make.maker(Grown, "added")


@pytest.mark.parametrize("paths", [SOURCES, FIXTURES], ids=["sources", "fixtures"])
def test_real_modules(paths: list[Path]) -> None:
    assert [path for path in paths if lacking(path)] == []
