"""The table of classes: those of a module, their bases, and the order in which Python asks them.

A class is known by its definition. All that is asked of it is found out once, when it is asked for.
"""

import re
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias, TypeVar

from flake8_jax.classes import limits
from flake8_jax.knowledge.listed import known_as
from flake8_jax.knowledge.objects import TYPED_DICTS
from flake8_jax.knowledge.pytrees import BASE_FACTORIES, CLASS_KEYWORDS, MARKERS
from flake8_jax.lowering.program import (
    Attr,
    Call,
    Class,
    Define,
    Expr,
    Function,
    Item,
    Spread,
    Var,
)
from flake8_jax.lowering.walk import flat
from flake8_jax.resolution.bindings import bindings, bound_inside
from flake8_jax.resolution.callee import Argument, Callee, all_in, callees
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.modules import Module, module_of
from flake8_jax.resolution.resolve import (
    Definition,
    Expression,
    Referent,
    definition,
    home,
    resolve,
)
from flake8_jax.resolution.scopes import Scope, module_scope
from flake8_jax.workspace.outline import Block

T = TypeVar("T")
DATACLASS = "dataclasses.dataclass"
_CLASS = re.compile(r"^[ \t\f]*class\b", re.MULTILINE)
"""Class statements; it may match in strings, too."""
_ACCESSORS = frozenset({"setter", "deleter"})


@dataclass(frozen=True, eq=False, slots=True)
class ClassInfo:
    """A class of the project. There is one value for each, so they compare by it."""

    definition: Definition
    made: Class

    @property
    def name(self) -> str:
        """Its name, as its statement has it."""
        return self.made.name

    @property
    def module(self) -> Module:
        """The module that defines it."""
        return self.definition.module

    @property
    def inside(self) -> Scope:
        """The scope of its body."""
        return self.definition.inside

    @property
    def bases(self) -> tuple[tuple["Base", ...], ...]:
        """What each of its bases may be."""
        return self.once(_bases, lambda: _bases(self))

    @property
    def ancestry(self) -> "Ancestry":
        """The classes it inherits from."""
        return self.once(_ancestry, lambda: _ancestry(self))

    @property
    def mro(self) -> tuple["ClassInfo", ...]:
        """The class and its ancestors in the project, in the order in which Python asks them."""
        return self.ancestry.classes

    @property
    def is_known(self) -> bool:
        """Whether it is known what each base is, of the class and of its ancestors."""
        return self.ancestry.is_known

    @property
    def subclasses(self) -> tuple["ClassInfo", ...]:
        """Its subclasses in its own module, in the order of the text."""
        return self.once(_subclasses, lambda: _subclasses(self))

    @property
    def body(self) -> tuple[object, ...]:
        """The statements of its body, at whatever depth."""
        return self.once(flat, lambda: tuple(flat(self.made.body)))

    @property
    def bound(self) -> Collection[str]:
        """The names that its body binds."""
        return bound_inside(self.inside)

    @property
    def methods(self) -> Mapping[str, Definition]:
        """The functions of its body by name: the last of each, but no accessors of properties."""
        return self.once(_methods, lambda: _methods(self))

    def method(self, name: str) -> Definition | None:
        """A method of the class, or of the nearest ancestor in the project that has it."""
        for info in self.mro:
            if name in info.methods:
                return info.methods[name]
        return None

    def once(self, key: object, compute: Callable[[], T]) -> T:
        """What is found out about the class, found out once."""
        return self.module.once((key, self.made), compute)


Base: TypeAlias = ClassInfo | External | Expression | None
"""What a base may be: a class of the project or of a library, what a call makes, or unknown."""


class Ancestry(NamedTuple):
    """The classes that one inherits from."""

    classes: tuple[ClassInfo, ...]
    """The class itself and its ancestors in the project, in the C3 order of Python.

    Where Python has none for them, they come in the order of the text, depth first.
    """
    is_known: bool = True
    """Whether each base of each of them is known, and they are not too many."""
    is_whole: bool = True
    """Whether they are all there: they are not too many, and the class is none of its own."""


def class_info(own: Definition) -> ClassInfo | None:
    """The class that a definition makes."""
    made = own.made
    if not isinstance(made, Class):
        return None
    return own.module.once((ClassInfo, made), lambda: ClassInfo(own, made))


def class_of(referent: Referent) -> ClassInfo | None:
    """The class of the project that a name refers to; ``Foo`` too after ``Foo = mark(Foo)``."""
    if isinstance(referent, Definition):
        return class_info(referent)
    if isinstance(referent, Expression) and isinstance(referent.expr, Call):
        return _rebound(referent.expr, referent.scope)
    return None


def _rebound(call: Call, scope: Scope) -> ClassInfo | None:
    """The class in ``Foo = register_pytree_node_class(Foo)``."""
    while True:
        given = class_arguments(call)[:1]
        if not given or not isinstance(given[0], Call):
            break
        call = given[0]
    if given and _returns_its_class(callees(scope, call.callee)):
        for own in classes_named(given[0], scope):
            return class_info(own)
    return None


