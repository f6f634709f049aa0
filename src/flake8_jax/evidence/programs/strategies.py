"""Strategies: how hypothesis draws programs of the grammar, and shrinks them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from hypothesis import strategies as st

from flake8_jax.evidence.programs import vocabulary
from flake8_jax.evidence.programs.grammar import Block, Function, Line, Program, Statement
from flake8_jax.evidence.programs.vocabulary import PARTS, Kind, Result, Type, Way

_T = TypeVar("_T")
_OBJECTS = (Type.NODE, Type.INNER, Type.DICT, Type.LIST)
_ARRAYS = (Type.ARRAY, Type.ELEMENT)
_DEEPEST = 2
_MOST = 4
"""Statements of the traced function; other bodies have fewer."""


@dataclass(frozen=True)
class Variable:
    """A name, or a path, that a function can write to."""

    text: str
    type: Type
    own: bool = False
    """Whether it is a local name of the function, which may be bound anew."""
    typed: bool = True
    """Whether the program says what it is."""


@dataclass(frozen=True)
class Callee:
    """What can be called: a function of an object and an array, or of an array."""

    name: str
    takes: Type | None
    result: Result
    method: bool = False
    is_property: bool = False


@dataclass
class Scope:
    """What can be named at some point of a function."""

    kind: Kind
    variables: list[Variable] = field(default_factory=list)
    functions: list[Callee] = field(default_factory=list)
    names: list[int] = field(default_factory=lambda: [0])
    depth: int = 0

    def new(self, stem: str) -> str:
        """A name that the function does not have yet."""
        self.names[0] += 1
        return f"{stem}{self.names[0]}"

    def inner(self) -> "Scope":
        """The scope of a block."""
        return replace(
            self,
            variables=list(self.variables),
            functions=list(self.functions),
            depth=self.depth + 1,
        )

    def places(self, types: Sequence[Type | None]) -> list[Variable]:
        """What can be reached in at most two steps, and what was bound last once more."""
        found, layer = [], [*self.variables, *self.variables[-1:]]
        for _ in range(3):
            found += [item for item in layer if item.type in types]
            layer = [
                Variable(item.text + step, part, False, item.typed)
                for item in layer
                for step, part in PARTS[item.type].items()
            ]
        return found


def _line(form: str, **holes: str) -> Line:
    return Line(form, tuple(holes.items()))


def _pick(draw: st.DrawFn, items: Sequence[_T]) -> _T:
    return draw(st.sampled_from(items))


def _seldom(draw: st.DrawFn, times: int) -> bool:
    """True once in so many times."""
    return draw(st.integers(1, times)) == times


def _write(draw: st.DrawFn, scope: Scope) -> list[Statement]:
    typed = [item for item in scope.places((Type.ARRAY,)) if item.typed]
    if typed and _seldom(draw, 40):
        return [_line(vocabulary.CHANGE[Type.ARRAY][0], p=_pick(draw, typed).text)]
    place = _pick(draw, scope.places((*_OBJECTS, Type.PLAIN)))
    forms: Sequence[str]
    if place.type in (Type.DICT, Type.LIST):
        forms = vocabulary.CHANGE[place.type]
        if not place.own and ("." not in place.text or _refuses(scope.kind, place)):
            forms = [form for form in forms if not form.startswith(("{p} +=", "{p} |="))]
    elif place.type is Type.PLAIN:
        forms = (*vocabulary.SET, *vocabulary.FORCE, *vocabulary.PLAIN_VALUES)
    elif not scope.kind.frozen:
        forms = (*vocabulary.SET, *vocabulary.FORCE)
    elif scope.kind.has_dict and not (place.typed and _seldom(draw, 5)):
        forms = vocabulary.FORCE
    elif place.typed and _seldom(draw, 3):
        forms = vocabulary.SET
    else:
        return _alias(draw, scope)
    written = [_line(_pick(draw, forms), p=place.text, a=_pick(draw, ("x", "y")), v="v")]
    if _seldom(draw, 4):
        read = _pick(draw, scope.places(_ARRAYS))
        written.append(_line(_pick(draw, vocabulary.READS), p=read.text))
    return [*written]


def _refuses(kind: Kind, place: Variable) -> bool:
    """Whether the place is a field of a class that does not let it be assigned."""
    return kind.frozen and not place.own


def _alias(draw: st.DrawFn, scope: Scope) -> list[Statement]:
    source = _pick(draw, scope.places(_OBJECTS))
    name = scope.new("t")
    scope.variables.append(Variable(name, source.type, True, source.typed))
    return [_line(_pick(draw, vocabulary.ALIASES), t=name, p=source.text)]


def _copy(draw: st.DrawFn, scope: Scope) -> list[Statement]:
    source = _pick(draw, scope.places(_OBJECTS))
    forms = list(vocabulary.COPIES[source.type])
    if source.type in (Type.NODE, Type.INNER):
        forms.append("{t} = " + scope.kind.replaces)
    own = source.own and draw(st.booleans())
    name = source.text if own else scope.new("t")
    if not own:
        scope.variables.append(Variable(name, source.type, True, source.typed))
    return [_line(_pick(draw, forms), t=name, p=source.text, v="v")]


def _read(draw: st.DrawFn, scope: Scope) -> list[Statement]:
    place = _pick(draw, scope.places(_ARRAYS))
    return [_line(_pick(draw, vocabulary.READS), p=place.text)]


def _block(draw: st.DrawFn, scope: Scope) -> list[Statement]:
    head = _pick(draw, vocabulary.BLOCKS)
    place = _pick(draw, scope.places(_OBJECTS))
    test = _pick(draw, vocabulary.TESTS).format(p=place.text)
    tail = "finally:\n    pass" if head == "try:" else ""
    return [Block(_line(head, test=test), _body(draw, scope.inner(), 2), tail)]


def _loop(draw: st.DrawFn, scope: Scope) -> list[Statement]:
    source = _pick(draw, scope.places(_OBJECTS))
    inner = scope.inner()
    name = scope.new("t")
    inner.variables.append(Variable(name, source.type, True, source.typed))
    head = _line(_pick(draw, vocabulary.LOOPS), t=name, p=source.text)
    return [Block(head, _body(draw, inner, 2))]


def _nested(draw: st.DrawFn, scope: Scope) -> list[Statement]:
    """A function in a function: what is around it is closed over."""
    inner = scope.inner()
    inner.variables = [replace(item, own=False) for item in inner.variables]
    takes = _pick(draw, (None, Type.NODE, Type.INNER))
    if not scope.places((takes,)):
        takes = None
    name = scope.new("inner_")
    function, result = _function(draw, inner, name, takes, ("n", "v") if takes else ("v",))
    before: list[Statement] = []
    after: list[Statement] = []
    if _seldom(draw, 3):
        outer = scope.new("u")
        before.append(_line("{u} = v", u=outer))
        store = _line(
            _pick(draw, ("{u} = v + {m}", "{u} += v + {m}", "{u}, _ = v + {m}, 1")), u=outer
        )
        body = (_line("nonlocal {u}", u=outer), store, *function.body)
        function = replace(function, body=body)
        after = [_line("v = v + {u}", u=outer)] if draw(st.booleans()) else []
    callee = Callee(name, takes, result)
    scope.functions.append(callee)
    return [*before, function, *_call(draw, scope, callee), *after]


def _call(draw: st.DrawFn, scope: Scope, called: Callee | None = None) -> list[Statement]:
    known = [item for item in scope.functions if item.takes is None or scope.places((item.takes,))]
    if not known:
        return _write(draw, scope)
    callee = called or _pick(draw, known)
    place = _pick(draw, scope.places((callee.takes,))).text if callee.takes else ""
    text = _called(draw, callee, place, scope.depth < _DEEPEST)
    if draw(st.booleans()):
        return [_line("{call}", call=text)]
    if callee.result is Result.ARRAY:
        return [_line("v = v + {call}", call=text)]
    name = scope.new("t")
    if callee.takes is not None:
        scope.variables.append(Variable(name, callee.takes, True, False))
    form = "{t} = {call}" if callee.result is Result.SAME else "{t}, v = {call}"
    return [_line(form, t=name, call=text)]


def _called(draw: st.DrawFn, callee: Callee, place: str, transforms: bool) -> str:
    """A call of a function, directly or by a transform."""
    if callee.is_property:
        return f"{place}.{callee.name}"
    if callee.method:
        if draw(st.booleans()):
            return f"{place}.{callee.name}(v)"
        callee = replace(callee, name=f"State.{callee.name}")
    if transforms and _seldom(draw, 3):
        return _traced(draw, callee, place)
    direct = (vocabulary.UNARY[-1],) if callee.takes is None else vocabulary.DIRECT
    return _pick(draw, direct).text.format(f=callee.name, p=place, v="v")


def _traced(draw: st.DrawFn, callee: Callee, place: str = "") -> str:
    """A function handed to a transform."""
    ways: tuple[Way, ...] = vocabulary.UNARY[:-1] if callee.takes is None else vocabulary.BINARY
    fitting = [way for way in ways if callee.result in way.result]
    return _pick(draw, fitting).text.format(f=callee.name, p=place, v="v")


_STATEMENTS: tuple[Callable[[st.DrawFn, Scope], list[Statement]], ...] = (
    *(_write,) * 6,
    *(_alias,) * 3,
    *(_copy,) * 3,
    *(_read,) * 1,
    *(_call,) * 3,
    _block,
    _loop,
    _nested,
)


def _body(draw: st.DrawFn, scope: Scope, most: int) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for _ in range(draw(st.integers(1, most))):
        make = _pick(draw, _STATEMENTS)
        if make in (_block, _loop, _nested) and scope.depth >= _DEEPEST:
            make = _write
        found += make(draw, scope)
    return tuple(found)


def _return(draw: st.DrawFn, scope: Scope, takes: Type | None) -> tuple[Line, Result]:
    """What a function gives back: an array, the object, or both."""
    result = _pick(draw, (Result.ARRAY, Result.ARRAY, Result.SAME, Result.PAIR))
    places = scope.places((takes,)) if takes in _OBJECTS else []
    if result is Result.ARRAY or not places:
        read = "v + " + _pick(draw, scope.places(_ARRAYS)).text
        return _line("return {r}", r=_pick(draw, ("v", "v", "v * 1", read))), Result.ARRAY
    forms = ["{p}", "{p}", "{p}"]
    if takes in (Type.NODE, Type.INNER):
        forms += [scope.kind.replaces, "jax.tree.map(lambda leaf: leaf, {p})", "copy.copy({p})"]
    text = _pick(draw, forms).format(p=_pick(draw, places).text, v="v")
    return _line("return {r}" if result is Result.SAME else "return {r}, v", r=text), result


_ANNOTATIONS = {Type.NODE: "State", Type.INNER: "Inner", Type.DICT: "dict", Type.LIST: "list"}


def _function(
    draw: st.DrawFn,
    scope: Scope,
    name: str,
    takes: Type | None,
    parameters: Sequence[str],
    decorators: Sequence[str] = (),
    most: int = 3,
) -> tuple[Function, Result]:
    """A function whose first parameter, if it takes one, is an object."""
    first, *others = parameters
    unsaid = ""
    if takes is not None:
        typed = first == "self" or not _seldom(draw, 4)
        scope.variables.append(Variable(first, takes, first != "self", typed))
        if not typed:
            unsaid = _ANNOTATIONS[takes]
        elif first != "self":
            first = f"{first}: {_ANNOTATIONS[takes]}"
    body = _body(draw, scope, most)
    last, result = _return(draw, scope, takes)
    given = ", ".join((first, *others))
    told = tuple(filter(None, decorators))
    return Function(name, given, (*body, last), told, unsaid), result


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Any program of the grammar."""
    kind = _pick(draw, vocabulary.KINDS)
    functions: list[Callee] = []
    helpers, methods = [], []
    for index in range(draw(st.integers(0, 2))):
        takes, name = _pick(draw, _OBJECTS), f"helper_{index}"
        scope = Scope(kind, functions=list(functions), depth=1)
        function, result = _function(draw, scope, name, takes, ("o", "v"))
        helpers.append(function)
        functions.append(Callee(name, takes, result))
    if draw(st.booleans()):
        function, callee = _member(draw, Scope(kind, depth=1))
        methods.append(function)
        functions.append(callee)
    program = Program(kind, tuple(methods), tuple(helpers), elsewhere=_pick(draw, _ELSEWHERE))
    return _pick(draw, _ACCESS)(draw, program, Scope(kind, functions=functions))


