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
    fill,
    start,
)
from flake8_jax.flow.attributes import dict_owner, get_attribute, set_attribute
from flake8_jax.flow.binding import constructs, fits, fitting, may_be_called, takes
from flake8_jax.flow.builtin_calls import (
    BUILTINS,
    converts,
    dict_write,
    is_bare,
    raw_setattr,
    unbound_mutator,
)
from flake8_jax.flow.guards import asked, by_name, numbered
from flake8_jax.flow.traces import name_at, names_of, static_positions, traced
from flake8_jax.flow.types import is_container, made_by
from flake8_jax.flow.values import (
    ANY,
    CONTAINERS,
    ELEMENT,
    NEVER,
    PLAIN,
    UNKNOWN,
    FunctionRef,
    Here,
    Invocation,
    Place,
    Root,
    Shape,
    Value,
    all_doubtful,
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
    ARRAY_REDUCTIONS,
    CALLS_AT_ONCE,
    CONTAINER_COPIES,
    CONTAINER_MUTATORS,
    CONVERTING_METHODS,
    DEEP_COPIES,
    ELEMENT_METHODS,
    EXPECTS_ERRORS,
    FLATTENS_WITH_PATHS,
    GIVES_TRACED,
    HANDS_OVER,
    KEYED,
    LIST_MAKERS,
    NEVER_TRACED,
    PASSES_THROUGH,
    PUTS_ON_DEVICE,
    REMOVALS,
    SHALLOW_COPIES,
    SHALLOW_METHODS,
    TAKES_TO_HOST,
    TREE_MAPS,
)
from flake8_jax.knowledge.pytrees import Kind
from flake8_jax.knowledge.transforms import (
    DEFINES_RULES,
    KERNEL,
    KERNELS,
    RULE_OF_A_PRIMITIVE,
    Transform,
    transform_named,
)
from flake8_jax.knowledge.values import FUNCTION_MAKERS, is_static_call
from flake8_jax.model import ModelClass
from flake8_jax.names import Applied, applied, refer
from flake8_jax.scopes import Scope, Valued
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
        frame.immediate = node
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
    transform = transform_named(used.names[0]) if len(used.names) == 1 else None
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
        return _applied_to(frame, function.function, node, given, named)
    if function.made is not None:
        return _constructed(frame, function.made, node, given, named)
    if (ref := callable_object(frame, function)) is not None:
        return _applied_to(frame, ref, node, given, named)
    frame.share(node.args)
    frame.invoke(function, Invocation(_SOMEWHERE, node, given, named))
    found = _passed_on(frame, function, given, named)
    return _answered(node, (*given, *named.values()), found)


def _applied_to(
    frame: "State",
    ref: FunctionRef,
    node: cst.Call,
    given: tuple[Value, ...],
    named: Mapping[str, Value],
) -> Value:
    """Apply a function to the arguments of a call; one that cannot get them does not run."""
    fit = fitting(ref, node.args)
    return apply(frame, fit, given, named, node=node) if fit is not None else NEVER


def _passed_on(
    frame: "State",
    function: Value,
    given: tuple[Value, ...],
    named: Mapping[str, Value],
    is_method: bool = False,
) -> Value:
    """What an unknown function may give back: anything that it was given."""
    values = (*given, *named.values())
    handed = [value.function for value in values if value.function is not None]
    frame.flow.escaped.update(item.node for item in handed)
    results = [escape(frame, item) for item in handed]
    owner = (function,) if is_method else ()
    wraps = bool(results) and not is_method and _all_plain(values)  # a function, as a rule
    made = changed(holding(*values, *owner, *results), certain=False, plain=wraps)
    return changed(made, doubtful=bool(made.depends))


def _constructed(
    frame: "State",
    cls: ModelClass | Kind,
    node: cst.Call,
    given: tuple[Value, ...],
    named: Mapping[str, Value],
) -> Value:
    init = cls.method("__init__") if isinstance(cls, ModelClass) else None
    if isinstance(cls, ModelClass) and init is not None:
        if not constructs(cls, frame.flow.method(cls, init), node.args):
            return NEVER
    return _construct(frame, cls, given, named, node)


