"""Methods that classes have from a library and that call those of their own, as lowered functions.

``model.apply(variables, x)`` runs ``__call__`` of a copy of the model. To teach the interpreter
another one, add a row.
"""

from collections.abc import Container, Mapping
from typing import NamedTuple

from flake8_jax.lowering.program import (
    Attr,
    Body,
    Branch,
    Call,
    Const,
    Eval,
    Expr,
    Home,
    Kind,
    New,
    Op,
    Parameter,
    Return,
    Shape,
    Spread,
    Store,
    Var,
)


class Forwarding(NamedTuple):
    """What a method of a library does."""

    parameters: tuple[Parameter, ...]
    body: Body


_SELF, _FIRST, _ARGS, _KEYWORDS, _METHOD, _MUTABLE, _COPY, _OUT = (
    Var(name, Home.LOCAL)
    for name in ("self", "variables", "args", "kwargs", "method", "mutable", "copy", "out")
)


def _parameters(*options: Parameter) -> tuple[Parameter, ...]:
    """``self, variables, *args``, some options and all other keywords."""
    gathered = (Parameter(_ARGS.name, Kind.STAR), *options, Parameter(_KEYWORDS.name, Kind.STARS))
    return (Parameter(_SELF.name), Parameter(_FIRST.name), *gathered)


def _option(name: str, default: bool | None = None) -> Parameter:
    return Parameter(name, Kind.KEYWORD, Const(default))


def _is(value: Expr, constant: bool | None) -> Expr:
    return Op("is", (value, Const(constant)))


_SHALLOW_COPY = Call(Attr(_SELF, "_replace"), ())
_SOMETHING = Call(Attr(_FIRST, "anything"), ())
"""What nobody knows, and may hold what was given first."""
_CALL = Call(_COPY, (Spread(_ARGS),), ((None, _KEYWORDS),))
_CALL_METHOD, _CALL_BOUND_METHOD = (
    Call(callee, (_COPY, Spread(_ARGS)), ((None, _KEYWORDS),))
    for callee in (_METHOD, Attr(_METHOD, "__func__"))
)
_RUN: Body = (
    Eval(_SOMETHING),
    Store((_COPY,), _SHALLOW_COPY),
    Branch(
        _is(_METHOD, None),
        (Store((_OUT,), _CALL),),
        (
            Branch(
                _SOMETHING,
                (Store((_OUT,), _CALL_METHOD),),
                (Store((_OUT,), _CALL_BOUND_METHOD),),
            ),
        ),
    ),
)
"""Call ``__call__``, or another method, of a copy, which is gone afterwards."""
_WITH_ALL = Return(New(Shape.TUPLE, (_OUT, _SOMETHING)))
_LINEN_OPTIONS = (_option("rngs"), _option(_METHOD.name), _option("capture_intermediates"))
_APPLY = Forwarding(
    _parameters(*_LINEN_OPTIONS, _option(_MUTABLE.name, default=False)),
    (*_RUN, Branch(_is(_MUTABLE, False), (Return(_OUT),), (_WITH_ALL,))),
)
_INIT = Forwarding(
    _parameters(*_LINEN_OPTIONS, _option(_MUTABLE.name)), (*_RUN, Return(_SOMETHING))
)
_INIT_WITH_OUTPUT = Forwarding(_INIT.parameters, (*_RUN, _WITH_ALL))
_BIND = Forwarding(_parameters(*_LINEN_OPTIONS), (Eval(_SOMETHING), Return(_SHALLOW_COPY)))

FORWARDINGS: Mapping[str, Mapping[str, Forwarding]] = {
    "flax.linen.Module": {
        "apply": _APPLY,
        "bind": _BIND,
        "init": _INIT,
        "init_with_output": _INIT_WITH_OUTPUT,
        "lazy_init": _INIT,
    }
}
"""By the base class, and the name of the method."""


_NAMES = frozenset(name for methods in FORWARDINGS.values() for name in methods)


def is_forwarded(name: str) -> bool:
    """Whether a method of some library has a name."""
    return name in _NAMES


def forwarding(bases: Container[str], name: str) -> Forwarding | None:
    """The method that a class has from one of its bases; None where it is not known."""
    for base, methods in FORWARDINGS.items():
        if base in bases and name in methods:
            return methods[name]
    return None
