"""A world of one module, for unit tests of the interpreter."""

import builtins
from dataclasses import dataclass
from textwrap import dedent

from flake8_jax.classes.members import Binding, FieldMember, MethodMember, PropertyMember
from flake8_jax.effects.callees import Cached, ClassRef, External, FunctionRef
from flake8_jax.effects.conditions import Condition
from flake8_jax.effects.interpreter import Interpreter
from flake8_jax.effects.paths import AccessPath, Owner, Root
from flake8_jax.effects.summaries import Summary, Write
from flake8_jax.effects.values import CONCRETE, UNKNOWN, Origin, Type, Value, initial
from flake8_jax.effects.world import ClassView, Member
from flake8_jax.lowering.program import (
    Attr,
    Class,
    Declare,
    Define,
    Expr,
    Function,
    Import,
    Item,
    Stmt,
    Store,
    Var,
)
from unit.lowered import lowered

MODULE = "m"
_BINDINGS = {"staticmethod": Binding.NOTHING, "classmethod": Binding.CLASS}


@dataclass(frozen=True)
class View:
    """A class, read off its body: decorators are told by their names."""

    cls: Class

    @property
    def name(self) -> str:
        return self.cls.name

    @property
    def fields(self) -> tuple[str, ...]:
        return ()

    @property
    def is_changed_by_methods(self) -> bool:
        return True

    def lacks(self, name: str) -> bool:
        assert name
        return False

    def member(self, name: str) -> Member | None:
        found: Member | None = None
        for statement in self.cls.body:
            match statement:
                case Define(target=Var(name=here), made=Function() as function) if here == name:
                    found = self._defined(statement, function, found)
                case Declare(target=Var(name=here)) | Store(targets=(Var(name=here),)):
                    if here == name:
                        found = FieldMember()
        return found

    def member_after(self, owner: ClassRef, name: str) -> Member | None:
        assert owner.name == self.name
        assert name
        return None

    def _defined(self, node: Define, function: Function, before: Member | None) -> Member:
        ref = FunctionRef(function, MODULE, ClassRef(self.cls.name, MODULE))
        words = {item.name for item in node.decorators if isinstance(item, Var | Attr)}
        if "setter" in words and isinstance(before, PropertyMember):
            return before._replace(setter=ref)
        if words & {"property", "cached_property"}:
            return PropertyMember(ref, is_cached="cached_property" in words)
        if words & {"cache", "lru_cache"}:
            memo = Root(Owner.MEMO, function.name, module=MODULE)
            return MethodMember(Cached(ref, memo), is_cached=True)
        kinds = [_BINDINGS[word] for word in words if word in _BINDINGS]
        return MethodMember(ref, *kinds)