def _returns_its_class(found: tuple[Callee, ...]) -> bool:
    names = [item.target.dotted for item in found[:1] if isinstance(item.target, External)]
    return any(known_as(name) in MARKERS or name == DATACLASS for name in names)


def class_arguments(call: Call) -> tuple[Expr, ...]:
    """The arguments under which a marker may be handed its class."""
    first = [item for item in call.args[:1] if not isinstance(item, Spread)]
    named = dict(call.keywords)
    return (*first, *(named[name] for name in CLASS_KEYWORDS if name in named))


def classes_named(expr: Expr, scope: Scope) -> Iterator[Definition]:
    """The classes that an argument may be, also if the name is bound anew later."""
    while isinstance(expr, Call) and expr.args:
        expr = expr.args[0]
    found: list[Referent] = [*resolve(scope, expr)] if isinstance(expr, Var | Attr) else []
    var = home(expr, scope) if isinstance(expr, Var) else None
    if var is not None:
        found += [
            definition(var.scope, item.source, item.position)
            for item in bindings(var.scope, var.name)
            if isinstance(item.source, Define)
        ]
    for own in dict.fromkeys(found):
        if isinstance(own, Definition) and isinstance(own.made, Class):
            yield own


def classes(module: Module) -> tuple[ClassInfo, ...]:
    """All classes of a module, nested ones and those made in functions included."""
    blocks = module.blocks
    return module.once(
        classes, lambda: tuple(info for block in blocks for info in classes_in(module, block))
    )


def classes_in(module: Module, block: Block) -> tuple[ClassInfo, ...]:
    """The classes of a top-level statement, at whatever depth."""
    return module.once((classes_in, block.index), lambda: tuple(_classes_in(module, block)))


def _classes_in(module: Module, block: Block) -> Iterable[ClassInfo]:
    program = module.program(block) if block.classes else None
    if program is None:
        return ()
    found: list[ClassInfo] = []
    most = len(_CLASS.findall(block.text))
    waiting = deque([(program.body, module_scope(module))])
    while waiting and len(found) < most:
        body, scope = waiting.popleft()
        for statement in flat(body):
            if isinstance(statement, Define):
                own = definition(scope, statement, (block.index, statement.span))
                info = class_info(own)
                found += [info] if info is not None else []
                waiting.append((own.made.body, own.inside))
    return sorted(found, key=lambda info: info.definition.position)


def keywords(info: ClassInfo) -> tuple[Argument, ...]:
    """The keywords of the class statement."""
    own = info.definition
    return tuple(
        Argument(Expression(own.scope, value, own.position), name, 0 if name is not None else 2)
        for name, value in info.made.keywords
    )


def decorations(own: Definition) -> tuple[tuple[Callee, ...], ...]:
    """What each decorator of a function or class may be, outermost first."""
    return own.module.once(
        (decorations, own.made),
        lambda: tuple(callees(own.scope, item, own.position) for item in own.statement.decorators),
    )


def _bases(info: ClassInfo) -> tuple[tuple[Base, ...], ...]:
    own = info.definition
    found: list[tuple[Base, ...]] = []
    for expr in info.made.bases:
        while isinstance(expr, Item):  # ``Base[T]``
            expr = expr.base
        if isinstance(expr, Spread):
            found.append((None,))
        else:
            found.append(tuple(map(_base, resolve(own.scope, expr, own.position))))
    return tuple(found)


def libraries(info: ClassInfo) -> frozenset[str]:
    """The classes of libraries that a class inherits from, where it is known what they are."""
    return info.once(libraries, lambda: frozenset(_libraries(info)))


def _libraries(info: ClassInfo) -> Iterator[str]:
    for item in info.mro:
        for base in item.bases:
            yield from (one.dotted for one in base if len(base) == 1 and isinstance(one, External))


def is_typed_dict(info: ClassInfo) -> bool:
    """Whether the instances of a class are plain dicts, of which it says what keys they have."""
    return not libraries(info).isdisjoint(TYPED_DICTS)


def _base(referent: Referent) -> Base:
    info = class_of(referent)
    if info is not None:
        return info
    return None if isinstance(referent, Definition) else referent


def _parents(info: ClassInfo) -> tuple[ClassInfo, ...]:
    return info.once(_parents, lambda: tuple(dict.fromkeys(_parents_in(info))))


def _parents_in(info: ClassInfo) -> Iterator[ClassInfo]:
    for base in info.bases:
        yield from (item for item in base if isinstance(item, ClassInfo))


