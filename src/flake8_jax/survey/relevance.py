"""Which blocks of a module may take part in a finding, so that libcst parses those and no others.

A function may be traced if its name, or the name of something that mentions it, stands in a call of
something that is called like a transform; it matters if one of those functions writes, or leads to
another module in which something does.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property

from flake8_jax.project import File, Project
from flake8_jax.survey.caching import Caching
from flake8_jax.survey.facts import CALL, Function
from flake8_jax.survey.freezing import Freezing
from flake8_jax.survey.module import Module
from flake8_jax.survey.neighbours import Unit
from flake8_jax.survey.nodes import LAMBDA
from flake8_jax.survey.pytrees import Pytrees
from flake8_jax.survey.tracing import Tracing

_NONE = frozenset[str]()
_STEPS = 30
"""How many calls inside each other are followed without having looked at the inner ones before."""


@dataclass(frozen=True)
class Relevant:
    """The blocks that may take part in a finding, by their index."""

    classes: frozenset[int] = frozenset()
    """Those with pytree classes that may have caches."""
    functions: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """Those with functions that have to be followed, and the names of these."""
    inheriting: frozenset[int] = frozenset()
    """Those with classes that may write in what a base class of another module traces."""


def survey(project: Project, file: File) -> Relevant:
    """The blocks of a file that may take part in a finding."""

    def look() -> Relevant:
        unit = Unit.of(project, file)
        unit.look_again()
        found = _Survey(unit).relevant()
        unit.release()
        return found

    return file.once(survey, look)


def _handing(function: Function, names: set[str]) -> Function:
    """What a function hands to transforms, as a function that calls it."""
    block = function.block
    around = Function(block, "", mentions={*block.words})
    return Function(block, "", mentions=names, around=around)


def _names_of(functions: Iterable[Function]) -> dict[int, frozenset[str]]:
    """The names of functions, and of those around them, by block."""
    names: dict[int, set[str]] = {}
    for function in functions:
        here = names.setdefault(function.block.index, set())
        outer: Function | None = function
        while outer is not None:
            here.add(outer.name)
            outer = outer.around
    return {index: frozenset(found) for index, found in names.items()}


def _merged(maps: Iterable[Mapping[str, set[str]]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for known in maps:
        for name, names in known.items():
            found.setdefault(name, set()).update(names)
    return found


class _Survey:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.module = Module(unit)

    def relevant(self) -> Relevant:
        discarding = {item for item in self.module.functions if item.discards}
        writers = self._traced_writers()
        followed = self._with_inner(discarding | self._setting() | self._followed(writers))
        inheriting = frozenset(item.block.index for item in writers & self._steps)
        return Relevant(self._caching_classes(), _names_of(followed), inheriting)

    def _with_inner(self, functions: set[Function]) -> set[Function]:
        """Some functions, and those that stand in them: each is looked at by itself, too."""
        found = set(functions)
        for function in self.module.functions:  # what is inside of one comes after it
            around = function.around
            if around is not None and around.name and around in found:
                found.add(function)
        return found

    @cached_property
    def tracing(self) -> Tracing:
        return Tracing(self.module)

    @cached_property
    def pytrees(self) -> Pytrees:
        return Pytrees(self.module)

    @cached_property
    def caching(self) -> Caching:
        return Caching(self.module)

    def _setting(self) -> set[Function]:
        """The functions that may set attributes of frozen classes."""
        setting = [item for item in self.module.functions if item.attributes_of]
        elsewhere = {word for (unit, name), word in self.module.used if unit.sets_attributes(name)}
        if not setting and not elsewhere:
            return set()
        freezing = Freezing(self.module, self.pytrees)
        return freezing.setting(setting) | freezing.giving(elsewhere)

    def _caching_classes(self) -> frozenset[int]:
        """The blocks with pytree classes that may have caches."""
        if not self.module.classes or not self.pytrees.classes:
            return frozenset()
        return self.caching.blocks(self.pytrees)

    @cached_property
    def _by_name(self) -> dict[str, list[Function]]:
        found: dict[str, list[Function]] = {}
        for function in self.module.functions:
            name = function.name if function.cls is None else f".{function.name}"
            found.setdefault(name, []).append(function)
        return found

    def _mentioned(self, function: Function) -> list[Function]:
        """The functions of the module that a function may call."""
        found = self._by_names(self._meant(function, function.mentions))
        if CALL in self._by_name and not function.calls <= self._by_name.keys():
            found += self._by_name[CALL]
        return found

    def _by_names(self, names: set[str]) -> list[Function]:
        return [item for name in names & self._by_name.keys() for item in self._by_name[name]]

    def _meant(self, function: Function, names: set[str]) -> set[str]:
        """Names in a function, and what those of them stand for that are variables."""
        found = set(names)
        stack = [(function, name) for name in names]
        while stack:
            here, name = stack.pop()
            home, further = self._bound(here, name)
            stack += [(home, item) for item in further - found]
            found |= further
        return found

    def _bound(self, function: Function, name: str) -> tuple[Function, Set[str]]:
        """What a name stands for where a function uses it, and where it gets that."""
        if name[0] == ".":
            return function, self._attributes.get(name, _NONE)
        here: Function | None = function
        while here is not None and here.name:
            if name in here.stands_for:
                return here, here.stands_for[name]
            if name in here.parameters:
                return here, _NONE
            function, here = here, here.around
        return function, self._variables.get(name, _NONE)

    @cached_property
    def _variables(self) -> dict[str, set[str]]:
        """What the variables of the module may stand for."""
        levels = (self.unit.facts(block).functions[0].stands_for for block in self.module.blocks)
        return _merged(levels)

    @cached_property
    def _attributes(self) -> dict[str, set[str]]:
        """What the attributes that are set in the module may stand for."""
        return _merged(self.unit.facts(block).attributes for block in self.module.blocks)

    def _traced_writers(self) -> set[Function]:
        """The functions that may be traced and lead to a write, and those that trace them."""
        reached = self._reached()
        found: set[Function] = set()
        stack = [item for item in reached if self._leads(item)]
        stack += [
            function
            for function, names in self.tracing.handed.items()
            if self.unit.leads(_handing(function, self._meant(function, names)))
        ]
        callers: dict[Function, list[Function]] = {}
        for function in {*reached, *self.tracing.handed}:
            handed = self._by_names(self._meant(function, self.tracing.handed.get(function, set())))
            for callee in (*self._mentioned(function), *handed):
                callers.setdefault(callee, []).append(function)
        while stack:
            function = stack.pop()
            if function not in found:
                found.add(function)
                stack += callers.get(function, ())
                if function.name == LAMBDA and function.around is not None:
                    stack.append(function.around)
        return found

    def _followed(self, writers: set[Function]) -> set[Function]:
        """Those from which the others are come to, unless that takes too many steps."""
        roots = writers.intersection((*self.tracing.handed, *self.tracing.decorated))
        found, latest = set(roots), roots
        for _ in range(_STEPS):
            latest = {item for function in latest for item in self._mentioned(function)}
            latest = (latest & writers) - found
            if not latest:
                return roots
            found |= latest
        return writers

    def _leads(self, function: Function) -> bool:
        """Whether a function may write, or fill a cache, itself or in another module."""
        if function.writes or function.discards or self.caching.mentions_one(function.words):
            return True
        return self.unit.leads(function)

    @cached_property
    def _steps(self) -> set[Function]:
        """The methods that a base class of another module may call in what it traces."""
        called = {cls: self.unit.called_in_traces(cls.name) for _, cls in self.module.classes}
        return {
            item
            for item in self.module.functions
            if item.cls is not None and item.name in called.get(item.cls, ())
        }

    def _reached(self) -> list[Function]:
        """The functions that may run under a trace."""
        found: set[Function] = set()
        stack = [*self.tracing.decorated, *self._steps]
        for function, handed in self.tracing.handed.items():
            stack += self._by_names(self._meant(function, handed))
        while stack:
            function = stack.pop()
            if function not in found:
                found.add(function)
                stack += self._mentioned(function)
        return list(found)
