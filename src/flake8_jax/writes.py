"""What becomes of each write under the traces that reach it: lost, leaked, raised, or fine."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from flake8_jax.caches import pytree_lazy_stores
from flake8_jax.callers import (
    is_born_full,
    is_dropped,
    is_filled_around,
    is_filled_at_import,
    is_filled_before,
    is_filled_on_the_bound,
    is_filled_when_made,
    is_handed_on,
    is_never_run,
)
from flake8_jax.flow.analysis import Flow, Summary
from flake8_jax.flow.application import is_of_copy, located
from flake8_jax.flow.brought import NOTHING_BROUGHT, Brought
from flake8_jax.flow.inheriting import inheriting
from flake8_jax.flow.traces import (
    arrives_as_it_is,
    bound_of,
    defaults_of,
    is_same,
    names_of,
)
from flake8_jax.flow.values import (
    ALL,
    ARRAYS,
    CONTAINERS,
    STATIC,
    Form,
    FunctionRef,
    Here,
    Numbered,
    Place,
    Root,
    Shape,
    Trace,
    Write,
    changed,
    index_of,
)
from flake8_jax.knowledge.objects import CONTAINER_MUTATORS, GIVING, KEYED
from flake8_jax.knowledge.pytrees import Filling
from flake8_jax.lazy import lazy_stores
from flake8_jax.model import Model, ModelClass
from flake8_jax.resetting import is_set_before_read
from flake8_jax.restored import is_restored
from flake8_jax.scopes import Scope
from flake8_jax.syntax import Function, is_name, last_part, walk
from flake8_jax.tables import is_of_a_full_table

if TYPE_CHECKING:
    pass

LOST = {Form.ATTRIBUTE: "JAX201", Form.ITEM: "JAX202"}
LOST_ELSEWHERE = "JAX203"
"""A write of either form that stands in another module."""
OUTER = {
    Form.ATTRIBUTE: "JAX301",
    Form.NAME: "JAX302",
    Form.ITEM: "JAX303",
    Form.CACHE: "JAX105",
    Form.CALL: "JAX106",
}
CACHES = (Form.CACHE, Form.CALL)
LASTING = frozenset({"JAX301", "JAX302", "JAX303", "JAX904"})
"""What is left in objects that outlive the trace."""
PRECEDENCE = (
    "JAX105",
    "JAX106",
    "JAX205",
    "JAX302",
    "JAX301",
    "JAX303",
    "JAX201",
    "JAX202",
    "JAX203",
    "JAX206",
    "JAX904",
    "JAX901",
    "JAX902",
)
"""Where several verdicts fall on one place, the first of these is reported."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """What a rule says of a write, and the trace that makes it so."""

    code: str
    write: Write
    trace: Trace
    inherited: bool = False
    """Whether a base class of another module traces it."""
    others: int = 0
    """At how many other places of the module the same happens, of which nothing else is said."""

    @property
    def reason(self) -> str:
        """The traced callable and the way to the write, for a message."""
        name = self.trace.function.name
        way = [step for step in self.write.via if step != name]
        through = f", through '{way[-1]}'" if way else ""
        if self.write.origin is not None:
            through = f", by {self.write.origin}"
        piece = self.write.piece
        here = self.trace.here
        starts = self.trace.starts(piece)
        told = starts is None or (here is not None and here.node is self.write.node)
        by = self.trace.transform.name + ("" if told else f" on {starts}")
        more = f" and in {self.others} more place{'s'[: self.others - 1]}" if self.others else ""
        return f"under {by} ('{name}', {self.trace.place(piece)}{through}){more}"


def verdicts(model: Model) -> Mapping[cst.CSTNode, Verdict]:
    """The verdict on each write of a module that is not fine, by the node to report."""
    flow = model.once(Flow.of)
    found: dict[cst.CSTNode, Verdict] = {}
    lazy = model.once(lazy_nodes)
    for verdict in (*_all(flow), *_inherited(model)):
        node = verdict.write.node
        known = found.get(node)
        if node in lazy or _fills_lazily(verdict):
            continue
        if known is None or _rank(verdict) < _rank(known):
            found[node] = verdict
    return found


def _fills_lazily(verdict: Verdict) -> bool:
    """Whether a hand-made cache of another module is filled and dropped: its class is the place."""
    write = verdict.write
    if write.origin is None or write.cls is None or not verdict.code.startswith("JAX2"):
        return False
    stores = (store for owner in write.cls.lineage for store in lazy_stores(owner))
    return any(node is write.origin.node for store in stores for node in walk(store.anchor))


def lazy_nodes(model: Model) -> frozenset[cst.CSTNode]:
    """The stores of hand-made caches, which have a rule of their own."""
    anchors = [item.store.anchor for item in model.once(pytree_lazy_stores)]
    return frozenset(node for anchor in anchors for node in walk(anchor))


def reported(model: Model) -> Sequence[Verdict]:
    """The verdicts to report: one where several places have one cause, at the first of them."""
    found: list[Verdict] = []
    alike: dict[object, list[Verdict]] = {}
    for verdict in model.once(verdicts).values():
        cause = _cause(verdict)
        if cause is None:
            found.append(verdict)
        else:
            alike.setdefault((verdict.code, cause), []).append(verdict)
    for group in alike.values():
        first = min(group, key=lambda item: item.write.piece.position(item.write.node))
        found.append(changed(first, others=len(group) - 1))
    return found


def _cause(verdict: Verdict) -> object:
    """What a reader has to change that shows at many places; None for what shows at its own.

    It is a cached property of a class, a cached function, or a write of another module to one
    object.
    """
    write = verdict.write
    if write.form is Form.CALL:
        return write.place
    if write.form is Form.CACHE:
        name = write.place.path[-1]
        for owner in write.cls.lineage if write.cls is not None else ():
            if any(cache.attribute == name for cache in owner.caches):
                return owner.node, name
    if write.origin is not None and verdict.code in (*OUTER.values(), "JAX904"):
        return write.origin.node, write.place, str(write.text)
    return None


def _rank(verdict: Verdict) -> int:
    return PRECEDENCE.index(verdict.code)


def _inherited(model: Model) -> Iterator[Verdict]:
    """The verdicts on what a module's classes write in the traces of their bases elsewhere."""
    for flow in inheriting(model):
        for verdict in _all(flow):
            origin = verdict.write.origin
            if origin is not None and origin.piece.file is model.scope.source.file:
                write = changed(verdict.write, node=origin.node, piece=origin.piece, origin=None)
                code = LOST[write.form] if verdict.code == LOST_ELSEWHERE else verdict.code
                yield Verdict(code, write, verdict.trace, inherited=True)


