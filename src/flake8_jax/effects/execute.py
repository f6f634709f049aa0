"""Executes statements: one function for each kind, in a table."""

from collections.abc import Callable, Sequence
from typing import Any

from flake8_jax.classes.walks import last_name
from flake8_jax.effects.callees import External, FunctionRef, innermost
from flake8_jax.effects.calls import call_method, call_value, evaluate_decorator
from flake8_jax.effects.certainty import (
    asks_for_what_lacks,
    is_of_the_call,
    names_of,
    names_one,
)
from flake8_jax.effects.conditions import NEVER, NOTHING, PERHAPS_SOME, Conditions
from flake8_jax.effects.frame import Frame
from flake8_jax.effects.implicit import gone_through
from flake8_jax.effects.iteration import element_of, has_elements
from flake8_jax.effects.limits import ITERATIONS
from flake8_jax.effects.narrowing import assume
from flake8_jax.effects.openness import lock, unlock
from flake8_jax.effects.paths import AccessPath
from flake8_jax.effects.patterns import match_pattern, refute
from flake8_jax.effects.state import AbstractState, join_states, sure_on_all
from flake8_jax.effects.subscripts import EAGER_CONTEXT
from flake8_jax.effects.summaries import WriteKey
from flake8_jax.effects.targets import assign, delete, extend
from flake8_jax.effects.values import NOTHING_RETURNED, UNKNOWN, Value, no_tracer
from flake8_jax.knowledge.objects import CONTAINER_COPIES, EXPECTS_ERRORS, REFUSALS
from flake8_jax.lowering.program import (
    Attr,
    Body,
    Branch,
    Call,
    Class,
    Const,
    Declare,
    Define,
    Delete,
    Eval,
    Expr,
    For,
    Home,
    How,
    Import,
    Jump,
    Match,
    Op,
    Raise,
    Return,
    Store,
    Try,
    Unpack,
    Var,
    While,
    With,
)


def execute(frame: Frame, body: Body) -> None:
    """Execute the statements of a body, as far as they are reached."""
    for statement in body:
        if not frame.state.reachable:
            return
        frame.statement = statement
        _EXECUTED[type(statement)](frame, statement)


def _store(frame: Frame, node: Store) -> None:
    if node.how is How.AUGMENT and extend(frame, node.targets[0], node.value, node.span):
        return
    frame.unpacked = node.value if isinstance(node.targets[0], Unpack) else None
    value = frame.evaluate(node.value)
    if not frame.state.reachable:
        return
    if node.annotation is not None and not value.types:
        value = value.with_types(frame.world.annotated(node.annotation, frame.ref))
    frame.counting = _counts(node)
    all(assign(frame, target, value, node.span, is_statement=True) for target in node.targets)
    frame.counting = ""


def _counts(node: Store) -> str:
    """By which operator a statement adds a constant to what it assigns."""
    match node:
        case Store(value=Op(symbol=symbol, operands=(_, Const())), how=How.AUGMENT):
            return symbol
    return ""


def _declare(frame: Frame, node: Declare) -> None:
    """An annotation alone stores nothing."""


def _delete(frame: Frame, node: Delete) -> None:
    delete(frame, node.target, node.span)


def _eval(frame: Frame, node: Eval) -> None:
    frame.evaluate(node.value)


def _return(frame: Frame, node: Return) -> None:
    value = frame.evaluate(node.value) if node.value is not None else NOTHING_RETURNED
    if frame.state.reachable:
        frame.hand_back(value.out)
        frame.give_back(value)
        frame.state.leave()


def _raise(frame: Frame, node: Raise) -> None:
    if node.value is not None:
        frame.evaluate(node.value)
    frame.state.leave()


def _jump(frame: Frame, node: Jump) -> None:
    if frame.jumps:
        breaks, continues = frame.jumps[-1]
        (breaks if node is Jump.BREAK else continues).append(frame.state.copy())
    frame.state.leave()


