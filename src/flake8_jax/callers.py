"""What the callers of a function have done before: they may have filled what it would fill.

Only what would be reported is asked about, so that nothing here has to be fast.
"""

from collections.abc import Iterator

from flake8_jax.flow.analysis import Flow
from flake8_jax.flow.values import FunctionRef, Write
from flake8_jax.lazy import absent_fills
from flake8_jax.syntax import walk

_CALLS_DEEP = 8


def is_filled_before(flow: Flow, ref: FunctionRef, write: Write) -> bool:
    """Whether an attribute is never empty any more when a function starts what would fill it."""
    return _fills(write) and _is_full(flow, ref, write, _CALLS_DEEP)


def _is_full(flow: Flow, ref: FunctionRef, write: Write, depth: int) -> bool:
    """Whether a function has filled the attribute before, or all that call it have."""
    earlier = [
        item
        for item in flow.summary(ref).writes
        if item.trace is None and item.place == write.place and item.order < write.order
    ]
    if earlier:
        return _fills(max(earlier, key=lambda item: item.order))
    owner = write.place.root.owner
    if owner is not ref.node:  # a variable of a function around, which has the write as well
        around = [item for item in _all(flow) if item.node is owner]
    elif is_hidden(ref):
        around = [item for item in _all(flow) if item is not ref and _calls(flow, item, ref)]
    else:
        around = []
    return bool(around and depth) and all(
        _is_full_in(flow, item, write, depth - 1) for item in around
    )


def _is_full_in(flow: Flow, ref: FunctionRef, write: Write, depth: int) -> bool:
    """Whether the attribute is full where a function makes a call that would fill it."""
    same = [
        item
        for item in flow.summary(ref).writes
        if item.node is write.node and item.trace is write.trace
    ]
    return bool(same) and all(_is_full(flow, ref, item, depth) for item in same)


def _fills(write: Write) -> bool:
    """Whether a write happens only while there is nothing in the attribute."""
    if write.cls is None:
        return False
    node = write.origin.node if write.origin is not None else write.node
    anchors = (anchor for owner in write.cls.lineage for anchor in absent_fills(owner))
    return any(item is node for anchor in anchors for item in walk(anchor))


def is_hidden(ref: FunctionRef) -> bool:
    """Whether only its own module calls a function: the callers of others are not all known."""
    inner = ref.scope is not ref.scope.top
    return ref.cls is None and (inner or ref.name.startswith("_"))


def _all(flow: Flow) -> Iterator[FunctionRef]:
    yield from flow.functions
    yield from flow.lambdas.values()


def _calls(flow: Flow, caller: FunctionRef, ref: FunctionRef) -> bool:
    return any(item.node is ref.node for item in flow.summary(caller).calls)
