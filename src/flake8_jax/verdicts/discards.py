"""Updated copies that are thrown away."""

from collections.abc import Iterator

from flake8_jax.effects.project import position
from flake8_jax.resolution.modules import Module
from flake8_jax.verdicts.places import Place
from flake8_jax.verdicts.quotes import updated
from flake8_jax.verdicts.reached import Reached, settled
from flake8_jax.wording import Told

DISCARDED = "JAX401"
CODES = (DISCARDED,)


def places(module: Module) -> list[Place]:
    """The updates whose results nobody gets."""
    return settled(module, _places)


def _places(found: Reached) -> Iterator[Place]:
    module = found.world.modules[found.key]
    in_place = {site for outcome in found.outcomes.values() for site in outcome.in_place}
    for application, outcome in found.outcomes.items():
        for discard in outcome.discards:
            site = discard.site
            if site.module != found.key or site in in_place:
                continue
            if discard.is_certain or application in found.traced:
                yield Place(
                    *position(found.world, site),
                    DISCARDED,
                    told=Told(updated(module, site)),
                    subject=site,
                )
