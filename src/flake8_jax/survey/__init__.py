"""The second gate: what of a module may matter, told by names, before libcst sees any of it."""

from flake8_jax.survey.neighbours import Unit
from flake8_jax.survey.relevance import Relevant, survey

__all__ = ["Relevant", "Unit", "survey"]
