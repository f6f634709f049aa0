"""The outline of a module: its text, cut at its top-level statements.

A module that is linted is cut along the ``ast`` tree that flake8 has of it. For the modules that it
imports there is no tree, and making one costs more than all the rest; so those are cut by the
columns of their lines, and only what somebody asks for is parsed.
"""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from sys import intern

from flake8_jax.workspace.files import File

_WORD = re.compile(r"[^\W\d]\w*")
_ASCII_WORD = re.compile(r"[a-zA-Z_]\w*", re.ASCII)
"""The same where there are no other letters, in half the time."""
_CLASS = re.compile(r"^[ \t\f]*class[\s\\]+([^\W\d]\w*)", re.MULTILINE)
_DEFINES = re.compile(r"\x0c*(?:@|(?:async[ \t]+)?def\b|class\b)")
_DECORATED = re.compile(r"^\x0c*(?:async[ \t]+)?(?:def|class)[\s\\]+([^\W\d]\w*)", re.MULTILINE)
_ASSIGNMENT = re.compile(r"([^\W\d]\w*)[ \t]*(?::[^=\n]*)?=(?!=)[^=\n]*$")
_STATEMENT = re.compile(r"\n(?=\x0c*[^\s#)\]}])(?!\x0c*(?:else|elif|except|finally)\b)")
_STRING = (
    r"#[^\n]*"
    r'|"(?:("")[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:"""|\\?\Z)|%s[^"\\\n]*(?:\\.[^"\\\n]*)*")'
    r"|'(?:('')[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*(?:'''|\\?\Z)|%s[^'\\\n]*(?:\\.[^'\\\n]*)*')"
)
"""Comments, and strings, which may go over several lines; one without an end goes to the last.

Those on one line may have to contain something. Each begins with a letter of its own: then the
places at which none can begin cost next to nothing.
"""
_HIDDEN = re.compile(_STRING % ("", ""), re.DOTALL)
_NESTED = re.compile(
    r"[\n:;][ \t]*((?:from[ \t]+[\w.]+[ \t]+)?import\b(?:[ \t]*\([^)]*\)|(?:\\\n|[^\n;])*))"
)
_COMMENT = re.compile(r"#[^\n]*|\\\n|[()\n]")
"""Comments, and what is to be put between or around names that are imported."""
_NONE = frozenset[str]()
_IMPORTS = ("import ", "import\t", "import\\", "from ", "from\t", "from\\", "from.")
"""How import statements begin; other names may begin with the same letters."""
_QUOTES = ('"', "'")
_CONTINUED = re.compile(r"[(\[{,\\=+*/|&<>%-][ \t]*\n(?:[ \t]*\n)*[^\s)\]}]")
"""A line in the first column that goes on with the statement before it."""


@lru_cache(maxsize=64)  # what is asked for twice is asked for soon, and trees are large
def _statements(text: str) -> tuple[ast.stmt, ...]:
    tree = parsed(text)
    return tuple(tree.body) if tree is not None else ()


def _words(text: str) -> frozenset[str]:
    pattern = _ASCII_WORD if text.isascii() else _WORD
    return frozenset(map(intern, pattern.findall(text)))


@dataclass(eq=False)
class Block:
    """One top-level statement, or several that share a line."""

    index: int
    first: int
    last: int
    source: str
    """The text of the module, and the part of it that is the block's."""
    start: int
    end: int
    parsed: tuple[ast.stmt, ...] | None = None

    @property
    def text(self) -> str:
        """Its text; it is not kept a second time."""
        return self.source[self.start : self.end]

    @cached_property
    def lines(self) -> Sequence[str]:
        """The lines of its text, for those who say where something stands."""
        return self.text.split("\n")

    def has(self, text: str) -> bool:
        """Whether something stands in its text."""
        return self.source.find(text, self.start, self.end) >= 0

    @property
    def nodes(self) -> tuple[ast.stmt, ...]:
        """Its statements; none where the text cannot be parsed."""
        return self.parsed if self.parsed is not None else _statements(self.text)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that it binds in the module; ``*`` for a star import."""
        if self.defines:
            match = _DECORATED.search(self.source, self.start, self.end)
            if match is not None:
                return frozenset({match[1]})
        if self.is_import:
            return frozenset(name for name, _ in self.imported)
        text = self.text.rstrip()
        if "\n" not in text and (match := _ASSIGNMENT.match(text)):
            return frozenset({match[1]})
        if text.startswith(_QUOTES) and _HIDDEN.fullmatch(text):  # a docstring
            return _NONE
        return frozenset(name for node in self.nodes for name in _bound(node))

    @property
    def imported(self) -> Iterable[tuple[str, str]]:
        """The names that it imports, at whatever depth, and the dotted names they stand for."""
        if not self.has("import"):
            return []
        found = _spelled_imports(self.text, self.is_import)
        if found is not None:
            return found
        return imports(node for item in self.nodes for node in ast.walk(item))

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the text: all names that it may mention, also in a string that is one."""
        return _words(_HIDDEN.sub(_named, self.text))

    @cached_property
    def classes(self) -> frozenset[str]:
        """The names of the classes that may be in it, at whatever depth."""
        return frozenset(_CLASS.findall(self.text)) if self.has("class") else _NONE

    @cached_property
    def defines(self) -> bool:
        """Whether it is a single function or class."""
        return _DEFINES.match(self.source, self.start) is not None and self._is_single

    @property
    def _is_single(self) -> bool:
        return self.parsed is None or len(self.parsed) == 1

    @property
    def is_import(self) -> bool:
        """Whether it is an import statement, and nothing else."""
        return self.source.startswith(_IMPORTS, self.start) and not self.has(";")


