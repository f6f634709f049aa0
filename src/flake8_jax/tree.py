"""What a pytree class hands to JAX: its static fields, and what its own flatten function does."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

import libcst as cst

from flake8_jax.knowledge.pytrees import (
    BASES,
    NAMED_TUPLE,
    NEVER_ARRAYS,
    NEVER_LEAVES,
    REGISTERED,
    STATIC_ANNOTATIONS,
    STATIC_FIELD_CALLS,
    STATIC_FIELD_KEYWORDS,
    Filling,
    Frozen,
)
from flake8_jax.markers import Making, switched
from flake8_jax.model import ModelClass
from flake8_jax.names import applied, refer
from flake8_jax.scopes import Defined, Imported, Referent, Valued
from flake8_jax.syntax import (
    Function,
    first_parameter,
    flat,
    is_name,
    keyword,
    last_part,
    positional,
    string_value,
    walk,
)

_FLATTEN_METHODS = ("tree_flatten", "tree_flatten_with_keys")
_FLATTEN_KEYWORDS = ("flatten_func", "flatten_with_keys")
_MAKERS = ("tree_unflatten", "__init__", "__post_init__", "__setstate__")


def is_registered(making: Making) -> bool:
    """Whether a class is registered with functions that take it apart, itself or with its base."""
    return making.kind.label == REGISTERED.label


def filling(cls: ModelClass, making: Making) -> Filling:
    """What happens to the tree when an instance's ``__dict__`` is filled."""
    if any(_walks_dict(item) for item in _flatteners(cls, making)):
        return Filling.CHANGES_TREE
    return making.kind.filling


def may_hold_arrays(cls: ModelClass, making: Making) -> bool:
    """Whether a class may be handed to jit: a tuple of strings, or of an iterator, is not."""
    if making.kind.update != NAMED_TUPLE.update:
        return True
    named = {field.annotation for item in cls.lineage for field in fields(item)}
    return not named or not (named <= NEVER_ARRAYS or named & NEVER_LEAVES)


def restores(cls: ModelClass, making: Making, attribute: str) -> bool:
    """Whether the class's own flatten hands the attribute out, and unflatten puts it back."""
    flatteners = _flatteners(cls, making)
    handed = any(attribute in _reads(item.body, first_parameter(item)) for item in flatteners)
    if not handed:
        return False
    makers: list[Function | None] = [cls.method(name) for name in _MAKERS]
    makers += _functions(cls, positional(making.arguments)[2:3])
    return any(maker is not None and _writes(maker, attribute) for maker in makers)


def rebuilds_by_construction(cls: ModelClass, making: Making) -> bool:
    """Whether jit rebuilds an instance as the program makes one: by a call of the class."""
    makers: list[Function] = [*_functions(cls, positional(making.arguments)[2:3])]
    unflatten = cls.method("tree_unflatten")
    if unflatten is not None:
        makers.append(unflatten)
    return not any(is_name(node, "__new__") for maker in makers for node in walk(maker.body))


def static_fields(cls: ModelClass) -> frozenset[str]:
    """The fields that are static: JAX sees them as Python values, never as Tracers."""
    if static_fields not in cls.memo:
        cls.memo[static_fields] = _static_fields(cls)
    return cast("frozenset[str]", cls.memo[static_fields])


def _static_fields(cls: ModelClass) -> frozenset[str]:
    making = cls.making
    found = {field.name for item in cls.lineage for field in fields(item) if field.static}
    if making is not None:
        found |= set(_strings(keyword(making.arguments, "meta_fields")))
        if making.by.endswith("register_dataclass"):
            found |= set(_strings(*positional(making.arguments)[2:3]))
        for flatten in _flatteners(cls, making):
            found |= _auxiliary(flatten)
    return frozenset(found)


