"""Calls: what is handed to whom, what comes back, what is copied, changed or traced."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from flake8_jax.contents import Holds, cached_contents
from flake8_jax.flow.traces import traced
from flake8_jax.flow.values import (
    ANY,
    ARRAYS,
    PLAIN,
    UNKNOWN,
    Copied,
    Form,
    FunctionRef,
    Place,
    Shape,
    Trace,
    Value,
    Write,
    computed,
    holding,
    join,
)
from flake8_jax.knowledge.objects import (
    ARRAY_PACKAGES,
    ARRAY_UPDATES,
    CONTAINER_COPIES,
    CONTAINER_FACTORIES,
    CONTAINER_MUTATORS,
    DEEP_COPIES,
    ELEMENT_METHODS,
    SHALLOW_COPIES,
    SHALLOW_METHODS,
    SURE_MUTATORS,
    UPDATE_FUNCTIONS,
)
from flake8_jax.knowledge.pytrees import Kind
from flake8_jax.knowledge.transforms import (
    DEFINES_RULES,
    KERNELS,
    RULE_OF_A_PRIMITIVE,
    TRANSFORMS,
    Transform,
)
from flake8_jax.knowledge.values import ALWAYS_STATIC
from flake8_jax.lazy import called_in_construction
from flake8_jax.model import ModelClass
from flake8_jax.names import Imported, applied, canonical, refer
from flake8_jax.syntax import first_parameter, is_name, keyword, positional, string_value, walk

if TYPE_CHECKING:
    from flake8_jax.flow.analysis import Summary
    from flake8_jax.flow.frame import Frame
    from flake8_jax.source import Piece

Once = Callable[[], object]
construction_helpers = called_in_construction


@dataclass(frozen=True)
class Here:
    """Where to report what something that is called writes, if not there."""

    node: cst.CSTNode
    piece: "Piece"
    text: str


# Attributes


def is_property(cls: ModelClass, function: cst.FunctionDef) -> bool:
    """Whether a method is read as an attribute."""
    return any(
        bool(item.names) and all(name.endswith(("property", ".getter")) for name in item.names)
        for item in cls.decorations(function)
    )


def get_attribute(frame: "Frame", owner: Value, node: cst.Attribute) -> Value:
    """Read an attribute: a property runs."""
    name = node.attr.value
    cls = owner.cls()
    if cls is None and owner.type is None and owner.places and owner.function is None:
        cls = frame.flow.only_class_with(name)
        if cls is not None:
            owner = replace(owner, type=cls)
    if cls is not None and name not in owner.members:
        method = cls.method(name)
        if method is not None and is_property(cls, method):
            ref = frame.flow.function(method, cls.scope, cls.piece, cls)
            if frame.is_cached(cls, name) and _keeps_arrays(frame, cls, ref):
                frame.fill_cache(owner, name, node)
            return apply(frame, replace(ref, bound=(owner,), is_method=True), (), {})
    return frame.member(owner, name)


def _keeps_arrays(frame: "Frame", cls: ModelClass, ref: FunctionRef) -> bool:
    """Whether a cached property may hold a Tracer when it is first read under a trace.

    The fields of a pytree class are arrays as a rule. A plain class may hold anything, so that its
    property has to be seen to compute with jax.
    """
    if cached_contents(ref.node, cls) is not Holds.ANYTHING or _read_when_made(cls, ref.name):
        return False
    return cls.making is not None or frame.flow.summary(ref).makes_arrays


def _read_when_made(cls: ModelClass, name: str) -> bool:
    """Whether the constructor reads an attribute of self, so that it is computed by then."""
    for owner in cls.lineage:
        for maker in ("__init__", "__post_init__"):
            method = owner.methods.get(maker)
            first = first_parameter(method) if method is not None else None
            for node in walk(method.body) if method is not None and first else ():
                if isinstance(node, cst.Attribute) and is_name(node.value, first or ""):
                    if node.attr.value == name:
                        return True
    return False


def set_attribute(
    frame: "Frame",
    owner: Value,
    name: str,
    value: Value,
    node: cst.CSTNode,
    target: cst.BaseExpression,
    bypass: bool = False,
    deleting: bool = False,
) -> None:
    """Store an attribute: a setter runs, a frozen class refuses."""
    cls = owner.cls()
    if not bypass:
        setter = _setter(cls, name) if cls is not None else None
        if cls is not None and setter is not None:
            ref = frame.flow.function(setter, cls.scope, cls.piece, cls)
            here = Here(node, frame.piece, cst.Module([]).code_for_node(target).strip())
            apply(frame, replace(ref, bound=(owner,), is_method=True), (value,), {}, here)
            return
        refusal = frame.refuses(owner, name, deleting)
        if refusal is not None:
            if not frame.guarded:
                text = cst.Module([]).code_for_node(target).strip()
                frame.flow.frozen_writes.setdefault(node, (frame.piece, text, *refusal))
            return
    if isinstance(target, cst.Attribute) and isinstance(target.value, cst.Name):
        variable = target.value.value
        if variable in frame.env and not owner.places:
            members = {**owner.members, name: value}
            frame.env[variable] = replace(owner, holds=owner.holds | value.out, members=members)
    if not frame.is_construction_of(owner):
        frame.write_member(owner, name, value, node, target, bypass)


def _setter(cls: ModelClass, name: str) -> cst.FunctionDef | None:
    for owner in cls.lineage:
        for statement in owner.body:
            if isinstance(statement, cst.FunctionDef) and statement.name.value == name:
                for decorator in statement.decorators:
                    item = decorator.decorator
                    if isinstance(item, cst.Attribute) and item.attr.value == "setter":
                        return statement
    return None


def dict_owner(frame: "Frame", node: cst.BaseExpression) -> Value | None:
    """The object of ``vars(object)`` and ``object.__dict__``."""
    match node:
        case cst.Attribute(value=owner, attr=cst.Name(value="__dict__")):
            return frame.base(owner)
        case cst.Call(func=cst.Name(value="vars"), args=[cst.Arg(value=owner)]):
            return frame.base(owner)
    return None


# Iteration and discarded results


def iterated(frame: "Frame", node: cst.BaseExpression) -> Value:
    """What a loop over an expression yields each time."""
    if isinstance(node, cst.Call):
        arguments = tuple(node.args)
        given = positional(arguments)
        match node.func:
            case cst.Name(value="enumerate") if given:
                return Value(items=(PLAIN, iterated(frame, given[0])))
            case cst.Name(value="zip") if not any(argument.star for argument in arguments):
                return Value(items=tuple(iterated(frame, item) for item in given))
            case cst.Name(value="reversed" | "sorted" | "list" | "tuple" | "iter") if given:
                return iterated(frame, given[0])
            case cst.Name(value="range"):
                for item in given:
                    frame.evaluate(item)
                return PLAIN
            case cst.Attribute(value=owner, attr=cst.Name(value="items")) if not arguments:
                return Value(items=(PLAIN, _each(frame, frame.base(owner), owner)))
            case cst.Attribute(value=owner, attr=cst.Name(value="values")) if not arguments:
                return _each(frame, frame.base(owner), owner)
    return _each(frame, frame.base(node), node)


def _each(frame: "Frame", owner: Value, node: cst.BaseExpression) -> Value:
    """An element of a container that is walked: all of its elements are read."""
    frame.read_elements(owner, node)
    return frame.element(owner)


def discard(frame: "Frame", node: cst.BaseExpression) -> None:
    """Evaluate an expression statement, and note an update that is thrown away."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        method = node.func.attr.value
        owner = node.func.value
        at = isinstance(owner, cst.Subscript) and isinstance(owner.value, cst.Attribute)
        if at and method in ARRAY_UPDATES and isinstance(owner, cst.Subscript):
            array = owner.value.value if isinstance(owner.value, cst.Attribute) else None
            own = array is not None and frame.base(array).cls() is not None
            if (
                isinstance(owner.value, cst.Attribute)
                and owner.value.attr.value == "at"
                and not own
            ):
                text = cst.Module([]).code_for_node(owner.value.value).strip()
                if frame.base(owner.value.value).type is not Shape.REFERENCE:
                    label = f"{text}.at[...].{method}"
                    frame.flow.discarded.setdefault(node, (frame.piece, label))
                    frame.flow.updating.setdefault(node, frame.node)
        elif method in {"replace", "_replace"}:
            kind = frame.base(owner).type
            known = isinstance(kind, Kind)
            if isinstance(kind, ModelClass):
                known = kind.making is not None and kind.method(method) is None
            if known:
                text = cst.Module([]).code_for_node(owner).strip()
                frame.flow.discarded.setdefault(node, (frame.piece, f"{text}.{method}"))
    if isinstance(node, cst.Call):
        _discard_copy(frame, node)
    frame.evaluate(node)


