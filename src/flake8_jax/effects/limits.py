"""Every bound of the interpretation, with its reason. What lies beyond one is unknown to everybody.

``docs/analysis.md`` lists them; a test compares.
"""

SELECTORS = 6
"""How long an access path gets. A longer one ends in "something below", where nothing is known."""

REPEATS = 2
"""How often one selector comes in a path: ``node.next.next`` does, and a third ``.next`` is cut."""

PATHS = 16
"""How many objects a value may be. A value that may be more may be any."""

READS = 16
"""How many objects a function is known to read one by one. Beyond, paths are cut shorter."""

TARGETS = 16
"""To how many objects one place in a function is known to write. Beyond, paths are cut shorter."""

CALLEES = 16
"""How many functions a value may call. What a value calls that may be more is unknown."""

NESTING = 3
"""How deep the parts of a new object are known to those that a function returns it to."""

DOTTED = 12
"""How many names the dotted name of something in a library has. The longest that is known has 5."""

LAYERS = 3
"""How many partials and transforms may lie around a callable that is handed to a function."""

CAPTURES = 3
"""How deep functions that are handed out have captured functions: decorators on decorators."""

CALLABLES = 8
"""How many functions one argument may call, with those that they have bound or captured. Of one
that calls more, only the outermost are known to the function that gets it."""

RETURNED = 32
"""How many functions a returned value may call, counted in the same way."""

ASKS = 8
"""Of how many parts of what it is given a function may ask what they call."""

ASKED = 3
"""How many selectors may lead to such a part."""

ANSWERS = 3
"""How often a function is asked anew what else it calls, once it has been told."""

ITEMS = 16
"""How many elements of a tuple are handed to a function one by one."""

STEPS = 40
"""How many calls may lead to a write. One that lies further away is not known."""

VIA = 8
"""How many functions on the way to a write are named."""

CALLS = 4
"""How many calls into other modules on the way to a write are known."""

ITERATIONS = 6
"""How often a loop is gone through. What changes even then is not followed further."""
