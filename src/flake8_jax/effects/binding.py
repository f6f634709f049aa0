"""Binds the arguments of a call to parameters, by Python's own rules.

A call that cannot bind raises a ``TypeError``: the function does not run with it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from flake8_jax.lowering.program import Kind, Parameter

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Arguments(Generic[T]):
    """The arguments of a call.

    ``*xs`` of unknown length makes the positions behind it unknown, ``**kw`` the keywords.
    """

    positional: tuple[T, ...] = ()
    named: Mapping[str, T] = field(default_factory=dict)
    spread: tuple[T, ...] = ()
    """What an argument ``*xs`` may hold, and what stands behind it."""
    spread_named: tuple[T, ...] = ()
    """What an argument ``**kw`` may hold."""
    is_spread: bool = False
    is_spread_named: bool = False

    def after(self, first: Sequence[T]) -> "Arguments[T]":
        """The same arguments behind some that were bound before."""
        return Arguments(
            (*first, *self.positional),
            self.named,
            self.spread,
            self.spread_named,
            self.is_spread,
            self.is_spread_named,
        )


@dataclass(frozen=True, slots=True)
class Bound(Generic[T]):
    """What the parameters of a function get."""

    given: Mapping[str, T]
    """By the name of the parameter."""
    star: tuple[T, ...] = ()
    """The elements of ``*args`` that are known by their position."""
    stars: Mapping[str, T] = field(default_factory=dict)
    """The entries of ``**kwargs`` that are known by their key."""
    defaulted: frozenset[str] = frozenset()
    """The parameters that take their default."""
    unknown: frozenset[str] = frozenset()
    """The parameters that may get something out of ``*xs`` or ``**kw``, or their default."""


_BY_POSITION = (Kind.POSITIONAL, Kind.NORMAL)
_BY_NAME = (Kind.NORMAL, Kind.KEYWORD)


def bind(parameters: Sequence[Parameter], arguments: Arguments[T]) -> Bound[T] | None:
    """What each parameter gets; None where the call raises."""
    places = [item.name for item in parameters if item.kind in _BY_POSITION]
    keywords = [item.name for item in parameters if item.kind in _BY_NAME]
    kinds = [item.kind for item in parameters]
    positional = arguments.positional
    if len(positional) > len(places) and Kind.STAR not in kinds:
        return None
    given = dict(zip(places, positional, strict=False))
    stars: dict[str, T] = {}
    for name, value in arguments.named.items():
        if name in keywords:
            if name in given:
                return None
            given[name] = value
        elif Kind.STARS in kinds:
            stars[name] = value
        else:
            return None
    defaulted: set[str] = set()
    unknown: set[str] = set()
    for item in parameters:
        if item.name in given or item.kind in (Kind.STAR, Kind.STARS):
            continue
        by_position = arguments.is_spread and item.kind in _BY_POSITION
        if by_position or (arguments.is_spread_named and item.kind in _BY_NAME):
            unknown.add(item.name)
        elif item.default is not None:
            defaulted.add(item.name)
        else:
            return None
    star = tuple(positional[len(places) :])
    return Bound(given, star, stars, frozenset(defaulted), frozenset(unknown))
