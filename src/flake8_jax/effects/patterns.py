"""Matches patterns: what a case binds, and what it tells of its subject."""

from typing import TypeGuard

from flake8_jax.effects.attributes import read_attribute
from flake8_jax.effects.frame import Frame
from flake8_jax.effects.narrowing import assume, of_classes
from flake8_jax.effects.paths import Index, Some
from flake8_jax.effects.subscripts import read_item, selector_of
from flake8_jax.effects.values import Value, truth
from flake8_jax.lowering.program import (
    AnyOf,
    Call,
    Capture,
    Const,
    Elements,
    Entries,
    Equals,
    Expr,
    Home,
    IsInstance,
    New,
    Op,
    Pattern,
    Rest,
    Shape,
    Spread,
    Var,
)

_ISINSTANCE = Var("isinstance", Home.GLOBAL)


def match_pattern(frame: Frame, subject: Expr, value: Value, pattern: Pattern) -> None:
    """Take a pattern to have matched."""
    match pattern:
        case Equals():
            assume(frame, Op("is", (subject, pattern.value)), True)
        case IsInstance():
            assume(frame, Call(_ISINSTANCE, (subject, pattern.cls)), True)
            frame.state.learn(of_classes(value, frame.evaluate(pattern.cls)).if_true)
            for name, inner in pattern.keywords:
                _bind(frame, read_attribute(frame, value, name, 0), inner)
        case Capture():
            if pattern.inner is not None:
                match_pattern(frame, subject, value, pattern.inner)
                value = frame.evaluate(subject)
            if pattern.name is not None:
                frame.assign(pattern.name, value, 0)
        case AnyOf():
            for inner in pattern.patterns:
                _bind(frame, value, inner)
        case Elements() if _stand_side_by_side(subject, pattern):
            for part, inner in zip(subject.parts, pattern.parts, strict=True):
                match_pattern(frame, part, frame.evaluate(part), inner)
        case _:
            _bind(frame, value, pattern)


def _stand_side_by_side(subject: Expr, pattern: Elements) -> TypeGuard[New]:
    """Whether each element of a pattern stands for one of a tuple that is written out."""
    if not isinstance(subject, New) or subject.shape is not Shape.TUPLE:
        return False
    has_more = any(isinstance(item, Spread) for item in subject.parts)
    has_rest = any(isinstance(item, Rest) for item in pattern.parts)
    return not has_more and not has_rest and len(subject.parts) == len(pattern.parts)


def refute(frame: Frame, subject: Expr, value: Value, pattern: Pattern) -> None:
    """Take a pattern not to have matched."""
    match pattern:
        case IsInstance(keywords=(), positional=()):
            assume(frame, Call(_ISINSTANCE, (subject, pattern.cls)), False)
            frame.state.learn(of_classes(value, frame.evaluate(pattern.cls)).if_false)
        case AnyOf():
            for inner in pattern.patterns:
                refute(frame, subject, value, inner)
        case Capture():
            if pattern.inner is not None:
                refute(frame, subject, value, pattern.inner)
        case Equals(value=Const(value=None)):
            frame.state.learn(truth(value).if_some)


def _bind(frame: Frame, value: Value, pattern: Pattern) -> None:
    """Bind the names of a pattern to parts of a value that no expression stands for."""
    match pattern:
        case Capture():
            if pattern.inner is not None:
                _bind(frame, value, pattern.inner)
            if pattern.name is not None:
                frame.assign(pattern.name, value, 0)
        case Elements():
            for position, inner in enumerate(pattern.parts):
                selector = Some.INDEX if isinstance(inner, Rest) else Index(position)
                _bind(frame, read_item(frame, value, selector), inner)
        case Entries():
            for key, inner in pattern.entries:
                _bind(frame, read_item(frame, value, selector_of(key)), inner)
            if pattern.rest is not None:
                frame.assign(pattern.rest, read_item(frame, value, Some.INDEX).inexact(), 0)
        case Rest():
            if pattern.name is not None:
                frame.assign(pattern.name, value.inexact(), 0)
        case IsInstance():
            for name, inner in pattern.keywords:
                _bind(frame, read_attribute(frame, value, name, 0), inner)
        case AnyOf():
            for inner in pattern.patterns:
                _bind(frame, value, inner)