def _discard_copy(frame: "Frame", node: cst.Call) -> None:
    """Note a copy of a pytree, made by a function, that is thrown away."""
    names = [item.dotted for item in refer(node.func, frame.scope) if isinstance(item, Imported)]
    given = positional(tuple(node.args))
    name = canonical(names[0]) if len(names) == 1 else ""
    source = given[UPDATE_FUNCTIONS[name]] if name in UPDATE_FUNCTIONS and given else None
    if source is not None:
        kind = frame.base(source).type
        if isinstance(kind, Kind) or (isinstance(kind, ModelClass) and kind.making is not None):
            frame.flow.discarded.setdefault(node, (frame.piece, name))


# Calls


def call(frame: "Frame", node: cst.Call) -> Value:
    """Follow a call."""
    if (partial := _partial_transform(frame, node)) is not None:
        return partial
    if isinstance(node.func, cst.Attribute):
        return _method_call(frame, node, node.func)
    function = frame.base(node.func)
    return _call_value(frame, node, function)


def _partial_transform(frame: "Frame", node: cst.Call) -> Value | None:
    """``partial(jax.jit, …)(f)`` and ``jax.jit(static_argnums=0)(f)``, by an alias or not."""
    if not isinstance(node.func, cst.Call | cst.Name):
        return None
    if isinstance(node.func, cst.Name) and node.func.value in frame.env:
        return None
    used = applied(node.func, frame.scope)
    transform = TRANSFORMS.get(used.names[0]) if len(used.names) == 1 else None
    if transform is None or not transform.curried or not used.arguments:
        return None
    if positional(used.arguments) or any(keyword(used.arguments, n) for n in transform.keywords):
        return None
    return _transform(frame, node, transform, used.arguments)


