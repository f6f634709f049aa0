"""Markers: what makes a class a pytree when it is applied to it, known ones and one's own."""

from dataclasses import dataclass, replace

import libcst as cst

from flake8_jax.knowledge.listed import known_as, shown
from flake8_jax.knowledge.pytrees import (
    CLASS_KEYWORDS,
    MARKERS,
    Kind,
)
from flake8_jax.names import applied, refer
from flake8_jax.scopes import EVER, Defined, Imported, Scope, Valued, inner_scope
from flake8_jax.source import Piece
from flake8_jax.syntax import (
    Function,
    flat,
    is_name,
    keyword,
    positional,
    statements,
    walk,
)

_OWN_STEPS = 5


@dataclass(frozen=True, eq=False)
class Making:
    """What made a class a pytree."""

    kind: Kind
    by: str
    """The dotted name of the base class or marker."""
    arguments: tuple[cst.Arg, ...] = ()
    """What the marker was given: field names, flatten functions."""
    is_own: bool = False
    """Whether a function of the project's own calls the marker."""
    frozen: bool | None = None
    """Whether that function makes a frozen dataclass of the class; None if it makes none."""


def marking(
    node: cst.BaseExpression, scope: Scope, at: float = EVER, steps: int = _OWN_STEPS
) -> Making | None:
    """What applying an expression to a class makes of it: a known marker, or one of one's own.

    One's own may be a function, or what a function hands back; a lambda; or an object with a
    ``__call__``. Any of them may have been given a name.
    """
    called = isinstance(node, cst.Call)
    given = tuple(node.args) if isinstance(node, cst.Call) else ()
    function = node.func if isinstance(node, cst.Call) else node
    for referent in refer(function, scope, at) if steps else ():
        made: Making | None = None
        match referent:
            case Defined(node=cst.FunctionDef() as own):
                made = marking_within(own, referent.scope, steps - 1)
                if made is None and called:
                    made = _marking_handed_back(own, referent.scope, steps - 1)
                made = _with_arguments(made, own, given)
            case Valued(node=cst.Lambda() as own):
                made = _marking_of_parameter(own, referent.scope, steps - 1)
                made = _with_arguments(made, own, given)
            case Defined(node=cst.ClassDef() as cls) if called:
                for item in statements(cls.body):
                    if isinstance(item, cst.FunctionDef) and item.name.value == "__call__":
                        made = marking_within(item, referent.scope, steps - 1)
            case Valued(node=cst.Call() as call) if not called:
                made = marking(call, referent.scope, referent.at, steps - 1)
        if made is not None:
            return replace(made, is_own=True)
        if isinstance(referent, Defined):
            break
    marker = applied(node, scope, at)
    if marker.all_in(MARKERS):
        name = marker.names[0]
        return Making(MARKERS[known_as(name)], shown(name), marker.arguments)
    return None


def marking_within(
    function: cst.FunctionDef,
    outer: Scope,
    steps: int = _OWN_STEPS,
    piece: Piece | None = None,
) -> Making | None:
    """What a function makes of a class that it is given: the marker that it calls on a parameter.

    The class may be a parameter of a function inside, as in a decorator that takes arguments, and
    may have passed through other calls before, as in ``register(dataclass(cls))``.
    """
    return outer.top.source.file.analysed(
        (marking_within, function, steps),
        lambda: _marking_of_parameter(function, inner_scope(function, outer, EVER, piece), steps),
    )


def _marking_of_parameter(function: Function, scope: Scope, steps: int) -> Making | None:
    for node in walk(function.body):
        if type(node) is cst.Call and (given := class_arguments(tuple(node.args))):
            if isinstance(given[0], cst.Name | cst.Call) and not _is_class(given[0], scope):
                if made := marking(node.func, scope, EVER, steps):
                    frozen = made.frozen
                    if frozen is None:
                        frozen = _freezes(function, scope)
                    arguments = (*made.arguments, *node.args)
                    return replace(made, arguments=arguments, frozen=frozen)
    return None


def _marking_handed_back(function: cst.FunctionDef, outer: Scope, steps: int) -> Making | None:
    """The marker that a function hands back: ``return partial(struct.dataclass, **options)``."""
    scope = inner_scope(function, outer, EVER)
    for item in flat(function.body):
        if isinstance(item, cst.Return) and isinstance(item.value, cst.Attribute | cst.Call):
            if made := marking(item.value, scope, EVER, steps):
                return made
    return None


def _freezes(function: Function, scope: Scope) -> bool | None:
    """Whether a marker makes frozen dataclasses; None where that is not written down."""
    found: set[bool | None] = set()
    for node in walk(function.body):
        if isinstance(node, cst.Call):
            used = applied(node, scope)
            if used.names == ("dataclasses.dataclass",):
                found.add(switched(used.arguments, "frozen", scope, default=False))
    return found.pop() if len(found) == 1 else None


def switched(
    arguments: tuple[cst.Arg, ...], name: str, scope: Scope, *, default: bool
) -> bool | None:
    """Whether a keyword is set to True or to False; None where that cannot be told."""
    value = keyword(arguments, name)
    if value is None:
        return None if any(argument.star == "**" for argument in arguments) else default
    for referent in refer(value, scope):
        match referent:
            case Imported(dotted="builtins.True"):
                return True
            case Imported(dotted="builtins.False"):
                return False
    return None


def _with_arguments(
    made: Making | None, function: Function, given: tuple[cst.Arg, ...]
) -> Making | None:
    """The same, with what one's own marker was given, or its defaults, for its parameters."""
    if made is None:
        return None
    parameters = function.params
    values = {
        item.name.value: item.default
        for item in (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params)
        if item.default is not None
    }
    names = [item.name.value for item in (*parameters.posonly_params, *parameters.params)]
    values |= dict(zip(names, positional(given), strict=False))
    named = {item.keyword.value: item for item in given if item.keyword is not None}
    values |= {name: item.value for name, item in named.items()}
    if any(item.star for item in given):
        values = {}
    rest = parameters.star_kwarg.name.value if parameters.star_kwarg is not None else None
    spread = [item for name, item in named.items() if name not in names]
    spread += [item for item in given if item.star == "**"]
    arguments: list[cst.Arg] = []
    for argument in made.arguments:
        value = argument.value
        if argument.star == "**" and rest is not None and is_name(value, rest):
            arguments += spread
        elif argument.keyword is not None and isinstance(value, cst.Name):
            value = values.get(value.value, value)
            arguments.append(cst.Arg(value, keyword=argument.keyword))
        else:
            arguments.append(argument)
    return replace(made, arguments=tuple(arguments))


def _is_class(node: cst.BaseExpression, scope: Scope) -> bool:
    return any(
        isinstance(item, Defined) and isinstance(item.node, cst.ClassDef)
        for item in refer(node, scope)
    )


def class_arguments(arguments: tuple[cst.Arg, ...]) -> tuple[cst.BaseExpression, ...]:
    """The arguments under which a marker may be handed its class."""
    named = (keyword(arguments, name) for name in CLASS_KEYWORDS)
    return (*positional(arguments)[:1], *(value for value in named if value is not None))
