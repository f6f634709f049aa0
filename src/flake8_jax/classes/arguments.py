"""Questions about the arguments of calls, decorators and class statements."""

from collections.abc import Iterable, Sequence

from flake8_jax.lowering.program import Const
from flake8_jax.resolution.callee import Argument
from flake8_jax.resolution.resolve import Expression, resolve


def positional(arguments: Iterable[Argument]) -> tuple[Expression, ...]:
    """The values of the positional arguments before any starred one."""
    found: list[Expression] = []
    for argument in arguments:
        if argument.stars:
            break
        if argument.keyword is None:
            found.append(argument.value)
    return tuple(found)


def keyword(arguments: Iterable[Argument], name: str) -> Expression | None:
    """The value of a keyword argument."""
    for argument in arguments:
        if argument.keyword == name:
            return argument.value
    return None


def is_constant(value: Expression | None, expected: bool) -> bool:
    """Whether an argument is written as True or as False."""
    return value is not None and isinstance(value.expr, Const) and value.expr.value is expected


def switched(arguments: Sequence[Argument], name: str, *, default: bool) -> bool | None:
    """Whether a keyword is set to True or to False; None where that cannot be told."""
    value = keyword(arguments, name)
    if value is None:
        return None if any(argument.stars == 2 for argument in arguments) else default
    for referent in resolve(value.scope, value.expr, value.position):
        match referent:
            case Expression(expr=Const(value=bool() as known)):
                return known
    return None