def _ancestry(info: ClassInfo) -> Ancestry:
    """The ancestors, depth first; where they share some, Python's order has to be found."""
    seen: dict[ClassInfo, None] = {}
    stack, shared = [info], False
    while stack and len(seen) <= limits.ANCESTORS:
        here = stack.pop()
        if here in seen:
            shared = True
        else:
            seen[here] = None
            stack += reversed(_parents(here))
    found = tuple(seen)
    if stack or len(found) > limits.ANCESTORS or (shared and info in _parents_of(found)):
        known = found[: limits.ANCESTORS]
        return Ancestry(known, is_known=False, is_whole=False)
    is_known = all(_has_known_bases(item) for item in found)
    if not shared:
        return Ancestry(found, is_known=is_known)
    return Ancestry(_linearized(info) or found, is_known=is_known)


def _parents_of(found: tuple[ClassInfo, ...]) -> set[ClassInfo]:
    return {parent for item in found for parent in _parents(item)}


def _has_known_bases(info: ClassInfo) -> bool:
    return all(_is_known_base(item) for base in info.bases for item in base)


def _is_known_base(base: Base) -> bool:
    if isinstance(base, Expression):
        return factory(base) is not None
    return base is not None


def factory(base: Expression) -> str | None:
    """The function of a library that makes a base class which is a pytree."""
    if isinstance(base.expr, Call):
        found = callees(base.scope, base.expr.callee, base.position)
        if all_in(found, BASE_FACTORIES) and isinstance(found[0].target, External):
            return found[0].target.dotted
    return None


def _linearized(info: ClassInfo) -> tuple[ClassInfo, ...] | None:
    """The C3 order of a class and its ancestors; None where there is none."""
    known: dict[ClassInfo, tuple[ClassInfo, ...] | None] = {}
    opened: set[ClassInfo] = set()
    stack = [info]
    while stack:
        here = stack[-1]
        parents = _parents(here)
        waiting = [item for item in parents if item not in known]
        if here in known:
            stack.pop()
        elif not waiting:
            stack.pop()
            orders = tuple(known[item] for item in parents)
            known[here] = here.once(_merged, partial(_merged, here, orders))
        elif here in opened:  # it is its own ancestor
            return None
        else:
            opened.add(here)
            stack += reversed(waiting)
    return known[info]


def _merged(
    info: ClassInfo, known: tuple[tuple[ClassInfo, ...] | None, ...]
) -> tuple[ClassInfo, ...] | None:
    """A class and then all others, each before those that follow it in one of the orders.

    They are the orders of its parents, and that of the parents themselves.
    """
    some = [order for order in known if order is not None]
    if len(some) < len(known):
        return None
    found = [info]
    orders = [[*reversed(order)] for order in (*some, _parents(info)) if order]
    behind = Counter(item for order in orders for item in order[:-1])
    while orders:
        head = next((order[-1] for order in orders if not behind[order[-1]]), None)
        if head is None:
            return None
        found.append(head)
        for order in orders:
            if order[-1] is head:
                order.pop()
                if order:
                    behind[order[-1]] -= 1
        orders = [order for order in orders if order]
    return tuple(found)


def _subclasses(info: ClassInfo) -> tuple[ClassInfo, ...]:
    module = info.module
    names, found, grown = {info.name}, list[ClassInfo](), True
    while grown:
        near = [block for block in module.blocks if not names.isdisjoint(block.words)]
        found = [item for block in near for item in classes_in(module, block)]
        found = [item for item in found if item is not info and info in item.mro]
        others = {item.name for item in found}
        for block in near:  # other names of the same classes
            others |= block.names if not block.defines else set()
        grown = not names.issuperset(others)
        names |= others
    return tuple(found)


def subclasses_elsewhere(info: ClassInfo) -> tuple[ClassInfo, ...]:
    """The subclasses of a class in the other files of the project."""
    return info.once(subclasses_elsewhere, lambda: _elsewhere(info))


def _elsewhere(info: ClassInfo) -> tuple[ClassInfo, ...]:
    project, file = info.module.project, info.module.file
    names, asked = {info.name, *(item.name for item in info.subclasses)}, set[str]()
    found: dict[ClassInfo, None] = {}
    while names - asked:
        name = min(names - asked)
        asked.add(name)
        for other in project.others(file):
            if name in other.text:
                module = module_of(project, other)
                found |= dict.fromkeys(item for item in classes(module) if info in item.mro[1:])
        names |= {item.name for item in found}
    return tuple(found)


def _methods(info: ClassInfo) -> Mapping[str, Definition]:
    inside, index = info.inside, info.definition.position[0]
    return {
        item.target.name: definition(inside, item, (index, item.span))
        for item in info.body
        if isinstance(item, Define)
        and isinstance(item.made, Function)
        and not any(is_accessor(decorator) for decorator in item.decorators)
    }


def is_accessor(decorator: Expr) -> bool:
    """Whether a decorator is the setter or deleter of a property."""
    return isinstance(decorator, Attr) and decorator.name in _ACCESSORS
