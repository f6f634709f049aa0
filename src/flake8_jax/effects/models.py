"""Models of library functions: what a call of each does, in a registry by dotted name.

A model gets the frame, the call and the values of its arguments. To teach the interpreter a
function, write one below, or add the function to a table in ``knowledge``.
"""

import sys
from collections.abc import Callable
from typing import TypeAlias

from flake8_jax.classes.walks import last_name
from flake8_jax.effects.attributes import class_of, read_attribute, read_some_attribute
from flake8_jax.effects.binding import Arguments
from flake8_jax.effects.callees import (
    ClassRef,
    Configured,
    External,
    FunctionRef,
    Inherited,
    Method,
    Partial,
    Record,
)
from flake8_jax.effects.conditions import IDLE, SILENT, Tells, elements_tell
from flake8_jax.effects.frame import Frame
from flake8_jax.effects.iteration import VALUES, copied, element_of, pair, together, view
from flake8_jax.effects.memos import cached
from flake8_jax.effects.narrowing import of_classes
from flake8_jax.effects.openness import opened
from flake8_jax.effects.paths import Field, Index, Some
from flake8_jax.effects.subscripts import (
    ATTRIBUTES,
    CONTEXT,
    EAGER_CONTEXT,
    GLOBALS,
    REFERENCE,
    is_array,
    is_container,
    is_number,
    read_item,
)
from flake8_jax.effects.traces import new_from
from flake8_jax.effects.values import (
    PLAIN,
    UNKNOWN,
    Callee,
    Contents,
    Origin,
    Snapshot,
    Value,
    derived,
    doubtful,
    fresh_with,
    join,
    join_origins,
    no_tracer,
    number,
    truth,
)
from flake8_jax.knowledge.caches import FUNCTION_CACHES
from flake8_jax.knowledge.objects import (
    ARRAY_MAKERS,
    ARRAY_PACKAGES,
    CALLED_LAYERS,
    CONTAINER_COPIES,
    CONVERSIONS,
    DEEP_COPIES,
    HANDLERS,
    HANDS_OVER,
    KEEPS_SIGNATURE,
    LIST_MAKERS,
    NEVER_TRACED,
    PASSES_THROUGH,
    PER_THREAD,
    PUTS_ON_DEVICE,
    REFERENCES,
    SAMPLES,
    SHALLOW_COPIES,
    SIZES,
    TAKES_TO_HOST,
)
from flake8_jax.knowledge.pytrees import BASE_FACTORIES
from flake8_jax.knowledge.transforms import transform_named
from flake8_jax.knowledge.values import (
    ALWAYS_STATIC,
    DTYPES,
    FUNCTION_MAKERS,
    PYTHON_BUILTINS,
    PYTHON_PACKAGES,
    TREE_BUILTINS,
)
from flake8_jax.lowering.program import Call, Const, Expr, New, Shape
from flake8_jax.lowering.stores import FUNCTIONS

Model: TypeAlias = Callable[[Frame, Call, Arguments[Value]], Value]
MODELS: dict[str, Model] = {}
_LEAVES_AS_IT_IS = "functools.update_wrapper"
"""What hands out its first argument."""


def models(*dotted: str) -> Callable[[Model], Model]:
    """Register a model of some functions."""

    def register(model: Model) -> Model:
        MODELS.update(dict.fromkeys(dotted, model))
        return model

    return register


def model_of(dotted: str) -> Model | None:
    """The model of a library function: its own, or that of the table that lists it."""
    own = MODELS.get(dotted)
    if own is not None:
        return own
    for listed, model in _LISTED:
        if dotted in listed:
            return model
    for beginnings, model in _PACKAGES:
        if dotted.startswith(beginnings):
            return model
    if dotted in FUNCTIONS or dotted.startswith("builtins.") or not is_of_python(dotted):
        return None
    return _held


def _everything(arguments: Arguments[Value]) -> list[Value]:
    return [
        *arguments.positional,
        *arguments.named.values(),
        *arguments.spread,
        *arguments.spread_named,
    ]


