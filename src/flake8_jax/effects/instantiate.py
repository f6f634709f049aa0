"""Instantiates a summary at a call site: what a callee does, in terms of its caller."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field

from flake8_jax.effects.binding import Arguments, Bound, bind
from flake8_jax.effects.callees import (
    TEXT,
    Cached,
    ClassRef,
    External,
    FunctionRef,
    Method,
    Partial,
    Traced,
    innermost,
    trace_of,
)
from flake8_jax.effects.conditions import (
    NEVER,
    NOTHING,
    OF_AN_OBJECT,
    OPPOSITES,
    SILENT,
    Asked,
    Condition,
    Conditions,
    Tells,
    both,
    is_excluded,
    lacking,
    of_constant,
)
from flake8_jax.effects.contexts import Context
from flake8_jax.effects.frame import Frame, cell_key
from flake8_jax.effects.limits import ANSWERS, CALLS, STEPS, VIA
from flake8_jax.effects.narrowing import text
from flake8_jax.effects.paths import (
    COMPUTED,
    AccessPath,
    Field,
    Index,
    Owner,
    Root,
    Some,
    in_order,
    settled,
    shown,
)
from flake8_jax.effects.roles import allows_none, default_object, has_own_object, required_names
from flake8_jax.effects.subscripts import (
    CONTAINERS,
    NONE,
    NUMBER,
    held_at_first,
    is_array,
    is_number,
)
from flake8_jax.effects.summaries import (
    CACHES,
    Ask,
    CallSite,
    Form,
    Run,
    Site,
    Summary,
    Trace,
    Write,
    WriteKey,
)
from flake8_jax.effects.values import (
    EMPTY,
    PLAIN,
    UNKNOWN,
    Callee,
    Contents,
    Origin,
    Snapshot,
    Type,
    Value,
    derived,
    doubtful,
    few_copies,
    fresh_with,
    initial,
    join,
    join_origins,
    may_be_anything,
    no_tracer,
    number,
    outcome,
)
from flake8_jax.lowering.program import Const, Expr, Home, Kind, Shape, Var
from flake8_jax.lowering.stores import Change


def apply(
    frame: Frame,
    ref: FunctionRef,
    arguments: Arguments[Value],
    traced: Traced | None = None,
    at: Site | None = None,
) -> Value | None:
    """Call a function of the project; None where the call does not come back.

    Where a place is given, what the function writes is written there: an assignment that a setter
    carries out.
    """
    bound = bind(ref.function.parameters, arguments)
    if bound is None:
        return None
    values = given(frame, ref, bound, arguments)
    frame.cells.note_used(ref, frame.rebound())
    if traced is None:
        frame.cells.hand_on(values.values())
    context = Context(frame)
    known, told = context.of(ref, values)
    summary = frame.asking.summary(known, told)
    asks: frozenset[Ask] = frozenset()
    for _ in range(ANSWERS):
        if summary.asks <= asks:
            break
        asks |= summary.asks
        caller = _Caller(frame, ref, values, context.left)
        context = Context(frame, asks, caller.stands_at, any(map(_is_doubtful, summary.writes)))
        before = known, told
        known, told = context.of(ref, values)
        if (known, told) == before:
            break
        summary = frame.asking.summary(known, told)
    if frame.expecting:
        frame.expected.add(ref.function)
    if not frame.guarded:
        frame.calls.append(CallSite(known, told, frame.site(frame.calling)))
    trace = None
    if traced is not None:
        frame.runs.setdefault(Run(traced, known, told))
        trace = trace_of(traced, ref)
    result = _Caller(frame, ref, values, context.left, at).take_over(summary, trace)
    if summary.result is None:
        frame.leave_behind()  # of functions that call each other it may not be known yet
    return _declared(frame, ref, result)


def _is_doubtful(write: Write) -> bool:
    """Whether it is not known if what is written can be a Tracer."""
    origin = write.value.origin
    return origin.doubtful and not origin.concrete


def _declared(frame: Frame, ref: FunctionRef, result: Value | None) -> Value | None:
    """A result of unknown type: an object of the class that the function says it returns."""
    returns = ref.function.returns
    if result is None or returns is None:
        return result
    if may_be_anything(result) and not allows_none(returns):
        result = result.with_tells(OF_AN_OBJECT)
    if result.types or result.callees or not result.paths:
        return result
    if ref.function.yields or ref.function.is_async:
        return result
    types = frame.world.annotated(returns, ref)
    is_known = all(frame.world.class_view(item) is not None for item in types)
    return result.with_types(types) if is_known else result


def named(frame: Frame, key: object, value: Value, name: str = "result") -> Value:
    """A new object that a function has handed out, and those that stand in it, with paths here.

    Of a container that holds something all is known.
    """
    parts = value.contents.parts
    if value.paths or not (parts or _may_be_changed(frame, value)):
        return value
    holds = any(not isinstance(selector, Field) for selector, _ in parts)
    path = frame.held((key, name), Shape.LIST.value if holds else name)
    for selector, part in parts:
        frame.state.put(path.then(selector), named(frame, key, part, f"{name}{shown(selector)}"))
    contents = value.contents._replace(parts=())
    return value._replace(paths=frozenset({path}), contents=contents)


def _may_be_changed(frame: Frame, value: Value) -> bool:
    """Whether a value is an object with parts of its own: a container, or one of a class."""
    if not value.exact or value.contents.shares:
        return False
    types = value.types - {NONE}
    return any(item in CONTAINERS or frame.world.class_view(item) is not None for item in types)


def given(
    frame: Frame, ref: FunctionRef, bound: Bound[Value], arguments: Arguments[Value]
) -> dict[str, Value]:
    """What each parameter holds."""
    values = dict(bound.given)
    for parameter in ref.function.parameters:
        if parameter.kind is Kind.STAR:
            values[parameter.name] = _tuple(bound.star, arguments)
        elif parameter.kind is Kind.STARS:
            values[parameter.name] = fresh_with((*bound.stars.values(), *arguments.spread_named))
        elif parameter.name in bound.unknown:
            value = join((*arguments.spread, *arguments.spread_named, UNKNOWN))
            is_some = parameter.name in required_names(ref)
            values[parameter.name] = value.with_tells(OF_AN_OBJECT) if is_some else value
        elif parameter.name in bound.defaulted and parameter.default is not None:
            value = _default(parameter.default)
            if has_own_object(parameter):
                own = frozenset({default_object(ref, parameter.name)})
                types = types_of_default(frame, ref, parameter.default)
                value = value._replace(paths=own, types=types)
            values[parameter.name] = value
    return values


def _default(node: Expr) -> Value:
    if not isinstance(node, Const):
        return PLAIN
    types = frozenset({TEXT}) if isinstance(node.value, str) else PLAIN.types
    return PLAIN.with_types(types).with_tells(of_constant(node.value))


def types_of_default(frame: Frame, ref: FunctionRef, default: Expr | None) -> frozenset[Type]:
    """What a default is one of that is a variable of the function's module."""
    if not isinstance(default, Var) or default.home is not Home.GLOBAL:
        return frozenset()
    value = frame.world.global_of(ref.module, default.name)
    return value.types if value is not None else frozenset()