def _arguments(
    frame: "Frame", arguments: Iterable[cst.Arg]
) -> tuple[tuple[Value, ...], Mapping[str, Value], bool]:
    """The values of positional and keyword arguments, and whether some are starred."""
    given: list[Value] = []
    named: dict[str, Value] = {}
    starred = False
    for argument in arguments:
        value = frame.evaluate(argument.value)
        if argument.star:
            starred = True
            if argument.star == "*" and value.items is not None:
                given += value.items
                starred = False
            elif argument.star == "*":
                given.append(frame.element(value))
        elif argument.keyword is not None:
            named[argument.keyword.value] = value
        else:
            given.append(value)
    return tuple(given), named, starred


def _call_value(frame: "Frame", node: cst.Call, function: Value) -> Value:
    if function.dotted is not None:
        return _known_call(frame, node, canonical(function.dotted))
    given, named, _ = _arguments(frame, node.args)
    if function.function is not None:
        return apply(frame, function.function, given, named, node=node)
    if function.made is not None:
        return _construct(function.made, given, named)
    if (ref := callable_object(frame, function)) is not None:
        return apply(frame, ref, given, named)
    return _passed_on(frame, function, given, named)


def callable_object(frame: "Frame", value: Value) -> FunctionRef | None:
    """The ``__call__`` of an instance."""
    cls = value.cls()
    method = cls.method("__call__") if cls is not None else None
    if cls is None or method is None:
        return None
    ref = frame.flow.function(method, cls.scope, cls.piece, cls)
    return replace(ref, bound=(value,), is_method=True)


def _passed_on(
    frame: "Frame",
    function: Value,
    given: tuple[Value, ...],
    named: Mapping[str, Value],
    is_method: bool = False,
) -> Value:
    """What an unknown function may give back: anything that it was given."""
    values = (*given, *named.values())
    for value in values:
        if value.function is not None:
            _escape(frame, value.function)
    values = (*values, function) if is_method else values
    return replace(holding(*values), certain=False, plain=False)


