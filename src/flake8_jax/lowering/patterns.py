"""Lowers the patterns of ``match`` statements."""

import libcst as cst

from flake8_jax.lowering import literals
from flake8_jax.lowering.expressions import Context, lower_expression
from flake8_jax.lowering.kinds import LoweringError
from flake8_jax.lowering.program import (
    AnyOf,
    Capture,
    Elements,
    Entries,
    Equals,
    IsInstance,
    Pattern,
    Rest,
)
from flake8_jax.lowering.scopes import Scope


def lower_pattern(node: cst.CSTNode, scope: Scope, context: Context) -> Pattern:
    """Lower a pattern."""
    match node:
        case cst.MatchValue():
            return Equals(lower_expression(node.value, scope, context))
        case cst.MatchSingleton():
            return Equals(literals.NAMED[node.value.value])
        case cst.MatchAs():
            inner = node.pattern
            lowered = lower_pattern(inner, scope, context) if inner is not None else None
            return Capture(lowered, scope.load(node.name.value) if node.name is not None else None)
        case cst.MatchStar():
            return Rest(scope.load(node.name.value) if node.name is not None else None)
        case cst.MatchSequenceElement():
            return lower_pattern(node.value, scope, context)
        case cst.MatchList() | cst.MatchTuple():
            return Elements(tuple(lower_pattern(item, scope, context) for item in node.patterns))
        case cst.MatchMapping():
            entries = tuple(
                (
                    lower_expression(item.key, scope, context),
                    lower_pattern(item.pattern, scope, context),
                )
                for item in node.elements
            )
            return Entries(entries, scope.load(node.rest.value) if node.rest is not None else None)
        case cst.MatchClass():
            keywords = tuple(
                (item.key.value, lower_pattern(item.pattern, scope, context)) for item in node.kwds
            )
            positional = tuple(lower_pattern(item.value, scope, context) for item in node.patterns)
            return IsInstance(lower_expression(node.cls, scope, context), positional, keywords)
        case cst.MatchOr():
            return AnyOf(
                tuple(lower_pattern(item.pattern, scope, context) for item in node.patterns)
            )
    raise LoweringError(type(node).__name__)
