"""What calls do besides giving a value: then it matters how often they are made."""

ACTING = (
    "builtins.__import__",
    "builtins.breakpoint",
    "builtins.delattr",
    "builtins.eval",
    "builtins.exec",
    "builtins.input",
    "builtins.object.",
    "builtins.open",
    "builtins.print",
    "builtins.setattr",
    "datetime.date.today",
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
    "gc.",
    "jax.debug.",
    "jax.experimental.io_callback",
    "jax.numpy.load",
    "json.load",
    "logging.",
    "multiprocessing.",
    "numpy.fromfile",
    "numpy.genfromtxt",
    "numpy.load",
    "numpy.memmap",
    "numpy.random.",
    "os.",
    "pickle.load",
    "pprint.",
    "random.",
    "secrets.",
    "shutil.",
    "socket.",
    "subprocess.",
    "sys.",
    "tempfile.",
    "threading.",
    "time.",
    "uuid.",
    "warnings.",
)
"""Functions, and beginnings of their names, that act on the outside or depend on it."""

SEEDED = frozenset(
    {
        "numpy.random.Generator",
        "numpy.random.PCG64",
        "numpy.random.Philox",
        "numpy.random.RandomState",
        "numpy.random.SeedSequence",
        "numpy.random.default_rng",
        "random.Random",
        "uuid.UUID",
        "uuid.uuid3",
        "uuid.uuid5",
    }
)
"""Those of them that give the same each time, if they are given anything."""

READING = ("json.loads", "os.fspath", "os.path.", "pickle.loads", "sys.getsizeof", "sys.intern")
"""Those of them that give the same each time."""

OUTSIDE = frozenset({"os.environ", "os.environb", "sys.argv", "sys.path"})
"""What holds something from outside, which may be another thing the next time."""

GENERATORS = frozenset({"generator", "rng", "rngs"})
"""Names of objects whose methods draw numbers, in whatever case."""

STATEFUL = ("itertools.", "numpy.random.", "queue.", "random.")
"""Beginnings of the names of what makes objects that change when one takes something from them."""

ACTING_METHODS = frozenset(
    """__next__ acquire get_nowait iterdir put put_nowait read read_bytes read_text readline
    readlines recv release send throw write writelines""".split()
)
"""Methods that act, whatever has them."""

GIVES_BACK = frozenset(
    f"builtins.{name}"
    for name in (
        "enumerate filter getattr iter map max min next reversed sorted super vars zip"
    ).split()
)
"""Functions whose result may be, or hold, what they are given."""

ONE_SHOT = frozenset(
    f"builtins.{name}" for name in ("enumerate", "filter", "iter", "map", "reversed", "zip")
)
"""Functions whose result is used up when it is read."""

HOLDS = ("copy.", "dataclasses.", "equinox.tree_at", "jax.tree.", "jax.tree_util.")
"""Beginnings of names of functions that copy what they are given, and not what is in it."""

PUTS = ("operator.",)
"""Beginnings of names of functions that may put an argument into another one, or give it back."""

KEEPS_NOTHING = (
    "builtins.",
    "chex.",
    "copy.",
    "dataclasses.",
    "equinox.",
    "flax.",
    "functools.reduce",
    "jax.",
    "jaxtyping.",
    "math.",
    "numpy.",
    "optax.",
    "orbax.",
    "scipy.",
)
"""Beginnings of names of functions that do not keep what they are given."""


def acts(dotted: str, is_given_something: bool) -> bool:
    """Whether calls of a function do more than to give a value, or not the same one each time."""
    if not dotted.startswith(ACTING) or dotted.startswith(READING):
        return False
    return not (is_given_something and dotted in SEEDED)
