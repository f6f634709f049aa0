"""The interpreter: from functions to summaries, to the fixpoint."""

import weakref
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import partial
from typing import Any

from flake8_jax.effects.callees import FunctionRef
from flake8_jax.effects.evaluate import evaluate
from flake8_jax.effects.execute import execute
from flake8_jax.effects.fixpoint import SummaryTable
from flake8_jax.effects.frame import Frame
from flake8_jax.effects.parameters import enter
from flake8_jax.effects.paths import AccessPath
from flake8_jax.effects.summaries import BOTTOM, Outcome, Summary, join_summaries
from flake8_jax.effects.values import NOTHING_RETURNED, join
from flake8_jax.effects.world import Asking, Given, World


class Application:
    """A function, and what is known of what it is given.

    It is looked up many times for each call. So there is one of each as long as somebody has it:
    two that are equal are the same.
    """

    __slots__ = ("__weakref__", "given", "ref")

    ref: FunctionRef
    given: Given

    def __new__(cls, ref: FunctionRef, given: Given = ()) -> "Application":
        key = ref, given
        known = _MADE.get(key)
        made = known() if known is not None else None
        if made is None:
            made = object.__new__(cls)
            made.ref, made.given = ref, given
            _MADE[key] = weakref.ref(made, partial(_drop, key))
        return made

    def __iter__(self) -> Iterator[Any]:
        yield self.ref
        yield self.given


_MADE: dict[tuple[FunctionRef, Given], "weakref.ref[Application]"] = {}
"""All that somebody has."""


def _drop(key: tuple[FunctionRef, Given], made: "weakref.ref[Application]") -> None:
    """Forget one that nobody has any more."""
    if _MADE.get(key) is made:
        del _MADE[key]


def _is_about(key: Application, paths: Set[str]) -> bool:
    """Whether a function stands in one of some files, or what it is given leads there."""
    if key.ref.module in paths:
        return True
    stack: list[object] = [key.ref.captured, key.given]
    while stack:
        match stack.pop():
            case str() as text if text in paths:
                return True
            case AccessPath(root=root):
                stack.append(root)
            case FunctionRef(module=module, captured=captured):
                stack += (module, captured)
            case tuple() | frozenset() as parts:
                stack += parts
    return False


class Interpreter:
    """Summaries of functions, computed when somebody asks."""

    def __init__(self, world: World) -> None:
        self._asking = Asking(world, self.summary)
        self._table = SummaryTable[Application, Summary](self._interpret, join_summaries, BOTTOM)
        self._outcomes: dict[Application, Outcome] = {}

    @property
    def world(self) -> World:
        """The project around the functions."""
        return self._asking.world

    @property
    def computations(self) -> int:
        """How often a function was interpreted: the work, as tests count it."""
        return self._table.computations

    def release(self) -> None:
        """Forget all summaries."""
        self._outcomes.clear()
        self._table.release()

    def drop(self, paths: Set[str]) -> None:
        """Forget the summaries that have to do with some files."""
        for key in self._table.drop(lambda key: _is_about(key, paths)):
            self._outcomes.pop(key, None)

    def summary(self, ref: FunctionRef, given: Given = ()) -> Summary:
        """What a function does."""
        return self._table.ask(Application(ref, given))

    def outcome(self, ref: FunctionRef, given: Given = ()) -> Outcome:
        """All that is known of a function."""
        self.summary(ref, given)
        return self._outcomes[Application(ref, given)]

    def reached(self, keys: Iterable[Application]) -> Mapping[Application, Outcome]:
        """What is known of some functions, and of all that they call."""
        return {key: self._outcomes[key] for key in self._table.reached(keys)}

    def _interpret(self, key: Application) -> Summary:
        frame = Frame(key.ref, self._asking, evaluate)
        enter(frame, key.given)
        execute(frame, key.ref.function.body)
        if frame.asking.world.is_stub(key.ref):
            frame.leave_open()
        elif frame.state.reachable:
            is_generator = key.ref.function.yields and frame.results
            frame.give_back(join(frame.results) if is_generator else NOTHING_RETURNED)
        outcome = self._outcomes[key] = frame.outcome()
        return outcome.summary
