"""The project around a function: what its names and classes are, as the interpreter asks for them.

A module is known by the path of its file. What a global variable holds and what decorators make of
a function is found out by the interpreter, as the summary of a piece of code.
"""

from collections.abc import Callable, Iterable, Iterator, Set
from functools import reduce
from typing import Any, NamedTuple

from flake8_jax.classes.annotations import Annotated, elements, names_one
from flake8_jax.classes.annotations import annotated as annotated_with
from flake8_jax.classes.assignment import opened_inside, opens
from flake8_jax.classes.caches import is_instance_method
from flake8_jax.classes.chosen import is_changed
from flake8_jax.classes.construction import helps_to_make
from flake8_jax.classes.frozen import library_kind, opens_in_construction, refuses
from flake8_jax.classes.layout import Routine
from flake8_jax.classes.registration import is_refused, is_static, registration
from flake8_jax.classes.table import (
    ClassInfo,
    class_info,
    class_of,
    classes,
    classes_in,
    decorations,
    is_typed_dict,
    libraries,
)
from flake8_jax.classes.walks import is_blank, placed
from flake8_jax.effects.callees import CODE, NONE, TEXT, ClassRef, External, FunctionRef
from flake8_jax.effects.code import Code, Codes, with_functions
from flake8_jax.effects.conditions import SILENT, join_tells, told_at_first
from flake8_jax.effects.forwarding import Forwarding
from flake8_jax.effects.interpreter import Interpreter
from flake8_jax.effects.paths import AccessPath, Field, Index, Owner, Root
from flake8_jax.effects.paths import Scope as Around
from flake8_jax.effects.subscripts import CONTEXT
from flake8_jax.effects.summaries import Outcome, Site
from flake8_jax.effects.values import (
    CONCRETE,
    EMPTY,
    UNKNOWN,
    Contents,
    Type,
    Value,
    initial,
    join,
)
from flake8_jax.effects.views import ProjectClass, transforming
from flake8_jax.knowledge.objects import COMMON_NAMES, PER_THREAD
from flake8_jax.knowledge.pytrees import Frozen
from flake8_jax.lowering.program import Class, Closure, Define, Expr, Function
from flake8_jax.lowering.spans import unpack
from flake8_jax.resolution.callee import all_in
from flake8_jax.resolution.imports import External as Dotted
from flake8_jax.resolution.modules import Module
from flake8_jax.resolution.resolve import (
    Definition,
    Expression,
    Referent,
    defined,
    definition,
    imported,
    resolve_name,
)
from flake8_jax.resolution.scopes import END, Position, Scope, inner_scope, module_scope
from flake8_jax.workspace.outline import Block

_SYNONYMS = {
    f"typing.{name}": f"builtins.{name.lower()}" for name in ("List", "Dict", "Set", "Tuple")
}
_ANYTHING = ("typing.", "typing_extensions.", "collections.abc.")
"""Where annotations come from that name no class."""
_DICT = External("builtins.dict")
_CLASS_METHOD = frozenset({"builtins.classmethod"})
_ABSTRACT = frozenset({"abc.abstractmethod"})
_OPEN = frozenset({"builtins.object"})


class Wanted(NamedTuple):
    """Code of a module that is asked for: functions, class bodies, numbers of statements."""

    made: frozenset[Function | Class | int]
    blocks: frozenset[int]
    """The top-level statements that hold it."""


