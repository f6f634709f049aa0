"""Whether a call can hand its arguments over: one that cannot raises before its function runs."""

from collections.abc import Iterable, Sequence

import libcst as cst

from flake8_jax.flow.decorators import hands_on
from flake8_jax.flow.values import FunctionRef, changed
from flake8_jax.knowledge.caches import FUNCTION_CACHES, NOT_BOUND
from flake8_jax.knowledge.objects import KEEPS_SIGNATURE
from flake8_jax.knowledge.transforms import CUSTOM_RULES, TRANSFORMS
from flake8_jax.model import ModelClass
from flake8_jax.names import applied
from flake8_jax.syntax import walk

_SAME_SIGNATURE = (TRANSFORMS.keys() - CUSTOM_RULES) | FUNCTION_CACHES | NOT_BOUND | KEEPS_SIGNATURE


def fitting(ref: FunctionRef, arguments: Sequence[cst.Arg]) -> FunctionRef | None:
    """A function, or what may be called instead, as far as a call can hand it its arguments."""
    options = (changed(ref, overrides=()), *ref.overrides)
    found = [item for item in options if fits(item, arguments)]
    if not found:
        return None
    return changed(found[0], overrides=tuple(found[1:])) if len(found) < len(options) else ref


def fits(ref: FunctionRef, arguments: Sequence[cst.Arg]) -> bool:
    """Whether a call can hand its arguments to a function."""
    return _binds(ref, *_handed(arguments))


def takes(ref: FunctionRef, given: int) -> bool:
    """Whether a function can be called with so many arguments, all by position."""
    return _binds(ref, given, (), spread=False)


def may_be_called(ref: FunctionRef) -> bool:
    """Whether any call can be right for a function with the arguments that it has already."""
    return _binds(ref, 0, (), spread=True)


def constructs(cls: ModelClass, init: FunctionRef, arguments: Sequence[cst.Arg]) -> bool:
    """Whether a call of a class can hand its arguments to its constructor."""
    for item in cls.lineage:
        keywords = any(base.keyword is not None for base in item.node.bases)
        if keywords or item.node.decorators or "__new__" in item.methods:
            return True
    given, named, spread = _handed(arguments)
    return not cls.is_plain or _binds(init, 1 + given, named, spread)


def _handed(arguments: Sequence[cst.Arg]) -> tuple[int, list[str], bool]:
    """How many arguments a call has by position, the names of others, and whether more may be."""
    given = sum(not item.star and item.keyword is None for item in arguments)
    named = [item.keyword.value for item in arguments if item.keyword is not None]
    return given, named, any(item.star for item in arguments)


def _binds(ref: FunctionRef, given: int, named: Iterable[str], spread: bool) -> bool:
    """Whether arguments find parameters, or something else may take them than what is written."""
    if ref.is_spread or _find_parameters(ref, given, named, spread):
        return True
    return not _keeps_signature(ref) or _is_replaced(ref)


def _find_parameters(ref: FunctionRef, given: int, named: Iterable[str], spread: bool) -> bool:
    """Whether arguments find parameters by the rules of Python; with a spread, more may come."""
    params = ref.node.params
    first = [item.name.value for item in params.posonly_params]
    placed = [*first, *(item.name.value for item in params.params)]
    keyword_only = [item.name.value for item in params.kwonly_params]
    given += len(ref.bound)
    names = {*ref.keywords, *named}
    if given > len(placed) and not isinstance(params.star_arg, cst.Param):
        return False
    known = {*placed, *keyword_only}.difference(first)
    if not names <= known and params.star_kwarg is None:
        return False
    if not names.isdisjoint(set(placed[:given]).difference(first)):
        return False
    if spread:
        return True
    items = (*params.posonly_params, *params.params, *params.kwonly_params)
    optional = {item.name.value for item in items if item.default is not None}
    missing = {*placed[given:], *keyword_only} - optional
    return missing <= names.difference(first)


def _keeps_signature(ref: FunctionRef) -> bool:
    """Whether the decorators of a function leave it the parameters that are written down."""
    if isinstance(ref.node, cst.Lambda):
        return True
    return all(
        applied(item.decorator, ref.scope, steps=1).all_in(_SAME_SIGNATURE)
        or hands_on(item.decorator, ref.scope)
        for item in ref.node.decorators
    )


def _is_replaced(ref: FunctionRef) -> bool:
    """Whether objects have something else under the name of a method: ``self.step = jit(…)``."""
    cls = ref.bound[0].cls() if ref.is_method and ref.bound else None
    return any(ref.name in _stored(owner) for owner in (cls.lineage if cls is not None else ()))


def _stored(cls: ModelClass) -> frozenset[str]:
    """The attributes that the methods of a class assign, of whatever object."""
    if _stored not in cls.memo:
        targets = (node.target for node in walk(cls.node) if isinstance(node, cst.AssignTarget))
        names = (item.attr.value for item in targets if isinstance(item, cst.Attribute))
        cls.memo[_stored] = frozenset(names)
    found = cls.memo[_stored]
    assert isinstance(found, frozenset)
    return found
