"""What makes it matter how often a function runs, if anything does.

The summary says what it changes, with all that it calls. What acts on the outside, or depends on
it, is told by its name, in the bodies of all functions that run or are handed on.
"""

from collections.abc import Iterator
from typing import NamedTuple

from flake8_jax.classes.annotations import annotated
from flake8_jax.classes.caches import PytreeCache
from flake8_jax.classes.layout import Routine, fields
from flake8_jax.classes.table import ClassInfo, class_info, subclasses_elsewhere
from flake8_jax.classes.walks import Placed, first_parameter, is_var, last_name, placed
from flake8_jax.effects.callees import CODE, FunctionRef
from flake8_jax.effects.interpreter import Application
from flake8_jax.effects.paths import Owner
from flake8_jax.effects.project import ProjectWorld
from flake8_jax.effects.summaries import CACHES, Site, Summary, Write
from flake8_jax.knowledge.effects import (
    ACTING_METHODS,
    GENERATORS,
    KEEPS_NOTHING,
    OUTSIDE,
    STATEFUL,
    acts,
)
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import CONTAINER_MUTATORS, ELEMENT_METHODS, GIVING
from flake8_jax.lowering.program import (
    Attr,
    Await,
    Bind,
    Call,
    Choice,
    Class,
    Closure,
    Comp,
    Define,
    Expr,
    Function,
    Home,
    Item,
    Op,
    Shape,
    Var,
    With,
    Yield,
)
from flake8_jax.lowering.walk import walk
from flake8_jax.resolution.bindings import bindings
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.resolve import Definition, Expression, definition, home, resolve
from flake8_jax.resolution.scopes import Scope, inner_scope
from flake8_jax.verdicts.contents import applied, summary_of
from flake8_jax.verdicts.reached import reached, world_of

_LOST = (Owner.FRESH, Owner.NOWHERE)
"""Objects that nobody else has."""
_MAKING = frozenset({"__init__", "__init_subclass__", "__new__", "__post_init__", "__set_name__"})
_CONTEXT = frozenset({"__aenter__", "__aexit__", "__enter__", "__exit__"})
_CALL = "__call__"
_PARTIAL = "functools.partial"
_NEXT = "builtins.next"
_LOOKING = frozenset({"getattr", "globals", "vars"})


def act(found: PytreeCache, own: Routine) -> Site | None:
    """Where a cached function does more than to give a value, in any class that has it."""
    world = world_of(found.info.module)
    for info in (found.info, *found.info.subclasses, *subclasses_elsewhere(found.info)):
        for write in summary_of(info, own).writes:
            if _is_act(write):
                return write.site
        acting = next(_Acting(world, info).sites(applied(info, own)), None)
        if acting is not None:
            return acting
    return None


def recursion(found: PytreeCache, own: Routine) -> Site | None:
    """Where a cached function asks for its own value again, of whatever object."""
    world = world_of(found.info.module)
    start = applied(found.info, own)
    for outcome in world.interpreter.reached([start]).values():
        for call in outcome.calls:
            if getattr(call.ref, "function", None) is own.function:
                return call.site
    return None


def asked(found: PytreeCache, own: Routine) -> Site | None:
    """What a function may do that an object holds and that is called, if it is one of the module.

    Which function an object was given is not known: one that keeps something may be it.
    """
    if not summary_of(found.info, own).asks:
        return None
    start = reached(found.info.module)
    for (ref, _), outcome in start.outcomes.items():
        if ref.module == start.key and ref.function.name != CODE:
            is_called = ref.function.name == _CALL
            kept = (Owner.PARAMETER,) if is_called else (Owner.CELL, Owner.GLOBAL)
            for write in outcome.writes:
                if write.path.root.owner in kept and write.form not in CACHES:
                    return write.site
    return None


def _is_act(write: Write) -> bool:
    return write.path.root.owner not in _LOST and write.form not in CACHES


