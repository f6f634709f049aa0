"""Trees that are made of Python's own mean what libcst's parser makes of the text."""

import ast
from collections.abc import Iterator
from pathlib import Path

import libcst as cst
import pytest

from flake8_jax.syntax import children
from flake8_jax.syntax.parsing import exact
from flake8_jax.syntax.trees import converted
from flake8_jax.workspace.outline import Block, from_tree
from sampling import sample

ROOT = Path(__file__).parents[3]
FIXTURES = sample(sorted((ROOT / "fixtures").rglob("*.py")), 12)
SOURCES = sample(sorted(path for top in ("src", "tests") for path in (ROOT / top).rglob("*.py")), 6)
EVERYTHING = """
from . import a, b as c
from ..d.e import *
import f.g, h.i as j

@one
@two.three(4, k=5)
async def function(p, /, q: int = 1, *r: str, s, t=2, **u) -> "v":
    global w, x
    async for y, (z, *_) in p: break
    else: pass
    async with q as a1, r as (b1, c1): await s
    while t: continue
    else: del u, p[0]
    try: raise ValueError from q
    except (A, B) as e: return
    except C: assert q, "r"
    else: yield
    finally: yield from r
    try: ...
    except* D as d: pass
    if p: x = y = 1
    elif q: x += 1; y @= 2; z //= 3
    else:
        if r: w: int = 4
        else: w: int
    return lambda *, a, b=1: (a, b)

def outer():
    def inner():
        nonlocal x
        for x in y:
            with z: pass

class Class(Base, Other[int], *more, metaclass=Meta, **rest):
    nested = [i for i in range(3) if i if i > 1 for j in (k async for k in l)]
    items = {1: 2, **other}, {3, *four}, {m: n for m, n in o}, {p for p in q}
    numbers = 0x1F, 1_000.5, 2j, -1, +1, ~1, not 1, True, None, ...
    texts = "a" 'b', b"c" b"d", f"{x!r:>{width}} and {y}" "z", r"\\d"
    operations = (a + b - c * d / e // f % g ** h) @ i << j >> k & l | m ^ n
    logic = a and b and c or not d, a < b <= c == d != e > f >= g
    relations = a is b is not c, a in b, a not in c
    access = a.b[c][d:e:f][::2][:, 1][...](g, *h, i=j, **k).l
    choice = a if b else (c := d)
    starred = [*a, b], *c

match subject:
    case 1 | "two" | -3 | None: pass
    case [a, *rest] | (b, _): pass
    case {"key": value, **others} if value: pass
    case Point(x, y=0) as point: pass
    case {}: pass
    case _: pass
"""


def meaning(node: cst.CSTNode) -> Iterator[object]:
    """What a tree says, without what only its spelling tells."""
    match node:
        case cst.SimpleStatementLine() | cst.SimpleStatementSuite() | cst.IndentedBlock():
            for item in node.body:
                yield from meaning(item)
            return
        case cst.Else(body=cst.IndentedBlock(body=[cst.If() as inner])):
            yield from meaning(inner)
            return
        case cst.ConcatenatedString() | cst.SimpleString() | cst.FormattedString():
            found = list(_expressions(node))
            text = None if isinstance(node, cst.FormattedString) else node.evaluated_value
            yield ("string", None if found else text, found)
            return
        case cst.Integer() | cst.Float() | cst.Imaginary():
            yield ("number", ast.literal_eval(node.value))
            return
        case cst.Call():
            positional = [item for item in node.args if item.keyword is None and item.star != "**"]
            named = [item for item in node.args if item not in positional]
            parts = [list(meaning(item)) for item in (node.func, *positional, *named)]
            yield ("Call", parts)
            return
    kind = "MatchList" if isinstance(node, cst.MatchTuple) else type(node).__name__
    marks = [getattr(node, name) for name in ("value", "star") if hasattr(node, name)]
    operator = getattr(node, "operator", None)
    yield (
        kind,
        [mark for mark in marks if isinstance(mark, str)],
        type(operator).__name__,
        [part for child in children(node) for part in meaning(child)],
    )


def _expressions(node: cst.CSTNode) -> Iterator[object]:
    match node:
        case cst.ConcatenatedString():
            yield from _expressions(node.left)
            yield from _expressions(node.right)
        case cst.FormattedString():
            for part in node.parts:
                yield from _expressions(part)
        case cst.FormattedStringExpression():
            yield list(meaning(node.expression))
            for part in node.format_spec or ():
                yield from _expressions(part)


def blocks(text: str) -> tuple[Block, ...]:
    return from_tree(text, text.splitlines(keepends=True), ast.parse(text))


def differences(text: str) -> list[int]:
    found = []
    for block in blocks(text):
        made, parsed = converted(block)[0], exact(block)
        assert parsed is not None
        if list(meaning(made)) != list(meaning(parsed.module)):
            found.append(block.first)
    return found


def test_all_of_the_syntax_is_known() -> None:
    known = {type(node) for node in ast.walk(ast.parse(EVERYTHING))}
    expected = {
        kind
        for base in (ast.stmt, ast.expr, ast.pattern)
        for kind in base.__subclasses__()
        if kind.__name__ not in {"TypeAlias", "TemplateStr", "Interpolation", "FormattedValue"}
    }
    assert expected - known - {ast.Slice} == set()
    assert differences(EVERYTHING) == []


def test_a_tree_that_means_something_else_is_noticed() -> None:
    one, other = blocks("x = 1\nx = 2\n")
    made, parsed = converted(one)[0], exact(other)
    assert parsed is not None
    assert list(meaning(made)) != list(meaning(parsed.module))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_real_modules(path: Path) -> None:
    assert differences(path.read_text(encoding="utf-8")) == []


def test_fixtures() -> None:
    wrong = [path for path in FIXTURES if differences(path.read_text(encoding="utf-8"))]
    assert wrong == []
