"""Caches that are full before a trace begins: since import, or since their object was made."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from flake8_jax.classes.members import MethodMember
from flake8_jax.effects.callees import CODE, ClassRef, FunctionRef
from flake8_jax.effects.conditions import Asked
from flake8_jax.effects.interpreter import Application
from flake8_jax.effects.paths import AccessPath, Field, Owner, Root, Scope, Selector, Some
from flake8_jax.effects.project import ProjectWorld
from flake8_jax.effects.summaries import CACHES, Summary
from flake8_jax.effects.values import Type, initial
from flake8_jax.fates import Fate
from flake8_jax.lowering.stores import Change
from flake8_jax.verdicts.judge import Verdict

_Selectors: TypeAlias = tuple[Selector, ...]
_CONSTRUCTORS = ("__init__", "__post_init__")


class Full:
    """What is full, as far as somebody asks."""

    def __init__(self, world: ProjectWorld, key: str, applications: Iterable[Application]) -> None:
        self._world = world
        self._key = key
        self._functions: Mapping[Scope, FunctionRef] = {
            item.ref.scope: item.ref for item in applications
        }
        self._imports: dict[tuple[str, bool], frozenset[AccessPath]] = {}
        self._made: dict[tuple[ClassRef, bool], frozenset[_Selectors]] = {}
        self._tables: dict[ClassRef, frozenset[_Selectors]] = {}
        self._writes: dict[str, frozenset[AccessPath]] = {}

    def before(self, application: Application, verdict: Verdict) -> bool:
        """Whether a verdict is about a cache that no trace fills."""
        return self._in_table(application, verdict) or self._alone(application, verdict)

    def _in_table(self, application: Application, verdict: Verdict) -> bool:
        """Whether something happens only where a table lacks a key, and the table was filled."""
        return any(
            self._is_full_table(application, item.root, item.selectors)
            for item in verdict.write.only_if
            if item.asked is Asked.LACKING and item.root is not None
        )

    def _is_full_table(self, application: Application, root: Root, selectors: _Selectors) -> bool:
        """Whether keys that nobody knows are in a table since import, or since it was made."""
        if root.owner is Owner.GLOBAL:
            return AccessPath(root, (*selectors, Some.INDEX)) in self._written_at_import(
                root.module
            )
        types = self.holder(application, root)
        return bool(types) and all(
            isinstance(item, ClassRef) and _plain(selectors) in self._tables_of(item)
            for item in types
        )

    def _written_at_import(self, key: str) -> frozenset[AccessPath]:
        """What the statements of a module write, outside of traces."""
        known = self._writes.get(key)
        if known is None:
            summaries = [
                self._world.interpreter.summary(ref)
                for ref in self._world.code(key)
                if ref.function.name == CODE
            ]
            known = self._writes[key] = frozenset(
                item.path for summary in summaries for item in summary.writes if item.trace is None
            )
        return known

    def _tables_of(self, cls: ClassRef) -> frozenset[_Selectors]:
        """Where the constructors of a class put tables with keys that nobody knows."""
        known = self._tables.get(cls)
        if known is None:
            found: set[_Selectors] = set()
            for summary, root in self._constructing(cls):
                own = (item for item in summary.writes if item.path.root == root)
                for item in own:
                    if item.trace is not None:
                        continue
                    if dict(item.value.contents.parts).get(Some.INDEX) is not None:
                        found.add(_plain(item.path.selectors))
                    if item.path.selectors[-1:] == (Some.INDEX,):
                        found.add(_plain(item.path.selectors[:-1]))
            known = self._tables[cls] = frozenset(found)
        return known

    def _alone(self, application: Application, verdict: Verdict) -> bool:
        """Whether a single value was there before a trace that could have made it."""
        write = verdict.write
        is_by_hand = write.fills and verdict.fate is Fate.LEAKED
        if write.form not in CACHES and not is_by_hand:
            return False
        path = write.path
        modules = {self._key, path.root.module or self._key}
        if any(path in self._since_import(module, is_by_hand) for module in sorted(modules)):
            return True
        if is_by_hand and len(path.selectors) > 1 and self._is_given(write.types, path):
            return True
        held = (
            (write.types, path.selectors[-1:]),
            (self.holder(application, path.root), path.selectors),
        )
        return any(self._since_made(*item, is_by_hand) for item in held)

    def _since_import(self, key: str, is_by_hand: bool) -> frozenset[AccessPath]:
        """What the statements of a module fill."""
        known = self._imports.get((key, is_by_hand))
        if known is None:
            full: set[AccessPath] = set()
            traced: set[AccessPath] = set()
            for ref in self._world.code(key):
                if ref.function.name == CODE:
                    summary = self._world.interpreter.summary(ref)
                    traced |= _traced(summary)
                    full -= {w.path for w in summary.writes if w.change is Change.REMOVE}
                    full |= _full(summary, is_by_hand) - traced
            known = self._imports[key, is_by_hand] = frozenset(full)
        return known

    def _since_made(self, types: frozenset[Type], selectors: _Selectors, is_by_hand: bool) -> bool:
        """Whether all objects of some classes have something in a part from the start."""
        wanted = _plain(selectors)
        some = (*wanted[:-1], Some.FIELD)
        return bool(types) and all(
            isinstance(item, ClassRef)
            and not {wanted, some}.isdisjoint(self._constructed(item, is_by_hand))
            for item in types
        )

    def _is_given(self, types: frozenset[Type], path: AccessPath) -> bool:
        """Whether those that make objects of some classes tell what stands in a part of them."""
        last = path.selectors[-1:]
        return bool(types) and all(
            isinstance(item, ClassRef) and _plain(last) in self._arguments(item) for item in types
        )

    def _arguments(self, cls: ClassRef) -> frozenset[_Selectors]:
        """Where the constructor of a class stores its arguments as they are."""
        view = self._world.class_view(cls)
        init = view.member("__init__") if view is not None else None
        if not isinstance(init, MethodMember) or not isinstance(init.function, FunctionRef):
            return frozenset()
        first, *others = init.function.function.parameters or (None,)
        given = {AccessPath(_root(item.name)) for item in others if item is not None}
        return frozenset(
            _plain(write.path.selectors)
            for write in self._summary(init.function, cls).writes
            if first is not None and write.path.root == _root(first.name)
            if write.value.exact and write.value.paths and write.value.paths <= given
        )

    def _summary(self, ref: FunctionRef, cls: ClassRef) -> Summary:
        """What a method does with its own object."""
        name = ref.function.parameters[0].name
        itself = initial(AccessPath(_root(name))).with_types(frozenset({cls}))
        return self._world.interpreter.summary(ref, ((name, itself),))

    def _constructed(self, cls: ClassRef, is_by_hand: bool) -> frozenset[_Selectors]:
        """What the constructors of a class fill; ``.?`` where any cache may be filled."""
        known = self._made.get((cls, is_by_hand))
        if known is None:
            found: set[_Selectors] = set()
            for summary, root in self._constructing(cls):
                full = _full(summary, is_by_hand) - _traced(summary)
                full |= {path for path in summary.reads if path.selectors[-1:] == (Some.FIELD,)}
                found |= {_plain(path.selectors) for path in full if path.root == root}
            known = self._made[cls, is_by_hand] = frozenset(found)
        return known

    def _constructing(self, cls: ClassRef) -> Iterator[tuple[Summary, Root]]:
        """What the constructors of a class do, and where their own object is found."""
        view = self._world.class_view(cls)
        for name in _CONSTRUCTORS if view is not None else ():
            member = view.member(name) if view is not None else None
            if isinstance(member, MethodMember) and isinstance(member.function, FunctionRef):
                for first in member.function.function.parameters[:1]:
                    yield self._summary(member.function, cls), _root(first.name)

    def holder(self, application: Application, root: Root) -> frozenset[Type]:
        """The class of the object that a path begins at, if it is the self of a method."""
        ref = application.ref if root.owner is Owner.PARAMETER else None
        if root.owner is Owner.ARGUMENT and root.scope is not None:
            ref = self._functions.get(root.scope)
        parameters = ref.function.parameters if ref is not None else ()
        if ref is None or not parameters or parameters[0].name != root.name:
            return frozenset()
        found = self._world.receiver(ref)
        return found.types if found is not None else frozenset()


def _root(name: str) -> Root:
    return Root(Owner.PARAMETER, name)


def _full(summary: Summary, is_by_hand: bool) -> frozenset[AccessPath]:
    """Where a function leaves something; a cache that is made by hand is not filled with None."""
    return summary.filled if is_by_hand else summary.certain


def _traced(summary: Summary) -> set[AccessPath]:
    """What the traces that run in a function write."""
    return {item.path for item in summary.writes if item.trace is not None and not item.is_virtual}


def _plain(selectors: _Selectors) -> _Selectors:
    """Selectors, whatever is static."""
    return tuple(Field(item.name) if isinstance(item, Field) else item for item in selectors)