class ProjectWorld:
    """The modules of a project, as far as somebody has asked for them."""

    def __init__(self) -> None:
        self.interpreter = Interpreter(self)
        self.modules: dict[str, Module] = {}
        self._codes = Codes(self._ref)
        self._scopes: dict[Function, Scope] = {}
        self._infos: dict[ClassRef, ClassInfo] = {}
        self._sizes: dict[tuple[str, int], int] = {}
        self._refs: dict[Function, FunctionRef] = {}
        self._views: dict[ClassRef, ProjectClass] = {}
        self._receivers: dict[FunctionRef, Value | None] = {}
        self._annotations: dict[tuple[Scope, Expr], frozenset[Type]] = {}
        self._computed: dict[tuple[str, str, Position], tuple[Referent, ...]] = {}
        """What global names refer to whose values are found out by code."""
        self._globals: dict[tuple[str, str, Position], Value] = {}
        """What global names stand for that no code has to be interpreted for."""
        self._made_of: dict[object, tuple[Value, Value]] = {}
        """What results of code were made into, with the results."""
        self._externals: dict[tuple[str, str], Value] = {}
        """The same for dotted names."""

    def release(self) -> None:
        """Let go of all that was found out: much of it refers to the world in turn."""
        self.interpreter.release()
        for known in (self.modules, self._scopes, self._infos, self._sizes, self._refs):
            known.clear()
        for found in (self._computed, self._views, self._receivers, self._annotations):
            found.clear()
        self._globals.clear()
        self._externals.clear()
        self._made_of.clear()

    def drop(self, paths: Set[str]) -> None:
        """Forget what was found out from some files; what they have asked of others stays."""
        self.interpreter.drop(paths)
        self._codes.drop(paths)
        self.modules = {path: item for path, item in self.modules.items() if path not in paths}
        by_path: tuple[dict[Any, Any], ...] = (self._sizes, self._computed, self._globals)
        for known in (*by_path, self._externals):
            _drop(known, lambda key: key[0] in paths)
        _drop(self._scopes, lambda function: self._scopes[function].module.file.path in paths)
        _drop(self._annotations, lambda key: key[0].module.file.path in paths)
        _drop(self._refs, lambda function: self._refs[function].module in paths)
        by_ref: tuple[dict[Any, Any], ...] = (self._infos, self._views, self._receivers)
        for known in by_ref:
            _drop(known, lambda ref: ref.module in paths)
        self._made_of.clear()

    @property
    def statements(self) -> int:
        """How many lowered statements all that was asked for has."""
        return sum(self._sizes.values())

    def enter(self, module: Module) -> str:
        """The key of a module."""
        key = module.file.path
        self.modules.setdefault(key, module)
        return key

    # what the interpreter asks

    def global_value(self, ref: FunctionRef, name: str) -> Value | None:
        """What a global name stands for in a function; None where it never gets a value."""
        code = self._codes.of(ref.function)
        return self._global(ref.module, name, END if code is None else code.position)

    def global_of(self, module: str, name: str) -> Value | None:
        """What a global name of a module stands for in the end; None where it has no value."""
        return self._global(module, name, END)

    def _global(self, module: str, name: str, position: Position) -> Value | None:
        """What a global name of a module stands for at some point."""
        key = module, name, position
        value = self._globals.get(key)
        if value is None:
            computed = self._computed.get(key)
            found = computed or resolve_name(self.modules[module], name, position)
            value = self._any_of(found, Root(Owner.GLOBAL, name, module=module))
            if computed is None and any(map(_is_computed, found)):
                self._computed[key] = found
            elif computed is None and value is not None:
                self._globals[key] = value
        return value

    def external(self, dotted: str, ref: FunctionRef) -> Value | None:
        """What a dotted name stands for in a function; None where it never gets a value."""
        key = ref.module, dotted
        value = self._externals.get(key)
        if value is None:
            found = imported(self.modules[ref.module], dotted)
            value = self._any_of(found, None)
            if value is not None and not any(map(_is_computed, found)):
                self._externals[key] = value
        return value

    def class_view(self, type_: Type) -> ProjectClass | None:
        """The class of the project that a type stands for."""
        if not isinstance(type_, ClassRef):
            return None
        known = self._views.get(type_)
        if known is None:
            info = self._info(type_)
            if info is not None:
                known = self._views[type_] = ProjectClass(type_, info, self)
        return known

    def _info(self, ref: ClassRef) -> ClassInfo | None:
        return self._infos.get(ref._replace(is_open=False) if ref.is_open else ref)

    def local_class(self, cls: Class, ref: FunctionRef) -> Value:
        """A class that is made inside of a function."""
        module = self.modules[ref.module]
        for info in classes_in(module, module.blocks[ref.statement]):
            if info.made is cls:
                return self._class_value(info)
        return UNKNOWN

    def annotated(self, annotation: Expr, ref: FunctionRef) -> frozenset[Type]:
        """What a value that is annotated so is one of; nothing where that is not known."""
        scope = self.scope_of(ref)
        key = scope, annotation
        known = self._annotations.get(key)
        if known is None:
            known = self._annotations[key] = self.types_of(annotated_with(scope, annotation))
        return known

    def receiver(self, ref: FunctionRef) -> Value | None:
        """What the first parameter of a method gets by itself; None for any other function."""
        if ref.owner is None or self._scope(ref) is None:
            return None
        if ref not in self._receivers:
            self._receivers[ref] = self._receiver(ref, ref.owner)
        return self._receivers[ref]

    def _receiver(self, ref: FunctionRef, owner: ClassRef) -> Value | None:
        own = defined(self._scopes[ref.function])
        if own is None:
            return None
        if is_instance_method(own):
            return UNKNOWN.with_types(frozenset({self.own_type(owner, own.made.name)}))
        if any(all_in(found, _CLASS_METHOD) for found in decorations(own)):
            return Value(origin=CONCRETE, callees=(owner,))
        return None

    def elements(self, annotation: Expr, ref: FunctionRef) -> frozenset[Type]:
        """What the elements of a container are that is annotated so; nothing if not known."""
        return self.types_of(elements(self.scope_of(ref), annotation))

    def is_stub(self, ref: FunctionRef) -> bool:
        """Whether a method says nothing of what those do that override it."""
        if not is_blank(ref.function):
            return False
        scope = self._scope(ref)
        own = defined(scope) if scope is not None else None
        if ref.owner is None or own is None:
            return False
        return any(all_in(found, _ABSTRACT) for found in decorations(own))

    def refuses(self, type_: Type, attribute: str, removing: bool) -> bool:
        """Whether an object of a type is known to refuse that an attribute is assigned."""
        if isinstance(type_, External):
            kind = library_kind(type_.dotted)
            return kind is not None and kind.frozen is not Frozen.NEVER
        info = self._infos.get(type_)
        return info is not None and refuses(info, attribute, removing)

    def updates(self, type_: Type, method: str | None) -> bool:
        """Whether an object is a pytree, of which a method of the library makes a copy."""
        if isinstance(type_, External):
            return library_kind(type_.dotted) is not None
        info = self._info(type_)
        if info is None or registration(info) is None:
            return False
        return method is None or info.method(method) is None

    def told_by(self, ref: FunctionRef, name: str) -> frozenset[Type]:
        """What an argument of a function is if it has a method of a name: the only such class."""
        if name in COMMON_NAMES or name.startswith("__"):
            return frozenset()
        module = self.modules[ref.module]
        having = module.once(_having, lambda: _having(module)).get(name, ())
        found = {self.class_ref(info) for info in having}
        return frozenset(found) if len(found) == 1 and ref.owner not in found else frozenset()

    def inherits(self, type_: Type, cls: Type) -> bool:
        """Whether all objects of a type are known to be instances of a class."""
        info = self._info(type_) if isinstance(type_, ClassRef) else None
        if info is None:
            return False
        if isinstance(cls, External):
            return cls.dotted in libraries(info)
        return isinstance(cls, ClassRef) and self._info(cls) in info.mro

    def is_refused(self, ref: FunctionRef, name: str) -> bool:
        """Whether a parameter is to get an object that JAX takes as no argument of a trace."""
        return self._is_to_get(ref, name, is_refused)

    def is_static(self, ref: FunctionRef, name: str) -> bool:
        """Whether a parameter is to get an object that JAX hands over as it is."""
        return self._is_to_get(ref, name, is_static)

    def _is_to_get(self, ref: FunctionRef, name: str, is_so: Callable[[ClassInfo], bool]) -> bool:
        """Whether a parameter is to get an object of a class of which something is known."""
        parameters = ref.function.parameters
        annotations = [item.annotation for item in parameters if item.name == name]
        if annotations and annotations[0] is not None:
            found = self.annotated(annotations[0], ref) if names_one(annotations[0]) else ()
        else:
            own = self.receiver(ref) if parameters[0].name == name else None
            found = own.types if own is not None else ()
        infos = [self._info(item) if isinstance(item, ClassRef) else None for item in found]
        return bool(infos) and all(info is not None and is_so(info) for info in infos)

    def keeps_writes(self, type_: Type) -> bool | None:
        """Whether the library of a class has transforms that carry writes back to the caller."""
        info = self._info(type_) if isinstance(type_, ClassRef) else None
        if info is None:
            return None
        made = registration(info)
        return made is not None and made.kind.keeps_writes

    def opens_in_construction(self, type_: Type) -> bool:
        """Whether an object can be assigned while it is made, whatever it refuses later."""
        info = self._infos.get(type_)
        return info is not None and opens_in_construction(info)

    def thaws(self, type_: Type) -> bool:
        """Whether the copies that the copy module makes of an object can be assigned."""
        if isinstance(type_, External):
            kind = library_kind(type_.dotted)
            return kind is not None and kind.thaws
        info = self._info(type_)
        made = registration(info) if info is not None else None
        return made is not None and made.kind.thaws

    def opens(self, manager: Expr, ref: FunctionRef) -> bool:
        """Whether a context manager that is given an object may let it be assigned."""
        return opens(self.scope_of(ref), manager, END)

    def opened_inside(self, ref: FunctionRef) -> bool:
        """Whether a function itself changes what may be assigned."""
        scope = self._scope(ref)
        return scope is not None and opened_inside(ref.function, scope)

    def is_per_thread(self, root: Root) -> bool:
        """Whether a global variable holds the state of contexts that others open and close."""
        if root.owner is not Owner.GLOBAL or root.module not in self.modules:
            return False
        value = self.global_of(root.module, root.name)
        return value is not None and any(map(self._is_per_thread, value.types))

    def _is_per_thread(self, type_: Type) -> bool:
        info = self._info(type_) if isinstance(type_, ClassRef) else None
        if info is None:
            return bool(type_ == CONTEXT)
        bases = [base for item in info.mro for found in item.bases for base in found]
        return any(isinstance(base, Dotted) and base.dotted in PER_THREAD for base in bases)

    # what views of classes ask

    def class_ref(self, info: ClassInfo) -> ClassRef:
        """The reference to a class."""
        key = self.enter(info.module)
        ref = ClassRef(info.name, key, info.definition.position[0], info.made.span)
        if ref not in self._infos:
            self._infos[ref] = info
            self._count(info.module, ref.statement)
        return ref

    def routine_ref(self, routine: Routine) -> FunctionRef:
        """The reference to a function that stands somewhere."""
        inside = routine.inside
        own = defined(inside)  # a lambda is no method
        outer = own.scope if own is not None else module_scope(inside.module)
        self._scopes[routine.function] = inside
        return self._ref(routine.function, outer, inside.index)

    def scope_of(self, ref: FunctionRef) -> Scope:
        """Where the body of a function looks names up."""
        return self._scope(ref) or module_scope(self.modules[ref.module])

    def _scope(self, ref: FunctionRef) -> Scope | None:
        """Where the body of a function looks names up; None for code that is no function."""
        known = self._scopes.get(ref.function)
        if known is None and ref.statement >= 0 and ref.function.name != CODE:
            module = self.modules[ref.module]
            self._note_scopes(module, module.blocks[ref.statement])
            known = self._scopes.get(ref.function)
        return known

    def _note_scopes(self, module: Module, block: Block) -> None:
        """Note the scopes of all functions of a top-level statement, once."""
        module.once((ProjectWorld, block.index), lambda: [*self._functions_in(module, block)])

    def _functions_in(self, module: Module, block: Block) -> Iterator[FunctionRef]:
        """The functions of a top-level statement, at whatever depth, in order."""
        program = module.program(block)
        scope = module_scope(module)
        for here in placed(program.body, scope, block.index) if program is not None else ():
            node = here.node
            if isinstance(node, Define):
                if isinstance(node.made, Function):
                    yield self.function_ref(definition(here.scope, node, here.position))
                else:
                    definition(here.scope, node, here.position)
            elif isinstance(node, Closure):
                inside = inner_scope(node.function, here.scope, here.position)
                yield self.routine_ref(Routine(node.function, inside))

    def types_of(self, found: frozenset[Annotated]) -> frozenset[Type]:
        """The types that annotations stand for; nothing where one says nothing."""
        types = {self._type(item) for item in found}
        return frozenset(types) if None not in types else frozenset()

    def made_by(self, own: Definition, decorators: tuple[Expr, ...]) -> Value | None:
        """What decorators make of a function; None where nothing is known yet."""
        made = self._result(self._codes.decorated(own, decorators))
        if made is None:
            return None
        return self._from(own, made, lambda: with_functions(made, self.function_ref(own)))

    def inherited(self, info: ClassInfo, name: str, method: Forwarding) -> FunctionRef:
        """A method that a class has from a library."""
        own = info.definition
        return self._codes.of_library(info.made, own.inside, own.position, name, method).ref

    def class_value(self, info: ClassInfo, name: str) -> Value | None:
        """What the body of a class binds a name to; None where nothing is known yet."""
        own = info.definition
        made = self._result(self._codes.class_body(info.made, own.inside, own.position, name))
        for method in info.methods.values() if made is not None else ():
            made = with_functions(made, self.function_ref(method)) if made is not None else None
        return made

    def own_type(self, cls: ClassRef, method: str) -> ClassRef:
        """The type of self in a method: one that helps to make the object may assign it."""
        info = self._infos[cls]
        is_open = opens_in_construction(info) and helps_to_make(info, method)
        return cls._replace(is_open=True) if is_open else cls

    # what modules start

    def call_on(self, info: ClassInfo, name: str) -> FunctionRef:
        """Code that calls what a class binds to a name, on an object that is to be given."""
        own = info.definition
        return self._codes.call_on(info.made, own.inside, own.position, name).ref

    def outcomes(self, key: str) -> tuple[Outcome, ...]:
        """What all code of a module does, its functions each by itself."""
        return tuple(map(self.interpreter.outcome, self.code(key)))

    def code(self, key: str) -> tuple[FunctionRef, ...]:
        """All code of a module, as functions, in the order of the text."""
        module = self.modules[key]
        return module.once(FunctionRef, lambda: tuple(dict.fromkeys(self._all_code(module, None))))

    def code_of(self, key: str, wanted: Wanted) -> tuple[FunctionRef, ...]:
        """Some code of a module: of functions, of class bodies, of top-level statements."""
        return tuple(dict.fromkeys(self._all_code(self.modules[key], wanted)))

    def _all_code(self, module: Module, wanted: Wanted | None) -> Iterator[FunctionRef]:
        """The statements of a module, its class bodies, and its functions at whatever depth."""
        self.enter(module)
        scope = module_scope(module)
        for block in module.blocks:
            program = None if block.is_import else module.program(block)
            if program is None or (wanted is not None and block.index not in wanted.blocks):
                continue
            self._count(module, block.index)
            if wanted is None or block.index in wanted.made:
                yield self._codes.block(program.body, scope, block.index).ref
            for ref in self._functions_in(module, block):
                if wanted is None or ref.function in wanted.made:
                    yield ref
        for info in classes(module):
            if wanted is not None and info.made not in wanted.made:
                continue
            own = info.definition
            self.class_ref(info)
            yield self._codes.class_body(info.made, own.inside, own.position).ref

    # how names become values

    def function_ref(self, own: Definition) -> FunctionRef:
        """The reference to a function of the project."""
        assert isinstance(own.made, Function)
        return self.routine_ref(Routine(own.made, own.inside))

    def _ref(self, function: Function, outer: Scope, index: int) -> FunctionRef:
        """The reference to a function that stands in a scope, in some top-level statement."""
        known = self._refs.get(function)
        if known is None:
            key = self.enter(outer.module)
            self._count(outer.module, index)
            around = self._around(outer, key, index)
            known = FunctionRef(function, key, self._owner(outer), index, around)
            self._refs[function] = known
        return known

    def _around(self, scope: Scope, key: str, index: int) -> tuple[Around, ...]:
        """The functions around, innermost first."""
        here: Scope | None = scope
        found = []
        while here is not None:
            if isinstance(here.made, Function):
                found.append(Around(key, index, here.made.span))
            here = here.outer
        return tuple(found)

    def _owner(self, scope: Scope) -> ClassRef | None:
        own = defined(scope) if isinstance(scope.made, Class) else None
        info = class_info(own) if own is not None else None
        return self.class_ref(info) if info is not None else None

    def _count(self, module: Module, index: int) -> None:
        """Note that a top-level statement is asked for."""
        key = (module.file.path, index)
        if key not in self._sizes:
            program = module.program(module.blocks[index]) if index >= 0 else None
            self._sizes[key] = program.size if program is not None else 0

    def _any_of(self, found: Iterable[Referent], root: Root | None) -> Value | None:
        """What is known of something that may be any of several."""
        values = {item: self._value(item, root) for item in found}
        known = [item for item in values.values() if item is not None]
        if not known:
            return None
        first = [value.tells for item, value in values.items() if value and not _is_later(item)]
        return join(known).with_tells(reduce(join_tells, first, first[0]) if first else SILENT)

    def _value(self, referent: Referent, root: Root | None) -> Value | None:
        """What a referent is; ``root`` is the variable that is asked for."""
        if isinstance(referent, Dotted):
            return Value(origin=CONCRETE, callees=(External(referent.dotted),))
        info = class_of(referent)
        if info is not None:
            return self._class_value(info)
        if isinstance(referent, Definition):
            return self._function_value(referent)
        if isinstance(referent, Expression):
            return self._variable(referent, root)
        return initial(AccessPath(root)) if root is not None else UNKNOWN

    def _class_value(self, info: ClassInfo) -> Value:
        if is_typed_dict(info):
            return Value(origin=CONCRETE, callees=(_DICT,))
        return Value(origin=CONCRETE, callees=(self.class_ref(info),))

    def _function_value(self, own: Definition) -> Value | None:
        decorators = transforming(own)
        if not decorators:
            return Value(origin=CONCRETE, callees=(self.function_ref(own),))
        made = self.made_by(own, decorators)
        if made is None or made.callees:
            return made if made is None else Value(origin=CONCRETE, callees=made.callees)
        root = Root(Owner.GLOBAL, own.made.name, module=self.enter(own.module))
        return _object_at(AccessPath(root), made)

    def _variable(self, found: Expression, root: Root | None) -> Value | None:
        """The value of a variable: an object of its own, of the type that its value has."""
        key = self.enter(found.module)
        if found.name is not None:
            root = Root(Owner.GLOBAL, found.name, module=key)
        if _is_later(found):
            return initial(AccessPath(root)) if root is not None else UNKNOWN
        made = self._result(self._codes.expression(found.expr, found.scope, found.position))
        if made is None or made.paths or root is None:
            return made
        path = AccessPath(root)
        value = self._from(path, made, lambda: _object_at(path, made))
        if _is_table_of_callables(made) and is_changed(found):
            value = value.with_contents(value.contents._replace(parts=()))
        return value

    def _from(self, key: object, made: Value, make: Callable[[], Value]) -> Value:
        """What is made of the result of code, made once as long as the result is the same."""
        known = self._made_of.get(key)
        if known is None or known[0] is not made:
            known = self._made_of[key] = made, make()
        return known[1]

    def _result(self, code: Code) -> Value | None:
        """What a piece of code comes to; None where nothing is known yet."""
        return self.interpreter.summary(code.ref).result

    def _type(self, item: Annotated) -> Type | None:
        if isinstance(item, ClassInfo):
            return _DICT if is_typed_dict(item) else self.class_ref(item)
        dotted = _SYNONYMS.get(item.dotted, item.dotted)
        return None if dotted.startswith(_ANYTHING) or dotted in _OPEN else External(dotted)