def _all(flow: Flow) -> Iterator[Verdict]:
    within = Brought.by(flow)
    for trace in flow.traces:
        summary = flow.summary(trace.function)
        for write in located(flow, trace.function, summary.writes, _elsewhere(flow, trace)):
            code = _traced(flow, trace, summary, write, within)
            if code is None or (code in LASTING and _is_nobodys(flow, write)):
                continue
            if not is_never_run(flow, trace):
                write = _named(trace, write)
                lost = code == LOST_ELSEWHERE or code in LOST.values()
                yield Verdict(code, write, trace if lost else write.trace or trace)
    for ref in (*flow.functions, *flow.lambdas.values()):
        summary = flow.summary(ref)
        for write in summary.writes:
            if write.trace is not None and write.form in OUTER and not write.handed:
                if _leaks_here(flow, ref, write, ref.node in within.functions):
                    code = _outer(write.trace, write, within)
                    if code is not None and not _is_nobodys(flow, write):
                        yield Verdict(code, write, write.trace)


def _is_nobodys(flow: Flow, write: Write) -> bool:
    """Whether nobody meets what is left in an object, or it is not known that it is left there."""
    if write.form in CACHES:
        return False
    return is_restored(flow, write) or is_of_a_full_table(write) or is_set_before_read(write)


