"""Whether a cache may hold what would be computed otherwise now: what it was made of has changed.

The summary of the cached function says what it reads, those of the module's code what they write.
Arrays and containers that nobody but a constructor and a local variable have are no concern of
summaries: in functions that make objects of the class, whatever is changed in place may be in one.
"""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeGuard

from flake8_jax.classes.annotations import annotated
from flake8_jax.classes.caches import PytreeCache
from flake8_jax.classes.frozen import refuses
from flake8_jax.classes.layout import Routine, fields
from flake8_jax.classes.table import ClassInfo
from flake8_jax.classes.walks import Placed, called_name, first_parameter, is_var, placed
from flake8_jax.effects.callees import CODE, FunctionRef
from flake8_jax.effects.interpreter import Application
from flake8_jax.effects.paths import AccessPath, Field, Owner, Root, Some
from flake8_jax.effects.project import position
from flake8_jax.effects.summaries import CACHES, Form, Site, Write
from flake8_jax.effects.values import Type
from flake8_jax.knowledge.objects import ARITY, ARRAY_TYPES, CONSTRUCTION, CONTAINER_MUTATORS
from flake8_jax.lowering.program import (
    Attr,
    Bind,
    Call,
    Comp,
    Delete,
    Expr,
    Function,
    Home,
    How,
    Item,
    New,
    NewDict,
    Slice,
    Spread,
    Store,
    Unpack,
    Var,
)
from flake8_jax.lowering.stores import METHODS, argument, by_function
from flake8_jax.lowering.walk import walk
from flake8_jax.resolution.bindings import bindings
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.modules import Module
from flake8_jax.resolution.resolve import Definition, Expression, resolve
from flake8_jax.resolution.scopes import Position, Scope, module_scope
from flake8_jax.verdicts.contents import summary_of
from flake8_jax.verdicts.reached import Reached, reached, world_of

_MAKING = CONSTRUCTION | {"tree_unflatten"}
_MAKERS = frozenset({"cls", "replace", "_replace", "tree_at"})
_CHANGING = METHODS.keys() | frozenset(
    "byteswap delete fill itemset partition put resize setfield setflags sort".split()
)
"""Methods that change containers and arrays in place, if called for that alone."""
_CHANGING_WHAT_THEY_GET = frozenset({"readinto", "shuffle"})
"""Methods that change their first argument in place."""
_ALWAYS = ARITY.keys() | {"pop", "popitem", "popleft", "setdefault"}
"""Those that do so also where their value is used."""
_OF_ELEMENTS = (Form.ITEM, Form.SUBSCRIPT, Form.ELEMENT)
_SWITCHES = frozenset(
    f"jax.{name}"
    for name in """config.update default_device default_matmul_precision default_prng_impl
    enable_x64 experimental.disable_x64 experimental.enable_x64 numpy_dtype_promotion
    threefry_partitionable""".split()
)
_DONATING = frozenset({"donate_argnames", "donate_argnums"})
_NAMESPACES = frozenset({"globals", "locals", "vars"})
_FIRM = frozenset(f"builtins.{name}" for name in "bool bytes complex float int str".split())
_JAX = ARRAY_TYPES - {"jax.typing.ArrayLike", "chex.Array"}
_MADE = frozenset(f"builtins.{name}" for name in ("dict", "list", "set"))


def stale_by(found: PytreeCache) -> str:
    """What changes what the value of a cache is computed from; empty if nothing in sight does."""
    site = next(_changing(found), None)
    if site is None:
        return ""
    world = world_of(found.info.module)
    there = world.modules[site.module]
    where = "" if there is found.info.module else f" of {there.file.label}"
    line = position(world, site)[0]
    return f"what {found.cache.attribute!r} is computed from may change on line {line}{where}"


def _changing(found: PytreeCache) -> Iterator[Site]:
    own = found.cache.function
    if own is None:
        return
    module = found.info.module
    start = reached(module)
    summary = summary_of(found.info, own)
    itself = Root(Owner.PARAMETER, first_parameter(own.function) or "")
    paths = summary.reads | summary.uses | summary.escapes
    called = start.world.interpreter.reached([Application(start.world.routine_ref(own))])
    refs = [item.ref for item in called]
    reads = _Reads(found.info, itself, paths, _attributes(refs), _globals(refs))
    for write in _writes(start, {item.site for item in summary.writes}):
        if reads.is_changed(write):
            yield write[1].site
    for name, here in _of_classes(module):
        if name in reads.own or name in reads.others:
            yield _site(start.key, here)
    for root in start.roots:
        for here in _named_changes(reads, start, root):
            yield _site(root.ref.module, here)
    if reads.changeable:
        yield from _local_changes(found.info, start)
    for place in (*reads.bound_again, *_changes_around(own)):
        yield Site(start.key, *place)
    for here in _code(module):
        if _releases(here.node) or _switches(here):
            yield _site(start.key, here)


