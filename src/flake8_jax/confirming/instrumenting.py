"""Puts probes into a syntax tree: around what places mean, and at the returns of functions.

Lines and columns stay where they are, and so does the order in which things are evaluated.
"""

import ast
from collections.abc import Sequence
from typing import Any

from flake8_jax.confirming.locating import Function, Tree, own, targets
from flake8_jax.confirming.places import Kind, Place
from flake8_jax.evidence.changes import MUTATORS, SETTERS

NAME = "__flake8_jax__"
"""The name by which a program reaches the recorder; a builtin."""
_CONTAINERS = MUTATORS | {"__setitem__", "__delitem__", "__iadd__", "__ior__"}


class _Unfit(Exception):  # noqa: N818
    """Why nothing can be measured at a place."""


class Instrument:
    """The probes of one module."""

    def __init__(self, source: bytes, places: Sequence[Place]) -> None:
        self.tree = Tree(ast.parse(source), source.splitlines())
        self.unfit: dict[int, str] = {}
        """Why nothing is measured for a finding."""
        self._around: dict[ast.stmt, list[int]] = {}
        self._before: dict[ast.stmt, list[ast.stmt]] = {}
        self._after: dict[ast.stmt, list[ast.stmt]] = {}
        self._inside: dict[ast.stmt, list[ast.stmt]] = {}
        self._calling: dict[ast.stmt, list[int]] = {}
        self._guarded: dict[ast.stmt, list[int]] = {}
        self._passing: set[int] = set()
        """The findings at calls of functions that write, or hand something to what writes."""
        self._replaced: dict[ast.expr, ast.Call] = {}
        self._watched: dict[ast.expr, dict[int, tuple[bool, str]]] = {}
        self._known_calls = [
            node for node in ast.walk(self.tree.module) if isinstance(node, ast.Call)
        ]
        for place in places:
            try:
                _PLACING[place.kind](self, place)
            except _Unfit as reason:
                self.unfit[place.finding] = str(reason)

    def instrumented(self) -> ast.Module:
        """The tree with its probes."""
        _Weaver(self).visit(self.tree.module)
        return ast.fix_missing_locations(self.tree.module)

    # what is written ---------------------------------------------------------------------------

    def write(self, place: Place) -> None:
        """Watch what a statement, a call or a read changes."""
        nodes = self.tree.at(place)
        if not nodes:
            raise _Unfit("there is nothing at its place")
        if isinstance(nodes[0], ast.ClassDef):
            self._stores(nodes[0], place)
            return
        statement = self.tree.statement(nodes[0])
        stored = targets(statement)
        exact = [item for item in stored if item in nodes] if place.column is not None else []
        declared = self.tree.declared(statement)
        if isinstance(statement, ast.AugAssign):
            declared |= {item.id for item in stored if isinstance(item, ast.Name)}
        chosen = [item for item in exact if _is_stored(item, declared)]
        if not chosen and (statement in nodes or exact):
            chosen = [item for item in stored if _is_stored(item, declared)]
        if chosen:
            self._targets(place.finding, statement, chosen)
            return
        for node in nodes:
            if isinstance(node, ast.NamedExpr):
                self._over(node, place.finding, node.target.id)
                return
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                node = node.value
            if isinstance(node, ast.Call):
                self._call(node, place.finding)
                return
        reads = [node for node in nodes if isinstance(node, ast.Attribute | ast.Subscript)]
        for node in reads:
            self._at(node.value, place.finding, deep=node is reads[-1])
        if reads:
            self._measured(reads[0], place.finding)
            return
        calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
        if place.column is None and len(calls) == 1:
            self._call(calls[0], place.finding)
            return
        raise _Unfit("there is no write, call or read at its place")

    def _stores(self, node: ast.ClassDef, place: Place) -> None:
        """Watch where a class that is inherited from fills a cache."""
        found = False
        bases = [
            item
            for item in ast.walk(self.tree.module)
            if isinstance(item, ast.ClassDef) and item.name in (place.base, node.name)
        ]
        for item in (part for base in bases for part in ast.walk(base)):
            if isinstance(item, ast.Call) and _sets(item, place.member):
                self._call(item, place.finding)
                found = True
            elif isinstance(item, ast.stmt):
                chosen = [
                    target
                    for target in targets(item)
                    if isinstance(target, ast.Attribute) and target.attr == place.member
                ]
                if chosen:
                    self._targets(place.finding, item, list(chosen))
                    found = True
        if not found:
            raise _Unfit(f"{place.member!r} is not filled in this file")

    def _targets(self, finding: int, statement: ast.stmt, chosen: Sequence[ast.expr]) -> None:
        declared = self.tree.declared(statement)
        is_augmented = isinstance(statement, ast.AugAssign)
        for item in chosen:
            if isinstance(item, ast.Attribute | ast.Subscript):
                key = item.attr if is_augmented and isinstance(item, ast.Attribute) else ""
                self._at(_owner(item), finding, key=key)
                continue
            assert isinstance(item, ast.Name)
            probes = []
            if item.id in declared:
                probes.append(_probe("name", finding, item.id, _reader(item.id)))
            if is_augmented:
                probes.append(_probe("at", finding, ast.Name(item.id, ast.Load())))
            before = self._before.setdefault(statement, [])
            before += [_statement(probe, statement) for probe in probes]
        self._ending(statement, finding)

    def _ending(self, statement: ast.stmt, finding: int) -> None:
        """Tell when a statement has stored what it stores."""
        if isinstance(statement, ast.For | ast.AsyncFor | ast.With | ast.AsyncWith):
            ending = _statement(_probe("end", finding), statement.body[0])
            self._inside.setdefault(statement, []).append(ending)
            self._guarded.setdefault(statement, []).append(finding)
        elif self.tree.is_suspended(statement):
            ending = _statement(_probe("end", finding), statement)
            self._after.setdefault(statement, []).append(ending)
        else:
            self._surround(statement, finding)

    def _call(self, node: ast.Call, finding: int) -> None:
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if isinstance(called, ast.Attribute) and name in _CONTAINERS:
            self._at(_owner(called), finding)
        elif name in SETTERS:
            if isinstance(called, ast.Attribute) and not _is_class(called.value):
                self._at(_owner(called), finding)
            elif node.args:
                self._at(node.args[0], finding)
        else:
            self._passing.add(finding)
            if isinstance(called, ast.Attribute):
                self._at(called.value, finding, deep=True)
            elif isinstance(called, ast.Name):
                self._at(called, finding, deep=True)
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            for item in given:
                value = item.value if isinstance(item, ast.Starred) else item
                if not isinstance(value, ast.Constant):
                    self._at(value, finding, deep=True)
        self._measured(node, finding)

    def _measured(self, node: ast.expr, finding: int) -> None:
        statement = self.tree.statement(node)
        if self.tree.runs_with(node, statement):
            self._surround(statement, finding)
        else:
            self._over(node, finding)

    # other measures ----------------------------------------------------------------------------

    def cache(self, place: Place) -> None:
        """Count how often a cached value is computed."""
        decorated = self.tree.decorated(place)
        if decorated is not None:
            node, number = decorated
            counted = _probe("counted", place.finding, node.name)
            ast.copy_location(counted, node.decorator_list[number])
            node.decorator_list.insert(number + 1, counted)
            self._calls(node.name, place.finding)
            return
        nodes = self.tree.at(place)
        statement = nodes[0] if nodes else None
        if isinstance(statement, ast.ClassDef):
            for item in ast.walk(self.tree.module):
                if isinstance(item, ast.ClassDef) and item.name == place.base:
                    for method in item.body:
                        if isinstance(method, Function) and method.name == place.member:
                            counted = _probe("counted", place.finding, method.name)
                            ast.copy_location(counted, method)
                            method.decorator_list.insert(1, counted)
                            self._calls(place.member, place.finding)
                            return
            probe = _probe(
                "of_class", place.finding, ast.Name(statement.name, ast.Load()), place.member
            )
            self._after.setdefault(statement, []).append(_statement(probe, statement))
            self._calls(place.member, place.finding)
            return
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            value = statement.value
            if isinstance(value, ast.Call) and value.args:
                name = statement.targets[0].id
                wrapping = _probe("counted", place.finding, name)
                self._replaced[value.args[0]] = ast.Call(wrapping, [value.args[0]], [])
                self._calls(name, place.finding)
                return
        raise _Unfit("its cache is made in a way that is not known here")

    def _calls(self, name: str, finding: int) -> None:
        """See what calls of a method raise, before its body is reached."""
        for node in self._known_calls:
            if isinstance(node.func, ast.Attribute):
                statement = self.tree.statement(node)
                if node.func.attr == name and self.tree.runs_with(node, statement):
                    self._calling.setdefault(statement, []).append(finding)

    def memo(self, place: Place) -> None:
        """Look into the cache of a function that is called."""
        calls = [node for node in self.tree.at(place) if isinstance(node, ast.Call)]
        if not calls and place.column is None:
            statements = self.tree.at(place)
            calls = [
                node for item in statements[:1] for node in ast.walk(item)
                if isinstance(node, ast.Call)
            ]  # fmt: skip
        if not calls:
            raise _Unfit("there is no call at its place")
        for call in calls:
            self._replaced[call.func] = _probe("callee", place.finding, call.func)
        self._measured(calls[0], place.finding)

    def discard(self, place: Place) -> None:
        """Look at what a call gives that nobody takes."""
        calls = [node for node in self.tree.at(place) if isinstance(node, ast.Call)]
        if not calls:
            raise _Unfit("there is no call at its place")
        node = calls[0]
        base: ast.expr = node.func
        while isinstance(base, ast.Attribute | ast.Subscript | ast.Call):
            base = base.func if isinstance(base, ast.Call) else base.value
        for item in (base, *node.args):
            if isinstance(item, ast.Name):
                self._at(item, place.finding, deep=True)
        opening = _probe("open", place.finding, True)
        self._replaced[node] = _probe("over", place.finding, opening, node)

    # pieces ------------------------------------------------------------------------------------

    def _surround(self, statement: ast.stmt, finding: int) -> None:
        known = self._around.setdefault(statement, [])
        if finding not in known:
            known.append(finding)

    def _opening(self, finding: int) -> str:
        return "passing" if finding in self._passing else "open"

    def _at(self, node: ast.expr, finding: int, deep: bool = False, key: str = "") -> None:
        self._watched.setdefault(node, {})[finding] = deep, key

    def _over(self, node: ast.expr, finding: int, name: str = "") -> None:
        opening = _probe(self._opening(finding), finding)
        if name:
            opening = _probe("name", finding, name, _reader(name))
        self._replaced[node] = _probe("over", finding, opening, node)


