"""Calls: what is handed to whom, what comes back, what is copied, changed or traced."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import libcst as cst

from flake8_jax.flow.application import (
    apply,
    arguments,
    callable_object,
    carry_out_at_construction,
    each_of,
    escape,
    start,
)
from flake8_jax.flow.attributes import dict_owner, get_attribute, set_attribute
from flake8_jax.flow.builtin_calls import BUILTINS, dict_write, raw_setattr, unbound_mutator
from flake8_jax.flow.traces import names_of, traced
from flake8_jax.flow.types import made_by
from flake8_jax.flow.values import (
    ANY,
    ELEMENT,
    PLAIN,
    UNKNOWN,
    FunctionRef,
    Here,
    Invocation,
    Place,
    Root,
    Shape,
    Value,
    changed,
    computed,
    holding,
    join,
)
from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.objects import (
    ARITY,
    ARRAY_METHODS,
    ARRAY_PACKAGES,
    CALLS_AT_ONCE,
    CONTAINER_COPIES,
    CONTAINER_FACTORIES,
    CONTAINER_MUTATORS,
    DEEP_COPIES,
    ELEMENT_METHODS,
    EXPECTS_ERRORS,
    KEYED,
    LIST_MAKERS,
    NEVER_TRACED,
    PASSES_THROUGH,
    PUTS_ON_DEVICE,
    REMOVALS,
    SHALLOW_COPIES,
    SHALLOW_METHODS,
    TREE_MAPS,
)
from flake8_jax.knowledge.pytrees import Kind
from flake8_jax.knowledge.transforms import (
    DEFINES_RULES,
    KERNEL,
    KERNELS,
    RULE_OF_A_PRIMITIVE,
    TRANSFORMS,
    Transform,
)
from flake8_jax.knowledge.values import ALWAYS_STATIC
from flake8_jax.model import ModelClass
from flake8_jax.names import Applied, applied
from flake8_jax.scopes import Imported, Scope
from flake8_jax.syntax import is_name, keyword, last_part, positional, string_value

if TYPE_CHECKING:
    from flake8_jax.flow.state import State

_ITEM_METHODS = frozenset({"__delitem__", "__setitem__"})
_SOMEWHERE = Place(Root(None, ""))


def call(frame: "State", node: cst.Call) -> Value:
    """Follow a call."""
    if last_part(node.func) in EXPECTS_ERRORS:
        _expect_errors(frame, node)
    if (partial := _partial_transform(frame, node)) is not None:
        return partial
    if type(node.func) is cst.Attribute:
        return _method_call(frame, node, node.func)
    if type(node.func) is cst.Call:
        frame.immediate = node.func
    function = frame.base(node.func)
    return _call_value(frame, node, function)


def _expect_errors(frame: "State", node: cst.Call) -> None:
    """Note the functions in ``self.assertRaises(TypeError, function)``: they are to raise."""
    for argument in node.args:
        if isinstance(argument.value, cst.Lambda):
            frame.flow.expected_to_raise.add(argument.value)
        elif isinstance(argument.value, cst.Name):
            function = frame.lookup(argument.value).function
            if function is not None:
                frame.flow.expected_to_raise.add(function.node)


def _partial_transform(frame: "State", node: cst.Call) -> Value | None:
    """``partial(jax.jit, …)(f)`` and ``jax.jit(static_argnums=0)(f)``, by an alias or not."""
    func = node.func
    if type(func) is not cst.Call and type(func) is not cst.Name:
        return None
    if type(func) is cst.Name and func.value in frame.env:
        return None
    used = _applied(frame, func)
    transform = TRANSFORMS.get(used.names[0]) if len(used.names) == 1 else None
    if transform is None or not transform.curried or not used.arguments:
        return None
    if positional(used.arguments) or any(keyword(used.arguments, n) for n in transform.keywords):
        return None
    return _transform(frame, node, transform, used.arguments)


def _applied(frame: "State", node: cst.Call | cst.Name) -> Applied:
    """What an expression calls; for a name of the module this is found out once."""
    if not isinstance(node, cst.Name) or any(
        scope.bindings(node.value) for scope in _inner_scopes(frame.scope)
    ):
        return applied(node, frame.scope)
    file = frame.piece.file
    return file.analysed((_applied, node.value), lambda: applied(node, frame.scope.top))


def _inner_scopes(scope: Scope) -> Iterator[Scope]:
    here: Scope | None = scope
    while here is not None and here is not scope.top:
        yield here
        here = here.parent


def _call_value(frame: "State", node: cst.Call, function: Value) -> Value:
    if function.dotted is not None:
        return _known_call(frame, node, canonical(function.dotted))
    given, named = arguments(frame, node.args)
    if function.function is not None:
        if frame.guarded and function.function.scope.node is frame.node:
            frame.flow.expected_to_raise.add(function.function.node)
        return apply(frame, function.function, given, named, node=node)
    if function.made is not None:
        return _construct(frame, function.made, given, named)
    if (ref := callable_object(frame, function)) is not None:
        return apply(frame, ref, given, named, node=node)
    frame.share(node.args)
    frame.invoke(function, Invocation(_SOMEWHERE, node, given, named))
    return _passed_on(frame, function, given, named)


def _passed_on(
    frame: "State",
    function: Value,
    given: tuple[Value, ...],
    named: Mapping[str, Value],
    is_method: bool = False,
) -> Value:
    """What an unknown function may give back: anything that it was given."""
    values = (*given, *named.values())
    results = [escape(frame, value.function) for value in values if value.function is not None]
    owner = (function,) if is_method else ()
    wraps = bool(results) and not is_method and _all_plain(values)  # a function, as a rule
    return changed(holding(*values, *owner, *results), certain=False, plain=wraps)


def _construct(
    frame: "State",
    cls: ModelClass | Kind,
    given: tuple[Value, ...],
    named: Mapping[str, Value],
) -> Value:
    values = (*given, *named.values())
    init = cls.method("__init__") if isinstance(cls, ModelClass) else None
    if isinstance(cls, ModelClass) and init is not None:
        carry_out_at_construction(frame, frame.flow.method(cls, init), given, named)
    plain = isinstance(cls, ModelClass) and _all_plain(values) and _is_plainly_made(frame, cls)
    return changed(holding(*values), type=cls, members=dict(named), plain=plain)


def _is_plainly_made(frame: "State", cls: ModelClass) -> bool:
    """Whether a class of plain Python makes no arrays when it is given none."""
    if not cls.is_plain:
        return False
    init = cls.method("__init__")
    return init is None or not frame.flow.summary(frame.flow.method(cls, init)).makes_arrays


def _method_call(frame: "State", node: cst.Call, function: cst.Attribute) -> Value:
    name = function.attr.value
    if is_super(function.value):
        return _super_call(frame, node, name)
    if name == "__setattr__":
        return raw_setattr(frame, node, function)
    storage = dict_owner(frame, function.value)
    if storage is not None and name in {"update", "setdefault", "__setitem__", "pop"}:
        return dict_write(frame, node, storage, name)
    owner = frame.base(function.value)
    if owner.dotted is not None:
        if owner.dotted in {"builtins.list", "builtins.dict", "builtins.set"}:
            return unbound_mutator(frame, node, name)
        return _call_value(frame, node, frame.member(owner, name))
    if name in DEFINES_RULES:
        given, named = arguments(frame, node.args)
        for value in (*given, *named.values()):
            _define_rule(frame, value.function, node)
        return UNKNOWN
    member = get_attribute(frame, owner, function)
    if member.function is not None or member.made is not None:
        return _call_value(frame, node, changed(member, dotted=None))
    if (ref := callable_object(frame, member)) is not None:
        given, named = arguments(frame, node.args)
        return apply(frame, ref, given, named, node=node)
    return _object_method(frame, node, owner, name, function)


def _define_rule(frame: "State", function: FunctionRef | None, node: cst.CSTNode) -> None:
    """Trace the rule of a derivative."""
    if function is not None:
        rule = traced(RULE_OF_A_PRIMITIVE, function, frame.scope, ())
        start(frame, changed(rule, here=Here(node, frame.piece)))


def decorate(frame: "State", node: cst.BaseExpression, ref: FunctionRef) -> None:
    """Follow what a decorator of one's own does with a function, or the rule that it makes it."""
    decorator = frame.evaluate(node)
    function = Value(function=ref, plain=True)
    if isinstance(node, cst.Attribute) and node.attr.value in DEFINES_RULES:
        _define_rule(frame, ref, node)
    elif ref.trace is None and decorator.function is not None:
        if decorator.function.trace is None:
            apply(frame, decorator.function, (function,), {}, node=node)
    elif ref.trace is None and isinstance(decorator.made, ModelClass):
        _construct(frame, decorator.made, (function,), {})


