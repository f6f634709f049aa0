"""The bounds of what is found out about classes, each with its reason.

Beyond a bound the answer is *unknown*, for whoever asks.
"""

ANCESTORS = 200
"""How many classes of the project a class may inherit from.

No class of the fixtures, numpyro, flax and netket has more than 7. Without a bound, a chain of
classes would cost the square of its length.
"""

MARKER_STEPS = 5
"""Through how many functions of the project's own a marker of pytrees is looked for."""

CALL_STEPS = 4
"""Through how many functions that call each other a change of a class is looked for."""

QUESTION_STEPS = 3
"""Through how many functions that call each other a question about Tracers is looked for."""

FIELD_STEPS = 4
"""Through how many functions of the project's own a call is followed that declares a field."""