def _construct(
    frame: "State",
    cls: ModelClass | Kind,
    given: tuple[Value, ...],
    named: Mapping[str, Value],
    node: cst.CSTNode,
) -> Value:
    values = (*given, *named.values())
    init = cls.method("__init__") if isinstance(cls, ModelClass) else None
    if isinstance(cls, ModelClass) and init is not None:
        carry_out_at_construction(frame, frame.flow.method(cls, init), given, named, node)
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
        return dict_write(frame, node, storage, function, name)
    owner = frame.base(function.value)
    if owner.dotted is not None:
        if owner.dotted in {"builtins.list", "builtins.dict", "builtins.set"}:
            return unbound_mutator(frame, node, name)
        return _call_value(frame, node, frame.member(owner, name))
    if name in DEFINES_RULES:
        given, named = arguments(frame, node.args)
        for index, value in enumerate((*given, *named.values())):
            forward = name == "defvjp" and not index
            _define_rule(frame, function.value, value.function, node, forward)
        return UNKNOWN
    member = get_attribute(frame, owner, function)
    if member.function is not None or member.made is not None:
        return _call_value(frame, node, changed(member, dotted=None))
    if (ref := callable_object(frame, member)) is not None:
        given, named = arguments(frame, node.args)
        return _applied_to(frame, ref, node, given, named)
    return _object_method(frame, node, owner, name, function)


def _define_rule(
    frame: "State",
    primal: cst.BaseExpression,
    function: FunctionRef | None,
    node: cst.CSTNode,
    forward: bool = False,
) -> None:
    """Trace the rule of a derivative.

    What is not differentiated arrives as it is: in its own place in a forward rule, and before all
    else in another one. Which arguments that are is known if the function is.
    """
    places = _nondifferentiated(frame, primal)
    if function is None or places is None:
        return
    places = places if forward else list(range(len(places)))
    same = {name for index in places if (name := name_at(function.node, index)) is not None}
    rule = traced(RULE_OF_A_PRIMITIVE, function, frame.scope, ())
    start(frame, changed(rule, same=rule.same | same, here=Here(node, frame.piece)))


def _nondifferentiated(frame: "State", primal: cst.BaseExpression) -> list[int] | None:
    """The positions of the arguments that a custom derivative hands on; None if it is not known."""
    function = frame.base(primal).function
    if function is not None and function.trace is not None:
        names = names_of(function.node)
        return [index for index, name in enumerate(names) if name in function.trace.same]
    found = [item.node for item in refer(primal, frame.scope) if isinstance(item, Valued)]
    if len(found) != 1 or not isinstance(found[0], cst.Call):
        return None
    return static_positions(tuple(found[0].args), "nondiff_argnums", frame.scope)


def decorate(frame: "State", node: cst.BaseExpression, ref: FunctionRef) -> None:
    """Follow what a decorator of one's own does with a function, or the rule that it makes it."""
    decorator = frame.evaluate(node)
    function = Value(function=ref, plain=True)
    if isinstance(node, cst.Attribute) and node.attr.value in DEFINES_RULES:
        _define_rule(frame, node.value, ref, node)
    elif ref.trace is None and decorator.function is not None:
        if decorator.function.trace is None:
            apply(frame, decorator.function, (function,), {}, node=node)
    elif ref.trace is None and isinstance(decorator.made, ModelClass):
        _construct(frame, decorator.made, (function,), {}, node)