def _object_method(
    frame: "State", node: cst.Call, owner: Value, name: str, function: cst.Attribute
) -> Value:
    given, named = arguments(frame, node.args)
    cls = owner.cls()
    if name in SHALLOW_METHODS and (cls is None or cls.method(name) is None):
        return _shallow(frame, owner, named)
    container = owner.type is Shape.CONTAINER or (cls is not None and _is_container(cls))
    if name in CONTAINER_MUTATORS and (cls is None or (container and cls.method(name) is None)):
        if name in REMOVALS and frame.finishing:
            frame.undone |= owner.places
        literal = any(isinstance(argument.value, cst.Dict) for argument in node.args)
        sure = ARITY.get(name) == len(given) and frame.used is not node
        sure = sure or name == "setdefault" or (name == "update" and literal)
        key = string_value(node.args[0].value) if name in KEYED and node.args else None
        sure = sure or (key is not None and frame.unpacked is not node) or name in _ITEM_METHODS
        if container or sure:
            stored = join([*given, *named.values()]) if given or named else PLAIN
            if name in REMOVALS:
                stored = PLAIN
            frame.write_item(owner, stored, node, function.value, sure=True, key=key)
            if name == "setdefault":
                places = frozenset(place.member(ELEMENT) for place in owner.places)
                kind = given[1].type if len(given) > 1 else None
                return Value(places=places, certain=owner.certain, type=kind)
            if name in ELEMENT_METHODS:
                return frame.element(owner)
            return PLAIN
    if name in ELEMENT_METHODS and cls is None:
        element = frame.element(owner)
        frame.read(element)
        return element if name != "items" else holding(element)
    frame.read(owner, *_variable(function.value))
    frame.read_node(function.value)
    if name == "keys" or isinstance(function.value, cst.BaseString):
        return PLAIN
    if owner.type is Shape.ARRAY:
        made = changed(computed(owner, *given, *named.values()), type=Shape.ARRAY)
        return frame.computes(made)
    if owner.plain and cls is None and _all_plain((*given, *named.values())):
        return computed(owner, *given, *named.values())
    if name in ARRAY_METHODS and cls is None and owner.type is None and owner.depends:
        return changed(computed(owner, *given, *named.values()), plain=False, numeric=True)
    frame.share(node.args)
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


