"""Finds what to watch for the places of a module, and notes which probes belong there."""

import ast
from collections.abc import Sequence

from flake8_jax.confirming.locating import (
    Function,
    Tree,
    called_name,
    is_class,
    is_stored,
    lacks_namespace,
    owner,
    sets,
    targets,
)
from flake8_jax.confirming.places import Kind, Place
from flake8_jax.confirming.weaving import Notes, as_statement, probe, reader, weave
from flake8_jax.evidence.changes import MUTATORS, SETTERS

_CONTAINERS = MUTATORS | {"__setitem__", "__delitem__", "__iadd__", "__ior__"}


class _Unfit(Exception):  # noqa: N818
    """Why nothing can be measured at a place."""


class Instrument:
    """The probes of one module."""

    def __init__(self, source: bytes, places: Sequence[Place]) -> None:
        self.tree = Tree(ast.parse(source), source.splitlines())
        self.unfit: dict[int, str] = {}
        """Why nothing is measured for a finding."""
        self._notes = Notes()
        self._reads = [
            node
            for node in ast.walk(self.tree.module)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
        ]
        for place in places:
            try:
                _PLACING[place.kind](self, place)
            except _Unfit as reason:
                self.unfit[place.finding] = str(reason)

    def instrumented(self) -> ast.Module:
        """The tree with its probes."""
        return weave(self.tree.module, self._notes)

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
        chosen = [item for item in exact if is_stored(item, declared)]
        if not chosen and (statement in nodes or exact):
            chosen = [item for item in stored if is_stored(item, declared)]
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
        named = [
            node for node in self._reads
            if place.column is None and node.attr == place.member
            and self.tree.statement(node) is statement
        ]  # fmt: skip
        for node in named:
            self._at(node.value, place.finding)
        if named:
            self._measured(named[0], place.finding)
            return
        if place.column is not None and statement in nodes:
            calls = [node for node in calls if _changes(node)]
        if (place.column is None or statement in nodes) and len(calls) == 1:
            self._call(calls[0], place.finding)
            return
        raise _Unfit("there is no write, call or read at its place")

    def lazy(self, place: Place) -> None:
        """Watch what a statement puts into a cache, and what asks for it."""
        self._notes.always.add(place.finding)
        self.write(place)
        stored = [
            node for node in self._notes.around if place.finding in self._notes.around.get(node, [])
        ]
        for function in {self.tree.function(node): None for node in stored}:
            if function is not None and (
                given := [*function.args.posonlyargs, *function.args.args]
            ):
                whose = given[0].arg
                reads = " ".join(sorted(self.tree.attributes(function, whose)))
                asked = probe("asked", place.finding, ast.Name(whose, ast.Load()), reads)
                inside = self._notes.inside.setdefault(function, [])
                inside.append(as_statement(asked, function.body[0]))

    def _stores(self, node: ast.ClassDef, place: Place) -> None:
        """Watch where a class that is inherited from fills a cache."""
        found = False
        bases = [
            item
            for item in ast.walk(self.tree.module)
            if isinstance(item, ast.ClassDef) and item.name in (place.base, node.name)
        ]
        for item in (part for base in bases for part in ast.walk(base)):
            if isinstance(item, ast.Call) and sets(item, place.member):
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
                holds = is_augmented and isinstance(item, ast.Subscript)
                self._at(owner(item), finding, deep=holds, key=key)
                continue
            assert isinstance(item, ast.Name)
            probes = []
            if item.id in declared:
                probes.append(probe("name", finding, item.id, reader(item.id)))
            if is_augmented:
                probes.append(probe("at", finding, ast.Name(item.id, ast.Load())))
            before = self._notes.before.setdefault(statement, [])
            before += [as_statement(item, statement) for item in probes]
        self._ending(statement, finding)

    def _ending(self, statement: ast.stmt, finding: int) -> None:
        """Tell when a statement has stored what it stores."""
        if isinstance(statement, ast.For | ast.AsyncFor | ast.With | ast.AsyncWith):
            ending = as_statement(probe("end", finding), statement.body[0])
            self._notes.inside.setdefault(statement, []).append(ending)
            self._notes.guarded.setdefault(statement, []).append(finding)
        elif self.tree.is_suspended(statement):
            ending = as_statement(probe("end", finding), statement)
            self._notes.after.setdefault(statement, []).append(ending)
        else:
            self._surround(statement, finding)

    def _call(self, node: ast.Call, finding: int) -> None:
        called = node.func
        is_bound = isinstance(called, ast.Attribute) and not is_class(
            called.value, called_name(called)
        )
        if _changes(node):
            if is_bound and isinstance(called, ast.Attribute):
                self._at(owner(called), finding)
            elif node.args:
                self._at(node.args[0], finding)
        else:
            self._notes.passing.add(finding)
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
            if isinstance(statement, ast.Return):  # it has to be known before the function returns
                self._notes.replaced[node] = probe("done", finding, node)
        else:
            self._over(node, finding)

    # other measures ----------------------------------------------------------------------------

    def cache(self, place: Place) -> None:
        """Count how often a cached value is computed."""
        decorated = self.tree.decorated(place)
        if decorated is not None:
            node, number = decorated
            counted = probe("counted", place.finding, node.name)
            ast.copy_location(counted, node.decorator_list[number])
            node.decorator_list.insert(number + 1, counted)
            cls = self.tree.parents.get(node)
            is_bare = isinstance(cls, ast.ClassDef) and lacks_namespace(cls)
            self._calls(node.name, place.finding, is_read=number > 0 or is_bare)
            return
        nodes = self.tree.at(place)
        statement = nodes[0] if nodes else None
        if isinstance(statement, ast.ClassDef):
            for item in ast.walk(self.tree.module):
                if isinstance(item, ast.ClassDef) and item.name == place.base:
                    for method in item.body:
                        if isinstance(method, Function) and method.name == place.member:
                            counted = probe("counted", place.finding, method.name)
                            ast.copy_location(counted, method)
                            method.decorator_list.insert(1, counted)
                            self._calls(place.member, place.finding)
                            return
            cls = ast.Name(statement.name, ast.Load())
            counted = probe("of_class", place.finding, cls, place.member)
            self._notes.after.setdefault(statement, []).append(as_statement(counted, statement))
            self._calls(place.member, place.finding)
            return
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            value = statement.value
            if isinstance(value, ast.Call) and value.args:
                name = statement.targets[0].id
                wrapping = probe("counted", place.finding, name)
                self._notes.replaced[value.args[0]] = ast.Call(wrapping, [value.args[0]], [])
                self._calls(name, place.finding)
                return
        raise _Unfit("its cache is made in a way that is not known here")

    def _calls(self, name: str, finding: int, is_read: bool = False) -> None:
        """See what calls of a method raise before its body is reached, or reads of a property."""
        for node in (item for item in self._reads if item.attr == name):
            parent = self.tree.parents[node]
            is_called = isinstance(parent, ast.Call) and parent.func is node
            where = self.tree.running(node)
            if (is_called or is_read) and where is not None:
                known = self._notes.calling.setdefault(where, [])
                if finding not in known:
                    known.append(finding)

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
            self._notes.replaced[call.func] = probe("callee", place.finding, call.func)
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
        opening = probe("open", place.finding, True)
        self._notes.replaced[node] = probe("over", place.finding, opening, node)

    # pieces ------------------------------------------------------------------------------------

    def _surround(self, statement: ast.stmt, finding: int) -> None:
        for block in self.tree.finishing(statement):
            self._notes.early |= {item for item in ast.walk(block) if isinstance(item, ast.Return)}
        known = self._notes.around.setdefault(statement, [])
        if finding not in known:
            known.append(finding)

    def _at(self, node: ast.expr, finding: int, deep: bool = False, key: str = "") -> None:
        self._notes.watched.setdefault(node, {})[finding] = deep, key

    def _over(self, node: ast.expr, finding: int, name: str = "") -> None:
        opening = self._notes.opening(finding)
        if name:
            opening = probe("name", finding, name, reader(name))
        self._notes.replaced[node] = probe("over", finding, opening, node)


def _changes(node: ast.Call) -> bool:
    """Whether a call changes an object itself: a method of containers, or ``setattr``."""
    name = called_name(node.func)
    return name in SETTERS or (name in _CONTAINERS and isinstance(node.func, ast.Attribute))


_PLACING = {
    Kind.WRITE: Instrument.write,
    Kind.LAZY: Instrument.lazy,
    Kind.CACHE: Instrument.cache,
    Kind.MEMO: Instrument.memo,
    Kind.DISCARD: Instrument.discard,
}