class _Acting(NamedTuple):
    """What an object of a class does."""

    world: ProjectWorld
    info: ClassInfo

    def sites(self, start: Application) -> Iterator[Site]:
        """Where functions act, from one on through all that it calls and hands on."""
        known: set[FunctionRef] = set()
        stack = [start]
        while stack:
            for application in self.world.interpreter.reached([stack.pop()]):
                ref = application.ref
                if ref in known:
                    continue
                known.add(ref)
                for here in self._nodes(ref):
                    if self._acts(here):
                        yield _site(ref, here)
                for here, handed in self._handed(ref):
                    if _changes(self.world.interpreter.summary(*handed), ref):
                        yield _site(ref, here)
                    stack.append(handed)

    def _nodes(self, ref: FunctionRef) -> Iterator[Placed]:
        return placed(ref.function.body, self.world.scope_of(ref), ref.statement)

    def _handed(self, ref: FunctionRef) -> Iterator[tuple[Placed, Application]]:
        """The functions that one makes, or mentions other than to call them."""
        called = {item.callee for item in walk(ref.function.body) if isinstance(item, Call)}
        for here in self._nodes(ref):
            node = here.node
            match node:
                case Define(made=Function()) if not isinstance(here.scope.made, Class):
                    own = definition(here.scope, node, here.position)
                    yield here, Application(self.world.function_ref(own))
                case Closure(function=function):
                    inside = inner_scope(function, here.scope, here.position)
                    yield here, Application(self.world.routine_ref(Routine(function, inside)))
                case Var() | Attr() if node not in called:
                    for item in resolve(here.scope, node, here.position):
                        if isinstance(item, Definition) and isinstance(item.made, Function):
                            yield here, Application(self.world.function_ref(item))
                    if isinstance(node, Attr):
                        yield from ((here, item) for item in self._method(node, here))

    def _method(self, node: Attr, here: Placed) -> Iterator[Application]:
        """A method of the object itself."""
        made = here.scope.made
        if isinstance(made, Function) and is_var(node.base, first_parameter(made)):
            method = self.info.method(node.name)
            if method is not None and isinstance(method.made, Function):
                yield applied(self.info, Routine(method.made, method.inside))

    def _acts(self, here: Placed) -> bool:
        node = here.node
        match node:
            case Yield() | Await():
                return True
            case Call():
                return self._calls_what_acts(node, here)
            case With(items=items):
                made = (maker for maker, _ in items if isinstance(maker, Call))
                return any(self._makes_acting(item.callee, here, _CONTEXT) for item in made)
            case Attr():
                return any(name in OUTSIDE for name in _dotted(node, here))
            case Var(home=Home.GLOBAL):
                return any(
                    isinstance(item, Expression)
                    and isinstance(item.expr, Call)
                    and self._makes_acting(item.expr.callee, _at(item), None)
                    for item in resolve(here.scope, node, here.position)
                )
        return False

    def _calls_what_acts(self, call: Call, here: Placed) -> bool:
        callee, names = call.callee, _dotted(call.callee, here)
        given = bool(call.args or call.keywords)
        if any(acts(name, given) for name in names):
            return True
        if _NEXT in names and call.args:
            taken = call.args[0]
            is_display = isinstance(taken, Comp) and taken.shape is Shape.GENERATOR
            return not is_display and not _is_made(taken, here)
        if isinstance(callee, Attr) and not names and not _is_made(callee.base, here):
            if _takes(callee, given) or self._is_stateful(callee, here):
                return True
        found = resolve(here.scope, callee, here.position)
        values = [item for item in found if isinstance(item, Expression) and item.expr != callee]
        if any(map(self._acts_when_called, values)):
            return True
        return not call.used and self._is_for_its_own_sake(callee, here)

    def _is_for_its_own_sake(self, callee: Expr, here: Placed) -> bool:
        """Whether a call, whose value nobody takes, does something that is not known."""
        if isinstance(callee, Attr):
            made = here.scope.made
            if callee.name in CONTAINER_MUTATORS:
                return not (_is_given(callee.base, made) or _is_made(callee.base, here))
            if isinstance(made, Function) and is_var(callee.base, first_parameter(made)):
                return self.info.method(callee.name) is None
        for item in resolve(here.scope, callee, here.position):
            match item:
                case Definition():
                    continue
                case External(dotted=dotted) if canonical(dotted).startswith(KEEPS_NOTHING):
                    continue
            return True
        return False

    def _acts_when_called(self, called: Expression) -> bool:
        """Whether a value acts that a name was given and that is called by that name."""
        here = _at(called)
        match called.expr:
            case Attr(base=base, name=name):
                is_kept = not isinstance(base, Var) or not _is_made(base, here)
                return is_kept and (name in CONTAINER_MUTATORS or _takes(called.expr, True))
            case Call(callee=maker, args=(first, *_)) if _PARTIAL in _dotted(maker, here):
                names = _dotted(first, here)
                inner = resolve(here.scope, first, here.position)
                return any(name == _NEXT or acts(name, True) for name in names) or any(
                    isinstance(item, Expression) and self._acts_when_called(item) for item in inner
                )
        return False

    def _is_stateful(self, callee: Attr, here: Placed) -> bool:
        """Whether a method is called of an object that changes when something is taken from it."""
        kinds: list[str] = []
        match callee.base:
            case Attr(name=name):
                for own in fields(self.info):
                    if own.name == name:
                        found = annotated(own.owner.inside, own.annotation, own.position)
                        kinds += [kind.dotted for kind in found if isinstance(kind, External)]
        for item in resolve(here.scope, callee.base, here.position):
            if isinstance(item, Expression) and isinstance(item.expr, Call):
                kinds += _dotted(item.expr.callee, _at(item))
        return any(canonical(kind).startswith(STATEFUL) for kind in kinds)

    def _makes_acting(self, maker: Expr, here: Placed, wanted: frozenset[str] | None) -> bool:
        """Whether a class makes objects of which some special methods act, or any of them."""
        found = resolve(here.scope, maker, here.position)
        kinds = [class_info(item) for item in found if isinstance(item, Definition)]
        return any(
            _changes(summary_of(cls, Routine(method.made, method.inside)), None)
            for cls in kinds
            if cls is not None
            for name, method in cls.methods.items()
            if name.startswith("__") and name not in _MAKING
            if wanted is None or name in wanted
            if isinstance(method.made, Function)
        )