def outline(file: File) -> tuple[Block, ...]:
    """The blocks of a file, cut once."""
    return file.once(outline, lambda: from_text(file.text))


def attach(file: File, lines: Sequence[str], tree: ast.Module) -> None:
    """Give a file the tree that there is of it, so that nothing has to be parsed again."""
    cut = from_tree(file.text, lines, tree)
    known = file.once(outline, lambda: cut)
    if known is not cut and len(known) == len(cut):
        for block, parsed in zip(known, cut, strict=True):
            if block.first == parsed.first:
                block.parsed = parsed.parsed


def release(file: File) -> None:
    """Let go of trees, and of words in detail, that were needed only while the file was linted."""
    for block in outline(file):
        block.parsed = None
        vars(block).pop("words", None)
    file.memo.pop(outline, None)


def parsed(text: str) -> ast.Module | None:
    """The ``ast`` tree of a text that flake8 has not parsed; None where Python refuses it.

    Python warns of odd strings when it parses them; nobody asked for warnings about other files.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def shown(text: str) -> str:
    """A text of the same length, with strings and comments blanked."""
    return _HIDDEN.sub(_blank, text)


def from_tree(text: str, lines: Sequence[str], tree: ast.Module) -> tuple[Block, ...]:
    """Cut a module's text along the statements of its tree, given the lines of the text."""
    runs: list[tuple[int, int, list[ast.stmt]]] = []
    for node in tree.body:
        first, last = first_line(node), node.end_lineno or node.lineno
        if runs and first <= runs[-1][1]:
            start, end, nodes = runs[-1]
            runs[-1] = (start, max(end, last), [*nodes, node])
        else:
            runs.append((first, last, [node]))
    starts = list(accumulate(map(len, lines), initial=0))
    return tuple(
        Block(index, first, last, text, starts[first - 1], starts[last], tuple(nodes))
        for index, (first, last, nodes) in enumerate(runs)
    )


def from_text(text: str) -> tuple[Block, ...]:
    """Cut a module's text where a line begins a statement; none where it cannot be parsed."""
    code = shown(text)
    if _CONTINUED.search(code) is not None:
        tree = parsed(text)
        lines = [f"{line}\n" for line in text.split("\n")]
        return from_tree(text, lines, tree) if tree is not None else ()
    starts = [match.start() for match in _STATEMENT.finditer(f"\n{code}")]
    befores = ["", *(code[start] for start in starts)]
    starts = [here for here, before in zip(starts, befores, strict=False) if before != "@"]
    found: list[Block] = []
    line = 1 + text.count("\n", 0, starts[0]) if starts else 1
    for index, (start, end) in enumerate(zip(starts, [*starts[1:], len(text)], strict=False)):
        count = text.count("\n", start, end)
        found.append(Block(index, line, line + max(count - 1, 0), text, start, end))
        line += count
    return tuple(found)


def _named(match: re.Match[str]) -> str:
    """A string that may name something; nothing of comments and of strings of several words."""
    hidden = match.group()
    return "" if hidden[0] == "#" or " " in hidden else hidden


def _blank(match: re.Match[str]) -> str:
    """A string or comment without its contents, of the same length."""
    hidden = match.group()
    if hidden[0] == "#":
        return " " * len(hidden)
    if match[1] is None and match[2] is None:
        return f"'{' ' * (len(hidden) - 1)}"
    return "'" + "\n".join(" " * len(line) for line in hidden.split("\n"))[1:]


def first_line(node: ast.stmt) -> int:
    """The line on which a statement starts, with its decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _spelled_imports(text: str, is_import: bool) -> list[tuple[str, str]] | None:
    """What a text imports, told by its spelling; None where that is written in odd ways."""
    statements = [text] if is_import else _NESTED.findall(f"\n{shown(text)}")
    found: list[tuple[str, str]] = []
    for statement in statements:
        match _COMMENT.sub(" ", statement.strip()).split(maxsplit=3):
            case ["from", module, "import", listed]:
                origin: str | None = module
            case ["import", *rest]:
                origin, listed = None, " ".join(rest)
            case _:
                return None
        for alias in listed.rstrip().removesuffix(",").split(","):
            match alias.split():
                case [name]:
                    found.append(_imported(origin, name, None))
                case [name, "as", other]:
                    found.append(_imported(origin, name, other))
                case _:
                    return None
    return found


def _imported(module: str | None, name: str, alias: str | None) -> tuple[str, str]:
    """What ``from module import name as alias`` binds, and the dotted name it stands for."""
    if module is None:
        name = name if alias else name.partition(".")[0]
        return alias or name, name
    return alias or name, f"{module}{name}" if module.endswith(".") else f"{module}.{name}"


def imports(statements: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """The names that import statements bind, and the dotted names that they stand for."""
    for node in statements:
        match node:
            case ast.Import():
                for alias in node.names:
                    yield _imported(None, alias.name, alias.asname)
            case ast.ImportFrom():
                for alias in node.names:
                    module = "." * node.level + (node.module or "")
                    yield _imported(module, alias.name, alias.asname)


def _bound(statement: ast.AST) -> Iterator[str]:
    stack = [statement]
    while stack:
        node = stack.pop()
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Import() | ast.ImportFrom():
                yield from (name for name, _ in imports([node]))
            case ast.Name(ctx=ast.Store() | ast.Del()):
                yield node.id
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name
                stack.extend(ast.iter_child_nodes(node))
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name
                stack.extend(ast.iter_child_nodes(node))
            case ast.Lambda():
                pass
            case _:
                stack.extend(ast.iter_child_nodes(node))
