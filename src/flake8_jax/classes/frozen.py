"""Whether assigning an attribute of a complete instance is known to raise."""

from collections.abc import Iterator

from flake8_jax.classes.arguments import is_constant, keyword, switched
from flake8_jax.classes.assignment import keeps_its_rule
from flake8_jax.classes.layout import listed_names, own_fields
from flake8_jax.classes.registration import registration
from flake8_jax.classes.table import DATACLASS, Base, ClassInfo, decorations, keywords
from flake8_jax.knowledge.pytrees import (
    BASE_PACKAGES,
    BASES,
    CONCRETE,
    MADE_CLASSES,
    NAMED_TUPLE,
    Frozen,
    Kind,
)
from flake8_jax.lowering.program import Call, Const, Function, Var
from flake8_jax.lowering.walk import walk
from flake8_jax.resolution.imports import External
from flake8_jax.resolution.resolve import Expression


def is_known_to_raise(info: ClassInfo, attribute: str) -> bool:
    """Whether it is known that assigning an attribute of a complete instance raises.

    The kind of pytree says so, and nothing that makes the class changes what may be assigned.
    """
    return is_frozen(info, attribute) and keeps_its_rule(info)


def refuses(info: ClassInfo, attribute: str, removing: bool = False) -> bool:
    """Whether a complete instance is known to refuse that an attribute is assigned, or removed."""
    made = registration(info)
    if made is None or (removing and not made.kind.sealed):
        return False
    return is_known_to_raise(info, attribute)


def opens_in_construction(info: ClassInfo) -> bool:
    """Whether an instance can be assigned while it is made, whatever it refuses later."""
    made = registration(info)
    return made is not None and not made.kind.sealed


def library_kind(dotted: str) -> Kind | None:
    """The kind of pytree that a class of a library is, if it can be used as it is."""
    made = CONCRETE.get(dotted) or MADE_CLASSES.get(dotted)
    return made or BASE_PACKAGES.get(dotted.rpartition(".")[0])


def is_frozen(info: ClassInfo, attribute: str) -> bool:
    """Whether the kind of pytree that a class is refuses to have an attribute assigned."""
    made = registration(info)
    if made is None:
        return False
    rule = made.kind.frozen
    if made.kind.update == NAMED_TUPLE.update:
        return _is_fixed(info, attribute)
    if rule is Frozen.AS_DATACLASS:
        return made.frozen is True or any(
            switched(found[0].arguments, "frozen", default=False) is True
            for found in decorations(info.definition)
            if found and found[0].target == External(DATACLASS)
        )
    given = (*made.arguments, *keywords(info))
    if rule in (Frozen.UNLESS_MUTABLE, Frozen.UNLESS_EVER_MUTABLE):
        sources = info.mro if rule is Frozen.UNLESS_EVER_MUTABLE else (info,)
        switches = [keyword(keywords(item), "mutable") for item in sources]
        return not any(is_constant(switch, True) for switch in switches)
    if rule is Frozen.UNLESS_FALSE and _chooses_for_subclasses(info, "frozen"):
        return switched(given, "frozen", default=False) is True
    chosen = switched(given, "frozen", default=rule is Frozen.UNLESS_FALSE)
    return rule is Frozen.ALWAYS or (rule is not Frozen.NEVER and chosen is True)


def _is_fixed(info: ClassInfo, attribute: str) -> bool:
    """Whether a named tuple refuses an attribute: a field, or any where it has no ``__dict__``.

    A class statement gives its instances a ``__dict__``, unless it is that of the tuple itself, or
    has ``__slots__``. Fields that are not written down may have any name.
    """
    names: set[str] = set()
    has_dict = False
    for item in info.mro:
        if any(isinstance(base, External) and base.dotted in BASES for base in _flat(item)):
            names |= {field.name for field in own_fields(item)}
        elif "__slots__" not in item.bound:
            has_dict = True
        for base in _flat(item):
            if isinstance(base, Expression):
                listed = listed_names(base)
                if listed is None:
                    return not has_dict
                names |= listed
    return attribute in names or not has_dict


def _flat(info: ClassInfo) -> Iterator[Base]:
    for base in info.bases:
        yield from base


def _chooses_for_subclasses(info: ClassInfo, name: str) -> bool:
    """Whether an ancestor has a hook for subclasses that knows of an option."""
    hooks = [item.methods.get("__init_subclass__") for item in info.mro if item is not info]
    return any(hook is not None and _mentions(hook.made, name) for hook in hooks)


def _mentions(hook: object, name: str) -> bool:
    if isinstance(hook, Function) and any(item.name == name for item in hook.parameters):
        return True
    return any(
        (isinstance(node, Var) and node.name == name)
        or (isinstance(node, Const) and node.value == name)
        or (isinstance(node, Call) and any(item == name for item, _ in node.keywords))
        for node in walk(hook)
    )
