"""What base classes of other modules trace of the classes of a module.

A base class may compile, or loop over, a method that its subclasses write. So its methods that
trace something are followed once more, as if these subclasses stood beside it.
"""

from collections.abc import Iterator

import libcst as cst

from flake8_jax.flow.analysis import Flow
from flake8_jax.flow.values import FunctionRef
from flake8_jax.knowledge.objects import CONSTRUCTION
from flake8_jax.knowledge.transforms import TRANSFORM_WORDS
from flake8_jax.model import Model, ModelClass


def inheriting(model: Model) -> Iterator[Flow]:
    """The analyses of the modules with such base classes, as seen from a module."""
    homes: dict[Model, dict[ModelClass, None]] = {}
    writing = tuple(cls for cls in model.classes if _writes(model.once(Flow), cls))
    for cls in writing:
        for ancestor in _elsewhere(cls):
            homes.setdefault(ancestor.model, {})[ancestor] = None
    for home, ancestors in homes.items():
        flow = Flow(home, further=writing)
        telling = TRANSFORM_WORDS.union(*(cls.methods for cls in writing))
        flow.functions = tuple(ref for cls in ancestors for ref in _tracing(flow, cls, telling))
        for ref in flow.functions:
            flow.summary(ref)
        yield flow


def _elsewhere(cls: ModelClass) -> Iterator[ModelClass]:
    """The ancestors of a class in other modules."""
    return (item for item in cls.lineage if item.model is not cls.model)


def _writes(flow: Flow, cls: ModelClass) -> bool:
    """Whether a method of a class that an ancestor elsewhere may call changes anything."""
    called = frozenset[str]().union(*(item.piece.block.words for item in _elsewhere(cls)))
    steps = [cls.methods[name] for name in called & cls.methods.keys() - CONSTRUCTION]
    return any(flow.summary(flow.method(cls, step)).writes for step in steps)


def _tracing(flow: Flow, cls: ModelClass, telling: frozenset[str]) -> Iterator[FunctionRef]:
    """The body of a class, in which methods are decorated, and the methods that may trace.

    Those name a transform, or hand what subclasses write to one of the project's own.
    """
    yield flow.body(cls)
    for name, words in cls.piece.block.members.items():
        method = cls.methods.get(name)
        if isinstance(method, cst.FunctionDef) and not words.isdisjoint(telling):
            yield flow.method(cls, method)
