"""Function caches: what a cached function keeps, and for which arguments.

What a method keeps belongs to its object: the object is part of the key.
"""

from flake8_jax.effects.callees import CODE, AnyCallee, Cached, FunctionRef, innermost
from flake8_jax.effects.frame import Frame
from flake8_jax.effects.paths import AccessPath, Field, Index, Owner, Root, Selector, Some
from flake8_jax.effects.summaries import Form, Site
from flake8_jax.effects.values import Value
from flake8_jax.lowering.program import Call, Const, Opaque
from flake8_jax.lowering.stores import Change


def cached(frame: Frame, callee: AnyCallee) -> Cached:
    """A callable with a cache that is made here."""
    ref = frame.ref
    around = (frame.scope,) if ref.function.name != CODE else ref.scopes
    found = innermost(callee)
    name = found.function.name if isinstance(found, FunctionRef) else "memo"
    scope = around[0] if around else None
    return Cached(callee, Root(Owner.MEMO, name, ref.statement, ref.module, scope))


def kept(frame: Frame, node: Call, callee: Cached, itself: Value | None) -> Value | None:
    """What was kept for the arguments of a call; None where that may be nothing."""
    holder, selector = _place(node, callee, itself)
    paths = [path.then(selector) for path in holder.paths]
    if len(paths) == 1 and holder.exact and frame.state.is_full(paths[0]):
        return frame.state.heap[paths[0]]
    return None


def keep(
    frame: Frame, node: Call, callee: Cached, itself: Value | None, result: Value | None
) -> None:
    """Keep the result of a call."""
    if result is not None:
        holder, selector = _place(node, callee, itself)
        written = (Form.CACHED_FUNCTION, Change.SET, node.span, True)
        frame.store(holder, selector, result, written, cause(callee))


def cause(callee: AnyCallee) -> Site | None:
    """The function that computes what a cache keeps."""
    found = innermost(callee)
    if not isinstance(found, FunctionRef):
        return None
    return Site(found.module, found.statement, found.function.span)


def _place(node: Call, callee: Cached, itself: Value | None) -> tuple[Value, Selector]:
    """Where the result of a call is kept."""
    key = _key(node)
    if itself is None or (itself.callees and not itself.paths):
        holder = Value(frozenset({AccessPath(callee.memo)}))
        return holder, Index(key) if key is not None else Some.INDEX
    return itself, Field(f"{callee.memo.name}({key})") if key is not None else Some.FIELD


def _key(node: Call) -> str | None:
    """What a function cache keeps a result by; None where an argument is no literal."""
    given = [*((None, item) for item in node.args), *node.keywords]
    if any(not isinstance(item, Const) or isinstance(item.value, Opaque) for _, item in given):
        return None
    shown = [(name, item.value) for name, item in given if isinstance(item, Const)]
    return ", ".join(repr(value) if name is None else f"{name}={value!r}" for name, value in shown)