class OneModule:
    """All that a module defines."""

    def __init__(self, text: str) -> None:
        self.body = lowered(dedent(text).strip())

    def statement(self, name: str) -> Stmt | None:
        """The statement that gives a name its value."""
        for statement in self.body:
            match statement:
                case Define(target=Var(name=here)) | Import(target=Var(name=here)):
                    if here == name:
                        return statement
        return None

    def global_value(self, ref: FunctionRef, name: str) -> Value | None:
        assert ref.module == MODULE
        match self.statement(name):
            case Define(made=Function() as function, decorators=()):
                return Value(origin=CONCRETE, callees=(FunctionRef(function, MODULE),))
            case Define(made=Class() as cls):
                return Value(origin=CONCRETE, callees=(ClassRef(cls.name, MODULE),))
            case Import(dotted=dotted):
                return self.external(dotted, ref)
        if hasattr(builtins, name):
            return self.external(f"builtins.{name}", ref)
        return initial(AccessPath(Root(Owner.GLOBAL, name, module=MODULE)))

    def global_of(self, module: str, name: str) -> Value | None:
        assert module == MODULE
        return initial(AccessPath(Root(Owner.GLOBAL, name, module=MODULE)))

    def external(self, dotted: str, ref: FunctionRef) -> Value | None:
        assert ref.module == MODULE
        return Value(origin=CONCRETE, callees=(External(dotted),))

    def class_view(self, type_: Type) -> ClassView | None:
        if isinstance(type_, ClassRef):
            statement = self.statement(type_.name)
            if isinstance(statement, Define) and isinstance(statement.made, Class):
                return View(statement.made)
        return None

    def local_class(self, cls: Class, ref: FunctionRef) -> Value:
        assert cls.name
        assert ref.module == MODULE
        return UNKNOWN

    def refuses(self, type_: Type, attribute: str, removing: bool) -> bool:
        assert attribute
        return isinstance(type_, ClassRef) and type_.name.startswith("Frozen") and not removing

    def updates(self, type_: Type, method: str | None) -> bool:
        assert method != ""
        return isinstance(type_, ClassRef) and type_.name.startswith("Frozen")

    def told_by(self, ref: FunctionRef, name: str) -> frozenset[Type]:
        assert ref.module == MODULE
        assert name
        return frozenset()

    def inherits(self, type_: Type, cls: Type) -> bool:
        statement = self.statement(type_.name) if isinstance(type_, ClassRef) else None
        bases = statement.made.bases if isinstance(statement, Define) else ()
        return any(isinstance(base, Var) and base.name == cls.name for base in bases)

    def is_static(self, ref: FunctionRef, name: str) -> bool:
        [annotation] = [x.annotation for x in ref.function.parameters if x.name == name]
        return isinstance(annotation, Var) and annotation.name.startswith("Static")

    def is_refused(self, ref: FunctionRef, name: str) -> bool:
        [annotation] = [x.annotation for x in ref.function.parameters if x.name == name]
        return isinstance(annotation, Var) and annotation.name.startswith("Plain")

    def keeps_writes(self, type_: Type) -> bool | None:
        return type_.name.startswith("Kept") if isinstance(type_, ClassRef) else None

    def opens_in_construction(self, type_: Type) -> bool:
        return isinstance(type_, ClassRef)

    def thaws(self, type_: Type) -> bool:
        return isinstance(type_, ClassRef)

    def opens(self, manager: Expr, ref: FunctionRef) -> bool:
        assert ref.module == MODULE
        return isinstance(manager, Var)

    def opened_inside(self, ref: FunctionRef) -> bool:
        assert ref.module == MODULE
        return False

    def is_stub(self, ref: FunctionRef) -> bool:
        assert ref.module == MODULE
        return False

    def receiver(self, ref: FunctionRef) -> Value | None:
        assert ref.module == MODULE
        return None

    def elements(self, annotation: Expr, ref: FunctionRef) -> frozenset[Type]:
        assert ref.module == MODULE
        return self.annotated(annotation.key, ref) if isinstance(annotation, Item) else frozenset()

    def annotated(self, annotation: Expr, ref: FunctionRef) -> frozenset[Type]:
        found = self.global_value(ref, annotation.name) if isinstance(annotation, Var) else None
        if found is not None:
            return frozenset(
                item for item in found.callees if isinstance(item, ClassRef | External)
            )
        return frozenset()


def summary(text: str, name: str = "f") -> Summary:
    """The summary of a function of a module."""
    world = OneModule(text)
    statement = world.statement(name)
    assert isinstance(statement, Define)
    assert isinstance(statement.made, Function)
    return Interpreter(world).summary(FunctionRef(statement.made, MODULE))


def shown(text: str, name: str = "f") -> list[str]:
    """The writes and the result of a function, a line each."""
    return lines_of(summary(text, name))


def lines_of(found: Summary) -> list[str]:
    """The same for any summary."""
    lines = [_write(item) for item in found.writes]
    if found.result is None:
        return [*lines, "never returns"]
    return [*lines, f"returns {_value(found.result)}"]


def _write(write: Write) -> str:
    words = [write.change.value, str(write.path)]
    words += ["from", _origin(write.value.origin)]
    words += [f"via {'.'.join(write.via)}"] if write.via else []
    words += [f"under {write.trace.transform.name}"] if write.trace is not None else []
    words += ["read later"] if write.is_read_later else []
    words += [f"if {item}" for item in sorted(map(_condition, write.only_if))]
    return " ".join(words)


def _condition(condition: Condition) -> str:
    root = condition.root
    words = condition.asked.name.lower().replace("_", " ")
    return words if root is None else f"{AccessPath(root)} {words}"


def _origin(origin: Origin) -> str:
    if origin.concrete:
        return "plain"
    named = sorted(str(AccessPath(root)) for root in origin.sources)
    made = [*(["tracer"] if origin.traced else []), *(["jax"] if origin.staged else [])]
    shown = "+".join([*made, *named])
    return f"{shown}?" if origin.doubtful or not shown else shown


def _value(value: Value) -> str:
    if value.contents.items is not None:
        return f"({', '.join(map(_value, value.contents.items))})"
    words = sorted(map(str, value.paths))
    if not value.paths:
        words.append("plain" if value.origin.concrete else "new")
    out = sorted(map(str, value.contents.reaches | value.contents.shares))
    held = f" with {', '.join(out)}" if out else ""
    return " or ".join(words) + held + ("" if value.exact else "?")
