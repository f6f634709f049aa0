"""Programs as trees, and their source: what hypothesis builds, shrinks and prints."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from flake8_jax.evidence.programs.vocabulary import Kind
from flake8_jax.evidence.stamps import STAMPS

INDENT = "    "


@dataclass(frozen=True)
class Line:
    """A statement: a form with holes, and what stands in them."""

    form: str
    holes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Block:
    """A statement with statements in it."""

    head: Line
    body: tuple["Statement", ...]
    tail: str = ""


@dataclass(frozen=True)
class Function:
    """A function, a method or a property."""

    name: str
    parameters: str
    body: tuple["Statement", ...]
    decorators: tuple[str, ...] = ()
    unsaid: str = ""
    """The type of the first parameter, where the program does not say it."""


Statement = Line | Block | Function


@dataclass(frozen=True)
class Program:
    """A pytree class, functions, and the way in which they are used."""

    kind: Kind
    methods: tuple[Function, ...] = ()
    """Of the pytree class."""
    helpers: tuple[Function, ...] = ()
    entry: tuple[Function, ...] = ()
    """The traced function, where it stands in the module."""
    plain: tuple[Function, ...] = ()
    """The methods of a class that is no pytree."""
    setup: tuple[str, ...] = ()
    """Statements of the module before the traced function."""
    drive: tuple[Statement, ...] = ()
    elsewhere: str = "nothing"
    """What another module defines: ``nothing``, ``classes``, or ``helpers`` as well."""

    def annotated(self) -> "Program":
        """The same program, with all types written down."""

        def told(statements: tuple[Statement, ...]) -> tuple[Any, ...]:
            return tuple(map(_annotated, statements))

        return replace(
            self,
            methods=told(self.methods),
            helpers=told(self.helpers),
            entry=told(self.entry),
            plain=told(self.plain),
            drive=told(self.drive),
        )

    def modules(self) -> dict[str, str]:
        """The text of its modules; the last one has the drive.

        A function that nothing calls is left out: what it would do cannot be seen.
        """
        stamps = count()
        called = self._called()
        methods = tuple(item for item in self.methods if item in called)
        classes = [_class(self.kind, "Inner", _INNER, (), stamps), ""]
        classes += [_class(self.kind, "State", _STATE, methods, stamps), "", _MAKE]
        helpers = [_text(helper, stamps) for helper in self.helpers if helper in called]
        main = [*self.setup, *(_text(function, stamps) for function in self.entry)]
        if self.plain:
            body = (_CONSTRUCTOR, *self.plain)
            main.append(_text(Block(Line("class Trainer:"), body), stamps))
        drive = Function("drive", "watch", (*_START, *self.drive))
        main.append(_text(drive, stamps))
        if self.elsewhere == "nothing":
            return {"main": _module([*classes, *helpers, *main], ())}
        if self.elsewhere == "classes":
            other, main = classes, [*helpers, *main]
        else:
            other = [*classes, *helpers]
        return {"other": _module(other, ()), "main": _module(main, tuple(other))}

    def _called(self) -> set[Function]:
        """The methods and helpers that the rest of the program calls, directly or not."""
        waiting = {*self.methods, *self.helpers}
        texts = [_text(item, count()) for item in (*self.entry, *self.plain, *self.drive)]
        found: set[Function] = set()
        while texts:
            words = set(_WORD.findall(texts.pop()))
            here = {item for item in waiting if item.name in words}
            waiting -= here
            found |= here
            texts += [_text(item, count()) for item in here]
        return found


def _annotated(statement: Statement) -> Statement:
    if isinstance(statement, Line):
        return statement
    body = tuple(map(_annotated, statement.body))
    if isinstance(statement, Block) or not statement.unsaid:
        return replace(statement, body=body)
    first, comma, rest = statement.parameters.partition(",")
    parameters = f"{first}: {statement.unsaid}{comma}{rest}"
    return replace(statement, body=body, parameters=parameters, unsaid="")


_FIELDS = {
    "x": "jax.Array",
    "y": "jax.Array",
    "z": "jax.Array",
    "d": "dict",
    "items": "list",
    "inner": "Inner",
    "nodes": "list[Inner]",
}
_INNER = ("x", "y", "z", "d")
_STATE = tuple(_FIELDS)
_MAKE = """\
def make() -> State:
    def one():
        return jnp.full(3, 0.25)

    def inner():
        return Inner(x=one(), y=one(), z=one(), d={"k": one()})

    return State(
        x=one(),
        y=one(),
        z=one(),
        d={"k": one()},
        items=[one(), one()],
        inner=inner(),
        nodes=[inner()],
    )