def _site(ref: FunctionRef, here: Placed) -> Site:
    """Where a node stands: a call or an attribute itself, else its statement."""
    own = here.node.span if isinstance(here.node, Call | Attr) else 0
    return Site(ref.module, here.position[0], own or here.position[1])


def _at(found: Expression) -> Placed:
    return Placed(found.expr, found.scope, found.position)


def _dotted(node: Expr, here: Placed) -> list[str]:
    """What of libraries an expression may be."""
    found = resolve(here.scope, node, here.position)
    return [canonical(item.dotted) for item in found if isinstance(item, External)]


def _takes(callee: Attr, given: bool) -> bool:
    """Whether a method gives something else the next time, by its name."""
    if callee.name in GIVING or callee.name in ACTING_METHODS:
        return True
    if callee.name == "get" and not given:
        return True
    return (last_name(callee.base) or "").lower().strip("_") in GENERATORS


def _changes(summary: Summary, around: FunctionRef | None) -> bool:
    """Whether a function changes more than its own objects, and variables of that around it."""
    return any(
        _is_act(write) and not (around is not None and write.path.root.scope == around.scope)
        for write in summary.writes
    )


def _is_given(node: Expr, made: object) -> bool:
    """Whether an expression is a parameter: of what is written to it the summary tells."""
    parameters = made.parameters if isinstance(made, Function) else ()
    return isinstance(node, Var) and any(item.name == node.name for item in parameters)


def _is_made(node: Expr, here: Placed) -> bool:
    """Whether an expression gives something that nobody else has."""
    stack: list[tuple[object, Scope]] = [(node, here.scope)]
    known: set[tuple[Scope, str]] = set()
    while stack:
        expr, scope = stack.pop()
        match expr:
            case None | Define():
                return False
            case Attr(base=base) | Item(base=base):
                stack.append((base, scope))
            case Var():
                found = home(expr, scope, here.position)
                if found is None or not isinstance(found.scope.made, Function):
                    return False
                if (found.scope, expr.name) in known:
                    continue
                known.add((found.scope, expr.name))
                sources = bindings(found.scope, expr.name)
                given = (item.name for item in found.scope.made.parameters)
                if expr.name in given or not sources:
                    return False
                stack += [(item.source, found.scope) for item in sources]
            case Call(callee=Attr(base=base, name=name)):
                stack += [(base, scope)] if name in ELEMENT_METHODS else []
            case Call(callee=Var(name=name)) if name in _LOOKING:
                return False
            case Choice(then=one, orelse=other):
                stack += [(one, scope), (other, scope)]
            case Op(symbol="and" | "or", operands=operands):
                stack += [(item, scope) for item in operands]
            case Bind(value=value):
                stack.append((value, scope))
    return True
