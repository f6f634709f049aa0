"""What a walk over the ``ast`` trees of a block sees: who mentions whom, calls what, writes what.

It knows names and nothing else, and nothing of other blocks: so it is done once for each.
"""

import ast
import builtins
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from flake8_jax.knowledge.objects import (
    ARITY,
    ARRAY_UPDATES,
    CONTAINER_MUTATORS,
    CONTAINER_TYPES,
    GIVING,
    SHALLOW_METHODS,
)
from flake8_jax.outline import WORD, Block
from flake8_jax.survey.nodes import (
    LAMBDA,
    below,
    captured,
    children,
    dotted_name,
    functions_in,
    last_part,
    names_in,
    own_name,
    stored,
    stripped,
)
from flake8_jax.survey.words import (
    CACHE_WORDS,
    FROZEN_WORDS,
    MARKER_WORDS,
    TRANSFORM_WORDS,
    UPDATE_WORDS,
)

_CONSTRUCTION = frozenset({"__init__", "__post_init__", "__new__", "setup", "__setstate__"})
_RAW_WRITES = frozenset({"setattr", "delattr", "__setattr__", "vars", "__dict__"})
_SETTERS = frozenset({"setattr", "delattr"})
_STANDING = (ast.Name, ast.Attribute, ast.List, ast.Tuple, ast.Dict, ast.IfExp, ast.Lambda)
_LITERALS = (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Set, ast.SetComp)
_PLAIN_BUILTINS = frozenset(
    """abs bool bytearray bytes chr complex dict divmod enumerate float format frozenset hash hex id
    input int isinstance issubclass len list object open ord pow print range repr round set slice
    str sum tuple type zip""".split()
)
"""Builtins that give back what nobody else has."""
_COPYING = SHALLOW_METHODS - {"copy"}
"""Methods that give back an object that nobody else has, and that no array has."""
_HANDING_ON = ("contextlib", "functools", "heapq", "itertools", "operator", "typing", "weakref")
"""Modules of the standard library whose functions may give back what they are given."""
_CHAIN = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_TELLING = CACHE_WORDS | FROZEN_WORDS | MARKER_WORDS
"""The names of libraries that say what becomes of a function or a class."""
_NONE = frozenset[str]()
_NOTHING: Mapping[str, Any] = MappingProxyType({})
CALL = ".__call__"
"""What is mentioned by calling an object."""


@dataclass(frozen=True)
class Names:
    """What the names of a module stand for that come from elsewhere."""

    imports: Mapping[str, str]
    """All that are imported, and the dotted names that they stand for."""
    near: frozenset[str]
    """Those that may lead to other modules of the project."""
    foreign: frozenset[str]
    """Those that come from libraries, and are bound to nothing else."""


@dataclass(eq=False)
class Class:
    """What was seen of one class."""

    name: str
    node: ast.ClassDef | None
    """Its tree, as long as the module is looked at."""
    bases: frozenset[str]
    """The names in its bases."""
    fields: frozenset[str]
    """The names in the annotations of its body: those of its members' classes."""