def _shallow(frame: "State", owner: Value, named: Mapping[str, Value]) -> Value:
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


def _super_call(frame: "State", node: cst.Call, name: str) -> Value:
    given, named = arguments(frame, node.args)
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
            ref = frame.flow.method(parent, method)
            bound = changed(ref, bound=(own,), is_method=True)
            return apply(frame, bound, given, named, node=node)
    frame.read(own)
    return changed(holding(own, *given, *named.values()), certain=False)


def _known_call(frame: "State", node: cst.Call, dotted: str) -> Value:
    """A call of something of another module, or of a builtin."""
    transform = TRANSFORMS.get(dotted)
    if transform is not None:
        return _transform(frame, node, transform)
    if dotted in KERNELS:
        for argument in node.args:
            value = frame.evaluate(argument.value)
            if value.function is not None:
                frame.flow.kernels.add(value.function.node)
                trace = traced(KERNEL, value.function, frame.scope, ())
                start(frame, changed(trace, inside=True, here=Here(node, frame.piece)))
        return UNKNOWN
    if dotted in {"functools.partial", "jax.tree_util.Partial"}:
        return _partial(frame, node)
    if dotted in ALWAYS_STATIC:
        for argument in node.args:
            frame.base(argument.value)
        return PLAIN
    special = BUILTINS.get(dotted)
    if special is not None:
        found = special(frame, node)
        if found is not None:
            return found
    given, named = arguments(frame, node.args)
    values = (*given, *named.values())
    for value in values:
        if value.function is not None:
            escape(frame, value.function)
            if (
                dotted in CALLS_AT_ONCE and keyword(tuple(node.args), "is_leaf") is None
            ):  # else no arrays
                _call_with_elements(frame, node, value.function, values)
    if dotted in SHALLOW_COPIES and given:
        return _thawed(dotted, _shallow(frame, given[0], named))
    if dotted in {"jax.tree.flatten", "jax.tree_util.tree_flatten"}:
        return Value(items=(holding(*values), PLAIN))
    if given and (dotted in DEEP_COPIES or dotted in PASSES_THROUGH):
        made = _thawed(dotted, _rebuilt(frame, dotted, given, values))
        return frame.stages(changed(made, plain=False)) if dotted in PUTS_ON_DEVICE else made
    if dotted in CONTAINER_COPIES:
        source = given[0] if given else PLAIN
        return changed(
            computed(*values),
            holds=holding(*named.values()).holds | source.holds,
            copied=frame.copy_of(source, shallow=True),
            type=Shape.CONTAINER,
            element=source.element,
            copies=source.places | source.copies,
            items=source.items,
            each=source.each,
            plain=_all_plain(values),
        )
    shape = made_by(dotted)
    if dotted.startswith("builtins.") or dotted.rpartition(".")[0].startswith(ARRAY_PACKAGES):
        python = shape is None and (_all_plain(values) or dotted.startswith(NEVER_TRACED))
        made = changed(computed(*values, shape=shape), plain=python)
        if dotted in LIST_MAKERS:
            made = changed(made, element=Shape.ARRAY)
        return frame.computes(made)
    if shape is not None:
        plain = shape is Shape.CONTAINER and _all_plain(values)
        return changed(holding(*values), type=shape, plain=plain)
    if dotted.partition(".")[0] in sys.stdlib_module_names and _all_plain(values):
        return computed(*values)
    return _passed_on(frame, UNKNOWN, given, named)


