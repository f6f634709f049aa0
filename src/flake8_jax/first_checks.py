"""What the first core finds for each rule."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from flake8_jax.caches import Outcome, PytreeCache, pytree_caches, pytree_lazy_stores
from flake8_jax.first_words import Finding, findings, told_cache, update
from flake8_jax.flow.analysis import Flow
from flake8_jax.flow.brought import Brought
from flake8_jax.model import CacheForm, Model
from flake8_jax.rules import RULES
from flake8_jax.wording import Told, ToldCache, ToldFrozen
from flake8_jax.writes import lazy_nodes

if TYPE_CHECKING:
    from flake8_jax.fixes.edits import Fix

Check: TypeAlias = Callable[[Model], Iterator[Finding]]

_SAYS = {rule.code: rule.message for rule in RULES}


def _fix(how: str, *found: Any) -> "Fix | None":
    from flake8_jax.fixes import first

    fix: Fix | None = getattr(first, how)(*found)
    return fix


def _caches(
    model: Model,
    code: str,
    form: CacheForm,
    is_meant: Callable[[PytreeCache], bool],
    how: str | None = None,
) -> Iterator[Finding]:
    """The caches of pytree classes that are meant."""
    for found in pytree_caches(model, form):
        if is_meant(found):
            mend = partial(_fix, how, found) if how is not None else None
            yield Finding(found.cls.piece, found.anchor, _SAYS[code](told_cache(found)), mend)


def _is_hazard(found: PytreeCache, jitted: bool) -> bool:
    return found.outcome is Outcome.HAZARD and found.cache.jitted is jitted


def _lazy(model: Model) -> Iterator[Finding]:
    for found in model.once(pytree_lazy_stores):
        if found.is_hazard:
            told = ToldCache(found.label, found.making.kind.filling)
            yield Finding(found.cls.piece, found.anchor, _SAYS["JAX104"](told))


def _frozen(model: Model) -> Iterator[Finding]:
    lazy = model.once(lazy_nodes)
    flow = model.once(Flow.of)
    for node, write in flow.frozen_writes.items():
        if node not in lazy and write.function not in flow.expected_to_raise:
            refusal = write.refusal
            told = ToldFrozen(str(write.text), refusal.label, update(refusal.kind, refusal.cls))
            mend = partial(_fix, "bind_copy", model, node, write)
            yield Finding(write.piece, node, _SAYS["JAX204"](told), mend)


def _discarded(model: Model) -> Iterator[Finding]:
    flow = model.once(Flow.of)
    within = Brought.by(flow).functions
    found = {
        node: place
        for node, place in flow.discarded.items()
        if flow.updating.get(node) not in flow.kernels
    }
    for node, (piece, text, function) in flow.discarded_if_traced.items():
        if function in within:
            found[node] = (piece, text)
    for node, (piece, text) in found.items():
        mend = partial(_fix, "bind_result", model, piece, node)
        yield Finding(piece, node, _SAYS["JAX401"](Told(str(text))), mend)


def _writes(code: str, how: str | None = None) -> Check:
    fix = partial(_fix, how) if how is not None else None
    return partial(findings, code=code, text=_SAYS[code], fix=fix)


CHECKS: Mapping[str, Check] = {
    "JAX101": partial(
        _caches,
        code="JAX101",
        form=CacheForm.PROPERTY,
        is_meant=partial(_is_hazard, jitted=False),
        how="plain_property",
    ),
    "JAX102": partial(
        _caches,
        code="JAX102",
        form=CacheForm.PROPERTY,
        is_meant=partial(_is_hazard, jitted=True),
        how="plain_property",
    ),
    "JAX103": partial(
        _caches,
        code="JAX103",
        form=CacheForm.FUNCTION,
        is_meant=lambda found: found.outcome is Outcome.HAZARD,
        how="plain_method",
    ),
    "JAX104": _lazy,
    "JAX105": _writes("JAX105"),
    "JAX106": _writes("JAX106"),
    "JAX201": _writes("JAX201", "hand_back"),
    "JAX202": _writes("JAX202"),
    "JAX203": _writes("JAX203"),
    "JAX204": _frozen,
    "JAX205": _writes("JAX205", "bind_array"),
    "JAX206": _writes("JAX206"),
    "JAX301": _writes("JAX301"),
    "JAX302": _writes("JAX302"),
    "JAX303": _writes("JAX303"),
    "JAX401": _discarded,
    "JAX901": _writes("JAX901"),
    "JAX902": _writes("JAX902"),
    "JAX903": partial(
        _caches,
        code="JAX903",
        form=CacheForm.PROPERTY,
        is_meant=lambda found: found.outcome is Outcome.RETRACED,
    ),
    "JAX904": _writes("JAX904"),
}
"""What looks for the places of each code."""