@dataclass(eq=False)
class Function:
    """What was seen of one function."""

    block: Block
    name: str
    parameters: tuple[str, ...] = ()
    cls: Class | None = None
    """The class whose body it stands in."""
    around: "Function | None" = None
    """The function that it stands in."""
    decorators: Sequence[ast.expr] = ()
    mentions: set[str] = field(default_factory=set)
    """The names in it; those of attributes begin with a dot."""
    calls: Set[str] = _NONE
    """The names that are called."""
    hands: Set[str] = _NONE
    """The names that are given to what is called like a transform."""
    written: Set[str] = _NONE
    """The names at the root of what it writes."""
    made: set[str] = field(default_factory=set)
    """The local names that stand for objects which are made here."""
    given: set[str] = field(default_factory=set)
    """The local names that may stand for something else."""
    containers: Set[str] = _NONE
    """The parameters that are annotated as containers."""
    returns: Set[str] = _NONE
    """The variables that it hands back."""
    applies: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """What calls are given first whose results are variables; "" for one that is handed back."""
    stands_for: Mapping[str, set[str]] = field(default_factory=lambda: _NOTHING)
    """What is named where a variable of it gets what it stands for, in whatever way."""
    makers: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """The functions that make what variables stand for."""
    discards: bool = False
    """Whether it throws away what may be an update."""
    is_construction: bool = False
    is_static: bool = False
    writes_outside: bool = False
    attributes_of: Set[str] = _NONE
    """The names at the root of what it sets attributes of; with a dot, of what is below."""
    origins: Mapping[str, set[str]] = field(default_factory=lambda: _NOTHING)
    """The names from which each of those comes: its annotation, or what it is bound to."""

    @cached_property
    def words(self) -> frozenset[str]:
        """All names in it, whatever they stand for."""
        return frozenset(name.removeprefix(".") for name in self.mentions)

    @cached_property
    def attributes(self) -> frozenset[str]:
        """The names of attributes in it."""
        return frozenset(name[1:] for name in self.mentions if name[0] == ".")

    def binds(self, name: str) -> bool:
        """Whether a name is a parameter or local variable, here or in a function around."""
        if name in self.parameters or name in self.made or name in self.given:
            return bool(self.name)
        return self.around is not None and self.around.binds(name)

    @property
    def arguments(self) -> tuple[str, ...]:
        """The parameters that callers give something to: all but self."""
        return self.parameters[self.cls is not None and not self.is_static :]

    @property
    def sets_arguments(self) -> bool:
        """Whether it may set attributes of what it, or a function around, is given by callers."""
        origins = (self.origins.get(root, {root}) for root in self.attributes_of)
        names = set[str]().union(*origins)
        here: Function | None = self
        while here is not None and names.isdisjoint(here.arguments):
            here = here.around
        return here is not None

    def is_first(self, name: str) -> bool:
        """Whether a name is the first parameter, here or in a function around: perhaps self."""
        if name in self.parameters[:1]:
            return True
        return self.around is not None and self.around.is_first(name)

    @property
    def home(self) -> Class | None:
        """The class whose method it is, or stands in."""
        return self.cls or (self.around.home if self.around is not None else None)

    @property
    def called(self) -> str:
        """What is called to run it: a constructor runs when its class is."""
        return self.cls.name if self.cls is not None and self.name == "__init__" else self.name

    @property
    def takes_functions(self) -> bool:
        """Whether it may call or trace what it is given."""
        return not (
            self.calls.isdisjoint(self.parameters) and self.hands.isdisjoint(self.parameters)
        )

    @property
    def fills(self) -> bool:
        """Whether it may fill a hand-made cache."""
        aliased = bool(self.written) and ".__dict__" in self.mentions
        stores = bool(self.attributes_of) or self.writes_outside or aliased
        return stores and not self.is_construction

    @property
    def writes(self) -> bool:
        """Whether it may change an object that it has not made itself."""
        own = self.made - self.given - set(self.parameters)
        return not self.is_construction and (self.writes_outside or bool(self.written - own))