def _object_method(
    frame: "State", node: cst.Call, owner: Value, name: str, function: cst.Attribute
) -> Value:
    given, named = arguments(frame, node.args)
    if owner.function is not None and owner.function.trace is not None:
        fill(frame, owner.function.trace)  # by ``.lower(…)`` and its like
    cls = owner.cls()
    if name in SHALLOW_METHODS and (cls is None or cls.method(name) is None):
        return _shallow(frame, owner, named)
    container = owner.type in CONTAINERS or (cls is not None and is_container(cls))
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
    if name in CONVERTING_METHODS and cls is None:
        frame.clear |= numbered(frame, owner)
        return PLAIN
    if owner.type is Shape.ARRAY:
        made = changed(computed(owner, *given, *named.values()), type=Shape.ARRAY)
        return frame.computes(made)
    if owner.plain and cls is None and _all_plain((*given, *named.values())):
        return computed(owner, *given, *named.values())
    if name in ARRAY_METHODS and cls is None and owner.type is None and owner.depends:
        return changed(computed(owner, *given, *named.values()), plain=False, numeric=True)
    frame.share(node.args)
    made = _passed_on(frame, owner, given, named, is_method=True)
    if name in ARRAY_REDUCTIONS and cls is None and not owner.doubtful:
        made = changed(made, doubtful=False)
    return _answered(node, (*given, *named.values()), made)


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
            if parent.is_instance_method(method) or parent.is_class_method(method):
                ref = changed(ref, bound=(own,), is_method=True)
            return _applied_to(frame, ref, node, given, named)
    frame.read(own)
    return changed(holding(own, *given, *named.values()), certain=False)


def _known_call(frame: "State", node: cst.Call, dotted: str) -> Value:
    """A call of something of another module, or of a builtin."""
    transform = transform_named(dotted)
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
    if dotted == "builtins.type" and len(node.args) == 1:
        cls = frame.base(node.args[0].value).cls()
        return Value(made=cls, plain=True)
    if (told := asked(frame, node, dotted)) is not None:
        return told
    if is_static_call(dotted):
        described = [frame.base(argument.value) for argument in node.args]
        if dotted == "builtins.hash":
            frame.make_numbers(*described)
        return PLAIN
    if converts(dotted):
        for value in arguments(frame, node.args)[0]:
            frame.clear |= numbered(frame, value)
        return PLAIN
    special = BUILTINS.get(dotted)
    if special is not None:
        found = special(frame, node)
        if found is not None:
            return found
    given, named = arguments(frame, node.args)
    values = (*given, *named.values())
    each = UNKNOWN
    for value in values:
        if value.function is not None:
            frame.flow.escaped.add(value.function.node)
            escape(frame, value.function)
            if (
                dotted in CALLS_AT_ONCE and keyword(tuple(node.args), "is_leaf") is None
            ):  # else no arrays
                each = _call_with_elements(frame, node, value.function, values)
    if dotted in SHALLOW_COPIES and given:
        return _thawed(dotted, _shallow(frame, given[0], named))
    if dotted in FLATTENS_WITH_PATHS:
        pair = Value(items=(PLAIN, holding(*values)))
        pairs = changed(holding(*values), type=Shape.CONTAINER, each=pair)
        return Value(items=(pairs, PLAIN))
    if dotted in {"jax.tree.flatten", "jax.tree_util.tree_flatten"}:
        return Value(items=(holding(*values), PLAIN))
    if given and (dotted in DEEP_COPIES or dotted in PASSES_THROUGH):
        made = _thawed(dotted, _rebuilt(frame, dotted, given, values))
        if dotted in TAKES_TO_HOST:
            kind = None if made.type is Shape.ARRAY else made.type
            return changed(made, type=kind, numeric=False, depends=frozenset())
        made = changed(made, each=each) if made.plain and dotted in TREE_MAPS else made
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
            doubtful=all_doubtful(values) or is_bare(source),
        )
    if dotted in FUNCTION_MAKERS and dotted.startswith(ARRAY_PACKAGES):
        return changed(holding(*values), plain=True)
    shape = made_by(dotted)
    if dotted.startswith("builtins.") or dotted.rpartition(".")[0].startswith(ARRAY_PACKAGES):
        eager = dotted.startswith(NEVER_TRACED) and dotted not in HANDS_OVER
        python = shape is None and (_all_plain(values) or eager)
        if eager:
            frame.make_numbers(*values)
        made = changed(computed(*values, shape=shape), plain=python)
        if dotted in LIST_MAKERS:
            made = changed(made, element=Shape.ARRAY)
        return frame.computes(made)
    if shape is not None:
        plain = shape in CONTAINERS and _all_plain(values)
        return changed(holding(*values), type=shape, plain=plain)
    if dotted.partition(".")[0] in sys.stdlib_module_names and _all_plain(values):
        return computed(*values)
    made = _passed_on(frame, UNKNOWN, given, named)
    if dotted.startswith(GIVES_TRACED):
        made = changed(made, doubtful=False)
    return _answered(node, values, made)