def _call_with_elements(
    frame: "State", node: cst.Call, function: FunctionRef, values: tuple[Value, ...]
) -> None:
    """Apply a function to what may be anything in some values."""
    element = changed(UNKNOWN, depends=computed(*values).depends)
    for ref in each_of(function):
        free = len(names_of(ref.node)) - len(ref.bound)
        apply(frame, ref, (element,) * max(free, 0), {}, node=node)


def _thawed(dotted: str, value: Value) -> Value:
    """A copy; those that the copy module makes of some frozen objects are not frozen."""
    cls = value.cls()
    kind = cls.making.kind if cls is not None and cls.making is not None else value.type
    thaws = isinstance(kind, Kind) and kind.thaws and dotted in {"copy.copy", "copy.deepcopy"}
    return changed(value, type=None) if thaws else value


def _rebuilt(
    frame: "State", dotted: str, given: tuple[Value, ...], values: tuple[Value, ...]
) -> Value:
    """A tree that is built anew from those that are given."""
    if given[0].function is not None and frame.flow.summary(given[0].function).result.plain:
        return PLAIN
    if dotted in TREE_MAPS and len(values) == 2 and given[1:] and given[1].items is not None:
        pairs = ((given[0], item) for item in given[1].items)
        items = tuple(_rebuilt(frame, dotted, pair, pair) for pair in pairs)
        return changed(computed(*items), items=items, plain=False)
    source = given[0]
    if dotted in DEEP_COPIES:
        source = next((item for item in given if item.cls() is not None), given[-1])
    copied = frozenset(mark for item in values for mark in frame.copy_of(item, shallow=False))
    made = changed(computed(*values), copied=copied, type=source.type, plain=False)
    mapper = given[0].function
    stages = mapper is not None and frame.flow.summary(mapper).makes_arrays
    return frame.stages(made) if stages else made