def _escape(frame: "Frame", ref: FunctionRef) -> None:
    """A function that is handed to code which is not known may be called there."""
    frame.called.add(ref.node)


def _construct(
    cls: ModelClass | Kind, given: tuple[Value, ...], named: Mapping[str, Value]
) -> Value:
    value = holding(*given, *named.values())
    return replace(value, type=cls, members=dict(named), plain=False)


def _method_call(frame: "Frame", node: cst.Call, function: cst.Attribute) -> Value:
    name = function.attr.value
    if is_super(function.value):
        return _super_call(frame, node, name)
    if name == "__setattr__":
        return _raw_setattr(frame, node, function)
    changed = dict_owner(frame, function.value)
    if changed is not None and name in {"update", "setdefault", "__setitem__", "pop"}:
        return _dict_write(frame, node, changed, name)
    owner = frame.base(function.value)
    if owner.dotted is not None:
        dotted = canonical(f"{owner.dotted}.{name}")
        if owner.dotted in {"builtins.list", "builtins.dict", "builtins.set"}:
            return _unbound_mutator(frame, node, name)
        return _known_call(frame, node, dotted)
    if name in DEFINES_RULES and owner.function is not None and owner.function.trace is not None:
        given, named, _ = _arguments(frame, node.args)
        for value in (*given, *named.values()):
            if value.function is not None:
                start(frame, traced(RULE_OF_A_PRIMITIVE, value.function, frame.scope, ()))
        return UNKNOWN
    member = get_attribute(frame, owner, function)
    if member.function is not None or member.made is not None:
        return _call_value(frame, node, replace(member, dotted=None))
    return _object_method(frame, node, owner, name, function)


def _object_method(
    frame: "Frame", node: cst.Call, owner: Value, name: str, function: cst.Attribute
) -> Value:
    given, named, _ = _arguments(frame, node.args)
    cls = owner.cls()
    if name in SHALLOW_METHODS and (cls is None or cls.method(name) is None):
        return _shallow(frame, owner, named)
    container = owner.type is Shape.CONTAINER or (cls is not None and _is_container(cls))
    if name in CONTAINER_MUTATORS and (cls is None or (container and cls.method(name) is None)):
        literal = any(isinstance(argument.value, cst.Dict) for argument in node.args)
        if container or name in SURE_MUTATORS or (name == "update" and literal):
            stored = join([*given, *named.values()]) if given or named else PLAIN
            frame.write_item(owner, stored, node, function.value, sure=True)
            if name in ELEMENT_METHODS:
                return frame.element(owner)
            return PLAIN
    if name in ELEMENT_METHODS and cls is None:
        element = frame.element(owner)
        frame.read(element)
        return element if name != "items" else holding(element)
    frame.read(owner, *_variable(function.value))
    if owner.type is Shape.ARRAY:
        made = replace(computed(owner, *given, *named.values()), type=Shape.ARRAY)
        return frame.computes(made)
    return _passed_on(frame, owner, given, named, is_method=True)


def _is_container(cls: ModelClass) -> bool:
    """Whether a class is a subclass of list, dict or the like."""
    return any(
        isinstance(item, Imported) and item.dotted in CONTAINER_FACTORIES
        for here in cls.lineage
        for base in here.bases
        for item in base
    )


def _variable(node: cst.BaseExpression) -> tuple[str, ...]:
    return (node.value,) if isinstance(node, cst.Name) else ()


def _shallow(frame: "Frame", owner: Value, named: Mapping[str, Value]) -> Value:
    """A copy that shares the members of an object, but for those that are given."""
    added = frozenset[Place]().union(*(value.out for value in named.values()))
    frame.read(owner)
    return Value(
        holds=owner.holds | added,
        copied=frame.copy_of(owner, shallow=True),
        copies=owner.places | owner.copies,
        members={**owner.members, **named},
        depends=computed(owner, *named.values()).depends,
        type=owner.type,
        element=owner.element,
    )


def is_super(node: cst.BaseExpression) -> bool:
    """Whether an expression is a call of super."""
    return isinstance(node, cst.Call) and is_name(node.func, "super")