_ELSEWHERE = ("nothing", "nothing", "nothing", "helpers", "classes")


def _member(draw: st.DrawFn, scope: Scope) -> tuple[Function, Callee]:
    """A method or a property of the pytree class."""
    if draw(st.booleans()):
        function, result = _function(draw, scope, "method", Type.NODE, ("self", "v"))
        return function, Callee("method", Type.NODE, result, method=True)
    function, result = _function(draw, scope, "part", Type.NODE, ("self",), ("@property",))
    function = replace(function, body=(Line("v = self.y"), *function.body))
    return function, Callee("part", Type.NODE, result, is_property=True)


def _argument(draw: st.DrawFn, program: Program, scope: Scope) -> Program:
    """The traced function gets the object, or a part of it, as an argument."""
    takes = _pick(draw, (Type.NODE, Type.NODE, Type.NODE, *_OBJECTS))
    given = _pick(draw, Scope(program.kind, [Variable("s", Type.NODE)]).places((takes,))).text
    decorator = _pick(draw, vocabulary.DECORATORS)
    function, result = _function(draw, scope, "step", takes, ("s", "v"), (decorator,), _MOST)
    text = f"step({given}, v)"
    if not decorator:
        text = _traced(draw, Callee("step", takes, result), given)
    return _driven(replace(program, entry=(function,)), text)