def _branch(frame: Frame, node: Branch) -> None:
    test = frame.evaluate(node.test)
    orelse = frame.state.copy()
    assume(frame, node.test, True, test)
    ways = frame.state.ways
    if is_of_the_call(node.test, test.origin) or names_one(node.test, frame.rounds):
        frame.state.ways, orelse.ways = ways | {(node.span, 0)}, ways | {(node.span, 1)}
    execute(frame, node.then)
    then, frame.state = frame.state, orelse
    assume(frame, node.test, False, test)
    execute(frame, node.orelse)
    frame.state = _rejoined((then, frame.state), ways)


def _rejoined(ends: Sequence[AbstractState], ways: frozenset[tuple[int, int]]) -> AbstractState:
    """The state behind several ways; what follows where all but one have ended is on that one."""
    joined = join_states(ends)
    reachable = [state for state in ends if state.reachable]
    joined.ways = reachable[0].ways if len(reachable) == 1 else ways
    return joined


def _loop(
    frame: Frame,
    enter: Callable[[], None],
    body: Body,
    orelse: Body,
    elements: Conditions = NOTHING,
    loop: int | None = None,
    *,
    is_entered: bool = False,
) -> None:
    """Go through a loop until nothing changes any more.

    Of the ``elements`` some conditions hold where there are none. ``loop`` is the number of a loop
    whose rounds get objects of their own. One that ``is_entered`` has one round at least.
    """
    after = frame.state
    before = after.copy()
    before.clear |= elements
    breaks: list[AbstractState] = []
    ends: tuple[AbstractState, ...] = ()
    for _ in range(ITERATIONS):
        frame.state = after.copy()
        continues: list[AbstractState] = []
        frame.jumps.append((breaks, continues))
        enter()
        execute(frame, body)
        frame.jumps.pop()
        ends = (frame.state, *continues)
        if loop is not None:
            for state in ends:
                state.end_round(loop, before)
        joined = join_states((before, *ends))
        if joined == after:
            break
        after = joined
    frame.state = join_states([item.copy() for item in ends]) if is_entered else after.copy()
    frame.state.sure |= sure_on_all(item for item in ends if item.reachable)
    if loop is not None:
        for state in (frame.state, *breaks):
            state.end_round(loop, before, is_last=True)
    execute(frame, orelse)
    frame.state = join_states((frame.state, *breaks))


def _for(frame: Frame, node: For) -> None:
    source = gone_through(frame, frame.evaluate(node.source), node.span)
    source = _without_copy(frame, node.source, source)

    def enter() -> None:
        frame.state.clear |= doubts
        frame.rounds.update(names_of(node.target))
        assign(frame, node.target, element_of(frame, source, node.span), node.target_span)

    doubts = source.tells.if_true & PERHAPS_SOME.if_true
    elements = no_tracer(element_of(frame, source).origin) - {NEVER}
    is_entered = has_elements(node.source)
    _loop(frame, enter, node.body, node.orelse, elements, node.span, is_entered=is_entered)


def _without_copy(frame: Frame, source: Expr, value: Value) -> Value:
    """What a loop goes through: of ``list(d)`` and ``sorted(d)``, the elements of ``d``."""
    match source:
        case Call(callee=Var() as callee, args=(Var() as whole,)):
            callees = frame.evaluate(callee).callees
            if callees and all(item in _SAME_ELEMENTS for item in callees):
                copied = frame.evaluate(whole)
                return value if copied.types or not copied.paths else copied
    return value


_SAME_ELEMENTS = frozenset(map(External, CONTAINER_COPIES - {"builtins.dict"}))


def _while(frame: Frame, node: While) -> None:
    def enter() -> None:
        assume(frame, node.test, True, frame.evaluate(node.test))

    _loop(frame, enter, node.body, node.orelse)
    assume(frame, node.test, False)