def _super_call(frame: "Frame", node: cst.Call, name: str) -> Value:
    given, named, _ = _arguments(frame, node.args)
    cls = frame.ref.cls
    if cls is None or not frame.parameters:
        return UNKNOWN
    own = frame.env.get(frame.parameters[0].name, UNKNOWN)
    if name == "__setattr__" and len(node.args) == 2:
        key = string_value(node.args[0].value) or ANY
        set_attribute(frame, own, key, given[1], node, node, bypass=True)
        return PLAIN
    for parent in cls.lineage[1:]:
        method = parent.methods.get(name)
        if method is not None:
            ref = frame.flow.function(method, parent.scope, parent.piece, parent)
            return apply(frame, replace(ref, bound=(own,), is_method=True), given, named)
    frame.read(own)
    return replace(holding(own, *given, *named.values()), certain=False)


def _raw_setattr(frame: "Frame", node: cst.Call, function: cst.Attribute) -> Value:
    given = positional(tuple(node.args))
    if len(given) == 3:
        owner = frame.base(given[0])
        value = frame.evaluate(given[2])
        key = string_value(given[1]) or ANY
        set_attribute(frame, owner, key, value, node, node, bypass=True)
    elif len(given) == 2:
        owner = frame.base(function.value)
        value = frame.evaluate(given[1])
        key = string_value(given[0]) or ANY
        set_attribute(frame, owner, key, value, node, node, bypass=True)
    return PLAIN


def _dict_write(frame: "Frame", node: cst.Call, owner: Value, name: str) -> Value:
    given, named, _ = _arguments(frame, node.args)
    keys = [string_value(item) for item in positional(tuple(node.args))[:1]]
    for key, value in named.items():
        set_attribute(frame, owner, key, value, node, node, bypass=True)
    if name == "update" and given:
        set_attribute(frame, owner, ANY, given[0], node, node, bypass=True)
    elif name != "update" and keys:
        value = given[1] if len(given) > 1 else PLAIN
        set_attribute(frame, owner, keys[0] or ANY, value, node, node, bypass=True)
    return UNKNOWN


def _unbound_mutator(frame: "Frame", node: cst.Call, name: str) -> Value:
    """``list.append(items, value)``."""
    given = positional(tuple(node.args))
    if not given:
        return UNKNOWN
    owner = frame.base(given[0])
    values = [frame.evaluate(item) for item in given[1:]]
    if name in CONTAINER_MUTATORS:
        frame.write_item(owner, join(values) if values else PLAIN, node, given[0], sure=True)
    return UNKNOWN


def _known_call(frame: "Frame", node: cst.Call, dotted: str) -> Value:
    """A call of something of another module, or of a builtin."""
    transform = TRANSFORMS.get(dotted)
    if transform is not None:
        return _transform(frame, node, transform)
    if dotted in KERNELS:
        for argument in node.args:
            value = frame.evaluate(argument.value)
            if value.function is not None:
                frame.flow.kernels.add(value.function.node)
        return UNKNOWN
    if dotted in {"functools.partial", "jax.tree_util.Partial"}:
        return _partial(frame, node)
    if dotted in ALWAYS_STATIC:
        for argument in node.args:
            frame.base(argument.value)
        return PLAIN
    special = _BUILTINS.get(dotted)
    if special is not None:
        found = special(frame, node)
        if found is not None:
            return found
    given, named, _ = _arguments(frame, node.args)
    values = (*given, *named.values())
    if dotted in SHALLOW_COPIES and given:
        return _shallow(frame, given[0], named)
    if dotted in DEEP_COPIES or dotted in CONTAINER_COPIES:
        kind = Shape.CONTAINER if dotted in CONTAINER_COPIES else None
        source = given[-1] if given else UNKNOWN
        if dotted in DEEP_COPIES:
            source = next((item for item in given if item.cls() is not None), source)
            kept = source.type
        else:
            kept = kind
        if dotted in CONTAINER_COPIES:
            return replace(
                computed(*values),
                holds=source.holds,
                copied=frame.copy_of(source, shallow=True),
                type=kept,
                element=source.element,
                copies=source.places | source.copies,
                items=source.items,
                each=source.each,
                plain=False,
            )
        copied = frozenset(mark for item in values for mark in frame.copy_of(item, shallow=False))
        return replace(computed(*values), copied=copied, type=kept, plain=False)
    shape = frame.flow.imported_call(dotted)
    if dotted.startswith("builtins.") or dotted.rpartition(".")[0].startswith(ARRAY_PACKAGES):
        for value in values:
            if value.function is not None:
                _escape(frame, value.function)
        made = replace(computed(*values, shape=shape), plain=shape is None and _all_plain(values))
        return frame.computes(made)
    if shape is not None:
        return replace(holding(*values), type=shape, plain=False)
    return _passed_on(frame, UNKNOWN, given, named)


