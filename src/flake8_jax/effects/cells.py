"""Variables of functions that have returned, where one function alone has what still sees them."""

from collections.abc import Iterable

from flake8_jax.effects.callees import Cached, FunctionRef, Partial, Traced, bound_in
from flake8_jax.effects.paths import Root
from flake8_jax.effects.values import Callee, Value


class OwnCells:
    """The variables that live on in closures which a function has got from those that it called."""

    def __init__(self) -> None:
        self._own: set[Root] = set()
        self._seen: set[Root] = set()
        """Those that others may look at, or a closure that is called again."""

    def note_made(self, roots: Iterable[Root]) -> None:
        """Note that a call has handed out a closure that sees some variables."""
        self._own.update(roots)

    def note_used(self, ref: FunctionRef, written: Iterable[Root]) -> None:
        """Note that a closure is called after some variables were written."""
        if self._own and ref.captured:
            self._seen.update(self._own & {*written} & {root for root, _ in ref.captured})

    def hand_on(self, values: Iterable[Value]) -> None:
        """Note that others get some values, with all the closures in them."""
        if self._own:
            self._seen |= _captured(values)

    def is_forgotten(self, root: Root) -> bool:
        """Whether nobody looks at a variable any more."""
        return root in self._own and root not in self._seen


def _captured(values: Iterable[Value]) -> set[Root]:
    """The variables that the closures in some values see."""
    found: set[Root] = set()
    stack = [*values]
    while stack:
        here = stack.pop()
        stack += here.contents.items or ()
        stack += (part for _, part in here.contents.parts)
        for item in here.callees:
            callee: Callee = item
            while isinstance(callee, Partial | Traced | Cached):
                if isinstance(callee, Partial):
                    stack += bound_in(callee)
                callee = callee.callee
            if isinstance(callee, FunctionRef):
                found |= {root for root, _ in callee.captured}
                stack += (value for _, value in callee.captured)
    return found
