"""Narrows the state by what a test has told: types, None, and Tracers."""

from collections.abc import Callable, Iterator

from flake8_jax.effects.callees import OTHER, TEXT, ClassRef, External
from flake8_jax.effects.conditions import (
    NEVER,
    NOTHING,
    OF_AN_OBJECT,
    SILENT,
    Asked,
    Condition,
    Conditions,
    Tells,
    both,
    lacking,
)
from flake8_jax.effects.frame import Frame
from flake8_jax.effects.openness import closed_type
from flake8_jax.effects.paths import AccessPath, Field, Index
from flake8_jax.effects.state import EMPTY_PLACE
from flake8_jax.effects.subscripts import ARRAYS, NONE, NUMBER, selector_of
from flake8_jax.effects.values import ASKED_OF, UNKNOWN, Type, Value, no_tracer, number
from flake8_jax.effects.values import truth as truth_of
from flake8_jax.effects.world import World
from flake8_jax.lowering.program import Attr, Bind, Call, Const, Expr, Item, Op, Var

_NO_TRACERS = frozenset(
    f"builtins.{name}" for name in ("bool", "bytes", "complex", "float", "int", "str")
)
"""Classes whose instances are no Tracers; those of numpy are none either."""
_OTHER = frozenset({OTHER})
Narrow = Callable[[Value], Value]


def assume(frame: Frame, test: Expr, truth: bool, value: Value | None = None) -> None:
    """Take a test to have come out true, or false; ``value`` is what it has come to.

    An array is asked for its truth, which no Tracer tells.
    """
    if value is not None:
        if value.types and value.types <= ARRAYS:
            frame.state.learn(number(value.origin))
        told = truth_of(value)
        frame.state.learn(told.if_true if truth else told.if_false)
    match test:
        case Op(symbol="not", operands=(inner,)):
            assume(frame, inner, not truth)
        case Op(symbol="and") if truth:
            for item in test.operands:
                assume(frame, item, True)
        case Op(symbol="or") if not truth:
            for item in test.operands:
                assume(frame, item, False)
        case Op(symbol="is" | "==", operands=(subject, Const(value=None))):
            _narrow(frame, _asked_for(frame, subject), _is_none(truth))
        case Op(symbol="is not" | "!=", operands=(subject, Const(value=None))):
            _narrow(frame, _asked_for(frame, subject), _is_none(not truth))
        case Op(symbol="in" | "not in" as symbol, operands=(Const(value=str()) as key, owner)):
            is_there = truth == (symbol == "in")
            _narrow(frame, _entry(frame, owner, key), _is_none(not is_there))
        case Op(symbol="in" | "not in", operands=(_, owner)) if truth == (test.symbol != "in"):
            _note_lacking(frame, owner)
        case Call(args=(owner, Const(value=str() as name))) if _is_builtin(frame, test, "hasattr"):
            _narrow(frame, Attr(owner, name), _is_none(not truth))
        case Call(args=(subject, classes)) if _is_builtin(frame, test, "isinstance"):
            _narrow_to(frame, subject, classes, truth)
        case Op(operands=(Call(callee=Var(name="type"), args=(subject,)), cls)):
            if test.symbol in (("is", "==") if truth else ("is not", "!=")):
                _narrow_to(frame, subject, cls, True)
        case Bind():
            assume(frame, test.value, truth)
            assume(frame, test.target, truth)
        case Var() | Attr() | Item() if truth:
            _narrow(frame, test, _is_none(False))
        case Const() if bool(test.value) is not truth and _is_plain_truth(test):
            frame.state.leave()


def _note_lacking(frame: Frame, owner: Expr) -> None:
    """Note that some key is not in a table."""
    table = frame.evaluate(owner) if isinstance(owner, Var | Attr) else UNKNOWN
    if table.exact and len(table.paths) == 1:
        frame.state.learn(frozenset(map(lacking, table.paths)))


def _asked_for(frame: Frame, node: Expr) -> Expr:
    """What a test looks at; ``getattr(x, "name", None)`` is the attribute."""
    match node:
        case Call(args=(owner, Const(value=str() as name), Const(value=None))):
            if _is_builtin(frame, node, "getattr"):
                return Attr(owner, name)
    return node


def _entry(frame: Frame, owner: Expr, key: Const) -> Expr:
    """What stands under a key of a dict; under one of ``vars(x)``, the attribute."""
    match owner:
        case Attr(base=base, name="__dict__"):
            return Attr(base, str(key.value))
        case Call(args=(base,)) if _is_builtin(frame, owner, "vars"):
            return Attr(base, str(key.value))
    return Item(owner, key)


def _narrow_to(frame: Frame, subject: Expr, classes: Expr, truth: bool) -> None:
    """Take something to be an instance of one of some classes, or of none of them."""
    found = [*_classes(frame.evaluate(classes))]
    if any(item is not None for item in found):
        value = frame.evaluate(subject) if isinstance(subject, Var) and not truth else None
        if value is not None and not value.types:
            excluded = {(path, cls) for path in value.paths for cls in found if cls is not None}
            frame.state.excluded |= excluded
        _narrow(frame, subject, _is_instance(frame.world, found, truth))


def _is_plain_truth(node: Const) -> bool:
    return node.value is None or isinstance(node.value, bool | int)


