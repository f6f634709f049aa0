"""Assignments to frozen objects: they raise, in traced code and elsewhere."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from flake8_jax.effects.callees import FunctionRef
from flake8_jax.effects.interpreter import Application
from flake8_jax.effects.project import position
from flake8_jax.effects.summaries import Refusal, Site
from flake8_jax.resolution.modules import Module
from flake8_jax.verdicts import lazy_caches
from flake8_jax.verdicts.mocks import may_be_mocked
from flake8_jax.verdicts.places import Place
from flake8_jax.verdicts.reached import Reached, settled
from flake8_jax.verdicts.telling import told_frozen

FROZEN = "JAX204"
CODES = (FROZEN,)


def places(module: Module) -> list[Place]:
    """The assignments to frozen objects that are reported."""
    return settled(module, _places)


def _places(found: Reached) -> Iterator[Place]:
    if any(outcome.refusals for outcome in found.outcomes.values()):
        module = found.world.modules[found.key]
        lazy = {place[:2] for place in lazy_caches.places(module)}  # there it is a cache
        for raised in dict.fromkeys(_raised(found)):
            line, column = position(found.world, raised.site)
            if (line, column) not in lazy and not may_be_mocked(found.world, raised.refusal):
                told = told_frozen(found.world, found.key, raised.refusal, raised.site)
                yield Place(line, column, FROZEN, told, raised)


class Raised(NamedTuple):
    """A refusal, and where it is reported."""

    refusal: Refusal
    site: Site


class _Entry(NamedTuple):
    """Where code of the module calls a function of another one."""

    ref: FunctionRef
    calling: Site


def _raised(found: Reached) -> Iterator[Raised]:
    """The errors that code of the module does not expect, wherever they are raised."""
    outcomes, key = found.outcomes, found.key
    permitted = {site for outcome in outcomes.values() for site in outcome.permitted}
    expected = {item for outcome in outcomes.values() for item in outcome.expected}
    seen: set[tuple[Application, _Entry | None]] = set()
    stack: list[tuple[Application, _Entry | None]] = [(root, None) for root in found.roots]
    while stack:
        here = stack.pop()
        application, entry = here
        outcome = outcomes.get(application)
        if here in seen or outcome is None:
            continue
        seen.add(here)
        is_own = application.ref.module == key
        for refusal in outcome.refusals:
            if is_own:
                is_sure = bool(application.given) or refusal.site not in permitted
                if is_sure and application.ref.function not in expected:
                    yield Raised(refusal, refusal.site)
            elif entry is not None and not _raises_itself(found, entry.ref, refusal):
                yield Raised(refusal, entry.calling)
        for call in outcome.calls:
            target = Application(call.ref, call.given)
            into = _Entry(call.ref, call.site) if is_own else entry
            stack.append((target, into if call.ref.module != key else None))


def _raises_itself(found: Reached, ref: FunctionRef, refusal: Refusal) -> bool:
    """Whether a function, or one that it calls, refuses whatever it is given.

    Then its own module says so.
    """
    itself = Application(replace(ref, captured=()))
    found.world.interpreter.summary(*itself)
    outcomes = found.world.interpreter.reached((itself,)).values()
    return any(item.site == refusal.site for outcome in outcomes for item in outcome.refusals)
