"""Which attributes the objects of a class do not have: asking for one raises."""

import re

from flake8_jax.classes.members import member
from flake8_jax.classes.table import ClassInfo, libraries
from flake8_jax.classes.walks import last_name
from flake8_jax.lowering.program import Call

_ADD_NOTHING = frozenset(
    {
        "abc.ABC",
        "builtins.object",
        "flax.struct.PyTreeNode",
        "typing.Generic",
        "typing_extensions.Generic",
    }
)
"""Base classes of which all attributes are known, but for those that have a common name."""
_MARKERS = frozenset({"dataclass", "register_dataclass", "register_pytree_node_class"})
_COMMON = frozenset({"from_tuple", "get", "items", "keys", "replace", "to_tuple", "values"})
"""What decorators and base classes of libraries may add."""
_ANY = frozenset({"__getattr__", "__getattribute__", "__setattr__", "__new__"})
"""Methods of a class that may have attributes of any name."""


def lacks(info: ClassInfo, name: str) -> bool:
    """Whether no object of a class has an attribute, as far as its module and its bases tell.

    A class that makes no objects of its own is there to be mixed into others, which may have it.
    """
    return info.once((lacks, name), lambda: _lacks(info, name))


def _lacks(info: ClassInfo, name: str) -> bool:
    if name.startswith("_") or name in _COMMON or member(info, name) is not None:
        return False
    if not info.is_known or not libraries(info) <= _ADD_NOTHING:
        return False
    if any(not lacks(item, name) for item in info.subclasses):
        return False
    if not any(
        item.definition.statement.decorators or "__init__" in item.bound for item in info.mro
    ):
        return False
    if any(not _ANY.isdisjoint(item.bound) or not _is_told(item) for item in info.mro):
        return False
    own = rf"^[^#\n]*\.{name}\b[^=\n]*(?<![=!<>])=(?!=)"
    stored = re.compile(rf"{own}|\bsetattr\(|__dict__|\bvars\(", re.MULTILINE)
    return not any(stored.search(item.module.file.text) for item in info.mro)


def _is_told(info: ClassInfo) -> bool:
    """Whether the decorators of a class add nothing that is not known."""
    decorators = info.definition.statement.decorators
    names = (last_name(x.callee if isinstance(x, Call) else x) for x in decorators)
    return all(name in _MARKERS for name in names) and not info.made.keywords