def _all_plain(values: Iterable[Value]) -> bool:
    return all(value.plain for value in values)


def _setattr(frame: "Frame", node: cst.Call) -> Value | None:
    given = positional(tuple(node.args))
    if len(given) != 3:
        return None
    owner = frame.base(given[0])
    value = frame.evaluate(given[2])
    key = string_value(given[1])
    if key is None:
        frame.evaluate(given[1])
    set_attribute(frame, owner, key or ANY, value, node, node)
    return PLAIN


def _delattr(frame: "Frame", node: cst.Call) -> Value | None:
    given = positional(tuple(node.args))
    if len(given) == 2 and (key := string_value(given[1])) is not None:
        set_attribute(frame, frame.base(given[0]), key, PLAIN, node, node)
        return PLAIN
    return None


def _getattr(frame: "Frame", node: cst.Call) -> Value | None:
    given = positional(tuple(node.args))
    key = string_value(given[1]) if len(given) > 1 else None
    if len(given) < 2 or (key is not None and not key.isidentifier()):
        return None
    owner = frame.base(given[0])
    if key is None:
        frame.evaluate(given[1])
        places = frozenset(place.member(ANY) for place in owner.places | owner.copies)
        value = Value(places=places, certain=owner.certain, depends=owner.depends)
    else:
        value = get_attribute(frame, owner, cst.Attribute(given[0], cst.Name(key)))
    frame.read(value)
    frame.read_places(place.member(key or ANY) for place in owner.places | owner.copies)
    if len(given) > 2:
        value = join([value, frame.evaluate(given[2])])
    return value


def _next(frame: "Frame", node: cst.Call) -> Value | None:
    given = positional(tuple(node.args))
    return iterated(frame, given[0]) if given else None


def _map(frame: "Frame", node: cst.Call) -> Value | None:
    given = positional(tuple(node.args))
    if len(given) < 2:
        return None
    function = frame.evaluate(given[0])
    elements = tuple(iterated(frame, item) for item in given[1:])
    if function.function is None:
        return None
    return replace(holding(apply(frame, function.function, elements, {})), type=Shape.CONTAINER)


_BUILTINS: Mapping[str, Callable[["Frame", cst.Call], Value | None]] = {
    "builtins.setattr": _setattr,
    "builtins.delattr": _delattr,
    "builtins.getattr": _getattr,
    "builtins.next": _next,
    "builtins.map": _map,
}


def _partial(frame: "Frame", node: cst.Call) -> Value:
    given, named, _ = _arguments(frame, node.args)
    if not given:
        return UNKNOWN
    function, *rest = given
    if function.function is not None:
        ref = function.function
        bound = replace(ref, bound=(*ref.bound, *rest), keywords={**ref.keywords, **named})
        return replace(function, function=bound)
    return replace(holding(*given, *named.values()), certain=False)


# Transforms


