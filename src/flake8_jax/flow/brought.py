"""Which variables of traced code a trace brings in, and which hold what was there before."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from flake8_jax.flow.analysis import Flow, parameters
from flake8_jax.flow.traces import is_same
from flake8_jax.flow.values import ARRAYS, Root, Trace
from flake8_jax.syntax import Function


@dataclass(frozen=True, eq=False)
class Brought:
    """The functions that run under some trace, and the variables that may hold its Tracers."""

    functions: frozenset[Function] = frozenset()
    _roots: frozenset[Root] = frozenset()
    """The variables that are known to."""
    _others: frozenset[Root] = frozenset()
    """The variables of which all is known that they are given, and that is not traced."""
    _traces: Mapping[Function, list[Trace]] = field(default_factory=dict)

    @classmethod
    def by(cls, flow: Flow) -> "Brought":
        """What the traces of a module bring in."""
        traces: dict[Function, list[Trace]] = {}
        for trace in flow.traces:
            traces.setdefault(trace.function.node, []).append(trace)
        roots = _reached(flow, {root for trace in flow.traces for root in _rebuilt(trace)})
        passed = (root for root in flow.passed if root.owner not in flow.escaped)
        others = frozenset(root for root in passed if root not in roots)
        return cls(_functions(flow), frozenset(roots), others, traces)

    def brings(self, root: Root) -> bool:
        """Whether a variable of traced code may hold a Tracer."""
        if root.owner not in self.functions:
            return False
        traces = self._traces.get(root.owner, []) if root.owner is not None else []
        if root in self._roots:
            return True
        if traces:
            return not all(is_same(trace, root.name) for trace in traces)
        return root not in self._others


NOTHING_BROUGHT = Brought()


def _rebuilt(trace: Trace) -> Iterator[Root]:
    """The parameters of a traced callable that are not what the caller has."""
    for parameter in parameters(trace.function.node):
        if parameter.name not in trace.same:
            yield Root(trace.function.node, parameter.name)


def _reached(flow: Flow, roots: set[Root]) -> set[Root]:
    """The variables that are computed from some."""
    leading: dict[Root, list[Root]] = {}
    for root, sources in flow.passed.items():
        for source in sources:
            leading.setdefault(source, []).append(root)
            leading.setdefault(Root(source.owner, source.whole), []).append(root)
    found, stack = set(roots), [*roots, ARRAYS.root]
    while stack:
        for root in leading.get(stack.pop(), ()):
            if root not in found:
                found.add(root)
                stack.append(root)
    return found


def _functions(flow: Flow) -> frozenset[Function]:
    """The functions that run under some trace."""
    found: set[Function] = set()
    stack = [trace.function for trace in flow.traces]
    while stack:
        ref = stack.pop()
        if ref.node not in found:
            found.add(ref.node)
            stack += flow.summary(ref).calls
    return frozenset(found)