"""
_START = (Line("s = make()"), Line("watch(s)"), Line("v = jnp.full(3, 0.5)"))
_CONSTRUCTOR = Function(
    "__init__",
    "self, state: State",
    (
        Line("self.state = state"),
        Line("self.log = [jnp.zeros(3), jnp.zeros(3)]"),
        Line('self.d = {{"k": jnp.zeros(3)}}'),
        Line("self.x = jnp.zeros(3)"),
    ),
)
_GIVEN = {
    "same": "def same(value):\n    return value\n",
    "renewed": "def renewed(value):\n    return jax.tree.map(lambda leaf: leaf + 0, value)\n",
}
"""Functions that every module may use, and has if it does."""
_IMPORTS = {
    "contextlib": "import contextlib",
    "copy": "import copy",
    "dataclasses": "import dataclasses",
    "io": "import io",
    "operator": "import operator",
    "partial": "from functools import partial",
    "chex": "import chex",
    "NamedTuple": "from typing import NamedTuple",
    "eqx": "import equinox as eqx",
    "jax": "import jax",
    "jdc": "import jax_dataclasses as jdc",
    "jnp": "import jax.numpy as jnp",
    "nnx": "from flax import nnx",
    "struct": "from flax import struct",
}
_WORD = re.compile(r"\w+")
_DEFINED = re.compile(r"^(?:def|class) (\w+)", re.MULTILINE)


def _module(parts: list[str], other: tuple[str, ...]) -> str:
    body = "\n\n".join(part.strip("\n") + "\n" for part in parts if part)
    given = [text for name, text in _GIVEN.items() if _uses(body, name)]
    body = "\n\n".join([*given, body])
    lines = [line for name, line in _IMPORTS.items() if _uses(body, name)]
    names = [name for name in _DEFINED.findall("\n".join(other)) if _uses(body, name)]
    if names:
        lines.append(f"from other import {', '.join(names)}")
    if _uses(body, "FLAG"):
        lines += ["", "FLAG = True"]
    return "\n".join(lines) + "\n\n\n" + body


def _uses(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w.\"]){name}\b", text) is not None


def _class(
    kind: Kind,
    name: str,
    fields: tuple[str, ...],
    methods: tuple[Function, ...],
    stamps: "count[int]",
) -> str:
    lines = [kind.head.format(c=name)]
    lines += [f"{INDENT}{item}: {_FIELDS[item]}" for item in fields]
    lines += kind.members.rstrip("\n").split("\n") if kind.members else []
    for method in methods:
        lines += ["", *(INDENT + line for line in _lines(method, stamps))]
    if kind.tail:
        lines += ["", "", kind.tail.format(c=name)]
    return "\n".join(lines) + "\n"


def _text(statement: Statement, stamps: "count[int]") -> str:
    return "\n".join(_lines(statement, stamps)) + "\n"


def _lines(statement: Statement, stamps: "count[int]") -> Iterator[str]:
    if isinstance(statement, Line):
        holes = dict(statement.holes)
        if "{m}" in statement.form:
            holes["m"] = str(STAMPS[next(stamps) % len(STAMPS)])
        yield from statement.form.format(**holes).split("\n")
    elif isinstance(statement, Block):
        yield from _lines(statement.head, stamps)
        yield from _indented(statement.body, stamps)
        if statement.tail:
            yield from statement.tail.split("\n")
    else:
        yield from statement.decorators
        yield f"def {statement.name}({statement.parameters}):"
        yield from _indented(statement.body, stamps)


def _indented(body: tuple[Statement, ...], stamps: "count[int]") -> Iterator[str]:
    for statement in body:
        for line in _lines(statement, stamps):
            yield INDENT + line if line else line