def _named(trace: Trace, write: Write) -> Write:
    """A write to what a bound method or a partial was given, in the words of who gave it."""
    root = write.place.root
    value = bound_of(trace.function).get(root.name)
    if write.origin is None or root.owner is not trace.function.node or value is None:
        return write
    places = sorted(value.places, key=lambda place: (place.root.name, place.path))
    path = write.place.path
    if places:
        return write.named_from(Place(places[0].root, (*places[0].path, *path)))
    given = trace.here.node.args if trace.here and isinstance(trace.here.node, cst.Call) else ()
    for argument in given:
        match argument.value:  # an object that was made there
            case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=method)):
                if method == trace.function.name:
                    return write.named_from(Place(Root(None, name), path))
    return write


def _elsewhere(flow: Flow, trace: Trace) -> Here | None:
    """Where to report the writes of a traced function that another module defines."""
    return trace.here if trace.function.scope.top is not flow.model.scope else None


def _leaks_here(flow: Flow, ref: FunctionRef, write: Write, is_traced: bool) -> bool:
    """Whether what an inner trace writes to a variable of this function is seen outside of it."""
    owner = write.place.root.owner
    assert write.trace is not None
    if is_filled_before(flow, ref, write) or is_filled_when_made(flow, ref, write):
        return False
    if is_filled_around(flow, write):
        return False
    if owner is ref.node and write.form is Form.ITEM:
        if _is_only_counted(ref.node, write.place.root.name):
            return False
    if owner is not ref.node:
        if owner is None or is_traced:
            return False
        around = owner in _around(ref)
        return not around or write.place.root.name in names_of(owner)
    if write.place.root.name in names_of(ref.node) and not is_traced:
        return True
    lasting = write.trace.lasting or write.foreign
    return write.read_after or (lasting and not is_traced)


def _is_only_counted(function: Function, name: str) -> bool:
    """Whether nobody looks at the elements of a variable's container: it is made, filled, counted.

    What is left in it goes with the variable.
    """
    if name in names_of(function):
        return False
    harmless: set[cst.CSTNode] = set()
    uses: list[cst.CSTNode] = []
    for node in walk(function.body):
        match node:
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Name() as used)],
                value=cst.List() | cst.Dict() | cst.Set(),
            ):
                harmless.add(used)
            case cst.Expr(
                value=cst.Call(
                    func=cst.Attribute(value=cst.Name() as used, attr=cst.Name(value=method))
                )
            ) if method in CONTAINER_MUTATORS:
                harmless.add(used)
            case cst.Call(
                func=cst.Name(value="len" | "bool"), args=[cst.Arg(value=cst.Name() as used)]
            ):
                harmless.add(used)
            case cst.Name(value=used_name) if used_name == name:
                uses.append(node)
    return all(node in harmless for node in uses)


def _around(ref: FunctionRef) -> Iterator[cst.CSTNode | None]:
    """The functions around a function."""
    scope: Scope | None = ref.scope
    while scope is not None:
        yield scope.node
        scope = scope.parent


