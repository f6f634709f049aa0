"""What of a module may trace, and what it is handed."""

import ast
import builtins
from collections.abc import Iterator
from functools import cached_property

from flake8_jax.knowledge.known import canonical
from flake8_jax.knowledge.transforms import DEFINES_RULES, TRANSFORMS, Transform
from flake8_jax.survey.facts import CALL, Function
from flake8_jax.survey.module import Module
from flake8_jax.survey.neighbours import Trait
from flake8_jax.survey.nodes import dotted_name, functions_in, last_part, names_in
from flake8_jax.survey.words import TRACING, TRANSFORM_WORDS

_NAMING = (ast.Name, ast.Attribute, ast.Call)


class Tracing:
    """The names of what may trace in a module, and what stands in calls of it."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.unit = module.unit
        self.names: set[str] = set()
        """The names of what may trace, besides those of the tables."""
        self.handed: dict[Function, set[str]] = {}
        """The names that each function hands to what may trace."""
        self._elsewhere()
        self._own_names()
        self._calls()
        while self._takers():
            self._calls()

    def _elsewhere(self) -> None:
        self.names |= self.module.elsewhere(Trait.TRANSFORM)
        for (unit, name), _ in self.module.used:
            self.names |= unit.takers(name)
        for name, dotted in self.unit.imports.items():
            if name == "*":
                self.names |= TRANSFORM_WORDS
            elif name not in TRANSFORM_WORDS and canonical(dotted) in TRACING:
                self.names.add(name)

    def _own_names(self) -> None:
        """Note what stands for a transform in this module."""
        for block in self.module.blocks:
            found = self.unit.facts(block)
            if self._mentions_one(found.words):
                self.names |= {name for name, value in found.aliases if self._stands_for(value)}
                is_function = any(isinstance(node, ast.FunctionDef) for node in block.nodes)
                if is_function and found.wraps:
                    self.names |= block.names

    def _mentions_one(self, words: frozenset[str]) -> bool:
        return not words.isdisjoint(TRANSFORM_WORDS) or not words.isdisjoint(self.names)

    def _calls(self) -> None:
        """Note what is handed to transforms."""
        for block in self.module.blocks:
            found = self.unit.facts(block)
            if not self._mentions_one(found.words):
                continue
            for function, call in found.calls:
                if self._may_trace(call.func):
                    handed = self.handed.setdefault(function, set())
                    for argument in self._callables(call):
                        handed.update(functions_in(argument))
                        if not isinstance(argument, ast.Lambda):
                            handed.add(CALL)
                    handed.update(functions_in(call.func))
                    if not function.name:  # perhaps among the members of a class
                        handed |= {f".{name}" for name in handed}

    def _takers(self) -> bool:
        """Note the functions that may trace what they are given; whether there are new ones."""
        known = len(self.names)
        for function, names in self.handed.items():
            outer: Function | None = function
            while outer is not None:
                if outer.name and not names.isdisjoint(outer.parameters):
                    self.names.add(outer.called)
                outer = outer.around
        for function in self.module.functions:
            if function.takes_functions and function.called not in self.names:
                if self._mentions_one(self.unit.words(function.block)):
                    self.names.add(function.called)
        return len(self.names) > known

    @cached_property
    def decorated(self) -> tuple[Function, ...]:
        """The functions that a decorator may hand to a transform."""
        return tuple(
            item
            for item in self.module.functions
            if any(self._may_trace(decorator) for decorator in item.decorators)
        )

    def _callables(self, call: ast.Call) -> Iterator[ast.expr]:
        """The arguments of what may be a transform that may be callables."""
        row = self._row(call.func)
        if row is None:
            inner = self._row(call.func.func) if isinstance(call.func, ast.Call) else None
            if inner is not None and isinstance(call.func, ast.Call) and call.func.args:
                return  # what is traced is given what it works on
        starred = any(isinstance(item, ast.Starred) for item in call.args)
        for index, argument in enumerate(call.args):
            if row is None or starred or index in row.callables:
                yield argument
        for item in call.keywords:
            if row is None or item.arg is None or item.arg in row.keywords:
                yield item.value

    def _row(self, node: ast.expr) -> Transform | None:
        """The row of the tables for what an expression names."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return None
        dotted = dotted_name(node, self.unit.imports)
        return TRANSFORMS.get(canonical(dotted)) if dotted is not None else None

    def _stands_for(self, node: ast.expr) -> bool:
        """Whether an expression may stand for a transform: an alias, a partial, a lambda."""
        if isinstance(node, ast.Call):
            dotted = dotted_name(node.func, self.unit.imports) or ""
            return (last_part(dotted) == "partial" or not node.args) and self._may_trace(node)
        kinds = (ast.Name, ast.Attribute, ast.IfExp, ast.Lambda)
        return isinstance(node, kinds) and self._may_trace(node)

    def _may_trace(self, node: ast.expr) -> bool:
        """Whether calling what an expression stands for, or decorating with it, may trace."""
        match node:
            case ast.Name(id=name):
                if name in self.names:
                    return True
                if name in self.unit.imports:
                    return canonical(self.unit.imports[name]) in TRACING
                return name in TRANSFORM_WORDS and not hasattr(builtins, name)
            case ast.Attribute(attr=name):
                if name in self.names:
                    return True
                if name in DEFINES_RULES or name not in TRANSFORM_WORDS:
                    return name in DEFINES_RULES
                return canonical(dotted_name(node, self.unit.imports) or "") in TRACING
            case ast.Call():
                given = (*node.args, *(item.value for item in node.keywords))
                if isinstance(node.func, _NAMING) and self._may_trace(node.func):
                    return True
                return any(isinstance(item, _NAMING) and self._may_trace(item) for item in given)
        names = names_in(node)
        return not names.isdisjoint(TRANSFORM_WORDS) or not names.isdisjoint(self.names)