def is_frozen(cls: ModelClass, attribute: str) -> bool:
    """Whether assigning an attribute of an instance raises."""
    making = cls.making
    if making is None:
        return False
    rule = making.kind.frozen
    if making.kind.update == NAMED_TUPLE.update:
        return _is_fixed(cls, attribute)
    if rule is Frozen.AS_DATACLASS:
        options = [applied(item.decorator, cls.outer, cls.at) for item in cls.node.decorators]
        return making.frozen is True or any(
            switched(item.arguments, "frozen", cls.outer, default=False)
            for item in options
            if item.names[:1] == ("dataclasses.dataclass",)
        )
    given = (*making.arguments, *cls.node.keywords)
    if rule in (Frozen.UNLESS_MUTABLE, Frozen.UNLESS_EVER_MUTABLE):
        sources = cls.lineage if rule is Frozen.UNLESS_EVER_MUTABLE else (cls,)
        switches = [keyword(tuple(item.node.keywords), "mutable") for item in sources]
        return not any(is_name(switch, "True") for switch in switches)
    if rule is Frozen.UNLESS_FALSE and _chooses_for_heirs(cls, "frozen"):
        return switched(given, "frozen", cls.outer, default=False) is True
    default = rule is Frozen.UNLESS_FALSE
    chosen = switched(given, "frozen", cls.outer, default=default)
    return rule is Frozen.ALWAYS or (rule is not Frozen.NEVER and chosen is True)


def _is_fixed(cls: ModelClass, attribute: str) -> bool:
    """Whether a named tuple refuses an attribute: a field, or any where it has no ``__dict__``.

    A class statement gives its instances a ``__dict__``, unless it is that of the tuple itself, or
    has ``__slots__``. Fields that are not written down may have any name.
    """
    names: set[str] = set()
    has_dict = False
    for item in cls.lineage:
        factories = [base for base in _referents(item) if isinstance(base, Valued)]
        if any(isinstance(b, Imported) and b.dotted in BASES for b in _referents(item)):
            names |= {field.name for field in fields(item)}
        elif "__slots__" not in item.members:
            has_dict = True
        for factory in factories:
            listed = _listed_fields(factory.node)
            if listed is None:
                return not has_dict
            names |= listed
    return attribute in names or not has_dict


def _referents(cls: ModelClass) -> Iterator[Referent]:
    for base in cls.bases:
        yield from base


def _listed_fields(node: cst.CSTNode) -> frozenset[str] | None:
    """The names that ``namedtuple("P", "x y")`` and ``NamedTuple("P", [("x", int)])`` list."""
    given = positional(tuple(node.args))[1:2] if isinstance(node, cst.Call) else ()
    if not given and isinstance(node, cst.Call):
        named = (keyword(tuple(node.args), name) for name in ("field_names", "fields"))
        given = tuple(item for item in named if item is not None)
    match given:
        case [cst.SimpleString() | cst.ConcatenatedString() as text]:
            return frozenset((string_value(text) or "").replace(",", " ").split())
        case [cst.List() | cst.Tuple() as found]:
            names: list[str | None] = []
            for element in found.elements:
                value = element.value
                if isinstance(value, cst.Tuple) and value.elements:
                    value = value.elements[0].value
                names.append(string_value(value))
            known = frozenset(name for name in names if name is not None)
            return known if len(known) == len(names) else None
    return None


def _chooses_for_heirs(cls: ModelClass, name: str) -> bool:
    """Whether an ancestor has a hook for subclasses that knows of an option."""
    hooks = (item.methods.get("__init_subclass__") for item in cls.lineage if item is not cls)
    return any(
        hook is not None
        and any(isinstance(node, cst.Name) and node.value == name for node in walk(hook))
        for hook in hooks
    )


@dataclass(frozen=True)
class Field:
    """A field that a class body declares."""

    name: str
    static: bool
    annotation: str | None
    """The last part of its annotation."""


def fields(cls: ModelClass) -> Iterator[Field]:
    """The annotated fields of a class body."""
    for statement in cls.body:
        if isinstance(statement, cst.AnnAssign) and isinstance(statement.target, cst.Name):
            annotation = statement.annotation.annotation
            kind = last_part(annotation)
            static = kind in STATIC_ANNOTATIONS or _declares_static(statement.value, cls)
            yield Field(statement.target.value, static, kind)


def _declares_static(value: cst.BaseExpression | None, cls: ModelClass) -> bool:
    if not isinstance(value, cst.Call):
        return False
    if last_part(value.func) in STATIC_FIELD_CALLS:
        return True
    bound = applied(value.func, cls.scope).arguments  # of a partial
    metadata = keyword(tuple(value.args), "metadata")
    keywords = [*bound, *value.args, *(metadata.args if isinstance(metadata, cst.Call) else ())]
    options = dict(_options(keywords, metadata))
    return any(options.get(name) is expected for name, expected in STATIC_FIELD_KEYWORDS.items())