def _tuple(items: tuple[Value, ...], arguments: Arguments[Value]) -> Value:
    if arguments.is_spread:
        return fresh_with((*items, *arguments.spread)).inexact()
    contents = fresh_with(items).contents._replace(items=items)
    return derived(items).with_contents(contents)


def defined_object(frame: Frame, value: Value) -> Value:
    """A value; a class or a function of a module is also the object that its name stands for.

    So is what is imported, as the module knows it.
    """
    if value.paths or len(value.callees) != 1:
        return value
    [callee] = value.callees
    found = innermost(callee)
    match found:
        case ClassRef():
            name = found.name
        case FunctionRef() if not found.scopes and found.owner is None:
            name = found.function.name
        case External(dotted=dotted) if dotted.replace(".", "").isidentifier():
            here = Root(Owner.GLOBAL, dotted, module=frame.ref.module)
            return value._replace(paths=frozenset({AccessPath(here)}))
        case _:
            return value
    known = frame.world.global_of(found.module, name)
    if known is None or found not in map(innermost, known.callees):
        return value
    root = Root(Owner.GLOBAL, name, module=found.module)
    return value._replace(paths=frozenset({AccessPath(root)}))


@dataclass(frozen=True, slots=True)
class _Caller:
    """Where a callee's roots are in its caller."""

    frame: Frame
    ref: FunctionRef
    values: Mapping[str, Value]
    left: Mapping[Root, Value]
    """What stands behind the stand-ins of the callee's context."""
    at: Site | None = None
    """Where the writes of the callee stand, if not in it."""
    found: dict[AccessPath, Value] = dataclass_field(default_factory=dict)
    """What stands at the paths of the callee, as far as it was looked up."""
    keys: dict[WriteKey, list[WriteKey]] = dataclass_field(default_factory=dict)
    """What the writes of the callee are called in the caller."""
    copied: dict[Snapshot, frozenset[Snapshot]] = dataclass_field(default_factory=dict)
    """What the copies of the callee are copies of, as far as the writes before them are told."""

    def take_over(self, summary: Summary, trace: Trace | None) -> Value | None:
        """Do in the caller what the callee does.

        The paths of a summary begin in the state in which the callee is called: all of them are
        looked up before anything is done.
        """
        frame = self.frame
        reads = {path for item in summary.reads for path in self._parts(item)}
        uses = {path for item in summary.uses for path in self._paths(item)}
        before = frame.state.writes
        writes = [
            found
            for item in summary.writes
            if item.steps < STEPS and (found := self._seen(item, trace))
        ]
        for write, changed, owners in writes if _has_copies(summary) else ():
            self.keys[write.key] = [*_keys(changed, owners)]
        if self.keys:
            self.copied.clear()  # in the result are copies of what the callee has written
        ensured = self.conditions(summary.ensures, trace)
        escaped = [path for item in summary.escapes for path in self._paths(item)]
        asked = [
            value if value.exact or not item.has_default else value.inexact()
            for item in summary.asks
            for value in (self.stands_at(item.path),)
        ]
        result = self.value(summary.result) if summary.result is not None else None
        frame.stages = frame.stages or summary.stages
        for value in asked:
            frame.ask(value)
        frame.read(reads, trace)
        frame.use(uses, trace)
        for write, changed, owners in writes if NEVER not in frame.state.clear else ():
            stored = summary.filled if write.fills else summary.certain
            is_certain = write.path in stored and not write.is_virtual
            self._write(changed, owners, is_certain, before)
        if NEVER in ensured:
            return None
        frame.state.learn(ensured)
        if escaped:
            frame.escape([Value(frozenset(escaped))])
        return result

    def root(self, root: Root) -> Value:
        """What a root of the callee is in the caller."""
        match root.owner:
            case Owner.PARAMETER:
                value = self.values.get(root.name, UNKNOWN)
                items = value.contents.items if root.number else None
                if items:
                    return items[root.number - 1]
                return value if value.paths else defined_object(self.frame, value)
            case Owner.BOUND:
                return self.left.get(root, UNKNOWN)
            case Owner.CELL:
                known = self.left.get(root)
                return self.frame.cell(root) if known is None else known
            case Owner.GLOBAL:
                return self.stands_at(AccessPath(root))
            case Owner.ARGUMENT | Owner.MEMO:
                return initial(AccessPath(root))
        return UNKNOWN

    def _global(self, root: Root) -> Value:
        if root.module == self.frame.ref.module:
            value = self.frame.variable(Var(root.name, Home.GLOBAL))
        else:
            value = self.frame.reached(self.frame.world.global_of(root.module, root.name))
        return value if value.paths else value._replace(paths=frozenset({AccessPath(root)}))

    def _paths(self, path: AccessPath) -> frozenset[AccessPath]:
        """Where an object of the callee is in the caller."""
        return self.stands_at(path).paths

    def stands_at(self, path: AccessPath) -> Value:
        """What stands at a path of the callee when it is called."""
        known = self.found.get(path)
        if known is None:
            known = self.found[path] = self._look_at(path)
        return known

    def _look_at(self, path: AccessPath) -> Value:
        if not path.selectors:
            root = path.root
            return self._global(root) if root.owner is Owner.GLOBAL else self.root(root)
        value, selector = self.stands_at(path.owner), settled(path.selectors[-1])
        items = value.contents.items
        if items and selector is Some.INDEX:
            return join(items)
        if items is None or not isinstance(selector, Index) or not isinstance(selector.key, int):
            return held_at_first(value, selector, self.frame.state.part(value, selector))
        return items[selector.key] if -len(items) <= selector.key < len(items) else UNKNOWN

    def _parts(self, path: AccessPath) -> Iterable[AccessPath]:
        """Where a part of an object of the callee is in the caller, whatever stands there now."""
        if not path.selectors:
            return self._paths(path)
        last = settled(path.selectors[-1])
        return [owner.then(last) for owner in self.stands_at(path.owner).paths]

    def _owners(self, write: Write) -> list[AccessPath]:
        """The objects that a write of the callee changes."""
        if write.form is Form.NAME:
            return []
        owners = in_order(self._paths(write.target))
        return owners or ([COMPUTED] if write.form is Form.ELEMENT else [])

    def _seen(
        self, write: Write, trace: Trace | None
    ) -> tuple[Write, Write, list[AccessPath]] | None:
        """A write of the callee, as it is in the caller, and the objects that it changes there.

        None where it changes none, or cannot happen: most writes of constructors do not.
        """
        owners = self._owners(write)
        if not owners and write.form is not Form.NAME:
            return None
        only_if = self.conditions(write.only_if, trace)
        return None if NEVER in only_if else (write, self._changed(write, only_if, trace), owners)

    def _changed(self, write: Write, only_if: Conditions, trace: Trace | None) -> Write:
        """A write of the callee: the conditions and the value are those of the caller."""
        calls, around = self._calls(write, trace)
        changed = write._replace(
            value=self._stored(write.value, trace),
            only_if=only_if,
            via=(self.ref.function.name, *write.via)[:VIA],
            steps=write.steps + 1,
            trace=_under(write, trace),
            calls=calls,
            around=around,
            is_exact=write.is_exact
            and (write.form is Form.NAME or self.stands_at(write.target).is_of_others),
            is_virtual=write.is_virtual or self.frame.is_virtual,
            awaits=write.awaits or (trace if self.frame.is_virtual else None),
            is_sure=write.is_sure
            and not self.frame.choosing
            and (write.trace is not None or self._are_decided(write.only_if, trace)),
        )
        sources = map(self.root, write.value.origin.sources) if NUMBER in write.types else ()
        if any(map(_is_object, sources)):
            value = changed.value
            changed = changed._replace(value=value.with_origin(doubtful(value.origin)))
        if self.at is None or write.site.module != self.at.module:
            return changed
        return changed._replace(site=self.at, calls=())

    def _stored(self, value: Value, trace: Trace | None) -> Value:
        """What a callee stores: a trace makes Tracers of what jax makes in it."""
        if trace is not None and trace.transform.staged and value.origin.staged:
            value = value.with_origin(value.origin._replace(staged=False, enclosed=True))
        return self.value(value)

    def _write(
        self,
        write: Write,
        owners: list[AccessPath],
        is_certain: bool,
        before: frozenset[WriteKey],
    ) -> None:
        """Take over a write of the callee, as the caller sees it."""
        if write.form is Form.NAME:
            self._write_name(write, before)
            return
        selector, state = settled(write.path.selectors[-1]), self.frame.state
        if write.form in CACHES:
            owners = [owner for owner in owners if not state.may_be_kept(owner.then(selector))]
        elif write.fills:
            owners = [owner for owner in owners if not state.is_filled(owner.then(selector))]
        for owner in owners:
            changed = Write(owner.then(selector), *write[1:])
            if write.counts and is_array(state.part(Value(frozenset({owner})), selector)):
                changed = _counting_in_array(changed)
            self.frame.write(changed, before, is_certain and len(owners) == 1)
        if owners and write.form is not Form.ELEMENT:
            target = Value(frozenset(owners), exact=is_certain and len(owners) == 1)
            key = self.frame.calling, write.site, write.path
            state.store(target, selector, named(self.frame, key, write.value))
            if write.change is Change.REMOVE:
                state.empty(target, selector)

    def _calls(
        self, write: Write, trace: Trace | None
    ) -> tuple[tuple[Site, ...], tuple[Site, ...]]:
        """The calls on the way that lead into other modules, in the trace and around it."""
        calls, around = write.calls, write.around
        own = _under(write, trace)
        if trace is not None and own is trace:
            calls, around = (*around, *calls)[:CALLS], ()
        inner = (*around, *calls, write.site)[0].module
        if inner != self.frame.ref.module:
            here = self.frame.site(self.frame.calling)
            if own is None:
                calls = (here, *calls)[:CALLS]
            else:
                around = (here, *around)[:CALLS]
        return calls, around

    def _write_name(self, write: Write, before: frozenset[WriteKey]) -> None:
        root, frame = write.path.root, self.frame
        if root.owner is Owner.GLOBAL:
            if root.module == frame.ref.module:
                frame.state.bind(f"${root.name}", write.value)
        elif root in self.left:
            pass  # a variable of a function that has returned: it lives on in this closure
        elif root.scope == frame.scope:
            frame.state.bind(root.name, write.value)
        else:
            frame.state.bind(cell_key(root), write.value)
        frame.write(write, before)

    def conditions(self, conditions: Conditions, trace: Trace | None) -> Conditions:
        """Conditions of the callee, as they are in the caller under a trace."""
        if not conditions:
            return NOTHING
        found: set[Condition] = set()
        for item in conditions:
            if item.asked is Asked.LACKING and item.root is not None:
                table = self.stands_at(AccessPath(item.root, item.selectors))
                found |= {lacking(path) for path in table.paths if table.exact}
            elif item.root is not None:
                found |= self._condition(item.asked, self.root(item.root), trace)
            elif trace is not None and is_excluded(item, trace.transform):
                found.add(NEVER)
            else:
                found.add(item)
        return frozenset(found)

    def _condition(self, asked: Asked, value: Value, trace: Trace | None) -> Conditions:
        match asked:
            case Asked.NO_TRACER:
                return no_tracer(value.origin)
            case Asked.NUMBER:
                found = number(value.origin)
                passes = trace is not None and trace.transform.differentiated is not None
                return found - {NEVER} if passes else found
            case Asked.TEXT | Asked.NO_TEXT:
                return text(value, asked)
        return outcome(value, asked)

    def _are_decided(self, conditions: Conditions, trace: Trace | None) -> bool:
        return all(self._is_decided(item, trace) for item in conditions)

    def _is_decided(self, condition: Condition, trace: Trace | None) -> bool:
        """Whether it is known here if a condition holds, or those that call know it.

        What a trace leaves to its callers is as the function itself says.
        """
        opposite, root = OPPOSITES.get(condition.asked), condition.root
        if opposite is None or root is None:
            return True
        value = self.root(root)
        told = outcome(value, opposite)
        if outcome(value, condition.asked) or NEVER in told:
            return True
        if condition.asked is Asked.SOME:
            return not told and NONE not in value.types
        return trace is not None and root.owner is Owner.PARAMETER and self._is_own(root, opposite)

    def _is_own(self, root: Root, opposite: Asked) -> bool:
        """Whether a parameter is what its default is, or has none and is given something."""
        own = next((x for x in self.ref.function.parameters if x.name == root.name), None)
        if own is None or own.default is None:
            return own is not None and opposite is Asked.NONE
        return NEVER in outcome(_default(own.default), opposite)

    def tells(self, tells: Tells) -> Tells:
        """What a value of the callee tells the caller."""
        return (
            tells if tells in _OF_NO_VARIABLE else Tells(*(self.conditions(c, None) for c in tells))
        )

    def origin(self, origin: Origin) -> Origin:
        """Where a value of the callee comes from, as seen from the caller."""
        if len(origin.sources) == 1 and origin == Origin(sources=origin.sources):
            [source] = origin.sources
            return self.root(source).origin
        if self.frame.eager and origin.staged:
            origin = origin._replace(staged=False)
        certain = [self.root(root).origin for root in origin.surely]
        told = [
            item
            for item in certain
            if (item.traced or item.staged or item.enclosed) and not item.doubtful
        ]
        if told:  # a Tracer, whatever else it was computed from
            found = join_origins(told)
            return found._replace(enclosed=found.enclosed or origin.enclosed)
        sources = [self.root(root).origin for root in origin.sources]
        is_made = origin.staged or origin.enclosed
        if is_made and not origin.doubtful:  # a Tracer, whatever else it was computed from
            sources = [x for x in sources if not x.doubtful or x.sources or x.traced]
        if not sources:
            return origin._replace(sources=frozenset())
        surely = frozenset[Root]().union(*[item.certain for item in certain])
        undoubted = [item for item in sources if not item.doubtful] if is_made else []
        found = join_origins(undoubted or sources)
        if origin.concrete:
            return Origin(True, found.sources, doubtful=origin.doubtful)
        return Origin(
            found.concrete and not is_made,
            found.sources,
            found.staged or origin.staged,
            found.traced or origin.traced,
            found.doubtful or (origin.doubtful and not found.concrete),
            surely | found.surely,
            found.enclosed or origin.enclosed,
        )

    def value(self, value: Value) -> Value:
        """A value of the callee, as seen from the caller."""
        if not value.paths and not value.callees and self._is_same(value):
            return value
        named = [self.stands_at(path) for path in in_order(value.paths) if _is_outer(path)]
        if named and len(named) == len(value.paths) and value.exact:
            found = join(named)
            found = found if not value.types else found.with_types(value.types)
            found = found.with_tells(both(found.tells, self.tells(value.tells)))
            if value.origin.doubtful:
                found = found.with_origin(doubtful(found.origin))
            is_concrete = value.origin.concrete
            return (
                found.with_origin(value.origin._replace(sources=frozenset()))
                if is_concrete
                else found
            )
        own = Value(
            frozenset(),
            value.exact,
            self.origin(value.origin),
            value.types,
            self._contents(value.contents),
            tuple([self._callee(item) for item in value.callees]),
            self.tells(value.tells),
        )
        if not named:
            return own
        found = join((own, *named)).with_tells(own.tells)
        return found.with_origin(own.origin) if value.origin.concrete else found

    def _is_same(self, value: Value) -> bool:
        """Whether nothing that comes along with a value is the callee's alone."""
        origin = value.origin
        is_eager = bool(self.frame.eager) and origin.staged
        is_plain = not origin.sources and not origin.surely and not is_eager
        return is_plain and value.contents == EMPTY and value.tells in _OF_NO_VARIABLE

    def _contents(self, contents: Contents) -> Contents:
        if contents == EMPTY:
            return contents
        return Contents(
            frozenset(self._all(contents.reaches)),
            frozenset(self._all(contents.shares)),
            few_copies(frozenset[Snapshot]().union(*map(self._copies, contents.snapshots))),
            None if contents.items is None else tuple(map(self.value, contents.items)),
            tuple((selector, self.value(part)) for selector, part in contents.parts),
            frozenset(self._all(contents.statics)),
        )

    def _copies(self, snapshot: Snapshot) -> frozenset[Snapshot]:
        """What a copy of the callee is a copy of: also all that the copied object is a copy of."""
        known = self.copied.get(snapshot)
        if known is None:
            source = self.stands_at(snapshot.path)
            written = self.frame.state.writes.union(
                *(self.keys[key] for key in snapshot.writes if key in self.keys)
            )
            own = (Snapshot(path, snapshot.shallow, written) for path in source.paths)
            known = self.copied[snapshot] = source.contents.snapshots.union(own)
        return known

    def _all(self, paths: Iterable[AccessPath]) -> Iterator[AccessPath]:
        for path in paths:
            if _is_outer(path):
                yield from self._paths(path)

    def _callee(self, callee: Callee) -> Callee:
        """A callable, with what it has captured or bound as the caller sees it."""
        match callee:
            case FunctionRef() if callee.captured:
                captured = tuple((root, self.value(item)) for root, item in callee.captured)
                return replace(callee, captured=captured)
            case Partial():
                return callee._replace(
                    callee=self._callee(callee.callee),
                    bound=tuple(map(self.value, callee.bound)),
                    named=tuple((name, self.value(item)) for name, item in callee.named),
                    spread=tuple(map(self.value, callee.spread)),
                    spread_named=tuple(map(self.value, callee.spread_named)),
                )
            case Traced() | Cached():
                return callee._replace(callee=self._callee(callee.callee))
            case Method():
                return callee._replace(owner=self.value(callee.owner))
        return callee


