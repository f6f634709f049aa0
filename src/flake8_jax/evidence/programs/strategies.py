"""Strategies: how hypothesis draws programs of the grammar, and shrinks them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from hypothesis import strategies as st

from flake8_jax.evidence.programs import kinds
from flake8_jax.evidence.programs.grammar import Block, Function, Line, Program, Statement
from flake8_jax.evidence.programs.kinds import PARTS, Kind, Result, Type, Way

_T = TypeVar("_T")
_OBJECTS = (Type.NODE, Type.INNER, Type.DICT, Type.LIST)


@dataclass(frozen=True)
class Variable:
    """A name, or a path, that a function can write to."""

    text: str
    type: Type
    own: bool = False
    """Whether it is a local name of the function, which may be bound anew."""


@dataclass(frozen=True)
class Callable_:
    """A function that can be called: of an object and an array, or of an array."""

    name: str
    takes: Type | None
    result: Result
    method: bool = False
    is_property: bool = False


@dataclass
class Scope:
    """What can be named at some point of a function."""

    kind: Kind
    variables: list[Variable]
    functions: list[Callable_] = field(default_factory=list)
    names: list[int] = field(default_factory=lambda: [0])
    depth: int = 0
    closed: bool = False
    """Whether it is that of a nested function, whose array is called ``w``."""

    def new(self, stem: str) -> str:
        self.names[0] += 1
        return f"{stem}{self.names[0]}"

    def inner(self, **changes: object) -> "Scope":
        copy = replace(self, variables=list(self.variables), functions=list(self.functions))
        copy.depth += 1
        for name, value in changes.items():
            setattr(copy, name, value)
        return copy

    def places(self, types: Sequence[Type]) -> list[Variable]:
        """What can be reached in at most two steps."""
        found, layer = [], self.variables
        for _ in range(3):
            found += [item for item in layer if item.type in types]
            layer = [
                Variable(item.text + step, part)
                for item in layer
                for step, part in PARTS[item.type].items()
            ]
        return found


def _line(form: str, **holes: str) -> Line:
    return Line(form, tuple(holes.items()))


def _pick(draw: st.DrawFn, items: Sequence[_T]) -> _T:
    return draw(st.sampled_from(items))


def _write(draw: st.DrawFn, scope: Scope) -> list[Statement]:
    place = _pick(draw, scope.places((*_OBJECTS, Type.PLAIN)))
    forms: Sequence[str]
    if place.type in (Type.DICT, Type.LIST):
        forms = kinds.CHANGE[place.type]
        if not (place.own or "." in place.text):
            forms = [form for form in forms if not form.startswith(("{p} +=", "{p} |="))]
    elif place.type is Type.PLAIN:
        forms = (*kinds.SET[:-1], *kinds.FORCE, *kinds.PLAIN_VALUES)
    elif scope.kind.frozen:
        forms = (*kinds.FORCE, *kinds.FORCE, *kinds.FORCE, *kinds.SET[:4])
    else:
        forms = (*kinds.SET[:-1], *kinds.FORCE)
    arrays = scope.places((Type.ARRAY,))
    if arrays and draw(st.integers(0, 30)) == 30:
        return [_line(kinds.CHANGE[Type.ARRAY][0], p=_pick(draw, arrays).text)]
    form = _pick(draw, forms)
    return [_line(form, p=place.text, a=_pick(draw, ("x", "y")), v="v")]


def _alias(draw: st.DrawFn, scope: Scope) -> list[Statement]:
    source = _pick(draw, scope.places(_OBJECTS))
    name = scope.new("t")
    form = _pick(draw, kinds.ALIASES)
    scope.variables.append(Variable(name, source.type, True))
    return [_line(form, t=name, p=source.text)]


def _copy(draw: st.DrawFn, scope: Scope) -> list[Statement]:
    source = _pick(draw, scope.places(_OBJECTS))
    forms = list(kinds.COPIES[source.type])
    if source.type in (Type.NODE, Type.INNER):
        forms.append("{t} = " + scope.kind.replaces)
    own = source.own and draw(st.booleans())
    name = source.text if own else scope.new("t")
    if not own:
        scope.variables.append(Variable(name, source.type, True))
    return [_line(_pick(draw, forms), t=name, p=source.text, v="v")]


def _read(draw: st.DrawFn, scope: Scope) -> list[Statement]:
    place = _pick(draw, scope.places((Type.ARRAY,)))
    return [_line(_pick(draw, kinds.READS), p=place.text)]


def _block(draw: st.DrawFn, scope: Scope) -> list[Statement]:
    head = _pick(draw, kinds.BLOCKS)
    place = _pick(draw, scope.places(_OBJECTS))
    test = _pick(draw, kinds.TESTS[:4]).format(p=place.text)
    body = _body(draw, scope.inner(), 2)
    tail = "finally:\n    pass" if head == "try:" else ""
    return [Block(_line(head, test=test), body, tail)]


def _loop(draw: st.DrawFn, scope: Scope) -> list[Statement]:
    source = _pick(draw, scope.places(_OBJECTS))
    inner = scope.inner()
    name = scope.new("t")
    inner.variables.append(Variable(name, source.type, True))
    head = _line(_pick(draw, kinds.LOOPS), t=name, p=source.text)
    return [Block(head, _body(draw, inner, 2))]


def _early(draw: st.DrawFn, scope: Scope) -> list[Statement]:
    """A name of the module is assigned."""
    form = _pick(draw, ("LAST = v + {m}", "LAST += {m}", "LAST, _ = v + {m}, 1", "LAST = {m}"))
    del scope
    return [Line("global LAST"), Line(form)]


def _nested(draw: st.DrawFn, scope: Scope) -> list[Statement]:
    """A function in a function: what is around it is closed over."""
    inner = scope.inner(closed=True)
    inner.variables = [replace(item, own=False) for item in inner.variables]
    takes = draw(st.sampled_from((None, Type.NODE, Type.INNER)))
    places = scope.places((takes,)) if takes else []
    takes = takes if places else None
    name = scope.new("inner_")
    if takes is not None:
        inner.variables = [*inner.variables, Variable("n", takes, True)]
    function, result = _function(draw, inner, name, takes, ("n", "v") if takes else ("v",))
    scope.functions.append(Callable_(name, takes, result))
    return [function, *_call(draw, scope, scope.functions[-1])]


def _call(draw: st.DrawFn, scope: Scope, called: Callable_ | None = None) -> list[Statement]:
    known = [
        item
        for item in scope.functions
        if item.takes is None or scope.places((item.takes,))
    ]
    if not known:
        return _write(draw, scope)
    function = called if called in known else _pick(draw, known)
    place = _pick(draw, scope.places((function.takes,))) if function.takes else None
    text, result = _called(draw, function, place.text if place else "", scope.depth < 2)
    return _bound(draw, scope, text, result, function.takes)


def _called(draw: st.DrawFn, function: Callable_, place: str, transforms: bool) -> tuple[str, Result]:
    """A call of a function, directly or by a transform, and what it gives."""
    if function.is_property:
        return f"{place}.{function.name}", function.result
    name = function.name
    if function.takes is None:
        direct: tuple[Way, ...] = (kinds.UNARY[-1],)
        ways = kinds.UNARY
    else:
        direct, ways = kinds.DIRECT, kinds.BINARY
        if function.method:
            if draw(st.booleans()):
                return f"{place}.{name}(v)", function.result
            name = f"State.{name}"
    ways = tuple(
        way
        for way in ways
        if function.result in way.result and (function.takes is None or function.takes in way.types)
    )
    way = _pick(draw, ways if transforms and draw(st.booleans()) else direct)
    return way.text.format(f=name, p=place, v="v"), way.gives or function.result


def _bound(
    draw: st.DrawFn, scope: Scope, text: str, result: Result, takes: Type | None
) -> list[Statement]:
    """The result of a call is dropped or bound."""
    form = _pick(draw, ("{call}", "bind"))
    if form != "bind":
        return [_line("{call}", call=text)]
    if result is Result.ARRAY:
        return [_line("v = v + {call}", call=text)]
    name = scope.new("t")
    if takes is not None:
        scope.variables.append(Variable(name, takes, True))
    if result is Result.SAME:
        return [_line("{t} = {call}", t=name, call=text)]
    return [_line("{t}, v = {call}", t=name, call=text)]


_STATEMENTS = (
    *(_write,) * 6,
    *(_alias,) * 4,
    *(_copy,) * 2,
    *(_read,) * 2,
    *(_call,) * 3,
    _block,
    _loop,
    _nested,
)


def _body(draw: st.DrawFn, scope: Scope, most: int) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for _ in range(draw(st.integers(1, most))):
        make = _pick(draw, _STATEMENTS)
        if make in (_block, _loop, _nested) and scope.depth >= 2:
            make = _write
        if make is _read and not scope.places((Type.ARRAY,)):
            make = _write
        found += make(draw, scope)
    return tuple(found)


_ARRAYS = ("v", "v", "v + 1", "jnp.sin(v)")


def _return(draw: st.DrawFn, scope: Scope, takes: Type | None) -> tuple[Line, Result]:
    """What a function gives back: an array, the object, or both."""
    result = _pick(draw, (Result.ARRAY, Result.ARRAY, Result.SAME, Result.PAIR))
    places = scope.places((takes,)) if takes in _OBJECTS else []
    arrays = scope.places((Type.ARRAY,))
    if result is Result.ARRAY or not places:
        texts = list(_ARRAYS)
        if arrays:
            texts.append("v + " + _pick(draw, arrays).text)
        return _line("return {r}", r=_pick(draw, texts)), Result.ARRAY
    place = _pick(draw, places).text
    forms = ["{p}", "{p}", "{p}"]
    if takes in (Type.NODE, Type.INNER):
        forms += [scope.kind.replaces, "jax.tree.map(lambda leaf: leaf, {p})", "copy.copy({p})"]
    text = _pick(draw, forms).format(p=place, v="v")
    if result is Result.SAME:
        return _line("return {r}", r=text), result
    return _line("return {r}, v", r=text), result


def _function(
    draw: st.DrawFn,
    scope: Scope,
    name: str,
    takes: Type | None,
    parameters: Sequence[str],
    decorators: tuple[str, ...] = (),
    most: int = 3,
) -> tuple[Function, Result]:
    body = _body(draw, scope, most)
    last, result = _return(draw, scope, takes)
    annotated = {Type.NODE: "State", Type.INNER: "Inner", Type.DICT: "dict", Type.LIST: "list"}
    given = list(parameters)
    if takes in annotated and given[0] != "self" and draw(st.booleans()):
        given[0] += f": {annotated[takes]}"
    needs_global = "LAST" in str(body)
    body = (Line("global LAST"), *body) if needs_global else body
    return Function(name, ", ".join(given), (*body, last), decorators), result


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Any program of the grammar."""
    kind = _pick(draw, kinds.KINDS)
    functions: list[Callable_] = []
    helpers, methods = [], []
    for index in range(draw(st.integers(0, 2))):
        takes = _pick(draw, _OBJECTS)
        scope = Scope(kind, [Variable("o", takes, True)], list(functions), depth=1)
        name = f"helper_{index}"
        function, result = _function(draw, scope, name, takes, ("o", "v"))
        helpers.append(function)
        functions.append(Callable_(name, takes, result))
    for index in range(draw(st.integers(0, 1))):
        scope = Scope(kind, [Variable("self", Type.NODE)], depth=1)
        name = f"method_{index}"
        if draw(st.booleans()):
            scope.variables.append(Variable("self", Type.NODE))
            function, result = _function(draw, scope, name, Type.NODE, ("self", "v"))
            functions.append(Callable_(name, Type.NODE, result, method=True))
        else:
            function, result = _function(
                draw, scope, name, Type.NODE, ("self",), ("@property",)
            )
            function = replace(function, body=(Line("v = self.y"), *function.body))
            functions.append(Callable_(name, Type.NODE, result, is_property=True))
        methods.append(function)
    access = _pick(draw, (_argument, _argument, _argument, _global, _closed, _trainer, _method))
    program = Program(
        kind, tuple(methods), tuple(helpers), (), (), (), (), _pick(draw, _ELSEWHERE)
    )
    return access(draw, program, Scope(kind, [], functions))