def _transform(
    frame: "Frame", node: cst.Call, transform: Transform, before: tuple[cst.Arg, ...] = ()
) -> Value:
    """A call of a transform: its callables are traced."""
    arguments = (*before, *node.args)
    given = positional(arguments)
    nodes: list[cst.BaseExpression] = []
    for index, position in enumerate(transform.callables):
        names = transform.keywords if len(transform.callables) == 1 else ()
        names = names or transform.keywords[index : index + 1]
        if position < len(given):
            nodes.append(given[position])
        else:
            named = (keyword(arguments, name) for name in names)
            nodes += [item for item in named if item is not None]
    others = [argument for argument in arguments if argument.value not in nodes]
    operands, options, _ = _arguments(frame, others)
    refs: list[FunctionRef] = []
    for item in nodes:
        elements = item.elements if isinstance(item, cst.List | cst.Tuple) else ()
        for part in [element.value for element in elements] or [item]:
            value = frame.evaluate(part)
            ref = value.function or callable_object(frame, value)
            if ref is not None:
                refs.append(ref)
    if not transform.traces:
        return UNKNOWN
    made = [traced(transform, ref, frame.scope, arguments) for ref in refs]
    for trace in made:
        start(frame, trace)
    if transform.curried and len(made) == 1:
        ref = refs[0]
        return Value(function=replace(ref, trace=made[0]), plain=True)
    if not refs:
        return replace(holding(*operands, *options.values()), certain=False)
    return replace(holding(*operands, *options.values()), plain=False)


def start(frame: "Frame", trace: Trace) -> None:
    """Note a trace that starts here, and what it does to the objects around it."""
    frame.flow.traces.append(trace)
    frame.called.add(trace.function.node)
    summary = frame.flow.summary(trace.function)
    frame.order += 1
    for write in summary.writes:
        root = write.place.root
        if root.owner is None or root.owner is trace.function.node:
            continue
        if write.form is Form.CACHE and write.place in frame.filled:
            continue
        outermost = trace if trace.transform.curried else write.trace or trace
        inner = replace(write, trace=outermost)
        if root.owner is not frame.node:
            frame.adopt(inner, [write.place])
            continue
        target = _follow(frame, frame.lookup(cst.Name(root.name)), write.target.path)
        step = write.place.path[-1:] if write.place.path else ()
        places = [place.member(step[0]) if step else place for place in target.places]
        if write.form is Form.CACHE and not frame.filled.isdisjoint(places):
            continue
        if target.certain and places:
            frame.adopt(inner, places)
        elif not target.places:
            frame.adopt(replace(inner, foreign=not target.certain), [write.place])


def _follow(frame: "Frame", value: Value, path: Iterable[str]) -> Value:
    for step in path:
        if step.startswith("["):
            index = step[1:-1]
            value = frame.element(value, int(index) if index.isdecimal() else None)
        else:
            value = frame.member(value, step.lstrip("!"))
    return value


def apply(
    frame: "Frame",
    ref: FunctionRef,
    given: tuple[Value, ...],
    named: Mapping[str, Value],
    here: Here | None = None,
    node: cst.CSTNode | None = None,
) -> Value:
    """Apply a function's summary to arguments."""
    given = (*ref.bound, *given)
    named = {**ref.keywords, **named}
    values = (*given, *named.values())
    frame.called.add(ref.node)
    if ref.trace is not None:
        frame.makes_arrays = frame.makes_arrays or not frame.compile_time
        return replace(holding(*values), plain=False)
    summary = frame.flow.summary(ref)
    if summary.makes_arrays and not frame.compile_time:
        frame.makes_arrays = True
        cls = ref.bound[0].cls() if ref.is_method else ref.cls
        pytree = any(cls in item.lineage for item in frame.model.pytrees)
        if ref.cached and node is not None and summary.result.function is None and not pytree:
            frame.call_cached(ref, node)
    bound = _bind(summary, given, named)
    frame.order += 1
    for value in values:
        if value.function is not None:
            _escape(frame, value.function)
    for item, direct in summary.reads:
        frame.read_places(_translated(frame, ref, item, bound), direct)
    frame.order += 1
    for write in summary.writes:
        if frame.compile_time and write.form in (Form.CACHE, Form.CALL):
            continue
        if here is not None:
            write = replace(write, node=here.node, piece=here.piece, text=here.text)
        _adopt(frame, ref, write, bound)
    frame.order += 1
    return _result(frame, ref, summary.result, bound)


