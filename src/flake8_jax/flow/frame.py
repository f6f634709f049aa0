"""Follows one function, statement by statement, and summarises what it does.

Loops are walked twice, so that what the first round wrote is seen to be read by the second.
"""

from collections.abc import Iterable, Iterator
from functools import reduce

import libcst as cst

from flake8_jax.descriptors import is_guarded, may_be_guarded
from flake8_jax.flow.analysis import Parameter, Summary
from flake8_jax.flow.application import fill
from flake8_jax.flow.calls import call
from flake8_jax.flow.reads import Reads
from flake8_jax.flow.removals import undoes
from flake8_jax.flow.statements import Statements
from flake8_jax.flow.types import annotated
from flake8_jax.flow.values import (
    ALL,
    MOST_PLACES,
    PLAIN,
    Clear,
    Form,
    Place,
    Root,
    Shape,
    Told,
    Trace,
    Type,
    Value,
    Write,
    changed,
    join,
    kept,
    meet,
    widened,
)
from flake8_jax.names import asks_about_tracers, refer
from flake8_jax.scopes import Defined
from flake8_jax.syntax import is_abstract, statements

_MOST_WRITES = 300
"""How many writes of what it calls a summary tells."""
_MOST_READS = 300
_NONE = frozenset[str]()
_EVERYTHING: Clear = frozenset({ALL})
_NOWHERE = frozenset[Place]()


class Frame(Statements):
    """One function while it is followed."""

    def run(self) -> Summary:
        """Follow the function and summarise it."""
        if self._is_asked_around():
            self.clear = _EVERYTHING
        for index, parameter in enumerate(self.parameters):
            self.env[parameter.name] = self._parameter(parameter, index == 0)
        types = {name: value.type for name, value in self.env.items()}
        if isinstance(self.node, cst.FunctionDef):
            eager = (self.is_compile_time(item.decorator) for item in self.node.decorators)
            self.compile_time += any(eager)
        if isinstance(self.node, cst.Lambda):
            if not self._changes_a_parameter(self.node.body):
                self.used = self.node.body
            self._leave(self.evaluate(self.node.body))
        elif not self.block(statements(self.node.body)):
            self.left.append(self.clear)
            if self.results:  # here it gives None, which is false
                last = self.results[-1]
                told = meet(last.if_false, self.clear)
                self.results[-1] = changed(last, if_false=told)
        for trace in tuple(self.waiting):
            fill(self, trace)
        result = self._result()
        lasting = self.writes and self._comes_back
        writes = tuple(self._seen(_nearest(self._lasting()))) if lasting else ()
        return Summary(
            self.parameters,
            writes,
            self._summed(direct=True),
            self._summed(direct=False),
            kept(result),
            tuple(self.called.values()),
            types,
            self.makes_arrays,
            tuple(self.invocations.values()),
            self._lent(),
            reduce(meet, self.left) if self.left else frozenset(),
        )

    @property
    def _comes_back(self) -> bool:
        """Whether some way leads to the caller: where all raise, nothing can be lost or kept."""
        return bool(self.left or self.results)

    def _changes_a_parameter(self, node: cst.BaseExpression) -> bool:
        """Whether a lambda calls a method of its own argument: what that gives may be None."""
        match node:
            case cst.Call(func=cst.Attribute(value=cst.Name(value=name))):
                return name in {item.name for item in self.parameters}
        return False

    def _is_asked_around(self) -> bool:
        """Whether a decorator asks about Tracers before it calls the function."""
        if not isinstance(self.node, cst.FunctionDef) or self.ref.is_block:
            return False
        return any(
            isinstance(item, Defined) and asks_about_tracers(item.node, item.scope)
            for decorator in self.node.decorators
            for item in refer(decorator.decorator, self.ref.scope)
        )

    def _balanced(self) -> set[tuple[cst.CSTNode, Place, Trace | None]]:
        """The writes that others make good later on the same way, and those others."""
        found: set[tuple[cst.CSTNode, Place, Trace | None]] = set()
        items = list(self.writes.items()) if self.ways_back else []
        for later, back in items:
            way = self.ways[later]
            if back.node in self.ways_back:
                for key, write in items:
                    if write.order < back.order and way == self.ways[key][: len(way)]:
                        if undoes(back, write):
                            found |= {key, later}
        return found

    def _knows_what_it_keeps(self) -> bool:
        """Whether the function asks about Tracers in some way that is not understood."""
        if self.tells or self.owner is None or not self.writes:
            return False
        return may_be_guarded(self.piece.block.words) and is_guarded(self.node.body)

    def _lent(self) -> frozenset[str]:
        """The parameters that code gets which is not known; that of an override is not, either."""
        names = frozenset(item.name for item in self.parameters)
        abstract = isinstance(self.node, cst.FunctionDef) and is_abstract(self.node)
        return names if abstract else names & self.shared or _NONE

    def _seen(self, writes: Iterable[Write]) -> Iterator[Write]:
        """Writes, with whether they are read afterwards."""
        reads = Reads(self.reads)
        for write in writes:
            seen = not write.read_after and reads.sees(write)
            yield changed(write, read_after=True) if seen else write

    def _summed(self, direct: bool) -> frozenset[Place]:
        """What a summary tells of reads; where they are very many, what lies around them is read.

        The function's own variables are nothing to others, but for its parameters.
        """
        own = self.bound.difference(item.name for item in self.parameters)
        found = [
            place
            for place, itself, _ in self.reads
            if itself is direct
            and (place.root.owner is not self.owner or place.root.name not in own)
        ]
        return widened(frozenset(found), _MOST_READS) if found else _NOWHERE

    def _lasting(self) -> Iterator[Write]:
        """The writes that are not undone before the function ends."""
        restored = {
            write.place
            for write in self.writes.values()
            if any(item.covers(write.place) and write.place.covers(item) for item in write.source)
        }
        knows = self._knows_what_it_keeps()
        balanced = self._balanced()
        for key, write in self.writes.items():
            undone = write.form is Form.ITEM and write.target in self.undone
            undone = undone or key in balanced
            undone = undone or any(
                write.order < order and _is_put_back(write.place, place)
                for place, order in self.put_back.items()
            )
            if write.place not in restored and not undone:
                yield changed(write, unless=_EVERYTHING) if knows and not write.via else write

    def _parameter(self, parameter: Parameter, first: bool) -> Value:
        root = Root(self.owner, parameter.name)
        kind: Type = None
        element: Type = None
        if parameter.star:
            kind = Shape.PACKED
        elif parameter.annotation is not None:
            annotation = parameter.annotation.annotation
            kind, element = annotated(self.model, annotation, self.ref.scope)
        own = first and kind is None and not parameter.star
        if own and self.ref.cls is not None and isinstance(self.node, cst.FunctionDef):
            if self.ref.cls.is_class_method(self.node):
                return Value(places=frozenset({Place(root)}), made=self.ref.cls)
            kind = self.ref.cls if self.ref.cls.is_instance_method(self.node) else None
        elif isinstance(parameter.default, cst.Name):
            default = self.flow.outer(parameter.default, self.ref.scope, self.piece)
            kind, element = default.type, default.element
        return Value(
            places=frozenset({Place(root)}),
            type=kind,
            element=element,
            depends=frozenset({root}),
            foreign=parameter.annotation is not None,
            if_true=frozenset({Told(root, True)}),
            if_false=frozenset({Told(root, False)}),
        )

    def _result(self) -> Value:
        """What the function gives back, with all that was stored in it meanwhile."""
        result = join(self.results) if self.results else changed(PLAIN)
        out = result.out
        grown = True
        while grown:
            grown = False
            for place, value in self.heap.items():
                if any(item.covers(place) for item in out) and not value.out <= out:
                    out, grown = out | value.out, True
        copied = result.copied
        if len(copied) > MOST_PLACES:
            copied = frozenset(mark._replace(place=Place(mark.place.root)) for mark in copied)
        return changed(result, holds=widened(out - result.places), copied=copied)


