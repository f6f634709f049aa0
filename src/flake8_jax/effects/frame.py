"""The frame of a function that is interpreted: its state, and what it has done so far."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from flake8_jax.effects.callees import (
    CODE,
    OTHER,
    Cached,
    ClassRef,
    External,
    FunctionRef,
    Partial,
    Traced,
    calls_more,
    captures,
    innermost,
    kept,
)
from flake8_jax.effects.cells import OwnCells
from flake8_jax.effects.conditions import (
    NEVER,
    NOTHING,
    OF_AN_OBJECT,
    SILENT,
    Conditions,
    both,
    common,
)
from flake8_jax.effects.index import PathIndex
from flake8_jax.effects.limits import ASKED, CAPTURES, NESTING, RETURNED
from flake8_jax.effects.paths import (
    AccessPath,
    Field,
    Index,
    LoopKey,
    Owner,
    Root,
    Selector,
    Some,
    in_order,
    settled,
)
from flake8_jax.effects.state import AbstractState, at_ends, sure_on_all, undone_by_all
from flake8_jax.effects.summaries import (
    CACHES,
    Ask,
    CallSite,
    Discard,
    Form,
    Outcome,
    Refusal,
    Run,
    Site,
    Summary,
    Trace,
    Write,
    WriteKey,
    merge_writes,
)
from flake8_jax.effects.values import (
    CONCRETE,
    EMPTY,
    UNKNOWN,
    Callee,
    Contents,
    Parts,
    Value,
    derived,
    doubtful,
    initial,
    join,
    under,
)
from flake8_jax.effects.world import Asking
from flake8_jax.lowering.program import Call, Const, Expr, Function, Home, Jump, Kind, Stmt, Var
from flake8_jax.lowering.stores import Change

_SEVERAL = 2
_PACKED = (Kind.STAR, Kind.STARS)


_Removed = set[tuple[AccessPath, Trace | None]]
"""Where something is taken back, and in which trace."""
FOREIGN = "foreign"
"""What the objects are called that code which is not known has given."""
_DEQUE = frozenset({External("collections.deque")})
_TOLD_BY_CALLERS = (Owner.PARAMETER, Owner.CELL, Owner.BOUND)
"""Whose objects callers know more of than a function itself."""


class Frame:
    """One function while it is interpreted."""

    def __init__(
        self,
        ref: FunctionRef,
        asking: Asking,
        evaluate: Callable[["Frame", Expr], Value],
    ) -> None:
        self.ref = ref
        self.scope = ref.scope
        self.captured = dict(ref.captured)
        self._evaluate = evaluate
        self.asking = asking
        self.world = asking.world
        self.state = AbstractState()
        self.results: list[Value] = []
        self._ensured: list[Conditions] = []
        self.is_virtual = False
        """Whether a callable is run that nobody has called yet."""
        self._certain: frozenset[AccessPath] | None = None
        self._filled: frozenset[AccessPath] | None = None
        self.jumps: list[tuple[list[AbstractState], list[AbstractState]]] = []
        """The states at each ``break`` and ``continue`` of the loops around."""
        self.runs: dict[Run, None] = {}
        """The traced callables that were run, or may be."""
        self.starts = False
        """Whether something is handed to a transform, whatever it is."""
        self.stages = False
        self.eager = 0
        """How many blocks around make JAX compute at once, inside of a trace as well."""
        self.guarded = 0
        """How many blocks around expect an error, or catch it."""
        self.choosing = 0
        """How many calls around are of one of several functions, and nobody knows of which."""
        self.expecting = 0
        """How many blocks around are there to see an error."""
        self.calls: list[CallSite] = []
        self.refusals: dict[Site, Refusal] = {}
        self.permitted: set[Site] = set()
        self.discards: dict[Site, Discard] = {}
        self.in_place: set[Site] = set()
        self.expected: set[Callee] = set()
        self.rounds: set[str] = set()
        """The variables of loops, each round of which has another one of some objects."""
        self.unpacked: Expr | None = None
        """The expression whose value is taken apart."""
        self.counting = ""
        """By which operator the statement adds a constant to what it assigns."""
        self.deques: set[AccessPath] = set()
        """Objects that are used as only a deque is."""
        self.cells = OwnCells()
        self.calling = 0
        """Where the call stands that is being followed."""
        self.statement: Stmt | None = None
        """The statement that is executed."""
        self._writes: dict[WriteKey, Write] = {}
        self._written: dict[AccessPath, list[WriteKey]] = {}
        """The keys of the writes, by their paths."""
        self._places = PathIndex()
        """The paths of the writes."""
        self._preempted: set[WriteKey] = set()
        """Writes to caches that were filled before somebody called the traced function."""
        self._read_later: set[WriteKey] = set()
        self._seen_after: set[WriteKey] = set()
        self._taken_back: dict[WriteKey, frozenset[WriteKey]] = {}
        """What some writes take back that came before."""
        self.exits: list[AbstractState] = []
        """The states in which the function returns, with what was written until then."""
        self._ends: dict[int, AbstractState] = {}
        """The states themselves, with the values that objects hold then."""
        self._left_behind: set[WriteKey] = set()
        """What was written on some way on which the function returns or yields."""
        self.called: set[Trace] = set()
        self._reads: set[AccessPath] = set()
        self._uses: set[AccessPath] = set()
        self._escapes: set[AccessPath] = set()
        self._asks: set[Ask] = set()
        self.is_called = False
        """Whether what a call gives back is called at once."""
        self._stored: set[AccessPath] = set()
        """Objects that are stored in those of others."""
        self._objects: dict[tuple[object, str], Root] = {}
        self._told: dict[object, bool] = {}
        self._handed: dict[tuple[Root | None, int, int], tuple[Value, Value]] = {}
        """Values that were handed out, in a variable or without, by identity and nesting, each with
        what came of it."""
        self._implied: dict[tuple[int, int], Call] = {}
        """Calls that are not written down: of a decorator, of a method that a statement needs."""
        self._packed = frozenset(
            Root(Owner.PARAMETER, item.name)
            for item in ref.function.parameters
            if item.kind in _PACKED
        )
        """The parameters that hold what a call has gathered."""

    def is_one_of(self, value: Value, nodes: Iterable[Expr]) -> bool:
        """Whether one of several functions is called, and nobody knows which; a loop calls all."""
        if len({innermost(item) for item in value.callees}) < _SEVERAL:
            return False
        return not any(isinstance(item, Var) and item.name in self.rounds for item in nodes)

    def once(self, key: object, compute: Callable[[], bool]) -> bool:
        """What the text of the function tells, found out once."""
        known = self._told.get(key)
        if known is None:
            known = self._told[key] = compute()
        return known

    @property
    def here(self) -> int:
        """Where the statement stands that is executed."""
        statement = self.statement
        return 0 if statement is None or isinstance(statement, Jump) else statement.span

    def evaluate(self, node: Expr) -> Value:
        """The value of an expression."""
        return self._evaluate(self, node)

    def site(self, span: int) -> Site:
        """A place in the function."""
        return Site(self.ref.module, self.ref.statement, span)

    def closure(self, function: Function, owner: ClassRef | None = None) -> Value:
        """A function that is made here, as a value."""
        around = self.ref
        scopes = around.scopes
        if around.function.name != CODE:
            scopes = (self.scope, *scopes)
        ref = FunctionRef(function, around.module, owner, around.statement, scopes, around.captured)
        return Value(origin=CONCRETE, callees=(ref,))

    def fresh(self, node: object, what: str) -> AccessPath:
        """The object that an expression makes; each time it is evaluated, the same one."""
        return self.held(id(node), what)

    def held(self, key: object, what: str) -> AccessPath:
        """The object that is made in a place or for a reason, each time the same one."""
        root = self._objects.get((key, what))
        if root is None:
            root = self._objects[key, what] = Root(Owner.FRESH, what, len(self._objects) + 1)
        return AccessPath(root)

    def implied(self, span: int, count: int) -> Call:
        """A call that is not written down, at a place, with so many arguments."""
        node = self._implied.get((span, count))
        if node is None:
            arguments = tuple(Const(None) for _ in range(count))
            node = self._implied[span, count] = Call(Const(None), arguments, span=span)
        return node

    def key(self, var: Var) -> str:
        """The name of a variable among all those that the function sees."""
        if var.home is Home.GLOBAL:
            return f"${var.name}"
        if var.home is Home.CLASS:
            return f"%{var.name}"
        if var.home is Home.CELL:
            return cell_key(self.root(var))
        return var.name

    def root(self, var: Var) -> Root:
        """Where the paths from a variable of another scope begin."""
        if var.home is Home.CELL:
            around = self.ref.scopes
            scope = around[var.levels - 1] if var.levels <= len(around) else None
            return Root(Owner.CELL, var.name, scope=scope)
        return Root(Owner.GLOBAL, var.name, module=self.ref.module)

    def variable(self, var: Var) -> Value:
        """The value of a variable."""
        home, name = var.home, var.name
        if home is Home.GLOBAL:
            known = self.state.env.get(f"${name}")
            if known is None:
                known = self.reached(self.world.global_value(self.ref, name))
            return known
        if home is Home.CELL:
            return self.cell(self.root(var))
        if self._written and name in self.ref.function.cells:
            self._look_at(AccessPath(Root(Owner.CELL, name, scope=self.scope)))
        known = self.state.env.get(name if home is Home.LOCAL else self.key(var))
        return UNKNOWN if known is None else known

    def _look_at(self, cell: AccessPath) -> None:
        """Note that a variable is read that functions inside may have written."""
        self._read_later.update(
            key for key in self._written.get(cell, ()) if key in self.state.writes
        )

    def cell(self, root: Root) -> Value:
        """The value of a variable of a function, this one or one around it."""
        if root.scope == self.scope:
            known = self.state.env.get(root.name)
            return UNKNOWN if known is None else known
        known = self.state.env.get(cell_key(root))
        if known is None:
            known = self.captured.get(root)
        return initial(AccessPath(root)) if known is None else known

    def reached(self, value: Value | None) -> Value:
        """A value; where there is none, the way that led here ends."""
        if value is None:
            self.state.leave()
        return UNKNOWN if value is None else value

    def assign(self, var: Var, value: Value, span: int) -> None:
        """Give a variable a value; one of another scope is written for others to see."""
        key = self.key(var)
        fills = self.state.is_told_empty(key)
        self.state.bind(key, value)
        if var.home in (Home.CELL, Home.GLOBAL):
            path = AccessPath(self.root(var))
            self.write(Write(path, Form.NAME, Change.SET, value, self.site(span), fills=fills))

    def read(self, paths: Iterable[AccessPath], trace: Trace | None = None) -> None:
        """Note that parts of objects are looked at, here or in a trace."""
        for path in paths:
            if not self.state.is_full(path):
                self._reads.add(path)
            if path.selectors and path.selectors[-1] is Some.FIELD:
                self.state.touched |= {path.owner}
            if self._places.has_any_of(path):
                for key in self._written_at(self._places.alike(path)):
                    if self._is_before(key, path):
                        self._see(key, trace)

    def use(self, paths: Iterable[AccessPath], trace: Trace | None = None) -> None:
        """Note that objects are handed on, with all that is in them, here or in a trace."""
        for path in paths:
            self._uses.add(path)
            if self._places.has_any_of(path):
                for key in self._written_in(path):
                    self._see(key, trace)

    def leave_open(self) -> None:
        """Be a function that may look at anything that it is given, and give back anything."""
        given = [self.state.env[item.name] for item in self.ref.function.parameters]
        self.read(path.then(Some.FIELD) for value in given for path in value.paths)
        self.use(path for value in given for path in value.paths)
        self.give_back(Value(exact=False, origin=doubtful(derived(given).origin)))

    def count(self, paths: Iterable[AccessPath]) -> None:
        """Note that it is looked at how much objects hold, and not at what that is."""
        for path in paths:
            here = path.then(Some.INDEX)
            self._reads.add(here)
            for key in self._written_at(self._places.alike(here)):
                if self._is_before(key, here):
                    self._read_later.add(key)

    def has_items(self, paths: frozenset[AccessPath]) -> bool:
        """Whether an object has been changed on the way to here as only a container is."""
        return any(
            key.form is Form.ITEM and key in self.state.writes
            for path in paths
            for key in self._written_at(self._places.parts(path))
        )

    def _written_at(self, paths: Iterable[AccessPath]) -> list[WriteKey]:
        """What was written at some paths, on whatever way."""
        written = self._written
        return [key for path in paths if path in written for key in written[path]]

    def _written_in(self, path: AccessPath) -> Iterator[WriteKey]:
        """What was written on the way here in an object, or in what it holds."""
        for key in self._written_at(self._places.inside(path)):
            if path.may_contain(key.target) and self._is_before(key, path):
                yield key

    def _is_before(self, key: WriteKey, path: AccessPath) -> bool:
        """Whether something has been written to what a path leads to now.

        What an earlier round of a loop has got is something else than what this one has.
        """
        aged = self.state.aged
        if not aged or key not in aged:
            return key in self.state.writes
        return not any(
            isinstance(one, LoopKey) and one == other
            for one, other in zip(key.path.selectors, path.selectors, strict=False)
        )

    def _see(self, key: WriteKey, trace: Trace | None) -> None:
        """Note that what was written is looked at; a trace may have written it itself."""
        self._read_later.add(key)
        if key.trace is not None and key.trace != trace and key not in self.state.dead:
            self._seen_after.add(key)

    def hand_back(self, paths: Iterable[AccessPath]) -> None:
        """Note that objects are returned: whether somebody looks at them is for the caller to say.

        What a trace has left in them is kept in any case.
        """
        if self._written:
            for path in self.state.with_all_in(paths):
                for key in self._written_in(path):
                    if key.trace is not None:
                        self._see(key, None)

    def escape(self, values: Iterable[Value]) -> None:
        """Note that code which is not known gets values."""
        values = [*values]
        self.cells.hand_on(values)
        for value in values:
            self._escapes |= value.out
            self.use(value.out)
            self.state.forget(value.out)

    def ask(self, value: Value) -> None:
        """Note that it is not known what a value calls, or of which class it is."""
        for path in value.paths:
            if len(path.selectors) <= ASKED and path.root.owner in _TOLD_BY_CALLERS:
                here = AccessPath(path.root, tuple(map(settled, path.selectors)))
                self._asks.add(Ask(here, not value.exact))

    def computed(self, values: Iterable[Value]) -> Value:
        """An array that jax makes of values: a Tracer, if something stages what it does here."""
        made = derived(values, staged=not self.eager)
        origin = made.origin._replace(concrete=False)
        return made.with_origin(origin).with_tells(OF_AN_OBJECT)

    def traced(self, values: Iterable[Value]) -> Value:
        """What a trace gives back that was given values: whatever it is, made by jax."""
        return self.computed(values).with_tells(SILENT)

    def foreign(self, node: object) -> AccessPath:
        """An object that code which is not known has given, and may keep."""
        path = self.fresh(node, FOREIGN)
        self._escapes.add(path)
        return path

    def give_back(self, value: Value, ensures: bool = True) -> None:
        """Note that the function may return a value, here where the conditions of this way hold."""
        self.results.append(under(self.state.whole(value), self.state.clear))
        self.leave_behind()
        self._ends[id(self.state)] = self.state
        self._ensured.append(self.state.clear if ensures else NOTHING)
        if ensures:
            now = self.state
            exit_ = AbstractState(None, True, now.writes, now.clear, now.undone, sure=now.sure)
            exit_.ways = now.ways
            self.exits.append(exit_)
        self._certain = self._still(self._certain, self.state.is_full)
        self._filled = self._still(self._filled, self.state.is_filled)

    def rebound(self) -> Iterator[Root]:
        """The variables around that have been written until here, by what certainly was called."""
        for key in self.state.writes:
            if key.form is Form.NAME and not self._writes[key].is_virtual:
                yield key.path.root

    def leave_behind(self) -> None:
        """Note that the function may return or yield after what has been written until here."""
        self._left_behind |= self.state.writes

    def write(
        self, write: Write, before: frozenset[WriteKey] | None = None, is_certain: bool = True
    ) -> None:
        """Note that an object is changed, if the conditions of this way hold.

        It may take back what was written before; of what a callee does that has been told already.
        One that is not certain may not happen on this way.
        """
        if not self.state.clear <= write.only_if:
            write = write._replace(only_if=write.only_if | self.state.clear)
        if NEVER in write.only_if or self._may_be_filled(write):
            return
        if self.counting:
            write = write._replace(counts=self.counting)
        key = write.key
        self.cells.hand_on((write.value,))
        if (write.value.out or write.value.callees) and self._is_seen(write.path):
            self._stored.update(kept(write.value))
        if write.form in CACHES and write.trace is None:
            self._preempted.update(self._written.get(write.path, ()))
        earlier = self.state.writes if before is None else before
        self._take_back(write, key, earlier, is_certain)
        self._replace(write, key, earlier, is_certain)
        known = self._writes.get(key)
        self._writes[key] = self._merged(known, write)
        if known is None:
            self._places.add(write.path)
            self._written.setdefault(write.path, []).append(key)
        self.state.note(key, write.is_sure and not self.choosing)

    def _may_be_filled(self, write: Write) -> bool:
        """Whether it is a cache of an object that unknown code has got, and may have asked.

        Of one that was made here, what it got first is known.
        """
        path = write.path
        return (
            write.form in CACHES
            and path.root.owner is not Owner.FRESH
            and any(item.may_contain(path) for item in self._escapes)
        )

    def _merged(self, known: Write | None, write: Write) -> Write:
        """A write, with what is known of it already; what somebody does tells more than a start."""
        if known is None or (known.is_virtual and known.awaits in self.called):
            return write
        if write.is_virtual and write.awaits in self.called:
            return known
        return merge_writes(known, write)

    def _replace(
        self, write: Write, own: WriteKey, before: frozenset[WriteKey], is_certain: bool
    ) -> None:
        """Note that what earlier traces have left in a place stands there no more."""
        state = self.state
        if is_certain and write.change is Change.SET and _is_one_place(write):
            state.dead |= {
                key
                for key in self._written.get(own.path, ())
                if key.form is own.form and key.trace != own.trace and key in before
            }
        if own in state.dead:
            state.dead -= {own}

    def _take_back(
        self, write: Write, own: WriteKey, before: frozenset[WriteKey], is_certain: bool
    ) -> None:
        """Note the writes that a later one in the same trace takes back, or replaces."""
        state = self.state
        undone = frozenset(
            [
                key
                for key in self._written_at(self._taken_back_by(write))
                if key.form is write.form
                and (_takes_back(write, key.path) or self._counts_back(write, key))
                and key.trace == write.trace
                and key in before
            ]
        )
        if undone:
            state.undone |= undone
            self._taken_back[own] = self._taken_back.get(own, frozenset()) | undone
        if is_certain and _is_plain(write):
            same = [key for key in self._written.get(own.path, ()) if key.form is own.form]
            inside = self._written_at(self._places.below(own.path))
            state.undone |= {
                key
                for key in (*same, *inside)
                if key.trace == own.trace and key != own and key in before
            }
        if write.is_undone:
            state.undone |= {own}
        elif own in state.undone:
            state.undone -= {own}

    def _taken_back_by(self, write: Write) -> Iterable[AccessPath]:
        """Where that was written which a later write may take back."""
        path = write.path
        if write.change is Change.REMOVE:
            if path.selectors[-1:] in _ANY_OR_LAST:
                return self._places.parts(path.owner)
            return (path,)
        if len(write.value.paths) == 1 and write.value.exact:
            return dict.fromkeys((path, *write.value.paths))
        return (path,) if write.counts else ()

    def _counts_back(self, write: Write, key: WriteKey) -> bool:
        """Whether a counter that went up goes down again."""
        known = self._writes.get(key) if write.counts and write.path is key.path else None
        return known is not None and {write.counts, known.counts} == {"+", "-"}

    def store(
        self,
        owner: Value,
        selector: Selector,
        value: Value,
        write: tuple[Form, Change, int, bool],
        cause: Site | None = None,
    ) -> None:
        """Store a part of an object, and note the write at each object that it may be."""
        form, change, span, raw = write
        value = self.state.whole(value)
        paths = in_order(owner.paths) if OTHER not in owner.types else []
        fills = change is Change.SET and all(
            self.state.is_told_empty(path.then(selector)) for path in paths
        )
        if fills:
            value = value.with_tells(both(value.tells, OF_AN_OBJECT))
        for path in paths:
            self.write(
                Write(
                    path.then(selector),
                    form,
                    change,
                    value,
                    self.site(span),
                    owner.types,
                    is_exact=owner.is_of_others,
                    raw=raw,
                    fills=fills,
                    cause=cause,
                )
            )
        self.state.store(owner, selector, value)

    def _still(
        self, known: frozenset[AccessPath] | None, is_full: Callable[[AccessPath], bool]
    ) -> frozenset[AccessPath]:
        """Where something certainly stands here, and on all ways that have returned before."""
        if known is None:
            return frozenset(self._full(is_full))
        return frozenset(path for path in known if self._stands(path, is_full))

    def _stands(self, path: AccessPath, is_full: Callable[[AccessPath], bool]) -> bool:
        """Whether a path certainly has a value, by any of its names."""
        if is_full(path):
            return True
        holder, root = path.owner, path.root
        if holder.selectors:
            value = self.state.heap[holder] if is_full(holder) else None
        elif root.owner is Owner.GLOBAL and root.module == self.ref.module:
            value = self.state.env.get(f"${root.name}")
        else:
            value = None
        if value is None or not value.exact or len(value.paths) != 1:
            return False
        [held] = value.paths
        return is_full(held.then(path.selectors[-1]))

    def _full(self, is_full: Callable[[AccessPath], bool]) -> Iterator[AccessPath]:
        """Where something certainly stands, by all names that callers know of it."""
        heap = self.state.heap
        found = [path for path in heap if is_full(path)]
        if not found:
            return
        yield from filter(self._is_seen, found)
        holders = [(path, heap[path]) for path in filter(self._is_seen, found)]
        holders += (
            (AccessPath(Root(Owner.GLOBAL, name[1:], module=self.ref.module)), value)
            for name, value in self.state.env.items()
            if name.startswith("$")
        )
        for holder, value in holders:
            if value.exact and len(value.paths) == 1:
                [held] = value.paths
                for path in filter(is_full, self.state.parts(held)):
                    yield holder.then(path.selectors[-1])

    def outcome(self) -> Outcome:
        """What the function has done, all of it."""
        held = [self.state.env[name] for name in self.ref.function.cells if name in self.state.env]
        self.cells.hand_on((*self.results, *held, *self.state.heap.values()))
        self.state = at_ends(self._ends.values()) if self._ends else self.state
        result = self._handed_out(join(self.results)) if self.results else None
        undone = undone_by_all(self.exits)
        # of one that never returns, or has not so far, all writes happen on every way
        sure = sure_on_all(self.exits) if self.exits else frozenset(self._writes)
        removed = {(key.path, key.trace) for key in undone}
        writes = tuple(
            [
                self._in_the_end(key, item, undone, removed, key in sure)
                for key, item in self._writes.items()
                if not (item.is_virtual and key in self._preempted)
                if not (key.form is Form.NAME and self.cells.is_forgotten(key.path.root))
            ]
        )
        summary = Summary(
            tuple(item for item in writes if self._is_told(item)),
            frozenset(path for path in self._reads if self._is_seen(path)),
            frozenset(path for path in self._uses if self._is_seen(path)),
            result,
            frozenset(path for path in self._escapes if self._is_seen(path)),
            self.stages,
            common(self._ensured) if self._ensured else NOTHING,
            self._certain or frozenset(),
            self._filled or frozenset(),
            frozenset(item for item in self._asks if self._is_seen(item.path)),
        )
        returned = [path for value in self.results for path in kept(value)]
        return Outcome(
            summary,
            writes,
            tuple(self.runs),
            self._held_by((*self._escapes, *self._stored, *returned)),
            self._held_by(self._escapes),
            self._held_by(returned),
            frozenset(what for _, what in self._objects),
            tuple(self.refusals.values()),
            frozenset(self.permitted),
            tuple(self.calls),
            frozenset(self.expected),
            tuple(self.discards.values()),
            frozenset(self.in_place),
            frozenset(self.called),
            self.starts,
        )

    def _in_the_end(
        self,
        key: WriteKey,
        write: Write,
        undone: frozenset[WriteKey],
        removed: _Removed,
        is_sure: bool,
    ) -> Write:
        """A write, with what is known of it once the function has run."""
        value = self._handed_out(write.value)
        types = write.types if key.target not in self.deques else _DEQUE
        is_read = write.is_read_later or key in self._read_later
        is_seen = write.is_seen_after or key in self._seen_after
        is_undone = bool(undone) and self._is_undone(key, undone, removed)
        is_sure = is_sure if write.trace is None else write.is_sure
        told = (value, types, is_read, is_seen, is_undone, is_sure)
        flags = (write.is_read_later, write.is_seen_after, write.is_undone, write.is_sure)
        if told == (write.value, write.types, *flags):
            return write
        return write._replace(
            value=value,
            types=types,
            is_read_later=is_read,
            is_seen_after=is_seen,
            is_undone=is_undone,
            is_sure=is_sure,
        )

    def _is_undone(self, key: WriteKey, undone: frozenset[WriteKey], removed: _Removed) -> bool:
        """Whether a write is taken back, or in what another one has put somewhere for a while."""
        return (
            key in undone
            or not undone.isdisjoint(self._taken_back.get(key, ()))
            or any((path, key.trace) in removed for path in key.path.around())
        )

    def _held_by(self, paths: Iterable[AccessPath]) -> frozenset[Root]:
        """The objects made here among those that others keep, and those that they hold."""
        found = {path.root for path in paths if path.root.owner is Owner.FRESH}
        held: dict[Root, set[Root]] = {}
        for path, value in self.state.heap.items() if found else ():
            inside = {item.root for item in kept(value) if item.root.owner is Owner.FRESH}
            held.setdefault(path.root, set()).update(inside)
        waiting = [*found]
        while waiting:
            more = held.get(waiting.pop(), set()) - found
            found |= more
            waiting += more
        return frozenset(found)

    def _handed_out(self, value: Value, nesting: int = NESTING) -> Value:
        """A value as those see it that the function returns it to.

        An object that was made here has no path there; what it holds comes along. Objects that
        hold each other are many values and few objects: each of them is handed out once.
        """
        key = None, id(value), nesting
        known = self._handed.get(key)
        if known is None:
            known = self._handed[key] = value, self._as_seen(value, nesting)
        return known[1]

    def _as_seen(self, value: Value, nesting: int) -> Value:
        """A value that is handed out, and what it holds."""
        new = [path for path in in_order(value.paths) if not self._is_seen(path)]
        callees = () if calls_more(value, RETURNED) else value.callees
        contents = value.contents
        if not new and not value.callees and contents == EMPTY:
            return value
        items = contents.items
        if items is not None:
            items = (
                tuple(self._handed_out(item, nesting - 1) for item in items) if nesting else None
            )
        parts: Parts = ()
        reaches = {path for path in contents.reaches if self._is_seen(path)}
        for path in new:
            below = self.state.parts(path)
            reaches |= {seen for known in below for seen in self.state.heap[known].out}
            if len(new) == 1 and value.exact and nesting:
                parts = tuple(
                    (known.selectors[-1], self._handed_out(self.state.heap[known], nesting - 1))
                    for known in in_order(below)
                )
        contents = Contents(
            frozenset(path for path in reaches if self._is_seen(path)),
            frozenset(path for path in contents.shares if self._is_seen(path)),
            frozenset(item for item in contents.snapshots if self._is_seen(item.path)),
            items,
            parts or self._parts_handed_out(contents.parts, nesting),
            frozenset(path for path in contents.statics if self._is_seen(path)),
        )
        return Value(
            value.paths.difference(new),
            value.exact and len(new) in (0, len(value.paths)),
            value.origin,
            value.types,
            contents,
            tuple(self._captured(item, nesting) for item in callees),
            value.tells,
        )

    def _parts_handed_out(self, parts: Parts, nesting: int) -> Parts:
        """What an object holds that a callee has made, as far down as it is known."""
        if not nesting:
            return ()
        return tuple((key, self._handed_out(value, nesting - 1)) for key, value in parts)

    def _is_seen(self, path: AccessPath) -> bool:
        """Whether those that call the function can see an object."""
        root = path.root
        return root.owner is not Owner.FRESH and root.scope != self.scope

    def _is_told(self, write: Write) -> bool:
        """Whether those that call the function see a write.

        The tuple or dict that a call has made of its arguments is the function's own. Of an
        argument nobody looks at what was written before an error.
        """
        path = write.path
        if path.root.owner is Owner.PARAMETER and not self._is_left_behind(write):
            return False
        is_own = len(path.selectors) == 1 and path.root in self._packed
        return self._is_seen(path) and not is_own

    def _is_left_behind(self, write: Write) -> bool:
        """Whether the function does not raise in any case once it has written something."""
        return write.form is Form.ELEMENT or write.key in self._left_behind

    def _captured(self, callee: Callee, nesting: int) -> Callee:
        """A function that is handed out, with what it has captured."""
        match callee:
            case FunctionRef() if callee.scopes:
                known = {root: self._kept(root, value, nesting) for root, value in callee.captured}
                if self.scope in callee.scopes:
                    known = {**self._cells(nesting), **known}
                return replace(callee, captured=tuple(known.items()))
            case Partial() | Traced() | Cached():
                return callee._replace(callee=self._captured(callee.callee, nesting))
        return callee

    def _cells(self, nesting: int) -> Mapping[Root, Value]:
        """The variables that functions inside may use, as these know them later."""
        env = self.state.env
        found = {
            Root(Owner.CELL, name, scope=self.scope): env[name]
            for name in sorted(self.ref.function.cells)
            if name in env
        }
        return {root: self._kept(root, value, nesting) for root, value in found.items()}

    def _kept(self, root: Root, value: Value, nesting: int) -> Value:
        """What a variable holds. An object that was made here lives on in the variable."""
        key = root, id(value), nesting
        known = self._handed.get(key)
        if known is None:
            kept = self._as_seen(value.with_callees(()), nesting)
            if len(kept.paths) < len(value.paths):
                kept = kept._replace(paths=kept.paths | {AccessPath(root)})
            kept = kept.with_callees(value.callees if captures(value) < CAPTURES else ())
            known = self._handed[key] = value, kept
        return known[1]


def _is_plain(write: Write) -> bool:
    """Whether a write leaves nothing of what a trace has put in its place before."""
    origin = write.value.origin
    is_plain = origin.concrete and not origin.doubtful
    return write.change is Change.SET and is_plain and _is_one_place(write)


def _is_one_place(write: Write) -> bool:
    """Whether it is certain which part of which object is written."""
    selectors = write.path.selectors
    return write.is_exact and all(isinstance(item, Field | Index) for item in selectors)


def _takes_back(write: Write, path: AccessPath) -> bool:
    """Whether a write removes what was put somewhere, or puts back what stood there at first."""
    if write.change is Change.REMOVE:
        if write.path.selectors[-1:] in _ANY_OR_LAST and path.selectors:
            return write.path.owner == path.owner
        return write.path == path
    if write.value.paths != {path}:
        return False
    return write.path.selectors[-1:] == path.selectors[-1:]


_ANY_OR_LAST = ((Some.INDEX,), (Index(-1),))


def cell_key(root: Root) -> str:
    """The name of a variable of a function around, among all those that a function sees."""
    scope = root.scope or ("", 0, 0)
    return f"^{scope[1]}:{scope[2]}:{root.name}"


def field(name: str, is_static: bool = False) -> Field:
    """The selector of an attribute."""
    return Field(name, is_static)