def _traced(
    flow: Flow, trace: Trace, summary: Summary, write: Write, within: Brought
) -> str | None:
    """The code for a write that happens under a trace; None if it is fine."""
    if write.form in (Form.UNKNOWN_ITEM, Form.ARRAY) and trace.transform.hands_references:
        return None
    if write.form in CACHES and (trace, write.place) in flow.filled_before:
        return None
    if write.form is Form.UNKNOWN_ITEM:
        return "JAX205" if _is_array_operand(trace, write) else None
    if write.form is Form.ARRAY:
        return "JAX205" if write.is_known or _is_derived(trace, write) else None
    root = write.place.root
    if _is_avoided(trace, write, within):
        return None
    if write.place.path[-1:] == ("value",) and _is_variable(trace, summary, write):
        return None
    if is_of_copy(trace, root):
        return None
    if is_filled_when_made(flow, trace.function, write) or is_born_full(flow, write):
        return None
    if is_filled_on_the_bound(flow, trace, write):
        return None
    own = root.owner is trace.function.node
    if not own:
        eager = write.form in CACHES and flow.is_filled_at_import(write.place)
        if root.owner is not None or eager or is_filled_at_import(flow, write):
            return None
        return _outer(write.trace or trace, write, within)
    parameters = {item.name: item for item in summary.parameters}
    if root.name not in parameters or (trace.inside and not _is_bound(trace, write)):
        return None
    returned = _comes_out(summary, write)
    default = parameters[root.name].default
    outer = isinstance(default, cst.List | cst.Dict | cst.Set | cst.Name | cst.Attribute | cst.Call)
    outer = outer and not is_name(default, "None")
    kind = summary.types.get(root.name)
    if isinstance(kind, ModelClass):
        whole = kind.is_plain and trace.transform.rebuilds_self
        static = kind.making is not None and kind.making.kind.filling is Filling.KEPT
        outer = outer or whole or static
    if (
        arrives_as_it_is(trace, write.place)
        or (outer and write.form not in CACHES)
        or _is_static(write)
    ):
        if write.form in CACHES:
            return _outer(trace, write, within)
        if is_dropped(flow, trace, write) or is_handed_on(flow, trace, within.functions):
            return None
        own_self = trace.function.is_method and root.name in names_of(trace.function.node)[:1]
        if returned and trace.transform.differentiated is not None and not own_self:
            return "JAX901"
        inner = _outer(write.trace, write, within) if write.trace is not None else None
        return inner if inner in OUTER.values() else _outer(trace, write, within) or inner
    if write.trace is not None and (write.read_after or _comes_out_itself(summary, write)):
        return _outer(write.trace, write, within)
    if write.form not in LOST or not _is_rebuilt(trace, summary, write):
        return None
    if write.is_opaque:
        return None
    if not trace.transform.is_jit and _takes_out(write):
        return None
    code = _rebuilt(write, returned)
    lost = code == LOST_ELSEWHERE or code in LOST.values()
    return code if lost or trace.transform.is_jit else None


def _takes_out(write: Write) -> bool:
    """Whether an element is taken out of a container: of one's own copy, if the transform makes one
    with jit off as well.
    """
    node = write.node if write.origin is None else write.origin.node
    if not isinstance(node, cst.Call):
        return False
    name = last_part(node.func)
    return name in GIVING and (name not in KEYED or not node.args)


def _is_array_operand(trace: Trace, write: Write) -> bool:
    """Whether what a loop starts with tells that the written object is an array."""
    root = write.place.root
    value = trace.operands.get(root.name) if root.owner is trace.function.node else None
    for step in write.target.path:
        index = index_of(step)
        items = (value.items if value is not None else None) or ()
        value = items[index] if isinstance(index, int) and index < len(items) else None
    return value is not None and value.type is Shape.ARRAY


def _is_static(write: Write) -> bool:
    """Whether the object is reached through a static field, and so is the caller's own."""
    return any(step.startswith(STATIC) for step in write.target.path)


def _comes_out(summary: Summary, write: Write) -> bool:
    """Whether the result holds what is written: the object, or a copy that was made later."""
    if _comes_out_itself(summary, write):
        return True
    return any(
        mark.place.covers(write.target)
        and (mark.order > write.order or (mark.shallow and mark.place != write.target))
        for mark in summary.result.copied
    )


def _comes_out_itself(summary: Summary, write: Write) -> bool:
    """Whether the result holds the object that is written, and not just a copy."""
    return any(place.covers(write.target) for place in summary.result.out)


def _is_variable(trace: Trace, summary: Summary, write: Write) -> bool:
    """Whether ``.value`` may be that of a variable of nnx, linen or penzai, made for writing."""
    if write.cls is not None or write.is_named:
        return False
    kind = summary.types.get(write.place.root.name)
    nnx = isinstance(kind, ModelClass) and _keeps_writes(kind)
    return not nnx or trace.transform.keeps_nnx