def _all_plain(values: Iterable[Value]) -> bool:
    return all(value.plain for value in values)


def _partial(frame: "State", node: cst.Call) -> Value:
    given, named = arguments(frame, node.args)
    if not given:
        return UNKNOWN
    function, *rest = given
    if function.function is not None:
        first, *others = (
            changed(ref, bound=(*ref.bound, *rest), keywords={**ref.keywords, **named})
            for ref in each_of(function.function)
        )
        return changed(function, function=changed(first, overrides=tuple(others)))
    return changed(holding(*given, *named.values()), certain=False)


def _transform(
    frame: "State", node: cst.Call, transform: Transform, before: tuple[cst.Arg, ...] = ()
) -> Value:
    """A call of a transform: its callables are traced."""
    handed = (*before, *node.args)
    given = positional(handed)
    nodes: list[cst.BaseExpression] = []
    for index, position in enumerate(transform.callables):
        names = transform.keywords if len(transform.callables) == 1 else ()
        names = names or transform.keywords[index : index + 1]
        if position < len(given):
            nodes.append(given[position])
        else:
            named = (keyword(handed, name) for name in names)
            nodes += [item for item in named if item is not None]
    others = [argument for argument in handed if argument.value not in nodes]
    operands, options = arguments(frame, others)
    refs: list[FunctionRef] = []
    for item in nodes:
        elements = item.elements if isinstance(item, cst.List | cst.Tuple) else ()
        for part in [element.value for element in elements] or [item]:
            value = frame.evaluate(part)
            for one in value.items or (value.each or value,):
                ref = one.function or callable_object(frame, one)
                if ref is not None:
                    refs += each_of(ref)
                    if isinstance(part, cst.Call) and ref.trace in frame.flow.traces:
                        frame.flow.traces.remove(ref.trace)  # the outer transform decides
                elif transform.traces:
                    unknown = Invocation(_SOMEWHERE, node, (), {}, transform, handed, frame.scope)
                    frame.invoke(one, unknown)
    if not transform.traces:
        return UNKNOWN
    lasting = transform.curried and frame.immediate is not node
    made = [
        changed(
            traced(transform, ref, frame.scope, handed),
            lasting=lasting,
            operands=_operands(frame, transform, ref, given),
            here=Here(node, frame.piece),
        )
        for ref in refs
    ]
    for trace in made:
        start(frame, trace)
    if transform.curried and len(made) == 1:
        ref = refs[0]
        return Value(function=changed(ref, trace=made[0]), plain=True)
    if transform.describes:
        return PLAIN
    if not refs:
        return changed(holding(*operands, *options.values()), certain=False)
    results = [escape(frame, ref) for ref in refs]
    return frame.stages(changed(holding(*operands, *options.values(), *results), plain=False))


def _operands(
    frame: "State",
    transform: Transform,
    ref: FunctionRef,
    given: tuple[cst.BaseExpression, ...],
) -> dict[str, Value]:
    """What a transform that runs its callable at once gives to the callable's parameters."""
    names = names_of(ref.node)[len(ref.bound) :]
    pairs = zip(names, transform.operands, strict=False)
    return {
        name: frame.base(given[index])
        for name, index in pairs
        if index is not None and index < len(given)
    }
