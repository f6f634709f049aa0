"""What a test of classes tells: what an object is in the one branch, and is not in the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from flake8_jax.flow.values import UNKNOWN, Place, Shape, Type, Value, changed
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import ARRAY_TYPES, CONTAINER_TYPES
from flake8_jax.model import ModelClass

if TYPE_CHECKING:
    from flake8_jax.flow.state import State

_TESTS = frozenset({cst.Call, cst.BooleanOperation, cst.Comparison, cst.UnaryOperation})
_ARRAYS = ARRAY_TYPES - {"jax.core.Tracer"}
_MAPPINGS = CONTAINER_TYPES | {"Mapping", "Sequence"}
_PYTHON = frozenset(
    f"builtins.{name}" for name in ("bool", "bytes", "complex", "float", "int", "str", "tuple")
)
_SAME = frozenset({cst.Is, cst.Equal})


class Fact(NamedTuple):
    """An object is an instance of one of some classes, or of none of them."""

    node: cst.BaseExpression
    kinds: tuple[cst.BaseExpression, ...]
    holds: bool


@dataclass(eq=False)
class Told:
    """What a test has changed of what is known, to be taken back where its branches meet."""

    names: dict[str, tuple[Value, Value]] = field(default_factory=dict)
    """Names, with what was known before and what is now."""
    places: dict[Place, tuple[Value | None, Value]] = field(default_factory=dict)

    def forget_names(self, env: dict[str, Value]) -> None:
        """Let names stand for what they did before, unless they are bound to something else."""
        for name, (before, now) in self.names.items():
            if env.get(name) is now:
                env[name] = before

    def forget_places(self, frame: "State") -> None:
        """Let places hold what they did before, unless they were written."""
        for place, (before, now) in self.places.items():
            if frame.heap.get(place) is not now:
                continue
            if before is None:
                del frame.heap[place]
            else:
                frame.heap[place] = before

    def forget(self, frame: "State") -> None:
        """Take back all of it."""
        self.forget_names(frame.env)
        self.forget_places(frame)


def narrow(frame: "State", test: cst.BaseExpression, holds: bool) -> Told:
    """Take what a test tells for known, if it holds or does not."""
    told = Told()
    for fact in _facts(test, holds) if type(test) in _TESTS else ():
        kinds = kinds_of(frame, fact.kinds)
        if isinstance(fact.node, cst.Name):
            name = fact.node.value
            if name in frame.env:
                before = told.names[name][0] if name in told.names else frame.env[name]
                frame.env[name] = narrowed(frame.env[name], kinds, fact.holds)
                told.names[name] = (before, frame.env[name])
        elif isinstance(fact.node, cst.Attribute | cst.Subscript):
            value = frame.again(fact.node)
            now = narrowed(value, kinds, fact.holds)
            for place in value.places if now is not value else ():
                told.places.setdefault(place, (frame.heap.get(place), now))
                frame.heap[place] = now
    return told


def _facts(test: cst.BaseExpression, holds: bool) -> Iterator[Fact]:
    match test:
        case cst.Call(
            func=cst.Name(value="isinstance"), args=[cst.Arg(value=node), cst.Arg(value=kind)]
        ):
            yield Fact(node, tuple(_listed(kind)), holds)
        case cst.Comparison(
            left=cst.Call(func=cst.Name(value="type"), args=[cst.Arg(value=node)]),
            comparisons=[cst.ComparisonTarget(operator=operator, comparator=kind)],
        ) if holds and type(operator) in _SAME:
            yield Fact(node, (kind,), holds)
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            yield from _facts(inner, not holds)
        case cst.BooleanOperation() if isinstance(test.operator, cst.And) is holds:
            yield from _facts(test.left, holds)
            yield from _facts(test.right, holds)


def _listed(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    match node:
        case cst.Tuple(elements=elements):
            for element in elements:
                yield from _listed(element.value)
        case cst.BinaryOperation(operator=cst.BitOr()):
            yield from _listed(node.left)
            yield from _listed(node.right)
        case _:
            yield node


def kinds_of(frame: "State", nodes: Sequence[cst.BaseExpression]) -> list[Value]:
    """The classes that expressions name."""
    named = (cst.Name, cst.Attribute)
    return [frame.base(node) if isinstance(node, named) else UNKNOWN for node in nodes]


def narrowed(value: Value, kinds: Sequence[Value], holds: bool) -> Value:
    """What is known of a value that is an instance of one of some classes, or of none.

    Of one that it can be nothing is known: code for it does not run.
    """
    nothing = changed(UNKNOWN, depends=value.depends)
    if not holds:
        if any(_is_one(value.type, kind) for kind in kinds):
            return nothing
        never = frozenset(kind.made for kind in kinds if isinstance(kind.made, ModelClass))
        return changed(value, foreign=True, never=value.never | never) if never else value
    possible = [kind for kind in kinds if _may_be(value.type, kind)]
    if kinds and not possible:
        return nothing
    if any(kind.dotted is not None and kind.dotted.startswith("numpy") for kind in possible):
        return nothing
    if any(_is_one(value.type, kind) for kind in possible):
        return value
    classes = [kind.made for kind in possible if isinstance(kind.made, ModelClass)]
    if len(classes) < len(possible):
        return value
    return changed(value, type=classes[0] if len(classes) == 1 else None, foreign=True)


def _is_one(known: Type, kind: Value) -> bool:
    """Whether what is known to be of a type is an instance of a class."""
    if isinstance(known, ModelClass):
        return kind.made in known.lineage
    return known is Shape.ARRAY and kind.dotted is not None and canonical(kind.dotted) in _ARRAYS


def _may_be(known: Type, kind: Value) -> bool:
    """Whether what is known to be of a type can be an instance of a class."""
    if known is None or (kind.made is None and kind.dotted is None):
        return True
    if isinstance(kind.made, ModelClass):
        return known not in (Shape.ARRAY, Shape.CONTAINER) or not _is_known(kind.made)
    dotted = canonical(kind.dotted or "")
    last = dotted.rpartition(".")[2]
    own = isinstance(known, ModelClass) and _is_known(known)
    if dotted in _ARRAYS:
        return known is not Shape.CONTAINER and not own
    if last in _MAPPINGS and not dotted.startswith("flax."):
        return known is not Shape.ARRAY and not own
    return known is not Shape.ARRAY or dotted not in _PYTHON


def _is_known(cls: ModelClass) -> bool:
    """Whether a class is none that the standard library or numpy has a part in."""
    return cls.is_plain or cls.making is not None