def _with(frame: Frame, node: With) -> None:
    unlocked: frozenset[AccessPath] = frozenset()
    is_eager = False
    managers: list[Value | Call] = []
    for (context, target), span in zip(node.items, node.target_spans, strict=True):
        written = frame.state.writes
        value = frame.evaluate(context)
        is_writing = frame.state.writes != written
        unlocked |= _unlocked(frame, context, value)
        is_eager = is_eager or EAGER_CONTEXT in value.types
        entered = call_method(frame, value, "__enter__", (), node.span)
        if entered is not None:
            managers.append(value)
        elif is_writing and isinstance(context, Call) and not value.types:
            managers.append(context)
        if target is not None:
            given = _entered(frame, context, value) if entered is None else entered
            assign(frame, target, given, span)
    if unlocked:
        unlock(frame, unlocked)
    frame.eager += is_eager
    returned = len(frame.exits)
    inside = frame.state.copy() if managers else frame.state
    if any(_expects_error(context) for context, _ in node.items):
        before = frame.state.copy()
        frame.expecting += 1
        _guarded(frame, node.body)
        frame.expecting -= 1
        frame.state = join_states((before, frame.state))
    else:
        execute(frame, node.body)
    frame.eager -= is_eager
    _leave_managers(frame, managers, node.span, returned, inside)
    if unlocked:
        lock(frame, unlocked)


def _entered(frame: Frame, context: Expr, value: Value) -> Value:
    """What a context manager gives: of some it is known that it is what they were given."""
    if isinstance(context, Call) and len(context.args) == 1:
        callees = frame.evaluate(context.callee).callees
        if callees and all(item in _GIVES_ARGUMENT for item in callees):
            return frame.evaluate(context.args[0])
    if isinstance(context, Call) and not value.types and _yields(frame, context):
        return element_of(frame, value)
    return value.inexact()


def _yields(frame: Frame, node: Call) -> bool:
    """Whether a call makes a generator of the project: a context manager gives what it yields."""
    functions = [innermost(item) for item in frame.evaluate(node.callee).callees]
    return bool(functions) and all(
        isinstance(item, FunctionRef) and item.function.yields for item in functions
    )


_GIVES_ARGUMENT = (External("contextlib.nullcontext"), External("contextlib.closing"))


def _leave_managers(
    frame: Frame, managers: list[Value | Call], span: int, returned: int, inside: AbstractState
) -> None:
    """Do what objects and generators do at the end of their block, however that is left.

    A generator is gone through once more: what it does at its end comes after the block. Where
    that returns, the variables are as they were ``inside`` at first.
    """
    reached = frame.state.reachable
    left = frame.exits[returned:]
    for manager in reversed(managers):
        if left and not frame.state.reachable:
            writes = frozenset[WriteKey]().union(*(item.writes for item in left))
            sure = sure_on_all(left)
            frame.state = inside.copy()
            frame.state.writes, frame.state.sure = writes, sure
        if isinstance(manager, Call):
            undone = frame.state.undone
            frame.evaluate(manager)
            frame.state.undone |= undone
        else:
            call_method(frame, manager, "__exit__", (UNKNOWN, UNKNOWN, UNKNOWN), span)
    for exit_ in left if managers else ():
        exit_.undone |= exit_.writes & frame.state.undone
    if left and managers and frame.state.reachable:
        frame.leave_behind()
    if not reached:
        frame.state.leave()


def _unlocked(frame: Frame, context: Expr, value: Value) -> frozenset[AccessPath]:
    """The objects that a context manager may let be assigned."""
    if not isinstance(context, Call | Var):
        return frozenset()
    is_own = isinstance(context, Call) and isinstance(context.callee, Attr)
    if is_own or frame.world.opens(context, frame.ref):
        return value.out
    return frozenset()


def _expects_error(context: Expr) -> bool:
    return isinstance(context, Call) and last_name(context.callee) in EXPECTS_ERRORS


def _guarded(frame: Frame, body: Body) -> None:
    """Execute a body of which somebody expects an error."""
    frame.guarded += 1
    execute(frame, body)
    frame.guarded -= 1


def _catches(frame: Frame, kind: Expr | None) -> bool:
    """Whether a handler may be there for what a forbidden assignment raises."""
    if kind is None:
        return True
    value = frame.evaluate(kind)
    callees = [item for part in (value.contents.items or (value,)) for item in part.callees]
    names = [item.dotted for item in callees if isinstance(item, External)]
    return not callees or any(name.rpartition(".")[2] in REFUSALS for name in names)


