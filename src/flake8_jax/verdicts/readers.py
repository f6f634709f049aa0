"""Who can meet a Tracer that stays in an attribute: without a reader in sight nobody does.

An attribute that every call sets before anybody reads it hands something on within the call, and
one that nobody reads is a note that nobody needs.
"""

from collections.abc import Iterable, Iterator

from flake8_jax.effects.callees import CODE, ClassRef, trace_of
from flake8_jax.effects.interpreter import Application
from flake8_jax.effects.paths import AccessPath, Field, Owner, Root, Selector, Some, settled
from flake8_jax.effects.summaries import Form, Outcome, Write
from flake8_jax.effects.values import Type
from flake8_jax.lowering.program import Function
from flake8_jax.verdicts.full import Full
from flake8_jax.verdicts.judge import Verdict
from flake8_jax.verdicts.reached import Reached

_FORMS = (Form.ATTRIBUTE, Form.ITEM)
_OF_OTHERS = (Owner.PARAMETER, Owner.ARGUMENT)
"""Whose objects may have been made by others: then these may look at them."""


class Readers:
    """The functions that read attributes which they have not set, as far as somebody asks."""

    def __init__(self, found: Reached, asked: frozenset[Function], full: Full) -> None:
        self._found = found
        self._asked = asked
        self._made = frozenset[str]().union(*(item.made for item in found.outcomes.values()))
        self._traced = {item.ref.function for item in found.runs}
        self._holder = full.holder
        self._reads: dict[str, list[tuple[Function, AccessPath]]] | None = None
        self._shared: frozenset[str] | None = None

    def are_none(self, application: Application, verdict: Verdict) -> bool:
        """Whether nobody in sight can look at what is left behind."""
        write = verdict.write
        written = _from_attribute(write.path)
        if write.form not in _FORMS or write.is_seen_after or written is None:
            return False
        if not self._found.is_whole:
            return False
        reading = [*self._reading(written[0].name)]
        looking = {x for x, path in reading if _may_read(path, written)}
        if not looking <= self._asked or self._is_carried(verdict):
            return False
        helping = {x for x, path in reading if _may_read(path, written, is_whole=True)}
        is_public = write.path.root.owner is Owner.GLOBAL and helping <= self._traced
        return not is_public and not self._is_shared(application, write)

    def _reading(self, name: str) -> Iterable[tuple[Function, AccessPath]]:
        """The functions that read under an attribute of what they get, and what they read."""
        if self._reads is None:
            self._reads = {}
            for item, outcome in self._found.outcomes.items():
                if item.ref.function.name != CODE:
                    for attribute, path in _attributes(outcome):
                        known = self._reads.setdefault(attribute, [])
                        known.append((item.ref.function, path))
        return self._reads.get(name, ())

    def _is_shared(self, application: Application, write: Write) -> bool:
        """Whether code that is not known has got the object, or one of its class, or made it."""
        if self._shared is None:
            self._shared = frozenset(self._look())
        given = dict(application.given).get(write.path.root.name)
        types = write.types | self._holder(application, write.path.root)
        types |= given.types if given is not None else frozenset()
        classes = {item.name for item in types if isinstance(item, ClassRef)}
        if not classes and write.path.root.owner is Owner.ARGUMENT:
            return True
        if classes.isdisjoint(self._made) and write.path.root.owner in _OF_OTHERS:
            return True
        return not self._shared.isdisjoint(classes | {_name(write.path.root)})

    def _look(self) -> Iterator[str]:
        """The names of objects that code which is not known has got, and of their classes."""
        world = self._found.world
        for application, outcome in self._found.outcomes.items():
            yield from map(_name, outcome.given_away)
            if application.ref.function not in self._asked:
                yield from map(_name, outcome.returned)
            for path in outcome.summary.escapes:
                root, types = path.root, frozenset[Type]()
                if not path.selectors and root.owner is Owner.GLOBAL:
                    yield _name(root)
                    value = world.global_of(root.module, root.name)
                    types = value.types if value is not None else types
                elif not path.selectors:
                    types = self._holder(application, root)
                yield from (item.name for item in types if isinstance(item, ClassRef))

    def _is_carried(self, verdict: Verdict) -> bool:
        """Whether the traced function reads what it has left there the last time."""
        summary = self._found.world.interpreter.summary
        for runs in self._found.runs.values():
            for run in runs:
                if trace_of(run.traced, run.function) != verdict.trace:
                    continue
                done = summary(run.function, run.given)
                same = (item for item in done.writes if _is_same(item, verdict.write))
                if any(_covers(path, item.path) for item in same for path in done.reads):
                    return True
        return False


def _name(root: Root) -> str:
    """What an object is called: the class of one that a function makes."""
    return root.name if root.owner is Owner.FRESH else f"{root.module}:{root.name}"


def _attributes(outcome: Outcome) -> Iterator[tuple[str, AccessPath]]:
    """The attributes that a function reads of objects as it gets them."""
    for path in outcome.summary.reads:
        for selector in path.selectors:
            if isinstance(selector, Field):
                yield selector.name, path


def _from_attribute(path: AccessPath) -> tuple[Field, *tuple[Selector, ...]] | None:
    """The last attribute on a path, and what follows it."""
    for position in range(len(path.selectors) - 1, -1, -1):
        selector = path.selectors[position]
        if isinstance(selector, Field):
            return selector, *path.selectors[position + 1 :]
    return None


def _may_read(
    path: AccessPath, written: tuple[Field, *tuple[Selector, ...]], *, is_whole: bool = False
) -> bool:
    """Whether what is read under an attribute may be what was written there, or holds it.

    If ``is_whole``, it is not enough that the container is asked for.
    """
    first, *rest = written
    for position, selector in enumerate(path.selectors):
        if isinstance(selector, Field) and selector.name == first.name:
            here = path.selectors[position + 1 :]
            if is_whole and len(here) < len(rest):
                return False
            return all(_alike(*pair) for pair in zip(here, rest, strict=False))
    return False


def _alike(one: Selector, other: Selector) -> bool:
    one, other = settled(one), settled(other)
    if one == other or Some.BELOW in (one, other):
        return True
    some = Some.FIELD if isinstance(one, Field) or isinstance(other, Field) else Some.INDEX
    return some in (one, other)


def _covers(read: AccessPath, written: AccessPath) -> bool:
    """Whether a path that is read is the one that is written, or a part of that."""
    return len(read.selectors) >= len(written.selectors) and written.may_contain(read)


def _is_same(one: Write, other: Write) -> bool:
    return one.site == other.site and one.form is other.form