def _bind(
    summary: "Summary", given: tuple[Value, ...], named: Mapping[str, Value]
) -> dict[str, Value]:
    bound: dict[str, Value] = {}
    rest = list(given)
    left = dict(named)
    for parameter in summary.parameters:
        if parameter.star == "*":
            bound[parameter.name] = replace(holding(*rest), items=tuple(rest))
            rest = []
        elif parameter.star == "**":
            bound[parameter.name] = holding(*left.values())
        elif parameter.name in left:
            bound[parameter.name] = left.pop(parameter.name)
        elif rest and not parameter.keyword_only:
            bound[parameter.name] = rest.pop(0)
        else:
            bound[parameter.name] = UNKNOWN
    return bound


def _adopt(frame: "Frame", ref: FunctionRef, write: Write, bound: Mapping[str, Value]) -> None:
    root = write.place.root
    via = (ref.name, *write.via)
    if root.owner is ref.node:
        if root.name not in bound:
            return
        value = bound[root.name]
    elif root.owner is frame.node and root.owner is not None:
        if write.form is Form.NAME:
            frame.env.pop(root.name, None)
            return
        value = frame.lookup(cst.Name(root.name))
    else:
        frame.adopt(replace(write, via=via), [write.place])
        return
    target = _follow(frame, value, write.target.path)
    if write.form is Form.ATTRIBUTE and write.cls is None and not write.raw:
        refusal = frame.refuses(target, write.place.path[-1], deleting=False)
        if refusal is not None:
            if not frame.guarded:
                found = (write.piece, write.text, *refusal)
                frame.flow.frozen_writes.setdefault(write.node, found)
            return
    if not target.certain:
        return
    depends = frozenset(
        item
        for one in write.depends
        for item in (
            bound[one.name].depends
            if one.owner is ref.node and one.name in bound
            else frozenset({one})
        )
    )
    step = write.place.path[-1:] if write.place.path else ()
    places = [place.member(step[0]) if step else place for place in target.places]
    form = write.form
    if form in (Form.UNKNOWN_ITEM, Form.ARRAY):
        if target.type is Shape.ARRAY:
            form, places = Form.ARRAY, places or [ARRAYS]
        elif form is Form.UNKNOWN_ITEM and target.type is Shape.CONTAINER:
            form = Form.ITEM
    frame.adopt(replace(write, form=form, via=via, depends=depends), places)


def _translated(
    frame: "Frame", ref: FunctionRef, place: Place, bound: Mapping[str, Value]
) -> Iterable[Place]:
    root = place.root
    if root.owner is ref.node:
        value = bound.get(root.name)
        return () if value is None else _extended(value, place.path)
    if root.owner is frame.node and root.owner is not None:
        return (place, *_extended(frame.lookup(cst.Name(root.name)), place.path))
    return (place,)


def _extended(value: Value, path: tuple[str, ...]) -> Iterable[Place]:
    """The places that a path from a value leads to, or that come out with it."""
    if path and value.items is not None and path[0][1:-1].isdecimal():
        index = int(path[0][1:-1])
        if index < len(value.items):
            return _extended(value.items[index], path[1:])
    if path and path[0] in value.members:
        return _extended(value.members[path[0]], path[1:])
    bases = value.places | value.copies if path else value.places
    found = set(value.holds)
    for base in bases:
        here = base
        for step in path:
            here = here.member(step)
        found.add(here)
    return found


def _result(frame: "Frame", ref: FunctionRef, result: Value, bound: Mapping[str, Value]) -> Value:
    def moved(places: Iterable[Place]) -> frozenset[Place]:
        return frozenset(item for place in places for item in _translated(frame, ref, place, bound))

    depends = frozenset(
        item
        for one in result.depends
        for item in (
            bound[one.name].depends
            if one.owner is ref.node and one.name in bound
            else frozenset({one})
        )
    )
    places = moved(result.places)
    items = None
    if result.items is not None:
        items = tuple(_result(frame, ref, item, bound) for item in result.items)
    function = result.function
    if function is not None and function.bound:
        function = None
    copied = frozenset(
        Copied(place, frame.order, mark.shallow)
        for mark in result.copied
        for place in _translated(frame, ref, mark.place, bound)
    )
    return replace(
        result,
        copied=copied,
        each=None,
        places=places,
        certain=result.certain and bool(places) == bool(result.places),
        holds=moved(result.holds),
        copies=moved(result.copies),
        depends=depends,
        members={},
        items=items,
        function=function,
    )
