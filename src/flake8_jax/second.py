"""What the second core finds in a file: the parts of it that carry rules already."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from flake8_jax.faults import fault
from flake8_jax.findings import Placed
from flake8_jax.gate import OPT_IN, is_on
from flake8_jax.project import File, Project
from flake8_jax.resolution.modules import Module, module_of
from flake8_jax.rules import RULES
from flake8_jax.verdicts import arrays, caches, discards, frozen, lazy_caches, writes
from flake8_jax.verdicts.places import Place

if TYPE_CHECKING:
    from flake8_jax.fixes.edits import Fix

Part: TypeAlias = Callable[[Module], Iterator[Place]]

PARTS: Mapping[tuple[str, ...], Part] = {
    caches.CODES: caches.places,
    lazy_caches.CODES: lazy_caches.places,
    writes.CODES: writes.places,
    frozen.CODES: frozen.places,
    discards.CODES: discards.places,
    arrays.CODES: arrays.places,
}
"""What finds the places of some codes in a module."""


_BY_CODE = {rule.code: rule for rule in RULES}


def placed(project: Project, file: File, named: Sequence[str]) -> list[Placed]:
    """The findings of all rules that are on, by place, with what is printed."""
    codes = [rule.code for rule in RULES if is_on(rule.code, named)]
    module = module_of(project, file)
    return [
        Placed(*place[:3], message(place), file, _fix(module, place))
        for place in findings(project, file, codes)
    ]


def untraced(project: Project, file: File) -> list[Placed]:
    """What both cores report alike: elements of arrays that are assigned outside of traces."""
    try:
        found = [*arrays.places(module_of(project, file))]
    except Exception:
        fault("%s outside of traces failed", arrays.CODE)
        return []
    return [Placed(*place[:3], message(place), file) for place in found]


def _fix(module: Module, place: Place) -> "Callable[[], Fix | None] | None":
    mend = _BY_CODE[place.code].mend
    if mend is None or place.subject is None:
        return None
    return partial(mend, module, place.subject)


def message(place: Place) -> str:
    """What the rule says of a place; of one of which nothing is told, what was found."""
    return _BY_CODE[place.code].message(place.told) if place.told is not None else place.detail


def findings(project: Project, file: File, codes: Collection[str] | None = None) -> list[Place]:
    """The places of all codes, or of those that begin as one of some, in the order of the text.

    Where an opt-in rule meets another one in the same place, the other one speaks. A part that
    fails loses its own places and no others.
    """
    module = module_of(project, file)
    wanted = tuple(codes) if codes is not None else ("",)
    found: dict[tuple[int, int, str], Place] = {}
    for covered, part in PARTS.items():
        if any(code.startswith(wanted) for code in covered):
            try:
                for place in part(module):
                    found.setdefault(place[:3], place)
            except Exception:
                fault("%s of the second core failed", ", ".join(covered))
    certain = {place[:2] for place in found.values() if not place.code.startswith(OPT_IN)}
    return [
        place
        for _, place in sorted(found.items())
        if place.code.startswith(wanted)
        and (place[:2] not in certain or not place.code.startswith(OPT_IN))
    ]