def _is_table_of_callables(value: Value) -> bool:
    """Whether a value holds what can be called, under keys and not in attributes."""
    return any(part.callees for at, part in value.contents.parts if not isinstance(at, Field))


def _drop(known: dict[Any, Any], is_old: Callable[[Any], bool]) -> None:
    """Forget the keys of which something holds."""
    for key in [key for key in known if is_old(key)]:
        del known[key]


def _is_later(referent: Referent) -> bool:
    """Whether something is given to a variable that nobody knows, or by a function, if at all."""
    if referent is None:
        return True
    return isinstance(referent, Expression) and referent.scope.made is not None


def _is_computed(referent: Referent) -> bool:
    """Whether code tells what something stands for, which others may have to learn more of."""
    if isinstance(referent, Expression):
        return True
    return isinstance(referent, Definition) and bool(
        isinstance(referent.made, Function) and transforming(referent)
    )


def _having(module: Module) -> dict[str, list[ClassInfo]]:
    """The classes of a module by the names of their methods."""
    found: dict[str, list[ClassInfo]] = {}
    for info in classes(module):
        for name in info.methods:
            found.setdefault(name, []).append(info)
    return found


_AT_FIRST = frozenset({NONE, TEXT})
"""The types of what a variable often holds at first, and something else later."""


def _object_at(path: AccessPath, made: Value) -> Value:
    """The object that a variable holds: what has been found out, at the path of the variable."""
    items = made.contents.items
    if items is not None:
        items = tuple(_object_at(path.then(Index(i)), item) for i, item in enumerate(items))
    is_plain = made.origin.concrete and made.contents == EMPTY
    value = initial(path).with_types(made.types if not made.types <= _AT_FIRST else frozenset())
    value = value.with_callees(made.callees).with_contents(
        Contents(items=items, parts=made.contents.parts)
    )
    value = value.with_tells(told_at_first(made.tells))
    return value.with_origin(CONCRETE) if is_plain else value


def position(world: ProjectWorld, site: Site) -> tuple[int, int]:
    """The line of a place, from 1 on, and its column in characters, from 0 on."""
    block = world.modules[site.module].blocks[site.statement]
    place = unpack(site.span)
    text = block.lines[place.line]
    return block.first + place.line, len(text.encode()[: place.column].decode(errors="ignore"))
