"""Whether a function may run each time that it is asked, where it ran once before.

What calls of unknown functions do is not seen: they are taken for what they are in most caches, the
computation that is worth a cache. What is seen is what a body itself does, and what the functions,
methods and objects of the project do that it uses.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

import libcst as cst

from flake8_jax.classes.annotations import Annotated, annotated
from flake8_jax.classes.caches import PytreeCache, caches
from flake8_jax.classes.layout import Field, own_fields
from flake8_jax.classes.registration import registration
from flake8_jax.classes.table import ClassInfo, class_info
from flake8_jax.effects.paths import Owner
from flake8_jax.effects.summaries import CACHES
from flake8_jax.fixes.declining import DeclinedError
from flake8_jax.fixes.names import Defined, Imported, Names, Referent, Valued, defined, written
from flake8_jax.fixes.nodes import quoted
from flake8_jax.fixes.safety import Safety
from flake8_jax.fixes.targets import targets
from flake8_jax.knowledge.effects import (
    ACTING_METHODS,
    GENERATORS,
    KEEPS_NOTHING,
    ONE_SHOT,
    OUTSIDE,
    STATEFUL,
    acts,
)
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import (
    ARITY,
    CONTAINER_FACTORIES,
    CONTAINER_MUTATORS,
    CONTAINER_RESULTS,
    CONTAINER_TYPES,
    ELEMENT_METHODS,
    GIVING,
)
from flake8_jax.resolution.imports import External
from flake8_jax.syntax import (
    Function,
    first_parameter,
    flat,
    is_name,
    last_part,
    parameter_names,
    positional,
    statements,
    walk,
)
from flake8_jax.verdicts.contents import summary_of

_NUMPY = "numpy."
_OBJECTS = frozenset({"builtins.object", "builtins.bytearray", "types.SimpleNamespace"})
_CONTAINERS = (cst.BaseDict, cst.BaseList, cst.BaseSet)
_CONTEXT = frozenset({"__aenter__", "__aexit__", "__enter__", "__exit__"})
_MAKING = frozenset({"__init__", "__init_subclass__", "__new__", "__post_init__", "__set_name__"})
_OUTER = (Owner.CELL, Owner.GLOBAL)
_PARTIAL = "functools.partial"
_NEXT = "builtins.next"
_DEEPEST = 3
"""Through how many functions a result is followed."""


def repeatable(found: PytreeCache) -> Safety:
    """How safely a cached function of a class may lose its cache.

    It is declined if it acts, or gives something that is used up. Where it makes something that can
    be changed in place, others may count on getting the same again: that is for those who ask.
    """
    if found.cache.function is None:
        return Safety.SAFE
    function, names = written(found.cache.function, found.info), Names(found.cache.function.inside)
    said = f"{found.cache.attribute!r}"
    if function is None:
        raise DeclinedError(f"the function that computes {said} cannot be read")
    body = _Body(function, names, found.info, frozenset(), {(function, None)})
    results = list(body.results())
    act = body.act()
    if act is not None:
        where = quoted(names.module, act)
        raise DeclinedError(f"{where} would be done each time that {said} is read")
    for write in summary_of(found.info, found.cache.function).writes:
        if write.path.root.owner in _OUTER and write.form not in CACHES:
            changed = f"{write.path.root.name!r}, which outlives the call,"
            raise DeclinedError(f"{changed} would be changed each time that {said} is read")
    for item in results:
        if body.is_one_shot(item):
            where = quoted(names.module, item)
            raise DeclinedError(
                f"{where} is used up when it is read, so that {said} is not the same"
            )
    return Safety.UNSAFE if any(map(body.is_container, results)) else Safety.SAFE


@dataclass(frozen=True, eq=False)
class _Body:
    """What a function does, and the functions of the project that it uses."""

    function: Function
    names: Names
    """Where its names are looked up."""
    cls: ClassInfo | None
    given: frozenset[str]
    """The parameters that hold what the caller has just made."""
    seen: set[tuple[cst.CSTNode, frozenset[str] | None]] = field(default_factory=set)
    """What was looked at, with what it was given; None where that is all the same."""
    depth: int = 0

    @cached_property
    def _sources(self) -> dict[str, list[cst.BaseExpression | None]]:
        """The expressions that local names have their values from; None is what is not seen."""
        found: dict[str, list[cst.BaseExpression | None]] = {}
        for node in walk(self.function.body):
            bound: list[tuple[cst.CSTNode, cst.BaseExpression | None]] = []
            match node:
                case cst.Assign() | cst.AnnAssign():
                    bound += [(item, node.value) for item in targets(node)]
                case cst.For():
                    bound += [(item, node.iter) for item in targets(node)]
                case cst.WithItem(asname=cst.AsName(name=name)):
                    bound += [(item, node.item) for item in walk(name)]
                case cst.NamedExpr():
                    bound.append((node.target, node.value))
                case cst.CompFor():
                    bound += [(item, node.iter) for item in walk(node.target)]
                case cst.Param():
                    bound.append((node.name, None))
            for item, value in bound:
                if isinstance(item, cst.Name):
                    found.setdefault(item.value, []).append(value)
        return found

    def _is_made(self, node: cst.BaseExpression) -> bool:
        """Whether an expression gives something that nobody else has."""
        stack: list[cst.BaseExpression | None] = [node]
        known: set[str] = set()
        while stack:
            match stack.pop():
                case None:
                    return False
                case cst.Attribute(value=value) | cst.Subscript(value=value):
                    stack.append(value)
                case cst.Name(value=name) if name not in known:
                    known.add(name)
                    sources = self._sources.get(name, [])
                    if self._is_parameter(name) and (sources or name not in self.given):
                        return False
                    if not sources and name not in self.given:
                        return False
                    stack += sources
                case cst.Call(func=cst.Attribute(value=value, attr=cst.Name(value=method))):
                    stack += [value] if method in ELEMENT_METHODS else []
                case cst.Call(func=cst.Name(value="getattr" | "globals" | "vars")):
                    return False
                case cst.IfExp(body=first, orelse=second):
                    stack += [first, second]
                case cst.BooleanOperation(left=first, right=second):
                    stack += [first, second]
        return True

    def _is_parameter(self, name: str) -> bool:
        found = walk(self.function.params)
        return any(isinstance(item, cst.Param) and item.name.value == name for item in found)

    def _refer(self, node: cst.BaseExpression) -> tuple[Referent, ...]:
        return self.names.refer(node)

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
                    found += [item for item in self._sources.get(name, ()) if item is not None]
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
        kinds = [item.dotted for item in _kinds(held) if isinstance(item, External)]
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
        inside: list[_Body] = []
        if isinstance(function, cst.Attribute) and self._is_self(function.value):
            assert self.cls is not None
            method = self._method(function.attr.value)
            if method is not None:
                inside.append(replace(self._of(method, self.cls), depth=self.depth + 1))
        inside += [
            replace(self._of(item, None), depth=self.depth + 1)
            for item in self._refer(function)
            if isinstance(item, Defined) and isinstance(item.node, cst.FunctionDef)
        ]
        return any(body.is_container(result) for body in inside for result in body.results())

    def _of(self, item: Defined, cls: ClassInfo | None) -> "_Body":
        """The body of a function of the project."""
        assert isinstance(item.node, cst.FunctionDef)
        return _Body(item.node, item.inside, cls, frozenset(), self.seen)

    def _method(self, name: str) -> Defined | None:
        """A method of the object."""
        method = self.cls.method(name) if self.cls is not None else None
        return defined(method) if method is not None else None

    def _makes_object(self, function: cst.BaseExpression) -> bool:
        """Whether a class of the project is called whose objects can be changed."""
        made = [_class(item) for item in self._refer(function)]
        return any(info is not None and registration(info) is None for info in made)

    def act(self) -> cst.CSTNode | None:
        """What makes it matter how often the function runs, if anything does."""
        if isinstance(self.function, cst.FunctionDef) and self.function.asynchronous is not None:
            return self.function
        nodes = list(walk(self.function.body))
        self.seen.update((item, None) for item in nodes if isinstance(item, cst.FunctionDef))
        called = {item.func for item in nodes if isinstance(item, cst.Call)}
        handed = (item for item in nodes if item not in called)
        found = chain(filter(self._acts, nodes), filter(self._is_acting_function, handed))
        return next(found, None)

    def _is_acting_function(self, node: cst.CSTNode) -> bool:
        """Whether a function that acts is named, to be called by somebody else."""
        match node:
            case cst.Attribute(value=owner, attr=cst.Name(value=method)) if method in ARITY:
                return not self._dotted(node) and not self._is_made(owner)
            case cst.Name(value=name) if name not in self._sources:
                return any(
                    isinstance(item, Defined)
                    and isinstance(item.node, cst.FunctionDef)
                    and self._reaches(item, None)
                    for item in self._refer(node)
                )
        return False

    def _acts(self, node: cst.CSTNode) -> bool:
        match node:
            case cst.Global() | cst.Yield() | cst.Await():
                return True
            case cst.Name(value=name) if name not in self._sources:
                return name in self._rebound or self._has_acting_operators(node)
            case cst.WithItem(item=cst.Call(func=maker)):
                return self._makes_acting(maker, _CONTEXT)
            case cst.Nonlocal(names=names):
                return any(item.name.value not in self._sources for item in names)
            case cst.AugAssign(target=cst.Name() as target, value=value):
                return isinstance(value, _CONTAINERS) and not self._is_made(target)
            case cst.Expr(value=cst.Call() as call):
                return self._acts_alone(call)
            case cst.Call():
                return self._calls_what_acts(node)
            case cst.Attribute(value=owner, attr=cst.Name(value=name)) if self._is_self(owner):
                return self._uses_member(name)
            case cst.Attribute(value=cst.Call(func=cst.Name(value="super")), attr=name):
                return self._uses_inherited(name.value)
            case cst.Attribute():
                return any(name in OUTSIDE for name in self._dotted(node))
        stores = (item for item in targets(node) if not isinstance(item, cst.Name))
        return any(not self._is_made(item) for item in stores)

    def _has_acting_operators(self, node: cst.Name) -> bool:
        """Whether a name of the module has an object whose operators act."""
        return any(
            isinstance(item, Valued)
            and isinstance(item.node, cst.Call)
            and replace(self, names=item.names)._makes_acting(item.node.func, None)
            for item in self._refer(node)
        )

    def _makes_acting(self, maker: cst.BaseExpression, wanted: frozenset[str] | None) -> bool:
        """Whether a class makes objects of which some special methods act, or any of them."""
        found = [cls for item in self._refer(maker) if (cls := _class(item)) is not None]
        return any(
            self._uses_method(cls, name)
            for cls in found
            for name in cls.methods
            if name.startswith("__") and name not in _MAKING
            if wanted is None or name in wanted
        )

    @cached_property
    def _rebound(self) -> frozenset[str]:
        """The names of the module that functions bind again."""
        return frozenset(self.names.module.declared)

    def _acts_alone(self, call: cst.Call) -> bool:
        """Whether a call does something, whose value nobody takes."""
        if isinstance(call.func, cst.Attribute) and call.func.attr.value in CONTAINER_MUTATORS:
            return not self._is_made(call.func.value)
        if isinstance(call.func, cst.Attribute) and self._is_self(call.func.value):
            return self.cls is None or self.cls.method(call.func.attr.value) is None
        for referent in self._refer(call.func):
            match referent:
                case Defined():
                    continue
                case Imported(dotted=dotted) if canonical(dotted).startswith(KEEPS_NOTHING):
                    continue
                case _:
                    return True
        return False

    def _calls_what_acts(self, call: cst.Call) -> bool:
        given = bool(call.args)
        if any(acts(name, given) for name in self._dotted(call.func)):
            return True
        if isinstance(call.func, cst.Name) and call.func.value == "next" and given:
            taken = call.args[0].value
            return not isinstance(taken, cst.GeneratorExp) and not self._is_made(taken)
        if isinstance(call.func, cst.Attribute):
            owner, method = call.func.value, call.func.attr.value
            if not self._is_made(owner) and self._changes_by(owner, method, given, self.names):
                return True
            if method in ARITY and not self._dotted(call.func) and not self._is_made(owner):
                return True
        for referent in self._refer(call.func):
            match referent:
                case Defined(node=cst.FunctionDef() as function):
                    if self._reaches(referent, None, self._made(function, call)):
                        return True
                case Valued(node=value) if value is not call.func:
                    if self._acts_when_called(referent):
                        return True
        return False

    def _acts_when_called(self, called: Valued) -> bool:
        """Whether a value acts that a name was given and that is called by that name."""
        match called.node:
            case cst.Lambda() as function:
                return self._runs(_Body(function, called.names, None, frozenset(), self.seen))
            case cst.Attribute(value=owner, attr=cst.Name(value=method)):
                if isinstance(owner, cst.Name) and self._is_made(owner):
                    return False  # its own
                mutates = method in CONTAINER_MUTATORS
                return mutates or self._changes_by(owner, method, True, called.names)
            case cst.Call(func=maker, args=arguments):
                makers = called.names.refer(maker)
                given = positional(tuple(arguments))
                if any(isinstance(i, Imported) and i.dotted == _PARTIAL for i in makers):
                    inner = called.names.refer(given[0]) if given else ()
                    return any(self._acts_as_partial(item) for item in inner)
                return any(self._makes_what_acts(item) for item in makers)
        return False

    def _acts_as_partial(self, referent: Referent) -> bool:
        match referent:
            case Imported(dotted=dotted):
                return canonical(dotted) == _NEXT or acts(canonical(dotted), True)
            case Defined(node=cst.FunctionDef()):
                return self._reaches(referent, None)
            case Valued():
                return self._acts_when_called(referent)
        return False

    def _makes_what_acts(self, maker: Referent) -> bool:
        """Whether calling what something has made acts: an object, or a function in a function."""
        cls = _class(maker)
        if cls is not None:
            return self._uses_method(cls, "__call__")
        match maker:
            case Defined(node=cst.FunctionDef() as function, piece=piece):
                inner = (i for i in statements(function.body) if isinstance(i, cst.FunctionDef))
                return any(
                    self._runs(
                        _Body(item, maker.top.inside(item, piece), None, frozenset(), self.seen)
                    )
                    for item in inner
                )
        return False

    def _uses_method(self, cls: ClassInfo, name: str) -> bool:
        own = cls.method(name)
        method = defined(own) if own is not None else None
        return method is not None and self._reaches(method, cls)

    def _changes_by(
        self, owner: cst.BaseExpression, method: str, given: bool, names: Names
    ) -> bool:
        """Whether an object is another one after a method of it was called."""
        if method in GIVING or method in ACTING_METHODS or (method == "get" and not given):
            return True
        if (last_part(owner) or "").lower().strip("_") in GENERATORS and not self._dotted(owner):
            return True
        if isinstance(owner, cst.Attribute) and self._is_self(owner.value):
            held = self._field(owner.attr.value)
            return held is not None and self._is_changed(_kinds(held), method)
        makers = (item for item in names.refer(owner) if isinstance(item, Valued))
        calls = ((i.names, i.node.func) for i in makers if isinstance(i.node, cst.Call))
        return any(self._is_changed(map(_kind, there.refer(func)), method) for there, func in calls)

    def _is_changed(self, kinds: Iterable[Annotated | None], method: str) -> bool:
        """Whether a method of an object of some class changes it."""
        return any(
            canonical(kind.dotted).startswith(STATEFUL)
            if isinstance(kind, External)
            else kind is not None and self._uses_method(kind, method)
            for kind in kinds
        )

    def _made(self, function: cst.FunctionDef, call: cst.Call) -> frozenset[str]:
        """The parameters of a function that get something which was made for them."""
        found: set[str] = set()
        for name, item in zip(parameter_names(function), call.args, strict=False):
            if item.star:
                break
            if self._is_made(item.value):
                found.add(name if item.keyword is None else item.keyword.value)
        return frozenset(found)

    def _is_self(self, node: cst.BaseExpression) -> bool:
        return self.cls is not None and is_name(node, first_parameter(self.function) or "")

    def _uses_member(self, name: str) -> bool:
        """Whether a method or property of the object acts; what has a cache is not run again."""
        assert self.cls is not None
        method = self._method(name)
        is_cached = any(item.attribute == name for cls in self.cls.mro for item in caches(cls))
        return method is not None and not is_cached and self._reaches(method, self.cls)

    def _uses_inherited(self, name: str) -> bool:
        """Whether a method of a base class acts."""
        for owner in self.cls.mro if self.cls is not None else ():
            own = owner.methods.get(name)
            method = defined(own) if own is not None else None
            if method is not None and owner.inside is not self.names.scope.outer:
                return self._reaches(method, self.cls)
        return False

    def _reaches(
        self, item: Defined, cls: ClassInfo | None, given: frozenset[str] = frozenset()
    ) -> bool:
        """Whether a function of the project acts that is used."""
        return self._runs(replace(self._of(item, cls), given=given))

    def _runs(self, body: "_Body") -> bool:
        """Whether a body acts that nobody has looked at."""
        key = (body.function, body.given)
        if not self.seen.isdisjoint({key, (body.function, None)}):
            return False
        self.seen.add(key)
        return body.act() is not None


def _class(referent: Referent) -> ClassInfo | None:
    return class_info(referent.own) if isinstance(referent, Defined) else None


def _kind(referent: Referent) -> Annotated | None:
    return External(referent.dotted) if isinstance(referent, Imported) else _class(referent)


def _kinds(held: Field) -> frozenset[Annotated]:
    """What a field is annotated as."""
    return annotated(held.owner.inside, held.annotation, held.position)