def _answered(node: cst.Call, values: Iterable[Value], value: Value) -> Value:
    """What a function that is not known gives, which its name may tell to ask about Tracers."""
    if_true, if_false = by_name(last_part(node.func), values)
    return changed(value, if_true=if_true, if_false=if_false) if if_true else value


def _call_with_elements(
    frame: "State", node: cst.Call, function: FunctionRef, values: tuple[Value, ...]
) -> Value:
    """Apply a function to what may be anything in some values."""
    element = changed(UNKNOWN, depends=computed(*values).depends)
    results = []
    for ref in each_of(function):
        free = len(names_of(ref.node)) - len(ref.bound)
        results.append(apply(frame, ref, (element,) * max(free, 0), {}, node=node))
    return join(results)


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
    if dotted in TREE_MAPS and given[0].dotted is not None:
        mapper_name = canonical(given[0].dotted)
        if converts(mapper_name) or is_static_call(mapper_name):
            return PLAIN
    if dotted in TREE_MAPS and len(values) == 2 and given[1:] and given[1].items is not None:
        pairs = ((given[0], item) for item in given[1].items)
        items = tuple(_rebuilt(frame, dotted, pair, pair) for pair in pairs)
        return changed(computed(*items), items=items, plain=False)
    if dotted in TREE_MAPS and given[0].dotted is not None:
        if is_static_call(canonical(given[0].dotted)):
            return PLAIN
    source = given[0]
    if dotted in DEEP_COPIES:
        source = next((item for item in given if item.cls() is not None), given[-1])
    copied = frozenset(mark for item in values for mark in frame.copy_of(item, shallow=False))
    made = changed(computed(*values), copied=copied, type=source.type, plain=False)
    mapper = given[0].function
    stages = mapper is not None and frame.flow.summary(mapper).makes_arrays
    known = (given[0].dotted or "").startswith(("jax.", "numpy."))
    unknown = dotted in TREE_MAPS and mapper is None and not known
    made = changed(made, doubtful=made.doubtful or unknown)
    return frame.stages(made) if stages else made


def _all_plain(values: Iterable[Value]) -> bool:
    return all(value.plain for value in values)


def _partial(frame: "State", node: cst.Call) -> Value:
    given, named = arguments(frame, node.args)
    if not given:
        return UNKNOWN
    function, *rest = given
    spread = any(argument.star for argument in node.args)
    if function.function is not None:
        first, *others = (
            changed(
                ref,
                bound=(*ref.bound, *rest),
                keywords={**ref.keywords, **named},
                is_spread=ref.is_spread or spread,
            )
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
                        if not ref.is_method or names_of(ref.node)[0] in ref.trace.same:
                            frame.flow.traces.remove(ref.trace)  # the outer transform decides
                elif transform.traces:
                    unknown = Invocation(_SOMEWHERE, node, (), {}, transform, handed, frame.scope)
                    frame.invoke(one, unknown)
    if not transform.traces:
        return UNKNOWN
    around = frame.immediate if frame.immediate and frame.immediate.func is node else None
    lasting = transform.curried and around is None
    refs = [ref for ref in refs if _may_trace(transform, ref, around)]
    direct = not before or applied(node.func, frame.scope, steps=1).names == (transform.name,)
    made = [
        changed(
            traced(transform, ref, frame.scope, handed),
            lasting=lasting,
            operands=_operands(frame, transform, ref, given),
            here=Here(node, frame.piece),
        )
        for ref in refs
    ]
    if not direct:  # what stands between may hand over something else
        made = [changed(trace, refuses=False) for trace in made]
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


def _may_trace(transform: Transform, ref: FunctionRef, around: cst.Call | None) -> bool:
    """Whether a transform, or the call of what it gives back, can hand a callable its arguments."""
    if transform.curried and around is not None:
        return fits(ref, around.args)
    if transform.operands:
        return takes(ref, len(transform.operands))
    return may_be_called(ref)


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