def _is_put_back(written: Place, place: Place) -> bool:
    """Whether setting a place in the end makes good what was written: by another way, perhaps."""
    if place.covers(written):
        return True
    return written.root == place.root and written.path[-1:] == place.path[-1:] != ()


def _nearest(writes: Iterable[Write]) -> list[Write]:
    """The writes that a summary tells: its own, and of those that it calls the nearest."""
    found = list(writes)
    if len(found) <= _MOST_WRITES:
        return found
    own = [write for write in found if not write.via]
    others = [write for write in found if write.via]
    others.sort(key=lambda write: (len(write.via), write.via, write.place.path))
    return own + others[:_MOST_WRITES]


Frame.expressions = {
    cst.Name: Frame._name,
    cst.Attribute: Frame._attribute,
    cst.Subscript: Frame._item,
    cst.Call: call,
    cst.Integer: Frame._literal,
    cst.Float: Frame._literal,
    cst.Imaginary: Frame._literal,
    cst.SimpleString: Frame._literal,
    cst.ConcatenatedString: Frame._literal,
    cst.Ellipsis: Frame._literal,
    cst.FormattedString: Frame._formatted,
    cst.BinaryOperation: Frame._binary,
    cst.BooleanOperation: Frame._boolean,
    cst.UnaryOperation: Frame._unary,
    cst.Comparison: Frame._comparison,
    cst.IfExp: Frame._conditional,
    cst.NamedExpr: Frame._walrus,
    cst.Tuple: Frame._sequence,
    cst.List: Frame._sequence,
    cst.Set: Frame._sequence,
    cst.Dict: Frame._dict,
    cst.ListComp: Frame._comprehension,
    cst.SetComp: Frame._comprehension,
    cst.GeneratorExp: Frame._comprehension,
    cst.DictComp: Frame._comprehension,
    cst.Lambda: Frame._lambda,
    cst.Await: Frame._await,
    cst.Yield: Frame._yield,
}