_ELSEWHERE = ("nothing", "nothing", "nothing", "helpers", "classes")


def _argument(draw: st.DrawFn, program: Program, scope: Scope) -> Program:
    """The traced function gets the object, or a part of it, as an argument."""
    takes = _pick(draw, (Type.NODE, Type.NODE, Type.NODE, Type.INNER, Type.DICT, Type.LIST))
    given = _pick(draw, Scope(program.kind, [Variable("s", Type.NODE)]).places((takes,)))
    scope.variables.append(Variable("s", takes, True))
    decorator = _pick(draw, kinds.DECORATORS)
    function, result = _function(
        draw, scope, "step", takes, ("s", "v"), (decorator,) if decorator else (), 4
    )
    if decorator:
        text = f"step({given.text}, v)"
    else:
        entry = Callable_("step", takes, result)
        text = _traced(draw, entry, given.text)
    return replace(program, entry=(function,), drive=(_line("return {r}", r=text),))


def _traced(draw: st.DrawFn, function: Callable_, place: str) -> str:
    ways = kinds.UNARY[:-1] if function.takes is None else kinds.BINARY
    fitting = [
        way
        for way in ways
        if function.result in way.result and (function.takes is None or function.takes in way.types)
    ]
    return _pick(draw, fitting).text.format(f=function.name, p=place, v="v")


