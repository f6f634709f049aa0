"""What is known while a function is followed: names, the heap, writes and reads so far."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import libcst as cst

from flake8_jax.assigning import is_called_in_construction, keeps_its_rule, opened_within
from flake8_jax.flow.analysis import Flow, parameters
from flake8_jax.flow.attributes import is_property
from flake8_jax.flow.keys import dict_keys
from flake8_jax.flow.removals import goes_back
from flake8_jax.flow.types import field_type, holds_arrays, starts_as_literal
from flake8_jax.flow.values import (
    ALL,
    ARRAYS,
    CONTAINERS,
    ELEMENT,
    KEY_OF_A_ROUND,
    PLAIN,
    STATIC,
    UNKNOWN,
    Clear,
    Copied,
    Form,
    FunctionRef,
    Invocation,
    Numbered,
    Origin,
    Place,
    Refusal,
    Root,
    Shape,
    Trace,
    Type,
    Value,
    Write,
    changed,
    computed,
    join,
    meet,
    without,
)
from flake8_jax.knowledge.objects import ARRAY_PARTS, CONSTRUCTION
from flake8_jax.knowledge.pytrees import NEVER_ARRAYS, Kind
from flake8_jax.knowledge.values import STATIC_ATTRIBUTES
from flake8_jax.lazy import called_in_construction
from flake8_jax.model import Cache, CacheForm, ModelClass
from flake8_jax.scopes import Scope, inner_scope
from flake8_jax.source import Quote
from flake8_jax.syntax import Function, first_parameter, integer_value, string_value, walk
from flake8_jax.tree import fields, is_frozen, static_fields

_MOST_ALIKE = 8
"""At how many places a write is followed: it is reported once."""
_MOST_INVOCATIONS = 30
"""How many calls of what it is given a function tells."""


class State(ABC):
    """The state of one function while it is followed."""

    order = 0
    finishing = 0
    repeating = 0
    guarded = 0
    unlocked = 0
    """How many context managers around let frozen objects be assigned."""
    compile_time = 0
    clear: Clear = frozenset()
    """The variables that are no Tracers on the way that is being followed."""
    way: tuple[int, ...] = ()
    """The branches that are being followed, outermost first."""
    catching = 0
    """How many of the statements around catch what is raised if no number can be made."""
    tells = False
    """Whether some condition here tells what is no Tracer."""
    rounds = 0
    branches = 0
    in_loop = False
    makes_arrays = False
    used: cst.CSTNode | None = None
    """The expression whose value is bound or returned."""
    unpacked: cst.CSTNode | None = None
    """The expression whose value may be a tuple: it is taken apart, or returned."""
    immediate: cst.Call | None = None
    """The call of what another call has just made."""
    optional = 0
    """How many of the branches that are being followed only run if an argument says so."""
    invoking = 0
    """How many functions that were handed to others are being applied."""

    @abstractmethod
    def evaluate(self, node: cst.BaseExpression) -> Value:
        """The value of an expression, which is read."""

    @abstractmethod
    def base(self, node: cst.BaseExpression) -> Value:
        """The value of an expression of which only a member is wanted: it is not read whole."""

    @abstractmethod
    def again(self, node: cst.BaseExpression) -> Value:
        """The value of an expression that was followed just now."""

    @abstractmethod
    def write_item(
        self,
        base: Value,
        value: Value,
        node: cst.CSTNode,
        name: cst.BaseExpression,
        target: cst.Subscript | None = None,
        sure: bool = False,
        key: str | None = None,
    ) -> None:
        """Record a change of an element of a container, or of an array."""

    def __init__(self, flow: Flow, ref: FunctionRef) -> None:
        self.flow = flow
        self.model = flow.model
        self.ref = ref
        self.node = ref.node
        self.piece = ref.piece
        self.parameters = parameters(ref.node)
        self.scope: Scope = ref.scope
        self.bound: frozenset[str] = frozenset()
        self.declared_outer: frozenset[str] = frozenset()
        if not ref.is_block:
            if isinstance(ref.node, cst.FunctionDef):
                inner = inner_scope(ref.node, ref.scope, 0, ref.piece)
                self.scope = inner
                self.bound = frozenset(binding.name for binding in inner.all)
                self.declared_outer = inner.outer
            else:
                self.bound = frozenset(item.name for item in self.parameters)
        self.owner = None if ref.is_block else ref.node
        self.env: dict[str, Value] = {}
        self.heap: dict[Place, Value] = {}
        self.writes: dict[tuple[cst.CSTNode, Place, Trace | None], Write] = {}
        self.ways: dict[tuple[cst.CSTNode, Place, Trace | None], tuple[int, ...]] = {}
        """The branches in which they stand."""
        self.ways_back: set[cst.CSTNode] = set()
        """What may make good what was written before."""
        self._counts: dict[tuple[cst.CSTNode, Origin | None, Trace | None], int] = {}
        self.reads: dict[tuple[Place, bool, Function | None], int] = {}
        """When each place was read last: itself or through a name that stood for it, and by what
        function that was handed on."""
        self.results: list[Value] = []
        self.left: list[Clear] = []
        """What is clear of Tracers where the function ends."""
        self.shared: set[str] = set()
        """The local names whose objects were handed to code that is not known."""
        self.filled: set[Place] = set()
        """The cached properties that have been read here."""
        self.waiting: dict[Trace, tuple[Mapping[str, Value], tuple[Write, ...]]] = {}
        """The traces that were made and have not run, what their callables have, and the caches
        that they fill."""
        self.called: dict[Function, FunctionRef] = {}
        self.undone: set[Place] = set()
        """The containers from which a ``finally`` takes away what was put there."""
        self.put_back: dict[Place, int] = {}
        """The attributes and names that a ``finally`` sets anew, and when."""
        self.followed: dict[cst.BaseExpression, Value] = {}
        """What each expression was when it was followed last."""
        self.turns: dict[str, int] = {}
        """The rounds in which the variables of loops were bound."""
        self.invocations: dict[tuple[Place, cst.CSTNode, bool], Invocation] = {}

    def lookup(self, node: cst.Name) -> Value:
        """What a name stands for here."""
        name = node.value
        if name in self.env:
            return self.env[name]
        if name in self.bound and name not in self.declared_outer:
            found = self.flow.outer(node, self.scope, self.piece)
            return found if found.dotted or found.function or found.made else UNKNOWN
        at = self.piece.at if self.ref.is_block and self.ref.cls is None else None
        return self.flow.outer(node, self.scope, self.piece, at)

    def assign_name(self, name: str, value: Value, node: cst.CSTNode) -> None:
        """Bind a name; one that was declared global or nonlocal is written outside."""
        self.order += 1
        value = without(value, self.clear)
        if name in self.declared_outer:
            place = self.flow.variable(name, self.ref.scope) or Place(Root(None, name))
            self._record(
                Write(
                    place,
                    Form.NAME,
                    node,
                    self.piece,
                    name,
                    value.plain,
                    value.depends,
                    self.order,
                    doubtful=value.doubtful and value.type is not Shape.ARRAY,
                )
            )
        self.flow.passes(self.owner, {name: value})
        self.env[name] = value

    def _write(
        self,
        place: Place,
        form: Form,
        node: cst.CSTNode,
        target: cst.CSTNode | Quote,
        value: Value,
        owner: Value = UNKNOWN,
        raw: bool = False,
    ) -> None:
        self._record(
            Write(
                place,
                form,
                node,
                self.piece,
                target if isinstance(target, Quote) else Quote(self.piece, target),
                value.plain,
                value.depends,
                self.order,
                source=value.places,
                is_array=value.type is Shape.ARRAY,
                is_sum=value.numeric,
                is_known=owner.type is Shape.ARRAY,
                is_opaque=owner.type is Shape.OPAQUE,
                doubtful=value.doubtful and value.type is not Shape.ARRAY,
                raw=raw,
                cls=owner.cls(),
                never=owner.never,
                is_named=owner.function is not None or owner.made is not None,
            )
        )

    def _record(self, write: Write) -> None:
        if self.finishing and write.form in (Form.ATTRIBUTE, Form.NAME):
            self.put_back[write.place] = self.order
        if self.clear:
            write = changed(write, unless=write.unless | self.clear)
        removes = goes_back(write)
        if removes and write.form is Form.ITEM and self.finishing:
            self.undone.add(write.target)
        key = (write.node, write.place, write.trace)
        known = self.writes.get(key)
        if known is None:
            alike = (write.node, write.origin, write.trace)
            self._counts[alike] = self._counts.get(alike, 0) + 1
            if self._counts[alike] <= _MOST_ALIKE:
                self.writes[key] = write
                self.ways[key] = self.way
            if removes:
                self.ways_back.add(write.node)
            return
        if known.unless:
            known = changed(known, unless=meet(known.unless, write.unless))
        if known.plain and not write.plain:
            known = changed(
                known,
                plain=False,
                depends=known.depends | write.depends,
                doubtful=known.doubtful or write.doubtful,
            )
        self.writes[key] = known

    def make_numbers(self, *values: Value) -> None:
        """Note that numbers are made of values, where somebody catches what a Tracer raises."""
        if self.catching:
            for value in values:
                self.clear |= frozenset(Numbered(root) for root in value.depends)

    def enter(self, clear: Clear) -> None:
        """Follow a way on which some more variables are no Tracers."""
        if clear:
            self.clear |= clear
            self.note_told(clear)

    def note_told(self, clear: Clear) -> None:
        """Note that a condition tells something about Tracers."""
        self.tells = self.tells or any(isinstance(item, Root) for item in clear - {ALL})

    def write_member(
        self,
        owner: Value,
        name: str,
        value: Value,
        node: cst.CSTNode,
        text: Quote,
        raw: bool,
    ) -> None:
        """Record a change of an attribute."""
        for place in owner.places:
            if owner.certain:
                here = place.member(name)
                self._write(here, Form.ATTRIBUTE, node, text, value, owner, raw)
            self.heap[place.member(name)] = value

    def fill_cache(self, owner: Value, name: str, node: cst.Attribute, here: cst.CSTNode) -> None:
        """Record that reading a cached property fills it."""
        variable = self._variable_place(node)
        self.filled |= {place.member(name) for place in owner.places}
        self.filled |= {variable} if variable is not None else set()
        if self.compile_time:
            return
        for place in owner.places if owner.certain else ():
            self._write(place.member(name), Form.CACHE, here, here, UNKNOWN, owner)

    def is_filled_inside(self, places: Iterable[Place], function: Function) -> bool:
        """Whether another inner trace has filled one of some caches before."""
        here = set(places)
        return any(
            write.form is Form.CACHE
            and write.place in here
            and write.trace is not None
            and write.trace.function.node is not function
            for write in self.writes.values()
        )

    def call_cached(self, ref: FunctionRef, node: cst.CSTNode) -> None:
        """Record a call of a function whose results are kept; those of pytrees have a rule."""
        cls = ref.bound[0].cls() if ref.is_method else ref.cls
        family = (cls, *cls.model.heirs(cls)) if cls is not None else ()
        pytree = any(item.making is not None for item in family)
        inner = isinstance(ref.scope.node, cst.FunctionDef)
        if not self.compile_time and not pytree and not inner:
            place = Place(self.flow.foreign(ref.scope, ref.name))
            self._write(place.member("()"), Form.CALL, node, node, UNKNOWN)

    def adopt(
        self, write: Write, places: Sequence[Place], renamed: bool = False, **changes: Any
    ) -> None:
        """Take over a write of something that was called, at the places that it has here."""
        if len(places) > 1:
            places = sorted(places, key=lambda place: (place.root.name, place.path))
        for place in places[:_MOST_ALIKE]:
            here = write.named_from(place) if renamed else write
            self._record(changed(here, place=place, order=self.order, **changes))

    def invoke(self, function: Value, invocation: Invocation) -> None:
        """Note that something is called, or traced, which only the code around knows."""
        if invocation.scope is not None and self.optional:
            return
        for place in function.places if function.certain else ():
            if place.root.owner is not None and not place.path:
                key = (place, invocation.node, invocation.transform is None)
                if len(self.invocations) < _MOST_INVOCATIONS:
                    self.invocations.setdefault(key, changed(invocation, place=place))

    def asks_argument(self, test: cst.BaseExpression) -> bool:
        """Whether a condition looks at an argument of the function."""
        names = {item.name for item in self.parameters}
        return any(type(item) is cst.Name and item.value in names for item in walk(test))

    def read(self, value: Value, name: str | None = None) -> None:
        """Note that a value is read whole, or handed on."""
        self.order += 1
        for place in value.out:
            self.reads[place, False, None] = self.order
        if name is not None and not self._is_rebound(name, value):
            self.reads[Place(Root(self.owner, name)), True, None] = self.order

    def _is_rebound(self, name: str, value: Value) -> bool:
        """Whether the name of a parameter stands for something else than the argument by now."""
        if all(item.name != name for item in self.parameters):
            return False
        root = Root(self.owner, name)
        return all(place.root != root for place in value.out | value.copies)

    def read_places(
        self, places: Iterable[Place], direct: bool = True, by: Function | None = None
    ) -> None:
        """Note that places are read."""
        self.order += 1
        for place in places:
            self.reads[place, direct, by] = self.order

    def read_elements(self, owner: Value, node: cst.BaseExpression) -> None:
        """Note that all elements of a container are read."""
        self.read_places(place.member(ELEMENT) for place in owner.places | owner.copies)
        variable = self._read_variable(node)
        if variable is not None:
            self.read_places([variable])

    def share(self, arguments: Iterable[cst.Arg]) -> None:
        """Note that objects are handed to code that is not known, and may be in use there."""
        names = (argument.value for argument in arguments)
        self.shared |= {name.value for name in names if isinstance(name, cst.Name)}

    def read_node(self, node: cst.BaseExpression) -> None:
        """Note that the object at an attribute or element is read, whatever is there by now."""
        if isinstance(node, cst.Attribute):
            owner = self.again(node.value)
            self.read_places(place.member(node.attr.value) for place in owner.places | owner.copies)
        elif isinstance(node, cst.Subscript):
            owner = self.again(node.value)
            step = self.step(node)
            self.read_places(place.member(step) for place in owner.places | owner.copies)
            variable = self._read_variable(node)
            if variable is not None:
                self.read_places([variable])

    def _read_variable(self, node: cst.BaseExpression) -> Place | None:
        """The place that is read by the spelling of an expression; none if it is no argument's."""
        first = node
        while isinstance(first, cst.Attribute | cst.Subscript):
            first = first.value
        if isinstance(first, cst.Name) and first.value in self.env:
            if self._is_rebound(first.value, self.env[first.value]):
                return None
        return self._variable_place(node)

    def _variable_place(self, node: cst.BaseExpression) -> Place | None:
        """The place of an expression by its spelling: for objects that are made here."""
        if type(node) is cst.Name:
            return Place(Root(self.owner, node.value)) if node.value in self.env else None
        if type(node) is cst.Attribute:
            owner = self._variable_place(node.value)
            return owner.member(node.attr.value) if owner is not None else None
        if type(node) is cst.Subscript:
            owner = self._variable_place(node.value)
            return owner.member(self.step(node)) if owner is not None else None
        return None

    def step(self, node: cst.Subscript | None) -> str:
        """The step that a subscript takes here: each round of a loop over keys takes another."""
        index = only_index(node) if node is not None else None
        if isinstance(index, cst.Name) and index.value in self.turns:
            if index.value in self.dict_keys:
                return f"{KEY_OF_A_ROUND}{self.turns[index.value]}]"
        return step_of(node)

    @cached_property
    def dict_keys(self) -> frozenset[str]:
        """The names that loops take from dicts as their keys."""
        return dict_keys(self.node.body)

    def member(self, owner: Value, name: str) -> Value:
        """An attribute of a value, without reading it."""
        if name in owner.members:
            return owner.members[name]
        if owner.dotted is not None:
            return self.flow.imported(f"{owner.dotted}.{name}", owner, self.scope, self.piece)
        cls = owner.cls()
        if isinstance(owner.made, ModelClass):
            method = owner.made.method(name)
            if method is not None:
                ref = self.flow.method(owner.made, method)
                if owner.made.is_class_method(method):
                    ref = changed(ref, bound=(owner,), is_method=True)
                return Value(function=ref, plain=True)
        if cls is not None and name == "__class__":
            return Value(made=cls, plain=True)
        if cls is not None:
            method = cls.method(name)
            if method is not None and not is_property(cls, method):
                ref = self.flow.method(cls, method)
                if cls.is_instance_method(method):
                    overrides = self._overrides(owner, cls, name)
                    ref = changed(
                        ref, bound=(owner, *ref.bound), is_method=True, overrides=overrides
                    )
                elif cls.is_class_method(method):
                    itself = Value(places=frozenset({Place(Root(None, cls.name))}), made=cls)
                    ref = changed(ref, bound=(itself,), is_method=True)
                return Value(function=ref, depends=owner.depends)
            if method is None and (overrides := self._overrides(owner, cls, name)):
                first, *others = overrides
                return Value(function=changed(first, overrides=tuple(others)))
        elif name in STATIC_ATTRIBUTES:
            return PLAIN
        else:
            guessed = self.guess(owner, name)
            if guessed is not None:
                return self.member(changed(owner, type=guessed), name)
        return self._stored(owner, name, cls)

    def _overrides(self, owner: Value, cls: ModelClass, name: str) -> tuple[FunctionRef, ...]:
        """The methods by which subclasses replace one that self calls."""
        methods = [
            item
            for item in map(_method_of, owner.places)
            if item is not None and cls.methods.get(item.name.value) is item
        ]
        return tuple(
            changed(
                self.flow.method(item, item.methods[name]),
                bound=(changed(owner, type=item),),
                is_method=True,
            )
            for method in methods[:1]
            for item in self.flow.heirs(cls, method)
            if name in item.methods and item.is_instance_method(item.methods[name])
        )

    def guess(self, owner: Value, name: str) -> ModelClass | None:
        """The class of a bare argument that is told by the name of a method: the only one."""
        bare = bool(owner.places) and all(
            all(step.startswith("[") for step in place.path) for place in owner.places
        )
        known = owner.type is not None or owner.function is not None or owner.made is not None
        if not bare or known or owner.foreign:
            return None
        cls = self.flow.only_class_with(name)
        return cls if cls is not self.ref.cls and owner.items is None else None

    def _stored(self, owner: Value, name: str, cls: ModelClass | None) -> Value:
        home = owner.made if isinstance(owner.made, ModelClass) else cls
        kind, element = field_type(home, name) if home is not None else (None, None)
        step = f"{STATIC}{name}" if cls is not None and name in static_fields(cls) else name
        places = frozenset(place.member(step) for place in owner.places | owner.copies)
        known = [self.heap[place] for place in places if place in self.heap]
        if known and len(known) == len(places):
            return _published(_declared(join(known), kind), places)
        if owner.type is Shape.ARRAY:
            kind = Shape.ARRAY
        certain = owner.certain and bool(places)
        plain = cls is not None and starts_as_literal(cls, name)
        return Value(
            places=places,
            certain=certain,
            type=kind,
            element=element,
            depends=frozenset() if cls is not None and _is_static(cls, name) else owner.depends,
            plain=plain,
            of_arrays=cls is not None and step == name and holds_arrays(cls, name),
            doubtful=kind is not Shape.ARRAY and self._may_be_static(owner, cls, name),
        )

    def _may_be_static(self, owner: Value, cls: ModelClass | None, name: str) -> bool:
        """Whether an attribute need not be traced with its object: not all fields are leaves."""
        known = owner.type is not None or owner.numeric or name in ARRAY_PARTS
        return cls is None and (owner.doubtful or not known)

    def element(self, owner: Value, index: int | str | None = None) -> Value:
        """An element of a value, at a position or under a key."""
        step = ELEMENT if index is None else f"[{index!r}]"
        if step in owner.members:
            return owner.members[step]
        if owner.items is not None:
            if isinstance(index, int) and index < len(owner.items):
                return owner.items[index]
            return join(owner.items)
        if owner.each is not None:
            return owner.each
        if owner.type is Shape.ARRAY:
            return changed(computed(owner), type=Shape.ARRAY)
        places = frozenset(place.member(step) for place in owner.places | owner.copies)
        known = [self.heap[place] for place in places if place in self.heap]
        own = owner.type is Shape.PACKED  # the caller has no part in what is put there
        if known and len(known) == len(places):
            return join(known) if own else _published(join(known), places)
        depends = owner.depends
        if own and index is not None:
            depends = frozenset(root.part(step) for root in depends)
        return Value(
            places=places,
            certain=owner.certain and bool(places),
            holds=frozenset() if places else owner.holds,
            copied=frozenset() if places else owner.copied,
            type=owner.element,
            depends=depends,
            plain=owner.plain,
            of_arrays=owner.of_arrays,
            doubtful=owner.doubtful,
        )

    def copy_of(self, source: Value, shallow: bool) -> frozenset[Copied]:
        """The mark of a copy that is made here."""
        self.order += 1
        places = source.places | source.holds
        return source.copied | {Copied(place, self.order, shallow) for place in places}

    def computes(self, value: Value) -> Value:
        """Note that an array is computed here, unless JAX computes it at once."""
        return self.stages(value) if value.type is Shape.ARRAY else value

    def stages(self, value: Value) -> Value:
        """Note that a value has arrays that are computed here: under a staging trace, Tracers."""
        if self.compile_time:
            return value
        self.makes_arrays = True
        return changed(value, depends=value.depends | {ARRAYS.root}, doubtful=False)

    def is_construction_of(self, owner: Value) -> bool:
        """Whether this function, or one that it stands in, makes the object that is written."""
        made = owner.cls()
        for place in owner.places if made is not None and self.ref.cls is None else ():
            around = place.root.owner
            if made is not None and isinstance(around, cst.FunctionDef) and not place.path:
                if around in made.methods.values() and place.root.name == first_parameter(around):
                    name = around.name.value
                    return name in CONSTRUCTION or name in called_in_construction(made)
        cls = self.ref.cls
        if cls is None or not isinstance(self.node, cst.FunctionDef) or not self.parameters:
            return False
        own = Place(Root(self.owner, self.parameters[0].name)) in owner.places
        name = self.node.name.value
        if not own or name in CONSTRUCTION:
            return own
        return not cls.is_plain and name in called_in_construction(cls)

    def _helps_to_make(self, owner: Value) -> bool:
        """Whether constructors of subclasses, in whatever module, call this method on self."""
        methods = filter(None, map(_method_of, owner.places))
        cls = owner.cls()
        return cls is not None and any(
            cls.method(item.name.value) is item and is_called_in_construction(cls, item.name.value)
            for item in methods
        )

    def refuses(self, owner: Value, attribute: str, deleting: bool) -> Refusal | None:
        """Why an attribute of a value cannot be assigned; None if it can."""
        if isinstance(owner.type, Kind):
            return Refusal(owner.type.label, owner.type, None, attribute)
        cls = owner.cls()
        if cls is None or cls.making is None or not is_frozen(cls, attribute):
            return None
        kind = cls.making.kind
        if deleting and not kind.sealed:
            return None
        if not keeps_its_rule(cls) or opened_within(self.node, self.ref.scope, cls):
            return None
        if not kind.sealed and (self.is_construction_of(owner) or self._helps_to_make(owner)):
            return None
        return Refusal(f"{cls.name}, {cls.making.by}", kind, cls, attribute)

    def cache_of(self, cls: ModelClass, name: str) -> Cache | None:
        """The cached property under a name, of the nearest class that has the name."""
        for owner in cls.lineage:
            for cache in owner.caches:
                if cache.attribute == name and cache.form is CacheForm.PROPERTY:
                    return cache
            if name in owner.members:
                return None
        return None