def _options(
    arguments: Iterable[cst.Arg], literal: cst.BaseExpression | None
) -> Iterator[tuple[str, bool]]:
    """The truth values that keywords, and then a literal dict, give to names."""
    pairs: list[tuple[str | None, cst.BaseExpression]] = [
        (item.keyword.value, item.value) for item in arguments if item.keyword is not None
    ]
    if isinstance(literal, cst.Dict):
        elements = [item for item in literal.elements if isinstance(item, cst.DictElement)]
        pairs += [(string_value(item.key), item.value) for item in elements]
    for name, value in pairs:
        if name is not None and (is_name(value, "True") or is_name(value, "False")):
            yield name, is_name(value, "True")


def _strings(node: cst.BaseExpression | None = None) -> Iterator[str]:
    if isinstance(node, cst.Tuple | cst.List):
        for element in node.elements:
            if text := string_value(element.value):
                yield text


def _flatteners(cls: ModelClass, making: Making) -> Iterator[Function]:
    if not is_registered(making):
        return
    given = positional(making.arguments)[1:2]
    given += tuple(node for name in _FLATTEN_KEYWORDS if (node := keyword(making.arguments, name)))
    yield from _functions(cls, given)
    for name in _FLATTEN_METHODS:
        if (method := cls.method(name)) is not None:
            yield method


def _functions(cls: ModelClass, nodes: tuple[cst.BaseExpression, ...]) -> Iterator[Function]:
    for node in nodes:
        if isinstance(node, cst.Lambda):
            yield node
        for referent in refer(node, cls.outer):
            if isinstance(referent, Defined) and isinstance(referent.node, cst.FunctionDef):
                yield referent.node


def _walks_dict(flatten: Function) -> bool:
    owner = first_parameter(flatten)
    return owner is not None and any(_is_dict(node, owner) for node in walk(flatten.body))


def _is_dict(node: cst.CSTNode, owner: str) -> bool:
    """Whether a node is ``owner.__dict__`` or ``vars(owner)``."""
    match node:
        case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="__dict__")):
            return name == owner
        case cst.Call(func=cst.Name(value="vars"), args=[cst.Arg(value=cst.Name(value=name))]):
            return name == owner
    return False


def _reads(node: cst.CSTNode, owner: str | None) -> frozenset[str]:
    """The attributes of the name ``owner`` that are mentioned below a node."""
    attributes = (item for item in walk(node) if isinstance(item, cst.Attribute))
    return frozenset(item.attr.value for item in attributes if owner and is_name(item.value, owner))


def _writes(function: Function, attribute: str) -> bool:
    """Whether a function stores an attribute, on whatever object, in whatever way."""
    for node in walk(function.body):
        match node:
            case cst.AssignTarget():
                if any(last_part(item) == attribute for item in walk(node.target)):
                    return True
            case cst.Arg(keyword=cst.Name(value=name)) if name == attribute:
                return True
            case cst.SimpleString() if string_value(node) == attribute:
                return True
            case cst.Attribute(attr=cst.Name(value="__dict__")):
                return True
    return False


def _auxiliary(flatten: Function) -> frozenset[str]:
    """The attributes that a flatten function hands out as auxiliary data, and not as children."""
    owner = first_parameter(flatten)
    locals_: dict[str, list[cst.BaseExpression]] = {}
    results: list[cst.CSTNode] = []
    if isinstance(flatten, cst.Lambda):
        results.append(flatten.body)
    else:
        for statement in flat(flatten.body):
            if isinstance(statement, cst.Return) and statement.value is not None:
                results.append(statement.value)
            elif isinstance(statement, cst.Assign):
                for target in statement.targets:
                    if isinstance(target.target, cst.Name):
                        locals_.setdefault(target.target.value, []).append(statement.value)

    def reached(node: cst.CSTNode) -> frozenset[str]:
        nodes, seen = [node], set[str]()
        found: frozenset[str] = frozenset()
        while nodes:
            here = nodes.pop()
            found |= _reads(here, owner)
            for item in walk(here):
                if isinstance(item, cst.Name) and item.value not in seen:
                    seen.add(item.value)
                    nodes += locals_.get(item.value, [])
        return found

    children: frozenset[str] = frozenset()
    auxiliary: frozenset[str] = frozenset()
    for result in results:
        if isinstance(result, cst.Tuple) and len(result.elements) == 2:
            children |= reached(result.elements[0].value)
            auxiliary |= reached(result.elements[1].value)
    return auxiliary - children