def _driven(program: Program, text: str, *before: Statement) -> Program:
    return replace(program, drive=(*before, _line("return {r}", r=text)))


_GLOBALS = (
    "G = make()",
    "LOG = [jnp.zeros(3), jnp.zeros(3)]",
    'TABLE = {"k": jnp.zeros(3)}',
    "LAST = 0.25",
)


def _global(draw: st.DrawFn, program: Program, scope: Scope) -> Program:
    """The traced function uses objects of the module, by name or as a default."""
    scope.variables += [
        Variable("LOG", Type.LIST),
        Variable("TABLE", Type.DICT),
        Variable("G", Type.NODE),
    ]
    parameters = ["v"]
    if _seldom(draw, 4):
        parameters.append("s=G")
        scope.variables.append(Variable("s", Type.NODE, True))
    function, result = _function(draw, scope, "step", None, parameters, (), _MOST)
    if _seldom(draw, 3):
        forms = ("LAST = v + {m}", "LAST += v + {m}", "LAST, _ = v + {m}, 1", "LAST = {m}")
        store = Line(_pick(draw, forms))
        function = replace(function, body=(Line("global LAST"), store, *function.body))
    text = _traced(draw, Callee("step", None, result))
    return _driven(replace(program, entry=(function,), setup=_GLOBALS), text)