def _is_builtin(frame: Frame, call: Call, name: str) -> bool:
    if not isinstance(call.callee, Var | Attr):
        return False
    return External(f"builtins.{name}") in frame.evaluate(call.callee).callees


def _classes(value: Value) -> Iterator[Type | None]:
    """The classes that a test names; None for one that is not known."""
    if value.contents.items is not None:
        for item in value.contents.items:
            yield from _classes(item)
        return
    for callee in value.callees or (None,):
        yield callee if isinstance(callee, External | ClassRef) else None


def _is_tracer(cls: Type) -> bool:
    return isinstance(cls, External) and cls.dotted.lower().endswith("tracer")


def _is_no_tracer(cls: Type) -> bool:
    if not isinstance(cls, External):
        return False
    return cls.dotted in _NO_TRACERS or cls.dotted.startswith("numpy.")


def of_classes(subject: Value, classes: Value) -> Tells:
    """What ``isinstance(subject, classes)`` tells."""
    found = [*_classes(classes)]
    if any(map(_is_tracer, found)):
        return Tells(if_false=no_tracer(subject.origin))
    if not found or None in found:
        return SILENT
    if_false = text(subject, Asked.NO_TEXT) if TEXT in found else NOTHING
    if all(map(_is_no_tracer, found)):
        if_true = no_tracer(subject.origin)
        if {*found} == {TEXT}:
            if_true |= text(subject, Asked.TEXT)
        return Tells(if_true, if_false)
    is_text = subject.types == {TEXT} and TEXT not in found
    return Tells(NOTHING if not is_text else frozenset({NEVER}), if_false)


def text(value: Value, asked: Asked) -> Conditions:
    """What must hold where a value is a string, or is none."""
    if value.types == {TEXT}:
        return NOTHING if asked is Asked.TEXT else frozenset({NEVER})
    if value.types and TEXT not in value.types:
        return NOTHING if asked is Asked.NO_TEXT else frozenset({NEVER})
    for path in value.paths if value.exact and len(value.paths) == 1 else ():
        if not path.selectors and path.root.owner in ASKED_OF:
            return frozenset({Condition(asked, path.root)})
    return NOTHING


def of_type(frame: Frame, node: Op) -> Tells | None:
    """What ``type(x) is float`` or ``type(x) in (int, float)`` tells; None for anything else."""
    match node.operands:
        case (Call(callee=Var(name="type"), args=(subject,)), classes):
            return of_classes(frame.evaluate(subject), frame.evaluate(classes))
    return None


def _is_none(truth: bool) -> Narrow:
    def narrow(value: Value) -> Value:
        if truth:
            return EMPTY_PLACE
        value = value.with_types(value.types - {NONE}) if NONE in value.types else value
        return value.with_tells(both(value.tells, OF_AN_OBJECT))

    return narrow


def _is_instance(world: World, classes: list[Type | None], truth: bool) -> Narrow:
    known = frozenset(item for item in classes if item is not None)

    def narrow(value: Value) -> Value:
        if any(map(_is_tracer, known)):
            return value
        if NUMBER in value.types:
            value = value.with_types(frozenset())
        inside = frozenset(
            item for item in value.types if any(_inherits(world, item, cls) for cls in known)
        )
        if not truth:
            left = value.types - inside
            return value.with_types(left or _OTHER) if inside else value
        if None in classes:
            return value
        below = frozenset(
            cls for cls in known if any(_inherits(world, cls, item) for item in value.types)
        )
        return value.with_types(inside | below or known)

    return narrow


def _inherits(world: World, type_: Type, cls: Type) -> bool:
    return type_ == cls or {type_, cls} <= ARRAYS or world.inherits(closed_type(type_), cls)


def _narrow(frame: Frame, subject: Expr, narrow: Narrow) -> None:
    """Change what is known of a variable, or of an attribute or item of a certain object."""
    match subject:
        case Var():
            frame.state.narrow(frame.key(subject), narrow(frame.evaluate(subject)))
        case Attr():
            value = frame.evaluate(subject)
            for path in _parts(frame.evaluate(subject.base), Field(subject.name)):
                if path in frame.state.heap or value.paths == {path}:
                    frame.state.narrow(path, narrow(value))
        case Item():
            _narrow_item(frame, subject, narrow)
        case Bind():
            _narrow(frame, subject.target, narrow)


def _parts(owner: Value, selector: Field | Index) -> Iterator[AccessPath]:
    """The one part of an object that is certain, however it is called."""
    if owner.exact and len(owner.paths) == 1:
        [path] = owner.paths
        yield path.then(selector)
        if isinstance(selector, Field):
            yield path.then(selector._replace(static=True))


def _narrow_item(frame: Frame, subject: Item, narrow: Narrow) -> None:
    owner = frame.evaluate(subject.base)
    selected = selector_of(subject.key)
    if not isinstance(selected, Index):
        return
    items, key = owner.contents.items, selected.key
    if items is None:
        for path in _parts(owner, selected):
            frame.state.narrow(path, narrow(frame.state.load(path)))
    elif isinstance(subject.base, Var) and isinstance(key, int) and -len(items) <= key < len(items):
        changed = list(items)
        changed[key] = narrow(changed[key])
        contents = owner.contents._replace(items=tuple(changed))
        frame.state.narrow(frame.key(subject.base), owner.with_contents(contents))