@dataclass(eq=False)
class Facts:
    """What was seen of one block."""

    functions: list[Function] = field(default_factory=list)
    """Its functions, and first what stands in none."""
    classes: list[Class] = field(default_factory=list)
    calls: list[tuple[Function, ast.Call]] = field(default_factory=list)
    """The calls that are given something, and where they stand."""
    aliases: list[tuple[str, ast.expr]] = field(default_factory=list)
    """The names that are bound to what may be another name, or a partial."""
    attributes: dict[str, set[str]] = field(default_factory=dict)
    """What is named where an attribute, with a dot before its name, gets what it stands for."""
    cached: set[str] = field(default_factory=set)
    """The names of what is cached, by the words of the tables."""
    chains: set[str] = field(default_factory=set)
    """The dotted names that begin with something of the project's other modules."""
    foreign: set[str] = field(default_factory=set)
    """The names of what comes from libraries, of keywords and of what is imported."""

    @cached_property
    def words(self) -> frozenset[str]:
        """All names in it, whatever they stand for."""
        return self.functions[0].words | self.foreign

    @cached_property
    def methods(self) -> Mapping[tuple[str, str], list[Function]]:
        """The methods by class and name, each with the functions inside of it."""
        found: dict[tuple[str, str], list[Function]] = {}
        around: dict[Function | None, list[list[Function]]] = {}
        for function in self.functions:  # what is inside of one comes after it
            homes = [*around.get(function.around, ())]
            if function.cls is not None:
                own = found.setdefault((function.cls.name, function.name), [])
                homes += [own] if all(own is not item for item in homes) else []
            for home in homes:
                home.append(function)
            around[function] = homes
        return found

    @cached_property
    def members(self) -> frozenset[str]:
        """The names of all methods."""
        return frozenset(name for _, name in self.methods)

    def without_trees(self) -> "Facts":
        """The same, as far as other modules ask for it: what is handed to whom is told once."""
        self.calls.clear()
        self.aliases.clear()
        for cls in self.classes:
            cls.node = None
        for function in self.functions:
            function.decorators = ()
        return self

    @property
    def wraps(self) -> bool:
        """Whether a function may trace what it is given, or hand back a function that does."""
        for function in self.functions[1:2]:
            inner = {item.name for item in self.functions if item.around is function}
            wrapped = inner | set(function.parameters[:1])
            return function.takes_functions or any(
                name in inner or function.applies.get(name) in wrapped for name in function.returns
            )
        return False


def _more(known: Set[str], names: Iterable[str]) -> Set[str]:
    """A set with more names in it; functions share one that is empty, as most are."""
    found = known if isinstance(known, set) else set[str]()
    found.update(names)
    return found or known


def facts(block: Block, names: Names) -> Facts:
    """Walk over the statements of a block; one that is nested too deeply has nothing to tell."""
    walk = _Walk(block, names)
    level = Function(block, "")
    walk.facts.functions.append(level)
    try:
        for statement in block.nodes:
            walk.visit(statement, level)
    except RecursionError:
        return Facts([Function(block, "")])
    variables = walk.shadowed()
    return (
        facts(block, replace(names, foreign=names.foreign - variables)) if variables else walk.facts
    )


def _first_given(call: ast.Call) -> str:
    """The name that a call is given first, through calls in its place: f of ``jit(vmap(f))``."""
    given: ast.expr = call
    while isinstance(given, ast.Call) and given.args:
        given = given.args[0]
    return given.id if isinstance(given, ast.Name) else ""