_OF_NO_VARIABLE = (SILENT, OF_AN_OBJECT)
"""What values tell that speaks of no variable: to a caller it is the same."""


def _under(write: Write, trace: Trace | None) -> Trace | None:
    """The trace that a write happens under: the innermost, or the innermost that stages it."""
    inner = write.trace
    if inner is None or trace is None or write.value.origin.traced:
        return inner or trace
    return trace if trace.transform.staged and not inner.transform.staged else inner


def _counting_in_array(write: Write) -> Write:
    """A constant is added to an array of the caller's: JAX computes the sum."""
    is_staged = write.trace is not None and write.trace.transform.staged
    origin = write.value.origin._replace(
        concrete=False, doubtful=False, staged=not is_staged, enclosed=is_staged
    )
    return write._replace(value=write.value.with_origin(origin))


def _has_copies(summary: Summary) -> bool:
    """Whether the result is a copy, and it matters what was written before it was made."""
    return summary.result is not None and bool(summary.result.contents.snapshots)


def _keys(write: Write, owners: list[AccessPath]) -> Iterator[WriteKey]:
    """What a write of a callee is called in the caller."""
    if write.form is Form.NAME:
        yield write.key
    for owner in owners:
        yield write.key._replace(path=owner.then(settled(write.path.selectors[-1])))


def _is_object(value: Value) -> bool:
    """Whether a value is known to be neither a number nor an array: its operators are its own."""
    if value.types:
        return not (is_array(value) or is_number(value))
    return bool(value.contents.reaches or value.contents.items)


def _is_outer(path: AccessPath) -> bool:
    return path.root.owner is not Owner.FRESH