def _try(frame: Frame, node: Try) -> None:
    ways = frame.state.ways
    is_of_calls = any(asks_for_what_lacks(handler.kind) for handler in node.handlers)
    if is_of_calls:
        frame.state.ways = ways | {(node.span, 0)}
    before = frame.state.copy()
    returned = len(frame.exits)
    if any(_catches(frame, handler.kind) for handler in node.handlers):
        _guarded(frame, node.body)
    else:
        execute(frame, node.body)
    thrown = join_states((before, frame.state))
    ended = [frame.state] if frame.state.reachable else frame.exits[returned:]
    thrown.sure |= sure_on_all(ended)  # nobody knows that something raises
    execute(frame, node.orelse)
    ends = [frame.state]
    for number, handler in enumerate(node.handlers, start=1):
        frame.state = thrown.copy()
        if is_of_calls:
            frame.state.ways = ways | {(node.span, number)}
        if handler.name is not None:
            assign(frame, handler.name, UNKNOWN)
        execute(frame, handler.body)
        ends.append(frame.state)
    frame.state = _rejoined(ends, ways)
    if node.final:
        reached = frame.state.reachable
        frame.state = join_states((frame.state, thrown))
        left = frame.exits[returned:]
        sure = frame.state.sure
        execute(frame, node.final)
        for exit_ in left:
            exit_.undone |= exit_.writes & frame.state.undone
            exit_.sure |= frame.state.sure - sure
        if left and frame.state.reachable:
            frame.leave_behind()
        if not reached:
            frame.state.leave()


def _match(frame: Frame, node: Match) -> None:
    subject = frame.evaluate(node.subject)
    ends: list[AbstractState] = []
    ways = frame.state.ways
    for number, case in enumerate(node.cases):
        other = frame.state.copy()
        frame.state.ways = ways | {(node.span, number)}
        if isinstance(node.subject, Var):
            subject = frame.evaluate(node.subject)  # as far as the cases before have told
        match_pattern(frame, node.subject, subject, case.pattern)
        if case.guard is not None:
            assume(frame, case.guard, True, frame.evaluate(case.guard))
        execute(frame, case.body)
        ends.append(frame.state)
        frame.state = other
        if case.guard is None:
            refute(frame, node.subject, subject, case.pattern)
    frame.state = _rejoined((*ends, frame.state), ways)


def _define(frame: Frame, node: Define) -> None:
    if isinstance(node.made, Class):
        _define_class(frame, node, node.made)
        return
    value = frame.closure(node.made, frame.ref.owner if node.target.home is Home.CLASS else None)
    for parameter in node.made.parameters:
        if parameter.default is not None:
            frame.evaluate(parameter.default)
    for decorator in reversed(node.decorators):
        value = call_value(frame, evaluate_decorator(frame, decorator), value, node.span)
    frame.assign(node.target, value, node.span)


def _define_class(frame: Frame, node: Define, cls: Class) -> None:
    """What decorates a class gives it back, unless it is known to make something else of it."""
    value = frame.world.local_class(cls, frame.ref)
    for decorator in reversed(node.decorators):
        made = call_value(frame, evaluate_decorator(frame, decorator), value, node.span)
        value = made if made.callees else value
    frame.assign(node.target, value, node.span)


def _import(frame: Frame, node: Import) -> None:
    if node.target is not None:
        value = frame.reached(frame.world.external(node.dotted, frame.ref))
        frame.assign(node.target, value, node.span)


_EXECUTED: dict[type[Any], Callable[[Frame, Any], None]] = {
    Store: _store,
    Declare: _declare,
    Delete: _delete,
    Eval: _eval,
    Return: _return,
    Raise: _raise,
    Jump: _jump,
    Branch: _branch,
    For: _for,
    While: _while,
    With: _with,
    Try: _try,
    Match: _match,
    Define: _define,
    Import: _import,
}