def _reaches_dict(node: ast.expr) -> bool:
    """Whether an expression is a member of some ``__dict__``."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        if isinstance(node, ast.Attribute) and node.attr == "__dict__":
            return True
        node = node.func if isinstance(node, ast.Call) else node.value
    return False


def _origins(
    function: ast.FunctionDef | ast.AsyncFunctionDef, roots: Set[str]
) -> dict[str, set[str]]:
    """The names from which some variables of a function come, directly or through others."""
    found: dict[str, set[str]] = {}
    for node in below(function):
        match node:
            case ast.arg(arg=name, annotation=ast.Constant(value=str(text))):
                found.setdefault(name, set()).update(WORD.findall(text))
            case ast.arg(arg=name, annotation=ast.expr() as source):
                found.setdefault(name, set()).update(names_in(source))
            case ast.Assign(targets=targets, value=source):
                for name in (name for target in targets for name in stored(target)):
                    found.setdefault(name, set()).update(names_in(source))
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.setdefault(name, set()).update(names_in(node))
            case ast.For() | ast.AsyncFor() | ast.comprehension():
                for name in stored(node.target):
                    found.setdefault(name, set()).update(names_in(node.iter))
            case ast.withitem(optional_vars=ast.expr() as target, context_expr=source):
                for name in stored(target):
                    found.setdefault(name, set()).update(names_in(source))
            case ast.NamedExpr(target=ast.Name(id=name), value=source):
                found.setdefault(name, set()).update(names_in(source))
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), source]):
                found.setdefault(name, set()).update(names_in(source))
            case ast.Match(subject=subject, cases=cases):
                for case in cases:
                    words = names_in(subject) | names_in(case.pattern)
                    for name in (*words, *captured(case.pattern)):
                        found.setdefault(name, set()).update(words)
    origins: dict[str, set[str]] = {}
    for root in roots:
        names, stack = set[str](), [root.rstrip(".")]
        while stack:
            name = stack.pop()
            if name not in names:
                names.add(name)
                stack += found.get(name, ())
        origins[root] = names
    return origins


class _Walk:
    def __init__(self, block: Block, names: Names) -> None:
        self.block = block
        self.names = names
        self.imports = names.imports
        self.facts = Facts()
        self.has_dict = "__dict__" in block.text
        self.bound: set[str] = set()
        """The names that are bound in other ways than those that functions tell of."""
        self.outer: set[str] = set()
        """The names that functions bind which belong to others, or to the module."""
        self.cls: Class | None = None
        """The class whose body is walked over."""
        self.statement: ast.expr | None = None
        """The expression that is a statement."""
        self.called: ast.expr | None = None
        """The function of the call that is looked at."""
        self.used: ast.expr | None = None
        """The expression whose value is bound or returned."""

    def shadowed(self) -> frozenset[str]:
        """The names of libraries that are variables as well, somewhere in the block."""
        bound = self.bound.union(*(f.parameters for f in self.facts.functions if f.name))
        for function in self.facts.functions:
            bound |= function.made | function.given
        return self.names.foreign & bound & self.facts.functions[0].mentions

    def visit(self, node: ast.AST, here: Function) -> None:
        handler = _HANDLERS.get(type(node))
        if handler is None:
            for child in children(node):
                self.visit(child, here)
        else:
            handler(self, node, here)

    def _inside(self, node: ast.AST, here: Function) -> None:
        for child in children(node):
            self.visit(child, here)

    def _name(self, node: ast.Name, here: Function) -> None:
        name = node.id
        here.mentions.add(name)
        if type(node.ctx) is not ast.Load:
            self.bound.add(name)
        elif name in _RAW_WRITES:
            here.writes_outside = True
            if name in _SETTERS and node is not self.called:  # under another name
                here.attributes_of = _more(here.attributes_of, {""})
        if name in self.names.near:
            self.facts.chains.add(name)
        if self.cls is not None:  # among the members of a class
            here.mentions.add(f".{name}")

    def _captured(
        self, node: ast.MatchAs | ast.MatchStar | ast.ExceptHandler, here: Function
    ) -> None:
        if node.name is not None:
            self.bound.add(node.name)
        self._inside(node, here)

    def _constant(self, node: ast.Constant, here: Function) -> None:
        if type(node.value) is str and _CHAIN.fullmatch(node.value):  # a type that comes later
            head, _, rest = node.value.partition(".")
            here.mentions.add(head)
            if head in self.names.near:
                self.facts.chains.add(node.value)
            if rest:
                self.facts.foreign.update(rest.split("."))

    def _import(self, node: ast.Import | ast.ImportFrom, _: Function) -> None:
        self.facts.foreign.update(last_part(alias.name) for alias in node.names)

    def _keyword(self, node: ast.keyword, here: Function) -> None:
        if node.arg is not None:
            self.facts.foreign.add(node.arg)
        self.visit(node.value, here)

    def _attribute(self, node: ast.Attribute, here: Function) -> None:
        if type(node.ctx) is not ast.Load:
            root = self._write(node, here)
            direct = isinstance(node.value, ast.Name)
            here.attributes_of = _more(here.attributes_of, {root if direct else f"{root}."})
        elif self._leads_elsewhere(node, here):
            return
        here.mentions.add(f".{node.attr}")
        self.visit(node.value, here)

    def _leads_elsewhere(self, node: ast.Attribute, here: Function) -> bool:
        """Whether something comes from elsewhere, which is noted then."""
        steps: list[str] = []
        root: ast.expr = node
        while type(root) is ast.Attribute:
            steps.append(root.attr)
            root = root.value
        if type(root) is not ast.Name:
            return False
        name = root.id
        if name in self.names.near:
            steps.append(name)
            self.facts.chains.add(".".join(reversed(steps)))
            return False
        if name not in self.names.foreign:
            return False
        here.mentions.add(name)
        self.facts.foreign.update(steps)
        if node.attr in _TELLING:
            here.mentions.add(f".{node.attr}")
        return True

    def _subscript(self, node: ast.Subscript, here: Function) -> None:
        if type(node.ctx) is not ast.Load:
            self._write(node, here)
        self.visit(node.value, here)
        self.visit(node.slice, here)

    def _outer(self, node: ast.Global | ast.Nonlocal, here: Function) -> None:
        here.writes_outside = True
        self.outer.update(node.names)

    def _lambda(self, node: ast.Lambda, here: Function) -> None:
        inner = self._enter(node.args, LAMBDA, here)
        self.visit(node.body, inner)
        here.writes_outside |= inner.writes
        self._close(inner, here)

    def _close(self, inner: Function, here: Function) -> None:
        here.mentions |= inner.mentions
        here.calls = _more(here.calls, inner.calls)
        here.hands = _more(here.hands, inner.hands)

    def _class(self, node: ast.ClassDef, here: Function) -> None:
        bases = frozenset(name for base in node.bases for name in names_in(stripped(base)))
        typed = [item.annotation for item in node.body if isinstance(item, ast.AnnAssign)]
        fields = frozenset(name for item in typed for name in names_in(item))
        cls = Class(node.name, node, bases, fields)
        self.facts.classes.append(cls)
        here.mentions.add(node.name)
        for child in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(child, here)
        around, self.cls = self.cls, cls
        for statement in node.body:
            self.visit(statement, here)
        self.cls = around

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, here: Function) -> None:
        inner = self._enter(node.args, node.name, here)
        inner.cls, self.cls = self.cls, None
        inner.is_construction = node.name in _CONSTRUCTION
        inner.is_static = any(own_name(item) == "staticmethod" for item in node.decorator_list)
        inner.decorators = node.decorator_list
        here.mentions.add(node.name if inner.cls is None else f".{node.name}")
        here.made.add(node.name)
        for decorator in node.decorator_list:
            if not names_in(decorator).isdisjoint(CACHE_WORDS):
                self.facts.cached.add(node.name)
            self.visit(decorator, here)
        self.visit(node.args, inner)
        if node.returns is not None:
            self.visit(node.returns, inner)
        for statement in node.body:
            self.visit(statement, inner)
        if inner.attributes_of:
            inner.origins = _origins(node, inner.attributes_of)
        self._close(inner, here)
        self.cls = inner.cls

    def _enter(self, arguments: ast.arguments, name: str, around: Function) -> Function:
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [item for item in (arguments.vararg, arguments.kwarg) if item is not None]
        function = Function(self.block, name, tuple(item.arg for item in every), around=around)
        for item in every:
            match item.annotation:
                case None:
                    continue
                case ast.Constant(value=str(text)):
                    words = set(WORD.findall(text))
                    function.mentions |= words
                case annotation:
                    words = names_in(annotation)
            if not words.isdisjoint(CONTAINER_TYPES):
                function.containers = _more(function.containers, {item.arg})
        self.facts.functions.append(function)
        return function

    def _assign(self, node: ast.Assign, here: Function) -> None:
        value = self.used = node.value
        made = self._is_fresh(value)
        for target in node.targets:
            self._bind(target, value, here)
            if isinstance(target, ast.Name):
                (here.made if made else here.given).add(target.id)
                self._named(target.id, value)
                if isinstance(value, ast.Call):
                    self._made_by(target.id, value, here)
            else:
                here.given.update(stored(target))
                self.visit(target, here)
        self.visit(value, here)

    def _made_by(self, name: str, call: ast.Call, here: Function) -> None:
        if not isinstance(here.makers, dict):
            here.applies, here.makers = {**here.applies}, {}
        assert isinstance(here.applies, dict)
        here.applies[name] = _first_given(call)
        here.makers[name] = own_name(call.func)

    def _named(self, name: str, value: ast.expr) -> None:
        if isinstance(value, ast.Call):
            function = value.func.func if isinstance(value.func, ast.Call) else value.func
            if own_name(function) in CACHE_WORDS:
                self.facts.cached.add(name)
            self.facts.aliases.append((name, value))
        elif isinstance(value, _STANDING):
            self.facts.aliases.append((name, value))

    def _bind(self, target: ast.AST, value: ast.AST, here: Function) -> None:
        """Note what a target may stand for: whatever is named where it gets its value."""
        names = set(functions_in(value))
        if not names:
            return
        for part in below(target):
            if isinstance(part, ast.Attribute):
                self.facts.attributes.setdefault(f".{part.attr}", set()).update(names)
            elif isinstance(part, ast.Name):
                self._stand(part.id, names, here)

    def _stand(self, name: str, names: Set[str], here: Function) -> None:
        if self.cls is not None:  # it is a member, and so may be those
            members = {f".{item}" for item in names if item[0] not in ".<"} | names
            self.facts.attributes.setdefault(f".{name}", set()).update(members)
        home: Function | None = here
        while home is not None:
            if not isinstance(home.stands_for, dict):
                home.stands_for = {}
            home.stands_for.setdefault(name, set()).update(names)
            home = home.around if name in self.outer else None

    def _augmented(self, node: ast.AugAssign, here: Function) -> None:
        if isinstance(node.target, ast.Name):
            name = node.target.id
            if isinstance(node.value, _LITERALS) or name in here.containers:
                here.written = _more(here.written, {name})
        self._inside(node, here)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.comprehension, here: Function) -> None:
        here.given.update(stored(node.target))
        self._bind(node.target, node.iter, here)
        self._inside(node, here)

    def _walrus(self, node: ast.NamedExpr, here: Function) -> None:
        here.given.add(node.target.id)
        self._bind(node.target, node.value, here)
        self._inside(node, here)

    def _annotated(self, node: ast.AnnAssign, here: Function) -> None:
        if node.value is not None:
            self._bind(node.target, node.value, here)
        self._inside(node, here)

    def _with(self, node: ast.withitem, here: Function) -> None:
        if node.optional_vars is not None:
            self._bind(node.optional_vars, node.context_expr, here)
        self._inside(node, here)

    def _match(self, node: ast.Match, here: Function) -> None:
        names = set(functions_in(node.subject))
        for case in node.cases:
            for name in captured(case.pattern):
                self._stand(name, names, here)
        self._inside(node, here)

    def _return(self, node: ast.Return, here: Function) -> None:
        self.used = node.value
        match node.value:
            case ast.Name(id=name):
                here.returns = _more(here.returns, {name})
            case ast.Lambda():
                here.returns = _more(here.returns, {LAMBDA})
            case ast.Call() as call:
                here.returns = _more(here.returns, {""})
                here.applies = {**here.applies, "": _first_given(call)}
        self._inside(node, here)

    def _expression(self, node: ast.Expr, here: Function) -> None:
        self.statement = node.value
        if isinstance(node.value, ast.Constant):
            return
        whole = isinstance(node.value, ast.Call)
        for part in (node.value,) if whole else below(node.value):
            match part:
                case ast.Call(func=ast.Attribute(value=owner, attr=name)):
                    at = isinstance(owner, ast.Subscript) and name in ARRAY_UPDATES
                    here.discards |= at or name in UPDATE_WORDS
                case ast.Call(func=ast.Name(id=name)):
                    here.discards |= last_part(self.imports.get(name, name)) in UPDATE_WORDS
        self.visit(node.value, here)

    def _call(self, node: ast.Call, here: Function) -> None:
        function = node.func
        if node.args or node.keywords:
            self.facts.calls.append((here, node))
        if isinstance(function, ast.Name):
            last = function.id
            if last == "getattr" and len(node.args) > 1:
                match node.args[1]:
                    case ast.Constant(value=str(name)):
                        here.mentions.add(f".{name}")
                        if own_name(node.args[0]) in self.names.near:
                            self.facts.chains.add(f"{own_name(node.args[0])}.{name}")
            if last not in self.imports and not hasattr(builtins, last):
                here.calls = _more(here.calls, {last})
        else:
            last = function.attr if isinstance(function, ast.Attribute) else ""
            owner = function.value if isinstance(function, ast.Attribute) else None
            if owner is None or here.is_first(own_name(owner)):
                here.mentions.add(CALL)
            if last in CONTAINER_MUTATORS and self._mutates(node, function, here):
                self._write(function, here)
        if last in TRANSFORM_WORDS:
            given = (*node.args, *(item.value for item in node.keywords))
            here.hands = _more(
                here.hands, {item.id for item in given if isinstance(item, ast.Name)}
            )
        if last in _RAW_WRITES or (self.has_dict and _reaches_dict(function)):
            here.writes_outside = True
            if last in _SETTERS and node.args:
                here.attributes_of = _more(here.attributes_of, names_in(node.args[0]))
        self.called = function
        self._inside(node, here)

    def _mutates(self, node: ast.Call, function: ast.expr, here: Function) -> bool:
        """Whether a call of what is called like a method of containers may change one.

        The result of ``optimizer.update(…)`` is used; that of a container's method is not, unless
        something is known to be one.
        """
        owner, name = function, own_name(function)
        while isinstance(owner, ast.Attribute | ast.Subscript):
            owner = owner.value
        if not isinstance(owner, ast.Name) or not here.binds(owner.id):
            if (dotted_name(function, self.imports) or "").startswith(("jax.", "numpy.")):
                return False
        if name in ARRAY_UPDATES and isinstance(function, ast.Attribute):
            if own_name(stripped(function.value)) == "at":
                return False
        literal = name == "update" and any(isinstance(item, ast.Dict) for item in node.args)
        return name in GIVING or name in ARITY or literal or node is not self.used

    def _write(self, node: ast.AST, here: Function) -> str:
        steps = 0
        while isinstance(node, ast.Attribute | ast.Subscript):
            if isinstance(node, ast.Attribute) and node.attr == "__dict__":
                here.writes_outside = True
            node, steps = node.value, steps + 1
        if isinstance(node, ast.Name):
            here.written = _more(here.written, {node.id})
            if steps > 1 and here.name:  # in what somebody else may have, whoever made the rest
                here.given.add(node.id)
            return node.id
        here.writes_outside = True
        return ""

    def _is_fresh(self, node: ast.expr) -> bool:
        """Whether an expression makes an object of its own, and no jax array.

        Of a jax array, no elements can be assigned.
        """
        if not isinstance(node, ast.Call):
            return isinstance(node, (*_LITERALS, ast.Tuple))
        name = own_name(node.func)
        dotted = dotted_name(node.func, self.imports)
        if dotted is None:
            if isinstance(node.func, ast.Name):
                return name in _PLAIN_BUILTINS or name[:1].isupper()
            return name in _COPYING or name[:1].isupper()
        top = dotted.partition(".")[0]
        if dotted.startswith(("numpy.", "scipy.")) or name[:1].isupper():
            return True
        return top in sys.stdlib_module_names and top not in _HANDING_ON


_HANDLERS: Mapping[type[ast.AST], Callable[..., None]] = {
    ast.Name: _Walk._name,
    ast.Constant: _Walk._constant,
    ast.Attribute: _Walk._attribute,
    ast.Subscript: _Walk._subscript,
    ast.Global: _Walk._outer,
    ast.Nonlocal: _Walk._outer,
    ast.Lambda: _Walk._lambda,
    ast.ClassDef: _Walk._class,
    ast.FunctionDef: _Walk._function,
    ast.AsyncFunctionDef: _Walk._function,
    ast.Assign: _Walk._assign,
    ast.AugAssign: _Walk._augmented,
    ast.For: _Walk._loop,
    ast.AsyncFor: _Walk._loop,
    ast.comprehension: _Walk._loop,
    ast.NamedExpr: _Walk._walrus,
    ast.AnnAssign: _Walk._annotated,
    ast.withitem: _Walk._with,
    ast.Match: _Walk._match,
    ast.Expr: _Walk._expression,
    ast.Return: _Walk._return,
    ast.Call: _Walk._call,
    ast.Import: _Walk._import,
    ast.ImportFrom: _Walk._import,
    ast.keyword: _Walk._keyword,
    ast.MatchAs: _Walk._captured,
    ast.MatchStar: _Walk._captured,
    ast.ExceptHandler: _Walk._captured,
}
