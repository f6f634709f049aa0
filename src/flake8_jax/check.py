"""Runs the rules over one module. Imported only for files that passed the gates."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from flake8_jax.faults import fault
from flake8_jax.findings import Placed
from flake8_jax.gates.text import OPT_IN, is_on
from flake8_jax.resolution.modules import Module, module_of
from flake8_jax.rules import RULES
from flake8_jax.verdicts import arrays, caches, discards, frozen, lazy_caches, writes
from flake8_jax.verdicts.places import Place
from flake8_jax.workspace.files import File, Project

Part: TypeAlias = Callable[[Module], Iterable[Place]]

PARTS: Mapping[tuple[str, ...], Part] = {
    caches.CODES: caches.places,
    lazy_caches.CODES: lazy_caches.places,
    writes.CODES: writes.places,
    frozen.CODES: frozen.places,
    discards.CODES: discards.places,
    arrays.CODES: arrays.places,
}
"""What finds the places of some codes in a module."""

_RULES = {rule.code: rule for rule in RULES}


def check(project: Project, file: File, named: Sequence[str]) -> list[Placed]:
    """The findings of all rules that are on, in the order of the text.

    Where an opt-in rule meets another one in the same place, the other one speaks.

    ``named`` are the codes that the user selected. A part that fails loses its own findings and no
    others.
    """
    module = module_of(project, file)
    on = {rule.code for rule in RULES if is_on(rule.code, named)}
    found: dict[tuple[int, int, str], Placed] = {}
    for codes, part in PARTS.items():
        if on.intersection(codes):
            try:
                for place in part(module):
                    found.setdefault(place[:3], _placed(module, place))
            except Exception:
                fault("%s failed", ", ".join(codes))
    certain = {key[:2] for key in found if not key[2].startswith(OPT_IN)}
    return [
        item
        for key, item in sorted(found.items(), key=lambda pair: pair[0])
        if item.code in on and (key[:2] not in certain or not item.code.startswith(OPT_IN))
    ]


def _placed(module: Module, place: Place) -> Placed:
    rule = _RULES[place.code]
    fix = None
    if rule.mend is not None and place.subject is not None:
        fix = partial(rule.mend, module, place.subject)
    return Placed(*place[:3], rule.message(place.told), module.file, place.told, fix)