def _is_stored(node: ast.expr, declared: frozenset[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in declared
    return isinstance(node, ast.Attribute | ast.Subscript)


def _sets(node: ast.Call, member: str) -> bool:
    """Whether a call such as ``object.__setattr__(self, "x", v)`` sets an attribute."""
    called = node.func
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    constants = [item.value for item in node.args if isinstance(item, ast.Constant)]
    return name in SETTERS and member in constants


def _is_class(node: ast.expr) -> bool:
    """Whether ``node.__setattr__`` is given the object: ``object`` or another class."""
    return isinstance(node, ast.Name) and (node.id == "object" or node.id[:1].isupper())


def _owner(node: ast.Attribute | ast.Subscript) -> ast.expr:
    """Whose part is written: of ``vars(x)[k]`` and ``x.__dict__[k]``, x."""
    value = node.value
    if isinstance(value, ast.Attribute) and value.attr == "__dict__":
        return value.value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        if value.func.id == "vars" and value.args:
            return value.args[0]
    return value


def _probe(method: str, *values: ast.expr | int | str) -> ast.Call:
    given = [item if isinstance(item, ast.expr) else ast.Constant(item) for item in values]
    return ast.Call(ast.Attribute(ast.Name(NAME, ast.Load()), method, ast.Load()), given, [])


def _reader(name: str) -> ast.Lambda:
    reader = ast.parse(f"lambda: {name}", mode="eval").body
    assert isinstance(reader, ast.Lambda)
    return reader


def _statement(value: ast.expr, like: ast.stmt) -> ast.stmt:
    statement = ast.Expr(value)
    for node in ast.walk(statement):
        if "lineno" in node._attributes:
            ast.copy_location(node, like)
            node.end_lineno, node.end_col_offset = like.lineno, like.col_offset  # type: ignore[attr-defined]
    return statement


class _Weaver(ast.NodeTransformer):
    """Carries out what an instrument has noted."""

    def __init__(self, instrument: Instrument) -> None:
        self._noted = instrument

    def visit(self, node: ast.AST) -> Any:
        self.generic_visit(node)
        if isinstance(node, ast.Return | ast.Lambda):
            self._returning(node)
        elif isinstance(node, Function) and not _is_generator(node):
            node.body.append(_statement(_probe("returning", ast.Constant(None)), node.body[-1]))
        if isinstance(node, ast.expr):
            return self._expression(node)
        return self._statements(node) if isinstance(node, ast.stmt) else node

    def _expression(self, node: ast.expr) -> ast.expr:
        result = node
        for finding, (deep, key) in self._noted._watched.get(node, {}).items():
            probe = _probe("at", finding, result, deep, key)
            result = ast.copy_location(probe, node)
        replaced = self._noted._replaced.get(node)
        if replaced is None:
            return result
        replaced.args = [result if item is node else item for item in replaced.args]
        return ast.copy_location(replaced, node)

    def _returning(self, node: ast.Return | ast.Lambda) -> None:
        value = node.value if isinstance(node, ast.Return) else node.body
        given = value or ast.Constant(None)
        probe = ast.copy_location(_probe("returning", given), value or node)
        if isinstance(node, ast.Return):
            node.value = probe
        elif not _is_reader(node):
            node.body = probe

    def _statements(self, node: ast.stmt) -> ast.AST | list[ast.stmt]:
        noted = self._noted
        if inside := noted._inside.get(node):
            node.body[:0] = inside  # type: ignore[attr-defined]
        before, after = noted._before.get(node, []), noted._after.get(node, [])
        around = noted._around.get(node, [])
        opened = [(noted._opening(finding), finding) for finding in around]
        opened += [("calling", finding) for finding in noted._calling.get(node, [])]
        closed = [*noted._guarded.get(node, []), *(finding for _, finding in reversed(opened))]
        if not closed:
            return [*before, node, *after] if before or after else node
        begin = [_statement(_probe(method, finding), node) for method, finding in opened]
        end = [_statement(_probe("end", finding), node) for finding in closed]
        guarded = ast.copy_location(ast.Try([*begin, *before, node], [], [], end), node)
        return [guarded, *after]


def _is_generator(node: Function) -> bool:
    return any(isinstance(item, ast.Yield | ast.YieldFrom) for item in own(node))


def _is_reader(node: ast.Lambda) -> bool:
    return not hasattr(node, "lineno")


_PLACING = {
    Kind.WRITE: Instrument.write,
    Kind.CACHE: Instrument.cache,
    Kind.MEMO: Instrument.memo,
    Kind.DISCARD: Instrument.discard,
}