def _keeps_writes(cls: ModelClass) -> bool:
    """Whether transforms of the library that a class comes from carry writes back: nnx."""
    return cls.making is not None and cls.making.kind.keeps_writes


def _is_rebuilt(trace: Trace, summary: Summary, write: Write) -> bool:
    """Whether the written object is a new one; nnx transforms carry its state back."""
    cls = write.cls
    if trace.transform.keeps_nnx:
        kind = cls or summary.types.get(write.place.root.name)
        if kind in CONTAINERS:
            return not write.target.path
        if not isinstance(kind, ModelClass):
            return False
        return not _keeps_writes(kind)
    first = write.place.root.name in names_of(trace.function.node)[:1]
    return cls is None or not first or not cls.is_refused


def _rebuilt(write: Write, returned: bool) -> str:
    if returned:
        return "JAX901"
    if write.read_after or write.read_inside:
        plain = write.form is Form.ITEM and all(step.startswith("[") for step in write.target.path)
        return "JAX902" if plain else "JAX206"
    return LOST[write.form] if write.origin is None else LOST_ELSEWHERE


def _outer(trace: Trace, write: Write, within: Brought) -> str | None:
    """The code for a write to what outlives the trace."""
    if _is_avoided(trace, write, within):
        return None
    if write.form in CACHES:
        return OUTER[write.form] if trace.transform.staged else None
    if write.place.path[-1:] == ("value",) and write.cls is None and not write.is_named:
        return None  # it may be that of a variable of nnx, linen or penzai, made for writing
    if write.cls is not None and _keeps_writes(write.cls):
        return None
    if write.plain or _is_static_argument(trace, write):
        kept = (
            trace.transform.staged and not trace.transform.closes_over
        )  # one that is kept runs once
        return "JAX904" if kept else None
    if write.doubtful and not write.is_array:
        return None
    made_here = trace.transform.staged and ARRAYS.root in write.depends
    return OUTER[write.form] if made_here or _is_derived(trace, write, within) else None


def _is_avoided(trace: Trace, write: Write, within: Brought) -> bool:
    """Whether a write does not happen under a trace: it is asked before what is no Tracer."""
    if not write.unless or ALL in write.unless:
        return bool(write.unless)
    staged = trace.transform.staged
    asked = {item for item in write.unless if isinstance(item, Root)}
    if staged or trace.transform.name.endswith(("vmap", "vectorize")):
        asked |= {item.root for item in write.unless if isinstance(item, Numbered)}
    if ARRAYS.root in asked and staged:
        return True
    return _is_derived(trace, changed(write, depends=frozenset(asked)), within)


def _is_static_argument(trace: Trace, write: Write) -> bool:
    """Whether the value is a static argument of the traced callable itself: plain Python."""
    return bool(write.source) and all(
        place.root.owner is trace.function.node and arrives_as_it_is(trace, place)
        for place in write.source
    )


def _is_bound(trace: Trace, write: Write) -> bool:
    """Whether the code around has bound the parameter through which an object is reached."""
    bound = bound_of(trace.function)
    first = "".join(write.place.path[:1])
    return write.place.root.name in bound or f"{write.place.root.name}{first}" in bound


def _is_derived(trace: Trace, write: Write, within: Brought = NOTHING_BROUGHT) -> bool:
    """Whether the value is computed from what the transform traces, or another around or in it.

    Whether a parameter with a default is given at all is not known.
    """
    node = trace.function.node
    optional = trace.unmapped | defaults_of(node)
    own = {root.name for root in write.depends if root.owner is node}
    if not all(is_same(trace, name) or name in optional for name in own):
        return True
    bound = (value for name, value in bound_of(trace.function).items() if name in own)
    if any(within.brings(root) for value in bound for root in value.depends):
        return True
    brought = (root for root in write.depends if root.owner is not node)
    others = {root.owner for root in brought if within.brings(root)}
    return bool(others) and (
        not others.isdisjoint(_around(trace.function)) or not others.isdisjoint(walk(node.body))
    )
