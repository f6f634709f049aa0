"""The bounds of name resolution, each with its reason.

Beyond a bound the answer is *unknown*, for whoever asks. Chains of aliases and of re-exports have
no bound: they are followed without recursion, and one that leads back to itself ends there.
"""

ALTERNATIVES = 16
"""How many things a name may stand for.

No name of the fixtures, numpyro, flax, netket and brax has more than 3. Without a bound, names that
two modules take from each other, with an attribute more each time, would grow for ever.
"""

WRAPPERS = 8
"""How many functions and classes of the project's own, and calls, are seen through to a callable.

No decorator or base class of the same code takes more than 4. Wrappers that call each other would
be followed for ever.
"""