def _unary(draw: st.DrawFn, name: str, result: Result) -> str:
    return _traced(draw, Callable_(name, None, result), "")


def _global(draw: st.DrawFn, program: Program, scope: Scope) -> Program:
    """The traced function uses objects of the module."""
    scope.variables += [
        Variable("G", Type.NODE),
        Variable("LOG", Type.LIST),
        Variable("TABLE", Type.DICT),
    ]
    function, result = _function(draw, scope, "step", None, ("v",), (), 4)
    if draw(st.booleans()):
        extra = Line(_pick(draw, ("LAST = v + {m}", "LAST += v + {m}", "LAST, _ = v + {m}, 1")))
        function = replace(function, body=(Line("global LAST"), extra, *function.body))
    setup = ("G = make()", "LOG = [jnp.zeros(3), jnp.zeros(3)]", 'TABLE = {"k": jnp.zeros(3)}', "LAST = 0.25")
    text = _unary(draw, "step", result)
    return replace(program, entry=(function,), setup=setup, drive=(_line("return {r}", r=text),))


def _closed(draw: st.DrawFn, program: Program, scope: Scope) -> Program:
    """The traced function closes over the caller's object."""
    scope.variables.append(Variable("s", Type.NODE))
    scope.depth = 1
    function, result = _function(draw, scope, "step", None, ("v",), (), 4)
    if draw(st.booleans()):
        text = _unary(draw, "step", result)
        return replace(program, drive=(function, _line("return {r}", r=text)))
    maker = Function("make_step", "s", (function, Line("return step")))
    text = _unary(draw, "make_step(s)", result)
    return replace(program, entry=(maker,), drive=(_line("return {r}", r=text),))


