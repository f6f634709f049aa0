"""Which tests leave it open what happens: those that no call decides.

What a call is given has one shape or another, is of one class or another, and holds a key or
lacks it: there are calls for each way. Whether a setting is on, or an attribute None, is decided
once, somewhere that nobody has looked at.
"""

from collections.abc import Iterator, Set

from flake8_jax.classes.walks import last_name
from flake8_jax.effects.values import UNKNOWN_ORIGIN, Origin
from flake8_jax.lowering.program import Attr, Call, Expr, Item, New, Op, Target, Unpack, Var
from flake8_jax.lowering.walk import walk

_SHAPES = frozenset({"ndim", "shape", "size", "dtype"})
_QUESTIONS = frozenset({"isinstance", "issubclass", "len", "hasattr", "ndim", "shape", "callable"})
_LACKING = frozenset({"AttributeError", "IndexError", "KeyError", "LookupError"})
_ORDERS = ("<", "<=", ">", ">=")
_MEMBERSHIP = ("in", "not in")


def is_of_the_call(test: Expr, origin: Origin = UNKNOWN_ORIGIN) -> bool:
    """Whether calls decide a test, some in one way and some in the other.

    So they do where what is computed is compared, of which it is certain that it may be traced.
    """
    is_computed = bool(origin.sources) and not origin.concrete and not origin.doubtful
    match test:
        case Op(symbol=symbol, operands=operands) if symbol in _ORDERS and is_computed:
            return any(isinstance(item, Call) for item in operands)
        case Op(symbol=symbol, operands=operands):
            return symbol in _MEMBERSHIP or any(map(is_of_the_call, operands))
        case Call(callee=callee, args=args):
            return last_name(callee) in _QUESTIONS or any(map(is_of_the_call, args))
        case Item(base=base):
            return is_of_the_call(base)
        case Attr(base=base, name=name):
            return name in _SHAPES or is_of_the_call(base)
    return False


def asks_for_what_lacks(kind: Expr | None) -> bool:
    """Whether a handler is there for a key or an attribute that some calls ask for in vain."""
    match kind:
        case New(parts=parts):
            return any(map(asks_for_what_lacks, parts))
        case Var() | Attr():
            return last_name(kind) in _LACKING
    return False


def names_one(test: Expr, rounds: Set[str]) -> bool:
    """Whether a test is about what a loop goes through: some rounds go one way, some the other."""
    return any(isinstance(item, Var) and item.name in rounds for item in walk(test))


def names_of(target: Target) -> Iterator[str]:
    """The variables that a target gives values to."""
    match target:
        case Var(name=name):
            yield name
        case Unpack():
            for item in target.targets:
                yield from names_of(item)