def _is_static(cls: ModelClass, name: str) -> bool:
    """Whether a field is never traced: it is declared static, or no array can be in it."""
    if name in static_fields(cls):
        return True
    declared = (item for home in cls.lineage for item in fields(home) if item.name == name)
    return any(item.annotation in NEVER_ARRAYS for item in declared)


def _method_of(place: Place) -> cst.FunctionDef | None:
    """The function whose first parameter a place is: as its self, perhaps seen from inside."""
    function = place.root.owner
    if place.path or not isinstance(function, cst.FunctionDef):
        return None
    return function if place.root.name == first_parameter(function) else None


def _declared(value: Value, kind: Type) -> Value:
    """What was computed and stored in a field that is declared to hold an array."""
    computed_here = value.type is None and value.certain and not value.places
    if kind is Shape.ARRAY and computed_here and value.depends and not value.plain:
        return changed(value, type=kind)
    return value


def _published(value: Value, places: frozenset[Place]) -> Value:
    """A container that was made here and stored elsewhere: it is what stands there now."""
    if value.places or value.type not in CONTAINERS:
        return value
    return changed(value, places=places)


def step_of(node: cst.Subscript | None) -> str:
    """The step that a subscript takes."""
    index = only_index(node) if node is not None else None
    number = integer_value(index)
    if number is not None:
        return f"[{number}]"
    key = string_value(index)
    return ELEMENT if key is None else f"[{key!r}]"


def only_index(node: cst.Subscript) -> cst.BaseExpression | None:
    """The index of a subscript that has just one."""
    if len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
        return node.slice[0].slice.value
    return None