@models("functools.partial", "jax.tree_util.Partial")
def _partial(_: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    if not arguments.positional:
        return UNKNOWN
    function, *bound = arguments.positional
    if len(function.callees) == 1 and not bound and isinstance(function.callees[0], External):
        options = configured(function.callees[0].dotted, node)
        if options is not None:
            return options
    named = tuple(sorted(arguments.named.items()))
    callees = tuple(
        Partial(
            item,
            tuple(bound),
            named,
            spread=arguments.spread,
            spread_named=arguments.spread_named,
        )
        for item in function.callees
    )
    reaches = fresh_with(_everything(arguments)).contents
    return Value(origin=PLAIN.origin, contents=reaches, callees=callees)


def configured(dotted: str, node: Call) -> Value | None:
    """A transform that a call gives nothing but options; None for anything else."""
    transform = transform_named(dotted)
    options = [(name, value) for name, value in node.keywords if name is not None]
    if transform is None or any(name in transform.keywords for name, _ in options):
        return None
    return Value(origin=PLAIN.origin, callees=(Configured(dotted, tuple(options)),))


@models(*FUNCTION_CACHES)
def _function_cache(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    """A cached function; without one, a decorator that caches."""
    size = dict(node.keywords).get("maxsize", node.args[0] if node.args else None)
    keeps_nothing = isinstance(size, Const) and size.value == 0
    given = arguments.positional[0] if arguments.positional else None
    if given is None or not given.callees:
        decorator = External(_LEAVES_AS_IT_IS if keeps_nothing else "functools.cache")
        return Value(origin=PLAIN.origin, callees=(decorator,))
    callees = tuple(cached(frame, item) for item in given.callees)
    return Value(origin=PLAIN.origin, callees=callees)


@models("builtins.getattr")
def _getattr(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    name = node.args[1] if len(node.args) > 1 else None
    if isinstance(name, Const) and isinstance(name.value, str):
        found = read_attribute(frame, arguments.positional[0], name.value, node.span)
        default = arguments.positional[2:3]
        return join((found, *default)) if default else found
    owner, *others = arguments.positional[:1] + arguments.positional[2:] or (UNKNOWN,)
    return join((read_some_attribute(frame, owner), *others))


@models("functools.wraps", "jax.named_scope")
def _decorator(_: Frame, __: Call, ___: Arguments[Value]) -> Value:
    return Value(origin=PLAIN.origin, callees=(External(_LEAVES_AS_IT_IS),))


@models("dataclasses.make_dataclass")
def _class(_: Frame, __: Call, ___: Arguments[Value]) -> Value:
    """A class whose instances hold what they are given."""
    return Value(origin=PLAIN.origin, callees=(External("dataclasses.a class of somebody"),))


def _named_tuple(factory: str) -> Model:
    """The model of a function that makes classes of named tuples."""

    def make(_: Frame, node: Call, __: Arguments[Value]) -> Value:
        fields = _fields(node.args[1]) if len(node.args) == 2 else ()
        dotted = f"{factory}(...)"
        made = Record(dotted, fields) if fields else External(dotted)
        return Value(origin=PLAIN.origin, callees=(made,))

    return make


def _fields(node: Expr) -> tuple[str, ...]:
    """The names of fields that are written down: ``"x y"``, ``["x", "y"]``, ``[("x", int)]``."""
    match node:
        case Const(value=str() as text):
            return tuple(text.replace(",", " ").split())
        case New(parts=parts):
            firsts = [item.parts[0] if isinstance(item, New) else item for item in parts]
            names = [item.value for item in firsts if isinstance(item, Const)]
            known = tuple(name for name in names if isinstance(name, str))
            return known if len(known) == len(parts) else ()
    return ()


MODELS.update((name, _named_tuple(name)) for name in BASE_FACTORIES)


@models(*REFERENCES)
def _reference(frame: Frame, node: Call, _: Arguments[Value]) -> Value:
    path = frame.fresh(node, "reference")
    return Value(frozenset({path}), types=frozenset({REFERENCE}), origin=Origin(staged=True))


@models(*PER_THREAD)
def _per_thread(frame: Frame, node: Call, _: Arguments[Value]) -> Value:
    """What holds the state of contexts, which are opened and closed by others."""
    path = frame.fresh(node, "context")
    return Value(frozenset({path}), origin=PLAIN.origin, types=frozenset({CONTEXT}))


@models("builtins.globals")
def _global_names(_: Frame, __: Call, ___: Arguments[Value]) -> Value:
    return Value(exact=False, types=frozenset({GLOBALS}))


@models(*SAMPLES)
def _sampled(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    """What a probabilistic model draws; what was observed is given back as it is."""
    drawn = _staged(frame, node, arguments)
    if arguments.is_spread_named:
        return UNKNOWN
    observed = arguments.named.get("obs")
    if observed is None:
        return drawn
    return observed.with_origin(doubtful(observed.origin)).inexact()


@models(*HANDLERS)
def _handler(_: Frame, __: Call, arguments: Arguments[Value]) -> Value:
    """A model that is run in another way, or a context in which one is."""
    given = (*arguments.positional[:1], arguments.named.get("fn", UNKNOWN))
    return Value(origin=PLAIN.origin, callees=given[0].callees)


@models(EAGER_CONTEXT.dotted)
def _eager_context(_: Frame, __: Call, ___: Arguments[Value]) -> Value:
    return Value(origin=PLAIN.origin, types=frozenset({EAGER_CONTEXT}))


@models("builtins.vars")
def _vars(_: Frame, __: Call, arguments: Arguments[Value]) -> Value:
    if len(arguments.positional) != 1:
        return UNKNOWN
    itself = arguments.positional[0]
    return itself.with_types(itself.types | {ATTRIBUTES})


@models("typing.cast")
def _second(_: Frame, __: Call, arguments: Arguments[Value]) -> Value:
    return arguments.positional[1] if len(arguments.positional) > 1 else UNKNOWN


@models("builtins.reversed", "builtins.iter")
def _walked(_: Frame, __: Call, arguments: Arguments[Value]) -> Value:
    if not arguments.positional:
        return UNKNOWN
    source = arguments.positional[0]
    return source if source.types or not source.paths else view(source, VALUES)


@models("builtins.next")
def _next(frame: Frame, _: Call, arguments: Arguments[Value]) -> Value:
    if not arguments.positional:
        return UNKNOWN
    source, *default = arguments.positional
    return join((element_of(frame, source), *default))


@models("builtins.enumerate")
def _enumerated(_: Frame, __: Call, arguments: Arguments[Value]) -> Value:
    return together((PLAIN, *arguments.positional[:1]))


@models("builtins.zip")
def _zipped(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    if arguments.is_spread:
        return _held(frame, node, arguments)
    return together(arguments.positional)


@models("builtins.sorted", "builtins.list", "builtins.tuple")
def _same_elements(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    if not arguments.positional:
        return Value(frozenset({frame.fresh(node, "list")}), origin=PLAIN.origin)
    source = arguments.positional[0]
    element = element_of(frame, source)
    made = copied(frame, fresh_with((element,)), (source,), element)
    if element.paths or element.callees:
        made = made.with_contents(made.contents._replace(parts=((Some.INDEX, element),)))
    return made.with_tells(source.tells)


@models("builtins.dict")
def _dict(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    """A new dict, with the elements of another one and what is given by name."""
    path = frame.fresh(node, Shape.DICT.value)
    sources = (*arguments.positional[:1], *arguments.spread_named)
    elements = [_entry(frame, source) for source in arguments.positional[:1]]
    elements += arguments.spread_named
    if elements:
        frame.state.put(path.then(Some.INDEX), join(elements))
    for name, value in arguments.named.items():
        frame.state.put(path.then(Index(name)), value)
    made = fresh_with((*elements, *arguments.named.values()))
    if elements:
        made = copied(frame, made, sources, join(elements))
    return made._replace(paths=frozenset({path}), types=_DICT)


@models("collections.defaultdict")
def _default_dict(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    """A dict that knows how to make what is missing."""
    if len(arguments.positional) != 1 or arguments.named or arguments.is_spread_named:
        return _held(frame, node, arguments)
    path = frame.fresh(node, Shape.DICT.value)
    frame.state.put(path.then(FACTORY), arguments.positional[0])
    return Value(frozenset({path}), origin=PLAIN.origin, types=DEFAULT_DICT)


FACTORY = Field("default_factory")
"""The attribute of such a dict that makes what is missing."""
DEFAULT_DICT = frozenset({External("collections.defaultdict")})


def _entry(frame: Frame, source: Value) -> Value:
    """What a dict gets as a value of a mapping, or of pairs."""
    if source.types and not is_container(source):
        return read_item(frame, element_of(frame, source), Index(1))
    return read_item(frame, source, Some.INDEX)


_DICT = frozenset({External("builtins.dict")})


@models("builtins.isinstance")
def _isinstance(frame: Frame, _: Call, arguments: Arguments[Value]) -> Value:
    match arguments.positional:
        case (subject, classes):
            frame.use(subject.out)
            return PLAIN.with_tells(of_classes(subject, classes))
    return PLAIN


@models("jax.core.trace_state_clean", "jax._src.core.trace_state_clean")
def _is_idle(_: Frame, __: Call, ___: Arguments[Value]) -> Value:
    return PLAIN.with_tells(Tells(if_true=frozenset({IDLE})))


@models("jax.core.is_concrete", "jax._src.core.is_concrete")
def _is_concrete(_: Frame, __: Call, arguments: Arguments[Value]) -> Value:
    asked = number(join_origins(value.origin for value in _everything(arguments)))
    return PLAIN.with_tells(Tells(if_true=asked))


@models("builtins.any", "builtins.all", "jax.tree.all", "jax.tree_util.tree_all")
def _any_or_all(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    if len(arguments.positional) != 1:
        return PLAIN
    [given] = arguments.positional
    frame.use(given.out)
    told = given.tells
    items = given.contents.items
    if items is not None:
        told = elements_tell([truth(item) for item in items])
    if last_name(node.callee) == "any":
        return PLAIN.with_tells(Tells(if_false=told.if_no))
    return PLAIN.with_tells(Tells(if_true=told.if_every))


@models("builtins.sum")
def _sum(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    found = _computed(frame, node, arguments)
    told = arguments.positional[0].tells if arguments.positional else SILENT
    return found.with_tells(Tells(if_false=told.if_no))


@models("builtins.super")
def _super(frame: Frame, _: Call, arguments: Arguments[Value]) -> Value:
    """The object of a method, or what is given; of an unknown class nothing is known."""
    behind, names = frame.ref.owner, frame.ref.function.parameters
    itself = frame.state.env.get(names[0].name) if names else None
    if len(arguments.positional) == 2:
        classes, itself = arguments.positional
        found = [item for item in classes.callees if isinstance(item, ClassRef)]
        behind = found[0] if len(found) == 1 else None
    types = itself.types if itself is not None else frozenset()
    if itself is None or behind is None or not all(isinstance(t, ClassRef) for t in types):
        return UNKNOWN
    return itself.with_types(frozenset(Inherited(item, behind) for item in types))


@models("builtins.type")
def _type(_: Frame, __: Call, arguments: Arguments[Value]) -> Value:
    match arguments.positional:
        case (subject,):
            return class_of(subject)
    return PLAIN


@models(*CONVERSIONS)
def _converted(frame: Frame, _: Call, arguments: Arguments[Value]) -> Value:
    """A plain value; where a Tracer was given, JAX has raised."""
    values = _everything(arguments)
    for value in values:
        frame.use(value.out)
        frame.state.learn(number(value.origin))
    told = truth(values[0]) if len(values) == 1 else SILENT
    return PLAIN.with_tells(told)


@models("builtins.max", "builtins.min")
def _extreme(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    """One of several: they are compared, and of numbers no Tracer among them is left."""
    values = arguments.positional
    if len(values) == 1 and values[0].contents.items is not None:
        values = values[0].contents.items
    if len(values) > 1 and "key" not in arguments.named and all(map(_is_plain_number, values)):
        for value in values:
            certain = value.origin._replace(doubtful=False, sources=value.origin.certain)
            if certain.sources or not value.origin.doubtful:
                frame.state.learn(number(certain))
    return _held(frame, node, arguments)


def _is_plain_number(value: Value) -> bool:
    """Whether a value is a number or an array, as far as is known."""
    return not value.types or is_array(value) or is_number(value)


@models("builtins.range")
def _range(frame: Frame, _: Call, arguments: Arguments[Value]) -> Value:
    for value in _everything(arguments):
        frame.state.learn(number(value.origin))
    return PLAIN


@models("builtins.hash")
def _refused(frame: Frame, _: Call, arguments: Arguments[Value]) -> Value:
    """A plain value; no Tracer of whatever kind is taken."""
    for value in _everything(arguments):
        frame.use(value.out)
        if not value.origin.doubtful:
            frame.state.learn(no_tracer(value.origin) - {IDLE})
    return PLAIN


@models("builtins.len")
def _counted(frame: Frame, _: Call, arguments: Arguments[Value]) -> Value:
    for value in _everything(arguments):
        frame.count(value.out)
    return PLAIN


@models("builtins.print", "builtins.hasattr")
def _plain(frame: Frame, _: Call, arguments: Arguments[Value]) -> Value:
    for value in _everything(arguments):
        frame.use(value.out)
    return PLAIN


def _eager(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    """What numpy computes: it raises on a Tracer."""
    made = _refused(frame, node, arguments)
    sources = join_origins(value.origin for value in _everything(arguments)).sources
    return made.with_origin(made.origin._replace(sources=sources))


def _computed(frame: Frame, _: Call, arguments: Arguments[Value]) -> Value:
    values = _everything(arguments)
    for value in values:
        frame.use(value.out)
    return _called_back(frame, values, derived(values))


@models("jax.tree.leaves", "jax.tree_util.tree_leaves")
def _leaves(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    """A list of the leaves of a tree: arrays, which are traced if the tree is."""
    if not arguments.positional or "is_leaf" in arguments.named:
        return _held(frame, node, arguments)
    tree = arguments.positional[0]
    frame.use(tree.out)
    contents = Contents(tree.contents.reaches | tree.paths, snapshots=tree.contents.snapshots)
    return Value(origin=tree.origin, types=_LIST, contents=contents)


@models("jax.tree.leaves_with_path", "jax.tree_util.tree_leaves_with_path")
def _leaves_with_path(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    leaves = _leaves(frame, node, arguments)
    return together((PLAIN, leaves)) if leaves.types == _LIST else leaves


@models("jax.tree.flatten", "jax.tree_util.tree_flatten")
def _flattened(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    return pair(_leaves(frame, node, arguments), PLAIN)


@models("jax.tree.flatten_with_path", "jax.tree_util.tree_flatten_with_path")
def _flattened_with_path(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    return pair(_leaves_with_path(frame, node, arguments), PLAIN)


_LIST = frozenset({External("builtins.list")})


def _held(frame: Frame, _: Call, arguments: Arguments[Value]) -> Value:
    """What Python makes of values may hold them, or be one of them."""
    values = _everything(arguments)
    for value in values:
        frame.use(value.out)
    return _called_back(frame, values, fresh_with(values).inexact())


def _called_back(frame: Frame, values: list[Value], made: Value) -> Value:
    """What is made of values, and of what those give back that can be called."""
    if all(_is_python(frame, callee) for value in values for callee in value.callees):
        return made
    return made.with_origin(doubtful(made.origin._replace(concrete=False)))


def _is_python(frame: Frame, callee: Callee) -> bool:
    """Whether what a callable gives back is concrete if all that it gets is."""
    match callee:
        case External(dotted=dotted):
            return is_of_python(dotted)
        case Partial():
            return _is_python(frame, callee.callee)
        case FunctionRef():
            result = frame.asking.summary(callee, ()).result
            return result is None or not (result.origin.staged or result.origin.traced)
    return isinstance(callee, ClassRef | Method)


def is_of_python(dotted: str) -> bool:
    """Whether a function computes in Python or numpy alone."""
    top = dotted.partition(".")[0]
    return top in PYTHON_PACKAGES or top in sys.stdlib_module_names or top == "builtins"


def _function(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    """A function that a library makes, of which nothing is known but that."""
    values = _everything(arguments)
    frame.escape(values)
    made = External(f"a function, made by {last_name(node.callee)}")
    return Value(origin=PLAIN.origin, contents=fresh_with(values).contents, callees=(made,))


def _staged(frame: Frame, _: Call, arguments: Arguments[Value]) -> Value:
    frame.stages = True
    values = _everything(arguments)
    for value in values:
        frame.use(value.out)
    return frame.computed(values).with_types(_ARRAY)


def _sized(places: tuple[int, ...], names: tuple[str, ...]) -> Model:
    """The model of a function that makes an array of a size, for which it takes no Tracer."""

    def model(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
        given = arguments.positional
        sizes = [given[place] for place in places if place < len(given)]
        sizes += [arguments.named[name] for name in names if name in arguments.named]
        for value in sizes:
            frame.state.learn(number(value.origin))
        return _staged(frame, node, arguments)

    return model


MODELS.update((name, _sized(*sizes)) for name, sizes in SIZES.items())
_ARRAY = frozenset({External("jax.Array")})


def _staged_somehow(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    """Arrays, perhaps several."""
    return _staged(frame, node, arguments).with_types(frozenset())


@models(*PUTS_ON_DEVICE)
def _put(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    """The same tree, as arrays of jax."""
    frame.stages = True
    origin = frame.computed(arguments.positional[:1]).origin
    return _deep(frame, node, arguments).with_origin(origin)


def _several(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    """A list of arrays."""
    array = _staged(frame, node, arguments)
    path = frame.fresh(node, "list")
    frame.state.put(path.then(Some.INDEX), array)
    return Value(frozenset({path}), origin=array.origin, types=_LIST)


def _shallow(frame: Frame, _: Call, arguments: Arguments[Value]) -> Value:
    if not arguments.positional:
        return UNKNOWN
    return shallow_copy(frame, arguments.positional[0], arguments)


def shallow_copy(frame: Frame, source: Value, arguments: Arguments[Value]) -> Value:
    """A copy that shares the fields of its source, but for those that are given."""
    frame.use(source.out)
    added = fresh_with(arguments.named.values())
    snapshots = frozenset(Snapshot(path, True, frame.state.writes) for path in source.out)
    contents = Contents(
        added.contents.reaches | source.contents.reaches,
        source.paths | source.contents.shares,
        snapshots | source.contents.snapshots,
        parts=tuple((Field(name), value) for name, value in sorted(arguments.named.items())),
    )
    origin = derived((source, added)).origin
    return Value(origin=origin, types=source.types, contents=contents)


@models(*TAKES_TO_HOST)
def _on_host(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    """Arrays of numpy, whatever was given."""
    copied = _deep(frame, node, arguments)
    return copied.with_types(frozenset()) if is_array(copied) else copied


@models("copy.copy")
def _copied(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    return _thawed(frame, _shallow(frame, node, arguments))


@models("copy.deepcopy")
def _deeply_copied(frame: Frame, node: Call, arguments: Arguments[Value]) -> Value:
    return _thawed(frame, _deep(frame, node, arguments))


def _thawed(frame: Frame, copied: Value) -> Value:
    """A copy, which some libraries do not freeze."""
    return opened(copied) if any(frame.world.thaws(item) for item in copied.types) else copied


def _deep(frame: Frame, _: Call, arguments: Arguments[Value]) -> Value:
    values = [value for value in _everything(arguments) if not value.callees]
    for value in values:
        frame.use(value.out)
    copies = [new_from(frame, value) for value in values]
    return _called_back(frame, _everything(arguments), join(copies)) if copies else UNKNOWN


def _first(_: Frame, __: Call, arguments: Arguments[Value]) -> Value:
    return arguments.positional[0] if arguments.positional else UNKNOWN


_LISTED: tuple[tuple[frozenset[str], Model], ...] = (
    (ALWAYS_STATIC, _plain),
    (DTYPES, _staged),
    (CALLED_LAYERS, _staged),
    (LIST_MAKERS, _several),
    (SHALLOW_COPIES, _shallow),
    (DEEP_COPIES, _deep),
    (PASSES_THROUGH | KEEPS_SIGNATURE | {_LEAVES_AS_IT_IS}, _first),
    (CONTAINER_COPIES, _same_elements),
    (PYTHON_BUILTINS | HANDS_OVER, _computed),
    (FUNCTION_MAKERS, _function),
    (TREE_BUILTINS, _held),
)
EAGER_PACKAGES = ("numpy.", "scipy.")
_PACKAGES: tuple[tuple[tuple[str, ...], Model], ...] = (
    (("math.",), _converted),
    (EAGER_PACKAGES, _eager),
    (NEVER_TRACED, _plain),
    (ARRAY_MAKERS, _staged),
    (("jax.scipy.", "jax.image."), _staged_somehow),
    (ARRAY_PACKAGES, _computed),
)
