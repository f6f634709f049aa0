"""The functions that do nothing but give an updated copy back, told by their texts.

Where nobody gets the result of one, it is thrown away, without a trace, too.
"""

import re

from flake8_jax.effects.updates import UPDATE_NAMES, gives_update
from flake8_jax.lowering.program import Function
from flake8_jax.resolution.imports import neighbours
from flake8_jax.resolution.modules import Module
from flake8_jax.verdicts.mentions import mentions_of

_UPDATES = re.compile(
    rf"(?:return|=)[^\n=]{{0,200}}(?:\b(?:{'|'.join(sorted(UPDATE_NAMES))})\(|\.at\[)"
)
"""What a statement looks like that may give an updated copy back."""


def updating(module: Module) -> frozenset[str]:
    """The names of such functions, of a module and of those that it imports from."""
    others = {item.module for item in neighbours(module) if item.lead is not None}
    return _updates(module).union(*map(_updates, others))


def _updates(module: Module) -> frozenset[str]:
    def find() -> frozenset[str]:
        found = (block for block in module.blocks if _UPDATES.search(block.text) is not None)
        return frozenset(
            own.name
            for block in found
            for own in mentions_of(module, block)
            if isinstance(own.made, Function) and gives_update(own.made)
        )

    return module.once(_updates, find)