def _closed(draw: st.DrawFn, program: Program, scope: Scope) -> Program:
    """The traced function closes over the caller's object."""
    scope.variables.append(Variable("s", Type.NODE))
    scope.depth = 1
    function, result = _function(draw, scope, "step", None, ("v",), (), _MOST)
    if draw(st.booleans()):
        return _driven(program, _traced(draw, Callee("step", None, result)), function)
    maker = Function("make_step", "s: State", (function, Line("return step")))
    text = _traced(draw, Callee("make_step(s)", None, result))
    return _driven(replace(program, entry=(maker,)), text)


def _trainer(draw: st.DrawFn, program: Program, scope: Scope) -> Program:
    """The traced function is a method of an object that is no pytree: a static or bound self."""
    scope.variables.append(Variable("self", Type.PLAIN))
    decorators = _pick(draw, ((), ("@partial(jax.jit, static_argnums=0)",)))
    function, result = _function(draw, scope, "step", None, ("self", "v"), decorators, _MOST)
    text = "trainer.step(v)"
    if not decorators:
        text = _traced(draw, Callee("trainer.step", None, result))
    made = (Line("trainer = Trainer(s)"), Line("watch(trainer)"))
    return _driven(replace(program, plain=(function,)), text, *made)


def _method(draw: st.DrawFn, program: Program, scope: Scope) -> Program:
    """The traced function is a method of the pytree."""
    scope.functions = [item for item in scope.functions if item.method or item.is_property]
    decorator = _pick(draw, ("@jax.jit", "@partial(jax.jit, inline=True)", "@eqx.filter_jit", ""))
    function, result = _function(draw, scope, "step", Type.NODE, ("self", "v"), (decorator,), _MOST)
    text = "s.step(v)"
    if not decorator:
        text = _traced(draw, Callee("State.step", Type.NODE, result), "s")
    return _driven(replace(program, methods=(*program.methods, function)), text)


_ACCESS: tuple[Callable[[st.DrawFn, Program, Scope], Program], ...] = (
    _argument,
    _argument,
    _argument,
    _method,
    _global,
    _closed,
    _trainer,
)
"""How the traced function comes to the object."""
