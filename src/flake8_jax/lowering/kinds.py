"""Tables by kinds of libcst nodes."""

from typing import Any


class LoweringError(Exception):
    """A node that the lowered program has no form for."""


class ByKind(dict[type[Any], Any]):
    """A table by classes of nodes. A subclass finds the row of the class that it refines."""

    def __missing__(self, kind: type[Any]) -> Any:
        for base in kind.__mro__[1:]:
            if base in self:
                self[kind] = self[base]
                return self[kind]
        raise LoweringError(kind.__name__)