def _trainer(draw: st.DrawFn, program: Program, scope: Scope) -> Program:
    """The traced function is a method of an object that is no pytree: a static or bound self."""
    scope.variables.append(Variable("self", Type.PLAIN))
    static = draw(st.booleans())
    decorators = ("@partial(jax.jit, static_argnums=0)",) if static else ()
    function, result = _function(draw, scope, "step", None, ("self", "v"), decorators, 4)
    text = "trainer.step(v)" if static else _unary(draw, "trainer.step", result)
    made = (Line("trainer = Trainer(s)"), Line("watch(trainer)"))
    return replace(program, plain=(function,), drive=(*made, _line("return {r}", r=text)))


def _method(draw: st.DrawFn, program: Program, scope: Scope) -> Program:
    """The traced function is a method of the pytree."""
    scope.variables.append(Variable("self", Type.NODE))
    scope.functions = [item for item in scope.functions if item.method or item.is_property]
    decorator = _pick(draw, ("@jax.jit", "@partial(jax.jit, inline=True)", "@eqx.filter_jit", ""))
    function, result = _function(
        draw, scope, "step", Type.NODE, ("self", "v"), (decorator,) if decorator else (), 4
    )
    if decorator:
        text = "s.step(v)"
    else:
        text = _traced(draw, Callable_("State.step", Type.NODE, result), "s")
    methods = (*program.methods, function)
    return replace(program, methods=methods, drive=(_line("return {r}", r=text),))