def _site(module: str, here: Placed) -> Site:
    return Site(module, *here.position)


def _code(module: Module) -> Iterator[Placed]:
    """All nodes of a module."""
    for block in module.blocks:
        program = None if block.is_import else module.program(block)
        body = program.body if program is not None else ()
        yield from placed(body, module_scope(module), block.index)


def _releases(node: object) -> bool:
    """Whether an array is given away, or a name is bound that is computed.

    An array that is donated or deleted cannot be read again, but for what was computed of it.
    """
    match node:
        case Call(callee=Attr(name="delete"), args=(), keywords=(), used=False):
            return True
        case Store(targets=targets):
            found = (item.base for item in targets if isinstance(item, Item))
            return any(isinstance(i, Call) and called_name(i) in _NAMESPACES for i in found)
        case Call(callee=Attr(base=Call() as base, name="update")):
            return called_name(base) in _NAMESPACES
        case Call(keywords=keywords):
            return any(name in _DONATING for name, _ in keywords)
    return False


def _switches(here: Placed) -> bool:
    """Whether a function changes what jax computes with, as its precision."""
    if not isinstance(here.node, Call) or here.scope.made is None:
        return False
    found = resolve(here.scope, here.node.callee, here.position)
    return any(isinstance(item, External) and item.dotted in _SWITCHES for item in found)


def _changes_around(own: Routine) -> Iterator[Position]:
    """Where functions around bind a name of theirs again that is read, or change its object."""
    body = own.function.body
    names = {item.name for item in walk(body) if isinstance(item, Var) and item.home is Home.CELL}
    around = own.inside.outer
    while names and around is not None:
        if isinstance(around.made, Function):
            for name in sorted(names):
                yield from (item.position for item in bindings(around, name)[1:])
            for here in placed(around.made.body, around, around.index):
                for item in _changed(here):
                    if isinstance(item, Var) and item.name in names:
                        yield here.position
        around = around.outer


def _of_classes(module: Module) -> Iterator[tuple[str, Placed]]:
    """The attributes of classes that the module assigns."""
    for here in _code(module):
        for target in here.node.targets if isinstance(here.node, Store) else ():
            if isinstance(target, Attr) and not isinstance(target.base, Call):
                found = resolve(here.scope, target.base, here.position)
                if any(isinstance(item, Definition) for item in found):
                    yield target.name, here


def _writes(start: Reached, own: Container[Site]) -> Iterator[tuple[FunctionRef, Write]]:
    """What the code of a module writes, but for what an object does while it is made.

    ``own`` is where the cached function itself writes: that is what it does each time.
    """
    for application, outcome in start.outcomes.items():
        ref = application.ref
        for write in outcome.writes if ref.module == start.key else ():
            innermost = (ref.function.name, *write.via)[-1]
            is_made = write.form is Form.ATTRIBUTE and innermost in _MAKING
            if write.form not in CACHES and write.site not in own and not is_made:
                yield ref, write


