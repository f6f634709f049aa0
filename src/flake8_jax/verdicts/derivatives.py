"""Rules of ``custom_vjp``: outside of traced code they run on arrays, and leave no Tracer."""

from collections.abc import Iterator

from flake8_jax.effects.callees import Partial, Traced
from flake8_jax.effects.summaries import Run, Trace
from flake8_jax.knowledge.transforms import WITH_FORWARD
from flake8_jax.verdicts.reached import Reached


class Derivatives:
    """The functions with such rules that traced code calls, as far as somebody asks."""

    def __init__(self, found: Reached) -> None:
        self._found = found
        self._modules: frozenset[str] | None = None

    def are_traced(self, trace: Trace) -> bool:
        """Whether the rule of a derivative gets Tracers in code that is in sight."""
        if not trace.transform.waits or not self._found.is_whole:
            return True
        if self._modules is None:
            self._modules = frozenset(self._look())
        return trace.defined.module in self._modules

    def _look(self) -> Iterator[str]:
        """The modules of the functions that code calls which is staged."""
        staged = [item for item, runs in self._found.runs.items() if any(map(_is_staged, runs))]
        for outcome in self._found.world.interpreter.reached(staged).values():
            for run in outcome.runs:
                if run.traced.transform.name == WITH_FORWARD:
                    yield run.function.module


def _is_staged(run: Run) -> bool:
    callee = run.traced
    while isinstance(callee, Traced | Partial):
        if isinstance(callee, Traced) and callee.transform.staged:
            return True
        callee = callee.callee
    return False
