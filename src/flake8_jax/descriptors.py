"""A project's own cached properties, told by their source: they keep a result on the instance.

That is a descriptor class whose ``__get__`` stores what its function gave, or a function that makes
a property which does.
"""

from collections.abc import Iterable, Iterator

import libcst as cst

from flake8_jax.syntax import flat, is_name, last_part, parameter_names, walk

_TRACER_TESTS = frozenset({"is_concrete", "trace_state_clean"})
_STORING_CALLS = frozenset({"setattr", "__setattr__"})
_STORING_METHODS = frozenset({"setdefault", "update", "__setitem__"})


def may_be_guarded(words: Iterable[str]) -> bool:
    """Whether code with these words may ask if a value is a Tracer."""
    return any("tracer" in word.lower() or word in _TRACER_TESTS for word in words)


def is_guarded(node: cst.CSTNode) -> bool:
    """Whether code asks if a value is a Tracer, itself or by a function that is called so."""
    for item in walk(node):
        if is_name(item, "Tracer"):
            return True
        if type(item) is cst.Call:
            name = last_part(item.func) or ""
            if name in _TRACER_TESTS or "tracer" in name.lower():
                return True
    return False


def getter(node: cst.ClassDef) -> cst.FunctionDef | None:
    """The ``__get__`` of a descriptor class."""
    for item in flat(node.body):
        if isinstance(item, cst.FunctionDef) and item.name.value == "__get__":
            return item
    return None


def keeps_values(node: cst.ClassDef | cst.FunctionDef) -> bool:
    """Whether a class or function, used as a decorator, makes a cached property."""
    if isinstance(node, cst.ClassDef):
        get = getter(node)
        names = list(parameter_names(get)) if get is not None else []
        return get is not None and len(names) > 1 and _keeps(get, names[1])
    inner = [item for item in flat(node.body) if isinstance(item, cst.FunctionDef)]
    return _makes_property(node) and any(
        _keeps(item, name) for item in inner for name in list(parameter_names(item))[:1]
    )


def _makes_property(function: cst.FunctionDef) -> bool:
    """Whether a function calls ``property``, or decorates a function inside with it."""
    return any(
        (type(item) is cst.Call and is_name(item.func, "property"))
        or (type(item) is cst.Decorator and is_name(item.decorator, "property"))
        for item in walk(function.body)
    )


def _keeps(function: cst.FunctionDef, instance: str) -> bool:
    """Whether a function stores, on a parameter, what it computes from it."""
    computed = _computed(function, instance)
    owners = {instance, *_dictionaries(function, instance)}
    return any(
        _is_computed(value, instance, computed)
        for node in walk(function.body)
        for value in _stored(node, owners)
    )


def _stored(node: cst.CSTNode, owners: set[str]) -> Iterator[cst.BaseExpression]:
    """What a statement or call stores on one of some names."""
    match node:
        case cst.Assign():
            for target in node.targets:
                if not isinstance(target.target, cst.Name) and _root(target.target) in owners:
                    yield node.value
        case cst.Call(func=func, args=[first, *_, last]):
            storing = last_part(func) in _STORING_CALLS and _root(first.value) in owners
            method = isinstance(func, cst.Attribute) and func.attr.value in _STORING_METHODS
            if storing or (method and _root(func) in owners):
                yield last.value


def _root(node: cst.BaseExpression) -> str | None:
    """The name at the root of an attribute or element; of ``vars(x)``, x."""
    while True:
        match node:
            case cst.Attribute(value=inner) | cst.Subscript(value=inner):
                node = inner
            case cst.Call(func=cst.Name(value="vars"), args=[cst.Arg(value=inner)]):
                node = inner
            case cst.Name(value=name):
                return name
            case _:
                return None


def _dictionaries(function: cst.FunctionDef, instance: str) -> Iterator[str]:
    """The local names of ``instance.__dict__``, ``vars(instance)`` and the like."""
    for node in walk(function.body):
        match node:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
                plain = isinstance(node.value, cst.Name)
                if not plain and _root(node.value) == instance:
                    yield name


def _computed(function: cst.FunctionDef, instance: str) -> frozenset[str]:
    """The local names of results that are computed from the instance."""
    found: set[str] = set()
    for node in walk(function.body):
        match node:
            case cst.Assign() if _is_computed(node.value, instance, frozenset()):
                targets = [item.target for item in node.targets]
                found |= {item.value for item in targets if isinstance(item, cst.Name)}
            case cst.NamedExpr(target=cst.Name(value=name)):
                found |= {name} if _is_computed(node.value, instance, frozenset()) else set()
    return frozenset(found)


def _is_computed(node: cst.BaseExpression, instance: str, computed: frozenset[str]) -> bool:
    """Whether a value is the result of a call that is given the instance."""
    if isinstance(node, cst.Name):
        return node.value in computed
    reads = {"hasattr", "getattr", "vars", "id", "type"}
    return (
        isinstance(node, cst.Call)
        and last_part(node.func) not in reads
        and any(is_name(argument.value, instance) for argument in node.args)
    )