@dataclass(frozen=True, eq=False)
class _Reads:
    """What the value of a cache is computed from."""

    info: ClassInfo
    itself: Root
    paths: frozenset[AccessPath]
    mentioned: frozenset[str]
    """The attributes of other objects that are read by name, whatever has them."""
    called: frozenset[tuple[str, str]]
    """The names of modules that are mentioned on the way, each with its module."""

    @cached_property
    def own(self) -> frozenset[str]:
        """The attributes of the object itself; all fields, where it is handed on as a whole."""
        firsts = [path.selectors[:1] for path in self.paths if path.root == self.itself]
        names = {item.name for first in firsts for item in first if isinstance(item, Field)}
        if any(not first or isinstance(first[0], Some) for first in firsts):
            names |= {item.name for item in fields(self.info)}
        return frozenset(names)

    @cached_property
    def others(self) -> frozenset[str]:
        """The attributes of other objects."""
        rests = [path.selectors[path.root == self.itself :] for path in self.paths]
        found = {item.name for rest in rests for item in rest if isinstance(item, Field)}
        return self.mentioned | found

    @cached_property
    def changeable(self) -> frozenset[str]:
        """The attributes that may hold something which can be changed in place."""
        firm = {item.name for item in fields(self.info) if _is_firm(self.info, item.name)}
        return self.own - firm

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of modules that are read."""
        roots = (path.root for path in self.paths)
        return frozenset(root.name for root in roots if root.owner is Owner.GLOBAL)

    @property
    def bound_again(self) -> Iterator[Position]:
        """Where the module itself binds one of the names again."""
        top = module_scope(self.info.module)
        for name in sorted(self.names):
            yield from (item.position for item in bindings(top, name)[1:])

    def is_changed(self, found: tuple[FunctionRef, Write]) -> bool:
        """Whether a write of a function changes anything of this."""
        ref, write = found
        if write.form is Form.NAME:
            root = write.path.root
            is_called = root.owner is Owner.GLOBAL and (root.module, root.name) in self.called
            return ref.function.name != CODE and (is_called or self._reads(write.path))
        if write.form is Form.ATTRIBUTE and self._is_assigned(write):
            return True
        if self._reads(write.target):
            return True
        inside = {item.name for item in write.target.selectors if isinstance(item, Field)}
        if not inside.isdisjoint(self.changeable | self.others):
            return True
        root = write.path.root
        known = ref.function.name if root.owner is Owner.PARAMETER else root.name
        held = write.form in _OF_ELEMENTS and not write.target.selectors
        return held and bool(self.changeable) and known in self._given

    @cached_property
    def _given(self) -> frozenset[str]:
        """The names of the module whose objects are handed on, so that others may have them."""
        return frozenset(
            part.name
            for here in _code(self.info.module)
            if isinstance(here.node, Call | New | NewDict | Bind | Store)
            for part in _handed(here.node)
            if isinstance(part, Var) and part.home is Home.GLOBAL
        )

    def _reads(self, path: AccessPath) -> bool:
        """Whether something is read by the name that it has everywhere."""
        return path.root.owner in (Owner.GLOBAL, Owner.CELL) and any(
            item.may_contain(path) or path.may_contain(item) for item in self.paths
        )

    def _is_assigned(self, write: Write) -> bool:
        """Whether a write assigns an attribute that is read."""
        last = write.path.selectors[-1]
        name = last.name if isinstance(last, Field) else None
        if name in self.others:
            return True
        if not _may_be(self.info, write.types) or (name is not None and name not in self.own):
            return False
        is_field = any(item.name == name for item in fields(self.info))
        return write.raw or name is None or not is_field or not refuses(self.info, name)


def _may_be(info: ClassInfo, types: frozenset[Type]) -> bool:
    """Whether an object of some types may be one of a class, by the names of the classes."""
    known = {item.name for item in (*info.mro, *info.subclasses)}
    return not types or any(getattr(item, "name", None) in known for item in types)


def _is_firm(info: ClassInfo, name: str) -> bool:
    """Whether a field holds jax arrays or numbers, by its annotation."""
    declared = [item for item in fields(info) if item.name == name]
    kinds = [
        kind
        for item in declared
        for kind in annotated(item.owner.inside, item.annotation, item.position)
    ]
    return bool(kinds) and all(
        isinstance(kind, External) and (kind.dotted in _FIRM or kind.dotted in _JAX)
        for kind in kinds
    )


def _named_changes(reads: _Reads, start: Reached, root: Application) -> Iterator[Placed]:
    """Where code changes in place, by methods of arrays or ``+=``, what is read by its name."""
    wanted = reads.changeable | reads.others
    scope = start.world.scope_of(root.ref)
    for here in placed(root.ref.function.body, scope, root.ref.statement):
        for target in _changed(here):
            steps, names = _chain(target, here)
            if not steps.isdisjoint(wanted) or not names.isdisjoint(reads.names):
                yield here


def _chain(expr: Expr, here: Placed) -> tuple[frozenset[str], frozenset[str]]:
    """The attributes on the way to an object, and the names of the module where it begins."""
    steps: set[str] = set()
    names: set[str] = set()
    stack = [(expr, here.scope, True)]
    while stack:
        node, scope, is_own = stack.pop()
        match node:
            case Attr(base=base, name=name):
                steps.add(name)
                stack.append((base, scope, is_own))
            case Item(base=base):
                stack.append((base, scope, is_own))
            case Var(name=name, home=home):
                names |= {name} if home is Home.GLOBAL else set()
                for found in resolve(scope, node, here.position) if is_own else ():
                    if isinstance(found, Expression):
                        names |= {found.name} if found.name and found.scope.made is None else set()
                        stack.append((found.expr, found.scope, False))
    return frozenset(steps), frozenset(names)


def _local_changes(info: ClassInfo, start: Reached) -> Iterator[Site]:
    """Where functions that make objects of a class change anything in place."""
    makers = _MAKERS | {info.name, *(item.name for item in info.subclasses)}
    interpreter = start.world.interpreter
    for root in start.roots:
        called = (item.ref for item in interpreter.reached([root]))
        if any(_calls(ref, makers) for ref in called):
            yield from _changes(start, root)


def _attributes(refs: Iterable[FunctionRef]) -> frozenset[str]:
    """The attributes of other objects than the first parameter that functions mention."""
    return frozenset(
        item.name
        for ref in refs
        for item in walk(ref.function.body)
        if isinstance(item, Attr) and not is_var(item.base, first_parameter(ref.function))
    )


def _globals(refs: Iterable[FunctionRef]) -> frozenset[tuple[str, str]]:
    """The names of modules that functions mention."""
    return frozenset(
        (ref.module, item.name)
        for ref in refs
        for item in walk(ref.function.body)
        if isinstance(item, Var) and item.home is Home.GLOBAL
    )


def _calls(ref: FunctionRef, names: frozenset[str]) -> bool:
    """Whether a function calls something of some names."""
    nodes = walk(ref.function.body)
    return any(isinstance(item, Call) and called_name(item) in names for item in nodes)


def _changes(start: Reached, root: Application) -> Iterator[Site]:
    """Where the statements of a function change what may be in an object."""
    scope = start.world.scope_of(root.ref)
    own = _own_containers(root.ref, scope)
    for here in placed(root.ref.function.body, scope, root.ref.statement):
        for target in _changed(here):
            if not (isinstance(target, Var) and target.name in own):
                yield _site(root.ref.module, here)
    for call in start.outcomes[root].calls:
        summary = start.world.interpreter.summary(call.ref, call.given)
        if any(_changes_argument(write) for write in summary.writes):
            yield call.site


def _changes_argument(write: Write) -> bool:
    """Whether a function changes the elements of what it is given."""
    is_given = write.path.root.owner is Owner.PARAMETER
    return is_given and write.form in _OF_ELEMENTS and not write.target.selectors


def _changed(here: Placed) -> Iterator[Expr]:
    """The objects that a node changes in place, or lets others change."""
    if isinstance(here.node, Call | New | NewDict | Bind | Store):
        for part in _handed(here.node):
            if isinstance(part, Attr) and part.name in CONTAINER_MUTATORS:
                yield part.base
    match here.node:
        case Store(targets=targets, how=how):
            for target in targets:
                yield from _stored(target, how)
        case Delete(target=Item(base=base)):
            yield base
        case Call(callee=callee) as call:
            if isinstance(callee, Attr):
                is_alone = callee.name in _CHANGING and not call.used
                if is_alone or callee.name in _ALWAYS:
                    yield callee.base
                if callee.name in _CHANGING_WHAT_THEY_GET:
                    yield from (item for item in call.args[:1] if not isinstance(item, Spread))
            for referent in resolve(here.scope, callee, here.position):
                if not isinstance(referent, External):  # it may write to a view of an array
                    yield from (item.base for item in call.args if _is_slice(item))
                    continue
                way = by_function(referent.dotted, call)
                given = argument(call, way.target) if way is not None else None
                if given is not None:
                    yield given


def _is_slice(node: object) -> TypeGuard[Item]:
    return isinstance(node, Item) and isinstance(node.key, Slice)


def _stored(target: object, how: How) -> Iterator[Expr]:
    match target:
        case Item(base=base):
            yield base
        case Var() if how is How.AUGMENT:
            yield target
        case Unpack(targets=targets):
            for item in targets:
                yield from _stored(item, how)


def _own_containers(ref: FunctionRef, scope: Scope) -> frozenset[str]:
    """The variables that hold new containers, and numbers, which are given to nobody."""
    body = ref.function.body
    names = {item.name for item in walk(body) if isinstance(item, Var)}
    given = {
        item.name
        for node in walk(body)
        if isinstance(node, Call | New | NewDict | Bind)
        for part in _handed(node)
        for item in walk(part)
        if isinstance(item, Var)
    }
    return frozenset(
        name
        for name in names - given
        if (found := bindings(scope, name))
        and all(item.source is None or _makes(scope, item.source) for item in found)
        and not any(item.name == name for item in ref.function.parameters)
    )


def _handed(node: Call | New | NewDict | Bind | Store) -> tuple[object, ...]:
    match node:
        case Call(args=args, keywords=keywords):
            return (*args, *(value for _, value in keywords))
        case New(parts=parts):
            return parts
        case NewDict(values=values):
            return values
    return (node.value,)


def _makes(scope: Scope, source: object) -> bool:
    """Whether an expression makes a container of Python."""
    match source:
        case New() | NewDict() | Comp():
            return True
        case Call(callee=Var(home=Home.GLOBAL) as callee):
            found = resolve(scope, callee)
            return all(isinstance(item, External) and item.dotted in _MADE for item in found)
    return False
