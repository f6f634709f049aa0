"""Whether a cached function may run each time that it is asked, where it ran once before.

What calls of unknown functions do is not seen: they are taken for what they are in most caches, the
computation that is worth a cache.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from flake8_jax.classes.annotations import annotated
from flake8_jax.classes.caches import PytreeCache
from flake8_jax.classes.frozen import library_kind, refuses
from flake8_jax.classes.layout import Field, own_fields
from flake8_jax.classes.table import ClassInfo, class_info
from flake8_jax.effects.summaries import Site
from flake8_jax.fixes.acting import act, asked, recursion
from flake8_jax.fixes.declining import DeclinedError
from flake8_jax.fixes.names import Defined, Names, Referent, defined, written
from flake8_jax.fixes.nodes import expression_at, quoted, statement_at
from flake8_jax.fixes.targets import targets
from flake8_jax.knowledge.effects import ONE_SHOT
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import CONTAINER_FACTORIES, CONTAINER_RESULTS, CONTAINER_TYPES
from flake8_jax.knowledge.pytrees import Frozen
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.modules import Module
from flake8_jax.syntax import Function, first_parameter, flat, is_name, walk
from flake8_jax.verdicts.reached import world_of

_NUMPY = "numpy."
_OBJECTS = frozenset({"builtins.object", "builtins.bytearray", "types.SimpleNamespace"})
_REFERENCES = frozenset({"jax.array_ref", "jax.new_ref"})
_TO_LIST = "tolist"
_ANY = "any"
"""An attribute like any other."""
_CONTAINERS = (cst.BaseDict, cst.BaseList, cst.BaseSet)
_DEEPEST = 3
"""Through how many functions a result is followed."""


def repeatable(found: PytreeCache) -> str:
    """What is not as before if a cached function of a class loses its cache; empty if all is.

    It is declined if it acts, or gives something that is used up. Where it makes something that can
    be changed in place, others may count on getting the same again: that is for those who ask.
    """
    own = found.cache.function
    if own is None:
        return ""
    function, names = written(own, found.info), Names(own.inside)
    said = f"{found.cache.attribute!r}"
    if function is None:
        raise DeclinedError(f"the function that computes {said} cannot be read")
    acting = act(found, own)
    if acting is not None:
        where = _where(found.info.module, acting)
        raise DeclinedError(f"{where} would be done each time that {said} is read")
    body = _Body(function, names, found.info)
    for item in body.results():
        if body.is_one_shot(item):
            where = quoted(names.module, item)
            raise DeclinedError(
                f"{where} is used up when it is read, so that {said} is not the same"
            )
    for item in body.results():
        if body.is_container(item):
            where = quoted(names.module, item)
            return f"{said} is a new object each time, made by {where}"
    kept = asked(found, own)
    if kept is not None:
        where = _where(found.info.module, kept)
        return f"{said} calls what its object was given, which may do {where} each time"
    again = recursion(found, own)
    if again is not None:
        where = _where(found.info.module, again)
        return f"{said} is computed from itself, by {where}, and takes much longer"
    return ""


def _where(module: Module, site: Site) -> str:
    """What stands at a place, and on which line."""
    there = world_of(module).modules[site.module]
    position = (site.statement, site.span)
    node = expression_at(there, position) or statement_at(there, position)
    words = quoted(there, node) if node is not None else f"something in {there.file.label}"
    return words if there is module else f"{words} of {there.file.label}"


@dataclass(frozen=True, eq=False)
class _Body:
    """What a function gives back."""

    function: Function
    names: Names
    """Where its names are looked up."""
    cls: ClassInfo | None
    depth: int = 0

    @cached_property
    def _sources(self) -> dict[str, list[cst.BaseExpression]]:
        """The expressions that local names have their values from."""
        found: dict[str, list[cst.BaseExpression]] = {}
        for node in walk(self.function.body):
            match node:
                case cst.Assign(value=value) | cst.AnnAssign(value=cst.BaseExpression() as value):
                    bound = targets(node)
                case cst.NamedExpr(target=target, value=value):
                    bound = iter([target])
                case _:
                    continue
            for item in bound:
                if isinstance(item, cst.Name):
                    found.setdefault(item.value, []).append(value)
        return found

    def _dotted(self, node: cst.BaseExpression) -> list[str]:
        return [canonical(dotted) for dotted in self.names.dotted(node)]

    def results(self) -> Iterator[cst.BaseExpression]:
        """What the function returns, with the elements of tuples, and what names stand for."""
        found: list[cst.BaseExpression] = []
        if isinstance(self.function, cst.Lambda):
            found.append(self.function.body)
        else:
            returns = (item for item in flat(self.function.body) if isinstance(item, cst.Return))
            found += [item.value for item in returns if item.value is not None]
        known: set[str] = set()
        while found:
            match found.pop():
                case cst.Tuple(elements=elements):
                    found += [item.value for item in elements]
                case cst.IfExp(body=first, orelse=second):
                    found += [first, second]
                case cst.BooleanOperation(left=first, right=second):
                    found += [first, second]
                case cst.Name(value=name) if name not in known:
                    known.add(name)
                    found += self._sources.get(name, ())
                case result:
                    yield result

    def is_one_shot(self, node: cst.BaseExpression) -> bool:
        """Whether an expression gives something that is used up when it is read."""
        if isinstance(node, cst.Call):
            return any(name in ONE_SHOT for name in self._dotted(node.func))
        return isinstance(node, cst.GeneratorExp)

    def is_container(self, node: cst.BaseExpression) -> bool:
        """Whether an expression makes something that can be changed in place, or told apart."""
        match node:
            case cst.Call(func=func):
                names = self._dotted(func)
                if any(name in CONTAINER_FACTORIES or name in _OBJECTS for name in names):
                    return True
                if any(name.startswith((_NUMPY, *CONTAINER_RESULTS)) for name in names):
                    return True
                if any(name in _REFERENCES or _is_mutable(name) for name in names):
                    return True
                if isinstance(func, cst.Attribute) and func.attr.value == _TO_LIST:
                    return True
                if isinstance(func, cst.Attribute) and func.attr.value == "copy":
                    return self._holds_container(func.value)
                return self._makes_object(func) or self._hands_out_container(func)
            case cst.BinaryOperation(left=left, right=right):
                sides = (left, right)
                return any(self.is_container(i) or self._holds_container(i) for i in sides)
        return isinstance(node, (*_CONTAINERS, cst.Lambda))

    def _holds_container(self, node: cst.BaseExpression) -> bool:
        """Whether a field of the object is annotated as something that can be changed in place."""
        if not isinstance(node, cst.Attribute) or not self._is_self(node.value):
            return False
        held = self._field(node.attr.value)
        if held is None:
            return False
        found = annotated(held.owner.inside, held.annotation, held.position)
        kinds = [item.dotted for item in found if isinstance(item, External)]
        return held.kind in CONTAINER_TYPES or any(item.startswith(_NUMPY) for item in kinds)

    def _field(self, name: str) -> Field | None:
        """A field of the object that is annotated."""
        for owner in self.cls.mro if self.cls is not None else ():
            for item in own_fields(owner):
                if item.name == name:
                    return item
        return None

    def _hands_out_container(self, function: cst.BaseExpression) -> bool:
        """Whether a function of the project, or a method of the object, makes and returns one."""
        if self.depth == _DEEPEST:
            return False
        inside: list[tuple[Defined, ClassInfo | None]] = []
        if isinstance(function, cst.Attribute) and self._is_self(function.value):
            assert self.cls is not None
            method = self.cls.method(function.attr.value)
            own = defined(method) if method is not None else None
            inside += [(own, self.cls)] if own is not None else []
        inside += [(item, None) for item in self.names.refer(function) if isinstance(item, Defined)]
        bodies = [
            _Body(item.node, item.inside, cls, self.depth + 1)
            for item, cls in inside
            if isinstance(item.node, cst.FunctionDef)
        ]
        return any(body.is_container(result) for body in bodies for result in body.results())

    def _makes_object(self, function: cst.BaseExpression) -> bool:
        """Whether a class of the project is called whose objects can be changed."""
        made = [_class(item) for item in self.names.refer(function)]
        return any(info is not None and not refuses(info, _ANY) for info in made)

    def _is_self(self, node: cst.BaseExpression) -> bool:
        return self.cls is not None and is_name(node, first_parameter(self.function) or "")


def _is_mutable(dotted: str) -> bool:
    """Whether something of a library is a class of pytrees that can be assigned."""
    kind = library_kind(dotted) if dotted.rpartition(".")[2][:1].isupper() else None
    return kind is not None and kind.frozen is Frozen.NEVER


def _class(referent: Referent) -> ClassInfo | None:
    return class_info(referent.own) if isinstance(referent, Defined) else None
